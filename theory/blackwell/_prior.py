"""Reading a prior of full support."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from theory.errors import ProbabilityError, ShapeError
from theory.numbers import rational

__all__ = ["full_support"]


def full_support(
    states: tuple[Hashable, ...], prior: Sequence[object] | None
) -> tuple[Fraction, ...]:
    """Return ``prior`` in fractions, or the uniform one, once it is seen to be positive.

    Raises
    ------
    ShapeError
        When it does not have a number for each state.
    ProbabilityError
        When a state has no probability, or the sum is not one.
    """
    if prior is None:
        return (Fraction(1, len(states)),) * len(states)
    if len(prior) != len(states):
        raise ShapeError("prior", prior, f"does not fit {len(states)} states", "give one each")
    law = tuple(rational(p, f"prior of {w}") for w, p in zip(states, prior, strict=True))
    for state, p in zip(states, law, strict=True):
        if p <= 0:
            raise ProbabilityError(f"prior of {state}", p, "is not positive", "give more than 0")
    if sum(law) != 1:
        raise ProbabilityError("prior", sum(law), "does not sum to one", 'use e.g. "1/3"')
    return law
