"""Plain data as JSON and back: what a run is written with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from hashlib import sha256
from json import JSONEncoder, dumps, loads
from math import isfinite
from operator import attrgetter, is_
from typing import Any, Final

from theory.errors import InvalidInputError
from theory.numbers.reading import require_short
from theory.shared.copying import copy_content, copy_fraction

__all__ = ["ATOMS", "detach", "digest", "freeze", "from_json", "set_apart", "to_json", "view_json"]

MOST_DEPTH: Final = 100
"""How deeply plain data may be nested."""

_LONGEST: Final = 3_330
"""The hexadecimal digits, with sign and mark, of a number of 4,000 decimal ones."""

_TOO_LONG: Final = 10**2_000
"""Integers from here on are written in hexadecimal digits in views: Python limits decimal ones."""

_LARGEST: Final = 2**53
"""The integers below it are the same to all who read JSON."""

ATOMS: Final = frozenset((str, int, float, bool, type(None), Fraction))
"""What has no parts that could be changed."""

_SHARED: Final = ATOMS - {Fraction}
"""Of these, what nobody can change: a fraction is an object of Python's."""

_COLLECTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}

_FIX: Final = "use text, numbers, booleans, None, tuples, lists, dictionaries by text"


def to_json(
    value: object, argument: str, kinds: Mapping[str, type] | None = None, depth: int = MOST_DEPTH
) -> Any:
    """Return plain data as JSON from which :func:`from_json` makes the same again.

    Plain are text, integers, fractions, floats, booleans, None; tuples, lists and sets of plain
    data, dictionaries of it by text, and dataclasses of ``kinds``. What JSON has no word for stands
    in a dictionary with one key, its kind: ``{"fraction": "1/3"}``.

    Raises
    ------
    InvalidInputError
        For anything else, named by its path below ``argument``.
    """
    if value is None or type(value) in (bool, str):
        return value
    if not depth:
        raise InvalidInputError(argument, type(value).__name__, "is nested too deeply", _FIX)
    if type(value) is int:
        if -_LARGEST < value < _LARGEST:
            return value
        require_short(Fraction(value), argument)
        return {"integer": hex(value)}
    if type(value) is Fraction:
        require_short(value, argument)
        return {"fraction": f"{value.numerator:#x}/{value.denominator:#x}"}
    if type(value) is float:
        return value if isfinite(value) else {"float": str(value)}
    if type(value) is list:
        return [to_json(each, f"{argument}[{k}]", kinds, depth - 1) for k, each in enumerate(value)]
    if type(value) is tuple:
        parts = [to_json(v, f"{argument}[{k}]", kinds, depth - 1) for k, v in enumerate(value)]
        return {"tuple": parts}
    if type(value) in (set, frozenset):
        whole: Any = value
        parts = [to_json(each, f"a part of {argument}", kinds, depth - 1) for each in whole]
        return {type(value).__name__: sorted(parts, key=dumps)}
    if type(value) is dict:
        pairs = {}
        for key, each in value.items():
            if type(key) is not str:
                raise InvalidInputError(argument, key, "is a key that is not text", _FIX)
            pairs[key] = to_json(each, f"{argument}[{key!r}]", kinds, depth - 1)
        return {"dict": pairs}
    name = type(value).__name__
    if (kinds or {}).get(name) is type(value) and is_dataclass(value):
        parts_by_name = {
            f.name: to_json(getattr(value, f.name), f"{argument}.{f.name}", kinds, depth - 1)
            for f in fields(value)
            if f.init
        }
        return {"object": name, "fields": parts_by_name}
    problem = f"is a {name}, which is no plain data"
    raise InvalidInputError(argument, value, problem, _FIX)


def from_json(
    written: object, kinds: Mapping[str, type] | None = None, depth: int = MOST_DEPTH
) -> Any:
    """Return the plain data that :func:`to_json` has written; nothing is run but ``kinds``.

    Raises
    ------
    InvalidInputError
        For what was not written by it.
    """
    if written is None or type(written) in (bool, str, float):
        return written
    if type(written) is int and abs(written) < 2**53:
        return written
    if not depth:
        raise InvalidInputError("data", type(written).__name__, "is nested too deeply", _FIX)
    if type(written) is list:
        return [from_json(each, kinds, depth - 1) for each in written]
    if type(written) is dict:
        try:
            return _from_tagged(written, kinds or {}, depth - 1)
        except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise _unwritten(written) from error
    raise _unwritten(written)


