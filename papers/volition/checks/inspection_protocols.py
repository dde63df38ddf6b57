"""volition, Algorithms 1 and 2: the protocols, run, do what theory computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechanisms.inspection import (
    BayesianBuyer,
    InspectionRecord,
    inspect_once,
    inspect_recursively,
    sellers_in,
)
from mechanisms.ledger import Ledger
from mechanisms.protocols import Buyer, Seller
from papers.volition.checks.inspection_families import (
    CHEAP,
    PROBLEMS,
    InspectionInstance,
    Offer,
    Problems,
)
from theory.errors import MechproofError
from theory.inspection import InspectionProblem, Play
from theory.search import Draw, Family, Trial

__all__ = [
    "MORE_LEVELS",
    "ONE_LEVEL",
    "Mechanism",
    "RunsAsComputed",
    "credits_in",
    "one_level",
    "payments_due",
    "payments_made",
]

Mechanism = Callable[[str, Buyer, Sequence[Seller], Ledger, int], InspectionRecord]
"""Question, buyer, sellers, ledger and depth."""


@dataclass(frozen=True)
class Together:
    """Builds problems; with three states, one in four is such that two goods are needed.

    There the first action pays in state 2 alone, which the first good and the last show together,
    and neither does alone; both are bought, unless the first is too dear. Where problems are drawn
    at large, hardly any buyer buys two goods.
    """

    problems: Problems

    def __call__(self, draw: Draw, states: int) -> InspectionInstance:
        """Build one."""
        if states != 3 or draw.index(4) < 3:
            return self.problems(draw, states)
        shape = draw.choice([each for each in self.problems.shapes if sum(each) > 1])
        price = draw.choice((*CHEAP[:2], Fraction(self.problems.largest)))
        blank, last = Offer((0, 0, 0), price), Offer((0, 0, 1), CHEAP[1])
        offers = [Offer((0, 1, 1), price), *[blank] * (sum(shape) - 2), last]
        starts = [sum(shape[:n]) for n in range(len(shape))]
        levels = tuple(tuple(offers[s : s + n]) for s, n in zip(starts, shape, strict=True))
        most = self.problems.largest
        return InspectionInstance((1, 1, 1), ((-most, most - 1, -most), (0, 0, 0)), levels)


def _family(levels: str, problems: Problems) -> Family[InspectionInstance]:
    return replace(
        PROBLEMS,
        description=(
            f"inspection problems of {levels}, prices {', '.join(map(str, problems.prices))}: "
            "priors in proportion to 1..2; two actions, or three from three states on; utilities "
            f"-{problems.largest}..{problems.largest}, those of the last action 0; and problems of "
            "three states in which two goods are needed, one of which may be too dear"
        ),
        build=Together(problems),
    )


ONE_LEVEL = _family("one level, of one good or two", Problems(shapes=((1,), (2,))))
MORE_LEVELS = _family(
    "two or three levels, of 1+1, 2+1 or 1+1+1 goods",
    Problems(CHEAP[:2], ((1, 1), (2, 1), (1, 1, 1)), ((1, 1),), largest=2),
)


def one_level(
    question: str, buyer: Buyer, sellers: Sequence[Seller], ledger: Ledger, depth: int
) -> InspectionRecord:
    """Run Algorithm 1, which has one level."""
    del depth
    return inspect_once(question, buyer, sellers, ledger)


def payments_due(record: InspectionRecord) -> list[tuple[str, str, Any]]:
    """Return who owes whom how much for what was bought, the deepest level first."""
    return [
        (record.buyer, good.seller, good.price)
        for level in reversed(record.levels)
        for good in level.purchases or ()
    ]


def payments_made(record: InspectionRecord) -> list[tuple[str, str, Any]]:
    """Return who has paid whom how much."""
    return [(entry.payer, entry.payee, entry.amount) for entry in record.statement.entries]


def credits_in(ledger: Ledger) -> Fraction:
    """Return the sum of all balances."""
    return sum((Fraction(ledger.balance(name)) for name in ledger.accounts), Fraction(0))


@dataclass(frozen=True)
class RunsAsComputed:
    """A Bayesian buyer in each state: purchases, decision and payoff are those of theory."""

    mechanism: Mechanism = inspect_recursively
    ledger: Callable[[dict[str, int]], Ledger] = Ledger

    def __call__(self, instance: InspectionInstance) -> Trial:
        """Run it state by state; non-trivial where something is bought."""
        found = instance.recursive
        buyer = BayesianBuyer(found)
        broken = []
        for play in found.plays:
            sellers = sellers_in(instance.problem, play.state)
            ledger = self.ledger({buyer.name: 9, **{seller.name: 0 for seller in sellers}})
            before = credits_in(ledger)
            try:
                record = self.mechanism("x^0?", buyer, sellers, ledger, instance.problem.depth)
            except MechproofError as error:
                broken.append(f"in state {play.state}: {error}")
                continue
            laws = {
                **_agreement(instance.problem, play, record),
                "credits are conserved": credits_in(ledger) == before,
            }
            broken += [f"in state {play.state}: not “{law}”" for law in laws if not laws[law]]
        return Trial(nontrivial=found.buys, failure="; ".join(broken))


def _agreement(problem: InspectionProblem, play: Play, record: InspectionRecord) -> dict[str, bool]:
    w = list(problem.decision.space.states).index(play.state)
    actions = problem.decision.actions
    utility = problem.decision.utilities.scalars()[actions.index(record.decision)][w]
    delivered = {
        good.name: good.content for level in record.levels for good in level.purchases or ()
    }
    shown = {
        good.name: tuple(variable.by_state[w] for variable in good.variables)
        for level in problem.levels
        for good in level
        if good.name in delivered
    }
    return {
        f"buys {play.purchases}": record.purchases == play.purchases,
        f"does {play.action}": record.decision == play.action,
        f"pays {play.spending}": record.spending == play.spending,
        f"has {play.payoff}": utility - record.spending == play.payoff,
        "what was bought is paid to its seller, and nothing else": (
            payments_made(record) == payments_due(record)
        ),
        "what was bought was delivered": delivered == shown,
    }
