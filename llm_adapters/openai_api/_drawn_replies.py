"""Replies as the server drew them, and whether they can be scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any

from llm_adapters.errors import CallError
from llm_adapters.openai_api._echoed_scores import ScoredReply
from llm_adapters.openai_api._reading import LogProb, log_probs_of, tokens_of

__all__ = ["DrawnReply", "read_drawn"]


@dataclass(frozen=True)
class DrawnReply:
    """A reply with the tokens that it was drawn as.

    Attributes
    ----------
    text : str
    ended : bool
        Whether it came to its end; else it was cut.
    tokens : list of str
        With or without what ends it, as the server likes.
    log_probs : list of float

    Raises
    ------
    ValueError
        Where these are not as many as the tokens.
    """

    text: str
    ended: bool
    tokens: list[str]
    log_probs: list[LogProb]

    def __post_init__(self) -> None:
        if len(self.log_probs) != len(self.tokens):
            raise ValueError(f"{len(self.tokens)} tokens have {len(self.log_probs)} numbers")

    def data(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "text": self.text,
            "ended": self.ended,
            "tokens": self.tokens,
            "log_probs": self.log_probs,
        }

    def is_scored_as(self, scored: ScoredReply, end: str, most: int) -> bool:
        """Return whether the server cuts the text into the tokens that it was drawn as."""
        number = len(scored.reply)
        if scored.inside or self.tokens[:number] != scored.reply:
            return False
        rest = self.tokens[number:]
        if not self.ended:
            return not rest and number == most
        return number + len(scored.end) <= most and "".join(rest) in {"", end}

    def drawn(self, scored: ScoredReply) -> float:
        """Return the log-probability of its tokens, the end left out, from when it was drawn."""
        return fsum(self.log_probs[: len(scored.reply)])


def read_drawn(choice: Mapping[str, Any], end: str, most: int) -> DrawnReply:
    """Read a choice.

    Raises
    ------
    MissingCapabilityError
        Where it has no log-probabilities.
    CallError
        Where it has no text, or none of the ends that there are.
    """
    text, finish = choice.get("text"), choice.get("finish_reason")
    if not isinstance(text, str):
        raise CallError("the server gives a reply that is not text", "fix the server")
    if finish not in ("stop", "length"):
        problem = f"the server ended a reply for another reason ({str(finish)[:60]!r})"
        fix = "turn filters off: what they let through is no draw from the model"
        raise CallError(problem, fix)
    tokens, scores, _ = tokens_of(choice)
    text = text.partition(end)[0]
    if finish == "length" and len(tokens) < most:
        problem = f"the server cut a reply after {len(tokens)} of {most} tokens"
        raise CallError(problem, "give a shorter prompt, or a smaller max_tokens")
    return DrawnReply(text, finish == "stop", tokens, log_probs_of(tokens, scores))
