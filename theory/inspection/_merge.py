"""States that no good tells apart, merged into one."""

from __future__ import annotations

import numpy as np

from theory.decision import DecisionProblem
from theory.information import Good
from theory.inspection._problem import InspectionProblem
from theory.probability import Partition, ProbabilitySpace, Variable
from theory.shared.arguments import instance_of
from theory.shared.shapes import Labels

__all__ = ["merge_states"]


def merge_states(problem: InspectionProblem) -> tuple[InspectionProblem, Labels]:
    """Return the problem on blocks of states that no good tells apart, and each state's block.

    A block has the sum of the probabilities and the mean utilities of its states; every protocol
    is worth the same on both. A block is named by the tuple of its states' names.
    O(actions x states).
    """
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    everything = Partition.of(problem.known[-1][0])
    if everything.count == problem.states:
        return problem, everything.labels
    labels, p = everything.labels, problem.decision.space.probabilities
    masses = p.block_sums(labels, everything.count)
    sums = (problem.decision.utilities * p).block_sums(labels, everything.count)
    old = problem.decision.space.states
    names = tuple(tuple(old[w] for w in block) for block in everything.blocks)
    decision = DecisionProblem(
        ProbabilitySpace(names, masses), problem.decision.actions, sums / masses
    )
    first = np.array([block[0] for block in everything.blocks])
    levels = tuple(tuple(_restrict_good(good, first) for good in level) for level in problem.levels)
    return InspectionProblem(decision, levels), labels


def _restrict_good(good: Good, kept: np.ndarray) -> Good:
    by_state = {v.name: v.by_state for v in good.variables}
    shown = tuple(
        Variable.of(v.name, [by_state[v.name][int(w)] for w in kept]) for v in good.variables
    )
    return Good(good.name, shown, good.price)
