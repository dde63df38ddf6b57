"""Inspection problems by size, alone and with an admissible protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import gcd
from typing import Any, Final

import numpy as np

from theory.decision import DecisionProblem
from theory.information import Good
from theory.inspection import (
    BestAdmissible,
    InspectionProblem,
    Protocol,
    RecursiveInspection,
    best_admissible,
    recursive_inspection,
)
from theory.probability import ProbabilitySpace, Variable
from theory.search import Draw, Family

__all__ = [
    "DEAR_OFFERS",
    "FREE_OFFERS",
    "MIXED",
    "PARTLY_FREE",
    "PROBLEMS",
    "PROTOCOLS",
    "SMALLEST",
    "SUCCESSIVE",
    "Dear",
    "InspectionInstance",
    "Offer",
    "Problems",
    "ProtocolInstance",
    "Protocols",
    "columns",
]

QUARTER = Fraction(1, 4)
CHEAP = (Fraction(1, 2), QUARTER, Fraction(1))
FREE = (Fraction(0),)

_KEPT: Final = 1 << 11
"""How many problems are kept with what solves them: samples of a small level come again."""

Shape = tuple[int, ...]

_GOODS = ("I", "J", "K")


@dataclass(frozen=True)
class Offer:
    """What a good shows in each state, and its price."""

    shows: tuple[int, ...]
    price: Fraction


@dataclass(frozen=True)
class InspectionInstance:
    """A prior in proportion to ``weights``, utilities[action][state], and levels of offers."""

    weights: tuple[int, ...]
    utilities: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[Offer, ...], ...]

    @cached_property
    def problem(self) -> InspectionProblem:
        """The same, as theory writes it: states 1, 2, …, actions a, b, …, goods I1, I2, J1, …."""
        return _problem(self)

    @cached_property
    def recursive(self) -> RecursiveInspection:
        """The recursive protocol x_*, ties to fewest goods and the first action."""
        return _recursive(self)

    @cached_property
    def best(self) -> BestAdmissible:
        """The best admissible protocol."""
        return _find_best(self)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """All offers, level by level."""
        return tuple(offer for level in self.levels for offer in level)

    @property
    def range(self) -> int:
        """The largest utility less the smallest."""
        every = [u for row in self.utilities for u in row]
        return max(every) - min(every)

    @property
    def blind(self) -> Fraction:
        """The value of the best action, max_a E[U(a)]."""
        sums = (_dot(self.weights, row) for row in self.utilities)
        return Fraction(max(sums), sum(self.weights))

    @property
    def informed(self) -> Fraction:
        """The value of full information for nothing, E[max_a E[U(a) | everything on offer]]."""
        worth = 0
        for block in self.blocks.values():
            worth += max(sum(self.weights[w] * u[w] for w in block) for u in self.utilities)
        return Fraction(worth, sum(self.weights))

    @property
    def blocks(self) -> dict[tuple[int, ...], list[int]]:
        """What all offers show together, with the states in which they do."""
        found: dict[tuple[int, ...], list[int]] = {}
        for w, seen in enumerate(zip(*(offer.shows for offer in self.offers), strict=True)):
            found.setdefault(seen, []).append(w)
        return found

    @property
    def magnitude(self) -> tuple[Fraction, ...]:
        """How large the numbers are: utilities and weights, then losses, then prices."""
        every = [u for row in self.utilities for u in row]
        losses = sum(-u for u in every if u < 0)
        prices = sum((offer.price for offer in self.offers), Fraction(0))
        return (Fraction(sum(map(abs, every)) + sum(self.weights)), Fraction(losses), prices)

    def __str__(self) -> str:
        prior = ", ".join(map(str, self.problem.decision.space.probabilities.scalars()))
        rows = [
            f"U({name})=({', '.join(map(str, row))})"
            for name, row in zip("abc", self.utilities, strict=False)
        ]
        levels = [
            f"level {n}: "
            + ", ".join(
                f"{name}={offer.shows} at {offer.price}"
                for name, offer in zip(_names(n - 1, len(level)), level, strict=True)
            )
            for n, level in enumerate(self.levels, 1)
        ]
        return "; ".join([f"P=({prior})", *rows, *levels])


@lru_cache(maxsize=_KEPT)
def _recursive(instance: InspectionInstance) -> RecursiveInspection:
    return recursive_inspection(instance.problem)


@lru_cache(maxsize=_KEPT)
def _find_best(instance: InspectionInstance) -> BestAdmissible:
    return best_admissible(instance.problem)


@lru_cache(maxsize=_KEPT)
def _problem(instance: InspectionInstance) -> InspectionProblem:
    """Build the problem; a family of protocols asks for the same one again and again."""
    rows = {"abc"[x]: row for x, row in enumerate(instance.utilities)}
    levels = [
        [
            Good(name, (Variable.of(name, offer.shows),), offer.price)
            for name, offer in zip(_names(n, len(level)), level, strict=True)
        ]
        for n, level in enumerate(instance.levels)
    ]
    return InspectionProblem.of(DecisionProblem.of(_prior(instance.weights), rows), levels)


@lru_cache(maxsize=64)
def _prior(weights: tuple[int, ...]) -> ProbabilitySpace:
    """Build a prior over the states 1, 2, …; many instances share it."""
    total = sum(weights)
    return ProbabilitySpace.of({str(w): Fraction(q, total) for w, q in enumerate(weights, 1)})


@dataclass(frozen=True)
class ProtocolInstance:
    """An inspection problem with an admissible protocol: one option for every node."""

    instance: InspectionInstance
    choices: tuple[tuple[tuple[int, ...], ...], ...] | None
    """By level, row of purchases and state; None for the best protocol there is."""

    @cached_property
    def protocol(self) -> Protocol:
        """The protocol."""
        if self.choices is None:
            return self.instance.best.protocol
        rows = tuple(np.array(level, dtype=np.int64) for level in self.choices)
        return Protocol(self.instance.problem, rows)

    def __str__(self) -> str:
        plays = []
        for state, numbers in zip(
            self.instance.problem.decision.space.states,
            self.protocol.path[1].T.tolist(),
            strict=True,
        ):
            options: list[Any] = [
                self.instance.problem.options(n)[k] for n, k in enumerate(numbers)
            ]
            bought = [name for goods in options[:0:-1] for name in goods]
            plays.append(f"in {state} buys {' and '.join(bought) or 'nothing'}, does {options[0]}")
        return f"{self.instance}; the protocol {'; '.join(plays)}"


class Dear(StrEnum):
    """Whether prices may be as large as the range of the utilities."""

    NEVER = "never"
    ALL_OR_NONE = "all or none"
    EACH = "each for itself"


@dataclass(frozen=True)
class Problems:
    """Builds inspection problems with prices from a list, the simplest first.

    A shape is the number of goods on each level; two states have shapes of their own. The last
    action pays 0 in every state, which loses nothing: only differences of utilities matter. No
    action is best in every state, and the first good has something to show.
    """

    prices: tuple[Fraction, ...] = CHEAP
    shapes: tuple[Shape, ...] = ((1,), (2,), (1, 1), (2, 1))
    for_two_states: tuple[Shape, ...] = ((1,),)
    largest: int = 3
    dear: Dear = Dear.NEVER

    def __call__(self, draw: Draw, states: int) -> InspectionInstance:
        """Build one."""
        weights = tuple(draw.integer(1, 2) for _ in range(states))
        utilities = self._utilities(draw, states)
        best = [max(column) for column in columns(utilities)]
        if gcd(*weights) > 1 or any(row == tuple(best) for row in utilities):
            draw.reject()
        prices = self._prices(draw, utilities)
        shape = draw.choice(self.for_two_states if states < 3 else self.shapes)
        signals = [
            [draw.choice(_signals(states)[1 if n == j == 0 else 0 :]) for j in range(goods)]
            for n, goods in enumerate(shape)
        ]
        levels = tuple(
            tuple(Offer(signal, draw.choice(prices)) for signal in level) for level in signals
        )
        return InspectionInstance(weights, utilities, levels)

    def _utilities(self, draw: Draw, states: int) -> tuple[tuple[int, ...], ...]:
        first = [draw.integer(-self.largest, self.largest) for _ in range(states - 2)]
        first.insert(draw.index(states - 1), draw.integer(1, self.largest))
        first.insert(states - 1 - draw.index(states), draw.integer(-self.largest, -1))
        third = (
            ()
            if states < 3 or draw.index(2) == 0
            else ((*(draw.integer(-self.largest, self.largest) for _ in range(states)),),)
        )
        return (tuple(first), *third, (0,) * states)

    def _prices(self, draw: Draw, utilities: tuple[tuple[int, ...], ...]) -> tuple[Fraction, ...]:
        every = [u for row in utilities for u in row]
        high = Fraction(max(every) - min(every))
        if self.dear is Dear.EACH:
            return (*self.prices, high)
        if self.dear is Dear.ALL_OR_NONE and draw.index(5) == 4:
            return (high, high + QUARTER)
        return self.prices


@dataclass(frozen=True)
class Protocols:
    """Builds a problem and an admissible protocol for it.

    Of eight protocols one is the best there is. The others are drawn node by node; in every row of
    purchases a draw decides whether all nodes buy alike or each for itself. Buying alike is what
    keeps purchases from being messages.
    """

    problems: Problems = Problems()

    def __call__(self, draw: Draw, states: int) -> ProtocolInstance:
        """Build one."""
        instance = self.problems(draw, states)
        if draw.index(8) == 7:
            return ProtocolInstance(instance, None)
        problem = instance.problem
        choices = []
        for n, labels in enumerate(problem.known):
            options = len(problem.options(n))
            level = []
            for row in labels.tolist():
                alike = n > 0 and draw.index(2) == 0
                nodes = sorted(set(row))
                common = draw.index(options) if alike else 0
                at = {first: common if alike else draw.index(options) for first in nodes}
                level.append(tuple(at[first] for first in row))
            choices.append(tuple(level))
        return ProtocolInstance(instance, tuple(choices))


def _size(instance: InspectionInstance) -> tuple[object, ...]:
    """Order by goods and actions; problems without ties first, so that no rule is to blame."""
    goods, actions = len(instance.offers), len(instance.utilities)
    return (goods, len(instance.levels), actions, instance.recursive.tied, *instance.magnitude)


def _protocol_size(case: ProtocolInstance) -> tuple[object, ...]:
    bought = int(case.protocol.path[1][1:].sum())
    return (*_size(case.instance), bought)


def _family(
    prices: str, problems: Problems, levels: Sequence[int] = (2, 3)
) -> Family[InspectionInstance]:
    return Family(
        description=f"inspection problems, {prices}: {_shape(problems)}",
        level_name="states",
        levels=tuple(levels),
        build=problems,
        size=_size,
    )


def _shape(problems: Problems) -> str:
    two, more = (
        " or ".join("+".join(map(str, shape)) for shape in shapes)
        for shapes in (problems.for_two_states, problems.shapes)
    )
    return (
        "priors in proportion to 1..2; two actions, or three from three states on, none of them "
        f"best in every state; utilities -{problems.largest}..{problems.largest}, those of the "
        f"last action 0; goods a level: {two} for two states, {more} for more"
    )


PROBLEMS = _family("prices 1/4, 1/2, 1", Problems())
SMALLEST = replace(PROBLEMS, levels=(2,))
SUCCESSIVE = _family(
    "prices 1/4, 1/2", Problems(CHEAP[:2], ((1,), (2,), (1, 1), (2, 1), (1, 1, 1)), largest=5)
)
FREE_OFFERS = _family("all offers free", Problems(FREE))
PARTLY_FREE = _family("prices 0, 1/2", Problems((*FREE, CHEAP[0]), for_two_states=((1,), (2,))))
DEAR_OFFERS = _family(
    "prices 1/4, 1/2, 1, or all of them max U - min U or 1/4 more",
    Problems(dear=Dear.ALL_OR_NONE),
)
MIXED = _family(
    "prices 0, 1/2, max U - min U",
    Problems((*FREE, CHEAP[0]), for_two_states=((2,),), dear=Dear.EACH),
    (2,),
)
PROTOCOLS = Family(
    description=f"a protocol for each of {PROBLEMS.description}",
    level_name="states",
    levels=(2, 3),
    build=Protocols(),
    size=_protocol_size,
)


@cache
def _signals(states: int) -> tuple[tuple[int, ...], ...]:
    """Return what a good may show by state: every partition, the one that shows nothing first."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(states):
        found = [(*labels, b) for labels in found for b in range(max(labels, default=-1) + 2)]
    return tuple(sorted(found, key=lambda labels: (max(labels), labels)))


def _dot(weights: Sequence[int], row: Sequence[int]) -> int:
    return sum(weight * u for weight, u in zip(weights, row, strict=True))


def columns(rows: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the entries of each state."""
    return list(zip(*rows, strict=True))


def _names(level: int, goods: int) -> list[str]:
    return [_GOODS[level]] if goods == 1 else [f"{_GOODS[level]}{j + 1}" for j in range(goods)]
