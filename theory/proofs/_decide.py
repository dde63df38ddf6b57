"""One door for every proof: obligations go in, an answer of the chosen solver comes out."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal

from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.proofs._answer import SolverVerdict
from theory.proofs._certify import certify
from theory.proofs._equation import Equation
from theory.proofs._obligation import Obligation
from theory.proofs._points import point_of
from theory.proofs._smtlib import Query, queries
from theory.shared.arguments import refusing
from theory.shared.extras import install_command

__all__ = [
    "MAX_STEPS",
    "SOLVERS",
    "STEPS",
    "SolverReply",
    "check_solver",
    "decide",
    "installed_solvers",
]


@dataclass(frozen=True)
class SolverReply:
    """The solver's own answer to the negation: ``unsat``, ``sat`` or ``unknown``.

    ``near`` are rational points at its model, or ever closer to it where that is irrational;
    symbols that it leaves open have none.
    """

    answer: Literal["unsat", "sat", "unknown"]
    solver: str
    steps: int
    reason: str = ""
    near: tuple[Mapping[str, Fraction], ...] = ()


# --- Cvc5 reads the SMT-LIB text and answers

_COVERINGS: Final = {"nl-cov": "true", "nl-ext": "none"}
"""Cylindrical algebraic coverings, which decide all of real arithmetic, if slowly."""


def by_cvc5(text: str, logic: str, steps: int) -> SolverReply:
    """Return cvc5's answer within ``steps`` of its resource units.

    Where its quick methods for products are at a loss, coverings are asked with the steps left.
    """
    first = _read_smtlib(text, steps, {})
    if first.answer != "unknown" or logic == "QF_LRA" or first.steps >= steps:
        return first
    second = _read_smtlib(text, steps - first.steps, _COVERINGS)
    return replace(second, steps=first.steps + second.steps)


def _read_smtlib(text: str, steps: int, options: Mapping[str, str]) -> SolverReply:
    """Read the text, without its expected status: cvc5 would raise where it finds another one."""
    cvc5: Any = import_module("cvc5")
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in {"rlimit": str(steps), "produce-models": "true", **options}.items():
        solver.setOption(option, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligations")
    symbols = parser.getSymbolManager()
    for command in _commands(parser):
        command.invoke(solver, symbols)
    found = solver.checkSat()
    name = f"cvc5 {cvc5.__version__}"
    used = int(solver.getStatistics().get(True, True)["resource::resourceUnitsUsed"]["value"])
    if found.isUnsat():
        return SolverReply("unsat", name, used)
    if found.isUnknown():
        return SolverReply("unknown", name, used, _solver_words(found.getUnknownExplanation()))
    values = [(term.getSymbol(), solver.getValue(term)) for term in symbols.getDeclaredTerms()]
    near = tuple({name: _near(value, side) for name, value in values} for side in range(3))
    return SolverReply("sat", name, used, near=near)


def _commands(parser: Any) -> Iterator[Any]:
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() not in ("set-info", "check-sat"):
            yield command


def _solver_words(explanation: Any) -> str:
    return str(explanation).rsplit(".", 1)[-1].replace("_", " ").lower()


def _near(value: Any, side: int) -> Fraction:
    """Return a rational value, or the lower end, the upper end or the middle of its interval."""
    if value.isRealValue():
        return Fraction(value.getRealValue())
    low = Fraction(value.getRealAlgebraicNumberLowerBound().getRealValue())
    high = Fraction(value.getRealAlgebraicNumberUpperBound().getRealValue())
    return (low, high, (low + high) / 2)[side]


# --- One door for every proof: obligations go in, an answer of the chosen solver comes out

# --- Z3 reads the SMT-LIB text and answers

_DIGITS = (2, 8, 40)


def load_z3() -> Any:
    """Return z3 with the library of its own package.

    z3 looks for it in the current folder first, where anybody's file may lie that bears its name.
    """
    if "z3" in sys.modules or hasattr(builtins, "Z3_LIB_DIRS"):
        return import_module("z3")
    found = find_spec("z3")
    folders = [] if found is None else [*(found.submodule_search_locations or ())]
    builtins.Z3_LIB_DIRS = [*(f"{each}/lib" for each in folders), *folders]  # type: ignore[attr-defined]
    try:
        return import_module("z3")
    finally:
        del builtins.Z3_LIB_DIRS  # type: ignore[attr-defined]


def by_z3(text: str, logic: str, steps: int) -> SolverReply:
    """Return z3's answer within ``steps`` of its resource units, in a context of its own."""
    z3 = load_z3()
    context = z3.Context()
    solver = z3.SolverFor(logic, ctx=context)
    solver.set("rlimit", steps)
    solver.from_string(text)
    found = solver.check()
    name = f"z3 {z3.get_version_string()}"
    used = _steps(solver.statistics())
    if found == z3.unsat:
        return SolverReply("unsat", name, used)
    if found == z3.unknown:
        return SolverReply("unknown", name, used, solver.reason_unknown())
    model = solver.model()
    near = tuple(
        {d.name(): _rational(model[d], digits) for d in model.decls()} for digits in _DIGITS
    )
    return SolverReply("sat", name, used, near=near)


