"""What an ascending auction leaves behind, read from its log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from mechanisms.ascending._beliefs import Beliefs
from mechanisms.ascending._items import Item
from mechanisms.ascending._outcome import Auctioned, Move, Settled, true_beliefs
from mechanisms.ascending._questions import Plan
from mechanisms.ascending._unasked import Played
from mechanisms.ledger import LedgerStatement
from mechanisms.play import Ask, How, Run
from theory.ascending.record import AuctionRecord, BidEvent, RecordedSale, StatedPriority
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import refusing
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["AuctionResult", "FailedBid", "ItemSale", "Said", "auction_result"]


@dataclass(frozen=True, slots=True)
class FailedBid:
    """A bid that was refused.

    Attributes
    ----------
    item : int
        The position in the order of sale.
    round : int
    bidder : str
    reason : str
    """

    item: int
    round: int
    bidder: str
    reason: str


@dataclass(frozen=True, slots=True)
class Said:
    """A plan, or beliefs, of a bidder.

    Attributes
    ----------
    after : int
        How many items had been sold, or not sold.
    bidder : str
    said : Plan, Beliefs or None
        None where no legal answer came.
    wrong : tuple of str
        What was wrong in the beliefs.
    """

    after: int
    bidder: str
    said: Plan | Beliefs | None
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemSale:
    """How one item was sold.

    Attributes
    ----------
    item : Item
    start : Fraction
        The starting price at which it was sold, after discounts.
    winner : str or None
    price : Fraction or None
    profit : Fraction
        The winner's: the value of the item less the price, without bonuses.
    bids : int
        How many bids were made.
    """

    item: Item
    start: Fraction
    winner: str | None
    price: Fraction | None
    profit: Fraction
    bids: int


@dataclass(frozen=True)
class AuctionResult:
    """An auction that is over.

    Attributes
    ----------
    outcome : Auctioned
    failed : tuple of FailedBid
        Bids that were refused, each attempt once.
    plans, beliefs : tuple of Said
    statement : LedgerStatement
        The accounts, and the payments of this auction.
    """

    outcome: Auctioned
    failed: tuple[FailedBid, ...]
    plans: tuple[Said, ...]
    beliefs: tuple[Said, ...]
    statement: LedgerStatement
    led: Run[Auctioned] | Played = field(repr=False)
    """The run, or what it is made of."""

    @cached_property
    def run(self) -> Run[Auctioned]:
        """All that was asked and answered, with the seed.

        Where the bidders were not asked one by one, it is made when it is first looked at.
        """
        return self.led.run() if isinstance(self.led, Played) else self.led

    @property
    def bidders(self) -> tuple[str, ...]:
        """The names of the bidders, in their seats."""
        return self.outcome.bidders

    @property
    def moves(self) -> tuple[Move, ...]:
        """What was done at each call for a bid."""
        return self.outcome.moves

    @property
    def profits(self) -> dict[str, Fraction]:
        """What each bidder has earned."""
        return dict(zip(self.bidders, self.outcome.profits, strict=True))

    @property
    def won(self) -> dict[str, int]:
        """How many items each bidder has won."""
        counted = Counter(each.winner for each in self.outcome.settled)
        return {name: counted[name] for name in self.bidders}

    @property
    def revenue(self) -> Fraction:
        """What all have paid."""
        return sum((sale.price for sale in self.sales if sale.price is not None), Fraction(0))

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The bidders that gave no answer at least once: the game tells nothing of them."""
        moves = {move.bidder for move in self.moves if move.kind == "no answer"}
        return tuple(name for name in self.bidders if name in moves)

    @property
    def sales(self) -> tuple[ItemSale, ...]:
        """The sales, in their order."""
        bids = Counter(move.item for move in self.moves if move.kind == "bid")
        return tuple(self._sale(n, each, bids[n]) for n, each in enumerate(self.outcome.settled))

    def _sale(self, n: int, each: Settled, bids: int) -> ItemSale:
        item = self.outcome.items[each.position]
        profit = Fraction(0)
        if each.winner is not None and each.price is not None:
            seat = self.bidders.index(each.winner)
            profit = self.outcome.worths.values[seat][each.position] - each.price
        return ItemSale(item, each.start, each.winner, each.price, profit, bids)

    def payoffs(self, objective: str = "profit") -> dict[str, Fraction]:
        """Return what each bidder has achieved by an objective.

        Parameters
        ----------
        objective : str
            "profit"; "items", how many were won; or "rank", the share of the other bidders whose
            profit is lower, equal ones counting half.
        """
        if objective == "items":
            return {name: Fraction(count) for name, count in self.won.items()}
        profits = self.profits
        if objective == "profit":
            return profits
        if objective != "rank":
            fix = nearest(str(objective), ("profit", "items", "rank"))
            raise UnknownNameError("objective", objective, "is no objective", fix)
        ahead = dict.fromkeys(profits, Fraction(0))
        for one, other in combinations(profits, 2):
            if profits[one] == profits[other]:
                ahead[one] += Fraction(1, 2)
                ahead[other] += Fraction(1, 2)
            else:
                ahead[one if profits[one] > profits[other] else other] += 1
        return {name: count / max(1, len(profits) - 1) for name, count in ahead.items()}

    def record(self) -> AuctionRecord:
        """Return what :mod:`theory.ascending.measures` are computed from."""
        values = self.outcome.worths.values
        items = tuple(
            RecordedSale(
                sale.item.name,
                sale.start,
                values[self.bidders.index(sale.winner) if sale.winner else 0][each.position],
                sale.winner,
                sale.price,
            )
            for sale, each in zip(self.sales, self.outcome.settled, strict=True)
        )
        place = {item.name: n for n, item in enumerate(items)}
        done = [
            BidEvent(m.item, m.round, m.bidder, m.kind, m.amount)
            for m in self.moves
            if m.kind != "failed"
        ]
        refused = [
            BidEvent(f.item, f.round, f.bidder, "failed", reason=f.reason) for f in self.failed
        ]
        stated = [
            StatedPriority(plan.after, plan.bidder, place[name], priority)
            for plan in self.plans
            if isinstance(plan.said, Plan)
            for name, priority in plan.said.priorities
        ]
        events = sorted(done + refused, key=lambda e: (e.item, e.round))
        return AuctionRecord(items, self.bidders, tuple(events), tuple(stated))

    def table(self) -> Table:
        """Return the sales, a row an item."""
        rows = tuple(
            (
                sale.item.name,
                number_text(sale.start),
                "unsold" if sale.price is None else number_text(sale.price),
                sale.winner or "",
                str(sale.bids),
                "" if sale.price is None else number_text(sale.profit),
            )
            for sale in self.sales
        )
        sold = sum(1 for sale in self.sales if sale.price is not None)
        caption = f"{sold} of {len(rows)} items are sold for {number_text(self.revenue)}"
        return Table(
            caption=caption,
            columns=("item", "start", "price", "winner", "bids", "profit"),
            rows=rows,
        )

    def accounts(self) -> Table:
        """Return what each bidder has won, earned, left, and done wrong."""
        won, failed = self.won, Counter(each.bidder for each in self.failed)
        rows = tuple(
            (name, str(won[name]), number_text(profit), number_text(money), str(failed[name]))
            for name, profit, money in zip(
                self.bidders, self.outcome.profits, self.outcome.money, strict=True
            )
        )
        columns = ("bidder", "items", "profit", "money left", "failed bids")
        return Table(caption="Bidders", columns=columns, rows=rows)

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.accounts()}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.accounts()._repr_html_()

    def audit(self) -> tuple[str, ...]:
        """Return what is wrong with the accounts of this auction; nothing where all holds.

        From the log and the payments: every winner has made the highest bid that counts, has paid
        its price to the seller once, and no more than it had; all bids topped the standing one; who
        has withdrawn was not asked again at that starting price; the profit of each bidder is the
        worth of what it won, bonuses included, less what it paid.
        """
        from mechanisms.ascending._audit import audit_auction

        return audit_auction(self)


