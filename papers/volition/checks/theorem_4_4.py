"""volition, Theorem 4.4: what is revealed at the equilibrium, and what each hypothesis is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from papers.volition.checks.inextensibility import inextensible
from papers.volition.checks.marginal_families import (
    MarginalGames,
    MarginalInstance,
    Price,
    Solve,
    Strategy,
    Terms,
    fewest_items,
    games,
    most_items,
    name_set,
    path,
)
from theory.checks import WithoutHypothesis
from theory.search import Trial

__all__ = [
    "GAMES",
    "Theorem44",
    "first_is_best",
    "first_is_inextensible",
    "later_are_null",
    "reluctantly_null",
    "without_each",
]

Statement = Callable[[MarginalInstance, Strategy], str]
"""What a game and its equilibrium have against a statement; nothing where it holds."""


def first_is_inextensible(instance: MarginalInstance, strategy: Strategy) -> str:
    """Theorem 4.4, first statement: [x^1]."""
    first = strategy[0]
    return (
        "" if first in inextensible(instance) else f"x^1 = {name_set(first)} is not inextensible."
    )


def later_are_null(instance: MarginalInstance, strategy: Strategy) -> str:
    """Theorem 4.4, second statement: x^n is null for n > 1."""
    del instance
    later = path(strategy)[2:]
    return f"the play goes on to {', '.join(map(name_set, later))}." if later else ""


def first_is_best(instance: MarginalInstance, strategy: Strategy) -> str:
    """Theorem 4.4, third statement: no inextensible x^1 has a higher ex-post value."""
    first = strategy[0]
    worth = {t: ex_post(instance, t) for t in inextensible(instance) | {first}}
    best = max(sorted(worth), key=worth.__getitem__)
    if worth[best] == worth[first]:
        return ""
    first_set = name_set(first)
    return f"{name_set(best)} is inextensible and worth {worth[best]}, {first_set} {worth[first]}."


def ex_post(instance: MarginalInstance, move: int) -> Price:
    """Return E[U^1(x) | x] of a first move; what is out of reach of one move is worth nothing."""
    return instance.reward(0, move, move) if move in (0, *instance.after(0)) else -inf


def union_closed(instance: MarginalInstance) -> bool:
    """Say whether the union of any two moves is a move."""
    return all(a | b in instance.moves for a in instance.moves for b in instance.moves)


def subadditive(instance: MarginalInstance) -> bool:
    """Say whether no set costs more than two parts of it."""
    p = instance.prices
    parts = ((s, t) for s in range(len(p)) for t in range(1, s) if t & s == t)
    return all(p[s] <= p[t] + p[s & ~t] for s, t in parts)


def reluctantly_null(instance: MarginalInstance) -> Strategy:
    """Return the equilibrium in which ties go to the fewest items, but not to none."""
    strategy: Strategy = {}
    end: Strategy = {}
    for s in reversed(instance.sets):
        options = sorted(instance.after(s), key=lambda t: (t.bit_count(), t))
        best = max(options, key=lambda t: instance.reward(s, t, end[t]), default=s)
        moves = best != s and instance.reward(s, best, end[best]) >= 0
        strategy[s] = best if moves else s
        end[s] = end[best] if moves else s
    return strategy


@dataclass(frozen=True)
class Theorem44:
    """One statement of Theorem 4.4 on a game that meets hypotheses on moves and prices."""

    statement: Statement
    solve: Solve = fewest_items
    hypotheses: tuple[Callable[[MarginalInstance], bool], ...] = (union_closed, subadditive)

    def __call__(self, instance: MarginalInstance) -> Trial:
        """Ask; non-trivial where the equilibrium reveals something."""
        if not all(met(instance) for met in self.hypotheses):
            return Trial.unmet()
        strategy = self.solve(instance)
        return Trial(nontrivial=strategy[0] != 0, failure=self.statement(instance, strategy))


def without_each(statement: Statement) -> tuple[WithoutHypothesis[MarginalInstance], ...]:
    """Return the theorem without each of its hypotheses."""
    single, surcharged = (
        (SINGLE_ITEMS, SUPERADDITIVE)
        if statement is not first_is_best
        else (PAID_SINGLE_ITEMS, PAID_SUPERADDITIVE)
    )
    return (
        WithoutHypothesis(
            "moves are union-closed (here, one item at a time)",
            Theorem44(statement, hypotheses=(subadditive,)),
            single,
        ),
        WithoutHypothesis(
            "prices are subadditive",
            Theorem44(statement, hypotheses=(union_closed,)),
            surcharged,
        ),
        WithoutHypothesis(
            "ties go to the null move (here, to the most items)",
            Theorem44(statement, most_items),
            TIED,
        ),
        WithoutHypothesis(
            "ties go to the null move (here, to the fewest items, but not to none)",
            Theorem44(statement, reluctantly_null),
            TIED,
        ),
    )


GAMES = games(
    MarginalGames((Terms.ANY_SET, Terms.SUBADDITIVE, Terms.UNION_CLOSED), last=(0, 1, inf)),
    (1, 2, 3, 4),
)

_FREE = MarginalGames(utilities=(0, 1, 2), prices=(0,), last=(0, 1), third_from=1)
_PAID = MarginalGames(utilities=(0, 1, 2), prices=(0, -1), last=(0, -1), third_from=inf)

SINGLE_ITEMS, PAID_SINGLE_ITEMS = (
    games(replace(build, terms=(Terms.SINGLE_ITEMS,)), (1, 2)) for build in (_FREE, _PAID)
)
SUPERADDITIVE, PAID_SUPERADDITIVE = (
    games(replace(build, terms=(Terms.SUPERADDITIVE,)), (1, 2)) for build in (_FREE, _PAID)
)
TIED = games(
    MarginalGames(utilities=(0, 1, -1), prices=(0, 1), last=(0, 1), third_from=inf), (1, 2)
)
