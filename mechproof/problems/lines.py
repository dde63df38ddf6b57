"""JSON Lines: one problem a line, one answer a line; a bad line is answered too."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.kinds import AnswerBase, Id, solve
from mechproof.problems.reading import DocumentError, decoded, read_json
from mechproof.problems.typed import Record

__all__ = ["FailedLine", "Failure", "answer_line"]


class FailedLine(Record, frozen=True, kw_only=True):
    """What is wrong with a line, and where."""

    line: Annotated[int, Meta(description="Number of the line, from 1.")]
    column: Annotated[int | None, Meta(description="Column, when the line is not JSON.")]
    path: Annotated[str | None, Meta(description="Path in the problem, when the line is JSON.")]
    message: Annotated[str, Meta(description="What is wrong.")]


class Failure(Record, frozen=True, kw_only=True):
    """What stands in place of the answer to a line that cannot be solved."""

    error: Annotated[FailedLine, Meta(description="What is wrong, and where.")]
    id: Annotated[Id | UnsetType, Meta(description="The id of the problem.")] = UNSET


def answer_line(
    line: int,
    data: bytes,
    within: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> AnswerBase | Failure:
    """Solve the problem in the line with this number, or say what is wrong with it.

    It is solved in the context that ``within`` returns, which may raise a DocumentError.
    """
    document: Any = None
    try:
        document = read_json(decoded(data.rstrip()))
        with within():
            return solve(document)
    except DocumentError as error:
        where = FailedLine(line=line, column=error.column, path=error.path, message=error.message)
        return Failure(error=where, id=_id(document))


def _id(document: Any) -> Id | UnsetType:
    found = document.get("id") if isinstance(document, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else UNSET
