"""A law over sequences of words in which each word depends on a state, and moves it on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import exp, inf
from typing import Any, Final

import numpy as np

from mechanisms.language_models._odds import Decoding, Odds
from mechanisms.language_models.explicit import LISTED_LIMIT, Law, ReplyLaw, too_many
from theory.shared.shapes import Bool, Float64, Int64

__all__ = [
    "DRAWN_AT_ONCE",
    "END",
    "Chain",
    "Graph",
    "chosen_edges",
    "draw_replies",
    "paths",
    "possible_replies",
    "split_words",
]

END: Final = -1
"""In place of the number of a word: the reply is over."""

DRAWN_AT_ONCE: Final = 4096
"""How many replies are drawn side by side."""


def split_words(reply: str) -> list[str]:
    """Return the words of a reply: what stands between single spaces."""
    return reply.split(" ") if reply else []


@dataclass(frozen=True, eq=False)
class Graph:
    """States and the words that lead from one to the next; state 0 is the first.

    Attributes
    ----------
    words : tuple of str
        Words by their numbers.
    first : int64 array of shape (states + 1,)
        The edges of state s are those from ``first[s]`` to before ``first[s + 1]``; there are some.
    word : int64 array of shape (edges,)
        The number of the edge's word, or :data:`END`. No two edges of a state have the same one.
    after : int64 array of shape (edges,)
        The state to which it leads; 0 where the reply is over.
    longest : int
        A reply of so many words is over, whatever the state.
    """

    words: tuple[str, ...]
    first: Int64[np.ndarray, " bounds"]
    word: Int64[np.ndarray, " edges"]
    after: Int64[np.ndarray, " edges"]
    longest: int

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.first) - 1

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def edge_of(self) -> dict[tuple[int, int], int]:
        """The edge that a state has for the number of a word."""
        source = np.repeat(np.arange(self.states), np.diff(self.first)).tolist()
        pairs = zip(source, self.word.tolist(), strict=True)
        return {pair: edge for edge, pair in enumerate(pairs)}

    @cached_property
    def _after(self) -> list[int]:
        found: list[int] = self.after.tolist()
        return found

    def path(self, reply: str) -> list[int] | None:
        """Return the edges that spell a reply; None where there is no such path."""
        words = split_words(reply)
        if len(words) > self.longest:
            return None
        state, edges = 0, []
        for word in words:
            edge = self.edge_of.get((state, self.number_of.get(word, END - 1)))
            if edge is None:
                return None
            edges.append(edge)
            state = self._after[edge]
        if len(words) < self.longest:
            edge = self.edge_of.get((state, END))
            if edge is None:
                return None
            edges.append(edge)
        return edges


@dataclass(frozen=True, eq=False)
class Chain(ReplyLaw):
    """A graph with the probability of each edge, given its state.

    Attributes
    ----------
    graph : Graph
    counts : tuple of int, or None
        Whole numbers in proportion to the probabilities of the edges of a state, where those are
        rational.
    logs : float64 array of shape (edges,)
        The logarithms of the probabilities, -inf for what is impossible.
    """

    graph: Graph
    counts: tuple[int, ...] | None
    logs: Float64[np.ndarray, " edges"]

    @classmethod
    def of_counts(cls, graph: Graph, counts: Sequence[int]) -> Chain:
        """Return the chain with these proportions at each state."""
        return cls._of_rows(graph, [Odds.of_counts(counts[a:b]) for a, b in _rows(graph)])

    @classmethod
    def _of_rows(cls, graph: Graph, rows: Sequence[Odds]) -> Chain:
        logs = np.array([one for row in rows for one in row.logs], dtype=np.float64)
        if any(row.counts is None for row in rows):
            return cls(graph, None, logs)
        return cls(graph, tuple(count for row in rows for count in row.counts or ()), logs)

    def decode(self, decoding: Decoding) -> Chain:
        """Return the chain after temperature and top-p at each word."""
        rows = []
        for a, b in _rows(self.graph):
            counts = None if self.counts is None else self.counts[a:b]
            rows.append(Odds(counts, tuple(self.logs[a:b].tolist())).decode(decoding))
        return self._of_rows(self.graph, rows)

    @cached_property
    def _listed_logs(self) -> list[float]:
        found: list[float] = self.logs.tolist()
        return found

    def score(self, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Add up the logarithms along the path of each reply, in its order."""
        return np.array([self._score(reply) for reply in replies], dtype=np.float64)

    def _score(self, reply: str) -> float:
        path = self.graph.path(reply)
        if path is None:
            return -inf
        total = 0.0
        for edge in path:
            total += self._listed_logs[edge]
        return total

    def draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[tuple[str, ...], Float64[np.ndarray, " replies"]]:
        """Draw n replies word by word, one uniform number each."""
        replies: list[str] = []
        totals = [np.zeros(0)]
        for begin in range(0, n, DRAWN_AT_ONCE):
            some, total = draw_replies(
                self.graph, self._steps(), min(DRAWN_AT_ONCE, n - begin), rng
            )
            replies += some
            totals.append(total)
        return tuple(replies), np.concatenate(totals)

    def _steps(self) -> Iterator[Float64[np.ndarray, " edges"]]:
        for _ in range(self.graph.longest):
            yield self.logs

    def list_replies(self) -> Law:
        """Return the probability of each reply, by following every path."""
        possible = self.logs > -inf
        count = possible_replies(self.graph, possible)
        if count > LISTED_LIMIT:
            raise too_many(count)
        found: dict[str, Fraction | float] = {}
        for reply in paths(self.graph, possible):
            held: Any = Fraction(1) if self.counts is not None else 1.0
            for edge in self.graph.path(reply) or ():
                held *= self._probabilities[edge]
            found[reply] = held
        return found

    @cached_property
    def _probabilities(self) -> list[Fraction] | list[float]:
        if self.counts is None:
            return [exp(one) for one in self._listed_logs]
        found: list[Fraction] = []
        for a, b in _rows(self.graph):
            total = sum(self.counts[a:b])
            found += [Fraction(count, total) for count in self.counts[a:b]]
        return found


