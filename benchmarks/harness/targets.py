"""Targets, as the issues state them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

__all__ = [
    "AtLeastTimes",
    "AtMostMegabytes",
    "AtMostSeconds",
    "AtMostTimes",
    "AtMostValue",
    "Figures",
    "GrowsNoFaster",
    "Target",
    "number",
]


@dataclass(frozen=True)
class Figures:
    """What a target is judged by; None for what could not be measured."""

    warm: float | None = None
    cold: float | None = None
    process: float | None = None
    faster: float | None = None
    megabytes: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    exponents: tuple[float, float] | None = None
    """Ours and the peer's, fitted to the sizes that both did."""
    peer_name: str = ""


class Target(Protocol):
    def says(self, figures: Figures) -> str: ...

    def figure(self, figures: Figures) -> float | None:
        """What was reached, in the unit of the target."""

    def reached(self, figure: float) -> bool: ...


@dataclass(frozen=True)
class AtMostSeconds:
    """Of a warm call, of the first call, or of a whole process that does it once."""

    limit: float
    when: Literal["warm", "cold", "process"] = "warm"

    def says(self, figures: Figures) -> str:
        of = {"warm": "", "cold": " on the first call", "process": " for the whole process"}
        return f"at most {number(self.limit)} s{of[self.when]}"

    def figure(self, figures: Figures) -> float | None:
        return {"warm": figures.warm, "cold": figures.cold, "process": figures.process}[self.when]

    def reached(self, figure: float) -> bool:
        return figure <= self.limit


@dataclass(frozen=True)
class AtMostTimes:
    """Ours takes at most that many times what the peer takes."""

    limit: float

    def says(self, figures: Figures) -> str:
        return f"at most {number(self.limit)} times {figures.peer_name}"

    def figure(self, figures: Figures) -> float | None:
        return None if figures.faster is None else 1 / figures.faster

    def reached(self, figure: float) -> bool:
        return figure <= self.limit


@dataclass(frozen=True)
class AtLeastTimes:
    """Ours is at least that many times faster than the peer."""

    limit: float

    def says(self, figures: Figures) -> str:
        return f"at least {number(self.limit)} times faster than {figures.peer_name}"

    def figure(self, figures: Figures) -> float | None:
        return figures.faster

    def reached(self, figure: float) -> bool:
        return figure >= self.limit


@dataclass(frozen=True)
class AtMostMegabytes:
    """Most memory of a process that does the work once."""

    limit: float

    def says(self, figures: Figures) -> str:
        return f"at most {number(self.limit)} MB"

    def figure(self, figures: Figures) -> float | None:
        return figures.megabytes

    def reached(self, figure: float) -> bool:
        return figure <= self.limit


@dataclass(frozen=True)
class AtMostValue:
    """A number that the answer carries."""

    name: str
    limit: float

    def says(self, figures: Figures) -> str:
        return f"{self.name} at most {number(self.limit)}"

    def figure(self, figures: Figures) -> float | None:
        return figures.values.get(self.name)

    def reached(self, figure: float) -> bool:
        return figure <= self.limit


@dataclass(frozen=True)
class GrowsNoFaster:
    """The exponent of ours is at most that of the peer, fitted in the same run.

    The figure is by how much ours is larger.
    """

    def says(self, figures: Figures) -> str:
        return f"grows no faster than {figures.peer_name}, exponent less its exponent at most 0"

    def figure(self, figures: Figures) -> float | None:
        if figures.exponents is None:
            return None
        ours, theirs = figures.exponents
        return ours - theirs

    def reached(self, figure: float) -> bool:
        return figure <= 0


def number(x: float) -> str:
    """Three digits, for people."""
    if x == 0 or 1e-3 <= abs(x) < 1e3:
        return f"{x:.3g}"
    if 1e3 <= abs(x) < 1e7:
        return f"{x:,.0f}"
    return f"{x:.1e}"
