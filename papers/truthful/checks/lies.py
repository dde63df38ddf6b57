"""truthful, Theorem 5.1: what a lie costs whoever tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from papers.truthful.checks.cases import Case, approximately, rewards_of, show_all, show_case
from papers.truthful.checks.definition import Auction, AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import formal_divergence, in_either_place
from papers.truthful.checks.logs import (
    by_sizes,
    gibbs_inequality,
    same_sums,
    same_terms,
)
from theory.claims import CheckContext
from theory.divergence import kl_divergence
from theory.proofs import Equation, Identity, Proof, Tracer
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "LIES",
    "LiesCostADivergence",
    "Lying",
    "LyingProof",
    "TruthIsBest",
    "show_lie",
]

THIRD, HALF, ONE, TWO = Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2)


@dataclass(frozen=True)
class Lying:
    """An auction, and odds that agent 1 reports in the place of its own."""

    case: Case
    lie: tuple[Fraction, ...]

    @property
    def told(self) -> Case:
        """The auction that is run when agent 1 lies."""
        return replace(self.case, odds=(self.lie, *self.case.odds[1:]))

    @property
    def courses(self) -> Iterator[tuple[int, bool]]:
        """Each place that agent 1 may be listed at, from 0, with the offset and without."""
        return product(range(len(self.case.odds)), (True, False))

    def __str__(self) -> str:
        return f"{self.case}; agent 1 reports {show_all(rewards_of(self.lie, self.case.tau))}"


def utilities(
    lying: Lying, run: AuctionRun, offset: bool, place: int = 0
) -> tuple[Any, Any, Auction, Auction]:
    """Return agent 1's utility from the truth and from the lie, with both outcomes."""
    truth, lie = (case.at(place).run(run, offset=offset) for case in (lying.case, lying.told))
    return _surplus(truth, truth, place), _surplus(truth, lie, place), truth, lie


def _surplus(truth: Auction, outcome: Auction, place: int = 0) -> Any:
    """Return what the agent has of an outcome by its true rewards, less what it pays."""
    pairs = zip(outcome.allocation, truth.rewards[place], strict=True)
    return sum(p * r for p, r in pairs) - outcome.payments[place]


def _where(offset: bool, place: int) -> str:
    """Return under which of the circumstances a lie was told."""
    listed_at = f", if it is listed as agent {place + 1}" if place else ""
    return f"{listed_at}{'' if offset else ', without the offset'}."


@dataclass(frozen=True)
class TruthIsBest:
    """Agent 1 has no less utility from the truth than from the lie, with the offset and without.

    It is listed at each place in turn, so that no agent may be treated otherwise than the first.
    """

    run: AuctionRun = exact_auction

    def __call__(self, lying: Lying) -> Trial:
        """Compare; non-trivial where the lie changes the law of the reply."""
        changed, failure = False, ""
        for place, offset in lying.courses:
            honest, dishonest, truth, lie = utilities(lying, self.run, offset, place)
            changed = changed or list(truth.allocation) != list(lie.allocation)
            if dishonest > honest:
                failure = failure or (
                    f"the truth leaves agent 1 with {approximately(honest)}, and the lie with "
                    f"{approximately(dishonest)}{_where(offset, place)}"
                )
        return Trial(nontrivial=changed, failure=failure)


@dataclass(frozen=True)
class LiesCostADivergence:
    """The truth is worth τ KL(p'||p) more than a lie that makes the law p' of p.

    Agent 1 is listed at each place in turn. ``reverse`` takes the laws the other way round, which
    is another number.
    """

    run: AuctionRun = exact_auction
    reverse: bool = False

    def __call__(self, lying: Lying) -> Trial:
        """Compare; non-trivial where the lie changes the law of the reply."""
        changed, failure = False, ""
        for place, offset in lying.courses:
            honest, dishonest, truth, lie = utilities(lying, self.run, offset, place)
            laws = (truth.allocation, lie.allocation)
            changed = changed or list(laws[0]) != list(laws[1])
            cost = lying.case.tau * kl_divergence(*(laws if self.reverse else laws[::-1]))
            if honest - dishonest != cost:
                failure = failure or (
                    f"the lie costs agent 1 {approximately(honest - dishonest)}, and the "
                    f"divergence gives {approximately(cost)}{_where(offset, place)}"
                )
        return Trial(nontrivial=changed, failure=failure)


