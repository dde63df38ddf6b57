"""The outcome of running a protocol: purchases, action, payments and payoff in every state."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from theory.numbers import Numbers, Scalar
from theory.probability import ProbabilitySpace
from theory.shared.printable import escape
from theory.shared.rounding import gap_note
from theory.shared.shapes import Int64
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["Play", "ProtocolOutcome", "Ties", "goods_text", "plays"]


class Ties(StrEnum):
    """Which of several best sets of goods is bought. Among actions it is always the first.

    :class:`theory.marginal_value.Ties` is another enumeration on purpose: it orders moves by their
    items and says whether the null move comes first, on which Theorem 4.4 turns. The rule of a
    single decision is not for choice: :data:`theory.decision.LOWEST_INDEX`.
    """

    FEWEST_GOODS = "fewest goods first"
    MOST_GOODS = "most goods first"


@dataclass(frozen=True)
class Play:
    """What happens in one state. ``purchases`` holds x^1, …, x^N as names of goods."""

    state: Hashable
    probability: Scalar
    purchases: tuple[tuple[str, ...], ...]
    action: Hashable
    spending: Scalar
    payoff: Scalar


@dataclass(frozen=True, eq=False)
class ProtocolOutcome:
    """The outcome of running a protocol.

    Attributes
    ----------
    name : str
        What the protocol is.
    plays : tuple of Play
        What happens in each possible state.
    value, spending : number
        Expected payoff, all prices subtracted; expected sum of the prices paid.
    rule : str
        How ties were broken; empty where the protocol was given.
    gap : number
        Bound on what separate code found wrong; the function that made this says of what.
    arithmetic : str
        The kind of number.
    """

    name: str
    plays: tuple[Play, ...]
    value: Scalar
    spending: Scalar
    rule: str
    gap: Fraction | float
    arithmetic: str

    @property
    def buys(self) -> bool:
        """Whether something is bought with positive probability."""
        return any(goods for play in self.plays for goods in play.purchases)

    def table(self) -> Table:
        """Return what happens, state by state, in the order in which it is chosen."""
        levels = range(len(self.plays[0].purchases), 0, -1)
        rows = tuple(
            (
                str(play.state),
                number_text(play.probability),
                *(goods_text(goods) for goods in reversed(play.purchases)),
                str(play.action),
                number_text(play.spending),
                number_text(play.payoff),
            )
            for play in self.plays
        )
        spent = f", {number_text(self.spending)} spent" if self.buys else ""
        buys = (f"buys (level {n})" for n in levels)
        return Table(
            caption=f"{self.name}: worth {number_text(self.value)}{spent}",
            columns=("state", "probability", *buys, "does", "pays", "payoff"),
            rows=rows,
        )

    def __str__(self) -> str:
        return f"{self.table()}\n{self._note()}"

    def _repr_html_(self) -> str:
        return f"{self.table()._repr_html_()}<p>{escape(self._note())}</p>"

    def _note(self) -> str:
        ties = f"ties: {self.rule}; " if self.rule else ""
        return f"{ties}{gap_note(self.arithmetic, self.gap)}"


def plays(
    space: ProbabilitySpace,
    options: Sequence[Sequence[Any]],
    chosen: Int64[np.ndarray, "levels states"],
    spending: Numbers,
    payoffs: Numbers,
) -> tuple[Play, ...]:
    """Return what happens in each state, given the number of each option chosen."""
    columns = zip(
        space.states,
        space.probabilities.scalars(),
        spending.scalars(),
        payoffs.scalars(),
        chosen.T.tolist(),
        strict=True,
    )
    return tuple(
        Play(
            state,
            probability,
            tuple(sets[k] for sets, k in zip(options[1:], numbers[1:], strict=True)),
            options[0][numbers[0]],
            paid,
            payoff,
        )
        for state, probability, paid, payoff, numbers in columns
    )


def goods_text(names: tuple[str, ...]) -> str:
    """Write a set of goods."""
    return " + ".join(names) or "nothing"
