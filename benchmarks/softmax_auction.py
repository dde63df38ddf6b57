"""Prices of the softmax auction beside one exponential a reward, in one run.

    python benchmarks/softmax_auction.py [--agents N] [--candidates M] [--repeats R] [--jax]

One large query: payments of all agents into a given array, beside ``numpy.exp`` over the rewards
into a given array and into a new one, and beside the direct translation of equations (8), (10) and
(13), which adds up the others' rewards afresh for each agent (measured on a few agents, and
multiplied). Many small queries in one call, beside the same formulas in a NumPy loop over queries.
One small query through the public function, checks included. Compilation, in processes of their
own. With ``--jax``, the pure JAX functions on whatever device JAX finds.

Ratios are medians over rounds in which each work is done once, so that a busy machine slows all of
them; times are the shortest of the rounds, by the clock.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from mechanisms.softmax_auction import certified_auction, softmax_auction, softmax_payments

Works = dict[str, Callable[[], Any]]


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def log_sum_exp(scores: np.ndarray) -> float:
    top = scores.max()
    return float(top + np.log(np.exp(scores - top).sum()))


def direct(rewards: np.ndarray, tau: float, agents: range) -> np.ndarray:
    """Equations (8), (10) and (13), agent by agent, without a copy of the others' rewards."""
    payments = np.empty(len(agents))
    for at, i in enumerate(agents):
        b = (rewards[:i].sum(axis=0) + rewards[i + 1 :].sum(axis=0)) / tau
        scores = rewards[i] / tau + b
        law = softmax(scores)
        payments[at] = law @ rewards[i] - tau * (log_sum_exp(scores) - log_sum_exp(b))
    return payments


def one_query(rewards: np.ndarray, tau: float) -> np.ndarray:
    """The same for all agents of a small query at once, as one would write it in NumPy."""
    scores = rewards.sum(axis=0) / tau
    others = scores - rewards / tau
    top = scores.max()
    weights = np.exp(scores - top)
    total = weights.sum()
    tops = others.max(axis=1)
    without = tops + np.log(np.exp(others - tops[:, None]).sum(axis=1))
    return rewards @ (weights / total) - tau * (top + np.log(total) - without)


def loop(rewards: np.ndarray, tau: np.ndarray) -> np.ndarray:
    return np.array([one_query(r, t) for r, t in zip(rewards, tau, strict=True)])


