"""The linear program: minimise the residual over the simplex on the touched indices."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, MechproofError
from theory.fixed_point._local import Local
from theory.fixed_point._mixture import MapMixture
from theory.shared.extras import install_command
from theory.shared.shapes import Float64

__all__ = ["SOLVERS", "SolverError", "solve_program"]


class SolverError(MechproofError, ArithmeticError):
    """A linear-program solver that gave up on a program which has an optimum."""


def solve_program(maps: MapMixture, local: Local, method: str) -> Float64[np.ndarray, " touched"]:
    r"""Return x that minimises :math:`\|Qx - x\|_1` over distributions on the touched indices.

    What the solver returns is cut off below zero and scaled to sum to one.

    Raises
    ------
    SolverError
        When the solver ends without an optimum.
    InvalidInputError
        When cvxpy is asked for and missing.
    """
    from scipy.sparse import coo_array

    k = len(local.labels)
    weights = maps.moves.weights
    rows = np.concatenate((local.targets, local.sources, np.arange(k)))
    columns = np.concatenate((local.sources, local.sources, np.arange(k)))
    loss = np.full(k, -maps.constants.weights.sum())
    entries = np.concatenate((weights, -weights, loss))
    drift = coo_array((entries, (rows, columns)), shape=(k, k)).tocsc()
    inflow = np.bincount(local.jumps, maps.constants.weights, k)
    x = np.maximum(SOLVERS[method](drift, inflow), 0.0)
    return np.asarray(x / x.sum())


def _highs(drift: Any, inflow: np.ndarray) -> np.ndarray:
    """Minimise the sum of u with -u <= drift x + inflow <= u through SciPy's HiGHS."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, eye_array

    k = len(inflow)
    bound = eye_array(k, format="csc")
    answer = linprog(
        np.concatenate((np.zeros(k), np.ones(k))),
        A_ub=block_array([[drift, -bound], [-drift, -bound]], format="csc"),
        b_ub=np.concatenate((-inflow, inflow)),
        A_eq=np.concatenate((np.ones(k), np.zeros(k)))[np.newaxis],
        b_eq=[1.0],
        method="highs",
    )
    if answer.x is None:
        raise SolverError(f"HiGHS found no optimum: {answer.message}; use method='gth'")
    return np.asarray(answer.x[:k])


def _cvxpy(drift: Any, inflow: np.ndarray) -> np.ndarray:
    """Minimise the norm itself; cvxpy picks the solver."""
    try:
        cp: Any = import_module("cvxpy")
    except ImportError:
        fix = f"{install_command('cvxpy')}, or use method='gth'"
        raise InvalidInputError(
            "method", "cvxpy", "needs the package cvxpy, which is not installed", fix
        ) from None

    x = cp.Variable(len(inflow), nonneg=True)
    program = cp.Problem(cp.Minimize(cp.norm1(drift @ x + inflow)), [cp.sum(x) == 1])
    try:
        program.solve()
    except cp.error.SolverError as error:
        raise SolverError(f"cvxpy found no optimum: {error}; use method='gth'") from error
    if x.value is None:
        raise SolverError(f"cvxpy ended with status {program.status}; use method='gth'")
    return np.asarray(x.value)


SOLVERS: Final = {"highs": _highs, "cvxpy": _cvxpy}
