"""oracles, section 3: learners that run, against short scripts and against opponents that react."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from mechanisms.learners import OPPONENTS, Learner, OpponentFactory
from papers.oracles.checks.regrets import Regrets, row_text
from theory.incentives.learners import ADVERSARIES
from theory.search import Draw, Family

__all__ = [
    "BLIND",
    "CONTESTS",
    "FACTORIES",
    "LONG",
    "Contest",
    "Contests",
    "Make",
    "exact_regrets",
    "meet",
]

BLIND: Final[tuple[str, ...]] = tuple(OPPONENTS)
"""Opponents who choose the rewards of a round before its play is drawn."""

FACTORIES: Final[Mapping[str, OpponentFactory]] = MappingProxyType(
    {**OPPONENTS, **{name: ADVERSARIES[name] for name in ("punishing", "switching", "random")}}
)

LONG: Final = 180
"""How many rounds are played against opponents that are not scripts: two epochs of the trap."""

_SCRIPTED: Final = MappingProxyType({1: (2, 3), 2: (2, 3), 3: (2, 3), 4: (2,), 5: (2,)})


@dataclass(frozen=True)
class Contest:
    """What a learner meets: a script of rewards 0 or 1, or an opponent by name.

    ``rate`` is its step size; without one it takes the best for the number of rounds.
    """

    actions: int
    rounds: int
    rate: int | None
    script: tuple[tuple[int, ...], ...] = ()
    opponent: str = ""

    @property
    def horizon(self) -> int | None:
        """The number of rounds, where the rate is to be the best for it."""
        return self.rounds if self.rate is None else None

    @property
    def step(self) -> float | None:
        """The rate, where it is given."""
        return None if self.rate is None else float(self.rate)

    def meet(self, learner: Learner) -> tuple[np.ndarray, np.ndarray]:
        """Return what was played and what each action would have earned, one row a round."""
        if self.opponent:
            answer = FACTORIES[self.opponent](self.actions, np.random.default_rng(0))
            return meet(learner, answer, self.rounds)
        rows = iter(np.array(self.script, dtype=np.float64))
        return meet(learner, lambda play: next(rows), self.rounds)

    def __str__(self) -> str:
        rate = "the best rate" if self.rate is None else f"the rate {self.rate}"
        what = f"opponent “{self.opponent}”"
        if self.script:
            what = f"rewards {', '.join(map(row_text, self.script))}"
        rounds = f"{self.rounds} round{'s' if self.rounds > 1 else ''}"
        return f"{self.actions} actions, {rounds} at {rate}, {what}"


Make = Callable[[Contest], Learner]


def meet(
    learner: Learner, answer: Callable[[np.ndarray], np.ndarray], rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Let a learner play; return plays and rewards."""
    plays, rewards = [], []
    for _ in range(rounds):
        play = np.array(learner.play(), dtype=np.float64)
        row = np.asarray(answer(play), dtype=np.float64)
        learner.observe(row)
        plays.append(play)
        rewards.append(row)
    return np.array(plays), np.array(rewards)


def exact_regrets(plays: np.ndarray, rewards: np.ndarray) -> Regrets:
    """Return the regrets of floats, in rationals, from what each replacement would have gained."""
    (x, over), (r, under) = _integers(plays), _integers(rewards)
    earned = x.T @ r
    gains = earned - np.diag(earned)[:, np.newaxis]
    scale = over * under
    return Regrets(
        Fraction(max(gains.sum(axis=0)), scale),
        Fraction(gains.max(), scale),
        Fraction(sum(gains.max(axis=1)), scale),
    )


def _integers(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Write floats as integers over one power of two."""
    ratios = [[value.as_integer_ratio() for value in row] for row in values.tolist()]
    scale = max(below for row in ratios for _, below in row)
    return np.array([[a * (scale // b) for a, b in row] for row in ratios], dtype=object), scale


@dataclass(frozen=True)
class Contests:
    """Builds contests: all scripts of up to five rounds, or one opponent for many rounds."""

    rates: tuple[int | None, ...] = (None, 1)
    sizes: tuple[int, ...] = (2, 3, 6)

    def __call__(self, draw: Draw, rounds: int) -> Contest:
        """Build one; a round in which all actions earn alike comes as one in which none earns."""
        rate = draw.choice(self.rates)
        if rounds == LONG:
            name = draw.choice(tuple(FACTORIES))
            return Contest(draw.choice(self.sizes), rounds, rate, opponent=name)
        actions = draw.choice(_SCRIPTED[rounds])
        script = tuple(_bits(draw.index(2**actions - 1), actions) for _ in range(rounds))
        return Contest(actions, rounds, rate, script)


def _bits(number: int, actions: int) -> tuple[int, ...]:
    return tuple(number >> i & 1 for i in range(actions))


def _size(contest: Contest) -> tuple[Any, ...]:
    return (contest.actions, sum(map(sum, contest.script)), contest.rate is not None)


CONTESTS: Family[Contest] = Family(
    description="all sequences of rewards 0 or 1 of up to 3 rounds for 2 and 3 actions, and of up "
    f"to 5 rounds for 2; and {LONG} rounds for 2, 3 and 6 actions against opponents that react: "
    f"{', '.join(FACTORIES)}; at the best rate and at the rate 1",
    level_name="rounds",
    levels=(*_SCRIPTED, LONG),
    build=Contests(),
    size=_size,
)
