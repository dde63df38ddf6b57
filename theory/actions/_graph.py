"""Directed graphs without cycles whose edges all lie on a path from a source to a sink."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, ShapeError, UnknownNameError, nearest
from theory.shared.shapes import Float64, Int64

__all__ = ["Graph", "Layer", "log_sum", "maximum", "read_edges", "read_graph"]

_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Layer:
    """The edges out of nodes that are equally far from the sink, sorted by tail and number.

    Attributes
    ----------
    first, last : int
        They stand at first..last-1 in the order of :attr:`Graph.order`.
    tails : int64 array
        Their tails, each once.
    starts : int64 array
        Where each tail's edges begin, counted from ``first``.
    degrees : int64 array
        How many edges each tail has.
    """

    first: int
    last: int
    tails: Int64[np.ndarray, " tails"]
    starts: Int64[np.ndarray, " tails"]
    degrees: Int64[np.ndarray, " tails"]


Gather = Callable[[np.ndarray, Layer], np.ndarray]


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph with nodes 0..V-1 and edges 0..E-1, arranged for passes from the sink backwards.

    Attributes
    ----------
    nodes : int
        V.
    source, sink : int
        Two nodes.
    tails, heads : int64 arrays
        The ends of the edges in the order of :attr:`order`.
    order : int64 array
        The numbers of the edges, those nearest to the sink first.
    layers : tuple of Layer
        Nearest to the sink first; an edge leads to a tail of an earlier layer, or to the sink.
    begins, ends : int64 arrays
        Node v has the edges begins[v]..ends[v]-1, in the order of :attr:`order`.
    """

    nodes: int
    source: int
    sink: int
    tails: Int64[np.ndarray, " edges"]
    heads: Int64[np.ndarray, " edges"]
    order: Int64[np.ndarray, " edges"]
    layers: tuple[Layer, ...]
    begins: Int64[np.ndarray, " nodes"]
    ends: Int64[np.ndarray, " nodes"]

    def messages(
        self, worth: Float64[np.ndarray, "batch edges"], gather: Gather
    ) -> Float64[np.ndarray, "batch nodes"]:
        """Return what ``gather`` makes, at each node, of all paths from there to the sink.

        Parameters
        ----------
        worth : float64 array of shape (batch, E)
            What edges are worth, in the order of :attr:`order`.
        gather : callable
            :func:`maximum` or :func:`log_sum`.
        """
        found = np.zeros((len(worth), self.nodes))
        for layer in self.layers:
            edges = slice(layer.first, layer.last)
            found[:, layer.tails] = gather(worth[:, edges] + found[:, self.heads[edges]], layer)
        return found

    def count(self) -> int:
        """Return the number of paths from the source to the sink."""
        counts = [0] * self.nodes
        counts[self.sink] = 1
        for tail, head in zip(self.tails.tolist(), self.heads.tolist(), strict=True):
            counts[tail] += counts[head]
        return counts[self.source]


def maximum(values: np.ndarray, layer: Layer) -> np.ndarray:
    """Return the largest value of each tail."""
    return np.asarray(np.maximum.reduceat(values, layer.starts, axis=1))


def log_sum(values: np.ndarray, layer: Layer) -> np.ndarray:
    """Return the logarithm of the sum of each tail's exponentials."""
    shift = maximum(values, layer)
    values = np.exp(values - np.repeat(shift, layer.degrees, axis=1))
    return np.asarray(np.log(np.add.reduceat(values, layer.starts, axis=1)) + shift)


def read_edges(edges: Any) -> tuple[tuple[Hashable, Hashable], ...]:
    """Read pairs of nodes.

    Raises
    ------
    ShapeError
        When there are none, or one of them is no pair.
    InvalidInputError
        When a node is not hashable.
    """
    fix = "give pairs (tail, head)"
    try:
        read = tuple(tuple(edge) for edge in edges)
    except TypeError as error:
        raise ShapeError("edges", edges, "is no sequence of pairs", fix) from error
    if not read:
        raise ShapeError("edges", edges, "is empty", "give at least one pair (tail, head)")
    pairs = []
    for edge in read:
        if len(edge) != 2:
            raise ShapeError("edges", edge, "is no pair", fix)
        try:
            hash(edge)
        except TypeError as error:
            raise InvalidInputError(
                "edges", edge, "has a node that is not hashable", fix
            ) from error
        pairs.append((edge[0], edge[1]))
    return tuple(pairs)


