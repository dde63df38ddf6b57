"""Calls: a user's functions are run step by step, known ones of Python's and ours by Python."""

from __future__ import annotations

import collections
import dataclasses
import functools
import operator
from enum import Enum
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.incentives.proving._allowed_code import (
    ALLOWED,
    CONTAINERS,
    PLAIN,
    SYMBOL,
    is_plain,
    why_refused,
)
from theory.incentives.proving._arrays import OF_NUMPY
from theory.incentives.proving._classes import (
    descends,
    has_plain_fields,
    is_a_class,
    is_named_tuple,
)
from theory.incentives.proving._code_owner import (
    has_plain_globals,
    is_of_a_library,
    is_trusted,
    without_type_checks,
)
from theory.incentives.proving._natives import Natives, is_theorys
from theory.incentives.proving._object_kinds import ABSENT

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = ["Calls"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_RUN_HERE: Final = frozenset(
    f"theory.incentives.{name}" for name in ("_mechanism", "_values", "proving._piecewise")
)
"""Modules of ours that call functions of the user's, and so are run step by step, too."""


class Calls(Natives):
    """What is called, and with what."""

    exact: bool

    def __init__(self) -> None:
        super().__init__()
        self.ours: dict[int, Any] = {}
        """Functions that code of this library made in the run."""

    def interpret(
        self, frame: Frame | None, function: FunctionType, given: Any, named: Any, *, ours: bool
    ) -> Any:
        """Run a function step by step."""
        raise NotImplementedError

    def call(
        self,
        frame: Frame | None,
        thing: Any,
        given: tuple[Any, ...],
        named: dict[str, Any],
        *,
        by_name: bool = False,
    ) -> Any:
        """Return what a call returns.

        ``by_name`` says that the code of the frame names what it calls, as a global or as a method
        that a library's class has. Code of this library may call what it names; anything else was
        chosen by somebody else.
        """
        kind = type(thing)
        first = frame is None and not self.entered
        trusted = first or (by_name and frame is not None and frame.ours)
        known = trusted or (by_name and frame is not None and self.is_ours(frame))
        if id(thing) in OF_NUMPY:
            return self.numpy(frame, OF_NUMPY[id(thing)], thing, given, named)
        if kind is FunctionType:
            return self._function(frame, thing, given, named, trusted=trusted, known=known)
        if kind is MethodType:
            self.refuse_odd_method(thing)
            given = (thing.__self__, *given)
            return self.call(frame, thing.__func__, given, named, by_name=by_name)
        if kind is BuiltinFunctionType or kind is MethodWrapperType:
            return self.routine(frame, thing, given, named, trusted=trusted)
        if kind is MethodDescriptorType or kind is WrapperDescriptorType:
            return self.unbound(frame, thing, given, named)
        if is_a_class(thing):
            return self._class(frame, thing, given, named, trusted=trusted, known=known)
        if kind is functools.partial:
            self.refuse_names(thing, thing.keywords)
            self.see(thing.keywords)
            return self.call(frame, thing.func, (*thing.args, *given), {**thing.keywords, **named})
        if kind is _CACHE:
            self.refuse("calls a function with a cache: it keeps something from call to call")
        if kind is operator.itemgetter:
            return self.native(frame, thing, given, named)
        if trusted and is_of_a_library(kind) and is_theorys(kind):
            return self.native(frame, thing, given, named, trusted=True)
        found = self.own_in_class(kind, "__call__")
        if found is not None:
            return self.call(frame, self.bind(found, thing), given, named)
        if id(kind) in PLAIN or id(kind) == SYMBOL or id(kind) in CONTAINERS:
            raise TypeError(f"{kind.__name__!r} object is not callable")
        return self.refuse(f"calls a {kind.__name__}, into which a trace does not see")

    # --- Functions and classes

    def _function(
        self,
        frame: Frame | None,
        function: FunctionType,
        given: Any,
        named: Any,
        *,
        trusted: bool,
        known: bool,
    ) -> Any:
        if id(function) in self.given_back:
            return self.call(frame, self.given_back[id(function)][1], given, named)
        if function is dataclasses.replace:
            return self._replace(frame, given, named)
        if id(function) in ALLOWED:
            return self.native(frame, function, given, named)
        if id(function) in self.ours:
            return self.interpret(frame, function, given, named, ours=True)
        inner = without_type_checks(function)
        if known and (is_trusted(function) or is_trusted(inner)):
            if trusted and inner.__globals__["__name__"] in _RUN_HERE:
                return self.interpret(frame, inner, given, named, ours=True)
            return self.native(frame, function, given, named, trusted=trusted)
        if is_of_a_library(inner):
            return self.refuse(f"asks for {why_refused(inner)}")
        if not has_plain_globals(inner):
            self.refuse("runs code that has globals or builtins of its own")
        return self.interpret(frame, inner, given, named, ours=False)

    def _replace(self, frame: Frame | None, given: Any, changes: Any) -> Any:
        """Return a dataclass with other entries."""
        if len(given) != 1:
            self.refuse("asks for dataclasses.replace of more than one object")
        (thing,) = given
        if frame is None or self.own_in_class(type(thing), "__dataclass_fields__") is None:
            return self.refuse("asks for dataclasses.replace of what is no dataclass of its own")
        if not has_plain_fields(type(thing)):
            self.refuse("asks for dataclasses.replace of what has fields of its own")
        parts = dataclasses.fields(thing)
        if not all(part.init for part in parts):
            self.refuse("asks for dataclasses.replace of what has entries that are not given")
        names = (part.name for part in parts if part.name not in changes)
        entries = {name: self.attribute(frame, thing, name) for name in names}
        return self.call(frame, type(thing), (), {**entries, **changes})

    def _class(
        self,
        frame: Frame | None,
        kind: Any,
        given: Any,
        named: Any,
        *,
        trusted: bool,
        known: bool,
    ) -> Any:
        if kind is bool and len(given) == 1 and not named and frame is not None:
            return self.truth(frame, given[0])
        if id(kind) in ALLOWED:
            return self.native(frame, kind, given, named)
        if id(kind) == SYMBOL:
            return self.refuse("makes a term, which no number can")
        if kind is super:
            return self._super(frame, given)
        if kind is str and len(given) == 1 and not named and frame is not None:
            return self.text(frame, given[0], "", str)
        if is_of_a_library(kind):
            told = why_refused(kind)
            if told and not trusted and not (known and kind.__module__.startswith("theory.")):
                self.refuse(f"asks for {told}")
            if descends(kind, np.generic):
                self.met_arrays = True
            return self.native(frame, kind, given, named, trusted=trusted)
        return self._object(frame, kind, given, named)

    def _object(self, frame: Frame | None, kind: type, given: Any, named: Any) -> Any:
        """Return a new object of a class of the user's."""
        self.judge_class(kind)
        if descends(kind, Enum):
            if len(given) != 1 or named or not is_plain(given[0]):
                self.refuse(f"looks a member of {kind.__name__} up by what is no plain value")
            return self.native(frame, kind, given, named)
        if is_named_tuple(kind):
            made = self.in_class(kind, "__new__")
            fields, usual = named_tuple_fields(made)
            if not fields:
                self.refuse(f"makes a {kind.__name__}, which has a __new__ of its own")
            self.unrecorded[id(made.__func__.__code__)] = made.__func__.__code__
            entries = {**usual, **dict(zip(fields, given, strict=False)), **named}
            if len(given) > len(fields) or set(entries) != set(fields):
                raise TypeError(f"{kind.__name__} takes {', '.join(fields)}")
            return tuple.__new__(kind, (entries[name] for name in fields))
        if self.own_in_class(kind, "__new__") is not None:
            self.refuse(f"makes a {kind.__name__}, which has a __new__ of its own")
        start = self.own_in_class(kind, "__init__")
        if descends(kind, BaseException):
            if start is not None:
                self.refuse(f"makes a {kind.__name__}, an error with an __init__ of its own")
            for part in given:
                self.is_data(part)
            return self.make(kind(*given, **named))
        if self.in_class(kind, "__abstractmethods__") not in (ABSENT, frozenset()):
            raise TypeError(f"can't instantiate abstract class {kind.__name__}")
        made = self.make(object.__new__(kind))
        if start is not None:
            self.call(frame, self.bind(start, made), given, named)
        elif given or named:
            raise TypeError(f"{kind.__name__}() takes no arguments")
        return made

    def _super(self, frame: Frame | None, given: Any) -> Any:
        if given or frame is None:
            if len(given) != 2:
                self.refuse("uses super in a way that no trace follows")
            kind, this = given
        else:
            if "__class__" not in frame.slots or not frame.code.code.co_argcount:
                self.refuse("uses super in a way that no trace follows")
            kind = frame.slots["__class__"].cell_contents
            this = frame.slots[frame.code.code.co_varnames[0]]
            if type(this) is CellType:
                this = this.cell_contents
        self.judge(this)
        return super(kind, this)


_CACHE: Final[Any] = type(functools.lru_cache(lambda: None))


def named_tuple_fields(made: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return fields and defaults of a named tuple by its constructor; none where it is another."""
    function = made.__func__ if type(made) is staticmethod else made
    if type(function) is not FunctionType:
        return (), {}
    code = function.__code__
    fields = code.co_varnames[1 : code.co_argcount]
    usual = function.__defaults__ or ()
    twin = vars(collections.namedtuple("_Twin", fields))["__new__"].__func__
    maker = function.__globals__.get("_tuple_new")
    makes = type(maker) is BuiltinFunctionType and maker == tuple.__new__
    if twin.__code__ != code or not makes or function.__kwdefaults__:
        return (), {}
    return fields, dict(zip(fields[len(fields) - len(usual) :], usual, strict=True))
