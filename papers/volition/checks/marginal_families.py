"""Marginal-value games by size: small integers, so that ties occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from math import inf
from typing import Any, Final

from theory.marginal_value import Equilibrium, MarginalValueGame, Moves, Ties, equilibrium
from theory.search import Draw, Family

__all__ = [
    "Copies",
    "MarginalGames",
    "MarginalInstance",
    "Price",
    "Solve",
    "Strategy",
    "Terms",
    "ends",
    "fewest_items",
    "games",
    "most_items",
    "name_set",
    "names",
    "path",
    "strategy_of",
]

_KEPT: Final = 1 << 15
"""How many equilibria are kept: one claim after the other asks for those of the small games."""

Price = int | float
"""A whole number, or infinity."""

Strategy = dict[int, int]
"""The set that the next player takes each revealed set to; the same set for the null move."""


class Terms(StrEnum):
    """What may be revealed at once, and how prices come about."""

    ANY_SET = "any set is a move and prices add"
    SUBADDITIVE = "any set is a move and prices are subadditive"
    UNION_CLOSED = "a union-closed list of moves and prices add"
    SINGLE_ITEMS = "one item is a move and prices add"
    SUPERADDITIVE = "any set is a move and prices are superadditive"


class Copies(StrEnum):
    """Which sets say what everything says, given a set F."""

    NOTHING = "nothing"
    ALONE = "F"
    ABOVE = "each set that contains F"


@dataclass(frozen=True)
class MarginalInstance:
    """A game in small integers. Sets of items are masks; actions are numbers.

    Attributes
    ----------
    utilities : tuple of tuple of int
        u_S(x) by action and set.
    prices : tuple of int or infinity
        By set of newly revealed items.
    terms : Terms
        What may be revealed at once.
    listed : tuple of int
        The moves, where they are listed.
    """

    utilities: tuple[tuple[int, ...], ...]
    prices: tuple[Price, ...]
    terms: Terms = Terms.ANY_SET
    listed: tuple[int, ...] = ()

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.everything.bit_count()

    @property
    def everything(self) -> int:
        """K, the set of all items."""
        return len(self.prices) - 1

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """What may be revealed at once; the null move is 0."""
        if self.terms is Terms.SINGLE_ITEMS:
            return (0, *(1 << j for j in range(self.items)))
        return self.listed or tuple(range(len(self.prices)))

    @property
    def sets(self) -> tuple[int, ...]:
        """The sets that can come to be revealed, in ascending order."""
        return self.listed or tuple(range(len(self.prices)))

    @cached_property
    def picked(self) -> tuple[int, ...]:
        """a_S by set: the first of the best actions."""
        return tuple(column.index(max(column)) for column in zip(*self.utilities, strict=True))

    def after(self, revealed: int) -> tuple[int, ...]:
        """Return the larger sets that one move of finite price leads to."""
        if revealed not in self._after:
            found = {revealed | move for move in self.moves} - {revealed}
            within = (t for t in found if self.prices[t & ~revealed] < inf)
            self._after[revealed] = tuple(sorted(within))
        return self._after[revealed]

    @cached_property
    def _after(self) -> dict[int, tuple[int, ...]]:
        """What :meth:`after` has found."""
        return {}

    def reward(self, start: int, revealed: int, end: int) -> Price:
        """Return u_F(a_T) - u_F(a_S) - p(T minus S), for S, T and F in this order."""
        gain = self.utilities[self.picked[revealed]][end] - self.utilities[self.picked[start]][end]
        return gain - self.prices[revealed & ~start]

    @property
    def additive(self) -> bool:
        """Whether prices are told item by item."""
        return self.terms not in (Terms.SUBADDITIVE, Terms.SUPERADDITIVE)

    @property
    def told(self) -> Any:
        """The prices as theory reads them: by item where they add, else by a function."""
        bits = {name: 1 << j for j, name in enumerate(names(self.everything))}
        if self.additive:
            return {name: self.prices[bit] for name, bit in bits.items()}
        return lambda new: self.prices[sum(bits[name] for name in new)]

    @property
    def game(self) -> MarginalValueGame:
        """The same, as theory writes it: items I1, I2, …, actions a, b, …."""
        return _game(self)

    def solve(self, ties: Ties = Ties.FEWEST_ITEMS) -> Equilibrium:
        """Return the equilibrium."""
        return _solve_game(self, ties)

    @property
    def magnitude(self) -> tuple[Price, ...]:
        """What makes one instance larger than another of as many items."""
        numbers = [u for row in self.utilities for u in row]
        finite = [p for p in self.prices if p < inf]
        return (
            sum(p < 0 for p in finite),
            len(self.utilities),
            len(self.prices) - len(finite),
            sum(map(abs, numbers)),
            sum(u < 0 for u in numbers),
            sum(map(abs, finite)),
            len(self.listed),
        )

    def __str__(self) -> str:
        rows = [
            f"{name_set(s)}=({', '.join(str(row[s]) for row in self.utilities)})" for s in self.sets
        ]
        single = [1 << j for j in range(self.items)]
        priced = single if self.additive else range(1, len(self.prices))
        prices = ", ".join(f"{name_set(s)} at {self.prices[s]}" for s in priced)
        moves = ", ".join(map(name_set, self.listed)) or str(self.game.moves)
        return f"u: {', '.join(rows)}; {prices}; moves: {moves}"


def names(revealed: int) -> list[str]:
    """Return the items of a set."""
    return [f"I{j + 1}" for j in range(revealed.bit_length()) if revealed >> j & 1]


def name_set(revealed: int) -> str:
    """Write a set of items."""
    return "{" + ", ".join(names(revealed)) + "}" if revealed else "∅"


@lru_cache(maxsize=256)
def _game(instance: MarginalInstance) -> MarginalValueGame:
    table = [[row[s] for s in instance.sets] for row in instance.utilities]
    moves: Any = Moves.SUBSETS
    if instance.terms is Terms.SINGLE_ITEMS:
        moves = Moves.SINGLE_ITEMS
    elif instance.listed:
        moves = list(map(names, instance.listed))
    items = names(instance.everything)
    return MarginalValueGame.of(items, table, instance.told, moves, tuple("abc"[: len(table)]))


@lru_cache(maxsize=_KEPT)
def _solve_game(instance: MarginalInstance, ties: Ties) -> Equilibrium:
    return equilibrium(instance.game, ties)


Solve = Callable[[MarginalInstance], Strategy]


def fewest_items(instance: MarginalInstance) -> Strategy:
    """Return the equilibrium, ties going to the null move and then to the fewest items."""
    return strategy_of(instance.solve(Ties.FEWEST_ITEMS))


def most_items(instance: MarginalInstance) -> Strategy:
    """Return the equilibrium, ties going to the most items."""
    return strategy_of(instance.solve(Ties.MOST_ITEMS))


def strategy_of(found: Equilibrium) -> Strategy:
    """Return where an equilibrium leads from each set."""
    sets = found.game.sets
    return dict(zip(sets.tolist(), sets[found.follow].tolist(), strict=True))


def path(strategy: Strategy, start: int = 0) -> list[int]:
    """Return the sets that a play goes through, from a set on."""
    places = [start]
    while strategy[places[-1]] != places[-1]:
        places.append(strategy[places[-1]])
    return places


def ends(strategy: Strategy) -> Strategy:
    """Return what the game ends at from each set."""
    return {s: path(strategy, s)[-1] for s in strategy}


@dataclass(frozen=True)
class MarginalGames:
    """Builds games, the simplest first.

    The first action has utility 0 everywhere, for only differences matter. What the judge expects
    knowing nothing decides on a_∅ and on nothing else, so with ``prior`` 0 all actions tie there
    and the first is taken. By :func:`~theory.marginal_value.as_prior` every table of utilities is
    that of some prior, so tables lose nothing.

    Attributes
    ----------
    terms : tuple of Terms
        What is drawn from; the first alone for one item.
    utilities, prior : tuple of int
        Utilities of the other actions to draw from, at sets of items and at the empty set.
    prices, last : tuple of int or infinity
        Prices of items to draw from, and of the last item.
    surcharges : tuple of int
        What to add to the price of several items; larger sets cost at least what parts add to.
    rebates : tuple of int
        What to take off the price of several items; larger sets cost at most what parts add to.
    third_from : int or infinity
        From how many items on there may be a third action.
    copies : Copies
        Where it is not nothing, a set F is drawn too, and these sets say what K says.
    """

    terms: tuple[Terms, ...] = (Terms.ANY_SET,)
    utilities: tuple[int, ...] = (0, 1, -1, 2, -2)
    prior: tuple[int, ...] = (0,)
    prices: tuple[Price, ...] = (0, 1, -1)
    last: tuple[Price, ...] = (0, 1, -1)
    surcharges: tuple[int, ...] = (1,)
    rebates: tuple[int, ...] = (1,)
    third_from: float = 3
    copies: Copies = Copies.NOTHING

    def __call__(self, draw: Draw, items: int) -> MarginalInstance:
        """Build one."""
        everything = (1 << items) - 1
        terms = draw.choice(self.terms[: None if items > 1 else 1])
        actions = 2 + draw.index(2) if items >= self.third_from else 2
        listed = _draw_family(draw, everything) if terms is Terms.UNION_CLOSED else ()
        prices = self._prices(draw, terms, items)
        sets = listed or tuple(range(everything + 1))
        copies = self._draw_copies(draw, sets)
        rows = [self._row(draw, sets, copies) for _ in range(actions - 1)]
        return MarginalInstance(((0,) * len(prices), *rows), prices, terms, listed)

    def __str__(self) -> str:
        third = f", or three from {self.third_from} items on" if self.third_from < inf else ""
        parts = [
            f"games in which {', or '.join(self.terms)}",
            f"two actions{third}, the first of utility 0, others {_list(self.utilities)}",
            f"before anything is revealed {_list(self.prior)}",
            f"prices {_list(self.prices)}, of the last item {_list(self.last)}",
        ]
        if Terms.SUBADDITIVE in self.terms:
            parts.append(f"of several items {_list(self.rebates)} less than apart, or lower")
        if Terms.SUPERADDITIVE in self.terms:
            parts.append(f"of several items {_list(self.surcharges)} more than apart, or higher")
        if self.copies is not Copies.NOTHING:
            parts.append(f"for some set F, {self.copies} says what everything says")
        return "; ".join(parts)

    def _draw_copies(self, draw: Draw, sets: tuple[int, ...]) -> set[int]:
        """Return the sets that say what K says."""
        if self.copies is Copies.NOTHING:
            return set()
        chosen = draw.choice(sets[:0:-1])
        if self.copies is Copies.ALONE:
            return {chosen} - {sets[-1]}
        return {s for s in sets[:-1] if s & chosen == chosen}

    def _row(self, draw: Draw, sets: tuple[int, ...], copies: set[int]) -> tuple[int, ...]:
        row = [0] * (sets[-1] + 1)
        for s in sets:
            if s not in copies:
                row[s] = draw.choice(self.utilities if s else self.prior)
        for s in copies:
            row[s] = row[-1]
        return tuple(row)

    def _prices(self, draw: Draw, terms: Terms, items: int) -> tuple[Price, ...]:
        each = [draw.choice(self.prices) for _ in range(items - 1)]
        each.append(draw.choice(self.last))
        table = [sum(p for j, p in enumerate(each) if s >> j & 1) for s in range(1 << items)]
        for s in range(1 << items):
            parts = [table[t] + table[s & ~t] for t in range(1, s) if t & s == t]
            if parts and terms is Terms.SUPERADDITIVE:
                table[s] = max(table[s] + draw.choice(self.surcharges), *parts)
            if parts and terms is Terms.SUBADDITIVE:
                table[s] = min(table[s] - draw.choice(self.rebates), *parts)
        return tuple(table)


def _list(numbers: Sequence[Price]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _draw_family(draw: Draw, everything: int) -> tuple[int, ...]:
    """Return a union-closed family with the null move and K; which others, is drawn."""
    found = {0, everything}
    for mask in range(1, everything):
        if draw.index(2):
            found |= {mask | known for known in found}
    return tuple(sorted(found))


def games(build: MarginalGames, levels: Sequence[int]) -> Family[MarginalInstance]:
    """Return a family of games, described by what they are built from."""
    return Family(
        description=str(build),
        level_name="items",
        levels=tuple(levels),
        build=build,
        size=_size,
    )


def _size(instance: MarginalInstance) -> tuple[Price, ...]:
    return instance.magnitude
