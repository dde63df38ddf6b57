"""Two clocks and two known budgets: worked instances, a clock of small steps, relations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from theory.ascending import clock_sale
from theory.errors import InvalidInputError, NumberError, UnknownNameError

F = Fraction
few = settings(max_examples=examples(60))
AMOUNTS = st.integers(0, 9)


def test_the_smallest_exception() -> None:
    """The dearer item first: bidder 0 leaves at 2, and bidder 1 has nothing left."""
    assert clock_sale([4, 2], [3, 2]).revenue == 2
    cheap = clock_sale([2, 4], [3, 2])
    assert cheap.joint
    assert cheap.price == 1
    assert cheap.revenue == F(1, 2) * (1 + 2) + F(1, 2) * (1 + 1)
    assert clock_sale([2, 4], [3, 2], "poorer").revenue == 2
    assert clock_sale([2, 4], [3, 2], "richer").revenue == 3


def test_budgets_that_do_not_bind_sell_both_at_their_values() -> None:
    assert clock_sale([5, 3], [100, 90]).revenue == 8


def test_one_without_money_leaves_everything_to_the_other() -> None:
    assert clock_sale([5, 3], [9, 0]).revenue == 0


def final(second: Fraction, left: list[Fraction], ties: str) -> tuple[list[Fraction], Fraction]:
    stay = [min(second, mine) for mine in left]
    price = min(stay)
    chances = [F(stay[0] > stay[1]), F(stay[1] > stay[0])]
    if stay[0] == stay[1]:
        chances = [F(1, 2)] * 2
        if ties != "coin" and left[0] != left[1]:
            best = max(left) if ties == "richer" else min(left)
            chances = [F(mine == best) for mine in left]
    return [chance * (second - price) for chance in chances], price


def walk(values: Any, budgets: Any, ties: str, steps: int) -> Fraction:
    """The revenue of a clock that stops at multiples of 1/steps and half a step above each.

    Prices half a step above a multiple are read as just above it: payments are rounded down.
    """

    def after(winner: int, paid: Fraction, above: bool) -> tuple[list[Fraction], Fraction]:
        left = [F(b) for b in budgets]
        left[winner] -= paid + (F(1, 10**6) if above else 0)
        profits, price = final(F(values[1]), left, ties)
        profits[winner] += values[0] - paid
        return profits, paid + price

    for tick in range(2 * steps * 10):
        paid, above = F(tick // 2, steps), bool(tick % 2)
        stays = []
        for one in (0, 1):
            able = paid + (F(1, 10**6) if above else 0) <= budgets[one]
            other = paid + (F(1, 10**6) if above else 0) <= budgets[1 - one]
            if not able or not other:
                stays.append(able)
                continue
            won, lost = after(one, paid, above)[0][one], after(1 - one, paid, above)[0][one]
            stays.append(won > lost + F(1, 1000))
        if all(stays):
            continue
        broke = not above or min(budgets) > paid
        exact = above and broke
        if any(stays):
            return after(stays.index(True), paid, exact)[1]
        rich = budgets[0] >= budgets[1]
        weights = [F(1, 2)] * 2
        if ties != "coin" and budgets[0] != budgets[1]:
            first = rich == (ties == "richer")
            weights = [F(first), 1 - F(first)]
        return sum((w * after(n, paid, exact)[1] for n, w in enumerate(weights) if w), F(0))
    raise AssertionError


@pytest.mark.parametrize("ties", ["coin", "richer", "poorer"])
def test_the_revenue_is_that_of_a_fine_clock(ties: str) -> None:
    """All critical prices of whole numbers are multiples of 1/2."""
    for values in product(range(1, 5), repeat=2):
        for budgets in product(range(1, 5), repeat=2):
            expected = walk(values, budgets, ties, 2)
            found = clock_sale(values, budgets, ties)
            assert abs(found.revenue - expected) < F(1, 1000), (values, budgets, found)


@few
@given(st.tuples(AMOUNTS, AMOUNTS), st.tuples(AMOUNTS, AMOUNTS), st.integers(1, 5))
def test_names_and_currency_change_nothing(values: Any, budgets: Any, scale: int) -> None:
    for ties in ("coin", "richer", "poorer"):
        sale = clock_sale(values, budgets, ties)
        assert clock_sale(values, budgets[::-1], ties).revenue == sale.revenue
        scaled = clock_sale([scale * v for v in values], [scale * b for b in budgets], ties)
        assert scaled.revenue == scale * sale.revenue
        assert sale.revenue <= min(sum(values), sum(budgets))


@few
@given(st.tuples(AMOUNTS, AMOUNTS), st.tuples(AMOUNTS, AMOUNTS))
def test_a_coin_is_the_mean_where_only_the_first_exit_is_joint(values: Any, budgets: Any) -> None:
    coin = clock_sale(values, budgets)
    if not coin.joint:
        assert coin.price == min(at for at, _ in coin.exits)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (([1], [1, 1]), InvalidInputError, r"^values has 1 entries"),
        (([1, 1], [1, -1]), NumberError, r"^budgets is negative"),
        (([1, 1], [1, 1], "rich"), UnknownNameError, r"did you mean 'richer'"),
    ],
)
def test_refusals(arguments: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        clock_sale(*arguments)
