"""Planted faults in the claims of volition, section 2 and Lemma A.1; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from papers.volition import CLAIMS
from papers.volition.checks.fact_checking import TABLE_1
from papers.volition.checks.lemma_a1 import (
    InformationDoesNotHurt,
    LemmaA1Proof,
    gain_from_information,
)
from papers.volition.checks.valuation import ExPostValueLaws, RealisedValueLaws
from theory.claims import Check
from theory.decision import Decision, DecisionProblem
from theory.information import Good, InformationValue, value_of_information
from theory.numbers import Exact
from theory.probability import Partition

__all__ = ["MUTANTS", "PROOF_MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


# --- volition, eqs. (1) and (2)


@dataclass(frozen=True)
class Distorted:
    """The value of information, with one of its numbers broken."""

    distort: Callable[[InformationValue], InformationValue]

    def __call__(self, problem: Decision, good: Good) -> InformationValue:
        return self.distort(value_of_information(problem, good))


def price_added(value: InformationValue) -> InformationValue:
    refund = Exact.of(2 * Fraction(value.good.price))
    return replace(value, realised=value.realised + refund)


def realised_negated(value: InformationValue) -> InformationValue:
    return replace(value, realised=Exact.of(-1) * value.realised)


def realised_averaged(value: InformationValue) -> InformationValue:
    """Ex-ante value in place of realised value: right on average, wrong in each state."""
    states = len(value.realised)
    return replace(value, realised=Exact.of([value.ex_ante] * states))


def unexplained_gap(value: InformationValue) -> InformationValue:
    return replace(value, gap=Fraction(1, 10**12))


def with_ex_post(value: InformationValue, rule: Callable[[Any, Fraction], Any]) -> InformationValue:
    price = Fraction(value.good.price)
    broken = tuple(replace(r, ex_post=rule(r.ex_post, price)) for r in value.realisations)
    return replace(value, realisations=broken)


def ex_post_negated(value: InformationValue) -> InformationValue:
    return with_ex_post(value, lambda v, _: -v)


def ex_post_gain_negated(value: InformationValue) -> InformationValue:
    """E[U(x0) | i] - max_x E[U(x) | i] - p."""
    return with_ex_post(value, lambda v, p: -(v + p) - p)


def ex_post_without_price(value: InformationValue) -> InformationValue:
    return with_ex_post(value, lambda v, p: v + p)


def ex_ante_unweighted(value: InformationValue) -> InformationValue:
    ex_post: list[Any] = [r.ex_post for r in value.realisations]
    return replace(value, ex_ante=sum(ex_post, Fraction(0)) / len(ex_post))


def ex_ante_without_price(value: InformationValue) -> InformationValue:
    ex_ante: Any = value.ex_ante
    return replace(value, ex_ante=ex_ante + Fraction(value.good.price))


def valued(claim_id: str, laws: Any, *distortions: Any) -> dict[str, Check]:
    return {
        distortion.__name__: replace(CHECKS[claim_id], predicate=laws(Distorted(distortion)))
        for distortion in distortions
    }


# --- volition, Table 1 and Example 2.1


def perturbed(row: int, column: int, entry: Fraction | int) -> Any:
    """Table 1 with one printed number changed."""
    changed = [list(r) for r in TABLE_1]
    changed[row][column] = entry
    return tuple(tuple(r) for r in changed)


def beyond_one() -> Any:
    """Table 1 with a conditional above 1 and one below 0 that leave every sum as it was."""
    (p, *first, q), (_, *second, _), *others = TABLE_1
    return ((p, *first, q + 1), (p, *second, q - 1), *others)


def tabled(rows: Any) -> Check:
    broken: Check = replace(CHECKS["volition.table-1"], rows=rows)
    return broken


def confirmed() -> Any:
    """Table 1 with a second witness who confirms the first."""
    *others, (p, i, j, fewer), (q, k, l, more) = TABLE_1
    return (*others, (p, i, j, more), (q, k, l, fewer))


# --- volition, Lemma A.1


def gain_of_the_worst(problem: DecisionProblem, known: Partition) -> Any:
    """The gain of an agent that minimises expected utility once it is informed."""
    opposite = replace(problem, utilities=Exact.of(-1) * problem.utilities)
    return _gain_of(problem, opposite.decide(known), known)


def gain_of_the_confused(problem: DecisionProblem, known: Partition) -> Any:
    """The gain of an agent that mistakes each value of the signal for another."""
    return _gain_of(problem, problem.decide(known)[::-1], known)


def gain_above_a_margin(problem: DecisionProblem, known: Partition) -> Any:
    return gain_from_information(problem, known) - Fraction(1, 100)


def loss_from_information(problem: DecisionProblem, known: Partition) -> Any:
    return -gain_from_information(problem, known)


def _gain_of(problem: DecisionProblem, choices: Sequence[Any], known: Partition) -> Any:
    p = problem.space.probabilities
    informed = (p * problem.utility(choices, known)).sum().item()
    return informed - problem.decide(Partition.trivial(len(p)))[0].expected_utility


GAINS = (gain_of_the_worst, gain_of_the_confused, gain_above_a_margin, loss_from_information)


MUTANTS: dict[str, dict[str, Check]] = {
    "volition.eq1": valued(
        "volition.eq1",
        RealisedValueLaws,
        price_added,
        realised_negated,
        realised_averaged,
        unexplained_gap,
    ),
    "volition.eq2": valued(
        "volition.eq2",
        ExPostValueLaws,
        ex_post_negated,
        ex_post_gain_negated,
        ex_post_without_price,
        ex_ante_unweighted,
        ex_ante_without_price,
    ),
    "volition.table-1": {
        "a probability doubled": tabled(perturbed(3, 0, Fraction(1, 24))),
        "a conditional changed": tabled(perturbed(2, 3, Fraction(1, 4))),
        "a value of I2 changed": tabled(perturbed(2, 2, 1)),
        "a conditional beyond 1": tabled(beyond_one()),
    },
    "volition.example-2.1": {
        "the second witness confirms": replace(CHECKS["volition.example-2.1"], rows=confirmed()),
        "ex_post_negated": replace(
            CHECKS["volition.example-2.1"], value=Distorted(ex_post_negated)
        ),
    },
    "volition.lemma-a1": {
        gain.__name__: replace(CHECKS["volition.lemma-a1"], predicate=InformationDoesNotHurt(gain))
        for gain in GAINS
    },
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    "volition.lemma-a1": {
        gain.__name__: replace(CHECKS["volition.lemma-a1"], prove=LemmaA1Proof(gain))
        for gain in GAINS
    },
}
