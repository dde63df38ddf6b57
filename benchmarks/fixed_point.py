"""Fixed points beside the linear program and plain linear algebra, in one run.

    python benchmarks/fixed_point.py [--sources K ...] [--rounds R]

"ours" is the whole call: closed classes, elimination, the residual measured anew, the result
object; "from numbers" builds the mixture from a matrix, or from arrays, as well. HiGHS solves the
linear program through SciPy from a matrix that stands ready, and numpy solves the balance equations
of a dense chain. Medians, in microseconds of the processor; the ratio is to "ours". "cold" is the
first calls in a new process, in seconds of the processor: with compiled code on disk, and without.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import Any

import numpy as np
import scipy
from scipy.optimize import linprog
from scipy.sparse import coo_array, csc_array, eye_array
from scipy.sparse import vstack as stacked

from theory.fixed_point import MapMixture, fixed_point

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (30, 200, 1000)
HIGHS_LIMIT = 200_000  # entries; beyond it one solution takes minutes
COLD = """
from time import process_time
import numpy as np
from theory.fixed_point import MapMixture, fixed_point
start = process_time()
fixed_point(MapMixture.from_matrix(np.array([[0.5, 0.5], [0.25, 0.75]])))
fixed_point(MapMixture.from_arrays(9, np.arange(9), (np.arange(9) + 1) % 9, np.full(9, 0.1)))
print(process_time() - start)
"""


def dense(k: int) -> np.ndarray:
    P = np.random.default_rng(k).random((k, k))
    return P / P.sum(axis=1, keepdims=True)


def cycle_like(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A cycle with k / 2 more moves; the weights are those of a mixture of maps."""
    rng = np.random.default_rng(k)
    sources = np.concatenate((np.arange(k), rng.integers(0, k, k // 2)))
    targets = np.concatenate(((np.arange(k) + 1) % k, rng.integers(0, k, k // 2)))
    weights = rng.random(len(sources)) + 0.01
    return sources, targets, weights / weights.sum()


def drift(maps: MapMixture) -> csc_array:
    """Q - I on the indices, which are all touched."""
    sources, targets, weights = maps.moves
    rows, columns = np.concatenate((targets, sources)), np.concatenate((sources, sources))
    entries = np.concatenate((weights, -weights))
    return coo_array((entries, (rows, columns)), shape=(maps.size, maps.size)).tocsc()


def highs(A: csc_array) -> np.ndarray:
    k = A.shape[0]
    unit = eye_array(k, format="csc")
    bounds = stacked((_beside(A, -unit), _beside(-A, -unit)), format="csc")
    answer = linprog(
        np.concatenate((np.zeros(k), np.ones(k))),
        A_ub=bounds,
        b_ub=np.zeros(2 * k),
        A_eq=np.concatenate((np.ones(k), np.zeros(k)))[np.newaxis],
        b_eq=[1.0],
        method="highs",
    )
    return np.asarray(answer.x[:k])


def _beside(A: Any, B: Any) -> Any:
    return scipy.sparse.hstack((A, B), format="csc")


def by_lu(A: np.ndarray) -> np.ndarray:
    balance = A.copy()
    balance[-1] = 1.0
    right = np.zeros(len(A))
    right[-1] = 1.0
    return np.linalg.solve(balance, right)


def timed(work: Callable[[], Any], rounds: int) -> float:
    work()
    times = []
    for _ in range(rounds):
        start = process_time_ns()
        work()
        times.append(process_time_ns() - start)
    return median(times) / 1e3


def report(name: str, k: int, build: Callable[[], MapMixture], rounds: int) -> str:
    maps = build()
    found = fixed_point(maps, start=0)
    assert len(found.support) == k
    ours = timed(lambda: fixed_point(maps, start=0), rounds)
    whole = timed(lambda: fixed_point(build(), start=0), rounds)
    text = f"{name:<10} k = {k:>5}: ours {ours:10,.0f} us, from numbers {whole:10,.0f} us, "
    text += f"residual {found.residual:.1e}"
    A = drift(maps)
    if A.nnz <= HIGHS_LIMIT:
        slow = timed(lambda: highs(A), max(3, rounds // 20))
        off = np.abs(highs(A) - found.dense()).max()
        text += f"; HiGHS {slow:10,.0f} us ({slow / ours:,.0f} times; {slow / whole:,.0f} from"
        text += f" numbers; answers {off:.0e} apart)"
    full = A.toarray()
    lu = timed(lambda: by_lu(full), max(3, rounds // 5))
    return text + f"; numpy's LU {lu:10,.0f} us ({lu / ours:,.1f} times)"


def cold() -> str:
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        setting = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": str(ROOT)}
        for _ in range(2):
            run = [sys.executable, "-c", COLD]
            done = subprocess.run(run, env=setting, check=True, capture_output=True, text=True)
            seconds.append(float(done.stdout))
    return f"cold: {seconds[1]:.2f} s with compiled code on disk, {seconds[0]:.1f} s without"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sources", type=int, nargs="+", default=SOURCES)
    options.add_argument("--rounds", type=int, default=100)
    chosen = options.parse_args()

    print(
        f"numpy {np.__version__}, scipy {scipy.__version__}, Python {platform.python_version()}, "
        f"{platform.machine()}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()}"
    )
    print(cold(), flush=True)
    for k in chosen.sources:
        rounds = max(5, min(chosen.rounds, 20_000 // k))
        P, arrays = dense(k), cycle_like(k)
        print(report("dense", k, partial(MapMixture.from_matrix, P), rounds), flush=True)
        build = partial(MapMixture.from_arrays, k, *arrays)
        print(report("cycle-like", k, build, rounds), flush=True)
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
