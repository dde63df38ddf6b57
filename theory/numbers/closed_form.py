r"""Real numbers r + sum c_k log(a_k) + sum d_k sqrt(b_k), with rational r, c, a, d, b.

Values of information under the logarithmic and the spherical score are of this form. Equality is
decidable, so a tie is a tie and not a doubt:

* logarithms of pairwise coprime integers above 1 are linearly independent over the rationals
  (unique factorisation), and a non-zero combination of them is transcendental (Baker);
* square roots of integers no two of which have a square as their product are linearly independent
  over the rationals (Besicovitch).

The sign of a number that is not zero is found with certified balls of rising precision, whose
search ends because the number is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt, lcm, prod
from typing import TYPE_CHECKING, Any, ClassVar, Final

from theory.errors import NumberError, UndecidedError
from theory.numbers.balls import ball, enclosing_interval, refine
from theory.numbers.base import as_objects, read_each
from theory.numbers.interval import Interval
from theory.numbers.objects import ObjectNumbers
from theory.numbers.reading import rational
from theory.shared.arguments import refusing

if TYPE_CHECKING:
    from flint import arb

__all__ = ["ClosedForm", "ClosedForms", "log", "sqrt"]

_SMALL_PRIMES: Final = (2, 3, 5, 7, 11, 13)
"""Taken out of logarithms and roots so that they read well; nothing depends on it."""

_NO_LIMIT: Final = 1 << 40
_SHORT: Final = 1 << 17
"""Bits up to which integers are multiplied out to see whether logarithms cancel."""
_FLOAT_BITS: Final = 60
"""Bits that are known before a number is rounded to float64, which has 53."""


class ClosedForm:
    """One number of the form above; immutable.

    It adds to and subtracts from rationals and its like, is multiplied and divided by rationals,
    and compares with both exactly. Use :func:`log` and :func:`sqrt` to make one.

    Examples
    --------
    >>> log(4) - 2 * log(2) == 0
    True
    >>> str(Fraction(2, 5) * log(4) - Fraction(3, 5) * log("3/2"))
    '7/5·log(2) - 3/5·log(3)'
    """

    __slots__ = ("logs", "rational_part", "roots")
    __hash__ = None  # type: ignore[assignment]  # equality is not structural

    def __init__(
        self,
        rational_part: Fraction,
        logs: Mapping[Fraction, Fraction] | None = None,
        roots: Mapping[int, Fraction] | None = None,
    ) -> None:
        self.rational_part = rational_part
        self.logs = _without_zeros(logs)
        self.roots = _without_zeros(roots)

    def __add__(self, other: object, /) -> ClosedForm:
        if isinstance(other, int | Fraction):
            return ClosedForm(self.rational_part + other, self.logs, self.roots)
        if not isinstance(other, ClosedForm):
            return NotImplemented
        return ClosedForm(
            self.rational_part + other.rational_part,
            _add_coefficients(self.logs, other.logs),
            _add_coefficients(self.roots, other.roots),
        )

    __radd__ = __add__

    def __mul__(self, other: object, /) -> ClosedForm:
        if isinstance(other, ClosedForm):
            if (right := other.as_rational()) is not None:
                return self * right
            if (left := self.as_rational()) is not None:
                return other * left
            raise NumberError(
                "product", (self, other), "has no rational factor", "use certified balls"
            )
        if not isinstance(other, int | Fraction):
            return NotImplemented
        factor = Fraction(other)
        return ClosedForm(
            self.rational_part * factor,
            {a: c * factor for a, c in self.logs.items()},
            {b: d * factor for b, d in self.roots.items()},
        )

    __rmul__ = __mul__

    def __truediv__(self, other: object, /) -> ClosedForm:
        if isinstance(other, ClosedForm):
            if (divisor := other.as_rational()) is None:
                raise NumberError("divisor", other, "is not rational", "use certified balls")
            return self * (1 / divisor)
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return self * (1 / Fraction(other))

    def __neg__(self) -> ClosedForm:
        return ClosedForm(
            -self.rational_part,
            {a: -c for a, c in self.logs.items()},
            {b: -d for b, d in self.roots.items()},
        )

    def __sub__(self, other: object, /) -> ClosedForm:
        if isinstance(other, int | Fraction | ClosedForm):
            return self + (-other)
        return NotImplemented

    def __rsub__(self, other: object, /) -> ClosedForm:
        return -self + other

    def is_zero(self) -> bool:
        """Whether the number is zero; exact."""
        root_free, roots = _without_squares(self.roots)
        return self.rational_part + root_free == 0 and not roots and _cancel(self.logs)

    def as_rational(self) -> Fraction | None:
        """Return the number as a fraction if it is rational, else None; exact."""
        root_free, roots = _without_squares(self.roots)
        if roots or not _cancel(self.logs):
            return None
        return self.rational_part + root_free

    def sign(self) -> int:
        """Sign of the number: -1, 0 or 1; exact."""
        if self.is_zero():
            return 0

        def at_this_precision() -> int:
            value = self.to_ball()
            if value > 0:
                return 1
            if value < 0:
                return -1
            raise UndecidedError("the sign of a closed form is not decided")

        return refine(at_this_precision, limit=_NO_LIMIT)

    def to_ball(self) -> arb:
        """Return a ball around the number at the working precision."""
        total = ball(self.rational_part)
        for a, c in self.logs.items():
            total += ball(c) * ball(a).log()
        for b, d in self.roots.items():
            total += ball(d) * ball(Fraction(b)).sqrt()
        return total

    def enclosure(self, bits: int = 128) -> Interval:
        """Return a rational interval that contains the number, certified."""
        from flint import ctx

        with ctx.workprec(bits):
            return enclosing_interval(self.to_ball())

    def __float__(self) -> float:
        if (whole := self.as_rational()) is not None:
            return float(whole)

        def at_this_precision() -> float:
            value = self.to_ball()
            if value.rel_accuracy_bits() < _FLOAT_BITS:
                raise UndecidedError("too few bits of a closed form are known")
            return float(value)

        return refine(at_this_precision, limit=_NO_LIMIT)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | Fraction | ClosedForm):
            return (self - other).is_zero()
        return NotImplemented

    def __lt__(self, other: int | Fraction | ClosedForm) -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: int | Fraction | ClosedForm) -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: int | Fraction | ClosedForm) -> bool:
        return (self - other).sign() > 0

    def __ge__(self, other: int | Fraction | ClosedForm) -> bool:
        return (self - other).sign() >= 0

    def __str__(self) -> str:
        whole = self.as_rational()
        if whole is not None:
            return str(whole)
        independent = _log_exponents(self.logs)
        shorter = independent if len(independent) <= len(self.logs) else self.logs
        terms = [(c, f"log({a})") for a, c in shorter.items()]
        terms += [(d, f"sqrt({b})") for b, d in self.roots.items()]
        text = str(self.rational_part) if self.rational_part else ""
        for coefficient, name in terms:
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)}·"
            sign = "-" if coefficient < 0 else "+"
            lead = ("-" if sign == "-" else "") if not text else f" {sign} "
            text += f"{lead}{size}{name}"
        return text

    def __repr__(self) -> str:
        return f"ClosedForm({self})"


class ClosedForms(ObjectNumbers):
    """An array of closed forms; rationals mix in without loss."""

    kind: ClassVar[str] = "closed form"

    @classmethod
    def of(cls, values: object, argument: str = "values") -> ClosedForms:
        """Take nested sequences of closed forms and rationals; floats are refused."""
        nested = as_objects(values, argument)
        return cls.pack(read_each(nested, argument, _element), nested.shape)

    @classmethod
    def lift(cls, value: Any) -> ClosedForm:
        return ClosedForm(Fraction(value))

    def sign(self, element: Any) -> int:
        found: int = element.sign()
        return found


def _element(value: Any, argument: str) -> ClosedForm:
    return value if isinstance(value, ClosedForm) else ClosedForm(rational(value, argument))


@refusing
def log(value: object) -> ClosedForm:
    """Natural logarithm of a positive rational."""
    argument = rational(value, "log")
    if argument <= 0:
        raise NumberError("log", argument, "is not positive", "give a positive rational")
    if argument == 1:
        return ClosedForm(Fraction(0))
    if argument < 1:
        return ClosedForm(Fraction(0), {1 / argument: Fraction(-1)})
    return ClosedForm(Fraction(0), {argument: Fraction(1)})


@refusing
def sqrt(value: object) -> ClosedForm:
    """Square root of a rational that is not negative."""
    argument = rational(value, "sqrt")
    if argument < 0:
        raise NumberError("sqrt", argument, "is negative", "give a rational of at least 0")
    radicand = argument.numerator * argument.denominator
    root = isqrt(radicand)
    if root * root == radicand:
        return ClosedForm(Fraction(root, argument.denominator))
    outside = 1
    for k in _SMALL_PRIMES:
        while radicand % (k * k) == 0:
            radicand, outside = radicand // (k * k), outside * k
    return ClosedForm(Fraction(0), roots={radicand: Fraction(outside, argument.denominator)})


def _add_coefficients(a: Mapping[Any, Fraction], b: Mapping[Any, Fraction]) -> dict[Any, Fraction]:
    merged = dict(a)
    for key, coefficient in b.items():
        merged[key] = merged[key] + coefficient if key in merged else coefficient
    return merged


def _without_zeros(terms: Mapping[Any, Fraction] | None) -> dict[Any, Fraction]:
    if not terms:
        return {}
    return dict(terms) if all(terms.values()) else {key: c for key, c in terms.items() if c}


def _without_squares(roots: Mapping[int, Fraction]) -> tuple[Fraction, dict[int, Fraction]]:
    """Split a sum of roots into its rational part and independent roots, zero ones left out."""
    whole, classes = Fraction(0), dict[int, Fraction]()
    for b, d in roots.items():
        for leader in [1, *classes]:
            root = isqrt(b * leader)
            if root * root == b * leader:
                if leader == 1:
                    whole += d * root
                else:
                    classes[leader] += d * Fraction(root, leader)
                break
        else:
            classes[b] = d
    return whole, {b: d for b, d in classes.items() if d}


def _cancel(logs: Mapping[Fraction, Fraction]) -> bool:
    """Whether a sum of c_k log(a_k) is 0: whether the product of a_k^c_k is 1."""
    return not logs or _product_is_one(frozenset(logs.items()))


@lru_cache(maxsize=1024)
def _product_is_one(terms: frozenset[tuple[Fraction, Fraction]]) -> bool:
    logs = dict(terms)
    scale = lcm(*(c.denominator for c in logs.values()))
    powers = [(a, c.numerator * (scale // c.denominator)) for a, c in logs.items()]
    lengths = ((a.numerator.bit_length() + a.denominator.bit_length()) * abs(c) for a, c in powers)
    if sum(lengths) > _SHORT:
        return not _log_exponents(logs)
    above = [(a.numerator if c > 0 else a.denominator) ** abs(c) for a, c in powers]
    below = [(a.denominator if c > 0 else a.numerator) ** abs(c) for a, c in powers]
    return _product(above) == _product(below)


def _product(factors: list[int]) -> int:
    """Multiply integers, those of like length with each other."""
    while len(factors) > 1:
        factors = [prod(factors[k : k + 2]) for k in range(0, len(factors), 2)]
    return prod(factors)


def _log_exponents(logs: Mapping[Fraction, Fraction]) -> dict[int, Fraction]:
    """Write the sum over a coprime base: base -> coefficient of its logarithm, if not zero."""
    base = _coprime_base([n for a in logs for n in (a.numerator, a.denominator) if n > 1])
    exponents = dict.fromkeys(base, Fraction(0))
    for a, c in logs.items():
        for n, sign in ((a.numerator, 1), (a.denominator, -1)):
            rest = n
            for b in base if n > 1 else ():
                power = 0
                while rest % b == 0:
                    rest, power = rest // b, power + sign
                if power:
                    exponents[b] += power * c
    return {b: e for b, e in exponents.items() if e}


def _coprime_base(numbers: list[int]) -> list[int]:
    """Return pairwise coprime integers above 1 of which every given number is a product."""
    base: list[int] = []
    pending = [*numbers, *(q for q in _SMALL_PRIMES if any(n % q == 0 for n in numbers))]
    while pending:
        n = pending.pop()
        for k, b in enumerate(base):
            shared = gcd(n, b)
            if shared > 1:
                del base[k]
                pending += [part for part in (shared, n // shared, b // shared) if part > 1]
                break
        else:
            if n > 1:
                base.append(n)
    return sorted(base)
