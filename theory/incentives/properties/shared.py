"""Sentences and arrays that several properties share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from theory.incentives._property import Side
from theory.incentives._reading import Number, show
from theory.incentives.setting import Profile, Setting
from theory.incentives.table import Slacks, Table

__all__ = [
    "add_over_one_denominator",
    "by_profile",
    "describe_outcome",
    "others_say",
    "utility_sides",
]


def describe_outcome(setting: Setting, reports: Profile) -> str:
    """Return the outcome of a profile in words."""
    return str(setting.record(reports))


def others_say(profile: Profile, agents: tuple[int, ...]) -> str:
    """Return what the others report, as the end of a sentence."""
    others = [f"{i} reports {show(t)}" for i, t in enumerate(profile) if i not in agents]
    return f" when agent {' and agent '.join(others)}" if others else ""


def utility_sides(
    setting: Setting, agent: int, type: Any, reports: Profile, label: str
) -> list[Side]:
    """Return outcome and utility of an agent, under a label such as "truth"."""
    utility = setting.utility(agent, type, reports)
    expected = "expected " if setting.record(reports).largest else ""
    return [
        (f"{label}: reports {show(reports)}", describe_outcome(setting, reports)),
        (f"{expected}utility of agent {agent}", show(utility)),
    ]


def add_over_one_denominator(
    numerators: np.ndarray, shift: Fraction, table: Table
) -> tuple[np.ndarray, int]:
    """Return ``numerators / table.denominator + shift`` over one denominator."""
    if not shift:
        return numerators, table.denominator
    scaled = numerators.astype(object) * shift.denominator
    return scaled + shift.numerator * table.denominator, table.denominator * shift.denominator


def by_profile(table: Table, numerators: np.ndarray, *, by_agent: bool) -> Slacks:
    """Return the slacks of a property without lies, one for each judged entry."""
    met = np.broadcast_to(table.judged, numerators.shape)
    count = int(met.sum())
    return Slacks(numerators, table.denominator, met, by_agent, count, count)


def total(amounts: tuple[Number, ...]) -> Number:
    """Return the sum of payments."""
    return sum(amounts)
