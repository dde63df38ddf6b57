"""Obligations as SMT-LIB 2.6: the text that a solver reads, and that anyone can check again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Final

from theory.errors import InvalidInputError
from theory.proofs._equation import Equation
from theory.proofs._obligation import Obligation
from theory.proofs._polynomial import Condition, Polynomial

__all__ = ["logic_of", "smtlib"]

_SIMPLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_TAKEN: Final = frozenset(
    (
        *("_", "abs", "and", "as", "assert", "distinct", "exists", "false", "forall", "is_int"),
        *("ite", "let", "match", "not", "or", "par", "to_int", "to_real", "true", "xor"),
        *("BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING"),
    )
)


def smtlib(
    obligations: Sequence[Obligation], *, equations: Sequence[Equation] = (), comment: str = ""
) -> str:
    """Return a script whose answer is ``unsat`` exactly where every obligation holds.

    It asserts one disjunction: some obligation fails, or some equation; with nothing to show that
    is false. The logic is QF_LRA where
    all is linear and QF_NRA otherwise. It ends with ``check-sat``; z3 and cvc5 get this very text.

    Raises
    ------
    InvalidInputError
        Where a symbol has a name that SMT-LIB cannot write.

    Examples
    --------
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> print(smtlib([Obligation((Condition(u, strict=True),), u)], comment="u > 0 => u >= 0"))
    ; u > 0 => u >= 0
    (set-info :smt-lib-version 2.6)
    (set-logic QF_LRA)
    (set-info :status unsat)
    (declare-const u Real)
    (assert (and (> u 0) (> (- u) 0)))
    (check-sat)
    <BLANKLINE>
    """
    fails = [_both(map(_condition, obligation.negation)) for obligation in obligations]
    fails += [equation.smtlib(_polynomial) for equation in equations]
    polynomials = _polynomials(obligations, equations)
    names = dict.fromkeys(name for p in polynomials for name in p.used)
    lines = [f"; {line}".rstrip() for line in comment.splitlines()]
    lines += [
        "(set-info :smt-lib-version 2.6)",
        f"(set-logic {logic_of(obligations, equations)})",
        "(set-info :status unsat)",
        *(f"(declare-const {_name(name)} Real)" for name in names),
        _asserted(fails),
        "(check-sat)",
    ]
    return "\n".join(lines) + "\n"


def _asserted(fails: Sequence[str]) -> str:
    if len(fails) < 2:
        return f"(assert {fails[0] if fails else 'false'})"
    lines = "\n".join(f"  {fail}" for fail in fails)
    return f"(assert (or\n{lines}))"


def logic_of(obligations: Sequence[Obligation], equations: Sequence[Equation] = ()) -> str:
    """Return ``QF_LRA`` where everything is linear, else ``QF_NRA``."""
    linear = all(p.degree <= 1 for p in _polynomials(obligations, ())) and not equations
    return "QF_LRA" if linear else "QF_NRA"


def _polynomials(
    obligations: Sequence[Obligation], equations: Sequence[Equation]
) -> list[Polynomial]:
    assumed = (c.polynomial for obligation in obligations for c in obligation.negation)
    return [*chain(assumed, (p for equation in equations for p in equation.polynomials))]


def _both(texts: Iterable[str]) -> str:
    found = list(texts)
    if not found:
        return "true"
    return found[0] if len(found) == 1 else f"(and {' '.join(found)})"


def _condition(condition: Condition) -> str:
    return f"({'>' if condition.strict else '>='} {_polynomial(condition.polynomial)} 0)"


def _polynomial(polynomial: Polynomial) -> str:
    return _applied("+", [_term(polynomial.names, e, c) for e, c in polynomial.terms], "0")


def _term(names: tuple[str, ...], exponents: tuple[int, ...], coefficient: Fraction) -> str:
    powers = [_name(n) for n, times in zip(names, exponents, strict=True) for _ in range(times)]
    if powers and coefficient == -1:
        return f"(- {_applied('*', powers, '1')})"
    if not powers or coefficient != 1:
        powers.insert(0, _number(coefficient))
    return _applied("*", powers, "1")


def _applied(operation: str, arguments: Sequence[str], neutral: str) -> str:
    if len(arguments) <= 1:
        return arguments[0] if arguments else neutral
    return f"({operation} {' '.join(arguments)})"


def _number(value: Fraction) -> str:
    top = str(abs(value.numerator))
    size = top if value.denominator == 1 else f"(/ {top} {value.denominator})"
    return f"(- {size})" if value < 0 else size


def _name(name: str) -> str:
    if name in _TAKEN or "|" in name or "\\" in name or not name.isprintable():
        raise InvalidInputError("symbol", name, "has no name in SMT-LIB", "give it another name")
    return name if _SIMPLE.fullmatch(name) else f"|{name}|"
