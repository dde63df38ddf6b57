"""volition, Lemma A.1: information does not hurt a Bayesian agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from papers.volition.checks.families import InformationInstance
from theory.claims import CheckContext
from theory.decision import DecisionProblem
from theory.probability import Partition, ProbabilitySpace
from theory.proofs import Proof, Symbols, Tracer
from theory.search import Trial

__all__ = ["InformationDoesNotHurt", "LemmaA1Proof", "gain_from_information"]

Gain = Callable[[DecisionProblem, Partition], Any]


def gain_from_information(problem: DecisionProblem, known: Partition) -> Any:
    """E_I[U(argmax_x E[U(x) | I])] - max_x E[U(x)], in the numbers of the problem."""
    p = problem.space.probabilities
    informed = (p * problem.utility(problem.decide(known), known)).sum().item()
    return informed - problem.decide(Partition.trivial(len(problem.space)))[0].expected_utility


@dataclass(frozen=True)
class InformationDoesNotHurt:
    """Lemma A.1 on one instance; non-trivial where the choice depends on the signal."""

    gain: Gain = gain_from_information

    def __call__(self, instance: InformationInstance) -> Trial:
        """Compare both sides."""
        gain = self.gain(instance.problem, instance.partition)
        choices = {choice.picked for choice in instance.problem.decide(instance.partition)}
        failure = f"Knowing I changes the expected utility by {gain}." if gain < 0 else ""
        return Trial(nontrivial=len(choices) > 1, failure=failure)


@dataclass(frozen=True)
class LemmaA1Proof:
    """Lemma A.1 for symbolic priors and utilities, one trace a shape of the problem."""

    gain: Gain = gain_from_information

    def __call__(self, context: CheckContext) -> Proof:
        """Trace every shape up to ``budget.size`` states."""
        size = context.budget.size
        shapes = [
            (states, actions, labels)
            for states in range(1, size + 1)
            for actions in range(1, 4)
            for labels in _set_partitions(states)
        ]
        proofs = []
        for done, (states, actions, labels) in enumerate(shapes):
            context.progress(done, len(shapes))
            proofs.append(self._prove(states, actions, Partition.of(labels)))
        family = (
            "every prior of full support (weights q, by state) and all real utilities (u, by "
            f"action and state), up to {size} states and 3 actions, every signal"
        )
        return Proof.of_all(family, proofs)

    def _prove(self, states: int, actions: int, known: Partition) -> Proof:
        weights = [f"q{w}" for w in range(states)]
        utilities = [f"u{x}{w}" for x in range(actions) for w in range(states)]
        trace = Tracer(positive=weights, real=utilities)
        q = trace.array(weights)
        space = ProbabilitySpace(range(states), q / q.sum())
        table = Symbols(trace.array(utilities).values.reshape(actions, states))
        problem = DecisionProblem(space, tuple(range(actions)), table)
        return trace.prove(lambda: [self.gain(problem, known)])


def _set_partitions(size: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for _ in range(size):
        found = [(*p, b) for p in found for b in range(max(p, default=-1) + 2)]
    return found
