"""The rules of an open ascending auction of several items (arena, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from mechanisms.ascending._arguments import (
    MODULES,
    SELLER,
    read_modules,
    read_money,
    read_names,
    read_worths,
)
from mechanisms.ascending._beliefs import Beliefs, Believed, ToRecount
from mechanisms.ascending._items import Bonus, Item, Worths, read_items
from mechanisms.ascending._outcome import Auctioned, Move, Settled, profits_of, true_beliefs
from mechanisms.ascending._questions import Bid, Lot, Offered, Planned, Sale, ToPlan, call_of
from mechanisms.ascending._terms import Terms, draw_leader, step_of
from mechanisms.play import (
    TELL,
    Ask,
    Choice,
    Draw,
    Open,
    Pay,
    Steps,
    Transfer,
    Unanswered,
    Unpaid,
    rules,
)
from theory.ascending import tie_rule
from theory.shared.arguments import instance_of, read_count

__all__ = [
    "MODULES",
    "SELLER",
    "Auction",
    "ascending_auction",
    "sell_all",
]


@rules(data=(Item, Terms, Worths, Bonus))
def ascending_auction(
    items: Iterable[Item],
    bidders: Iterable[str],
    budgets: Any,
    worths: Worths | Sequence[tuple[object, Worths]] | None = None,
    terms: Terms | None = None,
    *,
    modules: Mapping[str, Sequence[str]] | None = None,
    corrections: int = 0,
) -> Steps[Auctioned]:
    """Sell items one after the other, each in an open ascending auction (arena, section 3).

    In each round all who do not lead and have not withdrawn from the item are asked at the same
    time: each bids at least the standing bid and an increment, and no more than it has, or
    withdraws from the item. The highest bid leads. An item is sold to the leader when nobody else
    is left.

    Parameters
    ----------
    items : iterable of Item
        In the order of their sale, unless ``terms.order`` says otherwise.
    bidders : names
    budgets : number, or mapping of numbers by bidder
    worths : Worths, or pairs of a probability and Worths
        What the items are worth; drawn at the start where there are several. By default
        ``item.value`` to all, which is what all expect.
    terms : Terms, optional
    modules : mapping, optional
        By bidder, what it is asked beside its bids: "plan" before the first item, "replan" after
        each item but the last, "beliefs" after each item.
    corrections : int
        How often wrong beliefs are corrected, and asked for again.

    Returns
    -------
    Auctioned
        Winners, prices, moves, profits.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For arguments with which there is no auction.

    Notes
    -----
    Every round with equal highest bids draws the leader; with ``seeded`` runs the draw follows from
    the seed. A winner pays when its item is sold. On a ledger of others an account may hold less
    than the budget; what cannot be paid is not sold.

    Examples
    --------
    >>> run = ascending_auction([Item("Vase", 10, 20)], ["Ann", "Bob"], 15)
    >>> print(run)
    ascending_auction, step 1: Ann is to bid, Bob is to bid
    >>> print(run.ask().view)
    Vase is on sale from 10.
    You expect it to be worth 20.
    You have 15. The least bid is 10.
    >>> run = run.answer("Ann", 11).answer("Bob", 10)
    >>> run = run.answer("Bob", "withdraw")
    >>> run.outcome.profits
    (Fraction(9, 1), Fraction(0, 1))
    """
    steps = sell_all(
        items,
        bidders,
        budgets,
        worths,
        terms,
        modules=modules,
        corrections=corrections,
        auctioneer=Auction,
    )
    return (yield from steps)


def sell_all(
    items: Iterable[Item],
    bidders: Iterable[str],
    budgets: Any,
    worths: Worths | Sequence[tuple[object, Worths]] | None,
    terms: Terms | None,
    *,
    modules: Mapping[str, Sequence[str]] | None,
    corrections: int,
    auctioneer: Callable[..., Auction],
) -> Steps[Auctioned]:
    """Sell items as :func:`ascending_auction` does, each as the auctioneer does."""
    listed = read_items(items)
    names = read_names(bidders)
    money = read_money(names, budgets)
    terms = Terms() if terms is None else terms
    instance_of("terms", terms, Terms, "give Terms(...)")
    asked = read_modules(names, modules)
    read_count("corrections", corrections, 0, 100)
    yield Open((*((name, money[name]) for name in names), (SELLER, Fraction(0))))
    drawn = yield from read_worths(listed, names, worths)
    auction = auctioneer(listed, names, drawn, terms, money)
    order = list(range(len(listed)))
    if terms.order == "random":
        order = yield from _random_order(listed)
    yield from _plan(auction, order, [name for name in names if "plan" in asked[name]])
    for k in range(len(listed)):
        if terms.order == "seller":
            names_left = [listed[n].name for n in order[k:]]
            told = tuple(auction.sold)
            chosen = yield Ask(SELLER, told, Choice(names_left), "choose", attempts=terms.attempts)
            position = order.pop(k + names_left.index(chosen))
            order.insert(k, position)
        yield from auction.sell(order[k], order[k + 1 :])
        yield from _recount(auction, [n for n in names if "beliefs" in asked[n]], corrections)
        if k + 1 < len(listed):
            replanning = [name for name in names if "replan" in asked[name]]
            yield from _plan(auction, order[k + 1 :], replanning)
    return auction.outcome()


class Auction:
    """An auction under way: what is sold, and what is left."""

    def __init__(
        self,
        items: tuple[Item, ...],
        bidders: tuple[str, ...],
        worths: Worths,
        terms: Terms,
        money: dict[str, Fraction],
    ) -> None:
        self.items, self.bidders, self.worths, self.terms = items, bidders, worths, terms
        self.money, self.ties = money, tie_rule(terms.ties)
        self.seats = {name: seat for seat, name in enumerate(bidders)}
        self.draws: dict[tuple[tuple[str, ...], ...], Draw[str]] = {}
        self.settled: list[Settled] = []
        self.moves: list[Move] = []
        self.sold: list[Sale] = []
        self.lots = {
            name: tuple(
                [
                    Lot(item.name, item.start, estimate)
                    for item, estimate in zip(items, worths.estimates[seat], strict=True)
                ]
            )
            for name, seat in self.seats.items()
        }

    def sell(self, position: int, coming: list[int]) -> Steps[None]:
        """Sell one item, with discounts where nobody wants it."""
        start, number = self.items[position].start, 0
        for left in reversed(range(self.terms.discounts + 1)):
            found = yield from self.rounds(position, start, coming, number)
            leader, bid, second, number = found
            if leader is not None or not left:
                yield from self._settle(position, start, leader, bid, second)
                return
            start *= self.terms.discount

    def rounds(
        self, position: int, start: Fraction, coming: list[int], number: int
    ) -> Steps[tuple[str | None, Fraction | None, Fraction | None, int]]:
        """Return who leads at the end, with which bid, the best bid of another, and the round."""
        item, terms, money = self.items[position], self.terms, self.money
        standing: Fraction | None = None
        leader: str | None = None
        best: dict[str, Fraction] = {}
        made = dict.fromkeys(self.bidders, 0)
        history: tuple[tuple[Offered, ...], ...] = ()
        left = list(self.bidders)  # who has not withdrawn from the item
        active = left
        moves, place, sold = self.moves, len(self.settled), tuple(self.sold)
        shows = terms.shows == "bids"
        step = step_of(terms, start, None)
        lots = {name: tuple([self.lots[name][n] for n in coming]) for name in left}
        estimates = {name: self.lots[name][position].estimate for name in left}
        while active:
            if terms.increment_of == "standing":
                step = step_of(terms, start, standing)
            least = start if standing is None else standing + step
            shared = {
                "item": item.name,
                "start": start,
                "least": least,
                "step": step,
                "standing": standing,
                "leader": leader if shows else None,
                "history": history if shows else (),
                "round": number,
                "sold": sold,
            }
            answers = yield {
                name: Ask(
                    name,
                    call_of(
                        shared,
                        bidder=name,
                        made=made[name],
                        estimate=estimates[name],
                        money=money[name],
                        coming=lots[name],
                    ),
                    Bid(least, money[name], step, terms.jumps),
                    "bid",
                    attempts=terms.attempts,
                    otherwise=TELL,
                )
                for name in active
            }
            bids: dict[str, Fraction] = {}
            for name, answer in answers.items():
                kind, bid = "bid", answer
                if answer is None:
                    kind = "withdrew"
                elif isinstance(answer, Unanswered):
                    kind, bid = "no answer" if answer.absent else "failed", None
                else:
                    bids[name] = best[name] = answer
                    made[name] += 1
                moves.append(Move(place, number, name, bid, kind))
            history = (*history, tuple([(name, bids.get(name)) for name in active]))
            number += 1
            if bids:
                standing, tied = _highest(bids)
                leader = tied[0]
                if len(tied) > 1:
                    leader = yield self.tie(tuple(tied), tuple(active), tuple(bids))
            left = [name for name in left if name in bids or name not in answers]
            active = [name for name in left if name != leader]
        others = [bid for name, bid in best.items() if name != leader]
        return leader, standing, max(others, default=None), number

    def tie(self, tied: tuple[str, ...], asked: tuple[str, ...], bids: tuple[str, ...]) -> Any:
        """Return the draw of the leader; the same one where it depends on nothing else."""
        known = self.draws.get((tied, asked, bids))
        if known is None:
            made = {name: name in bids for name in asked}
            known = draw_leader(self.ties, self.bidders, tied, made, self.money)
            if self.ties.reads == "nothing":
                self.draws[tied, asked, bids] = known
        return known

    def _settle(
        self,
        position: int,
        start: Fraction,
        leader: str | None,
        bid: Fraction | None,
        second: Fraction | None,
    ) -> Steps[None]:
        """Let the winner pay, if the reserve is met."""
        item = self.items[position]
        if leader is not None and bid is not None and (item.reserve is None or bid >= item.reserve):
            price = bid
            if self.terms.pays == "second":
                price = max(start if second is None else second, item.reserve or start)
            memo = f"item {len(self.settled) + 1}: {item.name}"
            unpaid = yield Pay((Transfer(leader, SELLER, price, memo),))
            if not isinstance(unpaid, Unpaid):
                self.money[leader] -= price
                value = self.worths.values[self.seats[leader]][position]
                shown = value if self.terms.shows_value else None
                self.settled.append(Settled(position, start, leader, price, bid))
                self.sold.append(Sale(item.name, leader, price, shown))
                return
        self.settled.append(Settled(position, start, None, None, bid))
        self.sold.append(Sale(item.name))

    def outcome(self) -> Auctioned:
        """Return the outcome, after the last item."""
        return Auctioned(
            self.items,
            self.bidders,
            self.worths,
            tuple(self.settled),
            tuple(self.moves),
            tuple(self.money[name] for name in self.bidders),
            profits_of(self.items, self.bidders, self.worths, self.settled),
        )

    def beliefs(self, name: str) -> Beliefs:
        """Return what is true of the state."""
        parts = self.items, self.bidders, self.worths, self.settled
        return true_beliefs(*parts, self.money[name])


def _highest(bids: Mapping[str, Fraction]) -> tuple[Fraction, list[str]]:
    """Return the highest bid, and who has made it; most are one and the same least bid."""
    names = iter(bids)
    tied = [next(names)]
    top = bids[tied[0]]
    for name in names:
        bid = bids[name]
        if bid is top or bid == top:
            tied.append(name)
        elif bid > top:
            top, tied = bid, [name]
    return top, tied


def _plan(auction: Auction, coming: Sequence[int], names: list[str]) -> Steps[None]:
    """Ask for plans; what is answered is in the log, and binds nobody."""
    if names:
        legal = Planned(tuple(auction.items[n].name for n in coming))
        yield {
            name: Ask(
                name,
                ToPlan(
                    name,
                    auction.money[name],
                    tuple(auction.sold),
                    tuple(auction.lots[name][n] for n in coming),
                ),
                legal,
                "plan",
                attempts=auction.terms.attempts,
                otherwise=TELL,
            )
            for name in names
        }


def _recount(auction: Auction, names: list[str], corrections: int) -> Steps[None]:
    """Ask how the auction stands; those who are wrong are told what is true, and asked again."""
    if not names:
        return
    legal = Believed(auction.bidders, tuple(item.name for item in auction.items))
    waiting: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for _ in range(corrections + 1):
        if not waiting:
            return
        sale, attempts = auction.sold[-1], auction.terms.attempts
        told = yield {
            name: Ask(
                name,
                ToRecount(name, len(auction.sold), sale, wrong),
                legal,
                "recount",
                attempts=attempts,
                otherwise=TELL,
            )
            for name, wrong in waiting.items()
        }
        waiting = {
            name: wrong
            for name, beliefs in told.items()
            if not isinstance(beliefs, Unanswered)
            and (wrong := beliefs.compare(auction.beliefs(name)))
        }


def _random_order(items: tuple[Item, ...]) -> Steps[list[int]]:
    left = list(range(len(items)))
    order = []
    while left:
        position = yield Draw.uniform(left, "next item")
        left.remove(position)
        order.append(position)
    return order
