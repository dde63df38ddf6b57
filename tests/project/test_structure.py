"""How the packages stand to each other, beyond what import-linter holds."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from dev_environments import ROOT
from dev_gates import PACKAGES
from theory.incentives import FiniteTypes, check_mechanism

TREES = [ROOT / "tests" / package for package in PACKAGES]


@cache
def modules() -> dict[str, Path]:
    """The files of the modules of the packages, by their names."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path
    return found


@cache
def tree_of(name: str) -> ast.Module:
    """The code of a module."""
    return ast.parse(modules()[name].read_text("utf-8"))


def imported(body: list[ast.stmt]) -> Iterator[str]:
    """What statements import when the module is loaded: not what types alone need."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules() else str(node.module) for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) != "TYPE_CHECKING":
            yield from imported([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from imported(node.body)


def named(node: ast.AST) -> Iterator[str]:
    """What a statement imports, by its whole name: of a module, or of what stands in one."""
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def foreign(name: str, used: str) -> bool:
    """Whether a module uses what is private to a package or module that it does not stand in."""
    parts = used.split(".")
    private = [k for k, part in enumerate(parts) if part.startswith("_") and k]
    if not private or parts[0] not in PACKAGES or parts[private[0]].startswith("__"):
        return False
    owner = ".".join(parts[: private[0]])
    home = name if modules()[name].name == "__init__.py" else name.rpartition(".")[0]
    return not f"{home}.".startswith(f"{owner}.")


def test_no_package_uses_what_is_private_to_another() -> None:
    found = {
        f"{name} uses {used}"
        for name in modules()
        for node in ast.walk(tree_of(name))
        for used in named(node)
        if foreign(name, used)
    }
    assert not found


@pytest.mark.parametrize(
    ("name", "used", "wrong"),
    [
        ("theory.games", "theory.games._tree", False),
        ("theory.games.ex_ante", "theory.games._tree", False),
        ("theory.decision", "theory.games._tree", True),
        ("theory.incentives", "theory.incentives.search._slots", True),
        ("papers.bazaar", "theory._tree", True),
        ("papers.bazaar", "theory.games.solve", False),
        ("theory.decision", "theory.probability._same_states", True),
        ("theory.games", "theory.games._tree._walk", False),
        ("papers.bazaar", "numpy._core", False),
    ],
)
def test_a_private_import_is_seen(name: str, used: str, wrong: bool) -> None:
    assert foreign(name, used) is wrong


def test_no_imports_go_round_in_a_circle() -> None:
    known = modules()
    uses = {
        name: {used for used in imported(tree_of(name).body) if used in known and used != name}
        for name in known
    }
    TopologicalSorter(uses).prepare()  # raises CycleError, which names the modules


def test_tests_lie_where_the_packages_do() -> None:
    folders = [path for tree in TREES for path in tree.rglob("test_*.py")]
    assert folders
    for path in folders:
        assert (ROOT / path.parent.relative_to(ROOT / "tests")).is_dir(), path


def places_named_in(page: Path) -> Iterator[Path]:
    """The files and folders of this checkout that a page names as code or links to."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    roots = "|".join((*PACKAGES, "tests", "benchmarks", "docs", "requirements"))
    for name in re.findall(rf"`((?:{roots})/[\w./-]*(?:/|\.\w+))`", text):
        if "NAME" not in name:  # which stands for a name of the reader's
            yield ROOT / name
    for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
        yield page.parent / link


def test_what_pages_name_is_there() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    named = [(page, place) for page in pages for place in places_named_in(page)]
    assert len(named) > 200
    assert not [f"{page.name}: {place}" for page, place in named if not place.exists()]


def test_the_ways_through_the_code_name_files_that_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    ways = re.findall(r"files without a folder are in `([\w/]+)/`\n\n((?:\|.*\n)+)", text)
    named = [(home, file) for home, rows in ways for file in re.findall(r"`([\w/]+\.py)`", rows)]
    assert len(named) > 40
    missing = [
        file for home, file in named if not any((ROOT / f / file).exists() for f in (home, ""))
    ]
    assert not missing


def first_price(bids: Sequence[int]) -> tuple[int, list[int]]:
    winner = bids.index(max(bids))
    return winner, [bid if i == winner else 0 for i, bid in enumerate(bids)]


def second_price(bids: Sequence[int]) -> tuple[int, list[int]]:
    winner = bids.index(max(bids))
    price = max(bid for i, bid in enumerate(bids) if i != winner)
    return winner, [price if i == winner else 0 for i in range(len(bids))]


def files_run(code: Callable[[], object]) -> set[str]:
    """The files of this checkout whose functions run."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        code()
    finally:
        sys.setprofile(before)
    paths = [Path(name) for name in found if Path(name).is_relative_to(ROOT)]
    ours = {path.relative_to(ROOT).as_posix() for path in paths}
    return {name for name in ours if name.startswith(tuple(f"{p}/" for p in PACKAGES))}


@pytest.mark.parametrize("mechanism", [first_price, second_price])
def test_the_way_of_a_mechanism_is_short_and_named(mechanism: Callable[..., object]) -> None:
    """One property is judged by code of fewer than twenty files there, all of them in the table."""
    given: Any = {"types": FiniteTypes(range(3)), "agents": 2, "properties": ["dsic"]}
    check_mechanism(mechanism, **given)  # whatever is loaded once
    run = files_run(lambda: check_mechanism(mechanism, **given))
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    way = text.split("**A mechanism through `check_mechanism`**")[1].split("\n\n**")[0]
    home = "theory/incentives/"
    there = {name.removeprefix(home) for name in run if name.startswith(home)}
    assert 10 < len(there) < 20
    assert {name for name in there if f"`{name}`" not in way} <= {"properties/shared.py"}
    assert {Path(name).parts[1] for name in run} <= {"incentives", "numbers", "shared"}
