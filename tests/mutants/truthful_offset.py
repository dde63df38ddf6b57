"""Planted faults in the claims about the auction's utilities and payments; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from papers.truthful import CLAIMS
from papers.truthful.checks import eq_14, models
from papers.truthful.checks.cases import Case
from papers.truthful.checks.definition import Auction, AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import DivergenceProof, PaymentsAreDivergences
from papers.truthful.checks.draws import AverageProof, ExAnteIsBetweenRewards
from papers.truthful.checks.eq_14 import EqualProof, RewrittenUtility
from papers.truthful.checks.models import (
    ConstantsAreHarmless,
    HarmlessProof,
    OptimumIsGibbs,
    OptimumProof,
    RewardInducesModel,
    RewardProof,
)
from papers.truthful.checks.offsets import EveryOffsetFails, ShiftProof
from papers.truthful.checks.utilities import (
    BoundsProof,
    MeanProof,
    PositiveRewardsPay,
    UtilityIsAMean,
    UtilityIsBetweenRewards,
    ZeroProof,
    ZeroRewardsPayNothing,
)
from theory.claims import Check
from theory.divergence import gibbs_law
from theory.numbers.closed_form import ClosedForm, log

__all__ = [
    "MUTANTS",
    "PROOF_MUTANTS",
    "REPAIRED",
]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}

Break = Callable[[AuctionRun], AuctionRun]

OF_AN_AGENT = ("utilities", "payments", "reward_gains", "utility_gains")


def without_offset(run: AuctionRun) -> AuctionRun:
    """C = 0."""

    def broken(odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True) -> Auction:
        del offset
        return run(odds, weights, tau=tau, offset=False)

    return broken


def always_offset(run: AuctionRun) -> AuctionRun:
    """The agent-specific offset where a common one is asked for."""

    def broken(odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True) -> Auction:
        del offset
        return run(odds, weights, tau=tau)

    return broken


def of_later(fault: Break) -> Break:
    """The fault in what agents other than the first have and pay; the first is treated rightly."""

    def broken_run(run: AuctionRun) -> AuctionRun:
        wrong = fault(run)

        def broken(*reports: Any, **settings: Any) -> Auction:
            right, other = run(*reports, **settings), wrong(*reports, **settings)
            mixed = {k: [*getattr(right, k)[:1], *getattr(other, k)[1:]] for k in OF_AN_AGENT}
            return replace(right, **mixed)

        return broken

    broken_run.__name__ = f"{fault.__name__}_of_later"
    return broken_run


def distorted(distort: Callable[[Auction], Auction]) -> Break:
    """The auction with some of its numbers broken."""

    def broken_run(run: AuctionRun) -> AuctionRun:
        return lambda *reports, **settings: distort(run(*reports, **settings))

    broken_run.__name__ = distort.__name__
    return broken_run


def last_ratio_forgotten(run: AuctionRun) -> AuctionRun:
    """Ratios as they are, but for that of the last candidate, which is 1."""

    def broken(odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True) -> Auction:
        return run(odds, weights and [*weights[:-1], Fraction(1)], tau=tau, offset=offset)

    return broken


def paid(outcome: Auction, utilities: list[Any]) -> Auction:
    """The auction with these utilities, and the payments that leave them."""
    payments = [m - u for m, u in zip(outcome.expected_rewards, utilities, strict=True)]
    return replace(outcome, utilities=utilities, payments=payments)


def offset_without_ratios(run: AuctionRun) -> AuctionRun:
    """Eq. (13) as in Algorithm 1, where candidates come from another law."""

    def broken(odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True) -> Auction:
        outcome = run(odds, weights, tau=tau, offset=False)
        if not offset:
            return outcome
        plain, less = (run(odds, tau=tau, offset=o).utilities for o in (False, True))
        taken = [a - b for a, b in zip(plain, less, strict=True)]
        return paid(outcome, [u - t for u, t in zip(outcome.utilities, taken, strict=True)])

    return broken


@distorted
def payments_negated(outcome: Auction) -> Auction:
    return replace(outcome, payments=[-p for p in outcome.payments])


@distorted
def utilities_negated(outcome: Auction) -> Auction:
    return paid(outcome, [-u for u in outcome.utilities])


@distorted
def gains_confused(outcome: Auction) -> Auction:
    """KL(p||q) where KL(q||p) belongs."""
    return replace(outcome, utility_gains=outcome.payments)


@distorted
def utilities_doubled(outcome: Auction) -> Auction:
    return paid(outcome, [2 * u for u in outcome.utilities])


@distorted
def losses_waived(outcome: Auction) -> Auction:
    """An offset that depends on the report: whoever would lose pays less."""
    nothing = ClosedForm(Fraction(0))
    return paid(outcome, [u if u > 0 else nothing for u in outcome.utilities])


@distorted
def refunding_the_mean(outcome: Auction) -> Auction:
    """Each agent is paid what it expects."""
    pairs = zip(outcome.utilities, outcome.expected_rewards, strict=True)
    return paid(outcome, [u + m for u, m in pairs])


# --- eqs. (2) and (11)


def reference_forgotten(reference: Sequence[Any], factors: Sequence[Any]) -> Any:
    return gibbs_law([x / x for x in reference], factors)


def twice_as_cold(reference: Sequence[Any], factors: Sequence[Any]) -> Any:
    return gibbs_law(reference, [f * f for f in factors])


def no_normaliser(ratio: Any, normaliser: Any, tau: Any) -> Any:
    del normaliser
    return tau * ratio


def normaliser_subtracted(ratio: Any, normaliser: Any, tau: Any) -> Any:
    return tau * ratio - tau * normaliser


# --- eq. (14)


def ratio_outside_the_sum(case: Case) -> Any:
    logs = [log(weight) for weight in case.weights]
    return sum(logs, ClosedForm(ratio_forgotten(case)))


def ratio_forgotten(case: Case) -> Any:
    return eq_14.inside(replace(case, weights=(Fraction(1),) * len(case.weights)))


def planted(
    claim_id: str, predicate: Callable[..., Any], *faults: Any, by: str
) -> dict[str, Check]:
    """The claim's check with each fault as the field ``by`` of its predicate."""
    return {
        fault.__name__: replace(
            CHECKS[claim_id],
            predicate=predicate(**{by: fault(exact_auction) if by == "run" else fault}),
        )
        for fault in faults
    }


