"""How deeply JSON text is nested, told before anything walks it."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_deeper"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def is_deeper(text: str, most: int) -> bool:
    """Return whether lists and objects stand more than ``most`` deep in JSON text.

    The text need not be valid: what stands in strings is passed over, and a bracket is closed by
    any other. It takes O(length) time and no memory.

    Examples
    --------
    >>> is_deeper('[[1], "[[["]', 2), is_deeper("[[[", 2)
    (False, True)
    """
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0][0]
        if sign in "[{":
            depth += 1
            if depth > most:
                return True
        elif sign != '"':
            depth -= 1
    return False
