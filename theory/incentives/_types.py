"""Spaces that types, and so reports, come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, NumberError
from theory.incentives._reading import is_number, key_of
from theory.incentives._reals import Reals
from theory.numbers import rational
from theory.shared.arguments import read_count, refusing

__all__ = [
    "Box",
    "DrawnTypes",
    "FiniteTypes",
    "Product",
    "Reals",
    "Simplex",
    "TypeSpace",
    "are_plain",
    "member",
]


@runtime_checkable
class TypeSpace(Protocol):
    """What a search needs of a type space.

    ``members`` lists a finite space and is ``None`` for others; ``grid(k)`` lists some types of
    small numbers, the corners first among them; ``draw`` picks one at random; ``round(t, k)``
    returns the type of the space nearest to t among those with denominators of at most k.
    """

    members: tuple[Any, ...] | None

    def grid(self, steps: int) -> tuple[Any, ...]: ...

    def draw(self, generator: np.random.Generator) -> Any: ...

    def round(self, value: Any, denominator: int) -> Any: ...

    def __contains__(self, value: object) -> bool: ...


@refusing
class FiniteTypes:
    """Finitely many types, simplest first where the reader is to see simple counterexamples.

    Parameters
    ----------
    values : iterable
        Integers, fractions, decimals; labels; or tuples of numbers. All different.

    Raises
    ------
    ExactnessError
        For a float, alone or in a tuple: 0.1 is not 1/10. Write ``Fraction(1, 10)``.
    InvalidInputError
        For a text or what is no iterable, where there are no types, or where one stands twice.
    """

    def __init__(self, values: Any) -> None:
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            fix = 'list the types, as FiniteTypes(["low", "high"]) or FiniteTypes(range(3))'
            raise InvalidInputError("types", values, "are not a list", fix)
        members = tuple(map(_read_exact, values))
        if not members:
            raise InvalidInputError("types", (), "are empty", "give at least one type")
        if len(set(members)) < len(members):
            again = next(m for k, m in enumerate(members) if m in members[:k])
            raise InvalidInputError("types", again, "stands twice", "list each type once")
        self.members: tuple[Any, ...] | None = members

    @property
    def types(self) -> tuple[Any, ...]:
        """The types, in the order given."""
        return self.members or ()

    def grid(self, steps: int) -> tuple[Any, ...]:
        """Return all types."""
        del steps
        return self.types

    def draw(self, generator: np.random.Generator) -> Any:
        """Return a type, each equally likely."""
        return self.types[int(generator.integers(len(self.types)))]

    def round(self, value: Any, denominator: int) -> Any:
        """Return the type itself."""
        del denominator
        return value

    def __contains__(self, value: object) -> bool:
        return value in self.types

    def __repr__(self) -> str:
        shown = [str(m) if isinstance(m, Fraction) else repr(m) for m in self.types[:8]]
        return f"{{{', '.join(shown)}{', …' if len(self.types) > 8 else ''}}}"


@refusing
class Box:
    """Real numbers, or vectors of them, between bounds that belong to the box.

    Parameters
    ----------
    low, high : number or sequence of numbers
        Exact numbers; sequences of the same length make a box of vectors.
    """

    members: tuple[Any, ...] | None = None

    def __init__(self, low: Any, high: Any) -> None:
        self.vector = isinstance(low, Sequence) and not isinstance(low, str)
        if self.vector != (isinstance(high, Sequence) and not isinstance(high, str)):
            fix = "give two numbers, or two sequences of the same length"
            raise InvalidInputError("high", high, "does not fit low", fix)
        lows = tuple(rational(v, "low") for v in (low if self.vector else [low]))
        highs = tuple(rational(v, "high") for v in (high if self.vector else [high]))
        if len(lows) != len(highs) or not lows:
            fix = "give as many upper bounds as lower ones, at least one"
            raise InvalidInputError("high", high, "does not fit low", fix)
        for a, b in zip(lows, highs, strict=True):
            if a > b:
                raise InvalidInputError("low", str(a), f"is above high, {b}", "swap them")
        self.low, self.high = lows, highs

    def grid(self, steps: int) -> tuple[Any, ...]:
        """Return the lattice with ``steps`` equal steps along each side."""
        sides = [
            [a + (b - a) * Fraction(k, steps) for k in range(steps + 1)] if a < b else [a]
            for a, b in zip(self.low, self.high, strict=True)
        ]
        return tuple(self._type(point) for point in product(*sides))

    def draw(self, generator: np.random.Generator) -> Any:
        """Return a uniform type, a float's rational in each entry."""
        return self._type(
            [
                a + (b - a) * Fraction(float(generator.random()))
                for a, b in zip(self.low, self.high, strict=True)
            ]
        )

    def round(self, value: Any, denominator: int) -> Any:
        """Return the nearest type whose entries have denominators of at most ``denominator``."""
        entries = value if self.vector else (value,)
        near = [Fraction(v).limit_denominator(denominator) for v in entries]
        pairs = zip(near, self.low, self.high, strict=True)
        return self._type([min(max(v, a), b) for v, a, b in pairs])

    def __contains__(self, value: object) -> bool:
        entries: Any = value if self.vector else (value,)
        if not isinstance(entries, tuple) or len(entries) != len(self.low):
            return False
        bounds = zip(entries, self.low, self.high, strict=True)
        return all(is_number(v) and a <= v <= b for v, a, b in bounds)

    def _type(self, entries: Sequence[Fraction]) -> Any:
        return tuple(entries) if self.vector else entries[0]

    def __repr__(self) -> str:
        return " × ".join(f"[{a}, {b}]" for a, b in zip(self.low, self.high, strict=True))


