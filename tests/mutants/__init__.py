"""Planted faults: for every claim, checks that must come out refuted.

A mutant is the claim's own check with one function or one datum replaced by a broken one, so that
it is the claim's own family that must notice. ``PROOF_MUTANTS`` break the code that is traced; they
must lose the proof. ``REPAIRED`` are instances of refuted claims that hold: their checks go both
ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mutants.classics import CLASSIC_MUTANTS, CLASSIC_PROOF_MUTANTS
from mutants.oracles_learning import ORACLE_RUN_MUTANTS
from mutants.oracles_lemmas import ORACLE_MUTANTS, ORACLE_PROOF_MUTANTS, ORACLE_REPAIRED
from mutants.truthful_allocation import (
    TRUTHFUL_ALLOCATION_MUTANTS,
    TRUTHFUL_ALLOCATION_REPAIRED,
)
from mutants.truthful_experiments import TRUTHFUL_EXPERIMENT_MUTANTS
from mutants.truthful_incentives import (
    TRUTHFUL_INCENTIVE_MUTANTS,
    TRUTHFUL_INCENTIVE_PROOF_MUTANTS,
)
from mutants.truthful_offset import (
    TRUTHFUL_OFFSET_MUTANTS,
    TRUTHFUL_OFFSET_PROOF_MUTANTS,
    TRUTHFUL_OFFSET_REPAIRED,
)
from mutants.volition_inspection import INSPECTION_MUTANTS, INSPECTION_REPAIRED
from mutants.volition_marginal_value import MARGINAL_MUTANTS
from mutants.volition_protocols import MECHANISM_MUTANTS
from papers import bazaar, volition
from papers.bazaar.checks.buyers import BayesProof, MonotonicityForcesEquality, conditional_mean
from papers.bazaar.checks.demand import TABLE_1 as DEMAND
from papers.bazaar.checks.purchases import (
    InspectionRaisesUtility,
    NonnegativeProof,
    weighted_utility,
)
from papers.volition.checks.fact_checking import TABLE_1
from papers.volition.checks.lemma_a1 import (
    InformationDoesNotHurt,
    LemmaA1Proof,
    gain_from_information,
)
from papers.volition.checks.valuation import ExPostValueLaws, RealisedValueLaws
from theory.claims import Check, Claim
from theory.decision import Decision, DecisionProblem
from theory.information import Good, InformationValue, value_of_information
from theory.numbers import Exact
from theory.probability import Conditional, Partition, ProbabilitySpace
from theory.ratings import expected_score

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

CLAIMS: dict[str, Claim] = {claim.id: claim for claim in (*volition.CLAIMS, *bazaar.CLAIMS)}


def own(claim_id: str) -> Any:
    """Return the claim's check; it is a dataclass, whose fields a mutant replaces."""
    return CLAIMS[claim_id].check


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
        distortion.__name__: replace(own(claim_id), predicate=laws(Distorted(distortion)))
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
    broken: Check = replace(own("volition.table-1"), rows=rows)
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


# --- bazaar, Theorem 1


def utility_negated(bought: Any, desirability: Any, utility: Any) -> Any:
    return weighted_utility(bought, desirability, [-u for u in utility])


def desirability_negated(bought: Any, desirability: Any, utility: Any) -> Any:
    return weighted_utility(bought, [1 - h for h in desirability], utility)


def worst_case(space: ProbabilitySpace, value: Any, known: Partition) -> Conditional:
    """The least value that is possible, in place of the mean."""
    del space
    return Conditional(known, tuple(Fraction(min(value[w] for w in b)) for b in known.blocks))


def cautious_mean(space: ProbabilitySpace, value: Any, known: Partition) -> Conditional:
    """The mean less a safety margin."""
    mean: tuple[Any, ...] = conditional_mean(space, value, known).by_block
    return Conditional(known, tuple(m - Fraction(1, 2) for m in mean))


# --- bazaar, Table 1


def rows_of(**changes: tuple[str, ...]) -> Check:
    changed: Check = replace(own("bazaar.table-1"), rows=tuple(changes.items()))
    return changed


BALANCED: tuple[str, ...] = ("+5.01", "-5.00", "+1.25", "-1.24")
"""Changes whose sum, 0.02, rounding explains."""


# --- bazaar, Elo


def second_sees_the_first_updated(first: Any, second: Any, score: Any, k: Any) -> tuple[Any, Any]:
    first = first + k * (score - expected_score(first, second))
    return first, second + k * ((1 - score) - expected_score(second, first))


def half_the_divisor(first: Any, second: Any, score: Any, k: Any) -> tuple[Any, Any]:
    gain = k * (score - 1 / (1 + 10 ** ((second - first) / 200)))
    return first + gain, second - gain


