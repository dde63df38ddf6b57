"""volition, Theorem 3.3: recursive inspection against admissible protocols; its corrections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from papers.volition.checks.inspection_families import InspectionInstance, ProtocolInstance, columns
from theory.inspection import (
    Inspection,
    Protocol,
    gains_over,
    signal,
    value_of_signalling,
)
from theory.search import Trial

__all__ = [
    "AdvantageIsSignalled",
    "BestAdmissibleIsBest",
    "NoBetterWithoutSignals",
    "RecursiveIsBest",
    "TopLevelIsBest",
    "all_dear",
    "all_free",
    "dear_or_free",
    "decision_is_dear",
    "free_offers_suffice",
    "some_free",
]

Solver = Callable[[InspectionInstance], Inspection]
Hypothesis = Callable[[InspectionInstance], bool]


def recursive(instance: InspectionInstance) -> Inspection:
    """Return the recursive protocol, x_*."""
    return instance.recursive


def best(instance: InspectionInstance) -> Inspection:
    """Return the best admissible protocol."""
    return instance.best


@lru_cache(maxsize=1 << 11)
def _value_signalling(instance: InspectionInstance) -> Fraction:
    return value_of_signalling(instance.problem).value


def always(instance: InspectionInstance) -> bool:
    """No hypothesis."""
    del instance
    return True


def all_free(instance: InspectionInstance) -> bool:
    """Say whether every offer is free."""
    return all(offer.price == 0 for offer in instance.offers)


def all_dear(instance: InspectionInstance) -> bool:
    """Say whether every price is at least max U - min U."""
    return all(offer.price >= instance.range for offer in instance.offers)


def some_free(instance: InspectionInstance) -> bool:
    """Say whether some offers are free and some are not."""
    free = [offer.price == 0 for offer in instance.offers]
    return any(free) and not all(free)


def dear_or_free(instance: InspectionInstance) -> bool:
    """Say whether some offers are free and all others cost at least max U - min U."""
    dear = (offer.price >= instance.range for offer in instance.offers if offer.price)
    return some_free(instance) and all(dear)


def decision_is_dear(instance: InspectionInstance) -> bool:
    """Say whether every price is at least max_w (max_a U(a)(w) - min_a U(a)(w))."""
    spread = max(max(column) - min(column) for column in columns(instance.utilities))
    return all(offer.price >= spread for offer in instance.offers)


def free_offers_suffice(instance: InspectionInstance) -> bool:
    """Say whether, after all that free offers may show, one action is best whatever else shows."""
    common: dict[Any, set[int]] = {}
    for shown, block in instance.blocks.items():
        free = tuple(v for v, o in zip(shown, instance.offers, strict=True) if not o.price)
        worth = [sum(instance.weights[w] * u[w] for w in block) for u in instance.utilities]
        optimal = {x for x, value in enumerate(worth) if value == max(worth)}
        common[free] = common.get(free, optimal) & optimal
    return all(common.values())


@dataclass(frozen=True)
class RecursiveIsBest:
    """Theorem 3.3 on one problem: the best admissible protocol is worth no more than x_*."""

    hypothesis: Hypothesis = always
    recursive: Solver = recursive
    best: Solver = best

    def __call__(self, instance: InspectionInstance) -> Trial:
        """Compare; non-trivial where what is on offer is worth something to the decision."""
        if not self.hypothesis(instance):
            return Trial.unmet()
        ours, best = self.recursive(instance), self.best(instance)
        failure = (
            f"the best admissible protocol is worth {best.value}, x_* {ours.value}."
            if best.value > ours.value
            else ""
        )
        return Trial(nontrivial=instance.informed > instance.blind, failure=failure)


@dataclass(frozen=True)
class TopLevelIsBest:
    """Correction (a): a protocol that differs from x_* at level N alone is worth no more."""

    recursive: Solver = recursive

    def __call__(self, case: ProtocolInstance) -> Trial:
        """Put the drawn choices at level N on top of x_*; non-trivial where the values differ."""
        ours = self.recursive(case.instance)
        picked = (*ours.protocol.picked[:-1], case.protocol.picked[-1])
        changed = Protocol(case.instance.problem, picked)
        failure = (
            f"with another choice at level {changed.depth} it is worth {changed.value}, "
            f"x_* {ours.value}."
            if changed.value > ours.value
            else ""
        )
        return Trial(nontrivial=changed.value != ours.value, failure=failure)


@dataclass(frozen=True)
class BestAdmissibleIsBest:
    """Correction (b): the best admissible protocol is worth at least x_* and any other."""

    best: Solver = best
    recursive: Solver = recursive

    def __call__(self, case: ProtocolInstance) -> Trial:
        """Compare with x_* and a drawn protocol; non-trivial where signalling has a value."""
        best, ours = self.best(case.instance), self.recursive(case.instance)
        others = {"x_*": ours.value, "the protocol": case.protocol.value}
        worse = [
            f"{name} is worth {value}, the best admissible protocol {best.value}."
            for name, value in others.items()
            if value > best.value
        ]
        if _value_signalling(case.instance) != best.value - ours.value:
            worse.append("the value of signalling is not the difference to x_*.")
        if best.gap != 0:
            worse.append(f"its certificate leaves a gap of {best.gap}.")
        return Trial(nontrivial=best.value != ours.value, failure=" ".join(worse))


@dataclass(frozen=True)
class NoBetterWithoutSignals:
    """Correction (c1): a protocol that does not signal is worth no more than x_*."""

    may_signal: bool = False
    recursive: Solver = recursive

    def __call__(self, case: ProtocolInstance) -> Trial:
        """Compare; non-trivial where the protocol buys something and is not worth the same."""
        told = signal(case.protocol)
        if told is not None and not self.may_signal:
            return Trial.unmet()
        ours = self.recursive(case.instance)
        failure = ""
        if case.protocol.value > ours.value:
            worth = f"the protocol is worth {case.protocol.value}, x_* {ours.value}"
            failure = f"{worth}; it signals at {told}."
        nontrivial = case.protocol.buys and case.protocol.value != ours.value
        return Trial(nontrivial=nontrivial, failure=failure)


@dataclass(frozen=True)
class AdvantageIsSignalled:
    """Correction (c4): where a protocol gains on x_*, node by node, and that signals do it."""

    recursive: Solver = recursive

    def __call__(self, case: ProtocolInstance) -> Trial:
        """Sum the gains; non-trivial where some node gains, so that c1 has nothing to say."""
        ours = self.recursive(case.instance)
        gains = gains_over(case.protocol, ours)
        amounts: list[Any] = [gain.amount for gain in gains]
        advantage = case.protocol.value - ours.value
        broken = []
        if sum(amounts) != advantage:
            broken.append(f"gains sum to {sum(amounts)}, the values differ by {advantage}.")
        broken += [
            f"x^{gain.known.level} = {gain.chosen}, not {gain.instead_of}, gains {gain.amount} "
            f"without a signal, {gain.known}."
            for gain, amount in zip(gains, amounts, strict=True)
            if amount > 0 and not gain.signals
        ]
        return Trial(nontrivial=any(amount > 0 for amount in amounts), failure=" ".join(broken))
