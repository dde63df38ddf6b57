"""What each instruction of Python's does, from 3.11 to 3.13.

All that asks an object for something goes to the machine, which judges it first.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from theory.incentives.proving._stack import NULL

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame, Machine

__all__ = ["INSTRUCTIONS", "Left"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""


class Left:
    """What a frame is left with: what it returns, or yields."""

    __slots__ = ("value", "yields")

    def __init__(self, value: Any, *, yields: bool = False) -> None:
        self.value, self.yields = value, yields


_NEWER: Final = sys.version_info >= (3, 13)

Doing = Callable[["Machine", "Frame", Any], Left | None]


# --- Values


def pop_top(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.pop()


def push_null(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(NULL)


def load_const(machine: Machine, frame: Frame, value: Any) -> None:
    frame.stack.append(machine.constant(value))


def copy(machine: Machine, frame: Frame, depth: int) -> None:
    frame.stack.append(frame.stack[-depth])


def swap(machine: Machine, frame: Frame, depth: int) -> None:
    stack = frame.stack
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


# --- Names


def load_fast(machine: Machine, frame: Frame, name: str) -> None:
    try:
        frame.stack.append(frame.slots[name])
    except KeyError:
        raise _unbound(name) from None


def load_fast_load_fast(machine: Machine, frame: Frame, names: tuple[str, str]) -> None:
    for name in names:
        load_fast(machine, frame, name)


def load_fast_and_clear(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(frame.slots.pop(name, NULL))


def store_fast(machine: Machine, frame: Frame, name: str) -> None:
    value = frame.stack.pop()
    if value is NULL:
        frame.slots.pop(name, None)
    else:
        frame.slots[name] = value


def store_fast_load_fast(machine: Machine, frame: Frame, names: tuple[str, str]) -> None:
    store_fast(machine, frame, names[0])
    load_fast(machine, frame, names[1])


def store_fast_store_fast(machine: Machine, frame: Frame, names: tuple[str, str]) -> None:
    store_fast(machine, frame, names[0])
    store_fast(machine, frame, names[1])


def delete_fast(machine: Machine, frame: Frame, name: str) -> None:
    if name not in frame.slots:
        raise _unbound(name)
    del frame.slots[name]


def _unbound(name: str) -> UnboundLocalError:
    return UnboundLocalError(f"cannot access local variable {name!r} where it has no value")


def make_cell(machine: Machine, frame: Frame, name: str) -> None:
    slots = frame.slots
    cell = CellType(slots[name]) if name in slots else CellType()
    slots[name] = machine.make(cell)


def copy_free_vars(machine: Machine, frame: Frame, _: int) -> None:
    closure = frame.function.__closure__ or ()
    frame.slots.update(zip(frame.code.code.co_freevars, closure, strict=True))


def load_deref(machine: Machine, frame: Frame, name: str) -> None:
    try:
        cell = frame.slots[name]
        frame.stack.append(machine.see_name(cell, name, cell.cell_contents))
    except ValueError:
        raise _unbound_cell(frame, name) from None


def store_deref(machine: Machine, frame: Frame, name: str) -> None:
    cell = frame.slots[name]
    if not machine.is_made(cell):
        machine.keeps(f"writes {name} of the function around it")
    cell.cell_contents = frame.stack.pop()


def delete_deref(machine: Machine, frame: Frame, name: str) -> None:
    cell = frame.slots[name]
    if not machine.is_made(cell):
        machine.keeps(f"removes {name} of the function around it")
    if cell == CellType():
        raise _unbound_cell(frame, name)
    del cell.cell_contents


def _unbound_cell(frame: Frame, name: str) -> NameError:
    if name in frame.code.code.co_freevars:
        return NameError(f"cannot access free variable {name!r} where it has no value")
    return _unbound(name)


def load_global(machine: Machine, frame: Frame, asked: tuple[str, int]) -> None:
    name, flags = asked
    _push_called(frame, machine.named(frame, name), called=bool(flags & 1), by_name=True)


def store_global(machine: Machine, frame: Frame, name: str) -> None:
    machine.keeps(f"writes the global {name}")


def load_assertion_error(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(AssertionError)


def import_name(machine: Machine, frame: Frame, name: str) -> None:
    listed, level = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.imported(frame, name, listed, level))


def import_from(machine: Machine, frame: Frame, name: str) -> None:
    frame.stack.append(machine.attribute(frame, frame.stack[-1], name, importing=True))


# --- Attributes


def load_attr(machine: Machine, frame: Frame, asked: Any) -> None:
    name, flags = asked
    _load_attr(machine, frame, name, called=bool(flags & 1) and sys.version_info >= (3, 12))


def load_method(machine: Machine, frame: Frame, name: str) -> None:
    _load_attr(machine, frame, name, called=True)


def _load_attr(machine: Machine, frame: Frame, name: str, *, called: bool) -> None:
    """Load an attribute; the code names it if it names the object, or a library's class has it."""
    thing, before = frame.stack.pop(), frame.at - 2
    by_name = before >= 0 and frame.code.steps[before][0] is load_global
    found = machine.attribute(frame, thing, name)
    by_name = by_name or (called and machine.is_a_librarys_method(thing, name))
    _push_called(frame, found, called=called, by_name=by_name)


