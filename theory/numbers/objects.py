"""Arrays of Python objects that know how to add, multiply and compare: one implementation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from math import prod
from operator import add, mul, sub, truediv
from typing import Any, Self

import numpy as np

from theory.errors import ShapeError
from theory.numbers.base import Index, Numbers, block_order, empty_shape
from theory.numbers.exact import Exact
from theory.shared.shapes import Bool, Int64

__all__ = ["ObjectNumbers"]


class ObjectNumbers(Numbers):
    """A NumPy object array whose elements carry their own arithmetic."""

    __slots__ = ("values",)

    def __init__(self, values: np.ndarray | np.generic) -> None:
        self.values = np.asarray(values)

    @classmethod
    @abstractmethod
    def lift(cls, value: Any) -> Any:
        """Return a rational as an element of this kind."""

    @abstractmethod
    def sign(self, element: Any) -> int:
        """Sign of one element: -1, 0 or 1."""

    @classmethod
    def pack(cls, flat: Sequence[Any], shape: tuple[int, ...]) -> Self:
        """Return elements laid out in ``shape``; sequences among them are not unpacked."""
        values = np.empty(len(flat), dtype=object)
        values[:] = flat
        return cls(values.reshape(shape))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def _operand(self, other: Numbers) -> np.ndarray | None:
        if type(other) is type(self):
            return other.values
        if isinstance(other, Exact):
            flat = np.array(other.scalars(), dtype=object).ravel()
            return self.pack([self.lift(v) for v in flat], other.shape).values
        return None

    def _with(self, other: Numbers, operation: Callable[[Any, Any], Any]) -> Any:
        operand = self._operand(other)
        if operand is None:
            return NotImplemented
        return type(self)(np.asarray(operation(self.values, operand), dtype=object))

    def __add__(self, other: Numbers, /) -> Self:
        result: Self = self._with(other, add)
        return result

    def __sub__(self, other: Numbers, /) -> Self:
        result: Self = self._with(other, sub)
        return result

    def __mul__(self, other: Numbers, /) -> Self:
        result: Self = self._with(other, mul)
        return result

    def __truediv__(self, other: Numbers, /) -> Self:
        result: Self = self._with(other, truediv)
        return result

    def _reflect(self, other: Numbers, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, Exact):
            return self._refuse_mixed(other)
        return self._with(other, lambda a, b: operation(b, a))

    def __radd__(self, other: Numbers, /) -> Any:
        return self._reflect(other, add)

    def __rsub__(self, other: Numbers, /) -> Any:
        return self._reflect(other, sub)

    def __rmul__(self, other: Numbers, /) -> Any:
        return self._reflect(other, mul)

    def __rtruediv__(self, other: Numbers, /) -> Any:
        return self._reflect(other, truediv)

    def __getitem__(self, index: Index, /) -> Self:
        picked = self.values[index]
        if isinstance(picked, np.ndarray):
            return type(self)(picked)
        return self.pack([picked], ())

    def sum(self) -> Self:
        zero = self.lift(0)
        rows = self.values.reshape(prod(self.shape[:-1]), self.shape[-1])
        flat = [sum(row, zero) for row in rows]
        return self.pack(flat, self.shape[:-1])

    def block_sums(self, labels: Int64[np.ndarray, " n"], count: int) -> Self:
        shape = empty_shape(self.shape, count)
        sums = self.pack([self.lift(0)] * prod(shape), shape).values
        order, starts, present = block_order(labels)
        if len(present):
            sums[..., present] = np.add.reduceat(self.values[..., order], starts, axis=-1)
        return type(self)(sums)

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        del slack
        marks = np.zeros(self.shape, dtype=bool)
        for j in range(self.shape[1]):
            best = [0]
            for i in range(1, self.shape[0]):
                sign = self.sign(self.values[i, j] - self.values[best[0], j])
                best = [i] if sign > 0 else [*best, i] if sign == 0 else best
            marks[best, j] = True
        return marks

    def max(self) -> Self:
        first = self.maximisers().argmax(axis=0)
        return type(self)(self.values[first, np.arange(self.shape[1])])

    def signs(self) -> Int64[np.ndarray, "..."]:
        flat = [self.sign(v) for v in self.values.ravel()]
        return np.array(flat, dtype=np.int64).reshape(self.shape)

    def item(self) -> Any:
        if self.values.size != 1:
            raise ShapeError("item()", self.shape, "has not exactly one element", "index it first")
        return self.values.ravel()[0]

    def scalars(self) -> Any:
        return self.values.tolist()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.values.tolist()})"
