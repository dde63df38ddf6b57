"""Learners where float64 ends, and what is neither a learner nor a number."""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap
from math import inf, isfinite, nan
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
    regret_bound,
)
from theory.actions import BilinearGame, Features, ListedActions, Paths, SparseStrategy, Subsets
from theory.errors import InvalidInputError, LimitError, MechproofError
from theory.normal_form import NormalFormGame

Make = Callable[..., Any]

MAKERS: dict[str, Make] = {
    "hedge": Hedge,
    "best response": BestResponse,
    "regret matching": RegretMatching,
    "copies": BlumMansour,
    "ftpl": lambda n, **options: FTPL(n, rng=np.random.default_rng(0), **options),
}
PENNIES = NormalFormGame.zero_sum([[0.0, 1.0], [1.0, 0.0]]).as_floats()
SAME = NormalFormGame.bimatrix([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])


class Says:
    """Plays what it is made with."""

    def __init__(self, play: Any) -> None:
        self.given, self.told = play, list[Any]()

    def play(self) -> Any:
        return self.given() if callable(self.given) else self.given

    def observe(self, rewards: Any) -> None:
        self.told.append(rewards)


def made(cls: Any, *arguments: Any, **options: Any) -> Any:
    """Make a learner without the check of types that tests wrap around."""
    learner = cls.__new__(cls)
    unwrap(cls.__init__)(learner, *arguments, **options)
    return learner


# --- where float64 ends


@pytest.mark.parametrize("tiny", [1e-320, 1e-310, 1e-308, 1e-300, 1e-290])
def test_regrets_that_are_next_to_nothing_make_a_law(tiny: float) -> None:
    learner = RegretMatching(3)
    learner.observe([tiny, 0.0, tiny])
    np.testing.assert_allclose(learner.play(), [0.5, 0.0, 0.5], rtol=1e-9)
    game = NormalFormGame.bimatrix(np.array([[tiny, tiny], [0, 0]]), np.zeros((2, 2)))
    runs = [
        play_game(game, [RegretMatching(2), RegretMatching(2)], 3, compiled=compiled)
        for compiled in (True, False)
    ]
    for own, other in zip(*(run.players for run in runs), strict=True):
        np.testing.assert_array_equal(own.plays, other.plays)
    np.testing.assert_array_equal(runs[0].players[0].plays[1:], [[1, 0], [1, 0]])


@pytest.mark.parametrize("offset", [1e7, 1e8, 1e9 + 0.3, 1e12, 1e15])
@pytest.mark.parametrize("name", [*MAKERS, "custom"])
def test_payoffs_may_be_large_beside_their_width(name: str, offset: float) -> None:
    payoffs = np.full((9, 9), offset + 1.0)
    payoffs[0, 0] = offset
    width = (offset, offset + 1.0)

    def players() -> list[Any]:
        first = Says([1 / 9] * 9) if name == "custom" else MAKERS[name](9, reward_range=width)
        return [first, RegretMatching(9, reward_range=(-width[1], -width[0]))]

    game = NormalFormGame.zero_sum(payoffs)
    runs = [play_game(game, players(), 60, compiled=compiled) for compiled in (None, False)]
    for own, other in zip(*(run.players for run in runs), strict=True):
        np.testing.assert_array_equal(own.plays, other.plays)
        np.testing.assert_array_equal(own.observations, other.observations)
    earned = runs[0].players[0].observations
    assert earned.min() >= width[0]
    assert earned.max() <= width[1]


def test_payoffs_may_be_large_in_games_of_three() -> None:
    offset = 1e9
    payoffs = np.full((3, 3, 3), offset + 1.0)
    payoffs[0, 0, 0] = offset
    learners = [Hedge(3, reward_range=(offset, offset + 1)) for _ in range(3)]
    run = play_game(NormalFormGame.of([payoffs] * 3), learners, 50)
    assert all(own.observations.max() <= offset + 1 for own in run.players)


@pytest.mark.parametrize("over", [1e-10, 4e-10, 6e-10, 1e-9, 2e-9])
@pytest.mark.parametrize("low", [0.0, 0.1, -0.7, 10.0])
def test_payoffs_off_their_range_are_refused_before_or_not_at_all(low: float, over: float) -> None:
    width = (low, low + 0.6)
    payoffs = np.array([[low, low + 0.6 * (1 + over)], [low - 0.6 * over, low]])
    for compiled in (None, False):
        learners = [Hedge(2, reward_range=width), BestResponse(2, reward_range=width)]
        game = NormalFormGame.bimatrix(payoffs, payoffs)
        if over > 5e-10:
            with pytest.raises(InvalidInputError, match="pays player 1 from"):
                play_game(game, learners, 30, compiled=compiled)
            assert [learner.rounds_played for learner in learners] == [0, 0]
        else:
            assert play_game(game, learners, 30, compiled=compiled).rounds == 30


