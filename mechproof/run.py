"""Run checks, in this process or in several, and compare what they find with what is expected.

Every check gets a seed of its own and a budget in counts, so the findings depend neither on how
many processes there are, nor on which other claims are run, nor on how fast the machine is.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mechproof.code_location import raised_at
from mechproof.executing import pickle_work, usable_cpus
from mechproof.profiles import budget_of
from theory.claims import Budget, CheckContext, Claim, Progress, spawn_seed
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.printable import print_safely, printable
from theory.verdicts import Finding, Status, Strength

__all__ = ["ClaimResult", "RunResult", "Task", "Watcher", "run_task", "usable_cpus", "verify"]

DIED = "the worker process died while it ran this check"
_SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """What became of one claim: a finding, or the error that its check raised."""

    claim: Claim
    least: Strength
    finding: Finding | None = None
    error: str = ""
    seconds: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether the status is the expected one and the strength reaches the least."""
        return (
            self.finding is not None
            and self.finding.status == self.claim.expected
            and self.finding.strength.reaches(self.least)
        )

    @property
    def disagreement(self) -> str:
        """What is wrong, in a clause; empty when the claim agrees."""
        if self.finding is None:
            return f"error: {self.error}"
        if self.finding.status != self.claim.expected:
            return f"expected {self.claim.expected}, found {self.finding.status}"
        if not self.agrees:
            return f"needs strength {self.least}, reached {self.finding.strength}"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run: its settings, its results in the order of the claims, and every claim known."""

    profile: str
    seed: int
    budget: Budget
    results: tuple[ClaimResult, ...]
    known: tuple[Claim, ...]

    @property
    def agrees(self) -> bool:
        """Whether every claim agrees with what is expected of it."""
        return all(result.agrees for result in self.results)

    @property
    def exit_status(self) -> int:
        """0 when all agree, 1 when one does not, 2 when a check raised."""
        if any(result.finding is None for result in self.results):
            return 2
        return 0 if self.agrees else 1

    @property
    def counts(self) -> dict[Status, int]:
        """How many claims have each status; a status that none has is left out."""
        found = Counter(r.finding.status for r in self.results if r.finding is not None)
        return {status: found[status] for status in Status if found[status]}

    def result_of(self, claim_id: str) -> ClaimResult | None:
        """Return the result of a claim, or None when it was not run."""
        return next((r for r in self.results if r.claim.id == claim_id), None)

    def corrections_of(self, claim_id: str) -> tuple[Claim, ...]:
        """Return the claims that correct this one, run or not."""
        return tuple(claim for claim in self.known if claim.corrects == claim_id)

    @print_safely
    def __str__(self) -> str:
        lines = [
            f"{r.claim.id}: {r.finding.status if r.finding else 'error'}"
            + ("" if r.agrees else f" ({r.disagreement})")
            for r in self.results
        ]
        return "\n".join(map(printable, lines))

    def _repr_html_(self) -> str:
        from mechproof.report.html import page

        return page(self)


class Watcher:
    """Hears how a run goes on; this one is silent."""

    def progress(self, claim_id: str, done: int, total: int) -> None:
        """Hear that a check has done ``done`` of ``total``; 0 of 0 when it starts."""

    def finish(self, result: ClaimResult) -> None:
        """Hear the result of a claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A claim to run, with all that its check needs."""

    claim: Claim
    least: Strength
    seed: int
    budget: Budget

    def fail(self, error: str, seconds: float = 0.0) -> ClaimResult:
        """Return the result of a check that gave no finding."""
        return ClaimResult(claim=self.claim, least=self.least, error=error, seconds=seconds)


def verify(
    claims: Sequence[Claim],
    *,
    profile: str = "quick",
    seed: int = 0,
    jobs: int = 1,
    known: Sequence[Claim] = (),
    watcher: Watcher | None = None,
) -> RunResult:
    """Run the checks of ``claims`` in ``jobs`` processes.

    Parameters
    ----------
    claims : sequence of Claim
        What to run, in the order of the report.
    profile, seed : str, int
        The budget by name, and the seed that those of the claims are derived from.
    jobs : int
        How many processes; with one, everything runs in this process.
    known : sequence of Claim
        Claims that were not chosen but may correct chosen ones.
    watcher : Watcher, optional
        Hears of progress and results as they come.

    Raises
    ------
    UnknownNameError
        When there is no such profile.
    InvalidInputError
        When there is nothing to run, or a check cannot be sent to another process.
    """
    if not claims:
        raise InvalidInputError("claims", claims, "is empty", "give at least one claim")
    read_count("jobs", jobs)
    budget = budget_of(profile)
    tasks = [
        Task(
            claim=claim,
            least=claim.least_strength(profile),
            seed=spawn_seed(seed, claim.id),
            budget=budget,
        )
        for claim in claims
    ]
    watcher = watcher or Watcher()
    if jobs == 1:
        results = _run_here(tasks, watcher)
    else:
        from mechproof.pool import run_in_pool

        results = run_in_pool([(task, _pickle_task(task)) for task in tasks], jobs, watcher)
    everything = {claim.id: claim for claim in (*known, *claims)}
    return RunResult(
        profile=profile,
        seed=seed,
        budget=budget,
        results=tuple(results),
        known=tuple(everything.values()),
    )


def run_task(task: Task, report: Callable[[str, int, int], None]) -> ClaimResult:
    """Run one check; whatever it raises becomes the error of its claim."""
    report(task.claim.id, 0, 0)
    context = CheckContext(
        seed=task.seed, budget=task.budget, progress=_now_and_then(task.claim.id, report)
    )
    start = time.perf_counter()
    try:
        finding = task.claim.check(context)
    except (Exception, SystemExit) as error:
        return task.fail(raised_at(error), time.perf_counter() - start)
    seconds = time.perf_counter() - start
    if not isinstance(finding, Finding):
        return task.fail(f"the check returned {type(finding).__name__}, not a Finding", seconds)
    return ClaimResult(claim=task.claim, least=task.least, finding=finding, seconds=seconds)


def _run_here(tasks: Sequence[Task], watcher: Watcher) -> list[ClaimResult]:
    results = []
    for task in tasks:
        result = run_task(task, watcher.progress)
        watcher.finish(result)
        results.append(result)
    return results


def _pickle_task(task: Task) -> bytes:
    return pickle_work(task, task.claim.check, f"check of {task.claim.id}", "use --jobs 1")


def _now_and_then(claim_id: str, report: Callable[[str, int, int], None]) -> Progress:
    last = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_REPORTS:
            last = now
            report(claim_id, done, total)

    return progress
