"""Goods: what they reveal, what they cost, and how they are refused and written."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from theory.decision import DecisionProblem, Forecast
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NullEventError,
    NumberError,
    ShapeError,
)
from theory.information import (
    Good,
    joint_good,
    perfect_information,
    value_of_information,
)
from theory.numbers import log
from theory.probability import Partition, ProbabilitySpace, Variable
from theory.scoring import Score


def test_a_good_that_reveals_nothing() -> None:
    problem = DecisionProblem.of(ProbabilitySpace.uniform(2), [[1, 0], [0, 1]])
    found = value_of_information(problem, Good.of("silence", (), "1/2"))
    assert [r.values for r in found.realisations] == [()]
    assert found.ex_ante == Fraction(-1, 2)


def test_a_variable_in_two_goods_is_revealed_once_and_namesakes_are_both_kept() -> None:
    shared, other = Variable.of("I", [0, 0, 1]), Variable.of("I", [0, 1, 1])
    twice = joint_good([Good.of("a", shared, 1), Good.of("b", Variable.of("I", [0, 0, 1]), 2)])
    assert [v.name for v in twice.variables] == ["I"]
    assert (twice.name, twice.price) == ("a + b", 3)
    namesakes = joint_good([Good.of("a", shared), Good.of("b", other)])
    assert namesakes.signal(3) == Partition.discrete(3)
    assert Good.of("a", [shared, other]).signal(3) == Partition.discrete(3)


def test_prices_are_of_one_kind() -> None:
    def good(price: object) -> Good:
        return Good.of("g", Variable.of("I", [0, 1]), price)

    assert joint_good([good("1/2"), good("1/3")]).price == Fraction(5, 6)
    assert joint_good([good(0.5), good(0.25)]).price == 0.75
    assert joint_good([good(1), good(0.25), good(0)]).price == 1.25
    assert isinstance(joint_good([good(0), good(0.25)]).price, float)
    with pytest.raises(ExactnessError, match="prices mix floats with exact numbers"):
        joint_good([good("1/2"), good(0.25)])
    with pytest.raises(InvalidInputError, match="goods is empty"):
        joint_good([])
    exact = DecisionProblem.of(ProbabilitySpace.uniform(2), [[1, 0], [0, 1]])
    floats = DecisionProblem.of(ProbabilitySpace.of([0.5, 0.5]), [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ExactnessError, match="price is a float"):
        value_of_information(exact, good(0.25))
    with pytest.raises(ExactnessError, match="price is a float"):
        value_of_information(Forecast(exact.space, np.array([True, False]), Score.LOG), good(0.0))
    with pytest.raises(ExactnessError, match="price stands beside floats"):
        value_of_information(floats, good("1/2"))
    assert value_of_information(floats, good(1)).ex_ante == -0.5
    assert value_of_information(floats, good(np.float32(0.5))).ex_ante == 0.0


@pytest.mark.parametrize(
    ("price", "message"),
    [
        ("cheap", "is not a number as we read them"),
        ("1/0", "has a zero denominator"),
        (None, "is not a number"),
        (True, "is not a number"),
        ([1], "is not a number"),
        (float("nan"), "is not finite"),
        (float("-inf"), "is not finite"),
        (np.float64("inf"), "is not finite"),
        (1j, "is not a number"),
    ],
)
def test_a_price_is_a_number(price: object, message: str) -> None:
    with pytest.raises(NumberError, match=f"price of g {message}"):
        Good.of("g", Variable.of("I", [0, 1]), price)


def test_goods_are_about_the_states_of_the_problem() -> None:
    problem = DecisionProblem.of(ProbabilitySpace.uniform(2), [[1, 0], [0, 1]])
    with pytest.raises(ShapeError, match="good g, variable I is not over 2 states"):
        value_of_information(problem, Good.of("g", Variable.of("I", [0, 1, 2])))
    with pytest.raises(ShapeError, match="given does not fit 2 states"):
        value_of_information(problem, Good.of("g", ()), np.array([True]))
    with pytest.raises(NullEventError, match="event has probability zero"):
        value_of_information(problem, Good.of("g", ()), np.array([False, False]))


def test_floats_beyond_their_range_are_an_error() -> None:
    space = ProbabilitySpace.of([0.5, 0.5])
    problem = DecisionProblem.of(space, [[1e308, -1e308], [-1e308, 1e308]])
    with pytest.raises(NumberError, match="beyond float64"):
        value_of_information(problem, perfect_information(space))


def test_a_value_is_written_to_be_read() -> None:
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    sky = space.variable("sky", {"rain": "<grey>", "dry": "blue"})
    problem = Forecast(space, space.event(["rain"]), Score.LOG)
    found = value_of_information(problem, Good.of("a look", sky, "1/10"))
    text = str(found)
    assert "a look at price 1/10: ex-ante" in text
    assert "sky     probability  choice  ex-post value" in text
    assert "-1/10 + 2·log(2) ≈ 1.28629" in text
    assert "closed form arithmetic, rechecked with gap" in text
    html = found._repr_html_()
    assert "&lt;grey&gt;" in html
    assert "<grey>" not in html
    exact = value_of_information(
        DecisionProblem.of(space, [[1, 0], [0, 1]]), perfect_information(space)
    )
    assert str(exact).endswith("exact arithmetic, rechecked with gap 0")
    floats = DecisionProblem.of(ProbabilitySpace.of([0.25, 0.75]), [[1.0, 0.0], [0.0, 1.0]])
    assert "0.25" in str(value_of_information(floats, perfect_information(floats.space)))


def test_prices_of_any_size_leave_the_recheck_sharp() -> None:
    space = ProbabilitySpace.uniform(2)
    problem = Forecast(space, space.event([0]), Score.LOG)
    found = value_of_information(problem, perfect_information(space, "1e400"))
    assert found.gap < Fraction(1, 10**50)
    assert found.ex_ante == log(2) - 10**400
    assert "log(2)" in str(found)
