"""Oracles of learners: pure and smooth, external and internal, of action sets and of functions."""

from __future__ import annotations

from collections import Counter
from inspect import unwrap
from itertools import combinations, product
from math import exp
from typing import Any

import numpy as np
import pytest

from mechanisms.errors import OracleError
from mechanisms.learners import ActionOracle, CallableOracle, History, as_oracle
from mechanisms.learners._played_rows import PlayedRows
from mechanisms.learners.expected_maps import ExpectedMaps
from mechanisms.learners.lazy_maps import RewardTotals, draw_maps
from theory.actions import Features, ListedActions, SparseStrategy, Subsets
from theory.errors import InvalidInputError


def history_of(
    rng: np.random.Generator, size: int, rounds: int, support: int = 2
) -> tuple[History, list[np.ndarray], list[np.ndarray]]:
    """Plays of a few actions each, and rewards that are multiples of 1/16, so that ties occur."""
    history, plays, rewards = History(), [], []
    for _ in range(rounds):
        play = np.zeros(size)
        chosen = rng.choice(size, size=min(support, size), replace=False)
        play[chosen] = rng.dirichlet(np.ones(len(chosen)))
        plays.append(play)
        rewards.append(rng.integers(0, 17, size) / 16)
        history.append(play, rewards[-1])
    return history, plays, rewards


def gain(plays: list[np.ndarray], rewards: list[np.ndarray], i: Any, j: Any) -> float:
    return float(sum(x[i] * (r[j] - r[i]) for x, r in zip(plays, rewards, strict=True)))


@pytest.mark.parametrize("seed", range(8))
def test_pure_oracles_are_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 6))
    history, plays, rewards = history_of(rng, size, int(rng.integers(1, 9)))
    oracle = as_oracle(size)
    total = sum(rewards)
    assert oracle.best_response(history) == int(np.argmax(total))
    gains = {
        (i, j): gain(plays, rewards, i, j) for i, j in product(range(size), repeat=2) if i != j
    }
    best = max(gains.values(), default=0.0)
    found: Any = oracle.best_map(history)
    if best <= 1e-12:
        assert found is None
    else:
        assert found is not None
        assert gains[found] == pytest.approx(best, abs=1e-12)


def law(history: History, size: int, rate: float, constants: bool) -> dict[Any, float]:
    """The law of the best map under Gumbel noise, from its definition."""
    plays = [each.play for each in history]
    rewards = [each.observation for each in history]
    moves = {
        (i, j): exp(rate * gain(plays, rewards, i, j))
        for i, j in product(range(size), repeat=2)
        if i != j
    }
    weights: dict[Any, float] = {**moves, None: 1.0}
    if constants:
        weights = {key: value / len(weights) for key, value in weights.items()}
        for j in range(size):
            lead = sum(float(r[j] - x @ r) for x, r in zip(plays, rewards, strict=True))
            weights[j] = exp(rate * lead) / size
    total = sum(weights.values())
    return {key: value / total for key, value in weights.items()}


