"""Checking a mechanism that runs in steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final, TypeVar

from theory.errors import InvalidInputError
from theory.incentives._checklist import Checklist, PropertyChecked, look_up_name, write_short
from theory.incentives.protocols._judgement import Judgement, RunJudgement, RunWitness
from theory.incentives.protocols._knowledge import disclosure, measurability
from theory.incentives.protocols._money import budgets, conservation
from theory.incentives.protocols._reading import RecordedRun
from theory.incentives.protocols._repeated_runs import RepeatedRun, Runnable, run_all
from theory.shared.arguments import read_count, refusing
from theory.verdicts import Scope, Status, Strength

__all__ = ["PROTOCOL_PROPERTIES", "ProtocolReport", "check_protocol"]


# --- Discipline of a program: the seed decides everything, and a run ends when it says it does


def seed_discipline(runs: Sequence[RepeatedRun]) -> RunJudgement:
    """Ask for the same run from the same case and seed, and for untouched shared generators.

    Each run is done twice, while the generators of ``random`` and ``numpy.random`` stand in
    different states. Both runs must hold the same, and must not move those generators; what reads
    them without moving them shows itself by the difference. Drawing on the system's entropy does
    too, but for chance. Type checkers that look at random entries at run time move ``random`` too.
    """
    return RunJudgement(
        family="runs, each done twice",
        instances=len(runs),
        nontrivial=len(runs),
        failures=[_make_witness(ran, problem) for ran in runs for problem in _faults(ran)],
        holds="The same seed gives the same run, whatever the state of shared generators.",
        fails="The seed does not decide the run alone.",
        vacuous="No run could be read.",
    )


def termination(runs: Sequence[RepeatedRun]) -> RunJudgement:
    """Ask for the end of a run within the number of steps that it states.

    No more steps than that are read. A run that hands over its steps one by one may go on for ever
    and is found out; one that computes for ever before it hands over anything is waited for.
    """
    return RunJudgement(
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


def _faults(ran: RepeatedRun) -> list[str]:
    moved = [f"moves the generator of {name}, which all share" for name in ran.moved]
    return moved if ran.reproduced else [*moved, f"run again, it {_change(ran.course, ran.again)}"]


def _change(before: RecordedRun, after: RecordedRun | str) -> str:
    """Say what is different the second time."""
    if isinstance(after, str):
        return after
    pairs = zip(before.contents, after.contents, strict=False)
    for k, (one, other) in enumerate(pairs):
        if one != other:
            now, first = write_short(after.steps[k]), write_short(before.steps[k])
            return f"has {now}, not {first}, as step {k + 1}"
    if len(before.contents) != len(after.contents):
        return f"has {len(after.contents)} steps, not {len(before.contents)}"
    names = [f.name for f in fields(RecordedRun) if f.name != "steps"]
    changed = [name for name in names if getattr(before, name) != getattr(after, name)]
    return f"has different {', '.join(changed)}"


def _make_witness(ran: RepeatedRun, problem: str) -> RunWitness:
    return RunWitness(cases=(ran.case,), seed=ran.seed, step=None, who="", problem=problem)


# --- Checking a mechanism that runs in steps

Case = TypeVar("Case")

PROTOCOL_PROPERTIES: Final[Mapping[str, Judgement]] = MappingProxyType(
    {
        "conservation": conservation,
        "budgets": budgets,
        "disclosure": disclosure,
        "measurability": measurability,
        "seed_discipline": seed_discipline,
        "termination": termination,
    }
)
"""What is checked, in this order; each function says in its docstring what it means."""


@dataclass(frozen=True)
class ProtocolReport(Checklist[RunWitness]):
    """What :func:`check_protocol` found, property by property."""


@refusing
def check_protocol(
    run: Runnable[Case],
    cases: Mapping[str, Case] | Iterable[Case],
    *,
    properties: Iterable[str] | None = None,
    seed: int = 0,
    seeds: int = 2,
) -> ProtocolReport:
    """Check a mechanism that runs in steps: its money, its secrets, its seed, its end.

    ``run(case, generator)`` is called twice for every case and seed. It makes its players anew each
    time and returns what happened, as a :class:`~theory.incentives.protocols.ProtocolRun`.

    Parameters
    ----------
    run : callable
        Takes a case and a numpy ``Generator``.
    cases : mapping from names, or iterable
        Whatever ``run`` takes. What players could know is found by comparing cases, so give some
        that differ only in what some player must not know.
    properties : iterable of str, optional
        Names from ``PROTOCOL_PROPERTIES``; all of them unless said otherwise.
    seed, seeds : int
        The generators are those of the seeds ``seed``, …, ``seed + seeds - 1``.

    Returns
    -------
    ProtocolReport
        A property that holds is ``tested``. One that is refuted comes with the earliest step that
        was found to break it, and is ``exact`` unless floats were compared. ``vacuous`` is what no
        run could have broken. Runs that raise or cannot be read are among ``faults``.

    Raises
    ------
    InvalidInputError
        For no cases, and seeds that are no counts.
    UnknownNameError
        For a property that there is not.

    Examples
    --------
    A sale in which the buyer reads what it does not buy:

    >>> from theory.incentives.protocols import MessageSent, MoveMade, RunRecord
    >>> def sale(secret, rng):
    ...     return RunRecord(
    ...         steps=[MessageSent("buyer", secret), MoveMade("buyer", "declines")],
    ...         limit=4,
    ...         opening={"buyer": 1, "seller": 0},
    ...         closing={"buyer": 1, "seller": 0},
    ...         secrets={"good": secret},
    ...     )
    >>> print(check_protocol(sale, ["rain", "sun"], properties=["conservation", "disclosure"]))
    refuted: disclosure
    property      status   strength  scope
    ────────────  ───────  ────────  ────────────────────────
    conservation  holds    tested    4 sampled, 4 non-trivial
    disclosure    refuted  exact     8 sampled, 4 non-trivial
    <BLANKLINE>
    disclosure: A player is told what depends on more than it may know.
    cases 0 and 1, seed 0, step 1: buyer is told 'rain' in one, is told 'sun' in the other
    """
    chosen = {
        name: look_up_name(PROTOCOL_PROPERTIES, name, "properties")
        for name in (PROTOCOL_PROPERTIES if properties is None else properties)
    }
    listed = _by_name(cases)
    read_count("seed", seed, 0)
    numbers = range(seed, seed + read_count("seeds", seeds))
    done, faults = run_all(run, listed, numbers)
    sizes = f"{len(listed)} cases, {seeds} seeds"
    findings = (_make_finding(name, judge(done), sizes, seed) for name, judge in chosen.items())
    return ProtocolReport(findings=tuple(findings), faults=tuple(faults))


def _by_name(cases: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    if isinstance(cases, str) or not isinstance(cases, Iterable):
        raise InvalidInputError("cases", cases, "are no list", "give a list, even of one")
    pairs = cases.items() if isinstance(cases, Mapping) else enumerate(cases)
    listed = {str(name): case for name, case in pairs}
    if not listed:
        raise InvalidInputError("cases", cases, "are none", "give at least one")
    return listed


def _make_finding(
    name: str, judged: RunJudgement, sizes: str, seed: int
) -> PropertyChecked[RunWitness]:
    if judged.failures:
        status, reason = Status.REFUTED, judged.fails
    elif judged.nontrivial:
        status, reason = Status.HOLDS, judged.holds
    else:
        status, reason = Status.VACUOUS, judged.vacuous
    beyond_doubt = bool(judged.failures) and judged.exact
    return PropertyChecked(
        property=name,
        status=status,
        strength=Strength.EXACT if beyond_doubt else Strength.TESTED,
        scope=Scope(
            family=judged.family,
            instances=judged.instances,
            met_hypotheses=judged.instances,
            nontrivial=judged.nontrivial,
            sizes=sizes,
            seed=seed,
        ),
        reason=reason,
        witness=judged.smallest,
    )
