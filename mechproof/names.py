"""What to say when nothing bears the name that was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from theory.errors import UnknownNameError

__all__ = ["unknown_name"]


def unknown_name(argument: str, value: str, known: Iterable[str]) -> UnknownNameError:
    """Return the error for ``value``, which is none of ``known``; it names the nearest one."""
    names = sorted(set(known))
    near = get_close_matches(value, names, n=1, cutoff=0.5)
    if near:
        fix = f"did you mean {near[0]!r}?"
    elif names:
        fix = f"known are {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
    else:
        fix = "there are none"
    return UnknownNameError(argument, value, "is unknown", fix)
