"""Scores of whole replies: where in the echoed text the reply begins, and where it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum, inf
from typing import Any

from llm_adapters.errors import CallError, MissingCapabilityError
from llm_adapters.openai_api._reading import LogProb, log_probs_of, tokens_of

__all__ = ["ScoredReply", "read_echo"]


@dataclass(frozen=True)
class ScoredReply:
    """A reply as the server cuts it into tokens.

    Attributes
    ----------
    reply, end : list of str
        The tokens of the reply, and those of what ends it.
    log_probs : list of float
        Of all these tokens, each after everything before it.
    inside : str
        Where a token stands across a boundary: which boundary. Then there are no tokens.

    Raises
    ------
    ValueError
        Where there are not as many log-probabilities as tokens.
    """

    reply: list[str]
    end: list[str]
    log_probs: list[LogProb]
    inside: str = ""

    def __post_init__(self) -> None:
        tokens = len(self.reply) + len(self.end)
        if len(self.log_probs) != tokens:
            raise ValueError(f"{tokens} tokens have {len(self.log_probs)} numbers")

    def data(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "reply": self.reply,
            "end": self.end,
            "log_probs": self.log_probs,
            "inside": self.inside,
        }

    @property
    def drawn(self) -> float:
        """The log-probability of the reply's tokens, whatever comes next."""
        return fsum(self.log_probs[: len(self.reply)]) if -inf not in self.log_probs else -inf

    def total(self, most: int) -> float:
        """Return the log-probability of the whole reply, if replies have so many tokens at most.

        A reply with ``most`` tokens is cut there; a shorter one has an end, which is one of them.
        """
        number = len(self.reply)
        if number < most < number + len(self.end) or number > most:
            return -inf
        counted = self.log_probs[:number] if number == most else self.log_probs
        return -inf if -inf in counted else min(fsum(counted), 0.0)


def read_echo(choice: Mapping[str, Any], prompt: str, reply: str, end: str) -> ScoredReply:
    """Read the choice in which the server gives back prompt, reply and end with their scores.

    Raises
    ------
    MissingCapabilityError
        Where it does not give them back, or with places that do not fit its tokens.
    CallError
        For what is no log-probability.
    """
    whole = prompt + reply + end
    text = choice.get("text")
    if not isinstance(text, str) or not text.startswith(whole):
        problem = "the server does not give back the text that it scores (echo)"
        raise MissingCapabilityError(problem, "use a server whose /completions knows echo=true")
    tokens, scores, offsets = tokens_of(choice)
    first = _index(offsets, len(prompt))
    middle = _index(offsets, len(prompt) + len(reply))
    last = _index(offsets, len(whole)) if len(whole) in offsets else len(tokens)
    for token, place, after in zip(
        tokens[first:last], offsets[first:last], [*offsets[first + 1 :], len(text)], strict=False
    ):
        if token != text[place:after] and not _is_fragment(token):
            problem = f"the server's places of tokens do not fit them ({token[:40]!r})"
            fix = "use a server whose text_offset counts characters of the text"
            raise MissingCapabilityError(problem, fix)
    for index, place, name in (
        (first, len(prompt), "the reply begins"),
        (middle, len(prompt) + len(reply), "the reply ends"),
    ):
        if index == len(offsets) or offsets[index] != place or _is_torn(tokens, index):
            return ScoredReply([], [], [], name)
    if first == 0:
        problem = "the server has no token before the reply, so that its first one has no score"
        raise CallError(problem, "give a template that is not empty")
    log_probs = log_probs_of(tokens[first:last], scores[first:last])
    return ScoredReply(tokens[first:middle], tokens[middle:last], log_probs)


def _index(offsets: list[int], place: int) -> int:
    """Return which token is the first that does not begin before a place."""
    return next((i for i, offset in enumerate(offsets) if offset >= place), len(offsets))


def _is_fragment(token: str) -> bool:
    """Return whether a token may be a part of a character, as servers write such tokens."""
    return token == "" or token.startswith("bytes:") or "\ufffd" in token


def _is_torn(tokens: list[str], index: int) -> bool:
    """Return whether a token and the one before it may be parts of one character."""
    return index > 0 and _is_fragment(tokens[index]) and _is_fragment(tokens[index - 1])
