"""Inspection protocols against plain enumerations of the same definitions, in one run.

    python benchmarks/inspection.py [--rounds R] [--largest]

"first" is the first call in the process, "warm" the median of further calls; ours builds the
problem from plain data, solves it and checks the answer. Of an enumeration that would not end, the
time is its count divided by the rate at which it tries its first cases, and marked ≈. Where it
ends, the two values must be equal. With --largest, each method climbs a ladder of instances, each
step in a process of its own, until one takes over a minute or is refused; that takes a while.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isclose, log10
from multiprocessing import get_context
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from plain_inspection import (
    Case,
    best_of_all_protocols,
    best_of_purchases,
    count_protocols,
    draw,
    recursive_value,
)

from papers.checks.inspection_families import PROBLEMS, InspectionInstance
from theory.decision import DecisionProblem
from theory.errors import LimitError
from theory.information import Good
from theory.inspection import InspectionProblem, best_admissible, recursive_inspection
from theory.probability import ProbabilitySpace, Variable

MINUTE = 60
FIRST_PURCHASES = 5_000
SAMPLES = 2_000  # problems of three states, as many as the quick profile samples
CLAIM = "volition.theorem-3.3"

Work = Callable[[], Any]
Size = tuple[tuple[int, ...], int]


def problem(case: Case) -> InspectionProblem:
    decision = DecisionProblem.of(ProbabilitySpace.of(case.p), dict(enumerate(case.utilities)))
    levels = [
        [
            Good.of(f"{n}.{j}", Variable.of("shown", shows), price)
            for j, (shows, price) in enumerate(level)
        ]
        for n, level in enumerate(case.levels, 1)
    ]
    return InspectionProblem.of(decision, levels)


def recursive(case: Case) -> Any:
    return recursive_inspection(problem(case)).value


def best(case: Case) -> Any:
    return best_admissible(problem(case)).value


def plain_case(instance: InspectionInstance) -> Case:
    total = sum(instance.weights)
    return Case(
        [Fraction(weight, total) for weight in instance.weights],
        instance.utilities,
        [[(offer.shows, offer.price) for offer in level] for level in instance.levels],
    )


@dataclass(frozen=True)
class Row:
    """Seconds that ours and the enumeration take, and the most that ours may take."""

    what: str
    first: float
    warm: Sequence[float]
    plain: float
    estimated: bool = False
    target: float | None = None

    def __str__(self) -> str:
        warm = f"{median(self.warm):9.3f}" if self.warm else f"{'':9}"
        ratios = sorted(self.plain / t for t in self.warm or [self.first])
        about = "≈" if self.estimated else ""
        ratio = about + number(median(ratios))
        spread = f"{number(ratios[0])}..{number(ratios[-1])}" if len(ratios) > 1 else ""
        goal = "" if self.target is None else f"{self.target:g}"
        return (
            f"{self.what:58}{self.first:9.3f}{warm}{goal:>8}{about + number(self.plain):>13}"
            f"{ratio:>11}  {spread}"
        )


def number(x: float) -> str:
    if x >= 1e5:
        return f"10^{log10(x):.0f}"
    return f"{x:.3g}" if x < 100 else f"{x:,.0f}"


def timed(work: Work) -> tuple[float, Any]:
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def compared(what: str, ours: Work, plain: Work, rounds: int, target: float | None = None) -> Row:
    first, value = timed(ours)
    seconds, expected = timed(plain)
    exact = not isinstance(value, float)
    assert value == expected if exact else isclose(value, expected, rel_tol=1e-9), what
    warm = [timed(ours)[0] for _ in range(rounds)]
    return Row(what, first, warm, seconds, target=target)


def recursive_row(number: type, target: float, rounds: int) -> Row:
    case = draw(0, (4, 4, 4), 256, 4, number)
    kind = "float64" if number is float else "exact"
    return compared(
        f"recursive, 4+4+4 goods, 256 states, 4 actions, {kind}",
        partial(recursive, case),
        partial(recursive_value, case),
        rounds,
        target,
    )


def best_row(rounds: int) -> Row:
    case = draw(0, (3,), 5, 3)
    return compared(
        "best admissible, 3 goods, 5 states, 3 actions",
        partial(best, case),
        partial(best_of_purchases, case),
        rounds,
    )


def target_row() -> tuple[Row, str]:
    """The slowest of several cases beside the enumeration of all purchases, which cannot end."""
    cases = [draw(seed, (4,), 16, actions) for actions in (2, 3, 4) for seed in range(5)]
    times = [timed(partial(best, case))[0] for case in cases]
    slowest = cases[int(np.argmax(times))]
    seconds, lower = timed(partial(best_of_purchases, slowest, FIRST_PURCHASES))
    assert best(slowest) >= lower
    ways = [count_protocols(slowest, lowest) for lowest in (1, 0)]
    row = Row(
        f"best admissible, 4 goods, 16 states (slowest of {len(cases)})",
        times[0],
        [max(times)],
        seconds / FIRST_PURCHASES * ways[0],
        estimated=True,
        target=10,
    )
    return row, f"{number(ways[1])} admissible protocols, {number(ways[0])} ways to buy"


def smallest_rows(rounds: int) -> list[Row]:
    """Theorem 3.3 on all problems of two states; and explained by a process of its own."""
    members = [member for member in PROBLEMS.members(2) if member is not None]
    cases = [plain_case(member.instance) for member in members]

    def broken(recursive: Callable[[Case], Any], best: Callable[[Case], Any]) -> list[int]:
        return [k for k, case in enumerate(cases) if best(case) > recursive(case)]

    two = compared(
        f"Theorem 3.3 on all {len(cases)} problems of two states",
        partial(broken, recursive, best),
        partial(broken, recursive_value, best_of_all_protocols),
        rounds,
    )
    smallest = min((members[k] for k in broken(recursive, best)), key=lambda member: member.order)
    command = [sys.executable, "-m", "mechproof", "explain", CLAIM]
    first, found = timed(partial(subprocess.run, command, check=True, capture_output=True))
    case = plain_case(smallest.instance)
    for worth in (recursive_value(case), best_of_all_protocols(case)):
        assert f"worth {worth}," in found.stdout.decode()

    generator = np.random.default_rng(0)
    sampled = (PROBLEMS.sample(3, generator) for _ in range(SAMPLES))
    more = sum(count_protocols(plain_case(m.instance)) for m in sampled if m is not None)
    rate = sum(map(count_protocols, cases)) / two.plain
    whole = Row(
        f"mechproof explain {CLAIM}, whole process",
        first,
        [],
        two.plain + more / rate,
        estimated=True,
        target=60,
    )
    return [two, whole]


RECURSIVE: list[Size] = [((1, 1, 1), 256), ((2, 2, 2), 256), ((3, 3, 3), 256), ((4, 4, 4), 256)]
RECURSIVE += [((4, 4, 4), states) for states in (512, 1024, 2048, 4096, 8192)]
ONE_LEVEL: list[Size] = [((1,), 2), ((2,), 4), *(((3,), states) for states in (5, 6, 7, 8))]
ONE_LEVEL += [((goods,), 2**goods) for goods in (4, 5, 6, 7, 8)]
DEEPER: list[Size] = [((1, 1), 4), ((2, 1), 5), ((2, 1), 8), ((2, 2), 16), ((2, 2, 2), 16)]
DEEPER += [((3, 3), 16), ((4, 4), 16), ((3, 3, 3), 16)]

LADDERS: list[tuple[str, list[Size], type, Callable[[Case], Any], Callable[[Case], Any]]] = [
    ("recursive, float64", RECURSIVE, float, recursive, recursive_value),
    ("recursive, exact", RECURSIVE, Fraction, recursive, recursive_value),
    ("best admissible, one level", ONE_LEVEL, Fraction, best, best_of_purchases),
    ("best admissible, deeper", DEEPER, Fraction, best, best_of_purchases),
]


def step(solve: Callable[[Case], Any], size: Size, number: type) -> None:
    try:
        solve(draw(0, *size, 3, number))
    except LimitError:
        sys.exit(2)


def reached(solve: Callable[[Case], Any], ladder: Sequence[Size], number: type) -> str:
    """The last instance of a ladder that is solved in a minute, and what ends the climb."""
    last = "nothing"
    for size in ladder:
        name = f"{'+'.join(map(str, size[0]))} goods, {size[1]} states"
        process = get_context("spawn").Process(target=step, args=(solve, size, number))
        process.start()
        process.join(MINUTE)
        if process.exitcode != 0:
            ends = f"refuses {name}" if process.exitcode == 2 else f"over a minute for {name}"
            process.kill()
            process.join()
            return f"{last}; {ends}"
        last = name
    return f"{last}, the top of the ladder"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--largest", action="store_true", help="climb the ladders too")
    chosen = options.parse_args()

    print(f"numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    print(f"{'seconds':58}{'first':>9}{'warm':>9}{'target':>8}{'enumeration':>13}{'ratio':>11}")
    print(recursive_row(float, 1, chosen.rounds), flush=True)
    print(recursive_row(Fraction, 20, chosen.rounds), flush=True)
    print(best_row(chosen.rounds), flush=True)
    row, ways = target_row()
    print(f"{row}{ways}", flush=True)
    for row in smallest_rows(min(chosen.rounds, 1)):
        print(row, flush=True)
    print(f"\nload average {os.getloadavg()[0]:.1f}")

    if chosen.largest:
        print("\nlargest in a minute (process start and imports included), three actions")
        for name, ladder, number, ours, plain in LADDERS:
            print(f"{name}\n    ours: {reached(ours, ladder, number)}", flush=True)
            print(f"    enumeration: {reached(plain, ladder, number)}", flush=True)


if __name__ == "__main__":
    main()
