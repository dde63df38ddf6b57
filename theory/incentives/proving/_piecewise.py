"""A mechanism as its author declares it: piecewise linear, or what else terms can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, ShapeError
from theory.incentives._outcome import Outcome
from theory.incentives._reading import show
from theory.incentives._record import Fault, read
from theory.incentives.proving._comparison_points import Finder, border_point, mixed_points
from theory.incentives.proving._symbolic_cases import MAX_CONDITIONS
from theory.incentives.proving._trace_failure import Untraced, untraced_by
from theory.incentives.proving._type_forms import list_forms
from theory.incentives.setting import Setting
from theory.numbers import rational
from theory.proofs import Obligation, Path, Tracer
from theory.shared.arguments import instance_of

__all__ = ["Piece", "Piecewise", "agreeing_profiles"]

_MIXED: Final = 512
_CHOICES: Final = 64
"""The most choices of listed types at which a form is compared with the code."""

Row = Sequence[Any]


@dataclass(frozen=True)
class Piece:
    """Reports of one kind, and their outcome.

    A row of coefficients is one a report and a constant last: ``(1, -1, 0)`` is r_0 - r_1.

    Attributes
    ----------
    when : callable, or sequence of rows
        Whether the piece is about these reports; all rows are at least 0.
    allocation : object, or callable
        The allocation, or a function of the reports.
    payments : callable, or sequence of numbers and rows
        What each agent pays, or a function of the reports.

    Raises
    ------
    InvalidInputError
        Where ``when`` is neither a function nor rows, or payments are neither a function nor
        numbers and rows.
    """

    when: Callable[[Sequence[Any]], bool] | Sequence[Row]
    allocation: Any
    payments: Callable[[Sequence[Any]], Sequence[Any]] | Sequence[Any]

    def __post_init__(self) -> None:
        fix = "give a function of the reports, or a list of rows such as [(1, -1, 0)]"
        if not callable(self.when):
            for row in _entries("when", self.when, fix):
                for coefficient in _entries("when", row, fix):
                    rational(coefficient, "when")
        fix = "give a function of the reports, or a list with a number or a row for each agent"
        if not callable(self.payments):
            for paid in _entries("payments", self.payments, fix):
                for number in paid if isinstance(paid, tuple | list) else [paid]:
                    rational(number, "payments")

    def fits(self, reports: Sequence[Any]) -> bool:
        """Whether the piece is about these reports."""
        if callable(self.when):
            return bool(self.when(reports))
        return all(_value(row, reports) >= 0 for row in self.when)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the outcome of these reports."""
        allocation = self.allocation(reports) if callable(self.allocation) else self.allocation
        if callable(self.payments):
            return Outcome(allocation, tuple(self.payments(reports)))
        paid = (
            _value(p, reports) if isinstance(p, tuple | list) else rational(p, "payments")
            for p in self.payments
        )
        return Outcome(allocation, tuple(paid))


class Piecewise:
    """The declared form of a mechanism: the first piece that fits tells the outcome.

    A proof of the form is a proof of the mechanism only where the two are the same. So they are
    compared, exactly, inside every piece, on the borders between pieces and at many ties.

    Parameters
    ----------
    pieces : sequence of Piece
        In this order; together they cover all reports.

    Raises
    ------
    InvalidInputError
        Where there are no pieces, or what is given is none.

    Examples
    --------
    >>> form = Piecewise([
    ...     Piece(when=[(1, -2)], allocation=0, payments=[2]),
    ...     Piece(when=lambda reports: True, allocation=None, payments=[0]),
    ... ])
    >>> form.outcome([3])
    Outcome(allocation=0, payments=(Fraction(2, 1),))
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        fix = "give a list of Piece(when, allocation, payments)"
        if not issubclass(type(pieces), list | tuple) or not pieces:
            raise InvalidInputError("pieces", pieces, "are no list of pieces", fix)
        for piece in pieces:
            instance_of("pieces", piece, Piece, fix)
        self.pieces = tuple(pieces)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return what the first piece that fits says.

        Raises
        ------
        InvalidInputError
            Where no piece fits.
        """
        piece: Piece
        for piece in self.pieces:
            if piece.fits(reports):
                return piece.outcome(reports)
        fix = "let the pieces cover all reports; a last one may fit all"
        raise InvalidInputError("pieces", tuple(reports), "cover no such reports", fix)

    def __repr__(self) -> str:
        return f"a form of {len(self.pieces)} pieces"


def agreeing_profiles(form: Piecewise, setting: Setting, finder: Finder) -> int:
    """Return at how many profiles a form and the mechanism were compared, and agree.

    Raises
    ------
    Untraced
        Where they differ, a piece has no known point, or the form cannot be followed over symbols.
    """
    concrete, compared = setting.fresh(), 0
    generator = np.random.default_rng(setting.seed)
    sides = [list_forms(space, f"t{i}") for i, space in enumerate(setting.spaces)]
    for chosen in islice(product(*sides), _CHOICES):
        names = tuple(name for each in chosen for name in each.names)
        if not names:
            raise Untraced("there is no real number among the types")
        tracer = Tracer(real=names, prune=True, foreign=True, conditions=MAX_CONDITIONS)
        for each in chosen:
            for bound in each.bounds(tracer.__getitem__):
                tracer.assume(bound)
        reports = tuple(each.build(tracer.__getitem__) for each in chosen)

        def run(reports: tuple[Any, ...] = reports) -> list[Fraction]:
            form.outcome(reports)
            return [Fraction(0)]

        try:
            paths = [(p, o) for p, o in tracer.yield_obligations(run) if p is not None]
        except Exception as error:  # a user's functions
            raise untraced_by(error) from error
        for at in _points(names, paths, generator, finder):
            _require_same(form, concrete, tuple(each.build(at.__getitem__) for each in chosen))
            compared += 1
    return compared


def _points(
    names: Sequence[str],
    paths: Sequence[tuple[Path, Obligation]],
    generator: np.random.Generator,
    finder: Finder,
) -> Iterator[dict[str, Fraction]]:
    first, obligation = paths[0]
    given = obligation.assumed[: len(obligation.assumed) - len(first.conditions)]
    yield from mixed_points(names, given, [path for path, _ in paths], _MIXED, generator)
    for _, path in paths:
        for at in (finder.inside(path.assumed, names), border_point(path.assumed, names)):
            if at is not None:
                yield at


def _require_same(form: Piecewise, setting: Setting, reports: tuple[Any, ...]) -> None:
    found = setting.call(reports)
    declared = read(reports, form.outcome(reports))
    if isinstance(found, Fault) or isinstance(declared, Fault):
        fault = found if isinstance(found, Fault) else declared
        raise Untraced(f"the declared form and the code cannot be compared {fault}")
    if (found.support, found.payments) != (declared.support, declared.payments):
        raise Untraced(
            f"the declared form differs from the code at reports {show(reports)}: the form has "
            f"{declared}, the code {found}"
        )


def _entries(argument: str, given: Any, fix: str) -> Sequence[Any]:
    if not issubclass(type(given), tuple | list):
        raise InvalidInputError(argument, given, "is neither a function nor a list", fix)
    entries: Sequence[Any] = given
    return entries


def _value(row: Row, reports: Sequence[Any]) -> Any:
    if len(row) != len(reports) + 1:
        problem = f"has {len(row)} coefficients for {len(reports)} reports"
        fix = "give one a report, and a constant last"
        raise ShapeError("pieces", row, problem, fix)
    total: Any = rational(row[-1], "pieces")
    for coefficient, report in zip(row, reports, strict=False):
        total = total + rational(coefficient, "pieces") * report
    return total
