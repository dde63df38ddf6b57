"""Sums of logarithms of traced terms, which are zero when their coefficients are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from papers.checks.softmax import IdentityProof
from theory.errors import InvalidInputError
from theory.proofs import Proof, Term, Tracer
from theory.verdicts import Table

__all__ = ["AT_LEAST", "LogSum", "Steps", "by_sizes", "gibbs_inequality", "same_sums", "same_terms"]

AT_LEAST: Final = " is at least 0"


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

    def vanishes(self) -> bool:
        """Whether the coefficient of each prime and of each irreducible polynomial is zero.

        SymPy factors what logarithms are taken of, and adds the coefficients up. It is enough for
        the sum to be zero wherever the terms are defined.
        """
        totals: dict[Any, Any] = {}
        for coefficient, of in self.parts:
            for factor, times in _factors(of):
                totals[factor] = totals.get(factor, Fraction(0)) + coefficient * times
        return all(_is_zero(total) for total in totals.values())


def _is_zero(value: Any) -> bool:
    """Whether a term is the zero function, or a rational is 0; no path is split."""
    return not (value.element if isinstance(value, Term) else value)


def _factors(of: Any) -> list[tuple[Any, int]]:
    """Return primes and irreducible polynomials with the powers that multiply to ``of``."""
    from sympy import factorint

    if not isinstance(of, Term):
        tops, bottoms = factorint(Fraction(of).numerator), factorint(Fraction(of).denominator)
        return [*tops.items(), *((p, -times) for p, times in bottoms.items())]
    found: list[tuple[Any, int]] = []
    for polynomial, sign in ((of.element.numer, 1), (of.element.denom, -1)):
        content, factors = polynomial.factor_list()
        rational = Fraction(int(content.numerator), int(content.denominator))
        found += [(p, sign * times) for p, times in _factors(rational)]
        found += [(factor, sign * times) for factor, times in factors]
    return found


def same_terms(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether the terms are the same functions, in this order."""
    return all(_is_zero(a - b) for a, b in zip(first, second, strict=True))


def same_sums(first: Sequence[LogSum], second: Sequence[LogSum]) -> bool:
    """Whether the sums of logarithms are the same functions, in this order."""
    return all((a - b).vanishes() for a, b in zip(first, second, strict=True))


@dataclass(frozen=True)
class Steps(IdentityProof):
    """A proof by identities of the traced code, with certificates where it needs inequalities."""

    @cached_property
    def complete(self) -> bool:
        """Whether SymPy confirms every step and every certificate."""
        certified = all(certificate.holds() for certificate in self.certificates)
        confirmed = bool(self.steps) and all(confirmed for _, confirmed in self.steps)
        return certified and confirmed and not self.open_goal

    def table(self, rows: int = 3) -> Table:
        """Return the longest certificates, or the identities where there are none."""
        if self.certificates:
            return super().table(rows)
        return Table(
            caption="What SymPy confirms: identities between what the traced code returns, the "
            "coefficient of each logarithm being 0, and steps of calculus",
            columns=("step",),
            rows=tuple((step,) for step, _ in self.steps),
        )

    def __str__(self) -> str:
        if self.open_goal or not self.complete:
            return super().__str__()
        steps = "; ".join(f"({n}) {step}" for n, (step, _) in enumerate(self.steps, 1))
        certificates = f", {len(self.certificates):,} certificates" if self.certificates else ""
        return (
            f"Proved for {self.parameters}: {self.paths:,} runs of the traced code{certificates}, "
            f"and these steps, which SymPy confirms: {steps}."
        )


def by_sizes(
    parameters: str,
    sizes: Sequence[int],
    steps: Callable[[int], Sequence[tuple[str, bool]]],
    further: Sequence[tuple[str, bool]] = (),
    proofs: Sequence[Proof] = (),
) -> Steps:
    """Return one proof of the steps at every size: a step is confirmed if it is at each of them."""
    confirmed: dict[str, bool] = {}
    for size in sizes:
        for step, holds in steps(size):
            confirmed[step] = confirmed.get(step, True) and holds
    together = Proof.of_all(parameters, proofs)
    return Steps(
        parameters=parameters,
        paths=len(sizes) + together.paths,
        certificates=together.certificates,
        open_goal=together.open_goal and f"{together.open_goal}{AT_LEAST}",
        steps=(*confirmed.items(), *further),
    )


def gibbs_inequality(largest: int) -> tuple[tuple[str, bool], ...]:
    """Return the steps that show Σ_j p_j log(p_j/q_j) to be at least 0."""
    from sympy import Symbol, diff, log, simplify

    x = Symbol("x", positive=True)
    slack = log(x) - 1 + 1 / x
    sums = True
    for n in range(1, largest + 1):
        trace = Tracer(positive=[f"{letter}{j}" for letter in "uv" for j in range(n)])
        p, q = ([trace[f"{letter}{j}"] for j in range(n)] for letter in "uv")
        over, under = sum(p[1:], p[0]), sum(q[1:], q[0])
        parts = [a / over * (1 - (b / under) / (a / over)) for a, b in zip(p, q, strict=True)]
        sums = sums and _is_zero(sum(parts[1:], parts[0]))
    return (
        (
            "log x - (1 - 1/x) is 0 at 1 and has the derivative (x - 1)/x², so that "
            "log x > 1 - 1/x for every other x > 0",
            slack.subs(x, 1) == 0 and simplify(diff(slack, x) - (x - 1) / x**2) == 0,
        ),
        (
            "Σ_j p_j (1 - q_j/p_j) = 0 for laws p and q, so that KL(p||q) >= 0, with 0 for "
            "p = q alone",
            sums,
        ),
    )
