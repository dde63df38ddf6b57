"""Planted faults in the claims of bazaar; see __init__.py."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from mutants.volition_protocols import (
    FAULTY,
    DoubleCredits,
    LaterDoubleCredits,
    NoCredits,
    Trusting,
)
from papers.bazaar import CLAIMS
from papers.bazaar.checks.bazaar_markets import MoneyAddsUp
from papers.bazaar.checks.buyers import BayesProof, MonotonicityForcesEquality, conditional_mean
from papers.bazaar.checks.demand import TABLE_1 as DEMAND
from papers.bazaar.checks.purchases import (
    InspectionRaisesUtility,
    NonnegativeProof,
    weighted_utility,
)
from theory.claims import Check
from theory.probability import Conditional, Partition, ProbabilitySpace
from theory.ratings import expected_score

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


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
    changed: Check = replace(CHECKS["bazaar.table-1"], rows=tuple(changes.items()))
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
    "bazaar.table-1": {
        "one row is off by more than rounding": rows_of(
            a=BALANCED, b=("+5.01", "-5.00", "+1.25", "-1.23")
        ),
        "a sign is lost": rows_of(a=("+5.00", "+5.00", "0", "0")),
        "a row that sums to less than zero": rows_of(a=("+5.00", "-5.03", "0", "0")),
    },
    "bazaar.theorem-1": {
        side.__name__: replace(
            CHECKS["bazaar.theorem-1"], predicate=InspectionRaisesUtility(side=side)
        )
        for side in (utility_negated, desirability_negated)
    },
    "bazaar.theorem-1.nonnegative": {
        side.__name__: replace(
            CHECKS["bazaar.theorem-1.nonnegative"],
            predicate=InspectionRaisesUtility(nonnegative=True, side=side),
        )
        for side in (utility_negated, desirability_negated)
    },
    "bazaar.theorem-1.bayes": {
        before.__name__: replace(
            CHECKS["bazaar.theorem-1.bayes"], predicate=MonotonicityForcesEquality(before)
        )
        for before in (worst_case, cautious_mean)
    },
    "bazaar.elo": {
        update.__name__: replace(CHECKS["bazaar.elo"], update=update) for update in UPDATES
    },
    "bazaar.ledger": {
        **{
            name: replace(CHECKS["bazaar.ledger"], predicate=MoneyAddsUp(FAULTY[name]))
            for name in (
                "NothingIsPaid",
                "SubPurchasesAreFree",
                "Refunds",
                "EverythingIsTold",
                "BuyerItself",
                "PassesOnWords",
                "BuyerItselfBelow",
                "SecondItemIsFree",
            )
        },
        **{
            ledger.__name__: replace(CHECKS["bazaar.ledger"], predicate=MoneyAddsUp(ledger=ledger))
            for ledger in (DoubleCredits, NoCredits, LaterDoubleCredits)
        },
        "EachQuoteAlone": replace(
            CHECKS["bazaar.ledger"], predicate=MoneyAddsUp(FAULTY["EachQuoteAlone"], Trusting)
        ),
    },
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    "bazaar.theorem-1.nonnegative": {
        side.__name__: replace(CHECKS["bazaar.theorem-1.nonnegative"], prove=NonnegativeProof(side))
        for side in (utility_negated, desirability_negated)
    },
    "bazaar.theorem-1.bayes": {
        "cautious_mean": replace(CHECKS["bazaar.theorem-1.bayes"], prove=BayesProof(cautious_mean))
    },
}

REPAIRED: dict[str, dict[str, Check]] = {
    "bazaar.table-1": {
        "rows that sum to zero": rows_of(a=BALANCED, b=("0", "0", "0", "0")),
        "a printed row without its excess": rows_of(
            a=(f"{Fraction(DEMAND['GPT-4'][0]) + Fraction('3.03')}", *DEMAND["GPT-4"][1:])
        ),
    },
    "bazaar.theorem-1": {
        "utilities of at least zero": replace(
            CHECKS["bazaar.theorem-1"], predicate=InspectionRaisesUtility(nonnegative=True)
        ),
    },
}
