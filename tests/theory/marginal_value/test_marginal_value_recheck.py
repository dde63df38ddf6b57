"""The recheck of an equilibrium is seen to fail, and numbers that could mislead it."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from flint import arb
from marginal_value_games import (
    as_a_function,
    built,
    example,
    games,
)

from theory.marginal_value import (
    MarginalValueGame,
    Moves,
    equilibrium,
)
from theory.marginal_value._recheck import largest_gain
from theory.numbers import log


def test_a_wrong_move_leaves_a_gap() -> None:
    game = example(dear="1/10")
    found = equilibrium(game)
    for place in range(len(found.follow)):
        for target in game.after(place):
            follow = found.follow.copy()
            follow[place] = target
            gap = largest_gain(game, follow)
            assert gap >= 0
            if found.follow[place] != target:
                assert gap > 0


@pytest.mark.parametrize("below", [1, 10**30], ids=["int64", "integers of Python's"])
def test_the_two_verifiers_agree(below: int) -> None:
    rng = np.random.default_rng(2)
    for utilities, whole, _ in games():
        named = enumerate(whole.items())
        prices = {n: p if p == "inf" else p - Fraction(k, below + k) for k, (n, p) in named}
        cube = built(utilities, prices, Moves.SUBSETS)
        listed = MarginalValueGame.of(
            list(prices), utilities, as_a_function(utilities, prices)[1], Moves.SUBSETS
        )
        follow = np.arange(len(cube.sets))
        for place in range(len(follow)):
            options = cube.after(place)
            if len(options) and rng.random() < 0.6:
                follow[place] = rng.choice(options)
        assert largest_gain(cube, follow) == largest_gain(listed, follow)


def in_ninths(kind: str) -> MarginalValueGame:
    """A game whose prices are no whole numbers."""
    rows: Any = [[0, Fraction(1, 9)], [Fraction(-1), Fraction(8, 9)]]
    ninth: Any = Fraction(8, 9)
    if kind == "balls":
        rows = [[arb(0), arb(1) / 9], [arb(-1), arb(8) / 9]]
    elif kind == "logarithms":
        rows, ninth = [[log(2) * u for u in row] for row in rows], log(2) * ninth
    elif kind == "floats":
        rows, ninth = np.array(rows, dtype=float), 8 / 9
    return MarginalValueGame.of(["a"], rows, {"a": ninth})


@pytest.mark.parametrize("kind", ["exact", "balls", "logarithms", "floats"])
def test_prices_that_are_no_whole_numbers_are_rechecked(kind: str) -> None:
    game = in_ninths(kind)
    unit = float(log(2)) if kind == "logarithms" else 1.0
    assert equilibrium(game).path.moves == ()
    assert float(equilibrium(game).gap) < 1e-12
    assert float(largest_gain(game, np.array([1, 1]))) == pytest.approx(unit / 9)


def test_a_price_nobody_pays_does_not_blind_the_others() -> None:
    table = {(): [1.0, 0.0], ("a",): [0.0, 1.0], ("b",): [1.0, 0.0], ("a", "b"): [0.0, 1.0]}
    for dear in (1e9, 1e13, 1e300, inf):
        prices = {"a": 0.1, "b": dear}
        for paid in (prices, lambda new, p=prices: sum(p[name] for name in new)):
            found = equilibrium(MarginalValueGame.of(["a", "b"], table, paid))
            assert found.revealed == ("a",)
            assert found.gap < 1e-12
            assert found.inextensible_sets == (("a",), ("a", "b"))


def test_actions_tie_by_the_numbers_of_their_own_set() -> None:
    table = {(): [0.0, 0.0], ("a",): [0.0, 1e-5], ("b",): [1e9, 0.0], ("a", "b"): [1e6, 1e9]}
    game = MarginalValueGame.of(["a", "b"], table, {"a": 0.0, "b": 0.0})
    assert [game.action(shown) for shown in table] == [0, 1, 0, 1]


def test_a_recheck_reads_prices_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    game = MarginalValueGame.of(["a"], [[0, 0], [0, 3]], lambda new: 2 * len(new))
    paid = type(game.prices).of_sets
    monkeypatch.setattr(
        type(game.prices), "of_sets", lambda self, new: paid(self, new) + paid(self, new)
    )
    monkeypatch.setattr("theory.marginal_value._induction.FEW", 0)  # small games take no arrays
    assert largest_gain(game, equilibrium(game).follow) == 1


def test_an_action_that_is_not_best_leaves_a_gap() -> None:
    game = example()
    game.__dict__["picked"] = np.ones(8, dtype=np.int64)
    assert largest_gain(game, np.arange(8)) == 1
