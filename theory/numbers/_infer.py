"""Picking the kind of number from what is given."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from theory.errors import ExactnessError, ShapeError
from theory.numbers._base import Numbers
from theory.numbers.balls import Balls
from theory.numbers.closed_form import ClosedForm, ClosedForms
from theory.numbers.exact import Exact
from theory.numbers.floats import Floats

__all__ = ["as_numbers"]


def as_numbers(values: object, argument: str = "values") -> Numbers:
    """Return ``values`` as an array of the kind of number that it holds.

    Integers, fractions and text are exact; closed forms and balls keep their kind and take
    rationals along; floats make float64, and integers may stand among them. Floats beside
    fractions, text, closed forms or balls raise, since one of the two would have to be cast.
    """
    if isinstance(values, Numbers):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return Floats.of(values, argument)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        if values.dtype.kind == "u" and values.size and int(values.max()) > 2**63 - 1:
            return Exact.of(values.tolist(), argument)
        return Exact(values.astype(np.int64))
    flat = _flattened(values, argument)
    if any(isinstance(v, ClosedForm) for v in flat):
        return ClosedForms.of(values, argument)
    if any(type(v).__name__ == "arb" for v in flat):
        return Balls.of(values, argument)
    if any(isinstance(v, float) for v in flat):
        exact = [v for v in flat if isinstance(v, Fraction | str)]
        if exact:
            raise ExactnessError(
                argument, exact[0], "stands beside floats", "write all numbers in one kind"
            )
        return Floats.of(values, argument)
    return Exact.of(values, argument)


def _flattened(values: object, argument: str) -> list[Any]:
    try:
        nested = np.array(values, dtype=object)
    except ValueError:
        nested = None
    if nested is None or any(isinstance(v, list | tuple) for v in nested.ravel()):
        raise ShapeError(argument, values, "has rows of different lengths", "make them equal")
    flat: list[Any] = nested.ravel().tolist()
    return flat
