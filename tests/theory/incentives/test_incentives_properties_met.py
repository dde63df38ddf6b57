"""Properties on real types, under beliefs and along cycles, and where they cannot be asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from planted_property_faults import (
    BIDS,
    DEAR_ALONE,
    DEARER_FIRST,
    DICTATOR,
    FIRST_PRICE,
    HALF,
    LABELS,
    LOWEST_WINS,
    ROTATED,
    ROTATION,
    SECOND_PRICE,
    UNIT,
    Worth,
    always,
    auction,
    counting,
    equal_shares,
    judged,
    on_grid,
    one,
    slack,
    total,
    two,
)
from reference.incentives import cycles as all_cycles

from theory.incentives import (
    Box,
    DrawnTypes,
    Effort,
    FiniteTypes,
    Prior,
    Product,
    Rewards,
    Simplex,
    ValueTable,
    assert_holds_at,
    check_mechanism,
)
from theory.incentives._values import ValueFunction
from theory.incentives.properties import PROPERTIES
from theory.incentives.properties.cyclic_monotonicity import least_cycle
from theory.incentives.setting import Setting
from theory.incentives.table import tabulate
from theory.verdicts import Status


def test_the_least_cycle_is_that_of_all_cycles() -> None:
    """Where none is negative it is the shortest; else negative, and no negative one is smaller."""
    rng = np.random.default_rng(3)
    negatives = 0
    for k in range(300):
        n, low = int(rng.integers(2, 6)), -int(rng.integers(0, 3))
        lengths = rng.integers(low, 4, size=(n, n))
        if k % 2:
            level = rng.integers(0, 5, size=n)
            lengths = np.maximum(lengths, 0) + level[:, None] - level
        np.fill_diagonal(lengths, 0)
        if k % 5 == 0:
            lengths = lengths.astype(object) * 10**30
        totals = {cycle: total(lengths, cycle) for cycle in all_cycles(range(n))}
        found = least_cycle(lengths)
        assert len(set(found)) == len(found) >= 2
        least = min(totals.values())
        if least >= 0:
            assert total(lengths, found) == least
        else:
            negatives += 1
            assert total(lengths, found) < 0
            assert len(found) == min(len(c) for c, sum_ in totals.items() if sum_ < 0)
    assert 60 < negatives < 240


@pytest.mark.parametrize("size", range(2, 36))
def test_a_negative_cycle_of_any_size_is_found(size: int) -> None:
    """The only one goes from each node to the next; through all of them, or one that is apart."""
    for nodes in (size, size + 1):
        lengths = np.full((nodes, nodes), 999)
        np.fill_diagonal(lengths, 0)
        for node in range(size):
            lengths[node, (node + 1) % size] = -1 if node < size - 1 else size - 2
        found = least_cycle(lengths)
        assert total(lengths, found) == -1
        assert sorted(found) == list(range(size))


def test_types_without_an_outcome_are_left_out_of_cycles() -> None:
    def partial(reports: tuple[str, ...]) -> Any:
        return reports[0].upper(), [0] if reports[0] != "b" else 1 // 0

    setting = Setting(partial, (FiniteTypes(list("abc")),), passed_values=ValueTable(ROTATION))
    seen = judged("cyclically_monotone", setting)
    # a's loss from C is 2 and c's gain from A is 1.
    assert (seen.met, seen.unjudged) == (1, 1)
    assert seen.least == 1


def test_drawn_cycles_may_repeat_a_type() -> None:
    for cycle in permutations("abc"):
        total_ = slack("cyclically_monotone", ROTATED, cycle[:1], (0,), cycle[1:])
        assert total_ == (-3 if "".join(cycle) in "abcab" else 6)
    assert slack("cyclically_monotone", ROTATED, ("a",), (0,), ("a", "b")) == 1


def test_types_of_probability_zero_hold_no_beliefs() -> None:
    point = two(FIRST_PRICE, prior=Prior.joint({(2, 0): 1, (3, 3): 0}))
    assert judged("bic", point).met == 2 * 3
    assert judged("interim_individually_rational", point).met == 2
    assert slack("bic", point, (), (0,), (3, 0)) is None
    assert slack("bic", point, (), (0,), (2, 1)) == -1


def test_a_correlated_prior_is_conditioned_on_the_own_type() -> None:
    """Types are equal: each bids against itself, and loses to the first by a bid below."""
    same = two(FIRST_PRICE, prior=Prior.joint({(t, t): Fraction(1, 4) for t in range(4)}))
    assert slack("bic", same, (), (0,), (3, 2)) == 0
    assert slack("interim_individually_rational", same, (), (0,), (3,)) == 0


def test_epsilon_is_put_up_with() -> None:
    assert judged("bic", two(FIRST_PRICE, epsilon=Fraction(9, 10))).smallest is not None
    assert judged("bic", two(FIRST_PRICE, epsilon=Fraction(1))).smallest is None


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("weakly_monotone", SECOND_PRICE, LOWEST_WINS),
        ("cyclically_monotone", SECOND_PRICE, LOWEST_WINS),
        ("payment_identity", SECOND_PRICE, FIRST_PRICE),
        ("convex_utility", SECOND_PRICE, auction(lambda i, bids, w: bids[i] ** 2)),
        ("anonymous", SECOND_PRICE, DEARER_FIRST),
        ("non_bossy", FIRST_PRICE, SECOND_PRICE),
        ("pairwise_strategyproof", DICTATOR, SECOND_PRICE),
        ("revenue_monotone", SECOND_PRICE, DEAR_ALONE),
        ("false_name_proof", SECOND_PRICE, equal_shares),
        ("efficient", SECOND_PRICE, LOWEST_WINS),
        ("deterministic", SECOND_PRICE, counting()),
    ],
)
def test_real_types(name: str, good: Any, bad: Any) -> None:
    fine = on_grid(name, two(good, UNIT))
    assert fine
    assert min(fine) >= 0
    assert min(on_grid(name, two(bad, UNIT))) < 0


@pytest.mark.parametrize("types", [UNIT, FiniteTypes([0, Fraction(1, 2), 1])])
def test_the_envelope_between_two_types(types: Any) -> None:
    """A bid b gets b and pays b²/2: from 1/2 to 1 utility grows by 3/8, of 1/4 to 1/2."""
    setting = Setting(lambda bids: ((bids[0],), [bids[0] ** 2 / 2]), (types,))
    half, one, name = Fraction(1, 2), Fraction(1), "payment_identity"
    assert slack(name, setting, (one,), (0,), (half,)) == Fraction(1, 8)
    assert slack(name, setting, (half,), (0,), (one,)) == Fraction(1, 8)
    assert slack(name, setting, (one,), (0,), (Fraction(0),)) == half


def test_drawn_types_are_bracketed_by_the_ends_alone() -> None:
    from hypothesis import strategies as st

    setting = Setting(
        lambda bids: ((bids[0],), [Fraction(bids[0] ** 2, 2)]), (DrawnTypes(st.integers(0, 9)),)
    )
    assert PROPERTIES["payment_identity"].why_inapplicable(setting) == ""
    assert slack("payment_identity", setting, (4,), (0,), (0,)) == 8


def test_vectors_have_a_type_halfway_in_their_space() -> None:
    def best(reports: tuple[Any, ...]) -> Any:
        (rewards,) = reports
        return rewards.index(max(rewards)), [0]

    def dear_in_the_middle(reports: tuple[Any, ...]) -> Any:
        return 0, [-1 if reports[0][0] == HALF else 0]

    corners = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    for space in (Simplex(2), Box([0, 0], [1, 1]), Product(UNIT, UNIT)):
        fine, bad = Setting(best, (space,)), Setting(dear_in_the_middle, (space,))
        assert slack("convex_utility", fine, corners[:1], (0,), corners[1:]) == HALF
        assert slack("convex_utility", bad, corners[:1], (0,), corners[1:]) == -1
    # On the sum-one line of a product of finite types nothing is halfway.
    coarse = Product(FiniteTypes([0, 1]), UNIT)
    setting = Setting(best, (coarse,))
    assert slack("convex_utility", setting, ((0, Fraction(0)),), (0,), ((1, Fraction(1)),)) is None


def test_convexity_by_hand_on_vectors() -> None:
    """U is 0, -1 and 2 on the line, 3 off it; the mean of (0, 0) and (2, 4) is on it."""
    spread = one(
        {(0, 0): (0, [0]), (1, 2): (1, [3]), (2, 4): (1, [2]), (2, 3): (1, [0])},
        passed_values=Rewards(),
    )
    seen = judged("convex_utility", spread)
    assert seen.met == 1
    assert seen.least == 2
    assert slack("convex_utility", spread, ((0, 0),), (0,), ((2, 3),)) is None


@pytest.mark.parametrize(
    ("name", "setting", "part"),
    [
        ("bic", replace(two(SECOND_PRICE), prior=None), "there is no prior"),
        ("bic", two(SECOND_PRICE, UNIT, prior=Prior.uniform(BIDS, 2)), "finite types"),
        ("interim_individually_rational", two(SECOND_PRICE, UNIT), "there is no prior"),
        ("efficient", two(equal_shares, UNIT), "alternatives="),
        ("payment_identity", LABELS, "numbers"),
        ("payment_identity", two(Worth()), "quantity"),
        (
            "payment_identity",
            two(DICTATOR, passed_values=ValueFunction(lambda i, t, a: t)),
            "quantity",
        ),
        ("convex_utility", LABELS, "linear"),
        ("convex_utility", two(Worth()), "linear"),
        ("anonymous", LABELS, "alike"),
        ("anonymous", Setting(SECOND_PRICE, (BIDS, FiniteTypes([0, 1]))), "alike"),
        ("anonymous", Setting(SECOND_PRICE, (UNIT, Box(0, 2))), "alike"),
        ("anonymous", Setting(SECOND_PRICE, (UNIT, BIDS)), "alike"),
        ("non_bossy", LABELS, "no other agent"),
        ("pairwise_strategyproof", LABELS, "no other agent"),
        ("revenue_monotone", LABELS, "nobody"),
        ("false_name_proof", two(Worth()), "two names"),
        (
            "false_name_proof",
            two(DICTATOR, passed_values=ValueFunction(lambda i, t, a: t)),
            "two names",
        ),
    ],
)
def test_what_cannot_be_asked_says_why(name: str, setting: Setting, part: str) -> None:
    assert part in PROPERTIES[name].why_inapplicable(setting)


@pytest.mark.parametrize("name", ["revenue_monotone", "false_name_proof"])
def test_a_rule_for_two_is_judged_for_two(name: str) -> None:
    def two_only(bids: tuple[Any, ...]) -> Any:
        first, second = bids
        return SECOND_PRICE((first, second))

    setting = two(two_only)
    seen = judged(name, setting)
    assert seen.instances
    assert (seen.met, seen.unjudged) == (0, 0)
    assert setting.faults == ()


def test_the_same_types_in_another_order_are_the_same() -> None:
    setting = Setting(SECOND_PRICE, (FiniteTypes([0, 1]), FiniteTypes([1, 0]), BIDS))
    assert judged("anonymous", setting).met == 2 * 2 * 4


def test_public_outcomes_count_once_for_two_names() -> None:
    def mean(reports: tuple[str, ...]) -> Any:
        return "A" if reports.count("a") > len(reports) / 2 else "C", [0] * len(reports)

    setting = Setting(mean, (FiniteTypes(list("ab")),) * 2, passed_values=ValueTable(ROTATION))
    # b wants C, which is 1 to it, and there is no more of it under two names.
    assert slack("false_name_proof", setting, ("b", "a"), (0,), ("b", "b")) == 0
    # a gets A, worth 0, by two votes of three, in place of C, worth -2.
    assert slack("false_name_proof", setting, ("a", "b"), (0,), ("a", "a")) == -2


def test_the_identity_is_judged_where_the_quantity_does_not_fall_alone() -> None:
    """Where the lowest bid wins, bidder 1's quantity falls but against a bid of 0."""
    setting = two(LOWEST_WINS)
    assert slack("payment_identity", setting, (0, 3), (1,), (0,)) is not None
    assert slack("payment_identity", setting, (2, 3), (1,), (0,)) is None


