"""From float64 to the exact problem it stands for, and the refusal of gaps that are not small."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.decision import DecisionProblem
from theory.errors import RoundingError
from theory.information import Good, perfect_information, value_of_information
from theory.inspection import (
    InspectionProblem,
    Protocol,
    best_admissible,
    evaluate,
    recursive_inspection,
    successive_inspection,
)
from theory.marginal_value import MarginalValueGame, equilibrium
from theory.normal_form import NormalFormGame
from theory.probability import ProbabilitySpace

TENTHS = [0.1, 0.2, 0.7]


def decision() -> DecisionProblem:
    space = ProbabilitySpace.of(TENTHS)
    return DecisionProblem.of(space, {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.25, -1e13]})


def inspection(prices: tuple[float, float] = (0.1, 0.05)) -> InspectionProblem:
    problem = decision()
    goods = [
        Good.of(f"g{j}", problem.space.variable(f"v{j}", lambda w, j=j: w == j), price)
        for j, price in enumerate(prices)
    ]
    return InspectionProblem.of(problem, [goods])


def game() -> MarginalValueGame:
    utilities = np.array([[0.1, 0.0, 0.2, 0.0], [0.0, 0.3, 0.0, 0.7]])
    return MarginalValueGame.of(["I", "J"], utilities, {"I": 0.1, "J": "inf"})


# --- The bridge -----------------------------------------------------------------------------------


def test_each_probability_is_divided_by_the_sum() -> None:
    """0.1 + 0.2 + 0.7 is not 1 as rationals: ratios stay, and the sum becomes 1."""
    each = [Fraction(p) for p in TENTHS]
    assert sum(each) != 1
    found: Any = ProbabilitySpace.of(TENTHS).exact().probabilities.scalars()
    assert sum(found) == 1
    assert [p / found[0] for p in found] == [p / each[0] for p in each]
    halves = ProbabilitySpace.of([0.5, 0.25, 0.25]).exact()
    assert halves.probabilities.scalars() == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]


def test_each_utility_and_price_is_the_rational_that_it_is() -> None:
    problem = decision().exact()
    assert problem.utilities.scalars() == [
        [Fraction(u) for u in row] for row in ([0.1, 0.2, 0.3], [0.3, 0.25, -1e13])
    ]
    assert problem.actions == ("a", "b")
    assert Good.of("g", problem.space.variable("v", str), 0.1).exact().price == Fraction(0.1)
    exact = inspection().exact()
    assert [good.price for good in exact.levels[0]] == [Fraction(0.1), Fraction(0.05)]
    assert exact.decision.utilities.kind == "exact"
    exact_game = game().exact()
    assert exact_game.utilities.scalars()[1] == [0, Fraction(0.3), 0, Fraction(0.7)]
    assert exact_game.prices.price(1) == Fraction(0.1)
    assert exact_game.prices.price(2) == float("inf")
    played = NormalFormGame.of([[[0.1, 1.0], [0.0, 2.0]], [[0.3, 1.0], [0.0, 2.0]]])
    assert played.as_exact().exact
    assert played.as_exact().payoffs.scalars()[0][0] == Fraction(0.1)


def test_the_exact_problem_can_be_solved_and_has_no_gap() -> None:
    good = perfect_information(decision().space, 0.1)
    for near, true in (
        (
            value_of_information(decision(), good),
            value_of_information(decision().exact(), good.exact()),
        ),
        (recursive_inspection(inspection()), recursive_inspection(inspection().exact())),
        (successive_inspection(inspection()), successive_inspection(inspection().exact())),
        (equilibrium(game()), equilibrium(game().exact())),
    ):
        assert true.gap == 0
        assert isinstance(true.gap, Fraction)
        assert float(near.gap) < 1e-2
    assert best_admissible(inspection().exact()).gap == 0


def test_what_is_exact_comes_back_as_it_is() -> None:
    space = ProbabilitySpace.of(["1/3", "2/3"])
    problem = DecisionProblem.of(space, [[1, 0], [0, 1]])
    good = Good.of("g", space.variable("v", str), "1/3")
    whole = InspectionProblem.of(problem, [[good]])
    exact_game = MarginalValueGame.of(["I"], [[1, 0], [0, 1]], {"I": "1/3"})
    for each in (space, problem, good, whole, exact_game):
        assert each.exact() is each


# --- Gaps -----------------------------------------------------------------------------------------


def all_tie(values: np.ndarray, *_: object) -> np.ndarray:
    """The rule as it was beside a hopeless option: everything ties."""
    return np.ones(values.shape, dtype=bool)


HALVES = ProbabilitySpace.of([0.5, 0.5])
HOPELESS = {"u": [1.0, 0.0], "v": [0.0, 1.0], "w": [-1e12, -1e12]}


def test_a_value_that_is_off_raises_and_names_the_exact_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Relative to the two actions that are compared, however large a third one is."""
    problem = DecisionProblem.of(HALVES, HOPELESS)
    good = perfect_information(HALVES)
    monkeypatch.setattr("theory.decision.tied_best", all_tie)
    with pytest.raises(RoundingError, match=r"problem\.exact\(\), good\.exact\(\)"):
        value_of_information(problem, good)
    assert value_of_information(problem, good, any_gap=True).gap == 1.0
    monkeypatch.undo()
    assert value_of_information(problem, good).gap == 0


