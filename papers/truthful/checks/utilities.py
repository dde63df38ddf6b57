"""truthful, section 5.3: the utility that the offset (13) leaves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from papers.truthful.checks.cases import Case, approximately
from papers.truthful.checks.definition import AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import in_either_place, two_agents
from papers.truthful.checks.logs import LogSum, by_sizes, same_sums
from theory.claims import CheckContext
from theory.numbers.closed_form import log
from theory.proofs import Identity, Proof, Tracer
from theory.search import Trial

__all__ = [
    "BoundsProof",
    "MeanProof",
    "PositiveRewardsPay",
    "RealisedUtilityIsPositive",
    "UtilityIsAMean",
    "UtilityIsBetweenRewards",
    "ZeroProof",
    "ZeroRewardsPayNothing",
    "bounds",
]


@dataclass(frozen=True)
class ZeroRewardsPayNothing:
    """Agent 1, whose rewards are 0, pays 0, and has the utility 0 whatever is drawn.

    It is listed at each place in turn.
    """

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Look at agent 1; non-trivial where the others' reports matter."""
        failure = ""
        for place in range(len(case.odds)):
            outcome, who = case.at(place).run(self.run), f"listed as agent {place + 1}"
            for reward in outcome.rewards[place]:
                if reward - outcome.payments[place] != 0:
                    failure = f"{who}, it pays {approximately(outcome.payments[place])}."
            if outcome.utilities[place] != 0:
                utility = approximately(outcome.utilities[place])
                failure = f"{who}, its expected utility is {utility}."
        return Trial(nontrivial=any(len(set(row)) > 1 for row in case.odds), failure=failure)


@dataclass(frozen=True)
class ZeroProof:
    """With e_j = 1 the traced utility and payment of an agent are 0."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards of others, ratios π_ref/π_gen > 0 and τ > 0, and up to {largest} "
            "candidates",
            range(1, largest + 1),
            self._list_identities,
        )

    def _list_identities(self, candidates: int) -> tuple[Identity, ...]:
        _, (e, f), w, tau = two_agents(candidates)
        zero = [x / x for x in e]
        outcome = self.run([zero, f], w, tau=tau)
        nothing = [LogSum([])] * 2
        found = [outcome.utilities[0], outcome.payments[0]]
        return (
            Identity(
                "if r_i = 0, the utility and the payment of i are 0", same_sums(found, nothing)
            ),
            Identity(
                "if r_i = 0, r_i(y) - payment_i = 0 for every y",
                same_sums(
                    [r - outcome.payments[0] for r in outcome.rewards[0]],
                    [LogSum([])] * candidates,
                ),
            ),
            in_either_place(self.run, zero, f, w, tau),
        )


@dataclass(frozen=True)
class PositiveRewardsPay:
    """Who has no negative reward has utility of at least 0, and above 0 if each is above 0."""

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Look at the agents without negative rewards."""
        liking = [i for i, row in enumerate(case.odds) if min(row) >= 1]
        if not liking:
            return Trial.unmet()
        outcome = case.run(self.run)
        failure = ""
        for i in liking:
            utility = outcome.utilities[i]
            if utility < 0 or (min(case.odds[i]) > 1 and not utility > 0):
                failure = f"the expected utility of agent {i + 1} is {approximately(utility)}."
        return Trial(nontrivial=any(max(case.odds[i]) > 1 for i in liking), failure=failure)


@dataclass(frozen=True)
class RealisedUtilityIsPositive:
    """Who has no negative reward has r_i(y) - payment_i of at least 0 at every reply y."""

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Look at the replies that may be drawn."""
        liking = [i for i, row in enumerate(case.odds) if min(row) >= 1]
        if not liking:
            return Trial.unmet()
        outcome = case.run(self.run)
        failure = ""
        for i in liking:
            for j, (reward, chance) in enumerate(
                zip(outcome.rewards[i], outcome.allocation, strict=True), 1
            ):
                utility = reward - outcome.payments[i]
                if chance > 0 and utility < 0:
                    failure = failure or (
                        f"candidate {j} is drawn with probability {chance}, and then the utility "
                        f"of agent {i + 1} is {approximately(utility)}."
                    )
        return Trial(nontrivial=any(max(case.odds[i]) > 1 for i in liking), failure=failure)


@dataclass(frozen=True)
class UtilityIsBetweenRewards:
    """Expected utility lies between the least and the largest reward for a candidate."""

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare; non-trivial where the two differ."""
        outcome = case.run(self.run)
        failure = ""
        for i, row in enumerate(case.odds):
            low, high = bounds(row, case.tau)
            if not low <= outcome.utilities[i] <= high:
                failure = failure or (
                    f"the expected utility of agent {i + 1} is "
                    f"{approximately(outcome.utilities[i])}, and its rewards lie between "
                    f"{approximately(low)} and {approximately(high)}."
                )
        return Trial(nontrivial=any(len(set(row)) > 1 for row in case.odds), failure=failure)


