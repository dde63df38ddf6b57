"""Reading what servers answer; whatever may come, a wrong answer is never taken for a right one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from math import inf
from typing import Annotated, Any, Final

from msgspec import Meta

from llm_adapters.errors import CallError, MissingCapabilityError

__all__ = [
    "LogProb",
    "add_cost_to_errors",
    "bound",
    "choices_of",
    "log_probs_of",
    "tokens_of",
    "usage_of",
]

LogProb = Annotated[float, Meta(le=0)]
_ROUNDING: Final = 1e-5  # how far above 0 a log-probability in single precision may come out
_LARGEST: Final = 10**12
_FRAME: Final = 32  # tokens that a chat template puts around a message, at most
_BEGINNING: Final = 128  # and around all of them, a system message of its own included


def bound(*texts: str) -> int:
    """Return how many tokens texts may have at most, with what templates put around them.

    A token has at least one byte.
    """
    sizes = (len(text.encode("utf-8", "surrogatepass")) + _FRAME for text in texts)
    return _BEGINNING + sum(sizes)


def usage_of(data: Mapping[str, Any], at_most: tuple[int, int]) -> tuple[int, int]:
    """Return the tokens of input and output; the most there may be where the server is silent."""
    usage = data.get("usage")
    if not isinstance(usage, Mapping):
        return at_most
    found = (usage.get("prompt_tokens"), usage.get("completion_tokens", 0))
    ins, outs = (
        count if type(count) is int and 0 <= count <= _LARGEST else most
        for count, most in zip(found, at_most, strict=True)
    )
    return ins, outs


@contextmanager
def add_cost_to_errors(data: Mapping[str, Any], at_most: tuple[int, int]) -> Iterator[None]:
    """Let an error about an answer say what the answer cost."""
    try:
        yield
    except CallError as error:
        error.used = usage_of(data, at_most)
        raise


def choices_of(data: Mapping[str, Any], most: int) -> list[Mapping[str, Any]]:
    """Return the choices, at least one and at most so many.

    Raises
    ------
    CallError
        Where there is another number of them, or what is none.
    """
    given = data.get("choices")
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise CallError("the server's answer has no list of choices", "fix the server")
    if not given:
        raise CallError("the server's answer has no choices", "fix the server")
    if len(given) > most:
        problem = f"the server gave {len(given)} choices when asked for {most}"
        raise CallError(problem, "fix the server")
    indices = [one.get("index", place) for place, one in enumerate(given)]
    if sorted(map(str, indices)) != sorted(map(str, range(len(given)))):
        raise CallError("the server numbers its choices wrongly", "fix the server")
    return sorted(given, key=lambda one: int(one.get("index", 0)))


def tokens_of(choice: Mapping[str, Any]) -> tuple[list[str], list[Any], list[Any]]:
    """Return the tokens of a choice, their log-probabilities, and where each begins.

    Raises
    ------
    MissingCapabilityError
        Where the server gives none.
    CallError
        Where they do not fit together.
    """
    logprobs = choice.get("logprobs")
    lists: list[list[Any]] = []
    for name in ("tokens", "token_logprobs", "text_offset"):
        found = logprobs.get(name) if isinstance(logprobs, Mapping) else None
        if not isinstance(found, list):
            problem = f"the server gives no log-probabilities (its answer has no {name})"
            fix = "use a server whose /completions gives logprobs"
            raise MissingCapabilityError(problem, fix)
        lists.append(found)
    tokens, scores, offsets = lists
    if not len(tokens) == len(scores) == len(offsets):
        problem = (
            f"the server gives {len(tokens)} tokens, {len(scores)} log-probabilities and "
            f"{len(offsets)} places"
        )
        raise CallError(problem, "fix the server")
    if not all(isinstance(token, str) for token in tokens):
        raise CallError("the server gives tokens that are not text", "fix the server")
    places = all(type(place) is int for place in offsets)
    if not places or any(a > b for a, b in pairwise(offsets)):
        raise CallError("the server gives places of tokens that are not numbers", "fix the server")
    return tokens, scores, offsets


def log_probs_of(tokens: list[str], scores: list[Any]) -> list[float]:
    """Return log-probabilities as floats of at most 0.

    Raises
    ------
    CallError
        For what is none: null, NaN, or above 0 by more than single precision explains.
    """
    found: list[float] = []
    for token, score in zip(tokens, scores, strict=True):
        right = isinstance(score, (int, float)) and not isinstance(score, bool)
        if not right or not score <= _ROUNDING:  # not a number is not below either
            shown = "null" if score is None else repr(score)[:40]
            problem = f"the server gives the token {token[:40]!r} the log-probability {shown}"
            raise CallError(problem, "fix the server")
        found.append(min(float(score), 0.0) if score > -1e300 else -inf)
    return found
