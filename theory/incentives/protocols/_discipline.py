"""Discipline of a program: the seed decides everything, and a run ends when it says it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from theory.incentives._checklist import short
from theory.incentives.protocols._judging import Judged, RunWitness
from theory.incentives.protocols._reading import Course
from theory.incentives.protocols._running import Ran

__all__ = ["seed_discipline", "termination"]


def seed_discipline(runs: Sequence[Ran]) -> Judged:
    """Ask for the same run from the same case and seed, and for untouched shared generators.

    Each run is done twice, while the generators of ``random`` and ``numpy.random`` stand in
    different states. Both runs must hold the same, and must not move those generators; what reads
    them without moving them shows itself by the difference. Drawing on the system's entropy does
    too, but for chance. Type checkers that look at random entries at run time move ``random`` too.
    """
    return Judged(
        family="runs, each done twice",
        instances=len(runs),
        nontrivial=len(runs),
        failures=[_whole(ran, problem) for ran in runs for problem in _faults(ran)],
        holds="The same seed gives the same run, whatever the state of shared generators.",
        fails="The seed does not decide the run alone.",
        vacuous="No run could be read.",
    )


def termination(runs: Sequence[Ran]) -> Judged:
    """Ask for the end of a run within the number of steps that it states.

    No more steps than that are read. A run that hands over its steps one by one may go on for ever
    and is found out; one that computes for ever before it hands over anything is waited for.
    """
    return Judged(
        family="runs",
        instances=len(runs),
        nontrivial=len(runs),
        failures=[
            RunWitness(
                cases=(ran.case,),
                seed=ran.seed,
                step=ran.course.limit + 1,
                who="",
                problem=f"goes on after the {ran.course.limit} steps of its limit",
            )
            for ran in runs
            if not ran.course.ended
        ],
        holds="Every run ends within the steps that it states.",
        fails="A run goes on after the steps that it states.",
        vacuous="No run could be read.",
    )


def _faults(ran: Ran) -> list[str]:
    moved = [f"moves the generator of {name}, which all share" for name in ran.moved]
    return moved if ran.reproduced else [*moved, f"run again, it {_change(ran.course, ran.again)}"]


def _change(before: Course, after: Course | str) -> str:
    """Say what is different the second time."""
    if isinstance(after, str):
        return after
    pairs = zip(before.contents, after.contents, strict=False)
    for k, (one, other) in enumerate(pairs):
        if one != other:
            return f"has {short(after.steps[k])}, not {short(before.steps[k])}, as step {k + 1}"
    if len(before.contents) != len(after.contents):
        return f"has {len(after.contents)} steps, not {len(before.contents)}"
    names = [f.name for f in fields(Course) if f.name != "steps"]
    changed = [name for name in names if getattr(before, name) != getattr(after, name)]
    return f"has different {', '.join(changed)}"


def _whole(ran: Ran, problem: str) -> RunWitness:
    return RunWitness(cases=(ran.case,), seed=ran.seed, step=None, who="", problem=problem)
