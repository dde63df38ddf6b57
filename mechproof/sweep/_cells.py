"""One cell: the check is called, and what it gives becomes scalars by name, or an error."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mechproof.sweep._check_name import name_of
from mechproof.sweep._grid import Grid
from mechproof.sweep._scalars import Scalar, scalar, text_of
from theory.errors import InvalidInputError

__all__ = ["CellRun", "cell_run", "is_seed"]

_CHANCE: Final = ("seed", "rng")
"""What a check may ask for beside the axes: randomness of its own."""
_LONGEST: Final = 2000
"""Characters of the message of an error that are kept."""


@dataclass(frozen=True)
class CellRun:
    """Runs the check at one cell; it can be sent to another process when the check can.

    Attributes
    ----------
    check : callable
    names : tuple of str
        The axes.
    seed : int
        That of the sweep. A cell's own depends on it and on what the cell holds, nothing else.
    chance : tuple of str
        Which of ``seed`` and ``rng`` the check is given.
    """

    check: Callable[..., Any]
    names: tuple[str, ...]
    seed: int
    chance: tuple[str, ...]

    def __call__(self, values: tuple[Scalar, ...]) -> str:
        """Return a line's part on the outcome, as JSON without the outer braces."""
        cell = dict(zip(self.names, values, strict=True))
        try:
            found = _by_name(self.check(**cell, **self._make_own_arguments(cell)))
            for name in found:
                if name in cell:
                    raise TypeError(f"the check returned {name!r}, which is an axis")
            return f'"values":{text_of(found)}'
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # what ends a test or a task ends no sweep
            return f'"error":{json.dumps(_describe_exception(error, self.check))}'

    def _make_own_arguments(self, cell: dict[str, Scalar]) -> dict[str, Any]:
        if not self.chance:
            return {}
        from theory.claims import spawn_seed

        own: dict[str, Any] = {}
        seed = spawn_seed(self.seed, text_of(dict(sorted(cell.items()))))
        if "seed" in self.chance:
            own["seed"] = seed
        if "rng" in self.chance:
            from numpy.random import default_rng

            own["rng"] = default_rng(seed)
        return own


def is_seed(value: Any) -> bool:
    """Whether a value can be the seed of a sweep: a whole number of at most 128 bits."""
    return type(value) is int and 0 <= value < 1 << 128


def cell_run(grid: Grid, check: Any, seed: Any) -> CellRun:
    """Return what runs the check at the cells of a grid.

    Raises
    ------
    InvalidInputError
        When the check cannot be called with the names of the grid.
    """
    if not callable(check):
        raise InvalidInputError("check", check, "cannot be called", "give a function")
    if not is_seed(seed):
        fix = "give an integer of at least 0, of at most 128 bits"
        raise InvalidInputError("seed", seed, "is no seed", fix)
    try:
        signature = inspect.signature(check)
    except (TypeError, ValueError):  # written in C, and tells nothing
        return CellRun(check, grid.names, seed, ())
    given = check.keywords if isinstance(check, functools.partial) else {}
    chance = tuple(
        name
        for name in _CHANCE
        if name in signature.parameters
        and signature.parameters[name].kind
        in {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
        and name not in grid.names
        and name not in given
    )
    try:
        signature.bind(**dict.fromkeys((*grid.names, *chance)))
    except TypeError as error:
        fix = f"let it take the axes as arguments by name: {', '.join(grid.names)}"
        problem = f"does not fit the grid ({error})"
        raise InvalidInputError("check", name_of(check), problem, fix) from error
    return CellRun(check, grid.names, seed, chance)


def _by_name(found: Any) -> dict[str, Scalar]:
    """Return what a check gave as scalars by name.

    Raises
    ------
    TypeError
        When it is neither a scalar nor a mapping to scalars, nor a finding on mechanisms.
    """
    if isinstance(found, Mapping):
        return {_name(name): _scalar(value, f"{name!r}, which") for name, value in found.items()}
    incentives = sys.modules.get("theory.incentives")
    if incentives is not None and isinstance(found, incentives.PropertyFinding):
        return _read_finding(found)
    if incentives is not None and isinstance(found, incentives.MechanismReport):
        return {
            f"{finding.property}.{name}": value
            for finding in found.findings
            for name, value in _read_finding(finding).items()
        }
    if found is None:
        raise TypeError("the check returned nothing")
    return {"value": _scalar(found, "what")}


def _read_finding(finding: Any) -> dict[str, Scalar]:
    return {
        "status": str(finding.status),
        "strength": str(finding.strength),
        "slack": finding.slack,
        "witness": finding.witness.story if finding.witness is not None else None,
    }


def _name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"the check returned a value named {name!r}, which is not text")
    return str.__str__(name)


def _scalar(value: object, what: str) -> Scalar:
    try:
        return scalar(value)
    except TypeError as error:
        raise TypeError(f"the check returned {what} {error}") from None


def _describe_exception(error: BaseException, check: Any) -> str:
    """Say in one line what was raised and where, the same in every process.

    The place is the last line of the check's own file that was run, or else the last of all; none
    where the check had ended.
    """
    try:
        message = " ".join(str(error).split())[:_LONGEST].encode(errors="backslashreplace").decode()
    except Exception:
        message = ""
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    places = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    own = [place for place in places if place[0] == _file(check)]
    theirs = [place for place in places if os.path.dirname(place[0]) != os.path.dirname(__file__)]
    for file, line in (own or theirs)[-1:]:
        text += f" (at {os.path.basename(file)}:{line})"
    return text


def _file(check: Any) -> str:
    """Return the file in which a check is written; nothing where it does not say."""
    if isinstance(check, functools.partial):
        return _file(check.func)
    try:
        function = inspect.unwrap(check)
    except Exception:  # its own code may fail when it is asked, as the check has
        return ""
    if not hasattr(function, "__code__") and not hasattr(function, "__func__"):
        function = type(check).__call__
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return str(getattr(code, "co_filename", ""))
