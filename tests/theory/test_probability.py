"""Spaces, events and partitions against sums over states and sets of sets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from plain_python import outcomes
from reference import partitions as oracle
from strategies import Instance, Kind, instances, labels, numbers, small_rationals

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NullEventError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UndecidedError,
    UnknownNameError,
)
from theory.numbers import Balls, ClosedForms, Exact, Floats, log
from theory.numbers.balls import enclosing_interval
from theory.probability import Partition, ProbabilitySpace, Variable

KINDS: tuple[Kind, ...] = get_args(Kind)


def sets(partition: Partition) -> oracle.Blocks:
    return frozenset(map(frozenset, partition.blocks))


def several(count: int, max_states: int = 7) -> Any:
    """Labels of some partitions of the same states."""
    return st.integers(0, max_states).flatmap(lambda n: st.tuples(*[labels(n)] * count))


# --- Partitions -----------------------------------------------------------------------------------


@given(st.integers(0, 8).flatmap(labels))
def test_blocks_are_the_states_with_equal_labels(label: list[int]) -> None:
    partition = Partition.of(label)
    assert sets(partition) == oracle.blocks(label)
    assert partition.count == len(set(label))
    firsts = [block[0] for block in partition.blocks]
    assert firsts == sorted(firsts)


@given(st.integers(1, 8).flatmap(labels))
def test_what_labels_are_called_does_not_matter(label: list[int]) -> None:
    partition = Partition.of(label)
    others: list[Any] = [
        [f"name {x}" for x in label],
        [(-x, None) for x in label],
        np.array(label) - 2,
        np.array(label, dtype=np.uint64) + np.uint64(2**64 - 9),
        np.array(label, dtype=np.int8),
        np.array(label) / 7,
        np.array([f"{x}" for x in label]),
        [10**30 - x for x in label],
    ]
    for other in others:
        assert Partition.of(other) == partition
        assert hash(Partition.of(other)) == hash(partition)
        assert Partition.of(other).labels.dtype == np.int64
    assert Partition.of(np.array(label) > 1) == Partition.of([x > 1 for x in label])


@given(several(2))
def test_join_meet_and_refinement_by_sets(pair: tuple[list[int], ...]) -> None:
    a, b = map(Partition.of, pair)
    assert sets(a.join(b)) == oracle.join(sets(a), sets(b))
    assert sets(a.meet(b)) == oracle.meet(sets(a), sets(b))
    assert a.refines(b) is oracle.refines(sets(a), sets(b))
    assert (a == b) is (sets(a) == sets(b))


@given(several(3))
def test_partitions_are_a_lattice(three: tuple[list[int], ...]) -> None:
    a, b, c = map(Partition.of, three)
    n = len(a.labels)
    assert a.join(b) == b.join(a)
    assert a.meet(b) == b.meet(a)
    assert a.join(b.join(c)) == a.join(b).join(c)
    assert a.meet(b.meet(c)) == a.meet(b).meet(c)
    assert a.join(a.meet(b)) == a == a.meet(a.join(b))
    assert a.refines(b) is (a.join(b) == a) is (a.meet(b) == b)
    assert a.join(b).refines(a)
    assert a.refines(a.meet(b))
    assert Partition.discrete(n).refines(a)
    assert a.refines(Partition.trivial(n))
    assert a.join(Partition.trivial(n)) == a == a.meet(Partition.discrete(n))


def test_a_meet_follows_chains() -> None:
    a, b = Partition.of([0, 0, 1, 1, 2, 2, 3]), Partition.of([0, 1, 1, 2, 2, 3, 4])
    assert str(a.meet(b)) == "0 1 2 3 4 5 | 6"
    assert str(a.join(b)) == "0 | 1 | 2 | 3 | 4 | 5 | 6"


def test_partitions_of_many_states() -> None:
    states = 50_000
    a, b = Partition.of(np.arange(states) // 2), Partition.of((np.arange(states) + 1) // 2)
    assert a.count == states // 2
    assert a.meet(b) == Partition.trivial(states)
    assert a.join(b) == Partition.discrete(states)


def test_partitions_over_different_states_do_not_compare() -> None:
    small, large = Partition.trivial(2), Partition.trivial(3)
    assert small != large
    assert small != "0 1"
    for operation in (small.join, small.meet, small.refines):
        with pytest.raises(ShapeError, match="is not over 2 states"):
            operation(large)


@pytest.mark.parametrize(
    ("label", "count"),
    [
        ([0, 2], 3),
        ([0, 2], 2),
        ([0, 2], 1),
        ([0, 1, 3], 2),
        ([-1, 0], 2),
        ([0, -1], 1),
        ([0, 1], 3),
        ([0, 1], 1),
        ([0, 0], 2),
        ([1, 0], 2),
        ([1], 1),
    ],
)
def test_a_partition_numbers_its_blocks_without_gaps(label: list[int], count: int) -> None:
    with pytest.raises(InvalidInputError, match=r"do not number .* use Partition\.of"):
        Partition(np.array(label), count)
    if label[0] <= 0:
        with pytest.raises(InvalidInputError, match=r"(?s)do not number .* use Partition\.of"):
            Partition(np.array([0] * 100 + label), count)


def test_labels_that_cannot_be_told_apart_are_refused() -> None:
    for nan in ([float("nan")] * 2, np.array([np.nan, 1.0]), [np.float32("nan"), 1]):
        with pytest.raises(InvalidInputError, match="labels hold NaN"):
            Partition.of(nan)
    with pytest.raises(ShapeError, match="is not one label a state"):
        Partition.of(np.array([[1, 2], [3, 4]]))
    with pytest.raises(ShapeError, match="is not one label a state"):
        Partition.of(np.array(1))


# --- Variables ------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["a", "b", 3, None, (1, 2)]), min_size=1, max_size=7))
def test_a_variable_has_a_value_in_every_state(values: list[Any]) -> None:
    variable = Variable.of("X", values)
    assert list(variable.by_state) == values
    assert len(variable) == len(values)
    assert len(set(variable.values)) == len(variable.values)
    for value in values:
        assert variable.equals(value).tolist() == [v == value for v in values]


def test_values_may_come_from_an_array() -> None:
    assert Variable.of("X", np.array([3, 1, 3])).by_state == (3, 1, 3)
    assert Variable.of("X", np.array(["a", "b"])).by_state == ("a", "b")
    assert Variable.of("X", np.array([True, False])).equals(False).tolist() == [False, True]


def test_a_value_that_is_never_taken_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"value of sky .*did you mean 'grey'\?"):
        Variable.of("sky", ["grey", "blue"]).equals("gray")


@pytest.mark.parametrize("values", [("a",), ("a", "a"), ("a", "b", "c")])
def test_a_variable_has_one_value_a_block(values: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInputError, match="values of X are not one for each of 2 blocks"):
        Variable("X", Partition.discrete(2), values)


@given(st.integers(1, 6).flatmap(lambda n: st.lists(labels(n), min_size=0, max_size=4)))
def test_variables_generate_the_coarsest_partition_they_are_constant_on(
    shown: list[list[int]],
) -> None:
    states = len(shown[0]) if shown else 3
    variables = [Variable.of(str(k), label) for k, label in enumerate(shown)]
    found = Partition.generated_by(variables, states)
    assert sets(found) == oracle.blocks([tuple(x[w] for x in shown) for w in range(states)])


# --- Spaces ---------------------------------------------------------------------------------------


def test_a_space_reads_its_probabilities() -> None:
    space = ProbabilitySpace.of({"a": "0.5", "b": "1/3", "c": Fraction(1, 6), "d": 0})
    assert space.states == ("a", "b", "c", "d")
    assert space.support.tolist() == [True, True, True, False]
    assert space.probability(space.event(["c", "a"])) == Fraction(2, 3)
    assert space.probability(space.event([])) == 0
    assert len(ProbabilitySpace.of([1])) == 1
    assert ProbabilitySpace.uniform(3).expectation([1, 2, 6]) == 3
    assert ProbabilitySpace.uniform(["x", "y"]).states == ("x", "y")


def test_probabilities_with_denominators_beyond_int64() -> None:
    tiny = Fraction(1, 3**80)
    space = ProbabilitySpace.of([tiny, 1 - 2 * tiny, tiny])
    assert space.probability(np.array([True, False, True])) == 2 * tiny
    assert space.condition_on(np.array([True, False, True])).expectation([5, 0, 7]) == 6


def test_many_states() -> None:
    states = 100_000
    space = ProbabilitySpace.uniform(states)
    assert space.expectation(np.arange(states)) == Fraction(states - 1, 2)
    parity = Partition.of(np.arange(states) % 2)
    even, odd = space.conditional_expectation(np.arange(states), parity).by_block
    assert (even, odd) == (Fraction(states - 2, 2), Fraction(states, 2))


@pytest.mark.parametrize(
    ("probabilities", "error", "message"),
    [
        ([], ProbabilityError, "states is empty"),
        ({}, ProbabilityError, "states is empty"),
        (["1/2", "1/3"], ProbabilityError, r"do not sum to one \(got '5/6'\)"),
        ([Fraction(1, 2), Fraction(1, 2) - Fraction(1, 10**40)], ProbabilityError, "do not sum"),
        (["-1/2", "3/2"], ProbabilityError, r"probability of 0 is negative \(got '-1/2'\)"),
        ({"a": 2, "b": -1}, ProbabilityError, "probability of 'b' is negative"),
        ([10**5000], ProbabilityError, "a number of about 5,001 digits"),
        ([0.5, 0.5 + 1e-8], ProbabilityError, "do not sum to one within 1e-09"),
        ([1.5, -0.5], ProbabilityError, "probability of 1 is negative"),
        ([float("nan"), 1.0], NumberError, r"probabilities\[0\] is not finite"),
        ([float("inf"), 1.0], NumberError, r"probabilities\[0\] is not finite"),
        (["1/2", 0.5], ExactnessError, r"probabilities\[0\] stands beside floats"),
        ([True, False], NumberError, r"probabilities\[0\] is not a number"),
        (["half", "half"], NumberError, r"probabilities\[0\] is not a number"),
        ([["1/2", "1/2"]], ShapeError, "does not fit 1 states"),
        ([log(2), 1], ProbabilityError, "do not sum to one"),
        ([arb("0.3"), arb("0.6")], ProbabilityError, "do not sum to one"),
        ([arb(0, 0.1), 1], UndecidedError, "is not decided"),
    ],
    ids=lambda v: str(v)[:20] if not isinstance(v, list) or v != [10**5000] else "huge",
)
def test_what_is_not_a_distribution(
    probabilities: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        ProbabilitySpace.of(probabilities)
    assert type(caught.value) is error


def test_floats_are_unchecked_until_a_space_is_made_of_them() -> None:
    with pytest.raises(ProbabilityError, match="do not sum to one within 1e-09"):
        ProbabilitySpace(range(2), Floats(np.array([np.nan, 1.0])))


def test_sums_close_to_one() -> None:
    assert len(ProbabilitySpace.of([0.5, 0.5 + 1e-10])) == 2
    assert len(ProbabilitySpace.of([0.1] * 10)) == 10
    assert ProbabilitySpace.of([-0.0, 1.0]).support.tolist() == [False, True]
    third = arb(1) / 3
    assert len(ProbabilitySpace.of([third, third, third])) == 3
    assert ProbabilitySpace.of([log(4) - 2 * log(2), 1]).support.tolist() == [False, True]


def test_names_are_given_once() -> None:
    half = Exact.of(["1/2", "1/2"])
    for names in (("a", "a"), (1, True), (0, 0.0)):
        with pytest.raises(InvalidInputError, match="states has a name twice"):
            ProbabilitySpace(names, half)
    with pytest.raises(InvalidInputError, match="states has a name twice"):
        ProbabilitySpace.uniform(["x", "x"])
    with pytest.raises(ShapeError, match="does not fit 3 states"):
        ProbabilitySpace(("a", "b", "c"), half)
    for nobody in (0, -1, []):
        with pytest.raises(ProbabilityError, match="states is empty"):
            ProbabilitySpace.uniform(nobody)


def test_states_are_known_by_name() -> None:
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    assert space.event(["dry"]).tolist() == [False, True]
    assert space.variable("wet", {"dry": 0, "rain": 1}).by_state == (1, 0)
    assert space.variable("length", len).by_state == (4, 3)
    with pytest.raises(UnknownNameError, match=r"event is not a state .*did you mean 'rain'\?"):
        space.event(["dry", "rian"])
    with pytest.raises(UnknownNameError, match="variable wet is not a state"):
        space.variable("wet", {"dry": 0, "rain": 1, "snow": 1})
    with pytest.raises(ShapeError, match=r"variable wet lacks a state \(got 'rain'\)"):
        space.variable("wet", {"dry": 0})


def test_the_first_unknown_name_is_the_one_reported() -> None:
    space = ProbabilitySpace.uniform(["a"])
    for names in (["x", "y"], ["y", "x"]):
        with pytest.raises(UnknownNameError) as caught:
            space.event(names)
        assert caught.value.value == names[0]


# --- Conditioning ---------------------------------------------------------------------------------


def masks(instance: Instance) -> Any:
    size = len(instance.weights)
    return st.lists(st.booleans(), min_size=size, max_size=size).map(np.array)


def close(found: Any, true: Fraction, kind: Kind) -> bool:
    """Whether a number of this kind is the rational: equal, around it, or within 1e-12."""
    if kind == "float64":
        return abs(found - float(true)) <= 1e-12 * max(1, abs(true))
    return true in enclosing_interval(found) if kind == "certified" else bool(found == true)


@given(st.data(), instances(), st.sampled_from(KINDS))
def test_conditioning_by_sums_over_states(
    data: st.DataObject, instance: Instance, kind: Kind
) -> None:
    p, event = instance.prior, data.draw(masks(instance))
    space = ProbabilitySpace(instance.states, numbers(p, kind))
    mass = sum(q for q, inside in zip(p, event, strict=True) if inside)
    assert close(space.probability(event), Fraction(mass), kind)
    if mass == 0:
        with pytest.raises(NullEventError, match="event has probability zero"):
            space.condition_on(event)
        return
    x = [row[0] for row in zip(*instance.utilities, strict=True)]
    conditioned = space.condition_on(event)
    assert conditioned.states == space.states
    inside = [q if e else Fraction(0) for q, e in zip(p, event, strict=True)]
    true = [q / mass for q in inside]
    found = conditioned.probabilities.scalars()
    assert all(close(a, b, kind) for a, b in zip(found, true, strict=True))
    mean = sum(a * b for a, b in zip(true, x, strict=True))
    assert close(conditioned.expectation(numbers(x, kind)), Fraction(mean), kind)


@given(st.data(), instances())
def test_conditioning_twice_is_conditioning_on_both(
    data: st.DataObject, instance: Instance
) -> None:
    space = ProbabilitySpace.of(instance.prior)
    a, b = data.draw(masks(instance)), data.draw(masks(instance))
    if space.probability(a & b):
        once = space.condition_on(a & b).probabilities.scalars()
        assert space.condition_on(a).condition_on(b).probabilities.scalars() == once
        assert once == space.condition_on(b).condition_on(a).probabilities.scalars()
    everything = np.ones(len(space), dtype=bool)
    assert space.condition_on(everything).probabilities.scalars() == instance.prior
    assert space.condition_on(space.support).probabilities.scalars() == instance.prior


@given(st.data(), instances(), st.sampled_from(KINDS))
def test_conditional_expectation_by_sums_over_states(
    data: st.DataObject, instance: Instance, kind: Kind
) -> None:
    p, size = instance.prior, len(instance.weights)
    x = data.draw(st.lists(small_rationals(), min_size=size, max_size=size))
    space = ProbabilitySpace(instance.states, numbers(p, kind))
    partition = Partition.of(instance.signal)
    found = space.conditional_expectation(numbers(x, kind), partition)
    assert len(found.by_state) == size
    for w in instance.states:
        block = [v for v in instance.states if instance.signal[v] == instance.signal[w]]
        mass = sum(p[v] for v in block)
        if mass == 0:
            assert found.by_state[w] is None
        else:
            true = sum(p[v] * x[v] for v in block) / mass
            assert close(found.by_state[w], true, kind)


@given(st.data(), instances(least_weight=1))
def test_the_tower_property(data: st.DataObject, instance: Instance) -> None:
    space, size = ProbabilitySpace.of(instance.prior), len(instance.weights)
    x = data.draw(st.lists(small_rationals(), min_size=size, max_size=size))
    fine = Partition.of(instance.signal)
    coarse = fine.meet(Partition.of(data.draw(labels(size))))
    inner = space.conditional_expectation(x, fine).by_state
    assert space.conditional_expectation(inner, coarse) == space.conditional_expectation(x, coarse)
    assert space.expectation(inner) == space.expectation(x)
    trivial = space.conditional_expectation(x, Partition.trivial(size)).by_block
    assert trivial == (space.expectation(x),)
    assert space.conditional_expectation(x, Partition.discrete(size)).by_state == tuple(x)
    known = [fine.labels[w] * 7 for w in range(size)]
    product = [a * b for a, b in zip(known, x, strict=True)]
    taken_out = space.conditional_expectation(product, fine).by_state
    assert taken_out == tuple(k * y for k, y in zip(known, inner, strict=True))


def test_kinds_do_not_mix_in_an_expectation() -> None:
    exact, floats = ProbabilitySpace.uniform(2), ProbabilitySpace.of([0.5, 0.5])
    for space, x in ((exact, [0.5, 1.0]), (floats, [1, 0]), (floats, ["1/2", 1])):
        with pytest.raises(ExactnessError, match="two kinds of number"):
            space.expectation(x)
        with pytest.raises(ExactnessError, match="two kinds of number"):
            space.conditional_expectation(x, Partition.discrete(2))
    assert exact.expectation([log(2), 1]) == (log(2) + 1) / 2
    with ctx.workprec(80):
        assert close(exact.expectation(Balls.of([1, 0])), Fraction(1, 2), "certified")
    closed = ProbabilitySpace(range(2), ClosedForms.of(["1/2", "1/2"]))
    assert closed.expectation([1, 0]) == Fraction(1, 2)


def test_shapes_must_fit() -> None:
    space = ProbabilitySpace.uniform(3)
    for x in ([1, 2], [[1, 2, 3]], 1):
        with pytest.raises(ShapeError, match="x does not fit 3 states"):
            space.expectation(x)
    with pytest.raises(ShapeError, match="partition does not fit 3 states"):
        space.conditional_expectation([1, 2, 3], Partition.trivial(2))
    for take in (space.probability, space.condition_on):
        with pytest.raises(ShapeError, match="event does not fit 3 states"):
            take(np.array([True, False]))


SETUP = """
import numpy as np
from theory.probability import Partition, ProbabilitySpace, Variable
space = ProbabilitySpace.uniform(3)
"""
REFUSED = {
    "space.condition_on(np.array([0, 1, 1]))": "InvalidInputError: event is not an array of "
    "truth values",
    "space.probability(np.array([0, 2, 0]))": "InvalidInputError: event is not an array of truth",
    "space.probability(np.array([0., 1., 1.]))": "InvalidInputError: event is not an array of",
    "space.condition_on([True, False, True])": "InvalidInputError: event is not an array of "
    "truth values",
    "space.condition_on([1])": "InvalidInputError: event is not an array of truth values",
    "space.condition_on(np.array([[True, False, True]]))": "ShapeError: event does not fit 3 "
    "states",
    "Partition(np.array([0., 1.]), 2)": "InvalidInputError: labels do not number 2 blocks",
    "Partition(np.array([0, 1], dtype=np.int32), 2)": "InvalidInputError: labels do not number",
    "Partition.of([[1], [2]])": "InvalidInputError: labels are not all hashable",
    "space.variable('X', lambda state: [state])": "InvalidInputError: labels are not all hashable",
    "space.event([[1]])": "UnknownNameError: event is not a state (got [1])",
    "Variable.of('X', (c for c in 'aab')).by_state": "value: ('a', 'a', 'b')",
    "ProbabilitySpace.of({'a', 'b'})": "NumberError: probabilities is not a number",
    "ProbabilitySpace.of(None)": "NumberError: probabilities is not a number",
    "space.event('rain')": "InvalidInputError: event is one text, not a list (got 'rain')",
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return outcomes(SETUP, list(REFUSED))


@pytest.mark.parametrize("expression", REFUSED)
def test_what_a_user_is_told(told: dict[str, str], expression: str) -> None:
    assert told[expression].startswith(REFUSED[expression])
