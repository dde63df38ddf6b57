"""The recheck of a value is seen to find every fault that is planted in its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from information_cases import ex_post

from theory._recheck import ReportedValues, recheck_value
from theory.decision import Decision, DecisionProblem, Forecast
from theory.information import (
    Good,
    value_of_information,
)
from theory.numbers import Balls, sqrt
from theory.probability import ProbabilitySpace, Variable
from theory.scoring import Score


def answered(problem: Decision, good: Good) -> tuple[np.ndarray, ReportedValues]:
    """What is handed to the recheck, taken from a value."""
    found = value_of_information(problem, good)
    return good.signal(len(problem.space)).labels, ReportedValues(
        price=good.price,
        prior=found.prior,
        informed=[r.choice for r in found.realisations],
        ex_post=ex_post(found),
        realised=found.realised.scalars(),
        ex_ante=found.ex_ante,
    )


def swapped(numbers: Sequence[Any], i: int, j: int) -> list[Any]:
    changed = list(numbers)
    changed[i], changed[j] = changed[j], changed[i]
    return changed


PRICE = 2
Fault = Callable[[ReportedValues], ReportedValues]
FAULTS: dict[str, Fault] = {
    "the sign of ex-post value": lambda a: replace(a, ex_post=[-v for v in a.ex_post]),
    "no price in ex-post value": lambda a: replace(a, ex_post=[v + PRICE for v in a.ex_post]),
    "no price in realised value": lambda a: replace(a, realised=[v + PRICE for v in a.realised]),
    "no price in ex-ante value": lambda a: replace(a, ex_ante=a.ex_ante + PRICE),
    "realised values swapped within a block": lambda a: replace(
        a, realised=swapped(a.realised, 0, 1)
    ),
    "realised values swapped across blocks": lambda a: replace(
        a, realised=swapped(a.realised, 1, 2)
    ),
    "ex-post values swapped": lambda a: replace(a, ex_post=swapped(a.ex_post, 0, 1)),
    "ex-ante value": lambda a: replace(a, ex_ante=a.ex_ante + 1),
    "ex-ante and ex-post shifted alike": lambda a: replace(
        a, ex_ante=a.ex_ante + 1, ex_post=[v + 1 for v in a.ex_post]
    ),
    "everything shifted alike": lambda a: replace(
        a,
        ex_ante=a.ex_ante + 1,
        ex_post=[v + 1 for v in a.ex_post],
        realised=[v + 1 for v in a.realised],
    ),
    "the expected utility of the prior choice": lambda a: replace(
        a, prior=replace(a.prior, expected_utility=a.prior.expected_utility + PRICE)
    ),
    "the expected utility of an informed choice": lambda a: replace(
        a,
        informed=[
            a.informed[0],
            replace(a.informed[1], expected_utility=a.informed[1].expected_utility - PRICE),
        ],
    ),
}
NAN_FAULTS: dict[str, Fault] = {
    "ex-post is NaN": lambda a: replace(a, ex_post=[float("nan"), *a.ex_post[1:]]),
    "realised is NaN": lambda a: replace(a, realised=[float("nan"), *a.realised[1:]]),
    "ex-ante is NaN": lambda a: replace(a, ex_ante=float("nan")),
    "the prior choice is worse": lambda a: replace(a, prior=replace(a.prior, picked=2)),
    "an informed choice is worse": lambda a: replace(
        a, informed=[replace(a.informed[0], picked=2), *a.informed[1:]]
    ),
}
TABLE = ((1, 4, 0, 2), (3, 0, 2, 5), (-1, -1, -1, -1))
SIGNAL = Variable.of("I", [0, 0, 1, 1])


def problems() -> dict[str, tuple[Decision, Good]]:
    """One problem in every kind of number; states 0 and 1 are equally likely."""
    space = ProbabilitySpace.of(["1/8", "1/8", "3/8", "3/8"])
    event = np.array([True, False, True, True])
    exact, floats = Good.of("I", SIGNAL, PRICE), Good.of("I", SIGNAL, float(PRICE))
    root = [[sqrt(2) * u for u in row] for row in TABLE]
    rounded = ProbabilitySpace.of([0.125, 0.125, 0.375, 0.375])
    found: dict[str, tuple[Decision, Good]] = {
        "exact": (DecisionProblem.of(space, TABLE), exact),
        "closed form": (DecisionProblem.of(space, root), exact),
        "certified": (
            DecisionProblem(space, (0, 1, 2), Balls.of([[arb(u) for u in r] for r in TABLE])),
            exact,
        ),
        "float64": (DecisionProblem.of(rounded, np.array(TABLE, dtype=float)), floats),
    }
    for rule in Score:
        found[f"{rule} forecast"] = (Forecast(space, event, rule), exact)
    return found


@pytest.mark.parametrize("kind", ["exact", "closed form", "certified", "float64"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_leaves_a_gap(kind: str, fault: str) -> None:
    problem, good = problems()[kind]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, answer) <= (1e-14 if kind == "certified" else 0)
    assert recheck_value(problem, labels, FAULTS[fault](answer)) > 1e-5


@pytest.mark.parametrize("rule", Score)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_in_a_forecast_leaves_a_gap(rule: Score, fault: str) -> None:
    problem, good = problems()[f"{rule} forecast"]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, answer) < Fraction(1, 10**50)
    assert recheck_value(problem, labels, FAULTS[fault](answer)) > 1e-5


@pytest.mark.parametrize("fault", NAN_FAULTS)
def test_no_fault_in_floats_hides(fault: str) -> None:
    problem, good = problems()["float64"]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, NAN_FAULTS[fault](answer)) > 1e-5


def test_a_wrong_forecast_leaves_a_gap() -> None:
    problem, good = problems()["log forecast"]
    labels, answer = answered(problem, good)
    wrong = replace(answer, prior=replace(answer.prior, picked=Fraction(1, 3)))
    assert recheck_value(problem, labels, wrong) == Fraction(7, 8) - Fraction(1, 3)


def test_exact_values_are_rechecked_to_the_last_digit() -> None:
    problem, good = problems()["exact"]
    labels, answer = answered(problem, good)
    off = Fraction(1, 10**30)
    assert recheck_value(problem, labels, replace(answer, ex_ante=answer.ex_ante + off)) == off
    problem, good = problems()["closed form"]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, answer) == 0
    gap = recheck_value(problem, labels, replace(answer, ex_ante=answer.ex_ante + off))
    assert off * Fraction(99, 100) < gap < off * Fraction(101, 100)
