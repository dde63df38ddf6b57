"""The conditional logit: closed forms, Bradley-Terry as a case, drawn choices, planted errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from theory import logit
from theory.errors import InvalidInputError
from theory.logit import Choice, fit_logit
from theory.ratings import bradley_terry


def draw(beta: np.ndarray, count: int, seed: int) -> list[Choice]:
    """Return choices of one who follows the law, from tables of random features."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        table = rng.normal(size=(rng.integers(2, 5), len(beta)))
        noise = rng.gumbel(size=len(table))  # the largest of worth plus noise follows the law
        found.append(Choice(table, int(np.argmax(table @ beta + noise)), number // 4))
    return found


def test_two_alternatives_by_hand() -> None:
    """Three of four choose what costs 2: odds 3 = exp(-2β)."""
    fit = fit_logit([Choice([[0], [2]], 1)] * 3 + [Choice([[0], [2]], 0)], ("price",))
    assert fit.value[0] == pytest.approx(math.log(3) / 2)
    assert fit.standard_error[0] == pytest.approx(math.sqrt(1 / (4 * 3 / 16 * 4)))
    low, high = fit.interval[0]
    assert (high - low) / 2 == pytest.approx(1.959964 * fit.standard_error[0])
    assert fit.holds
    assert fit.law([[10_000], [0]]).tolist() == [1, 0]


def test_choices_of_no_cluster_stand_alone() -> None:
    choices = [Choice([[0], [2]], 1, cluster) for cluster in (None, None, 0)]
    assert fit_logit([*choices, Choice([[0], [2]], 0, 1)], ("price",)).clusters == 4


def test_games_of_two_are_choices_between_players() -> None:
    games = [{"a": 1, "b": 0}] * 3 + [{"b": 1, "a": 0}, {"c": 1, "a": 0}, {"b": 1, "c": 0}]
    strengths = bradley_terry(games)
    table = {"a": [0, 0], "b": [1, 0], "c": [0, 1]}
    choices = []
    for game in games:
        names = [*game]
        won = max(names, key=lambda name: game[name])
        choices.append(Choice([table[name] for name in names], names.index(won)))
    fit = fit_logit(choices, ("b", "c"))
    for name, value in zip("bc", fit.value, strict=True):
        assert value == pytest.approx(strengths.of(name) - strengths.of("a"), abs=1e-7)


def test_coefficients_come_back_within_their_intervals() -> None:
    beta = np.array([0.5, -1.0, 0.25])
    covered = np.zeros(3)
    for seed in range(20):
        fit = fit_logit(draw(beta, 120, seed), ("x", "y", "z"))
        assert fit.holds
        covered += [low <= b <= high for b, (low, high) in zip(beta, fit.interval, strict=True)]
    assert covered.min() >= 16, "of 20 intervals of 95%, 19 are expected to cover"


def test_units_order_and_what_is_common_to_all_change_nothing() -> None:
    choices = draw(np.array([1.0, -0.5]), 60, 3)
    before = fit_logit(choices, ("x", "y"))
    moved = []
    for choice in reversed(choices):
        table = choice.alternatives[::-1] * [2, 10] + [5, -3]
        moved.append(Choice(table, len(table) - 1 - choice.chosen, choice.cluster))
    after = fit_logit(moved, ("x", "y"))
    np.testing.assert_allclose(np.multiply(after.value, [2, 10]), before.value, rtol=1e-6)
    np.testing.assert_allclose(
        np.multiply(after.standard_error, [2, 10]), before.standard_error, rtol=1e-6
    )


def test_choices_that_repeat_within_a_cluster_tell_no_more() -> None:
    single = [Choice([[0], [2]], k) for k in (1, 1, 1, 0)]
    many = [Choice(c.alternatives, c.chosen, n) for n, c in enumerate(single) for _ in range(25)]
    alone = fit_logit([Choice(c.alternatives, c.chosen) for c in many], ("price",))
    fit = fit_logit(many, ("price",))
    assert fit.clusters == 4
    assert fit.standard_error[0] == pytest.approx(5 * alone.standard_error[0], rel=1e-6)


@pytest.mark.parametrize("coefficient", [0, 1])
def test_the_gap_sees_a_wrong_coefficient(
    coefficient: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each choice is by one feature alone, so that the other entry of the gradient stays 0."""
    offered = ([[0, 0], [1, 0]], [[0, 0], [0, 1]])
    choices = [Choice(table, chosen) for table in offered for chosen in (0, 1, 1, 1)]
    climb = logit._climb

    def faulty(*given: Any) -> Any:
        found = climb(*given)
        found[coefficient] += 1e-4
        return found

    monkeypatch.setattr(logit, "_climb", faulty)
    fit = fit_logit(choices, ("x", "y"))
    assert not fit.holds
    assert "do not trust" in str(fit)


def test_what_has_no_finite_coefficients_is_told() -> None:
    with pytest.raises(InvalidInputError, match="without error"):
        fit_logit([Choice([[0], [2]], 1), Choice([[0], [3]], 1)], ("price",))
    with pytest.raises(InvalidInputError, match="do not tell x, y apart"):
        fit_logit([Choice([[0, 0], [2, 4]], k) for k in (0, 1)], ("x", "y"))
    sure = [Choice([[0, 0], [2, 1]], k) for k in (0, 1)] + [Choice([[0, 0], [0, 1]], 1)]
    with pytest.raises(InvalidInputError, match="without error"):
        fit_logit(sure, ("x", "y"))


def test_bad_choices_are_refused() -> None:
    wrong: list[tuple[Any, int]] = [([[math.nan]], 0), ([1, 2], 0), ([[1], [2]], 2), ([], 0)]
    wrong += [([[1, 2], [3]], 0), ([["a"]], 0), (object(), 1)]
    for table, chosen in wrong:
        with pytest.raises(InvalidInputError):
            Choice(table, chosen)
    with pytest.raises(InvalidInputError, match="are none"):
        fit_logit([], ("x",))
    with pytest.raises(InvalidInputError, match="name each feature"):
        fit_logit([Choice([[1], [2]], 0)], ("x", "y"))
