"""Mean scores: exact means, Student's and resampled intervals, and what they cover."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from theory.errors import InvalidInputError
from theory.ratings import Scores, mean_scores
from theory.ratings import _means as solver

PLAYED: list[Any] = [{"a": 3, "b": 1}, {"a": 1, "b": 2}, {"a": 5, "b": 0}, {"a": 2, "b": 2}]


def test_means_of_exact_scores_are_exact() -> None:
    played: list[Scores] = [{"a": Fraction(1, 3), "b": 1}, {"a": Fraction(1, 2), "b": 0.5}]
    found = mean_scores(played, np.random.default_rng(0))
    assert found.value[0] == Fraction(5, 12)
    assert isinstance(found.value[0], Fraction)
    assert found.value[1] == 0.75
    assert isinstance(found.value[1], float)
    assert found.gap == 0


def test_students_interval_is_scipys() -> None:
    found = mean_scores(PLAYED, np.random.default_rng(0), interval="student", level=0.9)
    for player, name in enumerate("ab"):
        scores = [float(game[name]) for game in PLAYED]
        expected = stats.t.interval(0.9, 3, loc=np.mean(scores), scale=stats.sem(scores))
        assert found.interval[player] == pytest.approx(expected)


def test_resampled_intervals_are_those_of_all_resamples() -> None:
    """All 256 ways to draw four of four games; a percentile moves by chance only between atoms."""
    means = [
        np.mean([[PLAYED[k]["a"], PLAYED[k]["b"]] for k in drawn], axis=0)
        for drawn in product(range(4), repeat=4)
    ]
    found = mean_scores(PLAYED, np.random.default_rng(1), resamples=40_000)
    for player in range(2):
        each = np.array([m[player] for m in means], dtype=float)
        low, high = found.interval[player]
        assert np.mean(each < low) <= 0.03 <= np.mean(each <= low) + 0.012
        assert np.mean(each > high) <= 0.03 <= np.mean(each >= high) + 0.012
        ahead = np.mean([m[player] > m[1 - player] for m in means])
        assert abs(found.ahead[player] - ahead) < 5 * 0.5 / 40_000**0.5


def test_games_are_resampled_whole() -> None:
    """The difference of two players is the same in every game, so one is always ahead."""
    rng = np.random.default_rng(2)
    played: list[Any] = [{"a": s + 1, "b": s} for s in rng.normal(0, 100, 20).tolist()]
    found = mean_scores(played, rng)
    assert found.ahead == (1.0, 0.0)
    assert found.interval[0][0] < found.value[1], "though their intervals overlap"


def test_absent_players_are_averaged_over_their_games() -> None:
    played: list[Scores] = [{"a": 3, "b": 1}, {"a": 1, "c": 2}, {"c": 4, "b": 3}]
    found = mean_scores(played, np.random.default_rng(3))
    assert dict(zip(found.players, found.value, strict=True)) == {"a": 2, "b": 2, "c": 3}
    assert all(
        low <= value <= high for value, (low, high) in zip(found.value, found.interval, strict=True)
    )


def test_units_are_changed_and_seats_permuted_by_nobody() -> None:
    before = mean_scores(PLAYED, np.random.default_rng(4))
    played: list[Scores] = [{p: 10 * s - 7 for p, s in game.items()} for game in PLAYED]
    after = mean_scores(played, np.random.default_rng(4))
    swapped = mean_scores(
        [dict(reversed(list(game.items()))) for game in PLAYED], np.random.default_rng(4)
    )
    for player in range(2):
        assert after.value[player] == 10 * before.value[player] - 7
        assert after.interval[player] == pytest.approx(
            [10 * x - 7 for x in before.interval[player]]
        )
        assert swapped.interval[1 - player] == pytest.approx(before.interval[player])
    assert after.ahead == before.ahead


def test_students_intervals_cover_and_percentiles_of_few_games_cover_less() -> None:
    """Ten normal scores: 95% for Student, about 90% for percentiles."""
    rng = np.random.default_rng(5)
    covered = {"student": 0, "bootstrap": 0}
    for _ in range(300):
        played: list[Any] = [
            dict(zip("ab", row, strict=True)) for row in rng.normal(size=(10, 2)).tolist()
        ]
        for kind in covered:
            found = mean_scores(played, rng, interval=kind, resamples=300)  # type: ignore[arg-type]
            covered[kind] += sum(low <= 0 <= high for low, high in found.interval)
    assert 0.925 < covered["student"] / 600 < 0.975
    assert 0.85 < covered["bootstrap"] / 600 < 0.935


def test_the_gap_sees_a_wrong_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_mean", lambda scores: sum(scores[:-1]) / len(scores))
    found = mean_scores(PLAYED, np.random.default_rng(0))
    assert math.isclose(found.gap, 0.5)
    assert not found.holds


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="is a player of one game"):
        mean_scores([{"a": 1, "b": 2}, {"a": 1, "c": 2}], np.random.default_rng(0))
    with pytest.raises(InvalidInputError, match="games is empty"):
        mean_scores([], np.random.default_rng(0))
