"""Inspection protocols beside plain enumerations of the same definitions, in one run.

    python benchmarks/inspection.py [--rounds R] [--largest]

Ours builds the problem from plain data, solves it and checks the answer; "first" is the first call
of a row, "warm" the median of further ones. The best admissible protocol loads scipy at its first
call. Seconds are those of the processor, so that other work on the machine matters little; only the
whole process, which starts cold, is timed by the clock. Both values must be equal where the
enumeration ends. Where it would not end (≈), its time is the number of cases divided by the rate at
which it tries the first ones. With --largest, each method climbs a ladder of instances, each step
in a process of its own, until one takes more than a minute by the clock or is refused; that takes
about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isclose, log10
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from ladder import reached
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
from theory.information import Good
from theory.inspection import InspectionProblem, best_admissible, recursive_inspection
from theory.probability import ProbabilitySpace, Variable

TRIED = 5_000  # cases from which the rate of an enumeration is taken
SAMPLES = 2_000  # problems of three states: as many as the quick profile samples
CLAIM = "volition.theorem-3.3"

Solve = Callable[[Case], Any]
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


@dataclass(frozen=True)
class Row:
    """Seconds that ours and the enumeration take, and the most that ours may take."""

    what: str
    first: float
    warm: Sequence[float]
    plain: float
    target: float | None = None
    ended: bool = True
    note: str = ""

    def __str__(self) -> str:
        ratios = [self.plain / seconds for seconds in self.warm or [self.first]]
        about = "" if self.ended else "≈"
        cells = (
            f"{self.first:.3f}",
            f"{median(self.warm):.3f}" if self.warm else "",
            "" if self.target is None else f"{self.target:g}",
            about + number(self.plain),
            about + number(median(ratios)),
            f"{number(min(ratios))}..{number(max(ratios))}" if len(ratios) > 1 else "",
        )
        return f"{self.what:56}" + "".join(f"{cell:>12}" for cell in cells) + f"  {self.note}"


HEAD = f"{'seconds':56}" + "".join(
    f"{name:>12}" for name in ("first", "warm", "target", "enumeration", "ratio", "min..max")
)


def number(x: float) -> str:
    if x >= 1e5:
        return f"10^{log10(x):.0f}"
    return f"{x:.3g}" if x < 1000 else f"{x:,.0f}"


def timed(work: Work, clock: Callable[[], float] = process_time) -> tuple[float, Any]:
    start = clock()
    result = work()
    return clock() - start, result


def rate(case: Case) -> float:
    """Ways to buy that the enumeration tries a second."""
    tried = min(TRIED, count_protocols(case, 1))
    return tried / timed(partial(best_of_purchases, case, tried))[0]


def compared(what: str, ours: Work, plain: Work, rounds: int, target: float | None = None) -> Row:
    first, value = timed(ours)
    seconds, expected = timed(plain)
    assert isclose(value, expected) if isinstance(value, float) else value == expected, what
    return Row(what, first, [timed(ours)[0] for _ in range(rounds)], seconds, target)


def recursive_row(kind: type, target: float, rounds: int) -> Row:
    case = draw(0, (4, 4, 4), 256, 4, kind)
    return compared(
        f"recursive, 4+4+4 goods, 256 states, 4 actions, {kind.__name__}",
        partial(recursive, case),
        partial(recursive_value, case),
        rounds,
        target,
    )


def small_best_row(rounds: int) -> Row:
    case = draw(0, (3,), 5, 3)
    return compared(
        "best admissible, 3 goods, 5 states, 3 actions",
        partial(best, case),
        partial(best_of_purchases, case),
        rounds,
    )


def best_row() -> Row:
    """The slowest of several cases."""
    cases = [draw(seed, (4,), 16, actions) for actions in (2, 3, 4) for seed in range(5)]
    times = [timed(partial(best, case))[0] for case in cases]
    slowest = cases[int(np.argmax(times))]
    assert best(slowest) >= best_of_purchases(slowest, TRIED)
    ways = count_protocols(slowest, 1)
    return Row(
        f"best admissible, 4 goods, 16 states (slowest of {len(cases)})",
        times[0],
        [max(times)],
        ways / rate(slowest),
        target=10,
        ended=False,
        note=f"{number(ways)} ways to buy, {number(count_protocols(slowest))} protocols",
    )


def plain_case(instance: InspectionInstance) -> Case:
    total = sum(instance.weights)
    return Case(
        [Fraction(weight, total) for weight in instance.weights],
        instance.utilities,
        [[(offer.shows, offer.price) for offer in level] for level in instance.levels],
    )


def smallest_rows() -> list[Row]:
    """Theorem 3.3 on all problems of two states, and explained by a process of its own."""
    members = [member for member in PROBLEMS.members(2) if member is not None]
    cases = [plain_case(member.instance) for member in members]

    def fails(recursive: Solve, best: Solve) -> list[bool]:
        return [best(case) > recursive(case) for case in cases]

    two = compared(
        f"Theorem 3.3 on all {len(cases)} problems of two states",
        partial(fails, recursive, best),
        partial(fails, recursive_value, best_of_all_protocols),
        rounds=1,
    )
    failing = zip(members, fails(recursive_value, best_of_all_protocols), strict=True)
    smallest = min((each for each, fail in failing if fail), key=lambda member: member.order)
    command = [sys.executable, "-m", "mechproof", "explain", CLAIM]
    explain = partial(subprocess.run, command, check=True, capture_output=True)
    first, found = timed(explain, perf_counter)
    for solve in (recursive_value, best_of_all_protocols):
        assert f"worth {solve(plain_case(smallest.instance))}," in found.stdout.decode()

    generator = np.random.default_rng(0)
    drawn = (PROBLEMS.sample(3, generator) for _ in range(SAMPLES))
    three = [plain_case(member.instance) for member in drawn if member is not None]
    ways, protocols = (sum(count_protocols(case, n) for case in three) for n in (1, 0))
    whole = Row(
        f"mechproof explain {CLAIM}, whole process",
        first,
        [],
        two.plain + ways / rate(max(three, key=count_protocols)),
        target=60,
        ended=False,
        note=f"{number(ways)} ways to buy, {number(protocols)} protocols",
    )
    return [two, whole]


RECURSIVE: list[Size] = [((n, n, n), 256) for n in (1, 2, 3, 4)]
RECURSIVE += [((4, 4, 4), states) for states in (512, 1024, 2048, 4096, 8192)]
ONE_LEVEL: list[Size] = [((1,), 2), ((2,), 4), *(((3,), states) for states in (5, 6, 7, 8))]
ONE_LEVEL += [((goods,), 2**goods) for goods in (4, 5, 6, 7, 8)]
DEEPER: list[Size] = [((1, 1), 4), *(((2, 1), states) for states in (3, 4, 5, 8)), ((2, 2), 16)]
DEEPER += [((2, 2, 2), 16), ((3, 3), 16), ((4, 4), 16)]
DEEPER += [((3, 3, 3), states) for states in (16, 32, 64)]

LADDERS: list[tuple[str, list[Size], type, Solve, Solve]] = [
    ("recursive, float", RECURSIVE, float, recursive, recursive_value),
    ("recursive, Fraction", RECURSIVE, Fraction, recursive, recursive_value),
    ("best admissible, one level", ONE_LEVEL, Fraction, best, best_of_purchases),
    ("best admissible, several levels", DEEPER, Fraction, best, best_of_purchases),
]


def climb(solve: Solve, size: Size, kind: type) -> None:
    solve(draw(0, *size, 3, kind))


def steps(solve: Solve, ladder: Sequence[Size], kind: type) -> Iterator[tuple[str, Work]]:
    for goods, states in ladder:
        name = f"{'+'.join(map(str, goods))} goods on {states:,} states"
        yield name, partial(climb, solve, (goods, states), kind)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--largest", action="store_true", help="climb the ladders too")
    chosen = options.parse_args()

    print(f"numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n\n{HEAD}")
    print(recursive_row(float, 1, chosen.rounds), flush=True)
    print(recursive_row(Fraction, 20, chosen.rounds), flush=True)
    print(small_best_row(chosen.rounds), flush=True)
    print(best_row(), flush=True)
    print(*smallest_rows(), sep="\n")
    print(f"\nload average {os.getloadavg()[0]:.1f}")

    if chosen.largest:
        print("\nlargest in a minute, start of the process included; three actions")
        for name, ladder, kind, ours, plain in LADDERS:
            print(f"{name}\n    ours: {reached(steps(ours, ladder, kind))}", flush=True)
            print(f"    enumeration: {reached(steps(plain, ladder, kind))}", flush=True)


if __name__ == "__main__":
    main()
