"""Counterexamples among types that cannot be listed: found, human-sized, and none where none is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    Drawn,
    Effort,
    FiniteTypes,
    Product,
    Rewards,
    Simplex,
    Traced,
)
from theory.incentives._finite import Judged
from theory.incentives._instance import Instance, size
from theory.incentives._property import Property
from theory.incentives._setting import Setting
from theory.incentives._types import TypeSpace
from theory.incentives._values import Given, Valuation
from theory.incentives.properties.budget import WeakBudgetBalance
from theory.incentives.properties.dsic import DSIC
from theory.incentives.properties.individual_rationality import IndividualRationality
from theory.incentives.search import search, shrink
from theory.incentives.search._gradient import climb
from theory.incentives.search._lattice import lattices, points
from theory.incentives.search._moves import moves
from theory.incentives.search._pattern import descend
from theory.incentives.search._probe import Probe
from theory.incentives.search._regions import region
from theory.incentives.search._samples import samples
from theory.incentives.search._strategies import find_failing

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
    seeds: Sequence[Instance] = (),
    seed: int = 0,
) -> tuple[Judged, Setting]:
    setting = Setting(mechanism, spaces, values, seed=seed)
    effort = effort or Effort()
    seen = search(prop or DSIC(), setting, effort, TOLERANCE, seeds=seeds, progress=quiet)
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


# --- what is found, and what is not


@pytest.mark.parametrize("agents", [2, 3])
def test_first_price_is_refuted_by_the_smallest_lie_within_a_few_instances(agents: int) -> None:
    seen, _ = look(first_price, *[UNIT] * agents)
    assert seen.smallest == Instance((1, *[0] * (agents - 1)), (0,), (0,))
    assert seen.instances < 100


@pytest.mark.parametrize("rule", [second_price, convex(F(1))], ids=["second price", "convex"])
def test_no_wolf_where_lies_do_not_pay(rule: Any) -> None:
    seen, _ = look(rule, UNIT, UNIT, effort=MORE)
    assert seen.smallest is None
    assert seen.least is not None
    assert seen.least >= 0
    assert seen.met == seen.instances > 800
    assert seen.nontrivial > 200


def test_ties_that_pay() -> None:
    witness = refutation(free_at_ties, UNIT, UNIT)
    assert witness.reports()[0] == witness.reports()[1]
    assert max(x.denominator for x in map(F, [*witness.profile, *witness.lies])) <= 2


def test_ties_off_every_grid() -> None:
    spaces = Box(F(1, 7), F(10, 11)), Box(F(1, 13), F(9, 10))
    assert refutation(free_at_ties, *spaces, effort=LITTLE)


def test_a_gain_across_a_jump() -> None:
    assert refutation(discount, UNIT) == Instance((F(1, 2),), (0,), (1,))


@pytest.mark.parametrize(
    ("width", "effort"),
    [(F(1, 50), MORE), (F(1, 500), Effort(samples=1500))],
    ids=["1/50", "1/500"],
)
def test_a_narrow_window(width: Fraction, effort: Effort) -> None:
    low, high = F(7132, 10000), F(7132, 10000) + width
    witness = refutation(gift(low, high), UNIT, UNIT, effort=effort)
    assert witness == Instance((0, 0), (0,), (simplest_between(low, high),))


def test_a_lie_just_above_another_report() -> None:
    witness = refutation(just_above, UNIT, UNIT, effort=MORE)
    assert 0 < witness.lies[0] - witness.profile[1] < F(1, 500)


@pytest.mark.parametrize("scale", [F(99, 100), F(1001, 1000)], ids=["low", "high"])
def test_payments_slightly_off(scale: Fraction) -> None:
    assert refutation(convex(scale), UNIT, UNIT, effort=LITTLE)


def test_other_properties_are_searched_by_their_own_slack() -> None:
    def paid_to_take_part(reports: Reports) -> Any:
        winner, (a, b) = second_price(reports)
        return winner, (a - F(1, 100), b - F(1, 100))

    witness = refutation(paid_to_take_part, UNIT, UNIT, prop=WeakBudgetBalance())
    assert witness == Instance((0, 0))
    seen, _ = look(second_price, UNIT, UNIT, prop=WeakBudgetBalance(), effort=LITTLE)
    assert seen.smallest is None
    assert refutation(
        lambda reports: (None, (F(1, 10),)), UNIT, prop=IndividualRationality()
    ) == Instance((0,), (0,))


# --- spaces


def favourite(reports: Reports) -> Any:
    (own,) = reports
    return highest(own), (0,)


def spoiled_favourite(reports: Reports) -> Any:
    """Withholds the favourite from who is all but certain of it."""
    (own,) = reports
    best = highest(own)
    return (best + 1) % len(own) if own[best] > F(9, 10) else best, (0,)


def test_simplex() -> None:
    witness = refutation(spoiled_favourite, Simplex(3))
    assert sorted(witness.profile[0]) == [0, 0, 1]
    seen, _ = look(favourite, Simplex(3), effort=LITTLE)
    assert seen.smallest is None


def hired(reports: Reports) -> Any:
    """Hires the first who claims the skill and asks less than 3/4, at the wage asked for."""
    for i, (skill, wage) in enumerate(reports):
        if skill == "skilled" and wage < F(3, 4):
            return i, tuple(-wage if i == k else 0 for k in range(len(reports)))
    return None, (0,) * len(reports)


def hired_for_three_quarters(reports: Reports) -> Any:
    chosen, paid = hired(reports)
    return chosen, tuple(-F(3, 4) if i == chosen else 0 for i in range(len(paid)))


def effort_cost(agent: int, type: Any, chosen: Any) -> Any:
    skill, wage = type
    return 0 if chosen != agent else -wage if skill == "skilled" else -5


def test_product_with_labels() -> None:
    workers = Product(FiniteTypes(["skilled", "new"]), UNIT)
    witness = refutation(hired, workers, workers, values=Given(effort_cost))
    assert witness.profile[0] == ("skilled", 0)
    assert witness.lies[0][0] == "skilled"
    assert witness.lies[0][1].denominator <= 2
    seen, _ = look(
        hired_for_three_quarters, workers, workers, values=Given(effort_cost), effort=LITTLE
    )
    assert seen.smallest is None


def test_finite_types_beside_real_ones() -> None:
    witness = refutation(first_price, Box(0, 1000), FiniteTypes([3, 7]))
    assert sum(map(F, [*witness.profile, *witness.lies])) <= 11
    seen, _ = look(second_price, UNIT, FiniteTypes([0, 1]), effort=LITTLE)
    assert seen.smallest is None


def test_mechanisms_get_types_as_their_spaces_write_them() -> None:
    seen: set[type] = set()

    def halves(reports: Reports) -> Any:
        """First price at half the report; a list is looked up by the other's report."""
        seen.update(map(type, reports))
        own, other = reports[0], [F(1, 4), F(1, 2), F(3, 4)][reports[1]]
        return (0, (own / 2, 0)) if own > other else (1, (0, other))

    setting = Setting(halves, (Box(0, 2), FiniteTypes([0, 1, 2])))
    before = Instance((2, F(1)), (0,), (1,))
    found = search(DSIC(), setting, LITTLE, TOLERANCE, seeds=[before], progress=quiet)
    assert found.smallest is not None
    assert not setting.inexact
    assert not setting.faults
    assert seen == {F, int}
    drawn = list(samples(DSIC(), setting, 300, np.random.default_rng(0)))
    probe = Probe(DSIC(), setting, TOLERANCE, quiet, 1)
    assert probe.all(drawn)
    assert not setting.faults
    assert seen == {F, int}


