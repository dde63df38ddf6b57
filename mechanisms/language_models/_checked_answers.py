"""Asking a model that need not be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mechanisms.language_models.arguments import number_of_replies, read_prompt, read_replies
from mechanisms.language_models.errors import LanguageModelError, blame_model
from mechanisms.participants import describe_object
from mechanisms.protocols import LanguageModel, Sampled
from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["checked_log_prob", "checked_sample"]


def checked_sample(
    model: LanguageModel,
    prompt: str,
    n: int,
    rng: np.random.Generator,
    *,
    name: str | None = None,
) -> Sampled:
    """Draw n replies from any model, and refuse what makes no sense.

    Parameters
    ----------
    model : LanguageModel
    prompt : str
    n : int
        From 0 to 10^7.
    rng : numpy.random.Generator
    name : str, optional
        What errors call the model; its class if left out.

    Raises
    ------
    InvalidInputError
        Where an argument is of the wrong kind.
    LanguageModelError
        Where the model raises something that is none of our errors, or returns anything but n
        replies to the prompt with log-probabilities that are finite and at most 0. What was drawn
        has been possible, so -inf is nonsense.

    Examples
    --------
    >>> import numpy as np
    >>> from mechanisms.language_models import TableModel
    >>> model = TableModel({"?": {"Tea.": 1}})
    >>> checked_sample(model, "?", 2, np.random.default_rng(0)).replies
    ('Tea.', 'Tea.')
    """
    called = _name(model, name)
    n = number_of_replies(n, rng)
    asked = read_prompt(prompt)
    fix = "return Sampled(prompt, replies, log_probs)"
    with blame_model(called, "when asked for replies"):
        drawn: Any = model.sample(asked, n, rng)
    if not isinstance(drawn, Sampled):
        raise LanguageModelError(called, f"returned {describe_object(drawn)}", fix)
    if drawn.prompt != asked:
        problem = f"replied to {drawn.prompt!r} when asked {asked!r}"
        raise LanguageModelError(called, problem, fix)
    if len(drawn.replies) != n:
        problem = f"gave {len(drawn.replies)} replies when asked for {n}"
        raise LanguageModelError(called, problem, f"return {n}")
    _sensible(called, drawn.replies, drawn.log_probs)
    impossible = np.flatnonzero(np.isneginf(drawn.log_probs))
    if impossible.size:
        reply = drawn.replies[int(impossible[0])]
        problem = f"drew {reply!r} and gives it the log-probability -inf"
        raise LanguageModelError(called, problem, "score the law that is really sampled")
    return drawn


def checked_log_prob(
    model: LanguageModel, prompt: str, replies: Sequence[str], *, name: str | None = None
) -> Float64[np.ndarray, " replies"]:
    """Score replies with any model, and refuse what makes no sense.

    Parameters
    ----------
    model : LanguageModel
    prompt : str
    replies : sequence of str
    name : str, optional
        What errors call the model; its class if left out.

    Returns
    -------
    float64 array of shape (len(replies),)
        A copy; -inf for what the model never replies.

    Raises
    ------
    InvalidInputError
        Where an argument is of the wrong kind.
    LanguageModelError
        Where the model raises something that is none of our errors, or returns anything but a
        float64 array with a number of at most 0 for each reply.
    """
    called = _name(model, name)
    given = read_replies(replies)
    asked = read_prompt(prompt)
    with blame_model(called, "when asked for log-probabilities"):
        scores: Any = model.log_prob(asked, given)
    if not isinstance(scores, np.ndarray) or scores.dtype != np.float64:
        problem = f"returned {describe_object(scores)} for log-probabilities"
        raise LanguageModelError(called, problem, "return a float64 array")
    if scores.shape != (len(given),):
        problem = f"returned log-probabilities of shape {scores.shape} for {len(given)} replies"
        raise LanguageModelError(called, problem, "return one number a reply")
    _sensible(called, given, scores)
    return scores.copy()


def _name(model: Any, name: Any) -> str:
    if not isinstance(model, LanguageModel):
        fix = "give an object with the methods sample and log_prob"
        raise InvalidInputError("model", model, "is no language model", fix)
    if name is not None and not isinstance(name, str):
        raise InvalidInputError("name", name, "is not text", "give a str")
    return type(model).__name__ if name is None else name


def _sensible(
    called: str, replies: Sequence[str], log_probs: Float64[np.ndarray, " replies"]
) -> None:
    wrong = np.flatnonzero(np.isnan(log_probs) | (log_probs > 0))
    if wrong.size:
        first = int(wrong[0])
        problem = f"gives {replies[first]!r} the log-probability {log_probs[first]}"
        raise LanguageModelError(called, problem, "give logarithms of probabilities, at most 0")
