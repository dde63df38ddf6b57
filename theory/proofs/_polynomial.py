"""Polynomials and conditions as plain data, which pickle and need no SymPy to be evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sympy.polys.rings import PolyElement

from theory.errors import InvalidInputError, NumberError, ShapeError
from theory.numbers.reading import require_exact
from theory.shared.arguments import refusing
from theory.shared.printable import print_safely

__all__ = ["Condition", "Polynomial"]

Exponents = tuple[int, ...]
_TEXT: Final = frozenset({str})


@refusing
@dataclass(frozen=True)
class Polynomial:
    """A polynomial with rational coefficients in named real symbols.

    Attributes
    ----------
    names : tuple of str
        The symbols.
    terms : tuple of (exponents, coefficient)
        One exponent a symbol; no two terms share their exponents, and no coefficient is zero.
        They stand in falling lexicographic order, so that equal polynomials compare equal.

    Raises
    ------
    NumberError
        For an exponent that is not a whole number of at least 0, or a coefficient that is not a
        fraction or an integer: a square root that stood twice in a product would pass for a square.
    ShapeError
        For more or fewer exponents than symbols.
    InvalidInputError
        For names or terms in anything but a tuple, and for a name that is no plain text.

    Examples
    --------
    >>> p = Polynomial.of(("u", "v"), {(2, 0): Fraction(1), (0, 1): Fraction(-3, 2)})
    >>> print(p)
    u**2 - 3/2*v
    >>> p.value({"u": Fraction(2), "v": Fraction(2)})
    Fraction(1, 1)
    """

    names: tuple[str, ...]
    terms: tuple[tuple[Exponents, Fraction], ...]

    def __post_init__(self) -> None:
        if type(self.names) is not tuple or not {*map(type, self.names)} <= _TEXT:
            fix = "give a tuple of texts"  # of a class of its own, one may pass for another
            raise InvalidInputError("names", self.names, "are no names of symbols", fix)
        if type(self.terms) is not tuple:
            fix = "give a tuple of pairs of exponents and a coefficient"
            raise InvalidInputError("terms", self.terms, "are no terms", fix)
        for exponents, coefficient in self.terms:
            require_exact(coefficient, "coefficient")
            if type(exponents) is not tuple or len(exponents) != len(self.names):
                problem = f"are not one for each of {len(self.names)} symbols"
                raise ShapeError("exponents", exponents, problem, "give 0 for a symbol left out")
            for exponent in exponents:
                if type(exponent) is not int or exponent < 0:
                    problem = "is not a whole number of at least 0"
                    raise NumberError("exponent", exponent, problem, "give an integer from 0")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.terms))

    def __reduce__(self) -> tuple[Any, ...]:
        return Polynomial, (self.names, self.terms)  # hashes of text differ between processes

    @classmethod
    def of(cls, names: tuple[str, ...], coefficients: Mapping[Exponents, Fraction]) -> Polynomial:
        """Return the polynomial with these coefficients; those that are zero are left out."""
        terms = sorted(((e, c) for e, c in coefficients.items() if c), reverse=True)
        return cls(names, tuple(terms))

    @classmethod
    def read(cls, element: PolyElement) -> Polynomial:
        """Return a SymPy ring's polynomial as plain data."""
        return _read(element)

    @cached_property
    def degree(self) -> int:
        """Largest sum of exponents; 0 for the polynomial 0."""
        return max((sum(exponents) for exponents, _ in self.terms), default=0)

    @cached_property
    def used(self) -> tuple[str, ...]:
        """Names of the symbols that stand in some term."""
        return tuple(n for j, n in enumerate(self.names) if any(e[j] for e, _ in self.terms))

    def value(self, at: Mapping[str, Fraction]) -> Fraction:
        """Return the value at a point, exactly; symbols without a term need none."""
        total, unit = 0, 1
        for factors, coefficient in self._products:
            product, divisor = coefficient.numerator, coefficient.denominator
            for name in factors:
                product *= at[name].numerator
                divisor *= at[name].denominator
            if divisor == unit:
                total += product
            else:
                common = lcm(unit, divisor)
                total = total * (common // unit) + product * (common // divisor)
                unit = common
        return Fraction(total, unit)

    @cached_property
    def _products(self) -> tuple[tuple[tuple[str, ...], Fraction], ...]:
        """The names that each term multiplies, and its coefficient."""
        return tuple(
            (tuple(n for n, e in zip(self.names, exponents, strict=True) for _ in range(e)), c)
            for exponents, c in self.terms
        )

    def __neg__(self) -> Polynomial:
        return Polynomial(self.names, tuple((e, -c) for e, c in self.terms))

    def __add__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for exponents, coefficient in other.terms:
            total[exponents] = total.get(exponents, Fraction(0)) + coefficient
        return Polynomial.of(self.names, total)

    def __mul__(self, other: Polynomial) -> Polynomial:
        total: dict[Exponents, Fraction] = {}
        for a, x in self.terms:
            for b, y in other.terms:
                exponents = tuple(i + j for i, j in zip(a, b, strict=True))
                total[exponents] = total.get(exponents, Fraction(0)) + x * y
        return Polynomial.of(self.names, total)

    def as_expr(self) -> Any:
        """Return the polynomial as an expression of SymPy."""
        from sympy import Add, Mul, Rational, Symbol

        return Add(
            *(
                Mul(
                    Rational(c.numerator, c.denominator),
                    *(Symbol(n) ** e for n, e in zip(self.names, exponents, strict=True) if e),
                )
                for exponents, c in self.terms
            )
        )

    @print_safely
    def __str__(self) -> str:
        text = " + ".join(_monomial(self.names, e, c) for e, c in self.terms) or "0"
        return text.replace("+ -", "- ")


@lru_cache(maxsize=1 << 12)
def _read(element: PolyElement) -> Polynomial:
    names = tuple(str(symbol) for symbol in element.ring.symbols)
    return Polynomial.of(names, {e: _rational(c) for e, c in element.terms()})


def _monomial(names: tuple[str, ...], exponents: Exponents, coefficient: Fraction) -> str:
    powers = [n if e == 1 else f"{n}**{e}" for n, e in zip(names, exponents, strict=True) if e]
    if powers and coefficient == 1:
        return "*".join(powers)
    if powers and coefficient == -1:
        return "-" + "*".join(powers)
    return "*".join([str(coefficient), *powers])


def _rational(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))


@dataclass(frozen=True)
class Condition:
    """A polynomial is above zero, or at least zero where the condition is not strict.

    Examples
    --------
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> print(Condition(u, strict=True), "|", Condition(-u, strict=False))
    u > 0 | -u >= 0
    """

    polynomial: Polynomial
    strict: bool

    def holds(self, at: Mapping[str, Fraction]) -> bool:
        """Whether the condition holds at a point."""
        value = self.polynomial.value(at)
        return value > 0 if self.strict else value >= 0

    @property
    def negated(self) -> Condition:
        """What holds exactly where this does not."""
        return Condition(-self.polynomial, not self.strict)

    @print_safely
    def __str__(self) -> str:
        return f"{self.polynomial} {'>' if self.strict else '>='} 0"
