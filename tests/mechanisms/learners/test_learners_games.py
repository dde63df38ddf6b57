"""Runs: games between learners, compiled or not, and learners against opponents."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import nan
from typing import Any

import numpy as np
import pytest

from mechanisms.learners import (
    FTPL,
    OPPONENTS,
    BestResponse,
    BlumMansour,
    CallableOracle,
    Hedge,
    LearnerError,
    RegretMatching,
    _kernels,
    play_against,
    play_game,
    regret_bound,
)
from theory.actions import BilinearGame, Features, ListedActions, SparseStrategy, Subsets
from theory.correlated import equilibrium_gaps
from theory.errors import (
    InvalidInputError,
    UnknownNameError,
)
from theory.incentives.learners import ADVERSARIES
from theory.normal_form import NormalFormGame
from theory.shared import compiling

KINDS = {
    "hedge": Hedge,
    "hedge fixed": lambda n: Hedge(n, rounds=150),
    "best response": BestResponse,
    "regret matching": RegretMatching,
    "copies": BlumMansour,
}


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


# --- compiled and not


@pytest.mark.parametrize(("one", "other"), list(product(KINDS, KINDS)))
def test_compiled_games_are_those_that_python_leads_to_the_last_bit(one: str, other: str) -> None:
    game = bimatrix(0, 5, 3)
    runs = [
        play_game(game, [KINDS[one](5), KINDS[other](3)], 150, compiled=compiled)
        for compiled in (True, False, None)
    ]
    for run in runs[1:]:
        for mine, theirs in zip(runs[0].players, run.players, strict=True):
            np.testing.assert_array_equal(mine.plays, theirs.plays)
            np.testing.assert_array_equal(mine.observations, theirs.observations)
            np.testing.assert_array_equal(mine.learner.play(), theirs.learner.play())
            assert mine.residual == theirs.residual


def test_observations_are_expected_rewards() -> None:
    game = bimatrix(1, 4, 3)
    for compiled in (True, False):
        run = play_game(game, [Hedge(4), BlumMansour(3)], 40, compiled=compiled)
        first, second = run.players
        expected = second.plays @ game.tensor(0).T
        np.testing.assert_allclose(first.observations, expected, atol=1e-15)
        np.testing.assert_allclose(second.observations, first.plays @ game.tensor(1), atol=1e-15)


def test_a_subclass_is_not_compiled_past_its_own_methods() -> None:
    class Stubborn(Hedge):
        def play(self) -> Any:
            return np.array([0.0, 1.0])

    run = play_game(bimatrix(0, 2, 2), [Stubborn(2), Hedge(2)], 5)
    assert (run.players[0].plays == [0, 1]).all()
    with pytest.raises(InvalidInputError, match="cannot run compiled"):
        play_game(bimatrix(0, 2, 2), [Stubborn(2), Hedge(2)], 5, compiled=True)


def test_transposing_the_game_swaps_the_players() -> None:
    rng = np.random.default_rng(2)
    A, B = rng.random((3, 4)), rng.random((3, 4))
    run = play_game(NormalFormGame.bimatrix(A, B), [RegretMatching(3), BlumMansour(4)], 100)
    turned = play_game(NormalFormGame.bimatrix(B.T, A.T), [BlumMansour(4), RegretMatching(3)], 100)
    for mine, theirs in zip(run.players, turned.players[::-1], strict=True):
        np.testing.assert_array_equal(mine.plays, theirs.plays)


def test_exact_games_are_played_in_floats() -> None:
    game = NormalFormGame.bimatrix([["1/3", 1], [0, "1/2"]], [[0, 1], [1, 0]])
    run = play_game(game, [Hedge(2), Hedge(2)], 10)
    assert run.players[0].observations[0, 0] == pytest.approx(2 / 3)


def test_self_play_finds_the_equilibrium_of_matching_pennies() -> None:
    game = NormalFormGame.zero_sum([[1, 0], [0, 1]])
    run = play_game(game, [RegretMatching(2), RegretMatching(2, reward_range=(-1.0, 0.0))], 5000)
    for own in run.players:
        np.testing.assert_allclose(own.plays.mean(axis=0), 0.5, atol=0.02)


# --- other games


def test_three_players() -> None:
    rng = np.random.default_rng(3)
    payoffs = [rng.random((2, 3, 4)) for _ in range(3)]
    game = NormalFormGame.of(payoffs)
    run = play_game(game, [Hedge(2), RegretMatching(3), BlumMansour(4)], 30)
    x, y, z = (own.plays for own in run.players)
    sums = ("abc,tb,tc->ta", "abc,ta,tc->tb", "abc,ta,tb->tc")
    for own, payoff, subscripts, others in zip(
        run.players, payoffs, sums, ((y, z), (x, z), (x, y)), strict=True
    ):
        expected = np.einsum(subscripts, payoff, *others)
        np.testing.assert_allclose(own.observations, expected, atol=1e-14)
    assert run.distribution().shape == (2, 3, 4)


def test_one_player_alone() -> None:
    run = play_game(NormalFormGame.of([[0.0, 0.5, 1.0]]), [Hedge(3, rounds=50)], 50)
    assert run.players[0].plays[-1, 2] > 0.9


def test_a_bimatrix_is_the_same_game_in_all_its_forms() -> None:
    rng = np.random.default_rng(4)
    A, B = rng.random((3, 4)), rng.random((3, 4))
    games = [
        NormalFormGame.bimatrix(A, B),
        BilinearGame.bimatrix(A, B),
        BilinearGame((ListedActions(3), ListedActions(4)), (A - 0.25, B), (0.25, 0.0)),
    ]
    runs = [play_game(game, [Hedge(3), Hedge(4)], 60) for game in games]
    for run in runs[1:]:
        for mine, theirs in zip(run.players, runs[0].players, strict=True):
            np.testing.assert_allclose(mine.plays, theirs.plays, atol=1e-12)
    wide = BilinearGame.low_rank(np.eye(3), np.eye(4), (A, B))
    run = play_game(wide, [Hedge(actions) for actions in wide.sets], 60)
    for mine, theirs in zip(run.players, runs[0].players, strict=True):
        plays = np.array([np.asarray(play) for play in mine.plays])
        np.testing.assert_allclose(plays, theirs.plays, atol=1e-12)
    gains = [run.regret(0).external.gain, runs[0].regret(0).external.gain]
    assert gains[0] == pytest.approx(gains[1], abs=1e-10)


def test_a_law_on_another_set_is_no_play() -> None:
    wide = BilinearGame.low_rank(np.eye(3), np.eye(3))
    with pytest.raises(LearnerError, match="no mixed strategy of its set, in round 1"):
        play_game(wide, [Hedge(Features(np.eye(3) / 2)), Uniform(3)], 3)


def test_listed_and_other_sets_may_meet() -> None:
    U = np.random.default_rng(5).random((2, 10)) / 10
    game = BilinearGame((ListedActions(2), Subsets(10, 5)), (U, 0.1 - U), (0.1, 0.5))
    learners = [
        RegretMatching(2),
        FTPL(Subsets(10, 5), rng=np.random.default_rng(0), samples=4),
    ]
    run = play_game(game, learners, 30)
    assert run.players[0].plays.shape == (30, 2)
    assert all(isinstance(play, SparseStrategy) for play in run.players[1].plays)
    assert run.regret(1).external.gain <= regret_bound(learners[1], 30, failure=1e-6).value
    gaps = run.equilibrium_gaps(rounds=[10, 30])
    assert gaps.rounds.tolist() == [10, 30]
    z = run.players[0].observations[-1]
    f = run.players[1].plays[-1].features(Subsets(10, 5))
    np.testing.assert_allclose(z, U @ f + 0.1)


# --- opponents


@pytest.mark.parametrize("name", [*ADVERSARIES, *OPPONENTS])
def test_opponents_stay_in_range_and_the_blind_do_not_look(name: str) -> None:
    factory = {**ADVERSARIES, **OPPONENTS}[name]
    for size in (1, 2, 3, 5) if name in OPPONENTS else (2, 3, 5):
        run = play_against(Hedge(size), factory(size, np.random.default_rng(0)), 100, actions=size)
        assert run.players[0].observations.min() >= 0
        assert run.players[0].observations.max() <= 1
    if name in OPPONENTS:
        first = [factory(3, np.random.default_rng(0))(np.eye(3)[i]).tolist() for i in range(3)]
        assert first[0] == first[1] == first[2]


def test_scripted_rewards() -> None:
    script = np.random.default_rng(6).random((20, 3))
    for given in (script, script.tolist(), script[:, ::-1][:, ::-1]):
        run = play_against(Hedge(3), given, 15, actions=3)
        assert run.rounds == 15
        np.testing.assert_array_equal(run.players[0].observations, script[:15])
    wide = play_against(
        Hedge(Subsets(4, 2), reward_range=(0.0, 2.0)), np.ones((5, 4)), 5, actions=Subsets(4, 2)
    )
    assert wide.players[0].observations.shape == (5, 4)


def test_an_opponent_sees_probabilities_and_cannot_change_them() -> None:
    seen = []

    def opponent(play: Any) -> Any:
        seen.append(play.copy())
        play[:] = 0
        return [0, 1, 0]

    learner = FTPL(3, rng=np.random.default_rng(0), samples=2)
    run = play_against(learner, opponent, 10, actions=3)
    np.testing.assert_array_equal(run.players[0].plays, seen)
    np.testing.assert_allclose(run.players[0].plays.sum(axis=1), 1)
    assert run.title == "FTPL against test_an_opponent_sees_probabilities_and_cannot_change_them"


def test_the_actions_of_an_oracle_of_one_s_own_are_counted_from_0() -> None:
    oracle = CallableOracle(lambda h: 0, size=2)
    assert [action for action in (-1, 0, 1, 2, 1.0, True, "0") if action in oracle] == [0, 1]


def test_an_oracle_of_one_s_own_may_be_told_anything() -> None:
    learner = FTPL(
        CallableOracle(lambda h: 0, size=2, smooth=lambda h, rate, rng: len(h) % 2),
        rng=np.random.default_rng(0),
    )
    run = play_against(learner, lambda play: f"you played {play.actions[0]}", 3, actions=None)
    assert run.players[0].observations == ("you played 0", "you played 1", "you played 0")
    with pytest.raises(InvalidInputError, match="did not look at strategies"):
        run.regret()


# --- what is measured


def test_series_agree_with_regret_and_stay_below_their_bounds() -> None:
    run = play_game(bimatrix(7, 4, 4), [BlumMansour(4), RegretMatching(4)], 200)
    found = run.regret(0)
    for kind in ("external", "internal", "swap"):
        series = run.series(0, kind)
        assert series.rounds.tolist() == list(range(1, 201))
        assert series.regret[-1] == pytest.approx(getattr(found, kind).gain, abs=1e-9)
        expected = [
            regret_bound(BlumMansour(4), t, kind=kind, residual=run.players[0].residual).value
            for t in (1, 50, 200)
        ]
        np.testing.assert_allclose(series.bound[[0, 49, 199]], expected)
        np.testing.assert_allclose(series.ratio, series.regret / series.bound)
        assert series.ratio.max() < 1
        assert not series.broken
        for ratio, broken in ((1 + 1e-12, False), (1.001, True)):
            other = replace(series, ratio=np.append(series.ratio[1:], ratio))
            assert other.broken == broken == ("Regret is above what" in str(other))
            assert other != series
    nothing = run.series("player 2", "swap", rounds=[10, 20])
    assert np.isnan(nothing.bound).all()
    assert np.isnan(nothing.ratio).all()
    assert "no proven bound on swap regret" in str(nothing)


def test_gaps_are_those_of_the_average_play() -> None:
    game = bimatrix(8, 3, 4)
    run = play_game(game, [Hedge(3), BestResponse(4)], 120)
    gaps = equilibrium_gaps(game, run.distribution())
    series = run.equilibrium_gaps()
    assert series.cce[-1] == pytest.approx(gaps.cce, abs=1e-12)
    assert series.ce[-1] == pytest.approx(gaps.ce, abs=1e-12)
    assert len(series.rounds) == 120
    few = run.equilibrium_gaps([1, 120])
    np.testing.assert_allclose(few.cce, series.cce[[0, -1]])


def test_a_lone_player_is_in_no_equilibrium() -> None:
    run = play_against(Hedge(2), np.zeros((3, 2)), 3, actions=2)
    with pytest.raises(InvalidInputError, match="of one player"):
        run.equilibrium_gaps()
    with pytest.raises(InvalidInputError, match="of no game in normal form"):
        run.distribution()
    with pytest.raises(UnknownNameError):
        run.regret(1)
    with pytest.raises(UnknownNameError):
        run.regret("teh learner")
    with pytest.raises(UnknownNameError):
        run.series(kind="regret")


def test_one_action_has_a_ratio_of_zero() -> None:
    run = play_against(Hedge(1), np.zeros((3, 1)), 3, actions=1)
    assert run.series().ratio.tolist() == [0, 0, 0]


def test_records_cannot_be_changed() -> None:
    run = play_game(bimatrix(0, 2, 2), [Hedge(2), Hedge(2)], 3)
    for own in run.players:
        for array in (own.plays, own.observations):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


def test_learners_get_copies_of_what_is_recorded() -> None:
    class Vandal(Uniform):
        def observe(self, rewards: Any) -> None:
            rewards[:] = nan

    run = play_game(bimatrix(0, 2, 2), [Vandal(2), Hedge(2)], 3)
    assert np.isfinite(run.players[0].observations).all()


def test_a_run_reads_well() -> None:
    run = play_game(
        NormalFormGame.bimatrix([[0, 1], [1, 0]], [[1, 0], [0, 1]], title="Pennies"),
        [Hedge(2), BlumMansour(2, rounds=20)],
        20,
    )
    text = str(run)
    assert text.startswith("Pennies: 20 rounds\nplayer")
    assert "Hedge(2)" in text
    assert "BlumMansour(2, rate=" in text
    for shown in (run, run.series(0), run.equilibrium_gaps()):
        assert "<table>" in shown._repr_html_()
    assert "bound pathwise" in str(run.series(0))


def test_what_the_rounds_of_a_slower_path_cost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code comes when all rounds together are worth it, not when one is."""
    told = []
    known = compiling._KERNELS[_kernels.weigh]
    monkeypatch.setattr(known, "exact", None)
    monkeypatch.setattr(known, "choose", lambda work: told.append(work) or known._plain)
    game = NormalFormGame.bimatrix(np.eye(2), np.eye(2))
    sparse = FTPL(2, rng=np.random.default_rng(0), samples=2)
    play_game(game, [sparse, Hedge(2)], 7)
    assert sum(told) == 7 * 2 * 4
