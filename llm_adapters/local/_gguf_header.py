"""Whether a GGUF file can be what its header says, found out before a library reads it.

A library goes through as many entries as the header counts, beyond the end of the file, too: a file
of 49 bytes can ask for 2^62 of them. Here nothing is kept of what is read.

Source: the description of the format in the repository of ggml, version 3.
"""

from __future__ import annotations

import mmap
from math import prod
from pathlib import Path
from struct import calcsize, unpack_from
from typing import Final

__all__ = ["check_gguf_header"]

_MAGIC: Final = b"GGUF"
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?"} | {
    10: "Q",
    11: "q",
    12: "d",
}
"""By the number of a type, how :mod:`struct` writes it."""
_TEXT, _ARRAY = 8, 9
_INTEGERS: Final = frozenset({0, 1, 2, 3, 4, 5, 10, 11})

_MOST_ENTRIES: Final = 100_000
"""The most fields, or tensors."""
_MOST_VALUES: Final = 3_000_000
"""The most values of all lists together: a vocabulary of 260,000 has 1,300,000."""
_MOST_AXES: Final = 8
_LONGEST_NAME: Final = 1_000
_LARGEST: Final = 1 << 24
"""The largest whole number that says how a model is built."""
_PER_BYTE: Final = 8
"""The most numbers that a byte of weights stands for."""
_OF_OTHERS: Final = ("general.", "tokenizer.", "quantize.", "split.")
"""How the names of fields begin that do not say how a model is built."""


def check_gguf_header(path: Path) -> None:
    """Refuse a file whose header says what the file cannot hold, or what no model needs.

    Raises
    ------
    ValueError
        With what is wrong.
    OSError
        Where it cannot be read.

    Notes
    -----
    O(fields, tensors and texts of the header) time; a few bytes of memory.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _Header(data).check()


class _Header:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0
        self._order = "<"
        self._left = _MOST_VALUES

    def check(self) -> None:
        data = self._data
        if self._skip(4) != 0 or data[:4] != _MAGIC:
            raise ValueError("it is no GGUF file")
        if data[4:6] == b"\0\0":  # of a version below 2^16, written the other way round
            self._order = ">"
        self._number("I")
        tensors, fields = self._number("Q"), self._number("Q")
        for what, count in (("tensors", tensors), ("fields", fields)):
            if count > _MOST_ENTRIES:
                raise ValueError(f"its header counts {count:,} {what}")
        for _ in range(fields):
            self._field(self._name(), tensors)
        numbers = sum(self._tensor() for _ in range(tensors))
        if numbers > _PER_BYTE * len(data):
            raise ValueError(
                f"its tensors have {numbers:,} numbers, and the file {len(data):,} bytes"
            )

    def _field(self, name: str, tensors: int) -> None:
        kind = self._number("I")
        if kind == _TEXT:
            self._skip(self._number("Q"))
        elif kind == _ARRAY:
            self._list(name)
        else:
            value = self._number(self._form(kind))
            if kind in _INTEGERS and not name.startswith(_OF_OTHERS):
                most = tensors if name.endswith((".block_count", ".expert_count")) else _LARGEST
                if value > most:
                    raise ValueError(f"its field {name} is {value:,}")

    def _list(self, name: str) -> None:
        kind, count = self._number("I"), self._number("Q")
        self._left -= count
        if self._left < 0 or kind == _ARRAY:
            what = "lists" if kind == _ARRAY else f"{count:,} values"
            raise ValueError(f"its field {name} has {what} in a list")
        if kind == _TEXT:
            for _ in range(count):
                self._skip(self._number("Q"))
        else:
            self._skip(count * calcsize(self._form(kind)))

    def _tensor(self) -> int:
        """Return how many numbers a tensor has."""
        self._name()
        axes = self._number("I")
        if axes > _MOST_AXES:
            raise ValueError(f"it has a tensor of {axes:,} axes")
        numbers = prod(self._number("Q") for _ in range(axes))
        self._number("I")
        self._number("Q")
        return numbers

    def _form(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise ValueError(f"it has a value of type {kind:,}, which there is not")
        return _SCALARS[kind]

    def _number(self, form: str) -> int:
        at = self._skip(calcsize(form))
        [number] = unpack_from(self._order + form, self._data, at)
        return int(number) if form not in "fd" else 0

    def _name(self) -> str:
        size = self._number("Q")
        if size > _LONGEST_NAME:
            raise ValueError(f"it has a name of {size:,} bytes")
        at = self._skip(size)
        return self._data[at : at + size].decode(errors="replace")

    def _skip(self, size: int) -> int:
        """Go on by so many bytes; return where they begin."""
        at = self._at
        if size > len(self._data) - at:
            raise ValueError("it ends before its header does")
        self._at += size
        return at
