"""All vertices of the polytopes of correlated and coarse correlated equilibria of tiny games.

A game is {profile: payoffs, one a player}. A point is a tuple of probabilities in the order of the
game's profiles; it is in the polytope if no entry and no product with a row is negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

Profile = tuple[int, ...]
Game = Mapping[Profile, Sequence[Any]]
Point = tuple[Fraction, ...]
Concept = Literal["ce", "cce"]


def deviations(game: Game, concept: Concept) -> list[tuple[int, int | None, int]]:
    """(player, recommendation or None for any, action played instead)."""
    sizes = [max(actions) + 1 for actions in zip(*game, strict=True)]
    return [
        (player, source, target)
        for player, size in enumerate(sizes)
        for source in (range(size) if concept == "ce" else [None])
        for target in range(size)
        if source != target
    ]


def row(game: Game, deviation: tuple[int, int | None, int]) -> list[Fraction]:
    """What the player loses at each profile by the deviation."""
    player, source, target = deviation
    losses = []
    for profile, payoffs in game.items():
        other = (*profile[:player], target, *profile[player + 1 :])
        moved = source is None or profile[player] == source
        losses.append(Fraction(payoffs[player] - game[other][player]) if moved else Fraction(0))
    return losses


def rows(game: Game, concept: Concept) -> list[list[Fraction]]:
    return [row(game, deviation) for deviation in deviations(game, concept)]


def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(left, right, strict=True))


def inside(game: Game, concept: Concept, point: Sequence[Any], slack: Any = 0) -> bool:
    """Whether a point is a law that no deviation improves on by more than ``slack``."""
    return (
        abs(sum(point) - 1) <= slack
        and min(point) >= -slack
        and all(dot(losses, point) >= -slack for losses in rows(game, concept))
    )


def vertices(game: Game, concept: Concept) -> set[Point]:
    """Cuts the simplex by one row after the other.

    A cut keeps the points on its right side and adds the point of each edge that crosses it; two
    vertices make an edge if no third one meets all the inequalities that both meet with equality.
    """
    size = len(game)
    unit = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    seen, points = list(unit), {tuple(e) for e in unit}
    for cut in rows(game, concept):
        tight = {p: frozenset(n for n, s in enumerate(seen) if not dot(s, p)) for p in points}
        kept = {p for p in points if dot(cut, p) >= 0}
        for p in (p for p in points if dot(cut, p) > 0):
            for q in (q for q in points if dot(cut, q) < 0):
                both = tight[p] & tight[q]
                if not any(both <= tight[r] for r in points if r not in (p, q)):
                    a, b = dot(cut, p), -dot(cut, q)
                    kept.add(tuple((b * x + a * y) / (a + b) for x, y in zip(p, q, strict=True)))
        seen.append(cut)
        points = kept
    return points


def vertices_by_choice(game: Game, concept: Concept) -> set[Point]:
    """Solves every choice of as many equations as there are profiles; only for 2 x 2 games."""
    size = len(game)
    unit = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    found = set()
    for chosen in combinations([*unit, *rows(game, concept)], size - 1):
        point = solved([[Fraction(1)] * size, *chosen], [Fraction(1)] + [Fraction(0)] * (size - 1))
        if point is not None and inside(game, concept, point):
            found.add(point)
    return found


def solved(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> Point | None:
    """The solution of a square system, if there is just one."""
    table = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(table)
    for column in range(size):
        pivot = next((n for n in range(column, size) if table[n][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [x / table[column][column] for x in table[column]]
        for n in range(size):
            if n != column and table[n][column]:
                factor = table[n][column]
                table[n] = [x - factor * y for x, y in zip(table[n], table[column], strict=True)]
    return tuple(line[-1] for line in table)


def objective(game: Game, weights: Sequence[Any]) -> list[Any]:
    """The weighted sum of the players' payoffs at each profile."""
    return [dot(weights, payoffs) for payoffs in game.values()]


def welfare_range(game: Game, concept: Concept, weights: Sequence[Any]) -> tuple[Any, Any]:
    """The least and the greatest value over the polytope."""
    values = [dot(objective(game, weights), point) for point in vertices(game, concept)]
    return min(values), max(values)


def dual_bound(
    game: Game, concept: Concept, weights: Sequence[Any], multipliers: Mapping[Any, Any]
) -> Any:
    """No equilibrium is worth more than this, whatever multipliers >= 0 the deviations get."""
    if min(multipliers.values(), default=0) < 0:
        raise ValueError("a multiplier is negative")
    bound = objective(game, weights)
    for deviation in deviations(game, concept):
        losses = row(game, deviation)
        bound = [b + multipliers.get(deviation, 0) * x for b, x in zip(bound, losses, strict=True)]
    return max(bound)
