"""What a user's code returns: values whose rules are known."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from itertools import islice
from math import isfinite
from types import FunctionType, MethodType
from typing import Any, Final

import numpy as np

from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._record import Record
from theory.incentives._values import ValueFunction
from theory.incentives.proving._allowed_code import PLAIN
from theory.incentives.proving._classes import (
    is_named_tuple,
)
from theory.incentives.proving._code_owner import is_of_a_library, is_trusted, words
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._trace_failure import Untraced
from theory.proofs import Polynomial, Term

__all__ = ["as_plain_data", "is_our_definition", "plain_allocation", "plain_number", "read_outcome"]


def is_our_definition(function: object) -> bool:
    """Whether a method is one of this library's definitions of values."""
    if type(function) is not MethodType or type(function.__func__) is not FunctionType:
        return False
    kind, name = type(function.__self__), function.__func__.__name__
    ours = (
        is_of_a_library(kind)
        and kind.__module__.startswith("theory.")
        and kind is not ValueFunction
    )
    known = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    return ours and known is function.__func__ and is_trusted(function.__func__)


def read_outcome(machine: Machine, returned: Any) -> Any:
    """Return an outcome with plain values in it; what is no outcome is left as it is.

    Raises
    ------
    Untraced
        Where something in it has rules that are not known.
    """
    kind = type(returned)
    if kind is Outcome:
        allocation, paid = returned.allocation, returned.payments
    elif kind in (tuple, list) and len(returned) == 2:
        allocation, paid = returned
    elif is_named_tuple(kind) and tuple.__len__(returned) == 2:
        machine.judge(returned)
        allocation, paid = tuple.__iter__(returned)
    elif _is_plain(returned) or kind in (tuple, list, dict):  # no outcome, which is said later
        return returned
    else:
        raise Untraced(f"returns a {kind.__name__}, whose rules no trace sees")
    return plain_allocation(machine, allocation), _payments(machine, paid)


def plain_number(machine: Machine, value: Any) -> Any:
    """Return a number, a term or a truth value; refuse what has rules of its own for being one."""
    kind = type(value)
    if _is_plain(value) or (issubclass(kind, np.number | np.bool_) and is_of_a_library(kind)):
        if kind is Fraction:
            machine.refuse_parts(value)
        return value
    if kind is np.ndarray and value.ndim == 0 and value.dtype.kind in "biufO":
        return plain_number(machine, value.item())
    raise Untraced(f"a function says a {kind.__name__}, whose rules no trace sees")


def as_plain_data(value: Any) -> Any:
    """Return a value of plain data, polynomials in the place of terms, to be compared."""
    kind = type(value)
    known = value.known if isinstance(value, Term) else value
    if isinstance(known, np.integer):
        known = int(known)
    if isinstance(known, int | Fraction) or (isinstance(known, float) and isfinite(known)):
        return Fraction(known)
    if isinstance(value, Term):
        return Polynomial.read(value.element.numer), Polynomial.read(value.element.denom)
    if kind is Record:
        return as_plain_data(value.support), as_plain_data(value.payments)
    if kind in (tuple, list):
        return tuple(map(as_plain_data, value))
    if _is_plain(value) or isinstance(value, Enum | np.generic):
        return kind, value
    slots = (name for base in kind.__mro__ for name in vars(base).get("__slots__", ()))
    parts = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    parts |= vars(value) if hasattr(value, "__dict__") else {}
    if parts or type(value) is object:
        return kind, tuple((name, as_plain_data(part)) for name, part in sorted(parts.items()))
    return kind, value


def _is_plain(value: Any) -> bool:
    return id(type(value)) in PLAIN or isinstance(value, Term)


_MOST: Final = 1 << 10
"""How many payments are read of an outcome, more than there may be agents."""


def _payments(machine: Machine, paid: Any) -> Any:
    """Return payments as a list, each of which is a number whose rules are known."""
    if _is_plain(paid):
        return paid
    if issubclass(type(paid), dict | set | frozenset):  # a reader of outcomes refuses them, too
        kind = type(paid).__name__
        raise Untraced(f"payments are a {kind}: return a sequence with one payment an agent")
    amounts = list(islice(machine.draw(None, paid), _MOST))
    for amount in amounts:
        plain_number(machine, amount)
    return amounts


def plain_allocation(machine: Machine, allocation: Any) -> Any:
    """Return an allocation; refuse one that runs code of the user's where it is compared."""
    kind = type(allocation)
    if _is_plain(allocation) or isinstance(allocation, np.generic | np.ndarray):
        machine.is_data(allocation)
        return allocation
    machine.look_into(allocation)
    if kind in (list, tuple):
        return kind(plain_allocation(machine, part) for part in allocation)
    if kind in (set, frozenset, dict):
        for key in allocation:
            if not _plain_key(key):
                return _refuse(kind)
            machine.is_data(key)
    if kind in (set, frozenset):
        return allocation
    if kind is dict:
        return {key: plain_allocation(machine, value) for key, value in allocation.items()}
    if kind is Lottery:
        support = allocation.support
        if type(allocation.inexact) is not bool:
            return _refuse(kind)
        if type(support) is not tuple or any(type(pair) is not tuple for pair in support):
            return _refuse(kind)
        for part, probability in support:
            plain_allocation(machine, part)
            plain_number(machine, probability)
        return allocation
    if is_of_a_library(kind):
        return _refuse(kind)
    machine.judge(allocation)
    if issubclass(kind, Enum):
        return _refuse(kind) if _is_read(kind, {"__eq__", "__hash__"}) else allocation
    if is_named_tuple(kind):
        if _is_read(kind):
            return _refuse(kind)
        return tuple(plain_allocation(machine, part) for part in tuple.__iter__(allocation))
    return _refuse(kind)


_READ: Final = words("tolist dtype support ndim item shape numerator denominator")
"""What is asked of allocations where the machine does not ask; one that has any is refused."""


def _is_read(kind: type, more: frozenset[str] | set[str] = frozenset()) -> bool:
    own = (vars(base) for base in kind.__mro__ if not is_of_a_library(base))
    return any(name in _READ or name in more for each in own for name in each)


def _plain_key(key: Any) -> bool:
    return id(type(key)) in PLAIN or (type(key) is tuple and all(map(_plain_key, key)))


def _refuse(kind: type) -> Any:
    raise Untraced(f"allocates a {kind.__name__}, whose rules no trace sees")
