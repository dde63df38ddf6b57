"""The mutants of a module: cosmic-ray makes them, the rules here say which make sense."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from mutation.blocks import Block, Function, blocks, decorators, function_at

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow")
BITS = ("BitOr", "BitAnd", "BitXor", "LShift", "RShift")
ORDER = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
IDENTITY = ("Is", "IsNot")
KINDS = (
    *((f"ReplaceBinaryOperator_{a}_{b}", (ARITHMETIC, BITS), a, b)
      for a in ARITHMETIC + BITS for b in ARITHMETIC + BITS),
    *((f"ReplaceComparisonOperator_{a}_{b}", (ORDER, IDENTITY), a, b)
      for a in ORDER + IDENTITY for b in ORDER + IDENTITY),
)  # fmt: skip
OPERATORS = (
    *(name for name, kinds, a, b in KINDS if a != b and any({a, b} <= set(k) for k in kinds)),
    "ReplaceUnaryOperator_Delete_USub",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_Invert",
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ExceptionReplacer",
    "NumberReplacer",
    "RemoveDecorator",
    "ZeroIterationForLoop",
)
"""An operator is replaced by one of its own kind: what only changes the kind fails at once."""

BINARY = frozenset({"arith_expr", "term", "power", "expr", "and_expr", "xor_expr", "shift_expr"})
"""Where a star or a bar is an operator, and does not mark arguments or separate types."""

SILENT = re.compile(
    r"@(\w+\.)*(overload|override|final|runtime_checkable|cache|lru_cache|cached_property"
    r"|(fused_|unordered_)?kernel)\b"
)
"""Decorators that speak to type checkers, or change nothing but speed."""


@dataclass(frozen=True, order=True)
class Place:
    """Where an operator of cosmic-ray finds something to change."""

    path: str
    operator: str
    occurrence: int
    line: int
    column: int


@dataclass(frozen=True)
class Mutant:
    """A program with one change. What changed is told by content: lines move."""

    path: str
    operator: str
    line: int
    function: str
    before: str
    after: str
    source: str
    digest: str

    @property
    def diff(self) -> str:
        """The change as a patch without context."""
        old = [f"-{line}" for line in self.before.splitlines()]
        new = [f"+{line}" for line in self.after.splitlines()]
        return "\n".join(
            [f"{self.path}:{self.line} in {self.function or 'the module'}", *old, *new]
        )


@cache
def operator(name: str) -> Any:
    from cosmic_ray.plugins import get_operator  # pyright: ignore[reportMissingImports]

    return get_operator(f"core/{name}")()


def places(path: str, source: str) -> Iterator[Place]:
    """Yield every place of a module where a mutant makes sense."""
    from cosmic_ray.ast import ast_nodes, get_ast  # pyright: ignore[reportMissingImports]

    left_out = ranges(source)
    nodes = list(ast_nodes(get_ast(source)))
    for name in OPERATORS:
        change = operator(name)
        occurrence = -1
        for node in nodes:
            for start, _ in change.mutation_positions(node):
                occurrence += 1
                if name.startswith("ReplaceBinary") and node.parent.type not in BINARY:
                    continue
                if name == "RemoveDecorator" and SILENT.match(node.get_code().strip()):
                    continue
                if not any(first <= start < last for first, last in left_out):
                    yield Place(path, name, occurrence, *start)


def ranges(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return what is left out: what type checkers read, and what an error that is raised says."""
    tree = ast.parse(source)
    lines = source.splitlines()

    def place(line: int, column: int) -> tuple[int, int]:
        """Characters, where ast counts bytes."""
        return line, len(lines[line - 1].encode()[:column].decode())

    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            found.append(node.annotation)
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                found.append(node)
        elif isinstance(node, Function):
            found += [node.returns] if node.returns else []
            found += [node] if "overload" in decorators(node) else []
        elif isinstance(node, ast.Raise) or is_typing(node):
            found.append(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"cast", "TypeVar"}:
            found.append(node.args[0])
    return [
        (place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]
        for node in found
    ]


def is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def mutant(place: Place, source: str) -> Mutant | None:
    """Return the mutant of a place; none where the change makes no program, or the same one."""
    from cosmic_ray.mutating import mutate_code  # pyright: ignore[reportMissingImports]

    changed: str | None = mutate_code(source, operator(place.operator), place.occurrence)
    if changed is None or not differs(source, changed):
        return None
    before, after = change(source, changed)
    found: list[Block] = blocks(source)
    within = function_at(place.line, found)
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    return Mutant(place.path, place.operator, place.line, within, before, after, changed, digest)


def differs(source: str, changed: str) -> bool:
    """Tell whether a changed module is another program."""
    try:
        return ast.dump(ast.parse(source)) != ast.dump(ast.parse(changed))
    except SyntaxError:
        return False


def change(source: str, changed: str) -> tuple[str, str]:
    """Return the lines that changed, as they were and as they are, one space for any number."""
    old, new = source.splitlines(), changed.splitlines()
    parts = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    before = [line for kind, a, b, *_ in parts if kind != "equal" for line in old[a:b]]
    after = [line for kind, _, _, a, b in parts if kind != "equal" for line in new[a:b]]
    return tidy(before), tidy(after)


def tidy(lines: list[str]) -> str:
    return "\n".join(" ".join(line.split()) for line in lines)
