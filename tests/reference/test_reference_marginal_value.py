"""The oracle for marginal value: games worked out by hand, and what must not matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, Literal

import numpy as np
import pytest

from reference.marginal_value import (
    NULL,
    Game,
    Items,
    Rule,
    action,
    additive,
    best_reveal,
    bound,
    by_item,
    by_set,
    choices,
    deviations,
    equilibrium,
    extensions,
    gain,
    hindsight,
    histories,
    inextensible,
    posterior_utilities,
    random_game,
    reachable,
    revealed,
    rewards,
    sharp_bound,
    sharp_sets,
    shortfall,
    singles,
    solve_by_sets,
    stable_sets,
    subadditive,
    subsets,
    theorem_4_4,
    two_actions,
    union_closed,
)

F = Fraction
RULES: tuple[Rule, Rule] = ("fewest", "most")
FAMILIES = {"subsets": subsets, "singles": singles}


def s(*items: Any) -> Items:
    return frozenset(items)


def drawn(seed: int, number: int) -> Iterator[Game]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield random_game(rng, "subsets")
        yield random_game(rng, "singles")


def example_6_1(defence: Any) -> Game:
    """I1 alone, or with I3, or everything makes 1 the better action; every other set 0."""
    one = {s(1), s(1, 3), s(1, 2, 3)}
    items = (1, 2, 3)
    utilities = {shown: (0, 1) if shown in one else (1, 0) for shown in subsets(items)}
    return Game(items, subsets(items), utilities, by_item(F(1, 10), F(1, 10), defence))


DEAR = example_6_1(100)
CHEAP = example_6_1(F(1, 10))


# --- Example 6.1


def test_a_dear_defence_leaves_everything_unsaid() -> None:
    assert equilibrium(DEAR) == (NULL,)
    assert equilibrium(DEAR, (s(1),)) == (s(1), s(2), NULL)
    assert rewards(DEAR, (s(1), s(2), NULL)) == [F(-11, 10), F(9, 10), 0]
    assert equilibrium(DEAR, (s(3),)) == (s(3), s(1), NULL)


def test_stable_and_inextensible_sets_of_example_6_1() -> None:
    """I2 is worth 9/10 after I1, and so is I1 after I3 or after {I2, I3}; nothing else pays."""
    stay = {NULL, s(2), s(1, 2), s(1, 3), s(1, 2, 3)}
    assert stable_sets(DEAR) == stay
    assert {shown for shown in reachable(DEAR) if inextensible(DEAR, shown)} == stay
    assert extensions(DEAR, s(1)) == [s(1, 2)]
    assert extensions(DEAR, NULL) == [s(1)]


def test_ex_post_and_hindsight_values_of_example_6_1() -> None:
    first = {move: gain(DEAR, NULL, move) for move in DEAR.family}
    assert first == {
        NULL: 0,
        s(1): F(9, 10),
        s(2): F(-1, 10),
        s(3): -100,
        s(1, 2): F(-2, 10),
        s(1, 3): F(-991, 10),
        s(2, 3): F(-1001, 10),
        s(1, 2, 3): F(-992, 10),
    }
    assert {move: hindsight(DEAR, move) for move in DEAR.family} == first
    assert best_reveal(DEAR) == s(1)
    assert shortfall(DEAR) == F(9, 10)
    assert bound(DEAR) == F(1001, 10)
    assert sharp_sets(DEAR) == [s(1, 3), s(1, 2, 3)]
    assert [sharp_bound(DEAR, final) for final in sharp_sets(DEAR)] == [100, F(1001, 10)]
    assert theorem_4_4(DEAR) == (True, True, True)


def test_a_cheap_defence_gets_the_best_said() -> None:
    """Who says I2 gets u_K(0) - u_K(1) - 1/10 once I3 is said, so nobody says it."""
    assert equilibrium(CHEAP) == (s(1), NULL)
    assert shortfall(CHEAP) == 0
    assert equilibrium(CHEAP, (s(1), s(2))) == (s(1), s(2), s(3), NULL)
    assert extensions(CHEAP, s(1)) == [s(1, 2)]
    assert inextensible(CHEAP, s(1))


# --- ties


def test_moves_in_the_order_of_ties() -> None:
    game = two_actions(by_set(*[0] * 8), by_item(0, 0, 0))
    pairs = [s(1, 2), s(1, 3), s(2, 3)]
    ones = [s(1), s(2), s(3)]
    assert choices(game, NULL) == [NULL, *ones, *pairs, s(1, 2, 3)]
    assert choices(game, NULL, "most") == [s(1, 2, 3), *pairs, *ones, NULL]
    assert choices(game, s(2)) == [NULL, s(1), s(3), s(1, 3)]


def test_item_order_is_the_order_given() -> None:
    utilities = dict.fromkeys(subsets("ab"), (0,))
    game = Game(("b", "a"), singles("ab"), utilities, additive({"a": 0, "b": 0}))
    assert choices(game, NULL) == [NULL, s("b"), s("a")]


def test_when_nothing_matters_the_rule_decides() -> None:
    flat, free = by_set(0, 0, 0, 0), by_item(0, 0)
    assert equilibrium(two_actions(flat, free)) == (NULL,)
    assert equilibrium(two_actions(flat, free), (), "most") == (s(1, 2), NULL)
    assert equilibrium(two_actions(flat, free, singles), (), "most") == (s(1), s(2), NULL)


def test_the_judge_takes_the_first_maximiser() -> None:
    game = Game((1,), subsets([1]), {NULL: (2, 2, 1), s(1): (0, 3, 3)}, by_item(0))
    assert [action(game, shown) for shown in (NULL, s(1))] == [0, 1]


# --- families and prices


def test_the_given_family_is_what_can_be_revealed() -> None:
    """{1, 2} after {1} reveals 2 alone, at the price of 2 alone."""
    game = two_actions(by_set(0, 1, 5, -1), by_item(0, F(1, 2)), lambda _: (NULL, s(1), s(1, 2)))
    assert reachable(game) == [NULL, s(1), s(1, 2)]
    assert choices(game, s(1)) == [NULL, s(2)]
    assert equilibrium(game, (s(1),)) == (s(1), s(2), NULL)
    assert game.everything == s(1, 2)
    assert list(histories(game)) == [(), (s(1),), (s(1), s(2)), (s(1, 2),)]


def test_what_no_move_holds_is_not_in_everything() -> None:
    game = two_actions(by_set(0, 1, 0, -1), by_item(0, 0), lambda _: (NULL, s(1)))
    assert game.everything == s(1)
    assert hindsight(game, s(1)) == 1


def test_union_closed() -> None:
    assert union_closed(subsets([1, 2, 3]))
    assert union_closed([NULL, s(1), s(1, 2)])
    assert not union_closed(singles([1, 2]))


def test_subadditive() -> None:
    assert subadditive(by_item(-1, 2, inf))
    assert subadditive(by_set(0, 1, 1, 1))
    assert not subadditive(by_set(0, 1, 1, 3))
    assert not subadditive(by_set(0, -1, 1, F(1, 2)))


def test_nobody_pays_an_infinite_price() -> None:
    game = two_actions(by_set(0, 3, 0, 3), by_item(inf, 0))
    assert equilibrium(game) == (NULL,)
    assert rewards(game, (s(1), NULL)) == [-inf, 0]
    assert best_reveal(game) == NULL
    assert shortfall(game) == 0
    for drawn_game in drawn(1, 100):
        assert drawn_game.prices[revealed(equilibrium(drawn_game))] < inf


# --- posteriors


def test_posteriors_by_hand() -> None:
    """Item 1 tells the first state from the others, item 2 the last; action 1 pays w in w."""
    table = posterior_utilities(
        [F(1, 2), F(1, 3), F(1, 6)], [[1, 1, 1], [0, 1, 2]], {1: "abb", 2: "aab"}, 1
    )
    assert table == {
        NULL: (F(1), F(2, 3)),
        s(1): (F(1), F(4, 3)),
        s(2): (F(1), F(2, 5)),
        s(1, 2): (F(1), F(1)),
    }


def test_every_table_is_a_table_of_posteriors() -> None:
    """In state A the items of A show what they show in state K, so S leaves the A that contain S.

    Then u_S is the mean of U_A over those, and U_A comes back by inclusion and exclusion.
    """
    for game in drawn(2, 10):
        sets = subsets(game.items)
        count = {shown: sum(shown <= a for a in sets) for shown in sets}
        rows = [
            [
                sum((-1) ** len(b - a) * count[b] * game.utilities[b][x] for b in sets if a <= b)
                for a in sets
            ]
            for x in range(len(game.utilities[NULL]))
        ]
        values = {item: [item in a for a in sets] for item in game.items}
        prior = [F(1, len(sets))] * len(sets)
        assert posterior_utilities(prior, rows, values, len(sets) - 1) == game.utilities


# --- plays


def test_rewards_add_up_to_the_gain_of_all() -> None:
    """The changes of action telescope, and additive prices add."""
    for game in drawn(3, 40):
        for history in histories(game):
            if game.prices[revealed(history)] < inf:
                play = (*history, NULL)
                assert sum(rewards(game, play)) == gain(game, NULL, revealed(play))


@pytest.mark.parametrize("rule", RULES)
def test_the_equilibrium_depends_on_what_is_revealed_alone(rule: Rule) -> None:
    for game in drawn(4, 40):
        strategy = solve_by_sets(game, rule)
        for history in histories(game):
            assert equilibrium(game, history, rule)[len(history)] == strategy[revealed(history)]
        assert deviations(game, strategy) == []
        assert stable_sets(game, rule) == {shown for shown in strategy if not strategy[shown]}


def test_deviations_by_hand() -> None:
    """Once I1 is answered by I2, saying it costs 11/10; left alone, it would gain 9/10."""
    silent = dict.fromkeys(reachable(DEAR), NULL)
    assert deviations(DEAR, silent) == [
        (NULL, s(1)),
        (s(1), s(2)),
        (s(3), s(1)),
        (s(3), s(1, 2)),
        (s(2, 3), s(1)),
    ]
    answered = {**silent, s(1): s(2), s(3): s(1), s(2, 3): s(1)}
    assert deviations(DEAR, answered) == []
    hasty = {**answered, NULL: s(1)}
    assert (NULL, NULL) in deviations(DEAR, hasty)


def test_a_worse_move_is_a_deviation_and_an_equal_one_is_not() -> None:
    """With one set's move replaced, a deviation is found just when its reward was less."""
    worse = 0
    for game in drawn(5, 60):
        strategy = solve_by_sets(game)
        for other in choices(game, NULL):
            change = rewards(game, equilibrium(game, (other,)))[0] if other else 0
            is_worse = change < rewards(game, equilibrium(game))[0]
            assert bool(deviations(game, {**strategy, NULL: other})) == is_worse
            worse += is_worse
    assert worse > 100


