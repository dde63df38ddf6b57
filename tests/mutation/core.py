"""The core of the tests: those that run most of the code in little time."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from pathlib import Path

from mutation.coverage_map import DOCTESTS, CoverageMap

CORE = "tests/core.txt"
"""A line a test function: its file and its name, as pytest reads them with ``@tests/core.txt``."""

SECONDS_A_FILE, SECONDS_A_TEST = 0.3, 0.01
"""What it costs to load a file of tests, and to begin a test, beyond what the test works."""


def functions(tests: CoverageMap) -> dict[str, tuple[float, set[str]]]:
    """Return the seconds and the blocks of each test function, its parameters taken together."""
    found: dict[str, tuple[float, set[str]]] = {}
    for test in tests.tests.values():
        if not test.unit.startswith(DOCTESTS):
            name = test.name.partition("[")[0]
            seconds, blocks = found.get(name, (0.0, set()))
            found[name] = (seconds + test.seconds + SECONDS_A_TEST, blocks)
    for block, names in tests.of_block.items():
        for name in names:
            if (function := name.partition("[")[0]) in found:
                found[function][1].add(block)
    return found


def choose(tests: CoverageMap, seconds: float) -> tuple[list[str], float]:
    """Return test functions of at most ``seconds`` of work, and their share of the blocks.

    Greedy: the function comes next that runs most blocks, which none before it runs, a second of
    work; until no function that fits the rest of the time adds any.
    """
    known = functions(tests)
    everything = set().union(*(blocks for _, blocks in known.values()))
    chosen: list[str] = []
    files: set[str] = set()
    covered: set[str] = set()

    def cost(name: str) -> float:
        return known[name][0] + (0 if file_of(name) in files else SECONDS_A_FILE)

    def worth(name: str) -> float:
        return -len(known[name][1] - covered) / cost(name)

    waiting = [(worth(name), name) for name in sorted(known)]
    heapq.heapify(waiting)
    while waiting:
        _, name = heapq.heappop(waiting)
        if cost(name) > seconds or not known[name][1] - covered:
            continue
        now = worth(name)
        if waiting and now > waiting[0][0]:  # others have run its blocks since it was judged
            heapq.heappush(waiting, (now, name))
            continue
        seconds -= cost(name)
        chosen.append(name)
        files.add(file_of(name))
        covered |= known[name][1]
    return sorted(chosen), len(covered) / max(1, len(everything))


def file_of(name: str) -> str:
    return name.partition("::")[0]


def write(chosen: Iterable[str], path: Path) -> None:
    path.write_text("".join(f"{name}\n" for name in chosen), "utf-8")