def show_lie(lying: Lying) -> Exhibit:
    """Work a lie out: the truthful auction, and what agent 1 has of either report."""
    rows = []
    for offset in (True, False):
        honest, dishonest, truth, lie = utilities(lying, exact_auction, offset)
        for report, outcome, utility in (("truth", truth, honest), ("lie", lie, dishonest)):
            rows.append(
                (
                    report,
                    "yes" if offset else "no",
                    show_all(outcome.allocation),
                    approximately(outcome.payments[0]),
                    approximately(utility),
                )
            )
    table = Table(
        caption="What agent 1 has of its report",
        columns=("report", "offset", "law of the reply", "payment", "utility"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(lying), tables=(*show_case(lying.case).tables, table))


def _build(draw: Draw, candidates: int) -> Lying:
    """Draw one agent, or two of whom the second has less to choose from."""
    few = candidates > 2
    agents = 1 + draw.index(2)
    alone = agents == 1
    tau = Fraction(1 + draw.index(2)) if alone and not few else Fraction(agents)
    last = draw.choice([ONE, THIRD]) if alone else THIRD
    options = [ONE, TWO, *([] if few else [HALF])]
    own, lie = (tuple(draw.choice(options) for _ in range(candidates)) for _ in range(2))
    free = 0 if alone else min(candidates, 1 if few else 2)
    other = (*[ONE] * (candidates - free), *(draw.choice([ONE, TWO]) for _ in range(free)))
    rows = (own,) if alone else (own, other)
    return Lying(Case(rows, (*[ONE] * (candidates - 1), last), tau), lie)


def _size(lying: Lying) -> tuple[Any, ...]:
    """Simpler: fewer agents, a τ of 1, fewer rewards and ratios that say something."""
    case = lying.case
    numbers = [o for row in (*case.odds, case.weights, lying.lie) for o in row]
    told = sum(o != 1 for o in numbers)
    return (len(case.odds), case.tau, told, sum(numbers))


LIES: Family[Lying] = Family(
    description="auctions with one or two agents, exp(r/τ) in {1, 2, 1/2}, τ in {1, 2}, ratios "
    "π_ref/π_gen of 1 but for one, which may be 1/3; and any lie of agent 1 with such rewards",
    level_name="candidates",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)


@dataclass(frozen=True)
class LyingProof:
    """Truth less lie is τ KL(p'||p) in the traced auction, and KL >= 0."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            "all rewards, lies, reports of others, ratios π_ref/π_gen > 0 and τ > 0, of any number "
            f"of agents and up to {largest} candidates",
            range(1, largest + 1),
            self._identities,
            further=gibbs_inequality(largest),
        )

    def _identities(self, candidates: int) -> tuple[Identity, ...]:
        names = [[f"{letter}{j}" for j in range(candidates)] for letter in "elfgw"]
        trace = Tracer(positive=[name for row in names for name in row] + ["tau"])
        e, lie, f, g, w = ([trace[name] for name in row] for row in names)
        tau = trace["tau"]
        cost: tuple[Equation, ...] = ()
        for offset in (True, False):
            truth, other = (self.run([own, f], w, tau=tau, offset=offset) for own in (e, lie))
            lost = _surplus(truth, truth) - _surplus(truth, other)
            divergence = tau * formal_divergence(other.allocation, truth.allocation)
            cost += same_sums([lost], [divergence])
        merged = [a * b * c for a, b, c in zip(f, g, w, strict=True)]
        one = self.run([e, merged], tau=tau)
        many = [self.run(rows, w, tau=tau) for rows in ([e, f, g], [f, e, g], [f, g, e])]
        return (
            Identity("utility of the truth - utility of a lie = τ KL(p'||p)", cost),
            Identity(
                "the law and what agent i pays depend on ratios and on others through exp(b_ij) "
                "alone, so that one other agent stands for any number",
                tuple(
                    equation
                    for place, found in enumerate(many)
                    for equation in (
                        *same_terms(found.allocation, one.allocation),
                        *same_sums([found.payments[place]], one.payments[:1]),
                    )
                ),
            ),
            in_either_place(self.run, e, f, w, tau),
        )
