"""What a record holds, as a model that says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import convert

from mechanisms.protocols import Message, Sampled
from theory.shared.shapes import Float64

__all__ = ["RecalledAnswer"]


class RecalledAnswer:
    """Says what the body of one answer holds, whatever it is asked.

    Anybody may have written a record. So adapters ask this model as they ask one that need not be
    trusted, by ``checked_sample``, ``checked_log_prob``, ``checked_chat`` and ``checked_embed``.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Return the replies, with their log-probabilities."""
        replies = convert(self._body["replies"], tuple[str, ...])
        return Sampled(prompt, replies, self.log_prob(prompt, replies))

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return the log-probabilities."""
        return np.array(convert(self._body["log_probs"], list[float]), dtype=np.float64)

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return the text."""
        return convert(self._body["text"], str)

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return the vectors."""
        vectors = convert(self._body["vectors"], list[list[float]])
        dimension = self._body.get("dimension", -1)
        return np.array(vectors, dtype=np.float64).reshape(len(vectors), dimension)
