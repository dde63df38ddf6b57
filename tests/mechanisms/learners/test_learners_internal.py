"""Algorithm 1: with draws and with its law, with and without constant maps."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from mechanisms.learners import ActionOracle, CallableOracle, InternalFTPL, regret_bound
from theory.actions import Features, ListedActions, SparseStrategy, Subsets
from theory.errors import InvalidInputError, LimitError
from theory.incentives import check_learner
from theory.regret import regret, regret_on


def made(**options: object) -> Callable[[int, int, int], InternalFTPL]:
    """A factory for check_learner."""

    def make(actions: int, rounds: int, seed: int) -> InternalFTPL:
        rng = np.random.default_rng(seed) if "samples" in options else None
        return InternalFTPL(actions, rng=rng, rounds=rounds, **options)  # type: ignore[arg-type]

    return make


def bound(kind: str, **options: object) -> Callable[[int, int], float]:
    def value(rounds: int, actions: int) -> float:
        learner = made(**options)(actions, rounds, 0)
        return regret_bound(learner, rounds, kind=kind, residual=1e-12).value

    return value


SIZES: dict[str, Any] = {"actions": [2, 3], "rounds": [1, 4, 16]}


def test_its_law_keeps_the_bound_on_internal_regret() -> None:
    report = check_learner(made(), internal=bound("internal"), swap=bound("swap"), **SIZES)
    assert report.refuted == ()
    assert report["internal_regret"].scope.nontrivial > 0


def test_with_constant_maps_it_keeps_both_bounds() -> None:
    report = check_learner(
        made(constants=True),
        external=bound("external", constants=True),
        internal=bound("internal", constants=True),
        **SIZES,
    )
    assert report.refuted == ()


def test_drawn_maps_keep_the_bound_with_the_term_of_the_draws() -> None:
    report = check_learner(
        made(samples=40, constants=True),
        external=bound("external", samples=40, constants=True),
        internal=bound("internal", samples=40, constants=True),
        properties=["distribution", "external_regret", "internal_regret", "seed_discipline"],
        adversaries=["constant", "alternating", "random", "switching"],
        **SIZES,
    )
    assert report.refuted == ()


def test_a_bound_without_the_constants_would_be_broken() -> None:
    """The check can fail: half of the bound is too little, somewhere."""
    report = check_learner(
        made(),
        internal=lambda T, N: 0.05 * bound("internal")(T, N),
        properties=["internal_regret"],
        actions=[2],
        rounds=[1, 4],
    )
    assert "internal_regret" in report.refuted


def test_internal_regret_alone_promises_nothing() -> None:
    """A new action each round has next to no internal regret, and learns nothing."""
    rng = np.random.default_rng(0)
    features = Features(rng.dirichlet(np.full(5, 0.2), size=2_000))
    z, rounds = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), 100
    learner = InternalFTPL(
        features, rng=np.random.default_rng(1), samples=16, constants=True, rounds=rounds
    )
    plays = []
    for _ in range(rounds):
        plays.append(learner.play())
        learner.observe(z)
    fresh = [SparseStrategy.pure(t, features.size) for t in range(rounds)]
    ours, theirs = (regret_on(features, x, np.tile(z, (rounds, 1))) for x in (plays, fresh))
    assert theirs.average_internal <= 1 / rounds
    assert theirs.average_external > 0.4
    assert ours.average_internal < 0.1
    assert ours.average_external < 0.15


@pytest.mark.parametrize("constants", [False, True])
def test_plays_follow_the_names_of_the_actions(constants: bool) -> None:
    rng = np.random.default_rng(4)
    rewards = rng.random((30, 4))
    order = np.array([2, 0, 3, 1])
    one = InternalFTPL(4, constants=constants, rounds=30)
    other = InternalFTPL(4, constants=constants, rounds=30)
    for row in rewards:
        np.testing.assert_allclose(one.play()[order], other.play(), atol=1e-9)
        one.observe(row)
        other.observe(row[order])


@pytest.mark.parametrize("samples", [None, 12])
def test_plays_depend_on_rewards_up_to_scale_and_shift(samples: int | None) -> None:
    rng = np.random.default_rng(4)
    rewards = rng.integers(0, 17, (40, 3)) / 16
    learners = [
        InternalFTPL(
            3,
            rng=None if samples is None else np.random.default_rng(0),
            samples=samples,
            constants=True,
            reward_range=given,
        )
        for given in ((0.0, 1.0), (-4.0, 4.0), (0.0, 8.0))
    ]
    for row in rewards:
        plays = [np.asarray(learner.play()) for learner in learners]
        np.testing.assert_allclose(plays[0], plays[1], atol=1e-9)
        np.testing.assert_allclose(plays[0], plays[2], atol=1e-9)
        for learner, seen in zip(learners, (row, 8 * row - 4, 8 * row), strict=True):
            learner.observe(seen)


def test_many_draws_come_near_to_the_law() -> None:
    rng = np.random.default_rng(0)
    exact = InternalFTPL(3, constants=True, rate=0.5)
    drawn = InternalFTPL(3, rng=np.random.default_rng(1), samples=20_000, constants=True, rate=0.5)
    for _ in range(4):
        np.testing.assert_allclose(np.asarray(drawn.play()), exact.play(), atol=0.03)
        row = rng.random(3)
        exact.observe(row)
        drawn.observe(row)


def test_plays_are_fixed_points_and_say_so() -> None:
    learner = InternalFTPL(5, rng=np.random.default_rng(2), samples=50, constants=True)
    rng = np.random.default_rng(3)
    for _ in range(50):
        play = learner.play()
        assert play is learner.play()
        assert isinstance(play, SparseStrategy)
        learner.observe(rng.random(5))
    assert learner.residual < 1e-12


def test_subsets_and_their_list_are_played_to_the_same_regret() -> None:
    subsets = list(combinations(range(6), 3))
    listed = Features(np.array([[float(i in s) for i in range(6)] for s in subsets]))
    rng = np.random.default_rng(7)
    prices = rng.random((150, 6)) / 3
    regrets = []
    for actions in (Subsets(6, 3), listed):
        learner = InternalFTPL(
            actions, rng=np.random.default_rng(1), samples=30, constants=True, rounds=150
        )
        plays = []
        for z in prices:
            plays.append(learner.play())
            learner.observe(z)
        regrets.append(regret_on(actions, plays, prices))
    for found in regrets:
        limit = regret_bound(learner, 150, kind="external", failure=0.01).value
        assert float(found.external.gain) < limit
    assert abs(float(regrets[0].external.gain - regrets[1].external.gain)) < 0.1 * 150


def test_it_learns_where_actions_cannot_be_counted() -> None:
    actions, rounds = Subsets(80, 40), 120
    assert actions.size > 10**23
    learner = InternalFTPL(
        actions, rng=np.random.default_rng(0), samples=8, constants=True, rate=2.0
    )
    z = np.repeat([1 / 40, 0.0], 40)
    plays = []
    for _ in range(rounds):
        plays.append(learner.play())
        learner.observe(z)
    found = regret_on(actions, plays, np.tile(z, (rounds, 1)), swap=False)
    early = regret_on(actions, plays[:20], np.tile(z, (20, 1)), swap=False)
    assert found.average_external < 0.3 < early.average_external


def test_a_function_can_be_its_oracle() -> None:
    def smooth_map(history: object, rate: float, rng: np.random.Generator) -> tuple[int, int]:
        return int(rng.integers(3)), 2

    learner = InternalFTPL(
        CallableOracle(lambda history: 0, size=3, smooth_map=smooth_map),
        rng=np.random.default_rng(0),
        samples=10,
    )
    for _ in range(5):
        learner.observe("whatever was seen")
    assert learner.play().probability(2) == 1
    with pytest.raises(InvalidInputError, match="law of its oracle is not known"):
        regret_bound(learner, 5, kind="internal")


def test_a_trap_for_the_one_without_maps_is_seen_by_regret() -> None:
    """Two actions swap places: who plays what was best last has internal regret of half a round."""
    rewards = np.tile([[1.0, 0.0], [0.0, 1.0]], (50, 1))
    follower = np.roll(rewards, 1, axis=0)
    learner = InternalFTPL(2, rounds=100)
    plays = []
    for row in rewards:
        plays.append(learner.play())
        learner.observe(row)
    ours = regret(np.array(plays), rewards)
    theirs = regret(follower, rewards)
    assert float(theirs.internal.gain) >= 49
    assert float(ours.internal.gain) <= sqrt(100 * log(2))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"samples": 0, "rng": np.random.default_rng(0)}, "samples"),
        ({"samples": 1.5, "rng": np.random.default_rng(0)}, "samples"),
        ({"samples": 3}, "rng"),
        ({"rng": np.random.default_rng(0)}, "given without samples"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 3, "rate": 0.5}, "rate"),
        ({"rate": -1.0}, "rate"),
        ({"rate": float("nan")}, "rate"),
        ({"reward_range": (1.0, 0.0)}, "reward_range"),
        ({"constants": "no"}, "constants"),
    ],
)
def test_arguments_that_cannot_be_used(options: dict[str, object], says: str) -> None:
    from inspect import unwrap

    init = unwrap(InternalFTPL.__init__)
    with pytest.raises(InvalidInputError, match=says):
        init(InternalFTPL.__new__(InternalFTPL), 3, **options)


def test_the_law_needs_a_list() -> None:
    with pytest.raises(InvalidInputError, match="to be listed"):
        InternalFTPL(Subsets(4, 2))


def test_what_was_not_understood_is_not_remembered() -> None:
    learner, other = InternalFTPL(2, rounds=10), InternalFTPL(2, rounds=10)
    with pytest.raises(InvalidInputError):
        learner.observe([0.5, 1.5])
    learner.observe([0.5, 1.0])
    other.observe([0.5, 1.0])
    np.testing.assert_array_equal(learner.play(), other.play())


def test_a_constant_left_out_of_the_features_changes_no_play() -> None:
    """Rewards of a set that is not listed may lie anywhere, if they are not too far apart."""
    actions = Features(np.array([[0.0, 1.0], [1.0, 1.0]]))
    learners = [
        InternalFTPL(actions, rng=np.random.default_rng(0), samples=9, constants=True, rate=1.0)
        for _ in range(2)
    ]
    for shift in (0.0, -1.0, 5.0):
        for learner, z in zip(learners, ([1.0, 0.0], [1.0, shift]), strict=True):
            learner.observe(z)
        first, second = (learner.play() for learner in learners)
        assert (first.actions, first.weights.tolist()) == (second.actions, second.weights.tolist())
    with pytest.raises(InvalidInputError, match=r"are from 0 to 1\.5"):
        learners[0].observe([1.5, 0.0])


def test_sizes_that_would_not_fit_are_refused_at_once() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(LimitError, match="use Features"):
        InternalFTPL(10**6)
    with pytest.raises(LimitError, match="use Features"):
        InternalFTPL(10**6, rng=rng, samples=10)
    with pytest.raises(InvalidInputError, match="has normal noise"):
        InternalFTPL(ActionOracle(ListedActions(3), "normal"), rng=rng, samples=3)


def test_plays_that_were_handed_out_cannot_be_changed() -> None:
    learner = InternalFTPL(3)
    with pytest.raises(ValueError, match="read-only"):
        learner.play()[0] = 1.0