def test_one_more_type_hides_no_fault_between_others() -> None:
    """From 0 to 1 utility grows by 5, of a quantity of 1; at 3 the quantity falls again."""

    def rule(bids: Any) -> Any:
        quantity = int(1 <= bids[0] < 3)
        return [quantity], [bids[0] * quantity - (5 if bids[0] >= 1 else 0)]

    for types in (FiniteTypes([0, 1, 2]), FiniteTypes([0, 1, 2, 3]), Box(0, 2), Box(0, 3)):
        report = check_mechanism(rule, types=types, agents=1, properties=["payment_identity"])
        assert report.refuted == ("payment_identity",), types


@pytest.mark.parametrize("effort", [Effort(), Effort(exhaustive=1)])
@pytest.mark.parametrize("count", [3, 4, 60])
def test_every_two_types_are_compared_however_many_there_are(effort: Effort, count: int) -> None:
    """The quantity is 1 from 1 on, and utility does not grow from 1 to 2."""

    def rule(bids: Any) -> Any:
        quantity = int(bids[0] >= 1)
        return [quantity], [bids[0] - (1 if bids[0] < 3 else bids[0] - 1) if quantity else 0]

    types = FiniteTypes(range(count))
    given = {"types": types, "agents": 1, "properties": ["payment_identity"], "effort": effort}
    found = check_mechanism(rule, **given)["payment_identity"]
    assert found.status is Status.REFUTED
    assert found.witness is not None
    with pytest.raises(AssertionError):
        assert_holds_at(rule, "payment_identity", found.witness.instance, types=types, agents=1)


