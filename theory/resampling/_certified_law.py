"""Enclosures of the law, for any number of candidates, by the integral in balls."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log2
from typing import TYPE_CHECKING, Any, Final

from theory.errors import ExactnessError, InvalidInputError, LimitError, UndecidedError
from theory.numbers import Interval
from theory.numbers.balls import ball, enclosing_interval, refine
from theory.numbers.reading import rational
from theory.resampling._reading import ExactModel, model_of, read_candidates
from theory.shared.arguments import refusing

if TYPE_CHECKING:
    from flint import arb

__all__ = ["certified_law"]

MAX_BALLS: Final = 1 << 22
MAX_BITS: Final = 1 << 11


@refusing
def certified_law(
    generator: object, weights: object, candidates: int, *, relative: object = "1e-12"
) -> tuple[Interval, ...]:
    r"""Enclose the law of :func:`resampling_law` between rationals, for any number of candidates.

    The integral over t = log s is summed in balls by the trapezoid rule; its error, and that of the
    two ends, are bounded by theorems (docs/proofs.md) and added to the balls.

    Parameters
    ----------
    generator, weights
        As for :func:`resampling_law`, exact.
    candidates : int
        M, up to 10^9.
    relative : exact number
        Every enclosure is at most this wide, relative to its value; at least 1e-200.

    Returns
    -------
    tuple of Interval
        One a reply, conditional on success; [0, 0] for replies that are never returned.

    Raises
    ------
    ExactnessError
        For floats.
    LimitError
        When more than 2^22 balls would be needed: many replies, or weights far apart.

    Examples
    --------
    >>> law = certified_law(["1/2", "1/2"], [1, 3], 1000)
    >>> [f"{float(x.lower):.12f}" for x in law]
    ['0.250187640707', '0.749812359293']
    """
    count = read_candidates(candidates)
    width = rational(relative, "relative")
    if not Fraction(1, 10**200) <= width < 1:
        raise InvalidInputError("relative", width, "is not between 1e-200 and 1", "give 1e-12")
    model = model_of(generator, weights, logarithms=False)
    if not isinstance(model, ExactModel):
        raise ExactnessError("generator", generator, "is in float64", "give it in fractions")
    bits = 8 - _log2_floor(width)

    def enclose() -> tuple[Interval, ...]:
        found = _enclosures(model, count, bits)
        for interval in found:
            if interval.upper - interval.lower > width * interval.lower:
                raise UndecidedError(f"an enclosure is wider than {float(width):g}")
        return found

    return refine(enclose, start=64 + 2 * bits, limit=max(MAX_BITS, 8 * bits))


def _log2_floor(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length() - 1


def _enclosures(model: ExactModel, count: int, bits: int) -> tuple[Interval, ...]:
    from flint import arb

    largest = max(model.weights)
    masses: dict[Fraction, Fraction] = {}
    failing = Fraction(0)
    for g, w in zip(model.generator, model.weights, strict=True):
        if w:
            masses[w / largest] = masses.get(w / largest, Fraction(0)) + g
        else:
            failing += g
    mean = sum((g * w for w, g in masses.items()), Fraction(0))
    per_octave = max(4, ceil(bits / 14))
    step = arb(2).log() / per_octave
    first = -bits - 4 - (1 + ceil(log2(1 + float((count - 1) * mean))))
    last = 1 + ceil(log2(bits + 8)) - _log2_floor(min(masses))
    nodes = per_octave * (last - first)
    if nodes * len(masses) > MAX_BALLS:
        raise LimitError(
            "weights",
            len(masses),
            f"need {nodes:,} nodes each, more than {MAX_BALLS:,} balls in all",
            "use fewer replies, weights closer together, or resampling_law in float64",
        )
    scaled = {w: ball(w) for w in masses}
    sizes = {w: ball(g) for w, g in masses.items()}
    zero = ball(failing)
    sums = {w: arb(0) for w in masses}
    s, others, root = arb(0), arb(1), arb(2) ** (arb(1) / per_octave)
    for node in range(per_octave * first, per_octave * last):
        octave, place = divmod(node, per_octave)
        s = arb(2) ** octave * root**place
        powers = {w: (-(s * x)).exp() for w, x in scaled.items()}
        total = sum((sizes[w] * powers[w] for w in masses), zero)
        others = total ** (count - 1)
        for w in masses:
            sums[w] += s * powers[w] * others
    rule = _rule(step)
    start = arb(2) ** first
    found: dict[Fraction, Any] = {}
    for w in masses:
        x = scaled[w]
        left = start * step / (1 - 1 / root)
        right = 2 * step * s * (-(s * x)).exp() * others
        value = step * sums[w] + _upto(left) + _upto(right)
        found[w] = count * x * value / (1 + _around(rule))
    success = 1 - zero**count
    law = []
    for g, w in zip(model.generator, model.weights, strict=True):
        if not w:
            law.append(Interval(Fraction(0), Fraction(0)))
            continue
        law.append(enclosing_interval(ball(g) * found[w / largest] / success))
    return tuple(law)


def _rule(step: arb) -> arb:
    """Return the relative error of the trapezoid rule, as in the float64 version."""
    from flint import arb

    angle = arb.pi() / 2 - step / (2 * arb.pi())
    return 2 / (angle.cos() * ((2 * arb.pi() * angle / step).exp() - 1))


def _upto(bound: arb) -> arb:
    """Return a ball around [0, bound]."""
    from flint import arb

    half = bound.upper() / 2
    return arb(half.mid(), half.upper())


def _around(bound: arb) -> arb:
    """Return a ball around [-bound, bound]."""
    from flint import arb

    return arb(0, bound.upper())