def test_a_range_that_was_changed_in_between_is_no_failed_assertion() -> None:
    learners: list[Any] = [Hedge(2), Hedge(2)]
    for learner in learners:
        learner.reward_range = (0.0, 5.0)
    for compiled in (None, False):
        game = NormalFormGame.bimatrix(np.full((2, 2), 2.0), np.zeros((2, 2)))
        with pytest.raises(InvalidInputError) as caught:
            play_game(game, learners, 5, compiled=compiled)
        assert vars(caught.value)["record"].rounds == 0


@pytest.mark.parametrize("cls", [Hedge, BlumMansour, FTPL, InternalFTPL])
@pytest.mark.parametrize("rate", [1e304, 1e101, 1e-101, 5e-324])
def test_step_sizes_that_overflow_later_are_refused_at_once(cls: Any, rate: float) -> None:
    options: dict[str, Any] = {"rng": np.random.default_rng(0)} if cls is FTPL else {}
    with pytest.raises(InvalidInputError, match="rate is no step size that float64"):
        cls(2, rate=rate, **options)


@pytest.mark.parametrize("cls", [Hedge, BlumMansour, FTPL])
@pytest.mark.parametrize("rate", [1e100, 1e-100])
@pytest.mark.parametrize("width", [1e-199, 1.0, 1e199])
def test_the_steepest_learners_play(cls: Any, rate: float, width: float) -> None:
    options: dict[str, Any] = {"rng": np.random.default_rng(0)} if cls is FTPL else {}
    learner = cls(2, rate=rate, reward_range=(0.0, width), **options)
    for _ in range(50):
        learner.observe([0.0, width])
    play = np.asarray(learner.play())
    assert play.sum() == pytest.approx(1)
    assert rate < 1 or play[1] == pytest.approx(1)
    with pytest.raises(InvalidInputError, match="has a width of"):
        cls(2, reward_range=(0.0, 1e201), **options)


@pytest.mark.parametrize("cls", [Hedge, BlumMansour, FTPL])
def test_numbers_of_rounds_that_no_float_holds_are_refused(cls: Any) -> None:
    options: dict[str, Any] = {"rng": np.random.default_rng(0)} if cls is FTPL else {}
    with pytest.raises(LimitError, match=r"rounds is above 10\^100"):
        cls(2, rounds=10**400, **options)
    learner = cls(2, rounds=10**100, **options)
    assert isfinite(regret_bound(learner, 10**100).value)
    with pytest.raises(LimitError, match=r"rounds is above 10\^100"):
        regret_bound(learner, 10**400)
    with pytest.raises(LimitError, match=r"rounds is above 10\^100"):
        play_against(learner, lambda play: play, 10**400, actions=2)


def test_bounds_that_float64_does_not_hold_are_infinite() -> None:
    huge = Subsets(2000, 1000)
    for constants in (False, True):
        learner = InternalFTPL(huge, rng=np.random.default_rng(0), samples=10, constants=constants)
        assert regret_bound(learner, 100, kind="swap").value == inf
        assert isfinite(regret_bound(learner, 100, kind="external").value) == constants
        assert isfinite(regret_bound(learner, 100, kind="internal").value)
    assert "at most inf" in str(regret_bound(learner, 100, kind="swap"))
    small = InternalFTPL(4)
    ratio = (
        regret_bound(small, 9, kind="swap").value / regret_bound(small, 9, kind="internal").value
    )
    assert ratio == pytest.approx(4)


def test_sets_with_too_many_actions_to_write_their_number() -> None:
    huge = Paths([(i, i + 1) for i in range(16_000) for _ in range(2)], 0, 16_000)
    zeros = np.zeros(32_000)
    with pytest.raises(LearnerError, match="mixed strategy over about"):
        play_against(Says([1.0]), lambda play: zeros, 2, actions=huge)
    with pytest.raises(InvalidInputError, match="is made for 2 actions, and the set has about"):
        play_against(Hedge(2), lambda play: zeros, 2, actions=huge)
    says = Says(SparseStrategy.pure(huge.best(zeros), huge.size))
    run = play_against(says, lambda play: zeros, 2, actions=huge)
    assert "about" in str(run)


@pytest.mark.parametrize("size", [10**7 + 1, 10**18, 10**400])
@pytest.mark.parametrize("name", MAKERS)
def test_lists_that_do_not_fit_are_refused_with_advice(name: str, size: int) -> None:
    with pytest.raises(LimitError, match=r"actions is above"):
        MAKERS[name](size)
    if name in ("hedge", "best response", "ftpl"):
        with pytest.raises(LimitError, match="give more as an ActionSet that does not list them"):
            MAKERS[name](ListedActions(size))


# --- plays that are off by rounding