def lost(claim_id: str, prove: Callable[..., Any], *faults: Any, by: str) -> dict[str, Check]:
    """The claim's check with each fault as the field ``by`` of its proof."""
    return {
        fault.__name__: replace(
            CHECKS[claim_id], prove=prove(**{by: fault(traced_auction) if by == "run" else fault})
        )
        for fault in faults
    }


RUNS: dict[str, tuple[Any, Any, tuple[Break, ...], tuple[Break, ...]]] = {
    "truthful.kl": (
        PaymentsAreDivergences,
        DivergenceProof,
        (payments_negated, without_offset, offset_without_ratios, gains_confused),
        (payments_negated, without_offset, offset_without_ratios, gains_confused),
    ),
    "truthful.eq-11.harmless": (
        ConstantsAreHarmless,
        HarmlessProof,
        (without_offset, utilities_doubled, refunding_the_mean, of_later(utilities_doubled)),
        (without_offset, refunding_the_mean, of_later(refunding_the_mean)),
    ),
    "truthful.no-ir": (
        EveryOffsetFails,
        ShiftProof,
        (losses_waived, utilities_doubled, of_later(losses_waived)),
        (utilities_doubled, refunding_the_mean, of_later(utilities_doubled)),
    ),
    "truthful.lemma-5.2": (
        ZeroRewardsPayNothing,
        ZeroProof,
        (without_offset, offset_without_ratios, of_later(without_offset)),
        (without_offset, offset_without_ratios, of_later(without_offset)),
    ),
    "truthful.lemma-5.3": (
        PositiveRewardsPay,
        BoundsProof,
        (utilities_negated, offset_without_ratios),
        (without_offset, utilities_negated),
    ),
    "truthful.lemma-5.3.bounds": (
        UtilityIsBetweenRewards,
        BoundsProof,
        (without_offset, offset_without_ratios, of_later(offset_without_ratios)),
        (without_offset, utilities_negated, of_later(without_offset)),
    ),
    "truthful.corollary-5.4": (
        ExAnteIsBetweenRewards,
        AverageProof,
        (without_offset, utilities_negated),
        (without_offset, utilities_negated),
    ),
    "truthful.lemma-5.5": (
        UtilityIsAMean,
        MeanProof,
        (without_offset, offset_without_ratios),
        (without_offset, offset_without_ratios),
    ),
}
"""The predicate, the proof, and the faults planted in each."""

MUTANTS: dict[str, dict[str, Check]] = {
    **{
        claim_id: planted(claim_id, predicate, *faults, by="run")
        for claim_id, (predicate, _, faults, _) in RUNS.items()
    },
    "truthful.eq-2": planted(
        "truthful.eq-2", OptimumIsGibbs, reference_forgotten, twice_as_cold, by="optimum"
    ),
    "truthful.eq-11": planted(
        "truthful.eq-11", RewardInducesModel, no_normaliser, normaliser_subtracted, by="formula"
    ),
    "truthful.eq-11.c1": planted(
        "truthful.eq-11.c1",
        RewardInducesModel,
        models.printed_reward,
        no_normaliser,
        normaliser_subtracted,
        by="formula",
    ),
    "truthful.eq-14": planted(
        "truthful.eq-14", RewrittenUtility, ratio_outside_the_sum, ratio_forgotten, by="rewritten"
    ),
    "truthful.eq-14.c1": planted(
        "truthful.eq-14.c1",
        RewrittenUtility,
        eq_14.printed_utility,
        ratio_outside_the_sum,
        ratio_forgotten,
        by="rewritten",
    ),
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    **{
        claim_id: lost(claim_id, prove, *faults, by="run")
        for claim_id, (_, prove, _, faults) in RUNS.items()
    },
    "truthful.eq-2": lost(
        "truthful.eq-2", OptimumProof, reference_forgotten, twice_as_cold, by="optimum"
    ),
    "truthful.eq-11.c1": lost(
        "truthful.eq-11.c1", RewardProof, models.printed_reward, no_normaliser, by="formula"
    ),
    "truthful.eq-14.c1": lost("truthful.eq-14.c1", EqualProof, always_offset, by="run"),
}

REPAIRED: dict[str, dict[str, Check]] = {
    "truthful.eq-11": {
        "the second factor": replace(
            CHECKS["truthful.eq-11"], predicate=RewardInducesModel(models.corrected_reward)
        )
    },
    "truthful.eq-14": {
        "the ratio inside the exponential": replace(
            CHECKS["truthful.eq-14"], predicate=RewrittenUtility(eq_14.inside)
        )
    },
}