def test_getting_as_much_is_not_getting_the_same_to_every_type() -> None:
    """To type a outcomes A and D are the same; to type b they are not."""
    table = {"a": {"A": 0, "D": 0}, "b": {"A": 0, "D": 1}}

    def by_first(reports: tuple[str, ...]) -> Any:
        return ("A" if reports[0] == "a" else "D"), [0, 0]

    setting = Setting(by_first, (FiniteTypes(list("ab")),) * 2, passed_values=ValueTable(table))
    assert slack("non_bossy", setting, ("a", "b"), (0,), ("b",)) is None
    alone = Setting(
        by_first,
        (FiniteTypes(list("ab")),) * 2,
        passed_values=ValueTable([{"a": table["a"], "b": table["a"]}, table]),
    )
    assert slack("non_bossy", alone, ("a", "b"), (0,), ("b",)) == -1


def test_a_pair_may_leave_one_of_its_two_at_the_truth() -> None:
    setting = two(FIRST_PRICE)
    assert slack("pairwise_strategyproof", setting, (3, 0), (0, 1), (1, 0)) == -2
    assert slack("pairwise_strategyproof", setting, (3, 3), (0, 1), (0, 3)) == 0
    assert slack("pairwise_strategyproof", setting, (1, 1), (0, 1), (0, 2)) == 1


def test_values_that_are_missing_leave_efficiency_unjudged() -> None:
    setting = Setting(
        always("A"),
        (FiniteTypes(list("abc")),),
        passed_values=ValueTable(ROTATION),
        passed_alternatives=lambda n: ["A", "Z"],
    )
    assert PROPERTIES["efficient"].slacks(tabulate(setting)) is None
    assert judged("efficient", setting).unjudged == 3