def read_graph(edges: Sequence[tuple[Hashable, Hashable]], source: Any, sink: Any) -> Graph:
    """Return the graph with its nodes numbered and its edges arranged.

    Raises
    ------
    UnknownNameError
        When the source or the sink is on no edge.
    InvalidInputError
        When there is a cycle, or an edge that lies on no path from the source to the sink.
    """
    numbers: dict[Hashable, int] = {}
    for edge in edges:
        for node in edge:
            numbers.setdefault(node, len(numbers))
    for argument, node in (("source", source), ("sink", sink)):
        try:
            known = node in numbers
        except TypeError as error:
            raise InvalidInputError(argument, node, "is not hashable", "name a node") from error
        if not known:
            raise UnknownNameError(argument, node, "is on no edge", nearest(node, numbers))
    if source == sink:
        raise InvalidInputError("sink", sink, "is the source", "give two different nodes")
    tails = np.array([numbers[tail] for tail, _ in edges], np.int64)
    heads = np.array([numbers[head] for _, head in edges], np.int64)
    names = list(numbers)
    distances = _distances(tails, heads, names)
    graph = _arrange_edges(tails, heads, distances, numbers[source], numbers[sink])
    _refuse_idle(edges, graph, sink)
    return graph


def _distances(
    tails: Int64[np.ndarray, " edges"], heads: Int64[np.ndarray, " edges"], names: list[Any]
) -> Int64[np.ndarray, " nodes"]:
    """Return the length of the longest path from each node; refuse cycles."""
    backwards: list[list[int]] = [[] for _ in names]
    waiting = [0] * len(names)
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        backwards[head].append(tail)
        waiting[tail] += 1
    distances = [0] * len(names)
    ready = [node for node, edges in enumerate(waiting) if edges == 0]
    for node in ready:
        for tail in backwards[node]:
            distances[tail] = max(distances[tail], distances[node] + 1)
            waiting[tail] -= 1
            if waiting[tail] == 0:
                ready.append(tail)
    if len(ready) < len(names):
        left = {node for node, edges in enumerate(waiting) if edges}
        _refuse_cycle(left, tails, heads, names)
    return np.array(distances, np.int64)


def _refuse_cycle(
    left: set[int],
    tails: Int64[np.ndarray, " edges"],
    heads: Int64[np.ndarray, " edges"],
    names: list[Any],
) -> None:
    onwards = {
        tail: head
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)
        if tail in left and head in left
    }
    node, places = min(left), dict[int, int]()
    while node not in places:
        places[node] = len(places)
        node = onwards[node]
    cycle = [names[met] for met in [*list(places)[places[node] :], node]]
    shown = " → ".join(map(str, cycle[:_SHOWN])) + (" → …" if len(cycle) > _SHOWN else "")
    problem = f"goes round in a cycle: {shown}"
    raise InvalidInputError("edges", cycle, problem, "leave out an edge of it")


def _refuse_idle(edges: Sequence[tuple[Hashable, Hashable]], graph: Graph, sink: Hashable) -> None:
    """Refuse edges that no path from the source to the sink goes through."""
    steps = list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    from_source = [False] * graph.nodes
    to_sink = [False] * graph.nodes
    from_source[graph.source] = to_sink[graph.sink] = True
    for tail, head in steps:
        to_sink[tail] |= to_sink[head]
    for tail, head in reversed(steps):
        from_source[head] |= from_source[tail]
    if not to_sink[graph.source]:
        problem = "cannot be reached from the source"
        raise InvalidInputError("sink", sink, problem, "add the edges of a path")
    idle = [
        number
        for number, (tail, head) in zip(graph.order.tolist(), steps, strict=True)
        if not (from_source[tail] and to_sink[head])
    ]
    if idle:
        number = min(idle)
        problem = f"has edge {number} on no path from the source to the sink"
        raise InvalidInputError("edges", edges[number], problem, "leave it out")


def _arrange_edges(
    tails: Int64[np.ndarray, " edges"],
    heads: Int64[np.ndarray, " edges"],
    distances: Int64[np.ndarray, " nodes"],
    source: int,
    sink: int,
) -> Graph:
    order = np.lexsort((tails, distances[tails]))
    tails, heads = tails[order], heads[order]
    begins = np.flatnonzero(np.diff(tails, prepend=-1))
    ends = np.append(begins[1:], len(tails))
    levels = distances[tails[begins]]
    layers = []
    for group in np.split(np.arange(len(begins)), np.flatnonzero(np.diff(levels)) + 1):
        first, last = int(begins[group[0]]), int(ends[group[-1]])
        starts, degrees = begins[group] - first, ends[group] - begins[group]
        layers.append(Layer(first, last, tails[begins[group]], starts, degrees))
    nodes = len(distances)
    first_edges, last_edges = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    first_edges[tails[begins]] = begins
    last_edges[tails[begins]] = ends
    return Graph(nodes, source, sink, tails, heads, order, tuple(layers), first_edges, last_edges)
