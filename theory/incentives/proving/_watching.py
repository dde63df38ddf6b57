"""Running a user's code under watch: which instructions it takes, and what it asks for.

Code can tell a symbol from a number by more than arithmetic. A trace follows code that does
something else with symbols as if it did the same. So the code is run on symbols and on numbers, and
must take the same instructions, one after another. What it could use to make a difference without
taking others is noticed where it is asked for: classes, identities, clocks, generators, the stack.
"""

from __future__ import annotations

import dis
import gc
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from os.path import dirname, join
from traceback import FrameSummary
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

import theory
from theory.incentives._outcome import Outcome
from theory.incentives._values import Given
from theory.incentives.proving._forbidden import (
    CLOCKS,
    forbidden_at,
    forbidden_import,
    forbidden_routine,
    is_librarys,
    is_telling,
    member,
)
from theory.incentives.proving._untraced import Untraced, place

__all__ = ["Call", "Steps", "Watch", "is_followed", "is_ours", "whole"]

Steps = int
"""A digest of the instructions that a run took, in their order."""

Call = tuple[Any, ...]
"""What was called, and with what: ``("outcome", reports)``, for instance."""


_PATHS: Final = sysconfig.get_paths()
_INSTALLED: Final = (_PATHS["purelib"], _PATHS["platlib"])
_STANDARD: Final = (_PATHS["stdlib"], _PATHS["platstdlib"])


class _Whose(Enum):
    """Whose a piece of code is.

    Code of Python itself counts where it is called by code that counts; that of packages also
    where it is what the library calls first: a mechanism may come from a package.
    """

    OURS = 0
    USERS = 1
    PACKAGES = 2
    PYTHONS = 3


def _installed(name: str) -> str:
    found = find_spec(name)
    return dirname(found.origin) if found is not None and found.origin else f"<{name}>"


_MAKING: Final = (
    *(join(_installed(name), "") for name in ("sympy", "jaxtyping", "beartype")),
    "<@beartype(",
)
"""Where code stands that makes code of texts, and calls it."""

_WATCHING: Final = (
    join(dirname(theory.__file__), ""),
    join(_installed("numpy"), ""),
    *_MAKING,
    *(
        str(import_module(name).__file__)  # the last three run when Python finds it convenient
        for name in ("fractions", "numbers", "warnings", "weakref", "_weakrefset")
    ),
    "<frozen ",
)
_ROOTS: Final = frozenset({"theory", "numpy", "sympy", "fractions", "numbers", "abc"})


@dataclass(frozen=True, slots=True)
class _Code:
    """A piece of code that was met, with the instructions at which something is asked for."""

    code: CodeType
    whose: _Whose
    asks: dict[int, tuple[str, Any]]


_WRITTEN: Final = frozenset({_Whose.USERS, _Whose.PACKAGES})

_CODES: Final[dict[int, _Code]] = {}
"""By the identity of the code, which is kept, so that no other takes its place."""


def _met(frame: FrameType) -> _Code:
    code = frame.f_code
    known = _CODES.get(id(code))
    if known is None:
        whose = _whose(frame)
        asks = {} if whose is _Whose.OURS else dict(_asks(code))
        known = _CODES[id(code)] = _Code(code, whose, asks)
    return known


def _whose(frame: FrameType) -> _Whose:
    name = frame.f_code.co_filename
    module = str(frame.f_globals.get("__name__", ""))
    if name == "<string>":  # as dataclasses make methods, for instance
        root = module.partition(".")[0]
        caller = frame.f_back
        made = not module and caller is not None and caller.f_code.co_filename.startswith(_MAKING)
        if made or root in _ROOTS:
            return _Whose.OURS
        standard = root in sys.stdlib_module_names and root != "__main__"
        return _Whose.PYTHONS if standard else _Whose.USERS
    if name.startswith(_WATCHING):
        return _Whose.OURS
    if name.startswith(_INSTALLED):  # first, since it may lie within that of Python
        return _Whose.PACKAGES
    return _Whose.PYTHONS if name.startswith(_STANDARD) else _Whose.USERS


def is_followed(function: FunctionType) -> bool:
    """Whether the code of a function is of the user's or of a package, and not Python's or ours."""
    name = function.__code__.co_filename
    if name.startswith(_WATCHING):
        return False
    return name.startswith(_INSTALLED) or not name.startswith(_STANDARD)


