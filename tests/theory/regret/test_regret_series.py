"""Regret as the rounds go by: at each round it is the regret of what came before."""

from __future__ import annotations

from inspect import unwrap
from typing import Any

import numpy as np
import pytest

import theory.regret._history
import theory.regret._series
from theory.actions import Features, ListedActions, SoftmaxStrategy, SparseStrategy
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.regret import RegretSeries, regret, regret_on, regret_series, regret_series_on


def history(seed: int, rounds: int = 40, n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    plays = rng.dirichlet(np.full(n, 0.4), size=rounds)
    plays[::3] = np.eye(n)[rng.integers(n, size=len(plays[::3]))]
    return plays, rng.normal(size=(rounds, n))


def columns(found: RegretSeries) -> np.ndarray:
    assert found.external is not None
    assert found.internal is not None
    assert found.swap is not None
    return np.column_stack([found.external, found.internal, found.swap])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_every_round_has_the_regret_of_the_rounds_before(n: int) -> None:
    plays, rewards = history(0, n=n)
    found = regret_series(plays, rewards)
    assert found.rounds.tolist() == list(range(1, 41))
    for t, row in zip(found.rounds, columns(found), strict=True):
        whole = regret(plays[:t], rewards[:t])
        gains = [float(part.gain) for part in (whole.external, whole.internal, whole.swap)]
        assert np.allclose(row, gains, rtol=0, atol=1e-12)
    assert found.gap <= found.tolerance


def test_rounds_that_are_asked_for_are_rows_of_all() -> None:
    plays, rewards = history(1)
    some, every = regret_series(plays, rewards, [3, 17, 30]), regret_series(plays, rewards)
    assert (columns(some) == columns(every)[[2, 16, 29]]).all()
    assert some.rounds.tolist() == [3, 17, 30]
    assert some.gap <= some.tolerance


def test_relations_between_histories() -> None:
    plays, rewards = history(2)
    base = columns(regret_series(plays, rewards))
    order = np.random.default_rng(0).permutation(5)
    shifted = rewards + np.arange(40)[:, None]
    assert np.allclose(columns(regret_series(plays[:, order], rewards[:, order])), base, atol=1e-12)
    assert np.allclose(columns(regret_series(plays, shifted)), base, rtol=0, atol=1e-10)
    assert (columns(regret_series(plays, 4 * rewards)) == 4 * base).all()
    doubled = regret_series(np.repeat(plays, 2, axis=0), np.repeat(rewards, 2, axis=0))
    assert np.allclose(columns(doubled)[1::2], 2 * base, rtol=0, atol=1e-11)


def test_averages_and_what_is_shown() -> None:
    found = regret_series(*history(3, rounds=200))
    assert found.external is not None
    assert (found.average("external") == found.external / found.rounds).all()
    shown = str(found)
    assert len(shown.splitlines()) == 13
    assert shown.splitlines()[-1].startswith("200 ")
    assert "internal" in found._repr_html_()
    with pytest.raises(UnknownNameError, match="did you mean 'internal'"):
        found.average("intern")


def test_plays_may_be_sparse_and_whole() -> None:
    _, rewards = history(4)
    picks = np.random.default_rng(4).integers(5, size=40)
    sparse = [SparseStrategy.pure(int(a), 5) for a in picks]
    whole = [[int(a == b) for b in range(5)] for a in picks]
    assert (columns(regret_series(sparse, rewards)) == columns(regret_series(whole, rewards))).all()


def test_the_recheck_finds_a_wrong_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    import theory.regret._kernels as kernels

    plays, rewards = history(5)
    true = kernels.regrets_at
    monkeypatch.setattr(kernels, "regrets_at", lambda *a: true(*a) * (1 + 1e-9))
    found = regret_series(plays, rewards)
    assert found.gap > found.tolerance


# --- on sets


@pytest.mark.parametrize("actions", [ListedActions(5), Features(np.eye(5))])
def test_series_on_sets_are_series_on_lists(actions: Any) -> None:
    plays, rewards = history(6)
    at = [1, 7, 40]
    found = regret_series_on(actions, plays, rewards, at)
    assert np.allclose(columns(found), columns(regret_series(plays, rewards, at)), atol=1e-11)
    assert found.gap <= found.tolerance


def test_series_on_large_sets() -> None:
    rng = np.random.default_rng(7)
    actions, z = Features(rng.normal(size=(3000, 4))), rng.normal(size=(60, 4))
    plays = [SparseStrategy.empirical(row, 3000) for row in rng.integers(3000, size=(60, 6))]
    found = regret_series_on(actions, plays, z, [1, 20, 50])
    for row, t in zip(columns(found), (1, 20, 50), strict=True):
        whole = regret_on(actions, plays[:t], z[:t])
        gains = [float(part.gain) for part in (whole.external, whole.internal, whole.swap)]
        assert np.allclose(row, gains, rtol=0, atol=1e-12)
    fewer = regret_series_on(actions, plays, z, (1, 20, 50), kinds=["internal", "external"])
    assert fewer.swap is None
    assert fewer.internal is not None
    assert (fewer.internal == columns(found)[:, 1]).all()
    assert "swap" not in str(fewer)
    with pytest.raises(UnknownNameError, match="swap"):
        fewer.average("swap")
    alone = regret_series_on(actions, plays, z, [50], kinds=["external"])
    assert alone.external is not None
    assert alone.external[0] == columns(found)[2, 0]
    assert alone.gap <= alone.tolerance


def test_laws_over_too_many_actions_have_external_regret(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    actions, z = Features(rng.normal(size=(30, 3))), rng.normal(size=(20, 3))
    laws = [SoftmaxStrategy(actions, row) for row in z]
    known = regret_series_on(actions, laws, z, [5, 20])
    monkeypatch.setattr(theory.regret._history, "_WRITTEN", 10)
    found = regret_series_on(actions, laws, z, [5, 20], kinds=("external",))
    assert found.external is not None
    assert np.allclose(found.external, columns(known)[:, 0], rtol=0, atol=1e-12)
    assert found.gap <= found.tolerance
    with pytest.raises(LimitError, match="kinds="):
        regret_series_on(actions, laws, z, [5, 20])


# --- bad input


@pytest.mark.parametrize(
    ("rounds", "says"),
    [
        ([], "rounds is empty"),
        ([0], r"rounds\[0\] is out of order or out of range"),
        ([41], r"rounds\[0\] is out of order or out of range"),
        ([3, 3], r"rounds\[1\] is out of order"),
        ([3, 2], r"rounds\[1\] is out of order"),
        ([-1], r"rounds\[0\] is out of order"),
        ([1.5], r"rounds\[0\] is not a whole number"),
        ([True], r"rounds\[0\] is not a whole number"),
        ([None], r"rounds\[0\] is not a whole number"),
        (7, "rounds is no list"),
        ("12", "rounds is no list"),
    ],
)
def test_rounds_that_the_history_does_not_have_are_refused(rounds: Any, says: str) -> None:
    plays, rewards = history(9)
    with pytest.raises(InvalidInputError, match=says):
        unwrap(regret_series)(plays, rewards, rounds)
    with pytest.raises(InvalidInputError, match=says):
        unwrap(regret_series_on)(ListedActions(5), plays, rewards, rounds)


def test_bad_histories_are_refused() -> None:
    plays, rewards = history(10)
    with pytest.raises(ProbabilityError, match=r"plays\[0\] do not sum to one"):
        regret_series(plays * 2, rewards)
    with pytest.raises(ShapeError, match="plays has no rounds"):
        regret_series([], [])
    with pytest.raises(ExactnessError, match="write all numbers in one kind"):
        regret_series([["1/2", "1/2"]], [["1/3", 0]])


def test_more_actions_than_a_matrix_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theory.regret._series, "_ACTIONS", 4)
    with pytest.raises(LimitError, match="use regret_series_on"):
        regret_series(*history(11))


@pytest.mark.parametrize(
    ("kinds", "error", "says"),
    [
        ("external", InvalidInputError, "kinds is no list"),
        ([], InvalidInputError, "kinds is empty"),
        (["policy"], UnknownNameError, "kinds is no kind of regret"),
        (3, InvalidInputError, "kinds is no list"),
    ],
)
def test_kinds_that_there_are_not_are_refused(
    kinds: Any, error: type[Exception], says: str
) -> None:
    plays, rewards = history(12)
    with pytest.raises(error, match=says):
        unwrap(regret_series_on)(ListedActions(5), plays, rewards, [1], kinds=kinds)


def test_scalars_are_no_rounds_and_no_kinds() -> None:
    with pytest.raises(InvalidInputError, match="rounds is no list of rounds"):
        unwrap(regret_series)([[1.0]], [[1.0]], np.array(1))
    play = [SparseStrategy.pure(0, 2)]
    series = regret_series([[1.0]], [[1.0]])
    on = unwrap(regret_series_on)
    with pytest.raises(InvalidInputError, match="kinds is no list of kinds"):
        on(ListedActions(2), play, [[0.0, 1.0]], [1], kinds=np.array("swap"))
    for kind in ([], np.array(["swap", "swap"]), None):
        with pytest.raises(UnknownNameError, match="is no kind of regret"):
            on(ListedActions(2), play, [[0.0, 1.0]], [1], kinds=[kind])
        with pytest.raises(UnknownNameError, match="is not in the series"):
            unwrap(RegretSeries.average)(series, kind)


def test_the_least_rewards_are_confirmed_at_the_last_round() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        plays, rewards = rng.dirichlet(np.ones(3), size=5), 5e-324 * rng.integers(-3, 4, (5, 3))
        found = regret_series(plays, rewards)
        assert found.gap <= found.tolerance
