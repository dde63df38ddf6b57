"""Ex-ante value in float64 against a plain copy of the utilities, interleaved in one run.

    python benchmarks/ex_ante_value.py [--states N] [--rounds R]

The first column is cold (first call in the process), the second the median of warm calls. The
target is at most 3 copies. All run into fresh memory, as for a user.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

from theory.information import ex_ante_value

SIGNALS, ACTIONS, TARGET = 1000, 10, 3.0


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def naive(p: np.ndarray, u: np.ndarray, signal: np.ndarray) -> float:
    """Return the same value with one product array and one bincount a row."""
    weighted = u * p
    sums = np.array([np.bincount(signal, row, SIGNALS) for row in weighted])
    return float(sums.max(axis=0).sum() - weighted.sum(axis=1).max())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--states", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=15)
    chosen = options.parse_args()

    generator = np.random.default_rng(0)
    p = generator.random(chosen.states)
    p /= p.sum()
    u = generator.standard_normal((ACTIONS, chosen.states))
    signal = generator.integers(SIGNALS, size=chosen.states)

    rows: dict[str, Callable[[], object]] = {
        "copy": u.copy,
        "ex_ante_value": lambda: ex_ante_value(p, u, signal),
        "plain NumPy": lambda: naive(p, u, signal),
    }
    assert np.isclose(ex_ante_value(p, u, signal), naive(p, u, signal), rtol=1e-9)
    cold = {name: seconds(work) for name, work in rows.items()}
    warm: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(chosen.rounds):
        for name, work in rows.items():
            warm[name].append(seconds(work))

    print(f"{chosen.states:,} states, {ACTIONS} actions, {SIGNALS} signals")
    print(f"numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(f"{'':16}{'first ms':>10}{'warm ms':>10}{'copies':>8}{'min..max copies':>18}")
    for name, times in warm.items():
        ratios = [t / c for t, c in zip(times, warm["copy"], strict=True)]
        print(
            f"{name:16}{1e3 * cold[name]:10.1f}{1e3 * median(times):10.1f}{median(ratios):8.2f}"
            f"{min(ratios):10.2f}..{max(ratios):.2f}"
        )
    ours = median(t / c for t, c in zip(warm["ex_ante_value"], warm["copy"], strict=True))
    print(f"target at most {TARGET} copies: {'reached' if ours <= TARGET else 'NOT reached'}")


if __name__ == "__main__":
    main()
