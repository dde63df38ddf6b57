"""TrueSkill beside the library trueskill, whose messages are sent until nothing moves."""

from __future__ import annotations

import random
import warnings
from types import ModuleType
from typing import Any

import peers
import pytest

from theory.ratings import Scores, TrueSkill, trueskill_ratings

SETTINGS: tuple[dict[str, float], ...] = (
    {},
    {"mu": 1200.0, "sigma": 400.0, "beta": 200.0, "tau": 4.0, "draw_probability": 0.3},
)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The library, which stops after ten rounds unless told otherwise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = peers.trueskill()

    def patient(*ends: int) -> range:
        return range(60) if ends == (10,) else range(*ends)

    monkeypatch.setattr(module, "range", patient)
    return module


def rated(library: ModuleType, played: list[Scores], given: dict[str, float]) -> dict[str, Any]:
    environment = library.TrueSkill(backend="scipy", **given)
    ratings: dict[str, Any] = {}
    for game in played:
        names = list(game)
        for name in names:
            ratings.setdefault(name, environment.create_rating())
        better = sorted(set(game.values()), reverse=True)
        ranks = [better.index(game[name]) for name in names]
        teams = [(ratings[name],) for name in names]
        found = environment.rate(teams, ranks=ranks, min_delta=1e-8)
        ratings |= {name: rating for name, (rating,) in zip(names, found, strict=True)}
    return ratings


@pytest.mark.parametrize("given", SETTINGS, ids=["default", "others"])
@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_moments_are_those_of_the_library(
    library: ModuleType, players: int, given: dict[str, float]
) -> None:
    draw = random.Random(players)
    for _ in range(2):
        played: list[Scores] = [
            {name: draw.randint(0, 3) for name in draw.sample("abcdef", players)} for _ in range(3)
        ]
        found = trueskill_ratings(played, TrueSkill(ties="chain", **given))  # type: ignore[arg-type]
        expected = rated(library, played, given)
        unit = given.get("sigma", 25 / 3)
        for name, mu, sigma in zip(found.players, found.value, found.sigma, strict=True):
            rating = expected[str(name)]
            assert abs(mu - rating.mu) < 1e-9 * unit
            assert abs(sigma - rating.sigma) < 1e-9 * unit


def test_the_margin_is_that_of_the_library(library: ModuleType) -> None:
    margin = library.calc_draw_margin(0.10, 2, library.TrueSkill(backend="scipy"))
    assert abs(TrueSkill().draw_margin - margin) < 1e-12
