"""What may stand in a JSON string, character by character and piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from theory.shared.shapes import Int64

__all__ = ["PLAIN", "Pieces", "complete"]

PLAIN: Final = 0
"""Between two characters of a string."""

_ESCAPED, _U4, _U3, _U3D, _U2, _U1 = range(1, 7)  # after \, \u, \uN, \ud, \uNN, \uNNN
_NEVER: Final = -1
_HEX: Final = frozenset("0123456789abcdefABCDEF")


def _step(state: int, c: str) -> int:
    """Return the state after a character; no escape makes half of a surrogate pair."""
    if state == PLAIN:
        return _ESCAPED if c == "\\" else _NEVER if c == '"' or c < " " else PLAIN
    if state == _ESCAPED:
        return _U4 if c == "u" else PLAIN if c in '"\\/bfnrt' else _NEVER
    if c not in _HEX:
        return _NEVER
    if state == _U4:
        return _U3D if c in "dD" else _U3
    if state == _U3D:
        return _U2 if c in "01234567" else _NEVER
    return {_U3: _U2, _U2: _U1, _U1: PLAIN}[state]


def _walk(state: int, text: str) -> tuple[int, int]:
    """Return the state after a text, and how many characters of the string it completes."""
    count = 0
    for c in text:
        state = _step(state, c)
        if state == _NEVER:
            break
        count += state == PLAIN
    return state, count


def complete(text: str, most: int | None) -> str:
    r"""Return the longest part that a text begins with and that can stand in a JSON string.

    Examples
    --------
    >>> complete(r'say \"no\u00', None), complete("abc", 2), complete('a"b', None)
    ('say \\"no', 'ab', 'a')
    """
    state, count, end = PLAIN, 0, 0
    for place, c in enumerate(text, 1):
        state = _step(state, c)
        if state == _NEVER or (count == most):
            break
        if state == PLAIN:
            count, end = count + 1, place
    return text[:end]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The texts of all tokens, by number.

    Attributes
    ----------
    texts : tuple of str
        Half of a character is U+FFFD.
    """

    texts: tuple[str, ...]

    @cached_property
    def _tables(self) -> dict[int, tuple[Int64[np.ndarray, " tokens"], ...]]:
        return {}

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """The tokens that can stand in a number, one space before it included."""
        inside = frozenset("-.0123456789")
        return tuple(
            token
            for token, text in enumerate(self.texts)
            if text and (text == " " or inside.issuperset(text.removeprefix(" ")))
        )

    @cached_property
    def _opening(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for token, text in enumerate(self.texts):
            if text:
                found.setdefault(text[0], []).append(token)
        return found

    def opening(self, characters: Sequence[str]) -> Int64[np.ndarray, " some"]:
        """Return the tokens that begin with one of some characters."""
        found = [token for c in characters for token in self._opening.get(c, ())]
        return np.array(found, dtype=np.int64)

    def after(
        self, state: int
    ) -> tuple[Int64[np.ndarray, " some"], Int64[np.ndarray, " some"], Int64[np.ndarray, " some"]]:
        """Return the tokens that can come in a string, the states after them, and their lengths."""
        if state not in self._tables:
            walked = [_walk(state, text) for text in self.texts]
            found = np.array(
                [
                    (token, *one)
                    for token, one in enumerate(walked)
                    if self.texts[token] and one[0] != _NEVER
                ],
                dtype=np.int64,
            ).reshape(-1, 3)
            self._tables[state] = tuple(found.T)
        tokens, states, lengths = self._tables[state]
        return tokens, states, lengths
