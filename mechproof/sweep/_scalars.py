"""Numbers, text and truth values as JSON, exactly, and back again.

Whole numbers, text, true, false and null stand for themselves; a float is its shortest decimal that
reads back as the same float. What JSON has no word for is tagged: ``{"fraction": "1/3"}``,
``{"decimal": "0.10"}``, ``{"float": "inf"}``, ``{"int": "0x1f"}`` for very long integers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

__all__ = [
    "Scalar",
    "decode_scalar",
    "dump_scalar",
    "encode_scalar",
    "scalar",
    "scalars",
    "text_of",
]

Scalar = int | Fraction | Decimal | float | str | bool | None

_NO_DECIMAL: Final = Decimal("NaN")
"""The one of its kind, as ``math.nan`` is: equal rows are then equal."""
_ARRAYS: Final = {"numpy", "jax", "jaxlib"}
"""Packages whose numbers are arrays without an axis."""
_LONG: Final = 4000 * 3
"""Integers of more bits are written in base 16: Python limits how long decimals may be."""
_MAX_BITS: Final = 400_000
"""Numbers of more bits are refused: the time to read one grows with the square of its length."""
_MAX_BITS_OF_PARTS: Final = 40_000
"""The same for each part of a fraction, which is reduced when it is read: that takes longer."""


def scalar(value: object) -> Scalar:
    """Return a scalar as a value of its plain type; one of NumPy or JAX as the Python one it holds.

    Raises
    ------
    TypeError
        For anything else, for fractions with more than 40,000 bits above or below the line, and for
        other numbers of more than 400,000 bits.
    """
    if type(value).__module__.partition(".")[0] in _ARRAYS and getattr(value, "ndim", None) == 0:
        item = getattr(value, "item", lambda: value)()
        return scalar(item) if type(item) is not type(value) else _refuse_value(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _require_short(int(value), value.bit_length())
    if isinstance(value, float):
        return math.nan if math.isnan(value) else float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if type(value) is Decimal:
        return _NO_DECIMAL if value.is_nan() else _require_short(value, 4 * len(str(value)))
    if type(value) is Fraction:
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        return _require_short(value, bits, _MAX_BITS_OF_PARTS)
    return _refuse_value(value)


def _require_short(value: Scalar, bits: int, most: int = _MAX_BITS) -> Scalar:
    if bits > most:
        raise TypeError(f"is a number of more than {most:,} bits, which nobody reads")
    return value


def _refuse_value(value: object) -> Scalar:
    kind = f"of type {type(value).__name__}"
    raise TypeError(f"is {kind}, neither a number nor text nor true or false")


def encode_scalar(value: Scalar) -> Any:
    """Return what JSON can say, exactly."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if value.bit_length() <= _LONG else {"int": _digits(value)}
        case float():
            return value if math.isfinite(value) else {"float": repr(value)}
        case Fraction():
            return {"fraction": f"{_digits(value.numerator)}/{_digits(value.denominator)}"}
        case Decimal():
            return {"decimal": str(value)}


def decode_scalar(value: Any) -> Scalar:
    """Return the scalar that was encoded; how long a number is written is looked at first.

    Raises
    ------
    ValueError
        For what :func:`encode_scalar` never returns.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    try:
        ((tag, text),) = value.items()
        parts = text.split("/")
        most = _MAX_BITS_OF_PARTS if tag == "fraction" else _MAX_BITS
        if any(len(part) > most // 4 + len("-0x") for part in parts):
            raise ValueError("is a number too long")
        match tag:
            case "fraction":
                above, below = parts
                return Fraction(int(above, 0), int(below, 0))
            case "decimal":
                found = Decimal(text)
                return _NO_DECIMAL if found.is_nan() else found
            case "float":
                return math.nan if text == "nan" else float(text)
            case "int":
                return int(text, 0)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ValueError("is no scalar") from error
    raise ValueError("is no scalar")


def dump_scalar(value: Scalar) -> str:
    """Return a scalar as JSON."""
    return json.dumps(encode_scalar(value))


def text_of(values: Mapping[str, Scalar]) -> str:
    """Return scalars by name as JSON, in the order of the mapping."""
    return json.dumps({k: encode_scalar(v) for k, v in values.items()}, separators=(",", ":"))


def scalars(values: Any) -> dict[str, Scalar]:
    """Return what :func:`text_of` wrote, read as JSON.

    Raises
    ------
    ValueError
        When these are no scalars by name.
    """
    if not isinstance(values, dict):
        raise ValueError("are no scalars by name")
    return {k: decode_scalar(v) for k, v in values.items()}


def _digits(number: int) -> str:
    return str(number) if number.bit_length() <= _LONG else hex(number)
