"""What a piece of code asks for, read from its instructions before it runs."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

__all__ = ["CONSTANT", "Chain", "asks_of"]

Chain = tuple[str, ...]
"""A name, and the attributes that are asked for from there on."""

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
        found = reader.read(step, [s for s in steps[k + 1 : k + 24] if s.opname not in _PASSED])
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
        self.percent = any("%" in text for text in code.co_consts if isinstance(text, str))

    def read(self, step: dis.Instruction, later: list[dis.Instruction]) -> tuple[str, Any] | None:
        """Return what an instruction asks for; None where it asks for nothing."""
        name = step.opname
        if name in _PASSED:
            return None
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
            self.chain = self._loaded((step.argval,))
            return "name", (self.chain, leads, _text_of(later))
        if name.startswith(("LOAD_FAST", "STORE_FAST_LOAD")):
            loaded = step.argval if isinstance(step.argval, str) else step.argval[-1]
            self.chain = self._loaded((loaded,))
            return None
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
            return "attribute", (step.argval, self.chain, leads)
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
            chain = (step.argval,) if isinstance(step.argval, str) else ()
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
