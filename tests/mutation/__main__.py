"""Sample mutants, try each in a copy of the tree, and say which no test notices."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from mutation import core, coverage_map, kept, report, tree
from mutation.mutants import Mutant, Place, mutant, places
from mutation.pytests import Worker
from mutation.trying import Trial, Verdict

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent.parent


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev.py mutate", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--sample", type=positive, metavar="N", help="try N mutants")
    size.add_argument("--whole", action="store_true", help="try every mutant: takes days")
    size.add_argument(
        "--core", type=positive, metavar="N", help="try none; choose the core of N seconds of work"
    )
    parser.add_argument("--minutes", type=positive, metavar="M", help="begin none after M minutes")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which sample (0)")
    parser.add_argument("--within", default="", metavar="PATH", help="only files below PATH")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), metavar="J")
    parser.add_argument("--as-mapped", action="store_true", help="measure no tests before")
    found = parser.parse_args(arguments)
    if not (found.sample or found.whole or found.core or found.minutes):
        found.minutes = 30
    return found


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


class Session:
    """The mutants of a checkout, what is known of them, and the folder where that is kept."""

    def __init__(self, root: Path, folder: Path, within: str = "") -> None:
        self.root, self.folder = root, folder
        self.sources = tree.modules(root)
        self.chosen = [path for path in self.sources if path.startswith(within)]
        names = tree.listed(root)
        tests = [
            root / name
            for name in names
            if name.startswith("tests/") and not name.startswith("tests/mutation/")
        ]
        self.tests = tree.digest(*(path.read_bytes() for path in tests))
        self.units = coverage_map.units(root, names)
        self.lock = threading.Lock()
        self.known: dict[tuple[str, ...], dict[str, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self.results = folder / "results.jsonl"
        if self.results.exists():
            for line in self.results.read_text("utf-8").splitlines():
                with contextlib.suppress(json.JSONDecodeError):  # a line cut short costs a mutant
                    row = json.loads(line)
                    self.known[tuple(row["key"])] = row

    def places(self) -> list[Place]:
        """Return every place of the chosen modules; those of a module are kept with its digest."""
        store = self.folder / "places.json"
        old = json.loads(store.read_text("utf-8")) if store.exists() else {}
        new = {}
        for path in self.chosen:
            key = f"{path}:{tree.digest(self.sources[path].encode())}"
            new[key] = old.get(key) or [
                (p.operator, p.occurrence, p.line, p.column)
                for p in places(path, self.sources[path])
            ]
        store.write_text(json.dumps({**old, **new}), "utf-8")
        return sorted(
            Place(key.rpartition(":")[0], *row) for key, rows in new.items() for row in rows
        )

    def measured(self, jobs: int) -> coverage_map.CoverageMap:
        """Return which tests run which blocks; measure first, in some copies, what is not kept."""
        maps = self.folder / "map"
        waiting = iter(coverage_map.missing(self.units, maps))

        def measure(worker: Worker) -> None:
            names = tree.mark(worker.folder, self.sources)
            while unit := self.following(waiting):
                coverage_map.measure(worker, unit, self.units[unit], names, maps)

        if jobs:
            self.in_copies("marked", jobs, measure)
        return coverage_map.read(maps, self.units)

    def following(self, waiting: Iterator[T]) -> T | None:
        with self.lock:
            return next(waiting, None)

    def in_copies(self, name: str, jobs: int, work: Callable[[Worker], None]) -> None:
        """Do the work in some copies of the tree at once; an interrupt ends all of it."""
        workers = []
        for number in range(jobs):
            copy = self.folder / f"{name}-{number}"
            tree.copy(self.root, copy)
            workers.append(Worker(copy))
        with ThreadPoolExecutor(jobs) as pool:
            running = [pool.submit(work, worker) for worker in workers]
            try:
                for one in running:
                    one.result()
            finally:
                for worker in workers:
                    worker.close()

    def key(self, place: Place) -> tuple[str, ...]:
        digest = tree.digest(self.sources[place.path].encode())
        return place.path, digest, place.operator, str(place.occurrence)

    def remembered(self, place: Place) -> dict[str, Any] | None:
        """Return what is known of a mutant; a survivor is tried again when tests have changed."""
        row = self.known.get(self.key(place))
        if row is None or row["status"] == "equivalent":
            return None
        return row if row["status"] in report.KILLED or row["tests_digest"] == self.tests else None

    def keep(self, place: Place, found: Mutant, verdict: Verdict) -> dict[str, Any]:
        row = {
            "key": self.key(place),
            "tests_digest": self.tests,
            "path": found.path,
            "function": found.function,
            "line": found.line,
            "operator": found.operator,
            "before": found.before,
            "after": found.after,
            **asdict(verdict),
        }
        with self.lock:
            self.known[self.key(place)] = row
            with self.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        return row


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Run the command; return 0, or 1 where the kept list names what is no mutant any more."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # dev.py leaves Ctrl-C to us
    given = options(arguments)
    folder = root / "build" / "mutation"
    session = Session(root, folder, given.within)
    print(f"{len(session.chosen)} modules; what is known is kept in {folder}", flush=True)
    everything = session.places()
    print(f"{len(everything)} mutants", flush=True)
    drawn = list(everything)
    random.Random(given.seed).shuffle(drawn)
    entries = kept.read()
    try:
        tests = session.measured(0 if given.as_mapped else given.jobs)
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from here.", flush=True)
        return 130
    if tests.failing:
        print(f"{len(tests.failing)} tests fail without a mutant and are left out:")
        print(*tests.failing, sep="\n")
    if given.core:
        chosen, share = core.choose(tests, given.core)
        core.write(chosen, root / core.CORE)
        print(f"{len(chosen)} test functions run {share:.0%} of the blocks: {core.CORE}")
        return 0
    rows = run(session, drawn, entries, tests, given)
    gone = [
        entry
        for entry in kept.forgotten(entries, everything, session.sources)
        if entry.file.startswith(given.within)
    ]
    print(report.text(rows, len(everything), given.seed))
    for entry in gone:
        print(f"No mutant any more, remove it: {entry.file}, {entry.function}: {entry.before}")
    return int(bool(gone))


def sample(
    session: Session, drawn: list[Place], size: int | None
) -> Iterator[tuple[Place, Mutant]]:
    """Yield the first `size` places that make a mutant; all of them where no size is given."""
    number = 0
    for place in drawn:
        if size is not None and number >= size:
            return
        if found := mutant(place, session.sources[place.path]):
            number += 1
            yield place, found


def run(
    session: Session,
    drawn: list[Place],
    entries: list[kept.Equivalent],
    tests: coverage_map.CoverageMap,
    given: argparse.Namespace,
) -> list[dict[str, Any]]:
    """Try the mutants in their drawn order, in as many copies as there are jobs."""
    rows: list[dict[str, Any]] = []
    ends = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    waiting = sample(session, drawn, given.sample)

    def work(worker: Worker) -> None:
        trial = Trial(worker)
        while time.monotonic() < ends and (following := session.following(waiting)):
            place, found = following
            row = session.remembered(place)
            listed = any(entry.is_of(found) for entry in entries)
            if listed and (row is None or row["status"] not in report.KILLED):
                row = session.keep(place, found, Verdict("equivalent"))
            elif row is None:
                chosen = tests.chosen(place, session.sources[place.path], session.sources)
                row = session.keep(place, found, trial.verdict(found, chosen))
            rows.append(row)
            print(report.line(len(rows), row), flush=True)

    try:
        session.in_copies("copy", given.jobs, work)
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from here.", flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
