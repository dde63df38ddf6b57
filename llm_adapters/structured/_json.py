"""Finding the one JSON value that a text holds."""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import quote_around
from llm_adapters.session.canonical_json import MAX_DEPTH
from theory.shared.nesting import is_deeper

__all__ = ["find_json"]

_FENCE: Final = "```"
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_-]+\s")
_TOKEN: Final = re.compile(r'["{}]')
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_FIX: Final = "answer with one JSON value and nothing else"


def find_json(text: str) -> str:
    """Return the part of a text that is its JSON value.

    That is the whole text; or what its only code fence holds, where no object stands beside it; or
    the only object in it. Every brace outside of strings must belong to that object. The work is
    linear in the length of the text.

    Raises
    ------
    UnreadableError
        Where there is none or more than one, where it is not closed or does not follow the
        grammar, and where it has a key twice, a number that is not finite or not a float's size, or
        characters that are no Unicode text.
    """
    stripped = text.strip()
    if not stripped:
        raise UnreadableError("the text is empty", _FIX)
    try:
        stripped.encode()
    except UnicodeEncodeError as error:
        problem = f"the text has a lone surrogate near {quote_around(text, error.start)}"
        raise UnreadableError(problem, _FIX) from None
    if stripped[0] in '{["-0123456789' or stripped in {"true", "false", "null"}:
        try:
            _check(stripped)
        except json.JSONDecodeError:
            pass
        else:
            return stripped
    fenced = _only_fence(stripped)
    if fenced is not None:
        return _check_part(fenced)
    return _check_part(_only_object(stripped))


def _only_fence(text: str) -> str | None:
    if text.count(_FENCE) != 2:
        return None
    before, inside, after = text.split(_FENCE)
    language = _LANGUAGE.match(inside)
    body = (inside if language is None else inside[language.end() :]).strip() or inside.strip()
    if any(brace in beside for brace in "{}" for beside in (before, after)) or not body:
        return None
    return body


def _only_object(text: str) -> str:
    """Return what stands from the first outermost brace to its partner; there may be no others."""
    begin = text.find("{")
    if begin < 0:
        raise UnreadableError(f"there is no JSON object in {quote_around(text)}", _FIX)
    end = _closing_brace(text, begin)
    other = min((at for at in (text.find(c, end) for c in "{}") if at >= 0), default=-1)
    if other >= 0:
        problem = (
            f"there is more than one brace pair: after the first comes {quote_around(text, other)}"
        )
        raise UnreadableError(problem, _FIX)
    if "}" in text[:begin]:
        raise UnreadableError(f"a brace closes before one opens: {quote_around(text, begin)}", _FIX)
    if text[:begin].rstrip().endswith("[") or text[end:].lstrip().startswith("]"):
        problem = f"the object stands in a list: {quote_around(text, begin)}"
        raise UnreadableError(problem, _FIX)
    return text[begin:end]


def _closing_brace(text: str, begin: int) -> int:
    """Return the place after the brace that closes the one at ``begin``."""
    depth, at = 0, begin
    while (token := _TOKEN.search(text, at)) is not None:
        at = token.end()
        if token[0] == '"':
            string = _STRING.match(text, token.start())
            if string is None:
                problem = f"a string is not closed: {quote_around(text, token.start())}"
                raise UnreadableError(problem, _FIX)
            at = string.end()
        else:
            depth += 1 if token[0] == "{" else -1
            if not depth:
                return at
    raise UnreadableError(f"an object is not closed: {quote_around(text, begin)}", _FIX)


def _check_part(part: str) -> str:
    try:
        _check(part)
    except json.JSONDecodeError as error:
        problem = f"this is no JSON ({error.msg}): {quote_around(part, error.pos)}"
        raise UnreadableError(problem, _FIX) from None
    return part


def _check(part: str) -> None:
    """Read JSON for its faults.

    Raises
    ------
    JSONDecodeError
        Where it does not follow the grammar.
    UnreadableError
        For the rest.
    """
    if is_deeper(part, MAX_DEPTH):
        problem = f"JSON is nested too deeply, more than {MAX_DEPTH} levels: {quote_around(part)}"
        raise UnreadableError(problem, _FIX)
    try:
        json.loads(
            part,
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
            parse_float=_float,
        )
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise UnreadableError(f"JSON is nested too deeply: {quote_around(part)}", _FIX) from None
    except ValueError as error:  # an integer of more digits than Python reads
        problem = f"this JSON cannot be read ({error}): {quote_around(part)}"
        raise UnreadableError(problem, _FIX) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise UnreadableError(f"the key {quote_around(key)} is there twice", _FIX)
            seen.add(key)
    return found


def _no_constant(name: str) -> None:
    raise UnreadableError(f"{name} is no JSON number", _FIX)


def _float(digits: str) -> float:
    value = float(digits)
    mantissa = re.split("[eE]", digits)[0]
    if isinf(value) or (value == 0 and any(c in "123456789" for c in mantissa)):
        raise UnreadableError(f"the number {quote_around(digits)} is beyond floating point", _FIX)
    return value
