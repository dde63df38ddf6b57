"""The outcome of the softmax auction between certified bounds, for rewards of any form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

from mechproof.problems.format.reading import DocumentError
from mechproof.problems.kinds.softmax_auction.amounts import AuctionNumbers, Value
from mechproof.problems.kinds.softmax_auction.reports import Reports
from mechproof.problems.shared.counting import MAX_AUCTION, check_count
from theory.numbers import ClosedForm, Interval, log
from theory.numbers.balls import ball, enclosing_interval

if TYPE_CHECKING:
    from flint import arb

__all__ = ["enclosed_outcome", "in_money"]

_KNOWN_BITS: Final = 110
"""Bits of a number that are known before it is written."""
_SHORT: Final = 64
"""How many logarithms a number may have that is not replaced by a ball."""
_MOST_BITS: Final = 1 << 13
"""Bits at which no more are asked for: what is still not told from 0 is that near to it.

They are fewer where there are many rewards.
"""
_TINY: Final = 1 << 17
"""Powers of two beyond which a number is only said to be as small as that.

To write a number takes the square of its length, so they are fewer where there are many numbers.
"""
_TINY_SQUARED: Final = 1 << 38
"""The square of that power, times the numbers, is at most this."""

Found = dict[str, list[Any]]


def enclosed_outcome(reports: Reports, tau: Fraction, *, offset: bool) -> AuctionNumbers:
    """Run the auction in balls, at rising precision until every number is known to 30 digits.

    What is zero, or rational, because an agent is indifferent between the candidates that can be
    shown, or because equally likely candidates even out, is recognised as such.

    Raises
    ------
    DocumentError
        When rewards are so large beside tau that their exponentials cannot be computed.
    """
    from flint import ctx

    size = max(_size(x) for row in reports.scaled for x in row)
    rewards = len(reports.scaled) * len(reports.log_ratios)
    work = rewards * (256 + 2 * size)
    fix = "give fewer agents or candidates, or rewards that are smaller beside tau"
    check_count("$.agents", "bits of rewards", work, MAX_AUCTION, fix)
    bits = 256 + size
    most = bits + min(_MOST_BITS, MAX_AUCTION // rewards)
    totals = _Totals(reports)
    while True:
        with ctx.workprec(bits):
            found = _auction(reports, totals, tau, offset)
            numbers = [x for column in found.values() for x in column]
            if any(not _is_finite(x) for x in numbers):
                wrong = "has rewards too large beside tau: scale them down, or raise tau"
                raise DocumentError(wrong, path="$.tau")
            tiny = min(_TINY, isqrt(_TINY_SQUARED // len(numbers)))
            if bits >= most or all(_is_known(x, tiny) for x in numbers):
                columns = {
                    name: [_enclose_value(x, tiny) for x in xs] for name, xs in found.items()
                }
                break
        bits = min(2 * bits, most)
    [revenue] = columns.pop("revenue")
    reward_values = in_money(reports, tau)
    return AuctionNumbers(exact=False, reports=reward_values, revenue=revenue, **columns)


def in_money(reports: Reports, tau: Fraction) -> tuple[tuple[ClosedForm, ...], ...]:
    """Return the rewards themselves."""
    return tuple(tuple(x * tau for x in row) for row in reports.scaled)


class _Totals:
    """The score of each candidate that can be shown, exactly, and which of them are equal."""

    def __init__(self, reports: Reports) -> None:
        self.exact = {
            j: _sum([ratio, *(row[j] for row in reports.scaled)])
            for j, ratio in enumerate(reports.log_ratios)
            if ratio is not None
        }
        self._apart: dict[tuple[int, int], ClosedForm] = {}

    def classes(
        self, scores: Mapping[int, Any], less: Sequence[ClosedForm] | None = None
    ) -> list[list[int]]:
        """Group the candidates of equal score, where ``less`` was taken off each.

        ``scores`` are balls around them; what these cannot tell apart is compared exactly.
        """
        found, near = list[list[int]](), list[list[int]]()
        for j in sorted(scores, key=lambda j: scores[j].lower()):
            near = [group for group in near if scores[group[0]].overlaps(scores[j])]
            for group in near:
                if self._is_equal(group[0], j, less):
                    group.append(j)
                    break
            else:
                found.append([j])
                near.append(found[-1])
        return sorted(map(sorted, found))

    def _is_equal(self, j: int, k: int, less: Sequence[ClosedForm] | None) -> bool:
        if (j, k) not in self._apart:
            apart = self.exact[j] - self.exact[k]
            self._apart[j, k] = ClosedForm(Fraction(0)) if apart.is_zero() else apart
        apart = self._apart[j, k]
        return apart == (0 if less is None else less[j] - less[k])


def _sum(values: Sequence[ClosedForm]) -> ClosedForm:
    """Add rewards at once; these are rational numbers and logarithms, and have no roots."""
    logs = dict[Fraction, Fraction]()
    for value in values:
        for a, c in value.logs.items():
            logs[a] = logs.get(a, Fraction(0)) + c
    return ClosedForm(sum((value.rational_part for value in values), start=Fraction(0)), logs)


def _enclose_if_long(value: ClosedForm) -> Any:
    """Return a number as it is if it is short or rational, else a ball around it."""
    if len(value.logs) <= _SHORT:
        return value
    whole = value.as_rational()
    return value.to_ball() if whole is None else ClosedForm(whole)


def _auction(reports: Reports, totals: _Totals, tau: Fraction, offset: bool) -> Found:
    from flint import arb

    shown = list(totals.exact)
    scores = {j: total.to_ball() for j, total in totals.exact.items()}
    alike = totals.classes(scores)
    law, log_total = _softmax(scores, alike)
    if len(alike) == 1:
        log_total = _enclose_if_long(totals.exact[shown[0]] + log(len(shown)))
    found: Found = {"allocation": [law.get(j, Fraction(0)) for j in range(len(reports.log_ratios))]}
    for scaled, rewards in zip(reports.scaled, in_money(reports, tau), strict=True):
        others = {j: score - scaled[j].to_ball() for j, score in scores.items()}
        alike_without = totals.classes(others, scaled)
        law_without, log_without = _softmax(others, alike_without)
        share = {
            "rewards": _mean(alike, law, rewards),
            "without": _mean(alike_without, law_without, rewards),
            "utilities": _times(_less(log_total, log_without) if offset else log_total, tau),
        }
        if all(scaled[j] == scaled[shown[0]] for j in shown):
            share["reward_gains"] = Fraction(0)
            if offset:
                share |= {"utilities": share["rewards"]}
                share |= {"payments": Fraction(0), "utility_gains": Fraction(0)}
        elif offset:
            share |= _differences(scaled, law, law_without, tau)
        share = {
            "payments": _less(share["rewards"], share["utilities"]),
            "reward_gains": _less(share["rewards"], share["without"]),
            "utility_gains": _less(share["utilities"], share["without"]),
        } | share
        for name, value in share.items():
            found.setdefault(name, []).append(value)
    paid = found["payments"]
    nothing = all(isinstance(each, Fraction) and not each for each in paid)
    found["revenue"] = [Fraction(0) if nothing else sum(map(_ball, paid), start=arb(0))]
    return found


def _differences(
    scaled: Sequence[ClosedForm], law: Mapping[int, Any], without: Mapping[int, Any], tau: Fraction
) -> dict[str, Any]:
    """Return payment and gains, measured from the likeliest candidate: the rest may be tiny."""
    from flint import arb

    top = max(law, key=lambda j: _ball(law[j]).mid())
    above = {j: (scaled[j] - scaled[top]).to_ball() for j in law}
    reward = sum((_ball(p) * above[j] for j, p in law.items()), start=arb(0))
    outside = sum((_ball(q) * above[j] for j, q in without.items()), start=arb(0))
    lost = sum((_ball(p) * (-above[j]).expm1() for j, p in law.items()), start=arb(0))
    utility = -lost.log1p()
    return {
        "payments": _times(reward - utility, tau),
        "reward_gains": _times(reward - outside, tau),
        "utility_gains": _times(utility - outside, tau),
    }


def _softmax(
    scores: Mapping[int, Any], alike: Sequence[Sequence[int]]
) -> tuple[dict[int, Any], Any]:
    """Return the softmax, exactly if all scores are equal, and log of the sum of exp(score)."""
    from flint import arb

    top = max(each.mid() for each in scores.values())
    weights = {j: (each - top).exp() for j, each in scores.items()}
    total = sum(weights.values(), start=arb(0))
    law = {j: w / total for j, w in weights.items()}
    if len(alike) == 1:
        law = dict.fromkeys(scores, Fraction(1, len(scores)))
    return law, total.log() + top


def _mean(
    alike: Sequence[Sequence[int]], law: Mapping[int, Any], values: Sequence[ClosedForm]
) -> Any:
    """Return the mean: as it is, if it is the same among candidates of each score."""
    first, *others = (_sum([values[j] for j in group]) / len(group) for group in alike)
    if all(each == first for each in others):
        return _enclose_if_long(first)
    return sum((_ball(p) * values[j].to_ball() for j, p in law.items()), start=ball(Fraction(0)))


def _less(left: Any, right: Any) -> Any:
    if isinstance(left, ClosedForm) and isinstance(right, ClosedForm):
        return left - right
    return _ball(left) - _ball(right)


def _times(value: Any, factor: Fraction) -> Any:
    return value * (factor if isinstance(value, ClosedForm) else ball(factor))


def _ball(value: Any) -> arb:
    if isinstance(value, ClosedForm):
        return value.to_ball()
    return ball(value) if isinstance(value, Fraction) else value


def _size(value: ClosedForm) -> int:
    whole = value.enclosure(64)
    return int(max(abs(whole.lower), abs(whole.upper))).bit_length()


def _is_finite(value: Any) -> bool:
    return isinstance(value, Fraction | ClosedForm) or bool(value.is_finite())


def _is_known(value: Any, tiny: int) -> bool:
    return (
        isinstance(value, Fraction | ClosedForm)
        or value.rel_accuracy_bits() >= _KNOWN_BITS
        or _is_tiny(value, tiny)
    )


def _is_tiny(value: arb, tiny: int) -> bool:
    from flint import arb as one

    return bool(abs(value) < one(2) ** -tiny)


def _enclose_value(value: Any, tiny: int) -> Value:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, ClosedForm):
        whole = value.as_rational()
        return value.enclosure(160) if whole is None else whole
    if not _is_tiny(value, tiny):
        return enclosing_interval(value)
    end = Fraction(1, 2**tiny)
    return Interval(Fraction(0) if value > 0 else -end, Fraction(0) if value < 0 else end)
