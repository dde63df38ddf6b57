"""Probabilities of a few alternatives, as whole numbers where they are rational."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import exp, fsum, inf, isfinite, lcm, log, log1p
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, NumberError
from theory.numbers import rational

__all__ = ["Decoding", "Odds", "log_of", "log_ratio"]

_HIGHEST_POWER: Final = 64
"""Whole numbers are raised to no higher power; logarithms do the rest."""


def log_ratio(numerator: int, denominator: int) -> float:
    """Return log(numerator / denominator) for 0 <= numerator <= denominator, to the last bits.

    Near 1 the logarithm of the rounded quotient would lose them; numbers that are too long for a
    float are no obstacle.

    Examples
    --------
    >>> log_ratio(10**400 - 1, 10**400) == 0.0 and log_ratio(0, 1)
    -inf
    >>> round(log_ratio(1, 10**400))
    -921
    """
    if numerator == 0:
        return -inf
    if 2 * numerator > denominator:
        return log1p(-((denominator - numerator) / denominator))
    if denominator <= numerator * 2**900:
        return log(numerator / denominator)
    return log(numerator) - log(denominator)


def log_of(number: Fraction) -> float:
    """Return the logarithm of a positive rational of any size."""
    if number > 1:
        return -log_ratio(number.denominator, number.numerator)
    return log_ratio(number.numerator, number.denominator)


@dataclass(frozen=True)
class Decoding:
    """Temperature and top-p: how a law is changed before anything is drawn from it.

    Parameters
    ----------
    temperature : number
        T >= 0: probabilities are raised to the power 1/T and normalised; 0 is the limit, which is
        uniform over the most probable.
    top_p : number
        In (0, 1]: after that only the fewest most probable alternatives are kept that have at least
        this much probability together, and their probabilities normalised. Of equally probable ones
        the first are kept. 1 keeps all.

    Raises
    ------
    InvalidInputError
        For other numbers, and for what is none.
    """

    temperature: Any = 1.0
    top_p: Any = 1.0

    def __post_init__(self) -> None:
        temperature, top_p = _number(self.temperature), _number(self.top_p)
        if temperature is None or temperature < 0:
            fix = "give a finite number of at least 0"
            raise InvalidInputError("temperature", self.temperature, "is no temperature", fix)
        if top_p is None or not 0 < top_p <= 1:
            fix = "give a number above 0 and at most 1"
            raise InvalidInputError("top_p", self.top_p, "is no such probability", fix)
        object.__setattr__(self, "temperature", temperature)
        object.__setattr__(self, "top_p", top_p)

    @property
    def changes(self) -> bool:
        """Whether it changes anything."""
        return bool(self.temperature != 1 or self.top_p != 1)


def _number(value: Any) -> Fraction | None:
    """Return the rational that a number is, a float the one that it stands for."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return Fraction(value) if isfinite(value) else None
    try:
        return rational(value)
    except NumberError:
        return None


@dataclass(frozen=True, eq=False)
class Odds:
    """The probabilities of alternatives 0, 1, ….

    Attributes
    ----------
    counts : tuple of int, or None
        Whole numbers in proportion to them, where they are rational.
    logs : tuple of float
        Their logarithms, -inf for what is impossible.
    """

    counts: tuple[int, ...] | None
    logs: tuple[float, ...]

    @classmethod
    def of_counts(cls, counts: Sequence[int]) -> Odds:
        """Return probabilities in proportion to whole numbers that are not all 0."""
        total = sum(counts)
        return cls(tuple(counts), tuple(log_ratio(count, total) for count in counts))

    @classmethod
    def of_logs(cls, logs: Sequence[float]) -> Odds:
        """Return probabilities in proportion to exp(logs); some are above -inf, none is inf."""
        top = max(logs)
        total = top + log(fsum(exp(one - top) for one in logs))
        return cls(None, tuple(min(one - total, 0.0) for one in logs))

    @classmethod
    def of_weights(cls, argument: str, weights: Sequence[Any]) -> Odds:
        """Return probabilities in proportion to weights: rationals, or floats throughout.

        Raises
        ------
        InvalidInputError
            Where one is no finite number of at least 0, all are 0, or there are none; where floats
            stand beside fractions or text.
        """
        fix = "give finite numbers of at least 0, some of them above"
        if not weights:
            raise InvalidInputError(argument, weights, "has no alternatives", "give some")
        floats = [isinstance(one, float | np.floating) for one in weights]
        if any(floats):
            if not all(
                floating or type(one) is int for floating, one in zip(floats, weights, strict=True)
            ):
                problem = "mixes floats with exact numbers"
                raise InvalidInputError(argument, weights, problem, "use one kind throughout")
            exact = [Fraction(_read_finite(argument, one)) for one in weights]
        else:
            exact = [rational(one, argument) for one in weights]
        if min(exact) < 0 or max(exact) == 0:
            raise InvalidInputError(argument, weights, "are no weights", fix)
        scale = lcm(*(one.denominator for one in exact))
        odds = cls.of_counts([int(one * scale) for one in exact])
        return cls(None, odds.logs) if any(floats) else odds

    def probabilities(self) -> list[Fraction] | list[float]:
        """Return the probabilities: fractions where they are rational, else floats."""
        if self.counts is None:
            return [exp(one) for one in self.logs]
        total = sum(self.counts)
        return [Fraction(count, total) for count in self.counts]

    def decode(self, decoding: Decoding) -> Odds:
        """Return the probabilities after temperature and top-p.

        They stay rational where they are, and 1/T is a whole number up to 64, or T is 0.
        """
        return self._cool(decoding.temperature)._cut(decoding.top_p)

    def _cool(self, temperature: Fraction) -> Odds:
        if temperature == 1:
            return self
        values: Sequence[Any] = self.logs if self.counts is None else self.counts
        if temperature == 0:
            top = max(values)
            return Odds.of_counts([int(value == top) for value in values])
        power = 1 / temperature
        if self.counts is not None and power.denominator == 1 and power <= _HIGHEST_POWER:
            return Odds.of_counts([count ** int(power) for count in self.counts])
        top = max(self.logs)
        return Odds.of_logs([_times(one - top, power) for one in self.logs])

    def _cut(self, top_p: Fraction) -> Odds:
        if top_p == 1:
            return self
        values: Sequence[Any] = self.counts or [exp(one) for one in self.logs]
        order = sorted(range(len(values)), key=lambda number: -values[number])
        enough = top_p * sum(values) if self.counts else float(top_p) * fsum(values)
        sums = accumulate(values[number] for number in order)
        last = next((place for place, held in enumerate(sums) if held >= enough), len(order) - 1)
        kept = set(order[: last + 1])
        if self.counts:
            return Odds.of_counts([c if k in kept else 0 for k, c in enumerate(self.counts)])
        return Odds.of_logs([one if k in kept else -inf for k, one in enumerate(self.logs)])


def _read_finite(argument: str, value: Any) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise InvalidInputError(argument, value, "is not finite", "give a finite number")
    return number


def _times(log_probability: float, power: Fraction) -> float:
    """Return their product; log-probabilities of what is possible stay above -inf."""
    if log_probability in {0.0, -inf}:
        return log_probability
    try:
        return max(log_probability * float(power), -1.7e308)
    except OverflowError:
        return -1.7e308
