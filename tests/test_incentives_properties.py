"""Each property against a planted fault, at a tie, and against loops over its definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import count, permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from incentive_rules import Case, cases
from oracles.incentives import SLACKS
from oracles.incentives import Setting as Plain
from oracles.incentives import cycles as all_cycles

from theory.incentives import (
    Box,
    Drawn,
    FiniteTypes,
    Lottery,
    Prior,
    Product,
    Rewards,
    Simplex,
    SingleItem,
    SingleParameter,
    ValueTable,
)
from theory.incentives._finite import Judged, run
from theory.incentives._instance import Instance
from theory.incentives._setting import Setting, Unjudged
from theory.incentives._table import tabulate
from theory.incentives._values import Given
from theory.incentives.properties import PROPERTIES
from theory.incentives.properties.cyclic_monotonicity import least_cycle

HALF = Fraction(1, 2)
BIDS = FiniteTypes([0, 1, 2, 3])


def judged(name: str, setting: Setting) -> Judged:
    """The property at every instance, one by one."""
    prop = PROPERTIES[name]
    assert prop.unfit(setting) == ""
    return run(
        prop,
        setting,
        prop.instances(setting),
        total=1,
        tolerance=Fraction(0),
        progress=lambda done, total: None,
    )


def slack(name: str, setting: Setting, profile: Any, agents: Any = (), lies: Any = ()) -> Any:
    return PROPERTIES[name].slack(setting, Instance(profile, agents, lies))


def test_the_battery_is_in_order() -> None:
    assert list(PROPERTIES) == [
        "deterministic",
        "feasible",
        "dsic",
        "bic",
        "individually_rational",
        "interim_individually_rational",
        "no_positive_transfers",
        "weakly_budget_balanced",
        "strongly_budget_balanced",
        "efficient",
        "weakly_monotone",
        "cyclically_monotone",
        "payment_identity",
        "convex_utility",
        "anonymous",
        "non_bossy",
        "pairwise_strategyproof",
        "revenue_monotone",
        "false_name_proof",
    ]
    assert set(PROPERTIES) == set(SLACKS)


# --- auctions for any number of bidders; the first best bid wins


def auction(pay: Callable[[int, tuple[Any, ...], int], Any], best: Any = max) -> Any:
    """``pay(i, bids, winner)`` is what bidder i pays."""

    def rule(bids: tuple[Any, ...]) -> tuple[int, list[Any]]:
        winner = bids.index(best(bids))
        return winner, [pay(i, bids, winner) for i in range(len(bids))]

    return rule


def runner_up(i: int, bids: tuple[Any, ...], winner: int) -> Any:
    return sorted((0, *bids))[-2] if i == winner else 0


SECOND_PRICE = auction(runner_up)
FIRST_PRICE = auction(lambda i, bids, winner: bids[i] if i == winner else 0)
ALL_PAY = auction(lambda i, bids, winner: bids[i])
REBATE = auction(lambda *who: runner_up(*who) - 1)
LOWEST_WINS = auction(lambda *who: 0, min)
DEARER_FIRST = auction(lambda i, *rest: runner_up(i, *rest) + (i == 0))
DEAR_ALONE = auction(lambda i, bids, winner: 0 if bids[1:] else bids[0])


def always(allocation: Any, *payments: Any) -> Any:
    return lambda reports: (allocation, payments or [0] * len(reports))


def equal_shares(reports: tuple[Any, ...]) -> tuple[Any, list[int]]:
    return (Fraction(1, len(reports)),) * len(reports), [0] * len(reports)


def counting() -> Any:
    calls = count()
    return lambda reports: (0, [next(calls) % 3, 0])


def two(rule: Any, types: Any = BIDS, **more: Any) -> Setting:
    given = {"prior": Prior.uniform(types, 2), **more} if types.members else more
    return Setting(rule, (types, types), **given)


def one(rule: dict[Any, Any], **more: Any) -> Setting:
    return Setting(lambda reports: rule[reports[0]], (FiniteTypes(rule),), **more)


ROTATION = {
    "a": {"A": 0, "B": 1, "C": -2},
    "b": {"B": 0, "C": 1, "A": -2},
    "c": {"C": 0, "A": 1, "B": -2},
}
ROTATED = one({t: (t.upper(), [0]) for t in "abc"}, given=ValueTable(ROTATION))
PEAK = one({t: ((1,), [2 * (t == 2)]) for t in (0, 1, 2)})

FAULTS: dict[str, tuple[Setting, Any, tuple[Any, ...]]] = {
    "feasible": (two(always(Lottery({0: HALF, 7: HALF}))), -1, ((0, 0),)),
    "deterministic": (two(counting()), -1, ((0, 0),)),
    "dsic": (two(FIRST_PRICE), -3, ((3, 0), (0,), (0,))),
    # Type 3 wins half of the time with a bid of 1 and gains 2; its own bid gains nothing.
    "bic": (two(FIRST_PRICE), -1, ((), (0,), (3, 1))),
    "individually_rational": (two(ALL_PAY), -3, ((3, 3), (1,))),
    "interim_individually_rational": (two(ALL_PAY), -1, ((), (1,), (2,))),
    "no_positive_transfers": (two(REBATE), -1, ((0, 0), (0,))),
    "weakly_budget_balanced": (two(REBATE), -2, ((3, 0),)),
    "strongly_budget_balanced": (two(SECOND_PRICE), -3, ((3, 3),)),
    "efficient": (two(LOWEST_WINS), -3, ((0, 3),)),
    "weakly_monotone": (two(LOWEST_WINS), -3, ((0, 2), (0,), (3,))),
    "cyclically_monotone": (ROTATED, -3, (("a",), (0,), ("b", "c"))),
    # A bid of 0 wins against 0, too, so that type 3 should be better off by 3.
    "payment_identity": (two(FIRST_PRICE), -3, ((3, 0), (0,), (0,))),
    "convex_utility": (PEAK, -1, ((0,), (0,), (2,))),
    "anonymous": (two(DEARER_FIRST), -1, ((3, 2), (0, 1))),
    "non_bossy": (two(SECOND_PRICE), -3, ((3, 3), (1,), (0,))),
    "pairwise_strategyproof": (two(SECOND_PRICE), -3, ((3, 3), (0, 1), (3, 0))),
    "revenue_monotone": (two(DEAR_ALONE), -3, ((0, 3), (0,))),
    # 3/2 against twice 3/3.
    "false_name_proof": (two(equal_shares), -HALF, ((3, 0), (0,), (0, 0))),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_planted_fault_is_found(name: str) -> None:
    setting, least, where = FAULTS[name]
    seen = judged(name, setting)
    assert seen.least == least
    assert seen.worst is not None
    assert seen.smallest is not None
    assert slack(name, setting, *where) == least
    found = slack(name, setting, seen.smallest.profile, seen.smallest.agents, seen.smallest.lies)
    assert found < 0


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_planted_fault_is_told_in_one_sentence(name: str) -> None:
    prop, (setting, least, where) = PROPERTIES[name], FAULTS[name]
    instance = Instance(*where)
    assert prop.slack(setting, instance) == least
    story = prop.story(setting, instance)
    assert "\n" not in story
    assert not story.endswith(".")
    sides = prop.sides(setting, instance)
    assert sides
    assert all(label and text for label, text in sides)


STORIES = {
    "bic": "agent 0 of type 3 gains 1 in expectation by reporting 1 when the others tell the truth",
    "efficient": "types (0, 3) lose 3 of welfare: allocation 1 would be better",
    "weakly_monotone": "types 0 and 3 of agent 0 would gain 3 together by swapping allocations "
    "when agent 1 reports 2",
    "cyclically_monotone": "types 'a' → 'b' → 'c' → 'a' of agent 0 gain 3 together if each takes "
    "the allocation of the next",
    "payment_identity": "utility of agent 0 grows by 0 from type 0 to 3, but its quantities allow "
    "3 when agent 1 reports 0",
    "convex_utility": "utility of agent 0 at type 1 is 1, above the 0 on the line between types "
    "0 and 2",
    "anonymous": "agent 0 has utility 0 at types (3, 2), but agent 1 has 1 when agents 0 and 1 "
    "swap types",
    "non_bossy": "agent 1 gets and pays the same when it reports 0 in place of 3 when agent 0 "
    "reports 3, but the utility of agent 0 goes from 0 to 3",
    "pairwise_strategyproof": "agents 0 and 1 of types 3 and 3 gain 3 and 0 by reporting 3 and 0",
    "revenue_monotone": "the payments sum to 3 more without agent 0, who reports 0, than at "
    "reports (0, 3)",
    "false_name_proof": "agent 0 of type 3 gains 1/2 by reporting 0 and, under a second name, 0 "
    "when agent 1 reports 0",
}


@pytest.mark.parametrize("name", STORIES)
def test_stories(name: str) -> None:
    setting, _, where = FAULTS[name]
    assert PROPERTIES[name].story(setting, Instance(*where)) == STORIES[name]


# --- no false alarm: these hold with a slack of exactly 0 somewhere

COIN = always(Lottery({0: HALF, 1: HALF}))
DICTATOR = always(0)

TIES: dict[str, Setting] = {
    "feasible": two(always((HALF, HALF)), given=SingleItem()),
    "deterministic": two(COIN),
    "dsic": two(SECOND_PRICE),
    "bic": two(SECOND_PRICE),
    "individually_rational": two(FIRST_PRICE),
    "interim_individually_rational": two(FIRST_PRICE),
    "no_positive_transfers": two(SECOND_PRICE),
    "weakly_budget_balanced": two(always(0, 1, -1)),
    "strongly_budget_balanced": two(always(0, 1, -1)),
    "efficient": two(SECOND_PRICE),
    "weakly_monotone": two(COIN),
    "cyclically_monotone": two(SECOND_PRICE),
    "payment_identity": two(SECOND_PRICE),
    "convex_utility": two(COIN),
    "anonymous": two(SECOND_PRICE),
    "non_bossy": two(DICTATOR),
    "pairwise_strategyproof": two(DICTATOR),
    "revenue_monotone": two(SECOND_PRICE),
    "false_name_proof": two(DICTATOR),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_tie_is_no_fault(name: str) -> None:
    seen = judged(name, TIES[name])
    assert seen.met
    assert seen.least == 0
    assert seen.smallest is None


# --- the same by plain loops over the definitions


def allotment(allocation: Any) -> Any:
    return Lottery(allocation) if isinstance(allocation, dict) else allocation


def pair_of(plain: Plain, given: Any) -> tuple[Plain, Setting]:
    """The same mechanism for the oracle and for the library."""

    def mechanism(reports: tuple[Any, ...]) -> Any:
        allocation, payments = plain.rule(reports)
        return allotment(allocation), payments

    def feasible(allocation: Any, agents: int) -> bool:
        assert plain.feasible is not None
        assert agents == len(plain.types)
        return plain.feasible(allocation)

    def alternatives(agents: int) -> Sequence[Any]:
        assert agents == len(plain.types)
        return plain.alternatives or ()

    return plain, Setting(
        mechanism,
        tuple(map(FiniteTypes, plain.types)),
        given=given,
        prior=Prior.joint(plain.prior) if plain.prior else None,
        epsilon=Fraction(plain.epsilon),
        is_feasible=feasible,
        listed=alternatives if plain.alternatives else None,
    )


def some_prior(rng: Random, types: Sequence[Sequence[Any]]) -> dict[Any, Fraction]:
    """A correlated prior in which some profiles, at times some types, have probability 0."""
    weights = {profile: rng.choice((0, 0, 1, 2)) for profile in product(*types)}
    weights[tuple(t[0] for t in types)] += 1
    total = sum(weights.values())
    return {profile: Fraction(w, total) for profile, w in weights.items()}


def from_case(case: Case, rng: Random) -> tuple[Plain, Setting]:
    tables = None if case.tables is None else ValueTable(case.tables)
    rule = case.rule
    plain = Plain(
        rule.__getitem__,
        case.types,
        case.value,
        prior=some_prior(rng, case.types),
        feasible=lambda allocation: allocation != "a",
        linear=tables is None,
    )
    return pair_of(plain, tables or SingleParameter())


def at_random(seed: str) -> tuple[Plain, Setting]:
    """A single item, at random for each tuple of reports of any length, often symmetric."""
    rng = Random(seed)
    agents = rng.choice((2, 2, 3))
    types = [sorted(rng.sample(range(5), 5 - agents)) for _ in range(agents)]
    if rng.random() < 0.7:
        types = [types[0]] * agents
    symmetric, shares = rng.random() < 0.5, rng.random() < 0.4

    @cache
    def rule(reports: tuple[int, ...]) -> tuple[Any, list[int]]:
        said = tuple(sorted(reports)) if symmetric else reports
        here = Random(f"{seed}/{said}")
        paid = [here.choice((0, 0, 0, 1, 2)) for _ in reports]
        weights = [here.choice((0, 0, 1, 2)) for _ in reports]
        if shares:
            given = [Fraction(w, max(1, sum(weights))) for w in weights]
        else:
            given = [Fraction(i == len(reports) - 1) for i in range(len(reports))]
        if not symmetric:
            return tuple(given), paid
        ranks = [said.index(report) for report in reports]
        return tuple(given[r] for r in ranks), [paid[r] for r in ranks]

    plain = Plain(
        rule,
        types,
        lambda i, t, allocation: t * allocation[i],
        prior=some_prior(rng, types),
        alternatives=[tuple(int(i == k) for i in range(agents)) for k in range(agents + 1)],
        feasible=lambda allocation: sum(allocation) == 1,
        linear=True,
        epsilon=rng.choice((0, 0, HALF)),
    )
    return pair_of(plain, SingleItem())


def coins(seed: str) -> tuple[Plain, Setting]:
    """Lotteries over who gets the item."""
    rng = Random(seed)
    types = rng.choice(([[0, 1, 3]] * 2, [[1, 2]] * 3))

    @cache
    def rule(reports: tuple[int, ...]) -> tuple[Any, list[int]]:
        here = Random(f"{seed}/{reports}")
        first, second = here.sample([None, *range(len(reports))], 2)
        lottery = {first: HALF, second: HALF} if here.random() < 0.7 else first
        return lottery, [here.choice((0, 0, 1)) for _ in reports]

    plain = Plain(
        rule,
        types,
        lambda i, t, winner: t * (winner == i),
        prior=some_prior(rng, types),
        alternatives=[None, *range(len(types))],
        feasible=lambda winner: winner is not None,
        linear=True,
    )
    return pair_of(plain, SingleItem())


def robust(seed: str) -> tuple[Plain, Setting]:
    """A posted price for each, or the first to come, who may have to pay the second."""
    rng = Random(seed)
    agents = rng.choice((2, 3))
    types = [sorted(rng.sample(range(5), 5 - agents))] * agents
    prices, kind = [rng.randint(0, 4) for _ in range(5)], rng.choice(("posted", "same", "first"))
    transfer = rng.choice((0, 1))

    def rule(reports: tuple[int, ...]) -> tuple[Any, list[int]]:
        if kind == "first":
            first = tuple(int(i == 0) for i in range(len(reports)))
            return first, [transfer, -transfer, 0, 0][: len(reports)]
        asked = [prices[0] if kind == "same" else prices[i] for i in range(len(reports))]
        sold = tuple(int(bid >= price) for bid, price in zip(reports, asked, strict=True))
        return sold, [price * x for price, x in zip(asked, sold, strict=True)]

    plain = Plain(
        rule,
        types,
        lambda i, t, allocation: t * allocation[i],
        prior=some_prior(rng, types),
        feasible=lambda allocation: sum(allocation) <= 2,
        linear=True,
    )
    return pair_of(plain, SingleParameter())


PAIRS = [
    *(from_case(case, Random(case.name)) for case in cases(22, seed=7)),
    *(at_random(f"item {k}") for k in range(18)),
    *(coins(f"coins {k}") for k in range(6)),
    *(robust(f"robust {k}") for k in range(12)),
]
VERDICT_ALONE = {"cyclically_monotone", "convex_utility"}


def compared(name: str) -> tuple[int, int]:
    """Compare on all pairs; return how many fail and how many hold."""
    fails = holds = 0
    for plain, setting in PAIRS:
        by_hand = [amount for _, amount in SLACKS[name](plain)]
        if PROPERTIES[name].unfit(setting) or (name == "false_name_proof" and not plain.linear):
            assert not by_hand
            continue
        seen = judged(name, setting)
        assert seen.unjudged == 0
        least = min(by_hand, default=None)
        if name in VERDICT_ALONE:
            assert bool(seen.met) == bool(by_hand)
            assert (seen.smallest is None) == (least is None or least >= 0)
            if name == "cyclically_monotone" and least is not None and least >= 0:
                assert seen.least == least
        else:
            assert (seen.met, seen.least) == (len(by_hand), least)
            assert (seen.smallest is None) == (least is None or least >= 0)
        fails += least is not None and least < 0
        holds += least is not None and least >= 0
    return fails, holds


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_oracle_agrees(name: str) -> None:
    fails, holds = compared(name)
    if name == "deterministic":
        assert (fails, holds) == (0, len(PAIRS))
    else:
        assert fails >= 3
        assert holds >= 3


@pytest.mark.parametrize("name", ["efficient", "deterministic"])
def test_all_at_once_is_one_by_one(name: str) -> None:
    for _, setting in PAIRS:
        slacks = PROPERTIES[name].slacks(tabulate(setting))
        seen = judged(name, setting)
        assert slacks is not None
        assert (slacks.least, slacks.instances) == (seen.least, seen.met)


def test_chance_seen_while_tabulating_is_told() -> None:
    setting = two(counting())
    slacks = PROPERTIES["deterministic"].slacks(tabulate(setting))
    assert slacks is not None
    assert slacks.least == -1
    assert slack("deterministic", setting, (0, 0)) == -1
    story = PROPERTIES["deterministic"].story(setting, Instance((0, 0)))
    assert story.startswith("at reports (0, 0): not deterministic: the same reports led to")


def test_chance_is_no_fault_of_the_other_kind() -> None:
    def raising(bids: tuple[int, ...]) -> Any:
        return SECOND_PRICE(bids) if bids != (0, 0) else 1 // 0

    setting = two(raising)
    seen = judged("deterministic", setting)
    assert (seen.met, seen.unjudged) == (15, 1)
    assert seen.least == 0
    slacks = PROPERTIES["deterministic"].slacks(tabulate(setting))
    assert slacks is not None
    assert slacks.instances == 15
    assert slacks.least == 0


# --- cycles


def total(lengths: Any, cycle: Sequence[int]) -> int:
    steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    return sum(int(lengths[s, t]) for s, t in steps)


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


def test_types_without_an_outcome_are_left_out_of_cycles() -> None:
    def partial(reports: tuple[str, ...]) -> Any:
        return reports[0].upper(), [0] if reports[0] != "b" else 1 // 0

    setting = Setting(partial, (FiniteTypes("abc"),), given=ValueTable(ROTATION))
    seen = judged("cyclically_monotone", setting)
    # a's loss from C is 2 and c's gain from A is 1.
    assert (seen.met, seen.unjudged) == (1, 1)
    assert seen.least == 1


def test_drawn_cycles_may_repeat_a_type() -> None:
    for cycle in permutations("abc"):
        total_ = slack("cyclically_monotone", ROTATED, cycle[:1], (0,), cycle[1:])
        assert total_ == (-3 if "".join(cycle) in "abcab" else 6)
    assert slack("cyclically_monotone", ROTATED, ("a",), (0,), ("a", "b")) == 1


# --- beliefs


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


# --- real types

UNIT = Box(0, 1)


def on_grid(name: str, setting: Setting) -> list[Any]:
    """The slacks at random instances of exact types."""
    generator = np.random.default_rng(5)
    found = []
    for _ in range(120):
        instance = PROPERTIES[name].shape.draw(setting, generator)
        assert instance is not None
        try:
            found.append(PROPERTIES[name].slack(setting, instance))
        except Unjudged:
            continue
    return [amount for amount in found if amount is not None]


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


def test_the_envelope_over_sixteen_steps() -> None:
    """A bid b against 0 gets b and pays b²/2: U(1) is 1/2, between 15/32 and 17/32."""
    setting = Setting(lambda bids: ((bids[0],), [bids[0] ** 2 / 2]), (UNIT,))
    assert slack("payment_identity", setting, (Fraction(1),), (0,), (Fraction(0),)) == Fraction(
        1, 32
    )


def test_drawn_types_are_bracketed_by_the_ends_alone() -> None:
    from hypothesis import strategies as st

    setting = Setting(
        lambda bids: ((bids[0],), [Fraction(bids[0] ** 2, 2)]), (Drawn(st.integers(0, 9)),)
    )
    assert PROPERTIES["payment_identity"].unfit(setting) == ""
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
        given=Rewards(),
    )
    seen = judged("convex_utility", spread)
    assert seen.met == 1
    assert seen.least == 2
    assert slack("convex_utility", spread, ((0, 0),), (0,), ((2, 3),)) is None


# --- where a property cannot be asked, or is not met

LABELS = Setting(always("A"), (FiniteTypes("abc"),), given=ValueTable(ROTATION))


class Worth:
    """A mechanism with values of its own."""

    def outcome(self, reports: Any) -> Any:
        return 0, [0] * len(reports)

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        return type * (agent == allocation)


@pytest.mark.parametrize(
    ("name", "setting", "part"),
    [
        ("bic", replace(two(SECOND_PRICE), prior=None), "there is no prior"),
        ("bic", two(SECOND_PRICE, UNIT, prior=Prior.uniform(BIDS, 2)), "finite types"),
        ("interim_individually_rational", two(SECOND_PRICE, UNIT), "there is no prior"),
        ("efficient", two(equal_shares, UNIT), "alternatives="),
        ("payment_identity", LABELS, "numbers"),
        ("payment_identity", two(Worth()), "quantity"),
        ("payment_identity", two(DICTATOR, given=Given(lambda i, t, a: t)), "quantity"),
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
        ("false_name_proof", two(DICTATOR, given=Given(lambda i, t, a: t)), "two names"),
    ],
)
def test_what_cannot_be_asked_says_why(name: str, setting: Setting, part: str) -> None:
    assert part in PROPERTIES[name].unfit(setting)


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

    setting = Setting(mean, (FiniteTypes("ab"),) * 2, given=ValueTable(ROTATION))
    # b wants C, which is 1 to it, and there is no more of it under two names.
    assert slack("false_name_proof", setting, ("b", "a"), (0,), ("b", "b")) == 0
    # a gets A, worth 0, by two votes of three, in place of C, worth -2.
    assert slack("false_name_proof", setting, ("a", "b"), (0,), ("a", "a")) == -2


def test_the_identity_is_judged_where_the_quantity_does_not_fall_alone() -> None:
    """Where the lowest bid wins, bidder 1's quantity falls but against a bid of 0."""
    setting = two(LOWEST_WINS)
    assert slack("payment_identity", setting, (0, 3), (1,), (0,)) is not None
    assert slack("payment_identity", setting, (2, 3), (1,), (0,)) is None


