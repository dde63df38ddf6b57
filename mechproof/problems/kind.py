"""What a kind of problem is, which ones there are, and how a document of any kind is solved."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, Generic, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

import mechproof.problems.kinds
from mechproof.problems.format.reading import DocumentError, check_texts, locate_errors
from mechproof.problems.format.typed import Record, convert_document
from mechproof.problems.shared.counting import MAX_WRITTEN, check_count
from mechproof.unknown_names import unknown_name
from theory.shared.printable import json_text

__all__ = ["AnswerBase", "Id", "ProblemBase", "ProblemKind", "kind_named", "kinds", "solve"]

Id = str | int

_LONG_TEXTS: Final = ("kind", "id", "efg", "nfg")
"""Fields whose texts may be long."""
_SHORTER: Final = "shorten names, round numbers, or ask for less"


class ProblemBase(Record, frozen=True, kw_only=True):
    """What problems of all kinds have."""

    id: Annotated[Id | UnsetType, Meta(description="Copied to the answer.")] = UNSET


class AnswerBase(Record, frozen=True, kw_only=True):
    """What answers of all kinds have."""

    id: Annotated[Id | UnsetType, Meta(description="The id of the problem.")] = UNSET


P = TypeVar("P", bound=ProblemBase)
A = TypeVar("A", bound=AnswerBase)


@dataclass(frozen=True)
class ProblemKind(Generic[P, A]):
    """A kind of problem: what goes in, what comes out, and a worked example in TOML.

    ``problem`` and ``answer`` are named ``Problem`` and ``Answer``. ``constraint`` is what the
    JSON Schema of a problem says beyond its type, which ``solve`` checks; ``answer_constraint``
    the same for an answer, which ``solve`` keeps.
    """

    name: str
    problem: type[P]
    answer: type[A]
    solve: Callable[[P], A]
    example: str
    constraint: Mapping[str, Any] = field(default_factory=dict)
    answer_constraint: Mapping[str, Any] = field(default_factory=dict)


def kinds() -> dict[str, ProblemKind[Any, Any]]:
    """Return all kinds by name: one for each module of ``kinds/``, which defines ``KIND``."""
    found = (_kind_in(name) for name in _modules())
    return {kind.name: kind for kind in found if kind is not None}


def kind_named(name: object) -> ProblemKind[Any, Any] | None:
    """Return the kind of a name, None if there is none; only its module is loaded.

    The module of the kind ``marginal-value`` is ``marginal_value``.
    """
    module = name.replace("-", "_") if isinstance(name, str) else ""
    kind = _kind_in(module) if module in _modules() else None
    return kind if kind is not None and kind.name == name else None


@cache
def _modules() -> tuple[str, ...]:
    return tuple(info.name for info in pkgutil.iter_modules(mechproof.problems.kinds.__path__))


def _kind_in(module: str) -> ProblemKind[Any, Any] | None:
    return getattr(import_module(f"{mechproof.problems.kinds.__name__}.{module}"), "KIND", None)


def solve(document: object) -> AnswerBase:
    """Solve the problem that a document states.

    Raises
    ------
    DocumentError
        When it states none; the error names the path.
    """
    with locate_errors("$"):
        try:
            fields = _fields(document)
            kind = _kind(fields)
            check_texts(fields, but=_LONG_TEXTS)
            problem: ProblemBase = convert_document(document, kind.problem)
            answer: AnswerBase = kind.solve(problem)
            count = _answer_length(answer, MAX_WRITTEN)
            check_count("$", "bytes of an answer", count, MAX_WRITTEN, _SHORTER)
            return msgspec.structs.replace(answer, id=problem.id)
        except MemoryError:
            wrong = "takes more memory than there is: give a smaller problem, or allow more"
        except RecursionError:
            wrong = "nests what it asks for too deeply to be solved: give a smaller problem"
        raise DocumentError(wrong, path="$")


def _answer_length(answer: object, most: int) -> int:
    """Return about how many bytes the texts of an answer take; no more are counted above the most.

    What JSON escapes is counted as it is written: a character may take 12 bytes.
    """
    count, stack = 0, [answer]
    long = dict[str, int]()
    while stack and count <= most:
        part = stack.pop()
        if isinstance(part, str):
            if part.isascii() and part.isprintable():
                count += len(part)
                continue
            if part not in long:
                long[part] = len(json_text(json.dumps(part, ensure_ascii=False)).encode())
            count += long[part]
        elif isinstance(part, msgspec.Struct):
            stack.extend(getattr(part, name) for name in part.__struct_fields__)
        elif isinstance(part, dict):
            stack.extend(part)
            stack.extend(part.values())
        elif isinstance(part, list | tuple):
            stack.extend(part)
    return count


def _fields(document: object) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise DocumentError("is not a table of the fields of a problem", path="$")
    return document


def _kind(document: dict[str, Any]) -> ProblemKind[Any, Any]:
    if "kind" not in document:
        raise DocumentError(f'has no "kind": known are {", ".join(kinds())}', path="$")
    name = document["kind"]
    found = kind_named(name)
    if found is None:
        raise DocumentError(str(unknown_name("kind", str(name), kinds())), path="$.kind")
    return found
