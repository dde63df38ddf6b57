"""Sparse and softmax strategies, mean features of either, and of arrays."""

from __future__ import annotations

from fractions import Fraction
from inspect import unwrap
from itertools import combinations
from math import exp
from typing import Any

import numpy as np
import pytest
from action_sets import CASES
from reference import softmax as oracle

from theory.actions import (
    ActionSet,
    Allocations,
    Features,
    ListedActions,
    SoftmaxStrategy,
    SparseStrategy,
    Subsets,
    mean_features,
)
from theory.errors import (
    InvalidInputError,
    LimitError,
    MechproofError,
    NumberError,
    ShapeError,
)

HALVES = np.array([0.5, 0.5])
CASES_OF_THREE = list(combinations(range(6), 3))


# --- sparse


def test_weights_of_one_action_are_added_up() -> None:
    strategy = SparseStrategy.of([(2, 0.25), (0, 0.5), (2, 0.25)], 3)
    assert strategy.actions == (2, 0)
    assert strategy == SparseStrategy((2, 0), HALVES, 3) != SparseStrategy((0, 2), HALVES, 3)
    assert hash(strategy) == hash(SparseStrategy((2, 0), HALVES, 3))
    assert strategy != "a strategy"


def test_draws_become_frequencies() -> None:
    strategy = SparseStrategy.empirical([(0, 1), (1, 2), (0, 1), (0, 1)], 3)
    assert strategy.actions == ((0, 1), (1, 2))
    assert strategy.weights.tolist() == [0.75, 0.25]
    with pytest.raises(ShapeError, match="draws is empty"):
        SparseStrategy.empirical([], 3)


def test_pure_strategies_play_one_action() -> None:
    strategy = SparseStrategy.pure((1, 2), 10**30)
    assert strategy.probability((1, 2)) == 1
    assert strategy.probability((0, 2)) == 0
    assert strategy.probability("no action") == 0


def test_sparse_strategies_become_arrays() -> None:
    strategy = SparseStrategy.of({3: 0.25, 1: 0.75}, 5)
    np.testing.assert_array_equal(np.asarray(strategy), [0, 0.75, 0, 0.25, 0])
    assert np.asarray(strategy, dtype=np.float32).dtype == np.float32
    assert (strategy.dense() @ np.arange(5.0)) == 1.5
    with pytest.raises(ValueError, match="only by copying"):
        strategy.__array__(copy=False)
    with pytest.raises(ValueError, match="read-only"):
        strategy.weights[0] = 1


def test_what_is_too_large_or_not_indexed_stays_sparse() -> None:
    with pytest.raises(LimitError, match=r"about 1.00e18 actions"):
        np.asarray(SparseStrategy.pure(3, 10**18))
    with pytest.raises(LimitError):
        SparseStrategy.pure(0, 10**7 + 1).dense()
    assert SparseStrategy.pure(0, 10**7).dense().size == 10**7
    with pytest.raises(InvalidInputError, match="no integers"):
        SparseStrategy.pure((0, 1), 6).dense()


def test_weights_are_copied() -> None:
    weights = np.array([0.5, 0.5])
    strategy = SparseStrategy((0, 1), weights, 2)
    weights[0] = 7
    assert strategy.weights[0] == 0.5


def test_integers_of_numpy_become_integers() -> None:
    strategy = SparseStrategy((np.int64(4), np.int32(2)), HALVES, 5)
    assert [type(action) for action in strategy.actions] == [int, int]
    assert strategy.probability(4) == 0.5


@pytest.mark.parametrize(
    ("actions", "weights", "size", "problem"),
    [
        ((), np.zeros(0), 3, "has 0 entries"),
        ((0,), HALVES, 3, "has 2 entries for 1 actions"),
        ((0, 1), HALVES[:, None], 3, "has shape"),
        ((0, 1), np.array([0.5, 0.4]), 3, "sums to 0.9"),
        ((0, 1), np.array([0.5, 0.5 + 3e-9]), 3, "sums to 1.000000003"),
        ((0, 1), np.array([1.5, -0.5]), 3, "negative"),
        ((0, 1), np.array([np.nan, 1.0]), 3, "not numbers"),
        ((0, 1), np.array([np.inf, 0.0]), 3, "sums to inf"),
        ((0, 1), np.array([0.5, 0.5], complex), 3, "holds complex128"),
        ((0, 1), np.array([True, False]), 3, "holds bool"),
        ((0, 1), np.array(["0.5", "0.5"]), 3, "not real numbers"),
        ((0, 0), HALVES, 3, "comes twice"),
        ((0, 3), HALVES, 3, "is no action"),
        ((-1, 1), HALVES, 3, "is no action"),
        ((True, 0), HALVES, 3, "is a boolean"),
        (([0], [1]), HALVES, 3, "is not hashable"),
        (7, HALVES, 3, "is no sequence"),
        (("a", "b"), HALVES, 1, "has 2 actions where the set has 1"),
    ],
)
def test_what_is_no_strategy_is_refused(
    actions: Any, weights: Any, size: Any, problem: str
) -> None:
    with pytest.raises(MechproofError, match=problem):
        made(SparseStrategy, actions=actions, weights=weights, size=size)


