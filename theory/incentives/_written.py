"""Types and settings as text: JSON to keep, Python to paste."""

from __future__ import annotations

from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInputError
from theory.incentives._mechanism import Traced, Vectorised
from theory.incentives._setting import Setting
from theory.incentives._types import Box, FiniteTypes, Product, Simplex
from theory.incentives._values import Given, Rewards, SingleItem, SingleParameter, ValueTable

__all__ = ["Source", "from_plain", "to_plain"]


def to_plain(value: Any) -> Any:
    """Return a type as JSON knows it: a fraction as {"/": text}, a tuple as a list.

    Raises
    ------
    InvalidInputError
        For anything but numbers, text, truth values, None and tuples of these.
    """
    if isinstance(value, Fraction):
        return {"/": str(value)}
    if isinstance(value, tuple):
        return [to_plain(v) for v in value]
    if value is None or isinstance(value, str | int):
        return value
    fix = "use numbers, text or tuples as types"
    raise InvalidInputError("witness", value, "cannot be written as JSON", fix)


def from_plain(value: Any) -> Any:
    """Return the type that :func:`to_plain` wrote."""
    if isinstance(value, dict):
        return Fraction(value["/"])
    return tuple(map(from_plain, value)) if isinstance(value, list) else value


class Source:
    """Python text that names things, with the imports that it needs.

    What has no name that can be imported is left to the reader, as ``...`` with a comment.
    """

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.gaps: list[str] = []

    def header(self) -> str:
        """Return the import lines."""
        lines = [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.imports.items())
        ]
        return "\n".join([*lines, *(f"\n{name} = ...  # put it here" for name in self.gaps)])

    def name(self, thing: Any, otherwise: str) -> str:
        """Return an expression for a function or object of the user's."""
        if isinstance(thing, Vectorised | Traced):
            wrapper = type(thing).__name__
            self.use("theory.incentives", wrapper)
            return f"{wrapper}({self.name(thing.function, otherwise)})"
        named = getattr(thing, "__qualname__", None)
        module = getattr(thing, "__module__", None)
        if named and module and named.isidentifier() and module != "__main__":
            self.use(module, named)
            return str(named)
        kind = type(thing)
        if (
            is_dataclass(thing)
            and kind.__qualname__.isidentifier()
            and kind.__module__ != "__main__"
        ):
            self.use(kind.__module__, kind.__name__)
            return self.code_text(repr(thing))
        self.gaps.append(otherwise)
        return otherwise

    def code_text(self, text: str) -> str:
        """Return text that may hold fractions, with their import."""
        if "Fraction(" in text:
            self.use("fractions", "Fraction")
        return text

    def value(self, value: Any) -> str:
        """Return an expression for a type, or for nested data with types in it."""
        return self.code_text(repr(value))

    def use(self, module: str, name: str) -> None:
        """Note an import."""
        self.imports.setdefault(module, set()).add(name)

    def space(self, space: Any) -> str:
        """Return an expression for a type space."""
        self.use("theory.incentives", type(space).__name__)
        match space:
            case FiniteTypes():
                return f"FiniteTypes({self.value(list(space.types))})"
            case Box():
                low, high = (
                    self.value(list(side) if space.vector else side[0])
                    for side in (space.low, space.high)
                )
                return f"Box({low}, {high})"
            case Simplex():
                return f"Simplex({space.dimension})"
            case Product():
                return f"Product({', '.join(map(self.space, space.spaces))})"
        return f"Drawn({self.name(space.strategy, 'strategy')})"

    def valuation(self, valuation: Any) -> str:
        """Return an expression for values."""
        match valuation:
            case SingleItem() | SingleParameter() | Rewards():
                self.use("theory.incentives", type(valuation).__name__)
                return f"{type(valuation).__name__}()"
            case ValueTable():
                self.use("theory.incentives", "ValueTable")
                return f"ValueTable({self.value(list(valuation.tables))})"
            case Given():
                return self.name(valuation.function, "values")
        return self.name(valuation, "values")

    def setting(self, setting: Setting, *, with_prior: bool) -> list[str]:
        """Return the arguments of a call about this setting."""
        spaces = [self.space(space) for space in setting.spaces]
        alike = len(set(spaces)) == 1
        lines = [f"types={spaces[0]}" if alike else f"types=[{', '.join(spaces)}]"]
        lines += [f"agents={setting.agents}"] if alike else []
        if setting.given is not None:
            lines.append(f"values={self.valuation(setting.given)}")
        if with_prior and setting.prior is not None:
            self.use("theory.incentives", "Prior")
            lines.append(f"prior=Prior({self.value(setting.prior.masses)})")
        if setting.epsilon:
            lines.append(f"epsilon={self.value(setting.epsilon)}")
        for name, function in (
            ("feasible", setting.is_feasible), ("alternatives", setting.listed)
        ):  # fmt: skip
            if function is not None:
                lines.append(f"{name}={self.name(function, name)}")
        if setting.seed:
            lines.append(f"seed={setting.seed}")
        return lines
