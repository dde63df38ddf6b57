"""oracles, section 3: learners that draw, run many times; bounds that may fail now and then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, comb, fsum, log
from typing import Any, Final

import numpy as np

from mechanisms.learners import (
    FTPL,
    OPPONENTS,
    Hedge,
    InternalFTPL,
    Opponent,
    RegretBound,
    regret_bound,
)
from mechanisms.learners.expected_maps import ExpectedMaps
from papers.oracles.checks.contests import BLIND, meet
from theory.claims import CheckContext
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = [
    "DELTA",
    "FTPL_SETTINGS",
    "MAP_SETTINGS",
    "JudgedRuns",
    "ManyRuns",
    "PlayedRun",
    "Setting",
    "binomial_tail",
    "drawn_maps",
    "ftpl",
    "judge_ftpl",
    "judge_maps",
    "with_constant_maps",
]

DELTA: Final = 0.01
"""With this probability a bound may fail in a run."""

SIGNIFICANCE: Final = 1e-6
"""More failures than DELTA allows are a refutation where chance explains them this rarely."""

ANTICIPATION: Final = "anticipation"


@dataclass(frozen=True)
class Setting:
    """An opponent by name, numbers of actions and rounds, and how many draws a round has."""

    opponent: str
    actions: int
    rounds: int
    samples: int

    def __str__(self) -> str:
        return (
            f"“{self.opponent}”, {self.actions} actions, {self.rounds} rounds, m = {self.samples}"
        )


MakeDrawing = Callable[[Setting, np.random.Generator], Any]


@dataclass(frozen=True)
class JudgedRuns:
    """A number measured in a run and what bounds it.

    ``may_fail`` tells a bound that holds with probability 1 - DELTA from one that always does.
    """

    name: str
    value: float
    bound: float
    may_fail: bool

    @property
    def exceeded(self) -> bool:
        """Whether it is above the bound by more than float64 rounds."""
        return self.value > self.bound + 1e-9


@dataclass(frozen=True)
class PlayedRun:
    """A run: where, the learner after it, plays and rewards."""

    setting: Setting
    learner: Any
    plays: np.ndarray
    rewards: np.ndarray


Judge = Callable[[PlayedRun], list[JudgedRuns]]


def gains(plays: np.ndarray, rewards: np.ndarray) -> np.ndarray:
    """Return what each replacement of one action by another would have gained."""
    earned = plays.T @ rewards
    return np.asarray(earned - np.diag(earned)[:, np.newaxis])


# --- opponents


class AgainstTheLaw:
    """Rewards all but the likeliest action of the law from which the learner is about to draw.

    It knows all that is known before the draws of the round are made, and not the draws.
    """

    def __init__(self, law: Callable[[], np.ndarray], note: Callable[..., None]) -> None:
        self.law, self.note = law, note

    def __call__(self, play: np.ndarray) -> np.ndarray:
        likely = self.law()
        rewards = np.ones(len(likely))
        rewards[int(likely.argmax())] = 0
        self.note(play, rewards)
        return rewards


def _opponent(setting: Setting, learner: Any, rng: np.random.Generator) -> Opponent:
    if setting.opponent != ANTICIPATION:
        return OPPONENTS[setting.opponent](setting.actions, rng)
    if isinstance(learner, InternalFTPL):
        maps = ExpectedMaps(setting.actions, learner.constants)
        rate = learner.rates.at(1)
        return AgainstTheLaw(lambda: maps.fixed_point(rate)[0], maps.add)
    shadow = Hedge(setting.actions, rounds=setting.rounds)
    return AgainstTheLaw(
        lambda: np.asarray(shadow.play()), lambda play, rewards: shadow.observe(rewards)
    )


# --- learners


def ftpl(setting: Setting, rng: np.random.Generator) -> Any:
    """Return sampled FTPL, at the best rate."""
    return FTPL(setting.actions, rng=rng, samples=setting.samples, rounds=setting.rounds)


def drawn_maps(setting: Setting, rng: np.random.Generator, constants: bool = False) -> Any:
    """Return Algorithm 1, at the best rate."""
    return InternalFTPL(
        setting.actions,
        rng=rng,
        samples=setting.samples,
        constants=constants,
        rounds=setting.rounds,
    )


with_constant_maps = partial(drawn_maps, constants=True)


# --- what is measured


def _stated_bound(run: PlayedRun, kind: str, reference: MakeDrawing) -> RegretBound:
    """Return what the library states of the learner that should have played."""
    learner = reference(run.setting, np.random.default_rng(0))
    residual = float(getattr(run.learner, "residual", 0.0))
    return regret_bound(learner, run.setting.rounds, kind=kind, failure=DELTA, residual=residual)


def judge_ftpl(run: PlayedRun) -> list[JudgedRuns]:
    """Judge external regret, and what the draws add to that of Hedge."""
    stated = _stated_bound(run, "external", ftpl)
    values = [value for _, value in stated.terms]
    external = float(gains(run.plays, run.rewards).sum(axis=0).max())
    hedge = Hedge(run.setting.actions, rounds=run.setting.rounds)
    seen = iter(run.rewards)
    expected, _ = meet(hedge, lambda play: next(seen), run.setting.rounds)
    lost = fsum(((expected - run.plays) * run.rewards).ravel())
    return [
        JudgedRuns("external", external, stated.value, True),
        JudgedRuns("law, external", external - lost, values[0] + values[1], False),
        JudgedRuns("draws", lost, values[2], True),
    ]


def judge_maps(run: PlayedRun, constants: bool = False) -> list[JudgedRuns]:
    """Judge regret, what the law of maps adds to it, and what draws and fixed points add."""
    reference = with_constant_maps if constants else drawn_maps
    found = gains(run.plays, run.rewards)
    lost = _lost_by_the_law(run, constants)
    values = {"internal": float(found.max())}
    if constants:
        values["external"] = float(found.sum(axis=0).max())
    judged, drawn = [], 0.0
    for kind, value in values.items():
        terms = [v for _, v in _stated_bound(run, kind, reference).terms]
        drawn = fsum(terms[2:])
        judged += [
            JudgedRuns(kind, value, fsum(terms), True),
            JudgedRuns(f"law, {kind}", value - lost, fsum(terms[:2]), False),
        ]
    return [*judged, JudgedRuns("draws", lost, drawn, True)]


def _lost_by_the_law(run: PlayedRun, constants: bool) -> float:
    """Return Σ_t f_t(φ^q(x_t)) - f_t(x_t), where q are the expected weights at the time."""
    maps = ExpectedMaps(run.setting.actions, constants)
    rates = with_constant_maps if constants else drawn_maps
    rate = rates(run.setting, np.random.default_rng(0)).rates.at(1)
    lost = []
    for x, r in zip(run.plays, run.rewards, strict=True):
        lost.append(x @ maps.mixture(rate) @ r - x @ r)
        maps.add(x, r)
    return fsum(lost)


# --- the check


@dataclass(frozen=True)
class Tally:
    """The numbers of one name in the runs of one setting."""

    setting: Setting
    judged: tuple[JudgedRuns, ...]

    @property
    def over(self) -> int:
        """In how many runs it was above its bound."""
        return sum(j.exceeded for j in self.judged)

    @property
    def cell(self) -> str:
        """The largest number, and the bound."""
        return f"{max(j.value for j in self.judged):.1f}/{self.judged[0].bound:.1f}"


@dataclass(frozen=True)
class ManyRuns:
    """Runs a learner many times in each setting, and counts by what is measured.

    A bound that always holds is refuted by one run above it. One that holds with probability
    1 - DELTA is refuted where the number of runs above it, of all settings together, has at most
    the probability SIGNIFICANCE under the binomial law: the chance to fail is at most DELTA in each
    run, and runs are independent.
    """

    settings: tuple[Setting, ...]
    judge: Judge
    make: MakeDrawing
    share: int = 400

    def __call__(self, context: CheckContext) -> Finding:
        """Run; the more samples the budget has, the more runs."""
        number = max(3, context.budget.samples // self.share)
        tallies = []
        for k, setting in enumerate(self.settings):
            context.progress(k, len(self.settings))
            runs = [self._judge(setting, (context.seed, k, n)) for n in range(number)]
            tallies += [Tally(setting, judged) for judged in zip(*runs, strict=True)]
        context.progress(1, 1)
        table = _table(tallies, number)
        scope = self._scope(tallies, number, context.seed)
        broken = _find_broken(tallies)
        if broken:
            summary, worst = broken
            exhibit = Exhibit(
                summary=f"{summary} The worst setting: {worst.setting}.", tables=(table,)
            )
            return Finding(
                status=Status.REFUTED,
                strength=Strength.TESTED,
                scope=scope,
                reason=summary,
                counterexample=Counterexample(exhibit=exhibit, minimality="the worst of all runs"),
            )
        above = max(_over(tallies, name)[0] for name in _names(tallies, may_fail=True))
        return Finding(
            status=Status.HOLDS,
            strength=Strength.TESTED,
            scope=scope,
            reason=f"Of {scope.instances:,} runs {above} were above a bound that fails with a "
            f"probability of at most {DELTA:g}, and none above one that never does.",
            evidence=(table,),
        )

    def _judge(self, setting: Setting, seed: tuple[int, int, int]) -> list[JudgedRuns]:
        streams = [np.random.default_rng([*seed, stream]) for stream in (0, 1)]
        learner = self.make(setting, streams[0])
        answer = _opponent(setting, learner, streams[1])
        plays, rewards = meet(learner, answer, setting.rounds)
        return self.judge(PlayedRun(setting, learner, plays, rewards))

    def _scope(self, tallies: list[Tally], number: int, seed: int) -> Scope:
        runs = number * len(self.settings)
        regretted = [t for t in tallies if t.judged[0].name == tallies[0].judged[0].name]
        sizes = sorted({(s.actions, s.rounds, s.samples) for s in self.settings})
        return Scope(
            family="runs against opponents who do not see the draws of the round: "
            + ", ".join(dict.fromkeys(s.opponent for s in self.settings)),
            instances=runs,
            met_hypotheses=runs,
            nontrivial=sum(j.value > 0 for tally in regretted for j in tally.judged),
            sizes="; ".join(f"N = {n}, T = {t}, m = {m}" for n, t, m in sizes),
            seed=seed,
        )


def _table(tallies: list[Tally], number: int) -> Table:
    settings = dict.fromkeys(t.setting for t in tallies)
    names = dict.fromkeys(t.judged[0].name for t in tallies)
    return Table(
        caption=f"The largest of {number} runs/its bound: regret; what the law that is drawn "
        "from regrets, given the plays; and what drawing adds",
        columns=("opponent", "N", "m", *names),
        rows=tuple(
            (
                setting.opponent,
                *map(str, (setting.actions, setting.samples)),
                *(t.cell for t in tallies if t.setting == setting),
            )
            for setting in settings
        ),
    )


def _names(tallies: list[Tally], *, may_fail: bool) -> list[str]:
    return [*dict.fromkeys(t.judged[0].name for t in tallies if t.judged[0].may_fail is may_fail)]


def _over(tallies: list[Tally], name: str) -> tuple[int, int]:
    """Return in how many of how many runs a number was above its bound."""
    own = [t for t in tallies if t.judged[0].name == name]
    return sum(t.over for t in own), sum(len(t.judged) for t in own)


def _find_broken(tallies: list[Tally]) -> tuple[str, Tally] | None:
    """Return what refutes, and the setting with the largest excess."""
    for name in _names(tallies, may_fail=False):
        over, runs = _over(tallies, name)
        if over:
            return f"“{name}” is above its bound in {over} of {runs} runs.", _find_worst(
                tallies, name
            )
    for name in _names(tallies, may_fail=True):
        over, runs = _over(tallies, name)
        if binomial_tail(over, runs, DELTA) < SIGNIFICANCE:
            summary = (
                f"“{name}” is above its bound in {over} of {runs} runs, where {DELTA:g} of them "
                "are expected at most."
            )
            return summary, _find_worst(tallies, name)
    return None


def _find_worst(tallies: list[Tally], name: str) -> Tally:
    own = [t for t in tallies if t.judged[0].name == name]
    return max(own, key=lambda t: max(j.value - j.bound for j in t.judged))


def binomial_tail(successes: int, trials: int, chance: float) -> float:
    """Return the probability of at least so many successes.

    Examples
    --------
    >>> round(binomial_tail(1, 2, 0.5), 9)
    0.75
    """
    return fsum(
        comb(trials, k) * chance**k * (1 - chance) ** (trials - k)
        for k in range(successes, trials + 1)
    )


def _enough(actions: int, rounds: int) -> int:
    """Return the number of maps at which what draws add is at most what learning costs."""
    return ceil(rounds * log(actions * rounds / DELTA) / (2 * log(actions)))


_OPPONENTS: Final = (*BLIND, ANTICIPATION)

FTPL_SETTINGS: Final = tuple(
    Setting(name, 4, 64, samples) for name in _OPPONENTS for samples in (1, 8)
)

MAP_SETTINGS: Final = tuple(
    Setting(name, N, 48, _enough(N, 48))
    for name, N in [*[(name, 3) for name in _OPPONENTS], ("last play", 8), ("chase", 8)]
)
