"""Rational arrays: integer numerators over one common denominator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar, Final

import numpy as np

from theory._shapes import Bool, Int64
from theory.errors import ExactnessError, InvalidInputError, ShapeError
from theory.numbers._base import Index, Numbers, as_objects, block_order, empty_shape, read_each
from theory.numbers.reading import rational

__all__ = ["Exact"]

_INT64: Final = 2**63 - 1


class Exact(Numbers):
    """A rational array, held as ``numerators / denominator``.

    Numerators are int64 while a bound on the result of each operation shows that it fits, and
    Python integers from then on; nothing overflows and nothing is rounded.

    Examples
    --------
    >>> Exact.of(["1/2", "1/3", 1]).sum().item()
    Fraction(11, 6)
    """

    kind: ClassVar[str] = "exact"
    __slots__ = ("denominator", "numerators")

    def __init__(self, numerators: np.ndarray | np.generic | int, denominator: int = 1) -> None:
        array = np.asarray(numerators)
        if array.dtype not in (np.int64, object):
            array = _integers(array)
        if denominator < 1:
            raise InvalidInputError("denominator", denominator, "is below 1", "sign the numerators")
        self.numerators = array
        self.denominator = denominator

    @classmethod
    def of(cls, values: object, argument: str = "values") -> Exact:
        """Read nested sequences of rationals (see :func:`theory.numbers.rational`)."""
        nested = as_objects(values, argument)
        flat = read_each(nested, argument, rational)
        common = lcm(*(v.denominator for v in flat)) if flat else 1
        scaled = [v.numerator * (common // v.denominator) for v in flat]
        return cls(_packed(scaled).reshape(nested.shape), common)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.numerators.shape

    def __add__(self, other: Numbers, /) -> Numbers:
        return self._linear(other, 1) if isinstance(other, Exact) else NotImplemented

    def __sub__(self, other: Numbers, /) -> Numbers:
        return self._linear(other, -1) if isinstance(other, Exact) else NotImplemented

    def _linear(self, other: Exact, sign: int) -> Exact:
        common = lcm(self.denominator, other.denominator)
        a = _times(self.numerators, common // self.denominator)
        b = _times(other.numerators, sign * (common // other.denominator))
        if _largest(a) + _largest(b) > _INT64:
            a, b = a.astype(object), b.astype(object)
        return Exact(a + b, common)

    def __mul__(self, other: Numbers, /) -> Numbers:
        if not isinstance(other, Exact):
            return NotImplemented
        a, b = self.numerators, other.numerators
        if _largest(a) * _largest(b) > _INT64:
            a, b = a.astype(object), b.astype(object)
        return Exact(a * b, self.denominator * other.denominator)._reduced()

    def __truediv__(self, other: Numbers, /) -> Numbers:
        if not isinstance(other, Exact):
            return NotImplemented
        divisors = [int(d) for d in other.numerators.ravel()]
        if 0 in divisors:
            raise ZeroDivisionError("division of exact numbers by zero")
        common = lcm(*divisors)
        cofactors = _packed([common // d for d in divisors]).reshape(other.shape)
        return self * Exact(_times(cofactors, other.denominator), common)

    def ratios(self, other: Numbers) -> list[Any]:
        if not isinstance(other, Exact):
            return super().ratios(other)
        return [a / b for a, b in zip(self.scalars(), other.scalars(), strict=True)]

    def _reduced(self) -> Exact:
        """Cancel what numerators and denominator share, once the denominator has grown large."""
        if self.denominator <= 1 << 31 or self.numerators.size > 1 << 16:
            return self
        shared = gcd(self.denominator, *map(int, self.numerators.ravel()))
        if shared == 1:
            return self
        flat = [int(v) // shared for v in self.numerators.ravel()]
        return Exact(_packed(flat).reshape(self.shape), self.denominator // shared)

    def __getitem__(self, index: Index, /) -> Exact:
        return Exact(self.numerators[index], self.denominator)

    def sum(self) -> Exact:
        a = self.numerators
        if _largest(a) * max(a.shape[-1], 1) > _INT64:
            a = a.astype(object)
        return Exact(a.sum(axis=-1), self.denominator)

    def block_sums(self, labels: Int64[np.ndarray, " n"], count: int) -> Exact:
        a = self.numerators
        if _largest(a) * max(a.shape[-1], 1) > _INT64:
            a = a.astype(object)
        sums = np.zeros(empty_shape(a.shape, count), dtype=a.dtype)
        order, starts, present = block_order(labels)
        if len(present):
            sums[..., present] = np.add.reduceat(a[..., order], starts, axis=-1)
        return Exact(sums, self.denominator)

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        del slack
        return np.asarray(self.numerators == self.numerators.max(axis=0), dtype=bool)

    def max(self) -> Exact:
        return Exact(self.numerators.max(axis=0), self.denominator)

    def signs(self) -> Int64[np.ndarray, "..."]:
        a = self.numerators
        return np.asarray((a > 0).astype(np.int64) - (a < 0).astype(np.int64))

    def item(self) -> Fraction:
        if self.numerators.size != 1:
            raise ShapeError("item()", self.shape, "has not exactly one element", "index it first")
        return Fraction(int(self.numerators.ravel()[0]), self.denominator)

    def scalars(self) -> Any:
        flat = np.empty(self.numerators.size, dtype=object)
        flat[:] = [Fraction(int(v), self.denominator) for v in self.numerators.ravel()]
        return flat.reshape(self.shape).tolist()

    def __repr__(self) -> str:
        return f"Exact({_text(self.scalars())})"


def _text(nested: Any) -> str:
    if isinstance(nested, list):
        return "[" + ", ".join(map(_text, nested)) + "]"
    return str(nested)


def _integers(a: np.ndarray) -> np.ndarray:
    if a.dtype.kind not in "biu":
        raise ExactnessError("numerators", a.dtype.name, "are not integers", "use Exact.of")
    return a.astype(np.int64 if np.can_cast(a.dtype, np.int64) else object)


def _largest(a: np.ndarray) -> int:
    return max(abs(int(a.max())), abs(int(a.min()))) if a.size else 0


def _times(a: np.ndarray, factor: int) -> np.ndarray:
    if factor == 1:
        return a
    if max(_largest(a), 1) * abs(factor) > _INT64:
        a = a.astype(object)
    return np.asarray(a * factor)


def _packed(flat: Sequence[int]) -> np.ndarray:
    small = all(-_INT64 <= v <= _INT64 for v in flat)
    return np.array(flat, dtype=np.int64 if small else object)
