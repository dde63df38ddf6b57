"""A one-player game as a forest of own histories, with chance folded into the payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import Final

from theory.errors import LimitError
from theory.games._game import Game

__all__ = ["MAX_PASSES", "Forest", "Monomial", "build_forest"]

MAX_PASSES: Final = 100
"""The most times that a path may pass one absent-minded set, and half the most for all of them."""

Monomial = tuple[tuple[int, int], ...]
"""Moves at absent-minded sets, as (set, move) in order, whose probabilities are multiplied."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Forest:
    """What a player who remembered the own moves would decide, and what follows.

    A *point* is an information set with one own history that leads to it; a *history* is the
    start, number 0, or a point with a move there. Nodes that differ only in what chance did are
    one point. Branches of probability zero are gone.

    An *absent-minded* set is one that a path can pass twice. Its moves count as chance with
    unknown probabilities: they are in no history, and stand in the payoffs instead.

    Attributes
    ----------
    game : Game
    absent : tuple of int
        The absent-minded sets.
    spread : Fraction
        The largest payoff less the smallest.
    infoset, before, node : list of int, one a point
        Its information set, the history that leads to it, and the first of its nodes.
    first : list of int, one a point and one more
        Move m at point p is history ``first[p] + m``; ``before[p] < first[p]``.
    payoffs : list of polynomials, one a history
        What plays that end with this history pay, times the probability of what chance does.
    """

    game: Game
    absent: tuple[int, ...]
    spread: Fraction
    infoset: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    node: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=lambda: [1])
    payoffs: list[dict[Monomial, Fraction]] = field(default_factory=lambda: [{}])

    @cached_property
    def points(self) -> dict[int, list[int]]:
        """The points of each information set that has any."""
        points: dict[int, list[int]] = {}
        for p, infoset in enumerate(self.infoset):
            points.setdefault(infoset, []).append(p)
        return points

    @cached_property
    def shared(self) -> tuple[int, ...]:
        """The sets with a choice and several points: what makes the problem hard."""
        return tuple(k for k, at in self.points.items() if len(at) > 1 and self.moves(k) > 1)

    def moves(self, infoset: int) -> int:
        """Return how many moves an information set has."""
        return len(self.game.infosets[infoset].moves)

    def add(self, infoset: int, before: int, node: int) -> int:
        """Add a point with its histories, and return its number."""
        self.infoset.append(infoset)
        self.before.append(before)
        self.node.append(node)
        self.payoffs.extend({} for _ in range(self.moves(infoset)))
        self.first.append(len(self.payoffs))
        return len(self.infoset) - 1


def build_forest(game: Game) -> Forest:
    """Return the forest of a one-player game. O(nodes × passes through absent-minded sets).

    Raises
    ------
    LimitError
        For more than ``MAX_PASSES`` passes through a set, or twice as many through all, before
        any more are kept.
    """
    odds = _odds(game)
    absent = _absent_minded(game, odds)
    ends = [v for v in game.ends if odds[v]]
    unit = lcm(*(game.totals[v][0].denominator for v in ends))
    mass = lcm(*(odds[v].denominator for v in ends))
    paid = {v: _scale(game.totals[v][0], unit) for v in ends}
    spread = Fraction(max(paid.values()) - min(paid.values()), unit)
    forest = Forest(game=game, absent=absent, spread=spread)
    sums: dict[int, dict[Monomial, int]] = {}
    numbers: dict[tuple[int, int], int] = {}
    history = [0] * len(game.nodes)
    passed: list[Monomial] = [()] * len(game.nodes)
    for v, node in enumerate(game.nodes):
        if not odds[v]:
            continue
        if node.is_end:
            payoff, monomial = sums.setdefault(history[v], {}), tuple(sorted(passed[v]))
            payoff[monomial] = payoff.get(monomial, 0) + _scale(odds[v], mass) * paid[v]
            continue
        after, unknown = [history[v]] * len(node.children), node.infoset in absent
        if unknown:
            _require_few(game, node.infoset, passed[v])
        if not node.is_chance and not unknown:
            key = (node.infoset, history[v])
            if key not in numbers:
                numbers[key] = forest.add(*key, v)
            start = forest.first[numbers[key]]
            after = list(range(start, start + len(node.children)))
        for m, child in enumerate(node.children):
            history[child] = after[m]
            passed[child] = (*passed[v], (node.infoset, m)) if unknown else passed[v]
    for h, payoff in sums.items():
        forest.payoffs[h].update((m, Fraction(n, unit * mass)) for m, n in payoff.items())
    return forest


def _require_few(game: Game, infoset: int, before: Monomial) -> None:
    """Refuse one pass too many after those before."""
    passes = sum(k == infoset for k, _ in before) + 1
    if passes > MAX_PASSES:
        what = f"passes through {game.infosets[infoset].name!r}"
        raise LimitError(what, passes, "are too many", f"stay within {MAX_PASSES}")
    if len(before) >= 2 * MAX_PASSES:
        what, fix = "passes through absent-minded sets", f"stay within {2 * MAX_PASSES}"
        raise LimitError(what, len(before) + 1, "are too many", fix)


def _scale(x: Fraction, denominator: int) -> int:
    return x.numerator * (denominator // x.denominator)


def _odds(game: Game) -> list[Fraction]:
    """Return the probability with which chance lets each node happen."""
    odds = [Fraction(1)] * len(game.nodes)
    for v, node in enumerate(game.nodes):
        for m, child in enumerate(node.children):
            odds[child] = odds[v] * node.probabilities[m] if node.is_chance else odds[v]
    return odds


def _absent_minded(game: Game, odds: Sequence[Fraction]) -> tuple[int, ...]:
    """Return the sets with a choice and with two nodes on one path: in preorder, neighbours."""
    return tuple(
        k
        for k, infoset in enumerate(game.infosets)
        if len(infoset.moves) > 1
        and any(v < game.stops[u] for u, v in pairwise(v for v in infoset.nodes if odds[v]))
    )
