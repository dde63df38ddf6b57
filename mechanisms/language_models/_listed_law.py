"""A law over a few replies that are written out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from mechanisms.language_models._odds import Decoding, Odds
from mechanisms.language_models.explicit import LISTED_LIMIT, Law, ReplyLaw, too_many
from theory.shared.shapes import Float64

__all__ = ["ListedLaw"]


class ListedLaw(ReplyLaw):
    """Replies with their odds."""

    def __init__(self, replies: Sequence[str], odds: Odds) -> None:
        self.replies = tuple(replies)
        self.odds = odds

    @cached_property
    def log_of(self) -> dict[str, float]:
        """The log-probability of each reply."""
        return dict(zip(self.replies, self.odds.logs, strict=True))

    @cached_property
    def _cumulative(self) -> Float64[np.ndarray, " replies"]:
        """The probability of each reply and those before it; from the last possible one on, 1."""
        probabilities = np.array([float(one) for one in self.odds.probabilities()])
        found = np.cumsum(probabilities)
        found[np.flatnonzero(probabilities)[-1] :] = 1.0
        capped: Float64[np.ndarray, " replies"] = np.minimum(found, 1.0)
        return capped

    def draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[tuple[str, ...], Float64[np.ndarray, " replies"]]:
        """Draw n replies, one uniform number each."""
        numbers = np.searchsorted(self._cumulative, rng.random(n), side="right")
        replies = tuple(self.replies[number] for number in numbers.tolist())
        return replies, np.array(self.odds.logs)[numbers]

    def score(self, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Look the replies up."""
        return np.array([self.log_of.get(reply, -inf) for reply in replies], dtype=np.float64)

    def list_replies(self) -> Law:
        """Return what is possible."""
        if len(self.replies) > LISTED_LIMIT:
            raise too_many(len(self.replies))
        found: list[Any] = list(self.odds.probabilities())
        pairs = zip(self.replies, found, self.odds.logs, strict=True)
        return {reply: probability for reply, probability, one in pairs if one > -inf}

    def decode(self, decoding: Decoding) -> ListedLaw:
        """Return the law after temperature and top-p over whole replies."""
        return ListedLaw(self.replies, self.odds.decode(decoding))
