"""Tracing: the code that runs is run on symbols, once a path."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import truediv
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, LimitError
from theory.numbers.reading import rational
from theory.proofs._branch_schedule import BranchSchedule
from theory.proofs._certify import certify
from theory.proofs._decide import STEPS, decide
from theory.proofs._obligation import Obligation
from theory.proofs._path import Path
from theory.proofs._polynomial import Condition, Polynomial
from theory.proofs._proof import Proof
from theory.proofs._pruning import Pruning
from theory.proofs._term import Kind, Symbols, Term, compute
from theory.shared.arguments import read_tuple

if TYPE_CHECKING:
    from sympy.polys.fields import FracElement
    from sympy.polys.rings import PolyElement

__all__ = ["MAX_COMPARISONS", "MAX_CONDITIONS", "MAX_PATHS", "Tracer"]

MAX_PATHS: Final = 1 << 14
"""The most paths that one traced run may have."""

MAX_CONDITIONS: Final = 1_000
"""The most comparisons on one path whose answers are left open."""

MAX_COMPARISONS: Final = 100_000
"""The most comparisons on one path, those whose answers are known included."""

Run = Callable[[], Sequence[Any]]


class Tracer:
    """Named real symbols, some of them positive, and the run that is being traced over them.

    Parameters
    ----------
    positive, real : sequences of str
        Names of symbols; the positive ones are above zero by hypothesis.
    foreign : bool
        Whether the run is code that was not written for terms. It may compute with finite floats,
        each taken as the rational that it stands for; a divisor of unknown sign splits the path;
        and a run that asks a term for its class, say, proves nothing.
    conditions : int
        The most comparisons on one path whose answers are left open.
    prune : bool
        Whether branches that the hypotheses and the answers so far rule out are left aside. Each is
        kept as an obligation, and a proof has to show it (:meth:`obligations`).

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

    def __init__(
        self,
        positive: Sequence[str] = (),
        real: Sequence[str] = (),
        *,
        prune: bool = False,
        foreign: bool = False,
        conditions: int = MAX_CONDITIONS,
    ) -> None:
        from sympy import QQ
        from sympy.polys.fields import field

        self.positive, self.real = read_tuple("positive", positive), read_tuple("real", real)
        self.field, *generators = field([*self.positive, *self.real], QQ)
        self._symbols = dict(zip([*self.positive, *self.real], generators, strict=True))
        self._hypotheses = [
            Condition(Polynomial.read(self._symbols[name].numer), strict=True)
            for name in self.positive
        ]
        self._prune, self._longest, self.foreign = prune, conditions, foreign
        self.met_floats = self.met_arrays = self.met_quotients = False
        self._pruning: Pruning | None = None
        self._schedule: BranchSchedule | None = None
        self._conditions: list[Condition] = []
        self._asked = 0
        self._refusal: Exception | None = None
        self._closed = False

    @contextmanager
    def again(self) -> Iterator[None]:
        """Run code a second time on a path: it must ask no question that was not answered."""
        self._closed = True
        try:
            yield
        finally:
            self._closed = False

    def __getitem__(self, name: str) -> Term:
        return Term(self._symbols[name], self)

    def array(self, names: Sequence[str]) -> Symbols:
        """Return the named symbols as a vector."""
        each = [self[name] for name in read_tuple("names", names)]
        return Symbols.pack(each, (len(each),))

    def assume(self, term: Term) -> None:
        """Take ``term`` >= 0 as a hypothesis of everything that is traced later."""
        self._hypotheses.append(self._at_least_zero(term))

    def constant(self, value: object) -> FracElement:
        """Return a rational as an element of the field of rational functions; refuse a float."""
        exact = rational(value)
        return self.field(self.field.domain(exact.numerator, exact.denominator))

    def number(self, value: object) -> Term:
        """Return a rational as a term, which computes as the symbols do; refuse a float."""
        return Term(self.constant(value), self)

    def quotient(self, element: FracElement, divisor: FracElement) -> FracElement:
        """Return a quotient.

        The hypotheses must show that the divisor is not zero; in foreign code its sign splits the
        path, and a divisor that is zero raises as it does for numbers.
        """
        self.met_quotients = True
        if self.met_arrays and self._schedule is not None and self._is_zero(divisor):
            zero = ExactnessError(
                "divisor", divisor, "is 0, and NumPy's own numbers go on there", "divide by others"
            )
            self.refuse(zero)
            raise zero
        if divisor and not self._known_sign(divisor.numer):
            if not self.foreign or self._schedule is None:
                error = LimitError(
                    "divisor", divisor, "has no visible sign", "make its symbols positive"
                )
                self.refuse(error)
                raise error
            if not self.decide(divisor) and not self.decide(-divisor):
                raise ZeroDivisionError("a term that is 0 on this path divides")
        return compute(truediv, element, divisor)

    def _is_zero(self, element: FracElement) -> bool:
        """Whether an element is 0 on the path, which its sign splits where it is not known."""
        if not element:
            return True
        if self._known_sign(element.numer):
            return False
        return self.foreign and not self.decide(element) and not self.decide(-element)

    @property
    def refusal(self) -> Exception | None:
        """Why the run that goes on proves nothing; None where it still may prove something."""
        return self._refusal

    def refuse(self, error: Exception, *, instead: bool = False) -> None:
        """Note that a term was asked what it cannot say: the run proves nothing, caught or not.

        The first such error is the reason; ``instead`` puts another in its place.
        """
        if self._schedule is None or (self._refusal is not None and not instead):
            return
        if error.__traceback__ is None:  # where it was noticed, in case that nothing is raised
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and frame.f_code is not Tracer._trace.__code__:
                error.__traceback__ = TracebackType(
                    error.__traceback__, frame, frame.f_lasti, frame.f_lineno
                )
                frame = frame.f_back
        self._refusal = error

    def decide(self, element: FracElement) -> bool:
        """Whether an element is above zero: by hypothesis, by an earlier answer, or by a split."""
        self._asked += 1
        if self._schedule is not None and self._asked > MAX_COMPARISONS:
            error = _endless(self._asked, MAX_COMPARISONS)
            self.refuse(error)
            raise error
        if not element:
            return False
        numerator, _ = self._orient(element)
        known = self._known_sign(numerator)
        if known:
            return known > 0
        return self._answer(Condition(Polynomial.read(numerator), strict=True), element)

    def _answer(self, above: Condition, element: FracElement) -> bool:
        """Answer by what was answered before, or split the path in two."""
        if above in self._conditions:
            return True
        below = above.negated
        if any(c.polynomial == below.polynomial for c in self._conditions):
            return False
        if self._schedule is None:
            raise InvalidInputError(
                "comparison", element, "is made outside the traced run", "make it inside"
            )
        if self._pruning is not None:
            forced = self._pruning.forced(self._conditions, above)
            if forced is not None:
                return forced
        if self._closed:
            problem = "is one that Python makes and the machine does not"
            other = InvalidInputError("comparison", element, problem, "state it otherwise")
            self.refuse(other)
            raise other
        if len(self._conditions) == self._longest:
            error = _endless(self._longest + 1, self._longest)
            self.refuse(error)
            raise error
        taken = above if self._schedule.next() else below
        self._conditions.append(taken)
        if self._pruning is not None:
            self._pruning.follow(taken)
        return taken is above

    def _orient(self, element: FracElement) -> tuple[PolyElement, PolyElement]:
        """Return numerator and denominator, with a denominator above zero on the path."""
        orientation = self._sign(element.denom)
        return element.numer * orientation, element.denom * orientation

    def _sign(self, denominator: PolyElement) -> int:
        """Sign of a denominator, which is not zero where the path leads.

        It is a product of factors of divisors, whose signs the path has decided. Where it has
        decided that of a product alone, the factors' signs split the path further.
        """
        known = self._known_sign(denominator)
        if known or not self.foreign or self._schedule is None:
            if not known:
                raise LimitError("denominator", denominator, "has no visible sign", "restate it")
            return known
        scale, factors = denominator.factor_list()
        sign = 1 if scale > 0 else -1
        for factor, power in factors:
            if power % 2 and not self.decide(self.field.field_new(factor)):
                sign = -sign
        return sign

    def _at_least_zero(self, term: Term) -> Condition:
        return Condition(Polynomial.read(self._orient(term.element)[0]), strict=False)

    def _known_sign(self, polynomial: PolyElement) -> int:
        """Sign of a polynomial whose terms all have one sign under the hypotheses, else 0."""
        unsigned = len(self.positive)
        if any(any(exponents[unsigned:]) for exponents in polynomial.itermonoms()):
            return 0
        signs = {1 if c > 0 else -1 for c in polynomial.itercoeffs()}
        return signs.pop() if len(signs) == 1 else 0

    def paths(self, run: Run) -> Iterator[Path]:
        """Yield every path of ``run`` with each of the numbers it returns."""
        yield from self._walk(run, self._start_pruning(self._hypotheses))

    def estimated_paths(self, run: Run, probes: int, generator: np.random.Generator) -> int:
        """Return about how many paths ``run`` has, from ``probes`` random ones.

        The mean of 2^k over random paths with k open comparisons; its expectation is the number of
        paths. Source: Knuth, Estimating the efficiency of backtrack programs, Mathematics of
        Computation 29 (1975).

        Examples
        --------
        >>> trace = Tracer(real=("u",))
        >>> trace.estimated_paths(lambda: [abs(trace["u"])], 4, np.random.default_rng(0))
        2
        """
        pruning = self._start_pruning(self._hypotheses)
        total = 0
        for _ in range(probes):
            coins = BranchSchedule(
                [bool(side) for side in generator.integers(2, size=self._longest)]
            )
            total += 2 ** len(self._trace(run, coins, pruning)[1])
        return total // probes

    def _start_pruning(self, given: Sequence[Condition]) -> Pruning | None:
        return Pruning(given) if self._prune else None

    def _walk(self, run: Run, pruning: Pruning | None) -> Iterator[Path]:
        schedule: BranchSchedule | None = BranchSchedule()
        count = 0
        earlier: tuple[Condition, ...] = ()
        while schedule is not None:
            count += 1
            if count > MAX_PATHS:
                raise LimitError(
                    "run", count, f"has more than {MAX_PATHS} paths", "trace a smaller one"
                )
            given = len(schedule.given)
            results, conditions = self._trace(run, schedule, pruning)
            if not _branches_off(conditions, earlier, given):
                raise InvalidInputError(
                    "run",
                    [str(condition) for condition in conditions],
                    "asked other questions after the same answers",
                    "keep no answer of a comparison from one call to the next",
                )
            earlier = conditions
            for numerator, denominator in results:
                yield Path(conditions, Polynomial.read(numerator), Polynomial.read(denominator))
            schedule = schedule.successor()

    def _trace(
        self, run: Run, schedule: BranchSchedule, pruning: Pruning | None
    ) -> tuple[list[tuple[PolyElement, PolyElement]], tuple[Condition, ...]]:
        """Run once; return what came out as fractions, and what was answered on the way."""
        self._schedule, self._conditions, self._asked, self._pruning = schedule, [], 0, pruning
        if pruning is not None:
            pruning.restart()
        self._refusal = None
        if self.foreign:
            Kind.running.append(self)
        try:
            returned = run()
            elements = [r.element if isinstance(r, Term) else self.constant(r) for r in returned]
            results = [self._orient(element) for element in elements]
            conditions = tuple(self._conditions)
        except Exception:
            if self._refusal is not None:  # it came first, and is the reason
                raise self._refusal from None
            raise
        finally:
            if self.foreign:
                Kind.running.pop()
            self._schedule, self._conditions, self._pruning = None, [], None
        if self._refusal is not None:
            raise self._refusal
        if not results:
            raise InvalidInputError("run", returned, "returns nothing to prove", "return a number")
        return results, conditions

    def obligations(self, run: Run, hypotheses: Sequence[Term] = ()) -> tuple[Obligation, ...]:
        """Return what has to be shown for every number that ``run`` returns to be at least zero.

        One obligation a path and number, and one a branch that was cut. Their order is that of the
        paths.

        Raises
        ------
        InvalidInputError
            When ``run`` returns nothing, asks other questions after the same answers, or the
            hypotheses contradict each other.
        LimitError
            When there are more than ``MAX_PATHS`` paths, ``MAX_CONDITIONS`` open or
            ``MAX_COMPARISONS`` comparisons on one, or the sign of a divisor is not visible.
        """
        return tuple(obligation for _, obligation in self.yield_obligations(run, hypotheses))

    def yield_obligations(
        self, run: Run, hypotheses: Sequence[Term] = ()
    ) -> Iterator[tuple[Path | None, Obligation]]:
        """Yield what has to be shown while it is traced, each with its path; None for a cut.

        Raises
        ------
        InvalidInputError, LimitError
            As :meth:`obligations` does.
        """
        given = (*self._hypotheses, *map(self._at_least_zero, hypotheses))
        pruning = self._start_pruning(given)
        shown = 0
        for path in self._walk(run, pruning):
            yield path, Obligation((*given, *path.conditions), path.numerator)
            cuts = [] if pruning is None else pruning.cuts[shown:]
            yield from ((None, cut) for cut in cuts)
            shown += len(cuts)

    def prove(
        self,
        run: Run,
        hypotheses: Sequence[Term] = (),
        *,
        solver: str = "certificates",
        steps: int | None = None,
    ) -> Proof:
        """Prove that every number that ``run`` returns is at least zero.

        ``hypotheses`` are terms that are at least zero, beside the positive symbols and what is
        assumed. ``run`` is called once a path; it must be a function of the symbols' comparisons
        alone. Of several maximisers the first alone is seen (:class:`Symbols`), so a statement
        about which actions tie is not traced. Certificates are searched path by path, up to the
        first goal that has none; another ``solver`` of ``SOLVERS`` gets all paths at once, and may
        take ``steps`` steps of its own.

        Raises
        ------
        InvalidInputError, LimitError
            As :meth:`obligations` does, and as :func:`decide` does for solver and steps.
        """
        paths, obligations, certificates, open_goal = set(), [], [], ""
        for path, obligation in self.yield_obligations(run, hypotheses):
            obligations.append(obligation)
            if path is not None:
                paths.add(path.conditions)
            if solver == "certificates":
                certificate = certify(obligation)
                if certificate is None:
                    open_goal = _open(obligation)
                    break
                certificates.append(certificate)
        decided = None
        if solver != "certificates":
            decided = decide(obligations, solver=solver, steps=STEPS if steps is None else steps)
        return Proof(
            self._parameters(hypotheses),
            len(paths),
            tuple(certificates),
            open_goal,
            obligations=tuple(obligations),
            decided=decided,
        )

    def _parameters(self, hypotheses: Sequence[Term]) -> str:
        kinds = [("real", self.real), ("positive", self.positive)]
        parameters = " and ".join(f"all {k} {', '.join(names)}" for k, names in kinds if names)
        assumed = [str(c) for c in self._hypotheses[len(self.positive) :]]
        given = [*assumed, *(f"{h} >= 0" for h in hypotheses)]
        return f"{parameters} with {', '.join(given)}" if given else parameters


def _open(obligation: Obligation) -> str:
    if obligation.goal is None:
        return f"a branch that was cut, {' and '.join(map(str, obligation.assumed))}, is empty"
    return f"{obligation.goal} is at least 0"


def _endless(asked: int, limit: int) -> LimitError:
    return LimitError(
        "run", asked, f"makes more than {limit:,} comparisons on one path", "end its loops"
    )


def _branches_off(
    conditions: Sequence[Condition], earlier: Sequence[Condition], given: int
) -> bool:
    """Whether a path shares all but the last of its given answers with the path before it."""
    if given == 0:
        return True
    if len(conditions) < given or len(earlier) < given:
        return False
    last = given - 1
    turned = conditions[last] == earlier[last].negated
    return turned and tuple(conditions[:last]) == tuple(earlier[:last])
