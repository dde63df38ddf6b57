"""Checks that raise AssertionError, for tests in any framework or none."""

from __future__ import annotations

from typing import Any

from theory.errors import InvalidInputError
from theory.incentives._arguments import (
    at_least_zero,
    fitting_instance,
    make_setting,
    select_properties,
)
from theory.incentives._battery import check_mechanism
from theory.incentives._report import MechanismReport, PropertyFinding
from theory.incentives.witness import TOLERANCE, replay_instance
from theory.shared.arguments import refusing
from theory.verdicts import Status

__all__ = ["assert_dsic", "assert_holds_at", "assert_mechanism"]


@refusing
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
    __tracebackhide__ = True
    report = check_mechanism(mechanism, **arguments)
    complaints = _complaints(report)
    if arguments.get("properties") is not None:
        complaints += [str(f) for f in report.findings if f.status is Status.VACUOUS]
    if complaints:
        raise AssertionError("\n\n".join(complaints))
    return report


@refusing
def assert_dsic(mechanism: Any, **arguments: Any) -> PropertyFinding:
    """Check that truth-telling is a dominant strategy, and raise where it is not.

    The arguments are those of :func:`check_mechanism`, without ``properties``.

    Raises
    ------
    AssertionError
        With the smallest lie that pays.
    InvalidInputError
        For arguments that cannot be used, ``properties`` among them.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes
    >>> assert_dsic(lambda bids: (0, [1, 0]), types=FiniteTypes([0, 2]), agents=2).slack
    Fraction(0, 1)
    """
    __tracebackhide__ = True
    if "properties" in arguments:
        fix = "leave it out, or call assert_mechanism"
        problem = "is not asked for: assert_dsic checks dsic alone"
        raise InvalidInputError("properties", arguments["properties"], problem, fix)
    return assert_mechanism(mechanism, properties=["dsic"], **arguments)["dsic"]


@refusing
def assert_holds_at(
    mechanism: Any,
    property: str,
    instance: Any,
    *,
    types: Any,
    agents: Any = None,
    values: Any = None,
    prior: Any = None,
    epsilon: Any = 0,
    feasible: Any = None,
    alternatives: Any = None,
    value_of_names: Any = None,
    seed: Any = 0,
    tolerance: Any = TOLERANCE,
) -> None:
    """Check one property at one instance, such as that of a witness, and raise where it fails.

    What fails is what :func:`check_mechanism` refutes: a slack below 0, or, where floats came in,
    below minus the tolerance times the largest number seen. An instance that does not meet the
    hypotheses passes. The arguments are those of :func:`check_mechanism`.

    Raises
    ------
    AssertionError
        With what goes wrong there.
    InvalidInputError
        For arguments that cannot be used, an instance that is none of the property's, or where
        the mechanism cannot be judged there.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes, Instance
    >>> lie = Instance(profile=(2, 1), agents=(0,), lies=(1,))
    >>> bids = FiniteTypes(range(3))
    >>> assert_holds_at(lambda bids: (0, [1, 0]), "dsic", lie, types=bids, agents=2)
    >>> assert_holds_at(lambda bids: (0, bids), "dsic", lie, types=bids, agents=2)
    Traceback (most recent call last):
    AssertionError: dsic fails: agent 0 of type 2 gains 1 by reporting 1 when agent 1 reports 1
    """
    __tracebackhide__ = True
    setting = make_setting(
        mechanism,
        types=types,
        agents=agents,
        values=values,
        prior=prior,
        epsilon=epsilon,
        feasible=feasible,
        alternatives=alternatives,
        value_of_names=value_of_names,
        seed=seed,
    )
    (prop,) = select_properties([property])
    where = fitting_instance(prop, setting, instance)
    replay = replay_instance(prop, setting, where, at_least_zero(tolerance, "tolerance"))
    if replay.fails:
        raise AssertionError(f"{prop.name} fails: {replay.story}")


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
