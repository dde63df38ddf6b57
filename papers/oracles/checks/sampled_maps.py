"""oracles, Lemma 5: m sampled maps in place of their expected weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, permutations
from math import factorial, prod
from typing import Any

from theory.errors import UndecidedError
from theory.fixed_point import MapMixture, fixed_point
from theory.numbers.balls import ball, refine
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "ROUNDS",
    "Outcome",
    "SampledRound",
    "TailIsSmall",
    "Unbiased",
    "fixed_in_advance",
    "lowest_fixed_point",
    "show_round",
]

Move = tuple[int, int] | None
"""The map that moves all of i to j, or the identity."""

Sample = tuple[Move, ...]
Play = tuple[Fraction, ...]
Rule = Callable[[int, Sample], Play]


@lru_cache(maxsize=1 << 14)
def lowest_fixed_point(actions: int, sample: Sample) -> Play:
    """Return the fixed point of the sample's average: the closed class with the lowest index."""
    weights: dict[tuple[int, int], Fraction] = {}
    for move in sample:
        if move is not None:
            weights[move] = weights.get(move, Fraction(0)) + Fraction(1, len(sample))
    found = fixed_point(MapMixture.of(actions, moves=weights))
    play = [Fraction(0)] * actions
    for place, weight in zip(found.support, found.weights, strict=True):
        play[place] = Fraction(weight)
    return tuple(play)


def fixed_in_advance(actions: int, sample: Sample) -> Play:
    """Return the first action, whatever the sample: no fixed point, but independent of it."""
    del sample
    return (Fraction(1), *[Fraction(0)] * (actions - 1))


@dataclass(frozen=True)
class Outcome:
    """What one sample leads to: the play, and the payoff of the sampled and the expected map."""

    sample: Sample
    probability: Fraction
    play: Play
    sampled: Fraction
    expected: Fraction
    worst: Fraction
    """The largest of expected less sampled payoff that any play could have, max_i D_i."""

    @property
    def error(self) -> Fraction:
        """g(q) - g(p)."""
        return self.expected - self.sampled


@dataclass(frozen=True)
class SampledRound:
    """A round of Algorithm 1 with rewards that do not look at the sample.

    ``history`` holds the action that was played in each earlier round and the rewards, and
    ``growth`` is e^η: a map weighs ``growth`` to the power of what it would have gained.
    """

    history: tuple[tuple[int, tuple[int, ...]], ...]
    growth: int
    samples: int
    rewards: tuple[int | Fraction, ...]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self.rewards)

    @cached_property
    def weights(self) -> dict[Move, Fraction]:
        """The expected weights q: the softmax of what each map would have gained."""
        maps: list[Move] = [None, *permutations(range(self.actions), 2)]
        raw = {move: Fraction(self.growth) ** self._gain(move) for move in maps}
        total = sum(raw.values())
        return {move: weight / total for move, weight in raw.items()}

    def _gain(self, move: Move) -> int:
        if move is None:
            return 0
        source, target = move
        return sum(r[target] - r[source] for played, r in self.history if played == source)

    def advantages(self, weights: Mapping[Move, Fraction]) -> list[Fraction]:
        """Return what a mixture of maps gains on each action: sum_j q_ij (r_j - r_i)."""
        gained = [Fraction(0)] * self.actions
        for move, weight in weights.items():
            if move is not None:
                gained[move[0]] += weight * (self.rewards[move[1]] - self.rewards[move[0]])
        return gained

    def outcomes(self, rule: Rule = lowest_fixed_point) -> Iterator[Outcome]:
        """Yield every sample, up to order, with its probability."""
        q, m = self.weights, self.samples
        expected = self.advantages(q)
        for sample in combinations_with_replacement(q, m):
            counts = {move: sample.count(move) for move in sample}
            orders = factorial(m) // prod(map(factorial, counts.values()))
            sampled = self.advantages({move: Fraction(n, m) for move, n in counts.items()})
            play = rule(self.actions, sample)
            own = _mean(play, self.rewards)
            yield Outcome(
                sample,
                orders * prod((q[move] for move in sample), start=Fraction(1)),
                play,
                own + _mean(play, sampled),
                own + _mean(play, expected),
                max(a - b for a, b in zip(expected, sampled, strict=True)),
            )

    def __str__(self) -> str:
        rounds = "; ".join(f"action {a + 1} with rewards {_row(r)}" for a, r in self.history)
        return (
            f"{self.actions} actions, played before: {rounds}; e^η = {self.growth}, "
            f"m = {self.samples}, rewards now {_row(self.rewards)}"
        )


def _mean(play: Sequence[Any], values: Sequence[Any]) -> Fraction:
    return sum((x * v for x, v in zip(play, values, strict=True) if x), Fraction(0))


def _row(values: Sequence[object]) -> str:
    return f"({', '.join(map(str, values))})"


