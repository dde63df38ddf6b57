"""Holding a model to a JSON Schema, by the server or by words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["instruction", "response_format"]


def instruction(schema: Mapping[str, object]) -> str:
    """Return the words that ask for JSON of a schema."""
    return (
        "Answer with JSON alone, without any other words. It must fit this JSON Schema:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )


def response_format(schema: Mapping[str, object]) -> dict[str, Any]:
    """Return the parameter that makes a server hold the answer to a schema.

    Strictness is asked for where the schema allows it: every object names all its keys, and all of
    them are required.
    """
    named: dict[str, Any] = {"name": "answer", "schema": dict(schema)}
    if schema.get("type") == "object" and _is_closed(schema):
        named["strict"] = True
    return {"type": "json_schema", "json_schema": named}


def _is_closed(schema: Any) -> bool:
    if isinstance(schema, (list, tuple)):
        return all(map(_is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        properties = schema.get("properties")
        names = set(properties) if isinstance(properties, Mapping) else set()
        required = schema.get("required")
        every = isinstance(required, (list, tuple)) and set(required) == names
        if schema.get("additionalProperties") is not False or not every:
            return False
    return all(map(_is_closed, schema.values()))
