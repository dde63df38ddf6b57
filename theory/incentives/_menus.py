"""Dominant-strategy slacks by the taxation principle: each agent faces a menu that others set.

With the others' reports r fixed, an agent's report buys a consequence c (what it gets) at a price.
Only the cheapest way to each consequence matters, so the best lie of a type t is worth
``max_c v(t, c) - price_r(c)``. That is one comparison for each consequence on the menu, in place of
one for each lie: O(profiles · consequences), where enumeration takes O(profiles · types).
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from theory.incentives.table import Menu, Slacks, Table

__all__ = ["best_lie", "dominance_slacks", "lies_that_gain", "menus"]


def dominance_slacks(table: Table) -> Slacks:
    """Return, for every agent and profile, u(truth) less the most that a lie is worth.

    A report other than the truth that leads to the same outcome is a lie, too, with slack 0.
    Exact. Complexity: O(profiles · min(consequences, types)) for each agent.
    """
    parts, met, comparisons, nontrivial = [], [], 0, 0
    for agent in range(len(table.sizes)):
        ids, paid, judged = (_move_last(a, agent) for a in _of(table, agent))
        lies = judged.sum(axis=1) - 1
        comparisons += int((judged.sum(axis=1) * np.maximum(lies, 0)).sum())
        best, some = _best_lies(table, agent, ids, paid, judged)
        types = np.arange(ids.shape[1])
        truth = table.values[agent][types, ids] - paid
        parts.append(_back(truth - best, table, agent))
        met.append(_back(some & judged, table, agent))
        live = ((ids != ids[:, :1]) | (paid != paid[:, :1])).any(axis=1)
        nontrivial += int((judged.sum(axis=1) * np.maximum(lies, 0))[live].sum())
    return Slacks(np.stack(parts), table.denominator, np.stack(met), True, comparisons, nontrivial)


def best_lie(table: Table, agent: int, position: tuple[int, ...]) -> Any:
    """Return the lie that is worth most to an agent at a profile given by positions."""
    gains, usable = _gains(table, agent, position)
    lies = np.flatnonzero(usable)
    return table.setting.types(agent)[int(lies[gains[lies].argmax()])]


def lies_that_gain(
    table: Table, agent: int, position: tuple[int, ...], more_than: Fraction
) -> np.ndarray:
    """Return which lies gain an agent more than that at a profile, one entry a type."""
    gains, usable = _gains(table, agent, position)
    return np.asarray(usable & (gains > floor(more_than * table.denominator)))


def _gains(table: Table, agent: int, position: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return what each report gains over the truth, and which reports are lies that are judged."""
    line: Any = (*position[:agent], slice(None), *position[agent + 1 :])
    worth = table.values[agent][position[agent], table.consequences[agent][line]]
    worth = worth - table.payments[agent][line]
    lies = table.judged[line].copy()
    lies[position[agent]] = False
    return worth - worth[position[agent]], lies


def menus(table: Table, agent: int) -> Menu:
    """Return the certificate of a pass: the menu of an agent for each profile of the others."""
    ids, paid, judged = (_move_last(a, agent) for a in _of(table, agent))
    count = table.values[agent].shape[1]
    prices = np.zeros((len(ids), count), dtype=paid.dtype)
    offered = np.zeros((len(ids), count), dtype=bool)
    far = _far(table, agent)
    for c in range(count):
        here = judged & (ids == c)
        offered[:, c] = here.any(axis=1)
        prices[:, c] = np.where(here, paid, far).min(axis=1)
    return Menu(np.where(offered, prices, 0), offered)


def _of(table: Table, agent: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return table.consequences[agent], table.payments[agent], table.judged


def _move_last(array: np.ndarray, agent: int) -> np.ndarray:
    moved = np.moveaxis(array, agent, -1)
    return np.ascontiguousarray(moved.reshape(-1, moved.shape[-1]))


def _back(array: np.ndarray, table: Table, agent: int) -> np.ndarray:
    others = [m for i, m in enumerate(table.sizes) if i != agent]
    return np.moveaxis(array.reshape([*others, table.sizes[agent]]), -1, agent)


def _far(table: Table, agent: int) -> int:
    """Return a price above every sum of a value and a payment of the agent's."""
    largest = sum(
        max(abs(int(a.max())), abs(int(a.min())))
        for a in (table.values[agent], table.payments[agent])
    )
    return 4 * largest + 4


def _best_lies(
    table: Table, agent: int, ids: np.ndarray, paid: np.ndarray, judged: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the most that a lie is worth to each type, and whether there is a lie."""
    values, far = table.values[agent], _far(table, agent)
    kinds, types = values.shape[1], np.arange(ids.shape[1])
    best = np.full(ids.shape, -far, dtype=paid.dtype)
    some = np.zeros(ids.shape, dtype=bool)
    if kinds > len(types):
        for lie in types:
            worth = values[types, ids[:, [lie]]] - paid[:, [lie]]
            usable = judged[:, [lie]] & (types != lie)
            best = np.where(usable, np.maximum(best, worth), best)
            some |= usable
        return best, some
    rows = np.arange(len(ids))
    for c in range(kinds):
        prices = np.where(judged & (ids == c), paid, far)
        cheapest = prices.argmin(axis=1)
        first = prices[rows, cheapest]
        prices[rows, cheapest] = far
        second = prices.min(axis=1)
        price = np.where(types == cheapest[:, None], second[:, None], first[:, None])
        usable = price < far
        best = np.where(usable, np.maximum(best, values[:, c] - price), best)
        some |= usable
    return best, some
