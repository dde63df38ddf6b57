"""Successive inspection checked a second time, equation by equation, with plain loops."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.inspection._recheck import ProblemData, data_of, join_all_codes, largest, plain
from theory.shared.rounding import largest_share

if TYPE_CHECKING:
    from theory.inspection._successive import SuccessiveInspection

__all__ = ["gap_and_share", "recheck_successive"]


def recheck_successive(found: SuccessiveInspection) -> Fraction | float:
    """Return the largest error in utilities, payoffs and means, and the most a choice could gain.

    Choices are taken from ``found``; that each of them maximises is checked, and all numbers are
    computed again from the equations. It is infinite where a choice differs between states in which
    the same is revealed. O(depth x options² x states).
    """
    return gap_and_share(found)[0]


def gap_and_share(found: SuccessiveInspection) -> tuple[Fraction | float, float]:
    """Return the same, and for floats its largest error as a share of what it is made from.

    What options are worth that are neither chosen nor best does not count for that share.
    """
    data = data_of(found.problem)
    states = range(len(data.p))
    goods = [{good.name: j for j, good in enumerate(level)} for level in found.problem.levels]
    worth = data.utilities
    faults: list[Fraction | float] = [Fraction(0)]
    floats = data.dtype is np.float64
    sizes: list[Any] = [0]

    def compare(number: Any, sum_of_products: Any, mass: Any = None, size: Any = 0) -> None:
        faults.append(data.distance(number, sum_of_products, mass))
        sizes.append(size)

    def gain(rows: list[list[Any]], of: list[list[Any]], picked: int, inside: list[int]) -> None:
        sums = [sum(data.p[w] * row[w] for w in inside) for row in rows]
        surplus = max(sums) - sums[picked]
        if not data.exact or surplus:
            mass = sum(data.p[w] for w in inside)
            faults.append(plain(data.amount(surplus, mass)))
            best = sums.index(max(sums))
            pair = [sum(data.p[w] * of[x][w] for w in inside) for x in (picked, best)]
            sizes.append(max(pair) / mass if floats else 0)

    of = [[abs(u) if floats else 0 for u in row] for row in worth]
    tables, spread = [worth], [of]
    for n, level in enumerate(goods):
        default = found.defaults[n]
        gain(worth, of, default, list(states))
        above, larger = [], []
        for y, names in enumerate(found.options[n + 1]):
            bought = [level[name] for name in names]
            price = sum(data.prices[n][j] for j in bought)
            codes = join_all_codes([data.seen[n][j] for j in bought], len(data.p))
            picked = found.informed[n][y]
            for code in np.unique(codes):
                inside = np.flatnonzero(codes == code).tolist()
                gain(worth, of, int(picked[inside[0]]), inside)
                if len(set(picked[inside].tolist())) > 1:
                    return inf, inf if floats else 0.0
            above.append([worth[int(picked[w])][w] - worth[default][w] - price for w in states])
            paid = abs(price) if floats else 0
            larger.append([of[int(picked[w])][w] + of[default][w] + paid for w in states])
        worth, of = above, larger
        tables.append(worth)
        spread.append(of)
    for numbers, table, each in zip(found.utilities, tables, spread, strict=True):
        for row, expected, whole in zip(numbers.scalars(), table, each, strict=True):
            for number, value, size in zip(row, expected, whole, strict=True):
                compare(number, value, 1, size)
    gain(worth, of, found.defaults[-1], list(states))
    _walk(found, data, goods, (tables, spread), compare)
    return largest(faults), largest_share(faults, sizes) if floats else 0.0


def _walk(found: Any, data: ProblemData, goods: Any, both: Any, compare: Any) -> None:
    """Follow the choices through every state and compare the outcomes."""
    tables, spread = both
    means, most = [0] * len(tables), [0] * len(tables)
    worth, spent, size = 0, 0, 0
    for w, play in enumerate(found.plays):
        x = found.defaults[-1]
        means[-1] += data.p[w] * tables[-1][x][w]
        most[-1] += data.p[w] * spread[-1][x][w]
        paid, cost = 0, 0
        for n in range(len(goods) - 1, -1, -1):
            each = [data.prices[n][goods[n][name]] for name in found.options[n + 1][x]]
            paid += sum(each)
            cost += sum(map(abs, each)) if data.dtype is np.float64 else 0
            x = int(found.informed[n][x][w])
            means[n] += data.p[w] * tables[n][x][w]
            most[n] += data.p[w] * spread[n][x][w]
        own = spread[0][x][w] + cost
        size += data.p[w] * own
        compare(play.spending, paid, 1, own)
        compare(play.payoff, data.utilities[x][w] - paid, 1, own)
        worth += data.p[w] * (data.utilities[x][w] - paid)
        spent += data.p[w] * paid
    compare(found.value, worth, None, size)
    compare(found.spending, spent, None, size)
    for number, mean, whole in zip(found.expected_utilities, means, most, strict=True):
        compare(number, mean, None, whole)
