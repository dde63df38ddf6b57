"""oracles, section 3: bounds on regret that hold whatever the rewards are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

from mechanisms.learners import BestResponse, Hedge, InternalFTPL, Learner
from papers.oracles.checks.contests import Contest, Make, exact_regrets
from papers.oracles.checks.regrets import row_text
from theory.errors import UndecidedError
from theory.numbers.balls import ball, refine
from theory.search import Trial

__all__ = [
    "EXTERNAL",
    "EXTERNAL_TOO",
    "INTERNAL",
    "INTERNAL_TOO",
    "Promise",
    "RegretIsBounded",
    "bound",
    "exceeds_bound",
    "hedge",
    "law",
    "law_with_constants",
    "leader",
]

RESIDUAL: Final = 1e-12
"""What a fixed point may miss; its term of the bound is left out."""

_TOLD: Final = 5
"""Up to how many rounds a failure tells what was played."""

Count = Callable[[int], int]


def action_prior_odds(actions: int) -> int:
    """One over the prior of an action."""
    return actions


def maps(actions: int) -> int:
    """At least as many as there are maps of one action, and the identity."""
    return actions**2


def halved_listed(actions: int) -> int:
    """One over the prior of a constant map."""
    return 2 * actions


def halved_maps(actions: int) -> int:
    """At least one over the prior of another map, where half of it goes to constant maps."""
    return 2 * actions**2


@dataclass(frozen=True)
class Promise:
    """log(prior) / η + η T / 8 bounds a kind of regret; the best η is that for ``tuned``."""

    kind: str
    prior: Count
    tuned: Count


EXTERNAL: Final = Promise("external", action_prior_odds, action_prior_odds)
INTERNAL: Final = Promise("internal", maps, maps)
EXTERNAL_TOO: Final = Promise("external", halved_listed, halved_maps)
INTERNAL_TOO: Final = Promise("internal", halved_maps, halved_maps)


def bound(prior: int, tuned: int, rounds: int, rate: int | None) -> Any:
    """Return log(prior) / η + η T / 8; without a rate, with η = √(8 log(tuned) / T)."""
    best = (8 * ball(Fraction(tuned)).log() / rounds).sqrt()
    eta = best if rate is None else ball(Fraction(rate))
    return ball(Fraction(prior)).log() / eta + eta * rounds / 8


@lru_cache(maxsize=1 << 10)
def _just_below(prior: int, tuned: int, rounds: int, rate: int | None) -> Fraction:
    return Fraction(float(bound(prior, tuned, rounds, rate))) - Fraction(1, 10**9)


def exceeds_bound(value: Fraction, prior: int, tuned: int, rounds: int, rate: int | None) -> bool:
    """Say whether a rational is above the bound, which certified balls decide."""
    if value <= _just_below(prior, tuned, rounds, rate):
        return False

    def decided() -> bool:
        difference = ball(value) - bound(prior, tuned, rounds, rate)
        if difference > 0:
            return True
        if difference < 0:
            return False
        raise UndecidedError(f"{value} may be the bound of {prior}")

    return refine(decided)


@dataclass(frozen=True)
class RegretIsBounded:
    """The regret of a learner's plays keeps each of the promises, multiplied by ``factor``."""

    make: Make
    promises: tuple[Promise, ...]
    factor: Fraction = Fraction(1)

    def __call__(self, contest: Contest) -> Trial:
        """Play; non-trivial where something is regretted."""
        learner = self.make(contest)
        plays, rewards = contest.meet(learner)
        found = exact_regrets(plays, rewards)
        N, T, rate = contest.actions, contest.rounds, contest.rate
        values: list[Fraction] = [getattr(found, promise.kind) for promise in self.promises]
        failures = []
        if getattr(learner, "residual", 0.0) > RESIDUAL:
            failures.append(f"A fixed point misses by {getattr(learner, 'residual', 0.0):.3g}.")
        for promise, value in zip(self.promises, values, strict=True):
            prior, tuned = promise.prior(N), promise.tuned(N)
            if exceeds_bound(value / self.factor, prior, tuned, T, rate):
                most = float(self.factor) * float(bound(prior, tuned, T, rate))
                failures.append(f"{promise.kind} regret is {float(value):.6g}, above {most:.6g}.")
        if failures and T <= _TOLD:
            played = ", ".join(row_text([f"{p:.4g}" for p in x]) for x in plays)
            failures.append(f"Played was {played}.")
        return Trial(nontrivial=any(v > 0 for v in values), failure=" ".join(failures))


# --- learners


def hedge(contest: Contest) -> Learner:
    """Return Hedge, which is deterministic FTPL."""
    return Hedge(contest.actions, rounds=contest.horizon, rate=contest.step)


def leader(contest: Contest) -> Learner:
    """Return the learner that follows the leader, without noise."""
    return BestResponse(contest.actions)


def law(contest: Contest, constants: bool = False) -> Learner:
    """Return Algorithm 1 with the expected weights of maps."""
    N, T, step = contest.actions, contest.horizon, contest.step
    return InternalFTPL(N, constants=constants, rounds=T, rate=step)


law_with_constants = partial(law, constants=True)
