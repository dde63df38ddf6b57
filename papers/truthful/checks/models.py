"""truthful, eqs. (2) and (11): the law that a reward induces, and the reward that induces a law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechanisms.softmax_auction import odds_from_laws
from papers.truthful.checks.cases import Case, approximately, rewards_of, show_all
from papers.truthful.checks.definition import Auction, AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import formal_divergence, two_agents
from papers.truthful.checks.logs import (
    LogSum,
    by_sizes,
    gibbs_inequality,
    same_sums,
    same_terms,
)
from theory.claims import CheckContext
from theory.divergence import gibbs_law, kl_divergence
from theory.numbers.closed_form import log
from theory.proofs import Identity, Proof, Tracer
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "MODELS",
    "POLICIES",
    "ConstantsAreHarmless",
    "HarmlessProof",
    "Model",
    "OptimumIsGibbs",
    "OptimumProof",
    "Policy",
    "RewardInducesModel",
    "RewardProof",
    "corrected_reward",
    "printed_reward",
    "show_model",
    "show_policy",
]

Optimum = Callable[[Sequence[Any], Sequence[Any]], list[Any]]
HALF = Fraction(1, 2)


# --- eq. (2)


@dataclass(frozen=True)
class Policy:
    """π_ref, exp(r_i(y)/τ) one row an agent, τ, and a law π to compare with."""

    reference: tuple[Fraction, ...]
    odds: tuple[tuple[Fraction, ...], ...]
    policy: tuple[Fraction, ...]
    tau: Fraction

    @property
    def factors(self) -> list[Fraction]:
        """exp(Σ_i r_i(y)/τ)."""
        factors = [Fraction(1)] * len(self.reference)
        for row in self.odds:
            factors = [a * b for a, b in zip(factors, row, strict=True)]
        return factors

    def objective(self, law: Sequence[Fraction]) -> Any:
        """Return J(law) = E[Σ_i r_i] - τ KL(law || π_ref)."""
        rewards = [rewards_of(row, self.tau) for row in self.odds]
        expected: Any = sum(x * r for row in rewards for x, r in zip(law, row, strict=True) if x)
        return expected - self.tau * kl_divergence(law, self.reference)

    def __str__(self) -> str:
        rewards = (
            f"r_{i} = {show_all(rewards_of(row, self.tau))}" for i, row in enumerate(self.odds, 1)
        )
        laws = f"π_ref = {show_all(self.reference)}, π = {show_all(self.policy)}"
        return f"{laws}, τ = {self.tau}, {', '.join(rewards)}"


@dataclass(frozen=True)
class OptimumIsGibbs:
    """J(π*) - J(π) = τ KL(π||π*), above 0 unless π = π*."""

    optimum: Optimum = gibbs_law

    def __call__(self, case: Policy) -> Trial:
        """Compare; non-trivial where π is not π*."""
        best = self.optimum(case.reference, case.factors)
        lost = case.objective(best) - case.objective(case.policy)
        expected: Any = case.tau * kl_divergence(case.policy, best)
        same = tuple(best) == case.policy
        failure = ""
        if lost != expected:
            failure = (
                f"J(π*) - J(π) is {approximately(lost)}, and τ KL(π||π*) is "
                f"{approximately(expected)}."
            )
        elif lost < 0 or (lost == 0) != same:
            failure = f"J(π*) - J(π) is {approximately(lost)}."
        return Trial(nontrivial=not same, failure=failure)


def show_policy(case: Policy) -> Exhibit:
    """Work a case out: the laws, and what they are worth."""
    best = gibbs_law(case.reference, case.factors)
    laws = {"π_ref": case.reference, "π": case.policy, "π*": best}
    table = Table(
        caption="The laws, and J",
        columns=("law", *(f"reply {y + 1}" for y in range(len(best))), "J"),
        rows=tuple(
            (name, *map(str, law), approximately(case.objective(law))) for name, law in laws.items()
        ),
    )
    return Exhibit(summary=str(case), tables=(table,))


def _law(draw: Draw, replies: int, options: Sequence[int]) -> tuple[Fraction, ...]:
    weights = [draw.choice(options) for _ in range(replies)]
    if not any(weights):
        draw.reject()
    return tuple(Fraction(w, sum(weights)) for w in weights)


def _build_policy(draw: Draw, replies: int) -> Policy:
    reference = _law(draw, replies, [1, 2] if replies < 2 else [1])
    if replies == 2 and draw.index(2):
        reference = (Fraction(1, 3), Fraction(2, 3))
    odds = [Fraction(1), Fraction(2), HALF] if replies < 3 else [Fraction(1), Fraction(2)]
    rows = [tuple(draw.choice(odds) for _ in range(replies))]
    if replies != 2 and draw.index(2):
        rows.append((Fraction(3),) + (Fraction(1),) * (replies - 1))
    policy = _law(draw, replies, [1, 2, 0] if replies < 3 else [1, 0])
    return Policy(reference, tuple(rows), policy, Fraction(len(rows)))


def _size_policy(case: Policy) -> tuple[Any, ...]:
    told = sum(o != 1 for row in case.odds for o in row)
    parts = (*case.reference, *case.policy)
    return (len(case.odds), told, sum(x.denominator for x in parts))


POLICIES: Family[Policy] = Family(
    description="laws over up to three replies, in proportion to 1 or 2 (π_ref) and 0, 1 or 2 (π), "
    "and one or two agents with exp(r/τ) in {1, 2, 1/2, 3}",
    level_name="replies",
    levels=(1, 2, 3),
    build=_build_policy,
    size=_size_policy,
)


@dataclass(frozen=True)
class OptimumProof:
    """J(π*) - J(π) = τ KL(π||π*), traced, and KL >= 0."""

    optimum: Optimum = gibbs_law

    def __call__(self, context: CheckContext) -> Proof:
        """Trace laws over 1, 2, … replies."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, laws π_ref > 0 and π > 0 and τ > 0, of 2 agents and up to {largest} "
            "replies",
            range(1, largest + 1),
            self._identity,
            further=gibbs_inequality(largest),
        )

    def _identity(self, replies: int) -> tuple[Identity, ...]:
        names = [[f"{letter}{j}" for j in range(replies)] for letter in "efgv"]
        trace = Tracer(positive=[name for row in names for name in row] + ["tau"])
        e, f, g, v = ([trace[name] for name in row] for row in names)
        tau = trace["tau"]
        reference, policy = ([x / sum(row) for x in row] for row in (g, v))
        factors = [a * b for a, b in zip(e, f, strict=True)]
        best = self.optimum(reference, factors)

        def objective(law: Sequence[Any]) -> Any:
            earned = sum(x * (tau * LogSum.log(r)) for x, r in zip(law, factors, strict=True))
            return earned - tau * formal_divergence(law, reference)

        lost = objective(best) - objective(policy)
        return (
            Identity(
                "J(π*) - J(π) = τ KL(π||π*)",
                same_sums([lost], [tau * formal_divergence(policy, best)]),
            ),
            Identity("π* sums to 1", same_terms([sum(best)], [Fraction(1)])),
        )


