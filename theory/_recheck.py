"""Values of information computed a second time, from the definitions, with plain loops.

Nothing here is shared with :mod:`theory.decision` and :mod:`theory.information`, whose answers it
checks. Forecasts are rechecked through another formula altogether: the ex-post value of a forecast
under a proper score is the Bregman divergence of the two beliefs (the relative entropy for the
logarithmic score), enclosed in integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt, lcm
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.numbers.interval import Interval
from theory.shared.rounding import largest_share

if TYPE_CHECKING:
    from theory.decision import Choice, Decision

__all__ = ["ReportedValues", "recheck_value"]


# --- Enclosures of logarithms and square roots in integer arithmetic, for rechecking others' work

_BITS: Final = 224
_ONE: Final = 1 << _BITS
_SLACK: Final = 1 << 10
"""Units in the last place that bound the error of one series: at most 80 terms, each within 4."""


def enclose_log(value: Fraction) -> Interval:
    """Enclose log(value), for value > 0.

    With value = 2^k m and 2/3 <= m <= 4/3, log m = 2 artanh t at t = (m - 1) / (m + 1), |t| <= 1/5.
    """
    k = value.numerator.bit_length() - value.denominator.bit_length()
    m = value / Fraction(2) ** k
    if m > Fraction(4, 3):
        k, m = k + 1, m / 2
    elif m < Fraction(2, 3):
        k, m = k - 1, m * 2
    middle = _twice_artanh((m - 1) / (m + 1)) + k * _twice_artanh(Fraction(1, 3))
    error = (1 + abs(k)) * _SLACK
    return Interval(Fraction(middle - error, _ONE), Fraction(middle + error, _ONE))


def _twice_artanh(t: Fraction) -> int:
    power = _ONE * t.numerator // t.denominator
    square = power * power >> _BITS
    total, n = 0, 1
    while abs(power) > 1:
        total += power // n
        power = power * square >> _BITS
        n += 2
    return 2 * total


def enclose_sqrt(value: Fraction) -> Interval:
    """Enclose the square root of value >= 0."""
    root = isqrt(value.numerator * _ONE * _ONE // value.denominator)
    return Interval(Fraction(root, _ONE), Fraction(root + 1, _ONE))


# --- Values of information computed a second time, from the definitions, with plain loops

_NOTHING: Final = Fraction(0)


@dataclass(frozen=True)
class ReportedValues:
    """What is to be rechecked: choices and ex-post by block, realised by state, ex-ante."""

    price: Any
    prior: Choice
    informed: Sequence[Choice]
    ex_post: Sequence[Any]
    realised: Sequence[Any]
    ex_ante: Any


def recheck_value(
    problem: Decision, labels: np.ndarray, answer: ReportedValues
) -> Fraction | float:
    """Return a bound on how far the given values are from those recomputed here.

    All states of ``problem`` are possible, and every block of ``labels`` has one.
    """
    return gap_and_share(problem, labels, answer)[0]


def gap_and_share(
    problem: Decision, labels: np.ndarray, answer: ReportedValues
) -> tuple[Fraction | float, float]:
    """Return the same, and for floats how large it is as a share of the numbers it is made from.

    What actions that are neither chosen nor best are worth does not count for that share, which is
    0 for all other kinds of number.
    """
    blocks: dict[int, list[int]] = {}
    for state, label in enumerate(labels.tolist()):
        blocks.setdefault(label, []).append(state)
    members = [blocks[b] for b in sorted(blocks)]
    raw = problem.space.probabilities.scalars()
    if hasattr(problem, "score"):
        return _forecast(problem, raw, members, answer), 0.0
    table: Any = problem
    rows = table.utilities.scalars()
    if isinstance(raw[0], float):
        row_of = {action: x for x, action in enumerate(table.actions)}
        return _floats(np.array(raw), np.array(rows), members, answer, row_of)
    if "certified" in (problem.space.probabilities.kind, table.utilities.kind):
        raw, rows = _balls(raw), _balls(rows)
        answer = replace(answer, price=_balls(answer.price), realised=_balls(answer.realised))
    return _table(raw, rows, members, answer), 0.0


def _balls(nested: Any) -> Any:
    from theory.numbers.balls import ball

    if isinstance(nested, list):
        return [_balls(v) for v in nested]
    return ball(nested) if isinstance(nested, Fraction) else nested


def _table(
    p: list[Any],
    rows: list[list[Any]],
    members: list[list[int]],
    answer: ReportedValues,
) -> Fraction:
    price, unit, weight = answer.price, 1, 1
    whole = all(isinstance(v, Fraction) for v in (price, *p, *(u for row in rows for u in row)))
    if whole:  # rationals become integers over one denominator each
        unit = lcm(price.denominator, *(u.denominator for row in rows for u in row))
        weight = lcm(*(q.denominator for q in p))
        price = int(price * unit)
        p = [q.numerator * (weight // q.denominator) for q in p]
        rows = [[u.numerator * (unit // u.denominator) for u in row] for row in rows]

    def total(row: list[Any], states: Sequence[int]) -> Any:
        return _add_terms([p[w] * row[w] for w in states])

    def off(value: Any, divisor: Any, claimed: Any) -> Fraction:
        if not whole:
            return _distance(value / divisor, claimed)
        if value * claimed.denominator == divisor * claimed.numerator:
            return _NOTHING
        gap: Fraction = abs(Fraction(value, divisor) - claimed)
        return gap

    everywhere = [total(row, range(len(p))) for row in rows]
    default = _first_best(everywhere)
    errors = [off(everywhere[default], unit * weight, answer.prior.expected_utility)]
    gains = []
    for states, choice, claimed in zip(members, answer.informed, answer.ex_post, strict=True):
        sums = [total(row, states) for row in rows]
        best, mass = _first_best(sums), _add_terms([p[w] for w in states])
        gains.append(sums[best] - sums[default] - price * mass)
        errors += [
            off(sums[best], unit * mass, choice.expected_utility),
            off(gains[-1], unit * mass, claimed),
            *(
                off(rows[best][w] - rows[default][w] - price, unit, answer.realised[w])
                for w in states
            ),
        ]
    errors.append(off(_add_terms(gains), unit * weight, answer.ex_ante))
    return max((error for error in errors if error is not _NOTHING), default=_NOTHING)


def _add_terms(terms: list[Any]) -> Any:
    return sum(terms[1:], terms[0])


def _first_best(sums: list[Any]) -> int:
    best = 0
    for x in range(1, len(sums)):
        if sums[x] > sums[best]:
            best = x
    return best


def _distance(a: Any, b: Any) -> Fraction:
    difference = a - b
    if isinstance(difference, int | Fraction):
        return abs(Fraction(difference))
    if hasattr(difference, "as_rational"):
        if difference.as_rational() == 0:
            return Fraction(0)
        found: Interval = difference.enclosure()
        return max(abs(found.lower), abs(found.upper))
    from theory.numbers.balls import enclosing_interval

    around = enclosing_interval(difference)
    return max(abs(around.lower), abs(around.upper))


def _floats(
    p: np.ndarray,
    u: np.ndarray,
    members: list[list[int]],
    answer: ReportedValues,
    row_of: dict[Hashable, int],
) -> tuple[float, float]:
    """Judge the choices by their regret: near ties may be broken either way in float64."""
    price, claimed, informed = float(answer.price), np.array(answer.realised), 0.0
    everywhere, default = u @ p, row_of[answer.prior.picked]
    own, blind = abs(u[default]) * p, (abs(u[everywhere.argmax()]) * p).sum()
    paid, spread = abs(price), own.sum()
    errors = [
        everywhere.max() - everywhere[default],
        abs(everywhere[default] - answer.prior.expected_utility),
    ]
    sizes = [max(spread, blind), spread]
    for states, choice, value in zip(members, answer.informed, answer.ex_post, strict=True):
        w, x = np.array(states), row_of[choice.picked]
        sums, mass = u[:, w] @ p[w], p[w].sum()
        size, best = abs(u[x, w]) @ p[w], abs(u[sums.argmax(), w]) @ p[w]
        spread += size
        both = (size + own[w].sum()) / mass + paid
        sizes += [max(size, best) / mass, size / mass, both]
        sizes.append((abs(u[x, w]) + abs(u[default, w])).max() + paid)
        informed += sums[x]
        errors += [
            (sums.max() - sums[x]) / mass,
            abs(sums[x] / mass - choice.expected_utility),
            abs((sums[x] - sums[default]) / mass - price - value),
            abs(u[x, w] - u[default, w] - price - claimed[w]).max(),
        ]
    errors.append(abs(informed - everywhere[default] - price - answer.ex_ante))
    sizes.append(spread + paid)
    return float(np.nan_to_num(np.max(errors), nan=np.inf)), largest_share(errors, sizes)


def _forecast(
    problem: Any,
    p: list[Fraction],
    members: list[list[int]],
    answer: ReportedValues,
) -> Fraction:
    score, price = str(problem.score), answer.price
    hit = [bool(e) for e in problem.event]
    prior = sum((q for q, e in zip(p, hit, strict=True) if e), Fraction(0))
    expected, gap = _point(Fraction(0)), _forecast_gap(score, prior, answer.prior)
    for states, choice, claimed in zip(members, answer.informed, answer.ex_post, strict=True):
        mass = sum((p[w] for w in states), Fraction(0))
        belief = sum((p[w] for w in states if hit[w]), Fraction(0)) / mass
        divergence = _shift(_divergence(score, belief, prior), -price)
        expected = _sum(expected, _scale(divergence, mass))
        gap = max(gap, _forecast_gap(score, belief, choice), _spread(divergence, claimed))
        for w in states:
            gain = _sum(_score(score, belief, hit[w]), _scale(_score(score, prior, hit[w]), -1))
            gap = max(gap, _spread(_shift(gain, -price), answer.realised[w]))
    return max(gap, _spread(expected, answer.ex_ante))


def _forecast_gap(score: str, belief: Fraction, choice: Any) -> Fraction:
    outcomes = ((belief, True), (1 - belief, False))
    expected = _sum(*(_scale(_score(score, belief, occurred), q) for q, occurred in outcomes if q))
    off: Fraction = abs(choice.picked - belief)
    return max(off, _spread(expected, choice.expected_utility))


def _divergence(score: str, q: Fraction, r: Fraction) -> Interval:
    if score == "brier":
        return _point((q - r) ** 2)
    if score == "log":
        terms = [(q, r), (1 - q, 1 - r)]
        return _sum(*(_scale(enclose_log(a / b), a) for a, b in terms if a))
    inner = q * r + (1 - q) * (1 - r)
    return _sum(_length(q), _scale(_reciprocal(_length(r)), -inner))


def _score(score: str, x: Fraction, occurred: bool) -> Interval:
    y = x if occurred else 1 - x
    if score == "brier":
        return _point(-((1 - y) ** 2))
    return enclose_log(y) if score == "log" else _scale(_reciprocal(_length(x)), y)


def _length(x: Fraction) -> Interval:
    return enclose_sqrt(x * x + (1 - x) * (1 - x))


def _point(value: Fraction) -> Interval:
    return Interval(value, value)


def _sum(*terms: Interval) -> Interval:
    zero = Fraction(0)
    return Interval(sum((t.lower for t in terms), zero), sum((t.upper for t in terms), zero))


def _scale(interval: Interval, factor: Fraction | int) -> Interval:
    a, b = interval.lower * factor, interval.upper * factor
    return Interval(min(a, b), max(a, b))


def _shift(interval: Interval, by: Fraction) -> Interval:
    return Interval(interval.lower + by, interval.upper + by)


def _reciprocal(interval: Interval) -> Interval:
    return Interval(1 / interval.upper, 1 / interval.lower)


def _spread(interval: Interval, claimed: Any) -> Fraction:
    """Return the largest distance from a point of the interval to the claimed number."""
    above = claimed - interval.lower
    around = _point(above) if isinstance(above, Fraction) else above.enclosure(256)
    return max(around.upper, interval.width - around.lower)