def _steps(statistics: Any) -> int:
    return int(statistics.get_key_value("rlimit count"))


def _rational(value: Any, digits: int) -> Fraction:
    exact = value.approx(digits) if hasattr(value, "approx") else value
    return Fraction(exact.numerator_as_long(), exact.denominator_as_long())


# --- One door for every proof: obligations go in, an answer of the chosen solver comes out

SOLVERS: Final = ("certificates", "z3", "cvc5")
"""The solvers; the first comes with the library, the others are optional."""

STEPS: Final = 10_000_000
"""How many steps a solver may take unless it is told otherwise, in its own units."""

MAX_STEPS: Final = 2**32 - 1
"""The most steps that a solver can be told to take."""

_EXTRAS: Final = {"z3": "smt", "cvc5": "cvc5"}
_ASKED: Final = {"z3": by_z3, "cvc5": by_cvc5}
_NEEDED: Final = {"z3": ("Context", "SolverFor"), "cvc5": ("Solver", "InputParser")}


def installed_solvers() -> tuple[str, ...]:
    """Return the solvers that can be used here."""
    return tuple(s for s in SOLVERS if s not in _EXTRAS or find_spec(s) is not None)


@refusing
def decide(
    obligations: Sequence[Obligation],
    *,
    equations: Sequence[Equation] = (),
    solver: str = "z3",
    steps: int = STEPS,
) -> SolverVerdict:
    """Decide whether all obligations hold; a refutation comes with a point, checked exactly.

    z3 and cvc5 read the text of :func:`smtlib` script by script, and stop after ``steps`` of their
    own resource units in all: the same number on every machine, and no clock. Linear obligations
    are decidable by each solver; our certificates (products of two conditions, and squares) leave
    some true ones unknown that are not linear.

    Raises
    ------
    UnknownNameError
        For a solver that is none of ``SOLVERS``.
    InvalidInputError
        For a solver that is not installed or does not load, a number of steps that is not between
        1 and ``MAX_STEPS``, or nothing to decide.

    Examples
    --------
    >>> from theory.proofs import Condition, Polynomial
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> print(decide([Obligation((Condition(u, strict=True),), u)], solver="certificates"))
    Proved by certificates.
    >>> print(decide([Obligation((), u)], solver="certificates"))
    Refuted by certificates at u = -1: u >= 0 fails.
    """
    check_solver(solver, steps)
    if not obligations and not equations:
        raise InvalidInputError("obligations", obligations, "are empty", "give one to decide")
    if solver == "certificates":
        return _by_certificates(obligations, equations)
    return _by_solver(solver, queries(obligations, equations), steps)


