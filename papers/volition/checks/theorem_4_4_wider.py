"""volition, Theorem 4.4, beyond its hypotheses: two actions, and the weak reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from papers.volition.checks.inextensibility import always_answered
from papers.volition.checks.marginal_families import (
    MarginalGames,
    MarginalInstance,
    Solve,
    Terms,
    fewest_items,
    games,
    name_set,
    path,
)
from papers.volition.checks.theorem_4_4 import ex_post
from theory.search import Trial

__all__ = ["ANY_ACTIONS", "ANY_PRICES", "ANY_TERMS", "WEAK_GAMES", "WholeTheorem", "pays_or_ties"]

Pays = Callable[[int | float], bool]


def pays(reward: float) -> bool:
    """Say whether a reward is more than nothing."""
    return reward > 0


def pays_or_ties(reward: float) -> bool:
    """Say whether a reward is at least that of the null move."""
    return reward >= 0


@dataclass(frozen=True)
class WholeTheorem:
    """All three statements of Theorem 4.4; a larger set extends where its ex-post value pays."""

    solve: Solve = fewest_items
    pays: Pays = pays

    def __call__(self, instance: MarginalInstance) -> Trial:
        """Ask; non-trivial where the equilibrium reveals something."""
        strategy = self.solve(instance)
        inextensible = self.inextensible(instance)
        first, later = strategy[0], path(strategy)[2:]
        worth = ex_post(instance, first)
        better = [t for t in sorted(inextensible) if ex_post(instance, t) > worth]
        broken = [
            *(
                f"{name_set(t)} is inextensible and worth {ex_post(instance, t)}, not {worth}; "
                for t in better
            ),
            *(f"the play goes on to {name_set(t)}; " for t in later),
            *([] if first in inextensible else [f"x^1 = {name_set(first)} is not inextensible; "]),
        ]
        return Trial(nontrivial=first != 0, failure="".join(broken)[:-2])

    def inextensible(self, instance: MarginalInstance) -> frozenset[int]:
        """Return the inextensible sets, by recursion from the top."""
        extensions = {
            s: [t for t in instance.after(s) if self.pays(instance.reward(s, t, t))]
            for s in instance.sets
        }
        found: frozenset[int] = frozenset()
        for s in reversed(instance.sets):
            if always_answered(extensions, found, s):
                found |= {s}
        return found


_ANY = (Terms.SINGLE_ITEMS, Terms.SUPERADDITIVE, Terms.ANY_SET)

ANY_TERMS = games(
    MarginalGames(
        _ANY,
        (1, 0, 2, -1),
        prices=(0, 0, 1),
        last=(0, 1, 0, inf),
        surcharges=(0, 1),
        third_from=inf,
    ),
    (1, 2, 3, 4),
)
ANY_ACTIONS = games(
    MarginalGames(_ANY, (0, 1, -1), (0, 1), prices=(0,), last=(0,), third_from=1), (1, 2)
)
ANY_PRICES = games(MarginalGames(_ANY, prices=(0, -1), last=(0, -1), third_from=inf), (1, 2))
WEAK_GAMES = games(
    MarginalGames((Terms.ANY_SET, Terms.SUBADDITIVE, Terms.UNION_CLOSED), last=(0, 1, -1, inf)),
    (1, 2, 3, 4),
)