def two_values_of_k(first: Any, second: Any, score: Any, k: Any) -> tuple[Any, Any]:
    gain = k * (score - expected_score(first, second))
    return first + gain, second - gain / 2


def expectations_swapped(first: Any, second: Any, score: Any, k: Any) -> tuple[Any, Any]:
    gain = k * (score - expected_score(second, first))
    return first + gain, second - gain


def loser_gains(first: Any, second: Any, score: Any, k: Any) -> tuple[Any, Any]:
    gain = k * (score - expected_score(first, second))
    return first - gain, second + gain


UPDATES = (
    second_sees_the_first_updated,
    half_the_divisor,
    two_values_of_k,
    expectations_swapped,
    loser_gains,
)

MUTANTS: dict[str, dict[str, Check]] = {
    **INSPECTION_MUTANTS,
    **MARGINAL_MUTANTS,
    **MECHANISM_MUTANTS,
    **ORACLE_MUTANTS,
    **ORACLE_RUN_MUTANTS,
    **CLASSIC_MUTANTS,
    **TRUTHFUL_INCENTIVE_MUTANTS,
    **TRUTHFUL_ALLOCATION_MUTANTS,
    **TRUTHFUL_OFFSET_MUTANTS,
    **TRUTHFUL_EXPERIMENT_MUTANTS,
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
        "the second witness confirms": replace(own("volition.example-2.1"), rows=confirmed()),
        "ex_post_negated": replace(own("volition.example-2.1"), value=Distorted(ex_post_negated)),
    },
    "volition.lemma-a1": {
        gain.__name__: replace(own("volition.lemma-a1"), predicate=InformationDoesNotHurt(gain))
        for gain in GAINS
    },
    "bazaar.table-1": {
        "one row is off by more than rounding": rows_of(
            a=BALANCED, b=("+5.01", "-5.00", "+1.25", "-1.23")
        ),
        "a sign is lost": rows_of(a=("+5.00", "+5.00", "0", "0")),
        "a row that sums to less than zero": rows_of(a=("+5.00", "-5.03", "0", "0")),
    },
    "bazaar.theorem-1": {
        side.__name__: replace(
            own("bazaar.theorem-1"), predicate=InspectionRaisesUtility(side=side)
        )
        for side in (utility_negated, desirability_negated)
    },
    "bazaar.theorem-1.nonnegative": {
        side.__name__: replace(
            own("bazaar.theorem-1.nonnegative"),
            predicate=InspectionRaisesUtility(nonnegative=True, side=side),
        )
        for side in (utility_negated, desirability_negated)
    },
    "bazaar.theorem-1.bayes": {
        before.__name__: replace(
            own("bazaar.theorem-1.bayes"), predicate=MonotonicityForcesEquality(before)
        )
        for before in (worst_case, cautious_mean)
    },
    "bazaar.elo": {
        update.__name__: replace(own("bazaar.elo"), update=update) for update in UPDATES
    },
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    **ORACLE_PROOF_MUTANTS,
    **CLASSIC_PROOF_MUTANTS,
    **TRUTHFUL_INCENTIVE_PROOF_MUTANTS,
    **TRUTHFUL_OFFSET_PROOF_MUTANTS,
    "volition.lemma-a1": {
        gain.__name__: replace(own("volition.lemma-a1"), prove=LemmaA1Proof(gain)) for gain in GAINS
    },
    "bazaar.theorem-1.nonnegative": {
        side.__name__: replace(own("bazaar.theorem-1.nonnegative"), prove=NonnegativeProof(side))
        for side in (utility_negated, desirability_negated)
    },
    "bazaar.theorem-1.bayes": {
        "cautious_mean": replace(own("bazaar.theorem-1.bayes"), prove=BayesProof(cautious_mean))
    },
}

REPAIRED: dict[str, dict[str, Check]] = {
    **INSPECTION_REPAIRED,
    **ORACLE_REPAIRED,
    **TRUTHFUL_ALLOCATION_REPAIRED,
    **TRUTHFUL_OFFSET_REPAIRED,
    "bazaar.table-1": {
        "rows that sum to zero": rows_of(a=BALANCED, b=("0", "0", "0", "0")),
        "a printed row without its excess": rows_of(
            a=(f"{Fraction(DEMAND['GPT-4'][0]) + Fraction('3.03')}", *DEMAND["GPT-4"][1:])
        ),
    },
    "bazaar.theorem-1": {
        "utilities of at least zero": replace(
            own("bazaar.theorem-1"), predicate=InspectionRaisesUtility(nonnegative=True)
        ),
    },
}
