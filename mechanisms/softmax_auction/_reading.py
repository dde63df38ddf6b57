"""Reading rewards, temperatures and log-probabilities; every refusal names its argument."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, LimitError, NumberError, ShapeError

__all__ = ["LARGEST", "Queries", "place", "read_queries", "refuse_masked"]

LARGEST: Final = 1e280
"""Rewards, temperatures and their quotients stay below it, so that no sum of them overflows."""

_FLOAT64: Final = np.dtype(np.float64)
_EXACT_IN_FLOAT64: Final = 1 << 53
_NOTHING: Final = np.empty((1, 0))
_ROWS: Final = "give rewards[..., agent, candidate]"
_BATCH: Final = "use leading axes that broadcast against those of the rewards"
_HINT: Final = "give float64 numbers; certified_auction and exact_auction read exact ones"


class Queries(NamedTuple):
    """What came in, in the layout in which it is computed with.

    Attributes
    ----------
    rewards : float64 array of shape (queries, agents, candidates), C-contiguous
    tau : float64 array of shape (queries,)
    log_ref, log_gen : float64 arrays of shape (1 or queries, candidates), or (1, 0) where left out
    batch : tuple of int
        The leading axes that the queries came in.
    """

    rewards: np.ndarray
    tau: np.ndarray
    log_ref: np.ndarray
    log_gen: np.ndarray
    batch: tuple[int, ...]

    def kept(self) -> Queries:
        """Return a copy that stays as it is, whatever becomes of the arrays that came in."""
        rewards, tau, log_ref, log_gen = (array.copy() for array in self[:4])
        for array in (rewards, tau, log_ref, log_gen):
            array.flags.writeable = False
        return Queries(rewards, tau, log_ref, log_gen, self.batch)


def read_queries(rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None) -> Queries:
    """Read the arguments that the functions of the auction share, shapes and types first.

    That rewards and log-probabilities are finite is seen where they are used, so that a large
    array is not read twice.

    Raises
    ------
    InvalidInputError
        For a temperature that is not positive, or one of ``log_ref`` and ``log_gen`` alone.
    NumberError
        For what is no number, or would be rounded when it is read as float64.
    ShapeError
        For shapes that disagree, or without agents, candidates or queries.
    """
    table = _floats("rewards", rewards)
    if table.ndim < 2:
        problem = f"has {table.ndim} axes where agents and candidates need 2"
        raise ShapeError("rewards", table.shape, problem, _ROWS)
    for axis, what in ((-1, "candidate"), (-2, "agent")):
        if not table.shape[axis]:
            raise ShapeError("rewards", table.shape, f"has no {what}", _ROWS)
    if log_ref is None or log_gen is None:
        if log_ref is not None or log_gen is not None:
            _refuse_one_alone(log_ref, log_gen)
        logs: tuple[np.ndarray, ...] = ()
    else:
        logs = (_logs("log_ref", log_ref, table), _logs("log_gen", log_gen, table))
    heat = _floats("tau", tau)
    batch = table.shape[:-2]
    simple = not (batch or heat.ndim or any(array.ndim > 1 for array in logs))
    if not simple:
        batch = _broadcast(table, heat, logs)
    if 0 in batch:
        raise ShapeError("rewards", table.shape, "has no query", "give one query or more")
    agents, candidates = table.shape[-2:]
    table = _spread(table, (*batch, agents, candidates))
    heat = heat.reshape(1) if simple else _spread(heat, batch).reshape(-1)
    low, high = (heat[0], heat[0]) if len(heat) == 1 else (heat.min(), heat.max())
    if not (low >= 1 / LARGEST and high <= LARGEST):
        _refuse_tau(tau, heat)
    table = table.reshape(-1, agents, candidates)
    ref, gen = [_flat(array, batch) for array in logs] or (_NOTHING, _NOTHING)
    return Queries(table, heat, ref, gen, batch)


def place(argument: str, index: tuple[Any, ...]) -> str:
    """Return the name of one element of an argument, such as ``rewards[1, 2]``."""
    return f"{argument}{[int(j) for j in index]}" if index else argument


def _floats(argument: str, values: Any) -> np.ndarray:
    """Return numbers as an aligned, C-contiguous float64 array; copies where it must."""
    if type(values) is np.ndarray and values.dtype is _FLOAT64:
        array = values
    elif type(values) is float:
        return np.array(values)
    else:
        array = _as_floats(argument, values)
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        return np.array(array, order="C")
    return array


def _as_floats(argument: str, values: Any) -> np.ndarray:
    listed = isinstance(values, list | tuple)
    refuse_masked(argument, values)
    try:
        array = np.array(values, dtype=object) if listed else np.asarray(values)
    except Exception:
        raise ShapeError(argument, values, "is no array", "give rows of equal length") from None
    if array.dtype.kind == "f" and array.dtype.itemsize <= _FLOAT64.itemsize:
        return array.astype(_FLOAT64)
    if array.dtype.kind in "iu":
        large = array.size and max(-int(array.min()), int(array.max())) > _EXACT_IN_FLOAT64
        if not large:
            return array.astype(_FLOAT64)
    elif array.dtype.kind != "O":
        problem = f"has elements of type {array.dtype}"
        raise NumberError(argument, values, problem, "give float64, float32 or integers")
    flat = array.ravel().tolist()
    for at, value in enumerate(flat):
        _check_element(place(argument, np.unravel_index(at, array.shape)), value)
    return np.array([float(value) for value in flat], _FLOAT64).reshape(array.shape)


def refuse_masked(argument: str, values: Any) -> None:
    """Refuse an array of which some entries are not meant."""
    if isinstance(values, np.ma.MaskedArray):
        fix = "leave out what is masked, or give a candidate the log_ref of -inf"
        raise InvalidInputError(argument, values.shape, "is a masked array", fix)


def _check_element(where: str, value: Any) -> None:
    if isinstance(value, float) or (isinstance(value, np.floating) and value.itemsize < 8):
        return
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        if abs(int(value)) > _EXACT_IN_FLOAT64:
            raise LimitError(where, value, "is an integer above 2^53, and would be rounded", _HINT)
        return
    if isinstance(value, list | tuple | np.ndarray):
        raise ShapeError(where, value, "is a row of another length", "give rows of equal length")
    if isinstance(value, Fraction):
        raise ExactnessError(where, value, "is a Fraction among floats", _HINT)
    raise NumberError(where, value, "is not a number", _HINT)


def _logs(argument: str, values: Any, table: np.ndarray) -> np.ndarray:
    array = _floats(argument, values)
    if array.ndim < 1 or array.shape[-1] != table.shape[-1]:
        problem = f"does not have one entry for each of {table.shape[-1]} candidates"
        raise ShapeError(argument, array.shape, problem, f"give {argument}[..., candidate]")
    return array


def _broadcast(
    table: np.ndarray, heat: np.ndarray, logs: tuple[np.ndarray, ...]
) -> tuple[int, ...]:
    """Return the leading axes of all arguments together."""
    batch = table.shape[:-2]
    names = ("tau", "log_ref", "log_gen")
    shapes = (heat.shape, *(array.shape[:-1] for array in logs))
    for name, shape in zip(names, shapes, strict=False):
        try:
            batch = np.broadcast_shapes(batch, shape)
        except ValueError:
            problem = f"does not fit the leading axes {batch}"
            raise ShapeError(name, shape, problem, _BATCH) from None
    return batch


def _flat(array: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    candidates = array.shape[-1]
    shape = (*batch, candidates) if array.ndim > 1 else array.shape
    return _spread(array, shape).reshape(-1, candidates)


def _spread(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the array in a shape that it broadcasts to; only a copy may be written."""
    if array.shape != shape:
        return np.array(np.broadcast_to(array, shape), order="C")
    return array if array.flags.writeable else _writable(array)


