"""What speaks for each move where the points of a shared set disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from theory.games.ex_ante._forest import Forest
from theory.games.ex_ante._relaxation import Decided

__all__ = [
    "MoveWeights",
    "disagreement",
    "most_contested_set",
    "move_weights",
    "reached_points",
    "winners",
]

MoveWeights = Mapping[int, Sequence[float]]
"""For each undecided shared set the weight of each of its moves."""


def reached_points(forest: Forest, chosen: Sequence[int]) -> list[int]:
    """Return the points that the choices lead to."""
    alive = [True] + [False] * (len(forest.payoffs) - 1)
    points = []
    for p, h in enumerate(forest.before):
        if alive[h]:
            points.append(p)
            alive[forest.first[p] + chosen[p]] = True
    return points


def move_weights(forest: Forest, chosen: Sequence[int], decided: Decided) -> MoveWeights:
    """Return how many of the points reached choose each move."""
    counts = {k: [0] * forest.moves(k) for k in forest.shared if k not in decided}
    for p in reached_points(forest, chosen):
        if forest.infoset[p] in counts:
            counts[forest.infoset[p]][chosen[p]] += 1
    return counts


def winners(weights_by_set: MoveWeights) -> dict[int, int]:
    """Return the heaviest move of each set, the first among equals."""
    return {k: weights.index(max(weights)) for k, weights in weights_by_set.items()}


def most_contested_set(weights_by_set: MoveWeights) -> int:
    """Return the set with the most disagreement, the first among equals."""
    return max(weights_by_set, key=lambda k: disagreement(weights_by_set[k]))


def disagreement(weights: Sequence[float]) -> float:
    """Return the weight of all moves but the heaviest."""
    return sum(weights) - max(weights)