def possible_replies(graph: Graph, possible: Bool[np.ndarray, " edges"]) -> float:
    """Return the number of paths along possible edges, by a backward sum; inf above 1.8e308."""
    ways = np.ones(graph.states)
    with np.errstate(over="ignore"):
        for _ in range(graph.longest):
            onward = np.where(graph.word == END, 1.0, ways[graph.after])
            ways = np.add.reduceat(np.where(possible, onward, 0.0), graph.first[:-1])
    return float(ways[0])


def paths(graph: Graph, possible: Bool[np.ndarray, " edges"]) -> Iterator[str]:
    """Yield every reply that possible edges spell, in the order of the edges."""
    stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while stack:
        state, spoken = stack.pop()
        if state < 0 or len(spoken) == graph.longest:
            yield " ".join(graph.words[word] for word in spoken)
            continue
        edges = np.arange(graph.first[state], graph.first[state + 1])
        for edge in edges[possible[edges]][::-1].tolist():
            word = int(graph.word[edge])
            if word == END:
                stack.append((END, spoken))
            else:
                stack.append((int(graph.after[edge]), (*spoken, word)))


def draw_replies(
    graph: Graph,
    steps: Iterator[Float64[np.ndarray, " edges"]],
    n: int,
    rng: np.random.Generator,
) -> tuple[list[str], Float64[np.ndarray, " replies"]]:
    """Draw n replies; the t-th of the steps has the log-probabilities of edges for the t-th word.

    Returns the replies, and the sums of the logarithms in the order of the words.
    """
    state = np.zeros(n, dtype=np.int64)
    total = np.zeros(n)
    spoken: list[list[str]] = [[] for _ in range(n)]
    alive = np.arange(n)
    for logs in steps:
        if not alive.size:
            break
        edge = chosen_edges(graph, np.exp(logs), state[alive], rng.random(alive.size))
        total[alive] += logs[edge]
        word = graph.word[edge]
        goes_on = word != END
        alive, word = alive[goes_on], word[goes_on]
        state[alive] = graph.after[edge[goes_on]]
        for number, said in zip(alive.tolist(), word.tolist(), strict=True):
            spoken[number].append(graph.words[said])
    return [" ".join(words) for words in spoken], total


def chosen_edges(
    graph: Graph,
    probabilities: Float64[np.ndarray, " edges"],
    state: Int64[np.ndarray, " replies"],
    uniform: Float64[np.ndarray, " replies"],
) -> Int64[np.ndarray, " replies"]:
    """Return the edge that each uniform number stands for among those of its state."""
    begin = graph.first[state]
    degree = graph.first[state + 1] - begin
    place = np.arange(int(degree.max()))
    inside = place < degree[:, None]
    edges = np.where(inside, begin[:, None] + place, 0)
    held = np.where(inside, probabilities[edges], 0.0)
    sums = np.cumsum(held, axis=1)
    number = (sums <= uniform[:, None] * sums[:, -1:]).sum(axis=1)
    last = held.shape[1] - 1 - np.argmax(held[:, ::-1] > 0, axis=1)
    chosen: Int64[np.ndarray, " replies"] = begin + np.minimum(number, last)
    return chosen


def _rows(graph: Graph) -> list[tuple[int, int]]:
    return list(pairwise(graph.first.tolist()))
