"""The machine that runs code step by step does what Python does, or says that it cannot.

The code that is compared is odd on purpose, so rules of style are silenced for this file.
"""
# ruff: noqa: B012, B023, B026, C416, C417, E731, PLC3002, PLE1132, PLW0108
# ruff: noqa: RUF021, UP031
# pyright: reportCallIssue=false, reportPossiblyUnboundVariable=false, reportOperatorIssue=false

from __future__ import annotations

import functools
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from theory.incentives.proving import _code
from theory.incentives.proving._instructions import INSTRUCTIONS
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._trace_failure import Untraced

TABLE = {"a": 1, "b": 2}
INPUTS = (-2, 0, 1, 5)


class Colour(Enum):
    RED = 1
    BLUE = 2


class OwnError(ValueError):
    pass


class Base:
    kind = "base"

    def __init__(self, value: Any, weight: Any = 1) -> None:
        self.value, self.weight = value, weight

    def get(self, *more: Any, **named: Any) -> Any:
        return self.value, more, sorted(named)

    @property
    def double(self) -> Any:
        return self.value * 2

    @double.setter
    def double(self, value: Any) -> None:
        self.value = value / 2

    @classmethod
    def of(cls, value: Any) -> Any:
        return cls(value)

    @staticmethod
    def total(a: Any, b: Any = 2) -> Any:
        return a + b

    def __add__(self, other: Any) -> Any:
        return "added"

    def __lt__(self, other: Any) -> Any:
        return self.value < other.value

    def __call__(self, value: Any) -> Any:
        return self.value, value

    def __bool__(self) -> Any:
        return self.value > 0


class Derived(Base):
    def __init__(self, value: Any) -> None:
        super().__init__(value, weight=5)

    def get(self, *more: Any, **named: Any) -> Any:
        above = [super(Derived, self).get(k) for k in range(2)]
        return super().get(*more, z=1, **named), above, super().kind, (lambda: self.weight)()

    @classmethod
    def of(cls, value: Any) -> Any:
        return super().of(value + 1)

    def __radd__(self, other: Any) -> Any:
        return "added from the right"


def taking(a: Any, b: Any = 2, /, *c: Any, d: Any = 4, e: Any, **f: Any) -> Any:
    return a, b, c, d, e, sorted(f.items())


def calls(x: Any) -> Any:
    def inner(a: Any, b: Any = x, *, c: Any = x + 1) -> Any:
        return a, b, c

    given = {"e": 1}
    found = [
        taking(x, e=1),
        taking(*[x, 1], 5, *range(2), **given, **TABLE),
        taking(x, d=x, **given),
    ]
    return found, inner(1), inner(c=2, *(3, 4)), (lambda *a, k=x, **n: (a, k, n))(1, q=2)


def wrong_calls(x: Any) -> Any:
    take: Any = taking
    total: Any = Base.total
    wrong: tuple[Callable[..., Any], ...] = (
        lambda: take(),
        lambda: take(x),
        lambda: total(1, 2, 3),
    )
    return wrong[x]()


def same_name_twice(x: Any) -> Any:
    take: Any = taking
    numbered: Any = {1: 2}
    return take(x, e=1, **{"e": 2}) if x else take(x, **numbered)


def closures(x: Any) -> Any:
    count = x

    def up(by: Any = 1) -> Any:
        nonlocal count, x
        count += by
        x *= 2
        return lambda: (count, x, by)

    first = up()
    return up(3)(), first(), count, x


def unbound(x: Any) -> Any:
    value = x
    read: Callable[[], Any] = lambda: value
    if x > 0:
        del value
    return read() if x > 1 else value


def comprehensions(x: Any) -> Any:
    i = "kept"
    rows = [[i * j for j in range(i) if j != x] for i in range(4)]
    caught: list[list[Callable[[], Any]]] = [
        [lambda: (i, j, x) for j in range(2)] for i in range(2)
    ]
    shadowed: list[Callable[[], Any]] = [lambda: x for x in range(3)]
    table = {k: [k for k in k] for k in ("ab", "cd")}
    last = [y := k + 1 for k in range(3)]
    nested = [f() for row in caught for f in row], [f() for f in shadowed]
    return (
        rows,
        nested,
        table,
        last,
        y,
        i,
        x,
        {k % 2 for k in range(5)},
        sum(k for k in range(x % 4)),
    )


