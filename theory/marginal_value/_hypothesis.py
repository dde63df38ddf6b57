"""A hypothesis or a statement of a theorem, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Hypothesis"]


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis, whether it is met, and where it is not, by what."""

    name: str
    holds: bool
    witness: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {'yes' if self.holds else f'no, {self.witness}'}"
