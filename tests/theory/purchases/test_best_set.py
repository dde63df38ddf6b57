"""The best set of passages, against all sets; what is written of one, checked by other means."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import purchases as reference

from theory.errors import InvalidInputError, LimitError, MechproofError, ShapeError
from theory.purchases import BestSet, Shelf, best_set, count_recheck, read_shelf

F = Fraction


@st.composite
def shelves(draw: st.DrawFn) -> Shelf:
    """Few prices, so that many sets are equal; half of them with facts that are sure."""
    facts = draw(st.integers(0, 3))
    chance = draw(st.sampled_from([(F(0), F(1)), (F(0), F(1, 3), F(1, 2), F(1))]))
    row = st.tuples(*[st.sampled_from(chance)] * facts)
    money = st.sampled_from([F(k, 2) for k in range(9)])
    rows = draw(st.lists(st.tuples(money, row), max_size=6))
    worths = draw(st.tuples(*[st.sampled_from([F(k) for k in range(6)])] * facts))
    budget = draw(st.none() | st.sampled_from([F(k) for k in range(9)]))
    return Shelf(tuple(p for p, _ in rows), tuple(c for _, c in rows), worths, budget)


def best_of(shelf: Shelf) -> BestSet:
    return best_set(shelf.prices, shelf.chances, shelf.worths, shelf.budget)


@given(shelves())
def test_the_best_set_is_that_of_all_sets(shelf: Shelf) -> None:
    found = best_of(shelf)
    listed = (shelf.prices, shelf.chances, shelf.worths)
    assert found.chosen == reference.best(*listed, shelf.budget)
    assert found.gain == reference.gain(found.chosen, *listed)
    assert found.worth == reference.worth(found.chosen, shelf.chances, shelf.worths)
    assert found.gap == 0


@pytest.mark.parametrize("sure", [True, False])
def test_equal_sets_within_a_budget_are_told_apart(sure: bool) -> None:
    """Of few prices, worths and facts, so that sets that can just be paid are often equal."""
    draw, found = Random(3), set[tuple[int, ...]]()
    for _ in range(100):
        facts, chance = draw.randint(2, 4), F(1) if sure else F(1, 2)
        prices = [F(draw.randint(1, 3)) for _ in range(4)]
        chances = [[draw.choice((0, 0, 1)) * chance for _ in range(facts)] for _ in prices]
        worths = [F(draw.choice((2, 4, 6))) for _ in range(facts)]
        budget = F(draw.randint(2, 5))
        best = best_set(prices, chances, worths, budget)
        assert best.chosen == reference.best(prices, chances, worths, budget)
        found.add(best.chosen)
    assert len(found) > 8


@pytest.mark.parametrize(
    ("prices", "chances", "worths", "budget"),
    [
        ((4, 3, 2, 5), ("1 0 1 1 0", "1 0 0 1 0", "0 1 0 0 0", "0 1 1 0 1"), (10, 8, 8, 6, 3), 9),
        ((2, 3, 1), ("1/2 0 0 1/2 0", "1/2 1/2 0 1/2 0", "0 0 1/2 0 0"), (7, 5, 6, 12, 10), 3),
        ((1, 2, 3), ("0 1/2 0 1/2 0", "1/2 0 0 0 1/2", "0 1/2 1/2 0 1/2"), (12, 8, 10, 6, 3), 4),
        (
            (1, 1, 2, 3, 1, 1),
            ("0 0 1 0", "1 0 1 0", "0 1 1 0", "1 1 0 1", "1 0 0 1", "0 1 0 0"),
            (4, 4, 11, 9),
            3,
        ),
    ],
)
def test_the_best_set_is_not_cut_off(
    prices: tuple[int, ...], chances: tuple[str, ...], worths: tuple[int, ...], budget: int
) -> None:
    """Cases in which a bound that is too low by little loses the best set."""
    rows = [[F(chance) for chance in row.split()] for row in chances]
    given = [F(price) for price in prices], rows, [F(worth) for worth in worths], F(budget)
    assert best_set(*given).chosen == reference.best(*given)


@given(shelves(), st.sampled_from([F(7, 3), F(1, 5)]))
def test_the_unit_of_money_does_not_matter(shelf: Shelf, unit: Fraction) -> None:
    found = best_of(shelf)
    prices, worths = (tuple(unit * x for x in row) for row in (shelf.prices, shelf.worths))
    budget = None if shelf.budget is None else unit * shelf.budget
    other = best_set(prices, shelf.chances, worths, budget)
    assert (other.chosen, other.gain) == (found.chosen, unit * found.gain)


@given(shelves(), shelves())
def test_more_on_offer_and_more_to_spend_never_gain_less(shelf: Shelf, other: Shelf) -> None:
    if len(shelf.worths) != len(other.worths):
        return
    found = best_of(shelf).gain
    more = replace(shelf, prices=shelf.prices + other.prices, chances=shelf.chances + other.chances)
    assert best_of(more).gain >= found
    assert best_of(replace(shelf, budget=None)).gain >= found


def test_many_passages_are_compared() -> None:
    """The answer to forty passages is found; the recheck goes by the sets of six facts."""
    draw = Random(5)
    prices = [draw.randint(2, 15) for _ in range(40)]
    chances = [[int(draw.random() < 0.3) for _ in range(6)] for _ in prices]
    shelf = read_shelf(prices, chances, [20] * 6, 40)
    assert count_recheck(shelf) < 50 * 2**6
    found = best_of(shelf)
    assert found.gap == 0
    assert len(found.chosen) > 2
    first, last = found.chosen[0], found.chosen[-1]
    for left in (first, last):
        worse = [k for k in found.chosen if k != left]
        worth = F(reference.worth(worse, shelf.chances, shelf.worths))
        price = sum((shelf.prices[k] for k in worse), F(0))
        assert BestSet(shelf, tuple(worse), worth, price).gap == found.gain - (worth - price) > 0


@pytest.mark.parametrize(
    ("chosen", "worth", "price", "gap"),
    [
        ((0, 2), F(7), F(3), F(0)),
        ((0, 2), F(8), F(3), F(1)),
        ((0, 2), F(7), F(7, 2), F(1, 2)),
        ((0,), F(4), F(1), F(1)),
        ((2,), F(3), F(2), F(3)),
        ((0, 1, 2), F(7), F(6), F(3)),
        ((0, 0, 2), F(7), F(3), F(1)),
    ],
)
def test_what_is_written_of_a_set_is_checked(
    chosen: tuple[int, ...], worth: Fraction, price: Fraction, gap: Fraction
) -> None:
    """Two copies at 1 and 3 of what is worth 4, and another fact worth 3 at 2; 3 to spend."""
    shelf = read_shelf([1, 3, 2], [[1, 0], [1, 0], [0, 1]], [4, 3], 3)
    assert BestSet(shelf, chosen, worth, price).gap == gap


def test_too_much_spent_and_a_passage_twice_are_gaps_by_themselves() -> None:
    """With 1 to spend: 7 for 2 gains more than what can be paid; a free one costs nothing twice."""
    shelf = read_shelf([0, 2], [[1, 0], [0, 1]], [4, 3], 1)
    assert BestSet(shelf, (0,), F(4), F(0)).gap == 0
    assert BestSet(shelf, (0, 1), F(7), F(2)).gap == 1
    assert BestSet(shelf, (0, 0), F(4), F(0)).gap == 1


def test_the_recheck_is_counted() -> None:
    """A fact that is sure has two states; each passage that may keep a promise doubles them."""
    sure = read_shelf([1] * 5, [[1, 0]] * 4 + [[0, 1]], [1, 1])
    assert count_recheck(sure) == 1 + (1 + 2 + 4 + 4 + 4) + 10
    likely = read_shelf([1] * 5, [["1/2", 0]] * 5, [1, 1])
    assert count_recheck(likely) == 9 * (1 + 31) + 10


def test_work_is_limited() -> None:
    draw = Random(1)
    chances = [[F(9, 10) * (draw.random() < 0.3) for _ in range(8)] for _ in range(80)]
    prices = [draw.randint(2, 15) for _ in chances]
    with pytest.raises(LimitError, match="take more than the limit of 20,000 steps"):
        best_set(prices, chances, [20] * 8, 40, max_steps=20_000)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([-1], [[1]], [1]), InvalidInputError, "prices is negative"),
        (([1], [[1]], [1, -1]), InvalidInputError, "worths is negative"),
        (([1], [[1]], [1], -1), InvalidInputError, "budget is negative"),
        (([1, 1], [[1, 0], [0, 2]], [1, 1]), InvalidInputError, r"chances\[1\] is above 1"),
        (([1, 1], [[1]], [1]), ShapeError, "chances have 1 rows, for 2 passages"),
        (([1, 1], [[1], []], [1]), ShapeError, r"chances\[1\] has 0 entries, for 1 facts"),
        (([0.5], [[1]], [1]), MechproofError, "prices is a float"),
        (([1], [["x"]], [1]), MechproofError, r"chances\[0\]"),
    ],
)
def test_bad_input_is_refused(
    arguments: tuple[Any, ...], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        best_set(*arguments)
