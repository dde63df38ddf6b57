"""Planted faults in the claims about inspection protocols; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from papers.volition import CLAIMS
from papers.volition.checks.inspection_families import FREE_OFFERS, InspectionInstance
from papers.volition.checks.inspection_laws import OptimalGivenOffers, RecursiveLaws, SuccessiveLaws
from papers.volition.checks.lemma_a2 import InspectionDoesNotHurt
from papers.volition.checks.superiority import (
    AdvantageIsSignalled,
    BestAdmissibleIsBest,
    NoBetterWithoutSignals,
    RecursiveIsBest,
    TopLevelIsBest,
    all_dear,
    all_free,
    decision_is_dear,
    free_offers_suffice,
)
from theory.claims import Check
from theory.games import Behaviour, Game, OneShotDeviations
from theory.inspection import (
    Inspection,
    InspectionProblem,
    Offers,
    Protocol,
    SuccessiveInspection,
    Ties,
    best_admissible,
    evaluate,
    recursive_inspection,
    successive_inspection,
)

__all__ = ["MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


def named(claim_id: str, predicates: dict[str, Any]) -> dict[str, Check]:
    return {
        name: replace(CHECKS[claim_id], predicate=predicate)
        for name, predicate in predicates.items()
    }


# --- protocols in place of x_*


def free_of_charge(problem: InspectionProblem) -> InspectionProblem:
    levels = [[replace(good, price=Fraction(0)) for good in level] for level in problem.levels]
    return InspectionProblem.of(problem.decision, levels)


def blind(problem: InspectionProblem) -> Inspection:
    """Buys nothing and does the first of the best actions."""
    decision = problem.decision
    action = decision.actions.index(decision.prior_choice().picked)
    picked = [np.zeros_like(labels) for labels in problem.known]
    picked[0] += action
    return evaluate(Protocol(problem, tuple(picked)))


def buys_it_all(problem: InspectionProblem) -> Inspection:
    """Recursive inspection with the last set of goods bought on every level."""
    ours = recursive_inspection(problem)
    picked = [
        np.full_like(labels, len(problem.options(n)) - 1) if n else ours.protocol.picked[0]
        for n, labels in enumerate(problem.known)
    ]
    return evaluate(Protocol(problem, tuple(picked)))


def spends_without_looking(problem: InspectionProblem) -> Inspection:
    """Recursive inspection that chooses as if all offers were free, and pays."""
    careless = recursive_inspection(free_of_charge(problem), Ties.MOST_GOODS)
    return evaluate(Protocol(problem, careless.protocol.picked))


def never_pays(problem: InspectionProblem) -> Inspection:
    return recursive_inspection(free_of_charge(problem))


def worst_at_the_top(problem: InspectionProblem) -> Inspection:
    ours = recursive_inspection(problem)
    top = len(problem.options(problem.depth)) - 1 - ours.protocol.picked[-1]
    return evaluate(Protocol(problem, (*ours.protocol.picked[:-1], top)))


def second_level_unbought(problem: InspectionProblem) -> Inspection:
    """Recursive inspection that buys nothing beyond the first level."""
    ours = recursive_inspection(problem)
    picked = [np.zeros_like(row) if n > 1 else row for n, row in enumerate(ours.protocol.picked)]
    return evaluate(Protocol(problem, tuple(picked)))


def astray_in_the_last_state(problem: InspectionProblem) -> Inspection:
    """Recursive inspection that does the next action where it cannot rule the last state out."""
    ours = recursive_inspection(problem)
    known = problem.known[0]
    action = (ours.protocol.picked[0] + 1) % len(problem.options(0))
    picked = np.where(known == known[:, -1:], action, ours.protocol.picked[0])
    return evaluate(Protocol(problem, (picked, *ours.protocol.picked[1:])))


def successive(problem: InspectionProblem) -> Inspection:
    return evaluate(successive_inspection(problem).protocol())


def clairvoyant(problem: InspectionProblem) -> Inspection:
    """Has the payoff of full information for nothing in every state."""
    return recursive_inspection(free_of_charge(problem), Ties.MOST_GOODS)


def unexplained_gap(problem: InspectionProblem) -> Inspection:
    return replace(recursive_inspection(problem), gap=Fraction(1, 10**12))


def a_coin_too_many(problem: InspectionProblem) -> Inspection:
    ours: Any = recursive_inspection(problem)
    plays = tuple(replace(play, payoff=play.payoff + Fraction(1, 4)) for play in ours.plays)
    return replace(ours, plays=plays)


def a_coin_too_many_at_last(problem: InspectionProblem) -> Inspection:
    ours: Any = recursive_inspection(problem)
    *plays, last = ours.plays
    return replace(ours, plays=(*plays, replace(last, payoff=last.payoff + Fraction(1, 4))))


def overvalued(problem: InspectionProblem) -> Inspection:
    ours: Any = recursive_inspection(problem)
    return replace(ours, value=ours.value + 1)


def open_certificate(problem: InspectionProblem) -> Inspection:
    return replace(best_admissible(problem), gap=Fraction(1, 10**12))


Solver = Callable[[InspectionProblem], Inspection]


@dataclass(frozen=True)
class OnInstance:
    """A solver of problems as one of instances."""

    solver: Solver

    def __call__(self, instance: InspectionInstance) -> Inspection:
        return self.solver(instance.problem)


def on(*solvers: Solver) -> dict[str, OnInstance]:
    return {solver.__name__: OnInstance(solver) for solver in solvers}


# --- successive inspection


@dataclass(frozen=True)
class Distorted:
    """Successive inspection with one of its numbers broken."""

    distort: Callable[[Any], SuccessiveInspection]

    def __call__(self, problem: InspectionProblem, offers: Offers) -> SuccessiveInspection:
        return self.distort(successive_inspection(problem, offers))


def prices_left_out(found: SuccessiveInspection) -> SuccessiveInspection:
    """U^(n+1) of offers as if they were free."""
    free = successive_inspection(free_of_charge(found.problem))
    if free.options != found.options:
        return found
    return replace(found, utilities=free.utilities)


def default_not_subtracted(found: Any) -> SuccessiveInspection:
    first = found.utilities[0][found.defaults[0]]
    return replace(
        found, utilities=(found.utilities[0], found.utilities[1] + first, *found.utilities[2:])
    )


def value_off(found: Any) -> SuccessiveInspection:
    return replace(found, value=found.value + Fraction(1, 10**6))


def mean_off(found: Any) -> SuccessiveInspection:
    *means, last = found.expected_utilities
    return replace(found, expected_utilities=(*means, last - Fraction(1, 4)))


def gap_left(found: Any) -> SuccessiveInspection:
    return replace(found, gap=Fraction(1, 10**12))


def a_payment_forgotten(found: Any) -> SuccessiveInspection:
    plays = tuple(replace(play, payoff=play.payoff + play.spending) for play in found.plays)
    return replace(found, plays=plays)


def prices_left_out_above(found: SuccessiveInspection) -> SuccessiveInspection:
    """The same on the last of several levels alone."""
    free = prices_left_out(found).utilities
    above = found.problem.depth > 1
    return replace(
        found, utilities=(*found.utilities[:-1], (free if above else found.utilities)[-1])
    )


def default_not_subtracted_above(found: Any) -> SuccessiveInspection:
    """U^(n+1) with U^n(x_n) left in it, on the last of several levels."""
    *lower, last = found.utilities
    if found.problem.depth < 2:
        return found
    return replace(found, utilities=(*lower, last + lower[-1][found.defaults[len(lower) - 1]]))


def a_payment_forgotten_at_last(found: Any) -> SuccessiveInspection:
    """The payoff of the last state is before prices."""
    *plays, last = found.plays
    return replace(found, plays=(*plays, replace(last, payoff=last.payoff + last.spending)))


def a_fee_above(found: Any) -> SuccessiveInspection:
    """The fee on the last of several levels alone."""
    *means, last = found.expected_utilities
    fee = Fraction(found.problem.depth > 1, 100)
    return replace(found, expected_utilities=(*means, last - fee))


def inspection_at_a_fee(found: Any) -> SuccessiveInspection:
    """E[U^n(x_n)] less a fee for looking."""
    fees = tuple(mean - Fraction(1, 100) for mean in found.expected_utilities)
    return replace(found, expected_utilities=fees)


def gains_negated(found: Any) -> SuccessiveInspection:
    return replace(found, expected_utilities=tuple(-mean for mean in found.expected_utilities))


# --- selection


def everything_pays(game: Game, behaviour: Behaviour) -> OneShotDeviations:
    """Sees a gain in every move, so that no protocol is left."""
    del behaviour
    gains = tuple((Fraction(1),) * len(infoset.moves) for infoset in game.infosets)
    return OneShotDeviations(game, gains)


MUTANTS: dict[str, dict[str, Check]] = {
    "volition.successive": named(
        "volition.successive",
        {
            distort.__name__: SuccessiveLaws(Distorted(distort))
            for distort in (
                prices_left_out,
                default_not_subtracted,
                value_off,
                mean_off,
                gap_left,
                a_payment_forgotten,
                prices_left_out_above,
                default_not_subtracted_above,
                a_payment_forgotten_at_last,
            )
        },
    ),
    "volition.legume": {
        "boiling on level 1": replace(
            CHECKS["volition.legume"], levels=(("toxic", "unhealthy", "boiling"),)
        ),
        "nobody knows of boiling": replace(
            CHECKS["volition.legume"], levels=(("toxic",), ("unhealthy",))
        ),
    },
    "volition.recursive": named(
        "volition.recursive",
        {
            solver.__name__: RecursiveLaws(solver)
            for solver in (
                blind,
                buys_it_all,
                spends_without_looking,
                never_pays,
                worst_at_the_top,
                successive,
                best_admissible,
                unexplained_gap,
                a_coin_too_many,
                overvalued,
                second_level_unbought,
                astray_in_the_last_state,
                a_coin_too_many_at_last,
            )
        },
    ),
    "volition.nontheorem-3.1": named(
        "volition.nontheorem-3.1", {"clairvoyant": OptimalGivenOffers(clairvoyant)}
    ),
    "volition.theorem-3.3": named(
        "volition.theorem-3.3",
        {name: RecursiveIsBest(recursive=solver) for name, solver in on(blind, successive).items()},
    ),
    "volition.theorem-3.3.a": named(
        "volition.theorem-3.3.a",
        {
            name: TopLevelIsBest(solver)
            for name, solver in on(
                worst_at_the_top,
                buys_it_all,
                spends_without_looking,
                successive,
                second_level_unbought,
            ).items()
        },
    ),
    "volition.theorem-3.3.b": named(
        "volition.theorem-3.3.b",
        {
            name: BestAdmissibleIsBest(best=solver)
            for name, solver in on(
                recursive_inspection, blind, successive, open_certificate
            ).items()
        },
    ),
    "volition.theorem-3.3.c1": named(
        "volition.theorem-3.3.c1",
        {
            "signals too": NoBetterWithoutSignals(may_signal=True),
            **{
                name: NoBetterWithoutSignals(recursive=solver)
                for name, solver in on(blind, buys_it_all).items()
            },
        },
    ),
    "volition.theorem-3.3.c2": named(
        "volition.theorem-3.3.c2",
        {
            name: RecursiveIsBest(all_free, recursive=solver)
            for name, solver in on(
                blind, worst_at_the_top, successive, second_level_unbought, astray_in_the_last_state
            ).items()
        },
    ),
    "volition.theorem-3.3.c3": named(
        "volition.theorem-3.3.c3",
        {
            "some prices": RecursiveIsBest(),
            **{
                name: RecursiveIsBest(all_dear, recursive=solver)
                for name, solver in on(buys_it_all, spends_without_looking).items()
            },
        },
    ),
    "volition.theorem-3.3.c4": named(
        "volition.theorem-3.3.c4",
        {
            name: AdvantageIsSignalled(solver)
            for name, solver in on(blind, buys_it_all, successive, overvalued).items()
        },
    ),
    "volition.theorem-3.3.c5": named(
        "volition.theorem-3.3.c5",
        {
            "any prices": RecursiveIsBest(),
            **{
                name: RecursiveIsBest(free_offers_suffice, recursive=solver)
                for name, solver in on(blind, buys_it_all).items()
            },
        },
    ),
    "volition.theorem-3.3.c6": named(
        "volition.theorem-3.3.c6",
        {
            "any prices": RecursiveIsBest(),
            "buys_it_all": RecursiveIsBest(decision_is_dear, recursive=OnInstance(buys_it_all)),
        },
    ),
    "volition.theorem-3.3.bayes": {
        "everything_pays": replace(CHECKS["volition.theorem-3.3.bayes"], deviations=everything_pays)
    },
    "volition.lemma-a2": named(
        "volition.lemma-a2",
        {
            distort.__name__: InspectionDoesNotHurt(Distorted(distort))
            for distort in (inspection_at_a_fee, gains_negated, a_fee_above)
        },
    ),
}

REPAIRED: dict[str, dict[str, Check]] = {
    "volition.theorem-3.3": {
        "every offer free": replace(
            CHECKS["volition.theorem-3.3"], family=FREE_OFFERS, predicate=RecursiveIsBest(all_free)
        ),
        "the best protocol itself": replace(
            CHECKS["volition.theorem-3.3"],
            predicate=RecursiveIsBest(recursive=OnInstance(best_admissible)),
        ),
    }
}
"""The claim holds of its corrections, and of the best protocol in place of x_*."""
