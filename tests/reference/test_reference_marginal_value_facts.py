"""Theorem 4.4 and the bounds on the shortfall: over all small games, and where each fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import inf
from typing import Any

import pytest

from reference.marginal_value import (
    NULL,
    Game,
    Items,
    Play,
    Rule,
    agrees,
    best_reveal,
    bound,
    by_item,
    by_set,
    equilibrium,
    hindsight,
    inextensible,
    reachable,
    revealed,
    sharp_bound,
    sharp_sets,
    shortfall,
    singles,
    stable_sets,
    subsets,
    theorem_4_4,
    two_actions,
)


def s(*items: Any) -> Items:
    return frozenset(items)


def small_games(family: Callable[[Sequence[Any]], tuple[Items, ...]]) -> Iterator[Game]:
    for differences in product((-1, 0, 1), repeat=4):
        for prices in product((-1, 0, 1, inf), repeat=2):
            yield two_actions(by_set(*differences), by_item(*prices), family)


def test_every_small_game_of_subsets() -> None:
    revealing = 0
    for game in small_games(subsets):
        reveal = revealed(equilibrium(game))
        revealing += bool(reveal)
        assert theorem_4_4(game) == (True, True, True)
        assert {t for t in reachable(game) if inextensible(game, t)} == stable_sets(game)
        assert shortfall(game) <= bound(game)
        for final in sharp_sets(game):
            assert hindsight(game, reveal) >= hindsight(game, final)
            if game.prices[final] < inf:
                assert shortfall(game) <= sharp_bound(game, final)
    assert revealing > 500


def test_small_games_of_single_items_break_everything() -> None:
    broken = [0, 0, 0, 0]
    for game in small_games(singles):
        for n, holds in enumerate((*theorem_4_4(game), shortfall(game) <= bound(game))):
            broken[n] += not holds
    assert all(broken)


FAILURES: dict[str, tuple[Game, Rule, Play, tuple[bool, bool, bool]]] = {
    # Saying 2 is paid 1 and changes nothing; then saying 1 changes the action and gains 1.
    "singles": (
        two_actions(by_set(1, 1, 1, -1), by_item(0, -1), singles),
        "fewest",
        (s(2), s(1)),
        (False, False, True),
    ),
    # Either item earns 1 said first, and 1 comes first in order; ex post it is worth 0 and 2 is 1.
    "singles, third": (
        two_actions(by_set(1, 0, 0, -1), by_item(0, -1), singles),
        "fewest",
        (s(1), s(2)),
        (False, False, False),
    ),
    # Both at once gain 1 and cost 1; one after the other they earn 1 each.
    "dear together": (
        two_actions(by_set(1, 1, 1, -1), by_set(0, 0, -1, 1)),
        "fewest",
        (s(2), s(1)),
        (False, False, True),
    ),
    # Both at once earn 3 - 1, ex post too; 2 first earns 3 once 1 is said, ex post 1.
    "dear together, third": (
        two_actions(by_set(1, 1, -1, -3), by_set(0, -1, 0, 1)),
        "fewest",
        (s(2), s(1)),
        (False, False, False),
    ),
    # No reward is positive: 2, worth 1 ex post, is worth 0 once the next says 1 for nothing.
    "most": (
        two_actions(by_set(0, 0, 1, 0), by_item(0, 0)),
        "most",
        (s(1, 2),),
        (True, True, False),
    ),
    # After 2, saying 1 gains 1 and costs 1: a tie, so it is said, and 2 earns -1.
    "most, first": (
        two_actions(by_set(0, 0, 1, -1), by_item(1, 0)),
        "most",
        (),
        (False, True, False),
    ),
    "most, singles": (
        two_actions(by_set(0, 0, 0, 0), by_item(0, 0), singles),
        "most",
        (s(1), s(2)),
        (True, False, True),
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_where_the_theorem_fails(name: str) -> None:
    game, rule, path, holds = FAILURES[name]
    assert equilibrium(game, (), rule) == (*path, NULL)
    assert theorem_4_4(game, rule) == holds


UNBOUNDED = {
    # Neither item says anything alone, so neither is said.
    "singles": (two_actions(by_set(0, 0, 0, 1), by_item(0, 0), singles), 1, 0),
    # 1 is right with hindsight, and nobody is paid for showing why.
    "superadditive": (two_actions(by_set(1, 0, 0, -1), by_set(0, 0, 0, 1)), 1, 0),
    # 1 is wrong; what refutes it costs 1 after it, though both at once are free.
    "subadditive": (two_actions(by_set(0, 1, 0, -1), by_set(0, 0, 1, 0)), 1, 0),
    "subadditive, monotone": (two_actions(by_set(0, 2, 0, -1), by_set(0, 1, 1, 1)), 2, 1),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_where_the_bound_fails(name: str) -> None:
    game, lost, allowed = UNBOUNDED[name]
    assert (shortfall(game), bound(game)) == (lost, allowed)


UNSHARP = {
    "not around": (two_actions(by_set(0, 2, 0, 0), by_item(1, 0)), s(2), (False, True, True)),
    # Example 6.1 with 1 said, and nothing said in answer.
    "not stable": (
        two_actions(by_set(0, 1, 0, 0, -1, 0, 0, 1), by_item(0, 0, 1)),
        s(1),
        (True, False, True),
    ),
    "not agreed": (two_actions(by_set(1, -1, -1, -3), by_item(2, 2)), s(1), (True, True, False)),
}


@pytest.mark.parametrize("name", UNSHARP)
def test_what_the_sharp_bound_needs(name: str) -> None:
    """F lacks one of: it contains the reveal, is stable, agrees with K; w(F) is greater by 1."""
    game, final, conditions = UNSHARP[name]
    reveal = revealed(equilibrium(game))
    met = (reveal <= final, final in stable_sets(game), agrees(game, final))
    assert met == conditions
    assert final not in sharp_sets(game)
    assert hindsight(game, final) - hindsight(game, reveal) == 1
    assert shortfall(game) > sharp_bound(game, final)


def test_the_bounds_are_attained() -> None:
    game = two_actions(by_set(1, 0, 0, -1), by_item(1, 0))
    assert (best_reveal(game), shortfall(game), bound(game)) == (s(2), 1, 1)
    game = two_actions(by_set(1, 0, -2, -2), by_item(1, 2))
    assert (best_reveal(game), shortfall(game), sharp_bound(game, s(2))) == (s(1), 1, 1)
    assert s(2) in sharp_sets(game)
