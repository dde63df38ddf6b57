"""The equilibrium against a brute force that was written without sight of it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from reference import marginal_value as oracle
from sweeps import mostly_slow

from theory.marginal_value import (
    Equilibrium,
    MarginalValueGame,
    Moves,
    Ties,
    equilibrium,
    shortfall,
    theorem_4_4,
)

RULES = {Ties.FEWEST_ITEMS: "fewest", Ties.MOST_ITEMS: "most"}
BATCH = 157
BATCHES = 16
KINDS: dict[str, Any] = {"subsets": Moves.SUBSETS, "singles": Moves.SINGLE_ITEMS}


def ours(game: oracle.Game, moves: Any, *, additive: bool = True) -> MarginalValueGame:
    items = [str(item) for item in game.items]
    back = dict(zip(items, game.items, strict=True))

    def price(new: frozenset[str]) -> Any:
        return game.prices[frozenset(back[name] for name in new)]

    prices: Any = {name: price(frozenset([name])) for name in items} if additive else price
    utilities = {
        tuple(str(item) for item in shown): list(row) for shown, row in game.utilities.items()
    }
    return MarginalValueGame.of(items, utilities, prices, moves)


def named(items: Iterable[Any]) -> frozenset[str]:
    return frozenset(str(item) for item in items)


def agree(game: oracle.Game, moves: Any, rule: Ties, *, additive: bool = True) -> None:
    found = equilibrium(ours(game, moves, additive=additive), rule)
    assert found.gap == 0
    other: Any = RULES[rule]
    strategy = oracle.solve_by_sets(game, other)
    board = found.game
    for shown, move in strategy.items():
        place = board.place(named(shown))
        goes_to = frozenset(board.names(int(found.follow[place])))
        assert goes_to == named(shown) | named(move)
        assert found.inextensible[place] == oracle.inextensible(game, shown)
    assert len(strategy) == len(board.sets)
    stable = {frozenset(board.names(int(s))) for s in np.flatnonzero(found.stable)}
    assert stable == {named(shown) for shown, move in strategy.items() if not move}
    small = len(game.items) <= 3
    play = oracle.equilibrium(game, (), other) if small else oracle.follow(strategy, oracle.NULL)
    moved = [named(move) for move in play if move]
    assert [frozenset(move) for move in found.path.moves] == moved
    assert list(found.rewards) == oracle.rewards(game, play)[: len(moved)]
    assert tuple(s.holds for s in theorem_4_4(found)) == oracle.theorem_4_4(game, other)
    behind = shortfall(found)
    assert frozenset(behind.best) == named(oracle.best_reveal(game))
    assert behind.shortfall == oracle.shortfall(game, other)
    the_same_in_arrays(found)


def the_same_in_arrays(found: Equilibrium) -> None:
    """Solve the game as if it were large: with arrays, set by set or layer by layer."""
    with patch("theory.marginal_value._induction.FEW", 0):
        again = equilibrium(found.game, found.ties)
        assert again.follow.tolist() == found.follow.tolist()
        assert again.inextensible.tolist() == found.inextensible.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", mostly_slow(range(BATCHES)))
def test_agrees(kind: Any, batch: int) -> None:
    rng = np.random.default_rng([batch, len(kind)])
    for number in range(BATCH):
        agree(oracle.random_game(rng, kind), KINDS[kind], list(Ties)[number % 2])


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_where_one_denominator_for_all_is_beyond_int64(kind: Any) -> None:
    """Utilities in fractions of 7^12, prices in fractions of 3^21: each by itself is small."""
    rng = np.random.default_rng([64, len(kind)])
    for number in range(60):
        game = oracle.random_game(rng, kind)
        gain, cost = Fraction(10**10, 7**12), Fraction(10**10, 3**21)
        rows = {shown: tuple(gain * u for u in row) for shown, row in game.utilities.items()}
        prices = {new: p if p == inf else cost * p for new, p in game.prices.items()}
        long = oracle.Game(game.items, game.family, rows, prices)
        agree(long, KINDS[kind], list(Ties)[number % 2])


def test_there_are_5000_games() -> None:
    assert BATCH * BATCHES * len(KINDS) >= 5_000


@pytest.mark.parametrize("rule", Ties)
def test_agrees_on_families_and_price_functions(rule: Ties) -> None:
    rng = np.random.default_rng(7)
    closed, subadditive = set[bool](), set[bool]()
    for _ in range(60):
        drawn = oracle.random_game(rng)
        listed = oracle.subsets(drawn.items)
        some = rng.random(len(listed)) < 0.5
        family = (oracle.NULL, *(s for s, keep in zip(listed[1:], some[1:], strict=True) if keep))
        prices = {s: int(rng.integers(-1, 4)) if s else 0 for s in listed}
        shown = oracle.reachable(oracle.Game(drawn.items, family, drawn.utilities, prices))
        utilities = {s: drawn.utilities[s] for s in shown}
        game = oracle.Game(drawn.items, family, utilities, prices)
        moves = [[str(item) for item in move] for move in family]
        agree(game, moves, rule, additive=False)
        board = ours(game, moves, additive=False)
        union_closed, cheaper, _ = equilibrium(board, rule).hypotheses
        assert union_closed.holds == oracle.union_closed(family)
        closed.add(union_closed.holds)
        whole = oracle.Game(drawn.items, listed, drawn.utilities, prices)
        agree(whole, Moves.SUBSETS, rule, additive=False)
        cheaper = equilibrium(ours(whole, Moves.SUBSETS, additive=False), rule).hypotheses[1]
        assert cheaper.holds == oracle.subadditive(prices)
        subadditive.add(cheaper.holds)
    assert closed == subadditive == {True, False}
