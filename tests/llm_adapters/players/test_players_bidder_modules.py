"""A bidder that asks a chat model: what it plans, believes and carries over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from bidding_chats import BOWL, VASE, alone, bid, keen_chat, plan, recount, shy, told

from llm_adapters.players import ChatBidder
from mechanisms.ascending import (
    AuctionResult,
    Plan,
    run_auction,
)
from mechanisms.protocols import Message


def modular(*texts: Any, modules: Sequence[str], **more: Any) -> tuple[Any, AuctionResult]:
    return alone(*texts, items=[VASE, BOWL], modules=modules, **more)


TRUE = recount(4000, {"Ann": 1000, "Bob": 0}, {"item": "Vase", "winner": "Ann", "price": 1000})
AFTER = recount(
    3500,
    {"Ann": 1500, "Bob": 0},
    {"item": "Bowl", "winner": "Ann", "price": 500},
    {"item": "Vase", "winner": "Ann", "price": 1000},
)
FIRST, SECOND = plan("Win the vase.", Vase=3, Bowl=1), plan("Now the bowl.", Bowl=3)


def test_the_adaptive_bidder_carries_its_last_plan_and_what_it_believes() -> None:
    texts = [FIRST, bid(1000), TRUE, SECOND, bid(500), AFTER]
    chat, result = modular(*texts, modules=("plan", "replan", "beliefs"))
    planning, vase, counting, replanning, bowl, counted = chat.asked
    assert told(planning).count("To come") == 2
    assert "Win the vase." in vase[2].content
    assert 'Priorities, from 1 for little to 3 for much: "Vase" 3, "Bowl" 1.' in vase[2].content
    assert counting[: len(vase)] == vase  # it goes on
    assert '"Vase" went to you for 1000, and was worth 2000.' in counting[-1].content
    assert "Win the vase." in replanning[2].content
    assert 'I have 4000 left. Profits: I 1000; "Bob" 0.' in replanning[2].content
    assert 'Sold: "Vase" to me for 1000.' in bowl[2].content
    assert "Now the bowl." in bowl[2].content
    assert "Win the vase." not in told(bowl)
    assert "went to" not in told(bowl)
    assert [message.role for message in bowl] == ["system", "user", "assistant", "user"]
    assert counted[: len(bowl)] == bowl
    most = [chat.schemas[k]["properties"]["sales"]["maxItems"] for k in (2, 5)]
    assert most == [1, 2]
    assert [said.wrong for said in result.beliefs] == [(), ()]
    assert [dict(said.said.priorities) for said in result.plans if isinstance(said.said, Plan)] == [
        *({"Vase": 3, "Bowl": 1}, {"Bowl": 3})
    ]


def test_the_static_bidder_carries_its_plan_and_is_told_how_the_auction_stands() -> None:
    chat, result = modular(FIRST, bid(1000), bid(500), modules=("plan",))
    _, vase, bowl = chat.asked
    assert "Win the vase." in bowl[2].content
    assert bowl[-1].content.startswith('"Vase" went to you for 1000, and was worth 2000.')
    assert "went to" not in told(vase)
    assert len(result.plans) == 1


def test_the_bidder_without_modules_carries_nothing() -> None:
    chat, result = modular(bid(1000), bid(500), modules=())
    assert len(chat.asked[1]) == 2
    assert "Vase" not in told(chat.asked[1])
    assert "You have 4000 left." in chat.asked[1][-1].content
    assert (result.plans, result.beliefs) == ((), ())


def test_beliefs_are_carried_as_they_are_held_also_wrong_ones() -> None:
    wrong = recount(17, {"Ann": 5, "Bob": 0}, {"item": "Vase", "winner": "Bob", "price": 1})
    chat, result = modular(bid(1000), wrong, bid(500), AFTER, modules=["beliefs"])
    assert "I have 17 left." in chat.asked[2][2].content
    assert 'Sold: "Vase" to "Bob" for 1.' in chat.asked[2][2].content
    assert result.beliefs[0].wrong == (
        "You have 4000 left, not 17.",
        "The profit of Ann is 1000, not 5.",
        "Ann has won Vase for 1000, not nothing.",
        "Bob has won nothing, not Vase for 1.",
    )


def test_beliefs_that_are_wrong_are_corrected_in_the_same_conversation() -> None:
    wrong = recount(4000, {"Ann": 0, "Bob": 0}, {"item": "Vase", "winner": "Ann", "price": 1000})
    texts = [bid(1000), wrong, TRUE, bid(500), AFTER]
    chat, result = modular(*texts, modules=["beliefs"], corrections=2)
    assert chat.asked[2][: len(chat.asked[1])] == chat.asked[1]
    told_wrong = 'The auctioneer says: "The profit of Ann is 1000, not 0."'
    assert told_wrong in chat.asked[2][-1].content
    assert "I 1000;" in chat.asked[3][2].content
    assert [(said.after, len(said.wrong)) for said in result.beliefs] == [(1, 1), (1, 0), (2, 0)]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Hm.", "no JSON"),
        ('{"profits": {}}', "money left is missing"),
        (recount("much", {}), "'much' is not a number"),
        (recount(True, {}), "True is not a number"),
        (recount(1, {"Anna": 1}), "'Anna' is no bidder"),
        (recount(1, {}, {"item": "Vas", "winner": "Ann", "price": 1}), "'Vas' is no item"),
        (recount(1, {}, {"item": "Vase", "winner": "nobody", "price": 1}), "'nobody' is no bidder"),
        (recount(1, {}, {"winner": "Ann"}), "'nothing' is no item"),
        (recount(1, {}, {"item": "Vase", "winner": "Ann"}), "None is not a number"),
        (
            recount(1, {}, *[{"item": "Vase", "winner": "Ann", "price": p} for p in (1, 2)]),
            "'1 and 2' is not a number",
        ),
        ('{"money": 1, "sales": "none"}', "'nothing' is no bidder"),
        ('{"money": 1, "profits": [1]}', "profits is no object"),
    ],
)
def test_what_is_no_belief_is_refused_with_the_reason(reply: str, reason: str) -> None:
    """Fault 8: an item has a winner and a price, once."""
    chat, result = modular(bid(1000), reply, TRUE, bid("withdraw"), TRUE, modules=["beliefs"])
    assert reason in chat.asked[2][-1].content
    assert chat.asked[2][-1].content.startswith("Your last answer was refused")
    assert [said.after for said in result.beliefs] == [1, 2]


def test_amounts_of_beliefs_are_read_as_they_are_written() -> None:
    sale = '{"item": "Vase", "winner": "Ann", "price": 1000.1}'
    said = '{"money": 3999.9, "profits": {"Ann": 1000.1}, "sales": [' + sale + "]}"
    texts = [bid("1000.1"), said, bid("withdraw"), TRUE]
    _, result = modular(*texts, modules=["beliefs"])
    assert result.beliefs[0].said is not None
    assert result.beliefs[0].wrong == ("The profit of Ann is 999.9, not 1000.1.",)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Hm.", "no JSON"),
        ('{"plan": "x"}', "priorities are missing"),
        (plan("x", Vase=1), "Bowl has no priority"),
        (plan("x", Vase=1, Bowl=4), "Bowl has no priority"),
        (plan("x", Vase=1, Bowl="2"), "Bowl has no priority"),
        ('{"plan": "x", "priorities": {"Vase": 1, "Bowl": 2.0}}', "Bowl has no priority"),
        (plan("x", Vase=1, Bowl=True), "Bowl has no priority"),
        (plan("x", Vase=1, Bowl=1, Cup=1), "'Cup' is no item"),
        (plan("x" * 5000, Vase=1, Bowl=1), "too long"),
        ('{"plan": 5, "priorities": {"Vase": 1, "Bowl": 1}}', "the text is none"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_reason(reply: str, reason: str) -> None:
    chat, result = modular(reply, FIRST, bid("withdraw"), bid("withdraw"), modules=["plan"])
    assert reason in chat.asked[1][-1].content
    assert chat.asked[1][: len(chat.asked[0])] == chat.asked[0]
    assert [said.said is not None for said in result.plans] == [True]


def test_a_plan_that_never_comes_is_none() -> None:
    chat, result = modular(*["Hm."] * 3, bid("withdraw"), bid("withdraw"), modules=["plan"])
    assert [said.said for said in result.plans] == [None]
    assert len(chat.asked[3]) == 2


def test_another_auction_begins_with_nothing() -> None:
    for modules in ([], ["plan"], ["beliefs"], ["plan", "beliefs"]):
        heard: list[Sequence[Message]] = []
        ann = ChatBidder("Ann", keen_chat(1500, heard.append), modules=modules)
        for _ in range(2):
            run_auction([VASE], [ann, shy("Bob")], 5000)
        half = len(heard) // 2
        assert heard[:half] == heard[half:]
