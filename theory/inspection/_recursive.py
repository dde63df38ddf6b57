"""Recursive inspection: every choice by the values known there (volition, eqs. (6) to (8))."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.inspection._choice import best_options, states_by_row
from theory.inspection._inspection import Inspection
from theory.inspection._knowledge import Labels2D
from theory.inspection._outcome import Ties
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol
from theory.inspection._recheck import regret_and_share
from theory.numbers import Numbers
from theory.shared.arguments import instance_of
from theory.shared.rules import rule_of

__all__ = ["recursive_inspection"]


@dataclass(frozen=True, eq=False)
class RecursiveInspection(Inspection):
    """The recursive protocol; ``tied`` says whether several options are best at some node."""

    tied: bool


def recursive_inspection(
    problem: InspectionProblem, ties: Ties | str = Ties.FEWEST_GOODS, *, any_gap: bool = False
) -> RecursiveInspection:
    """Solve the recursive inspection protocol of depth N (volition, eqs. (6) to (8)).

    x^N is chosen knowing I^0, …, I^(N-1); x^n knowing I^0, …, I^(n-1) and the purchases x^(n+1),
    …, x^N; x^0 knowing the purchases alone. With W_n(h) the payoff U(x^0) less all prices paid when
    x^n, …, x^0 follow the protocol after the purchases h,

        x^n(h, i) = argmax over x of E[W_(n-1)(x, h) | what is known has the values i],

    at every node, on the path and off it. The condition is on values: that h was *chosen* by
    someone who knew more is not taken into account.

    Parameters
    ----------
    problem : InspectionProblem
        Exact, closed-form, certified or float64.
    ties : Ties
        Which of several best sets of goods is bought. Actions tie to the first.
    any_gap : bool
        Whether to return a float64 answer whose gap rounding does not explain.

    Returns
    -------
    RecursiveInspection
        With ``gap`` the largest of: what some node could still gain given the values known there,
        and the distance of payoffs and value to those of a walk through the states, both recomputed
        by separate code.

    Raises
    ------
    InvalidInputError
        For what is no inspection problem.
    RoundingError
        For a float64 answer with a gap that rounding does not explain; that of ``problem.exact()``
        has none.
    UnknownNameError
        For a tie rule that there is not.
    LimitError
        For more purchases x states x actions than can be held.
    UndecidedError
        Where certified numbers leave a comparison open.

    Notes
    -----
    O(purchases x states x options) numbers are added and compared, where purchases are the product
    of 2^(goods of a level) over all levels.

    Examples
    --------
    >>> from theory.decision import DecisionProblem
    >>> from theory.information import Good
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
    >>> decision = DecisionProblem.of(space, {"a": [3, 0], "b": [0, 1]})
    >>> report = Good.of("report", space.variable("state", str), "1/2")
    >>> print(recursive_inspection(InspectionProblem.of(decision, [[report]])))
    recursive inspection: worth 4/3, 1/3 spent
    state  probability  buys (level 1)  does  pays  payoff
    ─────  ───────────  ──────────────  ────  ────  ──────
    low    1/3          nothing         a     0     3
    high   2/3          report          b     1/2   1/2
    ties: fewest goods first; exact arithmetic, rechecked with gap 0
    """
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    ties = rule_of(Ties, ties, "ties")
    p = problem.decision.space.probabilities
    picked: list[Labels2D] = []
    tied = False
    payoffs = problem.decision.utilities  # by action and state; below, flat by row and state
    for n, known in enumerate(problem.known):
        options = _option_payoffs(problem, n, payoffs)
        rule = ties if n else Ties.FEWEST_GOODS
        choice, count = best_options(options, p, known, rule)
        picked.append(choice)
        tied = tied or bool((count > 1).any())
        payoffs = options[choice.ravel(), np.arange(choice.size)]
    protocol = Protocol(problem, tuple(picked))
    regret, share = regret_and_share(protocol)
    return RecursiveInspection.of(
        "recursive inspection",
        protocol,
        ties,
        regret,
        share=share,
        any_gap=any_gap,
        exact="recursive_inspection(problem.exact())",
        tied=tied,
    )


def _option_payoffs(problem: InspectionProblem, n: int, below: Numbers) -> Numbers:
    """Return the payoff of every option of x^n, by option and then row and state, flat.

    What was paid before is the same for all of them, and left out.
    """
    rows, states = problem.rows(n), problem.states
    where = states_by_row(rows, states)
    if n == 0:
        return below[:, where]
    row = np.repeat(np.arange(rows), states)
    sets = problem.bundles[n - 1]
    options = np.arange(len(sets))[:, np.newaxis]
    return below[(row * len(sets) + options) * states + where] - problem.prices(n, sets)[options]
