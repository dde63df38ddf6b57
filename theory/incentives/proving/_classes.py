"""Classes of the user's: what one may hold so that a proof may rest on its objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from types import (
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    NoneType,
)
from typing import Any, Final

from theory.incentives.proving._allowed_code import BASES, is_known_kind, is_plain
from theory.incentives.proving._code_owner import (
    is_of_a_library,
    is_written_in,
    without_type_checks,
    words,
)

__all__ = [
    "METHODS_OF_CLASSES",
    "compares_fields",
    "descends",
    "has_plain_fields",
    "is_a_class",
    "is_as_dataclasses_write",
    "is_named_tuple",
    "mro",
    "own_attributes",
    "why_class_is_refused",
]

METHODS_OF_CLASSES: Final = words(
    """
    __init__ __post_init__ __call__ __repr__ __str__ __format__ __setattr__ __delattr__ __hash__
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ __len__ __iter__ __contains__ __getitem__
    __setitem__ __delitem__ __neg__ __pos__ __abs__ __invert__
    __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __matmul__ __and__ __or__
    __xor__ __lshift__ __rshift__
    __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rmatmul__ __rand__
    __ror__ __rxor__ __rlshift__ __rrshift__
    __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__
    __ior__ __ixor__ __ilshift__ __irshift__
    """
)
"""Special methods that a class of the user's may have: functions, which the machine runs."""

_BY_PYTHON: Final = words(
    """
    __module__ __qualname__ __doc__ __annotations__ __match_args__ __slots__
    __dataclass_fields__ __dataclass_params__ __orig_bases__ __parameters__ __abstractmethods__
    __firstlineno__ __static_attributes__ __annotate__ __annotate_func__ __annotations_cache__
    __type_params__ __protocol_attrs__ __non_callable_proto_members__ __slotnames__ __final__
    __subclasshook__ __objclass__ __new_member__ __init_subclass__ __class_getitem__
    """
)
"""What Python itself writes into classes, or calls where nobody asks for a value."""


mro: Final[Callable[[type], tuple[type, ...]]] = vars(type)["__mro__"].__get__
"""The classes that a class looks a name up in; asks nobody."""


def descends(kind: type, base: type) -> bool:
    """Whether a class is another, or derives from it."""
    for each in mro(kind):  # not `in`, which asks a class of classes  # noqa: SIM110 - faster
        if each is base:
            return True
    return False


def is_a_class(thing: object) -> bool:
    """Whether something is a class."""
    kind = type(thing)
    return kind is type or descends(kind, type)


def is_named_tuple(kind: type) -> bool:
    """Whether a class is one of named tuples."""
    if kind is tuple or not descends(kind, tuple):
        return False
    return any("_fields" in vars(base) for base in mro(kind))


def own_attributes(thing: Any) -> dict[str, Any] | None:
    """Return the attributes that an object itself has; None where they have rules of their own."""
    if not type(thing).__dictoffset__:
        return {}
    found = object.__getattribute__(thing, "__dict__")
    plain = type(found) is dict and all(type(name) is str for name in found)
    return found if plain else None


def why_class_is_refused(kind: type) -> str:
    """Say why no proof may rest on objects of a class; empty where one may.

    A class of the user's has functions for special methods, derives from nothing that has rules of
    its own, and is no number to Python.
    """
    meta, name = type(kind), vars(type)["__name__"].__get__(kind)
    if not is_known_kind(meta):
        return f"uses the class {name}, whose class is a {meta.__name__}"
    is_enum, is_tuple = descends(kind, Enum), is_named_tuple(kind)
    for base in mro(kind):
        if not is_of_a_library(base):
            told = _problem_of_entries(base, is_enum=is_enum, is_tuple=is_tuple)
        else:
            fine = any(base is known for known in BASES) or (base is tuple and is_tuple)
            told = "" if fine or is_a_protocol_of_ours(base) else f"derives from {base.__name__}"
        if told:
            return f"uses the class {name}, which {told}"
    return ""


def _problem_of_entries(base: type, *, is_enum: bool, is_tuple: bool) -> str:
    for name, part in vars(base).items():
        if type(name) is not str:
            return "has a hidden entry"
        if is_enum and name.startswith("_") and not _is_plain_in_enum(base, name, part):
            return f"has a {name} of its own"
        if (is_enum and name == "_missing_") or name == "__del__":
            return f"has {name}"
        if not (name.startswith("__") and name.endswith("__")) or _is_librarys(name, part):
            continue
        if name in _BY_PYTHON or (name == "__repr__" and (is_tuple or is_enum)):
            fine = _is_a_users(part) if name in _CALLED else type(part) in _WRITTEN
            if fine:
                continue
            return f"has a {name} that is no function"
        if name == "__new__" and (is_tuple or (is_enum and _inner(part) is vars(Enum)["__new__"])):
            continue
        if is_tuple or name not in METHODS_OF_CLASSES:
            return f"has {name}"
        if not _is_a_users(part) and not (name == "__hash__" and part is None):
            return f"has a {name} that is no function"
    return ""


