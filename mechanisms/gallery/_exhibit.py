"""A broken mechanism with the setting in which it is known what breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

__all__ = ["Broken", "Exhibit"]


@runtime_checkable
class Broken(Protocol):
    """A mechanism that says which properties it breaks."""

    breaks: ClassVar[frozenset[str]]

    def outcome(self, reports: Sequence[Any]) -> Any:
        """Return the outcome for a report of each agent."""
        ...


@dataclass(frozen=True)
class Exhibit:
    """A mechanism, a small finite setting, and the properties that it breaks there.

    Attributes
    ----------
    name : str
    mechanism : object with a method ``outcome``
    types : tuple
        The types of each agent.
    agents : int
    wrong : str
        What is wrong, in a sentence.
    breaks : frozenset of str
        Names of properties, of those that need no prior: all that fail in this setting.
    """

    name: str
    mechanism: Broken
    types: tuple[Any, ...]
    agents: int
    wrong: str
    breaks: frozenset[str]

    @classmethod
    def of(cls, mechanism: Broken, types: tuple[Any, ...], agents: int) -> Self:
        """Show a mechanism where it breaks what it says, in the words of its docstring."""
        kind = type(mechanism)
        wrong = (kind.__doc__ or "").partition("\n")[0]
        return cls(kind.__name__, mechanism, types, agents, wrong, mechanism.breaks)
