"""Models of which the law of the replies to a prompt is known, not only drawn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from mechanisms.language_models._odds import Decoding
from mechanisms.language_models.arguments import number_of_replies, read_prompt, read_replies
from mechanisms.protocols import Sampled
from theory.errors import LimitError
from theory.shared.shapes import Float64

__all__ = ["LISTED_LIMIT", "Explicit", "ExplicitModel", "Law", "ReplyLaw", "too_many"]

LISTED_LIMIT: Final = 100_000
"""The most replies that a law is listed with."""

Law: TypeAlias = Mapping[str, Fraction | float]
"""The probability of each reply that is possible: rationals where the model has them."""


@runtime_checkable
class ExplicitModel(Protocol):
    """A :class:`~mechanisms.protocols.LanguageModel` that can list its law."""

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently."""
        ...

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y."""
        ...

    def law(self, prompt: str) -> Law:
        """Return pi(y | prompt) for every reply y that is possible."""
        ...


class ReplyLaw(ABC):
    """The law of the reply to one prompt."""

    @abstractmethod
    def draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[tuple[str, ...], Float64[np.ndarray, " replies"]]:
        """Draw n replies and return them with their log-probabilities."""

    @abstractmethod
    def score(self, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return the log-probability of each reply; of what was drawn, the same bits again."""

    @abstractmethod
    def list_replies(self) -> Law:
        """Return the probability of every possible reply, or raise a LimitError."""

    @abstractmethod
    def decode(self, decoding: Decoding) -> ReplyLaw:
        """Return the law after temperature and top-p."""


class Explicit(ABC):
    """A language model by its laws.

    A subclass says in ``reply_law`` what the law is; drawing, scoring and listing follow.
    """

    @abstractmethod
    def reply_law(self, prompt: str) -> Any:
        """Return the law of the reply to a prompt, as an object that draws, scores and lists."""

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind, n negative, or the prompt one that the model
            does not know (an UnknownNameError).
        LimitError
            For more than 10^7 replies.
        """
        law = self.reply_law(read_prompt(prompt))
        replies, log_probs = law.draw(number_of_replies(n, rng), rng)
        return Sampled(prompt, replies, log_probs)

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y, -inf for what is never drawn.

        For what :meth:`sample` drew these are the numbers that came with it, bit for bit.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind, or the prompt one that the model does not know
            (an UnknownNameError).
        """
        known: Float64[np.ndarray, " replies"] = self.reply_law(read_prompt(prompt)).score(
            read_replies(replies)
        )
        return known

    def law(self, prompt: str) -> Law:
        """Return pi(y | prompt) for every reply y that is possible.

        Raises
        ------
        InvalidInputError
            Where the prompt is not text, or one that the model does not know.
        LimitError
            Where there are more than 100,000 replies.
        """
        found: Law = self.reply_law(read_prompt(prompt)).list_replies()
        return found


def too_many(count: float) -> LimitError:
    """Return the error for a law with too many replies to list."""
    shown = f"{count:,.0f}" if count < 1e15 else f"about {count:.0e}"
    problem = f"has {shown} possible replies; a law is listed up to {LISTED_LIMIT:,}"
    return LimitError("law", count, problem, "use a smaller model, or log_prob")
