"""Fixed points of mixtures of maps, with 200 sources (issue 6).

Ours is the whole call: closed classes, elimination, the residual measured anew, the result object.
HiGHS solves the paper's linear program through SciPy from a matrix that stands ready; NumPy solves
the balance equations of a dense chain by LU; QuantEcon eliminates as ours does, on a dense matrix
that it is told is irreducible, and reports no residual. Chains with few moves show who needs rows
that are sparse: a cycle with 400 more moves, and 1,000 maps that a learner draws, half of them
constant. There QuantEcon's matrix and SciPy's factors stand ready, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import AtLeastTimes, AtMostValue, Growth, Row

SOURCES = 200
FEW_MOVES, DRAWN = 800, 1_000
RESIDUAL = 1e-14


@cache
def matrix(k: int) -> np.ndarray:
    P = np.random.default_rng(k).random((k, k))
    return P / P.sum(axis=1, keepdims=True)


@cache
def cycle_like(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A cycle with k / 2 more moves; the weights are those of a mixture of maps."""
    rng = np.random.default_rng(k)
    sources = np.concatenate((np.arange(k), rng.integers(0, k, k // 2)))
    targets = np.concatenate(((np.arange(k) + 1) % k, rng.integers(0, k, k // 2)))
    weights = rng.random(len(sources)) + 0.01
    return sources, targets, weights / weights.sum()


@cache
def maps(kind: str, k: int) -> Any:
    from theory.fixed_point import MapMixture

    if kind == "drawn":
        half = k // 2
        sources, targets, fixed = np.random.default_rng(k).integers(0, k, (3, half))
        each = np.full(half, 1 / (2 * half))
        return MapMixture.from_arrays(
            k, sources, targets, each, constants=fixed, constant_weights=each
        )
    if kind == "dense":
        return MapMixture.from_matrix(matrix(k))
    return MapMixture.from_arrays(k, *cycle_like(k))


@cache
def drift(kind: str, k: int) -> Any:
    """Return Q - I as a sparse matrix."""
    from scipy.sparse import coo_array

    sources, targets, weights = maps(kind, k).moves
    rows, columns = np.concatenate((targets, sources)), np.concatenate((sources, sources))
    entries = np.concatenate((weights, -weights))
    return coo_array((entries, (rows, columns)), shape=(k, k)).tocsc()


@cache
def program(kind: str, k: int) -> dict[str, Any]:
    """Return the linear program min |Qx - x|_1 over distributions, as SciPy takes it."""
    from scipy.sparse import eye_array, hstack, vstack

    A, unit = drift(kind, k), eye_array(k, format="csc")
    above = [hstack((sign * A, -unit), format="csc") for sign in (1, -1)]
    return {
        "c": np.repeat((0.0, 1.0), k),
        "A_ub": vstack(above, format="csc"),
        "b_ub": np.zeros(2 * k),
        "A_eq": np.repeat((1.0, 0.0), k)[np.newaxis],
        "b_eq": [1.0],
    }


@cache
def balance(k: int) -> np.ndarray:
    full = drift("dense", k).toarray()
    full[-1] = 1.0
    return np.asarray(full)


def ours(kind: str, k: int) -> Any:
    from theory.fixed_point import fixed_point

    return fixed_point(maps(kind, k), start=0)


def highs(kind: str, k: int) -> np.ndarray:
    from scipy.optimize import linprog

    return np.asarray(linprog(**program(kind, k), method="highs").x[:k])


def by_lu(k: int) -> np.ndarray:
    return np.asarray(np.linalg.solve(balance(k), np.eye(k)[-1]))


def quantecon(k: int) -> np.ndarray:
    from quantecon import gth_solve

    return np.asarray(gth_solve(matrix(k)))


@cache
def rates(kind: str, k: int) -> np.ndarray:
    """Return the chain as a full matrix of rates."""
    chain = maps(kind, k)
    found = np.zeros((k, k))
    np.add.at(found, (chain.moves.sources, chain.moves.targets), chain.moves.weights)
    for target, weight in zip(*chain.constants, strict=True):
        found[:, target] += weight
    return found


def quantecon_of(kind: str, k: int) -> np.ndarray:
    from quantecon import gth_solve

    return np.asarray(gth_solve(rates(kind, k)))


@cache
def grounded(k: int) -> tuple[Any, np.ndarray]:
    """Return the balance equations of all states but the last, which has weight one."""
    full = drift("sparse", k)
    return full[:-1, :-1].tocsc(), -full[:-1, [k - 1]].toarray().ravel()


def by_sparse_lu(k: int) -> np.ndarray:
    from scipy.sparse.linalg import spsolve

    law = np.append(spsolve(*grounded(k)), 1.0)
    return np.asarray(law / law.sum())


def same_law(ours: Any, theirs: np.ndarray) -> str:
    apart = float(np.abs(ours.dense() - theirs).max())
    return "" if apart <= 1e-9 else f"the fixed points are {apart:.1e} apart"


def residual(found: Any) -> dict[str, float]:
    return {"residual": float(found.gap)}


def of_size(kind: str, k: int) -> Callable[[], Any]:
    ours(kind, k)
    return partial(ours, kind, k)


def by_quantecon(k: int) -> Callable[[], np.ndarray]:
    quantecon(k)
    return partial(quantecon, k)


def prepared(kind: str, k: int) -> None:
    program(kind, k)


def rows() -> Iterator[Row | Growth]:
    for kind, times in ("dense", 100.0), ("sparse", 50.0):
        yield Row(
            id=f"fixed-points.{kind}",
            issue=6,
            work=f"fixed point of a {kind} chain of 200 sources, check included",
            ours=partial(ours, kind, SOURCES),
            peer=partial(highs, kind, SOURCES),
            peer_name="HiGHS through SciPy",
            agree=same_law,
            target=(AtLeastTimes(times), AtMostValue("residual", RESIDUAL)),
            prepare=partial(prepared, kind, SOURCES),
            values=residual,
            repeats=50,
        )
    for name, peer_name, needs, peer in (
        ("lu", "NumPy's LU, no check", (), by_lu),
        ("quantecon", "QuantEcon's GTH, no check", ("quantecon",), quantecon),
    ):
        yield Row(
            id=f"fixed-points.dense-{name}",
            issue=9,
            work="fixed point of a dense chain of 200 sources, check included",
            ours=partial(ours, "dense", SOURCES),
            peer=partial(peer, SOURCES),
            peer_name=peer_name,
            needs=needs,
            agree=same_law,
            prepare=partial(balance, SOURCES),
            repeats=50,
        )
    gth = "QuantEcon's GTH, no check"
    for name, kind, size, work, peer_name, needs, solve, prepare in (
        (
            "sparse-quantecon",
            "sparse",
            FEW_MOVES,
            "a sparse chain of 800 sources",
            gth,
            ("quantecon",),
            partial(quantecon_of, "sparse", FEW_MOVES),
            partial(rates, "sparse", FEW_MOVES),
        ),
        (
            "sparse-lu",
            "sparse",
            FEW_MOVES,
            "a sparse chain of 800 sources",
            "SciPy's sparse LU, no check",
            (),
            partial(by_sparse_lu, FEW_MOVES),
            partial(grounded, FEW_MOVES),
        ),
        (
            "drawn-quantecon",
            "drawn",
            DRAWN,
            "1,000 maps of 1,000 actions, half of them constant",
            gth,
            ("quantecon",),
            partial(quantecon_of, "drawn", DRAWN),
            partial(rates, "drawn", DRAWN),
        ),
    ):
        yield Row(
            id=f"fixed-points.{name}",
            issue=9,
            work=f"fixed point of {work}, check included",
            ours=partial(ours, kind, size),
            peer=solve,
            peer_name=peer_name,
            needs=needs,
            agree=same_law,
            prepare=prepare,
        )
    yield Growth(
        id="fixed-points.dense-growth",
        issue=9,
        work="fixed point of a dense chain, in its sources",
        sizes=(50, 100, 200, 400, 800),
        ours=partial(of_size, "dense"),
        peer=by_quantecon,
        peer_name="QuantEcon's GTH",
        needs=("quantecon",),
        agree=same_law,
    )
    yield Growth(
        id="fixed-points.sparse-growth",
        issue=9,
        work="fixed point of a sparse chain, in its sources",
        sizes=(200, 800, 3200, 12800),
        ours=partial(of_size, "sparse"),
    )