class Simplex:
    """Vectors of ``dimension`` non-negative numbers with sum 1."""

    members: tuple[Any, ...] | None = None

    def __init__(self, dimension: Any) -> None:
        self.dimension = read_count("dimension", dimension)

    def grid(self, steps: int) -> tuple[Any, ...]:
        """Return the points whose entries are multiples of 1/steps."""
        return tuple(
            tuple(Fraction(k, steps) for k in parts) for parts in _parts(steps, self.dimension)
        )

    def draw(self, generator: np.random.Generator) -> Any:
        """Return a uniform point, with sum exactly 1."""
        weights = [Fraction(float(w)) for w in generator.exponential(size=self.dimension)]
        return _normalise(weights)

    def round(self, value: Any, denominator: int) -> Any:
        """Return a near point whose entries are multiples of 1/denominator."""
        floors = [int(Fraction(v) * denominator) for v in value]
        rests = sorted(
            range(len(floors)), key=lambda k: floors[k] - Fraction(value[k]) * denominator
        )
        for k in rests[: denominator - sum(floors)]:
            floors[k] += 1
        return tuple(Fraction(f, denominator) for f in floors)

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, tuple) or len(value) != self.dimension:
            return False
        return all(is_number(v) and v >= 0 for v in value) and sum(value) == 1

    def __repr__(self) -> str:
        return f"simplex of dimension {self.dimension - 1}"


@refusing
class Product:
    """Tuples of one type from each of several spaces."""

    def __init__(self, *spaces: Any) -> None:
        if not spaces:
            raise InvalidInputError("spaces", (), "are empty", "give at least one space")
        for space in spaces:
            if not isinstance(space, TypeSpace):
                fix = "give FiniteTypes([…]), Box(low, high), …, one after the other"
                raise InvalidInputError("spaces", space, "is not a type space", fix)
        self.spaces = spaces
        sides = [space.members for space in spaces]
        finite = [side for side in sides if side is not None]
        self.members: tuple[Any, ...] | None = (
            tuple(product(*finite)) if len(finite) == len(sides) else None
        )

    def grid(self, steps: int) -> tuple[Any, ...]:
        """Return the tuples of types on the spaces' grids."""
        return tuple(product(*(space.grid(steps) for space in self.spaces)))

    def draw(self, generator: np.random.Generator) -> Any:
        """Return independent draws."""
        return tuple(space.draw(generator) for space in self.spaces)

    def round(self, value: Any, denominator: int) -> Any:
        """Return each entry rounded in its own space."""
        pairs = zip(self.spaces, value, strict=True)
        return tuple(space.round(v, denominator) for space, v in pairs)

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, tuple) or len(value) != len(self.spaces):
            return False
        return all(v in space for space, v in zip(self.spaces, value, strict=True))

    def __repr__(self) -> str:
        return " × ".join(map(repr, self.spaces))


@refusing
class DrawnTypes:
    """Types that a Hypothesis strategy draws.

    Parameters
    ----------
    strategy : hypothesis.strategies.SearchStrategy
        Draws hashable types; Hypothesis shrinks what fails.
    """

    members: tuple[Any, ...] | None = None

    def __init__(self, strategy: Any) -> None:
        if not hasattr(strategy, "example"):
            fix = "give a strategy, such as hypothesis.strategies.integers(0, 10)"
            raise InvalidInputError("strategy", strategy, "is not a Hypothesis strategy", fix)
        self.strategy = strategy

    def grid(self, steps: int) -> tuple[Any, ...]:
        """Return no types: a strategy lists none."""
        del steps
        return ()

    def draw(self, generator: np.random.Generator) -> Any:
        """Types of a strategy are drawn by Hypothesis, never one by one."""
        raise NotImplementedError

    def round(self, value: Any, denominator: int) -> Any:
        """Return the type itself: Hypothesis shrinks."""
        del denominator
        return value

    def __contains__(self, value: object) -> bool:
        return True

    def __repr__(self) -> str:
        return f"drawn from {self.strategy!r}"


def are_plain(space: TypeSpace) -> bool:
    """Whether types of a space that are equal are the same, whatever asks."""
    if isinstance(space, Product):
        return all(map(are_plain, space.spaces))
    if space.members is None:
        return isinstance(space, Box | Reals | Simplex)
    return all(key_of(type) is type for type in space.members)


def member(space: TypeSpace, value: Any) -> Any:
    """Return a type of a space as the space itself gives it: of real types, as a fraction."""
    if isinstance(space, Product):
        return tuple(map(member, space.spaces, value))
    if isinstance(space, Box | Reals | Simplex):
        return tuple(map(Fraction, value)) if isinstance(value, tuple) else Fraction(value)
    listed = space.members or ()
    return listed[listed.index(value)] if value in listed else value


def _read_exact(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_read_exact, value))
    if isinstance(value, Decimal):
        return rational(value, "types")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        fix = f'write Fraction("{value}")'
        raise ExactnessError("types", value, "is a float where an exact number is needed", fix)
    try:
        hash(value)
    except TypeError as error:
        fix = "give numbers, labels or tuples"
        raise NumberError("types", value, "cannot be told apart (not hashable)", fix) from error
    return value


def _parts(total: int, count: int) -> Iterator[tuple[int, ...]]:
    if count == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _parts(total - first, count - 1):
            yield (first, *rest)


def _normalise(weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    total = sum(weights, start=Fraction(0))
    return tuple(w / total for w in weights)
