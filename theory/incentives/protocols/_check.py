"""Checking a mechanism that runs in steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeVar

from theory.arguments import refusing
from theory.errors import InvalidInputError
from theory.incentives._checklist import Checklist, PropertyChecked, count, named
from theory.incentives.protocols._discipline import seed_discipline, termination
from theory.incentives.protocols._judging import Judged, Judgement, RunWitness
from theory.incentives.protocols._knowledge import disclosure, measurability
from theory.incentives.protocols._money import budgets, conservation
from theory.incentives.protocols._running import Runnable, run_all
from theory.verdicts import Scope, Status, Strength

__all__ = ["PROTOCOL_PROPERTIES", "ProtocolReport", "check_protocol"]

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

    >>> from theory.incentives.protocols import Granted, Moved, Paid, RunRecord, Told
    >>> def sale(secret, rng):
    ...     return RunRecord(
    ...         steps=[Told("buyer", secret), Moved("buyer", "declines")],
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
        name: named(PROTOCOL_PROPERTIES, name, "properties")
        for name in (PROTOCOL_PROPERTIES if properties is None else properties)
    }
    listed = _by_name(cases)
    count(seed, "seed", least=0)
    numbers = range(seed, seed + count(seeds, "seeds"))
    done, faults = run_all(run, listed, numbers)
    sizes = f"{len(listed)} cases, {seeds} seeds"
    findings = (_finding(name, judge(done), sizes, seed) for name, judge in chosen.items())
    return ProtocolReport(findings=tuple(findings), faults=tuple(faults))


def _by_name(cases: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    if isinstance(cases, str) or not isinstance(cases, Iterable):
        raise InvalidInputError("cases", cases, "are no list", "give a list, even of one")
    pairs = cases.items() if isinstance(cases, Mapping) else enumerate(cases)
    listed = {str(name): case for name, case in pairs}
    if not listed:
        raise InvalidInputError("cases", cases, "are none", "give at least one")
    return listed


def _finding(name: str, judged: Judged, sizes: str, seed: int) -> PropertyChecked[RunWitness]:
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
