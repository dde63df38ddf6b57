"""Searches along the gradient of mechanisms that JAX can trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from incentive_searches import (
    LITTLE,
    TOLERANCE,
    UNIT,
    F,
    look,
    refutation,
    slack_of,
)
from sweeps import examples

from theory.incentives import (
    Box,
    FiniteTypes,
    Product,
    Simplex,
    Traced,
)
from theory.incentives._property import Instance, Property
from theory.incentives._types import TypeSpace
from theory.incentives._values import ValueFunction
from theory.incentives.properties.dsic import DSIC
from theory.incentives.properties.individual_rationality import IndividualRationality
from theory.incentives.search._gradient import climb, region
from theory.incentives.search._samples import samples
from theory.incentives.setting import Setting


def softmax_auction(scale: float) -> Traced:
    """Shares by softmax of reports, payments by the envelope formula in closed form, scaled."""

    def rule(reports: Any) -> Any:
        import jax.numpy as jnp

        weights = jnp.exp(4 * reports)
        others = weights.sum() - weights
        rent = (jnp.log(weights + others) - jnp.log(1 + others)) / 4
        shares = weights / weights.sum()
        return shares, scale * (reports * shares - rent)

    return Traced(rule)


def proportional(scale: float) -> Traced:
    """A law over candidates as reported; truthful where half its squared length is paid."""

    def rule(reports: Any) -> Any:
        return reports[0], scale * (reports**2).sum(axis=1) / 2

    return Traced(rule)


def traced_discount(reports: Any) -> Any:
    import jax.numpy as jnp

    buys = jnp.where(reports < 0.5, 0.0, 1.0)
    return buys, buys * jnp.where((reports > 0.71) & (reports < 0.74), 0.3, 0.5)


def test_a_smooth_auction_slightly_off() -> None:
    refutation(softmax_auction(0.99), UNIT, UNIT, effort=LITTLE)


def test_rounding_does_not_refute_a_smooth_auction() -> None:
    seen, setting = look(softmax_auction(1.0), UNIT, UNIT, effort=LITTLE)
    assert seen.smallest is None
    assert seen.least is not None
    assert abs(seen.least) < TOLERANCE
    assert setting.inexact


def test_laws_with_a_gradient() -> None:
    witness = refutation(proportional(0.0), Simplex(3), effort=LITTLE)
    assert sum(witness.lies[0]) == 1
    seen, _ = look(proportional(1.0), Simplex(3), effort=LITTLE)
    assert seen.smallest is None


def test_a_jump_in_a_traced_mechanism() -> None:
    witness = refutation(Traced(traced_discount), UNIT)
    assert witness.lies == (F(5, 7),)


@pytest.mark.slow
def test_a_jump_beyond_the_gradient_is_reached_by_steps_without_derivatives() -> None:
    """Stairs are flat wherever they have a gradient; only within 1/1000 is a payment above 0."""

    def stairs(reports: Any) -> Any:
        import jax.numpy as jnp

        away = abs(reports[0] - 0.37) + abs(reports[1] - 0.61)
        paid = 0.0005 - jnp.floor(1000 * away) / 1000
        return jnp.zeros(2), jnp.stack([paid, jnp.zeros(())])

    prop = IndividualRationality()
    setting, pool = pool_of(Traced(stairs), prop, UNIT, UNIT)
    ends = climb(prop, setting, pool, 8, 50)
    assert ends
    assert min(slack_of(prop, setting, end) for end in ends) >= 0
    witness = refutation(Traced(stairs), UNIT, UNIT, prop=prop)
    assert abs(witness.profile[0] - F(37, 100)) + abs(witness.profile[1] - F(61, 100)) < F(1, 999)


def pool_of(mechanism: Any, prop: Property, *spaces: TypeSpace) -> tuple[Setting, list[Instance]]:
    setting = Setting(mechanism, spaces)
    return setting, list(samples(prop, setting, 40, np.random.default_rng(0)))


def test_ascent_reaches_the_largest_gain() -> None:
    """The largest is found a second time on a fine grid of types and lies."""
    setting, pool = pool_of(softmax_auction(0.9), DSIC(), UNIT, UNIT)
    ends = climb(DSIC(), setting, pool, 8, 200)
    reached = -float(min(slack_of(DSIC(), setting, end) for end in ends))
    grid = np.linspace(0, 1, 101)
    type, other, lie = np.meshgrid(grid, grid, grid, indexing="ij")

    def utility(report: np.ndarray) -> np.ndarray:
        share = np.exp(4 * report) / (np.exp(4 * report) + np.exp(4 * other))
        rent = np.log((np.exp(4 * report) + np.exp(4 * other)) / (1 + np.exp(4 * other))) / 4
        return type * share - 0.9 * (report * share - rent)

    largest = float((utility(lie) - utility(type)).max())
    assert largest - 1e-12 <= reached <= largest * 1.001
    assert min(slack_of(DSIC(), setting, instance) for instance in pool) > -0.9 * reached


def test_ascent_of_another_violation_leaves_finite_types_as_they_are() -> None:
    few = FiniteTypes([F(1, 3), F(2, 3)])
    setting, pool = pool_of(softmax_auction(3.0), IndividualRationality(), UNIT, few)
    reached = climb(IndividualRationality(), setting, pool, 6, 100)
    ends, chosen = reached[: len(reached) // 2], reached[len(reached) // 2 :]
    slacks = [slack_of(IndividualRationality(), setting, end) for end in ends]
    assert slacks == sorted(slacks)
    assert sum(slacks) < sum(slack_of(IndividualRationality(), setting, c) for c in chosen)
    assert all(end.profile[0] in UNIT and end.profile[1] in few for end in ends)
    assert set(chosen) <= set(pool)


def test_values_that_cannot_be_traced_are_searched_without_a_gradient() -> None:
    def value(agent: int, type: Any, shares: Any) -> Any:
        return F(type) * F(shares[agent])

    setting = Setting(softmax_auction(0.9), (UNIT, UNIT), ValueFunction(value))
    pool = list(samples(DSIC(), setting, 10, np.random.default_rng(0)))
    assert climb(DSIC(), setting, pool, 4, 10) == []
    assert refutation(softmax_auction(0.9), UNIT, UNIT, values=ValueFunction(value), effort=LITTLE)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
@settings(max_examples=examples(20))
def test_projection_to_the_simplex_is_the_nearest_point(entries: list[float]) -> None:
    """Nearest: entries above 0 were all shifted alike, those at 0 by no more."""
    import jax

    with jax.enable_x64(True):
        point = np.array(entries)
        near = np.asarray(region(Simplex(len(entries)), len(entries)).project(point))
    assert near.sum() == pytest.approx(1)
    shift = point - near
    positive = near > 0
    assert near.min() >= 0
    assert shift[positive] == pytest.approx(shift[positive].max())
    assert (shift[~positive] <= shift[positive].max() + 1e-9).all()


@pytest.mark.parametrize(
    ("space", "start", "entries"),
    [
        (Simplex(3), (1, 0, 0), [0.1, 0.2, 0.70000001]),
        (Box(0, F(1, 3)), F(0), [0.3333333333333334]),
        (Box([0, 0], [F(1, 3), 1]), (0, 0), [0.4, 0.3]),
        (Product(Box(0, F(1, 3)), FiniteTypes([5, 6])), (F(0), 6), [0.4, 5.7]),
    ],
    ids=["simplex", "interval", "box", "product"],
)
def test_floats_are_read_as_types_of_the_space(
    space: TypeSpace, start: Any, entries: list[float]
) -> None:
    assert sum(entries) != 1
    type = region(space, len(entries)).read(entries, start)
    assert type in space
    flat = np.ravel(np.array(type, dtype=np.float64))
    assert flat[:1] == pytest.approx(min(entries[0], 0.34), abs=0.01)
