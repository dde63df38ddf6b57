"""Signalling: purchases that tell a later choice what it was not shown, and what that earns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from theory.errors import InvalidInputError
from theory.inspection._inspection import Inspection
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Known, Protocol, blocks, knowledge
from theory.numbers import Scalar
from theory.shared.arguments import instance_of
from theory.shared.printable import printed_line
from theory.shared.shapes import Int64

__all__ = ["Gain", "Signal", "gains_over", "signal"]


@dataclass(frozen=True)
class Signal:
    """A node that is reached from some of the states that the values known there leave open.

    ``present`` is a state from which the protocol gets there, ``absent`` one with the same values
    from which it does not: that the node was reached rules ``absent`` out.
    """

    known: Known
    present: Hashable
    absent: Hashable

    @printed_line
    def __str__(self) -> str:
        here = str(self.known) or "knowing nothing"
        return f"x^{self.known.level} {here}: reached in {self.present}, not in {self.absent}"


@dataclass(frozen=True)
class Gain:
    """What another choice earns at a node that a protocol reaches.

    ``amount`` is P(node reached) E[W(its choice) - W(the solution's choice) | node reached], where
    W(x) is the payoff when option x is followed by the solution. ``signals`` says whether reaching
    the node tells more than the values known there.
    """

    known: Known
    chosen: Hashable
    instead_of: Hashable
    amount: Scalar
    signals: bool


def signal(protocol: Protocol) -> Signal | None:
    """Return a node at which the purchases tell more than the values known, or None.

    A protocol does not signal when, at every node that it reaches,

        P(state | node reached) = P(state | values known there),

    which holds when it reaches the node from all states with those values (volition, Theorem 3.3,
    corrected). O(purchases x states).
    """
    instance_of("protocol", protocol, Protocol, "use Protocol.of")
    names = protocol.problem.decision.space.states
    for n, row, inside, here in _reached_nodes(protocol):
        if len(here) < len(inside):
            gone = int(np.setdiff1d(inside, here)[0])
            known = knowledge(protocol.problem, n, row, int(inside[0]))
            return Signal(known, names[int(here[0])], names[gone])
    return None


def gains_over(protocol: Protocol, solution: Inspection) -> tuple[Gain, ...]:
    """Return where a protocol chooses otherwise than ``solution`` would, and what that earns.

    The amounts sum to the difference of the two values: replace the protocol by the solution at
    level 0, then at levels 0 and 1, and so on; each step changes the value by the amounts of its
    level. Where ``solution`` is the recursive protocol, an amount is positive only at a node that
    signals, since elsewhere its choice is the best given that the node was reached.
    O(purchases x states x options).

    Raises
    ------
    InvalidInputError
        When ``solution`` belongs to another problem.
    """
    instance_of("protocol", protocol, Protocol, "use Protocol.of")
    instance_of("solution", solution, Inspection, "use recursive_inspection(protocol.problem)")
    problem = protocol.problem
    if not _is_same(problem, solution.problem):
        raise InvalidInputError(
            "solution", str(solution.problem), "solves another problem", "solve protocol.problem"
        )
    p = problem.decision.space.probabilities
    found = []
    for n, row, inside, here in _reached_nodes(protocol):
        chosen = int(protocol.picked[n][row, inside[0]])
        instead = int(solution.protocol.picked[n][row, inside[0]])
        if chosen != instead:
            worth = solution.protocol.option_payoffs(n)[:, row * problem.states + here]
            amount = (p[here] * (worth[chosen] - worth[instead])).sum().item()
            options = problem.options(n)
            known = knowledge(problem, n, row, int(inside[0]))
            signals = len(here) < len(inside)
            found.append(Gain(known, options[chosen], options[instead], amount, signals))
    return tuple(found)


def _is_same(first: InspectionProblem, second: InspectionProblem) -> bool:
    if first is second:
        return True
    goods, others = (
        [[(g.name, g.price, g.signal(p.states)) for g in level] for level in p.levels]
        for p in (first, second)
    )
    a, b = first.decision, second.decision
    return (
        goods == others
        and (tuple(a.space.states), a.actions) == (tuple(b.space.states), b.actions)
        and a.utilities.scalars() == b.utilities.scalars()
        and a.space.probabilities.scalars() == b.space.probabilities.scalars()
    )


def _reached_nodes(
    protocol: Protocol,
) -> Iterator[tuple[int, int, Int64[np.ndarray, " block"], Int64[np.ndarray, " reached"]]]:
    """Yield each node that is reached: level, row, its states, and those that lead there."""
    for n in range(protocol.depth, -1, -1):
        marks, labels = protocol.mark_reached(n), protocol.problem.known[n]
        for row, first in blocks(labels):
            inside = np.flatnonzero(labels[row] == first)
            here = inside[marks[row, inside]]
            if len(here):
                yield n, row, inside, here
