"""What each instruction of Python's does, from 3.11 to 3.13.

What works on values is in ``_value_instructions.py``; here are jumps, loops, calls and errors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from theory.incentives.proving import _value_instructions
from theory.incentives.proving._stack import NULL, pop_many
from theory.incentives.proving._value_instructions import list_to_tuple, load_fast, unary_positive

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame, Machine

__all__ = ["INSTRUCTIONS", "FrameExit"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""


class FrameExit:
    """What a frame is left with: what it returns, or yields."""

    __slots__ = ("value", "yields")

    def __init__(self, value: Any, *, yields: bool = False) -> None:
        self.value, self.yields = value, yields


_NEWER: Final = sys.version_info >= (3, 13)

Doing = Callable[["Machine", "Frame", Any], FrameExit | None]


# --- Jumps


def jump(machine: Machine, frame: Frame, target: int) -> None:
    frame.at = target


def pop_jump_if_true(machine: Machine, frame: Frame, target: int) -> None:
    if machine.truth(frame, frame.stack.pop()):
        frame.at = target


def pop_jump_if_false(machine: Machine, frame: Frame, target: int) -> None:
    if not machine.truth(frame, frame.stack.pop()):
        frame.at = target


def pop_jump_if_none(machine: Machine, frame: Frame, target: int) -> None:
    if frame.stack.pop() is None:
        frame.at = target


def pop_jump_if_not_none(machine: Machine, frame: Frame, target: int) -> None:
    if frame.stack.pop() is not None:
        frame.at = target


def jump_if_true_or_pop(machine: Machine, frame: Frame, target: int) -> None:
    if machine.truth(frame, frame.stack[-1]):
        frame.at = target
    else:
        frame.stack.pop()


def jump_if_false_or_pop(machine: Machine, frame: Frame, target: int) -> None:
    if machine.truth(frame, frame.stack[-1]):
        frame.stack.pop()
    else:
        frame.at = target


# --- Loops and generators


def get_iter(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.iterate(frame, frame.stack.pop()))


_DONE: Final = object()


def for_iter(machine: Machine, frame: Frame, target: int) -> None:
    found = machine.take_next(frame.stack[-1], _DONE)
    if found is not _DONE:
        frame.stack.append(found)
        return
    frame.at = target
    if sys.version_info >= (3, 12):  # an END_FOR follows, which pops the iterator
        frame.stack.append(None)
    else:
        frame.stack.pop()


def end_for(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.pop()
    if not _NEWER:  # later ones leave the iterator to the POP_TOP that follows
        frame.stack.pop()


def send(machine: Machine, frame: Frame, target: int) -> None:
    given = frame.stack.pop()
    if given is not None:
        machine.refuse("sends a value to a generator")
    iterator = frame.stack[-1]
    try:
        frame.stack.append(machine.send(iterator))
    except StopIteration as ended:
        if sys.version_info < (3, 12):
            frame.stack.pop()
        frame.stack.append(ended.value)
        frame.at = target


def end_send(machine: Machine, frame: Frame, _: Any) -> None:
    value = frame.stack.pop()
    frame.stack[-1] = value


def return_generator(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(None)


def yield_value(machine: Machine, frame: Frame, _: Any) -> FrameExit:
    return FrameExit(frame.stack.pop(), yields=True)


def return_value(machine: Machine, frame: Frame, _: Any) -> FrameExit:
    return FrameExit(frame.stack.pop())


def return_const(machine: Machine, frame: Frame, value: Any) -> FrameExit:
    return FrameExit(machine.constant(value))


# --- Functions and calls


def make_function(machine: Machine, frame: Frame, flags: int | None) -> None:
    code: CodeType = frame.stack.pop()
    given = {flag: frame.stack.pop() for flag in (8, 4, 2, 1) if not _NEWER and (flags or 0) & flag}
    closure = given.get(8) or tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, frame.function.__globals__, closure=closure)
    made.__defaults__, made.__kwdefaults__ = given.get(1), given.get(2)
    _push_function(machine, frame, made)


def _push_function(machine: Machine, frame: Frame, made: FunctionType) -> None:
    """Push a function that the run made; one that code of ours made is ours."""
    if frame.ours:
        machine.ours[id(made)] = made
    frame.stack.append(machine.make(made))


def set_function_attribute(machine: Machine, frame: Frame, flag: int) -> None:
    made, value = frame.stack.pop(), frame.stack.pop()
    if flag == 8:  # the first that is set
        made = FunctionType(made.__code__, made.__globals__, closure=value)
    elif flag == 1:
        made.__defaults__ = value
    elif flag == 2:
        made.__kwdefaults__ = value
    _push_function(machine, frame, made)


def kw_names(machine: Machine, frame: Frame, names: tuple[str, ...]) -> None:
    frame.names = names


def call(machine: Machine, frame: Frame, count: int) -> None:
    given = pop_many(frame.stack, count)
    names, frame.names = frame.names, ()
    _call(machine, frame, given, names)


def call_kw(machine: Machine, frame: Frame, count: int) -> None:
    names = frame.stack.pop()
    _call(machine, frame, pop_many(frame.stack, count), names)


def _call(machine: Machine, frame: Frame, listed: list[Any], names: tuple[str, ...]) -> None:
    second, first = frame.stack.pop(), frame.stack.pop()
    function, this = (first, second) if _NEWER or first is not NULL else (second, NULL)
    by_name = _is_named(frame, function)
    if this is not NULL:
        listed.insert(0, this)
    count = len(listed) - len(names)
    named = dict(zip(names, listed[count:], strict=True))
    given = tuple(listed[:count])
    frame.stack.append(machine.call(frame, function, given, named, by_name=by_name))


def _is_named(frame: Frame, function: Any) -> bool:
    """Whether the code of the frame named what is called, of which the stack is rid by now."""
    place = len(frame.stack) + (not _NEWER)
    return place in frame.named and frame.named.pop(place) is function


def call_function_ex(machine: Machine, frame: Frame, flags: int) -> None:
    named = dict(machine.entries(frame.stack.pop())) if flags & 1 else {}
    if not all(type(name) is str for name in named):
        raise TypeError("keywords must be strings")
    given = tuple(machine.draw(frame, frame.stack.pop()))
    second, first = frame.stack.pop(), frame.stack.pop()
    function = first if _NEWER else second
    by_name = _is_named(frame, function)
    frame.stack.append(machine.call(frame, function, given, named, by_name=by_name))


def call_intrinsic_1(machine: Machine, frame: Frame, name: str) -> None:
    if name == "INTRINSIC_LIST_TO_TUPLE":
        list_to_tuple(machine, frame, None)
    elif name == "INTRINSIC_UNARY_POSITIVE":
        unary_positive(machine, frame, None)
    elif name == "INTRINSIC_STOPITERATION_ERROR":
        error = frame.stack.pop()
        ended = isinstance(error, StopIteration)
        frame.stack.append(RuntimeError("generator raised StopIteration") if ended else error)
    else:
        unknown(machine, frame, name)


# --- Errors


def raise_varargs(machine: Machine, frame: Frame, count: int) -> None:
    given = pop_many(frame.stack, count)
    raise machine.make_error(frame, *given) if given else machine.again(frame)


def push_exc_info(machine: Machine, frame: Frame, _: Any) -> None:
    error = frame.stack.pop()
    frame.stack.extend((frame.caught, error))
    frame.caught = error


def pop_except(machine: Machine, frame: Frame, _: Any) -> None:
    frame.caught = frame.stack.pop()


def check_exc_match(machine: Machine, frame: Frame, _: Any) -> None:
    kinds = frame.stack.pop()
    frame.stack.append(machine.catches(frame.stack[-1], kinds))


def reraise(machine: Machine, frame: Frame, place: int) -> None:
    raise frame.stack.pop()


# --- Classes of the code


def load_closure(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(frame.slots[name])


def unknown(machine: Machine, frame: Frame, name: str) -> None:
    machine.refuse(_NEVER.get(name, f"runs the instruction {name}, which no trace follows"))


_WITH: Final = "leaves a `with`, which is told of errors"
_WAITS: Final = "waits for something"
_NEVER: Final = {
    "BEFORE_WITH": _WITH,
    "MATCH_CLASS": "asks for a class in a pattern",
    "CHECK_EG_MATCH": "catches a group of errors",
    "LOAD_BUILD_CLASS": "makes a class",
    "BEFORE_ASYNC_WITH": _WAITS,
    "GET_AWAITABLE": _WAITS,
    "GET_AITER": _WAITS,
    "GET_ANEXT": _WAITS,
    "DELETE_GLOBAL": "removes a global: it keeps something from call to call",
}
"""Instructions that tell more than values do, whatever they are given."""

_OTHER_NAMES: Final[dict[str, Doing]] = {
    "GET_YIELD_FROM_ITER": get_iter,
    "JUMP_BACKWARD": jump,
    "JUMP_BACKWARD_NO_INTERRUPT": jump,
    "JUMP_FORWARD": jump,
    "LOAD_FAST_CHECK": load_fast,
    "POP_JUMP_BACKWARD_IF_FALSE": pop_jump_if_false,
    "POP_JUMP_BACKWARD_IF_NONE": pop_jump_if_none,
    "POP_JUMP_BACKWARD_IF_NOT_NONE": pop_jump_if_not_none,
    "POP_JUMP_BACKWARD_IF_TRUE": pop_jump_if_true,
    "POP_JUMP_FORWARD_IF_FALSE": pop_jump_if_false,
    "POP_JUMP_FORWARD_IF_NONE": pop_jump_if_none,
    "POP_JUMP_FORWARD_IF_NOT_NONE": pop_jump_if_not_none,
    "POP_JUMP_FORWARD_IF_TRUE": pop_jump_if_true,
}

INSTRUCTIONS: Final[dict[str, Doing]] = {
    **{
        name.upper(): thing
        for name, thing in (vars(_value_instructions) | globals()).items()
        if isinstance(thing, FunctionType) and not name.startswith("_")
    },
    **_OTHER_NAMES,
}
"""What does each instruction, by its name; ``UNKNOWN`` refuses what is not known."""
