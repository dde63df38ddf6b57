"""The engine that does many tasks in many processes: sweeps, claims and experiments run on it.

A crew does the work: processes of our own, or an executor that is lent to us. :func:`carry_out`
gives out batches and tells the outcome of each task as it comes; a process that dies costs nothing
but the task it was at, which is tried once more; and none outlives the program.
"""

from mechproof.executing._crew import Crew
from mechproof.executing._lent import LentCrew
from mechproof.executing._loop import Sizes, carry_out
from mechproof.executing._messages import (
    Died,
    ExecutorGoneError,
    Outcome,
    Raised,
    Returned,
    Unsendable,
    WorkerDiedError,
)
from mechproof.executing._own import OwnCrew
from mechproof.executing._patience import Patience
from mechproof.executing._pickling import pickled
from mechproof.executing._processors import usable_cpus
from mechproof.executing._worker import tell

__all__ = [
    "Crew",
    "Died",
    "ExecutorGoneError",
    "LentCrew",
    "Outcome",
    "OwnCrew",
    "Patience",
    "Raised",
    "Returned",
    "Sizes",
    "Unsendable",
    "WorkerDiedError",
    "carry_out",
    "pickled",
    "tell",
    "usable_cpus",
]
