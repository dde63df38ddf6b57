"""Names of players and actions, and the numbers they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, ShapeError, UnknownNameError, nearest
from theory.probability import check_names

__all__ = ["action_names", "is_list", "number_of", "player_names"]


def player_names(players: object, count: int) -> tuple[str, ...]:
    """Return the players' names, or "player 1" and so on."""
    if players is None:
        return tuple(f"player {p}" for p in range(1, count + 1))
    return _names("players", players, count)


def action_names(actions: object, shape: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """Return the actions' names, player by player; without any they are their numbers from 0."""
    if actions is None:
        return tuple(tuple(map(str, range(count))) for count in shape)
    if isinstance(actions, str) or not isinstance(actions, Iterable):
        raise InvalidInputError("actions", actions, "is no list of lists", "list them by player")
    lists = list(actions)
    if len(lists) != len(shape):
        raise ShapeError("actions", lists, f"are not {len(shape)} lists", "give one a player")
    pairs = zip(lists, shape, strict=True)
    return tuple(_names(f"actions[{p}]", own, count) for p, (own, count) in enumerate(pairs))


def _names(argument: str, given: object, count: int) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInputError(argument, given, "is no list of names", "give a list of text")
    names = tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise InvalidInputError(argument, names, "are not all text", "name each with text")
    if len(names) != count:
        raise ShapeError(argument, names, f"are {len(names)} names", f"give {count}")
    check_names(argument, names)
    return names


def number_of(name: Any, names: Sequence[str], argument: str) -> int:
    """Return the number of a player or an action that is given by name or by number."""
    if isinstance(name, str):
        if name in names:
            return names.index(name)
        raise UnknownNameError(argument, name, "is not known", nearest(name, names))
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        if 0 <= name < len(names):
            return int(name)
        raise UnknownNameError(
            argument, name, "is out of range", f"give a number from 0 to {len(names) - 1}"
        )
    raise UnknownNameError(argument, name, "is neither a name nor a number", "give one of the two")


def is_list(given: object) -> bool:
    """Whether something has entries in order and is not text."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Sequence) and not isinstance(given, str)
