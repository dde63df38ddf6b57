"""Ratings game by game, over the orders of the games, and among identical players."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import factorial
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.ratings._games import RankedGame, Scores, read_games
from theory.ratings._results import NoiseFloor, OrderAverage, SkillRatings
from theory.ratings._runs import History, SequentialModel, in_orders, play_runs, shuffled
from theory.ratings._trueskill import TrueSkill
from theory.shared.arguments import instance_of, read_count, read_generator, read_positive, refusing

__all__ = [
    "average_over_orders",
    "noise_floor",
    "read_level",
    "shuffled_floor",
    "trueskill_ratings",
]

_RECHECKED: Final = 3
_TOLERANCE: Final = 1e-8
_MOST_PLAYERS: Final = 50


def read_level(level: Any) -> float:
    """Return a probability strictly between 0 and 1.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    if read_positive("level", level) >= 1:
        raise InvalidInputError("level", level, "is not below 1", "give a probability such as 0.95")
    return float(level)


@refusing
def trueskill_ratings(
    games: Sequence[Scores], model: TrueSkill | None = None, *, level: float = 0.95
) -> SkillRatings:
    """Return the posterior skill of each player after the games in the order given.

    ``games`` are mappings from players to scores, where more is better and equal scores tie.
    ``interval`` holds the skill with probability ``level`` under the model's normal posterior. It
    takes the order of the games as given: see :func:`average_over_orders`.

    Raises
    ------
    InvalidInputError
        For games that cannot be read, and for ties where the model's probability of a draw is 0.

    Examples
    --------
    >>> print(trueskill_ratings([{"a": 2, "b": 1}]))
    TrueSkill after 1 games
    player  rating  from   to     sigma
    ──────  ──────  ─────  ─────  ─────
    a       29.40   15.34  43.45  7.17
    b       20.60   6.55   34.66  7.17
    from, to: posterior of the skill, 95%
    """
    model = TrueSkill() if model is None else model
    instance_of("model", model, TrueSkill, "give TrueSkill()")
    quantile = NormalDist().inv_cdf((1 + read_level(level)) / 2)
    played = read_games(games)
    order = np.arange(len(played.scores))[np.newaxis]
    state, histories = play_runs(model, 1, len(played.players), in_orders(played.ranked, order))
    means, deviations = state[0, :, 0], np.sqrt(state[0, :, 1])
    reach = quantile * deviations
    return SkillRatings(
        method=model.name,
        players=played.players,
        value=tuple(means.tolist()),
        sigma=tuple(deviations.tolist()),
        interval=tuple(zip((means - reach).tolist(), (means + reach).tolist(), strict=True)),
        interval_of="posterior of the skill",
        level=level,
        games=len(played.scores),
        gap=model.gap(histories[0], state[0]),
        tolerance=_TOLERANCE * model.scale,
    )


@refusing
def average_over_orders(
    games: Sequence[Scores],
    model: SequentialModel | None = None,
    *,
    rng: np.random.Generator | None = None,
    orders: int = 1000,
    level: float = 0.95,
) -> OrderAverage:
    """Return the ratings averaged over the orders of the games.

    All orders are gone through where there are at most ``orders``; else so many are drawn from
    ``rng``, and ``interval`` is the mean's normal confidence interval. ``deviation``, ``lowest``
    and ``highest`` say how much the order of the games alone moves a rating.

    Raises
    ------
    InvalidInputError
        For games that cannot be read, and for a missing generator where orders are drawn.

    Examples
    --------
    >>> average = average_over_orders([{"a": 1, "b": 0}, {"b": 1, "a": 0}])
    >>> print(average)
    TrueSkill after 2 games
    player  rating  from   to     deviation  lowest  highest
    ──────  ──────  ─────  ─────  ─────────  ──────  ───────
    a       25.00   25.00  25.00  1.64       23.36   26.64
    b       25.00   25.00  25.00  1.64       23.36   26.64
    from, to: mean over all 2 orders, 95%
    """
    model = TrueSkill() if model is None else model
    played, level = read_games(games), read_level(level)
    count = len(played.scores)
    read_count("orders", orders)
    rng = rng if rng is None else read_generator(rng)
    exact = count < 20 and factorial(count) <= orders
    if exact:
        tried = np.array(list(permutations(range(count))))
    else:
        drawn = np.tile(np.arange(count), (orders, 1))
        tried = _require_rng(rng, "so many games have more orders").permuted(drawn, axis=1)
    steps = in_orders(played.ranked, tried)
    state, kept = play_runs(model, len(tried), len(played.players), steps, _RECHECKED)
    found = model.values(state)
    mean, deviation = found.mean(axis=0), found.std(axis=0)
    reach = 0.0 if exact else NormalDist().inv_cdf((1 + level) / 2) / (len(tried) - 1 or 1) ** 0.5
    low, high = mean - reach * deviation, mean + reach * deviation
    how = f"mean over all {len(tried):,} orders"
    return OrderAverage(
        method=model.name,
        players=played.players,
        value=tuple(mean.tolist()),
        interval=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        interval_of=how if exact else f"{how[:10]}orders, of which {len(tried):,} were drawn",
        level=level,
        games=count,
        gap=_largest_gap(model, kept, state),
        tolerance=_TOLERANCE * model.scale,
        deviation=tuple(deviation.tolist()),
        lowest=tuple(found.min(axis=0).tolist()),
        highest=tuple(found.max(axis=0).tolist()),
        orders=len(tried),
        exact=exact,
    )


