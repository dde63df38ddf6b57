"""A mechanism whose code the machine runs, in the place of the mechanism itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType, NoneType
from typing import Any, Final

from theory.incentives._mechanism import Traced, Vectorised
from theory.incentives._types import DrawnTypes
from theory.incentives._values import ValueFunction
from theory.incentives.proving._allowed_code import is_plain
from theory.incentives.proving._classes import (
    is_a_class,
    is_as_dataclasses_write,
    own_attributes,
    why_class_is_refused,
)
from theory.incentives.proving._code_owner import is_of_a_library
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._returned_values import plain_allocation, read_outcome
from theory.incentives.proving._trace_failure import Untraced, untraced_by
from theory.incentives.setting import Setting

__all__ = ["FollowedMechanism", "refuse_answers"]

_DECLARED: Final = ("value", "feasible", "alternatives")


class FollowedMechanism:
    """A mechanism of which each call is run by a machine.

    Attributes
    ----------
    refusal : Untraced or None
        The first thing that a trace cannot see, in whatever call it was met.
    """

    def __init__(self, mechanism: Any, rule: Callable[..., Any], machine: Machine) -> None:
        self.__name__ = type(mechanism).__name__  # what it is called, its own code may say
        self.refusal: Untraced | None = None
        self._rule, self._machine = rule, machine
        for name in _DECLARED:
            known = getattr(mechanism, name, None)
            if callable(known):
                setattr(self, name, self._follow(known))

    def outcome(self, reports: Sequence[Any]) -> Any:
        """Return what the mechanism does with reports."""
        return self._run(self._rule, tuple(reports), then=read_outcome)

    def setting(self, setting: Setting) -> Setting:
        """Return a setting whose functions the machine runs, too."""
        values = setting.passed_values
        if isinstance(values, ValueFunction):
            values = ValueFunction(self._follow(values.function))
        elif values is not None and not is_of_a_library(type(values)):
            values = _FollowedValues(values, self._follow)
        return replace(
            setting.fresh(),
            passed_values=values,
            passed_feasible=self._follow(setting.passed_feasible),
            passed_alternatives=self._follow(setting.passed_alternatives),
        )

    def _follow(self, function: Callable[..., Any] | None) -> Any:
        return None if function is None else lambda *given: self._run(function, *given)

    def _run(self, function: Callable[..., Any], *given: Any, then: Any = None) -> Any:
        try:
            return self._machine.run(function, *given, then=then)
        except Untraced as untraced:
            self.refusal = self.refusal or untraced
            raise


class _FollowedValues:
    """Values of a class of the user's, of which each call is run by a machine."""

    def __init__(self, given: Any, followed: Callable[[Callable[..., Any]], Any]) -> None:
        self.linear = given.linear
        self.value = followed(given.value)
        self.violation = followed(given.violation)
        self.alternatives = followed(given.alternatives)

    def __repr__(self) -> str:
        return "values"  # what they are called, their own code may say


def refuse_answers(asked: Any) -> None:
    """Raise where what a mechanism or a valuation is may depend on who asks, or when.

    It is a function, a method of an object, or an object of a plain class, whose attributes that
    are asked for are functions.
    """
    kind = type(asked)
    if asked is None or is_plain(asked):
        return
    if kind is partial:
        refuse_answers(asked.func)
    if kind is FunctionType or kind is partial:
        _refuse_attributes(asked)
        return
    if kind is MethodType:
        if type(asked.__func__) is not FunctionType:
            raise Untraced(f"a method of a {type(asked.__func__).__name__} decides what it is")
        _refuse_attributes(asked.__func__)
        return
    if is_of_a_library(kind):
        if not kind.__module__.startswith("theory."):
            raise Untraced(f"a {kind.__name__} decides what its mechanism is")
        entries = own_attributes(asked)
        if entries is None or any(name in entries for name in _ASKED):
            raise Untraced(f"a {kind.__name__} has attributes of its own")
        if kind not in _OF_FUNCTIONS:
            for part in entries.values():
                _refuse_odd(part)
        return
    told = why_class_is_refused(kind)
    if told:
        raise Untraced(told)
    entries = own_attributes(asked)
    if entries is None:
        raise Untraced(f"the attributes of a {kind.__name__} have rules of their own")
    if any(name.startswith("__") and name != "__name__" for name in entries):
        raise Untraced(f"a {kind.__name__} has special attributes of its own")
    for name in _ASKED:
        known = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if name in entries and type(known) in {FunctionType, NoneType}:
            known = entries[name]
        if _is_plainly_asked(name, known):
            continue
        raise Untraced(f"{name} of {kind.__name__} decides what its mechanism is")


