"""Every kernel without liberties gives the same bits as plain Python and as machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest

from mechanisms.learners import (
    BestResponse,
    BlumMansour,
    Hedge,
    InternalFTPL,
    RegretMatching,
    play_game,
)
from mechanisms.softmax_auction import softmax_auction
from theory.actions import Features, blotto
from theory.fixed_point import MapMixture, fixed_point, fixed_point_residual
from theory.normal_form import NormalFormGame
from theory.regret import regret_series
from theory.regret._best_replies import best_replies, best_values
from theory.shared import compiling

Bits = list[np.ndarray]
LEARNERS: list[Callable[[int], Any]] = [
    Hedge,
    lambda n: Hedge(n, rounds=60),
    BestResponse,
    RegretMatching,
    BlumMansour,
]


def forced(monkeypatch: pytest.MonkeyPatch, price: float) -> None:
    """Let machine code cost that much for each of its reasons, whatever was done so far."""
    for known in compiling._KERNELS.values():
        monkeypatch.setattr(known, "exact", None)
    for name in ("_IMPORT", "_LOAD", "_COMPILE"):
        monkeypatch.setattr(compiling, name, price)


# --- what calls kernels


def chains() -> Iterator[MapMixture]:
    """Dense and sparse chains, reducible ones, far labels, with constant maps and without."""
    rng = np.random.default_rng(0)
    for k in (1, 2, 3, 7, 40):
        P = rng.random((k, k)) * (rng.random((k, k)) < 0.7) + 1e-12 * np.eye(k)
        yield MapMixture.from_matrix(P / P.sum(axis=1, keepdims=True))
    for k, moves, far in product((5, 60), (8, 150), (1, 10**6)):
        sources, targets = rng.integers(0, k, (2, moves)) * far
        weights = rng.random(moves) * 10.0 ** rng.integers(-9, 1, moves)
        weights /= 2 * weights.sum()
        yield MapMixture.from_arrays(k * far, sources, targets, weights)
        yield MapMixture.from_arrays(
            k * far,
            sources,
            targets,
            weights,
            constants=[0, 2 * far],
            constant_weights=[0.1, 0.3],
        )


def fixed_points() -> Bits:
    found = []
    for maps in chains():
        for start in (None, 0):
            point = fixed_point(maps, start=start)
            found += [np.array(point.support), np.array(point.weights), np.array(point.gap)]
        uniform = {i: 1 / min(maps.size, 4) for i in range(min(maps.size, 4))}
        found.append(np.array(fixed_point_residual(maps, uniform)))
    return found


def games() -> Bits:
    rng = np.random.default_rng(1)
    found = []
    for one, other in product(LEARNERS, LEARNERS):
        payoffs = rng.random((2, 5, 3))
        for compiled in (True, False):
            learners = [one(5), other(3)]
            run = play_game(NormalFormGame.bimatrix(*payoffs), learners, 60, compiled=compiled)
            for player in run.players:
                found += [player.plays, player.observations, np.array(player.residual or 0.0)]
    return found


def mended_games() -> Bits:
    """With plays that are no distribution to the last digit, which are corrected alone."""

    class Near:
        def play(self) -> Any:
            return [0.5 + 7e-10, 0.5]

        def observe(self, rewards: Any) -> None:
            pass

    game = NormalFormGame.bimatrix(*np.random.default_rng(2).random((2, 2, 2)))
    run = play_game(game, [Near(), Near()], 5)
    return [array for player in run.players for array in (player.plays, player.observations)]


def regrets() -> Bits:
    rng = np.random.default_rng(3)
    plays = rng.dirichlet(np.full(6, 0.3), size=50) * (rng.random((50, 6)) < 0.8)
    plays[:, 0] += 1 - plays.sum(axis=1)
    found = regret_series(plays, rng.normal(size=(50, 6)), [1, 7, 50])
    return [np.asarray(each) for each in (found.external, found.internal, found.swap)]


def replies() -> Bits:
    rng = np.random.default_rng(4)
    matrix = np.append(rng.normal(size=(70, 5)), np.ones((2, 5)), axis=0)
    wanted = np.append(rng.normal(size=(9, 5)), [[1.0] * 5, [0.0] * 5], axis=0)
    places, _ = best_replies(Features(matrix), wanted)
    return [np.array(places), best_values(Features(matrix), wanted)]


def oracles() -> Bits:
    game = blotto(fields=3, troops=4)
    learners = [
        InternalFTPL(each, rng=np.random.default_rng(seed), samples=20, constants=True)
        for seed, each in enumerate(game.sets)
    ]
    play_game(game, learners, 20)
    return [np.asarray(learner.play().weights) for learner in learners]


def auctions() -> Bits:
    rng = np.random.default_rng(5)
    found = softmax_auction(rng.normal(size=(3, 4, 30)), 0.4)
    return [found.payments, found.error_bounds, found.allocation, found.allocation_without]


@pytest.mark.parametrize(
    "work", [fixed_points, games, mended_games, regrets, replies, oracles, auctions]
)
def test_plain_python_and_machine_code_agree_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, work: Callable[[], Bits]
) -> None:
    forced(monkeypatch, inf)
    before = {known: known.work for known in compiling._KERNELS.values()}
    plain = work()
    used = [known for known in compiling._KERNELS.values() if known.work > before.get(known, 0)]
    assert used
    assert all(known.exact is None for known in compiling._KERNELS.values()), "nothing compiled"
    forced(monkeypatch, 0)
    compiled = work()
    assert any(known.exact is not None for known in used), "machine code was used"
    assert len(plain) == len(compiled) > 0
    for one, other in zip(plain, compiled, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_bit_that_differs_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """If machine code took its liberties the last bits would differ somewhere."""
    forced(monkeypatch, inf)
    plain = auctions()
    forced(monkeypatch, 0)
    monkeypatch.setattr(compiling._Kernel, "compile", _with_liberties(compiling._Kernel.compile))
    assert any((one != other).any() for one, other in zip(plain, auctions(), strict=True))


def _with_liberties(compiled: Any) -> Any:
    return lambda known, exact: compiled(known, False)
