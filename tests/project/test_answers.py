"""What solvers of theory answer: the same words for the same things, and a gap by other code.

The words, and the files that solve and check, are those of the tables in ``docs/architecture.md``.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from test_structure import imported, modules, tree_of

import theory
from dev import ROOT
from theory.incentives import Witness


def rows_under(heading: str) -> list[list[str]]:
    """The rows of the first table whose header begins so; cells are lists of code in them."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    lines = text.split(f"\n| {heading} |")[1].split("\n\n")[0].split("\n")[2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def code_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


NEVER = {word: code_in(row[0])[0] for row in rows_under("word") for word in code_in(row[2])}
ROWS = rows_under("question")


def dataclass_named(name: str, owner: Any) -> type | None:
    found = getattr(owner, name, None)
    return found if isinstance(found, type) and dataclasses.is_dataclass(found) else None


def dataclasses_in(annotation: object, owner: Any) -> list[type]:
    names = re.findall(r"\w+", str(annotation))
    return [found for name in names if (found := dataclass_named(name, owner)) is not None]


@cache
def answers() -> dict[type, str]:
    """The dataclasses that public functions of theory return, each with one such function."""
    found = {}
    for info in pkgutil.walk_packages(theory.__path__, "theory."):
        if any(part.startswith("_") for part in info.name.split(".")):
            continue
        module = importlib.import_module(info.name)
        for name in getattr(module, "__all__", ()):
            function = inspect.unwrap(getattr(module, name))
            if inspect.isfunction(function):
                owner = inspect.getmodule(function)
                for cls in dataclasses_in(function.__annotations__.get("return"), owner):
                    found[cls] = f"{info.name}.{name}"
    return found


def words_of(cls: type) -> Iterator[tuple[str, object]]:
    """The fields and properties of a class, with their types as they are written."""
    for base in cls.__mro__:
        yield from inspect.get_annotations(base).items()
        for name, value in vars(base).items():
            get = getattr(value, "fget", getattr(value, "func", None))
            if inspect.isfunction(get):
                yield name, get.__annotations__.get("return")


def carries_gap(cls: type, depth: int = 2) -> bool:
    """Whether a class has a gap, or something in it has."""
    words, owner = dict(words_of(cls)), inspect.getmodule(cls)
    parts = [part for said in words.values() for part in dataclasses_in(said, owner)]
    return "gap" in words or (depth > 0 and any(carries_gap(part, depth - 1) for part in parts))


def test_answers_are_found() -> None:
    assert len(answers()) > 50
    assert {"Regret", "Solution", "FixedPoint"} <= {cls.__name__ for cls in answers()}


def test_answers_use_the_agreed_words() -> None:
    wrong = {
        f"{cls.__name__}.{word} of {at}: say {NEVER[word]}"
        for cls, at in answers().items()
        for word, _ in words_of(cls)
        if word in NEVER
    }
    assert not wrong


def test_what_is_checked_carries_a_gap() -> None:
    """Whoever promises a tolerance or a certificate says how far the answer is off.

    A witness is no answer: it is run again.
    """
    silent = {
        f"{cls.__name__} of {at}"
        for cls, at in answers().items()
        if {"tolerance", "certificate"} & {word for word, _ in words_of(cls)}
        if not carries_gap(cls) and cls is not Witness
    }
    assert not silent


@pytest.mark.parametrize(("word", "agreed"), [("residual", "gap"), ("confirmed", "holds")])
def test_another_word_would_be_seen(
    word: str, agreed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = dataclasses.make_dataclass("Other", [(word, float), ("tolerance", float)], frozen=True)
    monkeypatch.setitem(answers(), other, "theory.other.solve")
    with pytest.raises(AssertionError, match=f"{word} of theory.other.solve: say {agreed}"):
        test_answers_use_the_agreed_words()
    with pytest.raises(AssertionError, match="Other of theory"):
        test_what_is_checked_carries_a_gap()


def test_every_answer_with_a_gap_stands_in_the_table() -> None:
    named = {name for row in ROWS for name in code_in(row[1])}
    have = {cls.__name__ for cls in answers() if "gap" in dict(words_of(cls))}
    assert have == named & have, have - named
    known = {cls.__name__: cls for cls in answers()}
    assert all(carries_gap(known[name]) for name in named)


def test_every_recheck_stands_in_the_table() -> None:
    paths = {path for row in ROWS for path in code_in(row[4])}
    there = {
        str(path.relative_to(ROOT / "theory")) for path in (ROOT / "theory").rglob("_recheck*.py")
    }
    assert there <= paths, there - paths


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_recheck_shares_nothing_with_the_solver(row: list[str]) -> None:
    """What a recheck imports, and what that imports in turn, is none of the solver's files."""
    solver, recheck = ({ROOT / "theory" / path for path in code_in(row[k])} for k in (3, 4))
    for path in code_in(row[5]):
        assert (ROOT / (path if "/" in path else f"tests/reference/{path}")).exists(), path
    assert solver
    assert recheck
    files = {path: name for name, path in modules().items()}
    reached, open_ = set[str](), [files[path] for path in recheck]
    while open_:
        name = open_.pop()
        if name not in reached and name in modules():
            reached.add(name)
            open_ += imported(tree_of(name).body)
    assert not {modules()[name] for name in reached} & solver
