"""A list of properties that were checked, each with what was found of it."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from theory.errors import UnknownNameError, nearest
from theory.shared.printable import escape, print_safely, printable
from theory.verdicts import Scope, Status, Strength, Table

__all__ = ["Checklist", "PropertyChecked", "describe_exception", "look_up_name", "write_short"]

W = TypeVar("W")
K = TypeVar("K")


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChecked(Generic[W]):
    """What was found of one property; there is a witness where it is refuted."""

    property: str
    status: Status
    strength: Strength
    scope: Scope
    reason: str
    witness: W | None = None

    @print_safely
    def __str__(self) -> str:
        head = f"{self.property}: {self.status} ({self.strength}; {self.scope})"
        shown = [] if self.witness is None else [str(self.witness)]
        return "\n".join([head, printable(self.reason), *shown])


@dataclass(frozen=True)
class Checklist(Generic[W]):
    """The findings, in the order of the check.

    Attributes
    ----------
    findings : tuple of PropertyChecked
        ``report["name"]`` is the finding of that name.
    faults : tuple of str
        What could not be judged, and why.
    """

    findings: tuple[PropertyChecked[W], ...]
    faults: tuple[str, ...]

    def __getitem__(self, name: str) -> PropertyChecked[W]:
        """Return the finding of one property.

        Raises
        ------
        UnknownNameError
            For a property that was not checked.
        """
        found = {finding.property: finding for finding in self.findings}
        return look_up_name(found, name, "property")

    @property
    def refuted(self) -> tuple[str, ...]:
        """The names of the properties that are refuted."""
        return tuple(f.property for f in self.findings if f.status == Status.REFUTED)

    @property
    def witness(self) -> W | None:
        """The first witness, or None where nothing is refuted."""
        return next((f.witness for f in self.findings if f.witness is not None), None)

    def table(self) -> Table:
        """Return the findings, a row a property."""
        refuted = ", ".join(self.refuted)
        return Table(
            caption=f"refuted: {refuted}" if refuted else "nothing is refuted",
            columns=("property", "status", "strength", "scope"),
            rows=tuple(
                (f.property, str(f.status), str(f.strength), str(f.scope)) for f in self.findings
            ),
        )

    def details(self) -> tuple[str, ...]:
        """Return what is to be said beyond the table: reasons, witnesses, faults."""
        told = (f for f in self.findings if f.status != Status.HOLDS)
        reasons = (
            "\n".join([f"{f.property}: {f.reason}", *([str(f.witness)] if f.witness else [])])
            for f in told
        )
        return (*reasons, *(f"not judged: {fault}" for fault in self.faults))

    def __str__(self) -> str:
        return "\n\n".join([str(self.table()), *self.details()])

    def _repr_html_(self) -> str:
        details = "".join(f"<pre>{escape(each)}</pre>" for each in self.details())
        return self.table()._repr_html_() + details


def look_up_name(known: Mapping[str, K], name: str, argument: str) -> K:
    """Return what bears a name.

    Raises
    ------
    UnknownNameError
        When nothing does.
    """
    if name not in known:
        raise UnknownNameError(argument, name, "is not known", nearest(name, known))
    return known[name]


def describe_exception(error: BaseException) -> str:
    """Say what was raised."""
    return f"raised {type(error).__name__}: {_write_safely(error, str)}"


def write_short(value: object) -> str:
    """Write a value in a line."""
    return _write_safely(value, _SHORT.repr)


def _write_safely(value: object, write: Callable[[object], str]) -> str:
    try:
        return write(value)
    except Exception:
        return f"a {type(value).__name__} that cannot be shown"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80