# --- what must not matter


@pytest.mark.parametrize("rule", RULES)
def test_units_levels_and_names(rule: Rule) -> None:
    for game in drawn(6, 40):
        play = equilibrium(game, (), rule)
        scaled = replace(
            game,
            utilities={t: tuple(F(3, 2) * x for x in u) for t, u in game.utilities.items()},
            prices={
                t: price if price == inf else F(3, 2) * price for t, price in game.prices.items()
            },
        )
        shifted = replace(
            game,
            utilities={t: tuple(x + 7 * len(t) for x in u) for t, u in game.utilities.items()},
        )
        for other in (scaled, shifted):
            assert equilibrium(other, (), rule) == play
            assert theorem_4_4(other, rule) == theorem_4_4(game, rule)
        assert shortfall(scaled, rule) == F(3, 2) * shortfall(game, rule)
        assert shortfall(shifted, rule) == shortfall(game, rule)
        renamed = Game(
            tuple("zyxw"[: len(game.items)]),
            tuple(rename(t) for t in game.family),
            {rename(t): u for t, u in game.utilities.items()},
            {rename(t): price for t, price in game.prices.items()},
        )
        assert equilibrium(renamed, (), rule) == tuple(rename(move) for move in play)


def rename(shown: Items) -> Items:
    return frozenset("zyxw"[item - 1] for item in shown)


# --- random games


@pytest.mark.parametrize("moves", FAMILIES)
def test_random_games(moves: Literal["subsets", "singles"]) -> None:
    rng = np.random.default_rng(7)
    games = [random_game(rng, moves) for _ in range(300)]
    sizes, actions, utilities, prices = set(), set(), set(), set()
    for game in games:
        assert game.family == FAMILIES[moves](game.items)
        assert game.prices == additive({i: game.prices[s(i)] for i in game.items})
        sizes.add(len(game.items))
        actions |= {len(u) for u in game.utilities.values()}
        utilities |= {(type(x), x) for u in game.utilities.values() for x in u}
        prices |= {game.prices[s(i)] for i in game.items}
    assert (sizes, actions, prices) == ({2, 3, 4}, {2, 3}, {-1, 0, 1, 2, 3, inf})
    assert utilities == {(int, x) for x in range(-3, 4)}
    assert sum(equilibrium(game) != (NULL,) for game in games) > 150
    again = np.random.default_rng(7)
    assert games == [random_game(again, moves) for _ in range(300)]
