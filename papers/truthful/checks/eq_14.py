"""truthful, eq. (14): the utility without an offset, rewritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from papers.truthful.checks.cases import Case, approximately
from papers.truthful.checks.definition import AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import two_agents
from papers.truthful.checks.logs import LogSum, by_sizes, same_sums
from theory.claims import CheckContext
from theory.numbers.closed_form import ClosedForm, log
from theory.proofs import Identity, Proof
from theory.search import Trial
from theory.verdicts import Exhibit, Table

__all__ = ["EqualProof", "RewrittenUtility", "inside", "printed_utility", "show_rewritten"]

Rewritten = Callable[[Case], Any]


def printed_utility(case: Case) -> Any:
    """Return Σ_j (exp(Σ_k r_k(j)/τ) + log ρ_j), of which the printed utility is τ log."""
    total = ClosedForm(Fraction(0))
    for column, weight in zip(zip(*case.odds, strict=True), case.weights, strict=True):
        total = total + prod(column, start=Fraction(1)) + log(weight)
    return total


def inside(case: Case) -> Any:
    """Return Σ_j exp(Σ_k r_k(j)/τ + log ρ_j), of which the corrected utility is τ log."""
    columns = zip(zip(*case.odds, strict=True), case.weights, strict=True)
    return sum((prod(column, start=weight) for column, weight in columns), Fraction(0))


def nine(odds: Sequence[Sequence[Any]], weights: Sequence[Any], agent: int) -> Any:
    """Return Σ_j exp(r_i(j)/τ + b_i(j)), of which the utility (9) is τ log, with C = 0."""
    total: Any = Fraction(0)
    for j, weight in enumerate(weights):
        others = [row[j] for k, row in enumerate(odds) if k != agent]
        total = total + odds[agent][j] * prod(others, start=weight)
    return total


@dataclass(frozen=True)
class RewrittenUtility:
    """τ log of the rewritten sum is the utility (9) of each agent, with C = 0, and what it has.

    A sum of rationals and logarithms that is not rational is no rational's exponential, so that the
    comparison is exact.
    """

    rewritten: Rewritten = printed_utility
    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare; non-trivial where some ratio is not 1."""
        total = self.rewritten(case)
        whole = total.as_rational() if isinstance(total, ClosedForm) else total
        failure = ""
        for i, found in enumerate(case.run(self.run, offset=False).utilities, 1):
            utility = case.tau * log(nine(case.odds, case.weights, i - 1))
            if found != utility:
                failure = failure or f"agent {i} has the utility {approximately(found)}."
            if whole is not None and whole > 0 and utility == case.tau * log(whole):
                continue
            failure = failure or (
                f"the utility (9) of agent {i} is {approximately(utility)}, and "
                f"{_describe(case, total)}."
            )
        return Trial(nontrivial=set(case.weights) != {1}, failure=failure)


def _describe(case: Case, total: Any) -> str:
    if not total > 0:
        return f"the printed logarithm is of {approximately(total)}, so that there is none"
    from math import log as natural

    value = float(case.tau) * natural(float(total))
    factor = "" if case.tau == 1 else f"{case.tau} "
    return f"the rewritten one is {factor}log({total}) ≈ {value:.4f}"


def show_rewritten(case: Case) -> Exhibit:
    """Work both rewritten sums out, beside what (9) gives each agent with C = 0."""
    rows = []
    for j, (column, weight) in enumerate(
        zip(zip(*case.odds, strict=True), case.weights, strict=True), 1
    ):
        total = prod(column, start=Fraction(1))
        outside = approximately(total + log(weight))
        rows.append((str(j), str(total), str(weight), outside, str(total * weight)))
    candidates = Table(
        caption="The summands under the logarithm, as printed and corrected",
        columns=("candidate", "exp(Σ r/τ)", "ρ", "printed", "corrected"),
        rows=(*rows, ("sum", "", "", approximately(printed_utility(case)), str(inside(case)))),
    )
    utilities = case.run(offset=False).utilities
    agents = Table(
        caption="Utilities by eq. (9), with C = 0",
        columns=("agent", "utility"),
        rows=tuple((str(i), approximately(u)) for i, u in enumerate(utilities, 1)),
    )
    return Exhibit(summary=str(case), tables=(candidates, agents))


@dataclass(frozen=True)
class EqualProof:
    """For C = 0 the traced utility is τ log Σ_j exp(Σ_k r_k(j)/τ + log ρ_j) for everybody."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions of two agents with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, ratios π_ref/π_gen > 0 and τ > 0, of 2 agents and up to {largest} "
            "candidates",
            range(1, largest + 1),
            self._list_identities,
        )

    def _list_identities(self, candidates: int) -> tuple[Identity, ...]:
        _, (e, f), w, tau = two_agents(candidates)
        utilities = self.run([e, f], w, tau=tau, offset=False).utilities
        total = sum(a * b * c for a, b, c in zip(e, f, w, strict=True))
        own = [tau * LogSum.log(nine([e, f], w, i)) for i in range(2)]
        return (
            Identity(
                "U_i - C = τ log Σ_j exp(r_ij/τ + b_ij) for each agent i", same_sums(utilities, own)
            ),
            Identity(
                "U_i - C = τ log Σ_j exp(Σ_k r_kj/τ + log ρ_j) for each agent i",
                same_sums(utilities, [tau * LogSum.log(total)] * 2),
            ),
        )
