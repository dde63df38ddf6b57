"""Quoting texts in messages."""

from __future__ import annotations

from typing import Final

from theory.shared.arguments import read_count

__all__ = ["quote_around"]

_SHOWN: Final = 120


def quote_around(text: str, at: int = 0) -> str:
    """Return a text as Python would write it, shortened around one place.

    Parameters
    ----------
    text : str
    at : int
        The place in it that matters.

    Examples
    --------
    >>> quote_around("Buy.")
    "'Buy.'"
    >>> quote_around("x" * 1000 + "trouble" + "y" * 1000, at=1000)[58:72]
    'xxxxtroubleyyy'
    """
    read_count("at", at, 0)
    begin = max(0, at - _SHOWN // 2)
    end = min(len(text), begin + _SHOWN)
    begin = max(0, end - _SHOWN)
    before = "…" if begin else ""
    after = "…" if end < len(text) else ""
    return repr(before + text[begin:end] + after)
