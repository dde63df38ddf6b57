"""Values of information against sums over states, and what must leave them alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from information_cases import KINDS, agree, ex_post, few, oracle, value
from reference.values import valued
from strategies import Instance, Kind, instances, labels, small_rationals
from sweeps import examples

from theory.decision import DecisionProblem
from theory.errors import (
    InvalidInputError,
    NullEventError,
    ShapeError,
    UndecidedError,
    UnknownNameError,
)
from theory.information import (
    Good,
    joint_good,
    perfect_information,
    value_of_information,
)
from theory.numbers import refine
from theory.probability import ProbabilitySpace, Variable

# --- By the definition ----------------------------------------------------------------------------


@settings(max_examples=examples(400))
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


@settings(max_examples=examples(300))
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


@settings(max_examples=examples(300))
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


@settings(max_examples=examples(300))
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
        found.in_hindsight([])


def test_states_that_there_are_not_are_refused_with_the_nearest_name() -> None:
    """Not left out: "dri" beside "rain" was -1/4, where "dry" is 1/2."""
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4", "snow": 0})
    problem = DecisionProblem.of(space, {"umbrella": [0, -1, 0], "none": [-4, 0, 0]})
    found = value_of_information(problem, perfect_information(space, "1/4"))
    for named in (["rain", "dri"], ["dri", "rain"], ["dri"]):
        with pytest.raises(UnknownNameError, match=r"states .*'dri'.*did you mean 'dry'"):
            found.in_hindsight(named)
    assert found.in_hindsight(["rain", "dry"]) == Fraction(1, 2)
    assert found.in_hindsight(["rain", "snow"]) == found.in_hindsight(["rain"]) == Fraction(-1, 4)
    with pytest.raises(NullEventError, match="states has probability zero"):
        found.in_hindsight(["snow"])
    with pytest.raises(InvalidInputError, match="states is one text"):
        found.in_hindsight("rain")


def test_what_is_known_is_given_by_names_or_by_truth_values() -> None:
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "1/2", "fog": "1/4"})
    problem = DecisionProblem.of(space, {"umbrella": [0, -1, -1], "none": [-4, 0, 0]})
    good = perfect_information(space, "1/4")
    everything = value_of_information(problem, good)
    for names in (["rain"], ["dry", "fog"], ("fog", "rain"), {"dry"}):
        mask = space.event(names)
        by_name, by_mask = (value_of_information(problem, good, given=g) for g in (names, mask))
        assert by_name.by_state == by_mask.by_state
        assert by_name.ex_ante == by_mask.ex_ante
        assert everything.in_hindsight(names) == everything.in_hindsight(mask)
        assert by_name.in_hindsight(names) == by_name.in_hindsight(mask) == by_name.ex_ante
    with pytest.raises(UnknownNameError, match=r"given is not a state.*did you mean 'fog'"):
        value_of_information(problem, good, given=["rain", "frog"])
    with pytest.raises(InvalidInputError, match="given is one text"):
        value_of_information(problem, good, given="fog")
    with pytest.raises(ShapeError, match="states does not fit 3 states"):
        everything.in_hindsight(np.array([True, False]))


@few
@given(instances())
def test_hindsight_of_a_realisation_is_its_ex_post_value(instance: Instance) -> None:
    found = value(instance)
    for realisation, block in zip(found.realisations, oracle(instance).blocks, strict=True):
        assert found.in_hindsight(block) == realisation.ex_post


# --- What must leave values alone, and what must change them --------------------------------------


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
