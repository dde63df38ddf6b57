"""Proofs by symbolic execution: the code that runs, traced over symbols, with certificates.

The definition runs on symbols instead of numbers (:class:`Symbols`). Each comparison whose answer
the hypotheses leave open splits the run in two, so that a run is a tree of paths; each path ends
with the conditions it assumed and a result. The result is shown to be at least zero by writing it
as a sum of conditions and hypotheses, and products of two of them, with rational coefficients of
at least zero. An exact linear program finds the coefficients. SymPy then expands the difference of
the two sides from scratch, and only zero is accepted.

What is proved holds for all real values of the symbols that meet the hypotheses, at the sizes
traced, of the very functions that were run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, ClassVar, Final

from theory.errors import LimitError
from theory.linear import Status, minimise, solve
from theory.numbers._objects import ObjectNumbers
from theory.search.draw import Draw
from theory.search.family import successor
from theory.verdicts import Table

if TYPE_CHECKING:
    from sympy.polys.fields import FracElement
    from sympy.polys.rings import PolyElement

__all__ = ["MAX_PATHS", "Proof", "Symbols", "Term", "Tracer"]

MAX_PATHS: Final = 1 << 14
"""The most paths that one traced run may have."""


class Term:
    """A rational function of the symbols; it computes with its like and with rationals."""

    __slots__ = ("element", "tracer")

    def __init__(self, element: FracElement, tracer: Tracer) -> None:
        self.element = element
        self.tracer = tracer

    def _of(self, other: object) -> FracElement | None:
        if isinstance(other, Term):
            return other.element
        return self.tracer.constant(other) if isinstance(other, int | Fraction) else None

    def __add__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else Term(self.element + operand, self.tracer)

    __radd__ = __add__

    def __mul__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else Term(self.element * operand, self.tracer)

    __rmul__ = __mul__

    def __sub__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else Term(self.element - operand, self.tracer)

    def __rsub__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else Term(operand - self.element, self.tracer)

    def __truediv__(self, other: object, /) -> Term:
        operand = self._of(other)
        return NotImplemented if operand is None else Term(self.element / operand, self.tracer)

    def __neg__(self) -> Term:
        return Term(-self.element, self.tracer)

    def sign(self) -> int:
        """Sign on the path being traced; it may split the path."""
        return self.tracer.decide(self.element)

    def __str__(self) -> str:
        return str(self.element.as_expr())

    __repr__ = __str__


class Symbols(ObjectNumbers):
    """An array of terms and rationals, on which a definition is traced.

    A comparison distinguishes "greater" from "at most": where two elements are symbolically
    different but might be equal, the first of them counts as the maximiser, as the rule "lowest
    index" would have it.
    """

    kind: ClassVar[str] = "symbolic"

    @classmethod
    def lift(cls, value: Any) -> Fraction:
        """Return a rational as it is; terms and rationals stand side by side."""
        return Fraction(value)

    def sign(self, element: Any) -> int:
        """Sign of one element on the path being traced."""
        if isinstance(element, Term):
            return element.sign()
        return int(element > 0) - int(element < 0)


@dataclass(frozen=True)
class Path:
    """One way through a traced run: what it assumed to be at least zero, and what came out."""

    conditions: tuple[PolyElement, ...]
    result: FracElement


class Tracer:
    """Named real symbols, some of them positive, and the run that is being traced over them.

    Examples
    --------
    >>> trace = Tracer(real=("u", "v"))
    >>> u, v = trace["u"], trace["v"]
    >>> def largest():
    ...     return u if (u - v).sign() > 0 else v
    >>> print(trace.prove(lambda: [largest() - u]))
    Proved for all real u, v: 2 paths of the traced code, 2 identities expanded by SymPy.
    >>> print(trace.prove(lambda: [u - largest()]))
    Found no certificate that u - v is at least 0.
    """

    def __init__(self, positive: Sequence[str] = (), real: Sequence[str] = ()) -> None:
        from sympy import QQ
        from sympy.polys.fields import field

        self.positive, self.real = tuple(positive), tuple(real)
        self.field, *generators = field([*positive, *real], QQ)
        self._symbols = dict(zip([*positive, *real], generators, strict=True))
        self._hypotheses = [self._symbols[name].numer for name in positive]
        self._draw = Draw()
        self._conditions: list[PolyElement] = []

    def __getitem__(self, name: str) -> Term:
        return Term(self._symbols[name], self)

    def array(self, names: Sequence[str]) -> Symbols:
        """Return the named symbols as a vector."""
        return Symbols.packed([self[name] for name in names], (len(names),))

    def constant(self, value: int | Fraction) -> FracElement:
        """Return a rational as an element of the field of rational functions."""
        exact = Fraction(value)
        return self.field(self.field.domain(exact.numerator, exact.denominator))

    def decide(self, element: FracElement) -> int:
        """Sign of an element: known from the hypotheses or earlier on the path, or a new split."""
        if not element:
            return 0
        numerator = self._numerator(element)
        known = self._known_sign(numerator)
        if known:
            return known
        if numerator in self._conditions:
            return 1
        if -numerator in self._conditions:
            return -1
        positive = self._draw.index(2) == 0
        self._conditions.append(numerator if positive else -numerator)
        return 1 if positive else -1

    def _numerator(self, element: FracElement) -> PolyElement:
        """Return the polynomial that has the sign of ``element``."""
        orientation = self._known_sign(element.denom)
        if orientation == 0:
            raise LimitError("denominator", element.denom, "has no visible sign", "restate it")
        return element.numer * orientation

    def _known_sign(self, polynomial: PolyElement) -> int:
        """Sign of a polynomial whose terms all have one sign under the hypotheses, else 0."""
        unsigned = len(self.positive)
        if any(any(exponents[unsigned:]) for exponents in polynomial.itermonoms()):
            return 0
        signs = {1 if c > 0 else -1 for c in polynomial.itercoeffs()}
        return signs.pop() if len(signs) == 1 else 0

    def paths(self, run: Callable[[], Sequence[Any]]) -> Iterator[Path]:
        """Yield every path of ``run`` with each of the numbers it returns."""
        choices: list[int] | None = []
        count = 0
        while choices is not None:
            count += 1
            if count > MAX_PATHS:
                raise LimitError(
                    "run", count, f"has more than {MAX_PATHS} paths", "trace a smaller one"
                )
            self._draw, self._conditions = Draw(choices), []
            results = run()
            conditions = tuple(self._conditions)
            for result in results:
                element = result.element if isinstance(result, Term) else self.constant(result)
                yield Path(conditions, element)
            choices = successor(self._draw)

    def prove(self, run: Callable[[], Sequence[Any]], hypotheses: Sequence[Term] = ()) -> Proof:
        """Prove that every number that ``run`` returns is at least zero.

        ``hypotheses`` are terms that are at least zero, beside the positive symbols.
        """
        given = [*self._hypotheses, *(self._numerator(h.element) for h in hypotheses)]
        certificates, conditions, open_goal = [], set(), ""
        for path in self.paths(run):
            conditions.add(path.conditions)
            goal = self._numerator(path.result)
            certificate = _certificate(goal, path.conditions, given)
            if certificate is None:
                open_goal = str(goal.as_expr())
                break
            certificates.append(certificate)
        kinds = [("real", self.real), ("positive", self.positive)]
        parameters = " and ".join(f"all {k} {', '.join(names)}" for k, names in kinds if names)
        return Proof(parameters, len(conditions), tuple(certificates), open_goal)


@dataclass(frozen=True)
class Certificate:
    """An identity goal = sum of coefficients times parts, each part at least zero."""

    goal: PolyElement
    parts: tuple[tuple[Fraction, PolyElement], ...]

    def holds(self) -> bool:
        """Expand the identity with SymPy, from expressions; and look at every coefficient."""
        from sympy import Rational, expand

        total = sum(Rational(c.numerator, c.denominator) * g.as_expr() for c, g in self.parts)
        return all(c >= 0 for c, _ in self.parts) and expand(self.goal.as_expr() - total) == 0

    def __str__(self) -> str:
        parts = [f"{'' if c == 1 else f'{c}·'}({g.as_expr()})" for c, g in self.parts]
        return " + ".join(parts) if parts else "0"


@dataclass(frozen=True)
class Proof:
    """Certificates for every path of the traced runs, or the first goal that has none."""

    parameters: str
    paths: int
    certificates: tuple[Certificate, ...]
    open_goal: str = ""

    @classmethod
    def of_all(cls, parameters: str, proofs: Sequence[Proof]) -> Proof:
        """Return several proofs, one a size, as one; it is complete when each of them is."""
        return cls(
            parameters,
            sum(proof.paths for proof in proofs),
            tuple(c for proof in proofs for c in proof.certificates),
            next((proof.open_goal for proof in proofs if proof.open_goal), ""),
        )

    @cached_property
    def complete(self) -> bool:
        """Whether every path has a certificate, and each one survives expansion by SymPy."""
        return not self.open_goal and all(c.holds() for c in self.certificates)

    def table(self, rows: int = 3) -> Table:
        """Return the longest certificates, to be checked with a pencil."""
        longest = sorted(self.certificates, key=lambda c: -len(c.parts))[:rows]
        return Table(
            caption="Certificates: each result is a sum of parts that are at least 0",
            columns=("result", "sum of parts"),
            rows=tuple((str(c.goal.as_expr()), str(c)) for c in longest),
        )

    def __str__(self) -> str:
        if self.open_goal:
            return f"Found no certificate that {self.open_goal} is at least 0."
        return (
            f"Proved for {self.parameters}: {self.paths:,} paths of the traced code, "
            f"{len(self.certificates):,} identities expanded by SymPy."
        )


def _certificate(
    goal: PolyElement, conditions: Sequence[PolyElement], hypotheses: Sequence[PolyElement]
) -> Certificate | None:
    single = [*conditions, *hypotheses]
    return _combination(goal, single) or _combination(
        goal, [*single, *(a * b for a, b in combinations_with_replacement(single, 2))]
    )


def _combination(goal: PolyElement, parts: Sequence[PolyElement]) -> Certificate | None:
    """Write ``goal`` as a combination of ``parts`` with the least sum of coefficients, or None."""
    monomials = sorted({m for polynomial in (goal, *parts) for m in polynomial.itermonoms()})
    rows = [
        ([_rational(part.get(m, 0)) for part in parts], "=", _rational(goal.get(m, 0)))
        for m in monomials
    ]
    if not parts or not rows:
        return None if rows else Certificate(goal, ())
    solution = solve(minimise([1] * len(parts), rows))
    if solution.status is not Status.OPTIMAL or solution.x is None:
        return None
    used = [(c, part) for c, part in zip(solution.x, parts, strict=True) if c]
    return Certificate(goal, tuple(used))


def _rational(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))
