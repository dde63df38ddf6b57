"""What to say when nothing bears the name that was asked for."""

from __future__ import annotations

from collections.abc import Iterable

from theory.errors import UnknownNameError, nearest

__all__ = ["unknown_name"]


def unknown_name(argument: str, value: str, known: Iterable[str]) -> UnknownNameError:
    """Return the error for ``value``, which is none of ``known``; it names the nearest one."""
    return UnknownNameError(argument, value, "is unknown", nearest(value, known))
