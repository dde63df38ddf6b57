"""A checkout of a package of one module, with tests, for the machinery of mutants."""

from __future__ import annotations

import subprocess
from pathlib import Path

from mutation.pytests import Worker

TINY = '''"""A module to mutate."""

from __future__ import annotations

LIMIT = 3


def kernel(function):
    return function


def least(first: int, second: int | None) -> int:
    """Return the lesser."""
    if second is None:
        return first
    return first if first < second else second


def halved(number):
    while number > LIMIT:
        number = number // 2
    return number


@kernel
def fast(number):
    return number + 1


def through(number):
    return fast(number) * 1


def unseen(number):
    return number - 1
'''

TESTS = """from theory import tiny

def test_the_least():
    assert tiny.least(1, 2) == 1
    assert tiny.least(4, 2) == 2

def test_halved():
    assert tiny.halved(9) == 2

def test_through():
    assert tiny.through(2) == 3

def test_that_fails_anyway():
    assert tiny.through(2) == 4
"""

PROJECT = """[project]
name = "tiny"
[tool.pytest.ini_options]
pythonpath = [".", "tests"]
markers = ["slow", "llm"]
"""


def tiny_checkout(folder: Path) -> Path:
    """Write it into a folder."""
    files = {
        "theory/__init__.py": "",
        "theory/tiny.py": TINY,
        "tests/test_tiny.py": TESTS,
        "tests/test_other.py": "def test_nothing():\n    pass\n",
        "pyproject.toml": PROJECT,
        ".gitignore": "build/\n__pycache__/\n.*\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def few_libraries(copy: Path, typechecked: str) -> Worker:
    """Return a worker that starts at once."""
    return Worker(copy, libraries=["pytest"], typechecked=typechecked)
