"""oracles, Lemma 6: Hedge over maps, whatever the play is to which they are applied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from mechanisms.learners.expected_maps import ExpectedMaps
from mechanisms.learners.rates import Rates
from papers.oracles.checks.contests import LONG
from papers.oracles.checks.pathwise import bound, exceeds_bound
from papers.oracles.checks.regrets import row_text
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["APPLIED", "Applied", "MapRegretIsBounded", "MapWeights", "law_of_maps", "show_applied"]

Round = tuple[np.ndarray, np.ndarray]


@runtime_checkable
class MapWeights(Protocol):
    """What keeps weights of maps: the mixture Q at a rate, and a round to take note of."""

    def mixture(self, rate: float) -> np.ndarray:
        """Return the row-stochastic matrix Q: row i is where i is moved to."""
        ...

    def add(self, play: np.ndarray, rewards: np.ndarray) -> None:
        """Count a round."""
        ...


MakeMaps = Callable[[int], MapWeights]


def law_of_maps(actions: int) -> MapWeights:
    """Return the expected weights that Algorithm 1 runs with."""
    return ExpectedMaps(actions, constants=False)


class Setter(ABC):
    """Sets the play and the rewards of a round, knowing the mixture Q."""

    def __init__(self, actions: int) -> None:
        self.actions = actions
        self.rng = np.random.default_rng(0)
        self.rounds = 0

    def __call__(self, mixture: np.ndarray) -> Round:
        self.rounds += 1
        return self.round(mixture)

    @abstractmethod
    def round(self, mixture: np.ndarray) -> Round:
        """Return the play and the rewards."""

    def only(self, action: int) -> np.ndarray:
        """Return the unit vector."""
        return np.asarray(np.eye(self.actions)[action % self.actions])


class _AgainstTheMove(Setter):
    """The play is the action that is moved most, and all others earn nothing."""

    def round(self, mixture: np.ndarray) -> Round:
        moved = self.only(int(np.argmin(np.diag(mixture))))
        return moved, moved


class _AgainstTheLeader(Setter):
    """The play is the first action, and all but the target it is moved to most earn 1."""

    def round(self, mixture: np.ndarray) -> Round:
        return self.only(0), 1 - self.only(int(np.argmax(mixture[0])))


class _Turns(Setter):
    """The play is the first action; it and the second one earn 1 in turn, 1/2 at first."""

    def round(self, mixture: np.ndarray) -> Round:
        return self.only(0), self.only(self.rounds) * (0.5 if self.rounds == 1 else 1.0)


class _FixedPoint(Setter):
    """The play is a fixed point of Q, as in Algorithm 1, and the likeliest action earns nothing."""

    def round(self, mixture: np.ndarray) -> Round:
        from theory.fixed_point import MapMixture, fixed_point

        play = fixed_point(MapMixture.from_matrix(mixture)).dense()
        return play, 1 - self.only(int(np.argmax(play)))


class _Noise(Setter):
    """Plays are Dirichlet, rewards multiples of 1/16, at random."""

    def round(self, mixture: np.ndarray) -> Round:
        play = self.rng.dirichlet(np.ones(self.actions))
        return play, self.rng.integers(0, 17, self.actions) / 16


SETTERS: Final[Mapping[str, Callable[[int], Setter]]] = MappingProxyType(
    {
        "against the move": _AgainstTheMove,
        "against the leading target": _AgainstTheLeader,
        "turns": _Turns,
        "fixed points": _FixedPoint,
        "noise": _Noise,
    }
)


@dataclass(frozen=True)
class Applied:
    """Plays and rewards of each round: a script of actions and rewards 0 or 1, or a setter."""

    actions: int
    rounds: int
    rate: int | None
    script: tuple[tuple[int, tuple[int, ...]], ...] = ()
    setter: str = ""

    def run(self, weights: MapWeights) -> tuple[list[Round], list[np.ndarray]]:
        """Return the plays and rewards, and the mixture of each round before they were seen."""
        rates = Rates.of_maps(self.actions, False, *self._rate())
        choose = SETTERS[self.setter](self.actions) if self.setter else self._follow_script()
        rounds, mixtures = [], []
        for t in range(1, self.rounds + 1):
            mixtures.append(np.array(weights.mixture(rates.at(t))))
            rounds.append(choose(mixtures[-1]))
            weights.add(*rounds[-1])
        return rounds, mixtures

    def _rate(self) -> tuple[int | None, float | None]:
        return (self.rounds, None) if self.rate is None else (None, float(self.rate))

    def _follow_script(self) -> Callable[[np.ndarray], Round]:
        unit = np.eye(self.actions)
        rows = iter([(unit[i], np.array(r, dtype=np.float64)) for i, r in self.script])
        return lambda mixture: next(rows)

    def __str__(self) -> str:
        rate = "the best rate" if self.rate is None else f"the rate {self.rate}"
        what = f"set by “{self.setter}”"
        if self.script:
            what = "; ".join(f"action {i + 1} with rewards {row_text(r)}" for i, r in self.script)
        rounds = f"{self.rounds} round{'s' if self.rounds > 1 else ''}"
        return f"{self.actions} actions, {rounds} at {rate}, {what}"


def map_regret(rounds: list[Round], mixtures: list[np.ndarray]) -> Fraction:
    """Return max_φ Σ_t f_t(φ(x_t)) - f_t(φ^q(x_t)), exactly; the identity is among the maps."""
    every = range(len(mixtures[0]))
    gains = [[Fraction(0)] * len(every) for _ in every]
    lost = Fraction(0)
    for (x, r), Q in zip(rounds, mixtures, strict=True):
        values = [Fraction(v) for v in r.tolist()]
        for i, share in enumerate(map(Fraction, x.tolist())):
            if not share:
                continue
            moved = [share * (value - values[i]) for value in values]
            lost += sum((Fraction(w) * m for w, m in zip(Q[i].tolist(), moved, strict=True)), 0)
            for j in every:
                gains[i][j] += moved[j]
    return max(map(max, gains)) - lost


@dataclass(frozen=True)
class MapRegretIsBounded:
    """The best map gains at most log(N²) / η + η T / 8 more than the weights do."""

    make: MakeMaps = law_of_maps
    factor: Fraction = Fraction(1)

    def __call__(self, case: Applied) -> Trial:
        """Compare; non-trivial where some map gains more."""
        regret = map_regret(*case.run(self.make(case.actions)))
        prior = case.actions**2
        failure = ""
        if exceeds_bound(regret / self.factor, prior, prior, case.rounds, case.rate):
            most = float(self.factor) * float(bound(prior, prior, case.rounds, case.rate))
            failure = f"the best map gains {float(regret):.6g} more, above {most:.6g}."
        return Trial(nontrivial=regret > 0, failure=failure)


def show_applied(case: Applied) -> Exhibit:
    """Work a case out: plays, rewards, and what the weights make of them."""
    rounds, mixtures = case.run(law_of_maps(case.actions))
    rows = tuple(
        (
            str(t),
            row_text([f"{v:.4g}" for v in x]),
            row_text([f"{v:g}" for v in r]),
            f"{x @ r:.4g}",
            f"{x @ Q @ r:.4g}",
        )
        for t, ((x, r), Q) in enumerate(zip(rounds[:6], mixtures, strict=False), 1)
    )
    regret = float(map_regret(rounds, mixtures))
    table = Table(
        caption=f"The best map gains {regret:.6g} more than the expected weights",
        columns=("round", "play x", "rewards", "f(x)", "f(φ^q(x))"),
        rows=rows,
    )
    return Exhibit(summary=f"{case}: {regret:.6g}", tables=(table,))


_SCRIPTED: Final = MappingProxyType({1: (2, 3), 2: (2, 3), 3: (2,)})


def _build(draw: Draw, rounds: int) -> Applied:
    if rounds == LONG:
        setter, actions = draw.choice(tuple(SETTERS)), draw.choice((2, 3, 6))
        return Applied(actions, rounds, draw.choice((None, 1)), setter=setter)
    actions = draw.choice(_SCRIPTED[rounds])
    rate = draw.choice((None, 1)) if 3 * actions * rounds < 18 else None
    script = tuple(_round(draw, actions) for _ in range(rounds))
    return Applied(actions, rounds, rate, script)


def _round(draw: Draw, actions: int) -> tuple[int, tuple[int, ...]]:
    played, number = draw.index(actions), draw.index(2**actions - 1)
    return played, tuple(number >> i & 1 for i in range(actions))


def _size(case: Applied) -> tuple[Any, ...]:
    return (case.actions, sum(sum(r) for _, r in case.script), case.rate is not None)


APPLIED: Family[Applied] = Family(
    description="all sequences of pure plays and rewards 0 or 1, of up to 3 rounds for 2 actions "
    f"and 2 rounds for 3; and {LONG} rounds for 2, 3 and 6 actions, play and rewards set by one "
    f"who knows the weights: {', '.join(SETTERS)}; at the best rate and at the rate 1",
    level_name="rounds",
    levels=(*_SCRIPTED, LONG),
    build=_build,
    size=_size,
)
