"""Protocols checked a second time, by walks through the states and sums at single nodes.

Nothing here is shared with the solvers: knowledge is numbered anew from the values of the
variables, and payoffs are gathered state by state and purchase by purchase.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from math import inf, lcm
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.numbers import ClosedForm
from theory.numbers.balls import ball, enclosing_interval
from theory.shared.rounding import largest_share

if TYPE_CHECKING:
    from theory.inspection._problem import InspectionProblem
    from theory.inspection._protocol import Protocol

__all__ = [
    "ProblemData",
    "data_of",
    "distance_to_walk",
    "join_all_codes",
    "largest",
    "plain",
    "regret_and_share",
    "regret_at_nodes",
    "walk_and_share",
]

_AT_ONCE: Final = 1 << 20
_SMALL: Final = 1 << 31
_NOTHING: Final = Fraction(0)


class ProblemData:
    """The primitives of a problem as lists; rationals as integers over common denominators.

    Beside certified numbers, rationals become balls. ``seen`` numbers what each good of each level
    shows, state by state.
    """

    def __init__(self, problem: InspectionProblem) -> None:
        space, utilities = problem.decision.space, problem.decision.utilities
        self.certified = "certified" in (space.probabilities.kind, utilities.kind)
        self.p: list[Any] = self._lift(space.probabilities.scalars())
        self.utilities: list[list[Any]] = self._lift(utilities.scalars())
        self.prices: list[list[Any]] = self._lift([[g.price for g in x] for x in problem.levels])
        self.exact = isinstance(self.p[0], Fraction)
        self.exact &= all(isinstance(u, Fraction) for row in self.utilities for u in row)
        if self.exact:
            amounts = [*self.utilities, *self.prices]
            self.unit = lcm(*(v.denominator for row in amounts for v in row))
            self.mass = lcm(*(v.denominator for v in self.p))
            self.p = [_count_units(v, self.mass) for v in self.p]
            self.utilities = [[_count_units(u, self.unit) for u in row] for row in self.utilities]
            self.prices = [[_count_units(c, self.unit) for c in row] for row in self.prices]
        self.dtype = self._dtype()
        self.seen: list[list[np.ndarray]] = [
            [_codes([v.by_state for v in good.variables], len(self.p)) for good in level]
            for level in problem.levels
        ]

    def _dtype(self) -> type:
        """Return what holds all payoffs times probabilities, and their sums."""
        if isinstance(self.p[0], float):
            return np.float64
        if self.exact:
            most = max(abs(u) for row in self.utilities for u in row)
            most += sum(abs(c) for row in self.prices for c in row)
            if 2 * most * self.mass < 2**63:
                return np.int64
        return object

    def amount(self, sum_of_products: Any, mass: Any = None) -> Any:
        """Return a sum of probability times amount, divided by a probability, as a number."""
        if self.exact:
            return Fraction(
                int(sum_of_products), int(self.mass if mass is None else mass) * self.unit
            )
        empty = isinstance(sum_of_products, int)  # and not for Python to divide: 0 / 1 is a float
        return sum_of_products if mass is None or empty else sum_of_products / mass

    def distance(self, number: Any, sum_of_products: Any, mass: Any = None) -> Fraction | float:
        """Return how far a number is from such an amount."""
        if self.exact and isinstance(number, Fraction):
            unit = int(self.mass if mass is None else mass) * self.unit
            if number.numerator * unit == number.denominator * int(sum_of_products):
                return _NOTHING
        difference = self._lift(number) - self.amount(sum_of_products, mass)
        return plain(max(difference, -difference))

    def _lift(self, nested: Any) -> Any:
        if isinstance(nested, list):
            return [self._lift(v) for v in nested]
        return ball(nested) if self.certified and isinstance(nested, Fraction) else nested


def _count_units(value: Fraction, unit: int) -> int:
    """Return a rational number as how many times 1/unit it is."""
    return value.numerator * (unit // value.denominator)


@lru_cache(maxsize=2)
def data_of(problem: InspectionProblem) -> ProblemData:
    """Return the primitives of a problem, which one check after the other asks for."""
    return ProblemData(problem)


def distance_to_walk(protocol: Protocol) -> Fraction | float:
    """Return how far payoffs by state, value and spending are from those of a walk.

    In each state the walk buys what is picked, adds the prices and does what is picked last.
    """
    return walk_and_share(protocol)[0]


def walk_and_share(protocol: Protocol) -> tuple[Fraction | float, float]:
    """Return the same, and for floats how large it is as a share of what is won and paid."""
    problem = protocol.problem
    data = data_of(problem)
    payoffs, payments, sizes = [], [], []
    for state in range(len(data.p)):
        row, paid = 0, []
        for n in range(problem.depth, 0, -1):
            k = int(protocol.picked[n][row, state])
            paid += [data.prices[n - 1][j] for j in problem.bundles[n - 1][k]]
            row = row * 2 ** len(problem.levels[n - 1]) + k
        payments.append(sum(paid))
        utility = data.utilities[int(protocol.picked[0][row, state])][state]
        payoffs.append(utility - sum(paid))
        if data.dtype is np.float64:
            sizes.append(abs(utility) + sum(map(abs, paid)))
    worth, spent = (sum(map(_product, data.p, amounts)) for amounts in (payoffs, payments))
    gaps = [
        data.distance(protocol.value, worth),
        data.distance(protocol.spending, spent),
        *map(data.distance, protocol.payoffs.scalars(), payoffs, repeat(1)),
    ]
    if not sizes:
        return largest(gaps), 0.0
    mean = sum(map(_product, data.p, sizes))
    return largest(gaps), largest_share(gaps, [mean, mean, *sizes])


def largest(gaps: Iterable[Fraction | float]) -> Fraction | float:
    """Return the largest of some gaps, none of them below zero; most are the zero kept here."""
    return max((gap for gap in gaps if gap is not _NOTHING), default=_NOTHING)


def regret_at_nodes(protocol: Protocol) -> Fraction | float:
    """Return the most that a node, on the path or off it, could gain given the values known there.

    The expected payoff of each option, the protocol followed afterwards, is summed over the states
    that the values leave; the gain is divided by their probability. It is infinite where a choice
    differs between states that leave the same values.
    O(purchases x states x options).
    """
    return regret_and_share(protocol)[0]


def regret_and_share(protocol: Protocol) -> tuple[Fraction | float, float]:
    """Return the same, and for floats the largest gain as a share of what it is made from.

    What options are worth that are neither chosen nor best does not count for that share.
    """
    data = data_of(protocol.problem)
    floats = data.dtype is np.float64
    p: np.ndarray = np.array(data.p, dtype=data.dtype)
    utilities: np.ndarray = np.array(data.utilities, dtype=data.dtype)
    worst: Fraction | float = _NOTHING
    share = 0.0
    values = sizes = utilities[:0]
    for n, (bought, paid) in enumerate(_rows(protocol.problem, data)):
        offered = join_all_codes([seen for level in data.seen[:n] for seen in level], len(p))
        codes = bought * (offered.max() + 1) + offered
        below, values = values, np.empty(codes.shape, dtype=data.dtype)
        smaller, sizes = sizes, np.empty(codes.shape if floats else 0, dtype=data.dtype)
        each = len(below) // len(codes) if n else len(utilities)
        for part in _parts(len(codes), each * len(p)):
            if n:
                options = below[each * part.start : each * part.stop]
                options = options.reshape(-1, each, len(p)).swapaxes(0, 1)
            else:
                options = utilities[:, np.newaxis] - paid[part, np.newaxis]
            picked = protocol.picked[n][part]
            rows = np.arange(len(picked))[:, np.newaxis]
            values[part] = options[picked, rows, np.arange(len(p))]
            lengths = options
            if floats:
                lengths = abs(utilities)[:, np.newaxis] + abs(paid)[part, np.newaxis]
                if n:
                    lengths = smaller[each * part.start : each * part.stop]
                    lengths = lengths.reshape(-1, each, len(p)).swapaxes(0, 1)
                sizes[part] = lengths[picked, rows, np.arange(len(p))]
            gain, of = _gain(data, p, (options, lengths), picked, codes[part])
            worst, share = largest([worst, gain]), max(share, of)
    return worst, share


def _gain(
    data: ProblemData,
    p: np.ndarray,
    payoffs: tuple[np.ndarray, np.ndarray],
    picked: np.ndarray,
    codes: np.ndarray,
) -> tuple[Fraction | float, float]:
    """Return the most that a node gains by another option, and the largest gain as a share.

    Payoffs of options and the sizes of what they are made from are by row and state.
    """
    options, lengths = payoffs
    states = len(p)
    cells = (codes.argsort(axis=1) + states * np.arange(len(codes))[:, np.newaxis]).ravel()
    ordered = codes.ravel()[cells]
    begins = np.ones(len(cells), dtype=bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    begins[::states] = True
    starts = begins.nonzero()[0]
    sums = np.add.reduceat((options * p).reshape(len(options), -1)[:, cells], starts, axis=1)
    chosen = picked.ravel()[cells]
    least, most = (f.reduceat(chosen, starts) for f in (np.minimum, np.maximum))
    if (least < most).any():
        return inf, inf if data.dtype is np.float64 else 0.0
    gains = sums.max(axis=0) - sums[least, np.arange(len(starts))]
    stops = np.append(starts[1:], len(cells))
    worst: Fraction | float = _NOTHING
    for b in np.flatnonzero(~(gains <= 0)):
        mass = p[cells[starts[b] : stops[b]] % states].sum()
        worst = max(worst, plain(data.amount(gains[b], mass)))
    if data.dtype is not np.float64 or not worst:
        return worst, 0.0
    of = np.add.reduceat((lengths * p).reshape(len(options), -1)[:, cells], starts, axis=1)
    columns = np.arange(len(starts))
    size = np.maximum(of[sums.argmax(axis=0), columns], of[least, columns])
    return worst, largest_share(gains, size)


def _parts(rows: int, cells: int) -> Iterator[slice]:
    """Cut rows of so many cells each into parts that are worked on at once."""
    step = max(1, _AT_ONCE // cells)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def _rows(problem: InspectionProblem, data: ProblemData) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, by n, for all purchases x^N, …, x^(n+1): what they reveal, and their price."""
    states = len(data.p)
    codes = np.zeros((1, states), dtype=np.int64)
    paid: np.ndarray = np.zeros(1, dtype=data.dtype)
    found = [(codes, paid)]
    for goods, prices, sets in reversed(
        [*zip(data.seen, data.prices, problem.bundles, strict=True)]
    ):
        seen = np.array([join_all_codes([goods[j] for j in bundle], states) for bundle in sets])
        costs = [sum(prices[j] for j in bundle) for bundle in sets]
        codes = _join_codes(codes[:, np.newaxis], seen).reshape(-1, states)
        paid = (paid[:, np.newaxis] + np.array(costs, dtype=data.dtype)).ravel()
        found.append((codes, paid))
    return found[::-1]


