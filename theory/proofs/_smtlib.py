"""Obligations as SMT-LIB 2.6: the text that a solver reads, and that anyone can check again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from theory.errors import InvalidInputError
from theory.proofs._equation import Equation
from theory.proofs._obligation import Obligation
from theory.proofs._polynomial import Condition, Polynomial
from theory.shared.arguments import refusing

__all__ = ["Query", "queries", "smtlib"]

_SIMPLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_TAKEN: Final = frozenset(
    (
        *("_", "abs", "and", "as", "assert", "distinct", "exists", "false", "forall", "is_int"),
        *("ite", "let", "match", "not", "or", "par", "to_int", "to_real", "true", "xor"),
        *("BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING"),
    )
)


@dataclass(frozen=True)
class Query:
    """A script with one ``check-sat``, and what its answer ``unsat`` shows."""

    obligations: tuple[Obligation, ...]
    equations: tuple[Equation, ...]

    @cached_property
    def logic(self) -> str:
        """``QF_LRA`` where everything is linear, else ``QF_NRA``."""
        linear = all(p.degree <= 1 for p in self._polynomials) and not self.equations
        return "QF_LRA" if linear else "QF_NRA"

    @property
    def text(self) -> str:
        """The script: some obligation fails, or some equation."""
        fails = [_both(map(_condition, obligation.negation)) for obligation in self.obligations]
        fails += [equation.smtlib(_polynomial) for equation in self.equations]
        lines = [
            "(set-info :smt-lib-version 2.6)",
            f"(set-logic {self.logic})",
            "(set-info :status unsat)",
            *(f"(declare-const {_name(name)} Real)" for name in self.names),
            _write_assertion(fails),
            "(check-sat)",
        ]
        return "\n".join(lines) + "\n"

    @property
    def names(self) -> tuple[str, ...]:
        """The symbols that stand in it."""
        return tuple(dict.fromkeys(name for p in self._polynomials for name in p.used))

    @cached_property
    def _polynomials(self) -> tuple[Polynomial, ...]:
        assumed = (c.polynomial for obligation in self.obligations for c in obligation.negation)
        return (*assumed, *(p for equation in self.equations for p in equation.polynomials))


def queries(
    obligations: Sequence[Obligation], equations: Sequence[Equation] = ()
) -> tuple[Query, ...]:
    """Return what to ask: the linear obligations at once, others one by one, then the equations.

    Nothing to ask makes one query, whose assertion is false.
    """
    linear: list[Obligation] = []
    others: list[Obligation] = []
    for obligation in dict.fromkeys(obligations):
        degrees = (condition.polynomial.degree for condition in obligation.negation)
        (linear if max(degrees, default=0) <= 1 else others).append(obligation)
    found = [Query(tuple(linear), ())] if linear else []
    found += [Query((obligation,), ()) for obligation in others]
    if equations or not found:
        found.append(Query((), tuple(dict.fromkeys(equations))))
    return tuple(found)


@refusing
def smtlib(
    obligations: Sequence[Obligation], *, equations: Sequence[Equation] = (), comment: str = ""
) -> str:
    """Return scripts of SMT-LIB, one after the other, that are all ``unsat`` where all holds.

    Each asserts the disjunction of ways to fail. The linear obligations stand in one, in the logic
    QF_LRA, the others in one each, in QF_NRA, and the equations in one; ``reset`` stands between
    them, so that a solver can read the file as it is. z3 and cvc5 get this very text from
    :func:`decide`, script by script.

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
    lines = "".join(f"; {line}".rstrip() + "\n" for line in comment.splitlines())
    return lines + "(reset)\n".join(query.text for query in queries(obligations, equations))


def _write_assertion(fails: Sequence[str]) -> str:
    if len(fails) < 2:
        return f"(assert {fails[0] if fails else 'false'})"
    lines = "\n".join(f"  {fail}" for fail in fails)
    return f"(assert (or\n{lines}))"


def _both(texts: Iterable[str]) -> str:
    found = list(texts)
    if not found:
        return "true"
    return found[0] if len(found) == 1 else f"(and {' '.join(found)})"


def _condition(condition: Condition) -> str:
    return f"({'>' if condition.strict else '>='} {_polynomial(condition.polynomial)} 0)"


def _polynomial(polynomial: Polynomial) -> str:
    return _apply_operation("+", [_term(polynomial.names, e, c) for e, c in polynomial.terms], "0")


def _term(names: tuple[str, ...], exponents: tuple[int, ...], coefficient: Fraction) -> str:
    powers = [_name(n) for n, times in zip(names, exponents, strict=True) for _ in range(times)]
    if powers and coefficient == -1:
        return f"(- {_apply_operation('*', powers, '1')})"
    if not powers or coefficient != 1:
        powers.insert(0, _number(coefficient))
    return _apply_operation("*", powers, "1")


def _apply_operation(operation: str, arguments: Sequence[str], neutral: str) -> str:
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
