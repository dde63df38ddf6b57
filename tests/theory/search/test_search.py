"""The search: what it visits, what it counts, what it says about smaller members."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from families import DIGITS, always_holds, context, number
from families import total as size
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from theory.search import Draw, Family, SearchResult, Trial, search


def increasing(draw: Draw, length: int) -> tuple[int, ...]:
    chosen: list[int] = []
    for _ in range(length):
        chosen.append(draw.index(6))
        if len(chosen) > 1 and chosen[-2] >= chosen[-1]:
            draw.reject()
    return tuple(chosen)


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


def test_a_search_counts_what_it_saw() -> None:
    found = search(DIGITS, ends_in_seven, context())
    everything = [c for n in (1, 2, 3) for c in product(range(10), repeat=n)]
    met = [c for c in everything if sum(c) % 2 == 0]
    assert found.instances == len(everything) == 1110
    assert found.met == len(met) == 555
    assert found.nontrivial == len([c for c in met if sum(c) > 5])
    assert found.failing == len([c for c in met if c[-1] == 7]) == 55
    assert found.undecided == len([c for c in everything if c[-1] == 3]) == 111
    assert (found.exhausted, found.sampled, found.shrunk) == ((1, 2, 3), (), None)
    assert found.smallest is not None
    assert found.smallest.instance == (1, 7)
    assert found.failure == "17 ends in 7"


def test_an_instance_that_meets_no_hypothesis_is_no_counterexample() -> None:
    found = search(DIGITS, lambda _: Trial(met=False, failure="irrelevant"), context())
    assert (found.met, found.failing, found.smallest) == (0, 0, None)


def test_rejected_choices_are_no_instances() -> None:
    family = Family("increasing", "length", (3,), increasing, size)
    assert search(family, always_holds, context()).instances == comb(6, 3)
    sampled = search(family, always_holds, context(exhaustive=10, samples=300))
    assert 0 < sampled.instances < 300


@settings(max_examples=examples(40))
@given(st.sets(st.integers(0, 109)))
def test_the_smallest_failure_of_exhausted_levels_is_the_smallest(failing: set[int]) -> None:
    everything = [c for n in (1, 2) for c in product(range(10), repeat=n)]
    bad = {everything[i] for i in failing}
    family = replace(DIGITS, levels=(1, 2))
    found = search(family, lambda c: Trial(failure="bad" if c in bad else ""), context())
    expected = min(bad, key=lambda c: (len(c), sum(c), c), default=None)
    assert (found.smallest.instance if found.smallest else None) == expected
    assert found.failing == len(bad)


def test_a_result_depends_on_seed_and_budget_alone() -> None:
    def noisy(done: int, total: int) -> None:
        np.random.default_rng().integers(10)

    quiet = context(seed=3, exhaustive=50)
    found = search(DIGITS, ends_in_seven, quiet)
    assert found == search(DIGITS, ends_in_seven, quiet)
    assert found == search(DIGITS, ends_in_seven, replace(quiet, progress=noisy))
    other = search(DIGITS, ends_in_seven, context(seed=4, exhaustive=50))
    assert replace(found, seed=4) != other
    assert found.scope().seed == 3


def test_the_budget_decides_what_is_exhausted() -> None:
    limits = {9: (), 10: (1,), 99: (1,), 100: (1, 2), 1000: (1, 2, 3)}
    for limit, expected in limits.items():
        found = search(DIGITS, always_holds, context(exhaustive=limit))
        assert found.exhausted == expected
        assert found.sampled == DIGITS.levels[len(expected) :]
        assert found.scope().exhausted == (expected == DIGITS.levels)


def test_a_predicate_that_raises_is_not_hidden() -> None:
    def broken(_: tuple[int, ...]) -> Trial:
        raise ArithmeticError("on purpose")

    with pytest.raises(ArithmeticError, match="on purpose"):
        search(DIGITS, broken, context())


@pytest.mark.parametrize("exhaustive", [5, 50, 1000])
def test_progress_rises_and_ends_complete(exhaustive: int) -> None:
    seen: list[Fraction] = []
    search(
        DIGITS,
        ends_in_seven,
        replace(
            context(exhaustive=exhaustive),
            progress=lambda done, total: seen.append(Fraction(done, total)),
        ),
    )
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] == 1
    assert len(seen) > 3


# --- minimality


def uneven(draw: Draw, level: int) -> tuple[int, ...]:
    """Ten members at level 2, a thousand at levels 1 and 3."""
    return (draw.index(10 if level == 2 else 1000),)


UNEVEN: Family[tuple[int, ...]] = Family("uneven", "n", (1, 2, 3), uneven, size)


def failing_from(threshold: int) -> SearchResult[tuple[int, ...]]:
    return search(
        UNEVEN,
        lambda c: Trial(failure="large" if c[0] >= threshold else ""),
        context(exhaustive=100, samples=30),
    )


def test_minimality_where_everything_smaller_was_tried() -> None:
    found = search(DIGITS, ends_in_seven, context(exhaustive=100))
    assert found.exhausted == (1, 2)
    assert found.smallest is not None
    assert found.smallest.level == 2
    assert found.shrunk is None
    assert found.minimality == (
        "every member with length up to 2 was tried: nothing smaller in the family fails"
    )


def test_minimality_where_the_level_was_sampled_above_exhausted_ones() -> None:
    found = search(
        DIGITS,
        lambda c: Trial(failure="long" if len(c) == 3 and sum(c) > 9 else ""),
        context(exhaustive=100),
    )
    assert found.shrunk is not None
    assert found.shrunk.finished
    assert found.smallest is not None
    assert found.smallest == found.shrunk.member
    assert found.smallest.instance == (0, 1, 9)
    assert found.minimality == (
        f"no member with length up to 2 fails; shrunk in {found.shrunk.tried} trials until no step "
        "made it smaller; those with length = 3 were sampled, so a smaller one may exist"
    )


def test_minimality_where_a_smaller_level_was_sampled_and_this_one_exhausted() -> None:
    found = failing_from(5)
    assert (found.exhausted, found.sampled) == ((2,), (1, 3))
    assert found.smallest is not None
    assert found.smallest.level == 1
    assert found.smallest.instance == (5,)
    assert "those with n = 1 were sampled" in found.minimality
    assert "nothing smaller in the family fails" not in found.minimality


def test_a_failure_at_an_exhausted_level_is_carried_to_a_sampled_one_below() -> None:
    found = search(
        UNEVEN,
        lambda c: Trial(failure="seven" if c == (7,) else ""),
        context(exhaustive=100, samples=5),
    )
    assert found.smallest is not None
    assert (found.smallest.level, found.smallest.instance) == (1, (7,))
    assert found.failing == 1, "sampling alone did not find it"
    assert "those with n = 1 were sampled" in found.minimality


@pytest.mark.parametrize("failing", [(), (5,), (1, 7), (0, 0, 9)], ids=len)
@pytest.mark.parametrize("exhaustive", [10_000, 150, 5])
def test_levels_above_a_failure_change_nothing_but_counts(
    failing: tuple[int, ...], exhaustive: int
) -> None:
    visited: list[int] = []

    def begins_so(instance: tuple[int, ...]) -> Trial:
        visited.append(len(instance))
        return Trial(failure="bad" if failing and instance[: len(failing)] == failing else "")

    budget = context(exhaustive=exhaustive, samples=3_000)
    whole = search(DIGITS, begins_so, budget)
    assert max(visited) == 3
    visited.clear()
    short = search(DIGITS, begins_so, budget, until_failure=True)
    assert max(visited) == (len(failing) or 3)
    for name in ("smallest", "failure", "shrunk", "minimality"):
        assert getattr(short, name) == getattr(whole, name)
    assert (short.smallest is None) == (not failing)
    assert (short.instances == whole.instances) == (len(failing) in (0, 3))


def levelled(draw: Draw, level: int) -> tuple[int, ...]:
    """The level and a digit, of which there are ten or a thousand."""
    return (level, draw.index(1000 if level % 2 else 10))


@pytest.mark.parametrize(
    ("levels", "failing", "known"),
    [
        ((1, 2), 2, ""),
        ((2, 3, 4), 3, "no member with n up to 2 fails; "),
        ((2, 3, 4), 4, "no member with n up to 2 fails; "),
    ],
)
def test_minimality_among_exhausted_and_sampled_levels(
    levels: tuple[int, ...], failing: int, known: str
) -> None:
    family = Family("levelled", "n", levels, levelled, lambda c: (c[1],))
    found = search(
        family,
        lambda c: Trial(failure="bad" if c[0] == failing and c[1] > 3 else ""),
        context(exhaustive=100, samples=30),
    )
    sampled = next(level for level in levels if level % 2)
    assert found.smallest is not None
    assert found.smallest.instance == (failing, 4)
    assert found.minimality.startswith(f"{known}shrunk in ")
    assert f"those with n = {sampled} were sampled, so a smaller" in found.minimality


def test_minimality_where_shrinking_reached_its_limit() -> None:
    def at_level_one(c: tuple[int, ...]) -> Trial:
        return Trial(failure="large" if c[0] >= 100 else "")

    found = search(UNEVEN, at_level_one, context(exhaustive=100, samples=30, shrinks=1))
    assert found.shrunk is not None
    assert not found.shrunk.finished
    assert found.shrunk.tried == 1
    assert "shrunk until the limit of 1 trials was reached" in found.minimality


def test_minimality_where_nothing_fails() -> None:
    assert search(DIGITS, always_holds, context()).minimality == "no member fails"
    sampled = search(DIGITS, always_holds, context(exhaustive=50))
    assert sampled.minimality == "no member that was tried fails"


def test_the_sizes_of_the_scope_name_each_level_once() -> None:
    scope = failing_from(5).scope()
    assert scope.sizes == "n 2: all; n 1, 3: sampled"
    assert scope.family == "uneven"


def test_a_result_reads_well() -> None:
    found = search(DIGITS, ends_in_seven, context())
    assert str(found).splitlines() == [
        f"1,110 instances, 555 met the hypotheses, {found.nontrivial} non-trivial, 55 failed",
        "smallest: (1, 7)",
        "17 ends in 7",
        "every member with length up to 2 was tried: nothing smaller in the family fails",
    ]
    page = search(DIGITS, lambda c: Trial(failure="<b>" if c == (1,) else ""), context())
    assert "&lt;b&gt;" in page._repr_html_()
    assert "no member fails" in str(search(DIGITS, always_holds, context()))
