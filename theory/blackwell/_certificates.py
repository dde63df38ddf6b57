"""What proves that one experiment is, or is not, at least as informative as another.

Neither can be built wrong: each is recomputed from the definitions as it is made.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from theory.blackwell._experiment import Experiment
from theory.blackwell._prior import full_support
from theory.blackwell._recheck import garbling_residual, value
from theory.decision import DecisionProblem
from theory.errors import ShapeError
from theory.linear import CertificateError
from theory.numbers.reading import require_exact
from theory.probability import ProbabilitySpace
from theory.shared.arguments import refusing
from theory.verdicts import Table

__all__ = ["Garbling", "Separation"]

Rows = tuple[tuple[Fraction, ...], ...]


@refusing
@dataclass(frozen=True, slots=True, kw_only=True)
class Garbling:
    """A row-stochastic matrix G with A G = B: experiment a is at least as informative as b.

    Attributes
    ----------
    a, b : Experiment
        Over the same states in the same order.
    matrix : signals of a by signals of b
        The law of b's signal after each signal of a.
    gap : Fraction
        The largest error in A G = B and in the laws, recomputed; always 0.

    Raises
    ------
    CertificateError
        When the gap is not 0.
    NumberError
        For entries that are no exact numbers.
    """

    a: Experiment
    b: Experiment
    matrix: Rows
    gap: Fraction = field(init=False)

    def __post_init__(self) -> None:
        _same_states(self.a, self.b)
        _fits("matrix", self.matrix, len(self.a.signals), len(self.b.signals))
        gap = garbling_residual(self.a.rows, self.b.rows, self.matrix)
        if gap:
            raise CertificateError(f"the matrix is no garbling of a into b: off by {gap}")
        object.__setattr__(self, "gap", gap)

    @property
    def holds(self) -> Literal[True]:
        """Whether a is at least as informative as b: yes."""
        return True

    def tables(self, a: str = "A", b: str = "B") -> tuple[Table, ...]:
        """Return the certificate as a table, with names for the two experiments."""
        return (
            Table(
                caption=f"{a} is at least as informative as {b}: "
                f"P(signal of {b} | signal of {a}) gives {b}",
                columns=("", *map(str, self.b.signals)),
                rows=tuple(
                    (str(signal), *map(str, row))
                    for signal, row in zip(self.a.signals, self.matrix, strict=True)
                ),
            ),
        )

    def __str__(self) -> str:
        return str(self.tables()[0])

    def _repr_html_(self) -> str:
        return self.tables()[0]._repr_html_()


@refusing
@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """A decision problem on which b is worth strictly more: a is not at least as informative.

    Attributes
    ----------
    a, b : Experiment
        Over the same states in the same order.
    prior : tuple of Fraction, one a state
        All positive.
    actions : tuple
        Signals of b: each names what it recommends. Of those that recommend the same, the first.
    utilities : actions by states
        Integers without a common divisor, unless built by hand.
    value_a, value_b, difference : Fraction
        The ex-ante values Σ_s max_x Σ_w prior[w] P(s | w) utilities[x, w] of a and b, and the
        second less the first; recomputed, always positive.

    Raises
    ------
    CertificateError
        When the difference is not positive.
    NumberError
        For utilities or a prior that are no exact numbers.
    """

    a: Experiment
    b: Experiment
    prior: tuple[Fraction, ...]
    actions: tuple[Hashable, ...]
    utilities: Rows
    value_a: Fraction = field(init=False)
    value_b: Fraction = field(init=False)
    difference: Fraction = field(init=False)

    def __post_init__(self) -> None:
        _same_states(self.a, self.b)
        full_support(self.a.states, self.prior)
        for number in self.prior:
            require_exact(number, "prior")
        _fits("utilities", self.utilities, len(self.actions), len(self.a.states))
        value_a = value(self.a.rows, self.prior, self.utilities)
        value_b = value(self.b.rows, self.prior, self.utilities)
        if value_b <= value_a:
            raise CertificateError(f"b is not worth more than a: {value_b} against {value_a}")
        for name, number in (("value_a", value_a), ("value_b", value_b)):
            object.__setattr__(self, name, number)
        object.__setattr__(self, "difference", value_b - value_a)

    @property
    def holds(self) -> Literal[False]:
        """Whether a is at least as informative as b: no."""
        return False

    @property
    def problem(self) -> DecisionProblem:
        """The decision problem, for :mod:`theory.decision`."""
        space = ProbabilitySpace.of(dict(zip(self.a.states, self.prior, strict=True)))
        return DecisionProblem.of(space, dict(zip(self.actions, self.utilities, strict=True)))

    def tables(self, a: str = "A", b: str = "B") -> tuple[Table, ...]:
        """Return the decision problem and both values, with names for the two experiments."""
        values = ((a, self.value_a), (b, self.value_b), (f"{b} less {a}", self.difference))
        return (
            Table(
                caption=f"{a} is not at least as informative as {b}: {b} is worth more where an "
                "action pays",
                columns=("", *map(str, self.a.states)),
                rows=(
                    ("prior", *map(str, self.prior)),
                    *(
                        (f"action {action}", *map(str, row))
                        for action, row in zip(self.actions, self.utilities, strict=True)
                    ),
                ),
            ),
            Table(
                caption="Value before the signal is seen",
                columns=("experiment", "value"),
                rows=tuple((name, str(number)) for name, number in values),
            ),
        )

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables())


def _same_states(a: Experiment, b: Experiment) -> None:
    if a.states != b.states:
        raise ShapeError("b", b.states, f"is not over {a.states}", "reorder the states")


def _fits(name: str, table: Rows, rows: int, columns: int) -> None:
    plain = type(table) is tuple and all(type(row) is tuple for row in table)  # the same each time
    if not plain or len(table) != rows or any(len(row) != columns for row in table):
        raise ShapeError(name, table, "has the wrong shape", f"give {rows} rows of {columns}")
    for number in (each for row in table for each in row):
        require_exact(number, name)
