"""Each way of searching alone: grids, samples, steps, Hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from incentive_searches import (
    LITTLE,
    TOLERANCE,
    UNIT,
    F,
    Reports,
    convex,
    first_price,
    free_at_ties,
    gift,
    quiet,
    refutation,
    second_price,
)

from theory.incentives import (
    Box,
    DrawnTypes,
    FiniteTypes,
    Product,
    Simplex,
)
from theory.incentives._property import Instance
from theory.incentives._types import TypeSpace
from theory.incentives.properties.dsic import DSIC
from theory.incentives.properties.weak_budget import WeakBudgetBalance
from theory.incentives.search._lattice import lattices, points
from theory.incentives.search._moves import moves
from theory.incentives.search._probe import SlackProbe
from theory.incentives.search._samples import samples
from theory.incentives.search._search import descend
from theory.incentives.search._strategies import find_failing
from theory.incentives.setting import Setting


def probe_of(mechanism: Any, *spaces: TypeSpace) -> SlackProbe:
    return SlackProbe(DSIC(), Setting(mechanism, spaces), TOLERANCE, quiet, 1)


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
    probe = SlackProbe(WeakBudgetBalance(), setting, TOLERANCE, quiet, 1)
    assert descend(probe, Instance((F(0), F(1))), 160)


def test_steps_lead_to_ties() -> None:
    probe = probe_of(free_at_ties, UNIT, UNIT)
    assert descend(probe, Instance((F(0.9), F(0.437)), (0,), (F(0.2),)), 40)


def test_steps_end_where_there_are_no_neighbours() -> None:
    drawn = DrawnTypes(st.integers(0, 5))
    probe = probe_of(lambda reports: (None, (0,)), drawn)
    assert not descend(probe, Instance((1,), (0,), (3,)), 50)


def test_a_stage_of_faults_alone_ends_and_the_next_begins() -> None:
    def rule(reports: Reports) -> Any:
        if any(F(r).denominator <= 32 for r in reports):
            raise ZeroDivisionError
        return first_price(reports)

    probe = probe_of(rule, UNIT, UNIT)
    assert not any(map(probe.all, lattices(DSIC(), probe.setting, 2000)))
    assert 64 < probe.seen.unjudged == probe.seen.instances < 6 * 64
    assert probe.until_found(samples(DSIC(), probe.setting, 300, np.random.default_rng(0)))


def test_faults_do_not_end_a_search_that_judged_something() -> None:
    def rule(reports: Reports) -> Any:
        if reports != (1, 0) and reports != (F(1, 2), 0):
            raise ZeroDivisionError
        return second_price(reports)

    probe = probe_of(rule, UNIT, UNIT)
    probe.all([Instance((1, 0), (0,), (F(1, 2),))])
    drawn = list(samples(DSIC(), probe.setting, 300, np.random.default_rng(0)))
    probe.all(drawn)
    assert probe.seen.unjudged > 200


def test_hypothesis_has_its_turn_beside_the_others() -> None:
    """All others stay on floats, whose denominators are powers of two."""

    def rule(reports: Reports) -> Any:
        denominator = F(reports[0]).denominator
        return None, (-1 if denominator & (denominator - 1) else 0,)

    witness = refutation(rule, UNIT, prop=WeakBudgetBalance(), effort=LITTLE)
    assert witness == Instance((F(1, 3),))


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
    assert sizes == [8, 36, 200, 360]
    assert list(lattices(DSIC(), Setting(second_price, (Box([0] * 40, [1] * 40),)), 1000)) == []


def a_tenth_apart(reports: Reports) -> Any:
    """Second price, with a gift where the first report is exactly 1/10 above the second."""
    winner, paid = second_price(reports)
    gift_ = F(1, 4) if reports[0] == reports[1] + F(1, 10) else 0
    return winner, (paid[0] - gift_, *paid[1:])


@pytest.mark.parametrize("agents", [2, 3, 4])
def test_thresholds_in_tenths_are_met(agents: int) -> None:
    witness = refutation(a_tenth_apart, *[UNIT] * agents)
    told = witness.reports()
    assert witness.agents == (0,)
    assert told[0] == told[1] + F(1, 10)
    setting = Setting(a_tenth_apart, (UNIT,) * agents)
    drawn = samples(DSIC(), setting, 400, np.random.default_rng(0))
    tenths = [i for i in drawn if all((10 * F(x)).denominator == 1 for x in (*i.profile, *i.lies))]
    assert len(tenths) >= 100


def test_thresholds_in_fifths_are_on_the_grids() -> None:
    def rule(reports: Reports) -> Any:
        winner, paid = second_price(reports)
        return winner, (paid[0] - (reports[0] == F(2, 5) != reports[1]), paid[1])

    probe = probe_of(rule, UNIT, UNIT)
    assert any(map(probe.all, lattices(DSIC(), probe.setting, 1000)))


def test_samples_have_ties_and_near_ties() -> None:
    setting = Setting(second_price, (UNIT, UNIT))
    drawn = list(samples(DSIC(), setting, 400, np.random.default_rng(0)))
    assert len(drawn) == 400
    gaps = [abs(i.lies[0] - i.profile[1 - i.agents[0]]) for i in drawn]
    assert sum(gap == 0 for gap in gaps) > 10
    assert sum(0 < gap < F(1, 100) for gap in gaps) > 10
    assert sum(i.profile[0] == i.profile[1] for i in drawn) > 10
    assert {i.agents for i in drawn} == {(0,), (1,)}
