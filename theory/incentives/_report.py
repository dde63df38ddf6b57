"""What a check found: one finding a property, and what could not be judged."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from fractions import Fraction

from theory.errors import UnknownNameError, nearest
from theory.incentives.setting import Fault
from theory.incentives.table import Slacks
from theory.incentives.witness import Witness
from theory.proofs import Proof
from theory.shared.printable import escape, print_safely, printable
from theory.verdicts import Scope, Status, Strength, Table

__all__ = ["MechanismReport", "PropertyFinding"]

_SHOWN_FAULTS = 5


@dataclass(frozen=True, kw_only=True)
class PropertyFinding:
    """What is known of one property of a mechanism.

    Attributes
    ----------
    property, statement : str
        Its name, and what it says in mathematics.
    status, strength, scope
        Is it true, how is that known, of what; see ``docs/findings.md``.
    reason : str
        The status in words.
    slack : Fraction or None
        The least slack seen; minus the largest gain from a lie, for instance.
    witness : Witness or None
        The smallest counterexample where the status is refuted.
    slacks : Slacks or None
        The table of slacks over finite types, where it was computed whole.
    gap : Fraction
        The most by which code that shares nothing with the method disagrees with it.
    rechecked : str
        What that code looked at.
    tolerance : Fraction
        A negative slack down to minus this is ambiguous; 0 where all numbers were exact.
    expected : str
        Why the property was expected to fail; empty where it was not.
    proof : Proof or None
        Where the strength is proved: what a solver showed, to be written out and checked again.
    seconds : float
        What it took; no part of comparisons.
    """

    property: str
    statement: str
    status: Status
    strength: Strength
    scope: Scope
    reason: str
    slack: Fraction | None = None
    witness: Witness | None = None
    slacks: Slacks | None = field(default=None, repr=False, compare=False)
    gap: Fraction = Fraction(0)
    rechecked: str = ""
    tolerance: Fraction = Fraction(0)
    expected: str = ""
    proof: Proof | None = field(default=None, repr=False, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @builtins.property
    def as_expected(self) -> bool:
        """Whether it fails where it was expected to, and holds or says nothing elsewhere."""
        if self.expected:
            return self.status is Status.REFUTED
        return self.status in {Status.HOLDS, Status.VACUOUS}

    @print_safely
    def __str__(self) -> str:
        parts = [f"{self.property}: {self.status} ({self.strength}; {self.scope})"]
        parts.append(printable(self.reason))
        if self.witness is not None:
            parts.append(str(self.witness))
        elif self.slack is not None:
            parts.append(f"least slack {_number(self.slack)}")
        if self.rechecked:
            parts.append(f"rechecked: {self.rechecked}, gap {_number(self.gap)}")
        if self.tolerance:
            parts.append(f"tolerance for floats: {_number(self.tolerance)}")
        if self.expected:
            parts.append(f"expected to fail: {printable(self.expected)}")
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(line)}</p>" for line in str(self).split("\n")[:2])
        return lines + (self.witness._repr_html_() if self.witness else "")


@dataclass(frozen=True)
class MechanismReport:
    """All findings on one mechanism.

    Attributes
    ----------
    mechanism : str
        What it is called.
    about : str
        Agents and types.
    findings : tuple of PropertyFinding
        In the order of the battery.
    faults : tuple of Fault
        Profiles at which the mechanism could not be judged, and why.
    seconds : float
        What everything took, running the mechanism included; no part of comparisons.
    """

    mechanism: str
    about: str
    findings: tuple[PropertyFinding, ...]
    faults: tuple[Fault, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def __getitem__(self, name: str) -> PropertyFinding:
        for finding in self.findings:
            if finding.property == name:
                return finding
        known = [finding.property for finding in self.findings]
        raise UnknownNameError("property", name, "was not checked", nearest(name, known))

    @property
    def refuted(self) -> tuple[str, ...]:
        """The names of the properties that fail."""
        return tuple(f.property for f in self.findings if f.status is Status.REFUTED)

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The smallest counterexample to each property that fails."""
        return tuple(f.witness for f in self.findings if f.witness is not None)

    @property
    def witness(self) -> Witness | None:
        """The first of the witnesses; None where nothing fails."""
        return next(iter(self.witnesses), None)

    @property
    def unexpected(self) -> tuple[PropertyFinding, ...]:
        """Findings that fail unexpectedly, or do not fail though they were expected to."""
        return tuple(f for f in self.findings if not f.as_expected)

    @property
    def unexpected_faults(self) -> tuple[Fault, ...]:
        """Faults, but for randomness where ``deterministic`` was expected to fail."""
        moody = any(f.property == "deterministic" and f.expected for f in self.findings)
        return tuple(f for f in self.faults if not (moody and f.random))

    @property
    def ok(self) -> bool:
        """Whether everything is as expected and every profile could be judged."""
        return not self.unexpected and not self.unexpected_faults

    @print_safely
    def __str__(self) -> str:
        head = printable(f"{self.mechanism}: {self.about} ({self.seconds:.2f} s)")
        parts = [head, str(self._table()).lstrip()]
        parts += [f"{w.property}: {w}" for w in self.witnesses]
        parts += self._fault_lines()
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<h4>{escape(self.mechanism)}: {escape(self.about)}</h4>"]
        parts += [self._table()._repr_html_()]
        parts += [f"<p><b>{w.property}</b></p>{w._repr_html_()}" for w in self.witnesses]
        parts += [f"<p>{escape(line)}</p>" for line in self._fault_lines()]
        return "".join(parts)

    def _table(self) -> Table:
        rows = tuple(
            (
                f.property,
                str(f.status) + _expectation(f),
                "" if f.status is Status.VACUOUS else str(f.strength),
                f"{f.scope.instances:,} {'all' if f.scope.exhausted else 'sampled'}",
                f"{f.seconds:.2f}",
                f.witness.story if f.witness else f.reason if _is_open(f) else "",
            )
            for f in self.findings
        )
        columns = ("property", "status", "strength", "scope", "seconds", "witness")
        return Table(caption="", columns=columns, rows=rows)

    def _fault_lines(self) -> list[str]:
        if not self.faults:
            return []
        lines = [f"{len(self.faults):,} could not be judged:"]
        lines += [f"  {fault}" for fault in self.faults[:_SHOWN_FAULTS]]
        if len(self.faults) > _SHOWN_FAULTS:
            lines.append(f"  and {len(self.faults) - _SHOWN_FAULTS:,} more in report.faults")
        return ["\n".join(lines)]


def _expectation(finding: PropertyFinding) -> str:
    if not finding.expected:
        return ""
    return ", as expected" if finding.as_expected else ", but expected to fail"


def _is_open(finding: PropertyFinding) -> bool:
    return finding.status in {Status.VACUOUS, Status.AMBIGUOUS}


def _number(value: Fraction) -> str:
    """Write a fraction; one with a long denominator, as floats have, as a decimal."""
    return str(value) if value.denominator < 10**9 else f"{float(value):.6g}"