# --- eq. (11)


@dataclass(frozen=True)
class Model:
    """π_ref, an agent's exp(r(y)/τ_i), and τ_i."""

    reference: tuple[Fraction, ...]
    odds: tuple[Fraction, ...]
    tau: Fraction

    def __str__(self) -> str:
        rewards = show_all(rewards_of(self.odds, self.tau))
        return f"π_ref = {show_all(self.reference)}, τ_i = {self.tau}, r_i = {rewards}"


Formula = Callable[[Any, Any, Any], Any]


def printed_reward(ratio: Any, normaliser: Any, tau: Any) -> Any:
    """Return τ_i log(π_i/π_ref) + log Z_i of the two logarithms."""
    return tau * ratio + normaliser


def corrected_reward(ratio: Any, normaliser: Any, tau: Any) -> Any:
    """Return τ_i log(π_i/π_ref) + τ_i log Z_i of the two logarithms."""
    return tau * ratio + tau * normaliser


@dataclass(frozen=True)
class RewardInducesModel:
    """The formula gives back the reward whose optimum at τ_i is π_i."""

    formula: Formula = printed_reward

    def __call__(self, case: Model) -> Trial:
        """Compare; non-trivial where τ_i and Z_i are not 1."""
        law, normaliser = induced_model(case)
        failure = ""
        (ratios,) = odds_from_laws([law], case.reference)
        for y, (ratio, reward) in enumerate(
            zip(ratios, rewards_of(case.odds, case.tau), strict=True), 1
        ):
            found = self.formula(log(ratio), log(normaliser), case.tau)
            if found != reward:
                failure = failure or (
                    f"Z_i = {normaliser}; for reply {y} the formula gives "
                    f"{approximately(found)}, and the reward is {approximately(reward)}."
                )
        return Trial(nontrivial=case.tau != 1 and normaliser != 1, failure=failure)


def induced_model(case: Model) -> tuple[list[Fraction], Fraction]:
    """Return π_i, which the reward induces at τ_i by eq. (2), and its Z_i."""
    products = [p * o for p, o in zip(case.reference, case.odds, strict=True)]
    return gibbs_law(case.reference, case.odds), sum(products, Fraction(0))


def show_model(case: Model) -> Exhibit:
    """Work a model out: both formulas, beside the reward."""
    law, normaliser = induced_model(case)
    rows = []
    for y, (x, p) in enumerate(zip(law, case.reference, strict=True)):
        ratio, z = log(x / p), log(normaliser)
        told = (formula(ratio, z, case.tau) for formula in (printed_reward, corrected_reward))
        reward = case.tau * log(case.odds[y])
        rows.append((str(y + 1), str(p), str(x), *map(approximately, (*told, reward))))
    table = Table(
        caption=f"The law that the reward induces, and what the formulas give; Z_i = {normaliser}",
        columns=("reply", "π_ref", "π_i", "printed", "corrected", "reward"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))


