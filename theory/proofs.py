"""Proofs by symbolic execution: the code that runs, traced over symbols, with certificates.

The definition runs on symbols instead of numbers (:class:`Symbols`). Each comparison whose answer
the hypotheses leave open splits the run in two, so that a run is a tree of paths; each path ends
with the conditions it assumed and a result. Whatever the numbers, the conditions of exactly one
path hold. The result is shown to be at least zero by writing it as a sum of conditions and
hypotheses, and products of two of them, with rational coefficients of at least zero. An exact
linear program finds the coefficients. SymPy then expands the difference of the two sides from
scratch, and only zero is accepted.

What is proved holds for all real values of the symbols that meet the hypotheses, at the sizes
traced, of the very functions that were run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from itertools import combinations_with_replacement
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from theory._shapes import Bool
from theory.errors import ExactnessError, InvalidInputError, LimitError
from theory.linear import Status, minimise, solve
from theory.numbers._objects import ObjectNumbers
from theory.numbers.reading import rational
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
        if isinstance(other, float | np.floating):
            raise ExactnessError("operand", other, "is a float", "trace code without floats")
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

    def __gt__(self, other: object, /) -> bool:
        operand = self._of(other)
        return NotImplemented if operand is None else self.tracer.decide(self.element - operand)

    def __lt__(self, other: object, /) -> bool:
        operand = self._of(other)
        return NotImplemented if operand is None else self.tracer.decide(operand - self.element)

    def __ge__(self, other: object, /) -> bool:
        return NotImplemented if self._of(other) is None else not self < other

    def __le__(self, other: object, /) -> bool:
        return NotImplemented if self._of(other) is None else not self > other

    def __eq__(self, other: object, /) -> bool:
        return NotImplemented if self._of(other) is None else not (self > other or self < other)

    __hash__ = None  # type: ignore[assignment]  # equality depends on the path

    def __bool__(self) -> bool:
        return self != 0

    def __float__(self) -> float:
        raise ExactnessError("term", self, "has no value as a float", "trace code without floats")

    def sign(self) -> int:
        """Sign on the path being traced."""
        return 1 if self > 0 else -1 if self < 0 else 0

    def __str__(self) -> str:
        return str(self.element.as_expr())

    __repr__ = __str__


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


@dataclass(frozen=True)
class Condition:
    """A polynomial is above zero, or at least zero where the condition is not strict."""

    polynomial: PolyElement
    strict: bool


@dataclass(frozen=True)
class Path:
    """One way through a traced run: what it assumed, and what came out."""

    conditions: tuple[Condition, ...]
    result: FracElement


class Tracer:
    """Named real symbols, some of them positive, and the run that is being traced over them.

    Examples
    --------
    >>> trace = Tracer(real=("u", "v"))
    >>> u, v = trace["u"], trace["v"]
    >>> def largest():
    ...     return u if u > v else v
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
        self._draw: Draw | None = None
        self._conditions: list[Condition] = []

    def __getitem__(self, name: str) -> Term:
        return Term(self._symbols[name], self)

    def array(self, names: Sequence[str]) -> Symbols:
        """Return the named symbols as a vector."""
        return Symbols.packed([self[name] for name in names], (len(names),))

    def constant(self, value: object) -> FracElement:
        """Return a rational as an element of the field of rational functions; refuse a float."""
        exact = rational(value)
        return self.field(self.field.domain(exact.numerator, exact.denominator))

    def quotient(self, element: FracElement, divisor: FracElement) -> FracElement:
        """Return a quotient; the hypotheses must show that the divisor is not zero."""
        if divisor and not self._known_sign(divisor.numer):
            raise LimitError("divisor", divisor, "has no visible sign", "make its symbols positive")
        return element / divisor

    def decide(self, element: FracElement) -> bool:
        """Whether an element is above zero: by hypothesis, by an earlier answer, or by a split."""
        if not element:
            return False
        numerator = self._numerator(element)
        known = self._known_sign(numerator)
        if known:
            return known > 0
        if Condition(numerator, strict=True) in self._conditions:
            return True
        if any(c.polynomial == -numerator for c in self._conditions):
            return False
        if self._draw is None:
            raise InvalidInputError(
                "comparison", element, "is made outside the traced run", "make it inside"
            )
        above = self._draw.index(2) == 0
        self._conditions.append(Condition(numerator if above else -numerator, strict=above))
        return above

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
        earlier: tuple[Condition, ...] = ()
        while choices is not None:
            count += 1
            if count > MAX_PATHS:
                raise LimitError(
                    "run", count, f"has more than {MAX_PATHS} paths", "trace a smaller one"
                )
            results, draw, conditions = self._trace(run, choices)
            if not _branches_off(conditions, earlier, len(choices)):
                raise InvalidInputError(
                    "run",
                    conditions,
                    "asked other questions after the same answers",
                    "keep no answer of a comparison from one call to the next",
                )
            earlier = conditions
            for result in results:
                element = result.element if isinstance(result, Term) else self.constant(result)
                yield Path(conditions, element)
            choices = successor(draw)

    def _trace(
        self, run: Callable[[], Sequence[Any]], choices: Sequence[int]
    ) -> tuple[Sequence[Any], Draw, tuple[Condition, ...]]:
        draw = Draw(choices)
        self._draw, self._conditions = draw, []
        try:
            results = run()
            conditions = tuple(self._conditions)
        finally:
            self._draw, self._conditions = None, []
        if not results:
            raise InvalidInputError("run", results, "returns nothing to prove", "return a number")
        return results, draw, conditions

    def prove(self, run: Callable[[], Sequence[Any]], hypotheses: Sequence[Term] = ()) -> Proof:
        """Prove that every number that ``run`` returns is at least zero.

        ``hypotheses`` are terms that are at least zero, beside the positive symbols. ``run`` is
        called once a path; it must be a function of the symbols' comparisons alone. Of several
        maximisers the first alone is seen (:class:`Symbols`), so a statement about which actions
        tie is not traced.

        Raises
        ------
        InvalidInputError
            When ``run`` returns nothing, or asks other questions after the same answers.
        LimitError
            When there are more than ``MAX_PATHS`` paths, or a divisor's sign is not visible.
        """
        given = [*self._hypotheses, *(self._numerator(h.element) for h in hypotheses)]
        certificates, conditions, open_goal = [], set(), ""
        for path in self.paths(run):
            conditions.add(path.conditions)
            goal = self._numerator(path.result)
            certificate = _certificate(goal, [*(c.polynomial for c in path.conditions), *given])
            if certificate is None:
                open_goal = str(goal.as_expr())
                break
            certificates.append(certificate)
        kinds = [("real", self.real), ("positive", self.positive)]
        parameters = " and ".join(f"all {k} {', '.join(names)}" for k, names in kinds if names)
        if hypotheses:
            parameters += f" with {', '.join(f'{h} >= 0' for h in hypotheses)}"
        return Proof(parameters, len(conditions), tuple(certificates), open_goal)


