"""The best set of passages to buy, by branch and bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from theory.errors import LimitError
from theory.purchases._recheck import check_best_set
from theory.purchases._shelf import Shelf, read_shelf
from theory.shared.arguments import read_count, refusing

__all__ = ["BestSet", "best_set"]

Number = int | Fraction


@dataclass(frozen=True)
class BestSet:
    """A set of passages that is worth the most after its price.

    Attributes
    ----------
    shelf : Shelf
        What was for sale.
    chosen : tuple of int
        The places of the passages, ascending.
    worth, price : Fraction
        What they are worth in expectation, and what they cost together.
    """

    shelf: Shelf
    chosen: tuple[int, ...]
    worth: Fraction
    price: Fraction

    @property
    def gain(self) -> Fraction:
        """The worth after the price."""
        return self.worth - self.price

    @cached_property
    def gap(self) -> Fraction:
        """By how much, at most, worth, price and the greatest gain are not those of other code.

        It takes :func:`count_recheck` steps to work out, when it is first asked for.
        """
        return check_best_set(self.shelf, self.chosen, self.worth, self.price)

    def __str__(self) -> str:
        names = ", ".join(map(str, self.chosen)) or "nothing"
        return f"buy {names} for {self.price}, worth {self.worth}"


@refusing
def best_set(
    prices: Iterable[object],
    chances: Iterable[Iterable[object]],
    worths: Iterable[object],
    budget: object = None,
    *,
    max_steps: int | None = None,
) -> BestSet:
    r"""Return the set of passages that is worth the most after its price, within a budget.

    Passage k costs p_k and states fact j with probability c_kj, independently of the others. The
    set S is worth \sum_j w_j (1 - \prod_{k \in S} (1 - c_kj)) in expectation. Of the sets with the
    greatest worth less price it is the cheapest, of these the smallest, of these the first.

    Parameters
    ----------
    prices : sequence of numbers
        In any unit of money.
    chances : sequence of rows
        One a passage, one probability a fact.
    worths : sequence of numbers
        One a fact.
    budget : number, optional
        None for no limit.
    max_steps : int, optional
        How many passages times facts may be looked at in all.

    Returns
    -------
    BestSet

    Raises
    ------
    InvalidInputError, NumberError, ShapeError
        As :func:`read_shelf`.
    LimitError
        Where it takes more steps.

    Notes
    -----
    Branch and bound: the worth is submodular, so that a passage that adds no more than its price to
    what is chosen adds no more later, and what is left adds at most a fractional knapsack of what
    each adds by itself. The time is exponential in the number of passages at worst.

    Examples
    --------
    >>> print(best_set([4, 2, 5], [[1, 0], [1, 0], [0, 1]], [10, 6], budget=7))
    buy 1, 2 for 7, worth 16
    >>> best_set([4, 2], [["9/10"], ["1/2"]], [10]).gain
    Fraction(5, 1)
    """
    if max_steps is not None:
        read_count("max_steps", max_steps)
    shelf = read_shelf(prices, chances, worths, budget)
    search = _Search(shelf, max_steps)
    chosen = search.run()
    parts = (value * (1 - shelf.missed(chosen, fact)) for fact, value in enumerate(shelf.worths))
    worth = sum(parts, Fraction(0))
    price = sum((shelf.prices[place] for place in chosen), Fraction(0))
    return BestSet(shelf, chosen, worth, price)


@dataclass(frozen=True)
class _Node:
    """What is chosen, with which probability each fact is still missed, and what may be added."""

    chosen: tuple[int, ...]
    missed: tuple[Number, ...]
    candidates: tuple[int, ...]
    gain: Number
    cost: int


class _Search:
    """Branch and bound over passages, with money in whole units."""

    def __init__(self, shelf: Shelf, max_steps: int | None) -> None:
        money = (*shelf.prices, *shelf.worths, *(() if shelf.budget is None else (shelf.budget,)))
        unit = lcm(*(each.denominator for each in money))
        facts = [fact for fact, worth in enumerate(shelf.worths) if worth]
        self.prices = [int(price * unit) for price in shelf.prices]
        self.worths = [int(shelf.worths[fact] * unit) for fact in facts]
        self.chances = [tuple(_whole(row[fact]) for fact in facts) for row in shelf.chances]
        self.budget = None if shelf.budget is None else int(shelf.budget * unit)
        self.certain = all(type(chance) is int for row in self.chances for chance in row)
        self.most, self.steps = max_steps, 0
        self.best = _Node((), (1,) * len(facts), (), 0, 0)

    def run(self) -> tuple[int, ...]:
        """Return the best set."""
        start = self.best
        every = self._cheapest_of_each([k for k, row in enumerate(self.chances) if any(row)])
        later = self._dominated(every)
        if self.certain:  # what the better one leaves out is never missed
            worse = frozenset[int]().union(*later.values())
            every = [k for k in every if k not in worse]
        stack = [_Node((), start.missed, tuple(every), 0, 0)]
        while stack:
            node = stack.pop()
            self._keep(node)
            adds = {k: added for k, added in self._adds(node) if added > 0}
            bound = node.gain + self._bound(node, adds)
            best = self.best
            if not adds or bound < best.gain or (bound == best.gain and node.cost > best.cost):
                continue
            first = max(adds, key=lambda k: (adds[k], -k))
            dropped = later[first] | {first}
            rest = tuple(k for k in adds if k != first)
            stack.append(
                _Node(
                    node.chosen,
                    node.missed,
                    tuple(k for k in rest if k not in dropped),
                    node.gain,
                    node.cost,
                )
            )
            row = self.chances[first]
            missed = tuple(m * (1 - c) for m, c in zip(node.missed, row, strict=True))
            gain, cost = node.gain + adds[first], node.cost + self.prices[first]
            stack.append(_Node((*node.chosen, first), missed, rest, gain, cost))
        return tuple(sorted(self.best.chosen))

    def _keep(self, node: _Node) -> None:
        """Keep a set that is better than the best, in the order that :func:`best_set` states."""
        best = self.best
        key = (node.gain, -node.cost, -len(node.chosen))
        other = (best.gain, -best.cost, -len(best.chosen))
        if key > other or (key == other and sorted(node.chosen) < sorted(best.chosen)):
            self.best = node

    def _adds(self, node: _Node) -> Iterator[tuple[int, Number]]:
        """Yield the passages that can still be paid, and what each adds after its price."""
        self._count(len(node.candidates) * (1 + len(self.worths)))
        weights = [worth * missed for worth, missed in zip(self.worths, node.missed, strict=True)]
        for k in node.candidates:
            price = self.prices[k]
            if self.budget is None or node.cost + price <= self.budget:
                row = self.chances[k]
                yield k, sum(w * c for w, c in zip(weights, row, strict=True)) - price

    def _bound(self, node: _Node, adds: dict[int, Number]) -> Number:
        """Return at least what the passages can add together."""
        total: Number = sum(adds.values())
        if self.certain:
            total = min(total, self._bound_by_facts(node, adds))
        if self.budget is None or not adds:
            return total
        left, packed = self.budget - node.cost, Fraction(0)
        for k in sorted(adds, key=lambda k: _density(adds[k], self.prices[k]), reverse=True):
            price = self.prices[k]
            if price > left:
                packed += Fraction(adds[k] * left) / price
                break
            left -= price
            packed += adds[k]
        return min(total, packed)

    def _bound_by_facts(self, node: _Node, adds: dict[int, Number]) -> Number:
        """Return at least what they add where each fact is sure: a price is shared by its facts."""
        best: list[Number] = [0] * len(self.worths)
        for k, added in adds.items():
            stated = [j for j, c in enumerate(self.chances[k]) if c and node.missed[j]]
            share = Fraction(added, sum(self.worths[j] for j in stated))
            for j in stated:
                best[j] = max(best[j], self.worths[j] * share)
        return sum(best)

    def _cheapest_of_each(self, places: list[int]) -> list[int]:
        """Return the places, without those that say for certain what a cheaper one says."""
        if not self.certain:
            return places
        first = dict[tuple[Number, ...], int]()
        for k in sorted(places, key=lambda k: (self.prices[k], k)):
            first.setdefault(self.chances[k], k)
        return sorted(first.values())

    def _dominated(self, places: Sequence[int]) -> dict[int, frozenset[int]]:
        """Return for each passage those that never are better: who leaves it leaves them."""
        found = {}
        for k in places:
            mine, price = self.chances[k], self.prices[k]
            self._count(len(places) * (1 + len(mine)))
            found[k] = frozenset(
                other
                for other in places
                if (price, k) < (self.prices[other], other)
                and all(a >= b for a, b in zip(mine, self.chances[other], strict=True))
            )
        return found

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.most is not None and self.steps > self.most:
            problem = f"take more than the limit of {self.most:,} steps to compare"
            fix = "offer fewer passages, or let fewer be chosen from"
            raise LimitError("prices", len(self.prices), problem, fix)


def _whole(chance: Fraction) -> Number:
    return int(chance) if chance.denominator == 1 else chance


def _density(added: Number, price: int) -> tuple[bool, Number]:
    """Return what orders passages by what they add a unit of money; free ones come first."""
    return (True, added) if not price else (False, Fraction(added) / price)