@dataclass(frozen=True)
class TailIsSmall:
    """P(g(q) - g(p) >= ε) is at most c exp(-2 m ε²) for every ε > 0; c is 1, or N with ``union``.

    ``any_play`` asks the same of the largest error that any play could have, max_i D_i.
    """

    union: bool = False
    any_play: bool = False
    rule: Rule = lowest_fixed_point

    def __call__(self, case: SampledRound) -> Trial:
        """Sum over all samples, and compare with a certified exponential at each error."""
        law: dict[Fraction, Fraction] = {}
        for outcome in case.outcomes(self.rule):
            error = outcome.worst if self.any_play else outcome.error
            law[error] = law.get(error, Fraction(0)) + outcome.probability
        factor = case.actions if self.union else 1
        tail = Fraction(0)
        for error in sorted((e for e in law if e > 0), reverse=True):
            tail += law[error]
            if _is_above(tail, factor, 2 * case.samples * error**2):
                bound = f"exp(-2 m ε²) ≈ {float((-ball(2 * case.samples * error**2)).exp()):.4f}"
                written = f"above {'N ' if self.union else ''}{bound}"
                return Trial(failure=f"P(g(q) - g(p) ≥ {error}) = {tail}, {written}.")
        return Trial(nontrivial=any(error > 0 for error in law))


def _is_above(value: Fraction, factor: int, exponent: Fraction) -> bool:
    """Say whether ``value`` > ``factor`` exp(-``exponent``)."""

    def decide() -> bool:
        difference = ball(value) - factor * (-ball(exponent)).exp()
        if difference > 0:
            return True
        if difference < 0:
            return False
        raise UndecidedError(f"{value} may be {factor} exp(-{exponent})")

    return value > 0 and refine(decide)


@dataclass(frozen=True)
class Unbiased:
    """The mean of the sampled payoff is that of the expected weights: E[g(p)] = E[g(q)]."""

    rule: Rule = lowest_fixed_point

    def __call__(self, case: SampledRound) -> Trial:
        """Sum over all samples; non-trivial where different maps gain differently."""
        outcomes = list(case.outcomes(self.rule))
        sampled = sum((o.probability * o.sampled for o in outcomes), Fraction(0))
        expected = sum((o.probability * o.expected for o in outcomes), Fraction(0))
        failure = f"E[g(p)] = {sampled} and E[g(q)] = {expected}." if sampled != expected else ""
        return Trial(nontrivial=len(set(case.rewards)) > 1, failure=failure)


def show_round(case: SampledRound) -> Exhibit:
    """Work a round out: every sample, the play it leads to, and both payoffs."""
    outcomes = list(case.outcomes())
    numbers = [(o.sampled, o.expected, o.error) for o in outcomes]
    means = [
        sum((o.probability * row[n] for o, row in zip(outcomes, numbers, strict=True)), Fraction(0))
        for n in range(3)
    ]
    rows = [
        (", ".join(map(_name, o.sample)), str(o.probability), _row(o.play), *map(str, row))
        for o, row in zip(outcomes, numbers, strict=True)
    ]
    rows.append(("mean", "1", "", *map(str, means)))
    q = ", ".join(f"{_name(move)} {weight}" for move, weight in case.weights.items())
    table = Table(
        caption=f"Every sample of m = {case.samples} maps from the expected weights q: {q}",
        columns=("sample", "probability", "play x", "g(p)", "g(q)", "g(q) - g(p)"),
        rows=tuple(rows),
    )
    return Exhibit(summary=f"{case}. E[g(p)] = {means[0]}, E[g(q)] = {means[1]}", tables=(table,))


def _name(move: Move) -> str:
    return "identity" if move is None else f"{move[0] + 1}→{move[1] + 1}"


def _build(draw: Draw, actions: int) -> SampledRound:
    samples = 1 + draw.index(max(1, 6 // actions))
    if actions < 4:
        rewards = tuple(draw.index(2) for _ in range(actions))
    else:
        good = draw.index(actions + 1)
        rewards = (0,) * (actions - good) + (1,) * good
    played = draw.index(actions)
    before = tuple(draw.index(2) for _ in range(actions))
    growth = draw.choice((2, 8)) if len(set(before)) > 1 else 2
    return SampledRound(((played, before),), growth, samples, rewards)


def _size(case: SampledRound) -> tuple[Any, ...]:
    earned = sum(sum(r) for _, r in case.history)
    rewards: list[Any] = [*case.rewards]
    return (case.samples, earned, case.growth, sum(rewards), case.history[0][0])


ROUNDS: Family[SampledRound] = Family(
    description=(
        "rounds of Algorithm 1 after one round with rewards 0 or 1, e^η = 2 or 8, up to 6/N "
        "sampled maps, rewards 0 or 1 (with four actions, in increasing order); every sample is "
        "counted with its probability"
    ),
    level_name="actions",
    levels=(2, 3, 4),
    build=_build,
    size=_size,
)
