"""Which check a results file is of: two that differ in what they are bound to are two."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial, wraps
from pathlib import Path
from typing import Any

import engine_checks as checks
import numpy as np
import pytest

from mechproof.sweep import Grid, run_sweep
from mechproof.sweep._cells import _describe_exception
from mechproof.sweep._check_name import name_of
from theory.errors import InvalidInputError

GRID = Grid({"x": [1, 2]})


class Rule(Enum):
    FIRST = 1
    SECOND = 2


class Pays:
    def __init__(self, share: Any) -> None:
        self.share = share

    def __call__(self, x: int) -> Any:
        return x

    def method(self, x: int) -> Any:
        return x


class Slotted:
    __slots__ = ("share",)

    def __init__(self, share: Any) -> None:
        self.share = share

    def __call__(self, x: int) -> Any:
        return x


class Within:
    """Holds itself."""

    def __init__(self, share: Any) -> None:
        self.me = self
        self.share = share

    def __call__(self, x: int) -> Any:
        return x


def closure(share: Any) -> Callable[[int], Any]:
    def check(x: int) -> Any:
        return share if x else None

    return check


def default(share: Any) -> Callable[..., Any]:
    return lambda x, y=share: y


def keyword(share: Any) -> Callable[..., Any]:
    def check(x: int, *, y: Any = share) -> Any:
        return y

    return check


def given(x: int, share: Any = None, **named: Any) -> Any:
    return x


def bound_by_name(share: Any) -> Callable[..., Any]:
    return partial(given, share=share)


def bound_in_a_list(share: Any) -> Callable[..., Any]:
    return partial(given, share=[{"deep": (share,)}])


def wrapped(share: Any) -> Callable[..., Any]:
    @wraps(given)
    def check(x: int) -> Any:
        return share

    return check


def cached(share: Any) -> Callable[..., Any]:
    @lru_cache
    def check(x: int) -> Any:
        return share

    return check


def noting(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def noted(*given: Any, **named: Any) -> Any:
        return function(*given, **named)

    return noted


@noting
def noted(x: int) -> int:
    return x


class Private:
    __slots__ = ("__share",)

    def __init__(self, share: Any) -> None:
        self.__share = share

    def __call__(self, x: int) -> Any:
        return self.__share


def of_a_local_class(share: Any) -> Callable[..., Any]:
    class Local:
        def __call__(self, x: int) -> Any:
            return share

    return Local()


class Listed(list[Any]):
    """A list with an attribute."""

    note: Any = None


def in_a_list_of_its_own(share: Any) -> Callable[..., Any]:
    listed = Listed([share])
    listed.note = share
    return partial(given, share=listed)


MAKERS = [
    wrapped,
    cached,
    Private,
    of_a_local_class,
    in_a_list_of_its_own,
    lambda share: partial(given, share=deque([share])),
    lambda share: partial(given, share=defaultdict(int, {1: share})),
    closure,
    default,
    keyword,
    Pays,
    Slotted,
    Within,
    bound_by_name,
    bound_in_a_list,
    lambda share: Pays(share).method,
    lambda share: partial(Pays(share).method),
    lambda share: closure(closure(share)),
    lambda share: closure(partial(given, share=share)),
]
PAIRS = [
    (1, 2),
    (1, 1.0),
    (Fraction(1, 3), 1 / 3),
    ("a", "b"),
    (0.0, -0.0),
    (Rule.FIRST, Rule.SECOND),
    (math.sin, math.cos),
    (np.array([1, 2]), np.array([1, 3])),
    ({1, 2}, {1, 3}),
    (random.Random(1), random.Random(2)),
    (list(range(500)), [*range(499), 0]),
    (Pays(1), Pays(2)),
]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: type(pair[0]).__name__)
def test_what_is_bound_tells_checks_apart(maker: Any, pair: tuple[Any, Any]) -> None:
    one, other = pair
    assert name_of(maker(one)) == name_of(maker(one))
    assert name_of(maker(one)) != name_of(maker(other))


def test_lambdas_are_told_apart_by_their_code() -> None:
    one, same, other = [lambda x: x + 1, lambda x: x + 1, lambda x: x + 2]
    assert name_of(one) == name_of(same) != name_of(other)
    assert name_of(lambda x: [y + 1 for y in [x]]) != name_of(lambda x: [y + 2 for y in [x]])
    assert name_of(lambda x: math.sin(x + 1)) != name_of(lambda x: math.cos(x + 1))


@lru_cache
def decorated(x: int) -> int:
    return x


def test_a_decorated_function_that_is_found_by_its_name_has_that() -> None:
    assert name_of(noted) == "test_sweep_naming:noted"
    assert name_of(decorated) == "test_sweep_naming:decorated"


def test_names_are_written_for_readers() -> None:
    assert name_of(checks.product) == "engine_checks:product"
    assert name_of(Pays(Fraction(1, 2))) == 'test_sweep_naming:Pays(share={"fraction":"1/2"})'
    assert name_of(Pays(1).method) == "test_sweep_naming:Pays(share=1).method"
    assert name_of(partial(given, share=2)) == "test_sweep_naming:given(share=2)"
    assert name_of(checks.Counting("somewhere")) == "engine_checks:Counting"
    assert name_of(closure(3)) == "test_sweep_naming:closure.<locals>.check(share=3)"
    assert len(name_of(Pays(list(range(10_000))))) < 300


SEVERAL = """
from collections import deque
from functools import partial
from mechproof.sweep._cells import _describe_exception
from mechproof.sweep._check_name import name_of
def check(x, y): return x
class Written:
    def __getstate__(self): return {"a", "b", "c"}
print(name_of(lambda x: x in {"a", "b", "c"}))
print(name_of(partial(check, y=({"a", "b", "c"}, deque([frozenset("abc")]), Written()))))
"""


def test_a_name_is_the_same_in_every_process() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", SEVERAL],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    ]
    assert said[0] == said[1] == said[2] != ""


def test_secrets_are_not_written() -> None:
    for name in ("api_key", "OPENAI_API_KEY", "password", "token", "secrets"):
        for bind in (lambda held: partial(given, **held), lambda held: partial(given, held)):
            one, other = (name_of(bind({name: text})) for text in ("sk-one", "sk-other"))
            assert "sk-" not in one + other
            assert one != other
    assert "key=7" in name_of(partial(given, key=7))


class Stubborn:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __call__(self, x: int) -> int:
        return x


def test_odd_values_have_a_name() -> None:
    itself: list[Any] = []
    itself.append(itself)
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    doubled: list[Any] = [1]
    for _ in range(60):
        doubled = [doubled, doubled]
    crowd = [Pays(None) for _ in range(9)]
    for one in crowd:
        one.share = crowd
    for odd in (itself, deep, doubled, crowd):
        assert name_of(partial(given, share=odd)).startswith("test_sweep_naming:given(share=[")
    assert name_of(Stubborn()) == "test_sweep_naming:Stubborn"
    assert _describe_exception(ValueError("no"), Stubborn()) == "ValueError: no"


def test_what_cannot_be_compared_is_named_by_its_kind() -> None:
    assert name_of(closure(threading.Lock())) == name_of(closure(threading.Lock()))


def test_a_file_is_not_gone_on_with_by_another_closure(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    found = run_sweep(GRID, closure(1), jobs=1, results=path)
    assert run_sweep(GRID, closure(1), jobs=1, results=path) == found
    with pytest.raises(InvalidInputError, match=r"its check is .*share=1\), not .*share=2\)"):
        run_sweep(GRID, closure(2), jobs=1, results=path)