@pytest.mark.parametrize(
    "play",
    [
        [-1e-17, 1.0, 0.0],
        [-9e-10, 1.0, 0.0],
        [-5e-10, -5e-10, 1.0],
        [0.9e-9, 1.0, 0.0],
        [0.5, 0.5 - 0.9e-9, 0.0],
    ],
)
@pytest.mark.parametrize("kind", [list, np.array])
def test_what_is_recorded_can_be_measured(play: list[float], kind: Any) -> None:
    game = NormalFormGame.bimatrix(np.eye(3), np.eye(3))
    three = NormalFormGame.of([np.ones((3, 1, 3))] * 3)
    runs = [
        play_against(Says(kind(play)), lambda p: np.array([1.0, 0.0, 0.0]), 1000, actions=3),
        play_game(game, [Says(kind(play)), Hedge(3)], 10),
        play_game(game, [Hedge(3), Says(kind(play))], 10),
        play_game(three, [Says(kind(play)), Says([1.0]), Hedge(3, reward_range=(0, 1))], 10),
        play_against(
            Says(kind(play)), lambda p: np.zeros(2), 10, actions=Features(np.ones((3, 2)))
        ),
    ]
    for run in runs:
        for player, own in enumerate(run.players):
            assert min(np.min(row) for row in own.plays) >= 0
            run.regret(player)
            run.series(player)
    np.testing.assert_allclose(runs[0].players[0].plays[0], play, atol=2e-9)
    told = runs[1].players[1].observations[0]
    np.testing.assert_array_equal(told, runs[1].players[0].plays[0])


@pytest.mark.parametrize(("gap", "is_scaled"), [(4e-10, False), (9e-10, True)])
def test_a_play_is_scaled_only_where_its_sum_is_off_by_half_of_the_room(
    gap: float, is_scaled: bool
) -> None:
    play = [0.5, 0.5 - gap, 0.0]
    run = play_against(Says(play), lambda p: np.zeros(3), 1, actions=3)
    (recorded,) = run.players[0].plays
    assert (recorded.tolist() != play) == is_scaled
    assert abs(recorded.sum() - 1) < 5e-10


def test_opponents_are_told_what_is_recorded() -> None:
    seen = []

    def opponent(play: Any) -> Any:
        seen.append(play)
        return np.zeros(2)

    run = play_against(Says([-1e-10, 1 + 1e-10]), opponent, 3, actions=2)
    np.testing.assert_array_equal(seen, run.players[0].plays)
    assert seen[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("actions", [3, Features(np.ones((3, 2))), None])
def test_an_opponent_who_changes_a_play_changes_no_record(actions: Any) -> None:
    def opponent(play: Any) -> Any:
        play[:] = [1, 0, 0]
        return np.zeros(3 if actions == 3 else 2)

    run = play_against(Says(lambda: np.full(3, 1 / 3)), opponent, 3, actions=actions)
    np.testing.assert_array_equal(np.array(run.players[0].plays), np.full((3, 3), 1 / 3))


def test_a_learner_who_changes_its_play_changes_no_record() -> None:
    play = np.array([0.5, 0.5])

    class Changes(Says):
        def observe(self, rewards: Any) -> None:
            self.given[:] = [1.0, 0.0]

    for actions in (2, Features(np.ones((2, 2))), None):
        play[:] = 0.5
        run = play_against(Changes(play), lambda p: np.zeros(2), 2, actions=actions)
        np.testing.assert_array_equal(np.array(run.players[0].plays), [[0.5, 0.5], [1, 0]])


# --- what is no number


class Raises:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no array")


NO_NUMBERS = [
    ["1", "0"],
    [True, False],
    np.array([True, False]),
    np.array([1j, 0]),
    [10**400, 0],
    np.array(["1", "0"]),
    np.array([1, 0], dtype=object),
    Raises(),
    np.array(1.0),
    np.array("a"),
]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:30])
def test_what_is_no_row_of_real_numbers_is_neither_play_nor_reward(value: Any) -> None:
    for learners in ([Says(value), Says(value)], [Hedge(2), Says(value)]):
        who = 2 if isinstance(learners[0], Hedge) else 1
        with pytest.raises(LearnerError, match=f"learner of player {who} plays .* in round 1"):
            play_game(SAME, learners, 3)
    with pytest.raises(LearnerError, match="no mixed strategy"):
        play_against(Says(value), lambda play: np.zeros(2), 3, actions=2)
    with pytest.raises(OpponentError, match="answers"):
        play_against(Hedge(2), lambda play: value, 3, actions=2)
    script = value if np.ndim(getattr(value, "tolist", list)()) == 0 else [value] * 3
    with pytest.raises(InvalidInputError, match="opponent"):
        unwrap(play_against)(Hedge(2), script, 3, actions=2)


