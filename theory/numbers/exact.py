"""Rational arrays: integer numerators over one common denominator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from operator import index
from typing import Any, ClassVar, Final, TypeGuard

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, LimitError, ShapeError
from theory.numbers.base import Index, Numbers, as_objects, block_order, empty_shape, read_each
from theory.numbers.reading import rational
from theory.shared.arguments import refusing
from theory.shared.shapes import Bool, Int64

__all__ = ["MAX_BITS", "Exact", "check_bits", "over_one"]

MAX_BITS: Final = 1 << 30
"""The most bits that numbers may have together once they stand over one denominator."""

_INT64: Final = 2**63 - 1
_FEW: Final = 64
"""Up to so many numbers, plain Python is faster than calls of NumPy."""
_WORD: Final = 64
_LONG: Final = 1 << 12
"""Denominators of more bits together are worked on by FLINT, which is faster with long numbers."""


@refusing
class Exact(Numbers):
    """A rational array, held as ``numerators / denominator``.

    Numerators are int64 while a bound on the result of each operation shows that it fits, and
    Python integers from then on; nothing overflows and nothing is rounded. An array that is given
    is copied unless it is read-only, and no array is to be changed.

    Examples
    --------
    >>> Exact.of(["1/2", "1/3", 1]).sum().item()
    Fraction(11, 6)
    """

    kind: ClassVar[str] = "exact"
    __slots__ = ("_bound", "denominator", "numerators")

    def __init__(self, numerators: np.ndarray | np.generic | int, denominator: int = 1) -> None:
        array = numerators if _is_frozen(numerators) else np.array(numerators)
        if array.dtype not in (np.int64, object):
            array = _integers(array)
        if denominator < 1:
            raise InvalidInputError("denominator", denominator, "is below 1", "sign the numerators")
        self.numerators = array
        self.denominator = index(denominator)
        self._bound = -1

    @classmethod
    def _make(cls, numerators: Any, denominator: int, bound: int) -> Exact:
        """Return an array whose numerators are known to be at most ``bound``; -1 if unknown."""
        if isinstance(numerators, np.generic):  # what a sum over the only axis comes out as
            numerators = np.asarray(numerators)
        if not isinstance(numerators, np.ndarray):  # one number, an integer of some other kind
            made = cls(numerators, denominator)
        else:
            made = object.__new__(cls)
            made.numerators, made.denominator = numerators, denominator
        made._bound = bound
        return made

    def _largest(self) -> int:
        """Return a bound on the absolute values of the numerators."""
        if self._bound < 0:
            self._bound = _largest(self.numerators)
        return self._bound

    def _with(self, other: Exact, bound: Callable[[int, int], int]) -> tuple[Any, Any, int]:
        """Return the numerators of two arrays, as Python's integers if the bound is beyond int64.

        Bounds are taken over from the operands of earlier operations; where these are too loose to
        decide they are measured.
        """
        most = bound(self._largest(), other._largest())
        if most > _INT64:
            self._bound, other._bound = _largest(self.numerators), _largest(other.numerators)
            most = bound(self._bound, other._bound)
        if most > _INT64:
            return self.numerators.astype(object), other.numerators.astype(object), most
        return self.numerators, other.numerators, most

    @classmethod
    def of(cls, values: object, argument: str = "values") -> Exact:
        """Read nested sequences of rationals (see :func:`theory.numbers.rational`).

        Raises
        ------
        NumberError, ExactnessError
            For what is no rational number.
        ShapeError
            For rows of different lengths.
        LimitError
            For more than ``MAX_BITS`` bits over one common denominator.
        """
        if type(values) is Fraction:
            one = _pack_integers([index(values.numerator)]).reshape(())
            return cls._make(one, index(values.denominator), -1)
        return cls._read(as_objects(values, argument), argument)

    @classmethod
    def _read(cls, nested: np.ndarray, argument: str) -> Exact:
        told = nested.ravel().tolist()
        kinds = set(map(type, told))
        if kinds <= {int}:
            return cls._make(_pack_integers(told).reshape(nested.shape), 1, -1)
        plain = kinds <= {int, Fraction}
        flat = told if plain else read_each(nested, argument, rational)
        scaled, common = over_one(flat, argument)
        return cls._make(_pack_integers(scaled).reshape(nested.shape), common, -1)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.numerators.shape

    @property
    def is_short(self) -> bool:
        """Whether neither a numerator nor the denominator takes more than 64 bits."""
        return self.numerators.dtype == np.int64 and self.denominator.bit_length() <= _WORD

    def __add__(self, other: Numbers, /) -> Numbers:
        return self._linear(other, 1) if isinstance(other, Exact) else NotImplemented

    def __sub__(self, other: Numbers, /) -> Numbers:
        return self._linear(other, -1) if isinstance(other, Exact) else NotImplemented

    def _linear(self, other: Exact, sign: int) -> Exact:
        if self.denominator == other.denominator:
            common, first, second = self.denominator, 1, 1
        else:
            common = lcm(self.denominator, other.denominator)
            first, second = common // self.denominator, common // other.denominator
        a, b, bound = self._with(other, lambda x, y: max(x, 1) * first + max(y, 1) * second)
        a, b = _times(a, first), _times(b, second)
        return Exact._make(a + b if sign > 0 else a - b, common, bound)

    def __mul__(self, other: Numbers, /) -> Numbers:
        if not isinstance(other, Exact):
            return NotImplemented
        a, b, bound = self._with(other, int.__mul__)
        return Exact._make(a * b, self.denominator * other.denominator, bound)._reduce()

    def __truediv__(self, other: Numbers, /) -> Numbers:
        if not isinstance(other, Exact):
            return NotImplemented
        divisors = [int(d) for d in other.numerators.ravel()]
        if 0 in divisors:
            raise ZeroDivisionError("division of exact numbers by zero")
        common = lcm(*divisors)
        cofactors = [common // d * other.denominator for d in divisors]
        return self * Exact(_pack_integers(cofactors).reshape(other.shape), common)

    def ratios(self, other: Numbers) -> list[Any]:
        if not isinstance(other, Exact):
            return super().ratios(other)
        pairs = zip(self.numerators.tolist(), other.numerators.tolist(), strict=True)
        return [_fraction(a * other.denominator, b * self.denominator) for a, b in pairs]

    def _reduce(self) -> Exact:
        """Cancel what numerators and denominator share, once the denominator has grown large."""
        if self.denominator <= 1 << 31 or self.numerators.size > 1 << 16:
            return self
        shared = gcd(self.denominator, *map(int, self.numerators.ravel()))
        if shared == 1:
            return self
        flat = [int(v) // shared for v in self.numerators.ravel()]
        return Exact(_pack_integers(flat).reshape(self.shape), self.denominator // shared)

    def __getitem__(self, index: Index, /) -> Exact:
        return Exact._make(self.numerators[index], self.denominator, self._bound)

    def _sum_terms(self) -> tuple[Any, int]:
        """Return the numerators, to be summed over the last axis, and a bound on the sums."""
        a = self.numerators
        bound = self._largest() * max(a.shape[-1], 1)
        if bound > _INT64:
            self._bound = _largest(a)
            bound = self._bound * max(a.shape[-1], 1)
        return a.astype(object) if bound > _INT64 else a, bound

    def sum(self) -> Exact:
        a, bound = self._sum_terms()
        return Exact._make(np.add.reduce(a, axis=-1), self.denominator, bound)

    def block_sums(self, labels: Int64[np.ndarray, " n"], count: int) -> Exact:
        if count == 1:
            return self.sum()[..., np.newaxis]
        a, bound = self._sum_terms()
        if a.dtype != object and len(labels) * count <= _FEW:  # sorting pays for more
            sums = a @ (labels[:, np.newaxis] == np.arange(count)).astype(np.int64)
            return Exact._make(sums, self.denominator, bound)
        sums = np.zeros(empty_shape(a.shape, count), dtype=a.dtype)
        order, starts, present = block_order(labels)
        if len(present):
            sums[..., present] = np.add.reduceat(a[..., order], starts, axis=-1)
        return Exact._make(sums, self.denominator, bound)

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        del slack
        return np.asarray(self.numerators == np.maximum.reduce(self.numerators), dtype=bool)

    def max(self) -> Exact:
        return Exact._make(np.maximum.reduce(self.numerators), self.denominator, self._bound)

    def signs(self) -> Int64[np.ndarray, "..."]:
        a = self.numerators
        if a.dtype == np.int64:
            return np.asarray(np.sign(a))
        return np.asarray((a > 0).astype(np.int64) - (a < 0).astype(np.int64))

    def item(self) -> Fraction:
        if self.numerators.size != 1:
            raise ShapeError("item()", self.shape, "has not exactly one element", "index it first")
        return _fraction(int(self.numerators.ravel()[0]), self.denominator)

    def scalars(self) -> Any:
        return _fractions(self.numerators.tolist(), self.denominator)

    def __repr__(self) -> str:
        return f"Exact({_text(self.scalars())})"


def over_one(values: Sequence[Fraction | int], argument: str) -> tuple[list[int], int]:
    """Return the numerators of numbers over their least common denominator, and that denominator.

    Raises
    ------
    LimitError
        Where those numerators may have more than ``MAX_BITS`` bits together.
    """
    tops, bottoms = [index(v.numerator) for v in values], [index(v.denominator) for v in values]
    each = set(bottoms)
    longest = max(map(int.bit_length, tops), default=0)
    factors: dict[int, int]
    if sum(map(int.bit_length, each)) <= _LONG:
        common = lcm(*each)
        check_bits(longest + common.bit_length(), len(tops), argument)
        factors = {bottom: common // bottom for bottom in each}
    else:
        from flint import fmpz

        long = fmpz(1)
        for bottom in each:
            long = long.lcm(fmpz(bottom))
            check_bits(longest + long.height_bits(), len(tops), argument)
        factors = {bottom: int(long // bottom) for bottom in each}
        common = int(long)
    return [top * factors[bottom] for top, bottom in zip(tops, bottoms, strict=True)], common


def check_bits(bits: int, count: int, argument: str) -> None:
    """Refuse so many numbers of so many bits, unless 64 bits do for each.

    Raises
    ------
    LimitError
        For more than ``MAX_BITS`` bits together.
    """
    if bits > _WORD and bits * count > MAX_BITS:
        problem = f"take more than {MAX_BITS:,} bits over one common denominator"
        raise LimitError(argument, f"{count:,} numbers", problem, "round them first")


def _fraction(numerator: int, denominator: int) -> Fraction:
    """Return a new fraction, which is made of what is kept without another look for divisors."""
    made: Any = object.__new__(Fraction)
    made._numerator, made._denominator = _lowest_terms(numerator, denominator)
    whole: Fraction = made
    return whole


@lru_cache(maxsize=1 << 12)
def _lowest_terms(numerator: int, denominator: int) -> tuple[int, int]:
    """Cancel what two numbers share; the latest are kept: small ones come again and again."""
    return Fraction(numerator, denominator).as_integer_ratio()


def _fractions(nested: Any, denominator: int) -> Any:
    if not isinstance(nested, list):
        return _fraction(nested, denominator)
    if nested and isinstance(nested[0], list):
        return [_fractions(row, denominator) for row in nested]
    return [_fraction(v, denominator) for v in nested]


def _text(nested: Any) -> str:
    if isinstance(nested, list):
        return "[" + ", ".join(map(_text, nested)) + "]"
    return str(nested)


def _is_frozen(a: object) -> TypeGuard[np.ndarray]:
    """Return whether an array is its own memory, and read-only."""
    return isinstance(a, np.ndarray) and a.base is None and not a.flags.writeable


def _integers(a: np.ndarray) -> np.ndarray:
    if a.dtype.kind not in "biu":
        raise ExactnessError("numerators", a.dtype.name, "are not integers", "use Exact.of")
    return a.astype(np.int64 if np.can_cast(a.dtype, np.int64) else object)


def _largest(a: np.ndarray) -> int:
    if a.size <= _FEW:
        return max(map(abs, a.ravel().tolist()), default=0)
    return max(abs(int(a.max())), abs(int(a.min())))


def _times(a: Any, factor: int) -> Any:
    """Multiply by a factor, which is known to fit."""
    return a if factor == 1 else a * factor


def _pack_integers(flat: Sequence[int]) -> np.ndarray:
    small = min(flat, default=0) >= -_INT64 and max(flat, default=0) <= _INT64
    return np.array(flat, dtype=np.int64 if small else object)
