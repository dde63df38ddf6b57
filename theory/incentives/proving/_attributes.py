"""Attributes of objects, of classes and of modules, by the rules of Python."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from enum import Enum
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex
from theory.incentives.proving._allowed_code import (
    CONTAINERS,
    PLAIN,
    SYMBOL,
    UFUNCS,
    methods_of,
    why_member_is_refused,
)
from theory.incentives.proving._classes import (
    descends,
    is_a_class,
    is_named_tuple,
    mro,
    own_attributes,
)
from theory.incentives.proving._code_owner import is_of_a_library, words
from theory.incentives.proving._object_kinds import ABSENT, NUMBERS, ObjectKinds

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = ["Attributes"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_SPECIAL: Final = words(
    """
    __init__ __post_init__ __new__ __call__ __len__ __getitem__ __setitem__ __contains__ __iter__
    __next__ __missing__ __setattr__ __eq__ __lt__ __le__ __gt__ __ge__ __add__ __sub__ __mul__
    """
)
"""Attributes between double underscores that code may ask for: it is no question of a kind."""

_OF_CLASSES: Final = frozenset({("chain", "from_iterable")})
_FIELD: Final = type(vars(collections.namedtuple("_Pair", "left right"))["left"])


_OF_OURS: Final = {
    id(Outcome): words("allocation payments"),
    id(Lottery): words("support inexact"),
    id(Reals): words("low high"),
    id(Box): words("low high vector"),
    id(FiniteTypes): words("types"),
    id(Product): words("spaces"),
    id(Simplex): words("dimension"),
}
"""What may be asked of objects of this library."""


class Attributes(ObjectKinds):
    """What is asked of objects by name."""

    def attribute(self, frame: Frame, thing: Any, name: str, *, importing: bool = False) -> Any:
        """Return an attribute of an object."""
        kind = type(thing)
        here = id(kind)
        if here == SYMBOL:
            return getattr(thing, name)  # the symbol notices
        if kind is ModuleType:
            return self._of_module(frame, thing, name, importing=importing)
        if name in methods_of(kind):
            if descends(kind, dict):
                self.refuse_entries(thing)
            if here in NUMBERS or descends(kind, np.generic):
                self.look(f"asks for {name}")
            if here == id(np.ndarray):
                self.met_arrays = True
            return getattr(thing, name)
        if frame.ours and (is_of_a_library(kind) or is_a_class(thing)):
            return getattr(thing, name)
        if is_a_class(thing):
            return self._of_class(frame, thing, name)
        if kind is super:
            return self._above(frame, thing, name)
        if kind is FunctionType and not is_of_a_library(thing):
            self.refuse_names(thing, vars(thing))
            return self.see_name(vars(thing), name, _find_attribute(vars(thing), name, thing, self))
        if id(thing) in UFUNCS and name in {"reduce", "accumulate", "outer"}:
            return getattr(thing, name)
        if here in PLAIN or here in CONTAINERS:
            if not hasattr(thing, name):
                raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
            return self.refuse(
                f"asks for {name} of a {kind.__name__}, which tells more than a value"
            )
        of_enum = descends(kind, Enum) and name in {"name", "value"}
        if of_enum and self.own_in_class(kind, name) is None:
            return (own_attributes(thing) or {})[f"_{name}_"]
        if is_of_a_library(kind):
            if name in _OF_OURS.get(id(kind), ()):
                self.is_data(thing)
                return getattr(thing, name)
            if self.is_ours(frame) and _is_of_theory(kind) and not name.startswith("_"):
                return self.under_watch(getattr, (thing, name), {})
            return self.refuse(
                f"asks for {name} of a {kind.__name__}, which tells more than a value"
            )
        return self._of_object(frame, thing, name)

    def _of_module(self, frame: Frame, module: ModuleType, name: str, *, importing: bool) -> Any:
        known = vars(module)
        self.refuse_names(module, known)
        if name not in known:
            if importing:
                raise ImportError(f"cannot import name {name!r} from {module.__name__!r}")
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        found = self.see_name(known, name, known[name])
        told = "" if frame.ours else why_member_is_refused(module, name, found)
        home = getattr(found, "__module__", None) if told and self.is_ours(frame) else None
        if told and not (
            (home is not None and _is_theorys(module)) or str(home).startswith("theory.")
        ):
            self.refuse(f"asks for {told}")
        return found

    def is_a_librarys_method(self, thing: Any, name: str) -> bool:
        """Whether a library's class has a method, and the object nothing of that name."""
        kind = type(thing)
        if not is_of_a_library(kind):
            return False
        return self.in_class(kind, name) is not ABSENT and name not in (own_attributes(thing) or {})

    def is_ours(self, frame: Frame) -> bool:
        """Whether a frame runs code of this library."""
        raise NotImplementedError

    def _of_class(self, frame: Frame, kind: type, name: str) -> Any:
        if is_of_a_library(kind):
            if name in methods_of(kind) or (kind.__name__, name) in _OF_CLASSES:
                return getattr(kind, name)
            if kind is object and name in {"__setattr__", "__new__", "__init__"}:
                return getattr(kind, name)
            if self.is_ours(frame) and _is_of_theory(kind) and not name.startswith("_"):
                return self.under_watch(getattr, (kind, name), {})
            return self.refuse(f"asks for {kind.__name__}.{name}, which tells more than a value")
        self.judge_class(kind)
        if descends(kind, Enum) and name in vars(kind)["_member_map_"]:
            return vars(kind)["_member_map_"][name]
        found = self.in_class(kind, name)
        if found is ABSENT:
            raise AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}")
        if name.startswith("__") and name not in _SPECIAL:
            self.refuse(f"asks for {name}, which no number is known to have")
        if type(found) in {staticmethod, classmethod}:
            return self.bind(found, kind)
        if type(found) is not FunctionType and self._describes(found):
            self.refuse(f"asks for {name} of the class {kind.__name__}, which is no value")
        return found

    def _above(self, frame: Frame, above: Any, name: str) -> Any:
        this, thing = above.__thisclass__, above.__self__
        kind = thing if is_a_class(thing) else type(thing)
        self.judge_class(kind)
        order = [id(base) for base in mro(kind)]
        for base in mro(kind)[order.index(id(this)) + 1 :]:
            if name in vars(base):
                found = vars(base)[name]
                if is_of_a_library(base) and name not in {"__init__", "__setattr__", "__new__"}:
                    break
                if type(found) is property:
                    return self.call(frame, found.fget, (thing,), {})
                if type(found) is FunctionType and is_a_class(thing):
                    return found
                if type(found) in {FunctionType, staticmethod, classmethod}:
                    return self.bind(found, thing)
                if is_of_a_library(base):
                    return getattr(above, name)
                if not self._describes(found):
                    return found
                return self.refuse(f"asks for {name} of a class before, which is no method")
        return self.refuse(f"asks for {name} of a class before, which tells more than a value")

    def _of_object(self, frame: Frame, thing: Any, name: str) -> Any:
        kind = type(thing)
        self.judge_class(kind)
        found = self.in_class(kind, name)
        own = own_attributes(thing)
        if own is None:
            return self.refuse(f"uses a {kind.__name__} whose attributes have rules of their own")
        if name.startswith("__") and name.endswith("__") and name not in _SPECIAL:
            if name == "__class__":
                return kind
            if name not in own:
                return self.refuse(f"asks for {name}, which no number is known to have")
        rule = type(found)
        if rule is property:
            return self.call(frame, found.fget, (thing,), {})
        if rule is MemberDescriptorType or rule is _FIELD:
            return self.see_name(thing, name, found.__get__(thing))
        if found is not ABSENT and self._describes_writing(found):
            return self.refuse(f"asks for {name}, which has rules of its own")
        if not self.is_made(thing):
            self.see_name(own, name, own.get(name, ABSENT))
        if name in own:
            return own[name]
        if found is not ABSENT:
            if rule in {FunctionType, staticmethod, classmethod}:
                return self.bind(found, thing)
            if is_named_tuple(kind) and name in {"count", "index"}:
                return getattr(thing, name)
            if self._describes(found):
                return self.refuse(f"asks for {name}, which has rules of its own")
            return found
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")

    def _describes(self, found: Any) -> bool:
        """Whether something has rules of its own for being an attribute."""
        kind = type(found)
        return any(name in vars(base) for base in mro(kind) for name in ("__get__", "__set__"))

    def set_attribute(self, frame: Frame, thing: Any, name: str, value: Any) -> None:
        """Give an object an attribute, by the rules of its class."""
        own = self.own_in_class(type(thing), "__setattr__") if self._is_object(thing) else None
        if own is not None:
            self.call(frame, self.bind(own, thing), (name, value), {})
            return
        self.write(frame, thing, name, value)

    def write(self, frame: Frame, thing: Any, name: str, value: Any) -> None:
        """Give an object that the run made an attribute."""
        if frame.ours and is_of_a_library(type(thing)):
            setattr(thing, name, value)
            return
        if not self._is_object(thing):
            self.keeps(f"writes {name} of a {type(thing).__name__}")
        if name.startswith("__") and name.endswith("__"):
            self.refuse(f"writes {name}, which no number is known to have")
        found = self.in_class(type(thing), name)
        if type(found) is property:
            if found.fset is None:
                raise AttributeError(f"property {name!r} has no setter")
            self.call(frame, found.fset, (thing, value), {})
            return
        if not self.is_made(thing):
            self.keeps(f"writes {name} of a {type(thing).__name__} that was there before")
        if type(found) is not MemberDescriptorType and self._describes_writing(found):
            self.refuse(f"writes {name}, which has rules of its own")
        object.__setattr__(thing, name, value)

    def _describes_writing(self, found: Any) -> bool:
        return any(
            name in vars(base) for base in mro(type(found)) for name in ("__set__", "__delete__")
        )

    def delete_attribute(self, frame: Frame, thing: Any, name: str) -> None:
        """Remove an attribute of an object that the run made."""
        if not self.is_made(thing) or not self._is_object(thing):
            self.keeps(f"removes {name} of a {type(thing).__name__}")
        known = type(self.in_class(type(thing), name))
        plain = known in {object, MemberDescriptorType}
        if not plain or self.own_in_class(type(thing), "__delattr__") is not None:
            self.refuse(f"removes {name}, which has rules of its own")
        object.__delattr__(thing, name)

    def _is_object(self, thing: Any) -> bool:
        """Whether something is an object of a class of the user's."""
        if is_a_class(thing) or is_of_a_library(type(thing)):
            return False
        self.judge_class(type(thing))
        return True


def _find_attribute(
    known: Mapping[str, Any], name: str, thing: Any, asking: ObjectKinds | None = None
) -> Any:
    if name in known:
        return known[name]
    if asking is not None and hasattr(thing, name):
        return asking.refuse(f"asks for {name} of a {type(thing).__name__}")
    raise AttributeError(f"{type(thing).__name__!r} object has no attribute {name!r}")


def _is_of_theory(kind: type) -> bool:
    return kind.__module__.startswith("theory.")


def _is_theorys(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == "theory"
