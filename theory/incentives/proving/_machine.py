"""A machine that runs Python code and judges each step: what it asks of which object.

Code can tell a symbol from a number by more than arithmetic, and keep what it is told. So it is not
run by Python, but here, one instruction after another: an operation, a call or an attribute is done
only where it is known to compute with values and to do nothing else, and only what the run itself
made may be changed. Whatever else is asked ends the proof, used or not. Since no path of such a run
changes anything that was there before it, no call depends on another.
"""

from __future__ import annotations

import builtins
import gc
import inspect
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from traceback import FrameSummary
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, Final

from theory.incentives._record import message
from theory.incentives.proving._allowed_code import SEEN_ERRORS, is_plain
from theory.incentives.proving._calls import Calls
from theory.incentives.proving._classes import descends, is_a_class
from theory.incentives.proving._code import Code, bind_arguments, code_of
from theory.incentives.proving._code_owner import is_of_a_library, is_ours
from theory.incentives.proving._instructions import INSTRUCTIONS, FrameExit
from theory.incentives.proving._object_kinds import ABSENT
from theory.incentives.proving._run_by_python import PausedTracing, raise_warnings
from theory.incentives.proving._trace_failure import TakesTooLong, Untraced, describe_line
from theory.proofs import Tracer, running

__all__ = ["Frame", "Machine"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_MOST_STEPS: Final = {False: 20_000_000, True: 1_000_000}
"""The most instructions of all calls for a property; with symbols, each is compared."""

_MOST_OF_A_CALL: Final = 5_000_000
"""The most instructions of one call on numbers: the machine takes some five seconds for them."""

_BUILTINS: Final = vars(builtins)
_CONSTANTS: Final = (None, True, False, ..., NotImplemented)


def _is_pythons(thing: Any) -> bool:
    """Whether what stands among the names of Python is a function, class or constant of its own."""
    if type(thing) is BuiltinFunctionType:
        return thing.__self__ is builtins
    if is_a_class(thing):
        return is_of_a_library(thing) and vars(type)["__module__"].__get__(thing) == "builtins"
    return any(thing is each for each in _CONSTANTS)


@dataclass(slots=True, eq=False)
class Frame:
    """A call that goes on: its local variables and cells, its stack, and the next instruction.

    ``ours`` says that it is code of this library, which is not judged.
    """

    function: Any
    code: Code
    slots: dict[str, Any]
    back: Frame | None
    ours: bool
    stack: list[Any] = field(default_factory=list)
    at: int = 0
    names: tuple[str, ...] = ()
    named: dict[int, Any] = field(default_factory=dict)
    """By its place on the stack, what is to be called and was named by the code itself."""
    caught: BaseException | None = None
    history: list[Any] | None = None
    """Where it is kept: each instruction that was run, and what lay on top of the stack."""


class Machine(Calls):
    """Runs a user's code on symbols or numbers; see the module.

    ``exact`` says that it is run on symbols.
    """

    def __init__(self, *, exact: bool = False) -> None:
        super().__init__()
        self.exact = exact
        self.where = ""
        """Where the error was raised that left the code."""
        self.is_stated = False
        """Whether that error tells of values alone, or a statement of the code raised it."""
        self.current = None
        self._with_constants: dict[int, Code] = {}
        """Code whose constants were judged, by its identity."""
        self._problem: Untraced | None = None
        self._tracer: Tracer | None = None
        self._stated: dict[int, BaseException] = {}
        self.steps = 0
        """Instructions that were run for the property that is judged."""
        self._last_step = _MOST_OF_A_CALL
        self._error: BaseException | None = None

    def run(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        then: Any = None,
        recording: bool = False,
    ) -> Any:
        """Return what a function does, and what ``then`` makes of it.

        A run on symbols, and one that is ``recording``, is kept to be compared with Python's.

        Raises
        ------
        Untraced
            Where its code asked for something that a trace cannot see, whatever came of the run.
        """
        self._problem, self.where, self._error = None, "", None
        self.entered = False
        self._last_step = min(_MOST_STEPS[self.exact], self.steps + _MOST_OF_A_CALL)
        self._tracer = running() if self.exact else None
        self.start_recording(recording or self._tracer is not None)
        collecting = gc.isenabled()
        gc.disable()
        try:
            with raise_warnings():
                found = self.call(None, function, arguments, {})
                found = found if then is None else then(self, found)
        except Untraced:
            raise
        except Exception as error:
            self.is_stated = id(error) in self._stated or self._is_seen(type(error))
            if self._problem is not None:
                raise self._problem from None
            if isinstance(error, RecursionError | MemoryError):
                problem = f"raises {type(error).__name__}: it meets a limit of the process"
                raise Untraced(self._at(problem)) from error
            if not self._has_plain_text(error):
                problem = f"raises a {type(error).__name__}, whose text is made by code of its own"
                raise Untraced(self._at(problem)) from None
            raise
        finally:
            self.forget()
            self.given_back, self._stated, self.ours = {}, {}, {}
            if collecting:
                gc.enable()
        if self._problem is not None:
            raise self._problem
        if self.looked and self.met_arrays:
            raise Untraced(f"{self.looked}: numbers out of arrays have several kinds")
        return found

    def _has_plain_text(self, error: Exception) -> bool:
        """Whether nobody's code runs where an error is shown."""
        methods = (self.own_in_class(type(error), name) for name in ("__str__", "__repr__"))
        return all(each is None for each in methods) and all(map(self.is_data, error.args))

    # --- What ends a proof

    def refuse(self, problem: str) -> Any:
        """End the proof: the code does what no trace can see."""
        self._end(Untraced(self._at(problem)))

    def refuse_work(self, problem: str) -> Any:
        """End the proof: one step of the code takes too long, whoever runs it."""
        self._end(TakesTooLong(self._at(problem)))

    def _end(self, untraced: Untraced) -> None:
        if self._problem is None:
            self._problem = untraced
        if self._tracer is not None:
            self._tracer.refuse(self._problem, instead=True)
        raise self._problem

    def _at(self, problem: str) -> str:
        line = self.line()
        return f"{line}: {problem}" if line else problem

    def line(self) -> str:
        """Return the line of the user's that runs."""
        frame = self.current
        while frame is not None and frame.ours and frame.back is not None:
            frame = frame.back
        return "" if frame is None else self._line(frame)

    def _line(self, frame: Frame) -> str:
        code, at = frame.code, min(max(frame.at - 1, 0), len(frame.code.lines) - 1)
        return describe_line(FrameSummary(code.code.co_filename, code.lines[at], code.code.co_name))

    # --- Frames

    def interpret(
        self, frame: Frame | None, function: FunctionType, given: Any, named: Any, *, ours: bool
    ) -> Any:
        """Run a function step by step."""
        self.entered = True
        code = code_of(function.__code__, INSTRUCTIONS)
        self.see_function(function)
        if id(code) not in self._with_constants:
            for value in function.__code__.co_consts:
                self.constant(value)
            self._with_constants[id(code)] = code
        slots = bind_arguments(function, given, named)
        flags = function.__code__.co_flags
        if flags & inspect.CO_VARKEYWORDS:
            count = function.__code__.co_argcount + function.__code__.co_kwonlyargcount
            self.make(
                slots[function.__code__.co_varnames[count + bool(flags & inspect.CO_VARARGS)]]
            )
        made = Frame(function, code, slots, frame, ours, history=self.find_record(code))
        if not code.is_generator:
            return self._go_on(made).value
        if code.is_left_by_force:
            self.refuse("runs a generator with a `try`, which may end where it is removed")
        return self.make(self._generate(made))

    def _generate(self, frame: Frame) -> Generator[Any, None, Any]:
        while True:
            with PausedTracing():
                left = self._go_on(frame)
            if not left.yields:
                return left.value
            frame.stack.append((yield left.value))

    def _go_on(self, frame: Frame) -> FrameExit:
        """Run a frame until it returns or yields."""
        before, self.current = self.current, frame
        steps, tracer, history = frame.code.steps, self._tracer, frame.history
        try:
            while True:
                do, argument = steps[frame.at]
                if history is not None:
                    self.record(frame)
                frame.at += 1
                self.steps += 1
                try:
                    left: FrameExit | None = do(self, frame, argument)
                except Untraced:
                    raise
                except Exception as error:
                    self.current = frame
                    self._catch(frame, error)
                    continue
                if tracer is not None and tracer.refusal is not None:
                    self._refuse(tracer.refusal)
                if left is not None:
                    return left
                if self.steps > self._last_step:
                    self._refuse_steps()
        finally:
            self.current = before

    def _refuse(self, refusal: BaseException) -> None:
        """End the run: a symbol was asked what it cannot say."""
        if isinstance(refusal, Untraced):
            raise refusal
        told = message(refusal) if isinstance(refusal, Exception) else str(refusal)
        self._end(Untraced(self._at(told)))

    def _refuse_steps(self) -> None:
        """End the proof: the code takes too many steps for one call, or for the property."""
        most = _MOST_STEPS[self.exact]
        if self.steps > most:
            self.refuse(f"takes more than {most:,} steps")
        self.refuse_work(f"takes more than {_MOST_OF_A_CALL:,} steps for one outcome")

    def _catch(self, frame: Frame, error: Exception) -> None:
        """Go on where the frame catches an error; raise it where it does not."""
        if self._tracer is not None and self._tracer.refusal is not None:
            self._refuse(self._tracer.refusal)
        if self._error is not error:  # the innermost frame is the first to see it
            self._error, self.where = error, self.line()
        at = frame.at - 1
        handler = frame.code.handler(at)
        if handler is None:
            raise error
        kind = type(error)
        if kind is RecursionError or kind is MemoryError:
            self.refuse(f"raises {kind.__name__}: it meets a limit of the process")
        seen = self._is_seen(kind)
        judged = not handler.passes_on and not frame.ours
        if judged and not seen and id(error) not in self._stated:
            self.refuse(f"catches {kind.__name__} of code into which a trace does not see")
        del frame.stack[handler.depth :]
        frame.named = {at: thing for at, thing in frame.named.items() if at < handler.depth}
        if handler.lasti:
            frame.stack.append(at)
        frame.stack.append(error)
        frame.at = handler.target

    def _is_seen(self, kind: type) -> bool:
        """Whether compiled code raises errors of a kind about values alone."""
        values = kind is IndexError or kind is ValueError or kind is ZeroDivisionError
        return id(kind) in SEEN_ERRORS or (values and not self.met_arrays)

    # --- Names

    def look_up(self, frame: Frame, name: str) -> Any:
        """Return what a global name stands for."""
        known = frame.function.__globals__
        self.refuse_names(frame.function, known)
        self.see_name(known, name, known.get(name, ABSENT))
        if name in known:
            return known[name]
        if name in _BUILTINS:
            found = self.see_name(_BUILTINS, name, _BUILTINS[name])
            if not _is_pythons(found):
                self.refuse(f"asks for {name}, which somebody put among the names of Python")
            return found
        raise NameError(f"name {name!r} is not defined")

    def find_module(self, frame: Frame, name: str, listed: Any, level: int) -> Any:
        """Return a module that was imported before."""
        if level:
            package = frame.function.__globals__.get("__package__") or ""
            parts = package.split(".")
            name = ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])
        found = sys.modules.get(name)
        if found is None:
            self.refuse(f"asks for {name}, which is not yet imported")
        return found if listed else sys.modules[name.partition(".")[0]]

    def constant(self, value: Any) -> Any:
        """Return a constant of the code; refuse one that Python does not write there."""
        if type(value) is not CodeType and not is_plain(value):
            self.refuse(f"runs code with a {type(value).__name__} among its constants")
        return value

    # --- Errors

    def make_error(self, frame: Frame, error: Any, cause: Any = None) -> BaseException:
        """Return the error that the code raises by a statement."""
        made = self.call(frame, error, (), {}) if is_a_class(error) else error
        if not descends(type(made), Exception):
            self.refuse("raises what is no error")
        if cause is not None:
            kind = cause if is_a_class(cause) else type(cause)
            if not descends(kind, BaseException):
                raise TypeError("exception causes must derive from BaseException")
        found: BaseException = made
        self._stated[id(found)] = found
        return found

    def again(self, frame: Frame) -> BaseException:
        """Return the error that a bare ``raise`` raises again."""
        if frame.caught is not None:
            return frame.caught
        around: Frame | None = frame
        while around is not None:
            if around.caught is not None or around.code.is_generator:
                self.refuse("raises an error again that a function around it may have caught")
            around = around.back
        return RuntimeError("No active exception to reraise")

    def catches(self, error: BaseException, kinds: Any) -> bool:
        """Whether an error is of the kinds that are caught."""
        for kind in kinds if type(kinds) is tuple else (kinds,):
            if not is_a_class(kind) or not descends(kind, BaseException):
                raise TypeError("catching what is no class of errors")
            self.judge_class(kind)
            if descends(type(error), kind):
                return True
        return False

    def look(self, what: str) -> None:
        """Note that code asked for what tells kinds of numbers that are no symbols."""
        if not self.looked:
            self.looked = self._at(what)

    def is_ours(self, frame: Frame) -> bool:
        """Whether a frame runs code of this library's mechanisms."""
        return is_ours(frame.function)
