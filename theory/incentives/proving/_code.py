"""A piece of code, read once: its instructions, where errors go, and how arguments come in."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final

__all__ = ["Code", "Handler", "bind_arguments", "code_of"]

_PASSED: Final = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "RESUME"})
"""Instructions that do nothing here."""

_BY_NUMBER: Final = frozenset(
    {
        "BUILD_CONST_KEY_MAP",
        "CALL_FUNCTION_EX",
        "COPY",
        "FORMAT_VALUE",
        "LIST_APPEND",
        "LIST_EXTEND",
        "MAKE_FUNCTION",
        "MAP_ADD",
        "RERAISE",
        "SET_ADD",
        "SET_FUNCTION_ATTRIBUTE",
        "SET_UPDATE",
        "SWAP",
        "UNPACK_EX",
        "CONVERT_VALUE",
    }
)
"""Instructions whose argument is the number itself."""

_WITH_NUMBER: Final = frozenset({"COMPARE_OP", "LOAD_ATTR", "LOAD_GLOBAL", "LOAD_SUPER_ATTR"})
"""Instructions whose argument is a name, and a bit beside it."""

_BY_WORD: Final = frozenset({"BINARY_OP", "CALL_INTRINSIC_1", "CALL_INTRINSIC_2"})
"""Instructions whose argument is known by how it is written."""


@dataclass(frozen=True, slots=True)
class Handler:
    """Where an error goes that is raised from ``start`` until before ``end``.

    ``passes_on`` says that the code there only clears up after itself and raises the same error
    again, as Python writes it around comprehensions, generators and handlers of errors.
    """

    start: int
    end: int
    target: int
    depth: int
    lasti: bool
    passes_on: bool


@dataclass(frozen=True, slots=True)
class Code:
    """The instructions of a piece of code, jumps by their place in this list.

    ``steps`` holds what does each instruction, and its argument; ``lines`` the line of each.
    ``seen`` holds the place of each instruction that Python's own tracing tells of, by its offset;
    ``twice`` holds the places of those that leave two values that may be used.
    """

    code: CodeType
    steps: tuple[tuple[Callable[..., Any], Any], ...]
    lines: tuple[int, ...]
    seen: Mapping[int, int]
    twice: frozenset[int]
    handlers: tuple[Handler, ...]
    is_generator: bool
    is_left_by_force: bool
    """Whether it catches errors, which a generator may do where it is removed."""

    def handler(self, at: int) -> Handler | None:
        """Return where an error goes that an instruction raises."""
        return next((h for h in self.handlers if h.start <= at < h.end), None)


_CODES: Final[dict[int, Code]] = {}
"""By the identity of the code, which is kept, so that no other takes its place."""


def code_of(code: CodeType, doing: Mapping[str, Callable[..., Any]]) -> Code:
    """Return a piece of code as it is run: ``doing`` has what does each instruction, by name."""
    known = _CODES.get(id(code))
    if known is None:
        known = _CODES[id(code)] = _read(code, doing)
    return known


def _read(code: CodeType, doing: Mapping[str, Callable[..., Any]]) -> Code:
    places: dict[int, int] = {}  # of each offset, also of instructions that do nothing
    steps = list(dis.get_instructions(code))
    kept: list[dis.Instruction] = []
    for step in steps:
        places[step.offset] = len(kept)
        if step.opname not in _PASSED:
            kept.append(step)
    end = len(code.co_code)
    places[end] = len(kept)
    jumps = {*dis.hasjrel, *dis.hasjabs}
    unknown = doing["UNKNOWN"]
    found = []
    lines = []
    for step in kept:
        argument = places[step.argval] if step.opcode in jumps else _argument(step, code)
        do = doing.get(step.opname, unknown)
        found.append((do, step.opname if do is unknown else argument))
        lines.append((step.positions.lineno if step.positions else None) or code.co_firstlineno)
    handlers = tuple(
        Handler(
            places[start],
            places[stop],
            places[target],
            depth,
            lasti,
            _passes_on(kept[places[target] :], code.co_stacksize),
        )
        for start, stop, target, depth, lasti in _table(code.co_exceptiontable)
    )
    flags = code.co_flags
    catches = any(step.opname == "PUSH_EXC_INFO" for step in steps)
    if flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        found.insert(0, (unknown, "a coroutine"))
    is_generator = bool(flags & inspect.CO_GENERATOR)
    seen = _number_steps(steps)
    twice = frozenset(at for at, step in enumerate(kept) if _leaves_two(step))
    return Code(code, tuple(found), tuple(lines), seen, twice, handlers, is_generator, catches)


def _leaves_two(step: dis.Instruction) -> bool:
    """Whether an instruction leaves two values: a function and its object, or two variables."""
    newer = sys.version_info >= (3, 12)
    method = step.opname in {"LOAD_ATTR", "LOAD_SUPER_ATTR"} and newer and (step.arg or 0) & 1
    return bool(method) or step.opname in {"LOAD_METHOD", "LOAD_FAST_LOAD_FAST"}


def _number_steps(steps: list[dis.Instruction]) -> dict[int, int]:
    """Return where instructions stand among those that do something, by their offset.

    Those are left out that Python does not tell of in each version: the ones before a function
    begins, and what takes an iterator away that has ended. What makes an argument longer stands
    for the instruction that takes it, since one version tells of it alone.
    """
    seen: dict[int, int] = {}
    begun = False
    place = 0
    before = ""
    for step in steps:
        begun |= step.opname == "RESUME"
        if begun and step.opname == "EXTENDED_ARG":
            seen[step.offset] = place
        if step.opname in _PASSED:
            continue
        ends = step.opname == "END_FOR" or (before == "END_FOR" and step.opname == "POP_TOP")
        if begun and not ends:
            seen[step.offset] = place
        place, before = place + 1, step.opname
    return seen


def _argument(step: dis.Instruction, code: CodeType) -> Any:
    name = step.opname
    if name == "KW_NAMES":
        return code.co_consts[step.arg or 0]
    if name in _BY_NUMBER:
        return step.arg
    if name in _WITH_NUMBER:
        return step.argval, step.arg or 0
    if name in _BY_WORD:
        return step.argrepr
    return step.argval


def _passes_on(steps: list[dis.Instruction], size: int) -> bool:
    """Whether instructions that start with an error on the stack end by raising just that."""
    stack = [False] * (size + 2) + [True]  # whether it is the error
    for step in steps:
        name, count = step.opname, step.arg or 0
        if name == "SWAP":
            stack[-1], stack[-count] = stack[-count], stack[-1]
        elif name == "COPY":
            stack.append(stack[-count])
        elif name == "LOAD_CONST":
            stack.append(False)
        elif name in _TAKING:
            del stack[-_TAKING[name] :]
        elif name == "RERAISE":
            return stack[-1]
        elif name not in {"CALL_INTRINSIC_1", "DELETE_FAST", "DELETE_DEREF"}:
            return False
    return False


_TAKING: Final = {
    "POP_EXCEPT": 1,
    "POP_TOP": 1,
    "STORE_DEREF": 1,
    "STORE_FAST": 1,
    "STORE_FAST_STORE_FAST": 2,
}
"""How much some instructions take from the stack."""


def _table(packed: bytes) -> list[tuple[int, int, int, int, bool]]:
    """Return the entries of a table of exceptions: start, end, target in bytes, depth and lasti.

    Source: Objects/exception_handling_notes.txt of CPython.
    """
    numbers: list[int] = []
    value = 0
    starts: list[int] = []
    for byte in packed:
        if byte & 128:  # an entry begins
            starts.append(len(numbers))
        value = (value << 6) | (byte & 63)
        if not byte & 64:
            numbers.append(value)
            value = 0
    entries = []
    for at in starts:
        start, length, target, depth = numbers[at : at + 4]
        entries.append((2 * start, 2 * (start + length), 2 * target, depth >> 1, bool(depth & 1)))
    return entries


_TAKES_REST: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def bind_arguments(
    function: FunctionType, arguments: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the local variables that a call of a function starts with.

    Raises
    ------
    TypeError
        Where the arguments do not fit, as Python does.
    """
    code = function.__code__
    count, only = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    found = dict(zip(names[:count], arguments, strict=False))
    if len(arguments) == count and not (named or only or code.co_flags & _TAKES_REST):
        return found
    extra = arguments[count:]
    at = count + only
    if code.co_flags & inspect.CO_VARARGS:
        found[names[at]] = extra
        at += 1
    elif extra:
        raise TypeError(
            f"{function.__name__}() takes {count} arguments, and {len(arguments)} were given"
        )
    taking = set(names[code.co_posonlyargcount : count + only])
    rest: dict[str, Any] = {}
    for name, value in named.items():
        if name in taking:
            if name in found:
                raise TypeError(f"{function.__name__}() got several values for {name!r}")
            found[name] = value
        elif code.co_flags & inspect.CO_VARKEYWORDS:
            rest[name] = value
        else:
            raise TypeError(f"{function.__name__}() takes no argument {name!r}")
    if code.co_flags & inspect.CO_VARKEYWORDS:
        found[names[at]] = rest
    usual = function.__defaults__ or ()
    for name, value in zip(names[count - len(usual) : count], usual, strict=True):
        found.setdefault(name, value)
    for name, value in (function.__kwdefaults__ or {}).items():
        found.setdefault(name, value)
    missing = [name for name in names[: count + only] if name not in found]
    if missing:
        raise TypeError(f"{function.__name__}() is not given {missing[0]!r}")
    return found