def _require_rng(rng: np.random.Generator | None, why: str) -> np.random.Generator:
    if rng is None:
        fix = "give numpy.random.default_rng(seed)"
        raise InvalidInputError("rng", rng, f"is missing, and {why} than are gone through", fix)
    return rng


def _largest_gap(model: SequentialModel, kept: list[History], state: np.ndarray) -> float:
    return max(model.gap(history, final) for history, final in zip(kept, state, strict=False))


@refusing
def noise_floor(
    players: int,
    games: int,
    model: SequentialModel | None = None,
    *,
    rng: np.random.Generator | None = None,
    runs: int = 20_000,
    level: float = 0.95,
) -> NoiseFloor:
    """Return the law of the spread of the ratings of identical players, who never tie.

    Every ranking of each game has the same probability. All outcomes are gone through where there
    are at most ``runs``, that is (players!)^games; else so many are drawn from ``rng``.

    Examples
    --------
    >>> print(noise_floor(3, 2))
    TrueSkill of 3 identical players after 2 games (all 36 outcomes):
    95% of spreads are at most 18.49, the mean spread is 10.67, the deviation of a rating 5.088.
    """
    model = TrueSkill() if model is None else model
    read_count("players", players, 2, _MOST_PLAYERS)
    read_count("games", games)
    read_count("runs", runs)
    rng = rng if rng is None else read_generator(rng)
    everyone = tuple(range(players))
    untied = RankedGame(everyone, (1,) * players)
    rankings = factorial(players)
    if games * np.log(rankings) <= np.log(runs) + 1e-9:
        each = np.array(list(permutations(everyone)))
        outcomes = each[np.array(list(product(range(rankings), repeat=games)))]
        whole = np.arange(len(outcomes))
        steps = ([(whole, outcomes[:, g], untied.groups)] for g in range(games))
        state, kept = play_runs(model, len(outcomes), players, steps, _RECHECKED)
        return _floor(model, state, kept, games, level, exact=True)
    drawn = shuffled([untied] * games, runs, _require_rng(rng, "there are more outcomes"))
    state, kept = play_runs(model, runs, players, drawn, _RECHECKED)
    return _floor(model, state, kept, games, level, exact=False)


@refusing
def shuffled_floor(
    games: Sequence[Scores],
    rng: np.random.Generator,
    model: SequentialModel | None = None,
    *,
    runs: int = 10_000,
    level: float = 0.95,
) -> NoiseFloor:
    """Return the law of the spread if the places of each game went to its players at random.

    This is the floor of the games that were played, with their ties and their absent players: for
    identical players every way to give the places of a game to its players is equally likely. So
    ``share_above(spread)`` is the p-value of a permutation test that the players are identical.

    Examples
    --------
    >>> floor = shuffled_floor([{"a": 1, "b": 0, "c": 0}] * 5, np.random.default_rng(0), runs=500)
    >>> floor.share_above(12.0) < 0.05
    True
    """
    model = TrueSkill() if model is None else model
    played = read_games(games)
    steps = shuffled(played.ranked, read_count("runs", runs), read_generator(rng))
    state, kept = play_runs(model, runs, len(played.players), steps, _RECHECKED)
    return _floor(model, state, kept, len(played.scores), level, exact=False)


def _floor(
    model: SequentialModel,
    state: np.ndarray,
    kept: list[History],
    games: int,
    level: float,
    *,
    exact: bool,
) -> NoiseFloor:
    found = model.values(state)
    spreads = np.sort(found.max(axis=1) - found.min(axis=1))
    runs = len(spreads)
    place = read_level(level) * runs
    reach = 0.0 if exact else 1.96 * (place * (1 - level)) ** 0.5
    at = [max(0, min(runs - 1, int(np.ceil(place + s * reach)) - 1)) for s in (-1, 0, 1)]
    low, value, high = (float(spreads[k]) for k in at)
    return NoiseFloor(
        method=model.name,
        players=found.shape[1],
        games=games,
        runs=runs,
        level=level,
        value=value,
        interval=(low, high),
        deviation=float(found.std()),
        mean_spread=float(spreads.mean()),
        law=spreads,
        exact=exact,
        gap=_largest_gap(model, kept, state),
        tolerance=_TOLERANCE * model.scale,
    )