def bounds(odds: tuple[Fraction, ...], tau: Fraction) -> tuple[Any, Any]:
    """Return the least and the largest reward."""
    return tau * log(min(odds)), tau * log(max(odds))


@dataclass(frozen=True)
class BoundsProof:
    """exp(U_i/τ) is at least every lower bound of exp(r_i/τ), and at most every upper bound."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace agent i beside another one; what others report and ratios are one number each."""
        largest = context.budget.size
        proofs = [self._between(n) for n in range(1, largest + 1)]
        return by_sizes(
            f"all rewards of an agent, all numbers exp(b_ij) > 0, and up to {largest} candidates",
            range(1, largest + 1),
            self._only_through_others,
            further=_rises(),
            proofs=proofs,
        )

    def _between(self, candidates: int) -> Proof:
        names = [[f"{letter}{j}" for j in range(candidates)] for letter in "ef"]
        trace = Tracer(positive=[*names[0], *names[1], "low", "high"])
        e, f = ([trace[name] for name in row] for row in names)
        low, high = trace["low"], trace["high"]

        def run() -> list[Any]:
            value = self.run([e, f]).utilities[0].exp()
            return [value - low, high - value]

        return trace.prove(run, [*(x - low for x in e), *(high - x for x in e)])

    def _only_through_others(self, candidates: int) -> tuple[Identity, ...]:
        _, (e, f), w, tau = two_agents(candidates)
        utility = self.run([e, f], w, tau=tau).utilities[0]
        merged = [a * b for a, b in zip(f, w, strict=True)]
        alone = self.run([e, merged], tau=tau).utilities[0]
        return (
            Identity(
                "U_i depends on ratios and on others through exp(b_ij) alone",
                same_sums([utility], [alone]),
            ),
            Identity(
                "U_i is τ times a function of exp(r_i/τ) and b_i",
                same_sums([utility], [tau * self.run([e, merged]).utilities[0]]),
            ),
            in_either_place(self.run, e, f, w, tau),
        )


def _rises() -> tuple[Identity, ...]:
    from sympy import Derivative, Symbol, log

    x, tau = Symbol("x", positive=True), Symbol("tau", positive=True)
    return (
        Identity(
            "τ log x rises in x, so that low <= exp(U_i/τ) <= high bounds U_i by τ log low and "
            "τ log high",
            signs=(Derivative(tau * log(x), x),),
        ),
    )


@dataclass(frozen=True)
class UtilityIsAMean:
    """U_i = τ log Σ_j exp(r_i(j)/τ) q_i(j)."""

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare; non-trivial where an agent's rewards differ."""
        outcome = case.run(self.run)
        failure = ""
        for i, (row, q) in enumerate(zip(case.odds, outcome.allocation_without, strict=True)):
            mean = sum((e * x for e, x in zip(row, q, strict=True)), Fraction(0))
            if outcome.utilities[i] != case.tau * log(mean):
                failure = failure or (
                    f"the utility of agent {i + 1} is {approximately(outcome.utilities[i])}, and "
                    f"the mean gives {approximately(case.tau * log(mean))}."
                )
        return Trial(nontrivial=any(len(set(row)) > 1 for row in case.odds), failure=failure)


@dataclass(frozen=True)
class MeanProof:
    """The identity of eq. (15), traced."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions of two agents with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, ratios π_ref/π_gen > 0 and τ > 0, of 2 agents and up to {largest} "
            "candidates",
            range(1, largest + 1),
            self._mean,
        )

    def _mean(self, candidates: int) -> tuple[Identity, ...]:
        _, odds, w, tau = two_agents(candidates)
        outcome = self.run(odds, w, tau=tau)
        means = [
            tau * LogSum.log(sum(e * x for e, x in zip(row, q, strict=True)))
            for row, q in zip(odds, outcome.allocation_without, strict=True)
        ]
        return (
            Identity(
                "τ log Σ_j exp(r_ij/τ + b_ij) - τ log Σ_j exp(b_ij) = τ log Σ_j exp(r_ij/τ) q_ij",
                same_sums(outcome.utilities, means),
            ),
        )
