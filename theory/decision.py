"""Decision problems: finite action sets, and forecasts under a proper scoring rule.

An agent with a :class:`Decision` picks, in every block of what it knows, an action that maximises
its expected utility there. The whole set of maximisers is computed; the rule that picks one of
them is the lowest index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Self

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, NullEventError, ShapeError
from theory.numbers import Exact, Floats, Numbers, Scalar, as_numbers
from theory.numbers.base import as_objects
from theory.probability import (
    Partition,
    ProbabilitySpace,
    check_event,
    check_names,
    check_states,
)
from theory.scoring import Score
from theory.shared.arguments import instance_of, read_tuple, refusing
from theory.shared.printable import printed_line
from theory.shared.rounding import TIE_TOLERANCE, tied_best
from theory.shared.shapes import Bool, Event, Labels

__all__ = ["LOWEST_INDEX", "TIE_TOLERANCE", "Choice", "Decision", "DecisionProblem", "Forecast"]

Row = Sequence[object] | Mapping[Any, object] | np.ndarray
"""Utilities of one action: in the order of the states, or by state."""

LOWEST_INDEX: Final = "lowest index"


@dataclass(frozen=True)
class Choice:
    """What maximises expected utility: all maximisers, the one picked, and by which rule."""

    maximisers: tuple[Hashable, ...]
    picked: Hashable
    expected_utility: Scalar
    rule: str = LOWEST_INDEX

    @property
    def tied(self) -> bool:
        """Whether there is more than one maximiser."""
        return len(self.maximisers) > 1

    @printed_line
    def __str__(self) -> str:
        ties = f" (tied with {', '.join(str(a) for a in self.maximisers[1:])})" if self.tied else ""
        return f"{self.picked}{ties}"


class Decision(ABC):
    """A set of actions with a utility for each action in each state of a probability space."""

    space: ProbabilitySpace

    @abstractmethod
    def decide(self, known: Partition) -> tuple[Choice, ...]:
        """Return, for each block i of ``known``, argmax over x of E[U(x) | i].

        Raises
        ------
        NullEventError
            When a block has probability zero.
        ShapeError
            When ``known`` is not over the states of the space.
        """

    @abstractmethod
    def utility(self, choices: Sequence[Choice], known: Partition) -> Numbers:
        """Return U(the action picked in the block of w)(w) for every state w."""

    @abstractmethod
    def condition_on(self, event: Event) -> Self:
        """Return the problem conditioned on ``event``, with impossible states left out."""

    def prior_choice(self) -> Choice:
        """Return argmax over x of E[U(x)]."""
        possible = self.condition_on(np.ones(len(self.space), dtype=bool))
        return possible.decide(Partition.trivial(len(possible.space)))[0]


def possible_states(space: ProbabilitySpace, event: Event) -> tuple[ProbabilitySpace, Event]:
    """Return the space given ``event`` on its possible states alone, and which states those are.

    Raises
    ------
    NullEventError
        When the event has probability zero.
    """
    check_event("event", event, len(space))
    if event.all() and space.support.all():
        return space, event
    conditioned = space.condition_on(event)
    kept = conditioned.support
    names = tuple(state for state, keep in zip(space.states, kept.tolist(), strict=True) if keep)
    return ProbabilitySpace(names, conditioned.probabilities[kept]), kept


@dataclass(frozen=True, eq=False)
class DecisionProblem(Decision):
    """Finitely many actions; ``utilities[x, w]`` is the utility of action x in state w.

    Examples
    --------
    >>> space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    >>> problem = DecisionProblem.of(space, {"umbrella": [0, -1], "none": [-4, 0]})
    >>> print(problem.prior_choice(), problem.prior_choice().expected_utility)
    umbrella -3/4
    """

    space: ProbabilitySpace
    actions: tuple[Hashable, ...]
    utilities: Numbers

    def __post_init__(self) -> None:
        instance_of("space", self.space, ProbabilitySpace, "use ProbabilitySpace.of")
        instance_of("utilities", self.utilities, Numbers, "use DecisionProblem.of")
        if len(self.actions) == 0:
            raise InvalidInputError("actions", self.actions, "is empty", "give at least one action")
        read_tuple("actions", self.actions)
        check_names("actions", self.actions)
        wanted = (len(self.actions), len(self.space))
        if self.utilities.shape != wanted:
            raise ShapeError(
                "utilities",
                self.utilities.shape,
                f"is not of shape {wanted}",
                "give one row an action and one column a state",
            )
        same_arithmetic("utilities", self.utilities, self.space.probabilities)

    @classmethod
    def of(
        cls,
        space: ProbabilitySpace,
        utilities: Mapping[Any, Row] | Sequence[Sequence[object]] | np.ndarray | Numbers,
    ) -> DecisionProblem:
        """Build a problem from utilities by action (and by state), or from a matrix."""
        instance_of("space", space, ProbabilitySpace, "use ProbabilitySpace.of")
        if not isinstance(utilities, Mapping):
            matrix = as_numbers(utilities, "utilities")
            return cls(space, tuple(range(matrix.shape[0] if matrix.shape else 0)), matrix)
        rows = [_row(space, action, row) for action, row in utilities.items()]
        return cls(space, tuple(utilities), as_numbers(rows, "utilities"))

    def decide(self, known: Partition) -> tuple[Choice, ...]:
        """Return all actions of the largest expected utility in each block, and the first.

        float64 expected utilities tie when they differ by what rounding may explain in the two of
        them: what other actions are worth does not count.
        """
        p = self.space.probabilities
        check_states("known", known.labels.shape, len(self.space))
        masses = p.block_sums(known.labels, known.count)
        _refuse_null(masses)
        sums = self.utilities.weighted_block_sums(p, known.labels, known.count)
        marks = self._marks(sums, known.labels, known.count)
        best = sums[marks.argmax(axis=0), np.arange(known.count)]
        choices = []
        for marked, value in zip(marks.T.tolist(), best.ratios(masses), strict=True):
            tied = tuple(a for a, among in zip(self.actions, marked, strict=True) if among)
            choices.append(Choice(tied, tied[0], value))
        return tuple(choices)

    def utility(self, choices: Sequence[Choice], known: Partition) -> Numbers:
        """Return the utility of the chosen actions, by state."""
        number = {action: x for x, action in enumerate(self.actions)}
        rows = np.array([number[choice.picked] for choice in choices], dtype=np.int64)
        return self.utilities[rows[known.labels], np.arange(len(self.space))]

    def condition_on(self, event: Event) -> DecisionProblem:
        """Return the problem on the possible states of ``event``, with its probabilities."""
        space, kept = possible_states(self.space, event)
        if space is self.space:
            return self
        return DecisionProblem(space, self.actions, self.utilities[:, kept])

    def exact(self) -> DecisionProblem:
        """Return the exact problem that a float64 one stands for.

        Each float is read as the rational that it is, and the probabilities are divided by their
        sum: see :meth:`~theory.probability.ProbabilitySpace.exact`. A problem of any other kind of
        number comes back as it is. :meth:`theory.information.Good.exact` does it for a price.

        Examples
        --------
        >>> space = ProbabilitySpace.of({"rain": 0.25, "dry": 0.75})
        >>> problem = DecisionProblem.of(space, {"umbrella": [0.0, -1.0], "none": [-4.0, 0.0]})
        >>> print(problem.exact().prior_choice().expected_utility)
        -3/4
        """
        if not isinstance(self.utilities, Floats):
            return self
        return DecisionProblem(self.space.exact(), self.actions, self.utilities.exact())

    def _marks(self, sums: Numbers, labels: Labels, count: int) -> Bool[np.ndarray, "actions k"]:
        """Mark the best actions of each block, given their sums of probability times utility."""
        if not isinstance(sums, Floats) or not isinstance(self.utilities, Floats):
            return sums.maximisers()
        sizes: Any = Floats(np.abs(self.utilities.values)).weighted_block_sums(
            self.space.probabilities, labels, count
        )
        return tied_best(sums.values, sizes.values, np.bincount(labels, minlength=count))


@refusing
@dataclass(frozen=True, eq=False)
class Forecast(Decision):
    """Forecast the probability of an event under a proper scoring rule; every x in [0, 1] is open.

    At belief q the best forecast is q, and under a strictly proper rule nothing else is. The
    space must be exact; utilities come out as closed forms.

    Examples
    --------
    >>> space = ProbabilitySpace.of(["1/10", "9/10"])
    >>> problem = Forecast(space, space.event([0]), Score.LOG)
    >>> print(problem.prior_choice().picked)
    1/10
    """

    space: ProbabilitySpace
    event: Event
    score: Score

    def __post_init__(self) -> None:
        if not isinstance(self.space.probabilities, Exact):
            raise ExactnessError(
                "probabilities",
                self.space.probabilities.kind,
                "is the wrong kind of number for a forecast",
                'give exact probabilities, such as "1/3"',
            )
        check_event("event", self.event, len(self.space))
        if not isinstance(self.score, Score):
            raise InvalidInputError(
                "score", self.score, "is not a Score", f"use {' or '.join(map(str, Score))}"
            )

    def decide(self, known: Partition) -> tuple[Choice, ...]:
        """Return the probability of the event in each block, which is the best forecast."""
        p = self.space.probabilities
        check_states("known", known.labels.shape, len(self.space))
        masses = p.block_sums(known.labels, known.count)
        _refuse_null(masses)
        inside = (p * Exact(self.event)).block_sums(known.labels, known.count)
        choices = []
        for mass, hit in zip(masses.scalars(), inside.scalars(), strict=True):
            belief: Fraction = hit / mass
            choices.append(Choice((belief,), belief, self._expect(belief), "the belief itself"))
        return tuple(choices)

    def _expect(self, belief: Fraction) -> Any:
        terms = [(belief, True), (1 - belief, False)]
        return sum((q * self.score.utility(belief, o) for q, o in terms if q), Fraction(0))

    def utility(self, choices: Sequence[Choice], known: Partition) -> Numbers:
        """Return the score of the chosen forecasts, by state."""
        pairs = zip(known.labels.tolist(), self.event.tolist(), strict=True)
        forecasts: list[Any] = [choice.picked for choice in choices]
        flat = [self.score.utility(forecasts[b], occurred) for b, occurred in pairs]
        return as_numbers(flat)

    def condition_on(self, event: Event) -> Forecast:
        """Return the problem on the possible states of ``event``, with its probabilities."""
        space, kept = possible_states(self.space, event)
        return Forecast(space, self.event[kept], self.score)


def same_arithmetic(argument: str, numbers: Numbers, other: Numbers) -> None:
    """Refuse to let float64 meet another kind of number."""
    if isinstance(numbers, Floats) != isinstance(other, Floats):
        raise ExactnessError(
            argument,
            f"{numbers.kind} beside {other.kind}",
            "mixes float64 with another kind of number",
            "write probabilities, utilities and prices in one kind",
        )


def _row(space: ProbabilitySpace, action: Hashable, row: Row) -> list[object]:
    argument = f"utilities of {action!r}"
    if isinstance(row, Mapping):
        return space.in_order(row, argument)
    numbers = as_objects(row, argument)
    check_states(argument, numbers.shape, len(space))
    return list(numbers)


def _refuse_null(masses: Numbers) -> None:
    null = np.flatnonzero(masses.signs() == 0)
    if len(null):
        raise NullEventError("block", int(null[0]), "has probability zero", "leave it out")