def rounds(works: Works, repeats: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(repeats):
        for name, work in works.items():
            start = perf_counter()
            work()
            times[name].append(perf_counter() - start)
    return times


def show(name: str, seconds: float, ratio: str = "") -> None:
    unit, factor = ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    print(f"{name:<62} {seconds * factor:10.2f} {unit}   {ratio}")


def ratio(times: dict[str, list[float]], one: str, other: str) -> float:
    return median(a / b for a, b in zip(times[one], times[other], strict=True))


def large(agents: int, candidates: int, repeats: int) -> None:
    rewards = np.random.default_rng(0).normal(size=(agents, candidates))
    powers, out = np.empty_like(rewards), np.empty(agents)
    few = range(0, agents, max(agents // 3, 1))
    ours, exp = "payments of all agents, into a given array", "numpy.exp, into a given array"
    new, summed = "numpy.exp, into a new array", f"direct translation, {len(few)} agents"
    works: Works = {
        exp: lambda: np.exp(rewards, out=powers),
        ours: lambda: softmax_payments(rewards, 1.0, out=out),
        new: lambda: np.exp(rewards),
        summed: lambda: direct(rewards, 1.0, few),
    }
    times = rounds(works, repeats)
    gap = np.abs(out[list(few)] - direct(rewards, 1.0, few)).max()
    print(f"\none query, {agents:,} agents, {candidates:,} candidates (both within {gap:.0e})")
    show(exp, min(times[exp]))
    show(new, min(times[new]))
    show(ours, min(times[ours]), f"{ratio(times, ours, exp):.2f} of numpy.exp into a given array")
    factor = ratio(times, summed, ours) * agents / len(few)
    whole = min(times[summed]) * agents / len(few)
    show("direct translation, all agents (multiplied)", whole, f"ours {factor:.0f} times faster")


def many(repeats: int) -> None:
    rewards = np.random.default_rng(1).normal(size=(4096, 4, 64))
    tau = np.linspace(0.5, 2.0, 4096)
    ours, theirs = "one call", "NumPy loop over queries"
    works: Works = {
        ours: lambda: softmax_payments(rewards, tau),
        theirs: lambda: loop(rewards, tau),
    }
    times = rounds(works, repeats)
    print("\n4,096 queries, 4 agents, 64 candidates")
    show(ours, min(times[ours]), f"{ratio(times, theirs, ours):.1f} times faster than the loop")
    show(theirs, min(times[theirs]))


def small(repeats: int) -> None:
    rewards = np.random.default_rng(2).normal(size=(2, 20))
    logs = np.log(np.random.default_rng(3).dirichlet(np.ones(20), size=2))
    calls = 1000
    works: Works = {
        "softmax_payments": lambda: [softmax_payments(rewards, 1.0) for _ in range(calls)],
        "softmax_payments with log_ref and log_gen": lambda: [
            softmax_payments(rewards, 1.0, *logs) for _ in range(calls)
        ],
        "softmax_auction, all there is to tell": lambda: [
            softmax_auction(rewards, 1.0) for _ in range(calls)
        ],
        "the formulas in NumPy, no checks": lambda: [one_query(rewards, 1.0) for _ in range(calls)],
    }
    print("\none query, 2 agents, 20 candidates, checks included")
    for name, times in rounds(works, repeats).items():
        show(name, min(times) / calls)


def accuracy() -> None:
    rng = np.random.default_rng(4)
    print("\nlargest relative error of payments of at least 1e-6 of the rewards, to certified ones")
    for steepness in (1e-3, 1.0, 30.0, 1e3, 1e6, 1e12):
        worst, bound = 0.0, 0.0
        for _ in range(20):
            rewards = rng.normal(size=(3, 12)) * steepness
            found, sure = softmax_auction(rewards, 1.0), certified_auction(rewards, 1.0)
            meant = sure.payments >= 1e-6 * np.abs(rewards).max()
            if meant.any():
                off = np.abs(found.payments - sure.payments)[meant] / sure.payments[meant]
                worst = max(worst, off.max())
                bound = max(bound, (found.error_bounds[meant] / sure.payments[meant]).max())
        print(f"rewards / tau about {steepness:7.0e}: {worst:.1e} (bound given: {bound:.1e})")


def compilation() -> None:
    code = (
        "import numpy as np, time; from mechanisms.softmax_auction import softmax_payments as f;"
        "t = time.perf_counter(); import numba; n = time.perf_counter(); f(np.ones((2, 3)), 1.0);"
        "print(n - t, time.perf_counter() - n)"
    )
    print("\nfirst call of a process (the import of numba apart)")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("compiling", "loading what was compiled"):
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", code]
            told = subprocess.run(command, env=environment, capture_output=True, check=True)
            imported, called = map(float, told.stdout.split())
            show(name, called, f"and {imported:.2f} s for the import")


def on_jax(agents: int, candidates: int, repeats: int) -> None:
    import jax
    import jax.numpy as jnp

    from mechanisms.softmax_auction import with_jax

    jax.config.update("jax_enable_x64", True)
    pay, exp = jax.jit(with_jax.softmax_payments), jax.jit(jnp.exp)
    print(f"\nJAX {jax.__version__} on {jax.devices()[0].device_kind}")
    for kind in (np.float32, np.float64):
        rng = np.random.default_rng(0)
        big = jnp.asarray(rng.normal(size=(agents, candidates)), kind)
        lot = jnp.asarray(rng.normal(size=(4096, 4, 64)), kind)
        name = np.dtype(kind).name
        works: Works = {
            f"exp, one large query, {name}": lambda big=big: exp(big).block_until_ready(),
            f"payments, one large query, {name}": lambda big=big: pay(big, 1.0).block_until_ready(),
            f"payments, 4,096 queries of 4 x 64, {name}": lambda lot=lot: pay(
                lot, 1.0
            ).block_until_ready(),
        }
        times = rounds(works, repeats)
        first, second, third = works
        show(first, min(times[first]))
        show(second, min(times[second]), f"{ratio(times, second, first):.2f} of exp")
        show(third, min(times[third]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--jax", action="store_true")
    chosen = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    large(chosen.agents, chosen.candidates, chosen.repeats)
    many(chosen.repeats)
    small(chosen.repeats)
    accuracy()
    compilation()
    if chosen.jax:
        on_jax(chosen.agents, chosen.candidates, chosen.repeats)


if __name__ == "__main__":
    main()
