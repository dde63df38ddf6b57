"""Terms: rational functions of the symbols, whose comparisons the tracer answers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Number
from operator import add, mul, sub
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import numpy as np

from theory._shapes import Bool
from theory.errors import ExactnessError
from theory.numbers._objects import ObjectNumbers

if TYPE_CHECKING:
    from sympy.polys.fields import FracElement

    from theory.proofs._tracer import Tracer

__all__ = ["Symbols", "Term", "computed"]

_COMPUTE: Final = "trace code that computes with its reports and compares them"
_OF_NUMBERS: Final = frozenset(
    name
    for kind in (int, float, Fraction, Decimal)
    for name in dir(kind)
    if not name.startswith("_")
)
"""What code may ask a number and a term does not know; it is no way to tell the two apart."""


Operation = Callable[[Any, Any], Any]


@lru_cache(maxsize=1 << 12)
def computed(operation: Operation, a: FracElement, b: FracElement) -> Any:
    """Return what an operation makes of two elements; each path of a run asks for the same."""
    return operation(a, b)


class Term:
    """A rational function of the symbols; it computes with its like and with rationals."""

    __slots__ = ("element", "tracer")

    def __init__(self, element: FracElement, tracer: Tracer) -> None:
        self.element = element
        self.tracer = tracer

    def _of(self, other: object) -> FracElement | None:
        if isinstance(other, Term):
            return other.element
        if isinstance(other, int | Fraction):
            return self.tracer.constant(other)
        if isinstance(other, Integral):
            return self.tracer.constant(int(other))
        if isinstance(other, float | np.floating):
            raise self._refused("operand", other, "is a float")
        number = isinstance(other, Number) or hasattr(type(other), "__complex__")
        if number and not isinstance(other, np.ndarray):
            raise self._refused("operand", other, "is no integer and no fraction")
        return None

    def _by(self, operation: Operation, a: FracElement, b: FracElement) -> Term:
        return Term(computed(operation, a, b), self.tracer)

    def _refused(self, argument: str, value: object, problem: str) -> ExactnessError:
        """Return what to raise, and see to it that a run that goes on proves nothing."""
        error = ExactnessError(argument, value, problem, "trace code of exact numbers alone")
        self.tracer.refuse(error)
        return error

    def _text(self) -> str:
        return str(self.element.as_expr())

    def _unknown(self, *_: object) -> NoReturn:
        problem = "is a number that is not known: it can be added, multiplied and compared"
        raise self._refused("term", self._text(), problem)

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _unknown
    __rpow__ = __round__ = __trunc__ = __floor__ = __ceil__ = _unknown
    __int__ = __index__ = __float__ = __complex__ = _unknown

    def __getattr__(self, name: str) -> NoReturn:
        if name in _OF_NUMBERS:
            self._refused("term", self._text(), f"has no {name} that is known")
        raise AttributeError(f"a term has no {name}", name=name, obj=self)

    def __hash__(self) -> int:
        error = TypeError("a term cannot be a key: whether it equals another depends on the path")
        self.tracer.refuse(error)
        raise error

    def __deepcopy__(self, memo: object) -> Term:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._unknown()

    def __add__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else self._by(add, self.element, operand)

    __radd__ = __add__

    def __mul__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else self._by(mul, self.element, operand)

    __rmul__ = __mul__

    def __sub__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else self._by(sub, self.element, operand)

    def __rsub__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else self._by(sub, operand, self.element)

    def __truediv__(self, other: object, /) -> Term:
        operand = self._of(other)
        if operand is None:
            return NotImplemented
        return Term(self.tracer.quotient(self.element, operand), self.tracer)

    def __rtruediv__(self, other: object, /) -> Term:
        operand = self._of(other)
        if operand is None:
            return NotImplemented
        return Term(self.tracer.quotient(operand, self.element), self.tracer)

    def __neg__(self) -> Term:
        return Term(-self.element, self.tracer)

    def __pos__(self) -> Term:
        return self

    def __abs__(self) -> Term:
        return self if self > 0 else -self

    def __pow__(self, exponent: object, /) -> Term:
        if isinstance(exponent, bool) or not isinstance(exponent, int) or exponent < 0:
            self._unknown()
        return Term(self.element**exponent, self.tracer)

    def __gt__(self, other: object, /) -> bool:
        operand = self._of(other)
        return (
            NotImplemented
            if operand is None
            else self.tracer.decide(computed(sub, self.element, operand))
        )

    def __lt__(self, other: object, /) -> bool:
        operand = self._of(other)
        return (
            NotImplemented
            if operand is None
            else self.tracer.decide(computed(sub, operand, self.element))
        )

    def __ge__(self, other: object, /) -> bool:
        return NotImplemented if self._of(other) is None else not self < other

    def __le__(self, other: object, /) -> bool:
        return NotImplemented if self._of(other) is None else not self > other

    def __eq__(self, other: object, /) -> bool:
        return NotImplemented if self._of(other) is None else not (self > other or self < other)

    def __bool__(self) -> bool:
        return self != 0

    def sign(self) -> int:
        """Sign on the path being traced."""
        return 1 if self > 0 else -1 if self < 0 else 0

    def __str__(self) -> str:
        """Return the formula; code that reads it while it is traced learns what no number says."""
        text = self._text()
        self.tracer.refuse(ExactnessError("term", text, "became text", _COMPUTE))
        return text

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Symbols(ObjectNumbers):
    """An array of terms and rationals, on which a definition is traced.

    Of several maximisers the first alone is marked: what is traced is which one the rule "lowest
    index" picks, not how many there are.
    """

    kind: ClassVar[str] = "symbolic"

    @classmethod
    def lift(cls, value: Any) -> Fraction:
        """Return a rational as it is; terms and rationals stand side by side."""
        return Fraction(value)

    def sign(self, element: Any) -> int:
        """Sign of one element on the path being traced."""
        return 1 if element > 0 else -1 if element < 0 else 0

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        """Mark the first maximiser of each column; a comparison splits the path in two."""
        del slack
        marks = np.zeros(self.shape, dtype=bool)
        for j, column in enumerate(self.values.T):
            best = 0
            for i in range(1, len(column)):
                if column[i] > column[best]:
                    best = i
            marks[best, j] = True
        return marks
