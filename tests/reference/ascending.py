"""Ascending auctions played out draw by draw, in Fractions.

Bidders are functions of (least allowed bid, bids made on this item, money left, item) that return
whether they bid. A tie rule is a function of (tied, entries, money) that returns one probability a
tied bidder; ``entries`` lists (bidder, whether it bid) of this round. Items are (start, value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Bidder = Callable[[Fraction, int, Fraction, int], bool]
Ties = Callable[[list[int], list[tuple[int, bool]], Sequence[Fraction]], Sequence[Any]]


class Script:
    """Draws in an order that visits every sequence of them once."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.laws: list[list[Fraction]] = []

    def draw(self, law: Sequence[Any]) -> int:
        place = len(self.laws)
        self.laws.append([Fraction(p) for p in law])
        if place == len(self.taken):
            self.taken.append(self.next_possible(place, 0))
        return self.taken[place]

    def next_possible(self, place: int, option: int) -> int:
        law = self.laws[place]
        while option < len(law) and law[option] == 0:
            option += 1
        return option

    @property
    def probability(self) -> Fraction:
        product = Fraction(1)
        for option, law in zip(self.taken, self.laws, strict=True):
            product *= law[option]
        return product

    def advance(self) -> bool:
        while self.taken:
            option = self.next_possible(len(self.taken) - 1, self.taken[-1] + 1)
            if option < len(self.laws[len(self.taken) - 1]):
                self.taken[-1] = option
                self.laws = []
                return True
            self.taken.pop()
            self.laws.pop()
        return False


def play_item(
    offer: tuple[int, Fraction, Fraction],
    bidders: Sequence[Bidder],
    money: Sequence[Fraction],
    ties: Ties,
    draw: Callable[[Sequence[Any]], int],
) -> tuple[int, Fraction] | None:
    """Play one item once; the winner and the price, or None where nobody bids.

    An offer is (number of the item, start, increment).
    """
    item, start, step = offer
    standing: Fraction | None = None
    leader: int | None = None
    out: set[int] = set()
    made = [0] * len(bidders)
    while True:
        least = start if standing is None else standing + step
        entries = []
        for one, bidder in enumerate(bidders):
            if one == leader or one in out:
                continue
            willing = least <= money[one] and bidder(least, made[one], money[one], item)
            entries.append((one, willing))
        tied = [one for one, bids in entries if bids]
        out.update(one for one, bids in entries if not bids)
        if not tied:
            return None if leader is None or standing is None else (leader, standing)
        for one in tied:
            made[one] += 1
        leader = tied[draw(ties(tied, entries, money))]
        standing = least


def outcomes(
    offer: tuple[int, Fraction, Fraction],
    bidders: Sequence[Bidder],
    money: Sequence[Fraction],
    ties: Ties,
) -> Iterator[tuple[Fraction, tuple[int, Fraction] | None]]:
    """Every way one item may go, with its probability."""
    script = Script()
    while True:
        sale = play_item(offer, bidders, money, ties, script.draw)
        yield script.probability, sale
        if not script.advance():
            return


def auction(
    items: Sequence[tuple[Any, Any]],
    bidders: Sequence[Bidder],
    money: Sequence[Any],
    ties: Ties,
    *,
    increment: Fraction = Fraction(1, 10),
    discounts: int = 0,
) -> list[dict[Any, Fraction]]:
    """The law of (winner, price), or None, for each item.

    All that bidders have left is kept, by bidder.
    """
    before = {tuple(Fraction(m) for m in money): Fraction(1)}
    laws = []
    for number, (start, _) in enumerate(items):
        law: dict[Any, Fraction] = {}
        after: dict[tuple[Fraction, ...], Fraction] = {}
        for left, weight in before.items():
            found: list[Any] = [(Fraction(1), None)]
            for cut in range(discounts + 1):
                if found == [(Fraction(1), None)]:
                    at = Fraction(start) / 2**cut
                    offer = number, at, at * increment
                    found = list(outcomes(offer, bidders, left, ties))
            for chance, sale in found:
                law[sale] = law.get(sale, Fraction(0)) + weight * chance
                then = list(left)
                if sale is not None:
                    then[sale[0]] -= sale[1]
                key = tuple(then)
                after[key] = after.get(key, Fraction(0)) + weight * chance
        before = after
        laws.append(law)
    return laws


def uniform(tied: list[int], entries: Any, money: Any) -> list[Fraction]:
    del entries, money
    return [Fraction(1, len(tied))] * len(tied)


def redrawn(tied: list[int], entries: list[tuple[int, bool]], money: Any) -> list[Fraction]:
    """Every sequence of coins that are thrown where a recorded bid equals the leading one."""
    del money
    law = dict.fromkeys(tied, Fraction(0))
    script = Script()
    half = [Fraction(1, 2)] * 2
    while True:
        leader = None
        recorded: list[int] = []
        for one, _ in entries:
            if one in tied:
                recorded.append(one)
            for other in recorded:
                if leader is None or (other != leader and script.draw(half)):
                    leader = other
        assert leader is not None
        law[leader] += script.probability
        if not script.advance():
            return [law[one] for one in tied]


def at_most(limit: int) -> Bidder:
    return lambda least, made, money, item: made < limit


