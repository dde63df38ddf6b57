"""One door for every proof: obligations go in, an answer of the chosen solver comes out."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.proofs._answer import Answer
from theory.proofs._certify import certify
from theory.proofs._obligation import Obligation
from theory.proofs._points import point_of

__all__ = ["SOLVERS", "STEPS", "decide", "installed"]

SOLVERS: Final = ("certificates", "z3", "cvc5")
"""The solvers; the first comes with the library, the others are optional."""

STEPS: Final = 10_000_000
"""How many steps a solver may take unless it is told otherwise, in its own units."""


def installed() -> tuple[str, ...]:
    """Return the solvers that can be used here."""
    return tuple(s for s in SOLVERS if s == "certificates" or find_spec(s) is not None)


def decide(
    obligations: Sequence[Obligation], *, solver: str = "z3", steps: int = STEPS, note: str = ""
) -> Answer:
    """Decide whether all obligations hold; a refutation comes with a point, checked exactly.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from theory.proofs import Condition, Polynomial
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> print(decide([Obligation((Condition(u, strict=True),), u)], solver="certificates"))
    Proved by certificates.
    >>> print(decide([Obligation((), u)], solver="certificates"))
    Refuted by certificates at u = -1: u >= 0 fails.
    """
    if solver not in SOLVERS:
        raise UnknownNameError("solver", solver, "is not a solver", nearest(solver, SOLVERS))
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InvalidInputError("steps", steps, "is not a count", "give an integer of at least 1")
    if not obligations:
        raise InvalidInputError("obligations", obligations, "are empty", "give one to decide")
    return _by_certificates(obligations)


def _by_certificates(obligations: Sequence[Obligation]) -> Answer:
    found = []
    for obligation in obligations:
        certificate = certify(obligation)
        if certificate is None:
            return _without_certificate(obligation)
        found.append(certificate)
    return Answer("proved", "certificates", certificates=tuple(found))


def _without_certificate(obligation: Obligation) -> Answer:
    try:
        point = point_of(obligation.negation)
    except LimitError:
        point = None
    if point is not None:
        return Answer("refuted", "certificates", model=point, reason=f"{obligation} fails")
    return Answer("unknown", "certificates", reason=f"no certificate was found: {obligation}")
