"""What a piece of code asks for, read from its instructions before it runs."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

__all__ = ["CONSTANT", "LOCAL", "Chain", "asks_of", "is_left_by_force"]

Chain = tuple[str, ...]
"""A name, after LOCAL where it is a local one, and the attributes asked for from there on."""

LOCAL: Final = "."

CONSTANT: Final[Chain] = ("a constant",)
"""Stands for a constant of the code, which has no name."""

_PASSED: Final = frozenset({"EXTENDED_ARG", "CACHE", "PRECALL", "PUSH_NULL", "NOP", "RESUME"})
_LOADS: Final = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FROM", "LOAD_CLASS")
_ATTRIBUTES: Final = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"})
_NEVER: Final = {
    "BEFORE_WITH": "leaves a `with`, which is told of errors",
    "LOAD_SPECIAL": "leaves a `with`, which is told of errors",
    "MATCH_CLASS": "asks for a class in a pattern",
    "CHECK_EG_MATCH": "catches a group of errors",
    "LOAD_BUILD_CLASS": "makes a class",
    "BEFORE_ASYNC_WITH": "waits for something",
    "GET_AWAITABLE": "waits for something",
    "GET_AITER": "waits for something",
    "GET_ANEXT": "waits for something",
    "SETUP_ANNOTATIONS": "runs as a module",
    "DELETE_GLOBAL": "removes a global",
    "IMPORT_STAR": "imports all of a module",
}
"""Instructions that tell more than values do, whatever they are given."""

_FORMATS: Final = frozenset({"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"})


def asks_of(code: CodeType) -> Iterator[tuple[int, tuple[str, Any]]]:
    """Yield the instructions that ask for something, by offset.

    An instruction with a large argument has others before it, with which it runs as one.
    """
    starts: list[int] = []
    steps = list(dis.get_instructions(code))
    reader = _Reader(code)
    for k, step in enumerate(steps):
        starts.append(step.offset)
        if step.opname == "EXTENDED_ARG":
            continue
        later = [s for s in steps[k + 1 : k + 24] if s.opname not in _PASSED]
        if step.opname in _ATTRIBUTES and steps[k + 1].opname == "PUSH_NULL":
            reader.called = True
        found = reader.read(step, later)
        if found is not None:
            yield from ((start, found) for start in starts)
        starts = []


class _Reader:
    """Reads the instructions of a piece of code, one after another."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.chain: Chain = ()  # the name and the attributes that were loaded just before
        self.loads: list[Chain] = []  # what the last instructions loaded; CONSTANT, a constant
        self.made: list[Chain] = []  # what the last operation computed with, where that was loaded
        self.changed: dict[str, Chain] = {}  # of what an attribute is being changed in place
        self.imported = ""
        self.before: dis.Instruction | None = None
        self.caught = False
        self.null = False  # whether the next name is that of what will be called
        self.called = False  # whether what is loaded is what will be called
        self.imports: set[str] = set()  # locals that may be modules
        self.percent = any("%" in text for text in code.co_consts if isinstance(text, str))

    def read(self, step: dis.Instruction, later: list[dis.Instruction]) -> tuple[str, Any] | None:
        """Return what an instruction asks for; None where it asks for nothing."""
        name = step.opname
        if step.is_jump_target:  # what was loaded before may be of another branch
            self.chain, self.loads, self.made, self.before = (), [], [], None
        if name.startswith("LOAD_") and name not in _ATTRIBUTES:
            self.called = self.null or (name == "LOAD_GLOBAL" and "NULL" in step.argrepr)
        self.null = name == "PUSH_NULL"
        if name in _PASSED:
            return None
        after = self.before.opname if self.before is not None else ""
        if name == "STORE_FAST" and after.startswith("IMPORT_"):
            self.imports.add(step.argval)
        found = self._read(step, name, later)
        self.caught = name == "CHECK_EXC_MATCH" or (self.caught and name.startswith("POP_JUMP"))
        self.before = step
        return found

    def _read(
        self, step: dis.Instruction, name: str, later: list[dis.Instruction]
    ) -> tuple[str, Any] | None:
        chain, self.chain = self.chain, ()
        leads = bool(later) and later[0].opname in _ATTRIBUTES
        if name in _NEVER:
            return "never", _NEVER[name]
        if name.startswith(_LOADS):
            local = name.startswith(("LOAD_DEREF", "LOAD_CLASS", "LOAD_FROM"))
            self.chain = self._loaded((LOCAL * local + step.argval,))
            return "name", (self.chain, leads, _text_of(later))
        if name.startswith(("LOAD_FAST", "STORE_FAST_LOAD")):
            loaded = step.argval if isinstance(step.argval, str) else step.argval[-1]
            self.chain = self._loaded((LOCAL + loaded,))
            return ("name", (self.chain, leads, None)) if loaded in self.imports else None
        if name.startswith("LOAD_CONST"):
            self._loaded(CONSTANT)
            return None
        if name == "COPY":
            self.chain = chain
            return None
        if name in _ATTRIBUTES:
            if self.before is not None and self.before.opname == "COPY":
                self.changed[step.argval] = chain
            self.chain = (*chain, step.argval) if chain else ()
            self.loads[-1:] = [self.chain] if self.chain else []
            method = name == "LOAD_METHOD" or "NULL|self" in step.argrepr
            return "attribute", (step.argval, self.chain, leads, method or self.called)
        if name == "IMPORT_NAME":
            self.imported = step.argval
            return "import", step.argval
        if name == "IMPORT_FROM":
            return "from", (self.imported, step.argval)
        return self._other(step, name, chain)

    def _loaded(self, chain: Chain) -> Chain:
        self.loads.append(chain)
        return chain

    def _other(self, step: dis.Instruction, name: str, chain: Chain) -> tuple[str, Any] | None:
        loads, self.loads = self.loads, []
        made, self.made = self.made, []
        if name == "IS_OP":
            return None if _is_plain_constant(self.before) else ("is", chain)
        if name in {"STORE_ATTR", "DELETE_ATTR"}:
            swapped = self.before is not None and self.before.opname == "SWAP"
            return "store", (self.changed.get(step.argval, ()) if swapped else chain, step.argval)
        if name == "STORE_GLOBAL":
            return "write", step.argval
        if name in _FORMATS:
            return self._text(step, name, loads, made)
        if name == "BINARY_OP":
            self.made = loads[-2:] if len(loads) > 1 else []
            percent = step.argrepr in {"%", "%="} and self.percent
            return ("text", loads[-1:] or [()]) if percent else None
        if self.caught and name.startswith("STORE_"):
            return "error", step.argval
        return None

    def _text(
        self, step: dis.Instruction, name: str, loads: list[Chain], made: list[Chain]
    ) -> tuple[str, Any] | None:
        """Return what a text is made of: what was loaded before it, and before its form."""
        if self.before is not None and self.before.opname == "CONVERT_VALUE":
            return None
        if name == "FORMAT_WITH_SPEC" or (name == "FORMAT_VALUE" and (step.arg or 0) & 4):
            loads = loads[:-1] if loads[-1:] == [CONSTANT] else []
        return "text", loads[-1:] or made or [()]


