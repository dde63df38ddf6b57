"""Reading what language models are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, LimitError

__all__ = ["MOST_REPLIES", "number_of_replies", "read_count", "read_prompt", "read_replies"]

MOST_REPLIES: Final = 10**7
"""The most replies that an explicit model draws in one call."""


def read_count(argument: str, value: Any, least: int, most: int) -> int:
    """Return an integer from ``least`` to ``most``.

    Raises
    ------
    InvalidInputError
        For what is no integer, booleans among it, and for one below.
    LimitError
        For one above.
    """
    if isinstance(value, np.integer):
        value = int(value)
    if type(value) is not int or value < least:
        fix = f"give an integer of at least {least}"
        raise InvalidInputError(argument, value, "is not a count", fix)
    if value > most:
        raise LimitError(argument, value, f"is above {most:,}", f"give at most {most:,}")
    return value


def number_of_replies(n: Any, rng: Any) -> int:
    """Return how many replies to draw, once both arguments are what they should be.

    Raises
    ------
    InvalidInputError
        Where n is no count, or ``rng`` no generator of numpy.
    LimitError
        Where n is above :data:`MOST_REPLIES`.
    """
    if not isinstance(rng, np.random.Generator):
        fix = "give numpy.random.default_rng(seed)"
        raise InvalidInputError("rng", rng, "is no numpy.random.Generator", fix)
    return read_count("n", n, 0, MOST_REPLIES)


def read_prompt(prompt: Any) -> str:
    """Return a prompt, which may be empty.

    Raises
    ------
    InvalidInputError
        For what is no text.
    """
    if not isinstance(prompt, str):
        raise InvalidInputError("prompt", prompt, "is no text", "give a str")
    return prompt


def read_replies(replies: Any) -> tuple[str, ...]:
    """Return replies as a tuple.

    Raises
    ------
    InvalidInputError
        For what is no sequence of texts; a single text is none.
    """
    fix = "give a list of str"
    if isinstance(replies, str) or not isinstance(replies, Sequence):
        raise InvalidInputError("replies", replies, "are no sequence of texts", fix)
    for reply in replies:
        if not isinstance(reply, str):
            raise InvalidInputError("replies", reply, "is no text", fix)
    return tuple(replies)
