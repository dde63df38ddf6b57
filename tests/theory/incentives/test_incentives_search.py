"""Counterexamples among types that cannot be listed: found, human-sized, and none where none is."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from incentive_searches import (
    LITTLE,
    MORE,
    TOLERANCE,
    UNIT,
    F,
    Reports,
    convex,
    discount,
    first_price,
    free_at_ties,
    gift,
    highest,
    just_above,
    look,
    quiet,
    refutation,
    second_price,
    simplest_between,
)

from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    DrawnTypes,
    Effort,
    FiniteTypes,
    Product,
    Rewards,
    Simplex,
    Vectorised,
)
from theory.incentives._finite import Judged
from theory.incentives._property import Instance
from theory.incentives._types import TypeSpace
from theory.incentives._values import ValueFunction
from theory.incentives.properties.dsic import DSIC
from theory.incentives.properties.individual_rationality import IndividualRationality
from theory.incentives.properties.weak_budget import WeakBudgetBalance
from theory.incentives.search import search
from theory.incentives.search._probe import SlackProbe
from theory.incentives.search._samples import samples
from theory.incentives.setting import Setting


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
    witness = refutation(hired, workers, workers, values=ValueFunction(effort_cost))
    assert witness.profile[0] == ("skilled", 0)
    assert witness.lies[0][0] == "skilled"
    assert witness.lies[0][1].denominator <= 2
    seen, _ = look(
        hired_for_three_quarters, workers, workers, values=ValueFunction(effort_cost), effort=LITTLE
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
    found = search(DSIC(), setting, LITTLE, TOLERANCE, earlier=[before], progress=quiet)
    assert found.smallest is not None
    assert not setting.inexact
    assert not setting.faults
    assert seen == {F, int}
    drawn = list(samples(DSIC(), setting, 300, np.random.default_rng(0)))
    probe = SlackProbe(DSIC(), setting, TOLERANCE, quiet, 1)
    assert probe.all(drawn)
    assert not setting.faults
    assert seen == {F, int}


def test_types_that_a_strategy_draws() -> None:
    drawn = DrawnTypes(st.integers(0, 1000))
    assert refutation(first_price, drawn, drawn) == Instance((1, 0), (0,), (0,))
    tie = refutation(free_at_ties, drawn, drawn)
    assert tie.reports()[0] == tie.reports()[1] <= 2
    seen, _ = look(second_price, drawn, drawn, effort=LITTLE)
    assert seen.smallest is None
    assert seen.met > 50


def test_strategies_inside_products_and_beside_boxes() -> None:
    pairs = Product(DrawnTypes(st.sampled_from(["skilled", "new"])), UNIT)
    witness = refutation(hired, pairs, pairs, values=ValueFunction(effort_cost))
    assert witness.profile[witness.agents[0]] == ("skilled", 0)
    assert refutation(first_price, UNIT, DrawnTypes(st.fractions(0, 1)))


@pytest.mark.parametrize(
    ("strategy", "problem"),
    [(st.lists(st.integers()), "not hashable"), (st.just(float("nan")), "not finite")],
    ids=["lists", "nan"],
)
def test_drawn_types_that_cannot_be_used(strategy: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        look(second_price, DrawnTypes(strategy), UNIT, effort=LITTLE)


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


def test_a_mechanism_at_fault_everywhere_is_soon_given_up() -> None:
    """NumPy has no exp of the fractions that it is given here."""
    exponential = Vectorised(lambda reports: (np.exp(reports), np.exp(reports)))
    # Hypothesis may draw the same again and again, and so fewer than the 64 that are put up with.
    for space, least in ((UNIT, 64), (DrawnTypes(st.fractions(0, 1)), 1)):
        seen, setting = look(exponential, space, space, effort=LITTLE)
        assert seen.smallest is None
        assert seen.met == 0
        assert least <= seen.unjudged == seen.instances < 8 * 64
        assert setting.faults


def test_outcomes_of_listed_instances_are_computed_at_once() -> None:
    calls = deque[int]()  # numbers in a list would be among those that a search begins at

    def rule(reports: np.ndarray) -> tuple[Any, Any]:
        calls.append(len(reports))
        return reports, reports * reports / 2

    seen, _ = look(Vectorised(rule), UNIT, UNIT, effort=LITTLE)
    assert seen.smallest is None
    assert seen.met > 300
    assert max(calls) > 100
    alone, _ = look(lambda r: (tuple(r), tuple(x * x / 2 for x in r)), UNIT, UNIT, effort=LITTLE)
    assert outline(seen) == outline(alone)


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
        (free_at_ties, DrawnTypes(st.integers(0, 99))),
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
    seen, _ = look(first_price, UNIT, UNIT, earlier=[before])
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
    assert outline(look(first_price, UNIT, UNIT, earlier=[foreign])[0]) == outline(
        look(first_price, UNIT, UNIT)[0]
    )


def test_nothing_is_judged_where_there_are_too_few_agents() -> None:
    seen, _ = look(lambda reports: (None, ()), effort=LITTLE)
    assert (seen.instances, seen.smallest) == (0, None)


def test_rewards_are_searched_with_their_own_values() -> None:
    witness = refutation(spoiled_favourite, Box([0, 0], [1, 1]), values=Rewards())
    assert sorted(witness.profile[0]) == [0, 1]
