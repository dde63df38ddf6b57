"""Recursive inspection: what must not matter, and what must follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inspection_cases import (
    HALF,
    doubled,
    generic_instances,
    instances,
    problem,
    with_levels,
    with_prices,
)
from reference import inspection as oracle
from sweeps import examples

from theory.decision import DecisionProblem
from theory.information import Good, perfect_information, value_of_information
from theory.inspection import (
    InspectionProblem,
    RecursiveInspection,
    Ties,
    merge_states,
    recursive_inspection,
)
from theory.probability import ProbabilitySpace, Variable

F = Fraction
FREE = (F(0),)

few = settings(max_examples=examples(50))


def solved(instance: oracle.Instance, ties: Ties = Ties.FEWEST_GOODS) -> RecursiveInspection:
    found = recursive_inspection(problem(instance), ties)
    assert found.gap == 0
    return found


def choices(found: RecursiveInspection) -> list[list[list[int]]]:
    return [picked.tolist() for picked in found.protocol.picked]


@few
@given(instances())
def test_names_do_not_matter(instance: oracle.Instance) -> None:
    ours = problem(instance)
    found = recursive_inspection(ours)
    space = ProbabilitySpace(
        tuple(f"state {w}" for w in range(ours.states)), ours.decision.space.probabilities
    )
    actions = tuple(f"do {a}" for a in ours.decision.actions)
    levels = [
        [replace(good, name=f"good {good.name}", variables=renamed(good)) for good in level]
        for level in ours.levels
    ]
    decision = DecisionProblem(space, actions, ours.decision.utilities)
    again = recursive_inspection(InspectionProblem.of(decision, levels))
    assert choices(again) == choices(found)
    assert (again.value, again.spending) == (found.value, found.spending)
    for new, old in zip(again.plays, found.plays, strict=True):
        assert new.state == f"state {old.state}"
        assert new.action == f"do {old.action}"
        assert new.purchases == tuple(tuple(f"good {g}" for g in x) for x in old.purchases)


def renamed(good: Good) -> tuple[Variable, ...]:
    return tuple(
        Variable.of(f"new {v.name}", [f"<{x}>" for x in v.by_state]) for v in good.variables
    )


@few
@given(instances(), st.randoms(use_true_random=False))
def test_the_order_of_states_does_not_matter(instance: oracle.Instance, rng: Random) -> None:
    order = list(range(len(instance.p)))
    rng.shuffle(order)
    moved = oracle.Instance(
        [instance.p[w] for w in order],
        [[row[w] for w in order] for row in instance.utilities],
        [
            [([shown[w] for w in order], price) for shown, price in level]
            for level in instance.levels
        ],
    )
    found, again = solved(instance), solved(moved)
    assert again.value == found.value
    for new, w in zip(again.plays, order, strict=True):
        assert replace(new, state=w) == found.plays[w]


@few
@given(generic_instances(), st.randoms(use_true_random=False))
def test_the_order_of_goods_and_actions_matters_to_ties_alone(
    instance: oracle.Instance, rng: Random
) -> None:
    found = solved(instance)
    assume(not found.tied)
    ours = found.problem
    levels = [rng.sample(level, len(level)) for level in ours.levels]
    actions = rng.sample(range(len(instance.utilities)), len(instance.utilities))
    decision = DecisionProblem(
        ours.decision.space,
        tuple(ours.decision.actions[a] for a in actions),
        ours.decision.utilities[actions],
    )
    again = recursive_inspection(InspectionProblem.of(decision, levels))
    sets = [(p.state, [set(x) for x in p.purchases], p.action, p.payoff) for p in found.plays]
    assert sets == [
        (p.state, [set(x) for x in p.purchases], p.action, p.payoff) for p in again.plays
    ]


@few
@given(instances(), st.sampled_from(Ties))
def test_a_state_split_in_two_halves(instance: oracle.Instance, ties: Ties) -> None:
    """No good tells the halves apart: both do what the state did."""
    found, again = solved(instance, ties), solved(doubled(instance), ties)
    assert again.value == found.value
    assert again.spending == found.spending
    for k, play in enumerate(again.plays):
        whole = found.plays[k // 2]
        assert play == replace(whole, state=k, probability=whole.probability / 2)


@few
@given(instances(), st.lists(st.integers(-2, 2), min_size=24, max_size=24))
def test_merging_keeps_value_and_choices(instance: oracle.Instance, noise: list[int]) -> None:
    """The halves of a state are made to differ in utilities, which no good reveals."""
    twice = doubled(instance)
    utilities = [
        [u + noise[(8 * a + w) % len(noise)] for w, u in enumerate(row)]
        for a, row in enumerate(twice.utilities)
    ]
    ours = problem(replace(twice, utilities=utilities))
    fewer, blocks = merge_states(ours)
    found, again = recursive_inspection(ours), recursive_inspection(fewer)
    assert fewer.states <= ours.states / 2
    assert (again.value, again.spending) == (found.value, found.spending)
    for play, block in zip(found.plays, blocks.tolist(), strict=True):
        other = again.plays[block]
        assert (play.purchases, play.action) == (other.purchases, other.action)


@few
@given(instances(), st.fractions(F(1, 9), 9), st.sampled_from(Ties))
def test_another_currency(instance: oracle.Instance, rate: Fraction, ties: Ties) -> None:
    utilities = [[rate * u for u in row] for row in instance.utilities]
    changed = replace(with_prices(instance, lambda price: rate * price), utilities=utilities)
    found: Any = solved(instance, ties)
    again = solved(changed, ties)
    assert choices(again) == choices(found)
    assert (again.value, again.spending) == (rate * found.value, rate * found.spending)


@few
@given(instances(), st.lists(st.integers(-9, 9), min_size=4, max_size=4), st.sampled_from(Ties))
def test_a_gift_in_each_state(instance: oracle.Instance, gifts: list[int], ties: Ties) -> None:
    utilities = [
        [u + gift for u, gift in zip(row, gifts, strict=False)] for row in instance.utilities
    ]
    found, again = solved(instance, ties), solved(replace(instance, utilities=utilities), ties)
    assert choices(again) == choices(found)
    mean = sum(p * gift for p, gift in zip(instance.p, gifts, strict=False))
    assert again.value == found.value + mean


@few
@given(instances(min_depth=1, prices=(F(0), HALF)), st.data())
def test_a_free_copy_of_a_free_good_changes_nothing(
    instance: oracle.Instance, data: st.DataObject
) -> None:
    """Ties go to fewest goods first: each set with the copy comes after its like without it.

    The same holds of a free good that reveals nothing.
    """
    n = data.draw(st.integers(0, instance.depth - 1))
    free = [shown for shown, price in instance.levels[n] if price == 0]
    shown = data.draw(st.sampled_from([*free, [0] * len(instance.p)]))
    levels = list(instance.levels)
    levels[n] = [*levels[n], (shown, F(0))]
    assert solved(with_levels(instance, levels)).plays == solved(instance).plays


@few
@given(instances(max_depth=1, min_depth=1), st.data())
def test_a_good_above_the_range_of_utilities_is_not_bought(
    instance: oracle.Instance, data: st.DataObject
) -> None:
    """It may be looked at, though, and help to choose among the others."""
    size = len(instance.p)
    shown = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    (level,) = instance.levels
    found = solved(with_levels(instance, [[(shown, F(51, 10)), *level]]), Ties.MOST_GOODS)
    assert not any("A0" in play.purchases[0] for play in found.plays)


@few
@given(instances())
def test_nothing_is_bought_where_all_is_too_dear(instance: oracle.Instance) -> None:
    found = solved(with_prices(instance, lambda price: price + F(51, 10)), Ties.MOST_GOODS)
    assert not found.buys
    assert found.value == found.problem.decision.prior_choice().expected_utility


@few
@given(instances(prices=FREE), st.sampled_from(Ties))
def test_free_goods_are_worth_all_their_information(instance: oracle.Instance, ties: Ties) -> None:
    """x^N knows everything, and can let everyone know at no cost."""
    found = solved(instance, ties)
    known: dict[Any, list[int]] = {}
    for w in instance.states:
        values = tuple(shown[w] for level in instance.levels for shown, _ in level)
        known.setdefault(values, []).append(w)
    assert found.value == sum(
        max(sum(instance.p[w] * row[w] for w in block) for row in instance.utilities)
        for block in known.values()
    )


@few
@given(instances(min_depth=1, max_depth=1))
def test_one_good_by_the_direct_formula(instance: oracle.Instance) -> None:
    """It is bought at the values at which knowing them gains more than the price."""
    (level,) = instance.levels
    instance = with_levels(instance, [level[:1]])
    shown, price = level[0]
    p, utilities = instance.p, instance.utilities

    def mean(row: Sequence[Any], states: list[int]) -> Any:
        return sum(p[w] * row[w] for w in states)

    uninformed = max(utilities, key=lambda row: mean(row, list(instance.states)))
    total = F(0)
    for value in set(shown):
        states = [w for w in instance.states if shown[w] == value]
        informed = max(utilities, key=lambda row: mean(row, states))
        mass = sum(p[w] for w in states)
        total += max(mean(uninformed, states), mean(informed, states) - price * mass)
    assert solved(instance).value == total


@pytest.mark.parametrize("price", ["0", "1/4", "1/2", "2"])
def test_one_good_and_the_value_of_information(price: str) -> None:
    """At depth 1 inspecting first gains the mean of max(ex-post value, 0)."""
    space = ProbabilitySpace.of(["1/6", "1/3", "1/2"])
    decision = DecisionProblem.of(space, [[3, 0, 1], [0, 1, 2], [2, -1, 2]])
    good = perfect_information(space, price)
    found = recursive_inspection(InspectionProblem.of(decision, [[good]]))
    each = value_of_information(decision, good).realisations
    gain = sum(x.probability * max(x.ex_post, 0) for x in each)
    assert found.value == decision.prior_choice().expected_utility + gain
