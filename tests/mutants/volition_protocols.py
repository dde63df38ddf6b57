"""Planted faults in the claims about Algorithms 1 and 2 of volition; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from mechanisms.errors import BudgetError, BuyerError
from mechanisms.inspection import MAX_BREADTH, InspectionRecord
from mechanisms.inspection._market import Item
from mechanisms.inspection._run import ReadingSession, Run
from mechanisms.ledger import Entry, Ledger
from mechanisms.protocols import Buyer, Purchase, Seller, Viewing
from papers.volition import CLAIMS
from papers.volition.checks.inspection_protocols import RunsAsComputed, one_level
from theory.claims import Check

__all__ = ["MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


# --- ledgers


class DoubleCredits(Ledger):
    """Gives the payee twice what the payer pays, and does not look."""

    gift = 1

    def transfer(self, payer: str, payee: str, amount: object, memo: str = "") -> Entry:
        entry = super().transfer(payer, payee, amount, memo)
        self._balances[payee] += self.gift * Fraction(entry.amount)
        return entry

    def audit(self) -> None:
        pass

    def _compare(self, books: Any) -> None:
        pass


class NoCredits(DoubleCredits):
    """Takes what the payer pays, and gives it to nobody."""

    gift = -1


class LaterDoubleCredits(DoubleCredits):
    """Books the first payment rightly, and gives twice of each later one."""

    def transfer(self, payer: str, payee: str, amount: object, memo: str = "") -> Entry:
        self.gift = int(bool(self.entries))
        return super().transfer(payer, payee, amount, memo)


class Trusting(Ledger):
    """Lets every account go below its floor."""

    def require(self, account: str, amounts: Sequence[object], memo: str = "") -> None:
        pass


# --- protocols


@dataclass(frozen=True)
class By:
    """A mechanism, given how it runs."""

    run: type[Run]

    def __call__(
        self, question: str, buyer: Buyer, sellers: Sequence[Seller], ledger: Ledger, depth: int
    ) -> InspectionRecord:
        run = self.run(question, buyer, sellers, ledger, depth=depth, breadth=MAX_BREADTH)
        return run.play()


class SubPurchasesAreFree(Run):
    """Forgets to charge what is bought to help to buy."""

    def pay(self, level: int, items: list[Item]) -> None:
        if level == 1:
            super().pay(level, items)
        else:
            self.bought[level] = items


class NothingIsPaid(Run):
    def pay(self, level: int, items: list[Item]) -> None:
        self.bought[level] = items


class EachQuoteAlone(Run):
    """Checks every price against the budget, and not their sum."""

    def pay(self, level: int, items: list[Item]) -> None:
        budget = self.ledger.statement().account(self.name).opening
        if any(item.price > budget for item in items):
            raise BudgetError(self.name, "chooses what is too dear", "choose something else")
        for item in items:
            self.ledger.transfer(self.name, item.seller, item.price, item.name)
        self.bought[level] = items


class Refunds(Run):
    """Gives the buyer its money back once it has decided."""

    def decide(self) -> object:
        decision = super().decide()
        for item in chain(*self.bought.values()):
            self.ledger.transfer(item.seller, self.name, item.price, "refund")
        return decision


class SecondItemIsFree(Run):
    """Charges for the first offer that is bought on a level, and for no other."""

    def pay(self, level: int, items: list[Item]) -> None:
        super().pay(level, items[:1])
        self.bought[level] = items


class FirstSellerIsPaid(Run):
    """Pays whoever made the first offer of all."""

    def pay(self, level: int, items: list[Item]) -> None:
        first = self.market.levels[0][0].seller
        super().pay(level, [replace(item, seller=first) for item in items])
        self.bought[level] = items


class LastPurchaseIsNotTold(Run):
    """Forgets the last of several purchases."""

    def delivered(self) -> tuple[Purchase, ...]:
        bought = super().delivered()
        return bought[: max(1, len(bought) - 1)]


class ParentFirst(Run):
    """Chooses from a level before the levels that should help."""

    def buy(self, level: int) -> None:
        if level <= self.depth and self.market.open(level):
            self.pay(level, self.choose(level))
            self.buy(level + 1)


class NeverComesBack(Run):
    """Descends into the child's question and never decides the parent's."""

    def buy(self, level: int) -> None:
        if level <= self.depth and self.market.open(level):
            self.buy(level + 1)
            if level == self.depth:
                self.pay(level, self.choose(level))


class CannotDecline(Run):
    """Takes the first offer where nothing is chosen."""

    def choose(self, level: int) -> list[Item]:
        return super().choose(level) or self.market.levels[level - 1][:1]


class ChildIsForgotten(Run):
    """Lets the parent decide without what the child bought."""

    def choose(self, level: int) -> list[Item]:
        bought, self.bought = self.bought, {}
        chosen = super().choose(level)
        self.bought = bought
        return chosen


class EverythingIsTold(Run):
    """Lets the buyer decide with all that was on offer."""

    def decide(self) -> object:
        bought, self.bought = self.bought, dict(enumerate(self.market.levels, 1))
        decision = super().decide()
        self.bought = bought
        return decision


class NothingIsTold(Run):
    def delivered(self) -> tuple[Purchase, ...]:
        return ()


class BuyerItself(Run):
    """Asks the buyer, not a copy that is thrown away."""

    def asked(self) -> Buyer:
        return self.buyer

    def choose(self, level: int) -> list[Item]:
        counter = ReadingSession()
        levels = self.market.levels[:level]
        offers = tuple(tuple(map(counter.lay_out, items)) for items in levels)
        budget = self.ledger.available(self.name)
        viewing = Viewing(self.market.question(level), offers, self.delivered(), budget)
        try:
            names = list(self.asked().choose(viewing))
        except Exception as error:
            raise BuyerError(self.name, "raised when choosing", "do not") from error
        return [item for item in levels[-1] if item.name in names]


class BuyerItselfBelow(BuyerItself):
    """Asks a copy on the first level, and the buyer on the levels below."""

    def choose(self, level: int) -> list[Item]:
        return super().choose(level) if level > 1 else Run.choose(self, level)


class PassesOnWords(BuyerItself):
    """Asks a copy, and passes on what it says when it raises."""

    def asked(self) -> Buyer:
        return deepcopy(self.buyer)


MUTANTS: dict[str, dict[str, Check]] = {
    "volition.alg-1": {
        **{
            run.__name__: replace(CHECKS["volition.alg-1"], predicate=RunsAsComputed(By(run)))
            for run in (
                NothingIsPaid,
                Refunds,
                CannotDecline,
                EverythingIsTold,
                NothingIsTold,
                SecondItemIsFree,
                FirstSellerIsPaid,
                LastPurchaseIsNotTold,
            )
        },
        **{
            ledger.__name__: replace(
                CHECKS["volition.alg-1"], predicate=RunsAsComputed(one_level, ledger)
            )
            for ledger in (DoubleCredits, NoCredits)
        },
    },
    "volition.alg-2": {
        **{
            run.__name__: replace(CHECKS["volition.alg-2"], predicate=RunsAsComputed(By(run)))
            for run in (
                ParentFirst,
                NeverComesBack,
                ChildIsForgotten,
                EverythingIsTold,
                SubPurchasesAreFree,
                FirstSellerIsPaid,
                LastPurchaseIsNotTold,
            )
        },
        "one level alone": replace(CHECKS["volition.alg-2"], predicate=RunsAsComputed(one_level)),
        "DoubleCredits": replace(
            CHECKS["volition.alg-2"], predicate=RunsAsComputed(ledger=DoubleCredits)
        ),
    },
}