def made(kind: Any, **fields: Any) -> Any:
    """An instance without the checks of annotations that tests put before ours."""
    instance = object.__new__(kind)
    for name, value in fields.items():
        object.__setattr__(instance, name, value)
    unwrap(kind.__post_init__)(instance)
    return instance


def test_sparse_strategies_are_written_with_the_likeliest_first() -> None:
    weights = np.arange(1, 16) / 120
    text = str(SparseStrategy(tuple(range(15)), weights, 10**30))
    lines = text.splitlines()
    assert lines[0] == "15 of about 1.00e30 actions"
    assert lines[3].split() == ["14", "0.125"]
    assert lines[-1].split() == ["3", "more", "0.05"]
    assert "<table>" in SparseStrategy.pure(0, 2)._repr_html_()
    assert repr(SparseStrategy.pure(0, 2)) == "SparseStrategy(1 of 2 actions)"


def test_counts_of_any_size_can_be_read() -> None:
    for size, text in (
        (999_999_999_999_999, "999,999,999,999,999"),
        (10**15, "about 1.00e15"),
        (12345 * 10**40, "about 1.23e44"),
        (10**6000 - 1, "about 1.00e6000"),
        (10**6000, "about 1.00e6000"),
        (9994 * 10**5996, "about 9.99e5999"),
    ):
        assert f"1 of {text} actions" in repr(SparseStrategy.pure("a", size))


# --- softmax


@pytest.mark.parametrize("name", CASES)
def test_softmax_strategies_are_the_law(name: str) -> None:
    actions, plain = CASES[name]
    z = np.random.default_rng(0).normal(size=actions.dimension)
    strategy = SoftmaxStrategy(actions, z)
    law = oracle.law(plain, z.tolist())
    assert [strategy.probability(a) for a in plain] == pytest.approx(list(law.values()))
    assert strategy.size == len(plain)
    np.testing.assert_array_equal(strategy.features(actions), actions.mean(z))
    drawn = strategy.sample(np.random.default_rng(0), 5)
    assert drawn == actions.sample(z, np.random.default_rng(0), 5)
    assert f"on {len(plain)} actions" in str(strategy)


def test_softmax_strategies_of_listed_actions_become_arrays() -> None:
    actions, plain = CASES["rows"]
    z = np.random.default_rng(0).normal(size=3)
    strategy = SoftmaxStrategy(actions, z)
    law = list(oracle.law(plain, z.tolist()).values())
    np.testing.assert_allclose(np.asarray(strategy), law, rtol=1e-14)
    assert np.asarray(strategy, np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="only by computing"):
        strategy.__array__(copy=False)


def test_softmax_strategies_of_tuples_are_not_written_out() -> None:
    with pytest.raises(InvalidInputError, match="no integers"):
        SoftmaxStrategy(Subsets(4, 2), np.zeros(4)).dense()
    with pytest.raises(LimitError, match="the limit is 10,000,000"):
        SoftmaxStrategy(Subsets(100, 50), np.zeros(100)).dense()


def test_the_table_says_what_the_actions_that_are_left_out_come_to() -> None:
    many = SparseStrategy(tuple(range(100)), np.full(100, 0.01), size=1000)
    assert many.table().rows[-1] == ("88 more", "0.88")


def test_the_limit_itself_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.actions._softmax.DENSE_LIMIT", 3)
    assert SoftmaxStrategy(ListedActions(3), np.zeros(3)).dense().size == 3
    with pytest.raises(LimitError, match="over 4 actions, and the limit is 3"):
        SoftmaxStrategy(ListedActions(4), np.zeros(4)).dense()


def test_the_vector_of_a_softmax_is_copied() -> None:
    z = np.zeros(3)
    strategy = SoftmaxStrategy(ListedActions(3), z)
    z[0] = 5
    assert strategy.probability(0) == pytest.approx(1 / 3)


