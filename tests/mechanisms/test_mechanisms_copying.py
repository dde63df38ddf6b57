"""What a participant does to its copy of a content changes no other, whatever the content is."""

from __future__ import annotations

from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.inspection import inspect_recursively
from mechanisms.ledger import Ledger
from mechanisms.marginal_value import run_marginal_value
from mechanisms.protocols import History, Offer, Purchase, Question, Viewing
from theory.shared.copying import copy_content

SEVENTH = Fraction(1, 7)


@dataclass(frozen=True)
class Plain:
    inner: Any


@dataclass(frozen=True, slots=True)
class Slots:
    inner: Any


class Untracked(msgspec.Struct, frozen=True, gc=False):
    inner: Any


class Passing:
    """Copies itself, as NumPy and buyers do."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __deepcopy__(self, memo: Any) -> Passing:
        return Passing(deepcopy(self.inner, memo))


Named = namedtuple("Named", "inner")  # the kind without types


def array(inner: Any) -> Any:
    made = np.empty(1, dtype=object)
    made[0] = inner
    return made


Wrap = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def first(thing: Any) -> Any:
    return next(iter(thing))


def inner(thing: Any) -> Any:
    return thing.inner


KINDS: dict[str, Wrap] = {
    "list": (lambda x: [x], first),
    "tuple": (lambda x: (x,), first),
    "dict": (lambda x: {"k": x}, lambda c: c["k"]),
    "ordered dict": (lambda x: OrderedDict(k=x), lambda c: c["k"]),
    "deque": (lambda x: deque([x]), first),
    "dataclass": (Plain, inner),
    "dataclass with slots": (Slots, inner),
    "namedtuple": (Named, inner),
    "namespace": (lambda x: SimpleNamespace(inner=x), inner),
    "struct": (Untracked, inner),
    "object array": (array, lambda c: c[0]),
    "partial": (lambda x: partial(print, x), lambda c: c.args[0]),
    "keyword of a partial": (lambda x: partial(print, end=x), lambda c: c.keywords["end"]),
    "slice": (slice, lambda c: c.stop),
    "exception": (ValueError, lambda c: c.args[0]),
    "method": (lambda x: Plain(x).__eq__, lambda c: c.__self__.inner),
    "copies itself": (Passing, inner),
}
HASHED: dict[str, Wrap] = {
    "set": (lambda x: {x}, first),
    "frozenset": (lambda x: frozenset([x]), first),
    "key": (lambda x: {x: None}, first),
}


@pytest.mark.parametrize("kind", [*KINDS, *HASHED])
@pytest.mark.parametrize("number", [SEVENTH, type("Odd", (Fraction,), {})(1, 7)])
def test_no_fraction_is_shared(kind: str, number: Fraction) -> None:
    wrap, unwrap = (KINDS | HASHED)[kind]
    content = wrap(number)
    copy = unwrap(copy_content(content))
    assert copy == number
    assert type(copy) is type(number)
    assert copy is not unwrap(content)


@given(st.lists(st.sampled_from(sorted(KINDS)), max_size=5), st.sampled_from(["", *HASHED]))
def test_no_fraction_is_shared_however_deep(outer: list[str], innermost: str) -> None:
    ways = [KINDS[kind] for kind in outer] + [HASHED[innermost] for _ in range(bool(innermost))]
    number = Fraction(3, 11)
    content = reduce(lambda x, way: way[0](x), reversed(ways), number)
    own: Any = reduce(lambda c, way: way[1](c), ways, copy_content(content))
    assert (own, type(own)) == (number, Fraction)
    own._numerator = 99
    assert number == Fraction(3, 11)


def test_what_is_twice_in_a_content_is_twice_in_its_copy() -> None:
    one, other = copy_content([SEVENTH, SEVENTH])
    assert one is other


def test_what_was_put_into_a_fraction_is_copied_too() -> None:
    """Of a fraction that somebody has changed, nothing goes along uncopied."""
    changed: Any = Fraction(1, 2)
    changed._numerator = [1]
    copy_content(changed)._numerator.append(2)
    assert changed._numerator == [1]


def test_copies_of_others_are_as_they_were() -> None:
    assert deepcopy([SEVENTH])[0] is SEVENTH
    assert deepcopy({"k": SEVENTH}, {})["k"] is SEVENTH


def test_what_cannot_be_copied_is_refused() -> None:
    with pytest.raises(TypeError, match="generator"):
        copy_content([(number for number in (SEVENTH,))])


# --- in the protocols


@pytest.mark.parametrize("kind", KINDS)
def test_a_buyer_carries_nothing_past_forgetting(kind: str) -> None:
    """What it writes into a content while it chooses is not in what it reads when it decides."""
    wrap, unwrap = KINDS[kind]

    class Writer:
        name = "buyer"

        def choose(self, viewing: Viewing) -> list[str]:
            for each in (offer for level in viewing.offers for offer in level):
                unwrap(each.read())._numerator = 99
            return [each.name for each in viewing.choice] if viewing.question.level == 2 else []

        def decide(self, question: str, bought: tuple[Purchase, ...]) -> list[Fraction]:
            return [unwrap(each.content) for each in bought]

    class Seller:
        name = "seller"
        kept = wrap(Fraction(1, 7))

        def offers(self, question: Question) -> list[Offer]:
            return [Offer(f"good {question.level}", self.kept, Fraction(1, 2))]

    ledger = Ledger({"buyer": 5, "seller": 0})
    record = inspect_recursively("?", Writer(), [Seller()], ledger, depth=2)
    decision: Any = record.decision
    assert decision == [SEVENTH]
    assert unwrap(Seller.kept) == SEVENTH


def test_an_informant_cannot_raise_its_reward_through_an_action() -> None:
    actions = tuple(Slots(Fraction(k)) for k in (1, 2, 3))

    class Judge:
        def utilities(self, revealed: Any) -> dict[Slots, int]:
            return dict(zip(actions, (5, 6, 0) if revealed else (5, 4, 0), strict=True))

    class Honest:
        def reveal(self, history: History) -> list[str]:
            return [name for name in history.held if name not in history.revealed][:1]

    class Bender(Honest):
        def reveal(self, history: History) -> list[str]:
            last: Any = history.actions[-1]
            last.inner._numerator = 3
            return super().reveal(history)

    def rewards(informant: Honest) -> Any:
        items, prices = {"x": Fraction(1)}, {"x": Fraction(1, 9)}
        return run_marginal_value(Judge(), {"a": informant}, items, prices).rewards

    assert rewards(Bender()) == rewards(Honest()) == (Fraction(8, 9),)
    assert [action.inner for action in actions] == [1, 2, 3]
