"""What has to be shown: conditions imply that a polynomial is at least zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from theory.proofs._polynomial import Condition, Polynomial

__all__ = ["Obligation"]


@dataclass(frozen=True)
class Obligation:
    """For all real values of the symbols, what is assumed implies that the goal is at least zero.

    Attributes
    ----------
    assumed : tuple of Condition
        Hypotheses, and the answers of the comparisons on one path.
    goal : Polynomial or None
        None where the conditions are to be shown to contradict each other: a branch that was cut.

    Examples
    --------
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> print(Obligation((Condition(u, strict=True),), u * u))
    if u > 0, then u**2 >= 0
    >>> print(Obligation((Condition(u, strict=True), Condition(-u, strict=False)), None))
    never u > 0 and -u >= 0
    """

    assumed: tuple[Condition, ...]
    goal: Polynomial | None

    @property
    def negation(self) -> tuple[Condition, ...]:
        """Conditions that hold together exactly where the obligation fails."""
        if self.goal is None:
            return self.assumed
        return (*self.assumed, Condition(-self.goal, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """The symbols."""
        return self.negation[0].polynomial.names if self.negation else ()

    def fails(self, at: Mapping[str, Fraction]) -> bool:
        """Whether a point refutes the obligation, in exact arithmetic."""
        return all(condition.holds(at) for condition in self.negation)

    def __str__(self) -> str:
        given = " and ".join(map(str, self.assumed))
        if self.goal is None:
            return f"never {given or 'true'}"
        return f"{f'if {given}, then ' if given else ''}{self.goal} >= 0"