def test_probabilities_of_strangers_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="is no action"):
        SoftmaxStrategy(ListedActions(3), np.zeros(3)).probability(3)


@pytest.mark.parametrize("z", [np.zeros(4), np.zeros((3, 1)), np.array([0, np.nan, 0])])
def test_vectors_that_do_not_fit_are_refused(z: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^z "):
        made(SoftmaxStrategy, actions=ListedActions(3), z=z)


# --- mean features


@pytest.mark.parametrize("name", CASES)
def test_mean_features_are_mixtures(name: str) -> None:
    actions, plain = CASES[name]
    law = np.random.default_rng(2).dirichlet(np.ones(len(plain)))
    mixture = law @ np.array(list(plain.values()), np.float64)
    sparse = SparseStrategy(tuple(plain), law, actions.size)
    np.testing.assert_allclose(mean_features(actions, sparse), mixture, atol=1e-14)
    if isinstance(actions, ListedActions | Features):
        np.testing.assert_allclose(mean_features(actions, law), mixture, atol=1e-14)
    else:
        with pytest.raises(InvalidInputError, match="is an array"):
            mean_features(actions, law)


def test_mean_features_of_many_actions_are_added_up_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    actions, plain = CASES["complete"]
    sparse = SparseStrategy.of(dict.fromkeys(plain, 1 / 16), 16)
    whole = sparse.features(actions)
    monkeypatch.setattr("theory.actions.sparse.ENTRIES", 50)
    np.testing.assert_allclose(sparse.features(actions), whole, rtol=1e-14)


def test_a_softmax_has_features_in_another_listed_set() -> None:
    """Such as the rows of a game played by listed actions."""
    rows = CASES["rows"].actions
    law = np.asarray(SoftmaxStrategy(ListedActions(6), np.arange(6.0)))
    found = mean_features(rows, SoftmaxStrategy(ListedActions(6), np.arange(6.0)))
    np.testing.assert_allclose(found, mean_features(rows, law), rtol=1e-14)
    same = SoftmaxStrategy(Subsets(4, 2), np.arange(4.0))
    np.testing.assert_array_equal(same.features(Subsets(4, 2)), same.actions.mean(same.z))


@pytest.mark.parametrize(
    ("actions", "strategy", "problem"),
    [
        (ListedActions(3), HALVES, "has 2 entries for 3 actions"),
        (ListedActions(2), np.array([0.5, 0.6]), "sums to 1.1"),
        (ListedActions(2), np.array([1.5, -0.5]), "negative"),
        (ListedActions(2), np.array([np.nan, 1]), "not numbers"),
        (ListedActions(2), np.eye(2), "has shape"),
        (ListedActions(2), "half", "not real numbers"),
        (ListedActions(2), None, "not real numbers"),
        (ListedActions(3), SparseStrategy.pure(0, 2), "is over 2 actions, the set has 3"),
        (Subsets(4, 2), SparseStrategy.pure(0, 6), "is no action of this set"),
        (ListedActions(6), SparseStrategy.pure((0, 1), 6), "no integers"),
        (CASES["rows"].actions, SparseStrategy.pure((0, 1), 6), "is no list of integers"),
        (ListedActions(3), SoftmaxStrategy(ListedActions(2), np.zeros(2)), "is over 2 actions"),
        (Subsets(3, 1), SoftmaxStrategy(Subsets(3, 2), np.zeros(3)), "another set"),
        (ListedActions(4), SoftmaxStrategy(Allocations(2, 3), np.zeros(8)), "another set"),
    ],
)
def test_strategies_that_do_not_fit_the_set_are_refused(
    actions: ActionSet, strategy: Any, problem: str
) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        unwrap(mean_features)(actions, strategy)


def test_lists_and_integers_are_read_as_float64() -> None:
    assert unwrap(mean_features)(ListedActions(2), [0.25, 0.75]).tolist() == [0.25, 0.75]
    assert unwrap(mean_features)(ListedActions(2), np.array([1, 0])).dtype == np.float64
    with pytest.raises(NumberError, match="holds object"):
        unwrap(mean_features)(ListedActions(2), [10**400, 1])


# --- what is no strategy, and rewards too large for logarithms

of = unwrap(SparseStrategy.of.__func__)  # type: ignore[attr-defined]
empirical = unwrap(SparseStrategy.empirical.__func__)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("weights", "error", "says"),
    [
        (5, InvalidInputError, "weights are no probabilities"),
        (None, InvalidInputError, "weights are no probabilities"),
        ([1, 2], InvalidInputError, "weights are no probabilities"),
        ([(0, 0.5, 0.5)], InvalidInputError, "weights are no probabilities"),
        ([([0], 1.0)], InvalidInputError, "weights are no probabilities"),
        (np.array(1.0), InvalidInputError, "weights are no probabilities"),
        ({0: "1/2", 1: "1/2"}, NumberError, "no real number"),
        ({0: True}, NumberError, "no real number"),
        ({0: None}, NumberError, "no real number"),
        ({0: 1j}, NumberError, "no real number"),
        ({0: 10**400}, NumberError, "beyond float64"),
    ],
)
def test_weights_that_are_none(weights: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        of(SparseStrategy, weights, 2)


def test_weights_of_other_kinds_of_real_numbers() -> None:
    given = {0: Fraction(1, 4), 1: np.float32(0.25), 2: 0, 3: np.float64(0.5)}
    assert of(SparseStrategy, given, 4).weights.tolist() == [0.25, 0.25, 0.0, 0.5]


@pytest.mark.parametrize("draws", [5, None, [[0], [1]], np.array(3)])
def test_draws_that_are_none(draws: Any) -> None:
    with pytest.raises(InvalidInputError, match="draws is no list of hashable actions"):
        empirical(SparseStrategy, draws, 2)


@pytest.mark.parametrize("action", [[], {}, np.zeros(1), True])
def test_probabilities_of_what_is_no_action(action: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"is not hashable|is a boolean"):
        unwrap(SparseStrategy.probability)(SparseStrategy.pure(1, 2), action)


@pytest.mark.parametrize("stranger", [5, None, ListedActions, np.zeros(2)])
def test_sets_that_are_none(stranger: Any) -> None:
    for strategy in (SparseStrategy.pure(0, 2), SoftmaxStrategy(ListedActions(2), np.zeros(2))):
        with pytest.raises(InvalidInputError, match="actions is no action set"):
            unwrap(type(strategy).features)(strategy, stranger)
    broken = object.__new__(SoftmaxStrategy)
    object.__setattr__(broken, "actions", stranger)
    object.__setattr__(broken, "z", np.zeros(2))
    with pytest.raises(InvalidInputError, match="actions is no action set"):
        unwrap(SoftmaxStrategy.__post_init__)(broken)


@pytest.mark.parametrize("scale", [1.0, 1e15, 1e19, 1e290])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_only_action_is_certain(scale: float, sign: int) -> None:
    for z in sign * scale * np.random.default_rng(5).random((20, 4)):
        strategy = SoftmaxStrategy(Subsets(4, 4), z)
        assert strategy.probability((0, 1, 2, 3)) == 1
        assert str(strategy).endswith("has probability 1")
        with pytest.raises(InvalidInputError):
            strategy.probability((0, 0, 1, 2))


@pytest.mark.parametrize("scale", [1e15, 1e19, 1e200])
def test_probabilities_of_large_rewards_are_probabilities(scale: float) -> None:
    rng = np.random.default_rng(3)
    actions = Subsets(6, 3)
    for _ in range(20):
        strategy = SoftmaxStrategy(actions, scale * rng.normal(size=6))
        assert all(0 <= strategy.probability(a) <= 1 for a in strategy.sample(rng, 3))


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6, 1e9])
def test_probabilities_are_as_accurate_as_is_said(scale: float) -> None:
    rng = np.random.default_rng(4)
    actions, d = Subsets(6, 3), 6
    for _ in range(20):
        z = scale + rng.normal(size=d)
        sums = {a: sum(Fraction(z[i]) for i in a) for a in CASES_OF_THREE}
        top = max(sums.values())
        odds = {a: exp(float(v - top)) for a, v in sums.items()}
        strategy = SoftmaxStrategy(actions, z)
        for action, odd in odds.items():
            truth = odd / sum(odds.values())
            error = abs(strategy.probability(action) / truth - 1)
            assert error <= 4 * d * 2.0**-52 * 3 * float(np.abs(z).max())


def test_actions_of_more_digits_than_python_writes() -> None:
    size = 10**5000
    strategy = SparseStrategy.pure(size - 1, size)
    assert "about 1.00e5000 actions" in repr(strategy)
    assert str(strategy).splitlines()[-1].split() == ["about", "1.00e5000", "1"]
