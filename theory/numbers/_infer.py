"""Picking the kind of number from what is given."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, Final

import numpy as np

from theory.errors import ExactnessError, NumberError
from theory.numbers.balls import Balls
from theory.numbers.base import Numbers, as_objects, read_each
from theory.numbers.closed_form import ClosedForm, ClosedForms
from theory.numbers.exact import Exact
from theory.numbers.floats import Floats
from theory.shared.arguments import refusing

__all__ = ["as_numbers"]

_EXACT_IN_FLOAT64: Final = 2**53


@refusing
def as_numbers(values: object, argument: str = "values") -> Numbers:
    """Return ``values`` as an array of the kind of number that it holds.

    Integers, fractions, decimals and text are exact; closed forms and balls keep their kind and
    take rationals along; floats make float64, and integers up to 2^53 may stand among them. Floats
    beside any other kind raise, since one of the two would have to be cast.
    """
    if isinstance(values, Numbers):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return Floats.of(values, argument)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return Exact(values)
    nested = as_objects(values, argument)
    flat = nested.ravel().tolist()
    if {int, Fraction}.issuperset(map(type, flat)):
        return Exact._read(nested, argument)
    if any(isinstance(v, ClosedForm) for v in flat):
        return ClosedForms.of(values, argument)
    if any(type(v).__name__ == "arb" for v in flat):
        return Balls.of(values, argument)
    if any(_is_float(v) for v in flat):
        floats = read_each(nested, argument, _among_floats)
        return Floats.of(np.array(floats).reshape(nested.shape), argument)
    return Exact.of(values, argument)


def _is_float(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, Real) and not isinstance(value, Rational))


def _among_floats(value: Any, argument: str) -> float:
    if _is_float(value):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, Rational | Decimal | str):
        raise NumberError(argument, value, "is not a number", "give integers and floats")
    if not isinstance(value, Integral) or abs(int(value)) > _EXACT_IN_FLOAT64:
        raise ExactnessError(
            argument, value, "stands beside floats", "write all numbers in one kind"
        )
    return float(value)
