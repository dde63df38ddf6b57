"""Ratings that are updated game by game: many runs through the games advance together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from theory.ratings._games import RankedGame

__all__ = ["History", "SequentialModel", "in_orders", "play_runs", "shuffled"]

History = list[tuple[tuple[int, ...], tuple[int, ...], np.ndarray]]
"""One run: for each game the players best first, the sizes of tied groups, and the sites."""

Part = tuple[np.ndarray, np.ndarray, tuple[int, ...]]
"""Runs, the players that they seat (best first), and the sizes of tied groups."""


@runtime_checkable
class SequentialModel(Protocol):
    """A rating that is updated after each game; :class:`TrueSkill` and :class:`Elo` are."""

    @property
    def name(self) -> str:
        """What the ratings are called."""
        ...

    @property
    def scale(self) -> float:
        """The unit of the ratings."""
        ...

    def start(self, runs: int, players: int) -> np.ndarray:
        """Return what is known before the first game: an array of runs, players, numbers."""
        ...

    def advance(self, seated: np.ndarray, groups: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return what is known after a game of the players best first, and a certificate."""
        ...

    def values(self, state: np.ndarray) -> np.ndarray:
        """Return the ratings: runs, players."""
        ...

    def gap(self, history: History, final: np.ndarray) -> float:
        """Return how far a run is from what other code makes of it, in units of the ratings."""
        ...


def in_orders(games: Sequence[RankedGame], orders: np.ndarray) -> Iterator[list[Part]]:
    """Yield, step by step, the game that each run plays; runs of one pattern of ties together."""
    patterns = {game.groups: number for number, game in enumerate(games)}
    kind = np.array([patterns[game.groups] for game in games])
    place = np.zeros(len(games), dtype=np.int64)
    seats = {}
    for number in patterns.values():
        alike = np.flatnonzero(kind == number)
        place[alike] = np.arange(len(alike))
        seats[number] = np.array([games[g].order for g in alike.tolist()])
    for step in range(orders.shape[1]):
        game = orders[:, step]
        yield [
            (runs, seats[number][place[game[runs]]], groups)
            for groups, number in patterns.items()
            if len(runs := np.flatnonzero(kind[game] == number))
        ]


def shuffled(
    games: Sequence[RankedGame], runs: int, rng: np.random.Generator
) -> Iterator[list[Part]]:
    """Yield the games with their places given to their players at random, anew in each run."""
    everyone = np.arange(runs)
    for game in games:
        yield [(everyone, rng.permuted(np.tile(game.order, (runs, 1)), axis=1), game.groups)]


def play_runs(
    model: SequentialModel, runs: int, players: int, steps: Iterable[list[Part]], keep: int = 1
) -> tuple[np.ndarray, list[History]]:
    """Return what is known at the end of every run, and the history of the first few.

    O(runs x games x sweeps) for TrueSkill, O(runs x games) for Elo; memory O(runs x players²).
    """
    state = model.start(runs, players)
    histories: list[History] = [[] for _ in range(min(keep, runs))]
    for step in steps:
        for chosen, seats, groups in step:
            rows = chosen[:, np.newaxis]
            after, sites = model.advance(state[rows, seats], groups)
            state[rows, seats] = after
            for number in np.flatnonzero(chosen < len(histories)):
                order = tuple(seats[number].tolist())
                histories[chosen[number]].append((order, groups, sites[number]))
    return state, histories
