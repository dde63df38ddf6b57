"""NumPy while code runs under watch: its new arrays hold symbols, and no text gets into them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import wraps
from math import isfinite
from types import FrameType
from typing import Any, Final

import numpy as np

from theory._frames import home
from theory.incentives.proving._allowed import NUMPY
from theory.proofs import running

__all__ = ["followed"]

_MAKERS: Final = frozenset({"zeros", "ones", "empty", "full"})
_KINDS: Final = frozenset("biufcO")
_WORDS: Final = frozenset({"stable", "left", "right", "ij", "xy"})

Met = Callable[[str], None]


@contextmanager
def followed(met: Met, *, exact: bool) -> Iterator[None]:
    """Have each function of NumPy that code may call say that it was called.

    ``met`` is told "" for a call, or why nothing may rest on it: an array of texts or times is
    made of what a clock or a text says. With ``exact``, new arrays of floats hold terms for the
    numbers that these stand for, and so can hold symbols.
    """
    functions: dict[str, Any] = np.__dict__
    before = {name: functions[name] for name in _NAMES}
    _told_of.append((met, exact))
    try:
        functions.update(_TELLING)
        yield
    finally:
        functions.update(before)
        _told_of.pop()


_NAMES: Final = tuple(sorted(name for name in NUMPY if name in vars(np)))
_told_of: list[tuple[Met, bool]] = []
"""Who is told of a call, the innermost run last, and whether new arrays are exact."""


def _telling(function: Callable[..., Any], *, makes: bool = False) -> Callable[..., Any]:
    """Return a function that does the same, and says that it was called."""

    @wraps(function, assigned=("__name__", "__doc__"), updated=())
    def call(*arguments: Any, **named: Any) -> Any:
        if not _told_of or _is_ours(_asking()):
            return function(*arguments, **named)
        met, exact = _told_of[-1]
        if "where" in named and "out" not in named:
            met("leaves entries of a new array as they were in memory")
        for given in (*arguments, *named.values()):
            if isinstance(given, str | bytes) and given not in _WORDS:
                met(f"gives NumPy the text {given!r}")
        made = function(*arguments, **named)
        met("" if _computes(made) else "makes an array of texts, times or records")
        return _exact(made) if makes and exact and isinstance(made, np.ndarray) else made

    if isinstance(function, np.ufunc):
        for name in ("reduce", "accumulate", "outer"):
            setattr(call, name, _telling(getattr(function, name)))
    return call


def _asking() -> FrameType | None:
    """Return the frame that calls NumPy, beyond this module and type checks."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and home(frame).startswith((__name__, "jaxtyping.")):
        frame = frame.f_back
    return frame


def _is_ours(frame: FrameType | None) -> bool:
    """Whether NumPy, or this library, calls for itself."""
    return frame is not None and home(frame).partition(".")[0] in _OURS


_OURS: Final = frozenset({"numpy", "theory", "sympy"})


def _computes(made: Any) -> bool:
    if isinstance(made, tuple | list):
        return all(map(_computes, made))
    return not isinstance(made, np.ndarray | np.generic) or made.dtype.kind in _KINDS


def _exact(made: np.ndarray) -> np.ndarray:
    tracer = running()
    if made.dtype != np.float64 or tracer is None:
        return made
    tracer.met_floats = True
    entries = np.empty(made.shape, dtype=object)
    floats = made.ravel().tolist()
    entries.ravel()[:] = [tracer.number(Fraction(x)) if isfinite(x) else x for x in floats]
    return entries


_ONCE: Final = {
    id(function): _telling(function, makes=function.__name__ in _MAKERS)
    for function in (vars(np)[name] for name in _NAMES)
}
"""One for each function: some have two names."""

_TELLING: Final = {name: _ONCE[id(vars(np)[name])] for name in _NAMES}
