"""What a user of values of information sees: errors, a small import, names of any kind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Hashable

import pytest
from plain_python import outcomes

from dev import ROOT
from theory.decision import DecisionProblem
from theory.information import (
    Good,
    value_of_information,
)
from theory.probability import ProbabilitySpace

SETUP = """
import numpy as np
from fractions import Fraction
from theory.decision import DecisionProblem
from theory.information import Good, ex_ante_value, perfect_information, value_of_information
from theory.probability import ProbabilitySpace, Variable
space = ProbabilitySpace.uniform(2)
problem = DecisionProblem.of(space, [[1, 0], [0, 1]])
good = perfect_information(space)
p, u, signal = np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1])
"""
TOLD = {
    "value_of_information(problem, good, np.array([0, 1])).ex_ante": (
        "InvalidInputError: given is not an array of truth values"
    ),
    "value_of_information(problem, good, [True, True]).ex_ante": (
        "InvalidInputError: given is not an array of truth values"
    ),
    "value_of_information(problem, Good('g', good.variables, 'cheap'))": (
        "NumberError: price is not a number as we read them (got 'cheap')"
    ),
    "value_of_information(problem, Good('g', good.variables, 2)).ex_ante": "value: Fraction(-3, 2)",
    "Good.of('g', 'sky')": "InvalidInputError: variables of g is one text, not a list (got 'sky')",
    "Good.of('g', [None])": "InvalidInputError: variables of g is not a Variable (got None)",
    "ex_ante_value(p, u, [0, 1])": "value: 0.5",
    "ex_ante_value([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]], signal)": "value: 0.5",
    "ex_ante_value(['1/2', '1/2'], [[1, 0], [0, 1]], signal)": "value: Fraction(1, 2)",
    "ex_ante_value(p, u, np.array(['a', 'b']))": "value: 0.5",
    "ex_ante_value(p, u, np.array([0.0, 1.0]))": "value: 0.5",
    "ex_ante_value(p, u, np.array([False, True]))": "value: 0.5",
    "ex_ante_value(p, u, np.array([np.nan, 1.0]))": "InvalidInputError: labels hold NaN",
    "ex_ante_value(p, u, signal, '1/2')": "ExactnessError: price stands beside floats",
    "ex_ante_value(p, u, signal, 'cheap')": "NumberError: price is not a number as we read them",
    "ex_ante_value(p, u, signal, None)": "NumberError: price is not a number",
    "ex_ante_value(p, np.array([[1, 0], [0, 1]]), signal)": "ExactnessError: utilities mixes",
    "ex_ante_value(p, np.array([[Fraction(1), 0]]), signal)": "ExactnessError: utilities mixes",
    "ex_ante_value(p[:0], u, signal)": "ProbabilityError: states is empty",
    "ex_ante_value(p, np.zeros((2, 3)), signal)": "ShapeError: utilities is not of shape (2, 2)",
    "ex_ante_value(p, u.T[0], signal)": "ShapeError: utilities is not of shape (2, 2)",
    "ex_ante_value(p, u, np.array([0, 1, 2]))": "ShapeError: signal does not fit 2 states",
    "ex_ante_value(p, u, np.array([[0, 1]]))": "ShapeError: signal does not fit 2 states",
    "ex_ante_value(p, np.array(3.0), signal)": "InvalidInputError: actions is empty",
    "ex_ante_value(p, np.array([[np.inf, 0.0]]), signal)": "NumberError: utilities[0, 0] is not",
    "ex_ante_value(np.array([1.0, 0.0]), np.array([[1.0, np.inf]]), signal)": (
        "NumberError: utilities[0, 1] is not finite"
    ),
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return outcomes(SETUP, list(TOLD))


@pytest.mark.parametrize("expression", TOLD)
def test_what_a_user_is_told(told: dict[str, str], expression: str) -> None:
    assert told[expression].startswith(TOLD[expression])


def test_importing_it_loads_numpy_and_little_else() -> None:
    program = "import sys, theory.information; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    heavy = {"jaxtyping", "beartype", "flint", "sympy", "matplotlib", "rich", "scipy", "click"}
    assert {"numpy", "theory"} <= loaded
    assert not loaded & heavy
    assert {"papers", "mechproof", "hypothesis", "pytest", "msgspec"}.isdisjoint(loaded)


def test_states_and_values_may_be_anything_hashable() -> None:
    states: list[Hashable] = ["a", 1, None, (2, 3)]
    space = ProbabilitySpace.uniform(states)
    seen = space.variable("seen", lambda state: isinstance(state, int))
    problem = DecisionProblem.of(space, {("bet", 1): [0, 3, 0, 0], None: [0, 0, 0, 1]})
    found = value_of_information(problem, Good.of("g", seen))
    assert found.by_state == {"a": 0, 1: 0, None: 0, (2, 3): 1}
    assert [r.choice.picked for r in found.realisations] == [None, ("bet", 1)]
