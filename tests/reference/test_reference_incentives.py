"""The oracles on incentives against answers worked by hand; each finds a planted fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from reference.implementable import implementable
from reference.incentives import SLACKS, Instance, Setting, breaks, slacks_bic, slacks_dsic, vacuous

BIDS = (0, 1, 2, 3)
HALF = Fraction(1, 2)


# --- auctions for any number of bidders; the first best bid wins


def auction(pay: Callable[[int, tuple[int, ...], int], Any], best: Any = max) -> Any:
    """``pay(i, reports, winner)`` is what bidder i pays."""

    def rule(reports: tuple[int, ...]) -> tuple[int, list[Any]]:
        winner = reports.index(best(reports))
        return winner, [pay(i, reports, winner) for i in range(len(reports))]

    return rule


def runner_up(i: int, reports: tuple[int, ...], winner: int) -> int:
    return sorted((0, *reports))[-2] if i == winner else 0


def own_bid(i: int, reports: tuple[int, ...], winner: int) -> int:
    return reports[i] if i == winner else 0


SECOND_PRICE = auction(runner_up)
FIRST_PRICE = auction(own_bid)
ALL_PAY = auction(lambda i, reports, winner: reports[i])
REBATE = auction(lambda *who: runner_up(*who) - 1)
LOWEST_WINS = auction(lambda *who: 0, min)
DEARER_FIRST = auction(lambda i, reports, best: runner_up(i, reports, best) + (i == 0 == best))
DEAR_ALONE = auction(lambda i, reports, winner: 0 if reports[1:] else reports[0])


def single_item(rule: Any) -> Setting:
    return Setting(
        rule,
        types=(BIDS, BIDS),
        value=lambda i, t, winner: t * (winner == i),
        prior=dict.fromkeys(product(BIDS, BIDS), Fraction(1, 16)),
        alternatives=(0, 1),
        feasible=lambda winner: winner in (0, 1),
        linear=True,
    )


def equal_shares(reports: tuple[int, ...]) -> tuple[Any, list[int]]:
    return (Fraction(1, len(reports)),) * len(reports), [0] * len(reports)


class Counting:
    """Pays by the number of the call."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, reports: tuple[int, ...]) -> Any:
        self.calls += 1
        return 0, [self.calls % 3, 0]


class Falling:
    """Pays by whether the last other reports were larger; those of (0, 0) never pay."""

    def __init__(self) -> None:
        self.before = self.now = (0, 0)

    def __call__(self, reports: tuple[int, int]) -> Any:
        if reports != self.now:
            self.before, self.now = self.now, reports
        return 0, [int(any(reports) and self.before > reports), 0]


def table(
    types: tuple[Any, ...], rule: dict[Any, Any], value: Callable[[Any, Any], Any], **more: Any
) -> Setting:
    """One agent."""
    return Setting(lambda reports: rule[reports[0]], (types,), lambda i, t, a: value(t, a), **more)


ROTATION = {"aA": 0, "aB": 1, "aC": -2, "bB": 0, "bC": 1, "bA": -2, "cC": 0, "cA": 1, "cB": -2}
ROTATED = table(
    tuple("abc"), {t: (t.upper(), [0]) for t in "abc"}, lambda t, outcome: ROTATION[t + outcome]
)
PEAK = table(
    (0, 1, 2), {t: (1, [2 * (t == 2)]) for t in (0, 1, 2)}, lambda t, x: t * x, linear=True
)
SPREAD = table(
    ((0, 0), (1, 2), (2, 4), (2, 3)),
    {(0, 0): (0, [0]), (1, 2): (1, [3]), (2, 4): (1, [2]), (2, 3): (1, [0])},
    lambda t, candidate: t[candidate],
    linear=True,
)
COIN = single_item(lambda reports: ({0: HALF, 7: HALF}, [0, 0]))


# --- whole batteries by hand


def test_second_price_by_hand() -> None:
    """Only the seller profits, and a loser may lower the winner's price."""
    setting = single_item(SECOND_PRICE)
    assert breaks(setting) == {"strongly_budget_balanced", "non_bossy", "pairwise_strategyproof"}
    assert vacuous(setting) == set()
    assert min(slack for _, slack in slacks_dsic(setting)) == 0


def test_first_price_by_hand() -> None:
    assert breaks(single_item(FIRST_PRICE)) == {
        "dsic",
        "bic",
        "strongly_budget_balanced",
        "payment_identity",
        "pairwise_strategyproof",
        "false_name_proof",
    }


def test_a_rule_that_ignores_its_reports_breaks_nothing_but_efficiency_and_names() -> None:
    """Agent 0 gets the item for free; with no alternatives, nothing better is in reach."""
    setting = single_item(lambda reports: (0, [0] * len(reports)))
    assert breaks(setting) == {"efficient", "anonymous"}
    assert breaks(replace(setting, alternatives=None)) == {"anonymous"}