@pytest.mark.parametrize("constants", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_smooth_internal_oracle_has_the_law_of_the_perturbed_leader(
    seed: int, constants: bool
) -> None:
    rng = np.random.default_rng([seed, constants])
    size, n, rate = 4, 60_000, 0.8
    history, plays, rewards = history_of(rng, size - 1, 9)
    longer = History()  # one action is never played
    for play, reward in zip(plays, rewards, strict=True):
        longer.append(np.append(play, 0.0), np.append(reward, 0.5))
    del history
    oracle = ActionOracle(ListedActions(size))
    for _ in range(3):  # envelopes of rows that were weighed at a higher rate stay envelopes
        oracle.smooth_best_maps(longer, rate=2 * rate, rng=rng, n=50, constants=constants)
    drawn = oracle.smooth_best_maps(longer, rate=rate, rng=rng, n=n, constants=constants)
    assert drawn.number == n
    expected = law(longer, size, rate, constants)
    seen: Counter[Any] = Counter({**drawn.moves, **drawn.constants, None: drawn.identity})
    chi_square = sum((seen[key] - n * p) ** 2 / (n * p) for key, p in expected.items())
    freedom = len(expected) - 1
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5
    assert set(seen) <= set(expected)


def test_a_wrong_law_would_be_seen() -> None:
    rng = np.random.default_rng(0)
    history, _, _ = history_of(rng, 4, 9)
    n = 60_000
    oracle = ActionOracle(ListedActions(4))
    drawn = oracle.smooth_best_maps(history, rate=0.8, rng=rng, n=n)
    wrong: dict[Any, float] = law(history, 4, 1.0, False)
    chi_square = sum((drawn.moves.get(k, 0) - n * p) ** 2 / (n * p) for k, p in wrong.items() if k)
    assert chi_square > 13 + 5 * 26**0.5


def test_rows_are_grown_and_weighed_again_after_each_round() -> None:
    rng = np.random.default_rng(3)
    actions, size = Features(rng.random((40, 3)) / 3), 40
    history = History()
    oracle = ActionOracle(actions)
    for _ in range(60):
        chosen = tuple(rng.choice(size, size=5, replace=False).tolist())
        history.append(SparseStrategy(chosen, np.full(5, 0.2), size), rng.random(3))
        oracle.smooth_best_maps(history, rate=1.0, rng=rng, n=3, constants=True)
    rows = PlayedRows(actions)
    for each in history:
        highest = actions.extremes(each.observation)[1]
        rows.add(each.play.actions, each.play.weights, each.observation, highest)
    everything = np.arange(len(rows))
    labels: list[Any] = rows.labels
    for rate in (0.5, 3.0):
        bounds = rows.log_bounds(rate)
        rows.weigh(everything, rate)
        plain = [
            np.log(
                sum(
                    exp(rate * float((actions.matrix[j] - actions.matrix[int(i)]) @ z))
                    for j in range(size)
                    if j != i
                )
            )
            for i, z in zip(labels, rows.vectors, strict=True)
        ]
        np.testing.assert_allclose(rows.log_weights(everything), plain, atol=1e-9)
        assert (bounds >= np.array(plain) - 1e-9).all()


def test_expected_maps_are_the_law_as_a_matrix() -> None:
    rng = np.random.default_rng(5)
    for constants in (False, True):
        history, plays, rewards = history_of(rng, 3, 7)
        maps = ExpectedMaps(3, constants)
        for play, reward in zip(plays, rewards, strict=True):
            maps.add(play, reward)
        expected = np.zeros((3, 3))
        for key, p in law(history, 3, 0.7, constants).items():
            if isinstance(key, tuple):
                expected[key] += p
            elif isinstance(key, int):
                expected[:, key] += p
        np.fill_diagonal(expected, 0)
        np.fill_diagonal(expected, 1 - expected.sum(axis=1))
        np.testing.assert_allclose(maps.mixture(0.7), expected, atol=1e-12)


def test_maps_of_sets_that_no_list_could_hold() -> None:
    actions = Subsets(200, 100)
    oracle, history = ActionOracle(actions), History()
    rng = np.random.default_rng(0)
    first = oracle.smooth_best_maps(history, rate=1.0, rng=rng, n=20, constants=True)
    assert first.number == 20
    played = next(iter(first.constants))
    prices = np.linspace(0, 0.01, 200)
    history.append(SparseStrategy.pure(played, actions.size), prices)
    then = oracle.smooth_best_maps(history, rate=1.0, rng=rng, n=20, constants=True)
    assert all(i in actions and j in actions and i != j for i, j in then.moves)
    assert oracle.best_response(history) == tuple(range(100, 200))
    assert oracle.best_map(history) == (played, tuple(range(100, 200)))


def test_subsets_and_their_list_have_the_same_law() -> None:
    subsets = list(combinations(range(4), 2))
    one, other = (
        Subsets(4, 2),
        Features(np.array([[float(i in s) for i in range(4)] for s in subsets])),
    )
    z, n = np.array([0.25, 0.0, 0.125, 0.5]), 6_000
    counts: list[Any] = []
    index: Any = subsets.index
    for actions, name in ((one, index), (other, int)):
        rows = PlayedRows(actions)
        played = (1, 2) if actions is one else subsets.index((1, 2))
        rows.add([played], np.array([1.0]), z, actions.extremes(z)[1])
        totals = RewardTotals(z, 0.125)
        rng = np.random.default_rng(2)
        drawn = draw_maps(actions, rows, totals, rate=1.5, rng=rng, n=n)
        constants: dict[Any, int] = dict(drawn.constants)
        counts.append({name(j): c for j, c in constants.items()})
    for j in range(6):
        a, b = counts[0].get(j, 0), counts[1].get(j, 0)
        assert abs(a - b) < 5 * (a + b + 1) ** 0.5


def test_one_action_has_nothing_but_the_identity() -> None:
    oracle, history = as_oracle(1), History()
    history.append(np.ones(1), np.array([0.5]))
    rng = np.random.default_rng(0)
    drawn = oracle.smooth_best_maps(history, rate=1.0, rng=rng, n=7, constants=True)
    assert (drawn.moves, drawn.constants, drawn.identity) == ({}, {}, 7)
    assert oracle.best_map(history) is None


@pytest.mark.parametrize(
    ("observation", "says"),
    [
        ([0.0, 2.0], "are from 0 to 2"),
        ([-0.5, 0.5], "are from -0.5"),
        ([0.0, np.nan], "finite"),
        ([0.0, 0.5, 1.0], "have shape"),
        ("nonsense", "no list of numbers"),
        (None, "no list of numbers"),
        (["1", "0"], "no list of numbers"),
        ([True, False], "no list of numbers"),
        ([10**400, 0], "no list of numbers"),
    ],
)
def test_observations_that_cannot_be_used(observation: object, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        as_oracle(2).read_observation(observation, (0.0, 1.0))


@pytest.mark.parametrize("actions", [0, -1, True, 2.0, "many", None])
def test_what_is_no_set_of_actions(actions: object) -> None:
    with pytest.raises(InvalidInputError, match=r"actions|size"):
        unwrap(as_oracle)(actions)


# --- oracles made of functions


def leader(history: History) -> int:
    total = sum(each.weight * np.asarray(each.observation) for each in history)
    return int(np.argmax(total))


def payoff(action: int, observation: np.ndarray) -> float:
    return float(observation[action])


@pytest.mark.parametrize("seed", range(6))
def test_a_function_that_answers_best_is_an_oracle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    history, _, _ = history_of(rng, 4, 6)
    oracle = CallableOracle(leader, size=4, payoff=payoff, rivals=range(4))
    listed = as_oracle(4)
    assert oracle.best_response(history) == listed.best_response(history)
    ours, theirs = oracle.best_map(history), listed.best_map(history)
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        plays = [each.play for each in history]
        rewards = [each.observation for each in history]
        assert gain(plays, rewards, *ours) == pytest.approx(gain(plays, rewards, *theirs))
    assert oracle.gap == 0


def test_a_function_that_answers_worse_has_a_gap() -> None:
    oracle = CallableOracle(lambda history: 1, size=3, payoff=payoff, rivals=[0, 1, 2])
    history = History()
    history.append(np.array([1.0, 0, 0]), np.array([0.75, 0.25, 0.5]))
    oracle.best_response(history)
    assert oracle.gap == 0.5


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda history: 7, "answers 7"),
        (lambda history: "a", "answers 'a'"),
        (lambda history: 1 / 0, "ZeroDivisionError"),
        (lambda history: True, "answers True"),
        (lambda history: None, "answers None"),
    ],
)
def test_functions_that_answer_nonsense(answer: object, says: str) -> None:
    oracle = CallableOracle(answer, size=3, name="the model")  # type: ignore[arg-type]
    with pytest.raises(OracleError, match=f"the model .*{says}"):
        oracle.best_response(History())


