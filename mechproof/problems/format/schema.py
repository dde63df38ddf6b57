"""The JSON Schema of problems and answers, made from their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

__all__ = ["DIALECT", "definitions", "document", "having"]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_REFERENCE: Final = "#/$defs/{name}"
_FRACTION: Final = r"[0-9]+/0*[1-9][0-9]*"
_DECIMAL: Final = r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_NUMBER: Final[dict[str, Any]] = {
    "title": "Number",
    "description": 'An integer, a decimal, or a fraction in text, such as "1/3"; read exactly as '
    "written.",
    "anyOf": [
        {"type": "number"},
        {
            "type": "string",
            "pattern": rf"^\s*[+-]?({_FRACTION}|{_DECIMAL})\s*$",
        },
    ],
}


def definitions(types: Sequence[type]) -> dict[str, dict[str, Any]]:
    """Return the schema of every type that ``types`` consist of, by name."""
    _, found = msgspec.json.schema_components(
        types, schema_hook=_exact_number, ref_template=_REFERENCE
    )
    return {**found, "Number": _NUMBER}


def document(
    title: str, types: Sequence[type], constraints: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return one schema that every instance of one of ``types`` fits.

    ``constraints`` adds, by the name of a type, what that type cannot say.
    """
    found = definitions(types)
    for name, extra in constraints.items():
        found[name] |= extra
    return {
        "$schema": DIALECT,
        "title": title,
        "anyOf": [{"$ref": _REFERENCE.format(name=each.__name__)} for each in types],
        "$defs": found,
    }


def having(*fields: str, without: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a table that has some fields, and others not."""
    return {"required": list(fields), "properties": dict.fromkeys(without, False)}


def _exact_number(wanted: type) -> dict[str, Any]:
    if wanted is not Fraction:
        raise NotImplementedError(wanted)  # how a hook of msgspec declines a type
    return {"$ref": _REFERENCE.format(name="Number")}
