"""The types of one agent as a graph, for each profile of the others' reports at once.

The step from type l to type t is as long as what t may pay more than l does before t would rather
report l: ``v(t, f(t)) - v(t, f(l))``. Payments without lies that pay are potentials of this graph,
and there are some just where no cycle is of negative length (Rochet, 1987).

Arrays have one row for each profile r of the others; numbers are numerators over the denominator
of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from theory.incentives.table import Table

__all__ = ["Cycles", "Graph", "fewest_steps", "graph_of", "highest_payments"]

_SAFE: Final = 2**62


@dataclass(frozen=True, eq=False)
class Graph:
    """``own[r, t]`` is v(t, f(t)), and ``lengths[r, l, t]`` the length of the step from l to t."""

    own: np.ndarray
    lengths: np.ndarray

    @property
    def types(self) -> int:
        """How many types the agent has."""
        return int(self.own.shape[1])

    def at(self, rows: np.ndarray) -> Graph:
        """Return the graph for some profiles of the others."""
        return Graph(self.own[rows], self.lengths[rows])


@dataclass(frozen=True, eq=False)
class Cycles:
    """Closed walks of ``size`` steps, the fewest with which one is negative.

    ``totals[r, s, u]`` is the length of the shortest one that ends with a step from u to s; on its
    way from s, the type before t after k + 2 steps is ``through[k][r, s, t]``.
    """

    size: int
    totals: np.ndarray
    through: tuple[np.ndarray, ...]

    def types(self, r: int, s: int, u: int) -> tuple[int, ...]:
        """Return the types of a closed walk, each followed by the one that its step comes from."""
        walk = [u]
        for through in reversed(self.through):
            walk.append(int(through[r, s, walk[-1]]))
        return (*walk, s)


def graph_of(table: Table, agent: int) -> Graph:
    """Return the graph of an agent's types; integers that sums could overflow become Python's."""
    ids = np.moveaxis(table.consequences[agent], agent, -1).reshape(-1, table.sizes[agent])
    worth = np.moveaxis(table.values[agent][:, ids], 0, -1)
    if worth.dtype != object and 4 * len(worth[0]) * int(np.abs(worth).max()) >= _SAFE:
        worth = worth.astype(object)
    own = worth.diagonal(axis1=1, axis2=2)
    return Graph(own, own[:, None, :] - worth)


def highest_payments(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the highest payments at which no lie pays and no type loses, and where there are none.

    The payment of t is the length of the shortest walk to t from a start with a step of v(l, f(l))
    to each type l, found by the rounds of Bellman and Ford. Rows that still change in round n, of
    n types, have a negative cycle. O(rows · n^3).
    """
    paid, still = graph.own, np.ones(len(graph.own), dtype=bool)
    for _ in range(graph.types):
        nearer = paid
        for l in range(graph.types):
            nearer = np.minimum(nearer, paid[:, [l]] + graph.lengths[:, l])
        still = np.asarray((nearer < paid).sum(axis=1) > 0)
        paid = nearer
        if not still.any():
            break
    return paid, still


def fewest_steps(graph: Graph, most: int) -> Cycles | None:
    """Return the closed walks of fewest steps among which one is negative; None above ``most``.

    A negative closed walk that passes a type twice consists of two with fewer steps, one of them
    negative. So with the fewest steps no type is passed twice: it is a cycle. O(rows · n^3) a step.
    """
    back = np.swapaxes(graph.lengths, 1, 2)
    walks = graph.lengths
    through: tuple[np.ndarray, ...] = ()
    for size in range(2, most + 1):
        totals = walks + back
        if (totals < 0).any():
            return Cycles(size, totals, through)
        walks, last = _longer(walks, graph.lengths)
        through = (*through, last)
    return None


def _longer(walks: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shortest walks with one step more, and the type before their last one."""
    best = walks[:, :, [0]] + lengths[:, [0]]
    last = np.zeros(best.shape, dtype=np.int64)
    for u in range(1, lengths.shape[1]):
        found = walks[:, :, [u]] + lengths[:, [u]]
        nearer = np.asarray(found < best, dtype=bool)
        best, last = np.where(nearer, found, best), np.where(nearer, u, last)
    return best, last
