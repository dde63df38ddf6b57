"""Planted faults in the claims about Algorithms 1 and 2 of volition; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechanisms.errors import BuyerError
from mechanisms.inspection import MAX_BREADTH, Inspected, InspectionRecord, ToDecide, inspection
from mechanisms.inspection._rules import buy, open_level
from mechanisms.inspection._run import InspectionDriver, ReadingSession
from mechanisms.ledger import Entry, Ledger
from mechanisms.play import Anything, Ask, Open, Pay, Subset, Transfer, rules
from mechanisms.protocols import Buyer, Purchase, Seller, Viewing
from papers.volition import CLAIMS
from papers.volition.checks.inspection_protocols import RunsAsComputed, one_level
from theory.claims import Check

__all__ = ["FAULTY", "MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


# --- ledgers


class DoubleCredits(Ledger):
    """Gives the payee twice what the payer pays, and does not look."""

    gift = 1

    def pay(self, payments: Iterable[Sequence[Any]], key: str = "") -> tuple[Entry, ...]:
        made = super().pay(payments, key)
        for entry in made:
            self._balances[entry.payee] += self.gift * Fraction(entry.amount)
        return made

    def audit(self) -> None:
        pass

    def _compare(self, books: Any) -> None:
        pass


class NoCredits(DoubleCredits):
    """Takes what the payer pays, and gives it to nobody."""

    gift = -1


class LaterDoubleCredits(DoubleCredits):
    """Books the first payment rightly, and gives twice of each later one."""

    def pay(self, payments: Iterable[Sequence[Any]], key: str = "") -> tuple[Entry, ...]:
        self.gift = int(bool(self.entries))
        return super().pay(payments, key)


class Trusting(Ledger):
    """Lets every account go below its floor."""

    def _check(self, account: str, total: Fraction, memo: str) -> None:
        pass


# --- protocols


@dataclass(frozen=True)
class By:
    """A mechanism, given who leads it and by which rules."""

    rules: Any = inspection
    driver: type[InspectionDriver] = InspectionDriver

    def __call__(
        self, question: str, buyer: Buyer, sellers: Sequence[Seller], ledger: Ledger, depth: int
    ) -> InspectionRecord:
        led = type("Led", (self.driver,), {"rules": staticmethod(self.rules)})
        return led(question, buyer, sellers, ledger, depth=depth, breadth=MAX_BREADTH).play()


Change = Callable[[Any, list[Any]], Any]
"""Takes a request and the requests before it; returns another, or an Answered."""


@dataclass(frozen=True)
class Answered:
    """A request that nobody is asked, with what it is said to have come to."""

    value: object


def altered(
    change: Change, answer: Callable[[Any, Any], Any] = lambda _, given: given, of: Any = inspection
) -> Any:
    """Rules with each request changed, and each answer."""

    @rules
    def altered_rules(*positional: Any, **named: Any) -> Any:
        steps = of.steps(*positional, **named)
        before: list[Any] = []
        request = next(steps)
        while True:
            several = isinstance(request, dict)
            asked = request if several else {"": request}
            changed = {key: change(each, before) for key, each in asked.items()}
            before.extend(asked.values())
            wanted = changed if several else changed[""]
            given = wanted.value if isinstance(wanted, Answered) else (yield wanted)
            try:
                request = steps.send(answer(request, given))
            except StopIteration as stop:
                return stop.value

    return altered_rules


def level_of(request: Any, before: list[Any]) -> int:
    """The level of a payment: that of the question before it."""
    asked = [each for each in before if isinstance(each, Ask)]
    level: int = asked[-1].view.question.level
    return level


def nothing_is_paid(request: Any, before: list[Any]) -> Any:
    return Answered(None) if isinstance(request, Pay) else request


def sub_purchases_are_free(request: Any, before: list[Any]) -> Any:
    """Forgets to charge what is bought to help to buy."""
    free = isinstance(request, Pay) and level_of(request, before) > 1
    return Answered(None) if free else request


def second_item_is_free(request: Any, before: list[Any]) -> Any:
    """Charges for the first offer that is bought on a level, and for no other."""
    return Pay(request.transfers[:1]) if isinstance(request, Pay) else request


def first_seller_is_paid(request: Any, before: list[Any]) -> Any:
    """Pays whoever made the first offer of all."""
    if not isinstance(request, Pay):
        return request
    shown = next(each.view.offers[0][0] for each in reversed(before) if asks(each, "choose"))
    return Pay(tuple(replace(each, payee=shown.seller) for each in request.transfers))


def each_quote_alone(request: Any, before: list[Any]) -> Any:
    """Checks every price against the budget, and not their sum."""
    if asks(request, "choose"):
        return replace(request, answer=Subset(each.name for each in request.answer.offers))
    return request


def last_purchase_is_not_told(request: Any, before: list[Any]) -> Any:
    """Forgets the last of several purchases."""
    if asks(request, "choose") or asks(request, "decide"):
        bought = request.view.bought
        view = replace(request.view, bought=bought[: max(1, len(bought) - 1)])
        return replace(request, view=view)
    return request


def child_is_forgotten(request: Any, before: list[Any]) -> Any:
    """Lets the parent decide without what the child bought."""
    if asks(request, "choose"):
        return replace(request, view=replace(request.view, bought=()))
    return request


def everything_is_told(request: Any, before: list[Any]) -> Any:
    """Lets the buyer decide with all that was on offer."""
    if not asks(request, "decide"):
        return request
    read: list[Any] = [each.view.offers for each in before if asks(each, "choose")]
    levels: Any = max(read, key=len, default=())
    bought = tuple(
        Purchase(o.level, o.seller, o.name, o.price, o.content)
        for offers in reversed(levels)
        for o in offers
    )
    return replace(request, view=replace(request.view, bought=bought))


def nothing_is_told(request: Any, before: list[Any]) -> Any:
    if asks(request, "choose") or asks(request, "decide"):
        return replace(request, view=replace(request.view, bought=()))
    return request


def asks(request: Any, role: str) -> bool:
    return isinstance(request, Ask) and request.role == role


def cannot_decline(request: Any, given: Any) -> Any:
    """Takes the first offer where nothing is chosen."""
    if asks(request, "choose") and not given:
        return (request.view.offers[-1][0].name,)
    return given


@rules
def refunds(*positional: Any, **named: Any) -> Any:
    """Gives the buyer its money back once it has decided."""
    outcome = yield from inspection.steps(*positional, **named)
    for each in outcome.bought:
        yield Pay((Transfer(each.seller, positional[1], each.price, "refund"),))
    return outcome


def one_by_one(never_back: bool) -> Any:
    """Rules with another order of the levels."""

    @rules
    def changed(
        question: str, buyer: str, sellers: Any, balances: Any, depth: int, **named: Any
    ) -> Any:
        yield Open(tuple(balances.items()))
        floats = any(isinstance(balance, float) for balance in balances.values())
        levels: list[Any] = []
        bought: tuple[Purchase, ...] = ()
        while len(levels) < depth:
            offers = yield from open_level(
                question,
                tuple(sellers),
                levels,
                breadth=named["breadth"],
                floats=floats,
                attempts=1,
            )
            if not offers:
                break
            levels.append(offers)
            if not never_back or len(levels) == depth:
                purchases = yield from buy(question, buyer, levels, bought, 1)
                assert isinstance(purchases, tuple)
                bought += purchases
        decision = yield Ask(buyer, ToDecide(question, bought), Anything(), "decide")
        return Inspected(decision, bought)

    return changed


class BuyerItself(InspectionDriver):
    """Asks the buyer, not a copy that is thrown away."""

    def asked(self) -> Buyer:
        return self.buyer

    def chosen(self, viewing: tuple[Viewing, ReadingSession], level: int) -> Collection[str]:
        try:
            return list(self.asked().choose(viewing[0]))
        except Exception as error:
            raise BuyerError(self.name, "raised when choosing", "do not") from error


class BuyerItselfBelow(BuyerItself):
    """Asks a copy on the first level, and the buyer on the levels below."""

    def chosen(self, viewing: tuple[Viewing, ReadingSession], level: int) -> Collection[str]:
        driver = BuyerItself if level > 1 else InspectionDriver
        return driver.chosen(self, viewing, level)


class PassesOnWords(BuyerItself):
    """Asks a copy, and passes on what it says when it raises."""

    def asked(self) -> Buyer:
        return deepcopy(self.buyer)


FAULTY: dict[str, By] = {
    "NothingIsPaid": By(altered(nothing_is_paid)),
    "SubPurchasesAreFree": By(altered(sub_purchases_are_free)),
    "SecondItemIsFree": By(altered(second_item_is_free)),
    "FirstSellerIsPaid": By(altered(first_seller_is_paid)),
    "EachQuoteAlone": By(altered(each_quote_alone)),
    "LastPurchaseIsNotTold": By(altered(last_purchase_is_not_told)),
    "ChildIsForgotten": By(altered(child_is_forgotten)),
    "EverythingIsTold": By(altered(everything_is_told)),
    "NothingIsTold": By(altered(nothing_is_told)),
    "CannotDecline": By(altered(lambda request, before: request, cannot_decline)),
    "Refunds": By(refunds),
    "ParentFirst": By(one_by_one(never_back=False)),
    "NeverComesBack": By(one_by_one(never_back=True)),
    "BuyerItself": By(driver=BuyerItself),
    "BuyerItselfBelow": By(driver=BuyerItselfBelow),
    "PassesOnWords": By(driver=PassesOnWords),
}
"""Mechanisms with one thing wrong."""

MUTANTS: dict[str, dict[str, Check]] = {
    "volition.alg-1": {
        **{
            name: replace(CHECKS["volition.alg-1"], predicate=RunsAsComputed(FAULTY[name]))
            for name in (
                "NothingIsPaid",
                "Refunds",
                "CannotDecline",
                "EverythingIsTold",
                "NothingIsTold",
                "SecondItemIsFree",
                "FirstSellerIsPaid",
                "LastPurchaseIsNotTold",
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
            name: replace(CHECKS["volition.alg-2"], predicate=RunsAsComputed(FAULTY[name]))
            for name in (
                "ParentFirst",
                "NeverComesBack",
                "ChildIsForgotten",
                "EverythingIsTold",
                "SubPurchasesAreFree",
                "FirstSellerIsPaid",
                "LastPurchaseIsNotTold",
            )
        },
        "one level alone": replace(CHECKS["volition.alg-2"], predicate=RunsAsComputed(one_level)),
        "DoubleCredits": replace(
            CHECKS["volition.alg-2"], predicate=RunsAsComputed(ledger=DoubleCredits)
        ),
    },
}
