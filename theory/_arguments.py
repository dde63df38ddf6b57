"""Arguments of the wrong kind, refused by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theory.errors import InvalidInputError

__all__ = ["instance_of", "listed"]


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


def instance_of(argument: str, given: object, kind: type | tuple[type, ...], fix: str) -> None:
    """Refuse what is not of a class, or of one of several.

    Raises
    ------
    InvalidInputError
        For anything else; ``fix`` says how one comes by the right thing.
    """
    if not isinstance(given, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(each.__name__ for each in kinds)
        raise InvalidInputError(argument, given, f"is not a {names}", fix)
