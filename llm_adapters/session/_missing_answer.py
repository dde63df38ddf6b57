"""What is said of a request that a record does not hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from llm_adapters.errors import MissingAnswerError
from llm_adapters.session._record import Record
from llm_adapters.session.canonical_json import to_bytes
from llm_adapters.session.request import Request

__all__ = ["explain_missing_answer"]

_COMPARED: Final = 50
_SHOWN: Final = 60


def explain_missing_answer(record: Record, request: Request, occurrence: int) -> MissingAnswerError:
    """Return the error that names the nearest request of the record, and where they differ."""
    what = f"{record.path} has no answer to a request of {request.agent} ({request.method})"
    fix = "run it again as it was recorded, or record it anew"
    same = sum(entry.request == request for entry in record.entries.values())
    if same:
        times = f"{same} time{'s' if same > 1 else ''}"
        problem = f"{what}: it is made for the {_nth(occurrence + 1)} time, and recorded {times}"
        return MissingAnswerError(problem, fix)
    near = _nearest((entry.request for entry in record.entries.values()), request)
    if near is None:
        return MissingAnswerError(f"{what}: it is empty", fix)
    shown = "; ".join(_differences(near, request))
    return MissingAnswerError(f"{what}; the nearest that it has differs in {shown}", fix)


def _nearest(known: Iterable[Request], request: Request) -> Request | None:
    """Return the one with the fewest differences, of those with the most fields in common."""
    ranked = sorted(known, key=lambda other: _count_differences(other, request))
    return min(ranked[:_COMPARED], key=lambda other: _distance(other, request), default=None)


def _distance(other: Request, request: Request) -> tuple[int, int]:
    """Return the number of differences, and less the longer the texts are alike in front."""
    found = list(_paths("", _describe_request(other), _describe_request(request)))
    texts = [pair[1:] for pair in found if isinstance(pair[1], str) and isinstance(pair[2], str)]
    return len(found), -sum(_common_length(one, two) for one, two in texts)


def _common_length(one: str, two: str) -> int:
    """Return how many characters two texts have in common in front, by bisection."""
    least, most = 0, min(len(one), len(two))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == two[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _describe_request(request: Request) -> dict[str, Any]:
    return {
        "agent": request.agent,
        "model": request.model,
        "method": request.method,
        "body": request.body,
    }


def _count_differences(one: Request, two: Request) -> int:
    fields = one.body.keys() | two.body.keys()
    other = sum(
        _differs(one.body.get(name, _ABSENT), two.body.get(name, _ABSENT)) for name in fields
    )
    return other + (one.agent != two.agent) + (one.model != two.model) + (one.method != two.method)


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT: Final = _Absent()


def _differs(one: Any, two: Any) -> bool:
    """Whether two values are different as JSON, where 1, 1.0 and true are three."""
    if isinstance(one, (dict, list)) and type(one) is type(two):
        return next(_paths("", one, two), None) is not None
    return type(one) is not type(two) or one != two


def _paths(path: str, one: Any, two: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the places at which two values differ, with what stands there."""
    if isinstance(one, dict) and isinstance(two, dict):
        for name in sorted(one.keys() | two.keys()):
            below = f"{path}.{name}" if path else name
            yield from _paths(below, one.get(name, _ABSENT), two.get(name, _ABSENT))
    elif isinstance(one, list) and isinstance(two, list):
        for i in range(max(len(one), len(two))):
            first = one[i] if i < len(one) else _ABSENT
            second = two[i] if i < len(two) else _ABSENT
            yield from _paths(f"{path}[{i}]", first, second)
    elif type(one) is not type(two) or one != two:
        yield path, one, two


def _differences(near: Request, request: Request) -> list[str]:
    found = list(_paths("", _describe_request(near), _describe_request(request)))
    said = [
        f"{path} ({_excerpt(one, two)} in the record, {_excerpt(two, one)} now)"
        for path, one, two in found[:3]
    ]
    return [*said, f"and {len(found) - 3} more"] if len(found) > 3 else said


def _excerpt(value: Any, other: Any) -> str:
    """Return a value, or the part of it where a long text begins to differ from the other."""
    if isinstance(value, str) and isinstance(other, str) and len(value) > _SHOWN:
        start = max(0, _common_length(value, other) - _SHOWN // 3)
        part = value[start : start + _SHOWN]
        before = "…" if start else ""
        after = "…" if start + _SHOWN < len(value) else ""
        return before + _printable(part) + after
    text = repr(value) if value is _ABSENT else _printable(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _printable(value: Any) -> str:
    return to_bytes(json.dumps(value, ensure_ascii=False)).decode()


def _nth(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