def _asks(code: CodeType) -> Iterator[tuple[int, tuple[str, Any]]]:
    """Yield the instructions that ask for something, by offset."""
    chain: tuple[str, ...] = ()  # the name and the attributes that were loaded just before
    before = None
    caught = False
    for step in dis.get_instructions(code):
        name = step.opname
        if name in _PASSED:
            continue
        found: tuple[str, Any] | None = None
        if name.startswith(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FROM", "LOAD_CLASS")):
            chain = (step.argval,)
            found = ("name", chain)
        elif name.startswith("LOAD_FAST") and isinstance(step.argval, str):
            chain = (step.argval,)
        elif name in {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"}:
            chain = (*chain, step.argval) if chain else ()
            if is_telling(step.argval, code):
                found = ("attribute", step.argval)
            elif chain:
                found = ("name", chain)
        elif name == "IS_OP" and not _is_plain_constant(before):
            found = ("is", chain)
            chain = ()
        else:
            if name == "STORE_ATTR" and chain:
                found = ("store", chain)
            elif name == "IMPORT_NAME":
                found = ("import", step.argval)
            elif name in {"STORE_GLOBAL", "DELETE_GLOBAL"}:
                found = ("write", step.argval)
            elif name.startswith("LOAD_CONST") and step.argval in CLOCKS:
                found = ("clock", step.argval)
            elif caught and name.startswith("STORE_"):
                found = ("error", step.argval)
            chain = ()
        if found is not None:
            yield step.offset, found
        caught = name == "CHECK_EXC_MATCH" or (caught and name.startswith("POP_JUMP"))
        before = step


_PASSED: Final = frozenset({"EXTENDED_ARG", "CACHE", "PRECALL", "PUSH_NULL", "NOP", "RESUME"})


def _is_plain_constant(step: dis.Instruction | None) -> bool:
    """Whether an instruction loads None, a truth value or an ellipsis, of which there is one."""
    if step is None or not step.opname.startswith("LOAD_CONST"):
        return False
    return step.argval is None or step.argval is ... or isinstance(step.argval, bool)


def is_ours(valuation: object) -> bool:
    """Whether values come of a definition of this library, and of no function of the user's."""
    return type(valuation).__module__.startswith("theory.") and not isinstance(valuation, Given)


def whole(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule whose payments are a list, so that all that computes them runs under watch."""

    def run(reports: Any) -> Any:
        returned = rule(reports)
        if isinstance(returned, Outcome):
            return returned.allocation, list(returned.payments)
        if isinstance(returned, tuple | list) and len(returned) == 2:
            allocation, paid = returned
            return (allocation, list(paid)) if isinstance(paid, Iterator) else returned
        return returned

    return run


@dataclass(slots=True)
class Watch:
    """Runs code of the user's under watch.

    Attributes
    ----------
    note : callable
        Told of each call, and of the steps that it took.
    calls : bool
        Whether the functions of compiled code that are called are judged, too.
    """

    note: Callable[[Call, Steps], None]
    calls: bool = False
    _steps: Steps = 0
    _depth: int = 0
    _problem: str = ""

    def run(self, call: Call, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the function does.

        Raises
        ------
        Untraced
            Where its code asked for something that a trace cannot see, whatever came of the run.
        """
        self._steps, self._depth, self._problem = 0, 0, ""
        tracing, profiling, collecting = sys.gettrace(), sys.getprofile(), gc.isenabled()
        gc.disable()  # what it runs would be taken for steps of the code
        try:
            if self.calls:
                sys.setprofile(self._called)
            sys.settrace(self._entered)
            return function(*arguments)
        finally:
            sys.settrace(tracing)
            if self.calls:
                sys.setprofile(profiling)
            if collecting:
                gc.enable()
            self.note(call, self._steps)
            if self._problem:
                raise Untraced(self._problem) from None

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        whose = _met(frame).whose
        if whose is _Whose.OURS:
            return None
        called = frame.f_back is not None and frame.f_back.f_trace is not None
        first = whose is _Whose.PACKAGES and self._depth == 0
        if whose is not _Whose.USERS and not called and not first:
            return None
        self._depth += 1
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        if frame.f_code.co_name in _LEAVING and any(map(_is_error, frame.f_locals.values())):
            self._note(frame, "is given an error that it leaves with: its text tells kinds")
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            known = _CODES[id(frame.f_code)]
            place = frame.f_lasti
            self._steps = hash((self._steps, id(frame.f_code), place))
            if place in known.asks and not self._problem:
                self._judge(frame, *known.asks[place])
        elif event == "return":  # or yields, or ends with an error
            self._depth -= 1
        return self._stepped

    def _judge(self, frame: FrameType, ask: str, name: Any) -> None:
        if ask == "name":
            problem = forbidden_at(_loaded(frame, name[0]), name)
            if problem:
                self._note(frame, f"asks for {problem}")
        elif ask == "attribute":
            self._note(frame, f"asks for {name}, which no number is known to have")
        elif ask == "import":
            problem = forbidden_import(name)
            if problem:
                self._note(frame, f"asks for {problem}")
        elif ask == "write":
            self._note(frame, f"writes the global {name}: it keeps something from call to call")
        elif ask == "store":
            home = member(_loaded(frame, name[0]), name)
            where = home.__name__ if isinstance(home, ModuleType) else _home(home)
            if where and is_librarys(where):
                self._note(frame, f"writes to {where}: it keeps something from call to call")
        elif ask == "clock":
            self._note(frame, f"has the text {name!r}, which NumPy reads off a clock")
        elif ask == "error":
            self._note(frame, f"keeps the error that it caught as {name}: its text tells kinds")
        elif not isinstance(member(_loaded(frame, name[0]), name) if name else None, Enum):
            self._note(frame, "asks whether two objects are one (`is`), which no value tells")

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "c_call" or self._problem or frame.f_trace is None:
            return
        problem = forbidden_routine(argument)
        if problem:
            self._note(frame, f"calls {problem}")

    def _note(self, frame: FrameType, problem: str) -> None:
        users: FrameType | None = frame
        while users is not None and _met(users).whose not in _WRITTEN:
            users = users.f_back
        at = users or frame
        summary = FrameSummary(at.f_code.co_filename, at.f_lineno, at.f_code.co_name)
        self._problem = f"{place(summary)}: {problem}"


def _home(thing: object) -> str:
    return thing.__module__ if isinstance(thing, type) else ""


_LEAVING: Final = frozenset({"__exit__", "__aexit__", "throw"})


def _is_error(thing: object) -> bool:
    return isinstance(thing, BaseException)


def _loaded(frame: FrameType, name: str) -> object:
    """Return what a name stands for in a frame."""
    if name in frame.f_code.co_varnames or name in frame.f_code.co_freevars:
        return frame.f_locals.get(name)
    if name in frame.f_code.co_cellvars:
        return frame.f_locals.get(name)
    if frame.f_code.co_name == "<module>" and name in frame.f_locals:
        return frame.f_locals[name]
    return frame.f_globals.get(name, frame.f_builtins.get(name))
