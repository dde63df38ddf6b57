"""oracles, deterministic FTPL: the leader under Gumbel noise has the law of softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import cycle
from math import log
from typing import Any, Final

import numpy as np

from mechanisms.learners import FTPL, Hedge, Learner
from papers.oracles.checks.softmax import Law, law_of, running_softmax
from theory.claims import CheckContext
from theory.numbers.balls import ball, enclosing_interval
from theory.numbers.interval import Interval
from theory.proofs import Equation, Identity, Proof, Tracer
from theory.search import Draw, Family, Trial

__all__ = ["REWARDS", "LeaderIsSoftmax", "LeaderProof", "Rewards", "gumbel", "leader", "race"]

Leader = Callable[[Any, Any], int]
Distribution = Callable[[Any], Any]

LOW, HIGH = -8, 48
"""Beyond these a standard Gumbel with weight between 1/8 and 8 has less than 1e-19 of its mass."""

PRECISION: Final = 96
GROWTH: Final = 2
DRAWS: Final = 4000
ROUNDING: Final = Fraction(1, 10**14)
DEVIATION: Final = Fraction(1, 20)
"""Frequencies of 4,000 draws are further away than this with probability below 5e-9."""


def gumbel(x: Any) -> Any:
    """Return the distribution function of the standard Gumbel law at a SymPy expression."""
    from sympy import exp

    return exp(-exp(-x))


def leader(scores: Any, noise: Any) -> int:
    """Return the action that leads once noise is added: the first of the highest."""
    return int((scores + noise).argmax())


def race(weights: Sequence[Fraction], winner: int) -> Any:
    """Return a ball for P(winner leads), integrated from the densities alone.

    Action i has the score log w_i plus a standard Gumbel, so its distribution function at y is
    exp(-w_i exp(-y)). The integral is of the winner's density times the others' distribution
    functions; its tails are bounded by 1e-19 for weights between 1/8 and 8.
    """
    from flint import acb, arb, ctx

    with ctx.workprec(PRECISION):
        w = [acb(ball(weight)) for weight in weights]

        def density(y: Any, _analytic: Any) -> Any:
            u = (-y).exp()
            value = w[winner] * u
            for weight in w:
                value *= (-weight * u).exp()
            return value

        bulk = acb.integral(density, acb(LOW), acb(HIGH), rel_tol=arb(1e-20), abs_tol=arb(1e-20))
        return bulk.real + arb(0, 1e-19)


@lru_cache(maxsize=1 << 12)
def chances(earned: tuple[int, ...]) -> tuple[Interval, ...]:
    """Return the interval in which the chance of each action to lead lies."""
    weights = [Fraction(GROWTH) ** sum_ for sum_ in earned]
    return tuple(enclosing_interval(race(weights, i)) for i in range(len(weights)))


@dataclass(frozen=True)
class Rewards:
    """Rewards of 0 or 1 in some rounds, one row a round; learners see them at the rate log 2."""

    rows: tuple[tuple[int, ...], ...]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self.rows[0])

    @property
    def earned(self) -> tuple[int, ...]:
        """What each action would have earned."""
        return tuple(map(sum, zip(*self.rows, strict=True)))

    def __str__(self) -> str:
        rows = (f"({', '.join(map(str, row))})" for row in self.rows)
        return f"rewards {', '.join(rows)} at η = log {GROWTH}"


def hedge(actions: int) -> Learner:
    """Return the learner that plays deterministic FTPL."""
    return Hedge(actions, rate=log(GROWTH))


def sampled_ftpl(actions: int, rng: np.random.Generator) -> Learner:
    """Return FTPL with the frequencies of many leaders."""
    return FTPL(actions, rng=rng, samples=DRAWS, rate=log(GROWTH))


@dataclass(frozen=True)
class LeaderIsSoftmax:
    """Softmax, Hedge and FTPL all have the law of the leader, which is integrated.

    The law is certified; softmax must lie in it, Hedge within ``ROUNDING`` of it, and the
    frequencies of ``DRAWS`` leaders within ``DEVIATION`` of it.
    """

    softmax: Law = running_softmax
    deterministic: Callable[[int], Learner] = hedge
    perturbed: Callable[[int, np.random.Generator], Learner] = sampled_ftpl

    def __call__(self, case: Rewards) -> Trial:
        """Compare; non-trivial where the actions have not all earned the same."""
        law = chances(case.earned)
        weights = [Fraction(GROWTH) ** total for total in case.earned]
        rng = np.random.default_rng([case.actions, *case.earned])
        compared = {
            "softmax": (law_of(weights, self.softmax), Fraction(0)),
            "Hedge": (self._play(self.deterministic(case.actions), case), ROUNDING),
            "FTPL": (self._play(self.perturbed(case.actions, rng), case), DEVIATION),
        }
        failure = ""
        for name, (play, slack) in compared.items():
            for action, (x, chance) in enumerate(zip(play, law, strict=True), 1):
                if not chance.lower - slack <= x <= chance.upper + slack:
                    failure = (
                        f"{name} gives action {action} the probability {float(x):.6g}, and it "
                        f"leads with probability {float(chance.lower):.6g}."
                    )
        return Trial(nontrivial=len(set(case.earned)) > 1, failure=failure)

    @staticmethod
    def _play(learner: Learner, case: Rewards) -> list[Fraction]:
        for row in case.rows:
            learner.observe(np.array(row, dtype=np.float64))
        return [Fraction(x) for x in np.asarray(learner.play()).tolist()]


def _build(draw: Draw, actions: int) -> Rewards:
    return Rewards(tuple(tuple(draw.index(2) for _ in range(actions)) for _ in range(2)))


def _size(case: Rewards) -> tuple[int, ...]:
    return (sum(case.earned),)


REWARDS: Family[Rewards] = Family(
    description=f"two rounds with rewards 0 or 1, seen at the rate log {GROWTH}",
    level_name="actions",
    levels=(1, 2, 3, 4),
    build=_build,
    size=_size,
)


@dataclass(frozen=True)
class LeaderProof:
    """E[e_leader] is the softmax, in four steps.

    What leads is the highest, by the traced code; the chance of that is an integral of the density
    of one score times the distribution functions of the others; the substitution u = e^-y turns it
    into an exponential integral; and its value is what the traced softmax returns.
    """

    softmax: Law = running_softmax
    leader: Leader = leader
    distribution: Distribution = gumbel

    def __call__(self, context: CheckContext) -> Proof:
        """Trace 1, 2, … scores, and integrate."""
        largest = context.budget.size
        leads = Proof.of_all(
            f"all real scores θ = log w of up to {largest} actions",
            [self._highest(n) for n in range(1, largest + 1)],
        )
        context.progress(1, 2)
        steps = (*self._law_of_one(), *self._chances(largest), self._softmax(largest))
        return replace(leads, identities=steps)

    def _highest(self, actions: int) -> Proof:
        names = [[f"{letter}{i}" for i in range(actions)] for letter in "xn"]
        trace = Tracer(real=[*names[0], *names[1]])
        scores, noise = (_objects([trace[name] for name in row]) for row in names)

        def run() -> list[Any]:
            ahead = self.leader(scores.copy(), noise.copy())
            total = scores + noise
            return [total[ahead] - other for other in total]

        return trace.prove(run)

    def _law_of_one(self) -> tuple[Identity, ...]:
        from sympy import Derivative, Limit, Symbol, exp, oo

        y = Symbol("y", real=True)
        F = self.distribution(y)
        return (
            Identity(
                "F(x) = exp(-exp(-x)) is a distribution function with the density "
                "exp(-x) exp(-exp(-x))",
                zeros=(
                    Derivative(F, y) - exp(-y) * exp(-exp(-y)),
                    Limit(F, y, -oo),
                    Limit(F, y, oo) - 1,
                ),
                signs=(Derivative(F, y).doit().subs(y, 0),),
            ),
        )

    def _chances(self, largest: int) -> tuple[Identity, ...]:
        from sympy import Integral, diff, exp, log, oo, symbols

        x, y = symbols("x y", real=True)
        u, W = symbols("u W", positive=True)
        F = self.distribution(x)
        f = diff(F, x)
        densities = []
        for n in range(1, largest + 1):
            w = symbols(f"w0:{n}", positive=True)
            integrand = f.subs(x, y - log(w[0]))
            for other in w[1:]:
                integrand *= F.subs(x, y - log(other))
            densities.append(integrand.subs(y, -log(u)) / u - w[0] * exp(-u * sum(w)))
        v, w = symbols("v w", positive=True)
        both = F.subs(x, y - log(v)) * F.subs(x, y - log(w))
        return (
            Identity(
                "the density of one score θ_i times the distribution functions of the others, at "
                "y = -log u and divided by u, is w_i exp(-u (w_1 + … + w_N))",
                zeros=tuple(densities),
            ),
            Identity(
                "distribution functions of scores log v and log w multiply to that of log(v + w), "
                "so that the same holds for any number of actions",
                zeros=(both - F.subs(x, y - log(v + w)),),
            ),
            Identity(
                "∫ exp(-u W) du over u > 0 is 1/W, so that i leads with probability w_i / W",
                zeros=(Integral(exp(-u * W), (u, 0, oo)) - 1 / W,),
            ),
        )

    def _softmax(self, largest: int) -> Identity:
        agrees: list[Equation] = []
        for n in range(1, largest + 1):
            names = [f"w{i}" for i in range(n)]
            trace = Tracer(positive=names)
            w = [trace[name] for name in names]
            total = sum(w[1:], w[0])

            def run(w: Any = w) -> list[Any]:
                return law_of(w, self.softmax)

            expected = cycle([each / total for each in w])
            agrees += map(Equation.between, trace.paths(run), expected)
        return Identity(
            "the traced softmax of log w_1, …, log w_N is w_i / (w_1 + … + w_N)", tuple(agrees)
        )


def _objects(terms: Sequence[Any]) -> np.ndarray:
    row = np.empty(len(terms), dtype=object)
    row[:] = terms
    return row
