"""Run checks in several processes; outlive a worker that dies, and leave none behind."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Sequence
from contextlib import closing
from typing import Any, Final

from mechproof.executing import Outcome, ProcessPool, Returned, TaskDied, carry_out, tell
from mechproof.run import DIED, ClaimResult, Task, Watcher, run_task

__all__ = ["run_in_pool"]

Job = tuple[Task, bytes]

_YOUNG: Final = 50_000
"""How many young objects a worker gathers before cycles are looked for; Python's own are few."""


def run_in_pool(jobs: Sequence[Job], processes: int, watcher: Watcher) -> list[ClaimResult]:
    """Run every task in a pool and return the results in the order of the tasks.

    A check whose worker dies is run again; the one that kills two is named, the others are run.
    """
    pool = ProcessPool(pickle.dumps(_work), min(processes, len(jobs)))

    def hear(note: Any) -> None:
        watcher.progress(*note)

    results: dict[int, ClaimResult] = {}
    with closing(carry_out(pool, [pickled for _, pickled in jobs], hear=hear)) as outcomes:
        for index, outcome in outcomes:
            results[index] = _result(jobs[index][0], outcome)
            watcher.finish(results[index])
    return [results[index] for index in range(len(jobs))]


def _result(task: Task, outcome: Outcome) -> ClaimResult:
    match outcome:
        case Returned(result):
            found: ClaimResult = result
            return found
        case TaskDied():
            return task.fail(DIED)
        case _:
            return task.fail(
                f"the check or its finding cannot be sent between processes ({outcome})"
            )


def _work(pickled: bytes) -> ClaimResult:
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])  # the process is ours
    return run_task(pickle.loads(pickled), _send)


def _send(claim_id: str, done: int, total: int) -> None:
    tell((claim_id, done, total))
