"""Real numbers without bounds as a type space: grids, draws, searches, text."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mechanisms.classics import FirstPrice, MedianVoting, SecondPrice
from theory.errors import ExactnessError, InvalidInputError
from theory.incentives import Effort, Product, Reals, check_mechanism
from theory.verdicts import Status, Strength

SPACES = [
    Reals(),
    Reals(low="1/2"),
    Reals(high=-3),
    Reals(low="-1/3", high="2/3"),
    Reals(low=2, high=2),
]


@pytest.mark.parametrize("space", SPACES)
def test_what_a_space_gives_is_in_it(space: Reals) -> None:
    generator = np.random.default_rng(0)
    drawn = [space.draw(generator) for _ in range(200)]
    far = [space.round(x, 3) for x in (-1000, Fraction(1, 7), Fraction(22, 7), 1000)]
    for number in (*drawn, *far, *space.grid(1), *space.grid(8)):
        assert type(number) is Fraction
        assert number in space


def test_a_grid_has_small_numbers_on_both_sides() -> None:
    assert Reals().grid(4) == (-2, -1, 0, 1, 2)
    assert Reals(low=3).grid(2) == (3, 4, 5)
    assert Reals(high=3).grid(2) == (3, 2, 1)
    assert Reals(low=0, high=1).grid(2) == (0, Fraction(1, 2), 1)


def test_searches_begin_at_the_bound_as_wide_as_around_0() -> None:
    low, high = Reals().near
    assert low == -high < 0
    for bound in (Fraction(-3), Fraction(1, 2), Fraction(5)):
        assert Reals(low=bound).near == (bound, bound + high - low)
        assert Reals(high=bound).near == (bound - (high - low), bound)
        assert Reals(low=bound, high=bound + 1).near == (bound, bound + 1)


def test_draws_are_far_and_near() -> None:
    generator = np.random.default_rng(1)
    sizes = [abs(Reals().draw(generator)) for _ in range(500)]
    assert max(sizes) > 32
    assert min(sizes) < Fraction(1, 100)


@pytest.mark.parametrize("outside", [1.5, "1", True, None, (1,), float("nan")])
def test_what_is_no_number_of_the_space_is_outside(outside: Any) -> None:
    assert outside not in Reals(high=1)


@pytest.mark.parametrize(("low", "high"), [(0.5, None), (None, float("inf")), (True, 2), (2, 1)])
def test_bounds_are_exact_numbers_in_order(low: Any, high: Any) -> None:
    with pytest.raises(InvalidInputError):
        inspect.unwrap(Reals)(low, high)


def test_a_float_is_refused_as_a_bound() -> None:
    with pytest.raises(ExactnessError, match="low"):
        Reals(low=0.1)


@pytest.mark.parametrize("space", [Reals(), Reals(low=0), Product(Reals(high=5))])
def test_a_search_finds_a_small_lie_and_can_be_pasted(space: Any) -> None:
    def first(bids: Any) -> Any:
        plain = [bid[0] if isinstance(bid, tuple) else bid for bid in bids]
        return FirstPrice().outcome(plain)

    def worth(agent: int, bid: Any, winner: Any) -> Any:
        return (bid[0] if isinstance(bid, tuple) else bid) if winner == agent else 0

    report = check_mechanism(
        first, types=space, agents=2, values=worth, properties=["dsic"],
        effort=Effort(samples=200, starts=2, steps=20, shrinks=400),
    )  # fmt: skip
    assert report["dsic"].status is Status.REFUTED
    assert report.witness is not None
    assert report.witness.gain <= 2
    assert repr(space).count("Reals") == 0
    assert "Reals(" in report.witness.as_test()


def test_what_holds_is_tested() -> None:
    report = check_mechanism(
        SecondPrice(), types=Reals(), agents=2, properties=["dsic"],
        effort=Effort(samples=100, starts=2, steps=20),
    )  # fmt: skip
    assert report["dsic"].strength is Strength.TESTED
    assert report["dsic"].status is Status.HOLDS


def test_the_median_may_be_anywhere_in_a_space() -> None:
    vote = MedianVoting(Reals(low=0))
    assert vote.outcome([Fraction(7, 3), 1, 9]).allocation == Fraction(7, 3)
    assert vote.feasible(Fraction(1, 97), 3)
    assert not vote.feasible(-1, 3)