def test_a_rule_where_the_top_type_takes_the_item_by_hand() -> None:
    """Bidder 1 gains by a report of 3, but at bidder 0's cost, whose lot is its own to change."""
    setting = single_item(lambda reports: (int(reports[1] == 3), [0] * len(reports)))
    assert breaks(replace(setting, types=(BIDS[1:],) * 2, prior=None)) == {
        "dsic",
        "efficient",
        "payment_identity",
        "anonymous",
        "false_name_proof",
    }


def test_what_has_no_instance() -> None:
    bare = Setting(
        {("x", "y"): ("o", [0, 0])}.__getitem__, (("x",), ("y",)), lambda i, t, outcome: 1
    )
    never = {"weakly_budget_balanced", "strongly_budget_balanced", "efficient", "deterministic"}
    assert set(SLACKS) - vacuous(bare) == {
        *never,
        "individually_rational",
        "no_positive_transfers",
    }
    assert breaks(bare) == set()


# --- a planted fault for each property: the instance and its slack, by hand

FAULTS: dict[str, tuple[Setting, tuple[Any, ...], Any]] = {
    "feasible": (COIN, ((0, 0),), -1),
    "dsic": (single_item(FIRST_PRICE), (0, (2, 0), 1), -1),
    # A bid of 1 beats 0 and 1: half of 3 - 1.
    "bic": (single_item(FIRST_PRICE), (0, 3, 1), -1),
    "individually_rational": (single_item(ALL_PAY), (1, (3, 2)), -2),
    "interim_individually_rational": (single_item(ALL_PAY), (0, 1), -HALF),
    "no_positive_transfers": (single_item(REBATE), (1, (3, 2)), -1),
    "weakly_budget_balanced": (single_item(REBATE), ((0, 3),), -2),
    "strongly_budget_balanced": (single_item(SECOND_PRICE), ((3, 2),), -2),
    "efficient": (single_item(LOWEST_WINS), ((3, 1),), -2),
    "weakly_monotone": (single_item(LOWEST_WINS), (0, (3, 1), 0), -3),
    "cyclically_monotone": (ROTATED, (0, ("a",), ("a", "b", "c")), -3),
    # A bid of 0 wins, too, so that type 3 should be better off by 3.
    "payment_identity": (single_item(FIRST_PRICE), (0, (3, 0), (0,)), -3),
    "convex_utility": (PEAK, (0, (1,), (0, 2)), -1),
    # 3 - 2 - 1 = 0 against 3 - 2 = 1; the loser has 0 in either place.
    "anonymous": (single_item(DEARER_FIRST), ((0, 1), (3, 2)), -1),
    "non_bossy": (single_item(SECOND_PRICE), (1, (3, 2), 0), -2),
    "pairwise_strategyproof": (single_item(SECOND_PRICE), ((0, 1), (3, 2), (3, 0)), -2),
    "revenue_monotone": (single_item(DEAR_ALONE), (0, (1, 3)), -3),
    # 3/2 against twice 3/3.
    "false_name_proof": (
        Setting(equal_shares, (BIDS, BIDS), lambda i, t, x: t * x[i], linear=True),
        (0, (3, 0), (0, 0)),
        -HALF,
    ),
    "deterministic": (single_item(Counting()), ((0, 0),), -1),
}


def test_every_property_has_a_planted_fault() -> None:
    assert set(FAULTS) == set(SLACKS)


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str) -> None:
    setting, instance, slack = FAULTS[name]
    assert (instance, slack) in list(SLACKS[name](setting))


# --- details of the definitions


def found(name: str, setting: Setting) -> list[Instance]:
    return list(SLACKS[name](setting))


def test_the_least_slack_may_be_bought_off_by_epsilon() -> None:
    """Type 3 of bidder 0 gains 3 by a bid of 0 against 0, and 1 in expectation by a bid of 1."""
    assert "dsic" in breaks(replace(single_item(FIRST_PRICE), epsilon=Fraction(29, 10)))
    assert "dsic" not in breaks(replace(single_item(FIRST_PRICE), epsilon=3))
    assert "bic" in breaks(replace(single_item(FIRST_PRICE), epsilon=Fraction(9, 10)))
    assert "bic" not in breaks(replace(single_item(FIRST_PRICE), epsilon=1))


def test_a_cycle_of_three_is_no_cycle_of_two() -> None:
    assert {"cyclically_monotone", "dsic"} <= breaks(ROTATED)
    assert "weakly_monotone" not in breaks(ROTATED)
    assert len(found("cyclically_monotone", ROTATED)) == 3 + 2


