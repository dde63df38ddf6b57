"""oracles, Table 1: what a round takes, and what is regretted, as the number of actions grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, log
from typing import Any, Final

import numpy as np

from mechanisms.learners import (
    OPPONENTS,
    ActionOracle,
    BlumMansour,
    History,
    InternalFTPL,
    play_against,
    regret_bound,
)
from mechanisms.learners.lazy_maps import SampledMaps
from theory.actions import ListedActions
from theory.claims import CheckContext
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = [
    "LEARNERS",
    "Compared",
    "Contender",
    "CountingOracle",
    "blum_mansour",
    "internal_ftpl",
]

ROUNDS: Final = 100
SIZES: Final = (10, 100, 1_000)
MOST: Final = ((10, 10), (10, 10), (1_000, 100), (1_000, 1_000))
"""The most actions, and the most for Blum-Mansour, by the size of the budget."""

FAILURE: Final = 1e-6
"""With this probability a bound on drawn play may fail in a run."""

OPPONENTS_MET: Final = ("last play", "chase", "walk", "trap")
KINDS: Final = ("external", "internal", "swap")


class CountingOracle(ActionOracle):
    """The oracle of listed actions; it counts the maps that it draws, and what they touch."""

    def __init__(self, actions: int) -> None:
        super().__init__(ListedActions(actions))
        self.calls = 0
        self.touched = 0

    def smooth_best_maps(
        self,
        history: History,
        *,
        rate: float,
        rng: np.random.Generator,
        n: int,
        constants: bool = False,
    ) -> SampledMaps:
        """Count n calls and the indices that their maps touch, and pass the maps on."""
        found = super().smooth_best_maps(history, rate=rate, rng=rng, n=n, constants=constants)
        self.calls += found.number
        ends = {action for move in found.moves for action in move}
        self.touched = max(self.touched, len(ends | set(found.constants)))
        return found


@dataclass(frozen=True)
class Contender:
    """A learner to be compared, and the oracle that counts for it, if it has one."""

    learner: Any
    oracle: CountingOracle | None = None


Make = Callable[[int, np.random.Generator], Contender]


def internal_ftpl(actions: int, rng: np.random.Generator, *, constants: bool = False) -> Contender:
    """Return Algorithm 1 with as many maps as make both terms of Theorem 4 alike for δ = 0.05."""
    samples = ceil(ROUNDS * log(actions * ROUNDS / 0.05) / (2 * log(actions)))
    oracle = CountingOracle(actions)
    learner = InternalFTPL(oracle, rng=rng, samples=samples, constants=constants, rounds=ROUNDS)
    return Contender(learner, oracle)


def blum_mansour(actions: int, rng: np.random.Generator) -> Contender:
    """Return Blum and Mansour's learner: N copies of Hedge, and a chain of N states."""
    del rng
    return Contender(BlumMansour(actions, rounds=ROUNDS))


LEARNERS: Final[tuple[tuple[str, Make], ...]] = (
    ("Algorithm 1", internal_ftpl),
    ("… with constants", partial(internal_ftpl, constants=True)),
    ("Blum-Mansour", blum_mansour),
)


@dataclass(frozen=True)
class LearnerCosts:
    """A run: the three regrets, what is proven of each, and what a round took."""

    regrets: tuple[float, ...]
    bounds: tuple[float, ...]
    calls: int
    unknowns: int
    exponentials: int

    @property
    def broken(self) -> str:
        """Which regret is above what is proven, if one is."""
        for kind, regret, bound in zip(KINDS, self.regrets, self.bounds, strict=True):
            if regret > bound + 1e-6:
                return f"{kind} regret of {regret:.4g} is above {bound:.4g}"
        return ""


@dataclass(frozen=True)
class Compared:
    """Lets the learners meet opponents; refuted where a bound is exceeded.

    ``proven`` makes the learners whose bounds are taken.
    """

    learners: tuple[tuple[str, Make], ...] = LEARNERS
    proven: tuple[tuple[str, Make], ...] = LEARNERS

    def __call__(self, context: CheckContext) -> Finding:
        """Measure, for each number of actions that the size of the budget allows."""
        most, cubic = MOST[min(context.budget.size, len(MOST)) - 1]
        sizes = [n for n in SIZES if n <= most]
        entries: dict[tuple[int, str], list[LearnerCosts]] = {}
        planned = [
            (n, name, make, reference)
            for n in sizes
            for (name, make), (_, reference) in zip(self.learners, self.proven, strict=True)
            if name != "Blum-Mansour" or n <= cubic
        ]
        for done, (n, name, make, reference) in enumerate(planned):
            context.progress(done, len(planned))
            entries[n, name] = [
                _measure_learner(n, make, reference, opponent, context.seed)
                for opponent in OPPONENTS_MET
            ]
        context.progress(1, 1)
        return _make_finding(entries, context.seed)