def test_types_that_a_strategy_draws() -> None:
    drawn = Drawn(st.integers(0, 1000))
    assert refutation(first_price, drawn, drawn) == Instance((1, 0), (0,), (0,))
    tie = refutation(free_at_ties, drawn, drawn)
    assert tie.reports()[0] == tie.reports()[1] <= 2
    seen, _ = look(second_price, drawn, drawn, effort=LITTLE)
    assert seen.smallest is None
    assert seen.met > 50


def test_strategies_inside_products_and_beside_boxes() -> None:
    pairs = Product(Drawn(st.sampled_from(["skilled", "new"])), UNIT)
    witness = refutation(hired, pairs, pairs, values=Given(effort_cost))
    assert witness.profile[witness.agents[0]] == ("skilled", 0)
    assert refutation(first_price, UNIT, Drawn(st.fractions(0, 1)))


@pytest.mark.parametrize(
    ("strategy", "problem"),
    [(st.lists(st.integers()), "not hashable"), (st.just(float("nan")), "not finite")],
    ids=["lists", "nan"],
)
def test_drawn_types_that_cannot_be_used(strategy: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        look(second_price, Drawn(strategy), UNIT, effort=LITTLE)


# --- mechanisms with a gradient


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

    setting = Setting(softmax_auction(0.9), (UNIT, UNIT), Given(value))
    pool = list(samples(DSIC(), setting, 10, np.random.default_rng(0)))
    assert climb(DSIC(), setting, pool, 4, 10) == []
    assert refutation(softmax_auction(0.9), UNIT, UNIT, values=Given(value), effort=LITTLE)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
@settings(max_examples=20)
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


# --- the searches alone


def probe_of(mechanism: Any, *spaces: TypeSpace) -> Probe:
    return Probe(DSIC(), Setting(mechanism, spaces), TOLERANCE, quiet, 1)


def test_the_truth_told_twice_is_no_instance() -> None:
    probe = probe_of(first_price, UNIT, UNIT)
    assert probe(Instance((F(1), F(0)), (0,), (F(1),))) is None
    assert probe.seen.instances == 0
    assert probe(Instance((F(1), F(0)), (0,), (F(0),))) == -1
    assert probe(Instance((1, 0), (0,), (0,))) == -1
    assert probe.seen.instances == 1


def test_steps_without_derivatives_find_a_small_gain() -> None:
    probe = probe_of(convex(F(99, 100)), UNIT, UNIT)
    assert descend(probe, Instance((F(9, 10), 0), (0,), (F(1, 5),)), 160)
    assert probe.seen.instances <= 161


def test_steps_without_derivatives_go_a_long_way() -> None:
    """Only near (37/100, 61/100) is a payment below 0, so that there are steps to take before."""

    def valley(reports: Reports) -> Any:
        away = abs(reports[0] - F(37, 100)) + abs(reports[1] - F(61, 100))
        return None, (away - F(1, 1000), 0)

    setting = Setting(valley, (UNIT, UNIT))
    probe = Probe(WeakBudgetBalance(), setting, TOLERANCE, quiet, 1)
    assert descend(probe, Instance((F(0), F(1))), 160)


def test_steps_lead_to_ties() -> None:
    probe = probe_of(free_at_ties, UNIT, UNIT)
    assert descend(probe, Instance((F(0.9), F(0.437)), (0,), (F(0.2),)), 40)


def test_steps_end_where_there_are_no_neighbours() -> None:
    drawn = Drawn(st.integers(0, 5))
    probe = probe_of(lambda reports: (None, (0,)), drawn)
    assert not descend(probe, Instance((1,), (0,), (3,)), 50)


def test_hypothesis_has_its_turn_beside_the_others() -> None:
    """Only it draws parts of 2520; the budgets of all others are too small."""
    few = Effort(samples=1200, starts=0, steps=0)

    def rule(reports: Reports) -> Any:
        (own,) = reports
        unusual = 8 * own != int(8 * own) and own.denominator in (3, 5, 7, 9, 15, 21, 35, 63, 105)
        return None, (-1 if unusual else 0,)

    assert refutation(rule, UNIT, effort=few)


def test_hypothesis_finds_what_fails_by_itself() -> None:
    probe = probe_of(gift(F(1, 2), F(8, 10)), UNIT, UNIT)
    assert find_failing(probe, 200)
    probe = probe_of(second_price, UNIT, Simplex(2))
    assert not find_failing(probe, 20)


SPACES: dict[str, TypeSpace] = {
    "interval": Box(F(-1, 3), 2),
    "box": Box([0, 0], [1, 2]),
    "simplex": Simplex(3),
    "list": FiniteTypes(["a", "b", "c", "d"]),
    "product": Product(Simplex(2), Box(0, 1), FiniteTypes([5, 6])),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_moves_stay_in_the_space_and_go_both_ways(space: TypeSpace) -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        start = space.draw(generator)
        for step in (F(1), F(1, 4), F(1, 1000)):
            reached = list(moves(space, start, step))
            assert reached
            assert all(moved in space and moved != start for moved in reached)
    start = space.grid(1)[0]
    back = {
        again
        for moved in moves(space, start, F(1, 10**6))
        for again in moves(space, moved, F(1, 10**6))
    }
    assert start in back


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_points_counts_the_grid(space: TypeSpace) -> None:
    for steps in (1, 2, 3):
        assert points(space, steps) == len(space.grid(steps))


def test_grids_grow_until_there_is_too_much() -> None:
    setting = Setting(second_price, (UNIT, UNIT))
    sizes = [len(list(level)) for level in lattices(DSIC(), setting, 1000)]
    assert sizes == [8, 36, 200]
    assert list(lattices(DSIC(), Setting(second_price, (Box([0] * 40, [1] * 40),)), 1000)) == []


def test_samples_have_ties_and_near_ties() -> None:
    setting = Setting(second_price, (UNIT, UNIT))
    drawn = list(samples(DSIC(), setting, 400, np.random.default_rng(0)))
    assert len(drawn) == 400
    gaps = [abs(i.lies[0] - i.profile[1 - i.agents[0]]) for i in drawn]
    assert sum(gap == 0 for gap in gaps) > 10
    assert sum(0 < gap < F(1, 100) for gap in gaps) > 10
    assert sum(i.profile[0] == i.profile[1] for i in drawn) > 10
    assert {i.agents for i in drawn} == {(0,), (1,)}


# --- shrinking


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    for denominator in count(1):
        for numerator in range(denominator + 1):
            if low < F(numerator, denominator) < high:
                return F(numerator, denominator)
    raise AssertionError


@given(st.floats(0.001, 0.998), st.floats(0.001, 0.2))
@settings(max_examples=5)
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
    assert prop.count <= trials
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


# --- counts, faults, seeds


def test_faults_are_counted_and_the_rest_is_searched() -> None:
    def fussy(reports: Reports) -> Any:
        if reports[0] > F(1, 2):
            raise ValueError("too much")
        return second_price(reports)

    seen, setting = look(fussy, UNIT, UNIT, effort=LITTLE)
    assert seen.smallest is None
    assert seen.unjudged > 20
    assert seen.met + seen.unjudged == seen.instances
    assert "too much" in setting.faults[0].problem


def test_a_gain_within_tolerance_refutes_exact_mechanisms_only() -> None:
    tiny = F(1, 10**12)

    def generous(reports: Reports) -> Any:
        return None, (1 - tiny if reports[0] > F(1, 2) else 1,)

    assert refutation(generous, UNIT) == Instance((0,), (0,), (1,))
    seen, _ = look(lambda r: (None, (float(generous(r)[1][0]),)), UNIT, effort=LITTLE)
    assert seen.smallest is None
    assert seen.least is not None
    assert -tiny * 2 < seen.least < 0


def outline(seen: Judged) -> tuple[Any, ...]:
    return (seen.instances, seen.met, seen.nontrivial, seen.least, seen.worst, seen.smallest)


@pytest.mark.parametrize(
    ("mechanism", "space"),
    [
        (second_price, UNIT),
        (gift(F(7132, 10000), F(7152, 10000)), UNIT),
        (free_at_ties, Drawn(st.integers(0, 99))),
    ],
    ids=["second price", "window", "drawn"],
)
def test_the_same_seed_leads_to_the_same(mechanism: Any, space: TypeSpace) -> None:
    runs = [look(mechanism, space, space, effort=LITTLE, seed=7)[0] for _ in range(2)]
    assert outline(runs[0]) == outline(runs[1])


def test_other_seeds_look_elsewhere() -> None:
    setting = Setting(second_price, (UNIT, UNIT))
    one, other = (
        list(samples(DSIC(), setting, 10, np.random.default_rng(seed))) for seed in (0, 1)
    )
    assert one != other


def test_witnesses_found_before_come_first() -> None:
    before = Instance((F(1, 3), F(1, 7)), (0,), (F(1, 4),))
    seen, _ = look(first_price, UNIT, UNIT, seeds=[before])
    assert seen.instances == 1
    assert seen.worst == before
    assert seen.smallest == Instance((1, 0), (0,), (0,))


@pytest.mark.parametrize(
    "foreign",
    [
        Instance((1, 0, 0), (0,), (0,)),
        Instance((2, 0), (0,), (0,)),
        Instance((1, 0), (5,), (0,)),
        Instance((1, 0), (), ()),
    ],
    ids=["too many agents", "outside the box", "no such agent", "of another property"],
)
def test_witnesses_of_other_settings_are_left_out(foreign: Instance) -> None:
    assert outline(look(first_price, UNIT, UNIT, seeds=[foreign])[0]) == outline(
        look(first_price, UNIT, UNIT)[0]
    )


def test_nothing_is_judged_where_there_are_too_few_agents() -> None:
    seen, _ = look(lambda reports: (None, ()), effort=LITTLE)
    assert (seen.instances, seen.smallest) == (0, None)


def test_rewards_are_searched_with_their_own_values() -> None:
    witness = refutation(spoiled_favourite, Box([0, 0], [1, 1]), values=Rewards())
    assert sorted(witness.profile[0]) == [0, 1]
