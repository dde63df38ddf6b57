"""What an answer in JSON is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from llm_adapters.local._numerals import Numeral

__all__ = ["ArrayForm", "Either", "Node", "Number", "OpenForm", "Options", "Record", "StringForm"]


class Node:
    """A value."""


class OpenForm(Node, ABC):
    """A value that is not one of a few."""

    @property
    @abstractmethod
    def openings(self) -> tuple[str, ...]:
        """The characters that it can begin with."""


@dataclass(frozen=True)
class Options(Node):
    """One of a few values, as JSON."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Number(OpenForm):
    """A number within bounds."""

    numeral: Numeral

    @property
    def openings(self) -> tuple[str, ...]:
        """Digits, and the sign."""
        return self.numeral.openings


@dataclass(frozen=True)
class StringForm(OpenForm):
    """A string of at most so many characters; of any length where ``most`` is None."""

    most: int | None

    @property
    def openings(self) -> tuple[str, ...]:
        """A quotation mark."""
        return ('"',)


@dataclass(frozen=True)
class Record(OpenForm):
    """An object: values by name, the names as JSON; at least one."""

    fields: tuple[tuple[str, Node], ...]

    @property
    def openings(self) -> tuple[str, ...]:
        """A brace."""
        return ("{",)


@dataclass(frozen=True)
class ArrayForm(OpenForm):
    """An array of ``least`` to ``most`` values; of any number where ``most`` is None."""

    item: Node
    least: int
    most: int | None

    @property
    def openings(self) -> tuple[str, ...]:
        """A bracket."""
        return ("[",)


@dataclass(frozen=True)
class Either(Node):
    """One of a few values, or a free one; the first character tells which."""

    options: tuple[str, ...]
    free: tuple[OpenForm, ...]
