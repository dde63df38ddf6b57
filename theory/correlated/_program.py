"""The linear programs over the correlated and the coarse correlated equilibria of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, get_args

import numpy as np

from theory.errors import InvalidInputError, ShapeError, UnknownNameError, nearest
from theory.normal_form import NormalFormGame
from theory.normal_form.kinds import read_numbers
from theory.numbers import Exact, Numbers
from theory.shared.shapes import Int64

__all__ = [
    "Concept",
    "Deviation",
    "Objective",
    "check_concept",
    "deviations",
    "objective_of",
    "sizes",
]

Concept = Literal["ce", "cce"]
Objective = Literal["max_welfare", "min_welfare"]


@dataclass(frozen=True, eq=False)
class Deviation:
    """One constraint: player p must not gain by playing ``target`` where ``source`` is told.

    Σ over ``profiles`` of x(a) losses(a) ≥ 0 with losses(a) = u_p(a) - u_p(target, a_-p), where
    ``profiles`` are those with a_p = source, or all of them where ``source`` is None.
    """

    player: int
    source: int | None
    target: int
    profiles: Int64[np.ndarray, " n"]
    losses: Numbers


def check_concept(concept: object) -> None:
    """Refuse what is neither "ce" nor "cce"."""
    if concept not in get_args(Concept):
        raise UnknownNameError(
            "concept", concept, "is no concept", nearest(concept, get_args(Concept))
        )


def sizes(shape: Sequence[int], concept: str) -> tuple[int, int, int]:
    """Return how many rows, columns and possibly nonzero entries the program has."""
    profiles = prod(shape)
    rows = sum(n * (n - 1) if concept == "ce" else n for n in shape) + 1
    return rows, profiles, profiles * (sum(shape) - (len(shape) if concept == "ce" else 0) + 1)


def deviations(game: NormalFormGame, concept: str) -> Iterator[Deviation]:
    """Return the constraints of all players, but for those that every distribution meets."""
    places = np.arange(prod(game.shape), dtype=np.int64).reshape(game.shape)
    for p, count in enumerate(game.shape):
        payoffs = game.payoffs[p]
        by_action = np.moveaxis(places, p, 0).reshape(count, -1)
        if concept == "cce":
            every = by_action.ravel()
            for j in range(count):
                losses = payoffs[every] - payoffs[np.tile(by_action[j], count)]
                if losses.signs().any():
                    yield Deviation(p, None, j, every, losses)
            continue
        for i in range(count):
            for j in range(count):
                losses = payoffs[by_action[i]] - payoffs[by_action[j]]
                if i != j and losses.signs().any():
                    yield Deviation(p, i, j, by_action[i], losses)


def objective_of(game: NormalFormGame, objective: Any) -> tuple[Numbers, bool, str]:
    """Return the players' weights, whether to maximise, and what to call the objective."""
    count = len(game.players)
    if isinstance(objective, str):
        if objective not in get_args(Objective):
            raise UnknownNameError(
                "objective", objective, "is no objective", nearest(objective, get_args(Objective))
            )
        welfare = "least welfare" if objective == "min_welfare" else "greatest welfare"
        return Exact(np.ones(count, dtype=np.int64)), objective != "min_welfare", welfare
    if not isinstance(objective, Sequence | np.ndarray):
        raise InvalidInputError(
            "objective", objective, "is neither a name nor weights", 'give "max_welfare" or weights'
        )
    weights = read_numbers(objective, "objective")
    if weights.shape != (count,):
        raise ShapeError("objective", weights.shape, f"is not {count} weights", "give one a player")
    return weights, True, f"greatest sum with weights {', '.join(map(str, weights.scalars()))}"
