"""Answers and arguments of the advertising auction that are none, and those that are odd."""

from __future__ import annotations

import math
from fractions import Fraction
from json import dumps
from typing import Any

import numpy as np
import pytest
from advertising_runs import (
    DRAWN,
    FIRMS,
    NAMES,
    REWARDS,
    SCORES,
    SOCKS,
    begun,
    finished,
    scored,
)
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.advertising import (
    GENERATOR,
    PLATFORM,
    REFERENCE,
    Advertiser,
    Instance,
    NumberPerReply,
    Replies,
    advertising_auction,
    candidate_replies,
)
from mechanisms.play import IllegalAnswerError
from mechanisms.protocols import Sampled
from theory.errors import InvalidInputError, LimitError, UnknownNameError

NAN, INF = math.nan, math.inf
BAD_REPLIES: list[Any] = [
    "nonsense",
    None,
    {},
    [],
    DRAWN[:2],
    [*DRAWN, DRAWN[0]],
    [("Sew.", -1), ("Sew.", -1), ("Sew.", 0.5)],
    [("Sew.", -1), ("Sew.", -1), ("Sew.", NAN)],
    [("Sew.", -1), ("Sew.", -1), ("Sew.", -INF)],
    [("Sew.", -1), ("Sew.", -1), ("Sew.", True)],
    [("Sew.", -1), ("Sew.", -1), (3, -1)],
    [("Sew.", -1), ("Sew.", -1), ("Sew.", "-1")],
    [("Sew.", -1), ("Sew.", -1), "Sew."],
    [("Sew.", -1), ("Sew.", -1), {"reply": "Sew."}],
    Sampled("?", ("Sew.",), np.array([-1.0])),
    Sampled("?", ("a", "b", "c"), np.array([-1.0, 0.5, NAN])),
    [("Sew.", -1), ("Sew.", -1), ("Sew.", -(10**400))],
]
BAD_NUMBERS: list[Any] = [
    "nonsense",
    None,
    3,
    [],
    [-1.0],
    [-1.0, -1.0, -1.0],
    [-1.0, NAN],
    [-1.0, INF],
    [-1.0, -INF],
    [-1.0, True],
    [-1.0, "-1"],
    [-1.0, 1j],
    [-1.0, -1e101],
    "[-1, NaN]",
    "[-1, 1e999]",
    np.array([[-1.0, -1.0]]),
    np.array(-1.0),
    [-1.0, -(10**400)],
    np.array([-1.0, NAN]),
    {"Sew.": -1.0},
    {"Sew.": -1.0, "Ask Ann.": -1.0, "Weave.": -1.0},
    '{"Sew.": -1}',
]


@pytest.mark.parametrize("bad", BAD_REPLIES, ids=repr)
def test_replies_that_are_none_are_told_with_the_reason(bad: Any) -> None:
    run = begun(attempts=2).answer(GENERATOR, bad)
    [ask] = run.asks
    assert ask.refused
    assert run.answer(GENERATOR, DRAWN).asks[0].player == REFERENCE
    ended = run.answer(GENERATOR, bad)
    assert ended.ended_by is not None
    assert ended.ledger.entries == ()


@pytest.mark.parametrize("bad", [*BAD_NUMBERS, [-1.0, 0.5]], ids=repr)
def test_scores_that_are_none_are_told_with_the_reason(bad: Any) -> None:
    run = begun(attempts=2).answer(GENERATOR, DRAWN).answer(REFERENCE, bad)
    assert run.asks[0].refused
    assert run.answer(REFERENCE, SCORES).asks[0].player == "Ann"
    assert run.answer(REFERENCE, bad).ended_by is not None


@pytest.mark.parametrize("who", NAMES)
@pytest.mark.parametrize("bad", BAD_NUMBERS, ids=repr)
def test_rewards_that_are_none_are_told_with_the_reason(bad: Any, who: str) -> None:
    run = scored(begun(attempts=2).seeded(1)).answer(who, bad)
    ask = run.ask(who)
    assert ask is not None
    assert ask.refused
    assert [each.player for each in run.asks if each.refused] == [who]
    for name in NAMES:
        run = run.answer(name, bad if name == who else REWARDS[name])
    assert run.outcome.out == (who,)


@pytest.mark.parametrize("who", NAMES)
@pytest.mark.parametrize("absent", [False, True])
def test_who_stays_out_pays_nothing_and_the_others_are_alone(who: str, absent: bool) -> None:
    run = scored(begun(offset=False).seeded(1))
    for name in NAMES:
        if name != who:
            run = run.answer(name, REWARDS[name])
        else:
            run = run.no_answer(name, "asleep") if absent else run.answer(name, "nonsense")
    i = NAMES.index(who)
    rest = {name: row for name, row in REWARDS.items() if name != who}
    other = finished(begun(SOCKS.without(i), offset=False).seeded(1), rest).outcome
    assert run.outcome.out == (who,)
    assert run.outcome.payments[i] == 0
    assert run.outcome.candidates.rewards[i] is None
    assert [p for k, p in enumerate(run.outcome.payments) if k != i] == list(other.payments)
    assert run.outcome.law == other.law
    assert "stays out" in str(run.outcome)


