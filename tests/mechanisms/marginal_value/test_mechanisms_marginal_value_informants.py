"""The informants that ship, against a brute force and against each other."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest
from marginal_value_runs import (
    EXAMPLE_6_1,
    FAMILIES,
    KINDS,
    games,
    numbered,
    played,
    scripted,
    told,
)
from reference import marginal_value as oracle

from mechanisms.marginal_value import (
    EquilibriumInformant,
    GreedyInformant,
    MarketMakingInformant,
    RandomInformant,
    run_game,
)
from mechanisms.protocols import Informant
from theory.marginal_value import (
    MarginalValueGame,
    Moves,
    equilibrium,
    from_beliefs,
    market_scoring,
)


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_and_market_making_by_brute_force(family: str) -> None:
    differ = 0
    for drawn, game in games(family, 25):
        final = drawn.utilities[frozenset(drawn.items)]

        def towards_all(before: Any, after: Any, drawn: Any = drawn, final: Any = final) -> Any:
            gain = final[oracle.action(drawn, after)] - final[oracle.action(drawn, before)]
            return gain - drawn.prices[after - before]

        for n, shown in enumerate(oracle.reachable(drawn)):
            held = game.items[n % 2 :]
            history = told(map(str, shown), held)
            options = [m for m in oracle.choices(drawn, shown) if m <= numbered(held)]
            near = max(options, key=lambda m: oracle.gain(drawn, shown, shown | m))
            far = max(options, key=lambda m: towards_all(shown, shown | m))
            assert numbered(GreedyInformant(game).reveal(history)) == near
            assert numbered(MarketMakingInformant(game).reveal(history)) == far
            differ += near != far
    assert differ >= 20


def test_random_informants_make_every_open_move_and_stop() -> None:
    game = EXAMPLE_6_1.with_prices({"claim": 0, "rebuttal": -1, "defence": "inf"})
    informant = RandomInformant(game, np.random.default_rng(5))
    seen = {informant.reveal(told((), game.items)) for _ in range(60)}
    assert seen == {(), ("claim",), ("rebuttal",), ("claim", "rebuttal")}
    runs = [
        run_game(EXAMPLE_6_1, {"A": RandomInformant(EXAMPLE_6_1, np.random.default_rng(seed))})
        for seed in (1, 1, 2, 3, 4)
    ]
    assert runs[0] == runs[1]
    assert len({str(run) for run in runs}) > 1


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("players", [1, 2, 3])
def test_equilibrium_informants_play_the_equilibrium(family: str, players: int) -> None:
    moved = 0
    for _, game in games(family, 40):
        solved = equilibrium(game)
        wise = EquilibriumInformant(solved)
        record = run_game(game, {f"player {n}": wise for n in range(players)})
        assert tuple(played(record)) == solved.path.moves
        assert record.rewards == solved.path.rewards
        moved += len(record.moves)
    assert moved >= 15


def gains(game: MarginalValueGame, then: Informant, before: list[Any]) -> list[Any]:
    """What the next informant gains by each other move when all go on as ``then``, by running."""
    n = len(before)
    usual = scripted(game, before, then)
    worth = usual.rewards[n] if len(usual.moves) > n else 0
    shown = {name for move in before for name in move}
    free = [item for item in game.items if item not in shown]
    sizes = range(len(free) + 1) if game.moves is Moves.SUBSETS else range(2)
    others = [new for size in sizes for new in combinations(free, size)]
    found = []
    for move in others:
        if any(game.prices.price(1 << game.items.index(name)) == inf for name in move):
            continue
        run = scripted(game, [*before, move], then)
        found.append((run.rewards[n] if move else 0) - worth)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_nobody_gains_by_another_move_against_the_equilibrium(family: str) -> None:
    rng, losses, gained_by_greedy = np.random.default_rng(9), 0, 0
    for _, game in games(family, 8):
        wise = EquilibriumInformant(equilibrium(game))
        prefix = played(run_game(game, {"A": RandomInformant(game, rng)}))[:1]
        for before in ([], prefix):
            found = gains(game, wise, before)
            assert max(found) == 0
            losses += sum(gain < 0 for gain in found)
            gained_by_greedy += max(gains(game, GreedyInformant(game), before)) > 0
    assert losses >= 20
    assert gained_by_greedy >= 1  # so the comparison can tell


def test_greed_reveals_the_claim_and_loses() -> None:
    greedy, wise = GreedyInformant(EXAMPLE_6_1), EquilibriumInformant(equilibrium(EXAMPLE_6_1))
    for second in (greedy, wise):
        record = run_game(EXAMPLE_6_1, {"A": greedy, "B": second})
        assert played(record) == [("claim",), ("rebuttal",)]
        assert record.rewards == (-1, 1)
        assert record.actions == (0, 1, 0)
        assert record.statement.account("A").closing == -1
    assert played(run_game(EXAMPLE_6_1, {"A": wise, "B": greedy})) == []


@pytest.mark.parametrize("kind", ["market", "random"])
def test_a_forecast_is_paid_as_by_a_market_scoring_rule(kind: str) -> None:
    rng, long = np.random.default_rng(11), 0
    for _ in range(30):
        items = ["a", "b", "c"]
        beliefs = {
            s: Fraction(int(rng.integers(0, 9)), 8)
            for size in range(4)
            for s in combinations(items, size)
        }
        game = from_beliefs(items, beliefs, dict.fromkeys(items, 0), moves=Moves.SINGLE_ITEMS)
        record = run_game(game, {name: KINDS[kind](game, rng) for name in "AB"})
        shown = [name for move in record.moves for name in move.items]
        reports = [beliefs[tuple(sorted(shown[:n]))] for n in range(len(shown) + 1)]
        assert list(record.actions) == reports
        assert record.rewards == market_scoring(reports, reports[-1])
        if kind == "market":
            errors = [abs(report - beliefs[tuple(items)]) for report in reports]
            assert errors == sorted(set(errors), reverse=True)  # ever nearer to the final view
        long += len(record.moves) > 1
    assert long >= 3
