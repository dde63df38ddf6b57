"""truthful, Corollary 5.4: utility before the candidates are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from papers.truthful.checks.cases import approximately, rewards_of, show_all
from papers.truthful.checks.definition import Auction, AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.utilities import BoundsProof, bounds
from theory.claims import CheckContext
from theory.numbers.closed_form import ClosedForm
from theory.proofs import Proof, Tracer
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "DRAWS",
    "AverageProof",
    "Draws",
    "ExAnteIsBetweenRewards",
    "RealisedIsPositive",
    "show_draws",
]

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Draws:
    """Laws over replies, exp(r_i(y)/τ) one row an agent, and how many candidates are drawn."""

    odds: tuple[tuple[Fraction, ...], ...]
    generator: tuple[Fraction, ...]
    reference: tuple[Fraction, ...]
    candidates: int
    tau: Fraction

    def auctions(self, run: AuctionRun) -> Iterator[tuple[Fraction, Auction]]:
        """Yield the auction of each draw of candidates, with its probability."""
        ratios = [p / g for p, g in zip(self.reference, self.generator, strict=True)]
        for drawn in product(range(len(ratios)), repeat=self.candidates):
            odds = [[row[y] for y in drawn] for row in self.odds]
            chance = prod((self.generator[y] for y in drawn), start=Fraction(1))
            yield chance, run(odds, [ratios[y] for y in drawn], tau=self.tau)

    def __str__(self) -> str:
        rewards = (
            f"r_{i} = {show_all(rewards_of(row, self.tau))}" for i, row in enumerate(self.odds, 1)
        )
        laws = f"π_gen = {show_all(self.generator)}, π_ref = {show_all(self.reference)}"
        return f"M = {self.candidates}, τ = {self.tau}, {laws}, {', '.join(rewards)}"


def mean(chances: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return Σ_d chance_d value_d / Σ_d chance_d."""
    parts = [c * v for c, v in zip(chances, values, strict=True)]
    return sum(parts[1:], parts[0]) / sum(chances[1:], chances[0])


def ex_ante(case: Draws, run: AuctionRun) -> list[ClosedForm]:
    """Return each agent's expected utility before candidates are drawn."""
    chances, outcomes = zip(*case.auctions(run), strict=True)
    return [mean(chances, [o.utilities[i] for o in outcomes]) for i in range(len(case.odds))]


@dataclass(frozen=True)
class ExAnteIsBetweenRewards:
    """Ex-ante utility lies between the least and the largest reward for what may be generated.

    So it is positive where all of these are.
    """

    run: AuctionRun = exact_auction

    def __call__(self, case: Draws) -> Trial:
        """Compare; non-trivial where an agent's rewards differ."""
        failure = ""
        for i, utility in enumerate(ex_ante(case, self.run)):
            low, high = bounds(case.odds[i], case.tau)
            if not low <= utility <= high:
                failure = failure or (
                    f"the ex-ante utility of agent {i + 1} is {approximately(utility)}, and its "
                    f"rewards lie between {approximately(low)} and {approximately(high)}."
                )
        return Trial(nontrivial=any(len(set(row)) > 1 for row in case.odds), failure=failure)


@dataclass(frozen=True)
class RealisedIsPositive:
    """Who has positive rewards alone has positive utility at each draw, reply included."""

    run: AuctionRun = exact_auction

    def __call__(self, case: Draws) -> Trial:
        """Look at agents without negative rewards, at least one of them positive."""
        liking = [i for i, row in enumerate(case.odds) if min(row) >= 1 < max(row)]
        if not liking:
            return Trial.unmet()
        failure = ""
        for _, outcome in case.auctions(self.run):
            for i in liking:
                for reward in outcome.rewards[i]:
                    utility = reward - outcome.payments[i]
                    if utility < 0:
                        failure = failure or (
                            f"at a draw and a reply the utility of agent {i + 1} is "
                            f"{approximately(utility)}."
                        )
        return Trial(failure=failure)


def show_draws(case: Draws) -> Exhibit:
    """Work a case out: ex-ante utility of each agent, and the range of its rewards."""
    rows = []
    for i, utility in enumerate(ex_ante(case, exact_auction)):
        low, high = bounds(case.odds[i], case.tau)
        rows.append((str(i + 1), *map(approximately, (low, utility, high))))
    table = Table(
        caption="Ex-ante utility, and the least and the largest reward",
        columns=("agent", "least", "ex-ante utility", "largest"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))


def _law(draw: Draw, replies: int) -> tuple[Fraction, ...]:
    weights = [1] * (replies - 1) + [1 + draw.index(2)]
    return tuple(Fraction(w, sum(weights)) for w in weights)


def _build(draw: Draw, replies: int) -> Draws:
    candidates = 1 + draw.index(2)
    generator, reference = _law(draw, replies), _law(draw, replies)
    options = [Fraction(1), Fraction(2), HALF]
    rows = [tuple(draw.choice(options) for _ in range(replies))]
    if candidates == 1 and draw.index(2):
        rows.append((Fraction(1),) * (replies - 1) + (draw.choice(options[1:]),))
    return Draws(tuple(rows), generator, reference, candidates, Fraction(len(rows)))


def _size(case: Draws) -> tuple[Any, ...]:
    told = sum(o != 1 for row in case.odds for o in row)
    return (len(case.odds), case.candidates, told, sum(map(sum, case.odds)))


DRAWS: Family[Draws] = Family(
    description="auctions over up to two replies, with one or two agents and candidates, and "
    "exp(r/τ) in {1, 2, 1/2}; all draws of candidates are summed over",
    level_name="replies",
    levels=(1, 2),
    build=_build,
    size=_size,
)


@dataclass(frozen=True)
class AverageProof:
    """The bounds hold at every draw of candidates, and averages keep them."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Take the proof of the bounds, and trace averages of up to 2, 4, … draws."""
        between = BoundsProof(self.run)(context)
        draws = range(1, 2 * context.budget.size + 1)
        return Proof.of_all(
            f"{between.parameters}, and averages of up to {draws[-1]} draws of candidates",
            [between, *(self._average(n) for n in draws)],
        )

    @staticmethod
    def _average(draws: int) -> Proof:
        chances = [f"c{d}" for d in range(draws)]
        utilities = [f"u{d}" for d in range(draws)]
        trace = Tracer(positive=chances, real=[*utilities, "low", "high"])
        u = [trace[name] for name in utilities]
        low, high = trace["low"], trace["high"]

        def run() -> list[Any]:
            value = mean([trace[name] for name in chances], u)
            return [value - low, high - value]

        return trace.prove(run, [*(x - low for x in u), *(high - x for x in u)])
