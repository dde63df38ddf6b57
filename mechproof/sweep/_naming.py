"""The name of a check with all that it is bound to: what tells two checks apart."""

from __future__ import annotations

import functools
import os
import pickle
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from mechproof.sweep._scalars import scalar, text_of

__all__ = ["name_of", "program"]

_LONGEST: Final = 200
"""Characters of what a check is bound to that are written; a digest of all follows."""
_DEEPEST: Final = 20
_SAY: Final = ("__reduce__", "__reduce_ex__", "__getstate__")


def name_of(check: Any) -> str:
    """Return ``module:function`` and what it is bound to.

    Bound are the arguments of a :func:`functools.partial`, the variables and defaults that a
    function took from the one that made it, and the attributes of an instance: of a dataclass,
    those that count when two are compared. A lambda is told from others by a digest of its code.
    What can neither be written nor pickled, a lock for instance, is named by its kind.
    """
    return _Naming().name(check)


def program(module: str = "__main__") -> str:
    """Return the name of the file that is run, "__main__" where there is none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return os.path.splitext(os.path.basename(file))[0] if file else "__main__"


class _Naming:
    """One walk through a check. What holds itself is named within itself by its kind alone."""

    def __init__(self) -> None:
        self._inside: list[int] = []

    def name(self, value: Any) -> str:
        if id(value) in self._inside or len(self._inside) > _DEEPEST:
            return _place(type(value))
        self._inside.append(id(value))
        try:
            return self._named(value)
        finally:
            self._inside.pop()

    def _named(self, value: Any) -> str:
        match value:
            case functools.partial():
                return self.name(value.func) + self._all(value.args, value.keywords)
            case MethodType():
                return f"{self.name(value.__self__)}.{value.__name__}"
            case FunctionType():
                return self._function(value)
            case ModuleType():
                return value.__name__
            case Enum():
                return f"{_place(type(value))}.{value.name}"
            case BuiltinFunctionType() if not isinstance(value.__self__, ModuleType | None):
                return f"{self.name(value.__self__)}.{value.__name__}"
        if hasattr(value, "__qualname__"):
            return _place(value)
        state = _state(value)
        return _place(type(value)) + (_pickled(value) if state is None else self._of(state))

    def _function(self, function: FunctionType) -> str:
        name = _place(function)
        if "<" not in function.__qualname__:
            return name
        if function.__name__ == "<lambda>":
            name += f"#{_digest(_code(function.__code__))}"
        closure = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        bound = {variable: cell.cell_contents for variable, cell in closure if _is_set(cell)}
        return name + self._of(bound, function.__defaults__ or (), function.__kwdefaults__ or {})

    def _of(
        self,
        named: Mapping[str, Any],
        values: Sequence[Any] = (),
        more: Mapping[str, Any] | None = None,
    ) -> str:
        """Return what is bound, in parentheses, or nothing where nothing is."""
        named = {**named, **(more or {})}
        return self._all(values, named) if named or values else ""

    def _all(self, values: Sequence[Any], named: Mapping[str, Any]) -> str:
        shown = [self._shown(value) for value in values]
        shown += [f"{name}={self._shown(value)}" for name, value in sorted(named.items())]
        text = ", ".join(shown)
        if len(text) > _LONGEST:
            text = f"{text[:_LONGEST]}… #{_digest(text)}"
        return f"({text})"

    def _shown(self, value: Any) -> str:
        try:
            return text_of({"": scalar(value)})[4:-1]
        except TypeError:
            pass
        match value:
            case Mapping():
                parts = [f"{self._shown(k)}: {self._shown(v)}" for k, v in value.items()]
                return f"{{{', '.join(parts)}}}"
            case Set():
                return f"{{{', '.join(sorted(map(self._shown, value)))}}}"
            case tuple() | list():
                return f"[{', '.join(map(self._shown, value))}]"
        return self.name(value)


def _state(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an instance, or None where it says itself how to write its state."""
    if is_dataclass(value):
        return {f.name: getattr(value, f.name, None) for f in fields(value) if f.compare}
    slots = [
        name
        for kind in type(value).__mro__
        for given in [kind.__dict__.get("__slots__", ())]
        for name in ((given,) if isinstance(given, str) else tuple(given))
        if name not in {"__dict__", "__weakref__"}
    ]
    says = any(getattr(type(value), name, None) is not getattr(object, name, None) for name in _SAY)
    if says or not (hasattr(value, "__dict__") or slots):
        return None
    return {
        **getattr(value, "__dict__", {}),
        **{name: getattr(value, name) for name in slots if hasattr(value, name)},
    }


def _pickled(value: Any) -> str:
    try:
        return f"(#{_digest(pickle.dumps(value))})"
    except Exception:
        return ""


def _place(code: Any) -> str:
    """Name the module and the name in it; the program that is run, by its file."""
    module = getattr(code, "__module__", None) or ""
    if module in {"__main__", "__mp_main__"}:
        module = program(module)
    return f"{module}:{code.__qualname__}"


def _is_set(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - raises where the variable has no value yet
    except ValueError:
        return False
    return True


def _code(code: CodeType) -> str:
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _digest(of: str | bytes) -> str:
    return sha256(of if isinstance(of, bytes) else of.encode("utf-8", "replace")).hexdigest()[:12]