@pytest.mark.parametrize(
    ("answer", "constants", "says"),
    [
        ((0, 7), True, "answers 7"),
        ((0, 1, 2), True, "asked for a map"),
        (3, True, "asked for a map"),
        ((None, 1), False, "answers None"),
    ],
)
def test_functions_that_answer_with_no_map(answer: object, constants: bool, says: str) -> None:
    oracle = CallableOracle(leader, size=3, smooth_map=lambda *_: answer)
    rng = np.random.default_rng(0)
    with pytest.raises(OracleError, match=says):
        oracle.smooth_best_maps(History(), rate=1.0, rng=rng, n=1, constants=constants)


def test_maps_from_functions_are_counted() -> None:
    answers = iter([(0, 1), None, (2, 2), (None, 2), (0, 1)])
    oracle = CallableOracle(leader, size=3, smooth_map=lambda *_: next(answers))
    rng = np.random.default_rng(0)
    drawn = oracle.smooth_best_maps(History(), rate=1.0, rng=rng, n=5, constants=True)
    assert (drawn.moves, drawn.constants, drawn.identity) == ({(0, 1): 2}, {2: 1}, 2)


def test_what_an_oracle_lacks_is_named() -> None:
    oracle, rng = CallableOracle(leader, size=3), np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match="smooth is not given"):
        oracle.smooth_best_response(History(), rate=1.0, rng=rng)
    with pytest.raises(InvalidInputError, match="smooth_map is not given"):
        oracle.smooth_best_maps(History(), rate=1.0, rng=rng, n=1)
    with pytest.raises(InvalidInputError, match="payoff is not given"):
        oracle.best_map(History())
    with pytest.raises(InvalidInputError, match="rivals cannot be compared"):
        CallableOracle(leader, size=3, rivals=[0])
    with pytest.raises(OracleError, match="rivals"):
        CallableOracle(leader, size=3, payoff=payoff, rivals=[3])
    with pytest.raises(InvalidInputError, match="size"):
        CallableOracle(leader, size=0)
    with pytest.raises(InvalidInputError, match="noise"):
        ActionOracle(ListedActions(3), noise="gumble")
    with pytest.raises(InvalidInputError, match="is no set of actions"):
        unwrap(ActionOracle.__init__)(ActionOracle.__new__(ActionOracle), ListedActions)
    with pytest.raises(InvalidInputError, match="internal oracle"):
        ActionOracle(ListedActions(3), noise="normal").smooth_best_maps(
            History(), rate=1.0, rng=rng, n=1
        )


