"""What the property tests draw: plain numbers, and the same as objects of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from theory.decision import DecisionProblem
from theory.information import Good
from theory.numbers import Balls, ClosedForms, Exact, Floats, Numbers
from theory.probability import ProbabilitySpace, Variable

Kind = Literal["exact", "closed form", "certified", "float64"]


@dataclass(frozen=True)
class Instance:
    """A prior in proportion to weights, utilities[action][state], a signal and its price."""

    weights: tuple[int, ...]
    utilities: tuple[tuple[Fraction, ...], ...]
    signal: tuple[int, ...]
    price: Fraction

    @property
    def prior(self) -> list[Fraction]:
        return [Fraction(w, sum(self.weights)) for w in self.weights]

    @property
    def states(self) -> range:
        return range(len(self.weights))

    def problem(self, kind: Kind = "exact") -> DecisionProblem:
        space = ProbabilitySpace(self.states, numbers(self.prior, kind))
        return DecisionProblem(space, tuple(range(len(self.utilities))), self.table(kind))

    def table(self, kind: Kind = "exact") -> Numbers:
        return numbers([list(row) for row in self.utilities], kind)

    def good(self, kind: Kind = "exact") -> Good:
        price = float(self.price) if kind == "float64" else self.price
        return Good("I", (Variable.of("I", self.signal),), price)


def numbers(values: Any, kind: Kind) -> Numbers:
    """Rationals as numbers of one kind, certified ones at the working precision."""
    if kind == "float64":
        return Floats.of(np.array(values, dtype=object).astype(np.float64))
    return {"exact": Exact, "closed form": ClosedForms, "certified": Balls}[kind].of(values)


def small_rationals(bound: int = 3, denominators: Sequence[int] = (1, 2, 3)) -> Any:
    return st.builds(Fraction, st.integers(-bound, bound), st.sampled_from(list(denominators)))


@st.composite
def instances(
    draw: st.DrawFn,
    max_states: int = 6,
    max_actions: int = 4,
    least_weight: int = 0,
    denominators: Sequence[int] = (1, 2, 3),
) -> Instance:
    """Small numbers, so that ties are common; weights of zero are impossible states."""
    states = draw(st.integers(1, max_states))
    weights = draw(
        st.lists(st.integers(least_weight, 4), min_size=states, max_size=states).filter(any)
    )
    row = st.lists(small_rationals(2, denominators), min_size=states, max_size=states)
    utilities = draw(st.lists(row, min_size=1, max_size=max_actions))
    signal = draw(st.lists(st.integers(0, 3), min_size=states, max_size=states))
    price = draw(small_rationals(1, denominators))
    return Instance(tuple(weights), tuple(map(tuple, utilities)), tuple(signal), price)


def labels(states: int, highest: int = 3) -> Any:
    return st.lists(st.integers(0, highest), min_size=states, max_size=states)


HUGE = [0, 1, -1, 2**31, 2**62 - 1, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64, 3**50]


def huge_rationals() -> Any:
    """Rationals whose numerators sit at the edges of int64, and ordinary ones."""
    numerators = st.one_of(st.sampled_from(HUGE), st.integers(-9, 9), st.integers(-(2**70), 2**70))
    return st.builds(Fraction, numerators, st.sampled_from([1, 2, 3, 7, 2**31, 2**40, 3**25]))
