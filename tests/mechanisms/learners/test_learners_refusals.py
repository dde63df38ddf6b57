"""Runs that cannot begin, and runs that a learner or an opponent breaks off."""

from __future__ import annotations

from inspect import unwrap
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from mechanisms.learners import (
    FTPL,
    BestResponse,
    BlumMansour,
    Hedge,
    InternalFTPL,
    LearnerError,
    OpponentError,
    RegretMatching,
    play_against,
    play_game,
)
from theory.actions import BilinearGame, ListedActions, SparseStrategy, Subsets
from theory.errors import (
    InvalidInputError,
    LimitError,
    NumberError,
    ShapeError,
)
from theory.normal_form import NormalFormGame


def bimatrix(seed: int, *shape: int) -> NormalFormGame:
    rng = np.random.default_rng(seed)
    return NormalFormGame.bimatrix(rng.random(shape), rng.random(shape))


class Uniform:
    def __init__(self, size: int) -> None:
        self.size, self.told = size, list[Any]()

    def play(self) -> Any:
        return [1 / self.size] * self.size

    def observe(self, rewards: Any) -> None:
        self.told.append(rewards)


class Late(Uniform):
    """Does in round 4 what it is made with."""

    def __init__(self, size: int, answer: Any) -> None:
        super().__init__(size)
        self.answer = answer

    def play(self) -> Any:
        return super().play() if len(self.told) < 3 else self.answer()


@pytest.mark.parametrize(
    ("learners", "rounds", "text"),
    [
        ([Hedge(2)], 5, "are 1, for 2 players"),
        ([Hedge(2), Hedge(2), Hedge(2)], 5, "are 3, for 2 players"),
        ([], 5, "are 0, for 2 players"),
        ([Hedge(2), Hedge(3)], 5, "is made for 3 actions, and the set has 2"),
        ([Hedge(2), object()], 5, "is no learner"),
        ([Hedge(2), Hedge], 5, "is no learner"),
    ],
)
def test_games_that_cannot_begin(learners: Any, rounds: Any, text: str) -> None:
    with pytest.raises(InvalidInputError, match=text):
        unwrap(play_game)(bimatrix(0, 2, 2), learners, rounds)


def test_one_learner_cannot_take_two_seats() -> None:
    learner = Hedge(2)
    with pytest.raises(InvalidInputError, match="not all different objects"):
        play_game(bimatrix(0, 2, 2), [learner, learner], 5)


def test_no_game_at_all() -> None:
    with pytest.raises(InvalidInputError, match="is no game"):
        unwrap(play_game)("chess", [Hedge(2), Hedge(2)], 5)


@pytest.mark.parametrize("factor", [2.0, -1.0, 1 + 1e-6])
def test_payoffs_outside_the_range_of_a_learner_are_refused_before_any_play(factor: float) -> None:
    learners = [Hedge(2), Hedge(2, reward_range=(-2.0, 2.0))]
    game = NormalFormGame.bimatrix(factor * np.eye(2), np.eye(2))
    with pytest.raises(InvalidInputError, match=r"pays player 1 from .*reward_range="):
        play_game(game, learners, 5)
    np.testing.assert_array_equal(learners[0].play(), [0.5, 0.5])
    three = NormalFormGame.of([factor * np.ones((2, 1, 1))] * 3)
    with pytest.raises(InvalidInputError, match="pays player 1"):
        play_game(three, [Hedge(2), Uniform(1), Uniform(1)], 5)


def test_what_cannot_be_compiled_is_refused_where_it_is_asked_for() -> None:
    with pytest.raises(InvalidInputError, match="cannot run compiled"):
        play_game(bimatrix(0, 2, 2), [Uniform(2), Hedge(2)], 5, compiled=True)
    with pytest.raises(InvalidInputError, match="cannot run compiled"):
        play_game(NormalFormGame.of([[0.0, 1.0]]), [Hedge(2)], 5, compiled=True)