def _branches_off(
    conditions: Sequence[Condition], earlier: Sequence[Condition], given: int
) -> bool:
    """Whether a path shares all but the last of its given answers with the path before it."""
    if given == 0:
        return True
    if len(conditions) < given or len(earlier) < given:
        return False
    last = given - 1
    turned = conditions[last].polynomial == -earlier[last].polynomial
    return turned and tuple(conditions[:last]) == tuple(earlier[:last])


@dataclass(frozen=True)
class Certificate:
    """An identity: ``goal`` is a sum of coefficients times products of what is assumed.

    ``assumed`` are polynomials that are at least zero; a part is a coefficient and the factors of a
    product, of which there may be none.
    """

    goal: PolyElement
    assumed: tuple[PolyElement, ...]
    parts: tuple[tuple[Fraction, tuple[PolyElement, ...]], ...]

    def holds(self) -> bool:
        """Whether no coefficient is negative, each factor is assumed, and SymPy's sum is the goal.

        SymPy expands from expressions; nothing is shared with the search for coefficients.
        """
        from sympy import Rational, expand, prod

        total = sum(
            Rational(c.numerator, c.denominator) * prod(factor.as_expr() for factor in factors)
            for c, factors in self.parts
        )
        sound = all(c >= 0 and all(f in self.assumed for f in factors) for c, factors in self.parts)
        return sound and bool(expand(self.goal.as_expr() - total) == 0)

    def __str__(self) -> str:
        return " + ".join(_product(c, factors) for c, factors in self.parts) or "0"


def _product(coefficient: Fraction, factors: Sequence[PolyElement]) -> str:
    shown = [] if coefficient == 1 and factors else [str(coefficient)]
    return "·".join([*shown, *(f"({factor.as_expr()})" for factor in factors)])


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
        proved = bool(self.certificates) and not self.open_goal
        return proved and all(certificate.holds() for certificate in self.certificates)

    def table(self, rows: int = 3) -> Table:
        """Return the longest certificates, to be checked with a pencil."""
        longest = sorted(self.certificates, key=lambda c: -len(c.parts))[:rows]
        return Table(
            caption=f"{len(longest)} of {len(self.certificates)} certificates: each result, its "
            "denominator cleared, is a sum of products of what is at least 0",
            columns=("result", "sum of products"),
            rows=tuple((str(c.goal.as_expr()), str(c)) for c in longest),
        )

    def __str__(self) -> str:
        if self.open_goal:
            return f"Found no certificate that {self.open_goal} is at least 0."
        if not self.complete:
            return "The certificates do not hold."
        return (
            f"Proved for {self.parameters}: {self.paths:,} paths of the traced code, "
            f"{len(self.certificates):,} identities expanded by SymPy."
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>{self.table()._repr_html_()}"


def _certificate(goal: PolyElement, assumed: Sequence[PolyElement]) -> Certificate | None:
    return _combination(goal, assumed, 1) or _combination(goal, assumed, 2)


def _combination(
    goal: PolyElement, assumed: Sequence[PolyElement], degree: int
) -> Certificate | None:
    """Write ``goal`` as a combination, of least sum, of products of up to ``degree`` factors."""
    factors = [f for n in range(degree + 1) for f in combinations_with_replacement(assumed, n)]
    products = [prod(f, start=goal.ring.one) for f in factors]
    monomials = sorted({m for polynomial in (goal, *products) for m in polynomial.itermonoms()})
    rows = [
        ([_rational(product.get(m, 0)) for product in products], "=", _rational(goal.get(m, 0)))
        for m in monomials
    ]
    try:
        solution = solve(minimise([1] * len(products), rows))
    except LimitError:
        return None
    if solution.status is not Status.OPTIMAL or solution.x is None:
        return None
    parts = tuple((c, f) for c, f in zip(solution.x, factors, strict=True) if c)
    return Certificate(goal, tuple(assumed), parts)


def _rational(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))
