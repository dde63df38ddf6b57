"""The law in proportion to a product of powers of chains: a chain again, with time in its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import exp, inf
from typing import Final

import numpy as np

from mechanisms.language_models._chain import (
    DRAWN_AT_ONCE,
    END,
    Chain,
    Graph,
    draw_replies,
    paths,
    possible_replies,
)
from mechanisms.language_models._odds import Decoding
from mechanisms.language_models.explicit import LISTED_LIMIT, Law, ReplyLaw, too_many
from theory.errors import InvalidInputError, LimitError
from theory.shared.shapes import Float64, Int64

__all__ = ["TiltedChain"]

_MOST_STEPS: Final = 20_000_000
"""The most edges, times the greatest length, that are held in memory."""


class TiltedChain(ReplyLaw):
    """pi(y) in proportion to prod_k pi_k(y)^(c_k), where pi_0(y) > 0.

    With w_e = prod_k p_k(e)^(c_k) for an edge e, and Z_t(s) for the sum over all that may follow t
    words that led to state s, the probability of an edge from s to s' is w_e Z_(t+1)(s') / Z_t(s).
    """

    def __init__(self, chains: Sequence[Chain], powers: Sequence[float]) -> None:
        if len({chain.graph.longest for chain in chains}) > 1:
            lengths = [chain.graph.longest for chain in chains]
            fix = "give models with the same `longest`"
            raise InvalidInputError("models", lengths, "end their replies at other lengths", fix)
        self.powers = tuple(powers)
        self.graph, self.parts = _product(chains)
        cells = self.graph.longest * len(self.graph.word)
        if cells > _MOST_STEPS:
            problem = f"has {cells:,} steps; at most {_MOST_STEPS:,} are held"
            raise LimitError("model", cells, problem, "use a shorter `longest`, or fewer words")
        self._weights = _weighted_logs(self.parts, self.powers)
        self._after_sums = self._backward()
        if self.log_partition == -inf:
            problem = "have no reply that all of them may give"
            raise InvalidInputError("models", "their product", problem, "give others")

    def _backward(self) -> Float64[np.ndarray, "lengths states"]:
        """Return log Z_t(s) by t and s."""
        graph = self.graph
        found = np.zeros((graph.longest + 1, graph.states))
        for t in range(graph.longest - 1, -1, -1):
            onward = np.where(graph.word == END, 0.0, found[t + 1][graph.after])
            found[t] = np.logaddexp.reduceat(self._weights + onward, graph.first[:-1])
        return found

    @property
    def log_partition(self) -> float:
        """The logarithm of sum_y prod_k pi_k(y)^(c_k)."""
        return float(self._after_sums[0, 0])

    @cached_property
    def _source(self) -> Int64[np.ndarray, " edges"]:
        return np.repeat(np.arange(self.graph.states), np.diff(self.graph.first))

    @cached_property
    def _steps(self) -> Float64[np.ndarray, "words edges"]:
        """The log-probability of each edge after t words."""
        graph = self.graph
        onward = np.where(graph.word == END, 0.0, self._after_sums[1:, graph.after])
        here = self._after_sums[:-1, self._source]
        possible = here > -inf
        steps = self._weights + onward - np.where(possible, here, 0.0)
        return np.minimum(np.where(possible, steps, -inf), 0.0)

    def draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[tuple[str, ...], Float64[np.ndarray, " replies"]]:
        """Draw n replies word by word, one uniform number each."""
        replies: list[str] = []
        totals = [np.zeros(0)]
        for begin in range(0, n, DRAWN_AT_ONCE):
            count = min(DRAWN_AT_ONCE, n - begin)
            some, total = draw_replies(self.graph, self._by_word(), count, rng)
            replies += some
            totals.append(total)
        return tuple(replies), np.concatenate(totals)

    def _by_word(self) -> Iterator[Float64[np.ndarray, " edges"]]:
        yield from self._steps

    def score(self, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Add up the logarithms along the path of each reply, in its order."""
        return np.array([self._score(reply) for reply in replies], dtype=np.float64)

    def _score(self, reply: str) -> float:
        path = self.graph.path(reply)
        if path is None:
            return -inf
        total = 0.0
        for t, edge in enumerate(path):
            total += float(self._steps[t, edge])
        return total

    def list_replies(self) -> Law:
        """Return the probability of each reply, by following every path."""
        possible = self._weights > -inf
        count = possible_replies(self.graph, possible)
        if count > LISTED_LIMIT:
            raise too_many(count)
        replies = list(paths(self.graph, possible))
        scores = self.score(replies).tolist()
        return {reply: exp(one) for reply, one in zip(replies, scores, strict=True) if one > -inf}

    def decode(self, decoding: Decoding) -> ReplyLaw:
        """Refuse: the optimum is what is compared with, not what is sampled from."""
        fix = "decode the models that it is made of"
        raise InvalidInputError("model", "a TiltedModel", "cannot be decoded", fix)

    def expected_logs(self) -> tuple[float, Float64[np.ndarray, " chains"]]:
        """Return E[log pi(y)] and E[log pi_k(y)] for each k, over y drawn from pi.

        A forward pass: how likely each edge is after t words, times its logarithm.
        """
        graph, own = self.graph, 0.0
        held: Float64[np.ndarray, " states"] = np.zeros(graph.states)
        held[0] = 1.0
        parts = np.zeros(len(self.parts))
        goes_on = graph.word != END
        for steps in self._steps:
            flow = held[self._source] * np.exp(steps)
            used = flow > 0
            own += float(flow[used] @ steps[used])
            parts += self.parts[:, used] @ flow[used]
            held = np.zeros(graph.states)
            np.add.at(held, graph.after[goes_on], flow[goes_on])
        return own, parts


