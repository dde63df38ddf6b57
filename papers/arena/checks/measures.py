"""arena, sections 4.2 and 4.3: what its measures of behaviour are, from answers alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Literal

from mechanisms.ascending import Item, RuleBidder, auction_result, run_auction
from mechanisms.play import Ask, Entry, How
from papers.arena.checks.plays import NAMES, Script, play_script
from theory.ascending.measures import (
    bid_increments,
    engagements,
    failed_bids,
    priority_fidelity,
)
from theory.ascending.record import StatedPriority
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["RAISES", "MeasuresAreThese", "MinimalRaisesAre", "show_raises"]

CLOSE: Final = Fraction(1, 2**50)
"""The relative error of a correlation that is rounded."""


@dataclass(frozen=True)
class MeasuresAreThese:
    """The measures of a record are what the paper defines, computed here from each answer."""

    failures: Callable[..., Any] = failed_bids
    raises: Callable[..., Any] = bid_increments
    bids: Callable[..., Any] = engagements
    fidelity: Callable[..., Any] = priority_fidelity

    def __call__(self, case: Script) -> Trial:
        """Compare all measures of one play."""
        run = play_script(case)
        record = auction_result(run).record()
        asked = [e for e in run.log if isinstance(e.request, Ask) and e.request.role == "bid"]
        made = [e for e in asked if e.how is How.CHOSEN and e.value is not None]
        broken = [f"bids are {self.bids(record)}"] * (
            self.bids(record)
            != {name: _by_item(case, [e for e in made if _who(e) == name]) for name in case.names}
        )
        for name, found in self.failures(record).items():
            own = [e.how for e in asked if _who(e) == name]
            refused = own.count(How.REFUSED) + own.count(How.ILLEGAL)
            correct = own.count(How.CHOSEN)
            rate = Fraction(refused, refused + correct) if own else None
            if (found.failed, found.correct, found.rate) != (refused, correct, rate):
                broken.append(f"{name} fails at {found}, not {refused} and {correct}")
        for over in ("standing", "start"):
            shares = sorted((each.item, each.share) for each in self.raises(record, over))
            wanted = sorted((len(_view(e).sold), _share(e, over)) for e in made)
            if shares != wanted:
                broken.append(f"raises over the {over} are {_list(shares)}, not {_list(wanted)}")
        stated = tuple(
            StatedPriority(0, name, j, 1 + (i + j + len(case.answers[0])) % 3)
            for i, name in enumerate(case.names)
            for j in range(len(case.starts))
        )
        fidelity = self.fidelity(replace(record, priorities=stated))
        counts = {(n, j): c for n, row in engagements(record).items() for j, c in enumerate(row)}
        wins = {(n, j): s.winner == n for n in case.names for j, s in enumerate(record.items)}
        for what, of in (("bids", counts), ("wins", wins)):
            found = getattr(fidelity, f"initial_{what}")
            pairs = [(s.priority, int(of[s.bidder, s.item])) for s in stated]
            if not _is_spearman(found, pairs):
                broken.append(f"the correlation of priorities and {what} is {found}")
        failure = f"{'; '.join(broken)}." if broken else ""
        return Trial(nontrivial=bool(made) and len(asked) > len(made), failure=failure)


def _who(entry: Entry) -> str:
    return str(entry.request.player)


def _view(entry: Entry) -> Any:
    request: Any = entry.request
    return request.view


def _by_item(case: Script, made: list[Entry]) -> tuple[int, ...]:
    where = [len(_view(entry).sold) for entry in made]
    return tuple(where.count(j) for j in range(len(case.starts)))


def _share(entry: Entry, over: str) -> Fraction:
    """Return (b - s) / s or (b - s) / start, s being the standing bid or the start."""
    view, bid = _view(entry), Fraction(entry.value)
    before = view.start if view.standing is None else view.standing
    share: Fraction = (bid - before) / (before if over == "standing" else view.start)
    return share


def _list(shares: list[tuple[int, Fraction]]) -> str:
    return ", ".join(str(share) for _, share in shares)


def _is_spearman(found: float | None, pairs: list[tuple[int, int]]) -> bool:
    """Whether a number is the correlation of the ranks, by the signs of all differences.

    The rank of x, less the mean rank, is half the sum of sign(x - y) over all y.
    """
    signs = [
        [sum((x > y) - (x < y) for y in column) for x in column]
        for column in zip(*pairs, strict=True)
    ]
    product = sum(a * b for a, b in zip(*signs, strict=True))
    squares = [sum(a * a for a in column) for column in signs]
    whole = squares[0] * squares[1]
    if not whole or found is None:
        return not whole and found is None
    square = Fraction(product * product, whole)
    return found * product >= 0 and abs(Fraction(found) ** 2 - square) <= 2 * CLOSE


# --- minimal raises


@dataclass(frozen=True)
class Raising:
    """Rule bidders who raise by the least amount, so many times at most."""

    bidders: int
    limit: int
    start: int

    def __str__(self) -> str:
        return f"{self.bidders} bidders with {self.limit} bids each, an item from {self.start}"

    def increments(self, over: Literal["standing", "start"]) -> list[Fraction]:
        """Return by what share each raise tops the one before, the first bids left out."""
        item = Item("item", self.start, 2 * self.start)
        bidders = [RuleBidder(name, self.limit) for name in NAMES[: self.bidders]]
        record = run_auction([item], bidders, 10 * self.start).record()
        return [each.share for each in bid_increments(record, over) if not each.first]


def _build_raising(draw: Draw, limit: int) -> Raising:
    return Raising(draw.choice((2, 3)), limit, draw.choice((1, 10, 1000)))


def _raising_size(case: Raising) -> tuple[int, ...]:
    return (case.bidders, case.start)


RAISES: Family[Raising] = Family(
    description="2 or 3 rule bidders with 1 to 6 bids, one item from 1, 10 or 1000",
    level_name="bids",
    levels=tuple(range(1, 7)),
    build=_build_raising,
    size=_raising_size,
)


@dataclass(frozen=True)
class MinimalRaisesAre:
    """Every minimal raise is an increment of a tenth, over the standing bid or over the start."""

    over: Literal["standing", "start"]
    tenth: Fraction = Fraction(1, 10)

    def __call__(self, case: Raising) -> Trial:
        """Look at each raise after the first bids."""
        shares = case.increments(self.over)
        other = [share for share in shares if share != self.tenth]
        failure = f"raise {shares.index(other[0]) + 1} is of {other[0]}." if other else ""
        return Trial(nontrivial=len(shares) > 1, failure=failure)


def show_raises(case: Raising) -> Exhibit:
    """Show each raise in both readings."""
    both = zip(case.increments("standing"), case.increments("start"), strict=True)
    rows = tuple((str(n), str(of), str(start)) for n, (of, start) in enumerate(both, 1))
    columns = ("raise", "over the standing bid", "over the start")
    table = Table(caption="By what share a raise tops the bid before", columns=columns, rows=rows)
    return Exhibit(summary=str(case), tables=(table,))
