"""Joint distributions over the profiles of a game, read from what a user writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, NumberError, ShapeError
from theory.normal_form import NormalFormGame
from theory.normal_form.kinds import as_distribution, read_numbers, together
from theory.numbers import Numbers
from theory.shared.arguments import instance_of
from theory.shared.shapes import Int64

__all__ = ["JointDistribution", "read_joint"]


@dataclass(frozen=True, eq=False)
class JointDistribution:
    """A distribution over profiles: its support, in C order, with probabilities above zero.

    ``game`` has its payoffs in the same kind of number.
    """

    game: NormalFormGame
    support: Int64[np.ndarray, " profiles"]
    weights: Numbers

    def own_actions(self, player: int) -> Int64[np.ndarray, " profiles"]:
        """Return the player's action in each profile of the support."""
        return self.support // self.game.strides[player] % self.game.shape[player]


def read_joint(game: Any, distribution: Any) -> JointDistribution:
    """Read a mapping from profiles to probabilities, or an array of the game's shape."""
    instance_of("game", game, NormalFormGame, "use NormalFormGame.of")
    if isinstance(distribution, Mapping):
        places, weights = _by_profile(game, distribution)
    else:
        if not isinstance(distribution, Iterable | Numbers):
            raise InvalidInputError(
                "distribution",
                distribution,
                "is neither a mapping nor an array",
                "give probabilities by profile, or an array of the game's shape",
            )
        table = read_numbers(distribution, "distribution")
        if table.shape != game.shape:
            raise ShapeError(
                "distribution",
                table.shape,
                f"does not fit a game of shape {game.shape}",
                "give one probability a profile",
            )
        places = np.arange(prod(game.shape))
        weights = table[np.unravel_index(places, game.shape)]
    as_distribution(weights, "distribution")
    positive = np.asarray(weights.signs() > 0)
    payoffs, weights = together(
        ("payoffs", game.payoffs), ("distribution", weights[np.flatnonzero(positive)])
    )
    if payoffs is not game.payoffs:
        game = replace(game, payoffs=payoffs)
    return JointDistribution(game, places[positive], weights)


def _by_profile(
    game: NormalFormGame, distribution: Mapping[Any, Any]
) -> tuple[Int64[np.ndarray, " profiles"], Numbers]:
    if not distribution:
        raise InvalidInputError("distribution", {}, "is empty", "give the profiles played")
    found: dict[int, Any] = {}
    for profile, probability in distribution.items():
        place = game.profile(profile, "profile of distribution")
        if place in found:
            raise InvalidInputError(
                "distribution", game.profile_names(place), "is given twice", "give it once"
            )
        found[place] = probability
    places = sorted(found)
    try:
        weights = read_numbers([found[place] for place in places], "distribution")
    except NumberError:
        for place in places:
            read_numbers([found[place]], f"distribution of {game.profile_names(place)}")
        raise
    if weights.shape != (len(places),):
        raise ShapeError("distribution", weights.shape, "is not one number a profile", "give one")
    return np.array(places, dtype=np.int64), weights
