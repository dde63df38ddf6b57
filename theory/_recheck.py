"""Values of information computed a second time, from the definitions, with plain loops.

Nothing here is shared with :mod:`theory.decision` and :mod:`theory.information`, whose answers it
checks. Forecasts are rechecked through another formula altogether: the ex-post value of a forecast
under a proper score is the Bregman divergence of the two beliefs (the relative entropy for the
logarithmic score), enclosed in integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from theory._series import enclose_log, enclose_sqrt
from theory.numbers.interval import Interval

if TYPE_CHECKING:
    from theory.decision import Decision

__all__ = ["Answer", "recheck_value"]


@dataclass(frozen=True)
class Answer:
    """The values to be rechecked: ex-post by block, realised by state, ex-ante."""

    price: Any
    ex_post: Sequence[Any]
    realised: Sequence[Any]
    ex_ante: Any


def recheck_value(problem: Decision, labels: np.ndarray, answer: Answer) -> Fraction | float:
    """Return a bound on how far the given values are from those recomputed here.

    All states of ``problem`` are possible, and every block of ``labels`` has one.
    """
    blocks: dict[int, list[int]] = {}
    for state, label in enumerate(labels.tolist()):
        blocks.setdefault(label, []).append(state)
    members = [blocks[b] for b in sorted(blocks)]
    raw = problem.space.probabilities.scalars()
    if hasattr(problem, "score"):
        return _forecast(problem, raw, members, answer)
    rows = problem.utilities.scalars()  # type: ignore[attr-defined]  # a DecisionProblem
    if isinstance(raw[0], float):
        return _floats(np.array(raw), np.array(rows), members, answer)
    return _table(raw, rows, members, answer)


def _table(
    p: list[Any],
    rows: list[list[Any]],
    members: list[list[int]],
    answer: Answer,
) -> Fraction:
    price = answer.price

    def total(row: list[Any], states: Sequence[int]) -> Any:
        return sum((p[w] * row[w] for w in states[1:]), p[states[0]] * row[states[0]])

    everywhere = range(len(p))
    default = _first_best([total(row, everywhere) for row in rows])
    expected, gap = Fraction(0), Fraction(0)
    for states, claimed in zip(members, answer.ex_post, strict=True):
        sums = [total(row, states) for row in rows]
        best = _first_best(sums)
        mass = sum((p[w] for w in states[1:]), p[states[0]])
        gain = sums[best] - sums[default] - price * mass
        expected = gain + expected
        gap = max(gap, _distance(gain / mass, claimed))
        for w in states:
            gap = max(gap, _distance(rows[best][w] - rows[default][w] - price, answer.realised[w]))
    return max(gap, _distance(expected, answer.ex_ante))


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
    answer: Answer,
) -> float:
    """Judge the choices by their regret: near ties may be broken either way in float64."""
    price = float(answer.price)
    default_total = (u @ p).max()
    informed, gap = 0.0, 0.0
    claimed = np.array(answer.realised) + price
    for states, value in zip(members, answer.ex_post, strict=True):
        w = np.array(states)
        mass = p[w].sum()
        best = (u[:, w] @ p[w]).max()
        informed += best
        gap = max(gap, abs(claimed[w] @ p[w] / mass - price - value))
    return float(max(gap, abs(informed - default_total - price - answer.ex_ante)))


def _forecast(
    problem: Any,
    p: list[Fraction],
    members: list[list[int]],
    answer: Answer,
) -> Fraction:
    score, price = str(problem.score), answer.price
    hit = [bool(e) for e in problem.event]
    prior = sum((q for q, e in zip(p, hit, strict=True) if e), Fraction(0))
    expected, gap = Interval(Fraction(0), Fraction(0)), Fraction(0)
    for states, claimed in zip(members, answer.ex_post, strict=True):
        mass = sum((p[w] for w in states), Fraction(0))
        belief = sum((p[w] for w in states if hit[w]), Fraction(0)) / mass
        divergence = _shift(_divergence(score, belief, prior), -price)
        expected = _sum(expected, _scale(divergence, mass))
        gap = max(gap, _spread(divergence, claimed))
        for w in states:
            gain = _sum(_score(score, belief, hit[w]), _scale(_score(score, prior, hit[w]), -1))
            gap = max(gap, _spread(_shift(gain, -price), answer.realised[w]))
    return max(gap, _spread(expected, answer.ex_ante))


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
    found = (
        _point(Fraction(claimed)) if isinstance(claimed, int | Fraction) else claimed.enclosure(256)
    )
    return max(found.upper - interval.lower, interval.upper - found.lower)