def _build_model(draw: Draw, replies: int) -> Model:
    reference = _law(draw, replies, [1, 2, 3] if replies < 3 else [1])
    odds = tuple(draw.choice([Fraction(1), Fraction(2), HALF]) for _ in range(replies))
    return Model(reference, odds, draw.choice([Fraction(1), Fraction(2), HALF]))


def _size_model(case: Model) -> tuple[Any, ...]:
    return (case.tau != 1, case.tau < 1, sum(x.denominator for x in case.reference), sum(case.odds))


MODELS: Family[Model] = Family(
    description="rewards with exp(r/τ_i) in {1, 2, 1/2} for up to three replies, π_ref in "
    "proportion to 1, 2 and 3, τ_i in {1, 2, 1/2}",
    level_name="replies",
    levels=(1, 2, 3),
    build=_build_model,
    size=_size_model,
)


@dataclass(frozen=True)
class RewardProof:
    """The corrected formula, traced: π_i is the law of eq. (2) at the reward."""

    formula: Formula = corrected_reward

    def __call__(self, context: CheckContext) -> Proof:
        """Trace laws over 1, 2, … replies."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, laws π_ref > 0 and τ_i > 0, of up to {largest} replies",
            range(1, largest + 1),
            self._identity,
        )

    def _identity(self, replies: int) -> tuple[Identity, ...]:
        names = [[f"{letter}{j}" for j in range(replies)] for letter in "eg"]
        trace = Tracer(positive=[*names[0], *names[1], "tau"])
        e, g = ([trace[name] for name in row] for row in names)
        tau: Any = trace["tau"]
        reference = [x / sum(g) for x in g]
        normaliser = sum(p * x for p, x in zip(reference, e, strict=True))
        law = gibbs_law(reference, e)
        found = [
            self.formula(LogSum.log(x / p), LogSum.log(normaliser), tau)
            for x, p in zip(law, reference, strict=True)
        ]
        return (
            Identity(
                "r_i = τ_i log(π_i/π_ref) + τ_i log Z_i",
                same_sums(found, [tau * LogSum.log(x) for x in e]),
            ),
        )


@dataclass(frozen=True)
class ConstantsAreHarmless:
    """A constant added to one agent's reward changes no law and no payment, whichever agent it is.

    With the offset alone: without it, what the others pay changes. The agent's own utility moves by
    the constant, with and without the offset. The constant is τ log 2.
    """

    offset: bool = True
    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare the auction with and without the constant, and the models that agents have."""
        before = case.run(self.run, offset=self.offset)
        failure = ""
        for agent in range(len(case.odds)):
            failure = failure or self._find_change(case, before, agent)
        return Trial(nontrivial=len(set(before.allocation)) > 1, failure=failure)

    def _find_change(self, case: Case, before: Auction, agent: int) -> str:
        """Return what changes that must not, or does not that must."""
        rows = list(case.odds)
        rows[agent] = tuple(2 * o for o in rows[agent])
        after = replace(case, odds=tuple(rows)).run(self.run, offset=self.offset)
        shift = after.utilities[agent] - before.utilities[agent]
        ones = [Fraction(1)] * len(case.weights)
        if gibbs_law(ones, case.odds[agent]) != gibbs_law(ones, rows[agent]):
            return "the agent's own model changes."
        if list(before.allocation) != list(after.allocation):
            return f"the law becomes {show_all(after.allocation)}."
        if shift != case.tau * log(2):
            return f"the utility of agent {agent + 1} moves by {approximately(shift)}."
        for i, (old, new) in enumerate(zip(before.payments, after.payments, strict=True), 1):
            if old != new:
                return (
                    f"with {approximately(case.tau * log(2))} more for agent {agent + 1}, agent "
                    f"{i} pays {approximately(new)} in place of {approximately(old)}."
                )
        return ""


@dataclass(frozen=True)
class HarmlessProof:
    """The same for every constant, traced."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions of two agents with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, constants, ratios π_ref/π_gen > 0 and τ > 0, of 2 agents and up to "
            f"{largest} candidates",
            range(1, largest + 1),
            self._list_identities,
        )

    def _list_identities(self, candidates: int) -> tuple[Identity, ...]:
        trace, (e, f), w, tau = two_agents(candidates)
        k = trace["k"]
        before = self.run([e, f], w, tau=tau)
        shift = tau * LogSum.log(k)
        identities: list[Identity] = []
        for agent in range(2):
            rows = [[k * x for x in row] if i == agent else row for i, row in enumerate((e, f))]
            after = self.run(rows, w, tau=tau)
            expected = [u + shift if i == agent else u for i, u in enumerate(before.utilities)]
            more = f"with a constant more for agent {agent + 1}"
            identities += [
                Identity(f"{more}, p is the same", same_terms(after.allocation, before.allocation)),
                Identity(
                    f"{more}, all payments are the same", same_sums(after.payments, before.payments)
                ),
                Identity(
                    f"{more}, its utility moves by the constant, and the other's does not",
                    same_sums(after.utilities, expected),
                ),
            ]
        return tuple(identities)
