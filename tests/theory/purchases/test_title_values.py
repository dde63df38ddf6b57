"""Gains by titles that are wrong at a rate, against a listing of all cases and all plans."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from reference import purchases as reference

from theory.errors import InvalidInputError, LimitError, ShapeError
from theory.purchases import Outcome, TitleValues, title_values

F = Fraction
ERRORS = [F(0), F(1, 10), F(1, 3), F(1, 2), F(4, 5), F(1)]


def drawn(seed: int) -> tuple[list[int], list[list[Fraction]], list[int], int | None]:
    draw = Random(seed)
    facts = draw.randint(1, 2)
    chances = [
        [F(draw.randint(0, 4), 4) for _ in range(facts)] for _ in range(draw.randint(1, 4 - facts))
    ]
    prices = [draw.randint(0, 5) for _ in chances]
    worths = [draw.randint(1, 9) for _ in range(facts)]
    return prices, chances, worths, draw.choice([None, 3, 6])


@pytest.mark.parametrize("seed", range(16))
def test_gains_are_those_of_a_buyer_that_is_followed_through_all_cases(seed: int) -> None:
    """The buyer reads titles and buys; what it then really has is added up, case by case."""
    prices, chances, worths, budget = drawn(seed)
    found = title_values(prices, chances, worths, ERRORS, budget)
    limit = None if budget is None else F(budget)
    amounts = [F(p) for p in prices]
    values = [F(w) for w in worths]
    cells = [(k, j) for k in range(len(prices)) for j in range(len(worths))]

    def buy(beliefs: dict[tuple[int, int], Fraction]) -> tuple[int, ...]:
        rows = [[beliefs[k, j] for j in range(len(worths))] for k in range(len(prices))]
        return reference.best(amounts, rows, values, limit)

    def has(some: tuple[int, ...], stated: dict[tuple[int, int], bool]) -> Fraction:
        facts = {j for k in some for j in range(len(worths)) if stated[k, j]}
        return sum((values[j] for j in facts), F(0)) - sum((amounts[k] for k in some), F(0))

    for error, outcome in zip(ERRORS, found.titled, strict=True):
        gain = revenue = F(0)
        for titles in product((True, False), repeat=len(cells)):
            beliefs, reading = {}, F(1)
            for cell, promised in zip(cells, titles, strict=True):
                c = chances[cell[0]][cell[1]]
                kept = c * (1 - error if promised else error)
                total = kept + (1 - c) * (error if promised else 1 - error)
                reading *= total
                beliefs[cell] = kept / total if total else F(0)
            if not reading:
                continue
            some = buy(beliefs)
            for states in product((True, False), repeat=len(cells)):
                likely = F(1)
                for cell, stated in zip(cells, states, strict=True):
                    likely *= beliefs[cell] if stated else 1 - beliefs[cell]
                gain += reading * likely * has(some, dict(zip(cells, states, strict=True)))
            revenue += reading * sum((amounts[k] for k in some), F(0))
        assert (outcome.gain, outcome.revenue) == (gain, revenue)
    assert found.gap == 0
    assert found.titled[0] == found.titled[-1] == found.seen
    assert found.titled[3] == found.blind


@pytest.mark.parametrize("seed", range(0, 16, 3))
def test_errors_beyond_one_half_are_turned_round(seed: int) -> None:
    prices, chances, worths, budget = drawn(seed)
    few, many = (
        title_values(prices, chances, worths, errors, budget)
        for errors in ([F(1, 10), F(2, 5)], [F(9, 10), F(3, 5)])
    )
    assert few.titled == many.titled
    assert few.shares[0] <= few.shares[1] <= 1


def test_one_good_by_hand() -> None:
    """Worth 10 half of the time, at 4: who trusts good titles gains (10 (1 - e) - 4) / 2."""
    found = title_values([4], [["1/2"]], [10], ["0", "1/10", "1/2"])
    assert [each.gain for each in found.titled] == [3, F(5, 2), 1]
    assert [each.revenue for each in found.titled] == [2, 2, 4]
    assert (found.blind, found.seen) == (Outcome(F(1), F(4)), Outcome(F(3), F(2)))
    assert found.shares == (0, F(1, 6), F(2, 3))
    assert found.seen.surplus == found.blind.surplus == 5
    assert "16.7%" in str(found)


def test_where_nothing_is_gained_nothing_is_recovered() -> None:
    assert title_values([9], [["1/2"]], [5], ["1/4"]).shares == (0,)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_another_gain_is_a_gap(place: int) -> None:
    found = title_values([2, 3], [["1/2"], ["1/4"]], [8], ["1/10", "1/4", "1/2"])
    assert found.gap == 0
    titled = list(found.titled)
    titled[place] = replace(titled[place], gain=titled[place].gain - F(1, 7))
    assert replace(found, titled=tuple(titled)).gap == F(1, 7)
    for name in ("blind", "seen"):
        outcome = getattr(found, name)
        wrong: TitleValues = replace(found, **{name: replace(outcome, gain=outcome.gain + 2)})
        assert wrong.gap == 2


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([1], [["1/2"]], [1], ["3/2"]), InvalidInputError, "errors are no probabilities"),
        (([1], [["1/2"]], [1], ["-1/2"]), InvalidInputError, "errors are no probabilities"),
        (([1], [[]], [1], [0]), ShapeError, r"chances\[0\] has 0 entries"),
        (([1] * 11, [["1/2"]] * 11, [1], [0]), LimitError, "have more than 10 that are unsure"),
    ],
)
def test_bad_input_is_refused(
    arguments: tuple[Any, ...], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        title_values(*arguments)
