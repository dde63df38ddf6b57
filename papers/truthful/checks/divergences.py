"""truthful, beyond the paper: payments and gains are divergences between the laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from papers.truthful.checks.cases import Case, approximately
from papers.truthful.checks.definition import AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.logs import (
    LogSum,
    by_sizes,
    gibbs_inequality,
    same_sums,
    same_terms,
)
from theory.claims import CheckContext
from theory.divergence import kl_divergence
from theory.proofs import Equation, Identity, Proof, Tracer
from theory.search import Trial

__all__ = [
    "DivergenceProof",
    "PaymentsAreDivergences",
    "formal_divergence",
    "in_either_place",
    "two_agents",
]


@dataclass(frozen=True)
class PaymentsAreDivergences:
    """Payment = τ KL(p||q_i) >= 0, utility gain = τ KL(q_i||p) >= 0, reward gain = their sum."""

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare; non-trivial where somebody's reports change the law."""
        outcome = case.run(self.run)
        p, changed, failure = outcome.allocation, False, ""
        for i, q in enumerate(outcome.allocation_without):
            changed = changed or list(p) != list(q)
            forth, back = case.tau * kl_divergence(p, q), case.tau * kl_divergence(q, p)
            told: dict[str, tuple[Any, Any]] = {
                "pays": (outcome.payments[i], forth),
                "gains in utility": (outcome.utility_gains[i], back),
                "gains in reward": (outcome.reward_gains[i], forth + back),
            }
            for verb, (found, expected) in told.items():
                if found != expected:
                    failure = failure or (
                        f"agent {i + 1} {verb} {approximately(found)}, and the divergences give "
                        f"{approximately(expected)}."
                    )
                elif found < 0:
                    failure = failure or f"agent {i + 1} {verb} {approximately(found)}, below 0."
        return Trial(nontrivial=changed, failure=failure)


def formal_divergence(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """Return KL(p||q) of traced laws, as a sum of logarithms."""
    return sum(a * LogSum.log(a / b) for a, b in zip(p, q, strict=True))


def two_agents(candidates: int) -> tuple[Tracer, tuple[list[Any], list[Any]], list[Any], Any]:
    """Return symbols for two agents' odds, the ratios π_ref/π_gen, and τ; "k" is one more."""
    names = [[f"{letter}{j}" for j in range(candidates)] for letter in "efw"]
    trace = Tracer(positive=[*names[0], *names[1], *names[2], "tau", "k"])
    e, f, w = ([trace[name] for name in row] for row in names)
    return trace, (e, f), w, trace["tau"]


def in_either_place(
    run: AuctionRun, own: Sequence[Any], other: Sequence[Any], weights: Sequence[Any], tau: Any
) -> Identity:
    """Return that an agent listed second has what it has listed first, so that one is enough."""
    law: tuple[Equation, ...] = ()
    money: tuple[Equation, ...] = ()
    for offset in (True, False):
        first, second = (
            run(rows, weights, tau=tau, offset=offset) for rows in ([own, other], [other, own])
        )
        law += same_terms(second.allocation, first.allocation)
        found = [second.utilities[1], second.payments[1]]
        money += same_sums(found, [first.utilities[0], first.payments[0]])
    return Identity(
        "the law, and what agent i has and pays, are the same if i is listed after the other one",
        law + money,
    )


@dataclass(frozen=True)
class DivergenceProof:
    """The three identities of the traced auction, and KL >= 0."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions of two agents with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, ratios π_ref/π_gen > 0 and τ > 0, of 2 agents and up to {largest} "
            "candidates",
            range(1, largest + 1),
            self._identities,
            further=gibbs_inequality(largest),
        )

    def _identities(self, candidates: int) -> tuple[Identity, ...]:
        _, odds, w, tau = two_agents(candidates)
        outcome = self.run(odds, w, tau=tau)
        p, without = outcome.allocation, outcome.allocation_without
        forth = [tau * formal_divergence(p, q) for q in without]
        back = [tau * formal_divergence(q, p) for q in without]
        both = [a + b for a, b in zip(forth, back, strict=True)]
        return (
            Identity("payment_i = τ KL(p||q_i)", same_sums(outcome.payments, forth)),
            Identity("utility gain_i = τ KL(q_i||p)", same_sums(outcome.utility_gains, back)),
            Identity(
                "reward gain_i = τ KL(p||q_i) + τ KL(q_i||p)", same_sums(outcome.reward_gains, both)
            ),
        )
