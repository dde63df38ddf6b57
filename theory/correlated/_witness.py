"""The best deviations of a player from what is recommended, and how a reader is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from theory.numbers import Scalar
from theory.shared.printable import print_safely, printable, printed_line
from theory.shared.text import number_text

__all__ = [
    "ExternalDeviation",
    "InternalDeviation",
    "PlayerGaps",
    "Recommendation",
    "SwapDeviation",
]


_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class ExternalDeviation:
    """Playing one action whatever is recommended.

    Attributes
    ----------
    gain : number
        max over j of E[u_p(j, a_-p) - u_p(a)]; negative where obeying is better than any action.
    action : str
        The first j that attains it.
    """

    gain: Scalar
    action: str

    @property
    def how(self) -> str:
        """What to do, in words."""
        return f"always play {self.action!r}"

    @printed_line
    def __str__(self) -> str:
        return f"{self.how}: gains {number_text(self.gain)}"


@dataclass(frozen=True, slots=True)
class InternalDeviation:
    """Playing one action whenever a certain other one is recommended, and obeying otherwise.

    Attributes
    ----------
    gain : number
        max over i, j of E[(u_p(j, a_-p) - u_p(a)) 1{a_p = i}]; at least 0, for i = j.
    source, target : str
        The first i and its first j that attain it; equal where no such swap gains.
    """

    gain: Scalar
    source: str
    target: str

    @property
    def how(self) -> str:
        """What to do, in words."""
        if self.source == self.target:
            return "no swap of one action gains"
        return f"play {self.target!r} whenever told {self.source!r}"

    @printed_line
    def __str__(self) -> str:
        return f"{self.how}: gains {number_text(self.gain)}"


@dataclass(frozen=True, slots=True)
class SwapDeviation:
    """Playing the best reply to each recommendation.

    Attributes
    ----------
    gain : number
        Σ over i of max over j of E[(u_p(j, a_-p) - u_p(a)) 1{a_p = i}].
    map : tuple of (str, str)
        For each recommended i that is better left, i and the first such j; the others are obeyed.
    """

    gain: Scalar
    map: tuple[tuple[str, str], ...]

    @property
    def how(self) -> str:
        """What to do, in words; of many swaps the first few."""
        if not self.map:
            return "no swaps gain"
        moves = ", ".join(f"{j!r} for {i!r}" for i, j in self.map[:_SHOWN])
        more = f" and {len(self.map) - _SHOWN} more" if len(self.map) > _SHOWN else ""
        return f"play {moves}{more}"

    @printed_line
    def __str__(self) -> str:
        return f"{self.how}: gains {number_text(self.gain)}"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What a player who is told an action could gain, given that it is told.

    Attributes
    ----------
    action : str
        The recommended action i.
    probability : number
        P(a_p = i), above 0.
    reply : str
        The best j, i itself where nothing is better.
    gain : number
        E[u_p(j, a_-p) - u_p(i, a_-p) | a_p = i], at least 0.
    """

    action: str
    probability: Scalar
    reply: str
    gain: Scalar

    def __str__(self) -> str:
        told = f"told {self.action!r} (probability {number_text(self.probability)})"
        if self.action == self.reply:
            return f"{told}: obeying is best"
        return f"{told}: {self.reply!r} gains {number_text(self.gain)}"


@dataclass(frozen=True, slots=True)
class PlayerGaps:
    """What one player can gain by not doing as recommended.

    Attributes
    ----------
    player : str
    payoff : number
        What obeying pays on average.
    external : ExternalDeviation
    internal : InternalDeviation
    swap : SwapDeviation
    conditional : tuple of Recommendation
        One for each action that is ever recommended, in the order of the actions.
    """

    player: str
    payoff: Scalar
    external: ExternalDeviation
    internal: InternalDeviation
    swap: SwapDeviation
    conditional: tuple[Recommendation, ...]

    @property
    def worst(self) -> Recommendation:
        """The first recommendation with the largest gain given it."""
        found = self.conditional[0]
        for other in self.conditional:
            if other.gain > found.gain:
                found = other
        return found

    @print_safely
    def __str__(self) -> str:
        lines = [f"{printable(self.player)} gets {number_text(self.payoff)}, and could gain"]
        lines += [f"  {deviation}" for deviation in (self.external, self.internal, self.swap)]
        return "\n".join([*lines, *(f"  {told}" for told in self.conditional)])
