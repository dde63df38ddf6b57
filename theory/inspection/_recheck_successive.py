"""Successive inspection checked a second time, equation by equation, with plain loops."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.inspection._recheck import Data, all_of, data_of, largest, plain

if TYPE_CHECKING:
    from theory.inspection._successive import SuccessiveInspection

__all__ = ["recheck_successive"]


def recheck_successive(found: SuccessiveInspection) -> Fraction | float:
    """Return the largest error in utilities, payoffs and means, and the most a choice could gain.

    Choices are taken from ``found``; that each of them maximises is checked, and all numbers are
    computed again from the equations. It is infinite where a choice differs between states in which
    the same is revealed. O(depth x options² x states).
    """
    data = data_of(found.problem)
    states = range(len(data.p))
    goods = [{good.name: j for j, good in enumerate(level)} for level in found.problem.levels]
    worth = data.utilities
    faults: list[Fraction | float] = [Fraction(0)]

    def compare(number: Any, sum_of_products: Any, mass: Any = None) -> None:
        faults.append(data.distance(number, sum_of_products, mass))

    def gain(rows: list[list[Any]], picked: int, inside: list[int]) -> None:
        sums = [sum(data.p[w] * row[w] for w in inside) for row in rows]
        surplus = max(sums) - sums[picked]
        if not data.exact or surplus:
            faults.append(plain(data.amount(surplus, sum(data.p[w] for w in inside))))

    tables = [worth]
    for n, level in enumerate(goods):
        default = found.defaults[n]
        gain(worth, default, list(states))
        above = []
        for y, names in enumerate(found.options[n + 1]):
            bought = [level[name] for name in names]
            price = sum(data.prices[n][j] for j in bought)
            codes = all_of([data.seen[n][j] for j in bought], len(data.p))
            picked = found.informed[n][y]
            for code in np.unique(codes):
                inside = np.flatnonzero(codes == code).tolist()
                gain(worth, int(picked[inside[0]]), inside)
                if len(set(picked[inside].tolist())) > 1:
                    return inf
            above.append([worth[int(picked[w])][w] - worth[default][w] - price for w in states])
        worth = above
        tables.append(worth)
    for numbers, table in zip(found.utilities, tables, strict=True):
        for row, expected in zip(numbers.scalars(), table, strict=True):
            for number, value in zip(row, expected, strict=True):
                compare(number, value, 1)
    gain(worth, found.defaults[-1], list(states))
    _walk(found, data, goods, tables, compare)
    return largest(faults)


def _walk(found: Any, data: Data, goods: Any, tables: Any, compare: Any) -> None:
    """Follow the choices through every state and compare what comes of them."""
    means = [0] * len(tables)
    worth, spent = 0, 0
    for w, play in enumerate(found.plays):
        x = found.defaults[-1]
        means[-1] += data.p[w] * tables[-1][x][w]
        paid = 0
        for n in range(len(goods) - 1, -1, -1):
            paid += sum(data.prices[n][goods[n][name]] for name in found.options[n + 1][x])
            x = int(found.informed[n][x][w])
            means[n] += data.p[w] * tables[n][x][w]
        compare(play.spending, paid, 1)
        compare(play.payoff, data.utilities[x][w] - paid, 1)
        worth += data.p[w] * (data.utilities[x][w] - paid)
        spent += data.p[w] * paid
    compare(found.value, worth)
    compare(found.spending, spent)
    for number, mean in zip(found.expected_utilities, means, strict=True):
        compare(number, mean)
