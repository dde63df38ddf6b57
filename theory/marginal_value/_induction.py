"""Backward induction, set by set or layer by layer, and the same for inextensible sets."""

from __future__ import annotations

import numpy as np

from theory._shapes import Bool, Int64
from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._layers import Best, Layers
from theory.marginal_value._moves import Family
from theory.marginal_value._sets import order

__all__ = ["best_moves", "equilibrium_moves", "inextensible_sets"]


def equilibrium_moves(game: MarginalValueGame, *, most_first: bool) -> Int64[np.ndarray, " n"]:
    """Return the position of the set that the next player takes each set to; itself for null."""
    rank = order(game.sets, len(game.items), most_first=most_first)
    if not _in_layers(game):
        return _set_by_set(game, rank, most_first=most_first)
    follow = np.arange(len(game.sets), dtype=np.int64)
    layers = Layers(game, rank)
    best = Best(layers)
    for size in range(len(game.items), -1, -1):
        at = layers.at(size)
        found, signs = best.above(at)
        go = (signs > 0) | ((signs == 0) & most_first)
        follow[at[go]] = found[go]
        end = at.copy()
        end[go] = layers.end[found[go]]
        layers.settle(at, end)
        best.include(at)
    return follow


def inextensible_sets(game: MarginalValueGame) -> Bool[np.ndarray, " n"]:
    """Say which sets are inextensible under strict extension (volition, Definition 4.3).

    T extends S when a move leads from S to the larger T and u_T(a_T) - u_T(a_S) - p(T minus S) > 0.
    S is refuted when some inextensible set extends it, and inextensible when all sets that extend
    it are refuted.
    """
    size = len(game.sets)
    inextensible, refuted = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    if not _in_layers(game):
        for place in range(size - 1, -1, -1):
            extending = _extending(game, place)
            refuted[place] = inextensible[extending].any()
            inextensible[place] = refuted[extending].all()
        return inextensible
    layers = Layers(game, order(game.sets, len(game.items)))
    by_inextensible, by_unrefuted = Best(layers), Best(layers)
    for items in range(len(game.items), -1, -1):
        at = layers.at(items)
        refuted[at] = by_inextensible.above(at)[1] > 0
        inextensible[at] = by_unrefuted.above(at)[1] <= 0
        layers.settle(at, at)
        by_inextensible.include(at[inextensible[at]])
        by_unrefuted.include(at[~refuted[at]])
    return inextensible


def _in_layers(game: MarginalValueGame) -> bool:
    return game.prices.additive and not isinstance(game.moves, Family)


def _extending(game: MarginalValueGame, place: int) -> Int64[np.ndarray, " k"]:
    targets = game.after(place)
    rewards = game.rewards(np.full_like(targets, place), targets, targets)
    return np.asarray(targets[game.reward_signs(rewards) > 0])


def _set_by_set(
    game: MarginalValueGame, rank: Int64[np.ndarray, " n"], *, most_first: bool
) -> Int64[np.ndarray, " n"]:
    follow = np.arange(len(game.sets), dtype=np.int64)
    end = follow.copy()
    for place in range(len(follow) - 1, -1, -1):
        best, sign = best_moves(game, place, end)
        if sign > 0 or (sign == 0 and most_first and len(best)):
            follow[place] = best[rank[best].argmin()]
            end[place] = end[follow[place]]
    return follow


def best_moves(
    game: MarginalValueGame, place: int, end: Int64[np.ndarray, " n"]
) -> tuple[Int64[np.ndarray, " k"], int]:
    """Return the best sets to go on to, given what each ends at, and the sign of their reward."""
    targets = game.after(place)
    if not len(targets):
        return targets, -1
    rewards = game.rewards(np.full_like(targets, place), targets, end[targets])
    best = targets[rewards[:, np.newaxis].maximisers(game.slack)[:, 0]]
    top = rewards[np.searchsorted(targets, best[:1])]
    return best, int(game.reward_signs(top)[0])
