"""Free-for-all games as they are given: the score of each player, where more is better."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import isfinite
from numbers import Real
from typing import Any

from theory.errors import InvalidInputError, NumberError
from theory.shared.arguments import read_tuple

__all__ = ["PlayedGames", "RankedGame", "Scores", "read_games"]

Scores = Mapping[Any, Fraction | float | int]
"""One game: the score of each of its players. Equal scores are a tie."""


@dataclass(frozen=True, slots=True)
class RankedGame:
    """The players of a game, best first, and the sizes of the groups that tie."""

    order: tuple[int, ...]
    groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games whose players are numbered in the order in which they first appear."""

    players: tuple[Hashable, ...]
    scores: tuple[dict[int, Any], ...]

    @property
    def ranked(self) -> tuple[RankedGame, ...]:
        """Return each game as a ranking; within a tie the players keep the order of the game."""
        return tuple(map(_rank, self.scores))

    def pairs(self) -> list[tuple[int, int, int, Fraction]]:
        """Return (game, player, opponent, score of the player) for every pair of every game."""
        return [
            (number, a, b, Fraction(1 + (scores[a] > scores[b]) - (scores[a] < scores[b]), 2))
            for number, scores in enumerate(self.scores)
            for i, a in enumerate(scores)
            for b in list(scores)[i + 1 :]
        ]


def _rank(scores: dict[int, Any]) -> RankedGame:
    order = sorted(scores, key=lambda player: scores[player], reverse=True)
    groups = tuple(len(list(tied)) for _, tied in groupby(order, key=lambda p: scores[p]))
    return RankedGame(tuple(order), groups)


def read_games(games: Sequence[Scores]) -> PlayedGames:
    """Return games of at least two players each, with their players numbered.

    Raises
    ------
    InvalidInputError
        For no games, for what is no mapping from players to scores, and for fewer than two players.
    NumberError
        For a score that is not a finite real number.
    """
    number: dict[Hashable, int] = {}
    read = []
    for k, game in enumerate(read_tuple("games", games, "give a list of games")):
        where = f"games[{k}]"
        if not isinstance(game, Mapping):
            fix = 'give the score of each player, such as {"a": 10, "b": 5}'
            raise InvalidInputError(where, game, "is no mapping", fix)
        if len(game) < 2:
            raise InvalidInputError(where, game, "has fewer than two players", "leave it out")
        for player, score in game.items():
            if type(score) is bool or not isinstance(score, Real) or not isfinite(score):
                fix = "give a finite number"
                raise NumberError(f"{where}[{player!r}]", score, "is no score", fix)
        read.append({number.setdefault(p, len(number)): score for p, score in game.items()})
    if not read:
        raise InvalidInputError("games", games, "is empty", "give at least one game")
    return PlayedGames(tuple(number), tuple(read))