_CALLED: Final = words("__init_subclass__ __class_getitem__ __repr__ __subclasshook__")
_Params: Final = type(vars(dataclasses.make_dataclass("_Twin", ()))["__dataclass_params__"])
_WRITTEN: Final = {
    _Params,
    str,
    tuple,
    dict,
    frozenset,
    set,
    list,
    NoneType,
    int,
    bool,
    type,
    FunctionType,
}
"""What Python writes into classes under such names."""

_LISTS_OF_ENUMS: Final = words("_member_names_ _unhashable_values_ _hashable_values_")

_OF_LIBRARIES: Final = {
    "enum": words(
        "__reduce_ex__ __format__ __repr__ __str__ __dir__ __new__ __or__ __and__ __xor__"
    ),
    "typing": words("__init__ __subclasshook__ __init_subclass__ __class_getitem__"),
    "dataclasses": words("__getstate__ __setstate__ __replace__ __repr__"),
    "collections": words("__getnewargs__ __repr__ __replace__"),
}
"""The special methods that Python's modules write into classes of others."""


def _is_librarys(name: str, part: object) -> bool:
    """Whether a special entry of a class is one that Python or its modules wrote there."""
    kind = type(part)
    if kind is GetSetDescriptorType or kind is MemberDescriptorType:
        return name in {"__dict__", "__weakref__"}
    function = _inner(part)
    if type(function) is not FunctionType:
        return name in _REPEATED and any(function is each for each in _REPEATED[name])
    return any(
        name in names and is_written_in(home, function.__code__)
        for home, names in _OF_LIBRARIES.items()
    )


_REPEATED: Final = {
    name: [vars(base)[name] for base in (object, Enum) if name in vars(base)]
    for name in ("__repr__", "__str__", "__format__", "__reduce_ex__", "__new__", "__init__")
}
"""What classes of enumerations take from those before them."""


def _inner(part: Any) -> Any:
    return part.__func__ if type(part) is staticmethod or type(part) is classmethod else part


def _is_a_users(part: object) -> bool:
    """Whether an entry is a function that the machine would run."""
    function = _inner(part)
    return type(function) is FunctionType and not is_of_a_library(without_type_checks(function))


def _is_plain_in_enum(kind: type, name: str, part: Any) -> bool:
    """Whether what an enumeration looks members up by is plain; other entries are not asked."""
    if name in _LISTS_OF_ENUMS:
        return type(part) is list and all(map(is_plain, part))
    if name not in {"_member_map_", "_value2member_map_"}:
        return True
    if type(part) is not dict or not all(map(is_plain, part)):
        return False
    return all(type(member) is kind and _is_plain_member(member) for member in part.values())


def _is_plain_member(member: Any) -> bool:
    """Whether a member has a plain value, and a text for a name, by which it has its place."""
    own = vars(member)
    return type(own.get("_name_")) is str and is_plain(own.get("_value_"))


def has_plain_fields(kind: type) -> bool:
    """Whether a dataclass knows its fields as dataclasses write them."""
    known: Any = getattr(kind, "__dataclass_fields__", None)
    params = getattr(kind, "__dataclass_params__", None)
    plain = type(known) is dict and type(params) is _Params
    return plain and all(
        type(name) is str
        and type(part) is dataclasses.Field
        and {type(part.compare), type(part.init)} == {bool}
        and type(part.hash) in {bool, NoneType}
        for name, part in known.items()
    )


def is_as_dataclasses_write(kind: type, name: str) -> bool:
    """Whether ``__repr__`` or ``__eq__`` of a class is what dataclasses write for its fields."""
    if not has_plain_fields(kind):
        return False
    known_fields: Any = dataclasses.fields(kind)
    twin = _twin(tuple((each.name, each.repr, each.compare) for each in known_fields), name)
    known = next((vars(base)[name] for base in mro(kind) if name in vars(base)), None)
    return type(known) is FunctionType and _codes(known) == _codes(twin)


def compares_fields(code: CodeType, kind: type) -> bool:
    """Whether code is the ``__eq__`` that dataclasses write for a class.

    From Python 3.13 on it asks first whether both are one object, and fields tell the same.
    """
    if code.co_name != "__eq__" or not is_as_dataclasses_write(kind, "__eq__"):
        return False
    known: Any = next(vars(base)["__eq__"] for base in mro(kind) if "__eq__" in vars(base))
    return known.__code__ is code


@lru_cache(maxsize=256)
def _twin(fields: tuple[tuple[str, bool, bool], ...], name: str) -> Any:
    """Return a method that dataclasses write for fields of these names."""
    parts: Any = [
        (field, object, dataclasses.field(repr=shown, compare=compared))
        for field, shown, compared in fields
    ]
    return vars(dataclasses.make_dataclass("_Twin", parts))[name]


def _codes(function: Any) -> list[Any]:
    """Return the code of a function and of those that it is written around."""
    around = [cell.cell_contents for cell in function.__closure__ or ()]
    inner = [part for part in around if type(part) is FunctionType]
    return [function.__code__, *(code for part in inner for code in _codes(part))]


def is_a_protocol_of_ours(base: type) -> bool:
    """Whether a class is one of this library that is made to be derived from."""
    return base.__module__.startswith("theory.") and getattr(base, "_is_protocol", False) is True
