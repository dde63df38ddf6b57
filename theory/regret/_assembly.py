"""From what each action earned, and its best reply would have, to the three regrets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import fsum
from typing import Any, NamedTuple

from theory.regret._result import (
    ConditionalGap,
    ExternalRegret,
    InternalRegret,
    Number,
    Regret,
    SwapRegret,
)

__all__ = ["Row", "assemble_regrets", "conditional", "total"]


class Row(NamedTuple):
    """An action that was played: weight, earnings, and the gain of its first best reply."""

    action: Any
    weight: Number
    own: Number
    target: Any
    gain: Number


def conditional(row: Row) -> ConditionalGap:
    """Return the gap of a row; an action that no reply beats keeps its place."""
    if row.gain > 0:
        return ConditionalGap(row.action, row.weight, row.target, row.gain)
    return ConditionalGap(row.action, row.weight, row.action, row.gain * 0)


def total(values: Iterable[Number]) -> Number:
    """Add numbers of one kind, floats without loss."""
    listed = list(values)
    if any(isinstance(v, float) for v in listed):
        return fsum(listed)
    return sum(listed, Fraction(0))


def assemble_regrets(
    arithmetic: str,
    shape: Sequence[int],
    earned: Number,
    external: ExternalRegret,
    rows: Iterable[Row],
) -> Regret:
    """Return the regrets where every action that was played has its row; not rechecked yet."""
    gaps = tuple(map(conditional, rows))
    worst = max(gaps, key=lambda gap: gap.gain)
    swap = total(gap.gain for gap in gaps)
    moves = {gap.action: gap.best_reply for gap in gaps if gap.gain > 0}
    return Regret(
        rounds=shape[0],
        size=shape[1],
        arithmetic=arithmetic,
        earned=earned,
        external=external,
        internal=InternalRegret(worst.gain, worst.action, worst.best_reply, worst.gain),
        swap=SwapRegret(swap, moves, swap),
        conditionals=gaps,
        gap=earned * 0,
        rechecked=0,
        tolerance=earned * 0,
    )
