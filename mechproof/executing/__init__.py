"""The engine that does many tasks in many processes: sweeps, claims and experiments run on it.

A pool does the work: processes of our own, or an executor that is lent to us. :func:`carry_out`
gives out batches and tells the outcome of each task as it comes; a process that dies costs nothing
but the task it was at, which is tried once more; and none outlives the program.
"""

from mechproof.executing._executor_pool import ExecutorPool
from mechproof.executing._interrupts import InterruptGuard
from mechproof.executing._loop import Sizes, carry_out
from mechproof.executing._messages import (
    ExecutorGoneError,
    Outcome,
    Raised,
    Returned,
    TaskDied,
    Unsendable,
    WorkerDiedError,
)
from mechproof.executing._pickling import pickle_work
from mechproof.executing._process_pool import ProcessPool
from mechproof.executing._processors import usable_cpus
from mechproof.executing._worker import tell
from mechproof.executing._worker_pool import WorkerPool

__all__ = [
    "ExecutorGoneError",
    "ExecutorPool",
    "InterruptGuard",
    "Outcome",
    "ProcessPool",
    "Raised",
    "Returned",
    "Sizes",
    "TaskDied",
    "Unsendable",
    "WorkerDiedError",
    "WorkerPool",
    "carry_out",
    "pickle_work",
    "tell",
    "usable_cpus",
]
