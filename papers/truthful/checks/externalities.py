"""truthful, beyond the paper: the auction is VCG over laws on the candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from papers.truthful.checks.cases import Case, approximately, show_all
from papers.truthful.checks.definition import AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import formal_divergence
from papers.truthful.checks.logs import by_sizes, gibbs_inequality, same_sums
from theory.claims import CheckContext
from theory.divergence import kl_divergence
from theory.proofs import Identity, Proof, Tracer
from theory.search import Trial

__all__ = ["ExternalityProof", "PaymentsAreExternalities", "welfare"]

Law = Sequence[Fraction]


def welfare(case: Case, law: Law, rewards: Sequence[Sequence[Any]]) -> Any:
    """Return Σ_i λ . r_i - τ KL(λ||ρ), ρ brought to sum 1; minus infinity beyond ρ's support."""
    total = sum(case.weights)
    penalty: Any = kl_divergence(law, [w / total for w in case.weights])
    if penalty == inf:
        return -inf
    earned = (p * r for row in rewards for p, r in zip(law, row, strict=True))
    return sum(earned, -case.tau * penalty)


def _others(case: Case) -> Iterator[tuple[str, Law]]:
    """Yield laws to compare with: one candidate alone, and all alike."""
    slots = range(len(case.weights))
    yield "candidate 1 alone", [Fraction(not j) for j in slots]
    yield "the uniform law", [Fraction(1, len(slots))] * len(slots)


@dataclass(frozen=True)
class PaymentsAreExternalities:
    """p maximises W, q_i maximises W without agent i, and agent i pays what the others lose.

    W(λ) = Σ_i λ . r_i - τ KL(λ||ρ). Maxima are compared with a few laws, and by how much they are
    higher is a divergence: W(p) - W(λ) = τ KL(λ||p).
    """

    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare; non-trivial where somebody's reports change the law."""
        outcome = case.run(self.run)
        p, rewards = outcome.allocation, outcome.rewards
        failure = self._maximises(case, p, rewards, "W")
        changed = False
        for i, q in enumerate(outcome.allocation_without):
            changed = changed or list(p) != list(q)
            rest = [row for k, row in enumerate(rewards) if k != i]
            failure = failure or self._maximises(case, q, rest, f"W without agent {i + 1}")
            if failure:
                continue
            lost = welfare(case, q, rest) - welfare(case, p, rest)
            if outcome.payments[i] != lost:
                failure = (
                    f"agent {i + 1} pays {approximately(outcome.payments[i])}, and the others lose "
                    f"{approximately(lost)} by it."
                )
        return Trial(nontrivial=changed, failure=failure)

    @staticmethod
    def _maximises(case: Case, law: Law, rewards: Sequence[Sequence[Any]], name: str) -> str:
        top = welfare(case, law, rewards)
        if top == -inf:
            return f"{show_all(law)} may draw a candidate that is impossible."
        for other, competitor in _others(case):
            value = welfare(case, competitor, rewards)
            if value == -inf:
                continue
            ahead = top - value
            if ahead < 0:
                return f"{other} has more of {name} than {show_all(law)}."
            if ahead != case.tau * kl_divergence(competitor, law):
                return f"{show_all(law)} is {approximately(ahead)} ahead of {other} in {name}."
        return ""


@dataclass(frozen=True)
class ExternalityProof:
    """The same identities of the traced auction, for every law λ, and KL >= 0."""

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
        names = [[f"{letter}{j}" for j in range(candidates)] for letter in "efwv"]
        trace = Tracer(positive=[name for row in names for name in row] + ["tau"])
        e, f, w, v = ([trace[name] for name in row] for row in names)
        tau = trace["tau"]
        outcome = self.run([e, f], w, tau=tau)
        p, without, rewards = outcome.allocation, outcome.allocation_without, outcome.rewards
        total, mass = sum(w[1:], w[0]), sum(v[1:], v[0])
        rho, other = [x / total for x in w], [x / mass for x in v]

        def value(law: Sequence[Any], rows: Sequence[Sequence[Any]]) -> Any:
            earned = (a * r for row in rows for a, r in zip(law, row, strict=True))
            return sum(earned, -(tau * formal_divergence(law, rho)))

        ahead = [value(p, rewards) - value(other, rewards)]
        known = [tau * formal_divergence(other, p)]
        paid = []
        for i, q in enumerate(without):
            rest = [row for k, row in enumerate(rewards) if k != i]
            ahead.append(value(q, rest) - value(other, rest))
            known.append(tau * formal_divergence(other, q))
            paid.append(value(q, rest) - value(p, rest))
        return (
            Identity(
                "W(p) - W(λ) = τ KL(λ||p), and W_-i(q_i) - W_-i(λ) = τ KL(λ||q_i), for every law λ",
                same_sums(ahead, known),
            ),
            Identity(
                "payment_i = W_-i(q_i) - W_-i(p)",
                same_sums(outcome.payments, paid),
            ),
        )
