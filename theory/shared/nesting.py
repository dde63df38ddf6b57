"""How deeply JSON text is nested, told before anything walks it."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

__all__ = ["is_deeper"]

_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_OTHERS: Final = bytes({*range(256)} - _STEPS.keys())


def is_deeper(text: str, most: int) -> bool:
    """Return whether lists and objects stand more than ``most`` deep in JSON text.

    The text need not be valid: what stands in strings is passed over, and a bracket is closed by
    any other. It takes O(length) time and memory.

    Examples
    --------
    >>> is_deeper('[[1], "[[["]', 2), is_deeper("[[[", 2)
    (False, True)
    """
    plain = _STRING.sub("", text).encode("utf-8", "surrogatepass")
    brackets = plain.translate(None, _OTHERS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > most
