"""What bidders have left, item by item, with its probabilities.

Between two items all that matters is what each seat has left, and of that only which bids it
permits on the items to come. So budgets are merged into classes, and the seats of identical
bidders are sorted. Probabilities are integers over a common denominator, one factor an item.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Final

from theory.ascending._item_law import Reach, highest_level, item_law
from theory.ascending._setting import AuctionSetting
from theory.ascending._steps import StepCount
from theory.ascending._ties import Tie
from theory.errors import LimitError

__all__ = ["MAX_STATES", "Branch", "Outcomes", "StateSpace"]

MAX_STATES: Final = 3_000_000
"""How many combinations of budgets may stand side by side."""

Budgets = tuple[int, ...]
_STEPS_OF_A_SUM: Final = 3
"""What it takes to add two amounts, to keep the sum and to sort it in."""

Entries = tuple[tuple[int, bool], ...]
Weights = dict[Budgets, int]
Shift = Callable[[int, int, int], int]


@dataclass(frozen=True, slots=True)
class Branch:
    """One outcome of an item: who wins, at which price, and how likely that is.

    ``slot`` is -1 and ``price`` 0 where the item stays unsold.
    """

    slot: int
    price: int
    chance: Fraction


@dataclass(frozen=True, eq=False, slots=True)
class Outcomes:
    """All outcomes of an item in some states; their chances sum to one."""

    branches: tuple[Branch, ...]


class StateSpace:
    """The budgets of all seats as they develop over the items of a setting.

    A state has one entry a *slot*: seats stand in groups of identical bidders, sorted within each
    group by what they have left. An entry is the smallest budget of its class, in units of which
    every price is a whole number. The seat ``apart`` stays in a group of its own. What is done is
    counted in ``steps``, each part before it is done.
    """

    def __init__(
        self, setting: AuctionSetting, apart: int | None = None, steps: StepCount | None = None
    ) -> None:
        self.setting = setting
        self.steps = steps or StepCount()
        self.groups = self._group_seats(apart)
        self.slots = tuple(seat for group in self.groups for seat in group)
        self.start: Budgets = tuple(int(setting.budgets[s] / self.unit) for s in self.slots)
        self._laws: dict[tuple[object, ...], Outcomes] = {}
        self._draws: dict[tuple[Budgets, tuple[int, ...], Entries], Sequence[Fraction]] = {}
        self._floors: list[dict[int, int]] = [{} for _ in range(len(setting.items) + 1)]
        self._tops: list[dict[tuple[int, int], tuple[int, ...]]] = [{} for _ in setting.items]

    @cached_property
    def unit(self) -> Fraction:
        """The amount that one integer stands for: it divides all prices and budgets."""
        setting, cut = self.setting, self.setting.discounts
        amounts = list(setting.budgets)
        for number, item in enumerate(setting.items):
            amounts += [item.value, setting.price(number, cut, 0), setting.price(number, cut, 1)]
        bottom = lcm(*(amount.denominator for amount in amounts))
        return Fraction(gcd(*(int(amount * bottom) for amount in amounts)), bottom)

    @cached_property
    def prices(self) -> list[list[list[int]]]:
        """The prices at which an item may be sold, by item, by discount and by level."""
        cuts = range(self.setting.discounts + 1)
        return [
            [self._prices_of(number, cut) for cut in cuts]
            for number in range(len(self.setting.items))
        ]

    @cached_property
    def boundaries(self) -> list[list[int]]:
        """Where the classes of budgets begin, by item: above 0, ascending.

        Two budgets of a class permit the same bids on this item, and are in one class at the next
        item both as they are and less any price.
        """
        most = max(self.start)
        found: list[list[int]] = [[]]
        for by_cut in reversed(self.prices):
            prices = {price for levels in by_cut for price in levels if price <= most}
            later = found[-1]
            within = {price: bisect_right(later, most - price) for price in prices}
            sums = len(later) + sum(within.values()) + len(prices)
            self.steps.add(_STEPS_OF_A_SUM * sums, most.bit_length())
            here = prices.union(later, (p + t for p in prices for t in later[: within[p]]))
            found.append(sorted(here))
        return found[::-1]

    def run(self, shift: Shift | None = None, width: int = 0) -> Iterator[tuple[Weights, int]]:
        """Yield, for each item, the integer weights of the states before it, and their sum.

        Last come the states after all items. With ``shift`` a weight is a polynomial with
        non-negative coefficients, packed into an integer with ``width`` bits for each: an outcome
        multiplies it by the power ``shift(item, slot, price)`` of its variable.

        Raises
        ------
        LimitError
            For more than ``MAX_STATES`` states at an item.
        """
        weights: Weights = {self._classed(0, self.start): 1}
        total = 1
        for number in range(len(self.setting.items)):
            yield weights, total
            self.steps.add(len(weights) * len(self.slots))
            laws = {state: self.outcomes(number, state) for state in weights}
            branches = [branch for law in set(laws.values()) for branch in law.branches]
            bits = max(branch.chance.denominator for branch in branches).bit_length()
            self.steps.add_fractions(len(branches), bits)
            scale = lcm(*(branch.chance.denominator for branch in branches))
            self.steps.add_fractions(len(branches), scale.bit_length())
            moves = {
                law: [
                    (
                        branch.slot,
                        branch.price,
                        int(branch.chance * scale),
                        width * shift(number, branch.slot, branch.price) if shift else 0,
                    )
                    for branch in law.branches
                ]
                for law in set(laws.values())
            }
            outcomes = sum(len(law.branches) for law in laws.values())
            self.steps.add(outcomes * (len(self.slots) + 1), (total * scale).bit_length())
            weights = self._advance(number, weights, laws, moves)
            total *= scale
            if len(weights) > MAX_STATES:
                raise LimitError(
                    "budgets",
                    len(weights),
                    f"lead to more than {MAX_STATES:,} states before item {number + 2}",
                    "give fewer items, a larger increment, or identical bidders",
                )
        yield weights, total

    def outcomes(self, number: int, state: Budgets) -> Outcomes:
        """Return the law of an item in a state; the same object where the laws are the same."""
        tops = [self._tops_of(number, slot, budget) for slot, budget in enumerate(state)]
        cut = next((c for c, levels in enumerate(zip(*tops, strict=True)) if max(levels) >= 0), -1)
        levels = tuple(top[cut] for top in tops)
        known = (number, cut, levels, self._what_ties_read(state))
        law = self._laws.get(known)
        if law is None:
            law = self._laws[known] = self._compute_law(number, cut, levels, state)
        return law

    def _compute_law(
        self, number: int, cut: int, levels: tuple[int, ...], state: Budgets
    ) -> Outcomes:
        if cut < 0:
            return Outcomes((Branch(-1, 0, Fraction(1)),))
        setting, read = self.setting, self._what_ties_read(state)
        budgets = tuple(b * self.unit for b in read or state)

        def draw(tied: tuple[int, ...], entries: Entries) -> Sequence[Fraction]:
            if len(tied) == 1:
                return (Fraction(1),)
            known = self._draws.get((read, tied, entries))
            if known is None:
                self.steps.add_fractions(4 * len(entries) ** 2, 0)
                known = setting.ties(Tie(tied, entries, budgets))
                self._draws[read, tied, entries] = known
            return known

        reach = [
            Reach(top, setting.reach[seat][0]) for top, seat in zip(levels, self.slots, strict=True)
        ]
        prices = self.prices[number][cut]
        law = item_law(reach, draw, self.steps)
        return Outcomes(tuple(Branch(slot, prices[level], p) for (slot, level), p in law.items()))

    def _what_ties_read(self, state: Budgets) -> Budgets:
        reads = self.setting.ties.reads
        if reads == "nothing":
            return ()
        return tuple(map(sorted(set(state)).index, state)) if reads == "order" else state

    def _advance(
        self,
        number: int,
        weights: Weights,
        laws: dict[Budgets, Outcomes],
        moves: dict[Outcomes, list[tuple[int, int, int, int]]],
    ) -> Weights:
        later: Weights = {}
        floors = self._floors[number + 1]
        for state, weight in weights.items():
            kept = [self._floor(number + 1, budget) for budget in state]
            for slot, price, share, power in moves[laws[state]]:
                after = list(kept)
                if slot >= 0:
                    left = state[slot] - price
                    floor = floors.get(left)
                    after[slot] = self._floor(number + 1, left) if floor is None else floor
                reached = self._sorted(after)
                later[reached] = later.get(reached, 0) + ((weight * share) << power)
        return later

    def group_of(self, slot: int) -> list[int]:
        """Return the seats that take turns in a slot."""
        return next(group for group in self.groups if self.slots[slot] in group)

    def _classed(self, number: int, state: Budgets) -> Budgets:
        return self._sorted([self._floor(number, budget) for budget in state])

    def _sorted(self, budgets: list[int]) -> Budgets:
        if len(self.groups) == 1:
            budgets.sort()
        elif len(self.groups) < len(budgets):
            place = 0
            for group in self.groups:
                budgets[place : place + len(group)] = sorted(budgets[place : place + len(group)])
                place += len(group)
        return tuple(budgets)

    def _floor(self, number: int, budget: int) -> int:
        """Return the smallest budget of the class of one, at an item."""
        known = self._floors[number].get(budget)
        if known is None:
            known = budget
            if self.setting.ties.reads == "nothing":
                bounds = self.boundaries[number]
                place = bisect_right(bounds, budget)
                known = bounds[place - 1] if place else 0
            self._floors[number][budget] = known
        return known

    def _tops_of(self, number: int, slot: int, budget: int) -> tuple[int, ...]:
        """Return how far a slot goes with a budget, for each starting price."""
        known = self._tops[number].get((slot, budget))
        if known is None:
            left, seat = budget * self.unit, self.slots[slot]
            self.steps.add_fractions(8 * (self.setting.discounts + 1), self._length)
            known = self._tops[number][slot, budget] = tuple(
                min(self.setting.top_level(number, cut, seat, left), len(levels) - 1)
                for cut, levels in enumerate(self.prices[number])
            )
        return known

    def _prices_of(self, number: int, cut: int) -> list[int]:
        self.steps.add(len(self.slots) ** 2)
        highest = highest_level(self._reach_at_most(number, cut))
        self.steps.add_fractions(8 * (highest + 1), self._length)
        price, unit = self.setting.price, self.unit
        return [int(price(number, cut, level) / unit) for level in range(highest + 1)]

    @cached_property
    def _length(self) -> int:
        """How many bits a budget, the increment and the unit have together at most."""
        fractions = (self.unit, self.setting.increment)
        bits = sum(x.numerator.bit_length() + x.denominator.bit_length() for x in fractions)
        return bits + max(self.start).bit_length()

    def _reach_at_most(self, number: int, cut: int) -> list[Reach]:
        setting = self.setting
        return [
            Reach(setting.top_level(number, cut, s, setting.budgets[s]), setting.reach[s][0])
            for s in setting.seats
        ]

    def _group_seats(self, apart: int | None) -> list[list[int]]:
        setting, groups = self.setting, dict[object, list[int]]()
        for seat in setting.seats:
            alike = (setting.rules[seat], setting.budgets[seat], seat == apart)
            groups.setdefault(alike if setting.ties.seats_alike else seat, []).append(seat)
        return list(groups.values())
