"""Reading what language models are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from theory.errors import InvalidInputError
from theory.shared.arguments import read_count, read_generator

__all__ = ["MOST_REPLIES", "number_of_replies", "read_prompt", "read_replies"]

MOST_REPLIES: Final = 10**7
"""The most replies that an explicit model draws in one call."""


def number_of_replies(n: Any, rng: Any) -> int:
    """Return how many replies to draw, once both arguments are what they should be.

    Raises
    ------
    InvalidInputError
        Where n is no count, or ``rng`` no generator of numpy.
    LimitError
        Where n is above :data:`MOST_REPLIES`.
    """
    read_generator(rng)
    return read_count("n", n, 0, MOST_REPLIES)


def read_prompt(prompt: Any) -> str:
    """Return a prompt, which may be empty.

    Raises
    ------
    InvalidInputError
        For what is not text.
    """
    if not isinstance(prompt, str):
        raise InvalidInputError("prompt", prompt, "is not text", "give a str")
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
            raise InvalidInputError("replies", reply, "is not text", fix)
    return tuple(replies)
