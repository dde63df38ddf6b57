"""volition, Definitions 4.1 and 4.2: what pins rewards and equilibrium down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

from papers.volition.checks.marginal_families import (
    MarginalGames,
    MarginalInstance,
    Strategy,
    Terms,
    ends,
    name_set,
    names,
    strategy_of,
)
from theory.marginal_value import Equilibrium, as_prior, equilibrium, from_prior
from theory.search import Draw, Family, Trial

__all__ = ["PLAYS", "MarginalPlay", "PlayLaws"]

Rewards = Callable[[MarginalInstance, Sequence[int]], Sequence[Any]]
Solver = Callable[[MarginalInstance], Equilibrium]


@dataclass(frozen=True)
class MarginalPlay:
    """A game, and what each player reveals; some of it may have been revealed before."""

    instance: MarginalInstance
    history: tuple[int, ...]

    @property
    def revealed(self) -> list[int]:
        """What has been revealed before the first move and after each."""
        sets = [0]
        for move in self.history:
            sets.append(sets[-1] | move)
        return sets

    def __str__(self) -> str:
        return f"{self.instance}; revealed: {', '.join(map(name_set, self.history)) or 'nothing'}"


def settle_rewards(instance: MarginalInstance, history: Sequence[int]) -> Sequence[Any]:
    """Return the rewards that the theory pays."""
    return instance.game.settle(map(names, history)).rewards


def solve_game(instance: MarginalInstance) -> Equilibrium:
    """Return the equilibrium of the theory."""
    return equilibrium(instance.game)


@dataclass(frozen=True)
class PlayLaws:
    """What pins Definitions 4.1 and 4.2 down: a transcription of them, and their consequences."""

    rewards: Rewards = settle_rewards
    solve: Solver = solve_game

    def __call__(self, play: MarginalPlay) -> Trial:
        """Check every law; non-trivial where the equilibrium reveals something."""
        instance = play.instance
        rewards = list(self.rewards(instance, play.history))
        found = self.solve(instance)
        raised = replace(
            instance,
            utilities=tuple(tuple(u + s for s, u in enumerate(r)) for r in instance.utilities),
        )
        last = play.revealed[-1]
        best = [row[last] for row in instance.utilities]
        laws = {
            "R^n = E[U(a_n) - U(a_(n-1)) | all revealed] - p(x^n)": rewards == _transcribe(play),
            "rewards add up to what changes less all prices": (
                sum(rewards)
                == best[instance.picked[last]] - best[instance.picked[0]] - _prices(play)
            ),
            "a null move at the end changes no payment": (
                rewards == list(self.rewards(instance, (*play.history, 0)))
            ),
            "what all actions gain alike changes nothing": (
                rewards == list(self.rewards(raised, play.history))
            ),
            "no player gains by another move, after any history": not _gains(
                instance, strategy_of(found)
            ),
            "recomputation by separate code leaves no gap": found.gap == 0,
            **_laws_of_the_prior(play, rewards),
        }
        broken = [law for law, kept in laws.items() if not kept]
        return Trial(
            nontrivial=bool(found.revealed),
            failure=f"Broken: {'; '.join(broken)}." if broken else "",
        )


def _transcribe(play: MarginalPlay) -> list[Any]:
    instance, sets = play.instance, play.revealed
    return [instance.reward(before, after, sets[-1]) for before, after in pairwise(sets)]


def _prices(play: MarginalPlay) -> Any:
    return sum(play.instance.prices[after & ~before] for before, after in pairwise(play.revealed))


def _gains(instance: MarginalInstance, follow: Strategy) -> bool:
    """Whether some player gains by one other move, the null move included, at any set."""
    end = ends(follow)
    for s in instance.sets:
        chosen = instance.reward(s, follow[s], end[s])
        if chosen < 0 or any(instance.reward(s, t, end[t]) > chosen for t in instance.after(s)):
            return True
    return False


def _laws_of_the_prior(play: MarginalPlay, rewards: list[Any]) -> dict[str, bool]:
    """Return what holds of the prior that has these utilities; it takes that all sets are open."""
    instance = play.instance
    if instance.listed:
        return {}
    decision, goods, state = as_prior(instance.game)
    states: Sequence[Any] = decision.space.states
    rows: list[list[Any]] = decision.utilities.scalars()
    told = [[w for w, yes in enumerate(states) if {*names(s)} <= {*yes}] for s in instance.sets]
    means = tuple(
        tuple(sum((row[w] for w in known), Fraction(0)) / len(known) for known in told)
        for row in rows
    )
    derived = from_prior(decision, goods, state, instance.told, instance.game.moves)
    paid = derived.settle(map(names, play.history)).rewards
    return {
        "some prior expects these utilities": means == instance.utilities,
        "the game of that prior pays the same": list(paid) == rewards,
    }


@dataclass(frozen=True)
class MarginalPlays:
    """Builds a game and a play of it."""

    games: MarginalGames

    def __call__(self, draw: Draw, items: int) -> MarginalPlay:
        """Build one."""
        instance = self.games(draw, items)
        history: list[int] = []
        revealed = 0
        while move := draw.choice([0, *(m for m in instance.moves if m & ~revealed)]):
            history.append(move)
            revealed |= move
        return MarginalPlay(instance, tuple(history))


def _size(play: MarginalPlay) -> tuple[object, ...]:
    return (*play.instance.magnitude, len(play.history), sum(play.history))


ON_ALL_TERMS = MarginalGames(
    (Terms.ANY_SET, Terms.SUBADDITIVE, Terms.UNION_CLOSED, Terms.SINGLE_ITEMS),
    prior=(0, 1, -1),
    last=(0, 1, -1, inf),
    rebates=(1, 0, 2),
)

PLAYS = Family(
    description=f"a play of {ON_ALL_TERMS}",
    level_name="items",
    levels=(1, 2, 3),
    build=MarginalPlays(ON_ALL_TERMS),
    size=_size,
)