def refuse_shown(machine: Machine, thing: Any) -> None:
    """Raise where showing an object, as reports do, may do more than that.

    A ``__repr__`` of the user's is run by the machine, on the object as it is now.
    """
    kind = type(thing)
    if is_plain(thing) or kind is FunctionType or is_a_class(thing):
        return
    if kind is partial:
        parts = [thing.func, *thing.args, *thing.keywords.values()]
    elif kind is MethodType:
        parts = [thing.__self__]
    elif kind in {list, tuple, set, frozenset}:
        parts = list(thing)
    elif kind is dict:
        parts = [part for entry in thing.items() for part in entry]
    else:
        entries = own_attributes(thing)
        if entries is None or type(entries.get("__name__", "")) is not str:
            raise Untraced(f"the name of a {kind.__name__} has rules of its own")
        shows = machine.own_in_class(kind, "__repr__")
        if shows is not None and not is_as_dataclasses_write(kind, "__repr__"):
            try:
                machine.run(shows, thing, then=plain_text)
            except Exception as error:  # code may do anything where it is shown
                raise untraced_by(error) from error
            return
        slots = [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]
        parts = [*entries.values(), *(getattr(thing, n) for n in slots if hasattr(thing, n))]
        if shows is None and not is_of_a_library(kind):
            parts = []  # Python's own says where it lies
    for part in parts:
        refuse_shown(machine, part)


def plain_text(machine: Machine, text: Any) -> Any:
    """Return a text; refuse anything else."""
    if type(text) is not str:
        machine.refuse("is shown by what is not text")
    return text


def _is_plainly_asked(name: str, known: Any) -> bool:
    """Whether what stands under a name is the same whoever asks for it."""
    inner = known.__func__ if type(known) in {staticmethod, classmethod, MethodType} else known
    if type(inner) is FunctionType:
        return "__signature__" not in vars(inner)
    if type(inner) is partial:
        return _is_plainly_asked(name, inner.func) and inner.func is not None
    return known is None or (name in _STATED and is_plain(known))


def _refuse_attributes(function: Any) -> None:
    """Raise where attributes of a function say what it is, by rules of their own."""
    own = vars(function)
    if type(own) is not dict or not all(type(name) is str for name in own):
        raise Untraced("the attributes of a function have rules of their own")
    for name, known in own.items():
        odd = name in _ASKED and not _is_plainly_asked(name, known)
        if odd or name == "__signature__" or (name == "__name__" and type(known) is not str):
            raise Untraced(f"{name} of a function decides what it is")
        if name == "__wrapped__" and type(known) is not FunctionType:
            raise Untraced("a function wraps what is no function")


def _refuse_odd(part: Any) -> None:
    """Raise where what a definition of this library holds is no plain value."""
    if type(part) is tuple:
        for each in part:
            _refuse_odd(each)
    elif is_of_a_library(type(part)) and type(part).__module__.startswith("theory.incentives."):
        refuse_answers(part)
    else:
        plain_allocation(Machine(), part)


_OF_FUNCTIONS: Final = {ValueFunction, DrawnTypes, Vectorised, Traced}
"""What holds a function of the user's, which the machine runs, or which is refused later."""

_STATED: Final = ("linear", "value_of_names")
_ASKED: Final = (
    "outcome",
    "value",
    "feasible",
    "alternatives",
    "violation",
    "__call__",
    *_STATED,
)
"""What is asked of mechanisms and valuations where the machine does not ask."""
