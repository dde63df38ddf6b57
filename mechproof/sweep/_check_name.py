"""The name of a check with all that it is bound to: what tells two checks apart."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from llm_adapters.secrets import is_secret_name, redact, remove_secrets
from mechproof.sweep._scalars import scalar, text_of

__all__ = ["name_of", "program", "secrets_in"]

_LONGEST: Final = 200
"""Characters of what a value holds that are written; a digest of all follows."""
_DEEPEST: Final = 50
_MOST: Final = 10_000
"""Values with parts that are looked at."""
_SAY: Final = ("__reduce__", "__reduce_ex__", "__getstate__")


def name_of(check: Any) -> str:
    """Return ``module:function`` and what it is bound to.

    Bound are the arguments of a :func:`functools.partial`, the variables and defaults that a
    function took from the one that made it, and the attributes of an instance: of a dataclass,
    those that count when two are compared. A lambda is told from others by a digest of its code.
    Of what is called a password or the like, or looks like a key, a digest is written. What does
    not say what it holds, a lock for instance, is named by its kind.
    """
    naming = _Naming()
    return remove_secrets(naming.name(check), naming.secrets)


def secrets_in(check: Any) -> frozenset[str]:
    """Return the texts that a check is bound to under names such as ``password``."""
    naming = _Naming()
    naming.name(check)
    return frozenset(naming.secrets - {""})


def program(module: str = "__main__") -> str:
    """Return the name of the file that is run, "__main__" if no file is."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return os.path.splitext(os.path.basename(file))[0] if file else "__main__"


class _Naming:
    """One walk through a check. What holds itself is named within itself by its kind alone."""

    def __init__(self) -> None:
        self._inside: list[int] = []
        self._known: dict[int, tuple[Any, str]] = {}
        self.secrets: set[str] = set()

    def name(self, value: Any) -> str:
        """Return the name of a function or a value with parts."""
        if id(value) in self._known:
            return self._known[id(value)][1]
        if id(value) in self._inside or len(self._inside) > _DEEPEST or len(self._known) > _MOST:
            return _place(type(value))
        self._inside.append(id(value))
        try:
            text = self._name(value)
        except Exception:  # code of its class that fails when it is asked what it holds
            text = _place(type(value))
        finally:
            self._inside.pop()
        self._known[id(value)] = (value, text)  # kept alive: no other value gets its id
        return text

    def _name(self, value: Any) -> str:
        if _is_found(value):
            return _place(value)
        match value:
            case functools.partial():
                return self.name(value.func) + self._all(value.args, value.keywords)
            case MethodType():
                return f"{self.name(value.__self__)}.{value.__name__}"
            case FunctionType():
                return self._function(value)
            case type():
                return _place(value) + self._of(_closures(value))
            case ModuleType():
                return value.__name__
            case Enum():
                return f"{_place(type(value))}.{value.name}"
            case BuiltinFunctionType():
                owner = value.__self__
                owned = not isinstance(owner, ModuleType | None)
                return f"{self.name(owner)}.{value.__name__}" if owned else _place(value)
            case dict() | set() | frozenset() | tuple() | list() if type(value) in _PLAIN:
                return self._list(value)
            case bytes() | bytearray():
                return f"bytes(#{_digest(bytes(value))})"
        return self.name(type(value)) + self._of(self._state(value))

    def _function(self, function: FunctionType) -> str:
        code = function.__code__
        name = f"{_module(function)}:{code.co_qualname}"
        if "<" not in code.co_qualname:
            return name
        if code.co_name == "<lambda>":
            name += f"#{_digest(self._code(code))}"
        closure = zip(code.co_freevars, function.__closure__ or (), strict=True)
        bound = {variable: cell.cell_contents for variable, cell in closure if _is_set(cell)}
        bound |= function.__kwdefaults__ or {}
        return name + self._of(bound, function.__defaults__ or ())

    def _list(self, value: Any) -> str:
        match value:
            case dict():
                parts = [f"{self._show(k)}: {self._under(k, v)}" for k, v in value.items()]
                return f"{{{_cut(', '.join(parts))}}}"
            case set() | frozenset():
                return f"set({_cut(', '.join(sorted(map(self._show, value))))})"
        return f"[{_cut(', '.join(map(self._show, value)))}]"

    def _of(self, named: Mapping[str, Any], values: Sequence[Any] = ()) -> str:
        """Return what is bound, in parentheses, or nothing where nothing is."""
        return self._all(values, named) if named or values else ""

    def _all(self, values: Iterable[Any], named: Mapping[str, Any]) -> str:
        shown = [self._show(value) for value in values]
        for name, value in sorted(named.items(), key=lambda item: str(item[0])):
            shown.append(f"{name}={self._under(name, value)}")
        return f"({_cut(', '.join(shown))})"

    def _under(self, name: Any, value: Any) -> str:
        """Return a value that has a name, as a digest where the name says that it is a secret."""
        text = self._show(value)
        if not isinstance(name, str) or not is_secret_name(name, everyday=False):
            return text
        if isinstance(value, str):
            self.secrets.add(str.__str__(value))
        return text if text.startswith("#") else f"#{_digest(text)}"

    def _show(self, value: Any) -> str:
        try:
            text = text_of({"": scalar(value)})[4:-1]
            looks = isinstance(value, str) and redact(value) != value
            return f"#{_digest(text)}" if looks else text
        except TypeError:
            return self.name(value)

    def _state(self, value: Any) -> dict[str, Any]:
        """Return what an instance holds, by name."""
        if is_dataclass(value):
            return {f.name: getattr(value, f.name, None) for f in fields(value) if f.compare}
        found = {} if callable(value) else self._reduce(value)
        if not found:
            held = {**getattr(value, "__dict__", {}), **_slots(value)}
            found = {k: v for k, v in held.items() if not str(k).startswith("__")}
        wrapped = getattr(value, "__wrapped__", None)
        return found if wrapped is None else {**found, "__wrapped__": wrapped}

    def _reduce(self, value: Any) -> dict[str, Any]:
        """Return what an instance is made again from, where its class has its own say in it."""
        kind = type(value)
        if all(getattr(kind, name, None) is getattr(object, name, None) for name in _SAY):
            plain = hasattr(value, "__dict__") or _slots(value)
            if plain and not isinstance(value, list | dict | set | tuple):
                return {}
        try:
            made = value.__reduce_ex__(4)
        except Exception:
            return {}
        if not isinstance(made, tuple):
            return {"made": made}
        parts = [list(part) if _is_iterator(part) else part for part in made]
        return {f"made_{i}": part for i, part in enumerate(parts)}

    def _code(self, code: CodeType) -> str:
        constants = [
            self._code(c) if isinstance(c, CodeType) else self._show(c) for c in code.co_consts
        ]
        return repr((code.co_code, code.co_names, code.co_varnames, constants))


