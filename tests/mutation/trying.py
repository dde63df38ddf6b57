"""Does a test notice the mutant?"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from mutation.coverage_map import DOCTESTS, Test
from mutation.mutants import Mutant
from mutation.pytests import Run, Worker
from mutation.tree import Changed

FIRST_SECONDS, FIRST_FILES = 8.0, 4
"""The first run of a mutant holds this much: most are killed in it."""

MOST_SECONDS = 120.0
"""Tests of more than this, as measured without mutants, are not run for one mutant."""

COMPILING = 240
"""Seconds more for mutants of kernels, with the change and without: machine code is made anew."""

PRICE = {"none": 1.0, "all": 3.0}
"""How many times the work tests take with run-time checks; those of a tenth count 1.3."""


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: killed, timed out, survived, or uncovered."""

    status: str
    by: str = ""
    seconds: float = 0.0
    tests: int = 0


@dataclass
class Trial:
    """Tries mutants in one copy of the tree; remembers which tests fail without any mutant."""

    worker: Worker
    most: float = MOST_SECONDS
    price: float = 1.0
    limit: Callable[[float], int] = lambda estimate: 30 + 5 * ceil(estimate)
    sound: set[str] = field(default_factory=set)
    unsound: set[str] = field(default_factory=set)

    def verdict(self, mutant: Mutant, tests: Sequence[Test]) -> Verdict:
        """Run the tests on the mutant until one fails; a kill counts if the test else passes."""
        seconds, tried = 0.0, 0
        compiled = "_kernels" in mutant.path
        extra = COMPILING * compiled
        with tempfile.TemporaryDirectory() as scratch:
            cache = self._cache(Path(scratch)) if compiled else None
            for stage in stages(tests, self.most / self.price):
                while wanted := [test for test in stage if test.name not in self.unsound]:
                    with Changed(self.worker.folder / mutant.path, mutant.source):
                        run = self._run(wanted, extra, numba=cache)
                    seconds += run.seconds
                    killer = killed_by(run)
                    if killer is None:
                        tried += len(wanted)
                        break
                    if run.ended == "timed out":
                        return Verdict("timed out", killer, seconds, tried)
                    if self._passes_without(killer, wanted, extra):
                        return Verdict("killed", killer, seconds, tried)
        return Verdict("survived" if tried else "uncovered", "", seconds, tried)

    def _cache(self, scratch: Path) -> Path:
        """Copy what numba has compiled: a mutant's machine code must not be kept."""
        kept = self.worker.folder / ".numba"
        if kept.exists():
            shutil.copytree(kept, scratch / "numba")
        return scratch / "numba"

    def _run(self, tests: Sequence[Test], extra: int = 0, numba: Path | None = None) -> Run:
        files = dict.fromkeys(
            test.name.partition("::")[0] if test.unit.startswith(DOCTESTS) else test.unit
            for test in tests
        )
        doctests = any(test.unit.startswith(DOCTESTS) for test in tests)
        options = ["-x", *(["--doctest-modules"] if doctests else [])]
        limit = self.limit(self.price * sum(test.seconds for test in tests)) + extra
        names = [test.name for test in tests]
        run = self.worker.run(list(files), names, options=options, limit=limit, numba=numba)
        if run.status == 4:
            raise RuntimeError(f"pytest was called wrongly:\n{run.said}")
        return run

    def _passes_without(self, killer: str, tests: Sequence[Test], extra: int) -> bool:
        """Tell whether the tests up to the one that failed pass without the mutant.

        What is compiled may be compiled anew here, too: nothing is kept of the mutant's.
        """
        if killer in self.sound or not killer:
            return True
        names = [test.name for test in tests]
        if killer in names:
            again = list(tests[: names.index(killer) + 1])
        else:  # a file that could not be collected
            again = [test for test in tests if test.unit == killer][:1] or list(tests[:1])
        fails = killed_by(self._run(again, extra))
        if fails is None:
            self.sound.add(killer)
            return True
        blamed = fails if fails in names else again[-1].name
        self.unsound.add(blamed)
        return False


def killed_by(run: Run) -> str | None:
    """Return what noticed: the name of a test or a file, "" where the process died; else None."""
    if run.ended != "finished" or run.status == 3:
        return ""
    return run.failed[0] if run.failed else None


def stages(tests: Sequence[Test], most: float) -> Iterator[list[Test]]:
    """Split the tests into a short run and the rest; leave out what is beyond `most` seconds."""
    taken: list[Test] = []
    total = 0.0
    for test in tests:
        if total + test.seconds <= most or not taken:
            taken.append(test)
            total += test.seconds
    first: list[Test] = []
    files: set[str] = set()
    total = 0.0
    for test in taken:
        if first and (
            total + test.seconds > FIRST_SECONDS or len(files | {test.unit}) > FIRST_FILES
        ):
            break
        first.append(test)
        files.add(test.unit)
        total += test.seconds
    if first:
        yield first
    if rest := taken[len(first) :]:
        yield rest