def _by_solver(solver: str, asked: Sequence[Query], steps: int) -> SolverVerdict:
    """Ask query by query, as long as steps are left; a refutation outweighs what is unknown."""
    used, unknown = 0, ""
    name = solver
    for query in asked:
        if used >= steps:
            return SolverVerdict("unknown", name, used, reason=unknown or "the steps ran out")
        reply = _ASKED[solver](query.text, query.logic, steps - used)
        name, used = reply.solver, used + reply.steps
        point, failing = _refutation(reply, query)
        if failing:
            return SolverVerdict("refuted", name, used, point, f"{failing} fails")
        if reply.answer != "unsat":
            reason = reply.reason or "no rational point at or near its model refutes"
            unknown = unknown or reason
    return SolverVerdict("unknown" if unknown else "proved", name, used, reason=unknown)


@refusing
def check_solver(solver: str, steps: object) -> None:
    """Refuse what is no solver, is not installed or does not load, or cannot take the steps."""
    if solver not in SOLVERS:
        raise UnknownNameError("solver", solver, "is not a solver", nearest(solver, SOLVERS))
    if solver not in installed_solvers():
        fix = install_command(_EXTRAS[solver])
        raise InvalidInputError("solver", solver, "is not installed", fix)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MAX_STEPS:
        fix = f"give an integer from 1 to {MAX_STEPS:,}"
        raise InvalidInputError("steps", steps, "is not a number of steps", fix)
    if solver in _EXTRAS:
        _check_loads(solver)


def _check_loads(solver: str) -> None:
    """Refuse a solver that is installed, and whose package is broken or another one."""
    try:
        module = load_z3() if solver == "z3" else import_module(solver)
        for name in _NEEDED[solver]:
            getattr(module, name)
    except Exception as error:  # a library that is missing raises whatever the package raises
        said = str(error).strip().splitlines()
        problem = f"is installed and does not load: {type(error).__name__}: {''.join(said[:1])}"
        again = install_command(_EXTRAS[solver], "--force-reinstall")
        fix = f'install it anew, {again}, or use solver="certificates"'
        raise InvalidInputError("solver", solver, problem, fix) from error


def _refutation(reply: SolverReply, query: Query) -> tuple[Mapping[str, Fraction] | None, str]:
    """Return the first point near the model that refutes, in exact numbers, and what fails."""
    names = dict.fromkeys(
        n for o in query.obligations for c in o.negation for n in c.polynomial.names
    )
    names |= dict.fromkeys(query.names)
    for near in reply.near:
        point = {name: near.get(name, Fraction(0)) for name in names}
        failing = [o for o in query.obligations if o.fails(point)]
        failing_equations = [e for e in query.equations if e.fails(point)]
        for one in (*failing, *failing_equations):
            return point, str(one)
    return None, ""


def _by_certificates(
    obligations: Sequence[Obligation], equations: Sequence[Equation]
) -> SolverVerdict:
    found = []
    for obligation in obligations:
        certificate = certify(obligation)
        if certificate is None:
            return _without_certificate(obligation)
        if not certificate.holds():
            return SolverVerdict(
                "unknown", "certificates", reason=f"SymPy rejects that of {obligation}"
            )
        found.append(certificate)
    for equation in equations:
        if not equation.holds():
            return SolverVerdict(
                "unknown", "certificates", reason=f"SymPy does not confirm {equation}"
            )
    return SolverVerdict("proved", "certificates", certificates=tuple(found))


def _without_certificate(obligation: Obligation) -> SolverVerdict:
    try:
        point = point_of(obligation.negation)
    except LimitError:
        point = None
    if point is not None:
        return SolverVerdict("refuted", "certificates", None, point, f"{obligation} fails")
    return SolverVerdict(
        "unknown", "certificates", reason=f"no certificate was found: {obligation}"
    )
