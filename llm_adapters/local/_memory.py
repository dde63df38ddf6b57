"""Which tokens a text stands for, where the tokenizer would not make them of it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from threading import Lock

__all__ = ["Memory"]


class Memory:
    """The tokens of each text that was drawn.

    A model can spell one text by several sequences of tokens, and what it draws are tokens. So the
    first that are drawn are those that the text stands for from then on. Safe for threads.

    Examples
    --------
    >>> memory = Memory()
    >>> memory.take("tea", (5, 7)), memory.take("tea", (12,)), memory.take("tea", (5, 7))
    (True, False, True)
    >>> memory.tokens("tea"), memory.tokens("coffee")
    ((5, 7), None)
    """

    def __init__(self) -> None:
        self._drawn: dict[str, array[int]] = {}
        self._lock = Lock()

    def take(self, text: str, tokens: Sequence[int]) -> bool:
        """Let the text stand for the tokens; return whether it does, which the first ones do."""
        with self._lock:
            known = self._drawn.setdefault(text, array("q", tokens))
        return tuple(known) == tuple(tokens)

    def tokens(self, text: str) -> tuple[int, ...] | None:
        """Return what the text stands for; None where it was not drawn."""
        known = self._drawn.get(text)
        return None if known is None else tuple(known)

    def __len__(self) -> int:
        return len(self._drawn)
