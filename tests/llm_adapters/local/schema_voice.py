"""A model of a few tokens that is computed by a table, and what it should write, by brute force."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp, inf, log
from typing import Any

import numpy as np

from llm_adapters.local._json_forms import Node
from llm_adapters.local._json_writer import Written, write_answer
from llm_adapters.local._strings import Pieces

MARKS = (*'{}[]:,"\\ -.0123456789abu', "é", '",', '"a', "12", "ab", " 1", 'b"', "\n", "t", "r", "e")
WORDS = (*"flsnudo", "\ufffd")
END = 0
TOKENS = ("", *MARKS, *(w for w in WORDS if w not in MARKS))


class TableVoice:
    """The law of the next token depends on the last two tokens alone.

    The tokenizer takes the longest token that fits each time; what it cannot spell it leaves out.
    """

    end = END
    pieces = Pieces(TOKENS)

    def __init__(self, seed: int = 0, sharp: float = 1.0, **likely: float) -> None:
        rng = np.random.default_rng(seed)
        size = len(TOKENS)
        table = sharp * rng.normal(size=(size, size, size))
        for token, by in likely.items():
            table[..., TOKENS.index(token)] += by
        self.table = table - np.log(np.exp(table).sum(axis=2, keepdims=True))
        self.asked = 0

    def encode(self, text: str) -> tuple[int, ...]:
        found: list[int] = []
        by_length = sorted(range(1, len(TOKENS)), key=lambda token: -len(TOKENS[token]))
        while text:
            token = next((t for t in by_length if text.startswith(TOKENS[t])), None)
            found += [] if token is None else [token]
            text = text[1 if token is None else len(TOKENS[token]) :]
        return tuple(found)

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(TOKENS[token] for token in tokens)

    def next_log_probs(self, tokens: Sequence[int]) -> Any:
        self.asked += 1
        before = (0, 0, *tokens)
        return self.table[before[-2], before[-1]].copy()

    def log_probs(self, tokens: Sequence[int], continuations: Sequence[Sequence[int]]) -> Any:
        return np.array([self.score([*tokens], [*one]) for one in continuations])

    def score(self, tokens: list[int], more: list[int]) -> float:
        """Return the log-probability of what comes next, token by token."""
        total = 0.0
        for token in more:
            total += float(self.next_log_probs(tokens)[token])
            tokens = [*tokens, token]
        return total


def outcomes(
    form: Node, voice: TableVoice, prompt: Sequence[int], most: int, limit: int = 20_000
) -> dict[str, float]:
    """Return the probability of each answer, by making every choice in every way."""
    found: dict[str, float] = {}
    for path, answer in _paths(form, voice, prompt, most):
        assert abs(answer.log_prob - sum(path)) < 1e-9
        found[answer.text] = found.get(answer.text, 0.0) + exp(sum(path))
        limit -= 1
        assert limit, "too many answers to be listed"
    return found


def _paths(
    form: Node, voice: TableVoice, prompt: Sequence[int], most: int
) -> Iterator[tuple[list[float], Written]]:
    script: list[int] | None = []
    while script is not None:
        path: list[float] = []
        widths: list[int] = []
        pick = _scripted(script, path, widths)
        yield path, write_answer(form, voice, prompt, most, pick)
        taken = [*script, *[0] * (len(widths) - len(script))]
        script = _next(taken, widths)


def _scripted(
    script: list[int], path: list[float], widths: list[int]
) -> Callable[[Any], tuple[int, float]]:
    def pick(weights: Any) -> tuple[int, float]:
        possible = [place for place, weight in enumerate(weights) if weight > -inf]
        place = possible[script[len(path)] if len(path) < len(script) else 0]
        whole = log(sum(exp(weight - max(weights)) for weight in weights)) + max(weights)
        path.append(float(weights[place]) - whole)
        widths.append(len(possible))
        return place, path[-1]

    return pick


def _next(taken: list[int], widths: list[int]) -> list[int] | None:
    """Return the next way to choose; None after the last."""
    while taken and taken[-1] + 1 == widths[len(taken) - 1]:
        taken.pop()
    return [*taken[:-1], taken[-1] + 1] if taken else None


def chances(weights: dict[str, float]) -> dict[str, float]:
    """Return probabilities in proportion to exponentials of weights."""
    sums = {name: exp(weight) for name, weight in weights.items()}
    return {name: p / sum(sums.values()) for name, p in sums.items()}
