"""One agent's reports with those of the others fixed, and what types and values look like."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from theory.incentives._reading import Number, is_number, is_vector
from theory.incentives._values import SingleItem, SingleParameter
from theory.incentives.setting import Profile, Setting

__all__ = [
    "by_quantity",
    "distance",
    "has_own_values",
    "have_numbers",
    "have_points",
    "others_reports",
    "replace_report",
    "truthful_utility",
]


def replace_report(profile: Profile, agent: int, report: Any) -> Profile:
    """Return the profile with another report of one agent."""
    return (*profile[:agent], report, *profile[agent + 1 :])


def others_reports(setting: Setting, agent: int) -> Iterator[Profile]:
    """Yield a profile for each of the others' reports, with the agent's first type."""
    sides = [setting.types(i) for i in range(setting.agents)]
    sides[agent] = sides[agent][:1]
    return product(*sides)


def truthful_utility(setting: Setting, agent: int, profile: Profile) -> Number:
    """Return U_i(t) = u_i(t_i, t)."""
    return setting.utility(agent, profile[agent], profile)


def distance(before: Number, after: Number) -> Number:
    """Return the absolute difference."""
    return max(before - after, after - before)


def has_own_values(setting: Setting) -> bool:
    """Whether it is the mechanism that says what allocations are worth."""
    return setting.passed_values is None and callable(getattr(setting.mechanism, "value", None))


def have_numbers(setting: Setting) -> bool:
    """Whether all types are numbers, as far as type spaces list any."""
    return all(is_number(t) for t in _sample_types(setting))


def have_points(setting: Setting) -> bool:
    """Whether all types are numbers or vectors of numbers, as far as type spaces list any."""
    return all(is_number(t) or is_vector(t) for t in _sample_types(setting))


def by_quantity(setting: Setting) -> bool:
    """Whether values are types times quantities, v_i(t, o) = t · x_i."""
    if setting.passed_values is not None:
        return isinstance(setting.passed_values, SingleItem | SingleParameter)
    return have_numbers(setting) and not has_own_values(setting)


def _sample_types(setting: Setting) -> Iterator[Any]:
    for space in setting.spaces:
        yield from space.members or space.grid(1)
