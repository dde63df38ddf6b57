"""volition, section 3.1: raw legume, rice, boiled legume."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from theory.claims import CheckContext
from theory.decision import DecisionProblem
from theory.information import Good
from theory.inspection import (
    InspectionProblem,
    Offers,
    Play,
    ProtocolOutcome,
    Ties,
    recursive_inspection,
    successive_inspection,
)
from theory.probability import ProbabilitySpace
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = ["Legume"]

Facts = tuple[bool, bool, bool]
"""Whether raw legumes are toxic, rice is unhealthy, and boiling removes the toxins."""

FACTS = {"toxic": Fraction(1, 4), "unhealthy": Fraction(1, 2), "boiling": Fraction(1, 2)}
"""Each fact with its probability; they are independent."""

TRUTH: Facts = (True, True, True)


def utility(action: str, facts: Facts) -> int:
    """Return the utility of a meal. Poison is worse than all else is good."""
    toxic, unhealthy, boiling = facts
    meals = {
        "eat raw legume": -40 if toxic else 24,
        "eat rice": 4 if unhealthy else 8,
        "eat boiled legume": -40 if toxic and not boiling else 5,
    }
    return meals[action]


Utility = Callable[[str, Facts], int]


@dataclass(frozen=True)
class Legume:
    """Computes both protocols for the example, in numbers of our own, under every tie rule.

    ``levels`` says which fact is on offer on which level; all offers are free.
    """

    levels: Sequence[Sequence[str]] = (("toxic", "unhealthy"), ("boiling",))
    utility: Utility = utility

    def __call__(self, context: CheckContext) -> Finding:
        """Compare what is done where all three facts are true."""
        context.progress(1, 1)
        problem = self._problem()
        actions = problem.decision.actions
        best = max(actions, key=lambda action: self.utility(str(action), TRUTH))
        recursive = [recursive_inspection(problem, ties) for ties in Ties]
        successive = [
            successive_inspection(problem, offers, ties) for offers in Offers for ties in Ties
        ]
        reached = [_in_truth(found).action == best for found in recursive]
        missed = [_in_truth(found).action != best for found in successive]
        sound = all(found.gap == 0 for found in [*recursive, *successive])
        holds = all(reached) and all(missed) and sound
        reason = (
            f"Where all three facts are true the best meal is to {best}. Recursive inspection "
            f"reaches it under {sum(reached)} of {len(reached)} tie rules, successive inspection "
            f"misses it under {sum(missed)} of {len(missed)} readings."
        )
        tables = (_summary([*recursive, *successive]), _primitives(problem))
        broken = Counterexample(
            exhibit=Exhibit(summary=reason, tables=tables), minimality="the only instance"
        )
        return Finding(
            status=Status.HOLDS if holds else Status.REFUTED,
            strength=Strength.EXACT,
            scope=Scope(
                family="the example in numbers of our own",
                instances=1,
                met_hypotheses=1,
                nontrivial=1,
                sizes="one instance",
                exhausted=True,
            ),
            reason=reason,
            evidence=tables if holds else (),
            counterexample=None if holds else broken,
        )

    def _problem(self) -> InspectionProblem:
        states = list(product((True, False), repeat=len(FACTS)))
        prior = {
            facts: prod(p if true else 1 - p for p, true in zip(FACTS.values(), facts, strict=True))
            for facts in states
        }
        space = ProbabilitySpace.of(prior)
        meals = ("eat raw legume", "eat rice", "eat boiled legume")
        rows = {meal: [self.utility(meal, (t, u, b)) for t, u, b in states] for meal in meals}
        goods = {
            fact: Good.of(fact, space.variable(fact, {facts: facts[k] for facts in states}))
            for k, fact in enumerate(FACTS)
        }
        levels = [[goods[fact] for fact in level] for level in self.levels]
        return InspectionProblem.of(DecisionProblem.of(space, rows), levels)


def _in_truth(found: ProtocolOutcome) -> Play:
    return next(play for play in found.plays if play.state == TRUTH)


def _summary(courses: Sequence[ProtocolOutcome]) -> Table:
    rows = []
    for found in courses:
        play = _in_truth(found)
        bought = [" + ".join(goods) or "nothing" for goods in reversed(play.purchases)]
        rows.append(
            (found.name, found.rule, *bought, str(play.action), str(play.payoff), str(found.value))
        )
    levels = (f"buys (level {n})" for n in range(len(courses[0].plays[0].purchases), 0, -1))
    return Table(
        caption="Where all three facts are true; and the value, the mean over all states",
        columns=("protocol", "ties", *levels, "does", "utility", "value"),
        rows=tuple(rows),
    )


def _primitives(problem: InspectionProblem) -> Table:
    space = problem.decision.space
    states: Sequence[Any] = space.states
    utilities = problem.decision.utilities.scalars()
    rows = tuple(
        (
            ", ".join(fact for fact, true in zip(FACTS, facts, strict=True) if true) or "none",
            str(space.probabilities[w].item()),
            *(str(row[w]) for row in utilities),
        )
        for w, facts in enumerate(states)
    )
    return Table(
        caption="Probability and utilities, by the facts that are true",
        columns=("facts", "probability", *map(str, problem.decision.actions)),
        rows=rows,
    )