def failing_comprehensions(x: Any) -> Any:
    a: Any = 1
    b: Any = 2
    read: Callable[[], Any] = lambda: (a, b)
    try:
        found = [(lambda: a // b)() for a, b in [(6, x)] for _ in [a]]
    except ZeroDivisionError:
        return a, b, read()
    return found, [k + "text" for k in (a, b) if x > 1]


def generators(x: Any) -> Any:
    def tree(n: int) -> Generator[Any, Any, Any]:
        if n:
            yield from tree(n - 1)
            yield [n for n in range(n)], n
            given = yield
            yield given
        return n

    def around() -> Iterator[Any]:
        got = yield from tree(2)
        yield got
        yield 10 // x

    first, *rest, last = around()
    return first, rest, last, list(itertools.islice(tree(9), 3)), next(tree(0), "none")


def errors(x: Any) -> Any:
    steps = []
    for i in range(3):
        try:
            try:
                steps.append(6 // (i - x))
                if i == 1:
                    raise OwnError(i)
            except ZeroDivisionError as error:
                steps.append("zero")
                raise KeyError from error
            else:
                continue
            finally:
                steps.append("inner")
        except (KeyError, OwnError):
            try:
                raise
            except LookupError:
                steps.append("again")
                break
            except ValueError:
                steps.append("own")
        finally:
            steps.append("outer")
    else:
        steps.append("else")
    return steps


def left_by_finally(x: Any) -> Any:
    def leaves() -> Any:
        while True:
            try:
                if x > 0:
                    return "tried"
                raise OwnError
            finally:
                if x == 1:
                    break
                if x < 1:
                    return "finally"
        return "broken"

    return leaves()


def raised(x: Any) -> Any:
    error: Any = {-2: OwnError, 0: ValueError("zero"), 1: KeyError}[x]
    try:
        raise error from error
    except OwnError:
        raise


def raised_for_no_error(x: Any) -> Any:
    raise ValueError from (None if x else x)


def loops(x: Any) -> Any:
    found: list[Any] = []
    for i in range(6):
        if i == 1:
            continue
        for j in range(3):
            if j == i or not (0 <= j < 2 != x):
                break
            found.append((i, j))
        else:
            found.append("else")
        if i == x:
            break
    else:
        found.append("end")
    while x < 3 and (x := x + 1) != 2:
        found.append(x)
    return found, x and 3 or "none", "p" if x > 0 else "n" if x else "z", not x, x in (1, 5)


def texts(x: Any) -> Any:
    return f"{x!r:>5}|{x:04d}|{x:{'+'}}|{'t'!a}|{x=}|{{}}" + "%d %s" % (x, "a"), f"{x}{x + 1}"


def entries(x: Any) -> Any:
    row = [0, 1, 2, 3, 4, 5]
    row[1:3], row[x % 3] = [9], 7
    row[::2] = [8] * len(row[::2])
    row[-1] += x
    row[-1:] += [4]
    del row[0], row[1:2]
    table = {"k": 1, **TABLE, x: 2}
    table["k"] <<= 2
    thing = Base(Base(x))
    thing.value.value += 1
    del thing.value.weight
    a, (b, *c), *d = [1, (2, 3, x), *row]
    a, b, d[0] = b, a, a
    return (
        row,
        table,
        thing.value.value,
        a,
        b,
        c,
        d,
        row[x:],
        row[:x],
        row[::-1],
        len({*row, *table}),
    )


def matches(x: Any) -> Any:
    found: list[Any] = []
    for thing in (x, [x, 2], (1, 2, x), "a", None, []):
        match thing:
            case 0 | 5:
                found.append("0 or 5")
            case [1, *rest, last] if last != 1:
                found.append((rest, last))
            case [first, 2]:
                found.append(first)
            case None | "a" as constant:
                found.append(constant)
            case _:
                found.append("other")
    return found


def objects(x: Any) -> Any:
    base, derived = Base(x), Derived.of(x)
    base.double = 10
    kept: list[Any] = [base]
    kept.append(Base(x))
    kept.append(Derived)
    least = base < derived
    added = base + derived, base + base, derived + base
    return base.get(1, q=2), derived.get(*[1], w=2), added, least, (
        kept[1](3), kept[2](1).weight, "yes" if base else "no", not derived, base.total(1, b=x)
    )  # fmt: skip


def functions(x: Any) -> Any:
    table: Any = defaultdict(list)
    table["a"].append(x)
    ends = deque([1, 2, x])
    ordered = sorted([3, 1, x], key=lambda a: -a)
    pairs = [(a.value, b.name) for a, b in itertools.product(Colour, repeat=2)]
    folded = functools.reduce(lambda a, b: a * 2 + b, map(lambda a: a + x, [1, 2]), 0)
    part = functools.partial(taking, x, e=2)(3, g=4)
    return dict(table), 2 in reversed(ends), ordered, pairs, folded, part, Fraction(x, 3) + 1


def recursion(x: Any) -> Any:
    return 1 if x <= 1 else x * recursion(x - 1)


def long_code() -> Callable[..., Any]:
    """Return a function with more names, constants and steps than one byte counts."""
    lines = [
        "def long(x):",
        "    rows = []",
        "    for i in range(3):",
        "        if i == 1: continue",
    ]
    lines += [f"        v{i} = x + {i}.5; rows.append(v{i} * {i}.25)" for i in range(300)]
    lines += ["        if x == i: break", "    else: rows.append(i)", "    assert x != 5, x"]
    lines += [f"    def read(): return {' + '.join(f'v{i}' for i in range(300))}"]
    lines += ["    return sum(rows), read(), [v299 for v299 in range(2)], v299"]
    made: dict[str, Any] = {}
    exec("\n".join(lines), globals(), made)
    function: Callable[..., Any] = made["long"]
    return function


FOLLOWED: tuple[Callable[..., Any], ...] = (
    *(calls, wrong_calls, same_name_twice, closures, unbound, comprehensions, generators, errors),
    *(
        failing_comprehensions,
        left_by_finally,
        raised,
        raised_for_no_error,
        loops,
        texts,
        entries,
        matches,
        objects,
    ),
    *(functions, recursion, long_code()),
)


def outcome(run: Callable[..., Any], *given: Any) -> Any:
    try:
        return repr(run(*given))
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("x", INPUTS)
@pytest.mark.parametrize("function", FOLLOWED, ids=lambda function: function.__name__)
def test_the_machine_does_what_python_does(function: Callable[..., Any], x: int) -> None:
    assert outcome(Machine().run, function, x) == outcome(function, x)


CHANGED = ("BINARY_OP", "COMPARE_OP", "LOAD_DEREF", "SWAP", "LIST_APPEND", "LIST_EXTEND", "RERAISE")


@pytest.mark.parametrize("name", CHANGED)
def test_an_instruction_that_does_something_else_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = INSTRUCTIONS[name]

    def wrong(machine: Any, frame: Any, argument: Any) -> Any:
        if name in {"SWAP", "RERAISE"}:
            return
        right(machine, frame, argument)
        where = -argument if name.startswith("LIST") else -1
        held = frame.stack[where]
        frame.stack[where] = not held if type(held) is bool else [] if type(held) is list else 3

    monkeypatch.setitem(INSTRUCTIONS, name, wrong)
    monkeypatch.setattr(_code, "_CODES", {})
    pairs = [(function, x) for function in FOLLOWED for x in INPUTS]
    assert any(outcome(Machine().run, *pair) != outcome(*pair) for pair in pairs)


def test_an_instruction_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(INSTRUCTIONS, "BINARY_OP")
    monkeypatch.setattr(_code, "_CODES", {})
    with pytest.raises(Untraced, match="runs the instruction BINARY_OP"):
        Machine().run(recursion, 5)


REFUSED = (
    ("leaves a `with`", "with to as found: return found"),
    ("makes a class", "class Made: pass"),
    ("asks for a class in a pattern", "match x:\n  case int(): return 1"),
    ("writes the global kept", "global kept; kept = x"),
    ("writes to of the function around it", "nonlocal to; to = x"),
    ("a generator with a `try`", "def g():\n  try: yield x\n  finally: x + 1\n return list(g())"),
    (
        "catches TypeError of code",
        "try: return [k + 't' for k in [x]]\n except TypeError: return 0",
    ),
    ("raises an error again", "def f(): raise\n try: raise OwnError\n except OwnError: f()"),
)


@pytest.mark.parametrize(("why", "body"), REFUSED)
def test_what_cannot_be_followed_is_refused(why: str, body: str) -> None:
    made: dict[str, Any] = {}
    body = body.replace("\n", "\n ")
    exec(f"def around(to):\n def read(x):\n  {body}\n return read", globals(), made)
    with pytest.raises(Untraced, match=why):
        Machine().run(made["around"](1), 1)
