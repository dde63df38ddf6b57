"""Functions of NumPy: new arrays hold symbols, none that was there is written, no text gets in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import inf, isfinite
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory._frames import running_module
from theory.incentives.proving._allowed_code import CHANGING, NUMPY, PLAIN, SYMBOL
from theory.incentives.proving._classes import descends, is_a_class
from theory.incentives.proving._code_owner import is_of_a_library
from theory.incentives.proving._object_kinds import NUMBERS, base_array
from theory.incentives.proving._operations import Operations
from theory.proofs import running

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = ["OF_NUMPY", "Arrays"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

OF_NUMPY: Final = {id(vars(np)[name]): name for name in sorted(NUMPY) if name in vars(np)}
_NEW_ARRAYS: Final = frozenset({"zeros", "ones", "full"})
_REDUCING: Final = frozenset(["all", "any", "max", "mean", "min", "prod", "sum"])
"""What begins with an initial number, so that no entry is left out of what it makes."""

_KINDS: Final = frozenset("biufcO")
_LIBRARIES: Final = frozenset({"numpy", "theory", "sympy", "jaxtyping"})
_WORDS: Final = frozenset({"stable"})


class Arrays(Operations):
    """Calls of functions of NumPy."""

    exact: bool

    def __init__(self) -> None:
        super().__init__()
        self._originals: dict[int, Any] = {}
        self.as_floats: dict[int, tuple[Any, Fraction]] = {}
        """Symbols that stand for numbers which were written into arrays of floats."""

    def forget(self) -> None:
        """Forget what a run made, when it has ended."""
        super().forget()
        self.as_floats = {}

    def numpy(self, frame: Frame | None, name: str, function: Any, given: Any, named: Any) -> Any:
        """Call a function of NumPy: new arrays hold symbols, and no text gets into them."""
        self.met_arrays = True
        tracer = running()
        if tracer is not None:
            tracer.met_arrays = True
        out = named.get("out")
        outs = out if type(out) is tuple else (out,)
        new = name not in _REDUCING and any(type(each) is not np.ndarray for each in outs)
        if new and "where" in named:
            self.refuse("leaves entries of a new array as they were in memory")
        everything = (*given, *named.values())
        for part in everything:
            kind: Any = type(part)
            if kind is str and part not in _WORDS:
                self.refuse(f"gives NumPy the text {part!r}")
            if is_a_class(part):
                if not is_of_a_library(part):
                    self.refuse("gives NumPy a class, into which a trace does not see")
            elif id(type(part)) not in PLAIN and not self.is_data(part):
                self.refuse("gives NumPy an object, into which a trace does not see")
            self.require_order(part)
        if name == "argsort":
            self.refuse_ties(named)
        if id(function) in CHANGING:
            if not given:
                self.refuse("gives by its name what a function changes")
            self.change(given[0])
        with self.unwritten(everything):
            found = function(*given, **named)
        if not _computes(found):
            self.refuse("makes an array of texts, times or records")
        if name in _NEW_ARRAYS and type(found) is np.ndarray:
            found = self._new_array(name, found)
        self.come_of(found, everything)
        if id(function) in CHANGING or out is not None:
            for array in _arrays((*outs, *given[:1])):
                self.settle(array)
        held = {id(base_array(part)) for part in _arrays(everything)}
        for array in _arrays((found,)):
            if id(base_array(array)) not in held:
                self.make(base_array(array))
        return found

    def refuse_ties(self, named: Any) -> None:
        """End the proof where equal numbers may be ordered as the processor likes it best."""
        if named.get("kind") != "stable" and named.get("stable") is not True:
            self.refuse('orders numbers by argsort without kind="stable": ties come in any order')

    def come_of(self, found: Any, things: Any) -> None:
        """Note which arrays stand for arrays of floats, as those do that they were made of."""
        if any(id(base_array(array)) in self.floats for array in _arrays(things)):
            for array in _arrays((found,)):
                if array.dtype.hasobject:
                    self.floats[id(base_array(array))] = base_array(array)

    def settle(self, array: np.ndarray) -> None:
        """Make of what was written into an array what one of floats would hold."""
        if id(base_array(array)) in self.floats and running() is not None:
            for at in np.ndindex(array.shape):
                array[at] = self.as_float(array[at])

    def as_float(self, value: Any) -> Any:
        """Return what an array of floats makes of a value; refuse what it would make another."""
        tracer = running()
        kind = type(value)
        if kind is np.ndarray:
            return [self.as_float(part) for part in value] if value.ndim else value.item()
        if kind is list or kind is tuple:
            return [self.as_float(part) for part in value]
        if tracer is None or id(kind) == SYMBOL:
            return value
        real = id(kind) in NUMBERS or descends(kind, np.bool_)
        if not (real or descends(kind, np.integer) or descends(kind, np.floating)):
            self.refuse(f"writes a {kind.__name__} into an array of floats")
        try:
            near = float(value)
        except OverflowError:
            near = inf
        if near != value and value == value:  # noqa: PLR0124 - NaN is itself
            self.refuse("writes a number into an array of floats that none of them is")
        if not isfinite(near):
            return value
        made = tracer.number(Fraction(near))
        self.as_floats[id(made)] = made, Fraction(near)
        return made

    @contextmanager
    def unwritten(self, things: Any) -> Iterator[None]:
        """Let no array be written that was there before."""
        kept = [
            array
            for each in _arrays(things)
            for array in (each, base_array(each))
            if type(array) is np.ndarray
            and array.flags.writeable
            and not self.is_made(base_array(each))
        ]
        for array in kept:
            array.flags.writeable = False
        try:
            yield
        finally:
            for array in reversed(kept):
                array.flags.writeable = True

    @contextmanager
    def arrays(self) -> Iterator[None]:
        """Have new arrays hold symbols where Python runs code, as they do here."""
        known: Any = np.__dict__
        making = {name: known[name] for name in _NEW_ARRAYS}
        ours = {id(made): self._for_python(name, made) for name, made in making.items()}
        self._originals = {id(ours[id(made)]): made for made in making.values()}
        places = [(known, name, made) for name, made in making.items()]
        places += self.asked_by_name(making.values())  # from numpy import zeros
        for table, name, made in places:
            table[name] = ours[id(made)]
        try:
            yield
        finally:
            for table, name, made in places:
                table[name] = made

    def original(self, thing: Any) -> Any:
        """Return the function of NumPy that another stands for here; anything else as it is."""
        return self._originals.get(id(thing), thing)

    def _for_python(self, name: str, function: Any) -> Any:
        """Return what stands for a function of NumPy; a lambda, as no decorator gets between."""
        return lambda *given, **named: self._asked_by(
            sys._getframe(1), name, function(*given, **named)
        )

    def _asked_by(self, frame: FrameType, name: str, found: Any) -> Any:
        return (
            found
            if running_module(frame).partition(".")[0] in _LIBRARIES
            else self._new_array(name, found)
        )

    def _new_array(self, name: str, made: np.ndarray) -> np.ndarray:
        tracer = running() if self.exact else None
        if tracer is None or made.dtype != np.float64:
            return made
        entries = np.empty(made.shape, dtype=object)
        tracer.met_floats = True
        floats = made.ravel().tolist()
        entries.ravel()[:] = [tracer.number(Fraction(x)) if isfinite(x) else x for x in floats]
        self.floats[id(entries)] = entries
        return entries


def _arrays(things: Any) -> Iterator[np.ndarray]:
    for thing in things:
        if type(thing) is np.ndarray:
            yield thing
        elif type(thing) is list or type(thing) is tuple:
            yield from _arrays(thing)


def _computes(made: Any) -> bool:
    kind = type(made)
    if kind is tuple or kind is list:
        return all(map(_computes, made))
    if kind is np.ndarray or descends(kind, np.generic):
        return made.dtype.kind in _KINDS
    return True
