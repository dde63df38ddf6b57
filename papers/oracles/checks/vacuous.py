"""oracles, internal regret: what it does not say where actions outnumber rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from papers.oracles.checks.regrets import History, Measure, measure_regrets, row_text, unit
from theory.correlated import equilibrium_gaps
from theory.normal_form import NormalFormGame
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "EXPLORATIONS",
    "UNIFORM_PLAY",
    "Exploration",
    "InternalIsAtMostOne",
    "LowInternalMeansLowExternal",
    "UniformIsNearlyCorrelated",
    "UniformPlay",
    "one_action",
    "show_exploration",
]

Schedule = Callable[[int], list[int]]


def new_every_round(rounds: int) -> list[int]:
    """Return which action is played in each round: a new one."""
    return list(range(rounds))


def one_action(rounds: int) -> list[int]:
    """Return which action is played in each round: always the first."""
    return [0] * rounds


@dataclass(frozen=True)
class Exploration:
    """What each action would have earned, one row a round, with at least as many actions."""

    rewards: tuple[tuple[int, ...], ...]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self.rewards[0])

    def history(self, schedule: Schedule) -> History:
        """Return what was played and earned."""
        played = schedule(len(self.rewards))
        return History(tuple(unit(i, self.actions) for i in played), self.rewards)

    def __str__(self) -> str:
        rows = ", ".join(map(row_text, self.rewards))
        return f"{len(self.rewards)} rounds with rewards {rows}"


@dataclass(frozen=True)
class InternalIsAtMostOne:
    """Playing a new action every round has internal regret of at most 1, whatever comes."""

    schedule: Schedule = new_every_round
    measure: Measure = measure_regrets

    def __call__(self, case: Exploration) -> Trial:
        """Measure; non-trivial where external regret is above 1."""
        found = self.measure(case.history(self.schedule))
        failure = f"internal regret is {found.internal}." if found.internal > 1 else ""
        return Trial(nontrivial=found.external > 1, failure=failure)


@dataclass(frozen=True)
class LowInternalMeansLowExternal:
    """The opposite of the warning: internal regret of at most 1 keeps external regret below T."""

    schedule: Schedule = new_every_round

    def __call__(self, case: Exploration) -> Trial:
        """Fail where internal regret is at most 1 and external regret is T, for T of 2 or more."""
        rounds = len(case.rewards)
        found = measure_regrets(case.history(self.schedule))
        low = rounds > 1 and found.internal <= 1
        if not low:
            return Trial.unmet()
        failure = f"{found} over {rounds} rounds." if found.external >= rounds else ""
        return Trial(nontrivial=found.external > found.internal, failure=failure)


def show_exploration(case: Exploration) -> Exhibit:
    """Work it out: what was played, and what each action would have earned."""
    history = case.history(new_every_round)
    found = history.by_definition()
    rows = tuple(
        (str(t), str(t), str(r[t - 1]), row_text(r)) for t, r in enumerate(case.rewards, 1)
    )
    table = Table(
        caption=f"A new action every round. Regret over all rounds: {found}",
        columns=("round", "action", "earned", "rewards of all actions"),
        rows=rows,
    )
    return Exhibit(summary=f"{case}. {found}", tables=(table,))


def _build(draw: Draw, actions: int) -> Exploration:
    most = min(actions, 3 if actions < 4 else 2)
    rounds = 1 + draw.index(most)
    return Exploration(tuple(tuple(draw.index(2) for _ in range(actions)) for _ in range(rounds)))


def _size(case: Exploration) -> tuple[int, ...]:
    return (len(case.rewards), sum(map(sum, case.rewards)))


EXPLORATIONS: Family[Exploration] = Family(
    description="rewards of 0 or 1 in T rounds, T up to the number of actions and 3 (2 from 4 "
    "actions on); the action played in round t is the t-th",
    level_name="actions",
    levels=(1, 2, 3, 4),
    build=_build,
    size=_size,
)


@dataclass(frozen=True)
class UniformPlay:
    """Payoffs of two players who play every action alike, independently or together."""

    payoffs: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    together: bool

    def distribution(self) -> list[list[Fraction]]:
        """Return the joint distribution: all profiles alike, or those with equal indices."""
        N = len(self.payoffs[0])
        if self.together:
            return [[Fraction(i == j, N) for j in range(N)] for i in range(N)]
        return [[Fraction(1, N * N)] * N for _ in range(N)]

    def __str__(self) -> str:
        A, B = self.payoffs
        how = "with equal indices" if self.together else "independently"
        return f"A = {[*A]}, B = {[*B]}, every action alike, {how}"


Played = Callable[[UniformPlay], Any]


def uniform(case: UniformPlay) -> Any:
    """Return the distribution of the case."""
    return case.distribution()


@dataclass(frozen=True)
class UniformIsNearlyCorrelated:
    """Play in which every action has probability 1/N is a (1/N)-CE against single swaps."""

    played: Played = uniform

    def __call__(self, case: UniformPlay) -> Trial:
        """Compare; non-trivial where swaps of all actions at once gain more than 1/N."""
        A, B = case.payoffs
        gaps = equilibrium_gaps(NormalFormGame.bimatrix(A, B), self.played(case))
        bound = Fraction(1, len(A))
        single: Any = gaps.ce
        every: Any = gaps.swap
        failure = f"a single swap gains {single}." if single > bound else ""
        return Trial(nontrivial=every > bound, failure=failure)


def _build_uniform(draw: Draw, actions: int) -> UniformPlay:
    every = range(actions)
    A = tuple(tuple(draw.index(2) if i + j or actions < 3 else 0 for j in every) for i in every)
    common = actions < 3 and draw.index(2)
    B = A if common else tuple(tuple(1 - a for a in row) for row in A)
    return UniformPlay((A, B), bool(draw.index(2)))


def _size_uniform(case: UniformPlay) -> tuple[int, ...]:
    return (sum(map(sum, case.payoffs[0])), case.together)


UNIFORM_PLAY: Family[UniformPlay] = Family(
    description="games with payoffs 0 or 1, of constant sum or (with two actions) of common "
    "interest, in which all actions are played alike, independently or with equal indices",
    level_name="actions",
    levels=(1, 2, 3),
    build=_build_uniform,
    size=_size_uniform,
)
