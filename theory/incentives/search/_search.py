"""The order in which types that cannot be listed are searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from heapq import nsmallest
from typing import Final

import numpy as np

from theory.incentives._again import confirmed, look_here_and_there
from theory.incentives._finite import Effort, Judged
from theory.incentives._instance import Instance, size
from theory.incentives._property import Property
from theory.incentives.search._gradient import climb, differentiable
from theory.incentives.search._lattice import lattices
from theory.incentives.search._pattern import descend, starts
from theory.incentives.search._probe import Probe
from theory.incentives.search._samples import samples
from theory.incentives.search._seeds import seeded
from theory.incentives.search._shrink import shrink
from theory.incentives.search._slots import is_open
from theory.incentives.search._strategies import find_failing
from theory.incentives.setting import Setting

__all__ = ["search"]

_TRIED: Final = 16
"""How many failing instances are run again, until one fails again."""


def search(
    prop: Property,
    setting: Setting,
    effort: Effort,
    tolerance: Fraction,
    *,
    seeds: Sequence[Instance],
    progress: Callable[[int, int], None],
) -> Judged:
    """Judge a property where some agent's types cannot be listed.

    In this order, until an instance fails: ``seeds``, which failed before; all types on grids; the
    numbers in the mechanism's code; random types with ties, and steps along the gradient from them
    where there is one; steps without derivatives; what Hypothesis draws. Types of a strategy are
    drawn by Hypothesis alone. What fails is run again, in another order, and made smaller. Where 64
    instances of a stage and all before it are at fault, the next stage begins. The same seed leads
    to the same.

    Returns
    -------
    Judged
        Not exhausted. Its ``smallest`` is None where nothing failed.
    """
    total = 2 * effort.samples + effort.starts * effort.steps
    probe = Probe(prop, setting, tolerance, progress, total)
    if prop.shape.agents <= setting.agents:
        _run(probe, effort, seeds)
    probe.seen.end(setting)
    failing = [instance for instance, slack in probe.slacks.items() if probe.fails(instance, slack)]
    probe.seen.smallest = _confirmed(prop, setting, failing, effort.shrinks, tolerance)
    probe.seen.withdrawn = bool(failing) and probe.seen.smallest is None
    look_here_and_there(setting)
    return probe.seen


def _confirmed(
    prop: Property,
    setting: Setting,
    failing: Sequence[Instance],
    shrinks: int,
    tolerance: Fraction,
) -> Instance | None:
    """Return a small instance that fails again when it is run again, made smaller if that does."""
    for instance in nsmallest(_TRIED, failing, key=lambda each: size(setting, each)):
        if confirmed(prop, setting, instance, tolerance):
            smaller = shrink(prop, setting, instance, shrinks, tolerance)
            again = smaller == instance or confirmed(prop, setting, smaller, tolerance)
            return smaller if again else instance
    return None


def _run(probe: Probe, effort: Effort, seeds: Sequence[Instance]) -> bool:
    prop, setting = probe.prop, probe.setting
    if probe.all(seed for seed in seeds if prop.shape.fits(setting, seed)):
        return True
    if any(map(is_open, setting.spaces)):
        return find_failing(probe, max(1, effort.samples // 2)) or _descend(probe, effort)
    if any(map(probe.all, lattices(prop, setting, effort.samples))):
        return True
    generator = np.random.default_rng((setting.seed, 1))
    begun = list(seeded(prop, setting, effort.samples // 4, generator))
    if probe.until_found(begun):
        return True
    generator = np.random.default_rng(setting.seed)
    drawn = list(samples(prop, setting, effort.samples - len(begun), generator))
    if differentiable(prop, setting):
        pool = [*begun, *drawn]
        drawn = [*climb(prop, setting, pool, effort.starts, effort.steps), *drawn]
    return (
        probe.until_found(drawn)
        or _descend(probe, effort)
        or find_failing(probe, max(1, effort.samples // 20))
    )


def _descend(probe: Probe, effort: Effort) -> bool:
    return any(descend(probe, start, effort.steps) for start in starts(probe, effort.starts))
