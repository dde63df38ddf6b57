"""What bidders did in ascending auctions: measures that are pure functions of a record.

A record is plain data, see :mod:`theory.ascending.record`. Counts and shares are exact. What is
undefined is None, and is shown as "-".
Source: arena, section 3.3 and figures 3 to 6 and 8 to 13, with the readings that each function
states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Literal

from theory.ascending.record import AuctionRecord, Exact, RecordedSale
from theory.errors import InvalidInputError, UnknownNameError
from theory.shared.arguments import instance_of, raising, read_tuple, refusing
from theory.verdicts import ShownAsTable, Table

__all__ = [
    "FailedBids",
    "Increment",
    "ItemBehaviour",
    "PriorityFidelity",
    "PriorityMap",
    "behaviour",
    "bid_increments",
    "engagements",
    "failed_bids",
    "increment_shares",
    "priority_fidelity",
    "priority_map",
    "rank_correlation",
    "winning_bid_counts",
]


def _records(given: AuctionRecord | Iterable[AuctionRecord]) -> tuple[AuctionRecord, ...]:
    found = (given,) if isinstance(given, AuctionRecord) else read_tuple("records", given)
    for each in found:
        instance_of("records", each, AuctionRecord, "give AuctionRecord(items, bidders, events)")
    return found


Records = AuctionRecord | Sequence[AuctionRecord]


@dataclass(frozen=True)
class FailedBids:
    """Failed bids F beside correct actions C; ``rate`` is F / (C + F), None if there are none."""

    failed: int
    correct: int

    @property
    def rate(self) -> Fraction | None:
        """The corrected failure rate."""
        whole = self.failed + self.correct
        return Fraction(self.failed, whole) if whole else None

    def __str__(self) -> str:
        share = "-" if self.rate is None else f"{float(self.rate):.2%}"
        return f"{self.failed} failed bids, {self.correct} correct actions: {share}"


@refusing
def failed_bids(records: Records) -> dict[str, FailedBids]:
    """Return F and C of each bidder: refused bids, and bids and withdrawals that counted.

    A call that no answer came to is neither: it is a failure of what connects the bidder. The code
    of arena counts every call of the bidder in place of C + F, also those that could not be read.

    Examples
    --------
    >>> from theory.ascending.record import BidEvent
    >>> events = (BidEvent(0, 0, "Ann", "failed", 90), BidEvent(0, 0, "Ann", "bid", 100))
    >>> record = AuctionRecord((RecordedSale("Vase", 100, 200),), ("Ann",), events)
    >>> print(failed_bids(record)["Ann"])
    1 failed bids, 1 correct actions: 50.00%
    """
    counts = Counter((e.bidder, e.kind) for r in _records(records) for e in r.events)
    names = dict.fromkeys(name for record in _records(records) for name in record.bidders)
    return {
        n: FailedBids(counts[n, "failed"], counts[n, "bid"] + counts[n, "withdrew"]) for n in names
    }


@dataclass(frozen=True, slots=True)
class Increment:
    """By what share a bid tops the bid before; ``first`` if it is the first on the item."""

    item: int
    bidder: str
    share: Fraction
    first: bool


@refusing
def bid_increments(
    record: AuctionRecord, over: Literal["standing", "start"] = "standing"
) -> tuple[Increment, ...]:
    """Return the increment of every bid b over the standing bid s, in one of two readings.

    "standing" is (b - s) / s, "start" is (b - s) / start. s is the highest bid of the rounds before
    the bid's own, and the start where there is none. So a minimal raise of a tenth of the start
    from s = 2 start is 1/20 or 1/10.

    Examples
    --------
    >>> from theory.ascending.record import BidEvent
    >>> bids = (BidEvent(0, 0, "Bob", "bid", 200), BidEvent(0, 1, "Ann", "bid", 210))
    >>> record = AuctionRecord((RecordedSale("Vase", 100, 200),), ("Ann", "Bob"), bids)
    >>> [str(each.share) for each in bid_increments(record)]
    ['1', '1/20']
    >>> [str(each.share) for each in bid_increments(record, over="start")]
    ['1', '1/10']
    """
    if over not in ("standing", "start"):
        raise UnknownNameError("over", over, "is unknown", 'give "standing" or "start"')
    bids = [(e, Fraction(e.amount)) for e in record.events if e.amount is not None]
    bids = [(event, amount) for event, amount in bids if event.kind == "bid"]
    found = []
    for event, amount in bids:
        before = [a for e, a in bids if e.item == event.item and e.round < event.round]
        start = Fraction(record.items[event.item].start)
        standing = max(before, default=start)
        share = (amount - standing) / (standing if over == "standing" else start)
        found.append(Increment(event.item, event.bidder, share, first=not before))
    return tuple(found)


@refusing
def increment_shares(
    increments: Sequence[Increment], edges: Sequence[Exact] = (0, 10, 11, 20, 50)
) -> dict[str, Fraction]:
    """Return which share of the increments lies from each edge up to the next, in percent.

    The paper draws five ranges and names two, [0, 10) and [11, ∞).

    Examples
    --------
    >>> made = [Increment(0, "Ann", Fraction(share, 100), False) for share in (0, 10, 10, 60)]
    >>> {name: str(share) for name, share in increment_shares(made).items() if share}
    {'[0, 10)': '1/4', '[10, 11)': '1/2', '[50, ∞)': '1/4'}
    """
    bounds = [Fraction(edge) for edge in edges]
    if bounds != sorted(set(bounds)) or not bounds:
        raise InvalidInputError("edges", edges, "do not increase", "give increasing percentages")
    if any(each.share * 100 < bounds[0] for each in increments):
        low = min(each.share for each in increments)
        raise InvalidInputError("edges", edges, f"leave {low} out", "give a lower first edge")
    ranges = list(zip(bounds, [*bounds[1:], None], strict=True))
    return {
        f"[{low}, {'∞' if high is None else high})": Fraction(
            sum(
                low <= each.share * 100 and (high is None or each.share * 100 < high)
                for each in increments
            ),
            max(1, len(increments)),
        )
        for low, high in ranges
    }


@refusing
def engagements(record: AuctionRecord) -> dict[str, tuple[int, ...]]:
    """Return n_ij, how many bids each bidder made on each item.

    Examples
    --------
    >>> from theory.ascending.record import BidEvent
    >>> bids = (BidEvent(1, 0, "Ann", "bid", 200), BidEvent(1, 1, "Ann", "bid", 250))
    >>> items = (RecordedSale("Vase", 100, 200), RecordedSale("Urn", 200, 400))
    >>> engagements(AuctionRecord(items, ("Ann", "Bob"), bids))
    {'Ann': (0, 2), 'Bob': (0, 0)}
    """
    counts = Counter((e.bidder, e.item) for e in record.events if e.kind == "bid")
    return {b: tuple(counts[b, j] for j in range(len(record.items))) for b in record.bidders}


@refusing
def rank_correlation(first: Sequence[Exact], second: Sequence[Exact]) -> float | None:
    """Return Spearman's correlation: that of the ranks, ties sharing their mean rank.

    None if either is constant or there are fewer than two. Computed in rationals up to the root.

    Examples
    --------
    >>> rank_correlation([1, 2, 3, 4], [1, 3, 2, 4])
    0.8
    >>> rank_correlation([1, 1], [1, 2]) is None
    True
    """
    if len(first) != len(second):
        fix = "give one number each"
        raise InvalidInputError("second", len(second), f"has not {len(first)} entries", fix)
    a, b = _ranks(first), _ranks(second)
    mean = Fraction(len(a) + 1, 2)
    products = sum(((x - mean) * (y - mean) for x, y in zip(a, b, strict=True)), Fraction(0))
    squares = [sum(((x - mean) ** 2 for x in each), Fraction(0)) for each in (a, b)]
    whole = squares[0] * squares[1]
    if not whole:
        return None
    square = float(products**2 / whole)
    return sqrt(square) if products >= 0 else -sqrt(square)


def _ranks(values: Sequence[Exact]) -> list[Fraction]:
    places: dict[Exact, list[int]] = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    return [Fraction(sum(places[v]), len(places[v])) for v in values]


@dataclass(frozen=True)
class PriorityFidelity(ShownAsTable):
    """Spearman's correlation of priorities with bids n and with wins x; None where undefined.

    ``initial`` takes the priorities stated before the first item, ``current`` those stated last
    before the item itself. ``pairs`` counts what each is computed from.
    """

    initial_bids: float | None
    initial_wins: float | None
    current_bids: float | None
    current_wins: float | None
    pairs: tuple[int, int]

    def table(self) -> Table:
        """Return the four correlations."""
        rows = (
            ("initial", self.initial_bids, self.initial_wins, self.pairs[0]),
            ("current", self.current_bids, self.current_wins, self.pairs[1]),
        )
        return Table(
            caption="Spearman's correlation of priorities with bids and wins",
            columns=("priorities", "bids", "wins", "pairs"),
            rows=tuple(
                (name, *("-" if x is None else f"{x:.4f}" for x in found), str(pairs))
                for name, *found, pairs in rows
            ),
        )


@refusing
def priority_fidelity(records: Records, bidder: str | None = None) -> PriorityFidelity:
    """Return how far bids and wins follow stated priorities, pooled over bidders, items and runs.

    With ``bidder`` over that one's items and runs alone. Items without a priority are left out.
    """
    pooled: dict[str, list[tuple[int, int, int]]] = {"initial": [], "current": []}
    for record in _records(records):
        counts = engagements(record)
        for name in record.bidders if bidder is None else (bidder,):
            for j, item in enumerate(record.items):
                stated = [p for p in record.priorities if (p.bidder, p.item) == (name, j)]
                outcome = counts[name][j], int(item.winner == name)
                for when, last in (("initial", 0), ("current", j)):
                    known = [p for p in stated if p.after <= last]
                    if known:
                        latest = max(known, key=lambda p: p.after)
                        pooled[when].append((latest.priority, *outcome))
    found = {
        f"{when}_{what}": rank_correlation([row[0] for row in rows], [row[k] for row in rows])
        for when, rows in pooled.items()
        for k, what in ((1, "bids"), (2, "wins"))
    }
    return PriorityFidelity(**found, pairs=(len(pooled["initial"]), len(pooled["current"])))


@dataclass(frozen=True)
class PriorityMap(ShownAsTable):
    """The mean priority of each item when so many items had been settled; None where none is.

    ``mean[t][j]`` is over all who stated one, ``change[t][j]`` that less ``mean[t - 1][j]``.
    ``after_sale`` counts priorities for items that had been settled: the mistake of who said so.
    """

    items: tuple[str, ...]
    mean: tuple[tuple[Fraction | None, ...], ...]
    change: tuple[tuple[Fraction | None, ...], ...]
    after_sale: int

    def table(self) -> Table:
        """Return the means."""
        return Table(
            caption=f"Mean priorities; {self.after_sale} are for items settled before",
            columns=("settled", *self.items),
            rows=tuple(
                (str(t), *("-" if m is None else f"{float(m):.2f}" for m in row))
                for t, row in enumerate(self.mean)
            ),
        )


@refusing
def priority_map(records: Records, bidder: str | None = None) -> PriorityMap:
    """Return mean priorities by time and item, over records of the same items in one order."""
    runs = _records(records)
    names = tuple(item.name for item in runs[0].items) if runs else ()
    for run in runs:
        if tuple(item.name for item in run.items) != names:
            fix = "give records of one order of sale"
            raise InvalidInputError("records", names, "are not of the same items", fix)
    stated = [p for r in runs for p in r.priorities if bidder in (None, p.bidder)]
    cells: dict[tuple[int, int], list[int]] = {}
    for p in stated:
        cells.setdefault((p.after, p.item), []).append(p.priority)
    times = range(max((p.after for p in stated), default=-1) + 1)
    mean = [[_mean(cells.get((t, j), [])) for j in range(len(names))] for t in times]
    blank: list[Fraction | None] = [None] * len(names)
    change = [
        [None if a is None or b is None else b - a for a, b in zip(before, now, strict=True)]
        for before, now in zip([blank, *mean], mean, strict=False)
    ]
    return PriorityMap(
        items=names,
        mean=tuple(map(tuple, mean)),
        change=tuple(map(tuple, change)),
        after_sale=sum(p.item < p.after for p in stated),
    )


def _mean(values: Sequence[Exact]) -> Fraction | None:
    return sum(map(Fraction, values), Fraction(0)) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class ItemBehaviour:
    """An item's start, mean profit when won (None if it never was), wins, and mean number of bids.

    Over the runs in which the item was for sale.
    """

    item: str
    start: Fraction
    profit: Fraction | None
    wins: int
    bids: Fraction


@refusing
def behaviour(records: Records, bidder: str) -> tuple[ItemBehaviour, ...]:
    """Return what a bidder did at each item: the bubbles of figures 10 to 13.

    Profit is the true value less the price. Items are told apart by name.
    """
    seen: dict[str, list[tuple[RecordedSale, int]]] = {}
    for record in _records(records):
        if bidder in record.bidders:
            for item, count in zip(record.items, engagements(record)[bidder], strict=True):
                seen.setdefault(item.name, []).append((item, count))
    found = []
    for name, runs in seen.items():
        won = [
            Fraction(item.value) - Fraction(item.price)
            for item, _ in runs
            if item.winner == bidder and item.price is not None
        ]
        bids = Fraction(sum(count for _, count in runs), len(runs))
        start = Fraction(runs[0][0].start)
        found.append(ItemBehaviour(name, start, _mean(won), len(won), bids))
    return tuple(found)


@refusing
def winning_bid_counts(
    records: Records,
    groups: Mapping[str, str] | Callable[[str], str],
    edges: Sequence[Exact],
) -> dict[str, tuple[int, ...]]:
    """Return how many prices each group paid from each edge up to the next: the niches of figure 8.

    ``groups`` says the group of each bidder. The last count is of prices from the last edge on.

    Examples
    --------
    >>> sold = (RecordedSale("A", 10, 20, "Ann", 15), RecordedSale("B", 50, 90, "Bob", 60))
    >>> record = AuctionRecord(sold, ("Ann", "Bob"))
    >>> winning_bid_counts(record, {"Ann": "items", "Bob": "profit"}, [0, 20, 50])
    {'items': (1, 0, 0), 'profit': (0, 0, 1)}
    """
    bounds = [Fraction(edge) for edge in edges]
    if bounds != sorted(set(bounds)) or not bounds:
        raise InvalidInputError("edges", edges, "do not increase", "give increasing prices")

    def group_of(name: str) -> str:
        fix = "give the group of each bidder, as text"
        try:
            group = groups(name) if callable(groups) else groups[name]
        except Exception as error:  # a user's function may raise anything
            raise raising(f"groups for {name}", groups, error, fix) from error
        instance_of(f"groups for {name}", group, str, fix)
        return group

    found: dict[str, list[int]] = {}
    for record in _records(records):
        for name in record.bidders:
            found.setdefault(group_of(name), [0] * len(bounds))
        for item in record.items:
            if item.winner is None or item.price is None:
                continue
            price = Fraction(item.price)
            if price < bounds[0]:
                raise InvalidInputError("edges", edges, f"leave {price} out", "give a lower edge")
            found[group_of(item.winner)][sum(bound <= price for bound in bounds) - 1] += 1
    return {group: tuple(counts) for group, counts in found.items()}
