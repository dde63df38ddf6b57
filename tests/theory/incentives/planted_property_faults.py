"""Auctions, votes and other settings in which it is known which properties hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import count, product
from random import Random
from typing import Any

import numpy as np
from incentive_rules import Case, cases
from reference.incentives import SLACKS
from reference.incentives import Setting as Plain

from theory.incentives import (
    Box,
    FiniteTypes,
    Lottery,
    Prior,
    SingleItem,
    SingleParameter,
    ValueTable,
)
from theory.incentives._finite import Judged, run
from theory.incentives._property import Instance
from theory.incentives.properties import PROPERTIES
from theory.incentives.setting import OutcomeAtFault, Setting

HALF = Fraction(1, 2)


BIDS = FiniteTypes([0, 1, 2, 3])


def judged(name: str, setting: Setting) -> Judged:
    """The property at every instance, one by one."""
    prop = PROPERTIES[name]
    assert prop.why_inapplicable(setting) == ""
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


ROTATED = one({t: (t.upper(), [0]) for t in "abc"}, passed_values=ValueTable(ROTATION))


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


COIN = always(Lottery({0: HALF, 1: HALF}))


DICTATOR = always(0)


TIES: dict[str, Setting] = {
    "feasible": two(always((HALF, HALF)), passed_values=SingleItem()),
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
        passed_values=given,
        prior=Prior.joint(plain.prior) if plain.prior else None,
        epsilon=Fraction(plain.epsilon),
        passed_feasible=feasible,
        passed_alternatives=alternatives if plain.alternatives else None,
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
        if PROPERTIES[name].why_inapplicable(setting) or (
            name == "false_name_proof" and not plain.linear
        ):
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


def total(lengths: Any, cycle: Sequence[int]) -> int:
    steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    return sum(int(lengths[s, t]) for s, t in steps)


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
        except OutcomeAtFault:
            continue
    return [amount for amount in found if amount is not None]


LABELS = Setting(always("A"), (FiniteTypes(list("abc")),), passed_values=ValueTable(ROTATION))


class Worth:
    """A mechanism with values of its own."""

    def outcome(self, reports: Any) -> Any:
        return 0, [0] * len(reports)

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        return type * (agent == allocation)
