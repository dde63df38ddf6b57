"""Errors of the payments of the softmax auction, and what enclosures cost (issue 7).

Errors are in relation to payments of at least 1e-6 of the rewards. Those of arrays are told from
enclosures (``certified_auction``), those of enclosures from the definition in 50 digits of the
standard library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import AtMostValue, Row

STEEP = (1e4, 1e6, 1e9, 1e12)  # rewards/tau beyond those that issue 7 asks of arrays
MEANT = 1e-6  # of the rewards: payments below are not judged
BEYOND = "payments beyond their error bound"


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


def rows() -> Iterator[Row]:
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
