"""Certificates: sums of products of what is assumed, which SymPy expands from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from theory.errors import InvalidInputError, NumberError, ShapeError
from theory.numbers.reading import require_exact
from theory.proofs._obligation import Obligation
from theory.proofs._polynomial import Condition, Polynomial
from theory.shared.arguments import refusing

__all__ = ["Certificate"]


@refusing
@dataclass(frozen=True)
class Certificate:
    """An identity that shows an obligation: a sum of coefficients times products.

    The sum is the goal; or it is zero although one of its products is above zero, and then what is
    assumed contradicts itself (T. S. Motzkin, "Beiträge zur Theorie der linearen Ungleichungen",
    1936, for linear conditions).

    Attributes
    ----------
    obligation : Obligation
        What is shown.
    parts : tuple of (coefficient, factors)
        A coefficient of at least zero, and the factors of a product, of which there may be none.
        A factor is assumed, or stands in the product an even number of times, or is a sum of
        products of assumed symbols and squares with positive coefficients.

    Raises
    ------
    NumberError
        For a coefficient that is not a fraction or an integer.
    InvalidInputError
        For a part that is no pair, or a factor that is no :class:`Polynomial`.

    Examples
    --------
    >>> from theory.proofs import Condition
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> above = Obligation((Condition(u, strict=True),), u * u + u)
    >>> Certificate(above, ((Fraction(1), (u, u)), (Fraction(1), (u,)))).holds()
    True
    >>> never = Obligation((Condition(u, strict=True), Condition(-u, strict=False)), None)
    >>> Certificate(never, ((Fraction(1), (u,)), (Fraction(1), (-u,)))).holds()
    True
    """

    obligation: Obligation
    parts: tuple[tuple[Fraction, tuple[Polynomial, ...]], ...]

    def __post_init__(self) -> None:
        _require("parts", self.parts, tuple, "are no tuple", _FIX)
        parts: tuple[Any, ...] = self.parts
        for part in parts:
            if type(part) is not tuple or len(part) != 2 or type(part[1]) is not tuple:
                raise InvalidInputError("parts", part, "is no coefficient with factors", _FIX)
            require_exact(part[0], "coefficient")
            for factor in part[1]:  # one derived from a polynomial may expand as it likes
                _require("factor", factor, Polynomial, "is no polynomial", _FIX)

    def holds(self) -> bool:
        """Whether no part is negative, and the sum that SymPy expands is as it must be.

        SymPy expands from expressions; nothing is shared with the search for coefficients. What is
        judged is a copy of plain data: no part of it can be another each time it is looked at.
        """
        from sympy import Rational, expand, prod

        try:
            read = _copy(self)
        except (InvalidInputError, NumberError, ShapeError):
            return False
        goal, parts = read.obligation.goal, read.parts
        if any(c < 0 or not read._is_assumed(factors) for c, factors in parts):
            return False
        total = sum(
            Rational(c.numerator, c.denominator) * prod(factor.as_expr() for factor in factors)
            for c, factors in parts
        )
        if goal is not None and expand(goal.as_expr() - total) == 0:
            return True
        strict = {c.polynomial for c in read.obligation.assumed if c.strict}
        above = any(c > 0 and strict.issuperset(factors) for c, factors in parts)
        return above and bool(expand(total) == 0)

    def _is_assumed(self, factors: Sequence[Polynomial]) -> bool:
        """Whether a product of these is at least zero by what is assumed."""
        assumed = {condition.polynomial for condition in self.obligation.assumed}
        return all(
            n % 2 == 0 or f in assumed or _visible(f, assumed) for f, n in Counter(factors).items()
        )

    @property
    def shown(self) -> Polynomial:
        """The goal; 0 where it is the conditions that contradict each other."""
        return self.obligation.goal or Polynomial(self.obligation.names, ())

    def __str__(self) -> str:
        return " + ".join(_product(c, factors) for c, factors in self.parts) or "0"


_FIX: Final = "give pairs of a coefficient and a tuple of polynomials"


def _require(argument: str, given: object, kind: type, problem: str, fix: str) -> None:
    """Refuse what is not just of a kind: of one derived from it nobody knows what it does."""
    if type(given) is not kind:
        raise InvalidInputError(argument, given, problem, fix)


def _copy(certificate: Certificate) -> Certificate:
    """Return the same of new objects, each of them read once and of no class of anybody's own.

    Raises
    ------
    InvalidInputError, NumberError, ShapeError
        Where a part of it is of another kind.
    """
    given, fix = certificate.obligation, "build it as a proof does"
    _require("obligation", given, Obligation, "is none", fix)
    _require("assumed", given.assumed, tuple, "are no tuple", fix)
    for condition in given.assumed:
        _require("condition", condition, Condition, "is none", fix)
        _require("strict", condition.strict, bool, "is no truth value", fix)
    assumed = tuple(Condition(_copied(c.polynomial), c.strict) for c in given.assumed)
    goal = None if given.goal is None else _copied(given.goal)
    _require("parts", certificate.parts, tuple, "are no tuple", _FIX)
    parts = tuple((c, tuple(map(_copied, factors))) for c, factors in certificate.parts)
    return Certificate(Obligation(assumed, goal), parts)


def _copied(polynomial: Polynomial) -> Polynomial:
    _require("polynomial", polynomial, Polynomial, "is none", "give a Polynomial")
    return Polynomial(polynomial.names, polynomial.terms)


def _visible(polynomial: Polynomial, assumed: set[Polynomial]) -> bool:
    """Whether no coefficient is negative, and symbols with odd exponents are assumed."""
    odd = {j for exponents, _ in polynomial.terms for j, n in enumerate(exponents) if n % 2}
    symbols = (_symbol(polynomial.names, j) for j in odd)
    return all(c >= 0 for _, c in polynomial.terms) and assumed.issuperset(symbols)


def _symbol(names: tuple[str, ...], j: int) -> Polynomial:
    return Polynomial(names, ((tuple(int(i == j) for i in range(len(names))), Fraction(1)),))


def _product(coefficient: Fraction, factors: Sequence[Polynomial]) -> str:
    shown = [] if coefficient == 1 and factors else [str(coefficient)]
    return "·".join([*shown, *(f"({factor})" for factor in factors)])
