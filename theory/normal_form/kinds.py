"""Payoffs and probabilities are rationals or float64; which of the two, and how they meet."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any, Final

import numpy as np

from theory.errors import ExactnessError, NumberError, ProbabilityError
from theory.numbers import Exact, Floats, Numbers, as_numbers
from theory.numbers.exact import check_bits
from theory.probability import SUM_TOLERANCE

__all__ = ["as_distribution", "finite_float", "plain", "read_numbers", "stack", "together"]

_EXACT_IN_FLOAT64: Final = 2**53
_INT64: Final = 2**63 - 1


def read_numbers(values: object, argument: str) -> Numbers:
    """Return ``values`` as exact numbers or finite floats; other kinds are refused."""
    numbers = as_numbers(values, argument)
    if isinstance(numbers, Floats):
        return Floats.of(numbers.values, argument)
    if isinstance(numbers, Exact):
        return numbers
    raise ExactnessError(
        argument, numbers.kind, "are neither rational nor float64", "write rationals or floats"
    )


def together(*named: tuple[str, Numbers]) -> list[Numbers]:
    """Return arrays in one kind of number.

    Among floats, exact arrays may hold integers up to 2^53: they lose nothing. Other mixtures raise
    :class:`~theory.errors.ExactnessError`.
    """
    arrays = [numbers for _, numbers in named]
    if not any(isinstance(numbers, Floats) for numbers in arrays):
        return arrays
    return [n if isinstance(n, Floats) else _as_integers(n, argument) for argument, n in named]


def _as_integers(numbers: Numbers, argument: str) -> Floats:
    assert isinstance(numbers, Exact)
    quotients = numbers.numerators // numbers.denominator
    whole = quotients * numbers.denominator == numbers.numerators
    unfit = np.asarray(~(whole & (abs(quotients) <= _EXACT_IN_FLOAT64)), dtype=bool)
    if unfit.any():
        first = numbers[tuple(np.argwhere(unfit)[0])].item()
        fix = "write all numbers in one kind; game.as_floats() rounds payoffs"
        raise ExactnessError(argument, first, "stands beside floats", fix)
    return Floats(quotients.astype(np.float64))


def stack(parts: Sequence[Numbers]) -> Numbers:
    """Join arrays of one kind along their first axis, in new memory."""
    if all(isinstance(part, Floats) for part in parts):
        joined = np.concatenate([p.values for p in parts if isinstance(p, Floats)])
        joined.setflags(write=False)
        return Floats(joined)
    exact = [part for part in parts if isinstance(part, Exact)]
    common = lcm(*(part.denominator for part in exact))
    bits = common.bit_length() + max(int(abs(p.numerators).max()).bit_length() for p in exact)
    check_bits(bits, sum(p.numerators.size for p in exact), "payoffs")
    scaled = [p.numerators.astype(object) * (common // p.denominator) for p in exact]
    numerators = np.concatenate(scaled)
    if all(-_INT64 <= v <= _INT64 for v in (numerators.max(), numerators.min())):
        numerators = numerators.astype(np.int64)
    numerators.setflags(write=False)
    return Exact(numerators, common)


def plain(value: Any) -> Any:
    """Return a number without the sign of a floating zero."""
    return value + 0.0 if isinstance(value, float) else value


def as_distribution(numbers: Numbers, argument: str) -> Numbers:
    """Return a flat array if it is a probability distribution; floats may miss one by 1e-9."""
    signs = numbers.signs()
    if (signs < 0).any():
        worst = int(np.argmax(signs < 0))
        raise ProbabilityError(
            argument, plain(numbers[worst].item()), "is negative", "give numbers of at least 0"
        )
    total = numbers.sum().item()
    if isinstance(numbers, Floats):
        if not abs(float(total) - 1) <= SUM_TOLERANCE:
            raise ProbabilityError(
                argument,
                total,
                f"does not sum to one within {SUM_TOLERANCE}",
                "divide the numbers by their sum",
            )
    elif total - 1 != 0:
        raise ProbabilityError(
            argument, total, "does not sum to one", 'give exact numbers, such as "1/3", that do'
        )
    return numbers


def finite_float(value: object, argument: str) -> float:
    """Return the float64 nearest to a rational number."""
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise NumberError(argument, value, "is beyond float64", "use smaller numbers") from None