def load_super_attr(machine: Machine, frame: Frame, asked: Any) -> None:
    name, flags = asked
    stack = frame.stack
    this, kind, named = stack.pop(), stack.pop(), stack.pop()
    above = machine.call(frame, named, (kind, this), {})
    found = machine.attribute(frame, above, name)
    _push_called(frame, found, called=bool(flags & 1), by_name=False)


def _push_called(frame: Frame, found: Any, *, called: bool, by_name: bool) -> None:
    """Push what is loaded; NULL beside it says that it is to be called."""
    if called and not _NEWER:
        frame.stack.append(NULL)
    if called and by_name:
        frame.named[len(frame.stack)] = found
    frame.stack.append(found)
    if called and _NEWER:
        frame.stack.append(NULL)


def store_attr(machine: Machine, frame: Frame, name: str) -> None:
    thing, value = frame.stack.pop(), frame.stack.pop()
    machine.set_attribute(frame, thing, name, value)


def delete_attr(machine: Machine, frame: Frame, name: str) -> None:
    machine.delete_attribute(frame, frame.stack.pop(), name)


# --- Arithmetic and comparison


def binary_op(machine: Machine, frame: Frame, sign: str) -> None:
    right, left = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.binary(frame, sign, left, right))


def compare_op(machine: Machine, frame: Frame, asked: tuple[str, int]) -> None:
    sign, flags = asked
    right, left = frame.stack.pop(), frame.stack.pop()
    found = machine.compare(frame, sign, left, right)
    if _NEWER and flags & 16:
        found = machine.truth(frame, found)
    frame.stack.append(found)


def is_op(machine: Machine, frame: Frame, inverted: int) -> None:
    right, left = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.is_one(frame, left, right) is not bool(inverted))


def contains_op(machine: Machine, frame: Frame, inverted: int) -> None:
    container, member = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.contains(frame, container, member) is not bool(inverted))


def unary_negative(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.unary(frame, "-", frame.stack.pop()))


def unary_positive(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.unary(frame, "+", frame.stack.pop()))


def unary_invert(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.unary(frame, "~", frame.stack.pop()))


def unary_not(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(not machine.truth(frame, frame.stack.pop()))


def to_bool(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.truth(frame, frame.stack.pop()))


# --- Containers


def binary_subscr(machine: Machine, frame: Frame, _: Any) -> None:
    key, thing = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.subscript(frame, thing, key))


def store_subscr(machine: Machine, frame: Frame, _: Any) -> None:
    key, thing, value = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    machine.set_subscript(frame, thing, key, value)


def delete_subscr(machine: Machine, frame: Frame, _: Any) -> None:
    key, thing = frame.stack.pop(), frame.stack.pop()
    machine.delete_subscript(frame, thing, key)


def binary_slice(machine: Machine, frame: Frame, _: Any) -> None:
    end, start, thing = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.subscript(frame, thing, slice(start, end)))


def store_slice(machine: Machine, frame: Frame, _: Any) -> None:
    end, start = frame.stack.pop(), frame.stack.pop()
    thing, value = frame.stack.pop(), frame.stack.pop()
    machine.set_subscript(frame, thing, slice(start, end), value)


