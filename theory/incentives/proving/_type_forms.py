"""Types as forms over named numbers: of terms a form makes a symbolic type, of values a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Protocol, runtime_checkable

from theory.incentives._types import (
    Box,
    DrawnTypes,
    FiniteTypes,
    Product,
    Reals,
    Simplex,
)
from theory.incentives.proving._code_owner import is_of_a_library
from theory.incentives.proving._trace_failure import Untraced
from theory.proofs import Tracer

__all__ = ["ConstantForm", "Form", "list_forms"]

Lookup = Callable[[str], Any]


@runtime_checkable
class Form(Protocol):
    """A type, or several at once: what it is made of, and what its numbers must be at least.

    ``names`` are those of the numbers it is made of. ``build(lookup)`` makes the type of what
    ``lookup`` returns for each name, terms or fractions; ``bounds(lookup)`` yields what is at least
    0 for the type to be in its space.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    def build(self, lookup: Lookup) -> Any: ...

    def bounds(self, lookup: Lookup) -> Iterator[Any]: ...


@dataclass(frozen=True)
class ConstantForm:
    """A single type."""

    type: Any

    @property
    def names(self) -> tuple[str, ...]:
        """None."""
        return ()

    def build(self, lookup: Lookup) -> Any:
        """Return the type."""
        del lookup
        return self.type

    def bounds(self, lookup: Lookup) -> Iterator[Any]:
        """Yield nothing."""
        del lookup
        yield from ()


@dataclass(frozen=True)
class FixedForm(ConstantForm):
    """A number of which nothing is left open: a term among terms, so that it shows no kind."""

    def build(self, lookup: Lookup) -> Any:
        """Return the number."""
        tracer = getattr(lookup, "__self__", None)
        return tracer.number(self.type) if isinstance(tracer, Tracer) else self.type


@dataclass(frozen=True)
class NumberForm:
    """A number between bounds, where there are any."""

    name: str
    low: Fraction | None
    high: Fraction | None

    @property
    def names(self) -> tuple[str, ...]:
        """The name."""
        return (self.name,)

    def build(self, lookup: Lookup) -> Any:
        """Return the number."""
        return lookup(self.name)

    def bounds(self, lookup: Lookup) -> Iterator[Any]:
        """Yield the distances from the bounds."""
        if self.low is not None:
            yield lookup(self.name) - self.low
        if self.high is not None:
            yield self.high - lookup(self.name)


@dataclass(frozen=True)
class LawForm:
    """Numbers of at least 0 with sum 1: the last is what the named ones leave of 1."""

    named: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All but the last."""
        return self.named

    def build(self, lookup: Lookup) -> Any:
        """Return the law."""
        entries = [lookup(name) for name in self.named]
        rest: Any = Fraction(1)
        for entry in entries:
            rest = rest - entry
        return (*entries, rest)

    def bounds(self, lookup: Lookup) -> Iterator[Any]:
        """Yield the probabilities."""
        yield from self.build(lookup)


@dataclass(frozen=True)
class TupleForm:
    """A tuple of types."""

    parts: tuple[Form, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the parts."""
        return tuple(name for part in self.parts for name in part.names)

    def build(self, lookup: Lookup) -> Any:
        """Return the tuple."""
        return tuple(part.build(lookup) for part in self.parts)

    def bounds(self, lookup: Lookup) -> Iterator[Any]:
        """Yield the bounds of the parts."""
        for part in self.parts:
            yield from part.bounds(lookup)


def list_forms(space: Any, name: str) -> Iterator[Form]:
    """Yield forms that make up a space together: one, or one for each choice of listed types.

    Raises
    ------
    Untraced
        For types that a strategy draws, and for a space of another kind that has no list.
    """
    kind = type(space)  # what is derived from one may have other members
    if kind is Reals:
        yield _number(name, space.low, space.high)
    elif kind is Box and not space.vector:
        yield _number(name, space.low[0], space.high[0])
    elif kind is Box:
        sides = zip(space.low, space.high, strict=True)
        yield TupleForm(tuple(_number(f"{name}_{k}", a, b) for k, (a, b) in enumerate(sides)))
    elif kind is Simplex:
        named = tuple(f"{name}_{k}" for k in range(space.dimension - 1))
        yield LawForm(named) if named else TupleForm((FixedForm(Fraction(1)),))
    elif kind is Product:
        parts = [list(list_forms(part, f"{name}_{k}")) for k, part in enumerate(space.spaces)]
        for chosen in product(*parts):
            yield TupleForm(tuple(chosen))
    elif kind is FiniteTypes:
        yield from map(ConstantForm, space.types)
    elif is_of_a_library(kind) and space.members is not None:
        yield from map(ConstantForm, space.members)
    elif kind is DrawnTypes:
        raise Untraced("types that a strategy draws (DrawnTypes) are not known to the last one")
    else:
        raise Untraced(f"types {space!r} are of a kind that proofs do not know")


def _number(name: str, low: Fraction | None, high: Fraction | None) -> Form:
    if low is not None and low == high:
        return FixedForm(low)
    return NumberForm(name, low, high)
