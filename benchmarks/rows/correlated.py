"""Correlated equilibria of greatest welfare: our exact and float paths beside HiGHS (issue 9).

HiGHS gets the linear program from a matrix that stands ready, and proves nothing. Our float path
is HiGHS through SciPy, too; with it come the matrix, the gaps of the distribution and a bound that
is recomputed. The exact path gives rational numbers, and a certificate with a gap of exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Growth, Row

EXACT, FLOATS = 7, 20


@cache
def payoffs(k: int) -> np.ndarray:
    return np.random.default_rng(k).integers(0, 100, (2, k, k))


@cache
def game(k: int, exact: bool) -> Any:
    from theory.normal_form import NormalFormGame

    first, second = payoffs(k)
    if exact:
        return NormalFormGame.bimatrix(first.tolist(), second.tolist())
    return NormalFormGame.bimatrix(first.astype(float), second.astype(float))


def ours(exact: bool, k: int) -> float:
    from theory.correlated import correlated_equilibrium

    return float(correlated_equilibrium(game(k, exact)).value)


@cache
def program(k: int) -> dict[str, Any]:
    """Return the linear program over distributions of profiles, as SciPy takes it."""
    from scipy.sparse import csr_array

    first, second = payoffs(k).astype(float)
    rows = []
    for told in range(k):
        for other in range(k):
            if other != told:
                gain = np.zeros((2, k, k))
                gain[0, told] = first[other] - first[told]
                gain[1, :, told] = second[:, other] - second[:, told]
                rows += [gain[0].ravel(), gain[1].ravel()]
    return {
        "c": -(first + second).ravel(),
        "A_ub": csr_array(np.array(rows)),
        "b_ub": np.zeros(len(rows)),
        "A_eq": np.ones((1, k * k)),
        "b_eq": [1.0],
    }


def highs(k: int) -> float:
    from scipy.optimize import linprog

    return -float(linprog(**program(k), method="highs").fun)


def same_welfare(ours: float, theirs: float) -> str:
    return "" if abs(ours - theirs) <= 1e-6 else f"the welfare is {ours} and {theirs}"


def both(k: int) -> None:
    """Build what both are given."""
    program(k)
    for exact in (False, True):
        game(k, exact)


def of_size(k: int) -> Callable[[], Any]:
    game(k, True)
    ours(True, 3)
    return partial(ours, True, k)


def highs_of_size(k: int) -> Callable[[], Any]:
    program(k)
    return partial(highs, k)


def rows() -> Iterator[Row | Growth]:
    for exact, k, repeats in (True, EXACT, 5), (False, FLOATS, 5):
        how = "exact, with certificate" if exact else "float64, checked"
        yield Row(
            id=f"correlated.{'exact' if exact else 'floats'}",
            issue=9,
            work=f"best correlated equilibrium of a {k} x {k} game, {how}",
            ours=partial(ours, exact, k),
            peer=partial(highs, k),
            peer_name="HiGHS through SciPy, no proof",
            agree=same_welfare,
            prepare=partial(both, k),
            repeats=repeats,
        )
    yield Growth(
        id="correlated.exact-growth",
        issue=9,
        work="best correlated equilibrium of a k x k game, exact, in k",
        sizes=(3, 4, 5, 6, 7, 8),
        ours=of_size,
        peer=highs_of_size,
        peer_name="HiGHS through SciPy, no proof",
        agree=same_welfare,
        repeats=3,
    )
