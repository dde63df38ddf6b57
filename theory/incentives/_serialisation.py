"""Types and settings as text: JSON to keep, Python to paste."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from io import StringIO
from itertools import pairwise
from math import isfinite
from tokenize import generate_tokens
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.incentives._expectation import InExpectation
from theory.incentives._mechanism import Traced, Vectorised
from theory.incentives._types import Box, DrawnTypes, FiniteTypes, Product, Reals, Simplex
from theory.incentives._values import (
    Rewards,
    SingleItem,
    SingleParameter,
    ValueFunction,
    ValueTable,
)
from theory.incentives.setting import Setting, SingleAlternative
from theory.numbers import rational

__all__ = ["Source", "from_plain", "to_plain", "wrap_at_commas"]

_WIDTH: Final = 100
_LISTED: Final = 8
"""Consecutive integers are listed up to this many; more are a range."""


def to_plain(value: Any) -> Any:
    """Return a type as JSON knows it: {"/": text} for a fraction, {"float": text}, lists.

    Raises
    ------
    InvalidInputError
        For anything but numbers, text, truth values, None and tuples of these.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction):
        return {"/": str(value)}
    if isinstance(value, float):
        return {"float": float.__repr__(value)}
    if isinstance(value, tuple):
        return [to_plain(v) for v in value]
    if value is None or isinstance(value, str | int):
        return value
    fix = "use numbers, text or tuples as types"
    raise InvalidInputError("witness", value, "cannot be written as JSON", fix)


def from_plain(value: Any) -> Any:
    """Return the type that :func:`to_plain` wrote.

    Raises
    ------
    NumberError
        For a fraction that is none, or has more than ``theory.numbers.reading.MAX_DIGITS`` digits.
    KeyError, TypeError, ValueError
        For what :func:`to_plain` does not write.
    """
    if isinstance(value, dict):
        return float(value["float"]) if "float" in value else rational(value["/"])
    return tuple(map(from_plain, value)) if isinstance(value, list) else value


