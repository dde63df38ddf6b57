"""What Python runs in the place of the machine: watched for code that the machine did not run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Final

from theory._frames import home
from theory.incentives.proving._arrays import Arrays
from theory.incentives.proving._whose import is_written
from theory.proofs import Term

__all__ = ["ByPython", "unwatched"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_TERMS: Final = Term.__module__


class ByPython(Arrays):
    """Functions that Python runs: known ones, and the code itself, once the machine has run it."""

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[int, CodeType] = {}
        """All code that was run step by step."""

    def as_followed(self, function: Any, *given: Any) -> Any:
        """Return what a function does when Python runs it: only code that was run here may run."""
        collecting = gc.isenabled()
        gc.disable()  # what it calls would be taken for code of the user's
        try:
            return self._run_by_python(function, given, {}, self.codes)
        finally:
            if collecting:
                gc.enable()

    def under_watch(self, function: Any, given: Any, named: Any) -> Any:
        """Return what a function does, and refuse code of the user's that runs within it."""
        return self._run_by_python(function, given, named, {})

    def _run_by_python(self, function: Any, given: Any, named: Any, known: Any) -> Any:
        met: list[str] = []

        def entered(frame: FrameType, event: str, argument: Any) -> None:
            if met or id(frame.f_code) in known or not is_written(frame) or _is_within(frame):
                return
            met.append(frame.f_code.co_name)

        before = sys.gettrace()
        sys.settrace(entered)
        try:
            found = function(*given, **named)
        finally:
            lost = sys.gettrace() is not entered
            sys.settrace(before)
            if met or lost:
                self.refuse(f"has {met[0] if met else 'something'} run where no trace sees it")
        return found


@contextmanager
def unwatched() -> Iterator[None]:
    """Do not watch what the machine itself runs."""
    watching = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(watching)


def _is_within(frame: FrameType) -> bool:
    """Whether code runs because a symbol computes."""
    back: FrameType | None = frame
    while back is not None and back.f_globals is not globals():
        if not is_written(back) and home(back) == _TERMS:
            return True
        back = back.f_back
    return False
