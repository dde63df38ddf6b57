"""How far one law is from another, and laws reweighted by positive factors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, inf
from typing import Any, Final

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, ProbabilityError, ShapeError
from theory.numbers import ClosedForm, Exact, Floats, as_numbers, log
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64

__all__ = ["gibbs_law", "kl_divergence", "total_variation"]

SUM_TOLERANCE: Final = 1e-9
"""By how much float64 probabilities may miss the sum of one."""

_TERMS: Final = 18
"""With s² <= 1/9 the first term left out of the series is below 2^-53 of the first one."""

Law = Sequence[Any] | np.ndarray


@refusing
def kl_divergence(p: Law, q: Law) -> ClosedForm | float:
    r"""Return KL(p || q) = sum_y p(y) log(p(y)/q(y)) in nats.

    Terms with p(y) = 0 are 0; where p(y) > 0 = q(y) the divergence is infinite.

    Parameters
    ----------
    p, q : sequence of numbers, one a reply
        Two laws. Integers, fractions and text such as "1/3" are exact; floats are float64 and are
        divided by their sum first. The two are of one kind.

    Returns
    -------
    ClosedForm or float
        Exact for exact laws (or ``math.inf``), float64 for float64.

    Raises
    ------
    ProbabilityError
        For a negative probability, or a sum other than one (within 1e-9 in float64).
    ShapeError
        For laws of different lengths, or no number at all.
    ExactnessError
        For an exact law beside a float64 one.

    Notes
    -----
    In float64 the sum is taken over p t - p log(1 + t) >= 0 for t = (q - p)/p, which is the same
    where both sum to one. Each term is computed without cancellation, so that the divergence of
    laws that hardly differ has a small relative error and is never negative. O(replies).

    Examples
    --------
    >>> str(kl_divergence(["1/2", "1/2"], ["1/4", "3/4"]))
    'log(2) - 1/2·log(3)'
    >>> kl_divergence([0.5, 0.5], [0.5 + 2**-30, 0.5 - 2**-30]) == 2**-59
    True
    >>> kl_divergence(["1/2", "1/2"], [1, 0])
    inf
    """
    first, second = _laws(p, q)
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return _kl_float(first, second)
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a]
    if any(not b for _, b in pairs):
        return inf
    return sum((a * log(Fraction(a) / Fraction(b)) for a, b in pairs), ClosedForm(Fraction(0)))


@refusing
def total_variation(p: Law, q: Law) -> Fraction | float:
    """Return the total variation distance, half the sum of |p(y) - q(y)|.

    It is the most by which the two laws differ on any set of replies.

    Parameters
    ----------
    p, q : sequence of numbers, one a reply
        As for :func:`kl_divergence`, except that float64 laws are taken as they are.

    Returns
    -------
    Fraction or float
        Exact for exact laws.

    Raises
    ------
    ProbabilityError, ShapeError, ExactnessError
        As :func:`kl_divergence`.

    Examples
    --------
    >>> total_variation(["1/2", "1/2"], ["1/4", "3/4"])
    Fraction(1, 4)
    """
    first, second = _laws(p, q)
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return fsum(np.abs(first - second)) / 2
    return sum((abs(a - b) for a, b in zip(first, second, strict=True)), Fraction(0)) / 2


@refusing
def gibbs_law(reference: Law, factors: Law) -> Any:
    """Return the law in proportion to reference(y) factors(y).

    With factors exp(r(y)/tau) it is the law that maximises E[r] - tau KL(. || reference).

    Parameters
    ----------
    reference, factors : sequences of numbers, or float64 arrays
        At least 0, in any kind of number that multiplies, adds and divides: fractions, balls,
        traced terms. ``reference`` need not sum to one. Rationals and floats alone are checked for
        their signs.

    Returns
    -------
    list or float64 array
        An array where both are float64 arrays, else a list.

    Raises
    ------
    ShapeError
        For sequences of different lengths, or empty ones.
    InvalidInputError
        For a number below 0 or, among floats, one that is not finite.
    ProbabilityError
        Where all products are 0, so that there is nothing to be in proportion to.

    Examples
    --------
    >>> [str(x) for x in gibbs_law([Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(3)])]
    ['1/4', '3/4']
    >>> gibbs_law(np.array([0.5, 0.5]), np.array([1e308, 3e307])).round(3)
    array([0.769, 0.231])
    """
    if len(reference) != len(factors) or len(reference) == 0:
        raise ShapeError(
            "factors",
            len(factors),
            f"are not one for each of {len(reference)} replies"
            if len(reference)
            else "belong to no reply",
            "give one number a reply, and at least one reply",
        )
    for name, values in (("reference", reference), ("factors", factors)):
        _check_signs(name, values)
    if isinstance(reference, np.ndarray) and isinstance(factors, np.ndarray):
        return _gibbs_float(reference, factors)
    products = [a * b for a, b in zip(reference, factors, strict=True)]
    total = sum(products[1:], products[0])
    if isinstance(total, int | float | Fraction) and not total > 0:
        raise _refuse_all_zero(products)
    if isinstance(total, int):
        total = Fraction(total)
    return [product / total for product in products]


def surprise(t: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
    """Return t - log(1 + t) >= 0 for t > -1 without cancellation.

    Near 0 it is t s - 2 s³ (1/3 + s²/5 + s⁴/7 + …) with s = t/(2 + t), since log(1 + t) is
    2 artanh(s).
    """
    near = np.abs(t) <= 0.5
    inside = np.where(near, t, 0.0)
    s = inside / (2 + inside)
    square = s * s
    series = np.zeros_like(s)
    for k in reversed(range(_TERMS)):
        series = series * square + 1 / (2 * k + 3)
    outside = np.where(near, 0.0, t)
    return np.where(near, inside * s - 2 * s * square * series, outside - np.log1p(outside))


def _kl_float(p: Float64[np.ndarray, " n"], q: Float64[np.ndarray, " n"]) -> float:
    if bool(np.any((p > 0) & (q == 0))):
        return inf
    inside = p > 0
    a, b = p[inside], q[inside]
    near = np.abs(b - a) <= a / 2
    terms = a * surprise(np.where(near, b - a, 0.0) / a)
    if not near.all():
        terms = np.where(near, terms, b - a - a * _log_ratio(b, a))
    outside = fsum(q[~inside])
    whole, excess = fsum(p), fsum([*q, *(-p)])
    found = (fsum(terms) + outside) / whole
    return max(0.0, found - float(surprise(np.array([excess / whole]))[0]))


def _log_ratio(
    b: Float64[np.ndarray, " n"], a: Float64[np.ndarray, " n"]
) -> Float64[np.ndarray, " n"]:
    """Return log(b/a), through the quotient where that is a normal number."""
    with np.errstate(over="ignore", under="ignore"):
        quotient = b / a
    normal = (quotient > 2.0**-1020) & np.isfinite(quotient)
    return np.where(normal, np.log(np.where(normal, quotient, 1.0)), np.log(b) - np.log(a))


def _gibbs_float(
    reference: Float64[np.ndarray, " n"], factors: Float64[np.ndarray, " n"]
) -> Float64[np.ndarray, " n"]:
    inside = reference > 0
    largest = float(np.max(factors[inside], initial=0.0))
    if largest == 0:
        raise _refuse_all_zero(factors)
    products = np.where(inside, reference / reference.max() * (factors / largest), 0.0)
    return np.asarray(products / fsum(products))


def _refuse_all_zero(values: object) -> ProbabilityError:
    return ProbabilityError(
        "factors", values, "leave no reply possible", "make one product positive"
    )


def _check_signs(name: str, values: Law) -> None:
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        if values.ndim != 1:
            raise ShapeError(name, values.shape, "is not one number a reply", "flatten it")
        if not np.isfinite(values).all() or (values < 0).any():
            raise InvalidInputError(
                name, values, "holds what is negative or not finite", "give numbers of at least 0"
            )
        return
    for k, value in enumerate(values):
        if isinstance(value, bool) or (isinstance(value, float) and not np.isfinite(value)):
            raise InvalidInputError(
                f"{name}[{k}]", value, "is not a finite number", "give a number of at least 0"
            )
        if isinstance(value, int | float | Fraction) and value < 0:
            raise InvalidInputError(
                f"{name}[{k}]", value, "is negative", "give a number of at least 0"
            )


def read_law(argument: str, values: object) -> list[Fraction] | Float64[np.ndarray, " n"]:
    """Return a law as fractions or as a float64 array, refusing what is none."""
    numbers = as_numbers(values, argument)
    if len(numbers.shape) != 1 or numbers.shape[0] == 0:
        raise ShapeError(
            argument, values, "is not one probability a reply", "give a sequence of numbers"
        )
    if not isinstance(numbers, Exact | Floats):
        raise ExactnessError(
            argument, values, f"is of the kind “{numbers.kind}”", "give rationals or floats"
        )
    found: list[Any] = numbers.scalars()
    for k, value in enumerate(found):
        if value < 0:
            raise ProbabilityError(
                f"{argument}[{k}]", value, "is negative", "give a number of at least 0"
            )
    if isinstance(numbers, Floats):
        array = np.array(found, dtype=np.float64)
        if not abs(fsum(found) - 1) <= SUM_TOLERANCE:
            raise ProbabilityError(
                argument, fsum(found), "does not sum to one", "divide it by its sum"
            )
        return array
    if sum(found) != 1:
        raise ProbabilityError(
            argument,
            sum(found),
            "does not sum to one",
            'give exact numbers, such as "1/3", that do',
        )
    return [Fraction(value) for value in found]


def _laws(p: object, q: object) -> tuple[Any, Any]:
    first, second = read_law("p", p), read_law("q", q)
    if isinstance(first, np.ndarray) != isinstance(second, np.ndarray):
        raise ExactnessError(
            "q", q, "is of another kind of number than p", "write both in one kind"
        )
    if len(first) != len(second):
        raise ShapeError(
            "q", len(second), f"is not one for each of {len(first)} replies", "match p"
        )
    return first, second
