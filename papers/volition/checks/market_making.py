"""volition, section 4: the marginal-value mechanism as a market, and markets as its plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from papers.volition.checks.marginal_families import name_set, names
from theory.decision import Forecast
from theory.information import Good
from theory.marginal_value import (
    MarginalValueGame,
    from_beliefs,
    from_prior,
    market_scoring,
)
from theory.numbers import log
from theory.probability import ProbabilitySpace, Variable
from theory.scoring import Score
from theory.search import Draw, Family, Trial

__all__ = ["MARKETS", "Market", "MarketMaking"]

QUARTERS = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))

RARE = Fraction(1, 20)
"""How much rarer it is that one more item says yes; so rare that larger sets hardly matter."""

Beliefs = dict[frozenset[str], Fraction]
Game = Callable[[Sequence[str], Beliefs, Score], MarginalValueGame]
Payments = Callable[[Sequence[Fraction], Fraction, Score], Sequence[Any]]


@dataclass(frozen=True)
class Market:
    """What a judge believes by revealed set, and the moves of a play."""

    score: Score
    beliefs: tuple[Fraction, ...]
    history: tuple[int, ...]

    @property
    def items(self) -> list[str]:
        """The names of the items."""
        return names(len(self.beliefs) - 1)

    @property
    def by_set(self) -> Beliefs:
        """The beliefs by set of names."""
        return {frozenset(names(s)): q for s, q in enumerate(self.beliefs)}

    @property
    def reports(self) -> list[Fraction]:
        """The belief before the first move and after each: the course of the market."""
        revealed, reports = 0, [self.beliefs[0]]
        for move in self.history:
            revealed |= move
            reports.append(self.beliefs[revealed])
        return reports

    def __str__(self) -> str:
        beliefs = ", ".join(f"{name_set(s)} {q}" for s, q in enumerate(self.beliefs))
        moves = ", ".join(map(name_set, self.history)) or "nothing"
        return f"{self.score} score; beliefs {beliefs}; revealed: {moves}"


def free_game(items: Sequence[str], beliefs: Beliefs, score: Score) -> MarginalValueGame:
    """Return the game of a judge with these beliefs, all items free."""
    return from_beliefs(items, beliefs, dict.fromkeys(items, 0), score)


def market(reports: Sequence[Fraction], final: Fraction, score: Score) -> Sequence[Any]:
    """Return what the market scoring rule of the theory pays."""
    return market_scoring(reports, final, score)


@dataclass(frozen=True)
class MarketMaking:
    """Rewards are those of a market scoring rule, and every course of a market is a play."""

    game: Game = free_game
    payments: Payments = market

    def __call__(self, case: Market) -> Trial:
        """Check both directions.

        Non-trivial where all items together change the belief: revealing them is paid, so the
        equilibrium reveals something.
        """
        game = self.game(case.items, case.by_set, case.score)
        reports, final = case.reports, case.reports[-1]
        paid = list(game.settle(map(names, case.history)).rewards)
        course = case.beliefs[: len(case.items) + 1]
        play = self.game(*_chain(course), case.score)
        laws = {
            "rewards are those of the market, settled at the final belief": (
                paid == _transcribe_payments(reports, final, case.score)
            ),
            "and the theory's market scoring rule pays them": (
                paid == list(self.payments(reports, final, case.score))
            ),
            "every course of a market is a play that pays the same": (
                list(play.settle([name] for name in play.items).rewards)
                == _transcribe_payments(course, course[-1], case.score)
            ),
            "some prior has these beliefs": (
                list(_from_a_prior(case).settle(map(names, case.history)).rewards)
                == _transcribe_payments(reports, final, Score.BRIER)
            ),
        }
        broken = [law for law, kept in laws.items() if not kept]
        return Trial(
            nontrivial=case.beliefs[0] != case.beliefs[-1],
            failure=f"Broken: {'; '.join(broken)}." if broken else "",
        )


def _transcribe_payments(reports: Sequence[Fraction], final: Fraction, score: Score) -> list[Any]:
    """Return payments by their closed forms: differences of squares, or of logarithms."""
    if score is Score.BRIER:
        return [(final - q) ** 2 - (final - r) ** 2 for q, r in pairwise(reports)]
    return [final * log(r / q) + (1 - final) * log((1 - r) / (1 - q)) for q, r in pairwise(reports)]


def _chain(course: Sequence[Fraction]) -> tuple[list[str], Beliefs]:
    """Return items that, revealed one after the other, lead through a course of beliefs.

    Other sets say what the longest beginning of the chain in them says.
    """
    items = [f"J{k}" for k in range(1, len(course))]
    beliefs = {}
    for s in range(1 << len(items)):
        length = next((k for k in range(len(items)) if not s >> k & 1), len(items))
        beliefs[frozenset(n for k, n in enumerate(items) if s >> k & 1)] = course[length]
    return items, beliefs


def _from_a_prior(case: Market) -> MarginalValueGame:
    """Return the game of a prior with the beliefs of the case, under the quadratic score.

    There are two states for each set S, with the event and without, in which exactly the items of
    S say yes. Larger sets are so rare that P(event | exactly S) lies close to the belief of S.
    """
    size = len(case.beliefs)
    weights = [RARE ** s.bit_count() for s in range(size)]
    hits: list[Fraction] = [Fraction(0)] * size
    for s in reversed(range(size)):
        above = [t for t in range(s, size) if t & s == s]
        hits[s] = case.beliefs[s] * sum(weights[t] for t in above) - sum(hits[t] for t in above)
    total = sum(weights)
    prior = {(s, True): hits[s] / total for s in range(size)}
    prior |= {(s, False): (weights[s] - hits[s]) / total for s in range(size)}
    space = ProbabilitySpace.of(prior)
    goods = [
        Good.of(name, Variable.of(name, ["yes" if s >> j & 1 else "no" for s, _ in prior]))
        for j, name in enumerate(case.items)
    ]
    event = space.variable("event", lambda state: state[1]).equals(True)
    return from_prior(Forecast(space, event, Score.BRIER), goods, (size - 1, True))


def _build(draw: Draw, items: int) -> Market:
    score = draw.choice((Score.BRIER, Score.LOG)[: None if items < 3 else 1])
    beliefs = tuple(draw.choice(QUARTERS) for _ in range(1 << items))
    history = []
    left = len(beliefs) - 1
    while move := draw.choice([s for s in range(left + 1) if s & ~left == 0]):
        history.append(move)
        left &= ~move
    return Market(score, beliefs, tuple(history))


def _size(case: Market) -> tuple[object, ...]:
    return (len(case.history), sum(abs(q - Fraction(1, 2)) for q in case.beliefs))


MARKETS = Family(
    description=(
        "forecasts of an event with beliefs 1/4, 1/2, 3/4 by revealed set, all items free, and a "
        "play; the quadratic score and, for up to two items, the logarithmic score"
    ),
    level_name="items",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)
