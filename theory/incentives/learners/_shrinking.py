"""Making a game smaller as long as it still shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from theory.incentives.learners._learner import LearnerFactory
from theory.incentives.learners._playing import Game, Played, replay
from theory.shapes import Float64

__all__ = ["MAX_REPLAYS", "shrunk"]

MAX_REPLAYS: Final = 1000
"""How many smaller games are tried."""


def shrunk(
    make: LearnerFactory, played: Played, fails: Callable[[Played], bool], tolerance: float
) -> tuple[Played, str]:
    """Return a smaller game that fails, and what is known about smaller ones.

    Rounds are left out, many at once and then one by one, then actions, then rewards are put to 0,
    each where the game that is left still fails with a new learner made for it. The rewards are
    given beforehand now, so that what an adversary did that saw the play needs no sight any more.
    """
    replays = 0

    def tried(game: Game, rewards: Float64[np.ndarray, "rounds actions"]) -> Played | None:
        nonlocal replays
        replays += 1
        found = replay(make, game, rewards, tolerance)
        return found if found.whole and fails(found) else None

    smallest = tried(played.game, played.rewards)
    if smallest is None:
        return played, "the learner plays differently when asked again"
    while replays < MAX_REPLAYS:
        better = None
        for game, rewards in _smaller(smallest):
            better = tried(game, rewards)
            if better is not None or replays >= MAX_REPLAYS:
                break
        if better is None:
            break
        smallest = better
    if replays >= MAX_REPLAYS:
        return smallest, f"the smallest found in {MAX_REPLAYS} steps"
    return smallest, "no round, action or reward can be left out"


def _smaller(played: Played) -> Iterator[tuple[Game, Float64[np.ndarray, "rounds actions"]]]:
    game, rewards = played.game, played.rewards
    width = game.rounds // 2
    while width:
        for t in range(0, game.rounds, width):
            fewer = np.delete(rewards, slice(t, t + width), axis=0)
            yield replace(game, rounds=len(fewer)), fewer
        width //= 2
    for i in range(game.actions if game.actions > 2 else 0):
        yield replace(game, actions=game.actions - 1), np.delete(rewards, i, axis=1)
    for t, i in zip(*np.nonzero(rewards), strict=True):
        less = rewards.copy()
        less[t, i] = 0
        yield game, less
