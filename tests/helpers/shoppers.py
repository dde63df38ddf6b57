"""Buyers and sellers for the tests of the inspection protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mechanisms.inspection import InspectionRecord, TableSeller, inspect_recursively
from mechanisms.ledger import Ledger
from mechanisms.protocols import Offer, Purchase, Question, Viewing


@dataclass
class Shopper:
    """Buys by a rule, which its copies share, and decides by what it bought."""

    rule: Callable[[Viewing], Any] = lambda viewing: ()
    name: str = "ann"
    ending: Callable[[str, Sequence[Purchase]], object] = lambda _, bought: names(bought)

    def choose(self, viewing: Viewing) -> Any:
        return self.rule(viewing)

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        return self.ending(question, bought)


@dataclass
class Stall:
    """Offers by a rule."""

    rule: Callable[[Question], Any]
    name: str = "eve"

    def offers(self, question: Question) -> Iterable[Offer]:
        offered: Iterable[Offer] = self.rule(question)
        return offered


def names(offers: Iterable[Any]) -> list[str]:
    return [offer.name for offer in offers]


def buys(*wanted: str) -> Callable[[Viewing], list[str]]:
    """The rule to buy these wherever they are on offer."""
    return lambda viewing: [name for name in names(viewing.choice) if name in wanted]


def shop(*levels: str, price: object = 1, name: str = "eve") -> TableSeller:
    """A seller of goods with one letter each, all at one price; "ab" says "the secret of ab"."""
    return TableSeller(
        name, [[Offer(good, f"the secret of {good}", price) for good in level] for level in levels]
    )


def purse(budget: object, *sellers: Any) -> Ledger:
    return Ledger({"ann": budget, **{seller.name: 0 for seller in sellers}})


def run(
    buyer: Any, *sellers: Any, budget: object = 10, depth: int = 2, **limits: Any
) -> InspectionRecord:
    return inspect_recursively("what?", buyer, sellers, purse(budget, *sellers), depth, **limits)