def test_getting_as_much_is_not_getting_the_same_to_every_type() -> None:
    """To type a outcomes A and D are the same; to type b they are not."""
    table = {"a": {"A": 0, "D": 0}, "b": {"A": 0, "D": 1}}

    def by_first(reports: tuple[str, ...]) -> Any:
        return ("A" if reports[0] == "a" else "D"), [0, 0]

    setting = Setting(by_first, (FiniteTypes("ab"),) * 2, given=ValueTable(table))
    assert slack("non_bossy", setting, ("a", "b"), (0,), ("b",)) is None
    alone = Setting(
        by_first,
        (FiniteTypes("ab"),) * 2,
        given=ValueTable([{"a": table["a"], "b": table["a"]}, table]),
    )
    assert slack("non_bossy", alone, ("a", "b"), (0,), ("b",)) == -1


def test_a_pair_may_leave_one_of_its_two_at_the_truth() -> None:
    setting = two(FIRST_PRICE)
    assert slack("pairwise_strategyproof", setting, (3, 0), (0, 1), (1, 0)) == -2
    assert slack("pairwise_strategyproof", setting, (3, 3), (0, 1), (0, 3)) == 0
    assert slack("pairwise_strategyproof", setting, (1, 1), (0, 1), (0, 2)) == 1


def test_values_that_are_missing_leave_efficiency_unjudged() -> None:
    setting = Setting(
        always("A"), (FiniteTypes("abc"),), given=ValueTable(ROTATION), listed=lambda n: ["A", "Z"]
    )
    assert PROPERTIES["efficient"].slacks(tabulate(setting)) is None
    assert judged("efficient", setting).unjudged == 3
