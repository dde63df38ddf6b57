"""Sums of logarithms of traced terms, which are zero when their coefficients are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInputError
from theory.proofs import Equation, Identity, Polynomial, Proof, Summand, Term, Tracer, summands

__all__ = ["LogSum", "by_sizes", "gibbs_inequality", "same_sums", "same_terms"]


class LogSum:
    """c_1 log(a_1) + … + c_n log(a_n) with traced terms, or rationals, as c and a > 0.

    Examples
    --------
    >>> trace = Tracer(positive=("x", "y"))
    >>> x, y = trace["x"], trace["y"]
    >>> log = LogSum.log
    >>> (log(x * x - x * x * y / (1 + y)) - 2 * log(x) + log(1 + y)).vanishes()
    True
    >>> (log(x * y) - x * log(x)).vanishes()
    False
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[tuple[Any, Any]]) -> None:
        self.parts = tuple(parts)

    @classmethod
    def log(cls, of: Any) -> LogSum:
        """Return the logarithm of a positive term or rational."""
        return cls([(Fraction(1), of)])

    def __add__(self, other: object, /) -> LogSum:
        if isinstance(other, LogSum):
            return LogSum([*self.parts, *other.parts])
        return self if other == 0 else NotImplemented

    __radd__ = __add__

    def __mul__(self, factor: object, /) -> LogSum:
        if not isinstance(factor, int | Fraction | Term):
            return NotImplemented
        return LogSum([(c * factor, a) for c, a in self.parts])

    __rmul__ = __mul__

    def __neg__(self) -> LogSum:
        return self * -1

    def __sub__(self, other: LogSum, /) -> LogSum:
        return self + -other

    def exp(self, tau: Any = 1) -> Any:
        """Return exp(self/``tau``), where the coefficients are ±``tau``."""
        value: Any = Fraction(1)
        for coefficient, of in self.parts:
            if _is_zero(coefficient - tau):
                value = value * of
            elif _is_zero(coefficient + tau):
                value = value / of
            else:
                raise InvalidInputError(
                    "coefficient", coefficient, f"is not ±{tau}", "take a logarithm"
                )
        return value

    def equations(self) -> tuple[Equation, ...]:
        """Return equations of rational functions that together make the sum zero.

        SymPy factors what logarithms are taken of, and whoever decides the equations multiplies out
        anew; then the coefficient of each prime and of each irreducible polynomial is zero. That is
        enough for the sum to be zero wherever the terms are defined.
        """
        totals: dict[Polynomial, list[Summand]] = {}
        found = []
        for coefficient, of in self.parts:
            factors = _factors(of)
            if [times for _, times in factors] != [1]:
                found.append(Equation((*summands(of, -1), tuple(factors))))
            for factor, times in factors:
                totals.setdefault(factor, []).extend(summands(coefficient, times))
        return (*found, *(Equation(tuple(total)) for total in totals.values()))

    def vanishes(self) -> bool:
        """Whether SymPy confirms the equations."""
        return all(equation.holds() for equation in self.equations())


def _is_zero(value: Any) -> bool:
    """Whether a term is the zero function, or a rational is 0; no path is split."""
    return not (value.element if isinstance(value, Term) else value)


def _factors(of: Any) -> list[tuple[Polynomial, int]]:
    """Return primes and irreducible polynomials with the powers that multiply to ``of``."""
    from sympy import factorint

    if not isinstance(of, Term):
        tops, bottoms = factorint(Fraction(of).numerator), factorint(Fraction(of).denominator)
        powers = [*tops.items(), *((p, -times) for p, times in bottoms.items())]
        return [(Polynomial.of((), {(): Fraction(int(p))}), times) for p, times in powers]
    found: list[tuple[Polynomial, int]] = []
    for polynomial, sign in ((of.element.numer, 1), (of.element.denom, -1)):
        content, factors = polynomial.factor_list()
        rational = Fraction(int(content.numerator), int(content.denominator))
        found += [(p, sign * times) for p, times in _factors(rational)]
        found += [(Polynomial.read(factor), sign * times) for factor, times in factors]
    return found


def same_terms(first: Sequence[Any], second: Sequence[Any]) -> tuple[Equation, ...]:
    """Return that the terms are the same functions, in this order."""
    return tuple(Equation.between(a, b) for a, b in zip(first, second, strict=True))


def same_sums(first: Sequence[LogSum], second: Sequence[LogSum]) -> tuple[Equation, ...]:
    """Return that the sums of logarithms are the same functions, in this order."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    return tuple(e for sum_ in differences for e in sum_.equations() or (Equation(()),))


def by_sizes(
    parameters: str,
    sizes: Sequence[int],
    steps: Callable[[int], Sequence[Identity]],
    further: Sequence[Identity] = (),
    proofs: Sequence[Proof] = (),
) -> Proof:
    """Return one proof of the steps at every size: a step has the equations of all of them."""
    found: dict[str, Identity] = {}
    for size in sizes:
        for step in steps(size):
            known = found.get(step.statement, Identity(step.statement))
            found[step.statement] = Identity(
                step.statement,
                (*known.equations, *step.equations),
                (*known.zeros, *step.zeros),
                (*known.signs, *step.signs),
            )
    together = Proof.of_all(parameters, proofs)
    return replace(
        together,
        paths=len(sizes) + together.paths,
        identities=(*together.identities, *found.values(), *further),
    )


def gibbs_inequality(largest: int) -> tuple[Identity, ...]:
    """Return the steps that show Σ_j p_j log(p_j/q_j) to be at least 0."""
    from sympy import Derivative, Symbol, log

    x = Symbol("x", positive=True)
    slack = log(x) - 1 + 1 / x
    sums: tuple[Equation, ...] = ()
    for n in range(1, largest + 1):
        trace = Tracer(positive=[f"{letter}{j}" for letter in "uv" for j in range(n)])
        p, q = ([trace[f"{letter}{j}"] for j in range(n)] for letter in "uv")
        over, under = sum(p[1:], p[0]), sum(q[1:], q[0])
        parts = [a / over * (1 - (b / under) / (a / over)) for a, b in zip(p, q, strict=True)]
        sums += (Equation(tuple(s for part in parts for s in summands(part))),)
    return (
        Identity(
            "log x - (1 - 1/x) is 0 at 1 and has the derivative (x - 1)/x², so that "
            "log x > 1 - 1/x for every other x > 0",
            zeros=(slack.subs(x, 1), Derivative(slack, x) - (x - 1) / x**2),
        ),
        Identity(
            "Σ_j p_j (1 - q_j/p_j) = 0 for laws p and q, so that KL(p||q) >= 0, with 0 for "
            "p = q alone",
            sums,
        ),
    )
