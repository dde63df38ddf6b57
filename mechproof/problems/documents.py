"""Solve a problem that is given as a table, as the text of a document, or as a file."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from mechproof.problems.format.reading import (
    MAX_BYTES,
    DocumentError,
    check_document,
    decode_text,
    is_endless,
    read_json,
    read_toml,
)
from mechproof.problems.kind import AnswerBase
from mechproof.problems.kind import solve as solve_table
from mechproof.problems.shared.answers import whole_numbers
from theory.errors import InvalidInputError
from theory.shared.arguments import refusing

__all__ = ["GAMBIT", "LINES", "solve", "solve_text"]

LINES: Final = frozenset({".jsonl", ".ndjson"})
"""How the names of files end that hold a problem a line."""
GAMBIT: Final = {".efg": "EFG ", ".nfg": "NFG "}
"""How the names of files in Gambit's formats end, and how their texts begin."""


@refusing
def solve(problem: Mapping[str, object] | str | os.PathLike[str]) -> dict[str, Any]:
    """Solve a problem of any kind; the answer is what ``mechproof solve`` prints.

    Parameters
    ----------
    problem : mapping, str or path
        The fields of a problem, as in a problem file, with ``kind`` among them. Numbers are
        integers, ``Fraction``s, ``"p/q"`` or decimals in quotes, not floats. Or the text of a
        document in JSON, TOML, ``.efg`` or ``.nfg``; or the path of one. A string is a text where
        it has several lines or begins with ``{``, and otherwise a path.

    Returns
    -------
    dict
        The fields of the answer, as plain data. Rational numbers are ``"p/q"``, others two decimals
        that enclose them.

    Raises
    ------
    DocumentError
        When it is no problem; the error names the path in the document, or the line.
    InvalidInputError
        When it is none of these, or no file that can be read.

    Examples
    --------
    >>> umbrella = {
    ...     "kind": "information",
    ...     "states": {"rain": "1/4", "dry": "3/4"},
    ...     "variables": {"weather": {"rain": "wet", "dry": "fine"}},
    ...     "utilities": {"umbrella": {"rain": 0, "dry": -1}, "none": {"rain": -4, "dry": 0}},
    ...     "goods": [{"name": "report", "reveals": ["weather"], "price": "1/4"}],
    ... }
    >>> solve(umbrella)["values"][0]["ex_ante"]
    '1/2'
    """
    if isinstance(problem, Mapping):
        document = dict(problem)
        check_document(document)
        with whole_numbers():
            answer = solve_table(document)
    elif isinstance(problem, str) and ("\n" in problem or problem.lstrip().startswith("{")):
        answer = solve_text(problem)
    elif isinstance(problem, str | os.PathLike):
        answer = solve_text(_read(Path(problem)), Path(problem).suffix.lower())
    else:
        fix = "give a dict, the text of a document, or a path"
        raise InvalidInputError("problem", problem, "is no problem", fix)
    plain: dict[str, Any] = msgspec.to_builtins(answer)
    return plain


def solve_text(text: str, suffix: str = "") -> AnswerBase:
    """Solve the problem in a text.

    ``suffix`` is ``.json``, ``.toml``, ``.efg`` or ``.nfg``; with any other the text tells.

    Raises
    ------
    DocumentError
        When the text states no problem.
    """
    if suffix not in {".json", ".toml", *GAMBIT}:
        suffix = _guess_suffix(text)
    if suffix in GAMBIT:
        return _solve_gambit(text, suffix.removeprefix("."))
    document = read_json(text) if suffix == ".json" else read_toml(text)
    with whole_numbers():
        return solve_table(document)


def _guess_suffix(text: str) -> str:
    start = text.lstrip()
    if start.startswith("{"):
        return ".json"
    return next((suffix for suffix, word in GAMBIT.items() if start.startswith(word)), ".toml")


def _solve_gambit(text: str, field: str) -> AnswerBase:
    """Solve a game in Gambit's format; errors name the place in the text and no path."""
    try:
        with whole_numbers():
            return solve_table({"kind": "game", field: text})
    except DocumentError as error:
        raise DocumentError(error.message) from error


def _read(path: Path) -> str:
    if path.suffix.lower() in LINES:
        fix = "read its lines, and give them one by one"
        raise InvalidInputError("problem", str(path), "holds a problem a line", fix)
    try:
        if is_endless(path):
            raise OSError(errno.EINVAL, "it is no regular file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        fix = "give a path, the text of a document, or a dict"
        raise InvalidInputError("problem", str(path), f"cannot be read ({why})", fix) from error
    return decode_text(data)
