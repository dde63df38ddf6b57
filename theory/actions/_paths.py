"""All paths through a directed graph without cycles."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from theory.actions._arguments import ENTRIES, batch, coefficients, read_size
from theory.actions._graph import Graph, log_sum, maximum, read_edges, read_graph
from theory.actions._noise import draw_noise
from theory.actions._protocol import Action
from theory.actions.listed_softmax import is_index
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count, read_generator
from theory.shared.shapes import Float64, Int64
from theory.shared.text import count_text

__all__ = ["Paths"]


@dataclass(frozen=True)
class Paths:
    """The paths from a source to a sink, with one feature an edge.

    A path is the tuple of its nodes, or of the numbers of its edges where two edges join the same
    nodes. Paths are in the lexicographic order of the numbers of their edges. Edge e is worth z_e
    and a path the sum of its edges: routes, but also sequences of choices, and everything that a
    dynamic program of sums solves.

    Parameters
    ----------
    edges : sequence of pairs (tail, head)
        Edge e is the e-th pair. Nodes are whatever is hashable.
    source, sink : hashable
        Where paths begin and end.

    Raises
    ------
    ShapeError
        When ``edges`` is empty or holds something else than pairs.
    UnknownNameError
        When the source or the sink is on no edge.
    InvalidInputError
        When there is a cycle, the sink is the source or out of reach, or an edge lies on no path:
        its feature would be 0 always.

    Notes
    -----
    A method is a pass over the edges from the sink backwards, layer by layer: O(edges) time for
    each row of what it is given. What remains from a node on, as a maximum or as the logarithm of
    a sum, is known before the nodes that lead there are reached; draws and means then walk forwards
    (forward filtering, backward sampling).

    Examples
    --------
    >>> import numpy as np
    >>> actions = Paths([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b")], "s", "t")
    >>> actions.size
    3
    >>> z = np.array([1.0, 0.0, 0.0, 1.0, 1.0])
    >>> actions.best(z), actions.extremes(z)
    (('s', 'a', 'b', 't'), (1.0, 3.0))
    >>> np.round(actions.mean(np.zeros(5)), 3)
    array([0.667, 0.333, 0.333, 0.667, 0.333])
    """

    edges: tuple[tuple[Hashable, Hashable], ...]
    source: Hashable
    sink: Hashable
    _graph: Graph = field(compare=False)
    _numbers: dict[tuple[Hashable, Hashable], int] | None = field(compare=False)

    def __init__(
        self, edges: Sequence[tuple[Hashable, Hashable]], source: Hashable, sink: Hashable
    ) -> None:
        read = read_edges(edges)
        object.__setattr__(self, "edges", read)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "sink", sink)
        object.__setattr__(self, "_graph", read_graph(read, source, sink))
        numbers = {edge: number for number, edge in enumerate(read)}
        object.__setattr__(self, "_numbers", numbers if len(numbers) == len(read) else None)

    @property
    def size(self) -> int:
        """The number of paths."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return self._graph.count()

    @property
    def dimension(self) -> int:
        """The number of edges."""
        return len(self.edges)

    def __repr__(self) -> str:
        count = count_text(self.size)
        return f"Paths({count} from {self.source!r} to {self.sink!r}, {self.dimension} edges)"

    def __contains__(self, action: Any) -> bool:
        return self._edges_of(action) is not None

    def features(self, actions: Sequence[Action]) -> Float64[np.ndarray, "k dimension"]:
        """Return the indicators of the edges of ``actions``, one row a path."""
        rows = np.zeros((read_size(actions), self.dimension))
        for row, action in zip(rows, actions, strict=True):
            numbers = self._edges_of(action)
            if numbers is None:
                what = "edge numbers" if self._numbers is None else "nodes"
                fix = f"give a tuple of {what} from the source to the sink"
                raise InvalidInputError("actions", action, "is no action of this set", fix)
            row[numbers] = 1
        return rows

    def best(self, z: Float64[np.ndarray, " dimension"]) -> Action:
        """Return the first path that earns most."""
        graph = self._graph
        worth = coefficients(z, self.dimension)[graph.order]
        most = graph.messages(worth[None], maximum)[0]
        values = worth + most[graph.heads]
        node, walk = graph.source, []
        while node != graph.sink:
            begin, end = graph.begins[node], graph.ends[node]
            walk.append(int(begin + values[begin:end].argmax()))
            node = int(graph.heads[walk[-1]])
        return self._action(graph.order[walk].tolist())

    def extremes(self, z: Float64[np.ndarray, " dimension"]) -> tuple[float, float]:
        """Return the lengths of the shortest and of the longest path."""
        worth = coefficients(z, self.dimension)[self._graph.order]
        both = self._graph.messages(np.stack([-worth, worth]), maximum)[:, self._graph.source]
        return -float(both[0]), float(both[1])

    def log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        """Return log sum_a exp <phi(a), z> for each row z."""
        Z = batch(Z, self.dimension)
        found = np.empty(len(Z))
        step = max(1, ENTRIES // self.dimension)
        for start in range(0, len(Z), step):
            worth = Z[start : start + step, self._graph.order]
            sums = self._graph.messages(worth, log_sum)
            found[start : start + step] = sums[:, self._graph.source]
        return found

    def mean(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the probability of each edge under the law proportional to exp <phi(a), z>."""
        graph = self._graph
        onwards = self._onwards(z)
        reached = np.zeros(graph.nodes)
        reached[graph.source] = 1
        mean = np.empty(self.dimension)
        for layer in reversed(graph.layers):
            edges = slice(layer.first, layer.last)
            flow = onwards[edges] * reached[graph.tails[edges]]
            np.add.at(reached, graph.heads[edges], flow)
            mean[graph.order[edges]] = flow
        return mean

    def sample(
        self, z: Float64[np.ndarray, " dimension"], rng: np.random.Generator, n: int
    ) -> list[Action]:
        """Return n independent draws from the law proportional to exp <phi(a), z>."""
        read_generator(rng)
        draws = read_count("n", n, 1)
        bounds = self._bounds(self._onwards(z))
        step = max(1, ENTRIES // len(self._graph.layers))
        drawn: list[Action] = []
        for start in range(0, draws, step):
            drawn += self._walks(bounds, rng, min(step, draws - start))
        return drawn

    def _walks(
        self, bounds: Float64[np.ndarray, " dimension"], rng: np.random.Generator, draws: int
    ) -> list[Action]:
        """Return paths walked from the source, all draws at once."""
        graph = self._graph
        walks = np.full((draws, len(graph.layers)), -1, np.int64)
        at = np.full(draws, graph.source)
        going = np.arange(draws)
        for step in range(len(graph.layers)):
            edges = self._step(bounds, at[going], rng.random(len(going)))
            walks[going, step] = graph.order[edges]
            at[going] = graph.heads[edges]
            going = going[at[going] != graph.sink]
            if len(going) == 0:
                break
        return [self._action([e for e in walk if e >= 0]) for walk in walks.tolist()]

    def choose_perturbed(
        self,
        z: Float64[np.ndarray, " dimension"],
        noise: str,
        scale: float,
        rng: np.random.Generator,
    ) -> Action:
        """Return the path that is best once each edge's worth has a noise of its own added."""
        z = coefficients(z, self.dimension)
        return self.best(z + draw_noise(noise, scale, rng, self.dimension))

    def _onwards(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return how likely each edge follows its tail, in the order of the graph."""
        graph = self._graph
        worth = coefficients(z, self.dimension)[graph.order]
        sums = graph.messages(worth[None], log_sum)[0]
        likely = np.exp(np.minimum(0.0, worth + sums[graph.heads] - sums[graph.tails]))
        totals = np.bincount(graph.tails, likely, minlength=graph.nodes)
        return np.asarray(likely / totals[graph.tails])

    def _bounds(
        self, onwards: Float64[np.ndarray, " dimension"]
    ) -> Float64[np.ndarray, " dimension"]:
        """Return running sums at each node; infinite from the last edge on that has a chance."""
        graph = self._graph
        sums = onwards.copy()
        places = np.arange(len(sums)) - graph.begins[graph.tails]
        reach = 1
        while reach <= places.max():
            far = np.flatnonzero(places >= reach)
            sums[far] += sums[far - reach]
            reach *= 2
        return np.where(sums >= sums[graph.ends[graph.tails] - 1], np.inf, sums)

    def _step(
        self,
        bounds: Float64[np.ndarray, " dimension"],
        nodes: Int64[np.ndarray, " draws"],
        uniform: Float64[np.ndarray, " draws"],
    ) -> Int64[np.ndarray, " draws"]:
        """Return the first edge of each node whose bound exceeds the draw, by bisection."""
        low, high = self._graph.begins[nodes], self._graph.ends[nodes] - 1
        while (low < high).any():
            middle = (low + high) // 2
            beyond = uniform >= bounds[middle]
            low = np.where(beyond, middle + 1, low)
            high = np.where(beyond, high, middle)
        return np.asarray(low)

    def _action(self, numbers: list[int]) -> Action:
        if self._numbers is None:
            return tuple(numbers)
        return (self.source, *(self.edges[number][1] for number in numbers))

    def _edges_of(self, action: Any) -> list[int] | None:
        """Return the numbers of an action's edges, None where it is no action."""
        if not isinstance(action, tuple) or not action:
            return None
        if self._numbers is None:
            if not all(is_index(number, len(self.edges)) for number in action):
                return None
            numbers = [int(number) for number in action]
        else:
            try:
                found = [self._numbers.get(step) for step in pairwise(action)]
            except TypeError:
                return None
            numbers = [number for number in found if number is not None]
            if len(numbers) != len(found) or not found:
                return None
        walk = [self.edges[number] for number in numbers]
        joined = all(a[1] == b[0] for a, b in pairwise(walk))
        whole_way = walk[0][0] == self.source and walk[-1][1] == self.sink
        return numbers if joined and whole_way else None
