"""Search without derivatives: coordinate steps that shrink, from many starting points."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from theory.incentives._instance import Instance
from theory.incentives.search._moves import moves
from theory.incentives.search._probe import Probe
from theory.incentives.search._ranks import ranks
from theory.incentives.search._slots import filled, fits, slot_spaces, slots

__all__ = ["descend", "starts"]


def starts(probe: Probe, count: int) -> list[Instance]:
    """Return instances to start from, more of those with little slack."""
    seen = sorted(probe.slacks, key=probe.slacks.__getitem__)
    return [seen[rank] for rank in ranks(len(seen), count)] if seen else []


def descend(probe: Probe, start: Instance, trials: int) -> bool:
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


def _neighbours(probe: Probe, instance: Instance, step: Fraction) -> Iterator[Instance]:
    spaces = slot_spaces(probe.prop.shape, probe.setting, instance)
    values = slots(instance)
    for at, space in enumerate(spaces):
        for moved in moves(space, values[at], step):
            yield filled(instance, {at: moved})
    for at, space in enumerate(spaces):
        for source, value in enumerate(values):
            if source != at and fits(value, spaces[source], space):
                yield filled(instance, {at: value})
                for moved in moves(space, value, step):
                    yield filled(instance, {at: moved})
