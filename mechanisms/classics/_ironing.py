"""Virtual values of a finite law, made monotone by ironing."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mechanisms.classics._parameters import number
from theory.errors import InvalidInputError, ProbabilityError
from theory.numbers import rational
from theory.shared.text import short_text

__all__ = ["Virtual", "ironed_virtual_values"]

Virtual = tuple[tuple[int | Fraction, Fraction], ...]


def ironed_virtual_values(law: Mapping[Any, object]) -> Virtual:
    """Return pairs (value, ironed virtual value) of a finite law of values, by value.

    For values v_1 < ... < v_m of probabilities f_k > 0, and q_k = f_k + ... + f_m the chance to
    sell at price v_k, the virtual value is the marginal revenue
    (v_k q_k - v_{k+1} q_{k+1}) / f_k. Where it falls, neighbouring values are given their mean
    weighted by f, as often as is needed: the slopes of the least concave majorant of revenue over
    the chance to sell.

    Parameters
    ----------
    law : mapping of values to probabilities
        Both are read exactly. Values of probability 0 are left out.

    Raises
    ------
    ExactnessError, NumberError
        For a float, and for what is not a number.
    InvalidInputError
        Where there is no value, or one is listed twice.
    ProbabilityError
        Where a probability is negative, or the sum is not 1.

    Notes
    -----
    O(m log m). Myerson (1981), section 6; for finite laws, Elkind, "Designing and learning optimal
    finite support auctions" (SODA 2007).

    Examples
    --------
    >>> third = "1/3"
    >>> [(v, str(phi)) for v, phi in ironed_virtual_values({1: third, 2: third, 3: third})]
    [(1, '-1'), (2, '1'), (3, '3')]
    """
    values = _read(law)
    blocks: list[tuple[Fraction, Fraction, int]] = []  # probability, revenue, how many values
    chance, revenue = Fraction(1), Fraction(values[0][0])
    for k, (_, probability) in enumerate(values):
        chance -= probability
        above = values[k + 1][0] * chance if chance else Fraction(0)
        block = (probability, revenue - above, 1)
        while blocks and blocks[-1][1] * block[0] > block[1] * blocks[-1][0]:
            p, r, n = blocks.pop()
            block = (p + block[0], r + block[1], n + block[2])
        blocks.append(block)
        revenue = above
    slopes = [r / p for p, r, n in blocks for _ in range(n)]
    return tuple((v, phi) for (v, _), phi in zip(values, slopes, strict=True))


def _read(law: Mapping[Any, object]) -> list[tuple[int | Fraction, Fraction]]:
    pairs = [(number(v, "prior"), rational(p, f"prior[{v!r}]")) for v, p in law.items()]
    if not pairs:
        raise InvalidInputError("prior", law, "is empty", "give probabilities by value")
    if len({v for v, _ in pairs}) < len(pairs):
        raise InvalidInputError("prior", law, "has a value twice", "add up its probabilities")
    total = sum(p for _, p in pairs)
    if total != 1 or any(p < 0 for _, p in pairs):
        problem = f"has sum {short_text(total)}" if total != 1 else "has a probability below 0"
        fix = "give non-negative probabilities with sum 1"
        raise ProbabilityError("prior", {str(v): str(p) for v, p in pairs}, problem, fix)
    return sorted((v, p) for v, p in pairs if p)