def test_arrays_are_no_plays_of_sets_whose_actions_are_no_numbers() -> None:
    actions = Subsets(3, 1)
    game = BilinearGame((actions, actions), (np.eye(3), np.eye(3)))
    with pytest.raises(LearnerError, match="no mixed strategy of its set") as caught:
        play_game(game, [Says(np.full(3, 1 / 3)), Hedge(actions)], 3)
    assert caught.value.record.rounds == 0


# --- errors, and when


def test_scripts_outside_the_range_are_refused_before_the_first_round() -> None:
    for name, make in MAKERS.items():
        learner = make(2)
        with pytest.raises(InvalidInputError, match="rewards action 1 with 5 in round 3") as caught:
            play_against(learner, [[0, 1], [0, 1], [0, 5], [9, 9]], 3, actions=2)
        assert learner.rounds_played == 0, name
        assert type(learner).__name__ in str(caught.value)
        run = play_against(learner, [[0, 1], [0, 1 + 1e-10], [0, 5]], 2, actions=2)
        assert run.rounds == 2


def test_errors_of_ours_in_a_round_hold_the_rounds_before() -> None:
    actions = Features(np.eye(2))
    learner = Hedge(actions)
    with pytest.raises(InvalidInputError, match="rewards are from") as caught:
        play_against(learner, [[0, 1], [0, 1], [0, 5]], 3, actions=actions)
    assert vars(caught.value)["record"].rounds == 2
    U = np.random.default_rng(0).random((50, 3))
    game = BilinearGame.low_rank(U, 9 * U)
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match="rewards are from") as caught:
        play_game(game, [FTPL(actions, rng=rng) for actions in game.sets], 10)
    record = vars(caught.value)["record"]
    assert record.rounds == len(record.players[0].plays) < 10
    assert any("learner of player 1 in round" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(
    "stated", [5, "01", (0.0,), (1.0, 0.0), (nan, 1.0), (0, "1"), (0, 10**400)]
)
def test_a_learner_that_states_no_range_is_named(stated: Any) -> None:
    learner: Any = Says([0.5, 0.5])
    learner.reward_range = stated
    with pytest.raises(
        InvalidInputError, match=r"learner of player 2 states .* as its reward_range"
    ):
        play_game(SAME, [Hedge(2), learner], 3)
    with pytest.raises(InvalidInputError, match=r"states .* as its reward_range"):
        play_against(learner, np.zeros((3, 2)), 3, actions=2)


def test_a_learner_may_take_any_rewards() -> None:
    for stated in ((-inf, inf), [0, inf], (np.float64(0), np.int64(1))):
        learner: Any = Says([0.5, 0.5])
        learner.reward_range = stated
        assert play_game(SAME, [Hedge(2), learner], 3).rounds == 3
        assert play_against(learner, np.zeros((3, 2)), 3, actions=2).rounds == 3


def test_attributes_that_mean_something_else_are_not_read() -> None:
    learner: Any = Says([0.5, 0.5])
    learner.rounds_played = lambda: 7
    learner.residual = learner.oracle_gap = lambda: "none"
    run = play_game(SAME, [Hedge(2), learner], 3)
    assert run.players[1].residual == run.players[1].oracle_gap == 0


@pytest.mark.parametrize("learners", [5, None, 0.5])
def test_learners_must_come_in_a_list(learners: Any) -> None:
    with pytest.raises(InvalidInputError, match="are no list of learners"):
        unwrap(play_game)(SAME, learners, 3)


@pytest.mark.parametrize("rounds", [5, 0.5, np.array(5)])
def test_rounds_to_measure_at_must_come_in_a_list(rounds: Any) -> None:
    run = play_game(SAME, [Hedge(2), Hedge(2)], 5)
    with pytest.raises(InvalidInputError, match="rounds are no numbers of rounds"):
        unwrap(type(run).series)(run, rounds=rounds)
    with pytest.raises(InvalidInputError, match="rounds are no numbers of rounds"):
        unwrap(type(run).equilibrium_gaps)(run, rounds=rounds)
    with pytest.raises(InvalidInputError, match="rounds is not a count"):
        unwrap(play_game)(SAME, [Hedge(2), Hedge(2)], rounds if rounds != 5 else np.array(5))


@pytest.mark.parametrize("cls", [Hedge, BestResponse, FTPL])
@pytest.mark.parametrize("actions", [Subsets, ListedActions, int])
def test_a_class_is_no_set_of_actions(cls: Any, actions: Any) -> None:
    options: dict[str, Any] = {"rng": np.random.default_rng(0)} if cls is FTPL else {}
    with pytest.raises(InvalidInputError, match="is no set of actions"):
        made(cls, actions, **options)
    with pytest.raises(MechproofError, match="is no set of actions"):
        unwrap(play_against)(Hedge(2), np.zeros((3, 2)), 3, actions=actions)
