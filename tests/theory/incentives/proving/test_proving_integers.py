"""Integers do otherwise than fractions, at few places: divided they round, in arrays they wrap.

Each auction is a second price, but dearer where a condition holds of two reports that never holds
of numbers which are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sweeps import in_turns

from theory.incentives import Effort, PropertyFinding, Reals, prove_mechanism
from theory.incentives.proving._comparison_points import whole_point
from theory.proofs import Condition, Polynomial
from theory.verdicts import Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)

Asks = Callable[[Any, Any], Any]


def a_difference_without_a_sign(x: Any, y: Any) -> Any:
    return (np.array([x]) - np.array([x + 1]))[0] > 0


def a_quotient_on_a_line(x: Any, y: Any) -> Any:
    return x - y == 12_345 and x + y > 2**70 + 1 and (x / 3) * 3 != x


def a_quotient_that_ties(x: Any, y: Any) -> Any:
    return x / 1 == y and x != y


def a_quotient_that_is_too_large(x: Any, y: Any) -> Any:
    try:
        return x / 2 == 0 and x > 5
    except OverflowError:
        return True


def a_product_that_is_too_large(x: Any, y: Any) -> Any:
    try:
        return x * y / 7 < 0
    except OverflowError:
        return True


HOLDS_AT: dict[Asks, tuple[int, int]] = {
    a_difference_without_a_sign: (2**63 + 5, 0),
    a_quotient_on_a_line: (2**70 + 12_346, 2**70 + 1),
    a_quotient_that_ties: (2**60 + 1, 2**60),
    a_quotient_that_is_too_large: (2**1100, 0),
    a_product_that_is_too_large: (2**700, 2**600),
}


def dsic(asks: Asks, place: int) -> PropertyFinding:
    def auction(bids: Sequence[Any]) -> Any:
        winner = bids.index(max(bids))
        price = bids[1 - winner]
        if asks(bids[place], bids[1 - place]):
            price = 2 * price + 1
        return winner, [price if i == winner else 0 for i in range(2)]

    report = prove_mechanism(
        auction,
        types=Reals(0),
        agents=2,
        properties=["dsic"],
        solver="certificates",
        effort=LITTLE,
    )
    return report["dsic"]


@pytest.mark.parametrize("asks", HOLDS_AT)
def test_each_condition_holds_of_integers_alone(asks: Asks) -> None:
    x, y = HOLDS_AT[asks]
    assert asks(x, y)
    assert not asks(Fraction(x), Fraction(y))


@pytest.mark.parametrize(
    ("asks", "place"), in_turns([(asks, place) for asks in HOLDS_AT for place in (0, 1)], 2)
)
def test_what_integers_do_otherwise_is_not_proved(asks: Asks, place: int) -> None:
    found = dsic(asks, place)
    assert found.strength is not Strength.PROVED, found


def a_quotient_that_is_caught(x: Any, y: Any) -> Any:
    try:
        return x / y < 0
    except ZeroDivisionError:
        return False


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("asks", [lambda x, y: (x + y) / 2 < 0, a_quotient_that_is_caught])
def test_a_price_that_is_divided_is_proved_in_exact_arithmetic(asks: Asks, place: int) -> None:
    found = dsic(asks, place)
    assert found.strength is Strength.PROVED, found
    assert "in exact arithmetic, which divided integers leave" in found.reason


@pytest.mark.parametrize("place", [0, 1])
def test_a_quotient_beside_a_small_fraction_is_proved(place: int) -> None:
    def pays_the_size(bids: Sequence[Any]) -> Any:
        x, y = bids[place], bids[1 - place]
        above = y / 1 - x < 0 if y == 0 else x > 0  # 0.0 less x, where y is an integer
        size = x if above else -x
        return None, [-size, -size]

    report = prove_mechanism(
        pays_the_size, agents=2, properties=["individually_rational"], effort=LITTLE
    )
    assert report["individually_rational"].strength is Strength.PROVED, report


@pytest.mark.parametrize("place", [0, 1])
def test_a_point_of_integers_keeps_to_the_conditions(place: int) -> None:
    names = ("x", "y") if place == 0 else ("y", "x")
    apart = Polynomial.of(names, {(1, 0): Fraction(1), (0, 1): Fraction(-1), (0, 0): Fraction(-5)})
    line = [Condition(apart, strict=False), Condition(-apart, strict=False)]
    known = {names[0]: Fraction(27, 4), names[1]: Fraction(7, 4)}
    at = whole_point(known, line)
    assert at is not None
    assert at[names[0]] - at[names[1]] == 5
    assert {value.denominator for value in at.values()} == {1}
    narrow = Polynomial.of(names, {(1, 0): Fraction(1), (0, 0): Fraction(-27, 4)})
    only = [Condition(narrow, strict=False), Condition(-narrow, strict=False)]
    assert whole_point(known, only) is None
