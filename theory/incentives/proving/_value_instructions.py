"""What instructions do that work on values: names, attributes, arithmetic, containers, texts.

All that asks an object for something goes to the machine, which judges it first.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict, deque
from types import CellType
from typing import TYPE_CHECKING, Any, Final

from theory.incentives.proving._stack import NULL, pop_many

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame, Machine

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""


_NEWER: Final = sys.version_info >= (3, 13)


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
    _push_called(frame, machine.look_up(frame, name), called=bool(flags & 1), by_name=True)


def store_global(machine: Machine, frame: Frame, name: str) -> None:
    machine.keeps(f"writes the global {name}")


def load_assertion_error(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(AssertionError)


def import_name(machine: Machine, frame: Frame, name: str) -> None:
    listed, level = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(machine.find_module(frame, name, listed, level))


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
    frame.stack.append(slice(*pop_many(frame.stack, count)))


def build_tuple(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(tuple(pop_many(frame.stack, count)))


def build_list(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(machine.make(pop_many(frame.stack, count)))


def build_set(machine: Machine, frame: Frame, count: int) -> None:
    members = machine.make(set())
    for member in pop_many(frame.stack, count):
        machine.add(frame, members, member)
    frame.stack.append(members)


def build_map(machine: Machine, frame: Frame, count: int) -> None:
    found = pop_many(frame.stack, 2 * count)
    entries = machine.make({})
    for key, value in zip(found[::2], found[1::2], strict=True):
        machine.set_subscript(frame, entries, key, value)
    frame.stack.append(entries)


def build_const_key_map(machine: Machine, frame: Frame, count: int) -> None:
    keys = frame.stack.pop()
    frame.stack.append(machine.make(dict(zip(keys, pop_many(frame.stack, count), strict=True))))


def build_string(machine: Machine, frame: Frame, count: int) -> None:
    frame.stack.append("".join(pop_many(frame.stack, count)))


def list_to_tuple(machine: Machine, frame: Frame, _: Any) -> None:
    frame.stack.append(tuple(frame.stack.pop()))


def _find_display(machine: Machine, frame: Frame, depth: int) -> Any:
    """Return the list, set or table that is being built."""
    found = frame.stack[-depth]
    machine.change(found)
    return found


def list_append(machine: Machine, frame: Frame, depth: int) -> None:
    value = frame.stack.pop()
    _find_display(machine, frame, depth).append(value)


def set_add(machine: Machine, frame: Frame, depth: int) -> None:
    value = frame.stack.pop()
    machine.add(frame, _find_display(machine, frame, depth), value)


def map_add(machine: Machine, frame: Frame, depth: int) -> None:
    value, key = frame.stack.pop(), frame.stack.pop()
    machine.set_subscript(frame, _find_display(machine, frame, depth), key, value)


def list_extend(machine: Machine, frame: Frame, depth: int) -> None:
    thing = frame.stack.pop()
    values = list(machine.draw(frame, thing))
    machine.special(frame, thing, "__len__")  # which Python asks for, to make room
    _find_display(machine, frame, depth).extend(values)


def set_update(machine: Machine, frame: Frame, depth: int) -> None:
    values = frame.stack.pop()
    members = _find_display(machine, frame, depth)
    if machine.is_data(values) and machine.is_data(members):
        members.update(values)
        return
    for value in machine.draw(frame, values):
        machine.add(frame, members, value)


def dict_update(machine: Machine, frame: Frame, depth: int) -> None:
    entries = machine.entries(frame.stack.pop())
    _find_display(machine, frame, depth).update(entries)


def dict_merge(machine: Machine, frame: Frame, depth: int) -> None:
    entries, into = machine.entries(frame.stack.pop()), _find_display(machine, frame, depth)
    for name, value in entries.items():
        if name in into:
            raise TypeError(f"got several values for {name!r}")
        into[name] = value


def unpack_sequence(machine: Machine, frame: Frame, count: int) -> None:
    values = machine.unpack(frame, frame.stack.pop(), count)
    frame.stack.extend(reversed(values))


def unpack_ex(machine: Machine, frame: Frame, counts: int) -> None:
    before, after = counts & 255, counts >> 8
    values = list(machine.draw(frame, frame.stack.pop()))
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
    frame.stack.append(machine.matches(frame.stack[-1], (dict, defaultdict, Counter)))


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
