"""Families of instances that the claims are checked on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from theory.decision import DecisionProblem
from theory.information import Good, value_of_information
from theory.probability import Partition, ProbabilitySpace, Variable
from theory.search import Draw, Family
from theory.verdicts import Exhibit, Table

__all__ = ["InformationInstance", "information_problems", "show_information"]


@dataclass(frozen=True)
class InformationInstance:
    """A prior in proportion to ``weights``, utilities[action][state], a signal and its price."""

    weights: tuple[int, ...]
    utilities: tuple[tuple[int, ...], ...]
    signal: tuple[int, ...]
    price: Fraction

    @cached_property
    def space(self) -> ProbabilitySpace:
        """The prior."""
        return _prior(self.weights)

    @cached_property
    def problem(self) -> DecisionProblem:
        """The decision problem."""
        return _decision(self.weights, self.utilities)

    @cached_property
    def partition(self) -> Partition:
        """What the good reveals."""
        return Partition.of(self.signal)

    @cached_property
    def good(self) -> Good:
        """The information good."""
        return Good("I", (Variable.of("I", self.signal),), self.price)

    def reprice(self, price: Fraction) -> InformationInstance:
        """Return the same instance at another price."""
        return InformationInstance(self.weights, self.utilities, self.signal, price)

    def __str__(self) -> str:
        prior = ", ".join(str(p) for p in self.space.probabilities.scalars())
        return f"P=({prior}), U={self.utilities}, I={self.signal}, price {self.price}"


@lru_cache(maxsize=256)
def _prior(weights: tuple[int, ...]) -> ProbabilitySpace:
    """Build a prior; many instances share it."""
    return ProbabilitySpace.of([Fraction(w, sum(weights)) for w in weights])


@lru_cache(maxsize=64)
def _decision(weights: tuple[int, ...], utilities: tuple[tuple[int, ...], ...]) -> DecisionProblem:
    """Build a decision problem; laws ask for it beside another signal."""
    return DecisionProblem.of(_prior(weights), utilities)


def _build(draw: Draw, states: int) -> InformationInstance:
    weights = tuple(draw.integer(1, 3 if states < 3 else 2) for _ in range(states))
    actions = draw.integer(2, 2 if states < 4 else 3)
    utilities = tuple(tuple(draw.integer(-1, 1) for _ in range(states)) for _ in range(actions))
    signal = tuple(draw.partition(states))
    price = draw.choice([Fraction(0), Fraction(1, 2)])
    return InformationInstance(weights, utilities, signal, price)


def _size(instance: InformationInstance) -> tuple[int, ...]:
    magnitude = sum(abs(u) for row in instance.utilities for u in row)
    return (len(instance.utilities), magnitude + sum(instance.weights), instance.price != 0)


def information_problems(levels: Sequence[int] = (1, 2, 3, 4)) -> Family[InformationInstance]:
    """Return decision problems with one good, by number of states."""
    return Family(
        description=(
            "decision problems with a good: priors in proportion to 1..3 (1..2 from 3 states on), "
            "2 actions (2 or 3 from 4 states on), utilities -1, 0, 1, every signal, price 0 or 1/2"
        ),
        level_name="states",
        levels=tuple(levels),
        build=_build,
        size=_size,
    )


def show_information(instance: InformationInstance) -> Exhibit:
    """Work an instance out: the primitives by state, and the values that we compute."""
    value = value_of_information(instance.problem, instance.good)
    actions = range(len(instance.utilities))
    columns = ("state", "probability", *(f"U({a})" for a in actions), "I", "realised value")
    rows = tuple(
        (
            str(w),
            str(instance.space.probabilities[w].item()),
            *(str(instance.utilities[a][w]) for a in actions),
            str(instance.signal[w]),
            str(value.by_state[w]),
        )
        for w in range(len(instance.weights))
    )
    table = Table(caption="The instance", columns=columns, rows=rows)
    return Exhibit(summary=str(instance), tables=(table, value.table()))
