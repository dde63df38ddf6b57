"""Protocols checked a second time, by walks through the states and sums at single nodes.

Nothing here is shared with the solvers: knowledge is numbered anew from the values of the
variables, and payoffs are gathered state by state and purchase by purchase.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import repeat
from math import inf, lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.numbers import ClosedForm
from theory.numbers.balls import ball, enclosing_interval

if TYPE_CHECKING:
    from theory.inspection._problem import InspectionProblem
    from theory.inspection._protocol import Protocol

__all__ = ["Data", "all_of", "distance_to_walk", "plain", "regret_at_nodes"]


class Data:
    """The primitives of a problem as lists; rationals as integers over common denominators.

    Beside certified numbers, rationals become balls. ``seen`` numbers what each good of each level
    shows, state by state.
    """

    def __init__(self, problem: InspectionProblem) -> None:
        space, utilities = problem.decision.space, problem.decision.utilities
        self.certified = "certified" in (space.probabilities.kind, utilities.kind)
        self.p: list[Any] = self._lifted(space.probabilities.scalars())
        self.utilities: list[list[Any]] = self._lifted(utilities.scalars())
        self.prices: list[list[Any]] = self._lifted([[g.price for g in x] for x in problem.levels])
        self.exact = isinstance(self.p[0], Fraction)
        self.exact &= all(isinstance(u, Fraction) for row in self.utilities for u in row)
        if self.exact:
            amounts = [*self.utilities, *self.prices]
            self.unit = lcm(*(v.denominator for row in amounts for v in row))
            self.mass = lcm(*(v.denominator for v in self.p))
            self.p = [int(v * self.mass) for v in self.p]
            self.utilities = [[int(u * self.unit) for u in row] for row in self.utilities]
            self.prices = [[int(c * self.unit) for c in row] for row in self.prices]
        self.seen: list[list[np.ndarray]] = [
            [_codes([v.by_state for v in good.variables], len(self.p)) for good in level]
            for level in problem.levels
        ]

    def amount(self, sum_of_products: Any, mass: Any = None) -> Any:
        """Return a sum of probability times amount, divided by a probability, as a number."""
        if self.exact:
            return Fraction(sum_of_products, (self.mass if mass is None else mass) * self.unit)
        empty = isinstance(sum_of_products, int)  # and not for Python to divide: 0 / 1 is a float
        return sum_of_products if mass is None or empty else sum_of_products / mass

    def distance(self, number: Any, sum_of_products: Any, mass: Any = None) -> Fraction | float:
        """Return how far a number is from such an amount."""
        difference = self._lifted(number) - self.amount(sum_of_products, mass)
        return plain(max(difference, -difference))

    def _lifted(self, nested: Any) -> Any:
        if isinstance(nested, list):
            return [self._lifted(v) for v in nested]
        return ball(nested) if self.certified and isinstance(nested, Fraction) else nested


def distance_to_walk(protocol: Protocol) -> Fraction | float:
    """Return how far payoffs by state, value and spending are from those of a walk.

    In each state the walk buys what is picked, adds the prices and does what is picked last.
    """
    problem = protocol.problem
    data = Data(problem)
    payoffs, payments = [], []
    for state in range(len(data.p)):
        row, paid = 0, []
        for n in range(problem.depth, 0, -1):
            k = int(protocol.picked[n][row, state])
            paid += [data.prices[n - 1][j] for j in problem.bundles[n - 1][k]]
            row = row * 2 ** len(problem.levels[n - 1]) + k
        payments.append(sum(paid))
        payoffs.append(data.utilities[int(protocol.picked[0][row, state])][state] - sum(paid))
    worth, spent = (sum(map(_product, data.p, amounts)) for amounts in (payoffs, payments))
    return max(
        data.distance(protocol.value, worth),
        data.distance(protocol.spending, spent),
        *map(data.distance, protocol.payoffs.scalars(), payoffs, repeat(1)),
    )


def regret_at_nodes(protocol: Protocol) -> Fraction | float:
    """Return the most that a node, on the path or off it, could gain given the values known there.

    The expected payoff of each option, the protocol followed afterwards, is summed over the states
    that the values leave; the gain is divided by their probability. It is infinite where a choice
    differs between states that leave the same values.
    O(purchases x states x options).
    """
    problem = protocol.problem
    data = Data(problem)
    kind = np.float64 if isinstance(data.p[0], float) else object
    p, utilities = np.array(data.p, dtype=kind), np.array(data.utilities, dtype=kind)
    states = np.arange(len(p))
    below = utilities
    worst: Fraction | float = Fraction(0)
    for n, rows in enumerate(_rows(problem, data)):
        values = np.empty((len(rows), len(p)), dtype=kind)
        offered = all_of([seen for level in data.seen[:n] for seen in level], len(p))
        sets = 2 ** len(problem.levels[n - 1]) if n else 1
        for row, (bought, paid) in enumerate(rows):
            codes = bought * (offered.max() + 1) + offered
            options = below[row * sets : (row + 1) * sets] if n else utilities - paid
            picked = protocol.picked[n][row]
            values[row] = options[picked, states]
            order = codes.argsort()
            starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
            sums = np.add.reduceat((options * p)[:, order], starts, axis=1)
            least, most = (f.reduceat(picked[order], starts) for f in (np.minimum, np.maximum))
            if (least < most).any():
                return inf
            gains = sums.max(axis=0) - sums[least, np.arange(len(starts))]
            for b in np.flatnonzero(~(gains <= 0)):
                mass = p[codes == codes[order[starts[b]]]].sum()
                worst = max(worst, plain(data.amount(gains[b], mass)))
        below = values
    return worst


def _rows(problem: InspectionProblem, data: Data) -> list[list[tuple[np.ndarray, Any]]]:
    """Return, by n, for all purchases x^N, …, x^(n+1): what they reveal, and their price."""
    nothing = np.zeros(len(data.p), dtype=np.int64)
    found: list[list[tuple[np.ndarray, Any]]] = [[(nothing, 0)]]
    for level in range(problem.depth - 1, -1, -1):
        offers = [
            (
                all_of([data.seen[level][j] for j in bundle], len(nothing)),
                sum(data.prices[level][j] for j in bundle),
            )
            for bundle in problem.bundles[level]
        ]
        found.append(
            [
                (_both(codes, seen), paid + price)
                for codes, paid in found[-1]
                for seen, price in offers
            ]
        )
    return found[::-1]


def _codes(columns: Sequence[Sequence[Hashable]], states: int) -> np.ndarray:
    """Give states that show the same in every column the same number."""
    numbers: dict[Hashable, int] = {}
    shown = [tuple(column[w] for column in columns) for w in range(states)]
    return np.array([numbers.setdefault(values, len(numbers)) for values in shown], dtype=np.int64)


def _both(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Give pairs of two codes numbers from 0 on."""
    return np.unique(first * (second.max() + 1) + second, return_inverse=True)[1]


def all_of(codes: Sequence[np.ndarray], states: int) -> np.ndarray:
    """Give states that agree in all codes the same number."""
    joint = np.zeros(states, dtype=np.int64)
    for code in codes:
        joint = _both(joint, code)
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
