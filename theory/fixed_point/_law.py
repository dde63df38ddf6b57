"""Distributions over indices, however they are written."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, ProbabilityError, ShapeError
from theory.fixed_point import _reading
from theory.shared.text import integer_text

if TYPE_CHECKING:
    from theory.fixed_point._mixture import MapMixture

__all__ = ["read_law"]


def read_law(maps: MapMixture, strategy: Any) -> dict[int, Any]:
    """Return the probability of each index that has some, in order of the indices.

    Raises
    ------
    InvalidInputError, ShapeError
        When it names what is no index, or has not one entry for each.
    ProbabilityError
        When entries are negative or not finite, or do not sum to one.
    ExactnessError
        When its numbers are of another kind than those of the maps.
    """
    indices, entries = _pairs(maps.size, strategy)
    values, exact = _reading.as_fractions_or_floats("strategy", entries)
    if exact and not maps.exact and all(v.denominator == 1 for v in values):
        values, exact = [float(v) for v in values], False
    if exact != maps.exact and not maps.idle:
        kinds = {True: "exact", False: "float64"}
        problem = f"is {kinds[exact]}, and the maps are {kinds[maps.exact]}"
        fix = "write both in one kind of number; maps.as_floats() rounds"
        raise ExactnessError("strategy", strategy, problem, fix)
    law: dict[int, Any] = {}
    for i, p in sorted(zip(indices, values, strict=True)):
        if not 0 <= i < maps.size:
            _reading.refuse_index("strategy", i, maps.size)
        if p < 0:
            _reading.refuse_weight(f"strategy[{i}]", p)
        if p:
            law[i] = law.get(i, 0) + p
    total = sum(law.values())
    if abs(total - 1) > (0 if exact else _reading.SUM_TOLERANCE):
        raise ProbabilityError("strategy", total, "does not sum to one", "give a distribution")
    return law


def _pairs(size: int, strategy: Any) -> tuple[list[int], list[Any]]:
    """Take the indices and entries of a mapping, a fixed point, a sparse strategy or a row."""
    if isinstance(strategy, Mapping):
        return [_index(key) for key in strategy], list(strategy.values())
    for name in ("support", "actions"):
        if hasattr(strategy, name) and hasattr(strategy, "weights"):
            if strategy.size != size:
                raise ShapeError(
                    "strategy", strategy.size, "has another size", f"give {integer_text(size)}"
                )
            return [_index(key) for key in getattr(strategy, name)], list(strategy.weights)
    if isinstance(strategy, np.ndarray | list | tuple):
        if len(strategy) != size:
            raise ShapeError(
                "strategy", len(strategy), "has another length", f"give {integer_text(size)}"
            )
        return list(range(size)), list(strategy)
    fix = "give {index: probability}, a SparseStrategy, a FixedPoint or a row"
    raise InvalidInputError("strategy", strategy, "is no distribution", fix)


def _index(value: Any) -> int:
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise InvalidInputError("strategy", value, "is not an index", "give integers as indices")
    return index(value)
