"""Choices against sums over states, in every kind of number, and what must leave them alone."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_python import outcomes
from reference import reals, values
from strategies import Instance, Kind, instances, labels, small_rationals
from sweeps import examples

from theory.decision import LOWEST_INDEX, TIE_TOLERANCE, Choice, DecisionProblem, Forecast
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NullEventError,
    NumberError,
    ShapeError,
    UndecidedError,
    UnknownNameError,
)
from theory.numbers import Balls, ClosedForms, Exact, log, refine, sqrt
from theory.numbers.balls import enclosing_interval
from theory.probability import Partition, ProbabilitySpace
from theory.scoring import Score

KINDS: tuple[Kind, ...] = get_args(Kind)
few = settings(max_examples=examples(40))


def close(found: Any, true: Fraction, kind: Kind) -> bool:
    """Whether a number of this kind is the rational: equal, around it, or within 1e-12."""
    if kind == "float64":
        return abs(found - float(true)) <= 1e-12
    return true in enclosing_interval(found) if kind == "certified" else bool(found == true)


def tied(choices: tuple[Choice, ...]) -> list[tuple[Any, ...]]:
    return [choice.maximisers for choice in choices]


# --- By the definition ----------------------------------------------------------------------------


@settings(max_examples=examples(300))
@given(instances(least_weight=1), st.sampled_from(KINDS))
def test_choices_by_sums_over_states(instance: Instance, kind: Kind) -> None:
    p, utilities = instance.prior, instance.utilities
    known = Partition.of(instance.signal)
    ties = [values.ties(p, utilities, block) for block in known.blocks]

    def decide() -> tuple[Choice, ...]:
        return instance.problem(kind).decide(known)

    try:
        choices = refine(decide, limit=512) if kind == "certified" else decide()
    except UndecidedError:
        assert kind == "certified"
        assert any(len(best) > 1 for best in ties)
        return
    assert tied(choices) == list(map(tuple, ties))
    for choice, best, block in zip(choices, ties, known.blocks, strict=True):
        assert choice.picked == best[0]
        assert choice.tied is (len(best) > 1)
        assert choice.rule == LOWEST_INDEX
        mean = values.expected(p, utilities[best[0]], block)
        assert close(choice.expected_utility, mean, kind)


@given(instances(least_weight=1, denominators=(1, 2, 4)), st.sampled_from(KINDS))
def test_ties_between_dyadic_numbers_are_seen_by_every_kind(instance: Instance, kind: Kind) -> None:
    """With a power of two as sum of the weights nothing is rounded, so a tie is a tie."""
    weights = (*instance.weights[1:], 32 - sum(instance.weights[1:]))
    dyadic = Instance(weights, instance.utilities, instance.signal, instance.price)
    everything = Partition.trivial(len(weights))
    ties = values.ties(dyadic.prior, dyadic.utilities, dyadic.states)
    assert tied(dyadic.problem(kind).decide(everything)) == [tuple(ties)]


@given(st.data(), instances(), st.sampled_from(KINDS))
def test_what_is_known_by_sums_over_states(
    data: st.DataObject, instance: Instance, kind: Kind
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=6, max_size=6)))
    event = mask[: len(instance.weights)]
    states = [w for w in instance.states if event[w] and instance.weights[w]]
    problem = instance.problem(kind)
    if not states:
        with pytest.raises(NullEventError, match="event has probability zero"):
            problem.condition_on(event)
        return
    possible = problem.condition_on(event)
    assert list(possible.space.states) == states
    assert possible.space.support.all()
    mass = sum(instance.prior[w] for w in states)
    conditioned = possible.space.probabilities.scalars()
    for found, w in zip(conditioned, states, strict=True):
        assert close(found, instance.prior[w] / mass, kind)
    if kind != "certified":
        ties = values.ties(instance.prior, instance.utilities, states)
        assert possible.prior_choice().maximisers == tuple(ties)


@given(instances())
def test_the_prior_choice_leaves_impossible_states_out(instance: Instance) -> None:
    possible = [w for w in instance.states if instance.weights[w]]
    found = instance.problem().prior_choice()
    assert found.maximisers == tuple(values.ties(instance.prior, instance.utilities, possible))
    p = [instance.prior[w] for w in possible]
    rows = [[row[w] for w in possible] for row in instance.utilities]
    alone = DecisionProblem.of(ProbabilitySpace.of(p), rows).prior_choice()
    assert alone == found


# --- What must leave choices alone ----------------------------------------------------------------


@few
@given(st.data(), instances(least_weight=1))
def test_the_order_of_actions_matters_to_ties_alone(
    data: st.DataObject, instance: Instance
) -> None:
    known = Partition.of(instance.signal)
    order = data.draw(st.permutations(range(len(instance.utilities))))
    names = [f"action {x}" for x in range(len(order))]
    table = {names[x]: instance.utilities[x] for x in range(len(order))}
    space = ProbabilitySpace.of(instance.prior)
    before = DecisionProblem.of(space, table).decide(known)
    after = DecisionProblem.of(space, {names[x]: table[names[x]] for x in order}).decide(known)
    for a, b in zip(before, after, strict=True):
        assert set(a.maximisers) == set(b.maximisers)
        assert a.expected_utility == b.expected_utility
        assert a.picked == next(name for name in names if name in a.maximisers)
        assert b.picked == next(names[x] for x in order if names[x] in a.maximisers)


Change = Callable[[Instance, Any], tuple[tuple[Fraction, ...], ...]]
HARMLESS: dict[str, Change] = {
    "all utilities times a positive number": lambda i, x: tuple(
        tuple(u * (1 + abs(x[0])) for u in row) for row in i.utilities
    ),
    "a number added to all": lambda i, x: tuple(tuple(u + x[0] for u in r) for r in i.utilities),
    "a number for each state added to every action": lambda i, x: tuple(
        tuple(u + x[w] for w, u in enumerate(row)) for row in i.utilities
    ),
}


@pytest.mark.parametrize("change", HARMLESS)
@few
@given(st.data(), instances(least_weight=1))
def test_what_every_action_gains_alike_does_not_matter(
    change: str, data: st.DataObject, instance: Instance
) -> None:
    x = data.draw(st.lists(small_rationals(9), min_size=6, max_size=6))
    known = Partition.of(instance.signal)
    utilities = HARMLESS[change](instance, x)
    changed = Instance(instance.weights, utilities, instance.signal, instance.price)
    for kind in ("exact", "float64"):
        assert tied(changed.problem(kind).decide(known)) == tied(
            instance.problem(kind).decide(known)
        )


@few
@given(instances(least_weight=1))
def test_an_action_offered_twice_ties_with_itself(instance: Instance) -> None:
    known = Partition.of(instance.signal)
    count = len(instance.utilities)
    doubled = DecisionProblem.of(
        ProbabilitySpace.of(instance.prior), [*instance.utilities, *instance.utilities]
    )
    for once, twice in zip(instance.problem().decide(known), doubled.decide(known), strict=True):
        again = (x for x in range(count, 2 * count) if x - count in once.maximisers)
        assert twice.maximisers == (*once.maximisers, *again)
        assert twice.picked == once.picked


@few
@given(instances(least_weight=1), st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9))
def test_a_state_may_be_split_in_two(instance: Instance, share: Fraction) -> None:
    known = Partition.of([*instance.signal, instance.signal[0]])
    p = instance.prior
    split = ProbabilitySpace.of([p[0] * share, *p[1:], p[0] * (1 - share)])
    rows = [[*row, row[0]] for row in instance.utilities]
    before = instance.problem().decide(Partition.of(instance.signal))
    assert DecisionProblem.of(split, rows).decide(known) == before


def test_floats_that_round_apart_still_tie() -> None:
    space = ProbabilitySpace.of([0.5, 0.5])
    problem = DecisionProblem.of(space, {"a": [0.1 + 0.2, 0.3], "b": [0.3, 0.3], "c": [0.29, 0.3]})
    assert 0.1 + 0.2 > 0.3
    assert problem.prior_choice().maximisers == ("a", "b")
    apart = DecisionProblem.of(space, {"a": [1.0, 1.0], "b": [1.0, 1.0 + 4 * TIE_TOLERANCE]})
    assert apart.prior_choice().maximisers == ("b",)
    zero = DecisionProblem.of(space, {"a": [0.0, -0.0], "b": [-0.0, 0.0]})
    assert zero.prior_choice().maximisers == ("a", "b")


def test_the_tolerance_scales_with_utilities_and_with_probability() -> None:
    rare = ProbabilitySpace.of([1e-9, 1 - 1e-9])
    for scale in (1e-200, 1.0, 1e200):
        close_by, apart = scale * (1 + 0.2 * TIE_TOLERANCE), scale * (1 + 9 * TIE_TOLERANCE)
        problem = DecisionProblem.of(rare, {"a": [scale, 0.0], "b": [close_by, 0.0]})
        assert problem.decide(Partition.discrete(2))[0].maximisers == ("a", "b")
        problem = DecisionProblem.of(rare, {"a": [scale, 0.0], "b": [apart, 0.0]})
        assert problem.decide(Partition.discrete(2))[0].maximisers == ("b",)


def test_irrational_utilities_are_compared_exactly() -> None:
    space = ProbabilitySpace.uniform(2)
    table = {"a": [log(6), 0], "b": [log(2), log(3)], "c": [sqrt(2), "0.37"], "d": [1, "0.79"]}
    choice = DecisionProblem.of(space, table).prior_choice()
    assert choice.maximisers == ("a", "b")
    assert choice.expected_utility == log(6) / 2
    balls = {"a": [arb(2).sqrt(), 0], "b": [arb(2).sqrt(), 0], "c": [2, 0]}
    assert DecisionProblem.of(space, balls).prior_choice().maximisers == ("c",)


def test_numbers_beyond_int64() -> None:
    space = ProbabilitySpace.of([Fraction(1, 3**50), 1 - Fraction(1, 3**50)])
    problem = DecisionProblem.of(space, {"a": [3**50, 0], "b": [0, "1.0000000000000000000001"]})
    assert problem.prior_choice().picked == "b"
    assert problem.decide(Partition.discrete(2))[0].expected_utility == 3**50


# --- Forecasts ------------------------------------------------------------------------------------


@settings(max_examples=examples(300))
@given(st.data(), instances(least_weight=1), st.sampled_from(list(Score)))
def test_forecasts_by_sums_over_states(
    data: st.DataObject, instance: Instance, rule: Score
) -> None:
    size, p = len(instance.weights), instance.prior
    event = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    space = ProbabilitySpace.of(p)
    problem = Forecast(space, np.array(event), rule)
    known = Partition.of(instance.signal)
    choices = problem.decide(known)
    scores = problem.utility(choices, known).scalars()
    for choice, block in zip(choices, known.blocks, strict=True):
        belief = values.expected(p, [Fraction(e) for e in event], block)
        assert choice.maximisers == (belief,)
        assert choice.picked == belief
        assert within(choice.expected_utility, reals.expected_score(rule, belief, belief))
        for w in block:
            assert within(scores[w], reals.score(rule, belief, event[w]))
    assert problem.prior_choice().picked == space.probability(np.array(event))


def within(found: Any, true: Fraction) -> bool:
    if isinstance(found, Fraction | int):
        return abs(found - true) < reals.SMALL
    around = found.enclosure(256)
    return bool(around.lower - reals.SMALL <= true <= around.upper + reals.SMALL)


# --- Input ----------------------------------------------------------------------------------------


def test_utilities_by_name_and_by_matrix() -> None:
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    by_name = DecisionProblem.of(
        space, {"umbrella": {"dry": -1, "rain": 0}, "none": np.array([-4, 0])}
    )
    for matrix in ([[0, -1], [-4, 0]], np.array([[0, -1], [-4, 0]]), Exact.of([[0, -1], [-4, 0]])):
        problem = DecisionProblem.of(space, matrix)
        assert problem.actions == (0, 1)
        assert problem.utilities.scalars() == by_name.utilities.scalars()
    assert str(by_name.prior_choice()) == "umbrella"
    tie = DecisionProblem.of(space, {"a": [0, 0], "b": ["0", "0.0"], "c": [0, 0]})
    assert str(tie.prior_choice()) == "a (tied with b, c)"


HALVES = ProbabilitySpace.uniform(["h", "t"])


@pytest.mark.parametrize(
    ("utilities", "error", "message"),
    [
        ({}, InvalidInputError, "actions is empty"),
        ([], InvalidInputError, "actions is empty"),
        (np.array([1, 2]), ShapeError, r"utilities is not of shape \(2, 2\)"),
        ({"a": [[1, 2]]}, ShapeError, "utilities of 'a' does not fit 2 states"),
        ([[1, 2, 3]], ShapeError, r"utilities is not of shape \(1, 2\)"),
        ([[[1, 2]]], ShapeError, "utilities is not of shape"),
        ([[1, 2], [3]], ShapeError, "utilities has rows of different lengths"),
        ({"a": [1, 2], "b": [1]}, ShapeError, "utilities of 'b' does not fit 2 states"),
        ({"a": {"h": 1}}, ShapeError, r"utilities of 'a' lacks a state \(got 't'\)"),
        ({"a": {"h": 1, "t": 1, "edge": 0}}, UnknownNameError, "utilities of 'a' is not a state"),
        ({"a": [1, None]}, NumberError, r"utilities\[0, 1\] is not a number"),
        ({"a": [1, True]}, NumberError, r"utilities\[0, 1\] is not a number"),
        ({"a": ["1", "one"]}, NumberError, r"utilities\[0, 1\] is not a number"),
        ({"a": [0.5, 1.0]}, ExactnessError, "utilities mixes float64 with another kind"),
        ({"a": [0.5, "1/2"]}, ExactnessError, r"utilities\[0, 1\] stands beside floats"),
        (np.array([[1.0, np.nan]]), NumberError, r"utilities\[0, 1\] is not finite"),
        (np.array([[True, False]]), NumberError, r"utilities\[0, 0\] is not a number"),
    ],
    ids=str,
)
def test_what_is_no_table_of_utilities(
    utilities: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        DecisionProblem.of(HALVES, utilities)
    assert type(caught.value) is error


def test_float_probabilities_take_float_utilities() -> None:
    floats = ProbabilitySpace.of([0.5, 0.5])
    for utilities in ([[1, 2]], [["1/2", 0]], [[log(2), 0]], [[arb(1), 0]]):
        with pytest.raises(ExactnessError, match="utilities mixes float64 with another kind"):
            DecisionProblem.of(floats, utilities)
    assert (
        DecisionProblem.of(floats, np.array([[1, 2]], dtype=np.float32)).prior_choice().tied
        is False
    )


def test_actions_are_named_once() -> None:
    with pytest.raises(InvalidInputError, match="actions has a name twice"):
        DecisionProblem(HALVES, ("a", "a"), Exact.of([[1, 2], [3, 4]]))


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_must_be_possible_and_fit(kind: Kind) -> None:
    instance = Instance((1, 0, 1), ((Fraction(1),) * 3,) * 2, (0, 0, 0), Fraction(0))
    problem = instance.problem(kind)
    with pytest.raises(NullEventError, match=r"block has probability zero \(got 1\)"):
        problem.decide(Partition.discrete(3))
    for states in (2, 4):
        with pytest.raises(ShapeError, match="known does not fit 3 states"):
            problem.decide(Partition.trivial(states))
    with pytest.raises(NullEventError):
        problem.condition_on(np.array([False, True, False]))
    assert tied(problem.decide(Partition.trivial(3))) == [(0, 1)]


def test_forecasts_check_what_they_are_given() -> None:
    space = ProbabilitySpace.of(["1/2", 0, "1/2"])
    problem = Forecast(space, space.event([0]), Score.BRIER)
    with pytest.raises(NullEventError, match=r"block has probability zero \(got 1\)"):
        problem.decide(Partition.discrete(3))
    with pytest.raises(ShapeError, match="known does not fit 3 states"):
        problem.decide(Partition.trivial(2))
    with pytest.raises(ShapeError, match="event does not fit 3 states"):
        Forecast(space, np.array([True]), Score.BRIER)
    for numbers in (Balls.of(["1/2", "1/2"]), ClosedForms.of(["1/2", "1/2"])):
        with pytest.raises(ExactnessError, match="is the wrong kind of number for a forecast"):
            Forecast(ProbabilitySpace(range(2), numbers), np.array([True, False]), Score.LOG)


SETUP = """
import numpy as np
from theory.decision import DecisionProblem, Forecast
from theory.numbers import Floats
from theory.probability import Partition, ProbabilitySpace
from theory.scoring import Score
space = ProbabilitySpace.uniform(2)
problem = DecisionProblem.of(space, [[1, 0], [0, 1]])
"""
REFUSED = {
    "Forecast(space, np.array([0, 2]), Score.LOG)": "InvalidInputError: event is not an array of",
    "Forecast(space, [True, False], Score.LOG)": "InvalidInputError: event is not an array of",
    "problem.condition_on(np.array([1, 0]))": "InvalidInputError: event is not an array of "
    "truth values",
    "problem.condition_on([0])": "InvalidInputError: event is not an array of truth values",
    "DecisionProblem.of(space, {'a': None})": "ShapeError: utilities of 'a' does not fit 2 states",
    "DecisionProblem.of(space, None)": "NumberError: utilities is not a number (got None)",
    "DecisionProblem.of(space, [1, 2])": "ShapeError: utilities is not of shape (2, 2)",
    "DecisionProblem(space, ([1], [2]), problem.utilities)": "InvalidInputError: labels are not",
    "Score.BRIER.utility(0.5, True)": "ExactnessError: forecast is a float",
    "Score.SPHERICAL.utility(np.float32(0.5), True)": "ExactnessError: forecast is a float",
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return outcomes(SETUP, list(REFUSED))


@pytest.mark.parametrize("expression", REFUSED)
def test_what_a_user_is_told(told: dict[str, str], expression: str) -> None:
    assert told[expression].startswith(REFUSED[expression])


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(labels(n), labels(n))))
def test_an_event_known_for_sure_changes_nothing(pair: tuple[list[int], list[int]]) -> None:
    weights = [w + 1 for w in pair[0]]
    p = [Fraction(w, sum(weights)) for w in weights]
    problem = DecisionProblem.of(ProbabilitySpace.of(p), [pair[1], pair[0]])
    assert problem.condition_on(np.ones(len(p), dtype=bool)) is problem
    impossible = DecisionProblem.of(
        ProbabilitySpace.of([*p, Fraction(0)]), [[*pair[1], 5], [*pair[0], 5]]
    )
    left = impossible.condition_on(np.ones(len(p) + 1, dtype=bool))
    assert left.decide(Partition.discrete(len(p))) == problem.decide(Partition.discrete(len(p)))