def test_the_mean_of_two_vectors_is_on_their_segment_and_no_other_type_is() -> None:
    """U is 0, -1 and 2 on the line and 3 off it."""
    instances = found("convex_utility", SPREAD)
    assert instances == [((0, ((1, 2),), ((0, 0), (2, 4))), 2)]


def test_the_identity_is_judged_where_the_quantity_does_not_fall_alone() -> None:
    """Where the lowest bid wins, bidder 1 has it against 2 with 0 and 1, and not with 2 and 3."""
    met = found("payment_identity", single_item(LOWEST_WINS))
    pairs = {(lower, p[1]) for (agent, p, (lower,)), _ in met if agent == 1 and p[0] == 2}
    assert pairs == {(0, 1), (2, 3)}


def test_a_utility_that_rises_too_fast_breaks_the_identity() -> None:
    """Always sold, and type t is paid t: U rises by 2 where the quantity is 1."""
    paid = {t: (1, [-t]) for t in BIDS}
    setting = table(BIDS, paid, lambda t, x: t * x, linear=True)
    pairs = list(combinations(BIDS, 2))
    assert found("payment_identity", setting) == [((0, (t,), (s,)), s - t) for s, t in pairs]


def test_the_order_of_the_types_is_no_matter() -> None:
    for rule in (FIRST_PRICE, SECOND_PRICE):
        setting = single_item(rule)
        mixed = replace(setting, types=((2, 0, 3, 1), (3, 1, 2, 0)))
        assert breaks(mixed) == breaks(setting)
        identity, again = found("payment_identity", setting), found("payment_identity", mixed)
        assert dict(identity) == dict(again)


def test_values_that_are_not_linear_have_no_envelope_and_no_second_name() -> None:
    setting = replace(single_item(SECOND_PRICE), linear=False)
    assert vacuous(setting) == {"payment_identity", "convex_utility", "false_name_proof"}


def test_a_call_may_depend_on_the_calls_before_it() -> None:
    assert "deterministic" in breaks(single_item(Falling()))


def test_to_pay_for_it_is_not_bossy() -> None:
    """Bidder 1's own payment changes with what bidder 0 is paid."""
    setting = single_item(lambda reports: (0, [-reports[1], reports[1]]))
    assert "non_bossy" not in breaks(setting)


def test_types_of_probability_zero_hold_no_beliefs() -> None:
    point = replace(single_item(FIRST_PRICE), prior={(2, 0): 1, (3, 3): 0})
    interim = dict(slacks_bic(point))
    assert {(agent, kind) for agent, kind, _ in interim} == {(0, 2), (1, 0)}
    ex_post = dict(slacks_dsic(point))
    for (agent, kind, lie), slack in interim.items():
        assert slack == ex_post[agent, (2, 0), lie]
        assert kind == (2, 0)[agent]


def test_a_rule_for_two_is_judged_for_two() -> None:
    def two_only(reports: tuple[int, ...]) -> Any:
        first, second = reports
        return SECOND_PRICE((first, second))

    assert vacuous(single_item(two_only)) == {"revenue_monotone", "false_name_proof"}


def test_lotteries_count_in_expectation() -> None:
    """Half an item for nothing is worth half the type, and no report changes that."""
    coin = single_item(lambda reports: ({0: HALF, 1: HALF, 7: 0}, [0, 0]))
    assert breaks(coin) == {"efficient"}
    assert dict(found("individually_rational", coin))[1, (0, 3)] == Fraction(3, 2)


# --- allocation rules alone


def pays(values: list[list[Fraction]], chosen: list[int], payments: Any) -> bool:
    kinds = range(len(chosen))
    return all(
        values[t][chosen[t]] - payments[t] >= values[t][chosen[lie]] - payments[lie]
        for t in kinds
        for lie in kinds
    )


def test_payments_exist_just_where_a_search_finds_some() -> None:
    """Steps are integers of at most 4, so payments are, too, and at most 8 after two steps."""
    rng = Random(5)
    answers = []
    for _ in range(150):
        values = [[Fraction(rng.randint(-2, 2)) for _ in range(3)] for _ in range(3)]
        chosen = [rng.randrange(3) for _ in range(3)]
        payments = implementable(values, chosen)
        searched = any(pays(values, chosen, (0, *rest)) for rest in product(range(-8, 9), repeat=2))
        assert (payments is not None) == searched
        assert payments is None or pays(values, chosen, payments)
        answers.append(searched)
    assert 20 < sum(answers) < 130


def test_rules_alone_by_hand() -> None:
    values = [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(2)]]
    assert implementable(values, [0, 1]) == [0, 2]
    assert implementable(values, [1, 0]) is None
    rotated = [[Fraction(ROTATION[t + outcome]) for outcome in "ABC"] for t in "abc"]
    assert implementable(rotated, [0, 1, 2]) is None
    assert implementable(rotated, [1, 2, 0]) == [0, 1, 2]
