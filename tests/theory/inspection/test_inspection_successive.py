"""Successive inspection: by hand, by relations, and faults that its checker must see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspection_cases import (
    HALF,
    HINT,
    XOR,
    doubled,
    instances,
    problem,
    with_levels,
    with_prices,
)
from reference import inspection as oracle
from sweeps import examples

from theory.inspection import (
    Offers,
    SuccessiveInspection,
    Ties,
    _successive,
    evaluate,
    merge_states,
    recursive_inspection,
    signal,
    successive_inspection,
)
from theory.inspection._recheck_successive import recheck_successive
from theory.numbers import Exact, Numbers

F = Fraction

few = settings(max_examples=examples(50))
modes = (st.sampled_from(Offers), st.sampled_from(Ties))

TEXT = """\
successive inspection, any set of goods: worth 7/6, 1/2 spent
state  probability  buys (level 1)  does  pays  payoff
─────  ───────────  ──────────────  ────  ────  ──────
0      1/3          A0              a     1/2   5/2
1      2/3          A0              b     1/2   1/2
ties: fewest goods first; exact arithmetic, rechecked with gap 0"""

LEVELS = """\
successive inspection, one good or none: worth 5/4, 1/4 spent
state  probability  buys (level 2)  buys (level 1)  does  pays  payoff
─────  ───────────  ──────────────  ──────────────  ────  ────  ──────
0      1/2          B0              nothing         a     0     2
1      1/2          B0              A0              b     1/2   1/2
ties: most goods first; exact arithmetic, rechecked with gap 0"""


def solved(
    instance: oracle.Instance, offers: Offers = Offers.SUBSETS, ties: Ties = Ties.FEWEST_GOODS
) -> SuccessiveInspection:
    found = successive_inspection(problem(instance), offers, ties)
    assert found.gap == 0
    return found


def choices(found: SuccessiveInspection) -> Any:
    return found.defaults, [each.tolist() for each in found.informed]


def test_an_example_in_words() -> None:
    """U^1(A0) = U(informed) - U(a) - 1/2 = (-1/2, 1/2), on average 1/6 > 0: always bought."""
    found = solved(HINT)
    assert str(found) == TEXT
    assert found.utilities[1].scalars() == [[0, 0], [-HALF, HALF]]
    assert found.expected_utilities == (F(5, 3), F(1, 6))
    assert (found.defaults, found.options) == ((0, 1), (("a", "b"), ((), ("A0",))))
    assert "<td>A0</td><td>b</td><td>1/2</td><td>1/2</td></tr>" in found._repr_html_()
    assert found != replace(found), "it holds arrays, and equals itself alone"


def test_two_levels_in_words() -> None:
    """Blind, A0 at 1/2 gains nothing on average; ties make it the default, which B0 improves on."""
    levels = [[("yn", HALF)], [("yn", F(0))]]
    instance = oracle.Instance([HALF, HALF], [[2, 0], [0, 1]], levels)
    found = solved(instance, Offers.SINGLE_GOODS, Ties.MOST_GOODS)
    assert str(found) == LEVELS
    assert found.utilities[2].scalars() == [[0, 0], [HALF, 0]]
    assert found.expected_utilities == (F(3, 2), F(1, 4), F(1, 4))


@pytest.mark.parametrize("offers", Offers)
def test_three_levels_in_words(offers: Offers) -> None:
    """Each level is worth buying blind, and each good tells state 2 from 0 and 1.

    U^1(A0) = (4, 2, 4) - (4, 2, 2) - 1/2 = (-1/2, -1/2, 3/2), on average 1/6: bought blind. With B0
    it is bought in state 2 alone: U^2(B0) = (0, 0, 3/2) - U^1(A0) - 1/4 = (1/4, 1/4, -1/4), on
    average 1/12: bought blind. With C0 that is bought in 0 and 1 alone, so
    U^3(C0) = (1/4, 1/4, 0) - U^2(B0) = (0, 0, 1/4).
    """
    levels = [[("aab", HALF)], [("aab", F(1, 4))], [("aab", F(0))]]
    found = solved(oracle.Instance([F(1, 3)] * 3, [[4, 2, 2], [2, 2, 4]], levels), offers)
    assert found.defaults == (0, 1, 1, 1)
    assert [each.scalars()[1] for each in found.utilities[1:]] == [
        [-HALF, -HALF, F(3, 2)],
        [F(1, 4), F(1, 4), F(-1, 4)],
        [0, 0, F(1, 4)],
    ]
    assert found.expected_utilities == (F(10, 3), HALF, F(1, 6), F(1, 12))
    bought = [("C0",), ("B0",), ()], [("C0",), ("B0",), ()], [("C0",), (), ("A0",)]
    assert [play.purchases for play in found.plays] == [tuple(each[::-1]) for each in bought]
    assert found.value == (F(15, 4) + F(7, 4) + F(7, 2)) / 3


def test_goods_that_help_only_together() -> None:
    """One good or none never starts to buy; a set does, as 1 - 1/8 > 1/2."""
    assert not solved(XOR, Offers.SINGLE_GOODS).buys
    together = solved(XOR, Offers.SUBSETS)
    assert {play.purchases for play in together.plays} == {(("A0", "A1"),)}
    assert together.value == F(7, 8)


# Relations


def test_as_an_admissible_protocol() -> None:
    """The same plays; x^n goes by what x^(n+1) reveals and by nothing else."""
    rng = Random(0)
    for instance in [oracle.random_instance(rng) for _ in range(20)]:
        for offers, ties in product(Offers, Ties):
            found = solved(instance, offers, ties)
            protocol = found.protocol()
            again = evaluate(protocol)
            assert (again.plays, again.value, again.gap) == (found.plays, found.value, 0)
            for n in range(instance.depth):
                seen: dict[Any, Any] = {}
                for node in protocol.nodes(n):
                    bought = node.known.purchases[n + 1]
                    shown = tuple(node.known.values[good] for good in bought)
                    assert seen.setdefault((bought, shown), node.chosen) == node.chosen


@few
@given(instances(), *modes)
def test_the_gains_of_the_levels(instance: oracle.Instance, offers: Offers, ties: Ties) -> None:
    """Lemma A.2: e_n >= 0 for n >= 1, as e_n = e_(n+1) + E[price of x_(n+1)] + max E[U^n(x)]."""
    found = solved(instance, offers, ties)
    e = found.expected_utilities
    p = found.problem.decision.space.probabilities
    prices = [{good.name: good.price for good in level} for level in found.problem.levels]
    for n in range(instance.depth):
        paid = sum(
            play.probability * sum(prices[n][name] for name in play.purchases[n])
            for play in found.plays
        )
        blind = max((found.utilities[n] * p).sum().scalars())
        assert e[n] == e[n + 1] + paid + blind
    assert all(each >= 0 for each in e[1:])


@few
@given(instances(max_depth=1, min_depth=1), st.sampled_from(Ties))
def test_one_level_by_the_direct_formula(instance: oracle.Instance, ties: Ties) -> None:
    """The set bought is the best one to buy unseen: max over y of E[max E[U | y]] - price."""
    (level,) = instance.levels
    p = instance.p
    worth = []
    for bundle in oracle.options(len(level)):
        blocks: dict[Any, list[int]] = {}
        for w in instance.states:
            blocks.setdefault(tuple(level[j][0][w] for j in bundle), []).append(w)
        informed = sum(
            max(sum(p[w] * row[w] for w in block) for row in instance.utilities)
            for block in blocks.values()
        )
        worth.append(informed - sum(level[j][1] for j in bundle))
    assert solved(instance, Offers.SUBSETS, ties).value == max(worth)


@few
@given(instances(), st.sampled_from(Ties))
def test_with_one_good_a_level_both_kinds_of_offer_are_one(
    instance: oracle.Instance, ties: Ties
) -> None:
    single = with_levels(instance, [level[:1] for level in instance.levels])
    one, other = (solved(single, offers, ties) for offers in Offers)
    assert one.plays == other.plays
    assert one.expected_utilities == other.expected_utilities


@few
@given(instances(max_depth=1), *modes)
def test_at_depth_one_looking_first_is_no_worse(
    instance: oracle.Instance, offers: Offers, ties: Ties
) -> None:
    """Successive buys the same whatever is shown; it tells x^0 nothing but what it buys."""
    found = solved(instance, offers, ties)
    assert len({play.purchases for play in found.plays}) == 1
    assert signal(found.protocol()) is None
    assert found.value <= recursive_inspection(found.problem).value


@few
@given(instances(), st.randoms(use_true_random=False), *modes)
def test_the_order_of_states_does_not_matter(
    instance: oracle.Instance, rng: Random, offers: Offers, ties: Ties
) -> None:
    order = list(range(len(instance.p)))
    rng.shuffle(order)
    moved = oracle.Instance(
        [instance.p[w] for w in order],
        [[row[w] for w in order] for row in instance.utilities],
        [[([shown[w] for w in order], c) for shown, c in level] for level in instance.levels],
    )
    found, again = solved(instance, offers, ties), solved(moved, offers, ties)
    assert again.expected_utilities == found.expected_utilities
    for new, w in zip(again.plays, order, strict=True):
        assert replace(new, state=w) == found.plays[w]


@few
@given(instances(), *modes)
def test_a_state_split_in_two_halves(instance: oracle.Instance, offers: Offers, ties: Ties) -> None:
    found, again = solved(instance, offers, ties), solved(doubled(instance), offers, ties)
    assert again.expected_utilities == found.expected_utilities
    for k, play in enumerate(again.plays):
        whole = found.plays[k // 2]
        assert play == replace(whole, state=k, probability=whole.probability / 2)
    fewer, _ = merge_states(again.problem)
    assert successive_inspection(fewer, offers, ties).value == found.value


@few
@given(instances(), st.fractions(F(1, 9), 9), st.lists(st.integers(-9, 9), min_size=4), *modes)
def test_another_currency_and_a_gift(
    instance: oracle.Instance, rate: Fraction, gifts: list[int], offers: Offers, ties: Ties
) -> None:
    """U^n for n >= 1 is made of differences: it is scaled, and the gift drops out."""
    utilities = [
        [rate * u + gift for u, gift in zip(row, gifts, strict=False)] for row in instance.utilities
    ]
    changed = replace(with_prices(instance, lambda price: rate * price), utilities=utilities)
    found: Any = solved(instance, offers, ties)
    again = solved(changed, offers, ties)
    assert choices(again) == choices(found)
    mean = sum(p * gift for p, gift in zip(instance.p, gifts, strict=False))
    assert again.value == rate * found.value + mean
    assert list(again.expected_utilities[1:]) == [rate * e for e in found.expected_utilities[1:]]


@few
@given(instances(), *modes)
def test_float64_agrees_with_exact(instance: oracle.Instance, offers: Offers, ties: Ties) -> None:
    exact = solved(instance, offers, ties)
    fast = successive_inspection(problem(instance, "float64"), offers, ties)
    assert choices(fast) == choices(exact)
    assert fast.value == pytest.approx(float(exact.value), abs=1e-9)
    assert fast.gap <= 1e-12
    assert [float(e) for e in exact.expected_utilities] == pytest.approx(
        list(fast.expected_utilities), abs=1e-9
    )


@settings(max_examples=examples(15))
@given(instances(), *modes)
def test_closed_forms_agree_with_exact(
    instance: oracle.Instance, offers: Offers, ties: Ties
) -> None:
    exact = solved(instance, offers, ties)
    closed = successive_inspection(problem(instance, "closed form"), offers, ties)
    assert (closed.value, closed.gap) == (exact.value, 0)
    assert choices(closed) == choices(exact)


# Planted faults


@cache
def example() -> SuccessiveInspection:
    goods = [("yns", F(1, 8)), ("yyn", F(1, 16))], [("yny", F(1, 32))]
    return solved(oracle.Instance([HALF, F(1, 4), F(1, 4)], [[2, 0, 1], [0, 1, 3]], goods))


def changed_play(**changes: Any) -> Callable[[SuccessiveInspection], Any]:
    return lambda x: {"plays": (replace(x.plays[0], **changes), *x.plays[1:])}


def changed_utility(n: int) -> Callable[[SuccessiveInspection], Any]:
    def change(found: SuccessiveInspection) -> Any:
        rows = found.utilities[n].scalars()
        rows[-1][-1] += F(1, 100)
        return {"utilities": (*found.utilities[:n], Exact.of(rows), *found.utilities[n + 1 :])}

    return change


def changed_choice(n: int) -> Callable[[SuccessiveInspection], Any]:
    """Another option of x^n after the last option of x^(n+1), in every state."""

    def change(found: SuccessiveInspection) -> Any:
        informed = [each.copy() for each in found.informed]
        informed[n][-1, :] = (informed[n][-1, :] + 1) % len(found.options[n])
        return {"informed": tuple(informed)}

    return change


def peeking(found: SuccessiveInspection) -> Any:
    """After buying nothing, x^0 is the best action in the state itself."""
    informed = [each.copy() for each in found.informed]
    informed[0][0, :] = [0, 1, 1]
    return {"informed": tuple(informed)}


FAULTS: dict[str, Callable[[SuccessiveInspection], Any]] = {
    "value": lambda x: {"value": x.value + F(1, 100)},
    "spending": lambda x: {"spending": x.spending - F(1, 100)},
    "payoff in a state": changed_play(payoff=F(9)),
    "payment in a state": changed_play(spending=F(9)),
    "U^0": changed_utility(0),
    "U^1": changed_utility(1),
    "U^2": changed_utility(2),
    "x^0": changed_choice(0),
    "x^1": changed_choice(1),
    "default action": lambda x: {"defaults": (1 - x.defaults[0], *x.defaults[1:])},
    "default of x^2": lambda x: {"defaults": (*x.defaults[:2], 1 - x.defaults[2])},
    "e_0": lambda x: {"expected_utilities": (F(9), *x.expected_utilities[1:])},
    "e_2": lambda x: {"expected_utilities": (*x.expected_utilities[:2], F(9))},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_faults_are_seen(fault: Callable[[SuccessiveInspection], Any]) -> None:
    assert example().buys
    assert recheck_successive(example()) == 0
    assert recheck_successive(replace(example(), **fault(example()))) > 0


def test_choices_by_what_is_not_revealed_are_seen() -> None:
    assert recheck_successive(replace(example(), **peeking(example()))) == inf


@pytest.mark.parametrize("wrong", ["default action", "last choice", "informed choices"])
def test_wrong_choices_that_all_else_follows_are_seen(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every table and every number is that of the worst choice made there: the choice loses."""
    instance = replace(HINT, utilities=[[3, 0], [0, 2], [-1, -1]])
    right = _successive.best_options

    def worst(options: Numbers, p: Numbers, known: np.ndarray, ties: Ties) -> Any:
        default = "default action" if len(options) == 3 else "last choice"
        if wrong == (default if len(known) == 1 else "informed choices"):
            options = options - options - options
        return right(options, p, known, ties)

    assert solved(instance).buys
    monkeypatch.setattr(_successive, "best_options", worst)
    assert successive_inspection(problem(instance)).gap > 0
