"""oracles, Lemma 7: how far softmax moves when its scores do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from papers.oracles.checks.softmax import (
    Law,
    exceeds,
    law_of,
    running_softmax,
)
from theory.claims import CheckContext
from theory.numbers.balls import ball
from theory.proofs import (
    Certificate,
    Condition,
    Equation,
    Identity,
    Obligation,
    Polynomial,
    Proof,
    Tracer,
)
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["CLOSE", "SCORES", "LipschitzProof", "Scores", "SoftmaxIsLipschitz", "show_scores"]


@dataclass(frozen=True)
class Scores:
    """Two rows of scores, a = log u and b = log v, written as the positive numbers u and v."""

    u: tuple[int, ...]
    v: tuple[int, ...]

    @property
    def ratio(self) -> Fraction:
        """The number of which ‖a - b‖_∞ is the logarithm."""
        ratios = [Fraction(u, v) for u, v in zip(self.u, self.v, strict=True)]
        return max(max(r, 1 / r) for r in ratios)

    def __str__(self) -> str:
        rows = (", ".join(f"log {n}" for n in row) for row in (self.u, self.v))
        return "a = ({}), b = ({})".format(*rows)


def distance(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """Return ‖p - q‖₁."""
    return sum((x - y if x > y else y - x for x, y in zip(p, q, strict=True)), Fraction(0))


def modulus(ratio: Any) -> Any:
    """Return 2 tanh(c/2) as a function of e^c."""
    return 2 * (ratio - 1) / (ratio + 1)


@dataclass(frozen=True)
class SoftmaxIsLipschitz:
    """‖softmax(a) - softmax(b)‖₁ is at most ``constant`` times ‖a - b‖_∞.

    ``sharply`` asks for more: at most 2 tanh(‖a - b‖_∞ / 2).
    """

    constant: Fraction
    sharply: bool = False
    softmax: Law = running_softmax

    def __call__(self, scores: Scores) -> Trial:
        """Compare; the distance is rational, and the logarithm a certified ball."""
        p, q = ([Fraction(n) for n in row] for row in (scores.u, scores.v))
        moved = distance(law_of(p, self.softmax), law_of(q, self.softmax))
        ratio = scores.ratio
        if ratio == 1:
            failure = f"equal scores have laws that differ by {moved}." if moved else ""
            return Trial(nontrivial=False, failure=failure)
        failure = ""
        if exceeds(moved, self.constant, ratio):
            failure = f"the laws differ by {moved}, more than {self.constant}·log({ratio})."
        elif self.sharply and moved > modulus(ratio):
            failure = f"the laws differ by {moved}, more than 2 tanh(log({ratio})/2)."
        return Trial(nontrivial=moved > 0, failure=failure)


def show_scores(scores: Scores) -> Exhibit:
    """Work a pair out: both laws, how far apart they are, and the ratio to ‖a - b‖_∞."""
    p, q = law_of([Fraction(n) for n in scores.u]), law_of([Fraction(n) for n in scores.v])
    rows = tuple(
        (str(i), f"log {u}", f"log {v}", str(x), str(y), str(abs(x - y)))
        for i, (u, v, x, y) in enumerate(zip(scores.u, scores.v, p, q, strict=True), 1)
    )
    moved, ratio = distance(p, q), scores.ratio
    quotient = float(ball(moved) / ball(ratio).log()) if ratio != 1 else 0.0
    table = Table(
        caption=f"The laws differ by {moved}, the scores by log({ratio}): ratio {quotient:.6f}",
        columns=("action", "a", "b", "softmax(a)", "softmax(b)", "difference"),
        rows=rows,
    )
    return Exhibit(summary=f"{scores}, with ratio {quotient:.6f}", tables=(table,))


def _build(draw: Draw, actions: int) -> Scores:
    numbers = (1, 2, 3)
    rows = [tuple(draw.choice(numbers) for _ in range(actions)) for _ in range(2)]
    return Scores(rows[0], rows[1])


def _size(scores: Scores) -> tuple[int, ...]:
    return (sum(scores.u) + sum(scores.v),)


SCORES: Family[Scores] = Family(
    description="pairs of scores that are logarithms of 1, 2 or 3",
    level_name="actions",
    levels=(1, 2, 3, 4),
    build=_build,
    size=_size,
)


def _build_close(draw: Draw, n: int) -> Scores:
    del draw
    return Scores((n + 1, n), (n, n + 1))


CLOSE: Family[Scores] = Family(
    description="the scores (log(n + 1), log n) and the same exchanged",
    level_name="n",
    levels=tuple(range(1, 41)),
    build=_build_close,
    size=_size,
)


@dataclass(frozen=True)
class LipschitzProof:
    """The distance is at most 2 tanh(c/2) for c = ‖a - b‖_∞, and that is at most c.

    The traced softmax shows what the distance is, whichever actions gain; one certificate bounds
    that, and the rest are steps of calculus.
    """

    constant: Fraction
    softmax: Law = running_softmax

    def __call__(self, context: CheckContext) -> Proof:
        """Trace 2, 3, … scores, bound the distance, and confirm the other steps."""
        largest = context.budget.size
        paths: list[Equation] = []
        for actions in range(2, largest + 1):
            context.progress(actions, largest + 1)
            paths += self._trace(actions)
        certificates = (_certificate(), _at_least_one(self.constant))
        return Proof(
            f"all real scores of 2 to {largest} actions",
            len(paths),
            certificates,
            obligations=tuple(c.obligation for c in certificates),
            identities=self._steps(tuple(paths)),
        )

    def _trace(self, actions: int) -> list[Equation]:
        """Return what each path returns, and what it should be.

        It is 2 (C B - A D) / ((A + B) (C + D)), where the exponentials of b sum to A over the
        actions that gain and to B over the others, and those of a to C and D.
        """
        names = [[f"{letter}{i}" for i in range(actions)] for letter in "uv"]
        trace = Tracer(positive=[*names[0], *names[1]])
        u, v = ([trace[name] for name in row] for row in names)
        zero = u[0] - u[0]
        sides: list[list[bool]] = []

        def run() -> list[Any]:
            p, q = law_of(u, self.softmax), law_of(v, self.softmax)
            sides.append([x > y for x, y in zip(p, q, strict=True)])
            return [distance(p, q)]

        found = []
        for path in trace.paths(run):
            C, A = (sum((x for x, g in zip(r, sides[-1], strict=True) if g), zero) for r in (u, v))
            all_u, all_v = sum(u, zero), sum(v, zero)
            expected = 2 * (C * (all_v - A) - A * (all_u - C)) / (all_v * all_u)
            found.append(Equation.between(path, expected))
        return found

    def _steps(self, paths: tuple[Equation, ...]) -> tuple[Identity, ...]:
        from sympy import Derivative, Limit, Rational, Symbol, exp, tanh

        c = Symbol("c", positive=True)
        k = Rational(self.constant.numerator, self.constant.denominator)
        slack = k * c - 2 * tanh(c / 2)
        trace = Tracer(positive=["h"])
        g = 1 + trace["h"]
        one = g / g
        apart = distance(law_of([g, one], self.softmax), law_of([one, g], self.softmax))
        return (
            Identity(
                "where the exponentials of b sum to A over the actions that gain and to B over "
                "the others, and those of a to C and D, the laws differ by "
                "2 (C B - A D)/((A + B)(C + D)); that is 0 if no action gains, and otherwise "
                "C <= (1 + h) A and B <= (1 + h) D keep it to 2 h/(h + 2): the certificate below",
                paths,
            ),
            Identity(
                "2 h/(h + 2) = 2 tanh(c/2) for h = e^c - 1",
                zeros=(modulus(exp(c)) - 2 * tanh(c / 2),),
            ),
            Identity(
                f"{_times(k)}c - 2 tanh(c/2) is 0 at 0 and has the derivative "
                f"{_plus(k - 1)}tanh(c/2)², so it is at least 0",
                zeros=(slack.subs(c, 0), Derivative(slack, c) - (k - 1 + tanh(c / 2) ** 2)),
            ),
            Identity(
                "(c, 0) and (0, c) are 2 tanh(c/2) apart, which is c times what tends to 1",
                (Equation.between(apart, modulus(g)),),
                zeros=(Limit(2 * tanh(c / 2) / c, c, 0) - 1,),
            ),
        )


def _times(k: Any) -> str:
    return "" if k == 1 else f"{k} "


def _plus(k: Any) -> str:
    return "" if k == 0 else f"{k} + "


def _at_least_one(constant: Fraction) -> Certificate:
    """Certify that a constant is at least 1; the certificate of a smaller one does not hold."""
    above = Polynomial.of((), {(): constant - 1})
    return Certificate(Obligation((), above), ((constant - 1, ()),))


def _certificate() -> Certificate:
    """Certify that 2 (C B - A D) / ((A + B) (C + D)) is at most 2 h / (h + 2).

    The hypotheses are C <= (1 + h) A and B <= (1 + h) D, which hold where no ratio of exponentials
    is above 1 + h or below its inverse. With g = 1 + h and denominators cleared, half of the
    difference is E = h (A + B) (C + D) - (h + 2) (C B - A D), and

        g² A E = (g A - C) D g (h B + 2 g A) + C (g D - B) (h B + 2 g A) + C h (g A - B)².
    """
    trace = Tracer(positive=["A", "B", "C", "D", "h"])
    A, B, C, D, h = (trace[name] for name in ("A", "B", "C", "D", "h"))
    g = 1 + h
    goal = g * g * A * (h * (A + B) * (C + D) - (h + 2) * (C * B - A * D))
    lost, kept, apart = g * A - C, g * D - B, g * A - B
    both = h * B + 2 * g * A
    parts = ((lost, D, g, both), (C, kept, both), (C, h, apart, apart))

    def polynomials(terms: Sequence[Any]) -> tuple[Polynomial, ...]:
        return tuple(Polynomial.read(term.element.numer) for term in terms)

    positive, known = polynomials([A, B, C, D, h]), polynomials([lost, kept])
    assumed = [Condition(p, strict=True) for p in positive]
    assumed += [Condition(p, strict=False) for p in known]
    return Certificate(
        Obligation(tuple(assumed), polynomials([goal])[0]),
        tuple((Fraction(1), polynomials(part)) for part in parts),
    )
