"""Reading what participants are made from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mechanisms.participants import plain
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["MOST_CHARACTERS", "read_count", "read_names", "read_seed", "read_text"]

MOST_CHARACTERS: Final = 10**7
"""The most that a model is ever shown of one text."""

_LARGEST_SEED: Final = 2**128


def read_text(argument: str, value: Any) -> str:
    """Return text that is more than blanks.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    text = plain(value)
    if text is None or not text.strip():
        raise InvalidInputError(argument, value, "is not text", "give a str that says something")
    return text


def read_names(argument: str, value: Any) -> tuple[str, ...]:
    """Return texts as a tuple; none of them blank, and none twice.

    Raises
    ------
    InvalidInputError
        For what is no list of such texts; a single text is none.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInputError(argument, value, "are not a list", "give a list of str")
    names = tuple(read_text(argument, each) for each in value)
    if len(set(names)) < len(names):
        raise InvalidInputError(argument, names, "are not unique", "name each once")
    return names


def read_seed(value: Any) -> int:
    """Return a seed: an integer from 0 to 2^128.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    return read_count("seed", value, 0, _LARGEST_SEED)
