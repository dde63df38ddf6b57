"""Reading what describes a mixture of maps; every refusal names the entry."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Final, NoReturn

import numpy as np

from theory.errors import InvalidInputError, NumberError, ProbabilityError, ShapeError
from theory.numbers import Exact, Floats, as_numbers
from theory.shared.text import integer_text

__all__ = [
    "SUM_TOLERANCE",
    "as_fractions_or_floats",
    "as_indices",
    "as_weights",
    "check_total",
    "pack_indices",
    "pairs",
    "refuse_index",
    "refuse_weight",
    "targets",
]

SUM_TOLERANCE: Final = 1e-9
"""How far above one float64 weights may sum."""

_INT64: Final = 2**63 - 1


def refuse_index(argument: str, value: Any, size: int) -> NoReturn:
    """Say that an index is not among 0..size-1."""
    raise InvalidInputError(
        argument, value, "is not an index", f"give an integer from 0 to {integer_text(size - 1)}"
    )


def refuse_weight(argument: str, value: Any) -> NoReturn:
    """Say that a weight is negative or not finite."""
    problem = "is negative" if value < 0 and value > -np.inf else "is not finite"
    raise ProbabilityError(argument, value, problem, "give weights of at least 0")


def check_total(argument: str, total: Any) -> None:
    """Ask that weights sum to at most one, within rounding where they are floats."""
    if total > 1 + (SUM_TOLERANCE if isinstance(total, float) else 0):
        raise ProbabilityError(
            argument,
            total,
            "sum to more than one",
            "divide them by their sum; what is missing to one is the weight of the identity",
        )


def as_indices(argument: str, values: object) -> np.ndarray:
    """Take a row of int64 numbers, without a look at each."""
    array = _as_array(argument, values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ShapeError(
            argument, values, "is no row of integers", "give a one-dimensional int64 array"
        )
    if array.dtype == np.uint64 and array.size and array.max() > _INT64:
        raise InvalidInputError(
            argument, int(array.max()), "is beyond int64", "use MapMixture.of for such indices"
        )
    return array.astype(np.int64)


def as_weights(argument: str, values: object, count: int) -> np.ndarray:
    """Take a row of float64 numbers, one for each index, without a look at each."""
    array = _as_array(argument, values)
    if array.ndim != 1 or (array.dtype.kind not in "fiu" and array.size):
        raise ShapeError(
            argument, values, "is no row of numbers", "give a one-dimensional float64 array"
        )
    if len(array) != count:
        raise ShapeError(
            argument, values, f"has {len(array)} entries for {count} indices", "give one for each"
        )
    return array.astype(np.float64)


def _as_array(argument: str, values: object) -> np.ndarray:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ShapeError(argument, values, "is ragged", "give a one-dimensional array") from error


def pack_indices(indices: list[int]) -> np.ndarray:
    """Hold indices as int64, or as Python integers where one is larger."""
    large = any(i > _INT64 for i in indices)
    return np.array(indices, dtype=object if large else np.int64)


def pairs(moves: Any, size: int) -> tuple[list[int], list[int]]:
    """Read the keys of ``moves``, a source and a target each."""
    if not isinstance(moves, Mapping):
        raise InvalidInputError(
            "moves", moves, "is no mapping", "give {(source, target): weight, ...}"
        )
    sources, goals = [], []
    for key in moves:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InvalidInputError("moves", key, "is not a pair", "write keys as (source, target)")
        sources.append(_index("moves", key[0], size))
        goals.append(_index("moves", key[1], size))
    return sources, goals


def targets(constants: Any, size: int) -> list[int]:
    """Read the keys of ``constants``."""
    if not isinstance(constants, Mapping):
        raise InvalidInputError(
            "constants", constants, "is no mapping", "give {target: weight, ...}"
        )
    return [_index("constants", key, size) for key in constants]


def _index(argument: str, value: Any, size: int) -> int:
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        refuse_index(argument, value, size)
    number = index(value)
    if not 0 <= number < size:
        refuse_index(argument, value, size)
    return number


def as_fractions_or_floats(argument: str, values: list[Any]) -> tuple[list[Any], bool]:
    """Return numbers as Fractions or as floats, and whether they are exact."""
    try:
        numbers = as_numbers(values, argument) if values else Exact.of([])
    except NumberError as error:
        if isinstance(error.value, float):
            refuse_weight(error.argument, error.value)
        raise
    if not isinstance(numbers, Exact | Floats):
        raise NumberError(
            argument, values, "holds closed forms or balls", "give rationals or floats"
        )
    if len(numbers.shape) != 1:
        raise ShapeError(argument, values, "is no row of numbers", "give one number for each")
    return numbers.scalars(), isinstance(numbers, Exact)