class Source:
    """Python text that names things, with the imports that it needs.

    What has no name that can be imported is left to the reader, as ``...`` with a comment.
    """

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.gaps: list[tuple[str, Any]] = []

    def header(self) -> str:
        """Return the import lines, and one for each gap."""
        lines = [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.imports.items())
        ]
        return "\n".join([*lines, *(f"\n{name} = ...  # put it here" for name, _ in self.gaps)])

    def use(self, module: str, name: str) -> str:
        """Note an import, and return the name."""
        self.imports.setdefault(module, set()).add(name)
        return name

    def name(self, thing: Any, otherwise: str) -> str:
        """Return an expression for a function or object of the user's."""
        if isinstance(thing, Vectorised | Traced) and type(thing) in (Vectorised, Traced):
            wrapper = self.use("theory.incentives", type(thing).__name__)
            return f"{wrapper}({self.name(thing.function, otherwise)})"
        if type(thing) is InExpectation:
            wrapper = self.use("theory.incentives", "InExpectation")
            return f"{wrapper}({self.name(thing.mechanism, otherwise)})"
        return self._write_known(thing) or self._gap(thing, otherwise)

    def value(self, value: Any) -> str:
        """Return an expression for a type, or for nested data with types in it."""
        match value:
            case np.generic():
                return self.value(value.item())
            case Enum():
                owner = self._import_name(type(value))
                return f"{owner}.{value.name}" if owner else self._gap(value, "label")
            case Fraction():
                return self._fraction(value)
            case Decimal():
                self.use("decimal", "Decimal")
            case float() if not isfinite(value):
                return f'float("{value}")'
            case None | bool() | int() | float() | str() | bytes():
                pass
            case Mapping():
                pairs = (f"{self.value(k)}: {self.value(v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
            case list():
                return f"[{self._write_list(value)}]"
            case tuple() if type(value) is tuple:
                return f"({self._write_list(value)}{',' if len(value) == 1 else ''})"
            case frozenset():
                return f"frozenset([{self._write_list(value)}])"
            case _:
                return self._write_known(value) or self._gap(value, "label")
        return repr(value)

    def space(self, space: Any) -> str:
        """Return an expression for a type space."""
        kind = type(space)
        if kind is FiniteTypes:
            inside = self._types(space.types)
        elif kind is Box:
            low, high = (
                self.value(list(side) if space.vector else side[0])
                for side in (space.low, space.high)
            )
            inside = f"{low}, {high}"
        elif kind is Reals:
            bounds = (("low", space.low), ("high", space.high))
            inside = ", ".join(f"{k}={self.value(v)}" for k, v in bounds if v is not None)
        elif kind is Simplex:
            inside = str(space.dimension)
        elif kind is Product:
            inside = ", ".join(map(self.space, space.spaces))
        elif kind is DrawnTypes:
            inside = self.name(space.strategy, "strategy")
        else:
            return self.name(space, "space")
        return f"{self.use('theory.incentives', kind.__name__)}({inside})"

    def valuation(self, valuation: Any) -> str:
        """Return an expression for values."""
        kind = type(valuation)
        if kind is ValueFunction:
            return self.name(valuation.function, "values")
        if kind is ValueTable:
            tables = valuation.tables
            inside = self.value(tables[0] if len(tables) == 1 else list(tables))
        elif kind in (SingleItem, SingleParameter, Rewards):
            inside = ""
        else:
            return self.name(valuation, "values")
        return f"{self.use('theory.incentives', kind.__name__)}({inside})"

    def setting(self, setting: Setting, *, with_prior: bool) -> list[str]:
        """Return the arguments of a call about this setting."""
        spaces = [self.space(space) for space in setting.spaces]
        alike = len(set(spaces)) == 1
        lines = [f"types={spaces[0]}" if alike else f"types=[{', '.join(spaces)}]"]
        lines += [f"agents={setting.agents}"] if alike else []
        if setting.passed_values is not None:
            lines.append(f"values={self.valuation(setting.passed_values)}")
        if with_prior and setting.prior is not None:
            prior = self.use("theory.incentives", "Prior")
            lines.append(f"prior={prior}({self.value(setting.prior.masses)})")
        if setting.epsilon:
            lines.append(f"epsilon={self.value(setting.epsilon)}")
        for name, function in (
            ("feasible", setting.passed_feasible), ("alternatives", setting.passed_alternatives)
        ):  # fmt: skip
            if isinstance(function, SingleAlternative):
                lines.append(f"{name}=lambda agents: [{self.value(function.alternative)}]")
            elif function is not None:
                lines.append(f"{name}={self.name(function, name)}")
        if isinstance(setting.passed_value_of_names, str):
            lines.append(f"value_of_names={self.value(setting.passed_value_of_names)}")
        elif setting.passed_value_of_names is not None:
            lines.append(
                f"value_of_names={self.name(setting.passed_value_of_names, 'value_of_names')}"
            )
        if setting.seed:
            lines.append(f"seed={setting.seed}")
        return lines

    def _fraction(self, value: Fraction) -> str:
        if value.denominator == 1:
            return str(value.numerator)
        return f"{self.use('fractions', 'Fraction')}({value.numerator}, {value.denominator})"

    def _write_list(self, values: Any) -> str:
        return ", ".join(map(self.value, values))

    def _types(self, types: tuple[Any, ...]) -> str:
        whole = all(type(t) is int for t in types) and len(types) > _LISTED
        if whole and types == tuple(range(types[0], types[0] + len(types))):
            start = f"{types[0]}, " if types[0] else ""
            return f"range({start}{types[0] + len(types)})"
        return self.value(list(types))

    def _write_known(self, thing: Any) -> str:
        """Return the name of what can be imported, or a call that makes a dataclass or a tuple."""
        named = self._import_name(thing)
        kind = type(thing)
        if named or isinstance(thing, type):
            return named
        if is_dataclass(thing):
            parts = {f.name: getattr(thing, f.name) for f in fields(thing) if f.init}
        elif hasattr(thing, "_asdict"):
            parts = thing._asdict()
        else:
            return ""
        maker = self._import_name(kind)
        inside = ", ".join(f"{name}={self.value(part)}" for name, part in parts.items())
        return f"{maker}({inside})" if maker else ""

    def _import_name(self, thing: Any) -> str:
        """Return the name of a function or class, imported; empty where it has none."""
        path = getattr(thing, "__qualname__", None)
        module = getattr(thing, "__module__", None)
        if not isinstance(path, str) or not isinstance(module, str) or module == "__main__":
            return ""
        if _find_in_module(module, path) is not thing:
            return ""
        public = module.partition("._")[0]
        module = public if _find_in_module(public, path) is thing else module
        first = path.partition(".")[0]
        if any(first in names for home, names in self.imports.items() if home != module):
            return ""
        self.use(module, first)
        return path

    def _gap(self, thing: Any, otherwise: str) -> str:
        """Return the name of a gap: of a new one, unless the thing has one."""
        for name, known in self.gaps:
            if known is thing:
                return name
        taken = {name for name, _ in self.gaps}
        numbered = (f"{otherwise}_{k}" for k in range(2, len(taken) + 2))
        name = next(n for n in (otherwise, *numbered) if n not in taken)
        self.gaps.append((name, thing))
        return name


def wrap_at_commas(expression: str, indent: str) -> str:
    """Return an expression on lines that end at its commas, where it is too long for one."""
    tokens = generate_tokens(StringIO(expression).readline)
    cuts = [0, *(t.end[1] for t in tokens if t.string == ","), len(expression)]
    lines: list[str] = []
    for begin, end in pairwise(cuts):
        part = expression[begin:end]
        if lines and len(indent + lines[-1] + part) < _WIDTH:
            lines[-1] += part
        else:
            lines.append(f"    {part.lstrip()}" if lines else part)
    return "\n".join(indent + line for line in lines)


def _find_in_module(module: str, path: str) -> Any:
    """Return what stands under a name in a module; None where nothing does."""
    found = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found
