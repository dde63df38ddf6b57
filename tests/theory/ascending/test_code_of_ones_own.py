"""Tie rules, bidders' rules, objectives and policies of one's own that raise or return rubbish.

Errors name them, the item where it is a later one, and what to return instead.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from theory.ascending import (
    Item,
    LimitRule,
    Profit,
    Tie,
    TieRule,
    best_reply,
    exact_auction,
    read_setting,
)
from theory.ascending.measures import winning_bid_counts
from theory.ascending.record import AuctionRecord, RecordedSale
from theory.errors import ExactnessError, InvalidInputError, NumberError
from theory.shared.arguments import raising

F = Fraction
ITEMS = [Item("Urn", 10, 20), Item("Vase", 10, 20)]
RULES = [LimitRule(2)] * 2


def fails(*given: Any) -> Any:
    raise KeyError("boom")


def later(first: object, then: Callable[[], object]) -> Callable[..., Any]:
    """Return a function that goes wrong from its second call on."""
    calls: list[object] = []

    def function(*given: Any) -> Any:
        calls.append(given)
        return then() if len(calls) > 1 else first

    return function


HALVES = [F(1, 2), F(1, 2)]


@pytest.mark.parametrize(
    ("law", "error", "match"),
    [
        (fails, InvalidInputError, r"^ties=mine raises KeyError\('boom'\)"),
        (later(HALVES, fails), InvalidInputError, r"^ties=mine raises KeyError\('boom'\)"),
        (lambda tie: None, InvalidInputError, r"^ties=mine raises TypeError"),
        (lambda tie: ["x", "y"], NumberError, r"^ties=mine is not a number .*'x'"),
        (lambda tie: [0.5, 0.5], ExactnessError, r"^ties=mine is a float"),
        (lambda tie: [float("nan"), 1], ExactnessError, r"^ties=mine is a float"),
        (lambda tie: [True, False], NumberError, r"^ties=mine is not a number"),
        (lambda tie: [F(1)], NumberError, r"^ties=mine is no law over the tied"),
        (later(HALVES, lambda: [F(1)]), NumberError, r"^ties=mine is no law over the tied"),
        (lambda tie: [F(3, 2), F(-1, 2)], NumberError, r"^ties=mine is no law over the tied"),
    ],
)
def test_a_tie_rule(law: Any, error: type[Exception], match: str) -> None:
    ties = TieRule("mine", law)
    with pytest.raises(error, match=match):
        exact_auction(ITEMS, RULES, 100, ties=ties)
    if law.__name__ != "function":  # counts its calls
        with pytest.raises(error, match=match):
            best_reply(read_setting(ITEMS, RULES, 100, ties=ties), 0)


def test_a_tie_rule_may_give_text_and_integers() -> None:
    law = exact_auction(ITEMS, RULES, 100, ties=TieRule("mine", lambda tie: ["1/2", "0.5"]))
    assert law.items == exact_auction(ITEMS, RULES, 100).items


class Own:
    """A rule of one's own."""

    def __init__(self, bids: Any, ceiling: Callable[..., Any]) -> None:
        self.bids, self._ceiling = bids, ceiling

    def ceiling(self, position: int, item: Item) -> Any:
        return self._ceiling(position, item)


FREE = (None, False)