def _text_of(later: list[dis.Instruction]) -> Chain | None:
    """Return of what a call with one argument is made, if it is what was loaded just before."""
    chain: Chain = ()
    for step in later:
        if step.opname.startswith(("CALL", "PRECALL")) and step.arg == 1:
            return chain
        if not chain and step.opname.startswith(("LOAD_FAST", "LOAD_GLOBAL", "LOAD_DEREF")):
            local = "" if step.opname.startswith("LOAD_GLOBAL") else LOCAL
            chain = (local + step.argval,) if isinstance(step.argval, str) else ()
        elif chain and step.opname in _ATTRIBUTES:
            chain = (*chain, step.argval)
        else:
            return None
        if not chain:
            return None
    return None


def _is_plain_constant(step: dis.Instruction | None) -> bool:
    """Whether an instruction loads None, a truth value or an ellipsis, of which there is one."""
    if step is None or not step.opname.startswith("LOAD_CONST"):
        return False
    return step.argval is None or step.argval is ... or isinstance(step.argval, bool)


def is_left_by_force(code: CodeType) -> bool:
    """Whether a generator catches errors or ends with a `finally`, which runs where it is removed.

    When that is depends on the collector of garbage.
    """
    if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        return False
    return any(step.opname == "PUSH_EXC_INFO" for step in dis.get_instructions(code))
