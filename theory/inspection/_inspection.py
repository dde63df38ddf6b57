"""An admissible protocol with what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from theory._text import number_text
from theory.inspection._course import Course, goods_text, plays
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol
from theory.inspection._recheck import distance_to_walk
from theory.verdicts import Table

__all__ = ["Inspection", "evaluate"]


@dataclass(frozen=True, eq=False)
class Inspection(Course):
    """A protocol, the choice at every one of its nodes, and what comes of it in every state."""

    protocol: Protocol

    @classmethod
    def of(
        cls,
        name: str,
        protocol: Protocol,
        rule: str = "",
        regret: Fraction | float = 0,
        **more: Any,
    ) -> Self:
        """Gather what a protocol comes to, and walk through all states once more to check it."""
        problem = protocol.problem
        rows, chosen = protocol.path
        options = [problem.options(n) for n in range(problem.depth + 1)]
        paid = problem.paid[rows[0]]
        return cls(
            name=name,
            plays=plays(problem.decision.space, options, chosen, paid, protocol.payoffs),
            value=protocol.value,
            spending=protocol.spending,
            rule=rule,
            gap=max(regret, distance_to_walk(protocol)),
            arithmetic=protocol.payoffs.kind,
            protocol=protocol,
            **more,
        )

    @property
    def problem(self) -> InspectionProblem:
        """The problem it belongs to."""
        return self.protocol.problem

    def policy(self, *, reached: bool = True) -> Table:
        """Return the choice at every node that is reached, or at every node there is."""
        rows = tuple(
            (
                f"x^{n}",
                str(node.known) or "knowing nothing",
                number_text(node.probability),
                number_text(node.reached),
                str(node.chosen) if n == 0 else f"buy {goods_text(node.names)}",
                number_text(node.expected[node.chosen]),
            )
            for n in range(self.problem.depth, -1, -1)
            for node in self.protocol.nodes(n, reached=reached)
        )
        which = "every node that is reached" if reached else "every node"
        return Table(
            caption=f"{self.name}: what is chosen at {which}",
            columns=("choice", "where", "P(values)", "P(reached)", "option", "E[payoff | values]"),
            rows=rows,
        )


def evaluate(protocol: Protocol, name: str = "the protocol") -> Inspection:
    """Return what an admissible protocol comes to.

    ``gap`` is the distance of payoffs, value and spending to those of a walk through the states by
    separate code. O(states x depth).

    Examples
    --------
    >>> from theory.decision import DecisionProblem
    >>> from theory.information import Good
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
    >>> decision = DecisionProblem.of(space, {"a": [3, 0], "b": [0, 1]})
    >>> report = Good.of("report", space.variable("state", str), "1/2")
    >>> problem = InspectionProblem.of(decision, [[report]])
    >>> def rule(known):
    ...     if known.level == 1:
    ...         return ["report"] if known.values["report"] == ("low",) else []
    ...     return "a" if known.purchases[1] else "b"
    >>> print(evaluate(Protocol.of(problem, rule)))
    the protocol: worth 3/2, 1/6 spent
    state  probability  buys (level 1)  does  pays  payoff
    ─────  ───────────  ──────────────  ────  ────  ──────
    low    1/3          report          a     1/2   5/2
    high   2/3          nothing         b     0     1
    exact arithmetic, rechecked with gap 0
    """
    return Inspection.of(name, protocol)
