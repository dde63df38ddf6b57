"""Values of information against sums over states, what must leave them alone, planted faults."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.values import Valued, valued
from plain_python import outcomes
from strategies import Instance, Kind, instances, labels, small_rationals

from theory._recheck import Answer, recheck_value
from theory.decision import Decision, DecisionProblem, Forecast
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NullEventError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UndecidedError,
)
from theory.information import (
    Good,
    InformationValue,
    ex_ante_value,
    joint_good,
    perfect_information,
    value_of_information,
)
from theory.numbers import Balls, Exact, Floats, log, refine, sqrt
from theory.numbers.balls import enclosing_interval
from theory.probability import Partition, ProbabilitySpace, Variable
from theory.scoring import Score

KINDS: tuple[Kind, ...] = get_args(Kind)
few = settings(max_examples=25)

TOLERANCE = 1e-12
"""Of float64 against rationals, for sums of six terms of size at most 8."""


def oracle(instance: Instance, known: Sequence[int] | None = None) -> Valued:
    return valued(instance.prior, instance.utilities, instance.signal, instance.price, known)


def value(instance: Instance, kind: Kind = "exact", given: Any = None) -> InformationValue:
    return value_of_information(instance.problem(kind), instance.good(kind), given)


def close(found: Any, true: Fraction, kind: Kind) -> bool:
    if kind == "float64":
        return abs(found - float(true)) <= TOLERANCE
    return true in enclosing_interval(found) if kind == "certified" else bool(found == true)


def agree(found: InformationValue, true: Valued, kind: Kind) -> None:
    """Compare everything that is known of a value with the oracle."""
    assert found.prior.maximisers == tuple(true.prior_ties)
    assert found.prior.picked == true.prior
    assert close(found.prior.expected_utility, true.prior_utility, kind)
    assert list(found.by_state) == sorted(true.realised)
    for state, realised in found.by_state.items():
        assert isinstance(state, int)
        assert close(realised, true.realised[state], kind)
    rows = zip(found.realisations, true.blocks, strict=True)
    for k, (realisation, _) in enumerate(rows):
        assert close(realisation.probability, true.masses[k], kind)
        assert realisation.choice.maximisers == tuple(true.informed_ties[k])
        assert realisation.choice.picked == true.informed[k]
        assert close(realisation.choice.expected_utility, true.informed_utility[k], kind)
        assert close(realisation.ex_post, true.ex_post[k], kind)
    assert close(found.ex_ante, true.ex_ante, kind)
    limit = {"exact": 0, "closed form": 0, "certified": 1e-12, "float64": 20 * TOLERANCE}
    assert 0 <= found.gap <= limit[kind]


# --- By the definition ----------------------------------------------------------------------------


@settings(max_examples=400)
@given(instances(), st.sampled_from(KINDS))
def test_values_by_sums_over_states(instance: Instance, kind: Kind) -> None:
    true = oracle(instance)
    try:
        if kind == "certified":
            found = refine(lambda: value(instance, kind), limit=512)
        else:
            found = value(instance, kind)
    except UndecidedError:
        assert kind == "certified"
        assert any(len(tied) > 1 for tied in (true.prior_ties, *true.informed_ties))
        return
    assert found.arithmetic == kind
    shown = [(instance.signal[block[0]],) for block in true.blocks]
    assert [r.values for r in found.realisations] == shown
    agree(found, true, kind)


@settings(max_examples=300)
@given(st.data(), instances(), st.sampled_from(["exact", "closed form", "float64"]))
def test_values_given_what_is_known(data: st.DataObject, instance: Instance, kind: Kind) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=6, max_size=6)))
    event = mask[: len(instance.weights)]
    known = [w for w in instance.states if event[w] and instance.weights[w]]
    if not known:
        with pytest.raises(NullEventError):
            value(instance, kind, event)
        return
    agree(value(instance, kind, event), oracle(instance, known), kind)


@settings(max_examples=300)
@given(st.data(), instances())
def test_several_goods_are_their_joint_variable(data: st.DataObject, instance: Instance) -> None:
    size = len(instance.weights)
    other = data.draw(labels(size, 1))
    price = data.draw(small_rationals())
    goods = [instance.good(), Good.of("J", Variable.of("J", other), price)]
    both = joint_good(goods)
    shown = list(zip(instance.signal, other, strict=True))
    true = valued(instance.prior, instance.utilities, shown, instance.price + price)
    found = value_of_information(instance.problem(), both)
    agree(found, true, "exact")
    assert [r.values for r in found.realisations] == [shown[b[0]] for b in true.blocks]
    assert both.signal(size) == goods[0].signal(size).join(goods[1].signal(size))


@few
@given(st.data(), instances())
def test_the_order_of_goods_does_not_matter(data: st.DataObject, instance: Instance) -> None:
    size = len(instance.weights)
    goods = [instance.good(), Good.of("J", Variable.of("J", data.draw(labels(size, 1))), 1)]
    a, b = (value_of_information(instance.problem(), joint_good(g)) for g in (goods, goods[::-1]))
    assert a.by_state == b.by_state
    alone = value_of_information(instance.problem(), joint_good(goods[:1]))
    assert alone.by_state == value(instance).by_state


@settings(max_examples=300)
@given(instances())
def test_perfect_information_reveals_the_state(instance: Instance) -> None:
    problem = instance.problem()
    found = value_of_information(problem, perfect_information(problem.space, instance.price))
    every = replace(instance, signal=tuple(instance.states))
    agree(found, oracle(every), "exact")
    possible = [w for w in instance.states if instance.weights[w]]
    assert [r.values for r in found.realisations] == [(w,) for w in possible]
    columns = zip(*instance.utilities, strict=True)
    best = sum(p * max(column) for p, column in zip(instance.prior, columns, strict=True))
    blind: Any = found.prior.expected_utility
    assert found.ex_ante == best - blind - instance.price


def test_numbers_beyond_int64() -> None:
    tiny = Fraction(1, 3**60)
    instance = Instance(
        (1, 3**60 - 2, 1),
        ((Fraction(2**70), Fraction(0), -tiny), (Fraction(0), tiny, Fraction(2**64))),
        (0, 0, 1),
        Fraction(2**65, 7),
    )
    agree(value(instance), oracle(instance), "exact")


def test_values_in_hindsight() -> None:
    """Knowing that it is dry, paying 1/4 to be told so has gained 3/4."""
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "1/2", "fog": "1/4"})
    problem = DecisionProblem.of(space, {"umbrella": [0, -1, -1], "none": [-4, 0, 0]})
    found = value_of_information(problem, perfect_information(space, "1/4"))
    assert found.by_state == {
        "rain": Fraction(-1, 4),
        "dry": Fraction(3, 4),
        "fog": Fraction(3, 4),
    }
    assert found.in_hindsight(["dry"]) == Fraction(3, 4)
    assert found.in_hindsight(["rain", "fog"]) == Fraction(1, 4)
    assert found.in_hindsight(space.states) == found.ex_ante == Fraction(1, 2)
    with pytest.raises(NullEventError, match="states has probability zero"):
        found.in_hindsight(["snow"])
    with pytest.raises(NullEventError, match="states has probability zero"):
        found.in_hindsight([])


@few
@given(instances())
def test_hindsight_of_a_realisation_is_its_ex_post_value(instance: Instance) -> None:
    found = value(instance)
    for realisation, block in zip(found.realisations, oracle(instance).blocks, strict=True):
        assert found.in_hindsight(block) == realisation.ex_post


# --- What must leave values alone, and what must change them --------------------------------------


def ex_post(found: InformationValue) -> list[Any]:
    return [r.ex_post for r in found.realisations]


@few
@given(st.data(), instances())
def test_the_order_of_states_does_not_matter(data: st.DataObject, instance: Instance) -> None:
    order = data.draw(st.permutations(list(instance.states)))
    moved = Instance(
        tuple(instance.weights[w] for w in order),
        tuple(tuple(row[w] for w in order) for row in instance.utilities),
        tuple(instance.signal[w] for w in order),
        instance.price,
    )
    before, after = value(instance), value(moved)
    assert after.ex_ante == before.ex_ante
    assert {order[int(str(w))]: v for w, v in after.by_state.items()} == before.by_state
    assert {r.values: r.ex_post for r in after.realisations} == {
        r.values: r.ex_post for r in before.realisations
    }


@few
@given(st.data(), instances())
def test_the_order_of_actions_does_not_matter_to_ex_ante_value(
    data: st.DataObject, instance: Instance
) -> None:
    rows = data.draw(st.permutations(instance.utilities))
    before, after = value(instance), value(replace(instance, utilities=tuple(rows)))
    assert after.ex_ante == before.ex_ante
    if not before.prior.tied:
        assert ex_post(after) == ex_post(before)
        if not any(r.choice.tied for r in before.realisations):
            assert after.by_state == before.by_state


@few
@given(st.data(), instances())
def test_what_the_signal_says_does_not_matter(data: st.DataObject, instance: Instance) -> None:
    names = data.draw(st.permutations(["w", ("x", 1), None, 2.5]))
    renamed = Variable.of("I", [names[i] for i in instance.signal])
    after = value_of_information(instance.problem(), Good("I", (renamed,), instance.price))
    before = value(instance)
    assert after.by_state == before.by_state
    assert ex_post(after) == ex_post(before)
    assert [r.values for r in after.realisations] == [
        (names[int(str(r.values[0]))],) for r in before.realisations
    ]


@few
@given(instances(), st.fractions(Fraction(1, 9), 9, max_denominator=9))
def test_values_scale_with_utilities_and_price(instance: Instance, factor: Fraction) -> None:
    scaled = replace(
        instance,
        utilities=tuple(tuple(u * factor for u in row) for row in instance.utilities),
        price=instance.price * factor,
    )
    before, after = value(instance), value(scaled)
    assert after.realised.scalars() == [factor * v for v in before.realised.scalars()]
    assert ex_post(after) == [factor * v for v in ex_post(before)]
    assert after.ex_ante == before.ex_ante * factor


@few
@given(st.data(), instances(), small_rationals(9))
def test_values_shift_with_the_price_and_not_with_what_all_actions_gain(
    data: st.DataObject, instance: Instance, dearer: Fraction
) -> None:
    gains = data.draw(st.lists(small_rationals(9), min_size=6, max_size=6))
    shifted = replace(
        instance,
        utilities=tuple(
            tuple(u + gains[w] for w, u in enumerate(row)) for row in instance.utilities
        ),
        price=instance.price + dearer,
    )
    before, after = value(instance), value(shifted)
    assert after.realised.scalars() == [v - dearer for v in before.realised.scalars()]
    assert ex_post(after) == [v - dearer for v in ex_post(before)]
    assert after.ex_ante == before.ex_ante - dearer


@few
@given(instances(), st.integers(1, 4))
def test_a_state_may_be_split_in_two(instance: Instance, parts: int) -> None:
    """The last state becomes two with the same utilities, whose weights are as 1 to parts."""
    last = instance.weights[-1]
    split = Instance(
        (*(w * (1 + parts) for w in instance.weights[:-1]), last, last * parts),
        tuple((*row, row[-1]) for row in instance.utilities),
        (*instance.signal, instance.signal[-1]),
        instance.price,
    )
    before, after = value(instance), value(split)
    assert after.ex_ante == before.ex_ante
    assert ex_post(after) == ex_post(before)
    assert [r.choice for r in after.realisations] == [r.choice for r in before.realisations]
    size = len(instance.weights)
    if last:
        assert after.by_state[size] == after.by_state[size - 1] == before.by_state[size - 1]


@few
@given(st.data(), instances())
def test_an_action_offered_twice_changes_nothing(data: st.DataObject, instance: Instance) -> None:
    again = data.draw(st.sampled_from(instance.utilities))
    doubled = replace(instance, utilities=(*instance.utilities, again))
    assert value(doubled).by_state == value(instance).by_state
    assert ex_post(value(doubled)) == ex_post(value(instance))


@few
@given(instances())
def test_knowing_a_sure_event_changes_nothing(instance: Instance) -> None:
    before, sure = value(instance), np.array([w > 0 for w in instance.weights])
    for event in (sure, np.ones(len(sure), dtype=bool)):
        after = value(instance, given=event)
        assert after.by_state == before.by_state
        assert after.realisations == before.realisations
        assert after.ex_ante == before.ex_ante


@few
@given(st.data(), instances())
def test_more_information_is_worth_at_least_as_much(
    data: st.DataObject, instance: Instance
) -> None:
    free = replace(instance, price=Fraction(0))
    more = Good.of("J", Variable.of("J", data.draw(labels(len(instance.weights)))))
    less, both = value(free), value_of_information(free.problem(), joint_good([free.good(), more]))
    most = value_of_information(free.problem(), perfect_information(free.problem().space))
    assert 0 <= less.ex_ante <= both.ex_ante <= most.ex_ante
    assert all(v >= 0 for v in ex_post(less))


@few
@given(instances())
def test_a_signal_that_leaves_the_choice_alone_costs_its_price(instance: Instance) -> None:
    found = value(instance)
    for realisation in found.realisations:
        if realisation.choice.picked == found.prior.picked:
            assert realisation.ex_post == -instance.price
        elif found.prior.picked not in realisation.choice.maximisers:
            assert realisation.ex_post > -instance.price
    silent = value(replace(instance, signal=(7,) * len(instance.weights)))
    assert set(silent.by_state.values()) == {-instance.price}


@few
@given(instances())
def test_knowing_what_the_good_reveals_it_is_worth_minus_its_price(instance: Instance) -> None:
    seen = instance.signal[0]
    event = np.array([i == seen for i in instance.signal])
    assume(any(w and e for w, e in zip(instance.weights, event, strict=True)))
    assert value(instance, given=event).ex_ante == -instance.price


# --- Goods ----------------------------------------------------------------------------------------


def test_a_good_that_reveals_nothing() -> None:
    problem = DecisionProblem.of(ProbabilitySpace.uniform(2), [[1, 0], [0, 1]])
    found = value_of_information(problem, Good.of("silence", (), "1/2"))
    assert [r.values for r in found.realisations] == [()]
    assert found.ex_ante == Fraction(-1, 2)


def test_a_variable_in_two_goods_is_revealed_once_and_namesakes_are_both_kept() -> None:
    shared, other = Variable.of("I", [0, 0, 1]), Variable.of("I", [0, 1, 1])
    twice = joint_good([Good.of("a", shared, 1), Good.of("b", Variable.of("I", [0, 0, 1]), 2)])
    assert [v.name for v in twice.variables] == ["I"]
    assert (twice.name, twice.price) == ("a + b", 3)
    namesakes = joint_good([Good.of("a", shared), Good.of("b", other)])
    assert namesakes.signal(3) == Partition.discrete(3)
    assert Good.of("a", [shared, other]).signal(3) == Partition.discrete(3)


def test_prices_are_of_one_kind() -> None:
    def good(price: object) -> Good:
        return Good.of("g", Variable.of("I", [0, 1]), price)

    assert joint_good([good("1/2"), good("1/3")]).price == Fraction(5, 6)
    assert joint_good([good(0.5), good(0.25)]).price == 0.75
    assert joint_good([good(1), good(0.25), good(0)]).price == 1.25
    assert isinstance(joint_good([good(0), good(0.25)]).price, float)
    with pytest.raises(ExactnessError, match="prices mix floats with exact numbers"):
        joint_good([good("1/2"), good(0.25)])
    with pytest.raises(InvalidInputError, match="goods is empty"):
        joint_good([])
    exact = DecisionProblem.of(ProbabilitySpace.uniform(2), [[1, 0], [0, 1]])
    floats = DecisionProblem.of(ProbabilitySpace.of([0.5, 0.5]), [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ExactnessError, match="price is a float"):
        value_of_information(exact, good(0.25))
    with pytest.raises(ExactnessError, match="price is a float"):
        value_of_information(Forecast(exact.space, np.array([True, False]), Score.LOG), good(0.0))
    with pytest.raises(ExactnessError, match="price stands beside floats"):
        value_of_information(floats, good("1/2"))
    assert value_of_information(floats, good(1)).ex_ante == -0.5
    assert value_of_information(floats, good(np.float32(0.5))).ex_ante == 0.0


@pytest.mark.parametrize(
    ("price", "message"),
    [
        ("cheap", "is not a number as we read them"),
        ("1/0", "has a zero denominator"),
        (None, "is not a number"),
        (True, "is not a number"),
        ([1], "is not a number"),
        (float("nan"), "is not finite"),
        (float("-inf"), "is not finite"),
        (np.float64("inf"), "is not finite"),
        (1j, "is not a number"),
    ],
)
def test_a_price_is_a_number(price: object, message: str) -> None:
    with pytest.raises(NumberError, match=f"price of g {message}"):
        Good.of("g", Variable.of("I", [0, 1]), price)


def test_goods_are_about_the_states_of_the_problem() -> None:
    problem = DecisionProblem.of(ProbabilitySpace.uniform(2), [[1, 0], [0, 1]])
    with pytest.raises(ShapeError, match="good g, variable I is not over 2 states"):
        value_of_information(problem, Good.of("g", Variable.of("I", [0, 1, 2])))
    with pytest.raises(ShapeError, match="given does not fit 2 states"):
        value_of_information(problem, Good.of("g", ()), np.array([True]))
    with pytest.raises(NullEventError, match="event has probability zero"):
        value_of_information(problem, Good.of("g", ()), np.array([False, False]))


def test_floats_beyond_their_range_are_an_error() -> None:
    space = ProbabilitySpace.of([0.5, 0.5])
    problem = DecisionProblem.of(space, [[1e308, -1e308], [-1e308, 1e308]])
    with pytest.raises(NumberError, match="beyond float64"):
        value_of_information(problem, perfect_information(space))


def test_a_value_is_written_to_be_read() -> None:
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    sky = space.variable("sky", {"rain": "<grey>", "dry": "blue"})
    problem = Forecast(space, space.event(["rain"]), Score.LOG)
    found = value_of_information(problem, Good.of("a look", sky, "1/10"))
    text = str(found)
    assert "a look at price 1/10: ex-ante" in text
    assert "sky     probability  choice  ex-post value" in text
    assert "-1/10 + 2·log(2) ≈ 1.28629" in text
    assert "closed form arithmetic, rechecked with gap" in text
    html = found._repr_html_()
    assert "&lt;grey&gt;" in html
    assert "<grey>" not in html
    exact = value_of_information(
        DecisionProblem.of(space, [[1, 0], [0, 1]]), perfect_information(space)
    )
    assert str(exact).endswith("exact arithmetic, rechecked with gap 0")
    floats = DecisionProblem.of(ProbabilitySpace.of([0.25, 0.75]), [[1.0, 0.0], [0.0, 1.0]])
    assert "0.25" in str(value_of_information(floats, perfect_information(floats.space)))


def test_prices_of_any_size_leave_the_recheck_sharp() -> None:
    space = ProbabilitySpace.uniform(2)
    problem = Forecast(space, space.event([0]), Score.LOG)
    found = value_of_information(problem, perfect_information(space, "1e400"))
    assert found.gap < Fraction(1, 10**50)
    assert found.ex_ante == log(2) - 10**400
    assert "log(2)" in str(found)


# --- The recheck ----------------------------------------------------------------------------------


def answered(problem: Decision, good: Good) -> tuple[np.ndarray, Answer]:
    """What is handed to the recheck, taken from a value."""
    found = value_of_information(problem, good)
    return good.signal(len(problem.space)).labels, Answer(
        price=good.price,
        prior=found.prior,
        informed=[r.choice for r in found.realisations],
        ex_post=ex_post(found),
        realised=found.realised.scalars(),
        ex_ante=found.ex_ante,
    )


def swapped(numbers: Sequence[Any], i: int, j: int) -> list[Any]:
    changed = list(numbers)
    changed[i], changed[j] = changed[j], changed[i]
    return changed


PRICE = 2
Fault = Callable[[Answer], Answer]
FAULTS: dict[str, Fault] = {
    "the sign of ex-post value": lambda a: replace(a, ex_post=[-v for v in a.ex_post]),
    "no price in ex-post value": lambda a: replace(a, ex_post=[v + PRICE for v in a.ex_post]),
    "no price in realised value": lambda a: replace(a, realised=[v + PRICE for v in a.realised]),
    "no price in ex-ante value": lambda a: replace(a, ex_ante=a.ex_ante + PRICE),
    "realised values swapped within a block": lambda a: replace(
        a, realised=swapped(a.realised, 0, 1)
    ),
    "realised values swapped across blocks": lambda a: replace(
        a, realised=swapped(a.realised, 1, 2)
    ),
    "ex-post values swapped": lambda a: replace(a, ex_post=swapped(a.ex_post, 0, 1)),
    "ex-ante value": lambda a: replace(a, ex_ante=a.ex_ante + 1),
    "ex-ante and ex-post shifted alike": lambda a: replace(
        a, ex_ante=a.ex_ante + 1, ex_post=[v + 1 for v in a.ex_post]
    ),
    "everything shifted alike": lambda a: replace(
        a,
        ex_ante=a.ex_ante + 1,
        ex_post=[v + 1 for v in a.ex_post],
        realised=[v + 1 for v in a.realised],
    ),
    "the expected utility of the prior choice": lambda a: replace(
        a, prior=replace(a.prior, expected_utility=a.prior.expected_utility + PRICE)
    ),
    "the expected utility of an informed choice": lambda a: replace(
        a,
        informed=[
            a.informed[0],
            replace(a.informed[1], expected_utility=a.informed[1].expected_utility - PRICE),
        ],
    ),
}
NAN_FAULTS: dict[str, Fault] = {
    "ex-post is NaN": lambda a: replace(a, ex_post=[float("nan"), *a.ex_post[1:]]),
    "realised is NaN": lambda a: replace(a, realised=[float("nan"), *a.realised[1:]]),
    "ex-ante is NaN": lambda a: replace(a, ex_ante=float("nan")),
    "the prior choice is worse": lambda a: replace(a, prior=replace(a.prior, picked=2)),
    "an informed choice is worse": lambda a: replace(
        a, informed=[replace(a.informed[0], picked=2), *a.informed[1:]]
    ),
}
TABLE = ((1, 4, 0, 2), (3, 0, 2, 5), (-1, -1, -1, -1))
SIGNAL = Variable.of("I", [0, 0, 1, 1])


def problems() -> dict[str, tuple[Decision, Good]]:
    """One problem in every kind of number; states 0 and 1 are equally likely."""
    space = ProbabilitySpace.of(["1/8", "1/8", "3/8", "3/8"])
    event = np.array([True, False, True, True])
    exact, floats = Good.of("I", SIGNAL, PRICE), Good.of("I", SIGNAL, float(PRICE))
    root = [[sqrt(2) * u for u in row] for row in TABLE]
    rounded = ProbabilitySpace.of([0.125, 0.125, 0.375, 0.375])
    found: dict[str, tuple[Decision, Good]] = {
        "exact": (DecisionProblem.of(space, TABLE), exact),
        "closed form": (DecisionProblem.of(space, root), exact),
        "certified": (
            DecisionProblem(space, (0, 1, 2), Balls.of([[arb(u) for u in r] for r in TABLE])),
            exact,
        ),
        "float64": (DecisionProblem.of(rounded, np.array(TABLE, dtype=float)), floats),
    }
    for rule in Score:
        found[f"{rule} forecast"] = (Forecast(space, event, rule), exact)
    return found


@pytest.mark.parametrize("kind", ["exact", "closed form", "certified", "float64"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_leaves_a_gap(kind: str, fault: str) -> None:
    problem, good = problems()[kind]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, answer) <= (1e-14 if kind == "certified" else 0)
    assert recheck_value(problem, labels, FAULTS[fault](answer)) > 1e-5


@pytest.mark.parametrize("rule", Score)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_in_a_forecast_leaves_a_gap(rule: Score, fault: str) -> None:
    problem, good = problems()[f"{rule} forecast"]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, answer) < Fraction(1, 10**50)
    assert recheck_value(problem, labels, FAULTS[fault](answer)) > 1e-5


@pytest.mark.parametrize("fault", NAN_FAULTS)
def test_no_fault_in_floats_hides(fault: str) -> None:
    problem, good = problems()["float64"]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, NAN_FAULTS[fault](answer)) > 1e-5


def test_a_wrong_forecast_leaves_a_gap() -> None:
    problem, good = problems()["log forecast"]
    labels, answer = answered(problem, good)
    wrong = replace(answer, prior=replace(answer.prior, picked=Fraction(1, 3)))
    assert recheck_value(problem, labels, wrong) == Fraction(7, 8) - Fraction(1, 3)


def test_exact_values_are_rechecked_to_the_last_digit() -> None:
    problem, good = problems()["exact"]
    labels, answer = answered(problem, good)
    off = Fraction(1, 10**30)
    assert recheck_value(problem, labels, replace(answer, ex_ante=answer.ex_ante + off)) == off
    problem, good = problems()["closed form"]
    labels, answer = answered(problem, good)
    assert recheck_value(problem, labels, answer) == 0
    gap = recheck_value(problem, labels, replace(answer, ex_ante=answer.ex_ante + off))
    assert off * Fraction(99, 100) < gap < off * Fraction(101, 100)


# --- The kernel -----------------------------------------------------------------------------------


@given(instances(), st.sampled_from(KINDS))
def test_the_kernel_agrees_with_the_definition(instance: Instance, kind: Kind) -> None:
    true = oracle(instance).ex_ante
    problem, signal = instance.problem(kind), Partition.of(instance.signal)
    price = instance.good(kind).price
    try:
        with ctx.workprec(200):
            problem = instance.problem(kind)
            found = ex_ante_value(problem.space.probabilities, problem.utilities, signal, price)
    except UndecidedError:
        assert kind == "certified"
        return
    assert close(found, true, kind)


@given(
    st.integers(1, 60),
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
    st.floats(-2, 2),
    st.booleans(),
)
def test_the_kernel_on_random_floats(
    states: int, actions: int, seed: int, price: float, sparse: bool
) -> None:
    generator = np.random.default_rng(seed)
    p = generator.random(states) * (generator.random(states) < (0.5 if sparse else 1.0))
    p = p / p.sum() if p.sum() > 0 else np.full(states, 1 / states)
    u = generator.standard_normal((actions, states))
    signal = generator.integers(7, size=states)
    found = ex_ante_value(p, u, signal, price)
    problem = DecisionProblem.of(ProbabilitySpace.of(p), u)
    slow = value_of_information(problem, Good.of("I", Variable.of("I", signal), price))
    true = valued(p.tolist(), u.tolist(), signal.tolist(), price)
    assert found == pytest.approx(true.ex_ante, abs=1e-12)
    assert slow.ex_ante == pytest.approx(true.ex_ante, abs=1e-12)
    assert slow.gap < 1e-12


SPREAD: dict[str, Callable[[np.ndarray], Any]] = {
    "as they are": lambda s: s,
    "int32": lambda s: s.astype(np.int32),
    "uint64": lambda s: s.astype(np.uint64),
    "int8": lambda s: s.astype(np.int8),
    "negative": lambda s: s - 2,
    "far apart": lambda s: s * 10**15,
    "beyond int64": lambda s: s.astype(np.uint64) + np.uint64(2**63),
    "with gaps": lambda s: s * 3 + 1,
    "a partition": Partition.of,
    "every other": lambda s: np.repeat(s, 2)[::2],
}


@pytest.mark.parametrize("form", SPREAD)
def test_labels_may_be_any_integers(form: str) -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4])
    u = np.array([[1.0, -2.0, 0.5, 0.0], [0.0, 3.0, -1.0, 0.25]])
    signal = np.array([0, 1, 2, 1])
    true = valued(p.tolist(), u.tolist(), signal.tolist(), 0.125).ex_ante
    assert ex_ante_value(p, u, SPREAD[form](signal), 0.125) == pytest.approx(true, abs=1e-15)


def test_odd_arrays() -> None:
    p, u = np.array([0.25, 0.75]), np.array([[0.0, -1.0], [-4.0, 0.0]])
    signal = np.array([0, 1])
    assert ex_ante_value(p, u, signal) == 0.75
    single = u.astype(np.float32)
    assert ex_ante_value(p.astype(np.float32), single, signal) == 0.75
    assert isinstance(ex_ante_value(p, single, signal), float)
    assert ex_ante_value(p, np.asfortranarray(u), signal) == 0.75
    assert ex_ante_value(p[::-1], u[:, ::-1], signal[::-1]) == 0.75
    assert ex_ante_value(p, u[:1], signal) == 0.0
    assert ex_ante_value(np.array([1.0]), np.array([[3.0], [2.0]]), np.array([5])) == 0.0
    assert ex_ante_value(p, u, signal, 1) == -0.25
    assert ex_ante_value(p, u, signal, Fraction(2)) == -1.25
    assert ex_ante_value(Exact.of(["1/4", "3/4"]), Exact.of(u.astype(int)), signal) == Fraction(
        3, 4
    )
    assert ex_ante_value(Floats(p), Floats(u), Partition.discrete(2)) == 0.75


def test_many_labels_and_states() -> None:
    """Each state its own block, on more states than one chunk of the kernel."""
    states = 70_001
    u = (np.arange(3 * states) % 11).astype(float).reshape(3, states)
    p = np.full(states, 1 / states)
    full = ex_ante_value(p, u, np.arange(states))
    assert full == pytest.approx(u.max(axis=0).mean() - u.mean(axis=1).max(), abs=1e-9)
    backwards = ex_ante_value(p, u, -np.arange(states))
    assert backwards == pytest.approx(full, abs=1e-9)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"p": np.array([0.5, 0.6])}, ProbabilityError, "do not sum to one"),
        ({"p": np.array([1.5, -0.5])}, ProbabilityError, "is negative"),
        ({"p": np.array([np.nan, 1.0])}, NumberError, r"probabilities\[0\] is not finite"),
        ({"p": Exact.of(["1/2", "1/2"])}, ExactnessError, "utilities mixes float64"),
        ({"u": Exact.of([[1, 2]])}, ExactnessError, "utilities mixes float64"),
        ({"u": np.array([[1.0, np.nan], [3.0, 4.0]])}, NumberError, r"utilities\[0, 1\]"),
        ({"u": np.array([[1.0, -np.inf], [3.0, 4.0]])}, NumberError, r"utilities\[0, 1\]"),
        ({"u": Exact.of([[1, 2, 3]])}, ShapeError, "utilities is not of shape"),
        ({"u": np.zeros((0, 2))}, InvalidInputError, "actions is empty"),
        ({"signal": Partition.trivial(3)}, ShapeError, "signal does not fit 2 states"),
        ({"price": Fraction(1, 2)}, ExactnessError, "price stands beside floats"),
        ({"price": float("nan")}, NumberError, "price is not finite"),
    ],
    ids=str,
)
def test_the_kernel_refuses(changed: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"p": np.array([0.5, 0.5]), "u": np.array([[1.0, 2.0], [3.0, 0.0]])}
    given |= {"signal": np.array([0, 1]), "price": 0.0} | changed
    with pytest.raises(error, match=message) as caught:
        ex_ante_value(given["p"], given["u"], given["signal"], given["price"])
    assert type(caught.value) is error


# --- As a user meets it ---------------------------------------------------------------------------

SETUP = """
import numpy as np
from fractions import Fraction
from theory.decision import DecisionProblem
from theory.information import Good, ex_ante_value, perfect_information, value_of_information
from theory.probability import ProbabilitySpace, Variable
space = ProbabilitySpace.uniform(2)
problem = DecisionProblem.of(space, [[1, 0], [0, 1]])
good = perfect_information(space)
p, u, signal = np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1])
"""
TOLD = {
    "value_of_information(problem, good, np.array([0, 1])).ex_ante": (
        "InvalidInputError: given is not an array of truth values"
    ),
    "value_of_information(problem, good, [True, True]).ex_ante": (
        "InvalidInputError: given is not an array of truth values"
    ),
    "value_of_information(problem, Good('g', good.variables, 'cheap'))": (
        "NumberError: price is not a number as we read them (got 'cheap')"
    ),
    "value_of_information(problem, Good('g', good.variables, 2)).ex_ante": "value: Fraction(-3, 2)",
    "Good.of('g', 'sky')": "InvalidInputError: variables of g is not a Variable (got 's')",
    "Good.of('g', [None])": "InvalidInputError: variables of g is not a Variable (got None)",
    "ex_ante_value(p, u, [0, 1])": "value: 0.5",
    "ex_ante_value([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]], signal)": "value: 0.5",
    "ex_ante_value(['1/2', '1/2'], [[1, 0], [0, 1]], signal)": "value: Fraction(1, 2)",
    "ex_ante_value(p, u, np.array(['a', 'b']))": "value: 0.5",
    "ex_ante_value(p, u, np.array([0.0, 1.0]))": "value: 0.5",
    "ex_ante_value(p, u, np.array([False, True]))": "value: 0.5",
    "ex_ante_value(p, u, np.array([np.nan, 1.0]))": "InvalidInputError: labels hold NaN",
    "ex_ante_value(p, u, signal, '1/2')": "ExactnessError: price stands beside floats",
    "ex_ante_value(p, u, signal, 'cheap')": "NumberError: price is not a number as we read them",
    "ex_ante_value(p, u, signal, None)": "NumberError: price is not a number",
    "ex_ante_value(p, np.array([[1, 0], [0, 1]]), signal)": "ExactnessError: utilities mixes",
    "ex_ante_value(p, np.array([[Fraction(1), 0]]), signal)": "ExactnessError: utilities mixes",
    "ex_ante_value(p[:0], u, signal)": "ProbabilityError: states is empty",
    "ex_ante_value(p, np.zeros((2, 3)), signal)": "ShapeError: utilities is not of shape (2, 2)",
    "ex_ante_value(p, u.T[0], signal)": "ShapeError: utilities is not of shape (2, 2)",
    "ex_ante_value(p, u, np.array([0, 1, 2]))": "ShapeError: signal does not fit 2 states",
    "ex_ante_value(p, u, np.array([[0, 1]]))": "ShapeError: signal does not fit 2 states",
    "ex_ante_value(p, np.array(3.0), signal)": "InvalidInputError: actions is empty",
    "ex_ante_value(p, np.array([[np.inf, 0.0]]), signal)": "NumberError: utilities[0, 0] is not",
    "ex_ante_value(np.array([1.0, 0.0]), np.array([[1.0, np.inf]]), signal)": (
        "NumberError: utilities[0, 1] is not finite"
    ),
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return outcomes(SETUP, list(TOLD))


@pytest.mark.parametrize("expression", TOLD)
def test_what_a_user_is_told(told: dict[str, str], expression: str) -> None:
    assert told[expression].startswith(TOLD[expression])


def test_importing_it_loads_numpy_and_little_else() -> None:
    program = "import sys, theory.information; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    heavy = {"jaxtyping", "beartype", "flint", "sympy", "matplotlib", "rich", "scipy", "click"}
    assert {"numpy", "theory"} <= loaded
    assert not loaded & heavy
    assert {"papers", "mechproof", "hypothesis", "pytest", "msgspec"}.isdisjoint(loaded)


def test_states_and_values_may_be_anything_hashable() -> None:
    states: list[Hashable] = ["a", 1, None, (2, 3)]
    space = ProbabilitySpace.uniform(states)
    seen = space.variable("seen", lambda state: isinstance(state, int))
    problem = DecisionProblem.of(space, {("bet", 1): [0, 3, 0, 0], None: [0, 0, 0, 1]})
    found = value_of_information(problem, Good.of("g", seen))
    assert found.by_state == {"a": 0, 1: 0, None: 0, (2, 3): 1}
    assert [r.choice.picked for r in found.realisations] == [None, ("bet", 1)]
