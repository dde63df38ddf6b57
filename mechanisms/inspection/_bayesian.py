"""A buyer that maximises expected utility given what it is shown."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from math import inf
from typing import Any, Self

import numpy as np

from mechanisms.inspection._tables import shown_values
from mechanisms.protocols import Purchase, Viewing
from theory.errors import NullEventError, UnknownNameError, nearest
from theory.inspection import (
    InspectionProblem,
    RecursiveInspection,
    Ties,
    best_of,
    recursive_inspection,
)
from theory.shared.shapes import Int64

__all__ = ["BayesianBuyer"]


class BayesianBuyer:
    """A buyer with a prior: it takes what is best given the values shown, by eq. (8) of volition.

    Choosing x^n it conditions on all that it has read or bought, expecting that lower choices are
    made as in recursive inspection, and leaves out sets of goods that it cannot pay for. Where it
    is shown what the protocol allows and can pay for everything, it does what
    :func:`~theory.inspection.recursive_inspection` does.

    Parameters
    ----------
    solution : RecursiveInspection
        Of the problem whose goods it will meet; its rule breaks ties.
    name : str
        The name of its account.

    Examples
    --------
    >>> from mechanisms.inspection import inspect_recursively, sellers_in
    >>> from mechanisms.ledger import Ledger
    >>> from theory.decision import DecisionProblem
    >>> from theory.information import Good
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
    >>> decision = DecisionProblem.of(space, {"a": [3, 0], "b": [0, 1]})
    >>> report = Good.of("report", space.variable("state", str), "1/2")
    >>> problem = InspectionProblem.of(decision, [[report]])
    >>> ledger = Ledger({"buyer": 2, "seller of report": 0})
    >>> buyer, sellers = BayesianBuyer.of(problem), sellers_in(problem, "high")
    >>> print(inspect_recursively("a or b?", buyer, sellers, ledger, depth=1).table())
    a or b?: buyer decides b, 1/2 spent
    level  offer   seller            price  bought
    ─────  ──────  ────────────────  ─────  ──────
    1      report  seller of report  1/2    yes
    """

    def __init__(self, solution: RecursiveInspection, name: str = "buyer") -> None:
        self.name = name
        self._problem = problem = solution.problem
        self._ties = solution.rule
        self._payoffs = tuple(solution.protocol.option_payoffs(n) for n in range(problem.depth + 1))
        self._prices = {n: _exact_prices(problem, n) for n in range(1, problem.depth + 1)}
        self._shows = {
            good.name: [shown_values(good, w) for w in range(problem.states)]
            for level in problem.levels
            for good in level
        }

    @classmethod
    def of(
        cls, problem: InspectionProblem, name: str = "buyer", ties: Ties | str = Ties.FEWEST_GOODS
    ) -> Self:
        """Solve a problem once, for all states and all runs.

        Raises
        ------
        UnknownNameError, LimitError, UndecidedError
            As for :func:`~theory.inspection.recursive_inspection`.
        """
        return cls(recursive_inspection(problem, ties), name)

    def choose(self, viewing: Viewing) -> tuple[str, ...]:
        """Return the best set of goods that can be paid for; ties by the rule of the solution."""
        n, options = viewing.question.level, self._problem.options(viewing.question.level)
        budget = inf if viewing.budget is None else viewing.budget
        payable = [k for k, price in enumerate(self._prices[n]) if price <= budget]
        read = {each.name: each.read() for level in viewing.offers for each in level}
        best = self._best(n, payable, viewing.bought, read)
        picked: Any = options[best[-1 if self._ties == Ties.MOST_GOODS else 0]]
        return tuple(picked)

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> Hashable:
        """Return the best action given what was bought; ties to the first."""
        del question
        actions = self._problem.decision.actions
        return actions[self._best(0, list(range(len(actions))), bought, {})[0]]

    def __deepcopy__(self, memo: object) -> Self:
        """Share the tables, which never change."""
        return copy(self)

    def _best(
        self,
        n: int,
        options: Sequence[int],
        bought: Sequence[Purchase],
        read: Mapping[str, object],
    ) -> list[int]:
        """Return which of the options of x^n maximise E[payoff | what is read and bought]."""
        problem = self._problem
        names = {
            m: [good.name for good in bought if good.level == m]
            for m in range(problem.depth, n, -1)
        }
        row = problem.row(n, [problem.bundle(m, each) for m, each in names.items()])
        inside = self._possible({**read, **{good.name: good.content for good in bought}})
        payoffs = self._payoffs[n][np.array(options)[:, np.newaxis], row * problem.states + inside]
        weighted = payoffs * problem.decision.space.probabilities[inside]
        return [options[int(k)] for k in best_of(weighted)]

    def _possible(self, known: Mapping[str, object]) -> Int64[np.ndarray, " possible"]:
        """Return the states in which all goods show what is known of them."""
        for name in known:
            if name not in self._shows:
                problem = "is a good that the buyer knows nothing of"
                raise UnknownNameError("offers", name, problem, nearest(name, self._shows))
        states = range(self._problem.states)
        inside = [w for w in states if all(self._shows[name][w] == known[name] for name in known)]
        if not inside:
            raise NullEventError("offers", known, "show what the prior excludes", "fix the prior")
        return np.array(inside)


def _exact_prices(problem: InspectionProblem, n: int) -> list[Fraction]:
    """Return the price of each set of goods of level n; floats are added as a ledger adds them."""
    singles = [(j,) for j in range(len(problem.levels[n - 1]))]
    each = [Fraction(price) for price in problem.prices(n, singles).scalars()]
    return [sum((each[j] for j in goods), Fraction(0)) for goods in problem.bundles[n - 1]]
