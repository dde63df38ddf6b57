"""``check_protocol``: what players may be told, and which messages are the same."""

from __future__ import annotations

import random
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from incentive_runs import CASES, Sale

from theory.incentives.protocols import (
    MessageSent,
    MoveMade,
    ProtocolReport,
    RunRecord,
    SecretsGranted,
    check_protocol,
)
from theory.verdicts import Status


def check(*runs: RunRecord, **options: Any) -> ProtocolReport:
    return check_protocol(lambda run, rng: run, list(runs), **options)


# --- what players could know


def told(message: object, content: object, *more: Any, public: object = None) -> RunRecord:
    steps = [*more, MessageSent("ann", message), MoveMade("ann", "nods")]
    return RunRecord(steps=steps, limit=9, secrets={"s": content}, public=public)


def test_what_is_granted_may_be_told_from_then_on() -> None:
    grant = SecretsGranted(("ann",), ("s",))
    assert check(told(1, 1), told(2, 2)).refuted == ("disclosure",)
    assert check(told(1, 1, grant), told(2, 2, grant)).refuted == ()
    for_bob = SecretsGranted(("bob",), ("s",))
    assert check(told(1, 1, for_bob), told(2, 2, for_bob)).refuted == ("disclosure",)
    late = [
        RunRecord(
            steps=[MessageSent("ann", x), MoveMade("ann", "nods"), grant], limit=3, secrets={"s": x}
        )
        for x in (1, 2)
    ]
    assert check(*late).refuted == ("disclosure",)


@pytest.mark.parametrize("player", ["ann", "bob", "zoe"])
@pytest.mark.parametrize("secret", ["a", "b", "c"])
def test_each_secret_is_granted_to_each_player_named(secret: str, player: str) -> None:
    def runs(granted: tuple[str, ...], players: tuple[str, ...]) -> Iterator[RunRecord]:
        for x in (1, 2):
            steps = [
                SecretsGranted(players, granted),
                MessageSent(player, x),
                MoveMade(player, "nods"),
            ]
            secrets = {name: x if name == secret else 0 for name in "abc"}
            yield RunRecord(steps=steps, limit=3, secrets=secrets)

    players, names = ("ann", "bob", "zoe"), ("a", "b", "c")
    assert check(*runs(names, players)).refuted == ()
    assert check(*runs(names[::-1], players[::-1])).refuted == ()
    others = tuple(name for name in names if name != secret)
    assert check(*runs(others, players)).refuted == ("disclosure",)
    left = tuple(name for name in players if name != player)
    assert check(*runs(names, left)).refuted == ("disclosure",)


def test_what_is_public_may_be_told_and_is_not_compared() -> None:
    assert check(told(1, 1, public=1), told(2, 2, public=2)).refuted == ()


def test_moves_that_are_open_may_be_told_and_hidden_ones_may_not() -> None:
    def runs(hidden: str) -> Iterator[RunRecord]:
        for bid in (1, 2):
            steps = [
                SecretsGranted(("bob",), ("value",)),
                MoveMade("bob", bid, hidden),
                MessageSent("ann", f"bob bids {bid}"),
            ]
            yield RunRecord(steps=steps, limit=3, secrets={"value": bid})

    assert check(*runs("")).refuted == ()
    assert check(*runs("bid")).refuted == ("disclosure",)


def test_one_message_less_tells_as_well() -> None:
    silent = RunRecord(steps=[], limit=9, secrets={"s": 0})
    talking = RunRecord(steps=[MessageSent("ann", "psst")], limit=9, secrets={"s": 1})
    report = check(silent, talking)
    assert report.refuted == ("disclosure",)
    assert "ann is told nothing more in one, is told 'psst' in the other" in str(report)


def test_a_move_may_depend_on_the_seed_and_on_own_moves() -> None:
    def run(secret: int, rng: np.random.Generator) -> RunRecord:
        first = int(rng.integers(10**9))
        steps = [MoveMade("ann", first), MessageSent("bob", "go"), MoveMade("ann", first + 1)]
        return RunRecord(steps=steps, limit=3, secrets={"s": secret})

    report = check_protocol(run, [1, 2], seeds=3)
    assert report.refuted == ()
    assert report["measurability"].scope.nontrivial == 6


def test_runs_that_are_not_reproducible_are_not_compared() -> None:
    report = check_protocol(Sale("draws from the system"), CASES)
    assert report["disclosure"].status == report["measurability"].status == Status.VACUOUS
    assert "cannot be reproduced" in report["disclosure"].reason


@pytest.mark.parametrize(
    "pair",
    [
        ([1], [1]),
        ({"a": {1, 2}}, {"a": {2, 1}}),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan])),
        (SimpleNamespace(a=[1]), SimpleNamespace(a=[1])),
    ],
    ids=["lists", "sets", "arrays", "objects"],
)
def test_messages_are_compared_by_what_they_hold(pair: tuple[object, object]) -> None:
    one, other = pair
    assert check(told(one, 1), told(other, 2)).refuted == ()
    assert check(told(one, 1), told([other], 2)).refuted == ("disclosure",)


class Marked(list[str]):
    """A list with a mark on it."""

    mark = ""


class Note(str):
    """A text that is about something."""

    about = ""


def about(thing: Any, **attributes: object) -> Any:
    vars(thing).update(attributes)
    return thing


@pytest.mark.parametrize(
    "pair",
    [
        ({"x": 0, "y": 0}, {"y": 0, "x": 0}),
        (OrderedDict(x=0, y=0), OrderedDict(y=0, x=0)),
        (MappingProxyType({"x": 0, "y": 0}), MappingProxyType({"y": 0, "x": 0})),
        (Decimal("1.0"), Decimal("1.00")),
        (about(Note("hi"), about="rain"), about(Note("hi"), about="sun")),
        (about(Marked(["hi"]), mark="rain"), about(Marked(["hi"]), mark="sun")),
        (Note("hi"), "hi"),
        (Marked(["hi"]), ["hi"]),
        (about(Counter(a=1), mark=1), about(Counter(a=1), mark=2)),
        (deque([1], maxlen=1), deque([1], maxlen=2)),
        (defaultdict(int), defaultdict(list)),
        (0.0, -0.0),
    ],
)
def test_messages_differ_in_whatever_they_hold(pair: tuple[object, object]) -> None:
    for one, other in (pair, pair[::-1]):
        assert check(told(one, 1), told(one, 2)).refuted == ()
        assert check(told(one, 1), told(other, 2)).refuted == ("disclosure",)
        assert check(told([one], 1), told([other], 2)).refuted == ("disclosure",)


# --- discipline


def test_the_generators_that_all_share_are_as_before() -> None:
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002 - the state that must stay as it is
    python, numpy = random.getstate(), str(np.random.get_state())  # noqa: NPY002 - that state
    for fault in ("draws from random", "draws from numpy"):
        check_protocol(Sale(fault), CASES)
    assert random.getstate() == python
    assert str(np.random.get_state()) == numpy  # noqa: NPY002 - that state
