"""Planted faults in the claims about the auction's incentives; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from softmax_rules import (
    LogOutside,
    OffsetOfTheReport,
    PayYourReward,
    Wrong,
    WrongTemperature,
)

from mutants.truthful_offset import (
    last_ratio_forgotten,
    of_later,
    offset_without_ratios,
    payments_negated,
    without_offset,
)
from papers.truthful import CLAIMS
from papers.truthful.checks.battery import NoLieIsFound, auctions
from papers.truthful.checks.cases import Case
from papers.truthful.checks.definition import Auction, AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.externalities import ExternalityProof, PaymentsAreExternalities
from papers.truthful.checks.gradient import GradientIsTheLaw, GradientProof, derivatives
from papers.truthful.checks.lies import LiesCostADivergence, Lying, LyingProof, TruthIsBest
from papers.truthful.checks.logs import LogSum
from papers.truthful.checks.solver import Query, SolverFindsTheSame, run_auction
from papers.truthful.checks.suboptimal import (
    LawCanBeManipulated,
    NoLiePays,
    RangeProof,
    Rewards,
    best_of,
    greedy,
)
from theory.claims import Check
from theory.numbers.closed_form import log

__all__ = ["MUTANTS", "PROOF_MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


def pay_your_reward(run: AuctionRun) -> AuctionRun:
    """First price."""

    def broken(*reports: Any, **settings: Any) -> Auction:
        outcome = run(*reports, **settings)
        return replace(outcome, payments=outcome.expected_rewards)

    return broken


def wrong_temperature(run: AuctionRun) -> AuctionRun:
    """Payments at half the temperature, on the law of the right one."""

    def broken(odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True) -> Auction:
        right = run(odds, weights, tau=tau, offset=offset)
        squares = [[x * x for x in row] for row in odds]
        cold = run(squares, weights, tau=tau * Fraction(1, 2), offset=offset)
        pairs = zip(right.expected_rewards, cold.utilities, strict=True)
        return replace(right, utilities=cold.utilities, payments=[m - u for m, u in pairs])

    return broken


def offset_of_the_report(run: AuctionRun) -> AuctionRun:
    """An offset that depends on the report."""
    take = LogSum.log if run is traced_auction else log

    def broken(odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True) -> Auction:
        right = run(odds, weights, tau=tau, offset=offset)
        own = [tau * take(sum(row[1:], row[0])) for row in odds]
        return replace(
            right,
            utilities=[u - c for u, c in zip(right.utilities, own, strict=True)],
            payments=[m + c for m, c in zip(right.payments, own, strict=True)],
        )

    return broken


FAULTS = (pay_your_reward, wrong_temperature, offset_of_the_report)


def planted(claim_id: str, predicate: Any, *faults: Any) -> dict[str, Check]:
    """The claim's check with a broken auction."""
    return {
        fault.__name__: replace(CHECKS[claim_id], predicate=predicate(run=fault(exact_auction)))
        for fault in faults
    }


def lost(claim_id: str, prove: Any, *faults: Any) -> dict[str, Check]:
    """The claim's check with a proof about a broken auction."""
    return {
        fault.__name__: replace(CHECKS[claim_id], prove=prove(run=fault(traced_auction)))
        for fault in faults
    }


def named(claim_id: str, **predicates: Any) -> dict[str, Check]:
    """The claim's check with each of these predicates."""
    return {
        name: replace(CHECKS[claim_id], predicate=predicate)
        for name, predicate in predicates.items()
    }


def without_covariance(case: Case, agent: int, offset: bool) -> tuple[np.ndarray, np.ndarray]:
    gradient, _ = derivatives(case, agent, offset)
    return gradient, np.diag(gradient) / float(case.tau)


def without_offset_alone(case: Case, agent: int, offset: bool) -> tuple[np.ndarray, np.ndarray]:
    """A gradient that is right with the offset and a little off without."""
    gradient, hessian = derivatives(case, agent, offset)
    return gradient * (1 if offset else 1 + 1e-9), hessian


