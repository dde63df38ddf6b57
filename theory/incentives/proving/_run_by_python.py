"""What Python runs in the place of the machine, step by step the same.

The machine keeps what it ran: of each call of a function the instructions, and what lay on top of
the stack before each. Where Python then runs the code with the same symbols, it has to be just
that. So where the machine means something else than Python, no code can learn from it.
"""

from __future__ import annotations

import dis
import gc
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory._frames import running_module
from theory.incentives.proving._arrays import Arrays
from theory.incentives.proving._code_owner import is_written
from theory.incentives.proving._stack import (
    StackValues,
    count_variables,
    is_null,
    is_readable,
    read_stack,
    watch_instructions,
)
from theory.proofs import Term

if TYPE_CHECKING:
    from theory.incentives.proving._code import Code
    from theory.incentives.proving._machine import Frame

__all__ = ["ByPython", "PausedTracing"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_COMPUTING: Final = frozenset({Term.__module__, Arrays.__module__})
"""Modules that have symbols compute, and run no code of the user's meanwhile."""


class ByPython(Arrays):
    """Functions that Python runs: known ones, and the code itself, once the machine has run it."""

    def __init__(self) -> None:
        super().__init__()
        self.unrecorded: dict[int, CodeType] = {}
        """Code that Python runs and the machine does not: what makes named tuples."""
        self._recording = False
        self._calls: dict[int, tuple[Code, deque[list[Any]]]] = {}
        self._kept = StackValues(self)

    # --- What the machine keeps of a run

    def start_recording(self, recording: bool) -> None:
        """Forget what was kept of an earlier run, and keep this one where it is to be compared."""
        self._recording, self._calls = recording, {}
        self._kept, self.unrecorded = StackValues(self), {}
        if recording and not is_readable():
            self.refuse("cannot be compared with Python, whose stack is not known here")

    def find_record(self, code: Code) -> list[Any] | None:
        """Return where the instructions of a call are kept; None where they are not."""
        if not self._recording:
            return None
        history: list[Any] = []
        self._calls.setdefault(id(code.code), (code, deque()))[1].append(history)
        return history

    def record(self, frame: Frame) -> None:
        """Keep which instruction comes next, and what lies on top of the stack.

        Where a method lies there both of its places are kept, also after a jump to its arguments.
        """
        stack, history, code = frame.stack, frame.history, frame.code
        if history is None:
            return
        pair = is_null(stack, -1) if sys.version_info >= (3, 13) else is_null(stack, -2)
        two = pair or (bool(history) and history[-1][0] in code.twice)
        tops = [self._kept.keep(each) for each in stack[: -2 - two : -1]]
        history.append((frame.at, len(stack), tops))

    # --- Python's run of it

    def as_followed(self, function: Any, *given: Any) -> Any:
        """Return what a function does when Python runs it, which must be what was kept."""
        comparison = _Comparison(self._calls, self.unrecorded, self._kept)
        codes = [code.code for code, _ in self._calls.values()]
        with watch_instructions(codes, comparison.steps), raise_warnings():
            return self._trace_run(comparison, function, given, {})

    def under_watch(self, function: Any, given: Any, named: Any) -> Any:
        """Return what a function does, and refuse code of the user's that runs within it."""
        return self._trace_run(_Comparison({}, {}, self._kept), function, given, named)

    def _trace_run(self, comparison: _Comparison, function: Any, given: Any, named: Any) -> Any:
        before, collecting = sys.gettrace(), gc.isenabled()
        gc.disable()  # what it calls would be taken for code of the user's
        sys.settrace(comparison.entered)
        try:
            found = function(*given, **named)
        finally:
            lost = sys.gettrace() != comparison.entered
            sys.settrace(before)
            if collecting:
                gc.enable()
            if comparison.unseen or lost:
                self.refuse(f"has {comparison.unseen or 'something'} run where no trace sees it")
        differs = comparison.find_difference()
        if differs:
            self.refuse(f"does something else in {differs} where Python runs it with symbols")
        return found


class _Comparison:
    """Python's run against what was kept of the machine's.

    ``unseen`` names the first code that Python runs and the machine did not.
    """

    def __init__(
        self,
        calls: dict[int, tuple[Code, deque[list[Any]]]],
        unrecorded: dict[int, CodeType],
        values: StackValues,
    ) -> None:
        self.unseen = ""
        self._differing = ""
        self._calls, self._unrecorded, self._values = calls, unrecorded, values
        self._running: dict[int, tuple[FrameType, _Call]] = {}

    def entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Note that Python enters a function, or goes on with a generator."""
        code = frame.f_code
        known = self._running.get(id(frame))
        if known is None:
            if self.unseen or id(code) in self._unrecorded:
                return None
            kept = self._calls.get(id(code))
            if kept is None or not kept[1]:
                if is_written(frame) and not _is_within(frame):
                    self.unseen = code.co_name
                return None
            known = self._running[id(frame)] = frame, _Call(*kept, self._values)
        frame.f_trace_opcodes = sys.version_info < (3, 12)
        return known[1].traced

    def steps(self, code: CodeType, offset: int) -> None:
        """Note that an instruction is about to run, of which Python tells without tracing."""
        frame = sys._getframe(1)
        known = self._running.get(id(frame))
        if known is not None:
            known[1].steps(frame, offset)

    def find_difference(self) -> str:
        """Return the name of a function that did not do what was kept of it; empty for none."""
        for code, waiting in self._calls.values():
            if waiting:
                return code.code.co_name
        for _, call in self._running.values():
            if call.differs or call.is_before_its_end():
                return call.code.code.co_name
        return ""


class _Call:
    """A call that Python runs, and what was kept of it."""

    def __init__(self, code: Code, waiting: deque[list[Any]], values: StackValues) -> None:
        self.code, self.differs = code, False
        seen = frozenset(code.seen.values())
        told = waiting.popleft()
        self._history = [each for each in told if each[0] in seen]
        self._values = values
        self._at = 0
        self._longer = -1
        self._begin = count_variables(code.code)

    def traced(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Note that an instruction is about to run, of which tracing tells."""
        if event == "opcode":
            self.steps(frame, frame.f_lasti)
        return self.traced

    def steps(self, frame: FrameType, offset: int) -> None:
        """Compare an instruction that Python is about to run."""
        place = self.code.seen.get(offset)
        if place is None:
            return
        told_before, self._longer = self._longer == place, -1
        if frame.f_code.co_code[offset] == _EXTENDED:
            self._longer = place
        if not told_before:
            self._meets(place, frame)

    def _meets(self, place: int, frame: FrameType) -> None:
        """Compare the instruction that comes next, and what lies on top of the stack."""
        known = self._take_next()
        if known is None and self.code.is_generator and place >= len(self.code.steps) - 2:
            return  # from 3.12 on, what a generator does where it is removed
        if known is None or known[0] != place:
            self.differs = True
        elif not self.differs:
            tops = read_stack(frame, self._begin, known[1], len(known[2]))
            self.differs = not self._values.are_same(known[2], tops)

    def _take_next(self) -> Any:
        self._at += 1
        return self._history[self._at - 1] if self._at <= len(self._history) else None

    def is_before_its_end(self) -> bool:
        """Whether more was kept than Python ran."""
        return self._at < len(self._history)


@contextmanager
def raise_warnings() -> Iterator[None]:
    """Raise warnings: each writes into a table of the module whose code it is about.

    NumPy warns of all that floats do not hold, whatever the process has it do there.
    """
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        yield


_EXTENDED: Final = dis.opmap["EXTENDED_ARG"]


class PausedTracing:
    """Do not watch what the machine itself runs."""

    __slots__ = ("_watching",)

    def __enter__(self) -> None:
        self._watching = sys.gettrace()
        sys.settrace(None)

    def __exit__(self, *problem: object) -> None:
        sys.settrace(self._watching)


def _is_within(frame: FrameType) -> bool:
    """Whether code runs because a symbol computes, or a new array is filled with them."""
    back: FrameType | None = frame
    while back is not None and back.f_globals is not globals():
        if not is_written(back) and running_module(back) in _COMPUTING:
            return True
        back = back.f_back
    return False
