"""The equilibrium of the marginal-value mechanism beside plain recursions, in one run.

    python benchmarks/marginal_value.py [--rounds R] [--largest]

Ours starts from a matrix of utilities and item prices, solves for every revealed set and checks the
answer; "first" is the first call of a size, "warm" the median of further ones, in seconds of the
processor. "by sets" is the plain recursion that solves each revealed set once; "by histories"
remembers nothing. All have to end at the same set. With --largest each method climbs in numbers of
items, each step in a process of its own, until one takes more than a minute by the clock.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from ladder import reached
from plain_marginal_value import final_set, over_all_histories

from theory.marginal_value import MarginalValueGame, Moves, equilibrium

ACTIONS = 3
SIZES = [(16, float, 0.5), (10, Fraction, 10.0)]
BY_HISTORIES = 6
LADDER = range(4, 25)

Numbers = tuple[Any, list[Any]]
Solve = Callable[[Numbers, bool], int]


def drawn(items: int, kind: type) -> Numbers:
    """Quarters, so that both kinds of number see the same game; ties occur."""
    rng = np.random.default_rng(items)
    utilities = rng.integers(-20, 21, (ACTIONS, 2**items))
    prices = [kind(int(p)) / 4 for p in rng.integers(1, 9, items)]
    if kind is float:
        return utilities / 4, prices
    return [[Fraction(u, 4) for u in row] for row in utilities.tolist()], prices


def ours(numbers: Numbers, single: bool) -> int:
    utilities, prices = numbers
    named = {f"I{j}": price for j, price in enumerate(prices)}
    moves = Moves.SINGLE_ITEMS if single else Moves.SUBSETS
    found = equilibrium(MarginalValueGame.of(list(named), utilities, named, moves))
    assert float(found.gap) < 1e-9
    return int(found.game.sets[found.end[0]])


def plain(solve: Callable[..., int], numbers: Numbers, single: bool) -> int:
    utilities, prices = numbers
    rows = utilities.tolist() if isinstance(utilities, np.ndarray) else utilities
    return solve(rows, prices, single=single)


def timed(work: Callable[[], int]) -> tuple[float, int]:
    start = process_time()
    answer = work()
    return process_time() - start, answer


def report(items: int, kind: type, target: float | None, single: bool, rounds: int) -> str:
    numbers = drawn(items, kind)
    first, answer = timed(partial(ours, numbers, single))
    warm = median(timed(partial(ours, numbers, single))[0] for _ in range(rounds))
    text = f"{items:>2} items, {'single' if single else 'any set'}, {kind.__name__:<8} "
    text += f"first {first:7.3f} s, warm {warm:7.3f} s"
    text += f" (target {target} s)" if target else ""
    by_sets, other = timed(partial(plain, final_set, numbers, single))
    assert other == answer
    text += f"; by sets {by_sets:8.3f} s ({by_sets / warm:,.0f} times)"
    if items <= BY_HISTORIES:
        by_histories, other = timed(partial(plain, over_all_histories, numbers, single))
        assert other == answer
        text += f"; by histories {by_histories:8.3f} s ({by_histories / warm:,.0f} times)"
    return text


def climb(solve: Solve, items: int, kind: type) -> None:
    solve(drawn(items, kind), False)


def steps(solve: Solve, kind: type) -> Iterator[tuple[str, Callable[[], None]]]:
    for items in LADDER:
        yield f"{items} items", partial(climb, solve, items, kind)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--largest", action="store_true", help="climb the ladders too")
    chosen = options.parse_args()

    print(f"numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {ACTIONS} actions"
    )
    for items, kind, target in [(BY_HISTORIES, float, None), *SIZES]:
        print(report(items, kind, target, False, chosen.rounds), flush=True)
    print(report(16, float, None, True, chosen.rounds), flush=True)
    print(f"load average {os.getloadavg()[0]:.1f}")
    if chosen.largest:
        print("\nlargest in a minute, start of the process and drawing the game included")
        methods: dict[str, Solve] = {
            "ours": ours,
            "by sets": partial(plain, final_set),
            "by histories": partial(plain, over_all_histories),
        }
        for kind in (float, Fraction):
            for name, solve in methods.items():
                found = reached(steps(solve, kind))
                print(f"any set, {kind.__name__}, {name}: {found}", flush=True)


if __name__ == "__main__":
    main()
