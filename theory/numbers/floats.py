"""float64 arrays behind the common interface."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from operator import add, mul, sub, truediv
from typing import Any, ClassVar, Final

import numpy as np

from theory.errors import NumberError, ShapeError
from theory.numbers.base import Index, Numbers, empty_shape, place
from theory.numbers.exact import Exact
from theory.shared.arguments import refusing
from theory.shared.shapes import Bool, Int64

__all__ = ["Floats"]

_CHUNK: Final = 1 << 15
"""States handled at a time, so that products stay in cache."""


@refusing
class Floats(Numbers):
    """A float64 array. Comparisons are those of float64; ``slack`` widens ties."""

    kind: ClassVar[str] = "float64"
    __slots__ = ("values",)

    def __init__(self, values: np.ndarray | np.generic) -> None:
        self.values: np.ndarray = np.asarray(values)

    @classmethod
    def of(cls, values: object, argument: str = "values") -> Floats:
        """Take numbers as float64; refuse what is not finite."""
        try:
            array = np.asarray(values, dtype=np.float64)
        except (OverflowError, TypeError, ValueError):
            raise NumberError(
                argument, values, "is not an array of numbers", "give rows of equal length"
            ) from None
        if not np.isfinite(array).all():
            where = tuple(np.argwhere(~np.isfinite(array))[0])
            raise NumberError(
                place(argument, where), float(array[where]), "is not finite", "give a number"
            )
        return cls(array)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def _with(self, other: Numbers, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, Floats):
            return NotImplemented
        try:
            with np.errstate(over="raise", invalid="raise"):
                return Floats(operation(self.values, other.values))
        except FloatingPointError as failure:
            raise NumberError(
                "result", str(failure), "is beyond float64", "use smaller numbers, or exact ones"
            ) from None

    def __add__(self, other: Numbers, /) -> Any:
        return self._with(other, add)

    def __sub__(self, other: Numbers, /) -> Any:
        return self._with(other, sub)

    def __mul__(self, other: Numbers, /) -> Any:
        return self._with(other, mul)

    def __truediv__(self, other: Numbers, /) -> Any:
        if isinstance(other, Floats) and not other.values.all():
            raise ZeroDivisionError("division of floats by zero")
        return self._with(other, truediv)

    def __getitem__(self, index: Index, /) -> Floats:
        return Floats(self.values[index])

    def sum(self) -> Floats:
        return Floats(self.values.sum(axis=-1))

    def block_sums(self, labels: Int64[np.ndarray, " n"], count: int) -> Floats:
        rows = self.values.reshape(prod(self.shape[:-1]), self.shape[-1])
        sums = [np.bincount(labels, weights=row, minlength=count) for row in rows]
        return Floats(np.array(sums).reshape(empty_shape(self.shape, count)))

    def weighted_block_sums(
        self, weights: Numbers, labels: Int64[np.ndarray, " n"], count: int
    ) -> Numbers:
        if not (isinstance(weights, Floats) and self.values.ndim == 2 and weights.values.ndim == 1):
            return super().weighted_block_sums(weights, labels, count)
        sums = np.zeros((len(self.values), count))
        product = np.empty(_CHUNK)
        for start in range(0, len(labels), _CHUNK):
            part = slice(start, start + _CHUNK)
            w, block = weights.values[part], labels[part]
            buffer = product[: len(w)]
            for row in range(len(self.values)):
                np.multiply(self.values[row, part], w, out=buffer)
                sums[row] += np.bincount(block, weights=buffer, minlength=count)
        return Floats(sums)

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        return np.asarray(self.values >= self.values.max(axis=0) - slack)

    def max(self) -> Floats:
        return Floats(self.values.max(axis=0))

    def signs(self) -> Int64[np.ndarray, "..."]:
        return np.asarray((self.values > 0).astype(np.int64) - (self.values < 0).astype(np.int64))

    def item(self) -> float:
        if self.values.size != 1:
            raise ShapeError("item()", self.shape, "has not exactly one element", "index it first")
        return float(self.values.ravel()[0])

    def scalars(self) -> Any:
        return self.values.tolist()

    def exact(self) -> Exact:
        """Return the same numbers as rationals: each float64 is the rational that it stands for."""
        each = [Fraction(value) for value in self.values.ravel().tolist()]
        return Exact.of(np.array(each, dtype=object).reshape(self.shape))

    def __repr__(self) -> str:
        return f"Floats({self.values.tolist()})"
