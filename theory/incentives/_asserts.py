"""Checks that raise AssertionError, for tests in any framework or none."""

from __future__ import annotations

from typing import Any

from theory.incentives._battery import check_mechanism
from theory.incentives._report import MechanismReport, PropertyFinding
from theory.verdicts import Status

__all__ = ["assert_dsic", "assert_mechanism"]


def assert_mechanism(mechanism: Any, **arguments: Any) -> MechanismReport:
    """Check a mechanism and raise where something is not as expected.

    The arguments are those of :func:`check_mechanism`; ``expected_failures`` names the properties
    that must fail, each with the reason.

    Returns
    -------
    MechanismReport

    Raises
    ------
    AssertionError
        Where a property fails that was not expected to, one does not fail that was expected to,
        one is within the tolerance of floats, one that was named says nothing of this mechanism,
        or a profile could not be judged. The message tells the witnesses.
    """
    report = check_mechanism(mechanism, **arguments)
    complaints = _complaints(report)
    if arguments.get("properties") is not None:
        complaints += [str(f) for f in report.findings if f.status is Status.VACUOUS]
    if complaints:
        raise AssertionError("\n\n".join(complaints))
    return report


def assert_dsic(mechanism: Any, **arguments: Any) -> PropertyFinding:
    """Check that truth-telling is a dominant strategy, and raise where it is not.

    The arguments are those of :func:`check_mechanism`, without ``properties``.

    Raises
    ------
    AssertionError
        With the smallest lie that pays.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes
    >>> assert_dsic(lambda bids: (0, [1, 0]), types=FiniteTypes([0, 2]), agents=2).slack
    Fraction(0, 1)
    """
    return assert_mechanism(mechanism, properties=["dsic"], **arguments)["dsic"]


def _complaints(report: MechanismReport) -> list[str]:
    parts = []
    for finding in report.unexpected:
        if finding.expected:
            what = f"{finding.property} was expected to fail ({finding.expected}), but it does not"
            parts.append(f"{report.mechanism}: {what}\n{finding}")
        else:
            parts.append(f"{report.mechanism} ({report.about})\n{finding}")
    faults = report.unexpected_faults
    return [*parts, *(f"{report.mechanism} could not be judged {fault}" for fault in faults[:5])]
