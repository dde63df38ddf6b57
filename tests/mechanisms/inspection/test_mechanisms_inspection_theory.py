"""The protocols, run by a Bayesian buyer, do what theory and the oracle compute."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from math import nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspection_cases import (
    ACTIONS,
    HINT,
    XOR,
    generic_instances,
    good_name,
    instances,
    problem,
)
from reference import inspection as oracle
from reference.inspection import Instance
from strategies import Kind
from sweeps import examples

from mechanisms.errors import BuyerError, SellerError
from mechanisms.inspection import (
    BayesianBuyer,
    InspectionRecord,
    TableSeller,
    inspect_once,
    inspect_recursively,
    sellers_in,
)
from mechanisms.ledger import Ledger
from mechanisms.protocols import Offer, Viewing
from papers.volition.checks.inspection_families import PROBLEMS
from papers.volition.checks.inspection_protocols import RunsAsComputed
from theory.decision import DecisionProblem
from theory.errors import UnknownNameError
from theory.information import Good
from theory.inspection import InspectionProblem, Ties, recursive_inspection
from theory.probability import ProbabilitySpace

F = Fraction


def run(
    goods: InspectionProblem, state: Any, buyer: BayesianBuyer, budget: Any = 1000
) -> InspectionRecord:
    sellers = sellers_in(goods, state)
    ledger = Ledger({buyer.name: budget, **{seller.name: 0 for seller in sellers}})
    return inspect_recursively("x?", buyer, sellers, ledger, goods.depth)


def payoff(goods: InspectionProblem, state: Any, record: InspectionRecord) -> Any:
    w = list(goods.decision.space.states).index(state)
    table: Any = goods.decision.utilities.scalars()
    return table[goods.decision.actions.index(record.decision)][w] - record.spending


# --- agreement


def agrees(instance: Instance, ties: Ties) -> None:
    goods = problem(instance)
    buyer = BayesianBuyer.of(goods, ties=ties)
    theirs = oracle.recursive(instance, "fewest" if ties is Ties.FEWEST_GOODS else "most")
    for play in recursive_inspection(goods, ties).plays:
        record = run(goods, play.state, buyer)
        assert record.purchases == play.purchases
        assert record.decision == play.action
        assert record.spending == play.spending
        assert payoff(goods, play.state, record) == play.payoff
        expected = theirs.outcomes[int(str(play.state))]
        levels = enumerate(expected.purchases, 1)
        assert record.purchases == tuple(tuple(good_name(n, j) for j in x) for n, x in levels)
        assert record.decision == ACTIONS[expected.action]
        assert (record.spending, play.payoff) == (expected.spent, expected.payoff)


@given(instances(max_depth=3), st.sampled_from(list(Ties)))
@settings(max_examples=examples(60))
def test_it_does_what_theory_and_the_oracle_compute(instance: Instance, ties: Ties) -> None:
    agrees(instance, ties)


@given(generic_instances(), st.sampled_from(list(Ties)))
@settings(max_examples=examples(25))
def test_without_ties_too(instance: Instance, ties: Ties) -> None:
    agrees(instance, ties)


@pytest.mark.parametrize("states", PROBLEMS.levels)
def test_on_the_problems_of_the_claims(states: int) -> None:
    generator = np.random.default_rng(7)
    bought = 0
    for _ in range(40):
        member = PROBLEMS.sample(states, generator)
        if member is not None:
            trial = RunsAsComputed()(member.instance)
            assert not trial.failure
            bought += trial.nontrivial
    assert bought > 10


@pytest.mark.parametrize("kind", ["float64", "closed form", "certified"])
@pytest.mark.parametrize("instance", [HINT, XOR], ids=["hint", "xor"])
def test_other_kinds_of_number(instance: Instance, kind: Kind) -> None:
    goods = problem(instance, kind)
    buyer = BayesianBuyer.of(goods)
    for play in recursive_inspection(goods).plays:
        record = run(goods, play.state, buyer, 9.0 if kind == "float64" else 9)
        assert (record.purchases, record.decision) == (play.purchases, play.action)
        assert record.spending == play.spending


@given(instances(min_depth=1, max_depth=1))
@settings(max_examples=examples(20))
def test_one_level_is_depth_one(instance: Instance) -> None:
    goods = problem(instance)
    buyer = BayesianBuyer.of(goods)
    for play in recursive_inspection(goods).plays:
        sellers = sellers_in(goods, play.state)
        ledger = Ledger({"buyer": 9, **{seller.name: 0 for seller in sellers}})
        record = inspect_once("x?", buyer, sellers, ledger)
        assert (record.purchases, record.decision) == (play.purchases, play.action)


def test_a_problem_by_hand() -> None:
    """State 0 keeps silent and gets 3; state 1 buys for 1/2 and gets 1."""
    goods = problem(HINT)
    buyer = BayesianBuyer.of(goods)
    silent, told = (run(goods, state, buyer) for state in (0, 1))
    assert (silent.purchases, silent.decision, payoff(goods, 0, silent)) == (((),), "a", 3)
    assert (told.purchases, told.decision, payoff(goods, 1, told)) == ((("A0",),), "b", F(1, 2))
    assert [str(entry) for entry in told.statement.entries] == [
        "1. buyer pays seller of A0 1/2 for A0"
    ]


class Trembling(BayesianBuyer):
    """Buys a given set of goods on the top level, and is a Bayesian after that."""

    slip: tuple[str, ...] = ()

    def choose(self, viewing: Viewing) -> tuple[str, ...]:
        top = viewing.question.level == self._problem.depth
        return self.slip if top else super().choose(viewing)


@given(instances(min_depth=1, max_depth=3))
@settings(max_examples=examples(20))
def test_off_the_path_too(instance: Instance) -> None:
    goods = problem(instance)
    picked = recursive_inspection(goods).protocol.picked
    buyer = Trembling.of(goods)
    options: Any = goods.options(goods.depth)
    for number, names in enumerate(options):
        buyer.slip = names
        for w, state in enumerate(goods.decision.space.states):
            record = run(goods, state, buyer)
            bought = [number]
            for n in range(goods.depth - 1, -1, -1):
                bought.append(int(picked[n][goods.row(n, bought), w]))
            expected = [goods.options(n)[k] for n, k in enumerate(reversed(bought))]
            assert [record.decision, *record.purchases] == expected


# --- a purse that is too small


@given(instances(min_depth=1, max_depth=3), st.fractions(0, 2, max_denominator=8))
@settings(max_examples=examples(30))
def test_it_never_asks_for_what_it_cannot_pay(instance: Instance, budget: Fraction) -> None:
    goods = problem(instance)
    buyer = BayesianBuyer.of(goods, ties=Ties.MOST_GOODS)
    for state in goods.decision.space.states:
        record = run(goods, state, buyer, budget)
        assert record.spending <= budget
        assert record.statement.account("buyer").closing == budget - record.spending


def test_a_buyer_adds_prices_as_its_ledger_does() -> None:
    """In float64 the prices add up to the budget; what they stand for is more."""
    prices, budget = [0.13, 0.8, 0.33], 1.26
    assert sum(prices) == budget < sum(map(F, prices))
    states = [f"{n:03b}" for n in range(8)]
    space = ProbabilitySpace.of(dict.fromkeys(states, 0.125))
    digits = [space.variable(f"v{k}", {s: s[k] for s in states}) for k in range(3)]
    rows = {s: [100.0 if s == t else 0.0 for t in states] for s in states}
    goods = [Good.of(f"g{k}", [digits[k]], price) for k, price in enumerate(prices)]
    asked = InspectionProblem.of(DecisionProblem.of(space, rows), [goods])
    buyer = BayesianBuyer.of(asked)
    assert run(asked, "111", buyer, budget).purchases == ((),)
    assert run(asked, "111", buyer, nextafter(budget, 2)).purchases == (("g0", "g1", "g2"),)


def test_a_poor_buyer_does_the_best_it_can() -> None:
    """In state 1 the good is worth its price, which is 1/2."""
    goods = problem(HINT)
    buyer = BayesianBuyer.of(goods)
    found = [run(goods, 1, buyer, budget) for budget in ("1/2", "49/100")]
    assert [(record.purchases, record.decision) for record in found] == [
        ((("A0",),), "b"),
        (((),), "a"),
    ]


# --- what does not fit


def test_sellers_of_a_state_that_there_is_not() -> None:
    with pytest.raises(UnknownNameError, match="state is not a possible state"):
        sellers_in(problem(HINT), 2)


@pytest.mark.parametrize(
    "offer", [Offer("B7", ("y",), 0), Offer("A0", ("maybe",), 0)], ids=["unknown", "impossible"]
)
def test_offers_that_its_prior_does_not_know(offer: Offer) -> None:
    buyer = BayesianBuyer.of(problem(HINT))
    with pytest.raises(BuyerError, match="buyer raised ValueError"):
        inspect_once("x?", buyer, [TableSeller("eve", [[offer]])], Ledger({"buyer": 1, "eve": 0}))


def test_a_good_that_one_is_paid_to_look_at_cannot_be_sold() -> None:
    goods = problem(Instance(HINT.p, HINT.utilities, [[("yn", F(-1))]]))
    with pytest.raises(SellerError, match="cannot sell 'A0' on level 1: price of A0 is negative"):
        run(goods, 0, BayesianBuyer.of(goods))


def test_copies_share_the_tables() -> None:
    buyer = BayesianBuyer.of(problem(XOR), name="bay")
    other = deepcopy(buyer)
    assert other is not buyer
    assert other.name == "bay"
    assert vars(other) == vars(buyer)
