"""The best reply of one seat to bidders that follow rules, by backward induction.

The seat may withdraw, raise by the least amount or, with ``jumps``, bid any level up to its budget.
What it maximises is an objective: its profit, its worth of bundles, or its chance to be ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol, runtime_checkable

from theory.ascending._item_law import Reach
from theory.ascending._setting import AuctionSetting
from theory.ascending._ties import Tie
from theory.errors import InvalidInputError, LimitError
from theory.numbers.reading import rational
from theory.shared.arguments import instance_of, raising, read_count, refusing
from theory.shared.printable import print_safely

__all__ = [
    "MAX_SITUATIONS",
    "BestReply",
    "Objective",
    "Profit",
    "ProfitAndRank",
    "Situation",
    "Worth",
    "best_reply",
]

MAX_SITUATIONS: Final = 2_000_000
"""How many situations of the seat may be told apart."""

Values = tuple[Fraction, ...]
Note = Hashable
Policy = Callable[["Situation"], "int | None"]


@dataclass(frozen=True, slots=True)
class Situation:
    """What the seat may know when it is asked.

    Attributes
    ----------
    item : int
        The position of the item.
    least : int
        The least level that it may bid, in increments above the start.
    leader : int
        The seat that leads, -1 before the first bid.
    budgets : tuple of Fraction
        What each seat has left.
    made : tuple of int
        How many bids each seat made on this item.
    withdrawn : frozenset of int
        Who has withdrawn from it.
    note : hashable
        What the objective keeps of the items before.
    """

    item: int
    least: int
    leader: int
    budgets: Values
    made: tuple[int, ...]
    withdrawn: frozenset[int]
    note: Note


@runtime_checkable
class Objective(Protocol):
    """What a seat maximises: numbers compared in order, the first before the second."""

    def begin(self, setting: AuctionSetting, seat: int) -> Note:
        """Return what is kept before the first item."""
        ...

    def after(
        self, setting: AuctionSetting, note: Note, item: int, sale: tuple[int, Fraction] | None
    ) -> Note:
        """Return what is kept after an item that went to (seat, price), or to nobody."""
        ...

    def gain(self, setting: AuctionSetting, seat: int, item: int, price: Fraction) -> Values:
        """Return what the seat gains where it wins an item at a price."""
        ...

    def final(self, setting: AuctionSetting, seat: int, note: Note) -> Values:
        """Return what the seat gains at the end."""
        ...


def _worth(setting: AuctionSetting, seat: int, item: int) -> Fraction:
    """Return what an item is worth to a seat: its own value if its rule has one."""
    values = getattr(setting.rules[seat], "values", None)
    value: Fraction = setting.items[item].value if values is None else values[item]
    return value


@dataclass(frozen=True)
class Profit:
    """The sum of value less price over the items won."""

    def begin(self, setting: AuctionSetting, seat: int) -> Note:
        """Return nothing: profits add."""
        del setting, seat
        return None

    def after(
        self, setting: AuctionSetting, note: Note, item: int, sale: tuple[int, Fraction] | None
    ) -> Note:
        """Return nothing."""
        del setting, note, item, sale
        return None

    def gain(self, setting: AuctionSetting, seat: int, item: int, price: Fraction) -> Values:
        """Return the value less the price."""
        return (_worth(setting, seat, item) - price,)

    def final(self, setting: AuctionSetting, seat: int, note: Note) -> Values:
        """Return nothing more."""
        del setting, seat, note
        return (Fraction(0),)


@dataclass(frozen=True)
class Worth:
    """The worth of the set of items won, less what was paid.

    ``of`` maps sets of positions to amounts; a set that it lacks is worth nothing.
    """

    of: Mapping[frozenset[int], Fraction]

    def begin(self, setting: AuctionSetting, seat: int) -> Note:
        """Return the empty set, with the seat."""
        del setting
        return seat, frozenset[int]()

    def after(
        self, setting: AuctionSetting, note: Note, item: int, sale: tuple[int, Fraction] | None
    ) -> Note:
        """Return the set of items won so far."""
        del setting
        assert isinstance(note, tuple)
        seat, won = note
        return seat, won | {item} if sale is not None and sale[0] == seat else won

    def gain(self, setting: AuctionSetting, seat: int, item: int, price: Fraction) -> Values:
        """Return the payment as a loss."""
        del setting, seat, item
        return (-price,)

    def final(self, setting: AuctionSetting, seat: int, note: Note) -> Values:
        """Return the worth of what was won."""
        del setting, seat
        assert isinstance(note, tuple)
        return (Fraction(self.of.get(note[1], 0)),)


@dataclass(frozen=True)
class ProfitAndRank:
    """Profit, and the chance to be ahead: the share of first place in profit, ties shared.

    With ``rank_first`` the chance to be ahead is compared before profit.
    """

    rank_first: bool = False

    def begin(self, setting: AuctionSetting, seat: int) -> Note:
        """Return profits of 0."""
        del seat
        return (Fraction(0),) * len(setting.seats)

    def after(
        self, setting: AuctionSetting, note: Note, item: int, sale: tuple[int, Fraction] | None
    ) -> Note:
        """Return the profits of all seats."""
        if sale is None:
            return note
        assert isinstance(note, tuple)
        winner, price = sale
        gain = _worth(setting, winner, item) - price
        return tuple(p + gain if s == winner else p for s, p in enumerate(note))

    def gain(self, setting: AuctionSetting, seat: int, item: int, price: Fraction) -> Values:
        """Return nothing: all is counted at the end."""
        del setting, seat, item, price
        return Fraction(0), Fraction(0)

    def final(self, setting: AuctionSetting, seat: int, note: Note) -> Values:
        """Return profit and share of first place."""
        del setting
        assert isinstance(note, tuple)
        first = [s for s, profit in enumerate(note) if profit == max(note)]
        ahead = Fraction(seat in first, len(first))
        return (ahead, note[seat]) if self.rank_first else (note[seat], ahead)


@dataclass(frozen=True)
class BestReply:
    """The best reply of a seat, or the reply that a policy prescribes, and what it earns.

    Attributes
    ----------
    seat : int
        The seat that replies.
    values : tuple of Fraction
        What the objective is worth in expectation, its first number first.
    moves : mapping from Situation to int or None
        The level that is bid in each situation that was looked at, on the way or not; None for a
        withdrawal.
    """

    seat: int
    values: Values
    moves: Mapping[Situation, int | None]

    @property
    def value(self) -> Fraction:
        """The first number of the objective: for :class:`Profit` the expected profit."""
        return self.values[0]

    @print_safely
    def __str__(self) -> str:
        worth = ", ".join(str(value) for value in self.values)
        return f"seat {self.seat} earns {worth} over {len(self.moves)} situations"


@refusing
def best_reply(
    setting: AuctionSetting,
    seat: int,
    *,
    objective: Objective | None = None,
    jumps: bool = True,
    policy: Policy | None = None,
) -> BestReply:
    """Return what the best reply of a seat earns against the rules of the other seats.

    Parameters
    ----------
    setting : AuctionSetting
        From :func:`read_setting`, without discounts. The rule of the seat itself is not followed;
        its ``values``, if it has some, are what the items are worth to it.
    seat : int
        The seat that replies.
    objective : Objective, optional
        :class:`Profit` unless said.
    jumps : bool
        Whether it may bid more than the least allowed amount, on the grid of increments.
    policy : callable, optional
        From a :class:`Situation` to the level to bid, or None; it is followed instead of the best
        reply, and so valued.

    Raises
    ------
    InvalidInputError
        For a seat that there is not, discounts, a policy's bid that is not allowed; for an
        objective, a policy or a tie rule of one's own that raises, or returns anything else.
    LimitError
        For more than ``MAX_SITUATIONS`` situations.

    Notes
    -----
    Of equally good moves the first is taken, a withdrawal before bids and lower bids before higher.
    Time grows with the number of combinations of budgets that may arise.

    Examples
    --------
    Two bidders with a dollar each. The first item is worth 1, the second 4.

    >>> from theory.ascending import Item, PrivateValues, read_setting
    >>> items = [Item("small", 1, 1), Item("large", 1, 4)]
    >>> setting = read_setting(items, [PrivateValues([1, 4])] * 2, 1, increment=1)
    >>> print(best_reply(setting, 0))
    seat 0 earns 3 over 4 situations
    """
    instance_of("setting", setting, AuctionSetting, "make one with read_setting")
    number = read_count("seat", seat, 0)
    if number not in setting.seats:
        fix = f"give a seat from 0 to {len(setting.seats) - 1}"
        raise InvalidInputError("seat", seat, "is no seat", fix)
    if setting.discounts:
        raise InvalidInputError("setting", setting.discounts, "has discounts", "leave them out")
    solver = _Solver(setting, number, objective or Profit(), jumps, policy)
    note = solver.keep("begin", number)
    values = solver.from_item(0, setting.budgets, note)
    return BestReply(number, values, dict(solver.moves))


class _Solver:
    def __init__(
        self,
        setting: AuctionSetting,
        seat: int,
        objective: Objective,
        jumps: bool,
        policy: Policy | None,
    ) -> None:
        self.setting, self.seat, self.objective = setting, seat, objective
        self.jumps, self.policy = jumps, policy
        self.moves: dict[Situation, int | None] = {}
        self._items: dict[tuple[int, Values, Note], Values] = {}
        self._rounds: dict[Situation, Values] = {}
        self._numbers = 0  # how many the objective counts, once it has said so

    def keep(self, method: str, *given: object) -> Note:
        """Return what the objective keeps, which must be hashable."""
        note: Note = self._ask(method, *given)
        try:
            hash(note)
        except Exception as error:
            fix = "have it return something hashable, such as a tuple"
            raise raising(f"{method} of objective", note, error, fix) from error
        return note

    def worth(self, method: str, *given: object) -> Values:
        """Return what the objective counts: as many exact numbers each time."""
        found, name = self._ask(method, *given), f"{method} of objective"
        if not isinstance(found, tuple) or len(found) != (self._numbers or len(found) or 1):
            fix = f"have it return a tuple of {self._numbers or 'one or more'} numbers"
            raise InvalidInputError(name, found, "is no such tuple", fix)
        self._numbers = len(found)
        return tuple([rational(number, name) for number in found])

    def _ask(self, method: str, *given: object) -> Any:
        try:
            return getattr(self.objective, method)(self.setting, *given)
        except Exception as error:  # a user's class may raise anything
            fix = "have it return what Objective says"
            raise raising(f"{method} of objective", self.objective, error, fix) from error

    def from_item(self, item: int, budgets: Values, note: Note) -> Values:
        """Return what the seat earns from an item on."""
        if item == len(self.setting.items):
            return self.worth("final", self.seat, note)
        key = item, budgets, note
        known = self._items.get(key)
        if known is None:
            made = (0,) * len(budgets)
            start = Situation(item, 0, -1, budgets, made, frozenset(), note)
            known = self._items[key] = self._from_round(start)
        return known

    def _from_round(self, now: Situation) -> Values:
        known = self._rounds.get(now)
        if known is None:
            if len(self._rounds) >= MAX_SITUATIONS:
                fix = "give fewer items, smaller budgets, or jumps=False"
                problem = f"leads to more than {MAX_SITUATIONS:,} situations"
                raise LimitError("setting", len(self._rounds), problem, fix)
            known = self._rounds[now] = self._best(now)
        return known

    def _best(self, now: Situation) -> Values:
        asked = [s for s in self.setting.seats if s != now.leader and s not in now.withdrawn]
        bids: dict[int, int | None] = {
            s: now.least if self._follows(s, now) else None for s in asked if s != self.seat
        }
        if self.seat not in asked:
            return self._after(now, bids)
        best: Values | None = None
        for level in self._options(now):
            worth = self._after(now, {**bids, self.seat: level})
            if best is None or worth > best:
                best = worth
                self.moves[now] = level
        assert best is not None
        return best

    def _follows(self, seat: int, now: Situation) -> bool:
        top = self.setting.top_level(now.item, 0, seat, now.budgets[seat])
        return Reach(top, self.setting.reach[seat][0]).bids_at(now.least, now.made[seat])

    def _highest(self, now: Situation) -> int:
        item = self.setting.items[now.item]
        top = (now.budgets[self.seat] / item.start - 1) / self.setting.increment
        return int(top.numerator // top.denominator)

    def _options(self, now: Situation) -> Iterator[int | None]:
        highest = self._highest(now)
        if self.policy is not None:
            fix = f"give None or a level from {now.least} to {highest}"
            try:
                chosen = self.policy(now)
            except Exception as error:  # a user's function may raise anything
                raise raising("policy", self.policy, error, fix) from error
            level = type(chosen) is int and now.least <= chosen <= highest
            if chosen is not None and not level:
                raise InvalidInputError("policy", chosen, "is a bid that is not allowed", fix)
            yield chosen
            return
        yield None
        yield from range(now.least, (highest if self.jumps else min(highest, now.least)) + 1)

    def _after(self, now: Situation, bids: Mapping[int, int | None]) -> Values:
        made = [(s, level) for s, level in sorted(bids.items()) if level is not None]
        if not made:
            return self._hammer(now)
        highest = max(level for _, level in made)
        tied = tuple(s for s, level in made if level == highest)
        law: tuple[Fraction, ...] = (Fraction(1),)
        if len(tied) > 1:
            entries = tuple((s, level is not None) for s, level in sorted(bids.items()))
            law = self.setting.ties(Tie(tied, entries, now.budgets))
        bidding = {s for s, _ in made}
        counts = tuple(n + (s in bidding) for s, n in enumerate(now.made))
        withdrawn = now.withdrawn.union(s for s, level in bids.items() if level is None)
        total: Values = ()
        for leader, chance in zip(tied, law, strict=True):
            if chance:
                later = Situation(
                    now.item, highest + 1, leader, now.budgets, counts, withdrawn, now.note
                )
                total = _add(total, chance, self._from_round(later))
        return total

    def _hammer(self, now: Situation) -> Values:
        setting = self.setting
        if now.leader < 0:
            note = self.keep("after", now.note, now.item, None)
            return self.from_item(now.item + 1, now.budgets, note)
        price = setting.price(now.item, 0, now.least - 1)
        note = self.keep("after", now.note, now.item, (now.leader, price))
        budgets = tuple(b - price if s == now.leader else b for s, b in enumerate(now.budgets))
        worth = self.from_item(now.item + 1, budgets, note)
        if now.leader == self.seat:
            gain = self.worth("gain", self.seat, now.item, price)
            worth = tuple(a + b for a, b in zip(worth, gain, strict=True))
        return worth


def _add(total: Values, chance: Fraction, values: Values) -> Values:
    if not total:
        return tuple(chance * value for value in values)
    return tuple(a + chance * value for a, value in zip(total, values, strict=True))