def boom() -> Any:
    raise RuntimeError("round 4")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (boom, "raised RuntimeError"),
        (lambda: [0.5, 0.6], "no mixed strategy of its set, in round 4"),
        (lambda: [1.5, -0.5], "no mixed strategy of its set, in round 4"),
        (lambda: np.array([0.5, 0.6]), "no mixed strategy of its set, in round 4"),
        (lambda: np.array([nan, 0.5]), "no mixed strategy of its set, in round 4"),
        (lambda: np.array([inf, -inf]), "no mixed strategy of its set, in round 4"),
        (lambda: np.array([1.5, -0.5]), "no mixed strategy of its set, in round 4"),
        (lambda: np.array([[0.5, 0.5]]), "no mixed strategy of its set, in round 4"),
        (lambda: np.full(3, 1 / 3), "no mixed strategy of its set, in round 4"),
        (lambda: SparseStrategy.pure(2, 3), "no mixed strategy of its set, in round 4"),
        (lambda: None, "no mixed strategy of its set, in round 4"),
        (lambda: "first", "no mixed strategy of its set, in round 4"),
        (lambda: [[1], [2, 3]], "no mixed strategy of its set, in round 4"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_learner_that_errs_is_named_and_the_rounds_before_are_kept(
    answer: Any, text: str, seat: int
) -> None:
    learners: list[Any] = [Hedge(2), Hedge(2)]
    learners[seat] = Late(2, answer)
    with pytest.raises(LearnerError, match=text) as caught:
        play_game(bimatrix(0, 2, 2), learners, 10)
    assert f"the learner of player {seat + 1}" in str(caught.value)
    assert caught.value.record.rounds == 3
    assert caught.value.record.players[0].plays.shape == (3, 2)
    with pytest.raises(LearnerError, match=text) as alone:
        play_against(Late(2, answer), lambda play: [0.0, 1.0], 10, actions=2)
    assert alone.value.record.regret().rounds == 3
    wide = BilinearGame((ListedActions(2), Subsets(3, 2)), (np.zeros((2, 3)), np.zeros((2, 3))))
    with pytest.raises(LearnerError, match=text):
        play_game(wide, [Late(2, answer), Hedge(Subsets(3, 2))], 10)


def test_a_sparse_play_or_a_list_is_a_play() -> None:
    plays = [SparseStrategy.pure(1, 2), [0, 1], (0.0, 1.0), np.array([0, 1])]
    learner = Uniform(2)
    learner.play = lambda: plays[len(learner.told)]  # type: ignore[method-assign]
    run = play_game(bimatrix(0, 2, 2), [learner, Hedge(2)], 4)
    np.testing.assert_array_equal(run.players[0].plays, [[0, 1]] * 4)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda: [nan, 0.0], "answers"),
        (lambda: [inf, 0.0], "answers"),
        (lambda: [0.0], "answers"),
        (lambda: [0.0, 0.5, 1.0], "answers"),
        (lambda: None, "answers None in round 4"),
        (lambda: "win", "answers 'win' in round 4"),
        (lambda: 1.0, "answers 1.0 in round 4"),
        (lambda: [0.0, 1.5], "what the learner refuses in round 4"),
        (boom, "raised RuntimeError"),
    ],
)
def test_an_opponent_who_talks_nonsense(answer: Any, text: str) -> None:
    told: list[Any] = []

    def opponent(play: Any) -> Any:
        told.append(play)
        return [0.0, 1.0] if len(told) < 4 else answer()

    with pytest.raises(OpponentError, match=text) as caught:
        play_against(Hedge(2), opponent, 10, actions=2)
    assert caught.value.record.rounds == 3
    assert len(caught.value.record.players[0].observations) == 3


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (np.zeros((4, 2)), ShapeError),
        (np.zeros((5, 3)), ShapeError),
        (np.zeros(5), ShapeError),
        (np.full((5, 2), nan), NumberError),
        ([[0.0, 1.0], [inf, 0.0]] * 3, NumberError),
        ([[0.0], [0.0, 1.0]], NumberError),
        ("rewards", NumberError),
        (None, NumberError),
        (np.full((5, 2), 2.0), InvalidInputError),
    ],
)
def test_scripts_that_cannot_be_played(script: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        play_against(Hedge(2), script, 5, actions=2)


def test_play_against_reads_what_it_is_given() -> None:
    for actions in (0, True, "two", 2.0):
        with pytest.raises(InvalidInputError, match="actions"):
            unwrap(play_against)(Hedge(2), np.zeros((3, 2)), 3, actions=actions)
    with pytest.raises(InvalidInputError, match="made for 2 actions"):
        play_against(Hedge(2), np.zeros((3, 3)), 3, actions=3)
    with pytest.raises(InvalidInputError, match="opponent"):
        play_against(Hedge(2), np.zeros((3, 2)), 3, actions=None)


def test_records_that_cannot_fit_are_refused_at_once() -> None:
    with pytest.raises(LimitError, match="rounds"):
        play_against(Hedge(10**6), lambda play: play, 10**4, actions=10**6)


def test_learners_that_have_played_are_refused() -> None:
    """Bounds are about learners that start afresh."""
    rewards, rng, subsets = np.full((3, 2), 0.5), np.random.default_rng(0), Subsets(2, 1)
    listed: list[Any] = [
        Hedge(2),
        BestResponse(2),
        RegretMatching(2),
        BlumMansour(2),
        FTPL(2, rng=rng),
        InternalFTPL(2),
    ]
    implicit: list[Any] = [Hedge(subsets), BestResponse(subsets)]
    cases: list[tuple[Any, Any]] = [(each, 2) for each in listed]
    cases += [(each, subsets) for each in implicit]
    for learner, actions in cases:
        play_against(learner, rewards, 3, actions=actions)
        with pytest.raises(InvalidInputError, match="has played 3 rounds before"):
            play_against(learner, rewards, 3, actions=actions)
