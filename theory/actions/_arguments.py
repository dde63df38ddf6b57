"""Reading what the methods of action sets are given: once, and cheaply."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, LimitError, NumberError, ShapeError
from theory.shared.shapes import Float64
from theory.shared.text import count_text

__all__ = [
    "ENTRIES",
    "as_float64",
    "batch",
    "coefficients",
    "read_size",
    "refuse_beyond",
]

ENTRIES: Final = 4_000_000
"""How many float64 entries a temporary array may have where work is cut into chunks: 32 MB."""

_HUGE: Final = 1e300


def refuse_beyond(argument: str, value: object, count: int, limit: int, of: str) -> None:
    """Raise where ``count`` is above ``limit``."""
    if count > limit:
        problem = f"asks for {count_text(count)} {of}, and the limit is {limit:,}"
        raise LimitError(argument, value, problem, "ask for less")


def read_size(actions: Any) -> int:
    """Return the number of actions in a list of them."""
    try:
        return len(actions)
    except TypeError as error:
        fix = "give a list of actions"
        raise InvalidInputError("actions", actions, "is no list of actions", fix) from error


def as_float64(argument: str, value: Any, ndim: int) -> np.ndarray:
    """Read an array of real numbers as float64, without a copy where it is one already."""
    fix = f"give an array of float64 with {ndim} {'axis' if ndim == 1 else 'axes'}"
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ShapeError(argument, value, "is ragged", fix) from error
    if array.dtype != np.float64:
        if array.dtype.kind not in "iuf":
            raise NumberError(argument, value, f"holds {array.dtype}, not real numbers", fix)
        array = array.astype(np.float64)
    if array.ndim != ndim:
        raise ShapeError(argument, value, f"has shape {array.shape}", fix)
    return array


def coefficients(z: Any, dimension: int, largest: float = 1.0) -> Float64[np.ndarray, " dimension"]:
    """Read the vector z of a round.

    Parameters
    ----------
    dimension : int
        The length that it must have.
    largest : float
        A bound of the features' absolute values: with d times max(abs(z)) it bounds every
        <phi(a), z>, and one look at it tells that z is finite and that nothing will overflow.
    """
    row: np.ndarray = as_float64("z", z, 1)
    if row.shape[0] != dimension:
        problem = f"has {row.shape[0]} entries where the actions have {dimension} features"
        raise ShapeError("z", z, problem, "give one coefficient a feature")
    if not largest * dimension * float(np.abs(row).max()) < _HUGE:
        raise _too_large("z", row, largest)
    return row


def batch(Z: Any, dimension: int, largest: float = 1.0) -> np.ndarray:
    """Read vectors z, one a row; see :func:`coefficients`."""
    rows: np.ndarray = as_float64("Z", Z, 2)
    if rows.shape[1] != dimension:
        problem = f"has rows of {rows.shape[1]} entries where the actions have {dimension} features"
        raise ShapeError("Z", Z, problem, "give one coefficient a feature")
    if len(rows) and not largest * dimension * float(np.abs(rows).max()) < _HUGE:
        raise _too_large("Z", rows, largest)
    return rows


def _too_large(argument: str, z: np.ndarray, largest: float) -> NumberError:
    if not np.isfinite(z).all():
        return NumberError(argument, z, "has entries that are not finite", "give finite numbers")
    problem = f"makes rewards beyond {_HUGE:g} possible, with features up to {largest:g}"
    return NumberError(argument, z, problem, "scale the rewards down")