@refusing
def auction_result(run: Run[Auctioned]) -> AuctionResult:
    """Return the result of a run that is over.

    Raises
    ------
    InvalidInputError
        For one that is not, or that the seller ended without a legal choice.
    """
    if run.ended_by is not None:
        fix = "choose one of the items that are left"
        raise InvalidInputError("run", str(run), "has no result", fix)
    outcome = run.outcome
    if not isinstance(outcome, Auctioned):
        raise InvalidInputError("run", str(run), "is not over", "answer what it asks for")
    statement = run.ledger.statement()
    failed, plans, beliefs = [], [], []
    chosen = How.CHOSEN
    for entry in run.log:
        request, how = entry.request, entry.how
        if not isinstance(request, Ask) or (how is chosen and request.role == "bid"):
            continue
        view, bidder = request.view, request.player
        if request.role == "bid" and how in (How.REFUSED, How.ILLEGAL):
            failed.append(FailedBid(len(view.sold), view.round, bidder, entry.reason))
        elif request.role in ("plan", "recount") and how is not How.REFUSED:
            said = entry.value if how is chosen else None
            if request.role == "plan":
                plans.append(Said(len(view.sold), bidder, said))
                continue
            wrong: tuple[str, ...] = ()
            if said is not None:
                wrong = said.compare(_truth(outcome, view.number, bidder, statement))
            beliefs.append(Said(view.number, bidder, said, wrong))
    return AuctionResult(outcome, tuple(failed), tuple(plans), tuple(beliefs), statement, run)


def _truth(outcome: Auctioned, number: int, bidder: str, statement: LedgerStatement) -> Beliefs:
    settled = outcome.settled[:number]
    paid = sum(
        (s.price for s in settled if s.winner == bidder and s.price is not None), Fraction(0)
    )
    left = Fraction(statement.account(bidder).opening) - paid
    return true_beliefs(outcome.items, outcome.bidders, outcome.worths, settled, left)
