"""A clock that only work moves, processes that were never started, and rows made of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.harness.alone import Outcome
from benchmarks.harness.measuring import How
from benchmarks.harness.record import Judged, Kept, Run, Side, Timed


class Clock:
    """Seconds that pass only in the works made from it; `order` tells which were done."""

    def __init__(self) -> None:
        self.now = 0.0
        self.order: list[str] = []

    def __call__(self) -> float:
        return self.now

    def work(self, name: str, seconds: Iterable[float], answer: Any = 0) -> Callable[[], Any]:
        """Take the given seconds, call by call, and the last of them ever after."""
        left = list(seconds)

        def done() -> Any:
            self.order.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]
            return answer

        return done


class Processes:
    """Answers each call with what it was told to, and remembers the calls."""

    def __init__(self, outcomes: Mapping[str, Outcome] | None = None) -> None:
        self.outcomes = dict(outcomes or {})
        self.calls: list[tuple[str, str, float]] = []

    def __call__(self, row: str, side: str, limit: float) -> Outcome:
        self.calls.append((row, side, limit))
        return self.outcomes.get(side, Outcome(seconds=1.0, process=2.0, megabytes=3.0))


def how(
    clock: Clock, processes: Processes | None = None, *, lacks: Sequence[str] = (), **rest: Any
) -> How:
    return How(
        clock=clock,
        alone=processes or Processes(),
        installed=lambda name: None if name in lacks else "1.2",
        **rest,
    )


def kept(
    name: str = "topic.row",
    date: str = "2026-01-01T00:00:00+00:00",
    seconds: float = 1.0,
    *,
    machine: str = "a machine",
    **rest: Any,
) -> Kept:
    """A line of a results file."""
    run = Run(date, "0123456789", machine, 2, 0.5, "3.11.0", {"numpy": "2.0"})
    result = Timed(
        id=name,
        issue=2,
        work="some | work",
        ours=Side("ours", [seconds, 2 * seconds, 4 * seconds], 0.25),
        peer=Side("a peer", [10.0, 10.0, 10.0]),
        faster=[10.0, 5.0, 2.5],
        targets=[Judged("at most 3 s", 2 * seconds, 2 * seconds <= 3)],
        versions={"peer": "7.8"},
        **rest,
    )
    return Kept(run, result)
