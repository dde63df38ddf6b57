r"""Step sizes, fixed or for any number of rounds, and the regret that they lead to.

Regret of the learners here is at most

    entropy / e_T + curvature (e_1 + ... + e_T)

for step sizes e_1 >= e_2 >= ...: the entropy is what it costs to tell the actions apart, as log N;
the curvature is what a step overshoots, as 1/8. See ``docs/proofs.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Self

from mechanisms.learners.arguments import LARGEST_COUNT, step_size
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["Rates"]


@dataclass(frozen=True)
class Rates:
    r"""Step sizes of all rounds: e_t = first, or first / \sqrt{t} where ``anytime``.

    Attributes
    ----------
    first : float
        That of the first round, above 0.
    anytime : bool
    entropy, curvature : float
        The constants of the bound. An entropy of 0 means that there is nothing to learn.
    """

    first: float
    anytime: bool
    entropy: float
    curvature: float

    @classmethod
    def of(cls, *, rounds: Any, rate: Any, entropy: float, curvature: float = 1 / 8) -> Self:
        r"""Return step sizes: a rate that is given, the best one for T rounds, or those for any T.

        With K the entropy and q the curvature, the best fixed rate is \sqrt{K / (q T)}, with regret
        of at most 2 \sqrt{K q T}; for any T the rate is \sqrt{K / (2 q t)} in round t, with
        2 \sqrt{2 K q T}.

        Parameters
        ----------
        rounds : int or None
            T, if it is known.
        rate : float or None
            A rate of one's own, above 0.
        entropy, curvature : float
            The constants of the bound, at least 0.

        Raises
        ------
        InvalidInputError
            When both are given, or one is no positive number.

        Examples
        --------
        >>> rates = Rates.of(rounds=None, rate=None, entropy=log(10))
        >>> round(rates.at(1), 3), round(rates.at(4), 3), round(sum(rates.terms(100)), 3)
        (3.035, 1.517, 15.174)
        """
        if rounds is not None and rate is not None:
            fix = "give rounds for the best rate, rate for your own, or neither for any length"
            raise InvalidInputError("rate", rate, f"is given beside rounds={rounds!r}", fix)
        if rate is not None:
            return cls(step_size(rate), False, entropy, curvature)
        known = None if rounds is None else read_count("rounds", rounds, most=LARGEST_COUNT)
        if entropy == 0:
            return cls(1.0, known is None, entropy, curvature)
        if known is None:
            return cls(sqrt(entropy / (2 * curvature)), True, entropy, curvature)
        return cls(sqrt(entropy / curvature / known), False, entropy, curvature)

    @classmethod
    def of_maps(cls, size: int, constants: bool, rounds: Any, rate: Any) -> Self:
        """Return the step sizes of Hedge over the maps of ``size`` actions.

        There are N (N - 1) + 1 <= N^2 maps that move one action or none, of the same prior weight;
        with constant maps, which have half of the prior, each of the former has at least
        1 / (2 N^2).
        """
        entropy = 2 * log(size) + (log(2) if constants else 0.0)
        return cls.of(rounds=rounds, rate=rate, entropy=entropy)

    def at(self, number: int) -> float:
        """Return e_t for the round of this number, counted from 1."""
        return self.first / sqrt(number) if self.anytime else self.first

    def describe(self) -> tuple[str, ...]:
        """Write the fixed rate, as an argument; nothing where rates fall."""
        return () if self.anytime else (f"rate={self.first:.4g}",)

    def terms(self, rounds: int, entropy: float | None = None) -> tuple[float, float]:
        r"""Return both terms of the bound after T rounds.

        With a fixed rate e they are entropy / e and curvature e T; with e_t = c / \sqrt{t} they are
        entropy \sqrt{T} / c and 2 curvature c \sqrt{T}, as \sum_t 1 / \sqrt{t} <= 2 \sqrt{T}.

        Parameters
        ----------
        rounds : int
        entropy : float, optional
            In place of the one that the step sizes were made for.
        """
        own = self.entropy if entropy is None else entropy
        if own == 0:
            return 0.0, 0.0
        total = 2 * self.first * sqrt(rounds) if self.anytime else self.first * rounds
        return own / self.at(rounds), self.curvature * total
