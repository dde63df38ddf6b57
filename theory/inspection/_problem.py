"""Inspection problems: a decision, and level upon level of information on offer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, Final

import numpy as np

from theory.decision import DecisionProblem
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    UnknownNameError,
    nearest,
)
from theory.information import Good, price_like
from theory.inspection._knowledge import Labels2D, join_knowledge
from theory.numbers import Exact, Floats, Numbers
from theory.probability import Variable
from theory.shared.arguments import read_tuple
from theory.shared.printable import printed_line
from theory.shared.text import count_text

__all__ = ["MAX_CELLS", "Bundle", "InspectionProblem", "bundles"]

MAX_CELLS: Final = 1 << 24
"""How many combinations of purchases x states x actions are held at once."""

Bundle = tuple[int, ...]
"""Some goods of a level, by their position; the empty one buys nothing."""


def bundles(goods: int) -> tuple[Bundle, ...]:
    """Return all sets of goods: the fewest first, then in the order of the goods."""
    return tuple(b for size in range(goods + 1) for b in combinations(range(goods), size))


@dataclass(frozen=True, eq=False)
class InspectionProblem:
    """A decision x^0, and goods on offer to help each choice (volition, section 3).

    ``levels[n]`` is I^n, the goods that help to choose x^n. x^0 is an action; for n ≥ 1, x^n is a
    set of goods of I^(n-1). The depth N is the number of levels. States of probability zero are
    left out.

    Examples
    --------
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
    >>> decision = DecisionProblem.of(space, {"a": [3, 0], "b": [0, 1]})
    >>> report = Good.of("report", space.variable("state", str), "1/2")
    >>> print(InspectionProblem.of(decision, [[report]]))
    depth 1 on 2 states and 2 actions; level 1: report at 1/2
    """

    decision: DecisionProblem
    levels: tuple[tuple[Good, ...], ...]

    @classmethod
    def of(cls, decision: DecisionProblem, levels: Sequence[Sequence[Good]]) -> InspectionProblem:
        """Check the goods and leave out the states of probability zero.

        Raises
        ------
        InvalidInputError
            For a level without goods, or a good that appears twice.
        ShapeError
            For a variable that is not over the states of the decision.
        ExactnessError, NumberError
            For prices of another kind of number than the decision's, NaN included.
        """
        if not isinstance(decision, DecisionProblem):
            raise InvalidInputError(
                "decision", decision, "is not a DecisionProblem", "list finitely many actions"
            )
        possible = decision.condition_on(np.ones(len(decision.space), dtype=bool))
        kept = decision.space.support
        seen: dict[str, int] = {}
        restricted = []
        for n, level in enumerate(read_tuple("levels", levels, "give a list of lists of goods")):
            argument = f"level {n + 1}"
            if isinstance(level, Good | str) or not all(isinstance(g, Good) for g in level):
                raise InvalidInputError(
                    argument, level, "is not a list of goods", "give a list of lists of goods"
                )
            if len(level) == 0:
                raise InvalidInputError(argument, [], "has no goods", "leave the level out")
            for good in level:
                if good.name in seen:
                    raise InvalidInputError(
                        argument,
                        good.name,
                        f"is a good that level {seen[good.name]} has already",
                        "offer each good once, or name two goods",
                    )
                seen[good.name] = n + 1
                good.signal(len(kept))
                _check_price(good, possible.utilities)
            restricted.append(tuple(_restrict_good(good, kept) for good in level))
        return cls(possible, tuple(restricted))

    def exact(self) -> InspectionProblem:
        """Return the exact problem that a float64 one stands for.

        Utilities and prices are the rationals that the floats are; probabilities are divided by
        their sum, as by :meth:`theory.probability.ProbabilitySpace.exact`. A problem of any other
        kind of number comes back as it is.
        """
        if not isinstance(self.decision.utilities, Floats):
            return self
        levels = tuple(tuple(good.exact() for good in level) for level in self.levels)
        return InspectionProblem(self.decision.exact(), levels)

    @property
    def depth(self) -> int:
        """N, the number of levels."""
        return len(self.levels)

    @property
    def states(self) -> int:
        """The number of possible states."""
        return len(self.decision.space)

    @cached_property
    def bundles(self) -> tuple[tuple[Bundle, ...], ...]:
        """What x^1, …, x^N may be: all sets of goods of each level, in the order of ties.

        Raises
        ------
        LimitError
            For more purchases x states x actions than :data:`MAX_CELLS`.
        """
        self._check_size()
        return tuple(bundles(len(level)) for level in self.levels)

    def options(self, n: int) -> tuple[Hashable, ...]:
        """Return what x^n may be: actions for n = 0, else tuples of names of goods."""
        if n == 0:
            return self.decision.actions
        goods = self.levels[n - 1]
        return tuple(tuple(goods[j].name for j in bundle) for bundle in self.bundles[n - 1])

    def prices(self, n: int, sets: Sequence[Bundle]) -> Numbers:
        """Return the price of each of some sets of goods of level n."""
        asked = n, tuple(sets)
        if asked not in self._priced:
            like = self.decision.utilities
            each: list[Any] = [price_like(good.price, like).item() for good in self.levels[n - 1]]
            nothing = each[0] - each[0]
            sums = [
                sum((each[j] for j in bundle[1:]), each[bundle[0]]) if bundle else nothing
                for bundle in sets
            ]
            kind = Floats if isinstance(like, Floats) else Exact
            self._priced[asked] = kind.of(sums, "prices")
        return self._priced[asked]

    @cached_property
    def _priced(self) -> dict[tuple[int, tuple[Bundle, ...]], Numbers]:
        """The prices that have been asked for."""
        return {}

    def reveals(self, n: int, sets: Sequence[Bundle]) -> Labels2D:
        """Return what each of some sets of goods of level n reveals, one row a set.

        With every set but the empty one its goods but the last are in ``sets`` too.
        """
        single = self._each_signal[n - 1]
        joint: dict[Bundle, Labels2D] = {(): np.zeros((1, self.states), dtype=np.int64)}
        for bundle in sets:
            if bundle:
                joint[bundle] = join_knowledge(joint[bundle[:-1]], single[bundle[-1:], :])
        return np.concatenate([joint[bundle] for bundle in sets])

    @cached_property
    def _each_signal(self) -> list[Labels2D]:
        """What each good reveals, level by level."""
        return [np.array([g.signal(self.states).labels for g in level]) for level in self.levels]

    @cached_property
    def signals(self) -> tuple[Labels2D, ...]:
        """What each bundle of each level reveals."""
        return tuple(self.reveals(n, sets) for n, sets in enumerate(self.bundles, 1))

    def rows(self, n: int) -> int:
        """Return how many purchases (x^N, …, x^(n+1)) there may be before x^n is chosen."""
        return prod(2 ** len(level) for level in self.levels[n:])

    @cached_property
    def bought(self) -> tuple[Labels2D, ...]:
        """By n: what the purchases (x^N, …, x^(n+1)) reveal, one row for each of them.

        The row after buying the k-th bundle of level n in row r is r * (bundles of level n) + k.
        """
        found = [np.zeros((1, self.states), dtype=np.int64)]
        for signals in reversed(self.signals):
            found.append(join_knowledge(found[-1], signals))
        return tuple(reversed(found))

    @cached_property
    def known(self) -> tuple[Labels2D, ...]:
        """By n: what is known when x^n is chosen: I^0, …, I^(n-1) and the purchases."""
        offered = np.zeros((1, self.states), dtype=np.int64)
        found = []
        for n, bought in enumerate(self.bought):
            if n:
                offered = join_knowledge(offered, self.signals[n - 1][-1:])
            found.append(join_knowledge(bought, offered))
        return tuple(found)

    @cached_property
    def paid(self) -> Numbers:
        """What each row of purchases (x^N, …, x^1) costs."""
        floats = isinstance(self.decision.utilities, Floats)
        total: Numbers = Floats(np.zeros(1)) if floats else Exact(np.zeros(1, dtype=np.int64))
        for n in range(self.depth, 0, -1):
            prices = self.prices(n, self.bundles[n - 1])
            rows, sets = len(total), len(prices)
            total = total[np.repeat(np.arange(rows), sets)] + prices[np.tile(np.arange(sets), rows)]
        return total

    def purchases(self, n: int, row: int) -> tuple[int, ...]:
        """Return the bundles bought in a row of level n, as numbers, from x^N down to x^(n+1)."""
        found: list[int] = []
        for sets in self.bundles[n:]:
            row, k = divmod(row, len(sets))
            found.append(k)
        return tuple(reversed(found))

    def row(self, n: int, purchases: Sequence[int]) -> int:
        """Return the row of level n after buying these bundles, from x^N down to x^(n+1)."""
        row = 0
        for sets, k in zip(reversed(self.bundles[n:]), purchases, strict=True):
            row = row * len(sets) + k
        return row

    def bundle(self, n: int, names: Sequence[str]) -> int:
        """Return the number of the bundle of level n that consists of the named goods.

        Raises
        ------
        UnknownNameError
            For a name that no good of the level bears.
        InvalidInputError
            For a good that is named twice.
        """
        known = [good.name for good in self.levels[n - 1]]
        names = read_tuple(f"x^{n}", names)
        for name in names:
            if name not in known:
                raise UnknownNameError(
                    f"x^{n}", name, f"is not a good of level {n}", nearest(name, known)
                )
        if len(set(names)) < len(names):
            raise InvalidInputError(f"x^{n}", names, "buys a good twice", "name each good once")
        return self.bundles[n - 1].index(tuple(sorted(known.index(name) for name in names)))

    def require_exact(self, what: str) -> None:
        """Refuse floats where only exact numbers are worked with.

        Raises
        ------
        ExactnessError
            When utilities are not rational numbers.
        """
        if not isinstance(self.decision.utilities, Exact):
            raise ExactnessError(
                "utilities",
                self.decision.utilities.kind,
                f"is not a kind of number that {what} works with",
                'write probabilities, utilities and prices exactly, such as "1/3", or use '
                "problem.exact()",
            )

    def _check_size(self) -> None:
        cells = self.states * self.rows(0) * len(self.decision.actions)
        if cells > MAX_CELLS:
            raise LimitError(
                "levels",
                f"{count_text(self.rows(0))} combinations of purchases",
                f"times {self.states:,} states and {len(self.decision.actions)} actions make "
                f"{count_text(cells)} cells, above the limit of {MAX_CELLS:,}",
                "offer fewer goods, or merge states that no good tells apart",
            )

    @printed_line
    def __str__(self) -> str:
        offers = "; ".join(
            f"level {n}: " + ", ".join(f"{good.name} at {good.price}" for good in level)
            for n, level in enumerate(self.levels, 1)
        )
        head = (
            f"depth {self.depth} on {self.states} states and {len(self.decision.actions)} actions"
        )
        return f"{head}; {offers}" if offers else head


def _check_price(good: Good, like: Numbers) -> None:
    try:
        price_like(good.price, like)
    except NumberError as error:
        argument = f"price of {good.name}"
        raise type(error)(argument, error.value, error.problem, error.fix) from None


def _restrict_good(good: Good, kept: np.ndarray) -> Good:
    if kept.all():
        return good
    shown = []
    for variable in good.variables:
        values = [v for v, keep in zip(variable.by_state, kept.tolist(), strict=True) if keep]
        shown.append(Variable.of(variable.name, values))
    return Good(good.name, tuple(shown), good.price)
