"""The softmax that the library runs, on logarithms that stay exact or symbolic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from theory.actions._indexed import softmax
from theory.errors import UndecidedError
from theory.numbers.balls import ball, refine
from theory.proofs import Proof

__all__ = [
    "IdentityProof",
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


@dataclass(frozen=True)
class IdentityProof(Proof):
    """A proof of which some steps are identities of calculus, each confirmed by SymPy or not."""

    steps: tuple[tuple[str, bool], ...] = ()

    @cached_property
    def complete(self) -> bool:
        """Whether the certificates hold, and SymPy confirms every step."""
        certified = Proof(self.parameters, self.paths, self.certificates, self.open_goal)
        return certified.complete and all(confirmed for _, confirmed in self.steps)

    def __str__(self) -> str:
        failed = [step for step, confirmed in self.steps if not confirmed]
        if self.open_goal or failed:
            return f"SymPy does not confirm that {(failed or [self.open_goal])[0]}."
        if not self.complete:
            return "The certificates do not hold."
        steps = "; ".join(f"({n}) {step}" for n, (step, _) in enumerate(self.steps, 1))
        return (
            f"Proved for {self.parameters}: {self.paths:,} paths of the traced code, and these "
            f"steps, which SymPy confirms: {steps}."
        )