@pytest.mark.parametrize(
    ("rule", "error", "match"),
    [
        (Own(2, fails), InvalidInputError, r"^ceiling of rules\[1\] on Urn raises KeyError"),
        (
            Own(2, lambda n, item: fails() if n else FREE),
            InvalidInputError,
            r"^ceiling of rules\[1\] on Vase raises KeyError",
        ),
        (Own(2, lambda *_: None), InvalidInputError, r"rules\[1\] on Urn is no such pair"),
        (
            Own(2, lambda n, item: (1, 2, 3) if n else FREE),
            InvalidInputError,
            r"rules\[1\] on Vase is no such pair",
        ),
        (Own(2, lambda *_: (12, 1)), InvalidInputError, r"is no such pair"),
        (Own(2, lambda *_: ("x", False)), NumberError, r"^ceiling of rules\[1\] is not a number"),
        (Own(2, lambda *_: (12.5, False)), ExactnessError, r"^ceiling of rules\[1\] is a float"),
        (Own("x", lambda *_: FREE), InvalidInputError, r"^bids of rules\[1\] is not a count"),
        (Own(-1, lambda *_: FREE), InvalidInputError, r"^bids of rules\[1\] is not a count"),
        (Own(True, lambda *_: FREE), InvalidInputError, r"^bids of rules\[1\] is not a count"),
    ],
)
def test_a_rule(rule: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        exact_auction(ITEMS, [LimitRule(2), rule], 100)
    with pytest.raises(error, match=match):
        read_setting(ITEMS, [LimitRule(2), rule], 100)


def test_a_rule_of_ones_own_that_says_what_another_says_is_that_rule() -> None:
    own = Own(2, lambda *_: FREE)
    assert exact_auction(ITEMS, [own, own], 100).profits == exact_auction(ITEMS, RULES, 100).profits
    idle = exact_auction(ITEMS, [Own(0, lambda *_: FREE), LimitRule(2)], 100)
    assert list(idle.profits) == [0, 20]


SETTING = read_setting(ITEMS, RULES, 30, increment=1)


@pytest.mark.parametrize(
    ("method", "found", "error", "match"),
    [
        ("begin", fails, InvalidInputError, r"^begin of objective raises KeyError"),
        ("after", fails, InvalidInputError, r"^after of objective raises KeyError"),
        ("gain", fails, InvalidInputError, r"^gain of objective raises KeyError"),
        ("gain", later((F(1),), fails), InvalidInputError, r"^gain of objective raises KeyError"),
        ("final", fails, InvalidInputError, r"^final of objective raises KeyError"),
        ("begin", lambda *_: [], InvalidInputError, r"^begin of objective raises TypeError"),
        ("after", lambda *_: {}, InvalidInputError, r"^after of objective raises TypeError"),
        ("gain", lambda *_: None, InvalidInputError, r"^gain of objective is no such tuple"),
        ("gain", lambda *_: (1, 2), InvalidInputError, r"tuple of 1 numbers"),
        ("gain", lambda *_: (0.5,), ExactnessError, r"^gain of objective is a float"),
        ("gain", later((F(1),), lambda: ("x",)), NumberError, r"^gain of objective is not a"),
        ("final", lambda *_: 3, InvalidInputError, r"^final of objective is no such tuple"),
        ("final", lambda *_: (), InvalidInputError, r"tuple of one or more numbers"),
    ],
)
def test_an_objective(
    monkeypatch: pytest.MonkeyPatch, method: str, found: Any, error: type[Exception], match: str
) -> None:
    class Mine(Profit):
        pass

    monkeypatch.setattr(Mine, method, staticmethod(found))
    with pytest.raises(error, match=match):
        best_reply(SETTING, 0, objective=Mine())


@pytest.mark.parametrize(
    ("policy", "match"),
    [
        (fails, r"^policy raises KeyError\('boom'\)"),
        (later(None, fails), r"^policy raises KeyError\('boom'\)"),
        (lambda now: "x", r"^policy is a bid that is not allowed .*from 0 to 2"),
        (lambda now: 1.0, r"^policy is a bid that is not allowed"),
        (lambda now: True, r"^policy is a bid that is not allowed"),
        (lambda now: -1, r"^policy is a bid that is not allowed"),
        (later(None, lambda: 99), r"^policy is a bid that is not allowed"),
    ],
)
def test_a_policy(policy: Any, match: str) -> None:
    with pytest.raises(InvalidInputError, match=match):
        best_reply(SETTING, 0, policy=policy)


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        (fails, r"^groups for Ann raises KeyError"),
        ({"Ann": "items"}, r"^groups for Bob raises KeyError"),
        (lambda name: [name], r"^groups for Ann is not a str"),
    ],
)
def test_groups(groups: Any, match: str) -> None:
    record = AuctionRecord((RecordedSale("Urn", 10, 20, "Bob", 15),), ("Ann", "Bob"))
    with pytest.raises(InvalidInputError, match=match):
        winning_bid_counts(record, groups, [0, 20])


def test_what_is_nobodys_fault_is_blamed_on_nobody() -> None:
    """Errors of ours, a full stack and a full memory come back as they are."""
    for error in (InvalidInputError("a", 1, "is bad", "fix it"), RecursionError(), MemoryError()):
        assert raising("ties", None, error, "fix it") is error

    class SilentError(Exception):
        def __repr__(self) -> str:
            raise RuntimeError

    told = raising("ties", None, SilentError(), "fix it")
    assert str(told) == "ties raises a SilentError (got None): fix it"


def test_a_law_sees_the_tie_it_is_asked_about() -> None:
    seen: list[Tie] = []

    def law(tie: Tie) -> list[Fraction]:
        seen.append(tie)
        return [F(1), F(0)]

    exact_auction(ITEMS, RULES, [25, 100], ties=TieRule("mine", law), increment=1)
    assert seen[0].tied == (0, 1)
    assert list(seen[0].budgets) == [25, 100]
    assert all(len(tie.tied) == 2 and len(tie.budgets) == 2 for tie in seen)


def test_a_law_sees_who_has_withdrawn() -> None:
    """Of the seat that replies, of the others, and of both items."""
    seen: list[Tie] = []

    def law(tie: Tie) -> list[Fraction]:
        seen.append(tie)
        return [F(0), F(1)]

    rules: list[Any] = [LimitRule(1), LimitRule(1), Own(0, lambda *_: FREE)]
    money = [100, 90, 80]
    ties = TieRule("mine", law)
    setting = read_setting(ITEMS, rules, money, ties=ties)
    best_reply(setting, 0, policy=lambda now: 0 if now.least == 0 else None)
    exact_auction(ITEMS, rules, money, ties=ties)
    assert {tie.entries for tie in seen} == {((0, True), (1, True), (2, False))}
    assert [list(map(int, tie.budgets)) for tie in seen] == [[100, 90, 80], [100, 80, 80]] * 2