def _measure_learner(
    actions: int, make: Make, reference: Make, opponent: str, seed: int
) -> LearnerCosts:
    number = OPPONENTS_MET.index(opponent)
    own, other = (np.random.default_rng([seed, actions, number, k]) for k in (0, 1))
    contender = make(actions, own)
    answer = OPPONENTS[opponent](actions, other)
    run = play_against(contender.learner, answer, ROUNDS, actions=actions)
    found, player = run.regret(), run.player(0)
    stated = reference(actions, np.random.default_rng(0)).learner
    bounds = tuple(
        regret_bound(stated, ROUNDS, kind=kind, failure=FAILURE, residual=player.residual).value
        for kind in KINDS
    )
    regrets = tuple(float(getattr(found, kind).gain) for kind in KINDS)
    if contender.oracle is None:
        return LearnerCosts(regrets, bounds, 0, actions, actions**2)
    return LearnerCosts(
        regrets, bounds, contender.oracle.calls // ROUNDS, contender.oracle.touched, 0
    )


def _make_finding(entries: dict[tuple[int, str], list[LearnerCosts]], seed: int) -> Finding:
    every = [m for runs in entries.values() for m in runs]
    sizes = sorted({N for N, _ in entries})
    scope = Scope(
        family=f"{ROUNDS} rounds against each of {', '.join(OPPONENTS_MET)}",
        instances=len(every),
        met_hypotheses=len(every),
        nontrivial=sum(max(m.regrets) > 0 for m in every),
        sizes="N = " + ", ".join(f"{N:,}" for N in sizes),
        seed=seed,
    )
    broken = [
        f"N = {N:,}, {name}, {opponent}: {measured.broken}."
        for (N, name), runs in entries.items()
        for opponent, measured in zip(OPPONENTS_MET, runs, strict=True)
        if measured.broken
    ]
    tables = (_costs(entries), _regrets(entries))
    if broken:
        exhibit = Exhibit(summary=broken[0], tables=tables)
        return Finding(
            status=Status.REFUTED,
            strength=Strength.TESTED,
            scope=scope,
            reason=f"In {len(broken)} of {len(every)} runs a regret is above what is proven.",
            counterexample=Counterexample(exhibit=exhibit, minimality="the first of all runs"),
        )
    return Finding(
        status=Status.MEASURED,
        strength=Strength.TESTED,
        scope=scope,
        reason=_summary(entries),
        evidence=tables,
        tolerances={"what float64 may add to a regret": "1e-6"},
    )


def _summary(entries: dict[tuple[int, str], list[LearnerCosts]]) -> str:
    """Return what each learner regrets with as many actions as it was tried with."""
    most: dict[str, int] = {}
    for N, name in entries:
        most[name] = max(N, most.get(name, 0))
    parts = []
    for name, N in most.items():
        worst = [max(m.regrets[k] for m in entries[N, name]) for k in range(len(KINDS))]
        numbers = ", ".join(f"{k} {value:.3g}" for k, value in zip(KINDS, worst, strict=True))
        parts.append(f"{name}, N = {N:,}: {numbers}")
    return f"Largest regrets after {ROUNDS} rounds: {'; '.join(parts)}."


def _costs(entries: dict[tuple[int, str], list[LearnerCosts]]) -> Table:
    rows = []
    for (N, name), runs in entries.items():
        unknowns, direct = max(m.unknowns for m in runs), runs[0].calls == 0
        rows.append(
            (
                f"{N:,}",
                name,
                "none" if direct else f"{runs[0].calls:,}",
                f"{runs[0].exponentials:,}" if direct else "in the oracle",
                f"{unknowns:,}" if direct else f"at most {unknowns:,}",
            )
        )
    return Table(
        caption="What a round takes: calls of the smooth oracle, exponentials, and the number of "
        "actions among which a fixed point is sought, a cubic task where they are all linked",
        columns=("N", "learner", "oracle calls", "exponentials", "actions linked"),
        rows=tuple(rows),
    )


def _regrets(entries: dict[tuple[int, str], list[LearnerCosts]]) -> Table:
    rows = []
    for (N, name), runs in entries.items():
        cells, proven = [], []
        for k, kind in enumerate(KINDS):
            regrets, bound = [m.regrets[k] for m in runs], max(m.bounds[k] for m in runs)
            cells.append(f"{min(regrets):.1f}…{max(regrets):.1f}")
            if bound < ROUNDS:
                proven.append(f"{kind} {bound:.0f}")
        rows.append((f"{N:,}", name, *cells, ", ".join(proven) or "nothing"))
    return Table(
        caption=f"Regret after T = {ROUNDS} rounds, from the mildest opponent to the worst, and "
        "what is proven below T: pathwise for Blum-Mansour, with probability "
        f"1 - {FAILURE:g} for drawn maps",
        columns=("N", "learner", *KINDS, "proven"),
        rows=tuple(rows),
    )
