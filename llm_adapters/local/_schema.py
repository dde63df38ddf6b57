"""Reading a JSON Schema as a form that an answer is written into."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from llm_adapters.errors import MissingCapabilityError
from llm_adapters.local._json_forms import (
    ArrayForm,
    Either,
    Node,
    Number,
    OpenForm,
    Options,
    Record,
    StringForm,
)
from llm_adapters.local._numerals import Numeral

__all__ = ["form_of"]

_NOTES: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
    | {"$comment", "$schema", "$defs", "definitions"}
)
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_RULES: Final = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems"}
    | {"maxLength", "minLength", *_BOUNDS}
)
_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_MOST_PARTS: Final = 10_000
_DEEPEST: Final = 50
_FIX: Final = 'state it otherwise, or take schema_mode="instruction"'


def form_of(schema: Mapping[str, object]) -> Node:
    """Return the form of the answers that fit a schema.

    Known are: ``type`` (also several), ``const``, ``enum``, ``anyOf`` of values that are told apart
    by their first character, ``$ref`` into ``$defs``; ``properties``, ``required`` and
    ``additionalProperties`` true or false; ``items`` with ``minItems`` and ``maxItems``;
    ``maxLength``; ``minimum`` and ``maximum``, also exclusive; and what only describes. Every value
    of the form fits the schema. The form writes all properties, in their order, and no others,
    strings without half of a surrogate pair, and numbers as plain decimals of at most 15 digits.

    Raises
    ------
    MissingCapabilityError
        For what is not known here, a schema that refers to itself, or one that nothing fits.

    Examples
    --------
    >>> form_of({"type": "object", "properties": {"buy": {"type": "boolean"}}})
    Record(fields=(('"buy"', Options(texts=('true', 'false'))),))
    """
    try:
        return _Reader(schema).node(schema, "the answer", ())
    except (TypeError, ValueError, RecursionError) as error:
        raise _refuse_schema("the answer", "has values that are no JSON") from error


@dataclass
class _Reader:
    """Reads the parts of one schema."""

    root: Mapping[str, Any]
    parts: int = field(default=0)

    def node(self, schema: Any, where: str, seen: tuple[str, ...], depth: int = 0) -> Node:
        self.parts += 1
        if depth > _DEEPEST or self.parts > _MOST_PARTS:
            raise _refuse_schema(where, "is nested too deeply, or has too many parts")
        if not isinstance(schema, Mapping):
            raise _refuse_schema(where, "has a schema that is no object")
        rules = {name: rule for name, rule in schema.items() if name not in _NOTES}
        if "$ref" in rules:
            _refuse_others(rules, {"$ref"}, where)
            return self._resolve(rules["$ref"], where, seen, depth)
        if "const" in rules or "enum" in rules:
            _refuse_others(rules, {"const", "enum", "type"}, where)
            return _read_listed_values(rules, where)
        if "anyOf" in rules:
            _refuse_others(rules, {"anyOf"}, where)
            branches = _list(rules["anyOf"], "anyOf", where)
            return _either([self.node(each, where, seen, depth + 1) for each in branches], where)
        _refuse_others(rules, _RULES, where)
        if "type" not in rules:
            raise _refuse_schema(where, "has no type")
        kinds = rules["type"]
        if isinstance(kinds, str):
            return self._read_type(rules, kinds, where, seen, depth)
        listed = _list(kinds, "type", where)
        return _either([self._read_type(rules, kind, where, seen, depth) for kind in listed], where)

    def _resolve(self, target: Any, where: str, seen: tuple[str, ...], depth: int) -> Node:
        if target in seen or target == "#":
            raise _refuse_schema(where, f"has a schema that refers to itself ({target})")
        steps = target.split("/") if isinstance(target, str) else []
        if len(steps) != 3 or steps[0] != "#" or steps[1] not in {"$defs", "definitions"}:
            raise _refuse_schema(where, f"refers to {target!r}, which is not in $defs")
        name = steps[2].replace("~1", "/").replace("~0", "~")
        known = self.root.get(steps[1])
        if not isinstance(known, Mapping) or name not in known:
            raise _refuse_schema(where, f"refers to {target!r}, which is not there")
        return self.node(known[name], where, (*seen, target), depth + 1)

    def _read_type(
        self, rules: Mapping[str, Any], kind: Any, where: str, seen: tuple[str, ...], depth: int
    ) -> Node:
        if kind == "object":
            return self._object(rules, where, seen, depth)
        if kind == "array":
            least, most = _counts(rules, "minItems", "maxItems", where)
            if most == 0:
                return Options(("[]",))
            if "items" not in rules:
                raise _refuse_schema(where, "is an array of anything")
            item = self.node(rules["items"], f"an item of {where}", seen, depth + 1)
            return ArrayForm(item, least, most)
        if kind == "string":
            least, most = _counts(rules, "minLength", "maxLength", where)
            if least:
                raise _refuse_schema(where, "has minLength")
            return Options(('""',)) if most == 0 else StringForm(most)
        if kind in ("number", "integer"):
            return _number(rules, kind == "integer", where)
        if kind == "boolean":
            return Options(("true", "false"))
        if kind == "null":
            return Options(("null",))
        raise _refuse_schema(where, f"has the type {kind!r}, which is none")

    def _object(
        self, rules: Mapping[str, Any], where: str, seen: tuple[str, ...], depth: int
    ) -> Node:
        properties, required = rules.get("properties", {}), rules.get("required", [])
        if not isinstance(properties, Mapping):
            raise _refuse_schema(where, "has properties that are no object")
        if not isinstance(required, (list, tuple)) or not set(properties).issuperset(required):
            raise _refuse_schema(where, "requires a property of which nothing is said")
        if not isinstance(rules.get("additionalProperties", False), bool):
            raise _refuse_schema(where, "has a schema for additionalProperties")
        fields = tuple(
            (_text(name), self.node(each, f"{name!r} in {where}", seen, depth + 1))
            for name, each in properties.items()
        )
        return Record(fields) if fields else Options(("{}",))


def _read_listed_values(rules: Mapping[str, Any], where: str) -> Node:
    values = _list(rules["enum"], "enum", where) if "enum" in rules else [rules["const"]]
    if "enum" in rules and "const" in rules:
        values = [each for each in values if _text(each) == _text(rules["const"])]
    if "type" in rules:
        kinds = rules["type"]
        named = [kinds] if isinstance(kinds, str) else _list(kinds, "type", where)
        values = [each for each in values if any(_has_kind(each, kind) for kind in named)]
    if not values:
        raise _refuse_schema(where, "has a schema that nothing fits")
    return Options(tuple(dict.fromkeys(map(_text, values))))


def _either(nodes: Sequence[Node], where: str) -> Node:
    """Return one of several forms.

    Raises
    ------
    MissingCapabilityError
        Where the first character does not tell which.
    """
    options: list[str] = []
    free: list[OpenForm] = []
    for node in nodes:
        if isinstance(node, (Options, Either)):
            options += node.texts if isinstance(node, Options) else node.options
        if isinstance(node, Either):
            free += node.free
        if isinstance(node, OpenForm):
            free.append(node)
    if not free:
        return Options(tuple(dict.fromkeys(options)))
    opened = [c for node in free for c in node.openings]
    if len(set(opened)) < len(opened) or any(text[0] in opened for text in options):
        raise _refuse_schema(where, "may be one of several kinds that begin alike")
    if not options and len(free) == 1:
        return free[0]
    return Either(tuple(dict.fromkeys(options)), tuple(free))


def _number(rules: Mapping[str, Any], whole: bool, where: str) -> Node:
    low, high, *beyond = (_read_bound(rules, name, where) for name in _BOUNDS)
    above, below = beyond
    strict = (
        above is not None and (low is None or above >= low),
        below is not None and (high is None or below <= high),
    )
    low, high = above if strict[0] else low, below if strict[1] else high
    numeral = Numeral.within(low, high, exclusive=strict, whole=whole)
    if numeral.empty:
        raise _refuse_schema(where, "has bounds with no number of at most 15 digits between them")
    if numeral.least == numeral.most:
        return Options((_write_decimal(numeral.least, numeral.places),))
    return Number(numeral)


def _write_decimal(size: int, places: int) -> str:
    digits = str(abs(size)).rjust(places + 1, "0")
    cut = len(digits) - places
    fraction = digits[cut:].rstrip("0")
    return ("-" if size < 0 else "") + digits[:cut] + (f".{fraction}" if fraction else "")


def _read_bound(rules: Mapping[str, Any], name: str, where: str) -> Fraction | None:
    if name not in rules:
        return None
    value = rules[name]
    wrong = isinstance(value, bool) or not isinstance(value, (int, float))
    if wrong or (isinstance(value, float) and not isfinite(value)):
        raise _refuse_schema(where, f"has a {name} that is no number")
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def _counts(rules: Mapping[str, Any], least: str, most: str, where: str) -> tuple[int, int | None]:
    low, high = rules.get(least, 0), rules.get(most)
    for name, value in ((least, low), (most, 0 if high is None else high)):
        if type(value) is not int or value < 0:
            raise _refuse_schema(where, f"has a {name} that is no count")
    if high is not None and high < low:
        raise _refuse_schema(where, "has a schema that nothing fits")
    return low, high


def _has_kind(value: Any, kind: Any) -> bool:
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    if isinstance(value, bool) or kind == "boolean":
        return isinstance(value, bool) and kind == "boolean"
    kinds: dict[str, Any] = {
        "object": Mapping,
        "array": (list, tuple),
        "string": str,
        "number": (int, float),
        "integer": int,
        "null": type(None),
    }
    return isinstance(value, kinds.get(kind, ()))


def _list(value: Any, name: str, where: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)) or not value:
        raise _refuse_schema(where, f"has {name} that is no list, or an empty one")
    return value


def _refuse_others(rules: Mapping[str, Any], known: set[str] | frozenset[str], where: str) -> None:
    for name in rules:
        if name not in known:
            raise _refuse_schema(
                where, f"has {name}" + ("" if known is _RULES else " beside others")
            )


def _text(value: Any) -> str:
    """Return JSON that can be encoded."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _refuse_schema(where: str, problem: str) -> MissingCapabilityError:
    return MissingCapabilityError(
        f"a local model cannot be held to this JSON Schema: {where} {problem}", _FIX
    )