def _weighted_logs(
    parts: Float64[np.ndarray, "chains edges"], powers: Sequence[float]
) -> Float64[np.ndarray, " edges"]:
    """Return sum_k c_k log p_k by edge; -inf where p_0 is 0."""
    possible = parts[0] > -inf
    total = np.where(possible, 0.0, -inf)
    for logs, power in zip(parts, powers, strict=True):
        if power < 0 and (possible & (logs == -inf)).any():
            problem = "is negative for a model that cannot give what the reference may"
            raise InvalidInputError("powers", power, problem, "give a positive power")
        if power:
            total[possible] += power * logs[possible]
    return total


def _product(
    chains: Sequence[Chain],
) -> tuple[Graph, Float64[np.ndarray, "chains edges"]]:
    """Return a graph that spells what the first chain may reply, with the logs under every chain.

    Where the chains do not share a graph, its states are tuples of theirs: where the words so far
    have led each of them, or None where one of them cannot spell those.
    """
    lead = chains[0].graph
    if all(chain.graph is lead for chain in chains):
        return lead, np.array([chain.logs for chain in chains])
    start: tuple[int | None, ...] = (0,) * len(chains)
    states: dict[tuple[int | None, ...], int] = {start: 0}
    order: list[tuple[int | None, ...]] = [start]
    first, words, after = [0], [], []
    columns: list[list[float]] = []
    for state in order:  # grows while it is read
        here = state[0] or 0
        for edge in range(int(lead.first[here]), int(lead.first[here + 1])):
            word = int(lead.word[edge])
            text = None if word == END else lead.words[word]
            moves = [_follow_word(chain, at, text) for chain, at in zip(chains, state, strict=True)]
            onward = tuple(move for move, _ in moves)
            if word != END and onward not in states:
                states[onward] = len(states)
                order.append(onward)
            words.append(word)
            after.append(0 if word == END else states[onward])
            columns.append([one for _, one in moves])
        first.append(len(words))
    graph = Graph(
        words=lead.words,
        first=np.array(first, dtype=np.int64),
        word=np.array(words, dtype=np.int64),
        after=np.array(after, dtype=np.int64),
        longest=lead.longest,
    )
    return graph, np.array(columns, dtype=np.float64).T.copy()


def _follow_word(chain: Chain, state: int | None, text: str | None) -> tuple[int | None, float]:
    """Return where a word, or None for the end, leads a chain, and its log-probability."""
    graph = chain.graph
    if state is None:
        return None, -inf
    number = END if text is None else graph.number_of.get(text, END - 1)
    edge = graph.edge_of.get((state, number))
    if edge is None:
        return None, -inf
    return int(graph.after[edge]), float(chain.logs[edge])