def _from_tagged(written: dict[str, Any], kinds: Mapping[str, type], depth: int) -> Any:
    if len(written) == 2 and "object" in written and "fields" in written:
        name = written["object"]
        if name not in kinds:
            problem = "is no kind of data of these rules"
            raise InvalidInputError("object", name, problem, "read it with the rules that wrote it")
        parts = {k: from_json(v, kinds, depth) for k, v in written["fields"].items()}
        return kinds[name](**parts)
    [(tag, inner)] = written.items()
    if tag == "integer":
        return _whole(inner)
    if tag == "fraction":
        top, bottom = inner.split("/")
        return Fraction(_whole(top), _whole(bottom))
    if tag == "float":
        return {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}[inner]
    if tag == "dict":
        return {k: from_json(v, kinds, depth) for k, v in inner.items()}
    return _COLLECTIONS[tag]([from_json(each, kinds, depth) for each in inner])


def _whole(text: str) -> int:
    number = int(text[: _LONGEST + 1], 16)
    if len(text) > _LONGEST:
        raise ValueError("more digits than are written")
    return number


def _unwritten(written: object) -> InvalidInputError:
    fix = "give what Run.to_json has written"
    return InvalidInputError("data", written, "was not written by a run", fix)


def freeze(value: Any) -> Any:
    """Return a value in which lists and dictionaries are copies, all else is the same object.

    What can be gone through only once becomes a tuple, since rules may run again.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind in (list, tuple, set, frozenset):
        if ATOMS.issuperset(map(type, value)):
            return value if kind is tuple else kind(value)
        return kind(map(freeze, value))
    if isinstance(value, Iterator):
        return tuple(value)
    if kind is dict:
        return {key: freeze(each) for key, each in value.items()}
    return value


def detach(value: Any, fixed: dict[int, Any] | None = None) -> Any:
    """Return a value in which whatever can be changed is a copy; the value itself where nothing is.

    That are lists, dictionaries, sets, byte arrays and arrays of NumPy, also within tuples and
    dataclasses. Objects of other classes stay what they are, and so do those that say themselves
    how they are copied.

    What was found to have nothing that can be changed is kept in ``fixed``, if given, by its
    identity, and is not gone through again: views have most of their parts in common.

    Examples
    --------
    >>> told = ("a", [1])
    >>> detach(told) == told, detach(told) is told, detach(("a", 1)) is told
    (True, False, False)
    >>> known = ("a", ("b", 1))
    >>> detach(known) is known
    True
    """
    kind: Any = type(value)
    if kind in ATOMS:
        return value
    if kind is tuple:
        kinds = {*map(type, value)}
        if kinds <= ATOMS:
            return value
        if len(kinds) == 1 and _holds_atoms_alone(kinds.pop(), value):
            return value
        if fixed is None:
            parts = tuple(map(detach, value))
            return value if all(map(is_, parts, value)) else parts
        if id(value) in fixed:
            return value
        parts = tuple(
            [
                part if type(part) in ATOMS or id(part) in fixed else detach(part, fixed)
                for part in value
            ]
        )
        if all(map(is_, parts, value)):
            fixed[id(value)] = value  # kept, so that nothing else gets its identity
            return value
        return parts
    if kind in (list, set):
        return kind(map(detach, value))
    if kind is dict:
        return {key: detach(each) for key, each in value.items()}
    data = _parts(kind)
    if data is None:
        return value.copy() if kind is bytearray or kind.__module__ == "numpy" else value
    frozen, names, values = data
    if frozen and fixed is not None and id(value) in fixed:
        return value
    held = values(value)
    if frozen and ATOMS.issuperset(map(type, held)):
        return value
    made = value if frozen else copy(value)
    for name, part in zip(names, held, strict=True):
        if type(part) in ATOMS or (fixed is not None and id(part) in fixed):
            continue
        new = detach(part, fixed)
        if new is not part:
            made = copy(value) if made is value else made
            object.__setattr__(made, name, new)
    if fixed is not None and made is value:
        fixed[id(value)] = value
    return made


def _holds_atoms_alone(kind: Any, several: tuple[Any, ...]) -> bool:
    """Whether objects of a class have no parts that could be changed."""
    data = _parts(kind)
    if data is None or not data[0]:
        return False
    values = data[2]
    return all(ATOMS.issuperset(map(type, values(each))) for each in several)


def set_apart(value: Any) -> Any:
    """Return a value that shares nothing which can be changed, down to fractions.

    It is the value itself where it is made of text, integers, floats, tuples and dataclasses of
    these alone. Objects that have parts of their own besides are copied whole.
    """
    kind: Any = type(value)
    if kind is Fraction:
        if type(value._numerator) is type(value._denominator) is int:
            return copy_fraction(value)
        return copy_content(value)
    if kind in _SHARED:
        return value
    if kind is tuple or kind is frozenset:
        parts = [part if type(part) in _SHARED else set_apart(part) for part in value]
        return value if all(map(is_, parts, value)) else kind(parts)
    data = _parts(kind)
    if data is None or not data[0]:
        return copy_content(value)
    _, names, values = data
    held = values(value)
    parts = [part if type(part) in _SHARED else set_apart(part) for part in held]
    if all(map(is_, parts, held)):
        return value
    if not _is_whole(kind):
        return copy_content(value)
    if _is_simple(kind):
        made = object.__new__(kind)
        vars(made).update(vars(value))
        vars(made).update(zip(names, parts, strict=True))
        return made
    made = copy(value) if hasattr(value, "__dict__") else object.__new__(kind)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(made, name, part)
    return made


@cache
def _is_simple(kind: Any) -> bool:
    """Whether objects of a class are copied by their dictionaries, and say nothing about it."""
    ways = ("__copy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")
    if any(vars(each).get("__slots__") for each in kind.__mro__):
        return False
    return all(getattr(kind, way, None) is getattr(object, way, None) for way in ways)


@cache
def _is_whole(kind: Any) -> bool:
    """Whether all fields of a dataclass are public."""
    return all(not f.name.startswith("_") for f in fields(kind))


def view_json(view: object) -> Any:
    """Return a view as JSON for machines: dataclasses by field, exact numbers as text.

    It goes one way; objects that are no data stand as their text.

    Examples
    --------
    >>> from fractions import Fraction
    >>> view_json({"price": Fraction(3, 2), "names": ("a", "b")})
    {'names': ['a', 'b'], 'price': '3/2'}
    """
    return loads(_view_text(view))


def _view_text(view: object) -> str:
    """Return the JSON text of a view; keys of dictionaries that no text has are shown with them."""
    try:
        return _ENCODER.encode(view)
    except TypeError:
        return dumps(str(view))
    except ValueError:  # of integers with more digits than Python writes
        return _ENCODER.encode(_with_long_numbers(view))


def _with_long_numbers(value: Any) -> Any:
    """Return a view in which integers are hexadecimal text where they are long."""
    if type(value) is int:
        return value if abs(value) < _TOO_LONG else hex(value)
    if isinstance(value, list | tuple):
        return [*map(_with_long_numbers, value)]
    if isinstance(value, dict):
        return {key: _with_long_numbers(each) for key, each in value.items()}
    if value is None or isinstance(value, str | int | float):
        return value
    return _with_long_numbers(_shown(value))


def _shown(value: Any) -> Any:
    """Return what JSON knows of a value that it does not know, its parts left as they are."""
    kind: Any = type(value)
    if kind is Fraction:
        if max(abs(value.numerator), value.denominator) < _TOO_LONG:
            return str(value)
        return f"{value.numerator:#x}/{value.denominator:#x}"
    shown = _fields(kind)
    if shown is not None:
        names, values = shown
        return dict(zip(names, values(value), strict=True))
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return [loads(text) for text in sorted(map(_view_text, value))]
    return str(value)


_ENCODER: Final = JSONEncoder(default=_shown, sort_keys=True, check_circular=False)


_Values = Callable[[Any], Sequence[Any]]


@cache
def _fields(kind: Any) -> tuple[tuple[str, ...], _Values] | None:
    """Return the fields of a dataclass that its text shows, and their values; None elsewhere."""
    if not is_dataclass(kind):
        return None
    names = tuple(f.name for f in fields(kind) if f.repr)
    return names, _getter(names)


@cache
def _parts(kind: Any) -> tuple[bool, tuple[str, ...], _Values] | None:
    """Return whether a dataclass is frozen, and its public fields; None elsewhere.

    None as well for one that says itself how it is copied.
    """
    if not is_dataclass(kind) or hasattr(kind, "__deepcopy__"):
        return None
    names = tuple(f.name for f in fields(kind) if not f.name.startswith("_"))
    settings: Any = kind
    return settings.__dataclass_params__.frozen, names, _getter(names)


def _getter(names: tuple[str, ...]) -> _Values:
    if len(names) < 2:
        return lambda value: [getattr(value, name) for name in names]
    return attrgetter(*names)


def digest(*parts: object) -> str:
    """Return 16 characters that differ, but by chance, where the JSON of the parts does."""
    text = _view_text(parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