class _ArrayView:
    """Memory described by an array interface, kept alive by the array that owns it."""

    def __init__(self, interface: dict[str, Any], owner: np.ndarray) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def _writable(array: np.ndarray) -> np.ndarray:
    """Return a view that says it may be written, so that one compiled kernel reads both kinds."""
    interface = dict(array.__array_interface__)
    interface["data"] = (interface["data"][0], False)
    return np.asarray(_ArrayView(interface, array))


def _refuse_one_alone(log_ref: Any, log_gen: Any) -> NoReturn:
    missing, given = ("log_gen", "log_ref") if log_gen is None else ("log_ref", "log_gen")
    value = log_ref if log_gen is None else log_gen
    fix = f"give {missing} too, or leave out both where candidates come from the reference"
    raise InvalidInputError(given, value, f"is given without {missing}", fix)


def _refuse_tau(tau: Any, heat: np.ndarray) -> NoReturn:
    worst = heat[~((heat >= 1 / LARGEST) & (heat <= LARGEST))][0]
    value = float(worst) if np.ndim(tau) == 0 else tau
    if not worst > 0 or np.isinf(worst):
        problem = "is not a positive number" if np.ndim(tau) == 0 else f"has the entry {worst}"
        raise NumberError("tau", value, problem, "give finite temperatures above 0")
    problem = f"is not between {1 / LARGEST:g} and {LARGEST:g}"
    raise LimitError("tau", value, problem, "scale rewards and tau together")