def _codes(columns: Sequence[Sequence[Hashable]], states: int) -> np.ndarray:
    """Give states that show the same in every column the same number."""
    numbers: dict[Hashable, int] = {}
    shown = [tuple(column[w] for column in columns) for w in range(states)]
    return np.array([numbers.setdefault(values, len(numbers)) for values in shown], dtype=np.int64)


def _join_codes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Give pairs of two codes a code, which stays so small that pairs of codes have one too."""
    codes: np.ndarray = first * (second.max() + 1) + second
    if codes.max() >= _SMALL:
        codes = np.unique(codes, return_inverse=True)[1].reshape(codes.shape)
    return codes


def join_all_codes(codes: Sequence[np.ndarray], states: int) -> np.ndarray:
    """Give states that agree in all codes the same number."""
    joint = np.zeros(states, dtype=np.int64)
    for code in codes:
        joint = _join_codes(joint, code)
    return joint


def _product(a: Any, b: Any) -> Any:
    return a * b


def plain(gap: Any) -> Fraction | float:
    """Return a gap as a rational, which bounds it where it is none, or as a float."""
    if isinstance(gap, ClosedForm):
        rational = gap.as_rational()
        return gap.enclosure().upper if rational is None else rational
    if isinstance(gap, int | Fraction):
        return Fraction(gap)
    return gap if isinstance(gap, float) else enclosing_interval(gap).upper
