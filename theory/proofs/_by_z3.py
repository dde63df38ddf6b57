"""z3 reads the SMT-LIB text and answers."""

from __future__ import annotations

import builtins
import sys
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from theory.proofs._raw import Raw

__all__ = ["by_z3", "load_z3"]

_DIGITS = (2, 8, 40)


def load_z3() -> Any:
    """Return z3 with the library of its own package.

    z3 looks for it in the current folder first, where anybody's file may lie that bears its name.
    """
    if "z3" not in sys.modules and not hasattr(builtins, "Z3_LIB_DIRS"):
        found = find_spec("z3")
        folders = [] if found is None else [*(found.submodule_search_locations or ())]
        builtins.Z3_LIB_DIRS = [*(f"{each}/lib" for each in folders), *folders]  # type: ignore[attr-defined]
    return import_module("z3")


def by_z3(text: str, logic: str, steps: int) -> Raw:
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
