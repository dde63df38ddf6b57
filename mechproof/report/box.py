"""A box of text in a picture: how text breaks into lines, and how much room it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from theory.shared.printable import printable

__all__ = ["LINE", "PAD", "Box", "in_lines", "symbols_width", "text_width"]

LINE, PAD = 16.0, 9.0
"""The height of a line of text, and the space beside it in a box."""

_CHARACTERS = 24
_EM = 13.0
_WIDTHS = {**dict.fromkeys("fijlrtI.,:;|'!()[]{}/ ", 0.38), **dict.fromkeys("mwMW—%", 0.9)}
_SMALL, _CAPITAL = 0.61, 0.72


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: its left end and its middle height, and its size."""

    left: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right end."""
        return self.left + self.width

    @property
    def middle(self) -> float:
        """Half way between the ends."""
        return self.left + self.width / 2

    @property
    def top(self) -> float:
        """The upper end."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The lower end."""
        return self.y + self.height / 2


def in_lines(text: str) -> list[str]:
    """Break a text into short lines; there is at least one."""
    return wrap(printable(text), _CHARACTERS) or [""]


def text_width(lines: Sequence[str]) -> float:
    """Estimate how wide the longest line is; no font is measured."""
    return _EM * max(sum(map(_em, line)) for line in lines)


def symbols_width(marks: Sequence[str]) -> float:
    """Estimate how wide the symbols of some marks are, and the space after them."""
    return (len(marks) + 0.5) * _EM if marks else 0.0


def _em(character: str) -> float:
    return _WIDTHS.get(character, _CAPITAL if character.isupper() else _SMALL)
