"""bazaar, section 3: credits, budgets and memory in generated markets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from mechanisms.errors import BudgetError, ParticipantError
from mechanisms.inspection import BayesianBuyer, InspectionRecord, TableSeller, inspect_recursively
from mechanisms.ledger import Ledger
from mechanisms.protocols import Buyer, Offer
from papers.bazaar.checks.bazaar_buyers import DrawnBuyer, HoardingBuyer, texts_within
from papers.volition.checks.inspection_protocols import (
    Mechanism,
    credits_in,
    payments_due,
    payments_made,
)
from theory.decision import DecisionProblem
from theory.errors import MechproofError
from theory.information import Good
from theory.inspection import InspectionProblem
from theory.probability import ProbabilitySpace, Variable
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["MARKETS", "Customer", "Market", "MarketGood", "MoneyAddsUp", "show_market"]


class Customer(StrEnum):
    """Who buys."""

    HOARDING = "a greedy buyer that hoards what it reads"
    RAISING = "a buyer that raises what it reads"
    DRAWN = "a buyer that asks for what was drawn"
    BAYESIAN = "a Bayesian"


@dataclass(frozen=True)
class MarketGood:
    """What is offered.

    ``wanted`` says whether a drawn buyer asks for it, ``telling`` whether it shows a Bayesian which
    state is true.
    """

    level: int
    name: str
    price: int
    wanted: bool = False
    telling: bool = False

    def content(self, *, true: bool = True) -> str:
        """Return what it says if the first state is true, or the second."""
        return f"{self.name} says {'yes' if true or not self.telling else 'no'}"


@dataclass(frozen=True)
class Market:
    """Wares on some levels, and a buyer with a budget.

    A Bayesian has two equally likely states, of which the first is true. To act gains ``stake``
    there and loses as much in the other; to wait is worth 0.
    """

    wares: tuple[MarketGood, ...]
    budget: int
    customer: Customer
    stake: int = 0

    @property
    def depth(self) -> int:
        """How many levels there are."""
        return self.wares[-1].level

    @property
    def binds(self) -> bool:
        """Whether the budget is less than all prices together."""
        return sum(ware.price for ware in self.wares) > self.budget

    @property
    def overspends(self) -> bool:
        """Whether the buyer asks, on all levels together, for more than it can pay."""
        wanted = sum(ware.price for ware in self.wares if ware.wanted)
        return self.customer is Customer.DRAWN and wanted > self.budget

    def buyer(self) -> Buyer:
        """Return the buyer."""
        match self.customer:
            case Customer.DRAWN:
                return DrawnBuyer(frozenset(ware.name for ware in self.wares if ware.wanted))
            case Customer.BAYESIAN:
                return BayesianBuyer.of(self._problem())
            case _:
                return HoardingBuyer(raises=self.customer is Customer.RAISING)

    def sellers(self) -> list[TableSeller]:
        """Return two sellers, who offer the wares by turns."""
        offers = [
            [
                [
                    Offer(ware.name, (ware.content(),), ware.price)
                    for ware in self.wares[first::2]
                    if ware.level == n
                ]
                for n in range(1, self.depth + 1)
            ]
            for first in (0, 1)
        ]
        return [TableSeller(name, levels) for name, levels in zip("pq", offers, strict=True)]

    def _problem(self) -> InspectionProblem:
        space = ProbabilitySpace.of({"first": "1/2", "second": "1/2"})
        decision = DecisionProblem.of(space, {"wait": [0, 0], "act": [self.stake, -self.stake]})
        levels: list[list[Good]] = [[] for _ in range(self.depth)]
        for ware in self.wares:
            says = Variable.of(ware.name, [ware.content(true=true) for true in (True, False)])
            levels[ware.level - 1].append(Good.of(ware.name, says, ware.price))
        return InspectionProblem.of(decision, levels)

    def __str__(self) -> str:
        offers = ", ".join(f"{ware.name} at {ware.price}" for ware in self.wares)
        return f"{self.customer}, with {self.budget} to spend; {offers}"


@dataclass(frozen=True)
class MoneyAddsUp:
    """What holds whoever buys: credits, budget, memory."""

    mechanism: Mechanism = inspect_recursively
    ledger: Callable[[dict[str, int]], Ledger] = Ledger

    def __call__(self, market: Market) -> Trial:
        """Run the market; non-trivial where the budget does not cover everything on offer."""
        buyer, sellers = market.buyer(), market.sellers()
        ledger = self.ledger({buyer.name: market.budget, "p": 0, "q": 0})
        known, before = texts_within(buyer), credits_in(ledger)
        outcome: InspectionRecord | ParticipantError
        try:
            outcome = record = self.mechanism("?", buyer, sellers, ledger, market.depth)
        except ParticipantError as error:
            outcome, record = error, error.record
        except MechproofError as error:
            return Trial(nontrivial=market.binds, failure=str(error))
        bought = {name for names in record.purchases for name in names}
        remembered = texts_within(buyer, outcome) - known
        others = [ware.content() for ware in market.wares if ware.name not in bought]
        due = payments_due(record)
        laws = {
            "credits are conserved": credits_in(ledger) == before,
            "no account is below 0": all(ledger.balance(each) >= 0 for each in ledger.accounts),
            "what is bought is paid to its seller, and nothing else": payments_made(record) == due,
            "all purchases together are within the budget": (
                sum(price for _, _, price in due) <= market.budget
            ),
            "it is refused where it asks for more, and only there": (
                isinstance(outcome, BudgetError) == market.overspends
            ),
            "what is not bought is not remembered": (
                not any(content in text for content in others for text in remembered)
            ),
        }
        failure = "; ".join(f"not “{law}”" for law in laws if not laws[law])
        return Trial(nontrivial=market.binds, failure=failure)


def show_market(market: Market) -> Exhibit:
    """Return the wares of a market as a table."""
    rows = tuple(
        (str(ware.level), ware.name, seller, str(ware.price), "yes" if ware.wanted else "")
        for ware, seller in zip(market.wares, "pq" * len(market.wares), strict=False)
    )
    columns = ("level", "ware", "seller", "price", "asked for")
    return Exhibit(
        summary=str(market), tables=(Table(caption="Wares", columns=columns, rows=rows),)
    )


def _build(draw: Draw, depth: int) -> Market:
    customer = draw.choice(list(Customer))
    drawn, bayesian = customer is Customer.DRAWN, customer is Customer.BAYESIAN
    wares = tuple(
        MarketGood(
            n,
            f"{'ABC'[n - 1]}{j}",
            draw.choice((1, 2, 3)),
            wanted=drawn and draw.index(3) < 2,
            telling=bayesian and draw.index(2) == 0,
        )
        for n in range(1, depth + 1)
        for j in range(1, 2 + draw.index(2))
    )
    return Market(
        wares,
        draw.integer(0, sum(ware.price for ware in wares)),
        customer,
        draw.choice((8, 4)) if bayesian else 0,
    )


def _size(market: Market) -> tuple[int, ...]:
    prices = sum(ware.price for ware in market.wares)
    return (len(market.wares), prices, market.budget, market.stake)


MARKETS = Family(
    description=(
        "one or two wares a level at prices 1..3, from two sellers by turns; a budget up to the "
        f"sum of the prices; {', '.join(Customer)}"
    ),
    level_name="levels",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)
