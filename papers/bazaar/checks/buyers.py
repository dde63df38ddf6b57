"""bazaar, Theorem 1 for a Bayesian buyer: monotone desirability leaves only equality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.claims import CheckContext
from theory.probability import Conditional, Partition, ProbabilitySpace
from theory.proofs import Proof, Tracer
from theory.search import Draw, Family, Trial

__all__ = ["BUYERS", "BayesProof", "MonotonicityForcesEquality"]


@dataclass(frozen=True)
class Buyer:
    """A prior in proportion to ``weights``, a value by state, metadata and content as labels."""

    weights: tuple[int, ...]
    value: tuple[int, ...]
    metadata: tuple[int, ...]
    content: tuple[int, ...]

    def __str__(self) -> str:
        return f"P ∝ {self.weights}, value {self.value}, M={self.metadata}, C={self.content}"


Estimate = Callable[[ProbabilitySpace, Any, Partition], Conditional]


def conditional_mean(space: ProbabilitySpace, value: Any, known: Partition) -> Conditional:
    """Desirability to a Bayesian: E[value | what is known]."""
    return space.conditional_expectation(value, known)


@dataclass(frozen=True)
class MonotonicityForcesEquality:
    """For a Bayesian buyer, G >= F in every state leaves only G = F."""

    before: Estimate = conditional_mean

    def __call__(self, buyer: Buyer) -> Trial:
        """Compare F = E[V | M] with G = E[V | M, C]; non-trivial where content says more."""
        total = sum(buyer.weights)
        space = ProbabilitySpace.of([Fraction(w, total) for w in buyer.weights])
        metadata = Partition.of(buyer.metadata)
        inspected = metadata.join(Partition.of(buyer.content))
        before = self.before(space, buyer.value, metadata).by_state
        after = space.conditional_expectation(buyer.value, inspected).by_state
        pairs: list[tuple[Any, Any]] = list(zip(before, after, strict=True))
        if any(g < f for f, g in pairs):
            return Trial.unmet()
        risen = [w for w, (f, g) in enumerate(pairs) if g > f]
        failure = f"G exceeds F in states {risen} and falls below it nowhere." if risen else ""
        return Trial(nontrivial=inspected.count > metadata.count, failure=failure)


def _build_buyer(draw: Draw, states: int) -> Buyer:
    weights = tuple(draw.integer(1, 2) for _ in range(states))
    value = tuple(draw.integer(0, 2) for _ in range(states))
    return Buyer(weights, value, tuple(draw.partition(states)), tuple(draw.partition(states)))


def _buyer_size(buyer: Buyer) -> tuple[int, ...]:
    return (sum(buyer.weights) + sum(buyer.value),)


BUYERS: Family[Buyer] = Family(
    description="priors in proportion to 1..2, values 0..2, every metadata and every content",
    level_name="states",
    levels=(1, 2, 3, 4),
    build=_build_buyer,
    size=_buyer_size,
)


@dataclass(frozen=True)
class BayesProof:
    """Within one value of the metadata, G - F averages to zero; so none of it can be positive."""

    before: Estimate = conditional_mean

    def __call__(self, context: CheckContext) -> Proof:
        """Trace F and G over symbols for one block of metadata with 1, 2, … contents."""
        largest = context.budget.size
        proofs = [self._prove(contents) for contents in range(1, largest + 1)]
        return Proof.of_all(
            "every prior of full support (weights q) and all real values v, "
            f"up to {largest} contents for one metadata",
            proofs,
        )

    def _prove(self, contents: int) -> Proof:
        weights = [f"q{w}" for w in range(contents)]
        values = [f"v{w}" for w in range(contents)]
        trace = Tracer(positive=weights, real=values)
        q, value = trace.array(weights), trace.array(values)
        space = ProbabilitySpace(range(contents), q / q.sum())
        before: Any = self.before(space, value, Partition.trivial(contents)).by_state
        after: Any = space.conditional_expectation(value, Partition.discrete(contents)).by_state
        rises = [g - f for f, g in zip(before, after, strict=True)]

        def run() -> list[Any]:
            return [-(trace[w] * rise) for w, rise in zip(weights, rises, strict=True)]

        return trace.prove(run, rises)
