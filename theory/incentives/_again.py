"""Running a mechanism again: what fails only once is a fault, and no refutation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from theory.incentives._global_random import global_random_state
from theory.incentives._instance import Instance
from theory.incentives._property import Property
from theory.incentives._reading import shown
from theory.incentives.setting import Fault, Profile, Setting, Unjudged

__all__ = ["REPEATS", "confirmed", "look_closely", "look_here_and_there"]

REPEATS: Final = 8
"""How often a profile is repeated where it matters whether its outcome is always the same."""

_SOME: Final = 32
"""How many of the profiles that a search met are repeated after it."""

_CLOSELY: Final = 64
"""The most profiles of one instance that are repeated."""


def look_closely(setting: Setting, profiles: Sequence[Profile]) -> bool:
    """Repeat profiles ``REPEATS`` times, in a mixed order; return whether nothing differs.

    A profile whose outcome differs is at fault from then on. That the mechanism draws on the global
    state of ``random`` or ``numpy.random`` is a fault, too.
    """
    order = np.random.default_rng(setting.seed).permutation(REPEATS * len(profiles))
    with global_random_state(setting.seed + 1) as drawn_on:
        steady = all(setting.repeats(profiles[k % len(profiles)]) for k in map(int, order))
    _blame(setting, drawn_on)
    return steady


def look_here_and_there(setting: Setting) -> None:
    """Repeat some of the profiles whose outcome is known, the first and the last among them."""
    known = [reports for reports in setting.known if len(reports) == setting.agents]
    if not known:
        return
    places = np.unique(np.linspace(0, len(known) - 1, _SOME).astype(np.int64))
    with global_random_state(setting.seed + 1) as drawn_on:
        for k in map(int, np.random.default_rng(setting.seed).permutation(places)):
            setting.repeats(known[k])
    _blame(setting, drawn_on)


def _blame(setting: Setting, drawn_on: Sequence[str]) -> None:
    for name in drawn_on:
        problem = f"not deterministic: the mechanism draws on the global state of {name}"
        setting.blame(Fault((), problem, random=True))


def confirmed(prop: Property, setting: Setting, instance: Instance, tolerance: Fraction) -> bool:
    """Whether a failing instance fails by as much when all its profiles are run again.

    They are repeated in another order, and then judged anew where nothing is remembered. What
    differs becomes a fault of the setting. That outcomes differ is what the property
    ``deterministic`` is about: there one difference is enough.
    """
    if not prop.exhaustible:
        return True
    anew = setting.fresh()
    try:
        before = prop.slack(setting, instance)
        with global_random_state(setting.seed + 2):
            again = prop.slack(anew, instance)
            valued = anew.revalues()
    except Unjudged:
        again = before = None
        valued = True
    if not look_closely(setting, anew.known[:_CLOSELY]) or before is None:
        return False
    if again is not None and valued and abs(Fraction(again - before)) <= setting.rounding():
        return bool(again < setting.limit(tolerance, prop.concerned(instance)))
    problem = (
        f"not deterministic: of {prop.name} at types {shown(instance.profile)} the slack was "
        f"{shown(before)}, and then {shown(again)}; the values of allocations change"
    )
    setting.blame(Fault((), problem, random=True))
    return False
