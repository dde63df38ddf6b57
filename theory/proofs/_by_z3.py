"""z3 reads the SMT-LIB text and answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.proofs._raw import Raw

__all__ = ["by_z3"]

_DIGITS = (2, 8, 40)


def by_z3(text: str, logic: str, steps: int) -> Raw:
    """Return z3's answer within ``steps`` of its resource units, in a context of its own."""
    import z3

    context = z3.Context()
    solver = z3.SolverFor(logic, ctx=context)
    solver.set("rlimit", steps)
    solver.from_string(text)
    found = solver.check()
    name = f"z3 {z3.get_version_string()}"
    used = _steps(solver.statistics())
    if found == z3.unsat:
        return Raw("unsat", name, used)
    if found == z3.unknown:
        return Raw("unknown", name, used, solver.reason_unknown())
    model = solver.model()
    near = tuple(
        {d.name(): _rational(model[d], digits) for d in model.decls()} for digits in _DIGITS
    )
    return Raw("sat", name, used, near=near)


def _steps(statistics: Any) -> int:
    return int(statistics.get_key_value("rlimit count"))


def _rational(value: Any, digits: int) -> Fraction:
    exact = value.approx(digits) if hasattr(value, "approx") else value
    return Fraction(exact.numerator_as_long(), exact.denominator_as_long())
