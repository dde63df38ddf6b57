"""oracles, section 3.1: sampled FTPL, in expectation, against every opponent of a small kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import log
from typing import Any, Final

from papers.oracles.checks.regrets import row_text
from papers.oracles.checks.softmax import Law, law_of, running_softmax
from theory.errors import UndecidedError
from theory.numbers.balls import ball, refine
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["BLIND_PLANS", "SEEING_PLANS", "ExpectedRegretIsBounded", "Plan", "show_plan"]

Drawn = tuple[int, ...]
Rewards = tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """What an opponent does: the rewards of a round for each sequence of draws that it has seen.

    ``growth`` is e^η. One who ``sees`` has seen the draw of the round itself, too.
    """

    actions: int
    rounds: int
    growth: int
    answers: tuple[tuple[Drawn, Rewards], ...]
    sees: bool = False

    def rewards(self, drawn: Drawn) -> list[Rewards]:
        """Return the rewards of all rounds where these actions are drawn."""
        answers, late = dict(self.answers), int(self.sees)
        return [answers[drawn[: t + late]] for t in range(self.rounds)]

    def __str__(self) -> str:
        after = "; ".join(
            f"{row_text(r)} after {row_text([i + 1 for i in drawn])}" if drawn else row_text(r)
            for drawn, r in self.answers
        )
        rounds = f"{self.rounds} round{'s' if self.rounds > 1 else ''}"
        return f"{self.actions} actions, {rounds}, e^η = {self.growth}, rewards {after}"


@dataclass(frozen=True)
class Outcome:
    """A sequence of draws, how probable it is, the rewards it led to, and external regret."""

    drawn: Drawn
    probability: Fraction
    rewards: tuple[Rewards, ...]
    regret: int


def outcomes(plan: Plan, softmax: Law = running_softmax) -> Iterator[Outcome]:
    """Yield all sequences of draws, each leader with the probability that softmax gives it."""
    for drawn in product(range(plan.actions), repeat=plan.rounds):
        rewards, probability = plan.rewards(drawn), Fraction(1)
        sums = [0] * plan.actions
        for i, row in zip(drawn, rewards, strict=True):
            probability *= _chances(tuple(sums), plan.growth, softmax)[i]
            sums = [s + r for s, r in zip(sums, row, strict=True)]
        earned = sum(row[i] for i, row in zip(drawn, rewards, strict=True))
        yield Outcome(drawn, probability, tuple(rewards), max(sums) - earned)


def _mean(found: Iterable[Outcome]) -> Fraction:
    return sum((o.probability * o.regret for o in found), Fraction(0))


@lru_cache(maxsize=1 << 12)
def _chances(sums: tuple[int, ...], growth: int, softmax: Law) -> list[Fraction]:
    return law_of([Fraction(growth) ** s for s in sums], softmax)


@dataclass(frozen=True)
class ExpectedRegretIsBounded:
    """Expected external regret is at most log(N) / η + η T / 8."""

    softmax: Law = running_softmax

    def __call__(self, plan: Plan) -> Trial:
        """Sum over all draws; non-trivial where regret is expected at all."""
        expected = _mean(outcomes(plan, self.softmax))
        failure = ""
        if _above(expected, plan.actions, plan.rounds, plan.growth):
            most = log(plan.actions) / log(plan.growth) + log(plan.growth) * plan.rounds / 8
            failure = f"regret of {expected} is expected, above {most:.6g}."
        return Trial(nontrivial=expected > 0, failure=failure)


def _above(value: Fraction, actions: int, rounds: int, growth: int) -> bool:
    def decide() -> bool:
        eta = ball(Fraction(growth)).log()
        most = ball(Fraction(actions)).log() / eta + eta * rounds / 8
        difference = ball(value) - most
        if difference > 0:
            return True
        if difference < 0:
            return False
        raise UndecidedError(f"{value} may be the bound")

    return refine(decide)


def show_plan(plan: Plan) -> Exhibit:
    """Work a plan out: every sequence of draws."""
    found = list(outcomes(plan))
    rows = tuple(
        (
            row_text([i + 1 for i in o.drawn]),
            str(o.probability),
            ", ".join(map(row_text, o.rewards)),
            str(o.regret),
        )
        for o in found
    )
    expected = _mean(found)
    table = Table(
        caption=f"Every sequence of draws; the expected regret is {expected}",
        columns=("drawn", "probability", "rewards", "regret"),
        rows=rows,
    )
    return Exhibit(summary=f"{plan}: {expected} is expected", tables=(table,))


GROWTHS: Final = (2, 8)


@dataclass(frozen=True)
class Plans:
    """Builds plans: one row of rewards for each sequence of draws that may have been seen."""

    sizes: Mapping[int, tuple[int, ...]]
    sees: bool = False

    def __call__(self, draw: Draw, rounds: int) -> Plan:
        """Build one; from three rounds, or actions, one action earns 1 in each round."""
        actions, growth = draw.choice(self.sizes[rounds]), draw.choice(GROWTHS)
        lengths = [t + self.sees for t in range(rounds)]
        seen = [drawn for n in lengths for drawn in product(range(actions), repeat=n)]
        units = tuple(tuple(int(i == j) for i in range(actions)) for j in range(actions))
        options = units if rounds > 2 or actions > 2 else ((0,) * actions, *units)
        answers = tuple((drawn, draw.choice(options)) for drawn in seen)
        return Plan(actions, rounds, growth, answers, self.sees)


def _size(plan: Plan) -> tuple[Any, ...]:
    return (plan.actions, plan.growth, sum(sum(rewards) for _, rewards in plan.answers))


BLIND_PLANS: Family[Plan] = Family(
    description="all opponents who choose rewards by the draws of earlier rounds: 1 and 2 rounds, "
    "for 2 actions of which one earns 1 or none does, and for 3 of which one does; 3 rounds, for 2 "
    "of which one does; e^η = 2 or 8, every draw counted with its probability",
    level_name="rounds",
    levels=(1, 2, 3),
    build=Plans({1: (2, 3), 2: (2, 3), 3: (2,)}),
    size=_size,
)

SEEING_PLANS: Family[Plan] = Family(
    description="all opponents who choose rewards by the draws so far, that of the round included: "
    "2 actions, of which one earns 1 or none; e^η = 2 or 8",
    level_name="rounds",
    levels=(1, 2),
    build=Plans({1: (2,), 2: (2,)}, sees=True),
    size=_size,
)