def off_for_later(case: Case, agent: int, offset: bool) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives that are right for the first agent."""
    gradient, hessian = derivatives(case, agent, offset)
    return gradient, hessian * (1 + 1e-9 * agent)


def hot(query: Query) -> tuple[np.ndarray, np.ndarray]:
    return run_auction(replace(query, halves=query.halves + 1))


def no_pivot(query: Query) -> tuple[np.ndarray, np.ndarray]:
    law, payments = run_auction(query)
    return law, payments + 0.01


def no_pivot_of_later(query: Query) -> tuple[np.ndarray, np.ndarray]:
    law, payments = run_auction(query)
    return law, payments + 0.01 * (np.arange(len(payments)) > 0)


def best_laws(lying: Lying) -> tuple[list[Fraction], list[Fraction]]:
    return lying.case.run().allocation, lying.told.run().allocation


def worst_of(rewards: Rewards, candidates: Sequence[int]) -> int:
    """The first candidate with the smallest total."""
    return best_of([[-r for r in row] for row in rewards], candidates)


def last_decides(rewards: Rewards, candidates: Sequence[int]) -> int:
    """The best candidate for the last agent, who is asked alone."""
    return best_of(rewards[-1:], candidates)


def wrong(kind: type[Wrong]) -> NoLieIsFound:
    def broken(size: int) -> Sequence[Wrong]:
        first = auctions(size)[0]
        return (kind(first.tau, first.log_ref, first.log_gen),)

    return NoLieIsFound(broken)


MUTANTS: dict[str, dict[str, Check]] = {
    "truthful.not-vcg": named(
        "truthful.not-vcg", best=NoLiePays(searching=best_of, grabbing=best_of)
    ),
    "truthful.not-vcg.law": named("truthful.not-vcg.law", best=LawCanBeManipulated(best_laws)),
    "truthful.not-vcg.range": named(
        "truthful.not-vcg.range",
        worst_of=NoLiePays(best=worst_of),
        last_decides=NoLiePays(best=last_decides),
    ),
    "truthful.theorem-5.1": planted(
        "truthful.theorem-5.1", TruthIsBest, *FAULTS, of_later(pay_your_reward)
    ),
    "truthful.theorem-5.1.cost": {
        **planted(
            "truthful.theorem-5.1.cost",
            LiesCostADivergence,
            *FAULTS,
            of_later(wrong_temperature),
        ),
        **named("truthful.theorem-5.1.cost", reverse=LiesCostADivergence(reverse=True)),
    },
    "truthful.theorem-5.1.gradient": named(
        "truthful.theorem-5.1.gradient",
        without_covariance=GradientIsTheLaw(without_covariance),
        without_offset_alone=GradientIsTheLaw(without_offset_alone),
        off_for_later=GradientIsTheLaw(off_for_later),
    ),
    "truthful.theorem-5.1.battery": {
        kind.__name__: wrong(kind)
        for kind in (
            PayYourReward,
            WrongTemperature,
            OffsetOfTheReport,
            LogOutside,
        )
    },
    "truthful.vcg": planted(
        "truthful.vcg",
        PaymentsAreExternalities,
        without_offset,
        offset_without_ratios,
        payments_negated,
        wrong_temperature,
        of_later(without_offset),
        last_ratio_forgotten,
    ),
    "truthful.vcg.solver": named(
        "truthful.vcg.solver",
        hot=SolverFindsTheSame(hot),
        no_pivot=SolverFindsTheSame(no_pivot),
        no_pivot_of_later=SolverFindsTheSame(no_pivot_of_later),
    ),
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    "truthful.not-vcg.range": {
        rule.__name__: replace(CHECKS["truthful.not-vcg.range"], prove=RangeProof(rule))
        for rule in (worst_of, greedy, last_decides)
    },
    "truthful.theorem-5.1": lost(
        "truthful.theorem-5.1", LyingProof, *FAULTS, of_later(pay_your_reward)
    ),
    "truthful.theorem-5.1.cost": lost("truthful.theorem-5.1.cost", LyingProof, *FAULTS),
    "truthful.theorem-5.1.gradient": lost(
        "truthful.theorem-5.1.gradient",
        GradientProof,
        offset_of_the_report,
        of_later(offset_of_the_report),
    ),
    "truthful.vcg": lost(
        "truthful.vcg", ExternalityProof, without_offset, offset_without_ratios, wrong_temperature
    ),
}
