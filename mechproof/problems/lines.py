"""JSON Lines: one problem a line, one answer a line; a bad line is answered too."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, decode_text, read_json
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, Id, solve
from mechproof.problems.shared.answers import whole_numbers

__all__ = ["FailedLine", "Failure", "failure", "solve_line"]


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


def solve_line(data: bytes) -> AnswerBase:
    """Solve the problem in a line.

    Raises
    ------
    DocumentError
        When the line states no problem.
    """
    document = read_json(decode_text(data.rstrip()))
    with whole_numbers():
        return solve(document)


def failure(line: int, data: bytes, error: DocumentError) -> Failure:
    """Say what is wrong with the line that has this number."""
    where = FailedLine(line=line, column=error.column, path=error.path, message=error.message)
    return Failure(error=where, id=_id(data))


def _id(data: bytes) -> Id | UnsetType:
    try:
        document = read_json(decode_text(data))
    except DocumentError:
        return UNSET
    found = document.get("id") if isinstance(document, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else UNSET
