"""Families: what is enumerated, counted and sampled."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from families import DIGITS, TREES, Tree, always_holds, context, family_of, leaves, number
from families import total as size
from hypothesis import given
from hypothesis import strategies as st

from theory.errors import InvalidInputError
from theory.search import Draw, Family, Member, Trial, search
from theory.search.family import successor


def members(family: Family[tuple[int, ...]], level: int) -> list[Member[tuple[int, ...]]]:
    return [member for member in family.members(level) if member is not None]


# --- draws


def test_given_choices_are_played_back_then_the_simplest_follow() -> None:
    draw = Draw([2, 1])
    assert [draw.choice("abc"), draw.choice("xyz"), draw.choice("pq")] == ["c", "y", "p"]
    assert draw.choices == [2, 1, 0]
    assert draw.arities == [3, 3, 2]


def test_a_choice_beyond_the_options_is_the_last_one() -> None:
    assert Draw([7]).index(3) == 2


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-2, 2, [0, 1, -1, 2, -2]),
        (1, 3, [1, 2, 3]),
        (-3, -1, [-1, -2, -3]),
        (-1, 3, [0, 1, -1, 2, 3]),
    ],
)
def test_integers_are_ordered_by_distance_from_zero(
    low: int, high: int, expected: list[int]
) -> None:
    assert [Draw([i]).integer(low, high) for i in range(high - low + 1)] == expected


@pytest.mark.parametrize(
    "call", [lambda d: d.index(0), lambda d: d.choice([]), lambda d: d.integer(3, 2)]
)
def test_a_draw_from_nothing_is_refused(call: Callable[[Draw], object]) -> None:
    with pytest.raises(InvalidInputError):
        call(Draw())


# --- members


def test_a_product_is_enumerated_once_in_lexicographic_order() -> None:
    for level in DIGITS.levels:
        found = [member.instance for member in members(DIGITS, level)]
        assert found == list(product(range(10), repeat=level))


@pytest.mark.parametrize(("states", "bell"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)])
def test_partitions_are_as_many_as_bell_numbers(states: int, bell: int) -> None:
    family = Family(
        "partitions", "states", (states,), lambda d, n: tuple(d.partition(n)), lambda _: ()
    )
    found = [member.instance for member in members(family, states)]
    blocks = {
        frozenset(frozenset(w for w in range(states) if labels[w] == b) for b in set(labels))
        for labels in found
    }
    assert len(found) == len(blocks) == bell
    assert found[0] == (0,) * states


@given(TREES)
def test_every_leaf_of_a_tree_of_choices_is_visited_once(tree: Tree) -> None:
    found = members(family_of(tree), 1)
    assert [member.instance for member in found] == list(leaves(tree))
    assert all(member.choices == member.instance for member in found)


@given(TREES, st.lists(st.integers(0, 5), max_size=8))
def test_every_sequence_of_choices_leads_to_a_member_that_its_own_choices_rebuild(
    tree: Tree, choices: list[int]
) -> None:
    family = family_of(tree)
    member = family.rebuild(1, choices)
    assert member is not None
    assert member.instance in set(leaves(tree))
    assert family.rebuild(1, member.choices) == member


def increasing(draw: Draw, length: int) -> tuple[int, ...]:
    chosen: list[int] = []
    for _ in range(length):
        chosen.append(draw.index(6))
        if len(chosen) > 1 and chosen[-2] >= chosen[-1]:
            draw.reject()
    return tuple(chosen)


def test_rejected_choices_yield_none_and_are_cut_off_early() -> None:
    family = Family("increasing", "length", (3,), increasing, size)
    visited = list(family.members(3))
    found = [member.instance for member in visited if member is not None]
    assert found == [c for c in product(range(6), repeat=3) if c[0] < c[1] < c[2]]
    assert len(found) == comb(6, 3)
    # a rejected pair is one visit, not six: 6 * 6 pairs less the comb(6, 2) that go on
    assert len(visited) == 36 - comb(6, 2) + comb(6, 2) * 6
    assert family.rebuild(3, (5, 5, 5)) is None


def test_members_are_ordered_by_level_then_size_then_choices() -> None:
    lone = members(DIGITS, 1)[9]
    pair = members(DIGITS, 2)
    assert lone.order < pair[0].order
    assert sorted(pair, key=lambda m: m.order) == sorted(
        pair, key=lambda m: (sum(m.instance), m.instance)
    )


@pytest.mark.parametrize("levels", [(), (2, 1), (1, 1)])
def test_levels_must_ascend(levels: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInputError, match="levels"):
        replace(DIGITS, levels=levels)


def test_the_successor_of_the_last_choices_is_none() -> None:
    draw = Draw([2, 2])
    draw.index(3)
    draw.index(3)
    assert successor(draw) is None
    assert successor(Draw()) is None


# --- counting


@given(st.lists(st.integers(1, 7), max_size=4), st.integers(0, 99))
def test_knuths_estimate_is_exact_where_arities_do_not_depend_on_choices(
    arities: list[int], seed: int
) -> None:
    family = Family("product", "n", (1,), lambda d, _: tuple(map(d.index, arities)), size)
    assert family.estimated_count(1, np.random.default_rng(seed)) == prod(arities)
    assert len(members(family, 1)) == prod(arities)


def test_knuths_estimate_is_right_on_average_where_they_do() -> None:
    lopsided = ((), ((),) * 3, (((),) * 4,) * 5)
    count = len(list(leaves(lopsided)))
    assert count == 1 + 3 + 20
    # one path estimates 3, 9 or 60, each with probability 1/3
    deviation = (((3 - 24) ** 2 + (9 - 24) ** 2 + (60 - 24) ** 2) / 3) ** 0.5
    found = family_of(lopsided).estimated_count(1, np.random.default_rng(0), paths=4000)
    assert abs(found - count) < 5 * deviation / 4000**0.5


@given(TREES, st.integers(1, 40))
def test_a_count_is_exact_up_to_the_limit_and_beyond_it_a_bound_from_below(
    tree: Tree, limit: int
) -> None:
    count = len(list(leaves(tree)))
    found = family_of(tree).least_count(limit, 1)
    assert found == count if count <= limit else limit < found <= count


def test_a_large_level_is_counted_by_building_few_of_its_members() -> None:
    built = []

    def build(draw: Draw, _level: int) -> tuple[int, ...]:
        built.append(1)
        return tuple(draw.index(10) for _ in range(6))

    assert Family("six digits", "n", (1,), build, size).least_count(20_000, 1) > 20_000
    assert len(built) < 2_000


def test_a_level_too_large_for_a_float_is_counted() -> None:
    family = Family("bits", "n", (1,), lambda d, _: tuple(d.index(2) for _ in range(2000)), size)
    assert family.estimated_count(1, np.random.default_rng(0)) == 2**2000
    assert search(family, always_holds, context(samples=3)).sampled == (1,)


def hidden_bulk(draw: Draw, _level: int) -> tuple[int, ...]:
    """One choice in a thousand opens 4096 more, which few random paths see."""
    if draw.index(1000) < 999:
        return (0,)
    return tuple(draw.index(2) for _ in range(12))


def test_a_level_just_within_the_limit_is_counted_whatever_the_estimate() -> None:
    def build(draw: Draw, _level: int) -> tuple[int, ...]:
        return tuple(draw.index(2) for _ in range(draw.index(5)))

    family = Family("up to four bits", "n", (1,), build, size)
    for seed in range(20):
        assert family.has_at_most(31, 1, np.random.default_rng(seed))
        assert not family.has_at_most(30, 1, np.random.default_rng(seed))


def test_an_estimate_that_is_too_low_does_not_break_the_budget() -> None:
    family = Family("hidden bulk", "n", (1,), hidden_bulk, size)
    assert family.estimated_count(1, np.random.default_rng(0)) == 1000
    assert not family.has_at_most(5000, 1, np.random.default_rng(0))
    assert family.has_at_most(999 + 4096, 1, np.random.default_rng(0))
    found = search(family, always_holds, context(exhaustive=5000))
    assert (found.sampled, found.exhausted, found.instances) == ((1,), (), 100)


# --- sampling


def test_samples_are_uniform_over_the_options_of_each_choice() -> None:
    generator = np.random.default_rng(0)
    drawn = [DIGITS.sample(1, generator) for _ in range(5000)]
    counts = Counter(m.instance for m in drawn if m is not None)
    chi_square = sum((counts[(d,)] - 500) ** 2 / 500 for d in range(10))
    assert chi_square < 27.9  # the 0.999 quantile at 9 degrees of freedom


def test_sampling_uses_the_generator_given_and_nothing_else() -> None:
    runs = []
    for noise in (1, 2):
        random.seed(noise)
        np.random.seed(noise)  # noqa: NPY002  # the global state that must not matter
        runs.append(search(DIGITS, ends_in_seven, context(seed=5, exhaustive=50)))
        undisturbed = np.random.RandomState(noise).uniform()
        assert np.random.uniform() == undisturbed  # noqa: NPY002  # that state again
    assert runs[0] == runs[1]


# --- searching


def ends_in_seven(instance: tuple[int, ...]) -> Trial:
    """Met by even digit sums, non-trivial above 5, failing where the number ends in 7."""
    even = sum(instance) % 2 == 0
    return Trial(
        met=even,
        nontrivial=sum(instance) > 5,
        failure=f"{number(instance)} ends in 7" if instance[-1] == 7 else "",
        undecided=instance[-1] == 3,
    )
