"""An array function is traced with one row, and must do the same with each row of many."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mechanisms.classics import second_price_table
from theory.incentives import Effort, PropertyFinding, Reals, Vectorised, prove_mechanism
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)
Pair = tuple[np.ndarray, np.ndarray]


def found(function: Callable[[Any], Pair], name: str = "dsic", agents: int = 2) -> PropertyFinding:
    mechanism = Vectorised(function)
    given: Any = {"types": Reals(0), "solver": "certificates", "effort": LITTLE}
    return prove_mechanism(mechanism, agents=agents, properties=[name], **given)[name]


def second_price(rows: np.ndarray, highest: Any, price: Any) -> Pair:
    won = rows == highest
    first = won & (np.cumsum(won, axis=1) == 1)
    return np.where(first, 1, 0), np.where(first, price, 0)


def honest(rows: np.ndarray) -> Pair:
    price = np.sort(rows, axis=1)[:, -2:-1]
    return second_price(rows, rows.max(axis=1, keepdims=True), price)


def the_highest_of_all_rows_wins(rows: np.ndarray) -> Pair:
    return second_price(rows, rows.max(), np.sort(rows, axis=1)[:, -2:-1])


def the_second_bid_of_all_rows_is_the_price(rows: np.ndarray) -> Pair:
    highest = rows.max(axis=1, keepdims=True)
    return second_price(rows, highest, np.sort(rows.ravel())[-2] + 0 * rows)


def pays_the_mean_of_all_rows(rows: np.ndarray) -> Pair:
    return rows * 0, rows * rows.size - rows.sum()


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (the_highest_of_all_rows_wins, "dsic"),
        (the_highest_of_all_rows_wins, "individually_rational"),
        (the_second_bid_of_all_rows_is_the_price, "dsic"),
        (pays_the_mean_of_all_rows, "strongly_budget_balanced"),
    ],
)
def test_a_forgotten_axis_proves_nothing(function: Callable[[Any], Pair], name: str) -> None:
    finding = found(function, name)
    assert finding.strength is Strength.TESTED
    assert finding.proof is None
    assert "a row depends on the others" in finding.reason


@pytest.mark.parametrize(("function", "agents"), [(honest, 2), (second_price_table, 3)])
def test_an_array_function_whose_rows_stand_alone_is_proved(
    function: Callable[[Any], Pair], agents: int
) -> None:
    finding = found(function, "individually_rational", agents)
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.PROVED)
    assert re.search(r", and up to 1,\d\d\d rows at once$", finding.rechecked)


def test_rows_of_floats_are_compared_up_to_rounding() -> None:
    def halves(rows: Any) -> Pair:
        return rows * 0, np.sort(rows * 0.1, axis=1)

    finding = found(halves, "no_positive_transfers")
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.PROVED)


@pytest.mark.parametrize("agent", [0, 2])
@pytest.mark.parametrize("row", [0, -1])
@pytest.mark.parametrize("least", [2, 50])
def test_one_row_that_is_treated_otherwise_is_found(agent: int, row: int, least: int) -> None:
    def with_a_favourite(rows: Any) -> Pair:
        payments = rows * 0
        if len(rows) >= least:
            payments[row, agent] = -1
        return rows * 0, payments

    reason = found(with_a_favourite, "individually_rational", 3).reason
    assert "a row depends on the others" in reason


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("step", [1, -1])
def test_a_row_that_pays_what_its_neighbour_bids_is_found(agent: int, step: int) -> None:
    def neighbours(rows: Any) -> Pair:
        neighbour = rows - np.concatenate([rows[step:], rows[:step]])
        payments = rows * 0
        payments[:, agent] = neighbour[:, agent]
        return rows * 0, payments

    assert "a row depends on the others" in found(neighbours, "individually_rational").reason


@pytest.mark.parametrize("agent", [0, 1])
def test_rows_that_are_given_twice_have_to_come_to_the_same(agent: int) -> None:
    def first_of_equals(rows: Any) -> Pair:
        payments = rows * 0
        seen: list[Any] = []
        for place, row in enumerate(rows):
            told = list(row)
            if told in seen:
                payments[place, agent] = -1
            seen.append(told)
        return rows * 0, payments

    reason = found(first_of_equals, "individually_rational").reason
    assert "a row depends on the others" in reason


def test_a_function_that_raises_for_several_rows_is_not_proved() -> None:
    def one_at_a_time(rows: Any) -> Pair:
        (_,) = rows
        return rows * 0, rows * 0

    reason = found(one_at_a_time, "individually_rational").reason
    assert "the array function raises ValueError: too many values to unpack" in reason