def up_to(ceilings: Sequence[Any], strict: bool = False) -> Bidder:
    return lambda least, made, money, item: (
        least < ceilings[item] if strict else least <= ceilings[item]
    )


def best_profit(
    items: Sequence[tuple[Any, Any]],
    bidders: Sequence[Bidder | None],
    money: Sequence[Any],
    values: Sequence[Any],
    ties: Ties,
) -> Fraction:
    """What the one bidder that is None may expect at best, if bids are whole numbers.

    The state is the whole history of an item: a list of rounds, each a list of (bidder, bid or
    None). Increments are 1.
    """
    me = list(bidders).index(None)

    def rounds(number: int, left: list[Fraction], history: list[list[tuple[int, Any]]]) -> Fraction:
        best = None
        out = {one for entries in history for one, bid in entries if bid is None}
        standing = max(
            (b for entries in history for _, b in entries if b is not None), default=None
        )
        least = Fraction(items[number][0]) if standing is None else standing + 1
        leader = leaders[-1] if leaders else None
        asked = [one for one in range(len(bidders)) if one not in out and one != leader]
        made = [sum(b is not None for e in history for o, b in e if o == one) for one in range(9)]
        replies: list[tuple[int, Any]] = []
        for one in asked:
            bidder = bidders[one]
            if bidder is not None:
                willing = least <= left[one] and bidder(least, made[one], left[one], number)
                replies.append((one, least if willing else None))
        mine: list[Any] = [None]
        if me in asked:
            mine += [least + k for k in range(int(left[me] - least) + 1)]
        for bid in mine:
            entries = sorted([*replies, (me, bid)] if me in asked else replies)
            worth = settle(number, left, history, entries)
            best = worth if best is None else max(best, worth)
        assert best is not None
        return best

    def settle(number: int, left: list[Fraction], history: Any, entries: Any) -> Fraction:
        highest = max((bid for _, bid in entries if bid is not None), default=None)
        if highest is None:
            then, gain = list(left), Fraction(0)
            if leaders:
                paid = max(b for entries in history for _, b in entries if b is not None)
                then[leaders[-1]] -= paid
                gain = (values[number] - paid) * (leaders[-1] == me)
            return gain + following(number + 1, then)
        tied = [one for one, bid in entries if bid == highest]
        law = ties(tied, [(one, bid is not None) for one, bid in entries], left)
        total = Fraction(0)
        for one, chance in zip(tied, law, strict=True):
            if chance:
                leaders.append(one)
                total += Fraction(chance) * rounds(number, left, [*history, entries])
                leaders.pop()
        return total

    def following(number: int, left: list[Fraction]) -> Fraction:
        if number == len(items):
            return Fraction(0)
        before, leaders[:] = leaders[:], []
        worth = rounds(number, left, [])
        leaders[:] = before
        return worth

    leaders: list[int] = []
    return following(0, [Fraction(m) for m in money])


def profits_of_limits(
    starts: Sequence[int], money: Sequence[int], limit: int, ties: Ties, whole: int
) -> tuple[list[Fraction], list[dict[tuple[int, int], Fraction]]]:
    """What bidders with so many least bids an item earn, and the law of each item, in integers.

    The law is of (winner, price), (-1, 0) where nobody bids.

    Starts are multiples of ten, values twice the starts, increments a tenth. All that bidders have
    left is kept, by bidder; probabilities of an item are counted in ``1/whole``. An item is played
    out once for all amounts of money with which the same bids can be paid.
    """
    seats, most = range(len(money)), len(money) * limit
    before, unit = {tuple(money): 1}, 1
    profits = [Fraction(0)] * len(money)
    laws: list[dict[tuple[int, int], Fraction]] = []
    for number, start in enumerate(starts):
        step = start // 10
        known: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
        earned = [0] * len(money)
        law: dict[tuple[int, int], int] = {}
        after: dict[tuple[int, ...], int] = {}
        unit *= whole
        for left, weight in before.items():
            bids = tuple([max(-1, min((m - start) // step, most)) for m in left])
            if bids not in known:
                capped = [Fraction(start + bids[one] * step) for one in seats]
                offer = number, Fraction(start), Fraction(step)
                found: dict[tuple[int, int], Fraction] = {}
                for chance, sold in outcomes(offer, [at_most(limit)] * len(money), capped, ties):
                    sale = (-1, 0) if sold is None else (sold[0], int(sold[1]))
                    found[sale] = found.get(sale, Fraction(0)) + chance
                assert all((chance * whole).denominator == 1 for chance in found.values())
                known[bids] = [(*sale, int(chance * whole)) for sale, chance in found.items()]
            for winner, price, parts in known[bids]:
                more = weight * parts
                sale = winner, price
                law[sale] = law.get(sale, 0) + more
                key = left
                if winner >= 0:
                    earned[winner] += more * (2 * start - price)
                    key = (*left[:winner], left[winner] - price, *left[winner + 1 :])
                if number + 1 < len(starts):
                    after[key] = after.get(key, 0) + more
        before = after
        profits = [have + Fraction(new, unit) for have, new in zip(profits, earned, strict=True)]
        laws.append({sale: Fraction(parts, unit) for sale, parts in law.items()})
    return profits, laws
