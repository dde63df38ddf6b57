"""Signalling: purchases that tell a later choice what it was not shown."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from theory.inspection._inspection import Inspection
from theory.inspection._protocol import Known, Protocol, knowledge

__all__ = ["Signal", "acts_on_signal", "signal"]


@dataclass(frozen=True)
class Signal:
    """A node that is reached from some of the states that the values known there leave open.

    ``present`` is a state from which the protocol gets there, ``absent`` one with the same values
    from which it does not: that the node was reached rules ``absent`` out.
    """

    known: Known
    present: Hashable
    absent: Hashable

    def __str__(self) -> str:
        here = str(self.known) or "knowing nothing"
        return f"x^{self.known.level} {here}: reached in {self.present}, not in {self.absent}"


def signal(protocol: Protocol) -> Signal | None:
    """Return a node at which the purchases tell more than the values known, or None.

    A protocol does not signal when, at every node that it reaches,

        P(state | node reached) = P(state | values known there),

    which holds when it reaches the node from all states with those values (volition, Theorem 3.3,
    corrected). O(purchases x states).
    """
    return next(_signals(protocol), None)


def acts_on_signal(protocol: Protocol, solution: Inspection) -> Signal | None:
    """Return a node at which a signal could matter to the choice made, or None.

    Let W(x) be the payoff when option x is followed by the recursive protocol. A protocol does not
    act on signals when, at every node that it reaches, it chooses what the recursive protocol
    chooses there, or

        E[W(x) - W(y) | node reached] = E[W(x) - W(y) | values known there]

    for all options x and y. ``solution`` is the result of
    :func:`~theory.inspection.recursive_inspection` on the same problem.
    O(purchases x states x options).
    """
    protocol.problem.require_exact("acts_on_signal")
    problem, p = protocol.problem, protocol.problem.decision.space.probabilities
    for found, n, row, inside, here in _signalling_nodes(protocol):
        picked = solution.protocol.picked[n][row, inside[0]]
        if protocol.picked[n][row, inside[0]] == picked:
            continue
        worth = solution.protocol.option_payoffs(n)[:, row * problem.states + inside]
        against = worth - worth[int(picked)]
        weights = p[inside]
        some, every = np.isin(inside, here), weights.sum()
        difference = (against * weights).sum() / every - (
            (against[:, some] * weights[some]).sum() / weights[some].sum()
        )
        if difference.signs().any():
            return found
    return None


def _signals(protocol: Protocol) -> Iterator[Signal]:
    for found, *_ in _signalling_nodes(protocol):
        yield found


def _signalling_nodes(
    protocol: Protocol,
) -> Iterator[tuple[Signal, int, int, np.ndarray, np.ndarray]]:
    """Yield each node that is reached from some of its states only, with those states."""
    problem = protocol.problem
    names = problem.decision.space.states
    for n in range(problem.depth, -1, -1):
        marks, labels = protocol.reached(n), problem.known[n]
        for row in np.flatnonzero(marks.any(axis=1) & ~marks.all(axis=1)).tolist():
            for first in np.unique(labels[row, marks[row]]).tolist():
                inside = np.flatnonzero(labels[row] == first)
                here = inside[marks[row, inside]]
                if len(here) < len(inside):
                    gone = inside[~marks[row, inside]]
                    known = knowledge(problem, n, row, first)
                    found = Signal(known, names[int(here[0])], names[int(gone[0])])
                    yield found, n, row, inside, here
