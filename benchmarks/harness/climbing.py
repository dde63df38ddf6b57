"""The largest instance that a method does in a minute."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from .measuring import How
from .record import Climb, Climbed
from .row import Ladder
from .targets import number

__all__ = ["measure_ladder"]

HOPELESS = 1.25
"""A step that would take this many limits, if it grew as the one before it, is not tried."""


def measure_ladder(row: Ladder, how: How) -> Climbed:
    """Climb each method's ladder, every step in a process of its own, imports included.

    As many methods climb side by side as there are processors, since each ladder takes minutes.
    """
    with ThreadPoolExecutor(min(len(row.methods), os.cpu_count() or 1)) as threads:
        climbs = list(threads.map(partial(_climb, row, how=how), row.methods))
    broken = [climb for climb in climbs if climb.next.startswith("failed")]
    return Climbed(
        id=row.id,
        issue=row.issue,
        work=row.work,
        status="failed" if broken else "measured",
        climbs=climbs,
    )


def _climb(row: Ladder, method: str, how: How) -> Climb:
    last, before, took = "nothing", None, None
    for step, (name, _) in enumerate(row.steps(method)):
        if before and took and took > before:
            expected = took * took / before
            if expected > HOPELESS * row.minute:
                return Climb(method, last, took, f"{name}: ≈ {number(expected)} s, not tried")
        found = how.alone(row.id, f"{method}:{step}", row.minute)
        if found.late:
            return Climb(method, last, took, f"{name}: over {number(row.minute)} s")
        if found.refused:
            return Climb(method, last, took, f"{name}: refused")
        if found.problem:
            return Climb(method, last, took, f"failed at {name}: {found.problem}")
        last, before, took = name, took, found.process
    return Climb(method, last, took, "the top of the ladder")
