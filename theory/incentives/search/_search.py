"""The order in which types that cannot be listed are searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from heapq import nsmallest
from itertools import islice
from typing import Final

import numpy as np

from theory.incentives._finite import Effort, Judged, fails_again, repeat_some_profiles
from theory.incentives._property import Instance, Property, size
from theory.incentives.search._gradient import climb, differentiable
from theory.incentives.search._lattice import lattices
from theory.incentives.search._moves import moves
from theory.incentives.search._near_constants import draw_from_constants
from theory.incentives.search._probe import SlackProbe
from theory.incentives.search._ranks import ranks
from theory.incentives.search._samples import samples
from theory.incentives.search._shrink import shrink
from theory.incentives.search._slots import fill_slots, fits, is_open, slot_spaces, slots
from theory.incentives.search._strategies import find_failing
from theory.incentives.setting import Setting

__all__ = ["search"]


# --- Search without derivatives: coordinate steps that shrink, from many starting points


def starts(probe: SlackProbe, count: int) -> list[Instance]:
    """Return instances to start from, more of those with little slack."""
    seen = sorted(probe.slacks, key=probe.slacks.__getitem__)
    return [seen[rank] for rank in ranks(len(seen), count)] if seen else []


def descend(probe: SlackProbe, start: Instance, trials: int) -> bool:
    """Follow steps that lower the slack, smaller ones where none does; stop where one fails.

    Rounds and neighbours judged are at most ``trials`` together. Source: Kolda, Lewis and Torczon,
    Optimization by direct search (2003), section 3; steps to and just beside the values of other
    slots are added, for slacks jump where reports are tied.
    """
    best, least = start, probe(start)
    step = Fraction(1, 4)
    while trials > 0 and least is not None and not probe.found:
        trials -= 1
        better = None
        for neighbour in islice(_neighbours(probe, best, step), trials):
            trials -= 1
            slack = probe(neighbour)
            if slack is not None and slack < least:
                better = neighbour, slack
                break
        if better:
            best, least = better
        else:
            step /= 4
    return probe.found


def _neighbours(probe: SlackProbe, instance: Instance, step: Fraction) -> Iterator[Instance]:
    spaces = slot_spaces(probe.prop.shape, probe.setting, instance)
    values = slots(instance)
    for at, space in enumerate(spaces):
        for moved in moves(space, values[at], step):
            yield fill_slots(instance, {at: moved})
    for at, space in enumerate(spaces):
        for source, value in enumerate(values):
            if source != at and fits(value, spaces[source], space):
                yield fill_slots(instance, {at: value})
                for moved in moves(space, value, step):
                    yield fill_slots(instance, {at: moved})


# --- The order in which types that cannot be listed are searched

_TRIED: Final = 16
"""How many failing instances are run again, until one fails again."""


def search(
    prop: Property,
    setting: Setting,
    effort: Effort,
    tolerance: Fraction,
    *,
    earlier: Sequence[Instance],
    progress: Callable[[int, int], None],
) -> Judged:
    """Judge a property where some agent's types cannot be listed.

    In this order, until an instance fails: witnesses of ``earlier`` checks; all types on grids; the
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
    probe = SlackProbe(prop, setting, tolerance, progress, total)
    if prop.shape.agents <= setting.agents:
        _run(probe, effort, earlier)
    probe.seen.end(setting)
    failing = [instance for instance, slack in probe.slacks.items() if probe.fails(instance, slack)]
    probe.seen.smallest = _confirm_and_shrink(prop, setting, failing, effort.shrinks, tolerance)
    probe.seen.withdrawn = bool(failing) and probe.seen.smallest is None
    repeat_some_profiles(setting)
    return probe.seen


def _confirm_and_shrink(
    prop: Property,
    setting: Setting,
    failing: Sequence[Instance],
    shrinks: int,
    tolerance: Fraction,
) -> Instance | None:
    """Return a small instance that fails again when it is run again, made smaller if that does."""
    for instance in nsmallest(_TRIED, failing, key=lambda each: size(setting, each)):
        if fails_again(prop, setting, instance, tolerance):
            smaller = shrink(prop, setting, instance, shrinks, tolerance)
            again = smaller == instance or fails_again(prop, setting, smaller, tolerance)
            return smaller if again else instance
    return None


def _run(probe: SlackProbe, effort: Effort, earlier: Sequence[Instance]) -> bool:
    prop, setting = probe.prop, probe.setting
    if probe.all(known for known in earlier if prop.shape.fits(setting, known)):
        return True
    if any(map(is_open, setting.spaces)):
        return find_failing(probe, max(1, effort.samples // 2)) or _descend(probe, effort)
    if any(map(probe.all, lattices(prop, setting, effort.samples))):
        return True
    generator = np.random.default_rng((setting.seed, 1))
    begun = list(draw_from_constants(prop, setting, effort.samples // 4, generator))
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


def _descend(probe: SlackProbe, effort: Effort) -> bool:
    return any(descend(probe, start, effort.steps) for start in starts(probe, effort.starts))
