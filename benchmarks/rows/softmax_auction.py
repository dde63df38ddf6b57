"""Prices of the softmax auction (issue 7): one large query, many, a small one; compiling; accuracy.

The direct translation of equations (8), (10) and (13) adds up the others' rewards afresh for each
agent. The NumPy loop over queries computes all agents of a query at once, with sums that do not
overflow. Ours is compiled once on a machine and kept on disk, so that first calls of other rows do
not show it: a row of its own starts from an empty folder.

Errors are in relation to payments of at least 1e-6 of the rewards. Those of arrays are told from
enclosures (``certified_auction``), those of enclosures from the definition in 50 digits of the
standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
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
STEEP = (1e4, 1e6, 1e9, 1e12)  # rewards/tau beyond those that issue 7 asks of arrays
MEANT = 1e-6  # of the rewards: payments below are not judged
ANEW = "compilations for other values"
BEYOND = "payments beyond their error bound"
FRESH = """
from mechanisms.softmax_auction import softmax_payments
print(softmax_payments([[1.0, 0.0], [0.0, 2.0]], 1.0).tolist())
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


def compiled_from_nothing() -> str:
    with TemporaryDirectory() as folder:
        return run_python("-c", FRESH, NUMBA_CACHE_DIR=folder)


def versions_compiled() -> int:
    """How many the kernels have: one for each combination of types of their arguments."""
    from mechanisms.softmax_auction import _kernels

    return sum(len(getattr(each, "signatures", ())) for each in vars(_kernels).values())


def called() -> None:
    for one in (partial(small_payments, 0), small_outcome, one_call):
        one()


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


# --- accuracy


@cache
def queries(steepness: float, count: int = 20) -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    return [rng.normal(size=(3, 12)) * steepness for _ in range(count)]


@cache
def errors(steepness: float) -> tuple[float, float, int]:
    """Return the largest relative error, the largest bound that was given for it, both relative,
    and how many of all payments are further off than their bound."""
    from mechanisms.softmax_auction import certified_auction, softmax_auction

    worst, bound, beyond = 0.0, 0.0, 0
    for rewards in queries(steepness):
        found = softmax_auction(rewards, 1.0)
        sure = certified_auction(rewards, 1.0, relative=1e-18)
        meant = sure.payments >= MEANT * np.abs(rewards).max()
        if meant.any():
            off = np.abs(found.payments - sure.payments)[meant] / sure.payments[meant]
            worst = max(worst, float(off.max()))
            bound = max(bound, float((found.error_bounds[meant] / sure.payments[meant]).max()))
        beyond += beyond_their_bounds(found.payments, found.error_bounds, sure.payment_enclosures)
    return worst, bound, beyond


def beyond_their_bounds(payments: Any, bounds: Any, enclosures: Any) -> int:
    """In exact numbers."""
    triples = zip(map(Fraction, payments), map(Fraction, bounds), enclosures, strict=True)
    return sum(not e.lower - bound <= paid <= e.upper + bound for paid, bound, e in triples)


def worst(steepness: Sequence[float]) -> dict[str, float]:
    errors_, bounds, beyond = zip(*map(errors, steepness), strict=True)
    return {"relative error": max(errors_), "bound": max(bounds), BEYOND: sum(beyond)}


def enclosed() -> np.ndarray:
    """Payments of queries whose enclosures are at most 1e-12 of them wide."""
    from mechanisms.softmax_auction import certified_auction

    return np.array([certified_auction(each, 1.0).payments for each in steep_queries()])


def steep_queries() -> list[np.ndarray]:
    return [each for steepness in STEEP for each in queries(steepness, 5)]


def in_digits() -> np.ndarray:
    """The definition in 50 digits, by the standard library."""
    with localcontext(Context(prec=50)):
        return np.array([digits_of_one(each) for each in steep_queries()])


def digits_of_one(rewards: np.ndarray) -> list[float]:
    rows = [list(map(Decimal, row)) for row in rewards.tolist()]
    scores = [sum(column, Decimal(0)) for column in zip(*rows, strict=True)]
    top = max(scores)
    weights = [(s - top).exp() for s in scores]
    total = sum(weights, Decimal(0))
    paid = []
    for own in rows:
        others = [s - r for s, r in zip(scores, own, strict=True)]
        best = max(others)
        without = best + sum(((o - best).exp() for o in others), Decimal(0)).ln()
        expected = sum(w * r for w, r in zip(weights, own, strict=True)) / total
        paid.append(float(expected - (top + total.ln() - without)))
    return paid


def relative_errors(found: np.ndarray, digits: np.ndarray) -> dict[str, float]:
    largest = np.array([np.abs(each).max() for each in steep_queries()])
    meant = digits >= MEANT * largest[:, None]
    return {"relative error": float((np.abs(found - digits)[meant] / digits[meant]).max())}


def as_in_digits(ours: np.ndarray, theirs: np.ndarray) -> str:
    apart = relative_errors(ours, theirs)["relative error"]
    return "" if apart <= 1e-12 else f"payments are {apart:.1e} of them apart"


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
        issue=7,
        work="the first prices of a process, nothing compiled before",
        ours=compiled_from_nothing,
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
    for name, steepness, accuracy in (
        ("accuracy", (1e-3, 1.0, 30.0, 1e3), AtMostValue("relative error", 1e-12)),
        ("accuracy-extreme", (1e6, 1e12), AtMostValue(BEYOND, 0)),
    ):
        yield Row(
            id=f"softmax-auction.{name}",
            issue=7,
            work="payments beside certified ones, "
            f"rewards/tau from {steepness[0]:g} to {steepness[-1]:g}",
            ours=partial(worst, steepness),
            target=accuracy,
            values=dict,
            repeats=0,
            cold=False,
        )
    yield Row(
        id="softmax-auction.compensated",
        issue=7,
        work="enclosures of payments, 20 queries of 3 agents and 12 candidates, "
        f"rewards/tau from {STEEP[0]:g} to {STEEP[-1]:g}",
        ours=enclosed,
        ours_name="ours, certified",
        peer=in_digits,
        peer_name="the definition in 50 digits",
        agree=as_in_digits,
        target=AtMostValue("relative error", 1e-12),
        prepare=steep_queries,
        values=lambda found: relative_errors(found, in_digits()),
        repeats=7,
    )
