"""volition, eqs. (3) to (8): what pins successive and recursive inspection down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from papers.volition.checks.inspection_families import InspectionInstance
from theory.information import joint_good, value_of_information
from theory.inspection import (
    Inspection,
    InspectionProblem,
    Offers,
    SuccessiveInspection,
    merge_states,
    recursive_inspection,
    signal,
    successive_inspection,
)
from theory.search import Trial

__all__ = ["OptimalGivenOffers", "RecursiveLaws", "SuccessiveLaws"]

Successive = Callable[[InspectionProblem, Offers], SuccessiveInspection]
Recursive = Callable[[InspectionProblem], Inspection]


@dataclass(frozen=True)
class SuccessiveLaws:
    """What pins eqs. (3) to (5) down: a transcription of them, and their consequences."""

    solve: Successive = successive_inspection

    def __call__(self, instance: InspectionInstance) -> Trial:
        """Check every law for both kinds of offers; non-trivial where something is bought."""
        found = [self.solve(instance.problem, offers) for offers in Offers]
        broken = [
            f"{law} ({solution.name})"
            for solution in found
            for law, kept in _successive_laws(instance, solution).items()
            if not kept
        ]
        return _judge_laws(broken, nontrivial=any(solution.buys for solution in found))


def _successive_laws(instance: InspectionInstance, found: SuccessiveInspection) -> dict[str, bool]:
    problem = instance.problem
    depth = problem.depth
    weights, total = instance.weights, sum(instance.weights)
    states = range(len(weights))
    tables: list[list[list[Any]]] = [numbers.scalars() for numbers in found.utilities]
    means: list[Any] = list(found.expected_utilities)
    best = [max(sum(weights[w] * row[w] for w in states) for row in table) for table in tables]
    prices = [
        sum(weights[w] * _price(problem, n, found.plays[w].purchases[n - 1]) for w in states)
        / total
        for n in range(1, depth + 1)
    ]
    return {
        "eq. (3) as written": all(
            tables[n + 1] == _above(instance, tables[n], n, found.options[n + 1])
            for n in range(depth)
        ),
        "U^1 is realised value, eq. (1)": all(
            tables[1][y] == _realised_value(instance, sets)
            for y, sets in enumerate(found.options[1])
            if sets
        ),
        "buying nothing is worth nothing": all(not any(table[0]) for table in tables[1:]),
        "x_N maximises E[U^N(x)]": means[depth] * total == best[depth],
        "E[U^n(x_n)] = E[U^(n+1)(x_(n+1))] + E[price] + max E[U^n(x)]": all(
            means[n] == means[n + 1] + prices[n] + Fraction(best[n], total) for n in range(depth)
        ),
        "the payoff is U(x_0) less all prices, and its mean is the sum of max E[U^n(x)]": (
            found.value == sum(Fraction(b, total) for b in best)
            and all(
                play.payoff
                == instance.utilities["abc".index(str(play.action))][w]
                - sum(_price(problem, n, goods) for n, goods in enumerate(play.purchases, 1))
                for w, play in enumerate(found.plays)
            )
        ),
        "no purchase is a message": signal(found.protocol()) is None,
        "recomputation by separate code leaves no gap": found.gap == 0,
    }


@lru_cache(maxsize=16)
def _realised_value(instance: InspectionInstance, names: tuple[str, ...]) -> list[Any]:
    """Return the realised value of some goods of level 1, by state; both kinds of offers ask."""
    problem = instance.problem
    goods = joint_good([good for good in problem.levels[0] if good.name in names])
    realised: list[Any] = value_of_information(problem.decision, goods).realised.scalars()
    return realised


def _above(
    instance: InspectionInstance, table: Sequence[Sequence[Any]], n: int, options: Sequence[Any]
) -> list[list[Any]]:
    """Return U^(n+1) from U^n by eq. (3)."""
    problem, weights = instance.problem, instance.weights
    states = range(len(weights))
    default = _find_best(table, weights, states)
    above = []
    for names in options:
        goods = [good for good in problem.levels[n] if good.name in names]
        shown = [tuple(good.variables[0].by_state[w] for good in goods) for w in states]
        best = {
            i: _find_best(table, weights, [w for w in states if shown[w] == i]) for i in set(shown)
        }
        price = _price(problem, n + 1, names)
        above.append([table[best[shown[w]]][w] - table[default][w] - price for w in states])
    return above


def _find_best(table: Any, weights: Sequence[int], inside: Sequence[int]) -> int:
    worth = [sum(weights[w] * row[w] for w in inside) for row in table]
    return worth.index(max(worth))


def _price(problem: InspectionProblem, n: int, names: Sequence[str]) -> Fraction:
    return sum((Fraction(g.price) for g in problem.levels[n - 1] if g.name in names), Fraction(0))


@dataclass(frozen=True)
class RecursiveLaws:
    """What pins eqs. (6) to (8) down: what each node maximises, and what follows."""

    solve: Recursive = recursive_inspection

    def __call__(self, instance: InspectionInstance) -> Trial:
        """Check every law; non-trivial where something is bought."""
        problem = instance.problem
        found = self.solve(problem)
        free = replace(
            instance,
            levels=tuple(
                tuple(replace(offer, price=Fraction(0)) for offer in level)
                for level in instance.levels
            ),
        )
        shifted = replace(
            instance,
            utilities=tuple(tuple(u + w for w, u in enumerate(row)) for row in instance.utilities),
        )
        shift = Fraction(
            sum(weight * w for w, weight in enumerate(instance.weights)), sum(instance.weights)
        )
        value: Any = found.value
        smaller = merge_states(problem)[0]
        laws = {
            "eq. (8): every node maximises E[U | values known there]": all(
                node.chosen == node.maximisers[0]
                for n in range(problem.depth + 1)
                for node in found.protocol.nodes(n)
            ),
            "eq. (7): the payoff is U(x^0) less all prices": all(
                play.payoff
                == instance.utilities["abc".index(str(play.action))][w]
                - sum(_price(problem, n, goods) for n, goods in enumerate(play.purchases, 1))
                for w, play in enumerate(found.plays)
            ),
            "x^0 knows the purchases alone": _action_by_purchases(instance, found),
            "it is worth at least the best action without information": value >= instance.blind,
            "it is worth at most full information for nothing": value <= instance.informed,
            "with every offer free it is worth just that": (
                self.solve(free.problem).value == instance.informed
            ),
            "it is worth at least successive inspection": all(
                value >= successive_inspection(problem, offers).value for offers in Offers
            ),
            "what every action gains alike in a state shifts the mean alone": (
                self.solve(shifted.problem).value == value + shift
            ),
            "states that no good tells apart may be merged": (
                smaller is problem or self.solve(smaller).value == value
            ),
            "recomputation by separate code leaves no gap": found.gap == 0,
        }
        return _judge_laws([law for law, kept in laws.items() if not kept], nontrivial=found.buys)


@dataclass(frozen=True)
class OptimalGivenOffers:
    """Non-theorem 3.1: x_* maximises E[U(x) | I^0, ..., I^(N-1)] over all x; prices at least 0."""

    solve: Recursive = recursive_inspection

    def __call__(self, instance: InspectionInstance) -> Trial:
        """Compare x_* with the best action and no purchase, given everything that is on offer."""
        found = self.solve(instance.problem)
        for seen, inside in instance.blocks.items():
            mass = sum(instance.weights[w] for w in inside)
            payoffs: list[Any] = [found.plays[w].payoff for w in inside]
            ours = sum(instance.weights[w] * v for w, v in zip(inside, payoffs, strict=True)) / mass
            best = Fraction(
                max(
                    sum(instance.weights[w] * row[w] for w in inside) for row in instance.utilities
                ),
                mass,
            )
            if best > ours:
                failure = (
                    f"given offers that show {seen}, x_* is worth {ours}; buying nothing and "
                    f"taking the best action is worth {best}."
                )
                return Trial(nontrivial=found.buys, failure=failure)
        return Trial(nontrivial=found.buys)


def _action_by_purchases(instance: InspectionInstance, found: Inspection) -> bool:
    """Whether states with the same purchases and the same values of them get the same action."""
    done: dict[Any, Any] = {}
    for w, play in enumerate(found.plays):
        bought = [name for goods in play.purchases for name in goods]
        goods = [good for level in instance.problem.levels for good in level if good.name in bought]
        seen = (play.purchases, tuple(good.variables[0].by_state[w] for good in goods))
        if done.setdefault(seen, play.action) != play.action:
            return False
    return True


def _judge_laws(broken: list[str], nontrivial: bool) -> Trial:
    return Trial(nontrivial=nontrivial, failure=f"Broken: {'; '.join(broken)}." if broken else "")
