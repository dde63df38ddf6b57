"""Prices of the softmax auction (issue 7): one large query, many, a small one; compiling.

The direct translation of equations (8), (10) and (13) adds up the others' rewards afresh for each
agent. The NumPy loop over queries computes all agents of a query at once, with sums that do not
overflow. Ours is compiled once on a machine and kept on disk, so that first calls of other rows do
not show it: rows of their own start from an empty folder. A few rewards are priced uncompiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.harness import (
    AtLeastTimes,
    AtMostSeconds,
    AtMostTimes,
    AtMostValue,
    Row,
    run_python,
    same,
)

AGENTS, CANDIDATES = 1_000, 10_000
CALLS = 1_000
ANEW = "compilations for other values"
FIRST = """
from mechanisms.softmax_auction import softmax_auction
print(softmax_auction([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0]], tau=1.0))
"""
FRESH = """
import numpy as np
from mechanisms.softmax_auction import softmax_payments
print(softmax_payments(np.random.default_rng(6).normal(size=(100, 100)), 1.0).tolist())
"""


@cache
def large() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rewards, and arrays for payments and for exponentials."""
    rewards = np.random.default_rng(0).normal(size=(AGENTS, CANDIDATES))
    return rewards, np.empty(AGENTS), np.empty_like(rewards)


@cache
def many() -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(1).normal(size=(4096, 4, 64)), np.linspace(0.5, 2.0, 4096)


@cache
def small() -> tuple[np.ndarray, np.ndarray]:
    """Return rewards of one small query, and logarithms of two laws."""
    laws = np.random.default_rng(3).dirichlet(np.ones(20), size=2)
    return np.random.default_rng(2).normal(size=(2, 20)), np.log(laws)


def payments_of_all() -> np.ndarray:
    from mechanisms.softmax_auction import softmax_payments

    rewards, payments, _ = large()
    softmax_payments(rewards, 1.0, out=payments)
    return payments


def one_exponential() -> np.ndarray:
    rewards, _, powers = large()
    return np.asarray(np.exp(rewards, out=powers))


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def log_sum_exp(scores: np.ndarray) -> float:
    top = scores.max()
    return float(top + np.log(np.exp(scores - top).sum()))


def direct(tau: float = 1.0) -> np.ndarray:
    """Equations (8), (10) and (13), agent by agent."""
    rewards = large()[0]
    payments = np.empty(len(rewards))
    for i, own in enumerate(rewards):
        b = (rewards[:i].sum(axis=0) + rewards[i + 1 :].sum(axis=0)) / tau
        scores = own / tau + b
        payments[i] = softmax(scores) @ own - tau * (log_sum_exp(scores) - log_sum_exp(b))
    return payments


def one_query(rewards: np.ndarray, tau: float) -> np.ndarray:
    """All agents of a small query at once, as one would write it in NumPy."""
    scores = rewards.sum(axis=0) / tau
    others = scores - rewards / tau
    top = scores.max()
    weights = np.exp(scores - top)
    total = weights.sum()
    tops = others.max(axis=1)
    without = tops + np.log(np.exp(others - tops[:, None]).sum(axis=1))
    return np.asarray(rewards @ (weights / total) - tau * (top + np.log(total) - without))


def one_call() -> np.ndarray:
    from mechanisms.softmax_auction import softmax_payments

    return softmax_payments(*many())


def loop() -> np.ndarray:
    return np.array([one_query(r, t) for r, t in zip(*many(), strict=True)])


def small_payments(reports: int) -> np.ndarray:
    """Price one small query; ``reports`` of the two laws are given, too."""
    from mechanisms.softmax_auction import softmax_payments

    rewards, logs = small()
    return softmax_payments(rewards, 1.0, *logs[:reports])


def small_outcome() -> np.ndarray:
    from mechanisms.softmax_auction import softmax_auction

    return softmax_auction(small()[0], 1.0).payments


def small_formulas() -> np.ndarray:
    return one_query(small()[0], 1.0)


def close(ours: np.ndarray, theirs: np.ndarray) -> str:
    apart = float(np.abs(ours - theirs).max())
    return "" if apart <= 1e-9 else f"payments are {apart:.1e} apart"


