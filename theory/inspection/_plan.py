"""The result of an inspection protocol: what is bought and done in every state, and its worth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any

from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol
from theory.inspection._recheck import distance_to_walk
from theory.numbers import ClosedForm, Scalar
from theory.verdicts import Table

__all__ = ["Inspection", "Play", "Ties", "evaluate"]


class Ties(StrEnum):
    """Which of several best sets of goods is bought."""

    FEWEST_GOODS = "fewest goods first"
    MOST_GOODS = "most goods first"


@dataclass(frozen=True)
class Play:
    """What happens in one state. ``purchases`` holds x^1, …, x^N as names of goods."""

    state: Hashable
    probability: Scalar
    purchases: tuple[tuple[str, ...], ...]
    action: Hashable
    spending: Scalar
    payoff: Scalar


@dataclass(frozen=True, eq=False)
class Inspection:
    """A protocol with what it comes to in every state.

    Attributes
    ----------
    name : str
        What the protocol is.
    protocol : Protocol
        The choice at every node, on the path and off it.
    value, spending : number
        Expected payoff, all prices subtracted; expected sum of prices paid.
    rule : str
        How ties were broken; empty where the protocol was given.
    gap : number
        Bound on what separate code found wrong: see the function that made this.
    """

    name: str
    protocol: Protocol
    value: Scalar
    spending: Scalar
    rule: str
    gap: Fraction | float

    @classmethod
    def of(
        cls, name: str, protocol: Protocol, rule: str = "", regret: Fraction | float = 0
    ) -> Inspection:
        """Gather what a protocol comes to, and walk through all states once more to check it."""
        gap = max(regret, distance_to_walk(protocol))
        return cls(name, protocol, protocol.value, protocol.spending, rule, gap)

    @property
    def problem(self) -> InspectionProblem:
        """The problem it belongs to."""
        return self.protocol.problem

    @property
    def arithmetic(self) -> str:
        """The kind of number."""
        return self.protocol.payoffs.kind

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """What happens in each possible state."""
        rows, chosen = self.protocol.path
        problem = self.problem
        columns = zip(
            problem.decision.space.states,
            problem.decision.space.probabilities.scalars(),
            problem.paid[rows[0]].scalars(),
            self.protocol.payoffs.scalars(),
            chosen.T.tolist(),
            strict=True,
        )
        bought: list[tuple[Any, ...]] = [problem.options(n) for n in range(problem.depth + 1)]
        return tuple(
            Play(
                state,
                probability,
                tuple(bought[n][options[n]] for n in range(1, problem.depth + 1)),
                bought[0][options[0]],
                paid,
                payoff,
            )
            for state, probability, paid, payoff, options in columns
        )

    def table(self) -> Table:
        """Return what happens, state by state, in the order in which it is chosen."""
        depth = self.problem.depth
        levels = tuple(f"buys (level {n})" for n in range(depth, 0, -1))
        rows = tuple(
            (
                str(play.state),
                number_text(play.probability),
                *(goods_text(goods) for goods in reversed(play.purchases)),
                str(play.action),
                number_text(play.spending),
                number_text(play.payoff),
            )
            for play in self.plays
        )
        worth = f"worth {number_text(self.value)}"
        spent = f", of which {number_text(self.spending)} is spent" if self.protocol.buys else ""
        return Table(
            caption=f"{self.name}: {worth}{spent}",
            columns=("state", "probability", *levels, "does", "pays", "payoff"),
            rows=rows,
        )

    def policy(self, *, reached: bool = True) -> Table:
        """Return the choice at every node that is reached, or at every node there is."""
        rows = tuple(
            (
                f"x^{n}",
                str(node.known) or "knowing nothing",
                number_text(node.probability),
                number_text(node.reached),
                option_text(n, node.chosen),
                number_text(node.expected[node.chosen]),
            )
            for n in range(self.problem.depth, -1, -1)
            for node in self.protocol.nodes(n, reached=reached)
        )
        return Table(
            caption=f"{self.name}: the choice at every node"
            + (" that is reached" if reached else ""),
            columns=("choice", "where", "P(values)", "P(reached)", "option", "E[payoff | values]"),
            rows=rows,
        )

    def __str__(self) -> str:
        return f"{self.table()}\n{self._note()}"

    def _repr_html_(self) -> str:
        return f"{self.table()._repr_html_()}<p>{escape(self._note())}</p>"

    def _note(self) -> str:
        ties = f"ties: {self.rule}; " if self.rule else ""
        gap = "0" if self.gap == 0 else f"{float(self.gap):.1e}"
        return f"{ties}{self.arithmetic} arithmetic, rechecked with gap {gap}"


def evaluate(protocol: Protocol, name: str = "the protocol") -> Inspection:
    """Return what an admissible protocol comes to.

    ``gap`` is the distance of payoffs and value to those of a walk through the states by separate
    code. O(states x depth).

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
    the protocol: worth 3/2, of which 1/6 is spent
    state  probability  buys (level 1)  does  pays  payoff
    ─────  ───────────  ──────────────  ────  ────  ──────
    low    1/3          report          a     1/2   5/2
    high   2/3          nothing         b     0     1
    exact arithmetic, rechecked with gap 0
    """
    return Inspection.of(name, protocol)


def goods_text(names: tuple[str, ...]) -> str:
    """Write a set of goods."""
    return " + ".join(names) or "nothing"


def option_text(n: int, option: Any) -> str:
    """Write what is chosen as x^n."""
    return str(option) if n == 0 else f"buy {goods_text(option)}"


def number_text(value: Any) -> str:
    """Write a number for a table."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, ClosedForm) and value.as_rational() is None:
        return f"{value} ≈ {float(value):.6g}"
    return str(value)
