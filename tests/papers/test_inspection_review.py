"""Slips that a reviewer made with inspection problems, and what the claims' families hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from papers.volition import CLAIMS
from papers.volition.checks.inspection_families import (
    DEAR_OFFERS,
    FREE_OFFERS,
    MIXED,
    PARTLY_FREE,
    PROBLEMS,
    SUCCESSIVE,
)
from theory.claims import Budget, CheckContext, spawn_seed
from theory.decision import DecisionProblem
from theory.errors import InvalidInputError, UnknownNameError
from theory.information import Good
from theory.inspection import (
    InspectionProblem,
    Offers,
    best_admissible,
    gains_over,
    recursive_inspection,
    successive_inspection,
)
from theory.probability import ProbabilitySpace, Variable


def coin(*prices: Any, utilities: Any = ((0.3, 0.0), (0.0, 1.0))) -> InspectionProblem:
    exact = not any(isinstance(price, float) for price in prices)
    space = ProbabilitySpace.of(["1/2", "1/2"] if exact else [0.5, 0.5])
    goods = [Good.of(f"g{k}", Variable.of("I", (0, 1)), p) for k, p in enumerate(prices)]
    return InspectionProblem.of(DecisionProblem.of(space, utilities), [goods])


@pytest.mark.parametrize("price", [1e6, 1e12, 1e15])
def test_a_prohibitive_price_blurs_no_other_choice(price: float) -> None:
    found = recursive_inspection(coin(price))
    assert found.value == pytest.approx(0.5)
    assert found.gap == pytest.approx(0, abs=1e-12)
    both = recursive_inspection(coin(0.1, price))
    assert both.value == pytest.approx(0.5 * 0.3 + 0.5 * 1 - 0.5 * 0.1)
    for offers in Offers:
        alone, beside = (
            successive_inspection(coin(*prices), offers).value for prices in ([0.1], [0.1, price])
        )
        assert alone == pytest.approx(beside)


def test_rules_may_be_written_as_text_and_are_checked() -> None:
    problem = coin(0, utilities=((1, 0), (0, 1)))
    assert recursive_inspection(problem, "most goods first").rule == "most goods first"
    assert len(successive_inspection(problem, "one good or none").options[1]) == 2
    with pytest.raises(UnknownNameError, match="most goods first"):
        recursive_inspection(problem, "most goods")
    with pytest.raises(UnknownNameError, match="any set of goods"):
        successive_inspection(problem, "any goods")


def test_gains_are_over_a_solution_of_the_same_problem() -> None:
    cheap, dear = coin("1/4", utilities=((1, 0), (0, 1))), coin("1/2", utilities=((1, 0), (0, 1)))
    same = coin("1/4", utilities=((1, 0), (0, 1)))
    protocol = best_admissible(cheap).protocol
    amounts: list[Any] = [g.amount for g in gains_over(protocol, recursive_inspection(same))]
    assert sum(amounts) == 0
    with pytest.raises(InvalidInputError, match="another problem"):
        gains_over(protocol, recursive_inspection(dear))


def test_merged_states_may_be_named_like_tuples_of_others() -> None:
    space = ProbabilitySpace.of({("a", "b"): "1/2", "a": "1/4", "b": "1/4"})
    decision = DecisionProblem.of(space, [[1, 0, 0], [0, 1, 1]])
    good = Good.of("I", Variable.of("I", (0, 1, 1)), "1/8")
    assert best_admissible(InspectionProblem.of(decision, [[good]])).value == 1 - 1 / 16


def test_what_is_no_decision_problem_or_no_good_is_refused() -> None:
    space = ProbabilitySpace.of(["1/2", "1/2"])
    decision = DecisionProblem.of(space, [[1, 0], [0, 1]])
    good: Any = Good.of("I", Variable.of("I", (0, 1)))
    wrong: Any = [[good], ["I"]]
    for levels in ([good], wrong):
        with pytest.raises(Exception, match=r"goods|level"):
            InspectionProblem.of(decision, levels)


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize(
    "name", ["PROBLEMS", "FREE_OFFERS", "PARTLY_FREE", "DEAR_OFFERS", "MIXED", "SUCCESSIVE"]
)
def test_at_least_half_of_a_family_buys_something(name: str, level: int) -> None:
    families = {
        "PROBLEMS": PROBLEMS,
        "FREE_OFFERS": FREE_OFFERS,
        "PARTLY_FREE": PARTLY_FREE,
        "DEAR_OFFERS": DEAR_OFFERS,
        "MIXED": MIXED,
        "SUCCESSIVE": SUCCESSIVE,
    }
    generator = np.random.default_rng(7)
    drawn = [families[name].sample(level, generator) for _ in range(150)]
    members = [member.instance for member in drawn if member is not None]
    buys = [
        successive_inspection(case.problem).buys if name == "SUCCESSIVE" else case.recursive.buys
        for case in members
    ]
    assert len(members) > 75
    assert 2 * sum(buys) >= len(members)


def test_the_smallest_counterexample_is_the_one_of_the_documentation() -> None:
    claim = next(claim for claim in CLAIMS if claim.id == "volition.theorem-3.3")
    budget = Budget(exhaustive=1_000, samples=5, shrinks=5, size=1)
    found = claim.check(CheckContext(seed=spawn_seed(0, claim.id), budget=budget))
    assert found.counterexample is not None
    told = "P=(1/3, 2/3); U(a)=(3, -1); U(b)=(0, 0); level 1: I=(0, 1) at 1/4. x_* is worth 5/6"
    assert found.counterexample.exhibit.summary.startswith(told)
