"""cvc5 reads the SMT-LIB text and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any, Final

from theory.proofs._raw import Raw

__all__ = ["by_cvc5"]


_COVERINGS: Final = {"nl-cov": "true", "nl-ext": "none"}
"""Cylindrical algebraic coverings, which decide all of real arithmetic, if slowly."""


def by_cvc5(text: str, logic: str, steps: int) -> Raw:
    """Return cvc5's answer within ``steps`` of its resource units.

    Where its quick methods for products are at a loss, coverings are asked with the steps left.
    """
    first = _asked(text, steps, {})
    if first.answer != "unknown" or logic == "QF_LRA" or first.steps >= steps:
        return first
    second = _asked(text, steps - first.steps, _COVERINGS)
    return replace(second, steps=first.steps + second.steps)


def _asked(text: str, steps: int, options: Mapping[str, str]) -> Raw:
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
        return Raw("unsat", name, used)
    if found.isUnknown():
        return Raw("unknown", name, used, _words(found.getUnknownExplanation()))
    values = [(term.getSymbol(), solver.getValue(term)) for term in symbols.getDeclaredTerms()]
    near = tuple({name: _near(value, side) for name, value in values} for side in range(3))
    return Raw("sat", name, used, near=near)


def _commands(parser: Any) -> Iterator[Any]:
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() not in ("set-info", "check-sat"):
            yield command


def _words(explanation: Any) -> str:
    return str(explanation).rsplit(".", 1)[-1].replace("_", " ").lower()


def _near(value: Any, side: int) -> Fraction:
    """Return a rational value, or the lower end, the upper end or the middle of its interval."""
    if value.isRealValue():
        return Fraction(value.getRealValue())
    low = Fraction(value.getRealAlgebraicNumberLowerBound().getRealValue())
    high = Fraction(value.getRealAlgebraicNumberUpperBound().getRealValue())
    return (low, high, (low + high) / 2)[side]
