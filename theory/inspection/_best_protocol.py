"""The best admissible protocol: a team problem, solved exactly; and the value of signalling."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.games import Optimum, optimum
from theory.inspection._game import numbered_game
from theory.inspection._inspection import Inspection
from theory.inspection._merge import merge_states
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol
from theory.inspection._recursive import RecursiveInspection, recursive_inspection
from theory.shared.arguments import instance_of
from theory.shared.printable import escape

__all__ = ["BestAdmissible", "ValueOfSignalling", "best_admissible", "value_of_signalling"]


@dataclass(frozen=True, eq=False)
class BestAdmissible(Inspection):
    """The best admissible protocol; ``optimum`` proves it for the game of the problem."""

    optimum: Optimum


def best_admissible(problem: InspectionProblem) -> BestAdmissible:
    """Return an admissible protocol of the largest expected payoff (volition, Definition 3.2).

    It is the ex-ante optimum of :func:`~theory.inspection.inspection_game`: a team whose members
    choose x^N, …, x^0, each with its own knowledge. What was bought is a message from one member to
    the next, so that the recursive protocol need not be among the best.

    Returns
    -------
    BestAdmissible
        With ``gap`` the largest of: the certified upper bound less the value; and the distance of
        payoffs and value to those of a walk through the states by separate code.

    Raises
    ------
    ExactnessError
        When utilities or prices are not rational.
    LimitError
        For trees, or searches, beyond the limits of :func:`~theory.games.optimum`.

    Notes
    -----
    NP-hard in general. States that no good tells apart are merged first. The tree may have as many
    nodes as :func:`~theory.games.optimum` takes on, which is fewer than
    :data:`~theory.inspection.MAX_NODES`.

    Examples
    --------
    >>> from theory.decision import DecisionProblem
    >>> from theory.information import Good
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
    >>> decision = DecisionProblem.of(space, {"a": [3, 0], "b": [0, 1]})
    >>> report = Good.of("report", space.variable("state", str), "1/2")
    >>> print(best_admissible(InspectionProblem.of(decision, [[report]])))
    the best admissible protocol: worth 3/2, 1/6 spent
    state  probability  buys (level 1)  does  pays  payoff
    ─────  ───────────  ──────────────  ────  ────  ──────
    low    1/3          report          a     1/2   5/2
    high   2/3          nothing         b     0     1
    exact arithmetic, rechecked with gap 0
    """
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    problem.require_exact("the best admissible protocol")
    smaller, block = merge_states(problem)
    game, sets = numbered_game(smaller)
    found = optimum(game)
    picked = [np.zeros(labels.shape, dtype=np.int64) for labels in smaller.known]
    for (n, row, first), law in zip(sets, found.strategy.probabilities, strict=True):
        picked[n][row, first] = law.index(1)
    spread = zip(picked, smaller.known, strict=True)
    by_block = [np.take_along_axis(chosen, labels, axis=1) for chosen, labels in spread]
    protocol = Protocol(problem, tuple(chosen[:, block] for chosen in by_block))
    value: Any = protocol.value
    gap = max(found.gap, abs(found.value - value))
    return BestAdmissible.of("the best admissible protocol", protocol, "", gap, optimum=found)


@dataclass(frozen=True)
class ValueOfSignalling:
    """What purchases are worth as messages: the best admissible protocol against x_*."""

    value: Fraction
    best: BestAdmissible
    recursive: RecursiveInspection

    def __str__(self) -> str:
        return f"Signalling is worth {self.value}.\n\n{self.recursive}\n\n{self.best}"

    def _repr_html_(self) -> str:
        head = f"<p>Signalling is worth {escape(str(self.value))}.</p>"
        return head + self.recursive._repr_html_() + self.best._repr_html_()


def value_of_signalling(problem: InspectionProblem) -> ValueOfSignalling:
    """Return the value of the best admissible protocol less that of the recursive one.

    It is at least 0; the recursive protocol is admissible. Raises as :func:`best_admissible`.
    """
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    best, recursive = best_admissible(problem), recursive_inspection(problem)
    difference: Any = best.protocol.value - recursive.protocol.value
    return ValueOfSignalling(difference, best, recursive)
