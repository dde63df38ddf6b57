"""Why there is no trace: what went wrong, and at which line of the user's code."""

from __future__ import annotations

import sysconfig
from os.path import basename, dirname
from traceback import FrameSummary, extract_tb
from typing import Final

import theory
from theory.incentives._record import message

__all__ = ["TakesTooLong", "Untraced", "describe_line", "untraced_by"]

_OURS: Final = dirname(theory.__file__)
_LIBRARIES: Final = tuple(
    sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")
)


class Untraced(Exception):  # noqa: N818 - no error of the user's; caught where a proof is tried
    """Raised where code cannot be followed over symbols, or differs from what was followed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TakesTooLong(Untraced):
    """Raised where Python, too, would need long for one step of the code: no search runs it."""


def untraced_by(error: Exception, where: str = "") -> Untraced:
    """Return why a run over symbols ended with an exception, and in which line of the user's."""
    if isinstance(error, Untraced):
        return error
    frames = [f for f in extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
    if isinstance(error, ImportError) and frames and frames[-1].filename.startswith(_OURS):
        return Untraced(f"this library needs what is not installed: {message(error)}")
    if where:
        return Untraced(f"{where}: {message(error)}")
    lines = [frame for frame in frames if not _is_library(frame.filename)]
    if not lines:
        return Untraced(message(error))
    return Untraced(f"{describe_line(lines[-1])}: {message(error)}")


def _is_library(filename: str) -> bool:
    """Whether a file is part of this library's definitions, of Python or of what is installed."""
    return filename.startswith((_OURS, *_LIBRARIES))


def describe_line(frame: FrameSummary) -> str:
    """Return a line of code for a reader: file, number and text."""
    text = f", `{frame.line}`" if frame.line else ""
    return f"{basename(frame.filename)}, line {frame.lineno}{text}"
