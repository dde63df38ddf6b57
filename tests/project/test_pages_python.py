"""Python on the pages that is typed by readers: strict types, and no name that is unknown."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def examples(text: str) -> str:
    """What stands after the prompts of a text, as one program."""
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


def assigned(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield from importlib.import_module(node.module or "").__all__
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def unknown(page: str) -> set[str]:
    """The names that code on a page uses and nothing on it, as far as that, has assigned."""
    known, found = set(dir(builtins)), set[str]()
    for block in BLOCK.findall(page):
        tree = ast.parse(examples(block) if ">>> " in block else block)
        known |= set(assigned(tree))
        names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        found |= {node.id for node in names if node.id not in known}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_code_on_a_page_uses_names_that_the_page_has(page: Path) -> None:
    assert unknown(page.read_text("utf-8")) == set()


def test_a_name_that_comes_later_or_never_is_found() -> None:
    first, second = "```python\n>>> a = 1\n\n```\n", "```python\nprint(a, b)\n```\n"
    assert unknown(first + second) == {"b"}
    assert unknown(second + first) == {"a", "b"}


def test_the_examples_of_the_readme_pass_strict_types(tmp_path: Path) -> None:
    program = tmp_path / "readme.py"
    program.write_text(examples((ROOT / "README.md").read_text("utf-8")), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", str(program)]  # it knows the packages
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
