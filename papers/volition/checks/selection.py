"""volition, Theorem 3.3: recursive inspection that minds how purchases were selected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from papers.volition.checks.exhibits import problem_table
from papers.volition.checks.inspection_families import InspectionInstance, Offer
from theory.claims import CheckContext
from theory.games import Behaviour, Game, OneShotDeviations, one_shot_deviations
from theory.inspection import (
    InspectionProblem,
    Protocol,
    all_protocols,
    as_behaviour,
    evaluate,
    inspection_game,
)
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength

__all__ = ["TWO_BY_TWO", "ConditionOnSelection", "consistent"]

TWO_BY_TWO = InspectionInstance((1, 2), ((3, 0), (0, 1)), ((Offer((0, 1), Fraction(1, 2)),),))
"""P = (1/3, 2/3), U(a) = (3, 0), U(b) = (0, 1), one good that reveals the state at 1/2."""

Deviations = Callable[[Game, Behaviour], OneShotDeviations]


def consistent(
    problem: InspectionProblem, deviations: Deviations = one_shot_deviations
) -> Iterator[Protocol]:
    """Yield the protocols in which every choice is best given that its node was reached.

    Where a node is not reached that condition is empty, and the choice is the best given the values
    known there, as in eq. (8).
    """
    game = inspection_game(problem)
    for protocol in all_protocols(problem):
        nodes = (node for n in range(problem.depth + 1) for node in protocol.nodes(n))
        unreached = all(node.reached != 0 or node.chosen in node.maximisers for node in nodes)
        if unreached and deviations(game, as_behaviour(protocol)).holds:
            yield protocol


@dataclass(frozen=True)
class ConditionOnSelection:
    """Lists the protocols that satisfy eq. (8) read with the selection of purchases in mind.

    If they differ in value the reading determines no protocol, and no truth value.
    """

    instance: InspectionInstance = TWO_BY_TWO
    deviations: Deviations = one_shot_deviations

    def __call__(self, context: CheckContext) -> Finding:
        """Try every admissible protocol of the instance."""
        context.progress(1, 1)
        problem = self.instance.problem
        found = list(consistent(problem, self.deviations))
        values: list[Any] = sorted({protocol.value for protocol in found})
        best: Any = max(protocol.value for protocol in all_protocols(problem))
        courses = [evaluate(p, f"consistent protocol {k}") for k, p in enumerate(found, 1)]
        if len(values) > 1:
            status = Status.ILL_POSED
            reason = (
                f"{len(found)} protocols choose best everywhere given that the node was reached, "
                f"and they are worth {' or '.join(map(str, values))}: the condition does not say "
                "which one is meant, since what a purchase tells depends on the protocol itself."
            )
        else:
            status = Status.HOLDS if found else Status.REFUTED
            worth = f"{len(found)} protocols, worth {values[0]}" if found else "no protocol"
            reason = f"The condition leaves {worth}; the best admissible one is worth {best}."
        tables = (problem_table(self.instance), *(course.table() for course in courses))
        broken = Counterexample(
            exhibit=Exhibit(summary=reason, tables=tables), minimality="the only instance"
        )
        return Finding(
            status=status,
            strength=Strength.EXACT,
            scope=Scope(
                family="all admissible protocols of the 2 x 2 instance",
                instances=sum(1 for _ in all_protocols(problem)),
                met_hypotheses=len(found),
                nontrivial=sum(protocol.buys for protocol in found),
                sizes="one problem",
                exhausted=True,
            ),
            reason=reason,
            evidence=() if status is Status.REFUTED else tables,
            counterexample=broken if status is Status.REFUTED else None,
        )