def other_work(ours: np.ndarray, theirs: np.ndarray) -> str:
    """Compare with the direct translation: what stands beside ours is its exponentials alone."""
    few = np.arange(0, AGENTS, 100)
    rewards = large()[0]
    if not np.array_equal(theirs[few], np.exp(rewards[few])):
        return "numpy.exp gives other exponentials"
    total = rewards.sum(axis=0)
    meant = [
        softmax(total) @ rewards[i] - (log_sum_exp(total) - log_sum_exp(total - rewards[i]))
        for i in few
    ]
    return close(ours[few], np.array(meant))


# --- compiling


def with_nothing_compiled(program: str) -> str:
    with TemporaryDirectory() as folder:
        return run_python("-c", program, NUMBA_CACHE_DIR=folder)


def versions_compiled() -> int:
    """How many the kernels have: one for each combination of types of their arguments."""
    from theory.shared.compiling import versions

    return versions()


def called() -> None:
    for one in (partial(small_payments, 0), small_outcome):
        thousand_times(one)
    priced(*many())


def compiled_anew() -> int:
    """How many versions are added once each function was called."""
    called()
    before, rng = versions_compiled(), np.random.default_rng(5)
    for _ in range(CALLS // 10):
        priced(rng.normal(size=(2, 20)) * 10.0 ** rng.integers(-6, 7), rng.random() + 0.1)
    priced(rng.normal(size=(512, 4, 64)), rng.random(512) + 0.1)
    return versions_compiled() - before


def priced(rewards: np.ndarray, tau: Any) -> None:
    from mechanisms.softmax_auction import softmax_auction, softmax_payments

    softmax_payments(rewards, tau)
    softmax_auction(rewards, tau)


def thousand_times(work: Callable[[], np.ndarray]) -> np.ndarray:
    for _ in range(CALLS - 1):
        work()
    return work()


def rows() -> Iterator[Row]:
    yield Row(
        id="softmax-auction.one-exponential",
        issue=7,
        work="payments of 1,000 agents for 10,000 candidates, into a given array",
        ours=payments_of_all,
        peer=one_exponential,
        peer_name="numpy.exp of the rewards, into a given array",
        agree=other_work,
        target=AtMostTimes(2.0),
        prepare=large,
    )
    yield Row(
        id="softmax-auction.direct",
        issue=7,
        work="payments of 1,000 agents for 10,000 candidates, into a given array",
        ours=payments_of_all,
        peer=direct,
        peer_name="equations (8) and (10) as written, in NumPy",
        agree=close,
        target=AtLeastTimes(100.0),
        prepare=payments_of_all,
        repeats=0,
        cold=False,
        quick=False,
    )
    yield Row(
        id="softmax-auction.many",
        issue=7,
        work="4,096 queries of 4 agents and 64 candidates in one call",
        ours=one_call,
        peer=loop,
        peer_name="a NumPy loop over queries",
        agree=close,
        target=AtLeastTimes(20.0),
        prepare=many,
    )
    for name, what, one, target in (
        ("small", "payments", partial(small_payments, 0), AtMostSeconds(30e-6 * CALLS)),
        ("small-all", "all there is to tell", small_outcome, None),
    ):
        yield Row(
            id=f"softmax-auction.{name}",
            issue=7,
            work=f"1,000 small queries one by one (2 agents, 20 candidates), {what}",
            ours=partial(thousand_times, one),
            peer=partial(thousand_times, small_formulas),
            peer_name="NumPy, no checks",
            agree=close,
            target=target,
            prepare=small,
        )
    yield Row(
        id="softmax-auction.compilation",
        issue=20,
        work="the first softmax_auction of a process (2 agents, 3 candidates), nothing compiled",
        ours=partial(with_nothing_compiled, FIRST),
        target=AtMostSeconds(2.0),
        repeats=3,
        cold=False,
    )
    yield Row(
        id="softmax-auction.compilation-large",
        issue=20,
        work="the first payments of a process (100 agents, 100 candidates), nothing compiled",
        ours=partial(with_nothing_compiled, FRESH),
        peer=partial(run_python, "-c", FRESH),
        peer_name="ours, compiled code on disk",
        agree=same,
        prepare=partial(run_python, "-c", FRESH),
        repeats=0,
        cold=False,
        quick=False,
    )
    yield Row(
        id="softmax-auction.new-values",
        issue=7,
        work="100 small queries and 512 at once, all of other values",
        ours=compiled_anew,
        target=AtMostValue(ANEW, 0),
        prepare=called,
        values=lambda count: {ANEW: count},
        repeats=0,
        cold=False,
    )
