"""What a user's code returns: values whose rules are known."""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass
from enum import Enum
from fractions import Fraction
from math import isfinite
from types import FunctionType
from typing import Any, Final

import numpy as np

from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._record import Record
from theory.incentives._values import Given
from theory.incentives.proving._allowed import PLAIN
from theory.incentives.proving._kinds import METHODS_OF_CLASSES, entries_of, is_named_tuple
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._untraced import Untraced
from theory.incentives.proving._whose import is_of_a_library, words
from theory.proofs import Polynomial, Term

__all__ = ["data_of", "is_ours", "plain_number", "whole"]


def is_ours(valuation: object) -> bool:
    """Whether values come of a definition of this library, and of no function of the user's."""
    kind = type(valuation)
    ours = is_of_a_library(kind) and kind.__module__.startswith("theory.")
    return ours and not isinstance(valuation, Given)


def whole(machine: Machine, returned: Any) -> Any:
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
    return _plain(machine, allocation), _payments(machine, paid)


def plain_number(machine: Machine, value: Any) -> Any:
    """Return a number, a term or a truth value; refuse what has rules of its own for being one."""
    kind = type(value)
    if _is_plain(value) or (issubclass(kind, np.number | np.bool_) and is_of_a_library(kind)):
        return value
    if kind is np.ndarray and value.ndim == 0 and value.dtype.kind in "biufO":
        return plain_number(machine, value.item())
    raise Untraced(f"a function says a {kind.__name__}, whose rules no trace sees")


def data_of(value: Any) -> Any:
    """Return a value of plain data, polynomials in the place of terms, to be compared."""
    kind = type(value)
    known = value.known if isinstance(value, Term) else value
    if isinstance(known, int | Fraction | float | np.integer) and isfinite(known):
        exact = known if isinstance(known, Fraction | float) else int(known)
        return Fraction(exact)
    if isinstance(value, Term):
        return Polynomial.read(value.element.numer), Polynomial.read(value.element.denom)
    if kind is Record:
        return data_of(value.support), data_of(value.payments)
    if kind in (tuple, list):
        return tuple(map(data_of, value))
    if _is_plain(value) or isinstance(value, Enum | np.generic):
        return kind, value
    slots = (name for base in kind.__mro__ for name in vars(base).get("__slots__", ()))
    parts = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    parts |= vars(value) if hasattr(value, "__dict__") else {}
    if parts or type(value) is object:
        return kind, tuple((name, data_of(part)) for name, part in sorted(parts.items()))
    return kind, value


def _is_plain(value: Any) -> bool:
    return id(type(value)) in PLAIN or isinstance(value, Term)


def _payments(machine: Machine, paid: Any) -> Any:
    """Return payments as a list, each of which is a number whose rules are known."""
    if _is_plain(paid):
        return paid
    amounts = list(machine.drawn(None, paid))
    for amount in amounts:
        known = _is_plain(amount) or isinstance(amount, np.generic)
        if not known and type(amount) is not np.ndarray:
            raise Untraced(f"is paid a {type(amount).__name__}, whose rules no trace sees")
    return amounts


def _plain(machine: Machine, allocation: Any) -> Any:
    """Return an allocation; refuse one that runs code of the user's where it is compared."""
    kind = type(allocation)
    if _is_plain(allocation) or isinstance(allocation, np.generic | np.ndarray):
        machine.is_data(allocation)
        return allocation
    if kind in (list, tuple):
        return kind(_plain(machine, part) for part in allocation)
    if kind in (set, frozenset):
        return allocation if all(map(_plain_key, allocation)) else _refuse(kind)
    if kind is dict:
        return {key: _plain(machine, value) for key, value in allocation.items()}
    if kind is Lottery:
        for part, _ in allocation.support:
            _plain(machine, part)
        return allocation
    if is_of_a_library(kind):
        return _refuse(kind)
    machine.judge(allocation)
    if is_named_tuple(kind):
        return tuple(_plain(machine, part) for part in tuple.__iter__(allocation))
    own = [base for base in kind.__mro__ if not is_of_a_library(base)]
    read = _READ & {*(entries_of(allocation) or ()), *(name for base in own for name in vars(base))}
    if read or not all(map(_is_plainly_compared, own)):
        return _refuse(kind)
    for part in (entries_of(allocation) or {}).values():
        _plain(machine, part)
    return allocation


_READ: Final = words("tolist dtype support ndim item shape numerator denominator")
"""What is asked of allocations where nobody watches; one that has any is refused."""

_UNASKED: Final = words("__init__ __post_init__ __repr__ __str__ __format__")
"""Special methods that nobody asks of an allocation."""


def _is_plainly_compared(kind: type) -> bool:
    """Whether special methods of a class are those that dataclasses make."""
    special = [name for name in vars(kind) if name in METHODS_OF_CLASSES - _UNASKED]
    if not special or (special == ["__hash__"] and vars(kind)["__hash__"] is None):
        return True
    known, params = vars(kind).get("__dataclass_fields__"), vars(kind).get("__dataclass_params__")
    if type(known) is not dict or params is None:
        return False
    parts: list[Any] = [
        (part.name, object, field(compare=part.compare, hash=part.hash)) for part in fields(kind)
    ]
    given = {name: getattr(params, name) for name in ("eq", "order", "frozen", "unsafe_hash")}
    twin = vars(make_dataclass(kind.__name__, parts, **given))
    return all(_code(vars(kind)[name]) == _code(twin.get(name)) for name in special)


def _code(function: object) -> object:
    return function.__code__ if type(function) is FunctionType else function


def _plain_key(key: Any) -> bool:
    return id(type(key)) in PLAIN or (type(key) is tuple and all(map(_plain_key, key)))


def _refuse(kind: type) -> Any:
    raise Untraced(f"allocates a {kind.__name__}, whose rules no trace sees")