def test_answers_of_other_kinds_count_as_what_they_are() -> None:
    answers = [
        ([2, Fraction(-1, 2)], "[2, -0.5]"),
        ({"Ask Ann.": -0.5, "Sew.": 2}, np.array([2.0, -0.5])),
        ((np.float32(2), np.int64(-3)), [2, -3]),
    ]
    legal = NumberPerReply(("Sew.", "Ask Ann."), "reward")
    for one, other in answers:
        assert legal.read(one) == legal.read(other)
    written = Replies(2).read([["Sew.", -1], {"reply": "Ask.", "log_prob": -0.5}])
    assert written == Replies(2).read(Sampled("?", ("Sew.", "Ask."), np.array([-1.0, -0.5])))
    assert Replies(2).read(dumps(Replies(2).write(written))) == written


EXTREME = st.sampled_from([-1e100, -1e50, -1.0, -1e-300, -0.0, 0.0, 5e-324, 1.0, 1e50, 1e100])


@given(
    st.lists(st.lists(EXTREME, min_size=2, max_size=2), min_size=3, max_size=3),
    st.lists(EXTREME.filter(lambda x: x <= 0), min_size=5, max_size=5),
    st.sampled_from([1e-100, 1.0, 1e100]),
    st.booleans(),
)
def test_no_legal_answer_breaks_the_rules(
    table: list[list[float]], logs: list[float], tau: float, offset: bool
) -> None:
    run = begun(tau=tau, offset=offset).seeded(1)
    replies = ("Sew.", "Ask Ann.", "Sew.")
    run = run.answer(GENERATOR, list(zip(replies, logs[:3], strict=True)))
    run = run.answer(REFERENCE, logs[3:])
    for name, row in zip(NAMES, table, strict=True):
        run = run.answer(name, row)
    assert run.outcome.reply in replies
    assert all(map(math.isfinite, run.outcome.payments))
    assert sum(run.outcome.law) == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"tau": 0}, InvalidInputError),
        ({"tau": NAN}, InvalidInputError),
        ({"tau": 1e101}, LimitError),
        ({"tau": 1e-101}, LimitError),
        ({"told": ["Dora"]}, UnknownNameError),
        ({"told": "Ann"}, InvalidInputError),
        ({"levels": []}, InvalidInputError),
        ({"levels": [1, 1]}, InvalidInputError),
        ({"levels": [2e100]}, InvalidInputError),
        ({"levels": [INF]}, InvalidInputError),
        ({"candidates": 0}, InvalidInputError),
    ],
    ids=repr,
)
def test_arguments_with_which_there_is_no_auction(wrong: dict[str, Any], error: Any) -> None:
    arguments: dict[str, Any] = {"candidates": 3} | wrong
    with pytest.raises(error):
        advertising_auction(SOCKS, **arguments)


@pytest.mark.parametrize("name", [GENERATOR, REFERENCE, PLATFORM])
@pytest.mark.parametrize("place", [0, 2])
def test_an_advertiser_is_nobody_else(name: str, place: int) -> None:
    firms = list(FIRMS)
    firms[place] = Advertiser(name, "goods")
    for rules in (advertising_auction, candidate_replies):
        with pytest.raises(InvalidInputError, match="somebody else in the auction"):
            rules(Instance(SOCKS.query, tuple(firms)), 3)


def test_an_answer_type_alone_refuses_the_same() -> None:
    numbers = NumberPerReply(("Sew.", "Ask Ann."), "reward", -1e100, 1e100)
    cases: list[Any] = [(Replies(3), bad) for bad in BAD_REPLIES]
    cases += [(numbers, bad) for bad in BAD_NUMBERS]
    for legal, bad in cases:
        with pytest.raises(IllegalAnswerError):
            legal.read(bad)


def test_wrong_answers_of_answer_types_say_what_to_do() -> None:
    legal = NumberPerReply(("Sew.", "Ask Ann."), "reward", among=(0.0, 1.0))
    assert legal.choices() == ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
    with pytest.raises(IllegalAnswerError, match=r"'Ask Ann\.' has the reward 2: say one of 0, 1"):
        legal.read([0, 2])
    assert str(legal) == "a reward for each of 2 replies, in their order, each one of 0, 1"
    assert legal.schema()["items"] == {"enum": [0.0, 1.0]}
    assert str(Replies(1)) == "a reply with the log-probability of each"