def test_payoffs_that_are_no_numbers_are_no_comparison() -> None:
    oracle = CallableOracle(leader, size=2, payoff=lambda *_: float("nan"), rivals=[1])
    history = History()
    history.append(np.array([1.0, 0.0]), np.array([0.5, 0.25]))
    with pytest.raises(OracleError, match="add up to nan"):
        oracle.best_response(history)


def test_what_was_observed_is_kept_as_it_was() -> None:
    seen = np.array([0.25, 0.5])
    for oracle in (as_oracle(2), CallableOracle(leader, size=2)):
        kept = oracle.read_observation(seen, (0.0, 1.0))
        seen[0] = 0.75
        assert kept.tolist() == [0.25, 0.5]
        seen[0] = 0.25


@pytest.mark.parametrize("action", [5, -1, True, "a"])
def test_histories_know_which_actions_there_are(action: Any) -> None:
    history = History()
    history.append(np.array([0.25, 0.75]), np.array([1.0, 0.0]))
    with pytest.raises(InvalidInputError, match="no action of a listed play"):
        history.weight_by(action)


def test_moves_to_elsewhere_where_all_weight_is_at_home() -> None:
    """A row whose own action is far better has moves of tiny weight, all of them away from it."""
    z = np.array([0.0, 60.0, 1.0])
    for actions, home in ((ListedActions(3), 1), (Subsets(3, 1), (1,))):
        rows = PlayedRows(actions)
        rows.add([home], np.array([1.0]), z, 60.0)
        rng = np.random.default_rng(0)
        drawn = draw_maps(actions, rows, None, rate=1.0, rng=rng, n=500)
        assert drawn.number == 500
        assert all(i != j for i, j in drawn.moves)


def test_rounding_makes_no_moves() -> None:
    """Rewards far from 0 leave sums of which the last digits say nothing: no draw hangs on them."""
    rng = np.random.default_rng(0)
    actions = Features(np.c_[np.ones(4), np.linspace(0, 1, 4), rng.random((4, 2)) / 4])
    oracle, history = ActionOracle(actions), History()
    play = SparseStrategy.pure(3, 4)
    for _ in range(100):
        history.append(play, np.array([1e11, 1.0, *(rng.random(2) / 10)]))
        drawn = oracle.smooth_best_maps(history, rate=30.0, rng=rng, n=20)
        assert drawn.number == 20
        assert all(i != j for i, j in drawn.moves)
