"""The interface that a definition is written against."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from theory.errors import ExactnessError, NumberError, ShapeError
from theory.shared.shapes import Bool, Int64

__all__ = ["Numbers", "Scalar"]

Index = Any
T = TypeVar("T")

_AXES: Final = 64
"""How many an array of NumPy has at most."""


@runtime_checkable
class Scalar(Protocol):
    """One number: a ``Fraction``, a ``ClosedForm``, a ball (``flint.arb``) or a ``float``."""

    def __add__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> bool: ...
    def __le__(self, other: Any, /) -> bool: ...
    def __gt__(self, other: Any, /) -> bool: ...
    def __ge__(self, other: Any, /) -> bool: ...
    def __float__(self) -> float: ...


class Numbers(ABC):
    """A real vector or matrix of one kind of number.

    Arithmetic is elementwise and broadcasts as in NumPy. Kinds mix only upwards and without loss:
    an :class:`~theory.numbers.Exact` operand becomes closed forms or balls where the other one is.
    Every other mixture raises :class:`~theory.errors.ExactnessError`; nothing becomes a float.
    Division by zero raises :class:`ZeroDivisionError`.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape, as of a NumPy array."""

    @abstractmethod
    def __add__(self, other: Numbers, /) -> Numbers: ...

    @abstractmethod
    def __sub__(self, other: Numbers, /) -> Numbers: ...

    @abstractmethod
    def __mul__(self, other: Numbers, /) -> Numbers: ...

    @abstractmethod
    def __truediv__(self, other: Numbers, /) -> Numbers: ...

    def _refuse_mixed(self, other: Any, /) -> Any:
        """Refuse a left operand of another kind, which did not know this kind either."""
        if not isinstance(other, Numbers):
            return NotImplemented
        raise ExactnessError(
            "operands",
            f"{other.kind} beside {self.kind}",
            "are of two kinds of number that do not mix",
            "write all numbers in one kind",
        )

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = _refuse_mixed

    @abstractmethod
    def __getitem__(self, index: Index, /) -> Self:
        """Index as a NumPy array, fancy indexing included; the result is an array again."""

    @abstractmethod
    def sum(self) -> Self:
        """Sum over the last axis."""

    @abstractmethod
    def block_sums(self, labels: Int64[np.ndarray, " n"], count: int) -> Self:
        """Sum over the last axis within each block: result[..., b] = sum of those with label b."""

    def weighted_block_sums(
        self, weights: Numbers, labels: Int64[np.ndarray, " n"], count: int
    ) -> Numbers:
        """Block sums of ``self * weights``; a kind may compute them without the product."""
        return (self * weights).block_sums(labels, count)

    def ratios(self, other: Numbers) -> list[Any]:
        """Return each element divided by the other's, as numbers; a kind may avoid the array."""
        found: list[Any] = (self / other).scalars()
        return found

    @abstractmethod
    def maximisers(self, slack: object = 0.0) -> Bool[np.ndarray, "rows columns"]:
        """Mark, in each column of a matrix, every row that attains the column's maximum.

        ``slack``, one number or one a column, is used by floats alone: rows within ``slack`` of
        the maximum count as ties.
        """

    @abstractmethod
    def max(self) -> Self:
        """Maximum over the rows, of each column of a matrix."""

    @abstractmethod
    def signs(self) -> Int64[np.ndarray, "..."]:
        """Sign of each element: -1, 0 or 1; undecided balls raise."""

    @abstractmethod
    def item(self) -> Scalar:
        """Return the only element as a number."""

    @abstractmethod
    def scalars(self) -> Any:
        """Return the elements as numbers, in nested lists; the number itself where there is one."""

    def __len__(self) -> int:
        return self.shape[0]


def block_order(
    labels: Int64[np.ndarray, " n"],
) -> tuple[Int64[np.ndarray, " n"], Int64[np.ndarray, " k"], Int64[np.ndarray, " k"]]:
    """Return the order that sorts by label, where each run starts, and each run's label."""
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    starts = np.concatenate(([0], changes)) if len(labels) else changes
    return order, starts, ordered[starts]


def as_objects(values: object, argument: str) -> np.ndarray:
    """Return nested sequences as an array of objects; uneven rows and too many axes raise."""
    try:
        nested = np.array(values, dtype=object)
    except ValueError:
        nested = None
    kinds = set() if nested is None else set(map(type, nested.ravel().tolist()))
    if nested is None or any(issubclass(kind, list | tuple | np.ndarray) for kind in kinds):
        if nested is not None and nested.ndim == _AXES:
            raise ShapeError(argument, values, f"has more than {_AXES} axes", "nest it less")
        raise ShapeError(argument, values, "has rows of different lengths", "make them equal")
    return nested


def read_each(nested: np.ndarray, argument: str, read: Callable[[Any, str], T]) -> list[T]:
    """Apply ``read`` to every element in turn; its errors name the element by its place."""
    found: list[T] = []
    try:
        for value in nested.ravel().tolist():
            found.append(read(value, argument))
    except NumberError as error:
        where = place(argument, np.unravel_index(len(found), nested.shape))
        raise type(error)(where, error.value, error.problem, error.fix) from None
    return found


def place(argument: str, index: tuple[Any, ...]) -> str:
    """Return the name of one element of an argument, such as ``utilities[1, 2]``."""
    return f"{argument}{[int(j) for j in index]}" if index else argument


def empty_shape(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """Return ``shape`` with its last axis replaced by ``count`` blocks."""
    return (*shape[:-1], count)
