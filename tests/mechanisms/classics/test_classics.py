"""Classic and broken mechanisms: worked examples, brute force, relations, bad input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import incentives as oracle

from mechanisms.classics import (
    AllPay,
    CombinatorialVCG,
    FirstPrice,
    GeneralisedSecondPrice,
    MedianVoting,
    MultiUnitVCG,
    MyersonOptimal,
    PostedPrice,
    RandomSerialDictatorship,
    SecondPrice,
    first_price_table,
    ironed_virtual_values,
    second_price_table,
)
from mechanisms.gallery import GALLERY, Exhibit, GreedyVCG, NearlyTruthful
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
)
from theory.incentives import Lottery, Outcome

F = Fraction
A, B, BOTH = (0, 2, 0, 2), (0, 0, 2, 2), (0, 0, 0, 3)
BAYESIAN = {"bic", "interim_individually_rational"}


def setting(mechanism: Any, types: Sequence[Any], agents: int) -> oracle.Setting:
    """What the oracle needs to know, with the usual readings where the mechanism is silent."""

    def rule(reports: Any) -> Any:
        result = mechanism.outcome(reports)
        lottery = isinstance(result.allocation, Lottery)
        return dict(result.allocation.support) if lottery else result.allocation, result.payments

    def value(agent: int, kind: Any, allocation: Any) -> Any:
        if isinstance(kind, tuple):
            return kind[allocation]
        return kind * (allocation[agent] if quantities else int(allocation == agent))

    def feasible(allocation: Any) -> bool:
        if hasattr(mechanism, "feasible"):
            return bool(mechanism.feasible(allocation, agents))
        if quantities:
            return len(allocation) == agents and min(allocation) >= 0
        return allocation is None or 0 <= allocation < (len(types[0]) if rewards else agents)

    quantities = isinstance(mechanism.outcome((types[0],) * agents).allocation, tuple)
    rewards = isinstance(types[0], tuple)
    rivals = None if quantities or rewards else [None, *range(agents)]
    if hasattr(mechanism, "alternatives"):
        rivals = list(mechanism.alternatives(agents))
    names = getattr(mechanism, "value_of_names", None)
    return oracle.Setting(
        rule,
        [types] * agents,
        getattr(mechanism, "value", value),
        alternatives=rivals,
        feasible=feasible,
        linear=not hasattr(mechanism, "value"),
        public=rewards and not hasattr(mechanism, "value"),
        names=names if callable(names) else None,
    )


def breaks(mechanism: Any, types: Sequence[Any], agents: int) -> set[str]:
    return oracle.breaks(setting(mechanism, types, agents))


# --- worked by hand, or taken from the literature


@pytest.mark.parametrize(
    ("mechanism", "reports", "allocation", "payments"),
    [
        (PostedPrice(3), [2, 3, 9], 1, (0, 3, 0)),
        (PostedPrice(3), [2, 1], None, (0, 0)),
        (PostedPrice("1/2"), [F(1, 2)], 0, (F(1, 2),)),
        (FirstPrice(), [4, 7, 7], 1, (0, 7, 0)),
        (FirstPrice(), [-1, -2], None, (0, 0)),
        (FirstPrice(), [], None, ()),
        (SecondPrice(), [4, 7, 6], 1, (0, 6, 0)),
        (SecondPrice(), [5, 5], 0, (5, 0)),
        (SecondPrice(), [5, -1], 0, (0, 0)),
        (SecondPrice(5), [5, 1], 0, (5, 0)),
        (SecondPrice(5), [4, 1], None, (0, 0)),
        (SecondPrice(5), [8, 6], 0, (6, 0)),
        (SecondPrice(), [0, 0], 0, (0, 0)),
        (AllPay(), [4, 7, -1], 1, (4, 7, 0)),
        (AllPay(), [], None, ()),
        # Edelman, Ostrovsky and Schwarz (2007), section I: values 10, 4, 2, clicks 200 and 100
        (GeneralisedSecondPrice([200, 100]), [10, 4, 2], (200, 100, 0), (800, 200, 0)),
        (GeneralisedSecondPrice([3, 1]), [1, 5, 5], (0, 3, 1), (0, 15, 1)),
        (GeneralisedSecondPrice([3, 2, 1]), [4], (3,), (0,)),
        (MultiUnitVCG(2), [9, 1, 5, 7], (1, 0, 0, 1), (5, 0, 0, 5)),
        (MultiUnitVCG(2), [3, 3, 3], (1, 1, 0), (3, 3, 0)),
        (MultiUnitVCG(2), [3], (1,), (0,)),
        (MultiUnitVCG(2), [3, -1, 2], (1, 0, 1), (0, 0, 0)),
        # revenue 3 at price 3, and 2 at price 4: virtual values 2 and 4
        (MyersonOptimal({3: "1/2", 4: "1/2"}), [2], None, (0,)),
        (MyersonOptimal({3: "1/2", 4: "1/2"}), [4, 3], 0, (3, 0)),
        (MyersonOptimal({3: "1/2", 4: "1/2"}), [3, 4], 1, (0, 4)),
        (MedianVoting(range(9)), [8, 1, 5], 5, (0, 0, 0)),
        (MedianVoting(range(9)), [8, 1, 5, 6], 5, (0, 0, 0, 0)),
    ],
)
def test_worked_examples(
    mechanism: Any, reports: list[Any], allocation: Any, payments: tuple[Any, ...]
) -> None:
    assert mechanism.outcome(reports) == Outcome(allocation, payments)


def test_more_bidders_can_bring_vcg_less() -> None:
    """Ausubel and Milgrom (2006): two items worth 2 together, or 2 alone to each of two others."""
    auction = CombinatorialVCG(["A", "B"])
    both = (0, 0, 0, 2)
    assert sum(auction.outcome([both, A]).payments) == 2
    crowded = auction.outcome([both, A, B])
    assert [sorted(bundle) for bundle in crowded.allocation] == [[], ["A"], ["B"]]
    assert crowded.payments == (0, 0, 0)
    assert "revenue_monotone" in breaks(auction, (both, A, B), 3)


def test_greed_overcharges() -> None:
    """The pair goes for 3 and keeps out two that are worth 4 together."""
    result = GreedyVCG(("A", "B")).outcome([A, B, BOTH])
    assert [sorted(bundle) for bundle in result.allocation] == [[], [], ["A", "B"]]
    assert result.payments == (0, 0, 4)


def test_random_serial_dictatorship_of_four() -> None:
    """Bogomolnaia and Moulin (2001), section 1."""
    one, two = (4, 3, 2, 1), (3, 4, 1, 2)
    lottery: Lottery = RandomSerialDictatorship(4).outcome([one, one, two, two]).allocation
    chances = [[F(0)] * 4 for _ in range(4)]
    for assignment, p in lottery.support:
        for agent, house in enumerate(assignment):
            chances[agent][house] += p
    expected = [F(5, 12), F(1, 12), F(5, 12), F(1, 12)]
    assert chances[:2] == [expected] * 2
    assert chances[2:] == [[expected[h] for h in (1, 0, 3, 2)]] * 2


def test_who_comes_too_late_gets_no_house() -> None:
    rule = RandomSerialDictatorship(1)
    lottery = rule.outcome([(5,), (5,)]).allocation
    assert dict(lottery.support) == {(0, None): F(1, 2), (None, 0): F(1, 2)}
    assert [rule.value(i, (5,), (0, None)) for i in (0, 1)] == [5, 0]


def test_equal_utilities_go_by_index() -> None:
    assert RandomSerialDictatorship(3).outcome([(1, 2, 2)]).allocation == Lottery({(1,): 1})


# --- against brute force


@pytest.mark.parametrize("table", [first_price_table, second_price_table])
@pytest.mark.parametrize("agents", [1, 2, 3])
def test_tables_are_the_mechanisms(table: Callable[..., Any], agents: int) -> None:
    mechanism = FirstPrice() if table is first_price_table else SecondPrice()
    whole = np.array(list(product((-2, -1, 0, 1, 2, 3), repeat=agents)), dtype=np.int64)
    thirds = whole.astype(object) * F(1, 3)
    for profiles in (whole, thirds):
        shares, payments = table(profiles)
        assert shares.dtype == np.int64
        assert payments.dtype == profiles.dtype
        for row, share, paid in zip(
            profiles.tolist(), shares.tolist(), payments.tolist(), strict=True
        ):
            result = mechanism.outcome(row)
            assert share == [int(i == result.allocation) for i in range(agents)]
            assert tuple(paid) == result.payments


tables_of_two = st.tuples(st.just(0), *[st.integers(0, 6)] * 3)


@given(st.lists(tables_of_two, min_size=1, max_size=3))
def test_vcg_is_the_best_split_with_clarke_payments(reports: list[tuple[int, ...]]) -> None:
    def splits(agents: int) -> list[tuple[int, ...]]:
        masks = product(range(4), repeat=agents)
        return [m for m in masks if all(not x & y for x, y in combinations(m, 2))]

    def best(values: list[tuple[int, ...]]) -> int:
        return max(sum(v[m] for v, m in zip(values, s, strict=True)) for s in splits(len(values)))

    auction = CombinatorialVCG(["A", "B"])
    result = auction.outcome(reports)
    got = [auction.value(i, r, result.allocation) for i, r in enumerate(reports)]
    assert auction.feasible(result.allocation, len(reports))
    assert sum(got) == best(reports)
    for i, paid in enumerate(result.payments):
        assert paid == best(reports[:i] + reports[i + 1 :]) - (sum(got) - got[i])


bids = st.lists(st.integers(0, 5), min_size=1, max_size=4)


@given(bids)
def test_auctions_of_one_item_agree(reports: list[int]) -> None:
    second = SecondPrice().outcome(reports)
    shares = tuple(int(i == second.allocation) for i in range(len(reports)))
    assert MultiUnitVCG(1).outcome(reports) == Outcome(shares, second.payments)
    assert GeneralisedSecondPrice([1]).outcome(reports) == Outcome(shares, second.payments)
    bundles = CombinatorialVCG(["item"]).outcome([(0, bid) for bid in reports])
    assert tuple(len(bundle) for bundle in bundles.allocation) == shares
    assert bundles.payments == second.payments


@st.composite
def laws(draw: st.DrawFn) -> dict[int, Fraction]:
    values = draw(st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True))
    weights = [draw(st.integers(1, 9)) for _ in values]
    return {v: F(w, sum(weights)) for v, w in zip(values, weights, strict=True)}


@given(laws())
def test_ironing_takes_slopes_of_the_concave_majorant(law: dict[int, Fraction]) -> None:
    points = [(F(0), F(0))]
    for v in sorted(law, reverse=True):
        points.append((chance := points[-1][0] + law[v], v * chance))

    def majorant(q: Fraction) -> Fraction:
        chords = [
            (1 - w) * y + w * z
            for (x, y), (s, z) in combinations(points, 2)
            if x <= q <= s
            for w in [(q - x) / (s - x)]
        ]
        return max(chords)

    found = dict(ironed_virtual_values(law))
    for v, ((left, _), (right, _)) in zip(sorted(law)[::-1], pairwise(points), strict=True):
        assert found[v] == (majorant(right) - majorant(left)) / (right - left)
    assert list(found.values()) == sorted(found.values())


def test_virtual_values_of_a_uniform_law() -> None:
    assert ironed_virtual_values({v: F(1, 6) for v in range(1, 7)}) == tuple(
        (v, 2 * v - 6) for v in range(1, 7)
    )


THREE = (1, 2, 4)


@cache
def truthful_rules() -> list[tuple[tuple[int, int], ...]]:
    """Payments by profile of every monotone rule for two bidders, each winner at the threshold."""
    profiles = list(product(range(3), repeat=2))
    found = []
    for winners in product((None, 0, 1), repeat=9):
        rule = dict(zip(profiles, winners, strict=True))
        lines = [[rule[k, j] == 0 for k in range(3)] for j in range(3)]
        lines += [[rule[j, k] == 1 for k in range(3)] for j in range(3)]
        if all(line == sorted(line) for line in lines):
            least = [THREE[line.index(True)] if any(line) else 0 for line in lines]
            found.append(
                tuple(
                    (least[j] if rule[i, j] == 0 else 0, least[3 + i] if rule[i, j] == 1 else 0)
                    for i, j in profiles
                )
            )
    return found


@pytest.mark.parametrize(
    "weights",
    [
        ((1, 1, 1), (1, 1, 1)),
        ((1, 8, 1), (8, 1, 3)),
        ((6, 1, 3), (6, 1, 3)),
        ((2, 1, 4), (7, 1, 1)),
    ],
)
def test_no_truthful_rule_earns_more_than_myerson(weights: tuple[tuple[int, ...], ...]) -> None:
    chances = [w * u for w, u in product(*weights)]
    laws = [{v: F(w, sum(ws)) for v, w in zip(THREE, ws, strict=True)} for ws in weights]
    auction = MyersonOptimal(laws)
    profiles = list(product(THREE, repeat=2))
    earned = [sum(auction.outcome(r).payments) * p for r, p in zip(profiles, chances, strict=True)]
    most = max(
        sum(sum(paid) * p for paid, p in zip(rule, chances, strict=True))
        for rule in truthful_rules()
    )
    assert sum(earned) == most


# --- what is known of the classics, by the oracle's definitions

SOUND: list[tuple[Any, Sequence[Any], int]] = [
    (PostedPrice(2), (0, 1, 2, 3), 2),
    (SecondPrice(), (0, 1, 2), 3),
    (SecondPrice(1), (0, 1, 2, 3), 2),
    (MultiUnitVCG(2), (0, 1, 2), 3),
    (CombinatorialVCG(["A", "B"]), (A, B, BOTH), 3),
    (MyersonOptimal({v: F(1, 4) for v in (1, 2, 3, 4)}), (0, 1, 2, 3, 4, 5), 2),
    (MyersonOptimal([{1: ".6", 2: ".1", 4: ".3"}, {1: ".5", 3: ".5"}]), (1, 2, 3, 4), 2),
    (RandomSerialDictatorship(3), ((2, 1, 0), (0, 1, 2), (2, 0, 1)), 2),
    (MedianVoting((0, 1, 2)), (0, 1, 2), 3),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "types", "agents"), SOUND, ids=range(len(SOUND)))
def test_truthful_classics(mechanism: Any, types: Sequence[Any], agents: int) -> None:
    broken = breaks(mechanism, types, agents)
    assert not broken & {"feasible", "dsic", "weakly_monotone", "cyclically_monotone"}
    assert not broken & {"payment_identity", "convex_utility", "deterministic"}
    assert not broken & {"no_positive_transfers", "weakly_budget_balanced"}
    assert ("individually_rational" in broken) == isinstance(mechanism, MedianVoting)
    vcg = isinstance(mechanism, CombinatorialVCG | MultiUnitVCG) or mechanism == SecondPrice()
    assert not (vcg and "efficient" in broken)
    without_money = isinstance(mechanism, RandomSerialDictatorship | MedianVoting)
    group = {"pairwise_strategyproof", "strongly_budget_balanced", "anonymous"}
    assert not (without_money and broken & group)


@pytest.mark.parametrize("mechanism", [FirstPrice(), AllPay(), GeneralisedSecondPrice([2, 1])])
def test_classics_that_are_not_truthful(mechanism: Any) -> None:
    broken = breaks(mechanism, (0, 1, 2, 3), 3)
    assert {"dsic", "payment_identity"} <= broken
    assert not broken & {"feasible", "efficient", "weakly_monotone", "no_positive_transfers"}
    assert ("individually_rational" in broken) == isinstance(mechanism, AllPay)


# --- the gallery


@pytest.mark.parametrize("exhibit", GALLERY, ids=lambda exhibit: exhibit.name)
def test_the_gallery_breaks_what_it_says(exhibit: Exhibit) -> None:
    assert breaks(exhibit.mechanism, exhibit.types, exhibit.agents) == exhibit.breaks
    assert exhibit.wrong.endswith(".")


def test_the_gallery_breaks_every_property() -> None:
    assert set().union(*(exhibit.breaks for exhibit in GALLERY)) == set(oracle.SLACKS) - BAYESIAN


def test_one_part_in_a_billion() -> None:
    slacks = oracle.slacks_dsic(setting(NearlyTruthful(), (0, 1, 2, 3), 1))
    assert min(slack for _, slack in slacks) == F(-2, 10**9)


# --- relations

ONE_ITEM = [FirstPrice(), SecondPrice(), AllPay(), GeneralisedSecondPrice([3, 2]), MultiUnitVCG(2)]


@pytest.mark.parametrize("mechanism", ONE_ITEM, ids=lambda m: type(m).__name__)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True), st.randoms())
def test_renamed_bidders_and_other_units(mechanism: Any, reports: list[int], random: Any) -> None:
    order = random.sample(range(len(reports)), len(reports))
    before = mechanism.outcome(reports)
    after = mechanism.outcome([reports[i] * F(2, 3) for i in order])
    assert list(after.payments) == [before.payments[i] * F(2, 3) for i in order]
    if isinstance(before.allocation, tuple):
        assert after.allocation == tuple(before.allocation[i] for i in order)
    else:
        assert order[after.allocation] == before.allocation


@given(laws(), st.lists(st.integers(0, 9), min_size=1, max_size=3), st.integers(1, 5))
def test_myerson_in_other_units(law: dict[int, Fraction], reports: list[int], by: int) -> None:
    one = MyersonOptimal(law).outcome(reports)
    other = MyersonOptimal({v * by: p for v, p in law.items()}).outcome([r * by for r in reports])
    assert other == Outcome(one.allocation, tuple(p * by for p in one.payments))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.integers(-5, 5), st.randoms())
def test_median_moves_with_the_peaks(peaks: list[int], by: int, random: Any) -> None:
    rule = MedianVoting(range(-20, 20))
    shuffled = random.sample(peaks, len(peaks))
    moved = rule.outcome([peak + by for peak in shuffled]).allocation
    assert moved == rule.outcome(peaks).allocation + by


@given(st.permutations(range(3)), st.permutations(range(3)))
def test_houses_renamed(names: list[int], second: list[int]) -> None:
    rule, first = RandomSerialDictatorship(3), [2, 1, 0]
    before = dict(rule.outcome([tuple(first), tuple(second)]).allocation.support)
    renamed = [tuple(u[h] for h in names) for u in (first, second)]
    after = rule.outcome(renamed).allocation.support
    assert {tuple(names[h] for h in assignment): p for assignment, p in after} == before


def test_alternatives_are_all_that_is_feasible() -> None:
    cases: list[tuple[Any, Any]] = [
        (GeneralisedSecondPrice([3, 1, 1]), product((0, 1, 2, 3), repeat=2)),
        (MultiUnitVCG(1), product((0, 1, 2), repeat=2)),
        (CombinatorialVCG(["A", "B"]), product(CombinatorialVCG(["A", "B"]).bundles, repeat=2)),
        (RandomSerialDictatorship(3), product((0, 1, 2), repeat=2)),
    ]
    for mechanism, allocations in cases:
        feasible = [a for a in allocations if mechanism.feasible(a, 2)]
        listed = list(mechanism.alternatives(2))
        assert set(listed) == set(feasible)
        assert len(listed) == len(feasible)


# --- bad input


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: PostedPrice(0.5), ExactnessError),
        (lambda: PostedPrice(-1), InvalidInputError),
        (lambda: PostedPrice(None), NumberError),
        (lambda: SecondPrice(-1), InvalidInputError),
        (lambda: GeneralisedSecondPrice([1, 2]), InvalidInputError),
        (lambda: GeneralisedSecondPrice([]), InvalidInputError),
        (lambda: GeneralisedSecondPrice([1, -1]), InvalidInputError),
        (lambda: MultiUnitVCG(0), InvalidInputError),
        (lambda: MultiUnitVCG(True), InvalidInputError),
        (lambda: CombinatorialVCG([]), InvalidInputError),
        (lambda: CombinatorialVCG(["A", "A"]), InvalidInputError),
        (lambda: CombinatorialVCG(["A"]).outcome([(0, 1, 2)]), ShapeError),
        (lambda: CombinatorialVCG("ABCDEFGHIJ").outcome([(0,) * 1024] * 4), LimitError),
        (lambda: MyersonOptimal({}), InvalidInputError),
        (lambda: MyersonOptimal({1: "1/2", 2: "1/3"}), ProbabilityError),
        (lambda: MyersonOptimal({1: "1/2", 2: "2/3"}), ProbabilityError),
        (lambda: MyersonOptimal({1: 2, 2: -1}), ProbabilityError),
        (lambda: MyersonOptimal({1: 0.5, 2: 0.5}), ExactnessError),
        (lambda: MyersonOptimal({"1/2": "1/2", "0.5": "1/2"}), InvalidInputError),
        (lambda: MyersonOptimal([{1: 1}]).outcome([1, 1]), ShapeError),
        (lambda: RandomSerialDictatorship(0), InvalidInputError),
        (lambda: RandomSerialDictatorship(2).outcome([(1, 2, 3)]), ShapeError),
        (lambda: RandomSerialDictatorship(1).outcome([(1,)] * 9), LimitError),
        (lambda: MedianVoting([]), InvalidInputError),
        (lambda: MedianVoting([0.5]), ExactnessError),
        (lambda: MedianVoting([1]).outcome([]), InvalidInputError),
        (lambda: first_price_table(np.zeros(3, dtype=np.int64)), ShapeError),
        (lambda: second_price_table(np.zeros((3, 0), dtype=np.int64)), ShapeError),
    ],
    ids=range(28),
)  # fmt: skip
def test_bad_input_names_the_fix(make: Callable[[], Any], error: type[InvalidInputError]) -> None:
    with pytest.raises(error) as raised:
        make()
    assert type(raised.value) is error
    assert raised.value.fix


def test_permutations_of_a_type_do_not_matter_to_its_ranking() -> None:
    """Only the ranking of utilities counts."""
    rule = RandomSerialDictatorship(3)
    for utilities in permutations((9, 5, 1)):
        ranks = tuple(sorted(utilities).index(u) for u in utilities)
        assert rule.outcome([utilities, (3, 2, 1)]) == rule.outcome([ranks, (3, 2, 1)])
