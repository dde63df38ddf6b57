"""The check of a pass that shares nothing with the method that found it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from theory.incentives.table import Menu, Table

__all__ = ["menu_gap"]


def menu_gap(table: Table, agent: int, menu: Menu, epsilon: Fraction) -> Fraction:
    """Return by how much menus fail to prove that an agent gains at most epsilon; 0 for a proof.

    A menu proves it where (a) no report buys its consequence below the menu's price and (b) every
    type gets, by telling the truth, at least its best item on the menu less epsilon. For then a
    lie that buys c is worth at most ``v(t, c) - price(c) <= u(t) + epsilon``. Both are looked up in
    the table here, one type of the agent at a time; all in units of 1/denominator.
    """
    worst = Fraction(0)
    slack = ceil(-epsilon)
    rows = np.arange(len(menu.prices))
    by_type = [
        np.ascontiguousarray(np.moveaxis(a, agent, 0)).reshape(table.sizes[agent], -1)
        for a in (table.consequences[agent], table.payments[agent], table.judged)
    ]
    for t, (bought, paid, judged) in enumerate(zip(*by_type, strict=True)):
        on_menu = menu.offered[rows, bought] | ~judged
        undercut = np.where(judged, menu.prices[rows, bought] - paid, 0)
        truth = table.values[agent][t][bought] - paid
        for c in range(menu.prices.shape[1]):
            regret = table.values[agent][t, c] - menu.prices[:, c] - truth + slack
            above = np.where(judged & menu.offered[:, c], regret, 0).max(initial=0)
            worst = max(worst, Fraction(int(above)))
        worst = max(worst, Fraction(int(undercut.max(initial=0))))
        if not on_menu.all():
            return max(worst, Fraction(1))
    return worst
