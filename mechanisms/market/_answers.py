"""Who writes the answers of a buyer of the information market, and who asks on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from mechanisms.protocols import Purchase

__all__ = ["Asker", "Writer"]


@runtime_checkable
class Writer(Protocol):
    """Writes the answers of a buyer, by what was bought."""

    def answer(self, question: str, bought: Sequence[Purchase]) -> str:
        """Return an answer; an empty one where there is none."""
        ...

    def refine(
        self,
        question: str,
        answer: str,
        followed: Sequence[tuple[str, str]],
        bought: Sequence[Purchase],
    ) -> str:
        """Return the answer once more, where questions followed that have answers now."""
        ...


@runtime_checkable
class Asker(Protocol):
    """Asks the questions that follow from an answer."""

    def follow_ups(
        self, question: str, answer: str, facts: Sequence[Purchase], most: int = 1
    ) -> Sequence[str]:
        """Return at most so many; none where the answer is complete. ``facts`` were bought."""
        ...
