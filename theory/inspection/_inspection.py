"""An admissible protocol with its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from theory.inspection._outcome import ProtocolOutcome, goods_text, plays
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol
from theory.inspection._recheck import walk_and_share
from theory.shared.arguments import instance_of
from theory.shared.rounding import check_gap
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["Inspection", "evaluate"]


@dataclass(frozen=True, eq=False)
class Inspection(ProtocolOutcome):
    """A protocol, the choice at every one of its nodes, and its outcome in every state."""

    protocol: Protocol

    @classmethod
    def of(
        cls,
        name: str,
        protocol: Protocol,
        rule: str = "",
        regret: Fraction | float = 0,
        *,
        share: float = 0.0,
        any_gap: bool = False,
        exact: str = "",
        **more: Any,
    ) -> Self:
        """Gather what a protocol comes to, and walk through all states once more to check it.

        A float64 answer that is off by more than rounding explains is refused unless ``any_gap``;
        ``share`` is its regret as a share of what it is made from.
        """
        problem = protocol.problem
        off, of = walk_and_share(protocol)
        if not any_gap:
            check_gap(name, max(regret, off), max(share, of), exact)
        rows, chosen = protocol.path
        options = [problem.options(n) for n in range(problem.depth + 1)]
        paid = problem.paid[rows[0]]
        return cls(
            name=name,
            plays=plays(problem.decision.space, options, chosen, paid, protocol.payoffs),
            value=protocol.value,
            spending=protocol.spending,
            rule=rule,
            gap=max(regret, off),
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


def evaluate(
    protocol: Protocol, name: str = "the protocol", *, any_gap: bool = False
) -> Inspection:
    """Return what an admissible protocol comes to.

    ``gap`` is the distance of payoffs, value and spending to those of a walk through the states by
    separate code. O(states x depth).

    Raises
    ------
    InvalidInputError
        For what is no protocol.
    RoundingError
        For a float64 answer with a gap that rounding does not explain, unless ``any_gap``.

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
    instance_of("protocol", protocol, Protocol, "use Protocol.of")
    exact = "evaluate(Protocol(problem.exact(), protocol.picked))"
    return Inspection.of(name, protocol, any_gap=any_gap, exact=exact)
