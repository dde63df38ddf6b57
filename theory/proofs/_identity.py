"""Identities: steps of a proof that SymPy confirms, some of which only SymPy decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theory.errors import InvalidInputError
from theory.proofs._equation import Equation

__all__ = ["Identity"]


@dataclass(frozen=True)
class Identity:
    """A step of a proof in words, and what must be so for it to be confirmed.

    Attributes
    ----------
    statement : str
        The step.
    equations : tuple of Equation
        Equations of rational functions; any solver decides them.
    zeros : tuple of sympy.Expr
        Expressions that are zero, with logarithms, exponentials, limits, integrals or derivatives;
        only SymPy decides them.
    signs : tuple of sympy.Expr
        Expressions that are above zero; only SymPy decides them.

    Examples
    --------
    >>> from sympy import Derivative, Symbol, log
    >>> x = Symbol("x", positive=True)
    >>> Identity("(log x)' = 1/x", zeros=(Derivative(log(x), x) - 1 / x,)).confirmed
    True
    >>> Identity("(log x)' = x", zeros=(Derivative(log(x), x) - x,)).confirmed
    False
    """

    statement: str
    equations: tuple[Equation, ...] = ()
    zeros: tuple[Any, ...] = ()
    signs: tuple[Any, ...] = ()

    @property
    def confirmed(self) -> bool:
        """Whether SymPy confirms every part; a step without any is not confirmed."""
        parts = bool(self.equations or self.zeros or self.signs)
        return (
            parts
            and all(equation.holds() for equation in self.equations)
            and all(_vanishes(expression) for expression in self.zeros)
            and all(_above(expression) for expression in self.signs)
        )

    def __str__(self) -> str:
        return self.statement


def _vanishes(expression: Any) -> bool:
    """Whether one of the ways to simplify an expression ends at zero."""
    from sympy import exp, expand_log, powsimp, simplify

    given = _read(expression)
    ways: Sequence[Callable[[], Any]] = (
        lambda: given,
        lambda: simplify(given.rewrite(exp)),
        lambda: simplify(powsimp(expand_log(simplify(given), force=True))),
    )
    return any(way() == 0 for way in ways)


def _above(expression: Any) -> bool:
    given = _read(expression)
    return given.is_positive is True or bool((given > 0) == True)  # noqa: E712


def _read(expression: Any) -> Any:
    """Return what was given as an expression of SymPy; text is none, as SymPy would run it."""
    from sympy import SympifyError, sympify

    try:
        return sympify(expression, strict=True).doit()
    except SympifyError as error:
        fix = "build it of symbols and numbers of SymPy"
        raise InvalidInputError("expression", expression, "is no expression", fix) from error
