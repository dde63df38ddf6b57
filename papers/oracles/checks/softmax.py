"""The softmax that the library runs, on logarithms that stay exact or symbolic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theory.actions.listed_softmax import softmax
from theory.errors import UndecidedError
from theory.numbers.balls import ball, refine

__all__ = [
    "Law",
    "Log",
    "exceeds",
    "law_of",
    "running_softmax",
]

Law = Callable[[np.ndarray], np.ndarray]


class Log:
    """The logarithm of a positive number, kept as that number: a rational, or a traced term."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def exp(self) -> Any:
        """Return the number; ``numpy.exp`` calls this."""
        return self.of

    def __add__(self, other: Log) -> Log:
        return Log(self.of * other.of)

    def __sub__(self, other: Log) -> Log:
        return Log(self.of / other.of)

    def __gt__(self, other: Log) -> bool:
        return bool(self.of > other.of)

    def __ge__(self, other: Log) -> bool:
        return bool(self.of >= other.of)

    def __lt__(self, other: Log) -> bool:
        return bool(self.of < other.of)

    def __le__(self, other: Log) -> bool:
        return bool(self.of <= other.of)

    def __repr__(self) -> str:
        return f"log {self.of}"


def running_softmax(scores: np.ndarray) -> np.ndarray:
    """Return what the softmax of ``theory.actions`` returns, on an array of any kind of number."""
    return softmax(scores)


def law_of(weights: Sequence[Any], law: Law = running_softmax) -> list[Any]:
    """Return the softmax of the logarithms of ``weights``, computed as the library computes it.

    Examples
    --------
    >>> [str(p) for p in law_of([Fraction(1), Fraction(3)])]
    ['1/4', '3/4']
    """
    scores = np.empty(len(weights), dtype=object)
    scores[:] = [Log(w) for w in weights]
    return list(law(scores))


def exceeds(value: Fraction, constant: Fraction, ratio: Fraction) -> bool:
    """Say whether ``value`` > ``constant`` · log(``ratio``), which certified balls decide."""

    def decided() -> bool:
        difference = ball(value) - ball(constant) * ball(ratio).log()
        if difference > 0:
            return True
        if difference < 0:
            return False
        raise UndecidedError(f"{value} may be {constant} log({ratio})")

    return refine(decided)
