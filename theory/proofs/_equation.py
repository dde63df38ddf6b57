"""Equations of rational functions, which any solver decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from theory.numbers.reading import rational
from theory.proofs._path import Path
from theory.proofs._polynomial import Polynomial
from theory.proofs._term import Term
from theory.shared.arguments import refusing

__all__ = ["Equation", "Summand", "summands"]

Summand = tuple[tuple[Polynomial, int], ...]


@dataclass(frozen=True)
class Equation:
    """A sum of products of powers of polynomials is zero wherever its denominators are not.

    Attributes
    ----------
    summands : tuple of tuple of (polynomial, exponent)
        One product a summand; exponents may be negative. They are kept as they came, so that
        whoever checks the equation multiplies out anew.

    Examples
    --------
    >>> from theory.proofs import Tracer
    >>> trace = Tracer(positive=("x", "y"))
    >>> x, y = trace["x"], trace["y"]
    >>> Equation.between(1 / x - 1 / y, (y - x) / (x * y)).holds()
    True
    >>> Equation.between(1 / x + 1 / y, 2 / (x + y)).holds()
    False
    """

    summands: tuple[Summand, ...]

    @classmethod
    def between(cls, first: object, second: object) -> Equation:
        """Return the equation ``first`` - ``second`` = 0 of terms, paths' results or rationals."""
        return cls((*summands(first), *summands(second, -1)))

    @property
    def polynomials(self) -> tuple[Polynomial, ...]:
        """All polynomials that stand in the equation."""
        return tuple(p for summand in self.summands for p, _ in summand)

    @property
    def below(self) -> Counter[Polynomial]:
        """The least product of powers that leaves no negative exponent."""
        below: Counter[Polynomial] = Counter()
        for summand in self.summands:
            below |= Counter({p: -e for p, e in _powers(summand).items() if e < 0})
        return below

    @property
    def cleared(self) -> tuple[tuple[Polynomial, ...], ...]:
        """The summands times :attr:`below`, each as its factors."""
        found = []
        for summand in self.summands:
            powers = _powers(summand)
            powers.update(self.below)
            found.append(tuple(p for p, e in powers.items() for _ in range(e)))
        return tuple(found)

    def holds(self) -> bool:
        """Whether SymPy expands the sum, its denominators cleared, to zero."""
        from sympy import Add, Mul, expand

        total = Add(*(Mul(*(p.as_expr() for p in product)) for product in self.cleared))
        return bool(expand(total) == 0)

    def fails(self, at: Mapping[str, Fraction]) -> bool:
        """Whether a point refutes the equation, in exact arithmetic."""
        products = (prod((p.value(at) for p in one), start=Fraction(1)) for one in self.cleared)
        return all(p.value(at) for p in self.below) and sum(products, Fraction(0)) != 0

    def __str__(self) -> str:
        sums = (
            "*".join(f"({p})" if e == 1 else f"({p})**{e}" for p, e in summand) or "1"
            for summand in self.summands
        )
        return f"{' + '.join(sums) or '0'} = 0"

    def smtlib(self, written: Callable[[Polynomial], str]) -> str:
        """Return that the equation fails, as a formula of SMT-LIB."""
        products = " ".join(f"(* 1 1 {' '.join(map(written, one))})" for one in self.cleared)
        nonzero = "".join(f"(distinct {written(p)} 0) " for p in self.below)
        return f"(and {nonzero}(distinct (+ 0 0 {products}) 0))"


@refusing
def summands(value: object, times: int = 1) -> tuple[Summand, ...]:
    """Return ``times`` a term, a path's result or a rational as a sum of at most one product."""
    if isinstance(value, Term):
        top, bottom = (Polynomial.read(p) for p in (value.element.numer, value.element.denom))
    elif isinstance(value, Path):
        top, bottom = value.numerator, value.denominator
    else:
        top, bottom = _constant(rational(value)), _constant(Fraction(1))
    if not top.terms:
        return ()
    return (tuple(p for p in ((top, 1), (bottom, -1), (_constant(times), 1)) if not _one(p[0])),)


def _constant(value: Fraction | int) -> Polynomial:
    return Polynomial.of((), {(): Fraction(value)})


def _one(polynomial: Polynomial) -> bool:
    return polynomial.degree == 0 and [c for _, c in polynomial.terms] == [1]


def _powers(summand: Summand) -> Counter[Polynomial]:
    powers: Counter[Polynomial] = Counter()
    for polynomial, exponent in summand:
        powers[polynomial] += exponent
    return powers
