"""Which tests run which blocks: measured once for each file of tests, and kept."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mutation.blocks import Block, block_at, blocks, functions
from mutation.mutants import Place
from mutation.pytests import Worker
from mutation.tree import PACKAGES, digest

DOCTESTS = "doctests"


@dataclass(frozen=True)
class Test:
    """A test, the seconds it took and the file of tests to give to pytest."""

    name: str
    seconds: float
    unit: str


@dataclass
class CoverageMap:
    """What was measured: for each block the tests that ran it."""

    tests: dict[str, Test] = field(default_factory=dict)
    of_block: dict[str, set[str]] = field(default_factory=dict)
    of_unit: dict[str, list[str]] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)
    units_of_block: dict[str, set[str]] = field(default_factory=dict)

    def add(self, kept: Mapping[str, object]) -> None:
        """Add what was measured of one unit."""
        unit, names, tests = str(kept["unit"]), kept["names"], kept["tests"]
        assert isinstance(names, list)
        assert isinstance(tests, dict)
        self.of_unit[unit] = []
        for name, (seconds, passed, ran) in tests.items():
            if not passed:
                self.failing.append(name)
                continue
            self.tests[name] = Test(name, seconds, unit)
            self.of_unit[unit].append(name)
            for number in ran:
                self.of_block.setdefault(names[number], set()).add(name)
                self.units_of_block.setdefault(names[number], set()).add(unit)
        imported = kept["imported"]
        assert isinstance(imported, list)
        for number in imported:
            self.units_of_block.setdefault(names[number], set()).add(unit)

    def chosen(self, place: Place, source: str, sources: Mapping[str, str]) -> list[Test]:
        """Return the tests that can notice a mutant, the likeliest to do so at little cost first.

        First come those that ran the block, then the others of the same files: what a fixture or
        a cache computed once was noted for the first test only.
        """
        found = blocks(source)
        block = block_at(place.line, found)
        names = self._running(place.path, block, found, sources)
        units = {self.tests[name].unit for name in names} | self._units(place.path, block)
        rest = {name for unit in units for name in self.of_unit[unit]} - names
        return [*self._ordered(names, place.path), *self._ordered(rest, place.path)]

    def _running(
        self, path: str, block: Block, found: list[Block], sources: Mapping[str, str]
    ) -> set[str]:
        if block.compiled:
            callers = callers_of(path, block.name.rpartition("#")[0], sources)
            return set().union(*(self.of_block.get(name, set()) for name in callers))
        if block.name:
            return set(self.of_block.get(f"{path}::{block.name}", ()))
        return set().union(*(self.of_block.get(f"{path}::{b.name}", set()) for b in found))

    def _units(self, path: str, block: Block) -> set[str]:
        return self.units_of_block.get(f"{path}::{block.name}", set())

    def _ordered(self, names: Iterable[str], path: str) -> list[Test]:
        words = set(re.split(r"[/_.]+", path.removesuffix(".py"))) - {"", *PACKAGES}

        def likely(test: Test) -> tuple[float, str]:
            shared = len(words & set(re.split(r"[/_.]+", test.unit)))
            return math.log(test.seconds + 0.05) - 2 * shared, test.name

        return sorted((self.tests[name] for name in names), key=likely)


def callers_of(path: str, kernel: str, sources: Mapping[str, str]) -> set[str]:
    """Return the blocks of plain functions that lead to a compiled function, found by its name."""
    wanted, seen, callers = [kernel.rpartition(".")[2]], set[str](), set[str]()
    while wanted:
        name = wanted.pop()
        seen.add(name)
        word = re.compile(rf"\b{re.escape(name)}\b")
        for other, text in sources.items():
            if not word.search(text) or other.split("/")[:2] != path.split("/")[:2]:
                continue
            compiled = {b.name for b in blocks(text) if b.compiled}
            for caller, function in functions(ast.parse(text).body):
                if not word.search(ast.unparse(function)):
                    continue
                if f"{caller}#0" not in compiled:
                    callers.add(f"{other}::{caller}#0")
                elif caller.rpartition(".")[2] not in seen:
                    wanted.append(caller.rpartition(".")[2])
    return callers


def units(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the units that are measured each in a run of its own, with a digest of their text."""
    found = {}
    for name in names:
        if re.fullmatch(r"tests/(\w+/)*test_\w+\.py", name):
            found[name] = digest((root / name).read_bytes())
    for package in PACKAGES:
        found[f"{DOCTESTS}:{package}"] = ""
    return found


def given(unit: str) -> tuple[list[str], list[str]]:
    """Return the files and options with which pytest runs a unit."""
    kind, _, package = unit.rpartition(":")
    return ([package], ["--doctest-modules"]) if kind == DOCTESTS else ([unit], [])


def missing(wanted: Mapping[str, str], folder: Path) -> list[str]:
    """Return the units that are not kept as they now stand."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for unit, now in wanted.items():
        kept = place_of(unit, folder)
        if not kept.exists() or json.loads(kept.read_text("utf-8"))["digest"] != now:
            found.append(unit)
    return found


def place_of(unit: str, folder: Path) -> Path:
    return folder / f"{digest(unit.encode())}.json"


def measure(worker: Worker, unit: str, now: str, names: list[str], folder: Path) -> None:
    """Measure a unit and keep what was found; `worker` runs in a marked copy."""
    files, options = given(unit)
    run = worker.run(files, options=options)
    tests = run.tests or {}
    ran = {number for test in tests.values() for number in test["blocks"]} | set(run.imported)
    numbers = {number: index for index, number in enumerate(sorted(ran))}
    data = {
        "unit": unit,
        "digest": now,
        "seconds": run.seconds,
        "names": [names[number] for number in numbers],
        "imported": [numbers[number] for number in run.imported],
        "tests": {
            name: [t["seconds"], t["passed"], [numbers[number] for number in t["blocks"]]]
            for name, t in tests.items()
        },
    }
    kept = place_of(unit, folder)
    partial = kept.with_suffix(".part")
    partial.write_text(json.dumps(data), "utf-8")
    partial.replace(kept)
    print(f"{unit}: {len(tests)} tests, {run.seconds:.0f} s", flush=True)


def read(folder: Path, wanted: Iterable[str]) -> CoverageMap:
    """Return what is kept of the units."""
    found = CoverageMap()
    for unit in wanted:
        kept = place_of(unit, folder)
        if kept.exists():
            found.add(json.loads(kept.read_text("utf-8")))
    return found
