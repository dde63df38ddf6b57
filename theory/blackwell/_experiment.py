"""Experiments: signals whose law depends on the state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInputError, ProbabilityError, ShapeError
from theory.numbers import rational
from theory.numbers.reading import require_exact
from theory.probability import Partition
from theory.shared.arguments import refusing
from theory.verdicts import Table

__all__ = ["Experiment"]

Rows = tuple[tuple[Fraction, ...], ...]


@refusing
@dataclass(frozen=True, slots=True)
class Experiment:
    """P(signal | state): one row a state, one column a signal, in exact rationals.

    Build one with :meth:`of`, :meth:`deterministic`, :meth:`from_partition`, :meth:`full` or
    :meth:`null`.

    Raises
    ------
    ShapeError
        For no state, no signal, or a table that does not fit them.
    InvalidInputError
        For a name that occurs twice.
    ProbabilityError
        For a negative entry, or a row that does not sum to one.
    NumberError
        For entries that are no exact numbers.

    Examples
    --------
    >>> forecast = Experiment.of({"rain": ["3/4", "1/4"], "dry": [0, 1]}, signals=["wet", "fair"])
    >>> print(forecast)
    P(signal | state)
          wet  fair
    ────  ───  ────
    rain  3/4  1/4
    dry   0    1
    """

    states: tuple[Hashable, ...]
    signals: tuple[Hashable, ...]
    rows: Rows

    def __post_init__(self) -> None:
        for what, names in (("states", self.states), ("signals", self.signals)):
            if not names:
                raise ShapeError(what, names, "is empty", "give at least one")
            if len(set(names)) < len(names):
                raise InvalidInputError(what, names, "has a name twice", "give each its own name")
        if len(self.rows) != len(self.states):
            raise ShapeError("rows", len(self.rows), "does not fit the states", "give a row each")
        for state, row in zip(self.states, self.rows, strict=True):
            self._check(f"P(signal | {state})", row)

    def _check(self, name: str, row: tuple[Fraction, ...]) -> None:
        if len(row) != len(self.signals):
            raise ShapeError(name, row, "does not fit the signals", "give one number a signal")
        for number in row:
            require_exact(number, name)
        if min(row) < 0:
            raise ProbabilityError(name, min(row), "has a negative entry", "give 0 or more")
        if sum(row) != 1:
            raise ProbabilityError(name, sum(row), "does not sum to one", 'use e.g. "1/3"')

    @classmethod
    def of(
        cls,
        table: Mapping[Any, Sequence[object]] | Sequence[Sequence[object]],
        *,
        signals: Sequence[Hashable] | None = None,
    ) -> Experiment:
        """Read P(signal | state) from rows by state; names that are not given are 0, 1, and so on.

        Raises
        ------
        ExactnessError, NumberError
            For a float, or what is not a rational number; also what the class raises.
        """
        named = table if isinstance(table, Mapping) else dict(enumerate(table))
        rows = tuple(
            tuple(rational(p, f"P({k} | {state})") for k, p in enumerate(row))
            for state, row in named.items()
        )
        width = max(map(len, rows), default=0)
        return cls(tuple(named), tuple(range(width) if signals is None else signals), rows)

    @classmethod
    def deterministic(cls, shown: Mapping[Any, Hashable]) -> Experiment:
        """Return the experiment that shows the signal ``shown[w]`` in state w, for sure."""
        return cls._show_certainly(tuple(shown), tuple(shown.values()))

    @classmethod
    def from_partition(
        cls, partition: Partition, states: Iterable[Hashable] | None = None
    ) -> Experiment:
        """Return the experiment that shows the number of the block that holds the state."""
        labels = tuple(partition.labels.tolist())
        return cls._show_certainly(tuple(range(len(labels)) if states is None else states), labels)

    @classmethod
    def full(cls, states: Iterable[Hashable]) -> Experiment:
        """Return the experiment that shows the state."""
        names = tuple(states)
        return cls._show_certainly(names, names)

    @classmethod
    def null(cls, states: Iterable[Hashable]) -> Experiment:
        """Return the experiment that shows the same signal, 0, in every state."""
        names = tuple(states)
        return cls._show_certainly(names, (0,) * len(names))

    @classmethod
    def _show_certainly(
        cls, states: tuple[Hashable, ...], shown: tuple[Hashable, ...]
    ) -> Experiment:
        signals = tuple(dict.fromkeys(shown))
        rows = tuple(tuple(Fraction(s == signal) for s in signals) for signal in shown)
        return cls(states, signals, rows)

    def garble(
        self, garbling: Sequence[Sequence[object]], *, signals: Sequence[Hashable] | None = None
    ) -> Experiment:
        """Return the experiment that shows signal t with probability ``garbling[s][t]`` after s.

        Raises
        ------
        ShapeError
            When ``garbling`` does not have a row for each signal; also what :meth:`of` raises.
        """
        kernel = Experiment.of(garbling, signals=signals)
        if len(kernel.rows) != len(self.signals):
            raise ShapeError(
                "garbling", len(kernel.rows), "does not fit the signals", "give a row each"
            )
        columns = list(zip(*kernel.rows, strict=True))
        rows = tuple(tuple(_dot(row, column) for column in columns) for row in self.rows)
        return Experiment(self.states, kernel.signals, rows)

    def reorder(self, states: tuple[Hashable, ...]) -> Experiment:
        """Return the same experiment with its states in the given order.

        Raises
        ------
        ShapeError
            When those are not the same states; it names the ones that differ.
        """
        differing = set(self.states) ^ set(states)
        if differing:
            names = ", ".join(sorted(map(str, differing)))
            raise ShapeError(
                "states", self.states, f"differ in {names}", "compare over one set of states"
            )
        rows = dict(zip(self.states, self.rows, strict=True))
        return Experiment(states, self.signals, tuple(rows[state] for state in states))

    def _table(self) -> Table:
        return Table(
            caption="P(signal | state)",
            columns=("", *map(str, self.signals)),
            rows=tuple(
                (str(state), *map(str, row))
                for state, row in zip(self.states, self.rows, strict=True)
            ),
        )

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def _dot(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))
