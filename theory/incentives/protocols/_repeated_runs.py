"""Running a mechanism on every case and seed, twice each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from theory.incentives._checklist import describe_exception
from theory.incentives._mechanism import global_random_state
from theory.incentives.protocols._reading import RecordedRun, read

__all__ = ["RepeatedRun", "Runnable", "run_all"]

Case = TypeVar("Case")

Runnable = Callable[[Case, np.random.Generator], Any]
"""Runs a mechanism on a case and returns a ``ProtocolRun``."""


@dataclass(frozen=True)
class RepeatedRun:
    """A run that could be read.

    Attributes
    ----------
    again : RecordedRun or str
        What the same case and seed gave the second time; what was wrong with it where that could
        not be read.
    moved : tuple of str
        The generators shared by the process that either run moved.
    """

    case: str
    seed: int
    course: RecordedRun
    again: RecordedRun | str
    moved: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the second run was the same."""
        return self.again == self.course


def run_all(
    run: Runnable[Case], cases: Mapping[str, Case], seeds: range
) -> tuple[list[RepeatedRun], list[str]]:
    """Return the runs that could be read, and what was wrong with the others."""
    done, faults = list[RepeatedRun](), list[str]()
    for name, case in cases.items():
        for seed in seeds:
            course, moved = _run_once(run, case, seed, 0)
            if isinstance(course, str):
                faults.append(f"case {name}, seed {seed}: {course}")
                continue
            again, moved_again = _run_once(run, case, seed, 1)
            disturbed = tuple(dict.fromkeys([*moved, *moved_again]))
            done.append(RepeatedRun(name, seed, course, again, disturbed))
    return done, faults


def _run_once(
    run: Runnable[Case], case: Case, seed: int, elsewhere: int
) -> tuple[RecordedRun | str, list[str]]:
    """Run once, with the random state of the process seeded by ``elsewhere``."""
    with global_random_state(elsewhere) as moved:
        try:
            course: RecordedRun | str = read(run(case, np.random.default_rng(seed)))
        except (Exception, SystemExit) as error:
            course = describe_exception(error)
    return course, moved