def test_a_protocol_that_is_off_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = DecisionProblem.of(HALVES, HOPELESS)
    good = Good.of("I", HALVES.variable("v", str), 0.125)
    whole = InspectionProblem.of(problem, [[good]])
    monkeypatch.setattr("theory.inspection._choice.tied_best", all_tie)
    for solve in (recursive_inspection, successive_inspection):
        with pytest.raises(RoundingError, match=r"inspection\(problem\.exact\(\)\)"):
            solve(whole)
        assert solve(whole, any_gap=True).gap > 0.1
    protocol = Protocol.of(whole, lambda known: () if known.level else "u")
    assert evaluate(protocol).gap == 0
    monkeypatch.setattr("theory.inspection._inspection.walk_and_share", lambda _: (0.5, 0.5))
    with pytest.raises(RoundingError, match=r"problem\.exact\(\)"):
        evaluate(protocol)


@pytest.mark.parametrize("moves", ["any set of items", "one item at a time", [(), ("I",)]])
def test_an_equilibrium_that_is_off_raises(monkeypatch: pytest.MonkeyPatch, moves: Any) -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1e12, -1e12]])
    played = MarginalValueGame.of(["I"], rows, {"I": 0.25}, moves)
    monkeypatch.setattr(
        "theory.marginal_value._equilibrium.equilibrium_moves",
        lambda game, **_: np.arange(len(game.sets)),
    )
    with pytest.raises(RoundingError, match=r"equilibrium\(game\.exact\(\)\)"):
        equilibrium(played)
    assert equilibrium(played, any_gap=True).gap == 0.75
    monkeypatch.undo()
    monkeypatch.setattr("theory.marginal_value._game.tied_best", all_tie)
    again = MarginalValueGame.of(["I"], rows, {"I": 0.25}, moves)
    with pytest.raises(RoundingError):
        equilibrium(again)


@pytest.mark.parametrize("seed", range(40))
def test_rounding_alone_never_raises(seed: int) -> None:
    """Numbers of many magnitudes that float64 rounds at every step."""
    rng = np.random.default_rng([7, seed])
    states, actions = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    p = rng.dirichlet(np.ones(states))
    scale = 10.0 ** rng.integers(-6, 14, (actions, 1))
    space = ProbabilitySpace.of(p)
    problem = DecisionProblem.of(space, rng.normal(size=(actions, states)) * scale)
    goods = [
        Good.of(f"g{j}", space.variable(f"v{j}", lambda w, j=j: w % (j + 2)), float(price))
        for j, price in enumerate(rng.normal(size=2) * 10.0 ** rng.integers(-6, 14, 2))
    ]
    for good in goods:
        value_of_information(problem, good)
    whole = InspectionProblem.of(problem, [goods[:1], goods[1:]])
    recursive_inspection(whole)
    successive_inspection(whole)
    items = int(rng.integers(1, 5))
    table = rng.normal(size=(actions, 2**items)) * scale
    costs = rng.normal(size=items) * 10.0 ** rng.integers(-6, 14, items)
    prices = {f"I{j}": float(c) for j, c in enumerate(costs)}
    for moves in ("any set of items", "one item at a time"):
        equilibrium(MarginalValueGame.of(list(prices), table, prices, moves))
