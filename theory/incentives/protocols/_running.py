"""Running a mechanism on every case and seed, twice each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from theory.incentives._checklist import raised
from theory.incentives._mechanism import global_random_state
from theory.incentives.protocols._reading import Course, read

__all__ = ["Ran", "Runnable", "run_all"]

Case = TypeVar("Case")

Runnable = Callable[[Case, np.random.Generator], Any]
"""Runs a mechanism on a case and returns a ``ProtocolRun``."""


@dataclass(frozen=True)
class Ran:
    """A run that could be read.

    Attributes
    ----------
    again : Course or str
        What the same case and seed gave the second time; what was wrong with it where that could
        not be read.
    moved : tuple of str
        The generators shared by the process that either run moved.
    """

    case: str
    seed: int
    course: Course
    again: Course | str
    moved: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the second run was the same."""
        return self.again == self.course


def run_all(
    run: Runnable[Case], cases: Mapping[str, Case], seeds: range
) -> tuple[list[Ran], list[str]]:
    """Return the runs that could be read, and what was wrong with the others."""
    done, faults = list[Ran](), list[str]()
    for name, case in cases.items():
        for seed in seeds:
            course, moved = _once(run, case, seed, 0)
            if isinstance(course, str):
                faults.append(f"case {name}, seed {seed}: {course}")
                continue
            again, moved_again = _once(run, case, seed, 1)
            disturbed = tuple(dict.fromkeys([*moved, *moved_again]))
            done.append(Ran(name, seed, course, again, disturbed))
    return done, faults


def _once(
    run: Runnable[Case], case: Case, seed: int, elsewhere: int
) -> tuple[Course | str, list[str]]:
    """Run once, with the random state of the process seeded by ``elsewhere``."""
    with global_random_state(elsewhere) as moved:
        try:
            course: Course | str = read(run(case, np.random.default_rng(seed)))
        except (Exception, SystemExit) as error:
            course = raised(error)
    return course, moved
