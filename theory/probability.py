"""Finite probability spaces, variables, events, partitions, conditional expectation.

Probabilities may be exact, certified or float64; every definition here is written once for all of
them (see :mod:`theory.numbers`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np

from theory.errors import (
    InvalidInputError,
    NullEventError,
    ProbabilityError,
    ShapeError,
    UndecidedError,
    UnknownNameError,
    nearest,
)
from theory.numbers import Balls, Exact, Floats, Numbers, Scalar, as_numbers
from theory.shared.arguments import instance_of, read_tuple, refusing
from theory.shared.printable import printed_line
from theory.shared.shapes import Event, Labels

__all__ = [
    "SUM_TOLERANCE",
    "Conditional",
    "Event",
    "Partition",
    "ProbabilitySpace",
    "Variable",
]

SUM_TOLERANCE: Final = 1e-9
"""How far the sum of float64 probabilities may be from one. Exact ones must sum to one exactly."""

_FEW: Final = 64
"""Up to so many labels are told apart one by one: sorting them only pays for more."""

T = TypeVar("T")


@refusing
@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of the states into blocks, in order of each block's first state.

    ``labels[w]`` is the number of the block that holds state w. Two partitions are equal when
    their blocks are.
    """

    labels: Labels
    count: int

    def __post_init__(self) -> None:
        if not self._in_order():
            raise InvalidInputError(
                "labels",
                self.labels,
                f"do not number {self.count} blocks in order of their first states",
                "use Partition.of",
            )

    def _in_order(self) -> bool:
        if self.labels.dtype != np.int64 or self.labels.ndim != 1:
            return False
        if len(self.labels) > _FEW:
            seen = np.maximum.accumulate(self.labels)
            steps = bool(seen[0] == 0) and bool((seen[1:] - seen[:-1] <= 1).all())
            return steps and bool((self.labels >= 0).all()) and self.count == int(seen[-1]) + 1
        count = 0
        for label in self.labels.tolist():
            if not 0 <= label <= count:
                return False
            count += label == count
        return self.count == count

    @classmethod
    def of(cls, labels: Sequence[Hashable] | np.ndarray) -> Partition:
        """Group the states that carry equal labels."""
        if isinstance(labels, np.ndarray) and labels.ndim != 1:
            raise ShapeError("labels", labels.shape, "is not one label a state", "flatten them")
        if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
            if len(labels) <= _FEW:
                return cls.of(labels.tolist())
            _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
            rank = np.empty(len(first), dtype=np.int64)
            rank[np.argsort(first)] = np.arange(len(first))
            return cls(rank[inverse.ravel()], len(first))
        codes, count = _number_labels(labels)
        return cls(np.array(codes, dtype=np.int64), count)

    @classmethod
    def trivial(cls, states: int) -> Partition:
        """One block: nothing is known."""
        return cls(np.zeros(states, dtype=np.int64), min(states, 1))

    @classmethod
    def discrete(cls, states: int) -> Partition:
        """One block a state: everything is known."""
        return cls(np.arange(states, dtype=np.int64), states)

    @classmethod
    def generated_by(cls, variables: Iterable[Variable], states: int) -> Partition:
        """Return the coarsest partition on which every variable is constant."""
        joint = cls.trivial(states)
        for variable in variables:
            joint = joint.join(variable.partition)
        return joint

    @cached_property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The blocks, each as the numbers of its states."""
        found: list[list[int]] = [[] for _ in range(self.count)]
        for state, label in enumerate(self.labels.tolist()):
            found[label].append(state)
        return tuple(map(tuple, found))

    def join(self, other: Partition) -> Partition:
        """Return the coarsest common refinement: knowing both."""
        _same_states(self, other)
        if self.count <= 1 or other.count <= 1:
            return other if self.count <= 1 else self
        return Partition.of(self.labels * np.int64(max(other.count, 1)) + other.labels)

    def meet(self, other: Partition) -> Partition:
        """Return the finest common coarsening: what is common knowledge between the two.

        Two states are together when a chain of blocks of either partition links them.
        O(states log states).
        """
        _same_states(self, other)
        leader = list(range(self.count + other.count))

        def find(k: int) -> int:
            while leader[k] != k:
                leader[k] = leader[leader[k]]
                k = leader[k]
            return k

        for a, b in zip(self.labels.tolist(), other.labels.tolist(), strict=True):
            leader[find(a)] = find(self.count + b)
        return Partition.of([find(a) for a in self.labels.tolist()])

    def refines(self, other: Partition) -> bool:
        """Whether every block lies inside a block of ``other``: knowing this is knowing that."""
        return self.join(other).count == self.count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return bool(np.array_equal(self.labels, other.labels))

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    @printed_line
    def __str__(self) -> str:
        return " | ".join(" ".join(map(str, block)) for block in self.blocks)


@refusing
@dataclass(frozen=True, eq=False)
class Variable:
    """A random variable: a name and a value in every state.

    The values are any hashable things; ``values[b]`` is the value on block b of ``partition``.
    """

    name: str
    partition: Partition
    values: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        if not len(self.values) == len(set(self.values)) == self.partition.count:
            raise InvalidInputError(
                f"values of {self.name}",
                self.values,
                f"are not one for each of {self.partition.count} blocks",
                "use Variable.of",
            )

    @classmethod
    def of(cls, name: str, by_state: Sequence[Hashable] | np.ndarray) -> Variable:
        """Build a variable from its value in every state, in the order of the states."""
        plain = by_state.tolist() if isinstance(by_state, np.ndarray) else list(by_state)
        partition = Partition.of(by_state if isinstance(by_state, np.ndarray) else plain)
        return cls(name, partition, tuple(dict.fromkeys(plain)))

    @property
    def by_state(self) -> tuple[Hashable, ...]:
        """Value in every state."""
        return tuple(self.values[b] for b in self.partition.labels.tolist())

    def equals(self, value: Hashable) -> Event:
        """Return the event that the variable takes ``value``.

        Raises
        ------
        UnknownNameError
            When it takes that value in no state.
        """
        if value not in self.values:
            raise UnknownNameError(
                f"value of {self.name}", value, "is taken in no state", nearest(value, self.values)
            )
        return np.asarray(self.partition.labels == self.values.index(value))

    def __len__(self) -> int:
        return len(self.partition.labels)


@dataclass(frozen=True)
class Conditional:
    """A conditional expectation E[X | partition].

    It is determined on blocks of positive probability only; ``None`` stands for the others.
    """

    partition: Partition
    by_block: tuple[Scalar | None, ...]

    @property
    def by_state(self) -> tuple[Scalar | None, ...]:
        """The conditional expectation as a random variable."""
        return tuple(self.by_block[b] for b in self.partition.labels.tolist())


@refusing
@dataclass(frozen=True, eq=False)
class ProbabilitySpace:
    """Finitely many states with probabilities of at least zero that sum to one.

    Examples
    --------
    >>> space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    >>> space.expectation([4, 0])
    Fraction(1, 1)
    >>> str(space.condition_on(space.event(["rain"])).probabilities)
    'Exact([1, 0])'
    """

    states: Sequence[Hashable]
    probabilities: Numbers

    def __post_init__(self) -> None:
        p = self.probabilities
        instance_of("probabilities", p, Numbers, "use ProbabilitySpace.of")
        if not isinstance(self.states, range):
            read_tuple("states", self.states)
        if len(self.states) == 0:
            raise ProbabilityError("states", self.states, "is empty", "give at least one state")
        if p.shape != (len(self.states),):
            raise ShapeError(
                "probabilities",
                p.shape,
                f"does not fit {len(self.states)} states",
                "give one number a state",
            )
        if not isinstance(self.states, range):
            check_names("states", self.states)
        signs = p.signs()
        if (signs < 0).any():
            worst = int(np.argmax(signs < 0))
            raise ProbabilityError(
                f"probability of {self.states[worst]!r}",
                p[worst].item(),
                "is negative",
                "give a number of at least 0",
            )
        total = p.sum()
        if isinstance(p, Floats):
            if not abs(total.item() - 1) <= SUM_TOLERANCE:
                raise ProbabilityError(
                    "probabilities",
                    total.item(),
                    f"do not sum to one within {SUM_TOLERANCE}",
                    "divide them by their sum",
                )
            return
        try:
            sums_to_one = int((total - Exact.of(1)).signs()) == 0
        except UndecidedError:
            sums_to_one = isinstance(total, Balls) and bool(total.item().contains(1))
        if not sums_to_one:
            raise ProbabilityError(
                "probabilities",
                total.item(),
                "do not sum to one",
                'give exact numbers, such as "1/3", that do',
            )

    @classmethod
    def of(
        cls, probabilities: Mapping[Any, object] | Sequence[object] | np.ndarray | Numbers
    ) -> ProbabilitySpace:
        """Build a space from probabilities by state; without names the states are 0, 1, and so on.

        Raises
        ------
        ProbabilityError
            For a negative probability, a sum other than one, or no state at all.
        NumberError
            For NaN, infinity, or what is not a number.
        """
        if isinstance(probabilities, Mapping):
            return cls(tuple(probabilities), as_numbers([*probabilities.values()], "probabilities"))
        numbers = as_numbers(probabilities, "probabilities")
        return cls(range(len(numbers) if numbers.shape else 0), numbers)

    @classmethod
    def uniform(cls, states: int | Sequence[Hashable]) -> ProbabilitySpace:
        """Return the space on which all states are equally likely, exactly."""
        names = range(states) if isinstance(states, int) else read_tuple("states", states)
        if len(names) == 0:
            raise ProbabilityError("states", states, "is empty", "give at least one state")
        return cls(names, Exact(np.ones(len(names), dtype=np.int64), len(names)))

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def support(self) -> Event:
        """The event of all states with positive probability."""
        return np.asarray(self.probabilities.signs() > 0)

    def variable(
        self, name: str, values: Mapping[Any, Hashable] | Callable[[Any], Hashable]
    ) -> Variable:
        """Build a variable from its values by state, or from a function of the state."""
        if callable(values):
            return Variable.of(name, [values(state) for state in self.states])
        return Variable.of(name, self.in_order(values, f"variable {name}"))

    def in_order(self, by_state: Mapping[Any, T], argument: str) -> list[T]:
        """Return what is given by state in the order of the states.

        Raises
        ------
        UnknownNameError
            When something is given for what is not a state.
        ShapeError
            When nothing is given for a state.
        """
        self._check_known(argument, by_state)
        for state in self.states:
            if state not in by_state:
                raise ShapeError(argument, state, "lacks a state", "give every state a value")
        return [by_state[state] for state in self.states]

    def event(self, states: Iterable[Hashable]) -> Event:
        """Return the event that consists of ``states``."""
        return self._name_values("event", read_tuple("event", states, "give a list of states"))

    def event_of(self, given: Event | Iterable[Hashable], argument: str = "event") -> Event:
        """Return an event that is given by the names of its states or as truth values.

        Raises
        ------
        UnknownNameError
            For a name that is no state's; the nearest one is suggested.
        ShapeError, InvalidInputError
            For an array that has no truth value for each state, or a bare text.
        """
        if isinstance(given, np.ndarray):
            check_event(argument, given, len(self))
            return given
        names = read_tuple(argument, given, "give a list of states, or an array of truth values")
        marks = {bool, np.bool_}
        if (
            names
            and marks.issuperset(map(type, names))
            and marks.isdisjoint(map(type, self.states))
        ):
            raise InvalidInputError(
                argument, given, "is not an array of truth values", "use np.array, or name states"
            )
        return self._name_values(argument, names)

    def exact(self) -> ProbabilitySpace:
        """Return the space with each float64 probability read as the rational that it is.

        Their sum, which float64 only has to have within :data:`SUM_TOLERANCE` of one, is divided
        out, so that the ratios of all probabilities stay what they are. A space of any other kind
        of number comes back as it is.

        Examples
        --------
        >>> ProbabilitySpace.of([0.25, 0.75]).exact().probabilities
        Exact([1/4, 3/4])
        """
        if not isinstance(self.probabilities, Floats):
            return self
        each = self.probabilities.exact()
        return ProbabilitySpace(self.states, each / each.sum())

    def probability(self, event: Event) -> Scalar:
        """P(event)."""
        check_event("event", event, len(self))
        return self.probabilities[event].sum().item()

    def condition_on(self, event: Event) -> ProbabilitySpace:
        """Return the space conditioned on ``event``: same states, P(w | event).

        Raises
        ------
        NullEventError
            When the event has probability zero.
        """
        check_event("event", event, len(self))
        floats = isinstance(self.probabilities, Floats)
        inside = self.probabilities * (Floats(event.astype(np.float64)) if floats else Exact(event))
        mass = inside.sum()
        if int(mass.signs()) == 0:
            names = [self.states[int(w)] for w in np.flatnonzero(event)[:4]]
            raise NullEventError(
                "event", names, "has probability zero", "condition on an event that can occur"
            )
        return ProbabilitySpace(self.states, inside / mass)

    def expectation(self, x: object) -> Scalar:
        """E[X], for X given by its value in every state."""
        return (self.probabilities * self._read_values(x)).sum().item()

    def conditional_expectation(self, x: object, partition: Partition) -> Conditional:
        """E[X | partition], block by block."""
        check_states("partition", partition.labels.shape, len(self))
        p = self.probabilities
        masses = p.block_sums(partition.labels, partition.count)
        sums = (p * self._read_values(x)).block_sums(partition.labels, partition.count)
        possible = masses.signs() > 0
        means = iter(sums[possible].ratios(masses[possible]))
        return Conditional(partition, tuple(next(means) if b else None for b in possible))

    def _read_values(self, x: object) -> Numbers:
        numbers = as_numbers(x, "x")
        check_states("x", numbers.shape, len(self))
        return numbers

    def _name_values(self, argument: str, names: tuple[Hashable, ...]) -> Event:
        self._check_known(argument, names)
        wanted = set(names)
        return np.array([state in wanted for state in self.states], dtype=bool)

    def _check_known(self, argument: str, names: Iterable[Any]) -> None:
        states = set(self.states)
        for name in names:
            if not isinstance(name, Hashable) or name not in states:
                raise UnknownNameError(argument, name, "is not a state", nearest(name, self.states))


def check_states(argument: str, shape: tuple[int, ...], states: int) -> None:
    """Refuse an array that does not have one entry a state."""
    if shape != (states,):
        raise ShapeError(argument, shape, f"does not fit {states} states", "give one entry a state")


def check_event(argument: str, event: object, states: int) -> None:
    """Refuse what is not a truth value for every state."""
    if not isinstance(event, np.ndarray) or event.dtype != np.bool_:
        raise InvalidInputError(
            argument, event, "is not an array of truth values", "use ProbabilitySpace.event"
        )
    check_states(argument, event.shape, states)


def check_names(argument: str, names: Sequence[Hashable]) -> None:
    """Refuse names that cannot be told from each other."""
    if _number_labels(names)[1] < len(names):
        raise InvalidInputError(argument, names, "has a name twice", "name each once")


def _number_labels(labels: Iterable[Hashable]) -> tuple[list[int], int]:
    """Return the number of each label, in order of first appearance, and how many there are."""
    numbers: dict[Hashable, int] = {}
    try:
        codes = [numbers.setdefault(label, len(numbers)) for label in labels]
    except TypeError:
        raise InvalidInputError(
            "labels", labels, "are not all hashable", "use numbers, text or tuples"
        ) from None
    if any(isinstance(label, (float, np.floating)) and np.isnan(label) for label in numbers):
        raise InvalidInputError(
            "labels", labels, "hold NaN, which does not equal itself", "give it a name"
        )
    return codes, len(numbers)


def _same_states(a: Partition, b: Partition) -> None:
    if len(a.labels) != len(b.labels):
        raise ShapeError(
            "partition", len(b.labels), f"is not over {len(a.labels)} states", "use the same states"
        )
