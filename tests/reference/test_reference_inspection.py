"""The oracle for inspection protocols: examples by hand, two exact optima, what must not matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from reference.inspection import (
    Instance,
    Outcome,
    best,
    best_of_all,
    count,
    options,
    outcome,
    protocols,
    random_instance,
    random_protocol,
    recursive,
    signals,
    successive,
    value,
)

F = Fraction
HALF = F(1, 2)
NONE: tuple[int, ...] = ()
BUY = (0,)
RULES = ("fewest", "most")

HINT = Instance([F(1, 3), F(2, 3)], [[3, 0], [0, 1]], [[("yn", HALF)]])
"""One good reveals the state; without it action 0 is best."""

TWO_LEVELS = Instance([HALF, HALF], [[2, 0], [0, 1]], [[("yn", HALF)], [("yn", F(0))]])
"""As much is revealed at a price to help act, and free to help buy."""

XOR = Instance(
    [F(1, 4)] * 4,
    [[1, 0, 0, 1], [0, 1, 1, 0]],
    [[((0, 0, 1, 1), F(1, 8)), ((0, 1, 0, 1), F(1, 8))]],
)
"""Neither good says anything about the best action; both together reveal it."""


def drawn(seed: int, number: int, depth: int | None = None) -> list[Instance]:
    rng = Random(seed)
    return [random_instance(rng, depth) for _ in range(number)]


def test_options_come_fewest_first() -> None:
    assert options(0) == [()]
    assert options(3) == [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


def test_recursive_by_hand() -> None:
    """State 0 keeps silent and gets 3; state 1 buys for 1/2 and gets 1."""
    found = recursive(HINT)
    assert found.policy == {
        ((NONE,), (0, 1)): 0,
        ((BUY,), (0,)): 0,
        ((BUY,), (1,)): 1,
        ((), (0,)): NONE,
        ((), (1,)): BUY,
    }
    assert found.outcomes == {0: Outcome((NONE,), 0, 0, 3), 1: Outcome((BUY,), 1, HALF, HALF)}
    assert found.value == F(4, 3)


def test_the_best_protocol_by_hand() -> None:
    """State 0 buys, so that silence means state 1: (3 - 1/2)/3 + 2/3."""
    assert count(HINT) == 2**5
    assert best_of_all(HINT) == best(HINT) == F(3, 2)
    told = {**recursive(HINT).policy, ((), (0,)): BUY, ((), (1,)): NONE, ((NONE,), (0, 1)): 1}
    assert value(HINT, told) == F(3, 2)
    assert signals(HINT, told)


def test_signalling_by_hand() -> None:
    """The recursive protocol signals too, and is not let read it; who always buys does not."""
    policy = recursive(HINT).policy
    assert signals(HINT, policy)
    assert not signals(HINT, {**policy, ((), (0,)): BUY})
    assert not signals(HINT, {**policy, ((), (1,)): NONE})


def test_successive_by_hand() -> None:
    """U^1(good) = (-1/2, 1/2), 1/6 on average: bought in both states."""
    found = successive(HINT)
    assert found.tables == [
        {0: {0: 3, 1: 0}, 1: {0: 0, 1: 1}},
        {NONE: {0: 0, 1: 0}, BUY: {0: -HALF, 1: HALF}},
    ]
    assert found.gains == [F(5, 3), F(1, 6)]
    assert found.outcomes == {
        0: Outcome((BUY,), 0, HALF, F(5, 2)),
        1: Outcome((BUY,), 1, HALF, HALF),
    }
    assert found.value == F(7, 6)


@pytest.mark.parametrize(("rule", "table"), [("fewest", (0, HALF)), ("most", (HALF, 0))])
def test_two_successive_levels_by_hand(rule: Any, table: tuple[Any, Any]) -> None:
    """Uninformed, the dear good is worth 0 on average: a tie, and the rule says what U^2 is from.

    Informed, it is bought in state 1 only. The action is chosen without the free good's value.
    """
    found = successive(TWO_LEVELS, rule=rule)
    assert found.tables[2] == {NONE: {0: 0, 1: 0}, BUY: dict(enumerate(table))}
    assert found.outcomes == {
        0: Outcome((NONE, BUY), 0, 0, 2),
        1: Outcome((BUY, BUY), 1, HALF, HALF),
    }
    assert found.gains == [F(3, 2), F(1, 4), F(1, 4)]
    assert found.value == F(5, 4)


@pytest.mark.parametrize(("rule", "purchase"), [("fewest", NONE), ("most", BUY)])
def test_two_recursive_levels_by_hand(rule: Any, purchase: tuple[int, ...]) -> None:
    """Bought to help buy, the free good is known when acting; in state 0 nothing hangs on it."""
    found = recursive(TWO_LEVELS, rule)
    assert found.outcomes == {
        0: Outcome((NONE, purchase), 0, 0, 2),
        1: Outcome((NONE, BUY), 1, 0, 1),
    }
    assert found.value == best(TWO_LEVELS) == F(3, 2)


@pytest.mark.parametrize(("rule", "purchase"), [("fewest", NONE), ("most", (0, 1))])
def test_ties_by_hand(rule: Any, purchase: tuple[int, ...]) -> None:
    """Nothing matters: the first action by both rules, no good or every free good."""
    tied = Instance([HALF, HALF], [[1, 1], [1, 1]], [[("yn", F(0)), ("yn", F(0))]])
    expected = dict.fromkeys((0, 1), Outcome((purchase,), 0, 0, 1))
    assert recursive(tied, rule).outcomes == successive(tied, rule=rule).outcomes == expected


def test_what_is_known_by_hand() -> None:
    """x^2 knows both levels, x^1 level 0 and what x^2 bought, x^0 what was bought."""
    levels = [[("aabb", 1)], [("abab", 1)]]
    known = Instance([F(1, 4)] * 4, [[0] * 4], levels).node
    assert known[(), 3] == ((), (3,))
    assert known[(NONE,), 3] == ((NONE,), (2, 3))
    assert known[(BUY,), 3] == ((BUY,), (3,))
    assert known[(NONE, NONE), 3] == ((NONE, NONE), (0, 1, 2, 3))
    assert known[(BUY, NONE), 3] == ((BUY, NONE), (2, 3))
    assert known[(NONE, BUY), 3] == ((NONE, BUY), (1, 3))


def test_goods_that_help_only_together() -> None:
    assert successive(XOR, "single").value == HALF
    assert list(successive(XOR, "single").tables[1]) == [(), (0,), (1,)]
    assert successive(XOR, "subsets").value == F(3, 4)
    assert successive(XOR, "subsets").outcomes[2] == Outcome(((0, 1),), 1, F(1, 4), F(3, 4))


@pytest.mark.parametrize(
    ("change", "by_recursion", "at_best"),
    [
        ({"levels": [[("yn", F(1, 4))]]}, F(3, 2), F(19, 12)),
        ({"levels": [[("yn", F(0))]]}, F(5, 3), F(5, 3)),
        ({"levels": [[("yn", F(3))]]}, 1, 1),
        ({"levels": [[("yy", HALF)]]}, 1, 1),
        ({"levels": [[("yy", F(0)), ("yn", HALF)]]}, F(4, 3), F(5, 3)),
        ({"levels": [[("yn", HALF)], [("yn", F(0))]]}, F(5, 3), F(5, 3)),
        ({"p": [HALF, HALF]}, F(7, 4), F(7, 4)),
        ({"utilities": [[3, 0], [0, 2]]}, F(13, 6), F(13, 6)),
        ({"levels": []}, 1, 1),
    ],
)
def test_changes_by_hand(change: Any, by_recursion: Any, at_best: Any) -> None:
    changed = replace(HINT, **change)
    assert recursive(changed).value == by_recursion
    assert best(changed) == at_best


@pytest.mark.parametrize(
    ("depth", "sizes", "most"),
    [(0, range(100), 20), (1, range(2000), 100), (2, range(9000), 20), (2, range(40000, 60000), 1)],
    ids=str,
)
def test_two_ways_to_the_best_value(depth: int, sizes: range, most: int) -> None:
    small = [each for each in drawn(1, 300, depth) if count(each) in sizes][:most]
    assert len(small) == most
    assert all(best(each) == best_of_all(each) for each in small)


def test_nothing_beats_the_best_and_it_can_beat_recursion() -> None:
    beaten = 0
    for each in drawn(2, 300):
        at_best = best(each)
        found = recursive(each)
        assert value(each, random_protocol(each, Random(3))) <= at_best
        assert successive(each, "single").value <= at_best
        assert found.value <= at_best
        beaten += found.value < at_best
    assert 20 < beaten < 150


def test_recursion_is_best_where_it_says_so() -> None:
    """At each node no other choice does better, given the values and the later choices."""
    for each in drawn(4, 100):
        for rule in RULES:
            policy = recursive(each, rule).policy
            for node, chosen in policy.items():
                bought, states = node

                def expected(x: Any, at: Any = node, policy: Any = policy, i: Any = each) -> Any:
                    play = {**policy, at: x}
                    return sum(i.p[w] * outcome(i, play, w, at[0]).payoff for w in at[1])

                worth = [expected(x) for x in each.choices_at(node)]
                assert expected(chosen) == max(worth), (bought, states)


def test_without_signals_nothing_beats_recursion() -> None:
    """volition.theorem-3.3.c1, on every admissible protocol of small instances."""
    silent = louder = 0
    small = drawn(5, 300, depth=1) + drawn(5, 60, depth=2)
    for each in [i for i in small if count(i) <= 600]:
        bound = recursive(each).value
        for protocol in protocols(each):
            if signals(each, protocol):
                louder += value(each, protocol) > bound
            else:
                silent += 1
                assert value(each, protocol) <= bound
    assert silent > 100
    assert louder > 10


def test_successive_gains_add_up() -> None:
    """e_n = e_(n+1) + E[price of x_(n+1)] + d_n, d_n = max_x E[U^n(x)]; the value sums d_n."""
    for each in drawn(6, 200):
        found = successive(each)
        paid = [
            sum(
                each.p[w] * sum(each.levels[n][g][1] for g in end.purchases[n])
                for w, end in found.outcomes.items()
            )
            for n in range(each.depth)
        ]
        blind = [
            max(sum(each.p[w] * u[w] for w in each.states) for u in table.values())
            for table in found.tables
        ]
        gains = found.gains
        assert gains[-1] == blind[-1]
        assert all(gains[n] == gains[n + 1] + paid[n] + blind[n] for n in range(each.depth))
        assert found.value == gains[0] - sum(paid) == sum(blind)


def mirrored(each: Instance) -> Instance:
    levels = [[(labels[::-1], price) for labels, price in level] for level in each.levels]
    return Instance(each.p[::-1], [row[::-1] for row in each.utilities], levels)


def doubled(each: Instance) -> Instance:
    """Every state as two equally likely ones."""

    def twice(row: Any) -> list[Any]:
        return [x for x in row for _ in range(2)]

    levels = [[(twice(labels), price) for labels, price in level] for level in each.levels]
    return Instance([x / 2 for x in twice(each.p)], [twice(u) for u in each.utilities], levels)


def extended(each: Instance) -> Instance:
    """One more state, which is impossible."""
    levels = [[([*labels, 9], price) for labels, price in level] for level in each.levels]
    utilities = [[*row, 99 * a] for a, row in enumerate(each.utilities)]
    return Instance([*each.p, F(0)], utilities, levels)


def dearer(each: Instance) -> Instance:
    """Another currency, and 1 for taking part: worth 3 v + 1."""
    levels = [[(labels, 3 * price) for labels, price in level] for level in each.levels]
    return Instance(each.p, [[3 * u + 1 for u in row] for row in each.utilities], levels)


@pytest.mark.parametrize(
    ("change", "worth"),
    [
        (mirrored, lambda v: v),
        (doubled, lambda v: v),
        (extended, lambda v: v),
        (dearer, lambda v: 3 * v + 1),
    ],
    ids=["mirrored", "doubled", "extended", "dearer"],
)
def test_what_must_not_matter(
    change: Callable[[Instance], Instance], worth: Callable[[Any], Any]
) -> None:
    for each in drawn(7, 60, depth=1):
        changed = change(each)
        assert best(changed) == worth(best(each))
        for rule in RULES:
            assert recursive(changed, rule).value == worth(recursive(each, rule).value)
            assert successive(changed, rule=rule).value == worth(successive(each, rule=rule).value)


def test_most_random_instances_buy() -> None:
    family = drawn(8, 500)
    bought = [
        any(any(end.purchases) for end in recursive(each).outcomes.values()) for each in family
    ]
    assert sum(bought) > 250
    assert {each.depth for each in family} == {0, 1, 2}
    assert any(0 in each.p for each in family)