_PLAIN: Final = (dict, set, frozenset, tuple, list)


def _slots(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in type(value).__mro__:
        given = kind.__dict__.get("__slots__", ())
        for name in (given,) if isinstance(given, str) else tuple(given):
            private = name.startswith("__") and not name.endswith("__")
            held = f"_{kind.__name__.lstrip('_')}{name}" if private else name
            if name not in {"__dict__", "__weakref__"} and hasattr(value, held):
                found[held] = getattr(value, held)
    return found


def _closures(kind: type) -> dict[str, Any]:
    """Return the methods of a class that was made in a function."""
    if "<" not in kind.__qualname__:
        return {}
    return {k: v for k, v in kind.__dict__.items() if isinstance(v, FunctionType)}


def _place(code: Any) -> str:
    return f"{_module(code)}:{code.__qualname__}"


def _module(code: Any) -> str:
    """Name the module; the program that is run, by its file."""
    name = getattr(code, "__module__", None) or ""
    return program(name) if name in {"__main__", "__mp_main__"} else name


def _is_found(value: Any) -> bool:
    """Whether a module has this very value under its name, decorated as it may be."""
    name = getattr(value, "__qualname__", None)
    if not isinstance(name, str):
        return False
    found: Any = sys.modules.get(getattr(value, "__module__", None) or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _is_set(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - raises where the variable has no value yet
    except ValueError:
        return False
    return True


def _is_iterator(part: Any) -> bool:
    return hasattr(part, "__next__")


def _cut(text: str) -> str:
    return f"{text[:_LONGEST]}… #{_digest(text)}" if len(text) > _LONGEST else text


def _digest(of: str | bytes) -> str:
    data = of if isinstance(of, bytes) else of.encode("utf-8", "backslashreplace")
    return sha256(data).hexdigest()[:12]
