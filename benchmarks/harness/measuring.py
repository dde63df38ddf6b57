"""A row: answers first, then paired and interleaved times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from llm_adapters.errors import MissingPackageError
from theory.shared.compiling import settle

from .alone import Alone, Outcome, in_a_process
from .record import Judged, Side, Status, Timed, installed
from .row import Growth, Row, Work
from .targets import Figures, Target

__all__ = [
    "How",
    "compared",
    "judged",
    "measure",
    "missing",
    "paired",
    "spread",
    "told",
    "versions",
]

AT_LEAST = 3  # pairs
LONG = 5.0  # seconds: a peer that takes longer is not done once more in a process of its own
A_SAMPLE = 1e-3  # seconds: shorter work is done several times in a row
MOST_LOOPS = 10_000


@dataclass(frozen=True)
class How:
    """The clock and the processes, which tests replace, and how much time a row may take."""

    clock: Callable[[], float] = perf_counter
    alone: Alone = in_a_process
    installed: Callable[[str], str | None] = installed
    quick: bool = False
    seconds: float = 4.0
    longest_process: float = 300.0

    @property
    def least(self) -> int:
        """Pairs that are done however long they take."""
        return 1 if self.quick else AT_LEAST


def measure(row: Row, how: How) -> Timed:
    lacks = missing(row, how)
    peer = None if lacks else row.peer
    notes = [lacks] if lacks else []

    def failed(note: str, status: Status = "failed") -> Timed:
        return Timed(
            id=row.id,
            issue=row.issue,
            work=row.work,
            status=status,
            note=note,
            ours=Side(row.ours_name),
            peer=None if row.peer is None else Side(row.peer_name),
            targets=judged(
                row.targets, Figures(peer_name=row.peer_name), wrong=status != "missing"
            ),
            versions=versions(row, how),
        )

    settle()  # what other rows have used
    try:
        if row.prepare is not None:
            row.prepare()
        start = how.clock()
        answer = row.ours()
        first = how.clock() - start
        values = {} if row.values is None else dict(row.values(answer))
    except MissingPackageError as error:
        return failed(told(error), "missing")
    except Exception as error:
        return failed(f"ours failed: {told(error)}")

    peer_first = 0.0
    if peer is not None:
        try:
            start = how.clock()
            theirs = peer()
            peer_first = how.clock() - start
        except Exception as error:
            peer = None
            notes.append(f"{row.peer_name} failed: {told(error)}")
        else:
            differ = compared(row, answer, theirs)
            if differ:
                return failed(f"answers differ: {differ}", "differs")
            del theirs
    del answer

    if row.repeats and settle():
        row.ours()  # reads machine code

    works = [(row.ours, first)] if peer is None else [(row.ours, first), (peer, peer_first)]
    try:
        samples = paired(works, row.repeats, how)
    except Exception as error:
        return failed(f"failed when it was done again: {told(error)}")
    ours, theirs = samples[0], samples[1] if peer is not None else []
    scale = row.peer_scale() if callable(row.peer_scale) else row.peer_scale
    theirs = [scale * each for each in theirs]

    cold = _cold(row, how, notes, peer is not None and scale == 1 and peer_first <= LONG)
    faster = [b / a for a, b in zip(ours, theirs, strict=False) if a > 0]
    figures = Figures(
        warm=median(ours),
        cold=cold["ours"].seconds,
        process=cold["ours"].process,
        megabytes=cold["ours"].megabytes,
        faster=median(faster) if faster else None,
        values=values,
        peer_name=row.peer_name,
    )
    return Timed(
        id=row.id,
        issue=row.issue,
        work=row.work,
        note="; ".join(notes),
        ours=_side(row.ours_name, ours, cold["ours"]),
        peer=None if row.peer is None else _side(row.peer_name, theirs, cold["peer"], scale != 1),
        faster=faster,
        values=values,
        targets=judged(row.targets, figures),
        versions=versions(row, how),
    )


def paired(works: Sequence[tuple[Work, float]], repeats: int, how: How) -> list[list[float]]:
    """Seconds of a call, one list for each of the works, done in turns.

    Each comes with the seconds of its first call, which stand where no repeats are asked. Work
    shorter than a millisecond is done several times in a row. The turns end after `repeats`, or,
    after the least number of them, when the time for a row is spent; after any, when it is spent
    twice over.
    """
    if repeats == 0:
        return [[first] for _, first in works]
    loops = [_loops(work, first, how) for work, first in works]
    samples: list[list[float]] = [[] for _ in works]
    begun = how.clock()
    for turn in range(repeats):
        spent = how.clock() - begun
        if spent > (how.seconds if turn >= how.least else 2 * how.seconds):
            break
        for (work, _), times, sample in zip(works, loops, samples, strict=True):
            start = how.clock()
            for _ in range(times):
                work()
            sample.append((how.clock() - start) / times)
    return samples


def _loops(work: Work, first: float, how: How) -> int:
    if first >= 1:
        return 1
    start = how.clock()
    work()
    second = how.clock() - start
    return max(1, min(MOST_LOOPS, ceil(A_SAMPLE / max(second, 1e-9))))


def compared(row: Row | Growth, ours: Any, theirs: Any) -> str:
    """What differs, or nothing."""
    assert row.agree is not None
    try:
        return row.agree(ours, theirs)
    except Exception as error:
        return f"they cannot be compared: {told(error)}"


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high


def missing(row: Row | Growth, how: How) -> str:
    """Say which packages of the peer are not installed, or nothing."""
    if row.peer is None:
        return ""
    names = [name for name in row.needs if how.installed(name) is None]
    return f"not installed: {', '.join(names)}" if names else ""


def versions(row: Row | Growth, how: How) -> dict[str, str]:
    found = {name: how.installed(name) for name in row.needs}
    return {name: version for name, version in found.items() if version is not None}


def judged(targets: Sequence[Target], figures: Figures, *, wrong: bool = False) -> list[Judged]:
    """Targets beside what was measured; a wrong answer reaches none."""
    found = []
    for target in targets:
        figure = None if wrong else target.figure(figures)
        reached = None if figure is None else target.reached(figure)
        found.append(Judged(target.says(figures), figure, False if wrong else reached))
    return found


def told(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= 200 else text[:199] + "…"


def _cold(row: Row, how: How, notes: list[str], peer: bool) -> dict[str, Outcome]:
    found = {"ours": Outcome(), "peer": Outcome()}
    if not row.cold:
        return found
    for side in ["ours", "peer"] if peer and not how.quick else ["ours"]:
        found[side] = how.alone(row.id, side, how.longest_process)
        if found[side].problem:
            notes.append(f"no first call of {side}: {found[side].problem}")
    return found


def _side(name: str, warm: list[float], cold: Outcome, estimated: bool = False) -> Side:
    return Side(name, warm, cold.seconds, cold.process, cold.megabytes, estimated)
