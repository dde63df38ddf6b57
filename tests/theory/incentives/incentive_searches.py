"""Mechanisms on real types, and a search whose witnesses are judged again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

from theory.incentives import (
    Box,
    Effort,
)
from theory.incentives._finite import Judged
from theory.incentives._property import Instance, Property
from theory.incentives._types import TypeSpace
from theory.incentives._values import Valuation
from theory.incentives.properties.dsic import DSIC
from theory.incentives.search import search
from theory.incentives.setting import Setting

Reports = Sequence[Any]

F = Fraction
UNIT = Box(0, 1)
TOLERANCE = F(1, 10**9)
LITTLE = Effort(samples=300, starts=4, steps=60)
MORE = Effort(samples=600, starts=8, steps=80)


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


def look(
    mechanism: Any,
    *spaces: TypeSpace,
    prop: Property | None = None,
    values: Valuation | None = None,
    effort: Effort | None = None,
    earlier: Sequence[Instance] = (),
    seed: int = 0,
) -> tuple[Judged, Setting]:
    setting = Setting(mechanism, spaces, values, seed=seed)
    effort = effort or Effort()
    seen = search(prop or DSIC(), setting, effort, TOLERANCE, earlier=earlier, progress=quiet)
    assert not seen.exhausted
    return seen, setting


def slack_of(prop: Property, setting: Setting, instance: Instance) -> Fraction:
    slack = prop.slack(setting.fresh(), instance)
    assert slack is not None
    return F(slack)


def refutation(*arguments: Any, **options: Any) -> Instance:
    """Return the witness, seen to fail where nothing is remembered, and to be of the spaces."""
    seen, setting = look(*arguments, **options)
    assert seen.smallest is not None
    slack = slack_of(options.get("prop") or DSIC(), setting, seen.smallest)
    assert slack < setting.limit(TOLERANCE)
    assert seen.least is not None
    assert seen.least < 0
    for agent, type in enumerate(seen.smallest.profile):
        assert type in setting.spaces[agent]
    for lie in seen.smallest.lies:
        assert lie in setting.spaces[seen.smallest.agents[0]]
    return seen.smallest


def highest(reports: Reports) -> int:
    return max(range(len(reports)), key=lambda i: reports[i])


def sold(reports: Reports, price: Callable[[Any, Any], Any]) -> tuple[int, tuple[Any, ...]]:
    """Sell to the highest report, at a price that depends on it and the next."""
    winner = highest(reports)
    rest = [r for i, r in enumerate(reports) if i != winner]
    paid = price(reports[winner], max(rest))
    return winner, tuple(paid if i == winner else 0 for i in range(len(reports)))


def first_price(reports: Reports) -> Any:
    return sold(reports, lambda own, next_: own)


def second_price(reports: Reports) -> Any:
    return sold(reports, lambda own, next_: next_)


def free_at_ties(reports: Reports) -> Any:
    return sold(reports, lambda own, next_: 0 if own == next_ else next_)


def discount(reports: Reports) -> Any:
    """A posted price of 1/2, of 3/10 for who reports more than 7/10."""
    (own,) = reports
    if own < F(1, 2):
        return None, (0,)
    return 0, (F(3, 10) if own > F(7, 10) else F(1, 2),)


def gift(low: Fraction, high: Fraction) -> Callable[[Reports], Any]:
    """Second price, with a gift for reports in an open interval."""

    def rule(reports: Reports) -> Any:
        winner, paid = second_price(reports)
        given_ = (
            p - (F(1, 4) if low < r < high else 0) for p, r in zip(paid, reports, strict=True)
        )
        return winner, tuple(given_)

    return rule


def just_above(reports: Reports) -> Any:
    """Second price, with a gift for who reports a little more than the other."""
    winner, (a, b) = second_price(reports)
    near = 0 < reports[0] - reports[1] < F(1, 500) and reports[1] > F(1, 3)
    return winner, (a - (F(1, 4) if near else 0), b)


def convex(scale: Fraction) -> Callable[[Reports], Any]:
    """Quantity r squared; truthful where the payment, 2/3 r cubed, has scale 1."""

    def rule(reports: Reports) -> Any:
        return tuple(r * r for r in reports), tuple(scale * F(2, 3) * r**3 for r in reports)

    return rule


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    for denominator in count(1):
        for numerator in range(denominator + 1):
            if low < F(numerator, denominator) < high:
                return F(numerator, denominator)
    raise AssertionError
