"""Rules that have a name, such as how ties are broken."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from theory.errors import UnknownNameError, nearest

__all__ = ["rule_of"]

Rule = TypeVar("Rule", bound=StrEnum)


def rule_of(kind: type[Rule], value: str, argument: str) -> Rule:
    """Return a member of an enumeration, given as such or by its text.

    Raises
    ------
    UnknownNameError
        For any other text.
    """
    if value not in list(kind):
        raise UnknownNameError(argument, value, "is not known", nearest(value, kind))
    return kind(value)
