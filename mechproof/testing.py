"""Tests of a mechanism, one a property, for pytest or for any program; and of a ledger's store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from mechproof.hidden_packages import refuse_hidden

refuse_hidden("theory")  # pytest may have put a folder with a theory.py before us

from mechproof.store_contract import check_entry_store  # noqa: E402
from theory.errors import InvalidInputError, UnknownNameError, nearest  # noqa: E402
from theory.incentives import (  # noqa: E402
    PROPERTIES,
    MechanismReport,
    assert_mechanism,
    check_mechanism,
)

__all__ = ["MechanismTests", "check_entry_store", "mechanism_tests"]


@dataclass(frozen=True, eq=False)
class MechanismTests:
    """What :func:`mechanism_tests` returns.

    Attributes
    ----------
    mechanism : object
        What is tested.
    properties : tuple of str or None
        The properties that were named; None for all that say something of the mechanism.
    expected_failures : mapping from name to reason
        Properties that must fail.
    arguments : mapping
        The other arguments of ``check_mechanism``.
    """

    mechanism: Any
    properties: tuple[str, ...] | None
    expected_failures: Mapping[str, str]
    arguments: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The properties that are tested."""
        return tuple(PROPERTIES) if self.properties is None else self.properties

    def check(self, name: str, witnesses: Iterable[str] = ()) -> MechanismReport:
        """Check one property, trying first the witnesses given, as lines of JSON."""
        reasons = {n: reason for n, reason in self.expected_failures.items() if n == name}
        known = (*witnesses, *self.arguments.get("witnesses", ()))
        arguments = {**self.arguments, "witnesses": known, "properties": [name]}
        return check_mechanism(self.mechanism, expected_failures=reasons, **arguments)

    def __call__(self) -> None:
        """Check all properties at once, and raise AssertionError where one is not as expected."""
        __tracebackhide__ = True
        assert_mechanism(
            self.mechanism,
            properties=self.properties,
            expected_failures=self.expected_failures,
            **self.arguments,
        )


def mechanism_tests(
    mechanism: Any,
    *,
    properties: Any = None,
    expected_failures: Any = None,
    **arguments: Any,
) -> MechanismTests:
    """Return tests of a mechanism.

    Where mechproof is installed, pytest collects what stands under any name in a test module as
    one test a property: ``test_auction[dsic]``, and so on. Without pytest, call it.

    Parameters
    ----------
    mechanism : Mechanism or callable
        What is tested.
    properties : iterable of str, optional
        Names from ``PROPERTIES``. By default all, and those that say nothing of the mechanism are
        skipped with the reason; one that is named here fails then.
    expected_failures : mapping from name to reason, optional
        Properties that must fail: they are reported as expected failures, with the reason. One
        that does not fail is a failure.
    **arguments
        Those of :func:`theory.incentives.check_mechanism`.

    Raises
    ------
    InvalidInputError
        For a name that is no property, an expected failure of a property that is not tested, or
        anything but a list of names and a mapping from names to reasons.
    TypeError
        For arguments that ``check_mechanism`` does not take, or lacks.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes
    >>> def posted_price(bids):
    ...     return (0, [2]) if bids[0] >= 2 else (None, [0])
    >>> test_posted_price = mechanism_tests(
    ...     posted_price, types=FiniteTypes(range(4)), agents=1, properties=["dsic", "feasible"]
    ... )
    >>> test_posted_price()
    """
    signature(check_mechanism).bind(mechanism, **arguments)
    if isinstance(properties, str) or not isinstance(properties, Iterable | None):
        fix = 'give a list of names, such as ["dsic"]'
        raise InvalidInputError("properties", properties, "are not a list of names", fix)
    if not isinstance(expected_failures, Mapping | None):
        fix = 'give the reason by name, as {"dsic": "bids are paid"}'
        raise InvalidInputError("expected_failures", expected_failures, "is not a mapping", fix)
    given = arguments.get("witnesses", ())
    if isinstance(given, str) or not isinstance(given, Iterable):
        fix = "give a list of witnesses, or of lines that Witness.to_json wrote"
        raise InvalidInputError("witnesses", given, "are not a list", fix)
    chosen = None if properties is None else tuple(properties)
    for name in chosen or ():
        if name not in PROPERTIES:
            fix = nearest(name, PROPERTIES)
            raise UnknownNameError("properties", name, "is no property", fix)
    tests = MechanismTests(mechanism, chosen, dict(expected_failures or {}), arguments)
    for name in tests.expected_failures:
        if name not in tests.names:
            fix = nearest(name, tests.names)
            raise UnknownNameError("expected_failures", name, "is not tested", fix)
    return tests
