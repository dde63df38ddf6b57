"""Counterexamples on real types become ones that a reader takes in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from incentive_searches import (
    TOLERANCE,
    UNIT,
    F,
    Reports,
    discount,
    first_price,
    gift,
    simplest_between,
    slack_of,
)
from sweeps import examples

from theory.incentives import (
    Box,
    Product,
    Simplex,
)
from theory.incentives._property import Instance, size
from theory.incentives._values import SingleParameter, ValueFunction
from theory.incentives.properties.dsic import DSIC
from theory.incentives.search import shrink
from theory.incentives.search._shrink import _FRACTIONS, simple_pairs
from theory.incentives.setting import Setting


@given(st.floats(0.001, 0.998), st.floats(0.001, 0.2))
@settings(max_examples=examples(5))
def test_a_number_becomes_the_simplest_that_fails(low: float, width: float) -> None:
    window = F(low), min(F(1), F(low) + F(width))
    rule = gift(*window)
    setting = Setting(rule, (UNIT, UNIT))
    start = Instance((F(0.0123), F(0.0007)), (1,), (sum(window) / 2,))
    if not slack_of(DSIC(), setting, start) < 0:
        return
    small = shrink(DSIC(), setting, start, 2000, TOLERANCE)
    assert slack_of(DSIC(), setting, small) < 0
    assert small == Instance((0, 0), (0,), (simplest_between(*window),))


def test_shrinking_takes_ugly_numbers_to_ones_and_zeros() -> None:
    space = Box(0, 1000)
    setting = Setting(first_price, (space, space, space))
    start = Instance((F(0.1), F(731.77), F(333.3)), (1,), (F(400.04),))
    small = shrink(DSIC(), setting, start, 2000, TOLERANCE)
    assert small == Instance((1, 0, 0), (0,), (0,))


def test_simple_numbers_are_the_farey_fractions_of_order_12_and_their_negatives() -> None:
    farey = {Fraction(p, q) for q in range(1, 13) for p in range(q + 1)}
    assert farey <= set(_FRACTIONS)
    assert {-x for x in _FRACTIONS} == set(_FRACTIONS)
    assert max(x.denominator for x in _FRACTIONS) == 12


def test_numbers_that_only_work_together_shrink_together() -> None:
    def completing(reports: Reports) -> Any:
        """Pays who reports exactly what the other's report leaves of 1."""
        return None, (-1 if sum(reports) == 1 else 0, 0)

    setting = Setting(completing, (UNIT, UNIT))
    other = F(0.654321)
    start = Instance((F(0.2), other), (0,), (1 - other,))
    small = shrink(DSIC(), setting, start, 2000, TOLERANCE)
    assert small == Instance((0, 0), (0,), (1,))


class Counted(DSIC):
    """Counts how often it is judged."""

    count = 0

    def slack(self, setting: Setting, instance: Instance) -> int | Fraction:
        self.count += 1
        return super().slack(setting, instance)


@pytest.mark.parametrize("trials", [0, 1, 5, 20, 60])
def test_shrinking_keeps_to_its_budget(trials: int) -> None:
    setting = Setting(gift(F(7132, 10000), F(7142, 10000)), (UNIT, UNIT, UNIT))
    start = Instance((F(0.53), F(0.31), F(0.17)), (0,), (F(0.7137),))
    prop = Counted()
    small = shrink(prop, setting, start, trials, TOLERANCE)
    assert prop.count <= 2 * trials
    assert size(setting, small) <= size(setting, start)
    assert small != start or trials < 5
    assert slack_of(DSIC(), setting, small) < 0


def test_shrinking_passes_over_what_cannot_be_judged() -> None:
    def rule(reports: Reports) -> Any:
        if any(F(r).denominator == 1 for r in reports):
            raise ZeroDivisionError
        return first_price(reports)

    setting = Setting(rule, (UNIT, UNIT))
    start = Instance((F(0.9), F(0.1)), (0,), (F(0.3),))
    small = shrink(DSIC(), setting, start, 2000, TOLERANCE)
    assert small == Instance((F(1, 2), F(1, 3)), (0,), (F(1, 3),))


def slightly_dear(reports: Reports) -> Any:
    """Quantity r; truthful where half of r squared is paid, so that small lies pay a little."""
    return tuple(reports), tuple(F(51, 100) * r * r for r in reports)


def fractions_to(order: int) -> list[Fraction]:
    return sorted({F(p, q) for q in range(1, order + 1) for p in range(q + 1)})


@pytest.mark.parametrize(
    ("type", "lie"), [(F(1, 11), F(3, 34)), (F(50, 51), F(49, 51)), (F(1), F(0.98))]
)
def test_type_and_lie_leave_a_local_minimum_together(type: Fraction, lie: Fraction) -> None:
    """The smallest is found a second time by the formula: t*r - 51/100 r^2."""
    setting = Setting(slightly_dear, (UNIT, UNIT), SingleParameter())
    start = Instance((type, F(0)), (0,), (lie,))
    assert slack_of(DSIC(), setting, start) < 0
    small = shrink(DSIC(), setting, start, 2500, TOLERANCE)
    failing = [
        Instance((t, F(0)), (0,), (r,))
        for t in fractions_to(12)
        for r in fractions_to(12)
        if t * r - F(51, 100) * r * r > t * t - F(51, 100) * t * t
    ]
    assert small == min(failing, key=lambda instance: size(setting, instance))
    assert small == Instance((F(7, 9), 0), (0,), (F(3, 4),))


def test_pairs_leave_a_local_minimum_between_entries_of_vectors() -> None:
    """Only the second entry counts."""

    def rule(reports: Reports) -> Any:
        return slightly_dear([r[1] for r in reports])

    plane = Box([0, 0], [1, 1])
    seconds = ValueFunction(lambda agent, type, shares: type[1] * shares[agent])
    setting = Setting(rule, (plane, plane), seconds)
    start = Instance(((F(0), F(1, 11)), (F(0), F(0))), (0,), ((F(0), F(3, 34)),))
    small = shrink(DSIC(), setting, start, 2500, TOLERANCE)
    assert small == Instance(((0, F(7, 9)), (0, 0)), (0,), ((0, F(3, 4)),))


def test_pairs_are_of_the_spaces_and_come_by_size() -> None:
    spaces = Product(Box(F(-1, 3), 40), Simplex(3)), Box(F(1, 5), F(1, 2))
    setting = Setting(discount, spaces)
    start = Instance(((F(30), (F(1), F(0), F(0))), F(1, 3)), (0,), ((F(0), (F(0), F(1), F(0))),))
    pairs = list(simple_pairs(DSIC.shape, setting, start))
    sizes = [size(setting, pair) for pair in pairs]
    assert sizes == sorted(sizes)
    assert 1000 < len(set(pairs)) <= 64**2
    assert all(pair.profile[0] in spaces[0] and pair.lies[0] in spaces[0] for pair in pairs)
    assert {pair.profile[1] for pair in pairs} == {F(1, 3)}
