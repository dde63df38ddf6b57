"""A language model of a few tokens whose law is written down, and which a server can speak for.

The next token depends on the last one. Text is cut into tokens greedily, the longest first, as
tokenizers do; so a text may have been drawn as tokens other than those that it is cut into.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log

import numpy as np

END = "<end>"
Step = tuple[str, float]


@dataclass(frozen=True)
class TinyLaw:
    """{last token: {next token: weight}}; END ends a reply. ``""`` stands for any other last."""

    odds: Mapping[str, Mapping[str, int]]

    @cached_property
    def tokens(self) -> list[str]:
        names = {END} | set(self.odds) | {name for row in self.odds.values() for name in row}
        return sorted(names - {""}, key=lambda name: (-len(name), name))

    def cut(self, text: str) -> list[str]:
        found = []
        while text:
            token = next((name for name in self.tokens if text.startswith(name)), text[0])
            found.append(token)
            text = text[len(token) :]
        return found

    @cached_property
    def _floats(self) -> dict[str, tuple[list[str], np.ndarray]]:
        rows = {last: self.next(last) for last in self.odds}
        return {
            last: (list(row), np.cumsum([float(chance) for chance in row.values()]))
            for last, row in rows.items()
        }

    def next(self, last: str) -> dict[str, Fraction]:
        row = self.odds.get(last, self.odds[""])
        return {name: Fraction(weight, sum(row.values())) for name, weight in row.items()}

    def scored(self, tokens: list[str]) -> list[float | None]:
        """The log-probability of each token after those before; None for the first."""
        scores: list[float | None] = [None]
        for last, name in itertools.pairwise(tokens):
            chance = self.next(last).get(name, Fraction(0))
            scores.append(log(chance) if chance else float("-inf"))
        return scores[: len(tokens)]

    def draw(self, prompt: str, most: int, rng: np.random.Generator) -> list[Step]:
        last = self.cut(prompt)[-1]
        drawn: list[Step] = []
        while len(drawn) < most and last != END:
            names, sums = self._floats[last if last in self.odds else ""]
            at = min(int(np.searchsorted(sums, rng.random(), side="right")), len(names) - 1)
            last = names[at]
            drawn.append((last, log(sums[at] - (sums[at - 1] if at else 0.0))))
        return drawn

    def likeliest(self, prompt: str, most: int) -> list[Step]:
        last = self.cut(prompt)[-1]
        drawn: list[Step] = []
        while len(drawn) < most and last != END:
            row = self.next(last)
            last = max(row, key=lambda name: row[name])
            drawn.append((last, log(row[last])))
        return drawn

    def law(self, prompt: str, most: int) -> dict[tuple[str, ...], Fraction]:
        """The probability of each reply as a sequence of tokens; END is no part of it."""
        found: dict[tuple[str, ...], Fraction] = {}

        def grow(reply: tuple[str, ...], last: str, chance: Fraction) -> None:
            if len(reply) == most:
                found[reply] = chance
                return
            for name, share in self.next(last).items():
                if name == END:
                    found[reply] = chance * share
                else:
                    grow((*reply, name), name, chance * share)

        grow((), self.cut(prompt)[-1], Fraction(1))
        return found

    def texts(self, prompt: str, most: int) -> Iterator[tuple[str, Fraction]]:
        """The replies whose text is cut into the tokens drawn, with their probabilities."""
        for reply, chance in self.law(prompt, most).items():
            if tuple(self.cut("".join(reply))) == reply:
                yield "".join(reply), chance


PLAIN = TinyLaw(
    {
        "": {"a": 4, "b": 2, "é": 1, END: 3},
        "a": {"a": 1, "b": 5, END: 2},
        "b": {"a": 3, "é": 1, END: 1},
        "é": {"b": 1, END: 6},
    }
)
"""Every text has one sequence of tokens."""

MERGED = TinyLaw(
    {
        "": {"a": 4, "b": 2, "ab": 3, END: 1},
        "a": {"a": 1, "b": 3, END: 2},
        "b": {"a": 2, "ab": 1, END: 1},
        "ab": {"a": 1, END: 1},
    }
)
"""The text "ab" is a token, and may be drawn as two."""