def build_slice(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(slice(*_popped(frame, count)))


def _popped(frame: Frame, count: int) -> list[Any]:
    stack = frame.stack
    found = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return found


def build_tuple(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(tuple(_popped(frame, count)))


def build_list(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(machine.make(_popped(frame, count)))


def build_set(machine: Machine, frame: Frame, count: int) -> None:
    members = machine.make(set())
    for member in _popped(frame, count):
        machine.add(frame, members, member)
    frame.stack.append(members)


def build_map(machine: Machine, frame: Frame, count: int) -> None:
    found = _popped(frame, 2 * count)
    entries = machine.make({})
    for key, value in zip(found[::2], found[1::2], strict=True):
        machine.set_subscript(frame, entries, key, value)
    frame.stack.append(entries)


def build_const_key_map(machine: Machine, frame: Frame, count: int) -> None:
    keys = frame.stack.pop()
    frame.stack.append(machine.make(dict(zip(keys, _popped(frame, count), strict=True))))


def build_string(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append("".join(_popped(frame, count)))


def list_to_tuple(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(tuple(frame.stack.pop()))


def _displayed(machine: Machine, frame: Frame, depth: int) -> Any:
    """Return the list, set or table that is being built."""
    found = frame.stack[-depth]
    machine.change(found)
    return found


def list_append(machine: Machine, frame: Frame, depth: int) -> None:
    value = frame.stack.pop()
    _displayed(machine, frame, depth).append(value)


def set_add(machine: Machine, frame: Frame, depth: int) -> None:
    value = frame.stack.pop()
    machine.add(frame, _displayed(machine, frame, depth), value)


def map_add(machine: Machine, frame: Frame, depth: int) -> None:
    value, key = frame.stack.pop(), frame.stack.pop()
    machine.set_subscript(frame, _displayed(machine, frame, depth), key, value)


def list_extend(machine: Machine, frame: Frame, depth: int) -> None:
    values = list(machine.drawn(frame, frame.stack.pop()))
    _displayed(machine, frame, depth).extend(values)


def set_update(machine: Machine, frame: Frame, depth: int) -> None:
    values = frame.stack.pop()
    members = _displayed(machine, frame, depth)
    if machine.is_data(values) and machine.is_data(members):
        members.update(values)
        return
    for value in machine.drawn(frame, values):
        machine.add(frame, members, value)


def dict_update(machine: Machine, frame: Frame, depth: int) -> None:
    entries = machine.entries(frame.stack.pop())
    _displayed(machine, frame, depth).update(entries)


def dict_merge(machine: Machine, frame: Frame, depth: int) -> None:
    entries, into = machine.entries(frame.stack.pop()), _displayed(machine, frame, depth)
    for name, value in entries.items():
        if name in into:
            raise TypeError(f"got several values for {name!r}")
        into[name] = value


def unpack_sequence(machine: Machine, frame: Frame, count: int) -> None:
    values = machine.unpacked(frame, frame.stack.pop(), count)
    frame.stack.extend(reversed(values))


def unpack_ex(machine: Machine, frame: Frame, counts: int) -> None:
    before, after = counts & 255, counts >> 8
    values = list(machine.drawn(frame, frame.stack.pop()))
    if len(values) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after})")
    end = len(values) - after
    middle = machine.make(values[before:end])
    frame.stack.extend(reversed([*values[:before], middle, *values[end:]]))


def get_len(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.call(frame, len, (frame.stack[-1],), {}))


def match_sequence(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.matches(frame.stack[-1], (list, tuple, range, deque)))


def match_mapping(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.matches(frame.stack[-1], (dict, OrderedDict, defaultdict, Counter)))


# --- Texts


def format_value(machine: Machine, frame: Frame, flags: int) -> None:
    form = frame.stack.pop() if flags & 4 else ""
    value = frame.stack.pop()
    frame.stack.append(machine.text(frame, value, form, (None, str, repr, ascii)[flags & 3]))


def convert_value(machine: Machine, frame: Frame, which: int) -> None:
    value = frame.stack.pop()
    frame.stack.append(machine.text(frame, value, "", (None, str, repr, ascii)[which]))


def format_simple(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(machine.text(frame, frame.stack.pop(), "", None))


def format_with_spec(machine: Machine, frame: Frame, _: Any) -> None:
    form, value = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.text(frame, value, form, None))


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
    frame.stack.append(machine.iterated(frame, frame.stack.pop()))


_DONE: Final = object()


def for_iter(machine: Machine, frame: Frame, target: int) -> None:
    found = machine.following(frame.stack[-1], _DONE)
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
        frame.stack.append(machine.sent(iterator))
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


def yield_value(machine: Machine, frame: Frame, _: Any) -> Left:
    return Left(frame.stack.pop(), yields=True)


def return_value(machine: Machine, frame: Frame, _: Any) -> Left:
    return Left(frame.stack.pop())


def return_const(machine: Machine, frame: Frame, value: Any) -> Left:
    return Left(machine.constant(value))


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
    given = _popped(frame, count)
    names, frame.names = frame.names, ()
    _call(machine, frame, given, names)


def call_kw(machine: Machine, frame: Frame, count: int) -> None:
    names = frame.stack.pop()
    _call(machine, frame, _popped(frame, count), names)


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
    given = tuple(machine.drawn(frame, frame.stack.pop()))
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
    given = _popped(frame, count)
    raise machine.raised(frame, *given) if given else machine.again(frame)


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
        for name, thing in dict(globals()).items()
        if isinstance(thing, FunctionType) and not name.startswith("_")
    },
    **_OTHER_NAMES,
}
"""What does each instruction, by its name; ``UNKNOWN`` refuses what is not known."""
