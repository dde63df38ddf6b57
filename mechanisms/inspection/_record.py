"""What a run of an inspection protocol leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mechanisms._statement import amount_text
from mechanisms.amounts import copy_amount
from mechanisms.inspection._rules import Inspected
from mechanisms.ledger import Amount, LedgerStatement
from mechanisms.play import Ask, How, Pay, Run
from mechanisms.protocols import Notice, Purchase
from theory.verdicts import Table

__all__ = ["InspectionRecord", "Level", "inspection_record"]


@dataclass(frozen=True)
class Level:
    """The offers of a level and what was bought there; ``purchases`` None while nothing is chosen.

    Of what was not bought there is no content here.
    """

    number: int
    offers: tuple[Notice, ...]
    purchases: tuple[Purchase, ...] | None

    def fate(self, offer: Notice) -> str:
        """Say what became of an offer."""
        if self.purchases is None:
            return "not chosen yet"
        return "yes" if offer.name in {bought.name for bought in self.purchases} else "no"


@dataclass(frozen=True)
class InspectionRecord:
    """What happened: offers and purchases by level, the decision, and the payments.

    Attributes
    ----------
    question, buyer : str
        The text of the question, and who asked.
    levels : tuple of Level
        Level 1, whose offers help to decide, first. There are fewer than the depth allows where
        nothing was offered on the next one.
    decided : bool
        Whether it came to a decision; otherwise an error holds this record.
    decision : object
        What the buyer decided.
    statement : LedgerStatement
        All accounts, with the payments of this run alone.
    """

    question: str
    buyer: str
    levels: tuple[Level, ...]
    decided: bool
    decision: object
    statement: LedgerStatement

    @property
    def purchases(self) -> tuple[tuple[str, ...], ...]:
        """x^1, x^2, …: the names of what was bought, by level."""
        return tuple(tuple(p.name for p in level.purchases or ()) for level in self.levels)

    @property
    def spending(self) -> Amount:
        """What the buyer paid in this run."""
        account = self.statement.account(self.buyer)
        return account.opening - account.closing

    def table(self) -> Table:
        """Return the offers, in the order in which they were chosen from."""
        rows = tuple(
            (
                str(level.number),
                offer.name,
                offer.seller,
                amount_text(offer.price),
                level.fate(offer),
            )
            for level in reversed(self.levels)
            for offer in level.offers
        )
        ending = f"decides {self.decision}" if self.decided else "comes to no decision"
        return Table(
            caption=f"{self.question}: {self.buyer} {ending}, {amount_text(self.spending)} spent",
            columns=("level", "offer", "seller", "price", "bought"),
            rows=rows,
        )

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.statement}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.statement._repr_html_()


def inspection_record(
    question: str, buyer: str, run: Run[Inspected], statement: LedgerStatement
) -> InspectionRecord:
    """Return what has happened in a run, from its log; the payments come from a statement."""
    offers: dict[int, list[Notice]] = {}
    contents: dict[str, object] = {}
    bought: dict[int, tuple[Purchase, ...]] = {}
    level = 0
    for entry in run.log:
        request: Any = entry.request
        if isinstance(request, Pay) and entry.value is None:
            names = {each.memo for each in request.transfers}
            bought[level] = tuple(
                Purchase(
                    level, each.seller, each.name, copy_amount(each.price), contents[each.name]
                )
                for each in offers[level]
                if each.name in names
            )
        elif isinstance(request, Ask) and entry.how is How.CHOSEN:
            if request.role == "offer":
                level, seller = request.view.level, request.player
                offers.setdefault(level, []).extend(
                    Notice(level, seller, each.name, copy_amount(each.price))
                    for each in entry.value
                )
                contents.update((each.name, each.content) for each in entry.value)
            elif request.role == "choose":
                level = request.view.question.level
    outcome = run.outcome
    fault = None if outcome is None else outcome.fault
    if fault is not None:  # what cannot stand was not offered
        offers[level] = [each for each in offers[level] if each.seller != fault[0]]
    asked: list[Any] = [ask.view.level for ask in run.asks if ask.role == "offer"]
    opened = [n for n in range(1, max([*offers, *asked], default=0) + 1) if n in asked or offers[n]]
    return InspectionRecord(
        question=question,
        buyer=buyer,
        levels=tuple(Level(n, tuple(offers.get(n, ())), bought.get(n)) for n in opened),
        decided=outcome is not None and outcome.unpaid is fault is None,
        decision=None if outcome is None else outcome.decision,
        statement=statement,
    )
