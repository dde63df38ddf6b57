"""Sequences of names, goods and other things, refused where one text stands for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theory.errors import InvalidInputError

__all__ = ["listed"]


def listed(argument: str, given: object, fix: str = "give a list of names") -> tuple[Any, ...]:
    """Return what is given as a tuple.

    A text is no sequence of names: it would be read letter by letter.

    Raises
    ------
    InvalidInputError
        For a text, bytes, or what cannot be gone through.
    """
    if isinstance(given, str | bytes):
        raise InvalidInputError(argument, given, "is one text, not a list", fix)
    if not isinstance(given, Iterable):
        raise InvalidInputError(argument, given, "is not a list", fix)
    return tuple(given)
