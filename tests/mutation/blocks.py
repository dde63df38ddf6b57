"""The blocks of a module, and a module that notes which of them run.

A block is what runs together: the body of a function, of a branch, of a loop. Its name is the
function's with a number (``Game.solve#2``), so it outlives changes elsewhere in the file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

KERNELS = frozenset({"kernel", "fused_kernel", "unordered_kernel"})
"""Decorators of functions that are compiled: nothing can be noted in them."""

MARKS = "mutation_marks"
"""The module that marked modules write to."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Block:
    """A run of lines; `name` is "" for what runs when the module is imported."""

    name: str
    first: int
    last: int
    compiled: bool = False


def decorators(function: Function) -> set[str]:
    """Return the last names of a function's decorators."""
    calls = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return {ast.unparse(call).rpartition(".")[2] for call in calls}


def functions(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions in `body` with their qualified names."""
    for statement in body:
        if isinstance(statement, Function):
            name = within + statement.name
            yield name, statement
            yield from functions(statement.body, f"{name}.")
        elif isinstance(statement, ast.ClassDef):
            yield from functions(statement.body, f"{within}{statement.name}.")
        else:
            for inner in bodies(statement):
                yield from functions(inner, within)


def bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks right within a statement that is no definition."""
    if isinstance(statement, Function | ast.ClassDef):
        return
    for part in ("body", "orelse", "finalbody"):
        if inner := getattr(statement, part, None):
            yield inner
    for part in ("handlers", "cases"):
        yield from (arm.body for arm in getattr(statement, part, ()))


def deep_bodies(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield `body` and all the blocks in it."""
    yield body
    for statement in body:
        for inner in bodies(statement):
            yield from deep_bodies(inner)


def blocks(source: str) -> list[Block]:
    """Return the blocks of a module, outer ones before those within."""
    tree = ast.parse(source)
    found = [Block("", 1, source.count("\n") + 1)]
    for name, function in functions(tree.body):
        lines = [function.lineno, *(d.lineno for d in function.decorator_list)]
        last = function.end_lineno or function.lineno
        if KERNELS & decorators(function):
            found.append(Block(f"{name}#0", min(lines), last, compiled=True))
            continue
        found.append(Block(f"{name}#0", min(lines), last))
        for number, body in enumerate(deep_bodies(function.body)):
            if number:
                last = body[-1].end_lineno or body[-1].lineno
                found.append(Block(f"{name}#{number}", body[0].lineno, last))
    return found


def block_at(line: int, found: list[Block]) -> Block:
    """Return the innermost of the blocks that holds a line."""
    holding = [block for block in found if block.first <= line <= block.last]
    return min(reversed(holding), key=lambda block: block.last - block.first)


def function_at(line: int, found: list[Block]) -> str:
    """Return the qualified name of the function that holds a line, "" outside of any."""
    return block_at(line, found).name.rpartition("#")[0]


def marked(source: str, numbers: dict[str, int]) -> str:
    """Return the module with a note at the start of each block, numbered as `numbers` say."""
    tree = ast.parse(source)
    for name, function in list(functions(tree.body)):
        if KERNELS & decorators(function):
            continue
        for number, body in list(enumerate(deep_bodies(function.body))):
            note = ast.parse(f"__mark__[{numbers[f'{name}#{number}']}] = 1").body
            start = int(number == 0 and ast.get_docstring(function, clean=False) is not None)
            body[start:start] = note
    start = int(ast.get_docstring(tree, clean=False) is not None)
    while start < len(tree.body) and is_future(tree.body[start]):
        start += 1
    tree.body[start:start] = ast.parse(f"from {MARKS} import seen as __mark__").body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
