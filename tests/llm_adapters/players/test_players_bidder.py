"""A bidder that asks a chat model: what it is told, what is read, and what fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from fractions import Fraction
from threading import Event
from typing import Any

import pytest
from bidding_chats import BOWL, VASE, alone, bid, follows, shy, told

from llm_adapters.errors import CallError
from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.players import ChatBidder
from mechanisms.ascending import (
    Bidder,
    BidderError,
    Item,
    Terms,
    auction_result,
    begin_auction,
    run_auction,
)
from mechanisms.play import Ask, Choice, Run, play_async
from mechanisms.protocols import Message
from theory.errors import InvalidInputError, MechproofError

F = Fraction


# --- what the model is told


def test_a_first_call_tells_all_that_the_bidder_may_know() -> None:
    chat, result = alone(bid(1200), bid("withdraw"), items=[VASE, BOWL])
    system, asked = chat.asked[0]
    assert system.role == "system"
    for text in ('You are "Ann"', "earn as much profit", "pays its own bid"):
        assert text in system.content
    assert asked.content.splitlines()[:4] == [
        '"Vase" is for sale now, from 1000. You expect it to be worth 2200.',
        'To come: "Bowl", from 500; you expect it to be worth 1100.',
        "There is no bid yet.",
        "You have 5000 left. You can bid from 1000 to 5000, or withdraw.",
    ]
    assert "2000" not in told(chat.asked[0])  # the value, which nobody knows
    assert chat.schemas[0] == {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": 300},
            "bid": {
                "anyOf": [
                    {"type": "number", "minimum": 1000, "maximum": 5000},
                    {"type": "string", "enum": ["withdraw"]},
                ]
            },
        },
        "required": ["reason", "bid"],
        "additionalProperties": False,
    }
    assert (result.sales[0].winner, result.sales[0].price) == ("Ann", F(1200))


@pytest.mark.parametrize(
    ("objective", "words"),
    [("profit", "as much profit"), ("items", "as many items"), ("rank", "than each of the other")],
)
def test_the_objective_is_told(objective: str, words: str) -> None:
    chat, _ = alone(bid("withdraw"), objective=objective)
    assert words in chat.asked[0][0].content


def test_every_round_of_an_item_is_told_once_also_those_that_the_bidder_led() -> None:
    """Fault 15: the authors' bidders are shown the last round alone."""
    chat = ScriptedChat([bid(1000), bid(1500), bid("withdraw")])
    bob, cy = follows("Bob", 1100, 1600, 1800), follows("Cy", 1050, None)
    result = run_auction([VASE], [ChatBidder("Ann", chat, modules=()), bob, cy], 5000)
    rounds = [
        'Round 1: you: 1000; "Bob": 1100; "Cy": 1050.',
        'Round 2: you: 1500; "Cy": out.',
        'Round 3: "Bob": 1600.',
    ]
    last = told(chat.asked[-1])
    assert [last.count(text) for text in rounds] == [1, 1, 1]
    assert [told(chat.asked[1]).count(text) for text in rounds] == [1, 0, 0]
    assert chat.asked[-1][-1].content.startswith(rounds[1])
    assert 'The highest bid is 1600, of "Bob".' in chat.asked[-1][-1].content
    assert "from 1700 to 5000" in chat.asked[-1][-1].content
    assert [move.kind for move in result.moves if move.bidder == "Ann"] == [
        *("bid", "bid", "withdrew")
    ]


def test_calls_of_an_item_go_on_in_one_conversation_and_the_next_begins_anew() -> None:
    chat = ScriptedChat([bid(1000, "first"), bid(1200, "second"), bid("withdraw"), bid("withdraw")])
    bob = follows("Bob", 1100, 1300, None)
    run_auction([VASE, BOWL], [ChatBidder("Ann", chat, modules=()), bob], 5000)
    first, second, third, bowl = chat.asked
    assert second[: len(first)] == first
    forms = ["in this form:" in asked[-1].content for asked in chat.asked]
    assert forms == [True, False, False, True]
    assert third[: len(second)] == second
    assert "first" in second[len(first)].content
    assert len(bowl) == 2
    assert "Vase" not in told(bowl)


def test_where_bids_are_not_shown_none_is_told() -> None:
    chat = ScriptedChat([bid(1000), bid("withdraw")])
    bob = follows("Bob", 1100)
    terms = Terms(shows="price")
    run_auction([VASE], [ChatBidder("Ann", chat, modules=()), bob], 5000, terms=terms)
    assert "The highest bid is 1100." in chat.asked[1][-1].content
    assert "Bob" not in told(chat.asked[1])


@pytest.mark.parametrize(
    ("terms", "money", "words", "bid_schema"),
    [
        (Terms(jumps=2), 5000, "You can bid 1000 or up to 2 steps of 100 more", (1000, 1200)),
        (Terms(jumps=2), 1100, "and at most 1100", (1000, 1100)),
        (Terms(), 999, "The least bid is 1000: you can only withdraw.", None),
        (Terms(), "3001/3", "from 1000 to 3001/3", (1000, 1000.333333)),
        (Terms(), "2000.5", "from 1000 to 2000.5", (1000, 2000.5)),
    ],
)
def test_limits_are_told_as_they_are(
    terms: Terms, money: object, words: str, bid_schema: tuple[object, object] | None
) -> None:
    chat = ScriptedChat([bid("withdraw")])
    run_auction([VASE], [ChatBidder("Ann", chat, modules=())], money, terms=terms)
    assert words in chat.asked[0][-1].content
    schema: Any = chat.schemas[0]
    bounds = None
    if "anyOf" in schema["properties"]["bid"]:
        number = schema["properties"]["bid"]["anyOf"][0]
        bounds = number["minimum"], number["maximum"]
    assert bounds == bid_schema


def test_bounds_that_are_no_decimals_are_rounded_to_what_may_be_bid() -> None:
    chat = ScriptedChat([bid("withdraw")])
    run_auction([Item("Cup", "1000/3", 1)], [ChatBidder("Ann", chat, modules=())], "2000/3")
    schema: Any = chat.schemas[0]
    number = schema["properties"]["bid"]["anyOf"][0]
    assert (number["minimum"], number["maximum"]) == (333.333334, 666.666666)
    assert "from 1000/3 to 2000/3" in chat.asked[0][-1].content


# --- what is read


@pytest.mark.parametrize(
    ("reply", "amount"),
    [
        (bid(1500), 1500),
        (bid("1500"), 1500),
        ('{"reason": "x", "bid": 1500.10}', F(15001, 10)),  # as it is written
        ('{"bid": 1e3}', 1000),
        (bid("4001/3"), F(4001, 3)),
        ('Well.\n```json\n{"reason": "x", "bid": 1500}\n```', 1500),
        ('I think {"bid": 1500} is right.', 1500),
        ("1500", 1500),
    ],
)
def test_a_bid_is_read_as_it_is_written(reply: str, amount: object) -> None:
    _, result = alone(reply)
    assert result.sales[0].price == amount
    assert result.failed == ()


@pytest.mark.parametrize("reply", [bid("withdraw"), bid(" Withdraw "), "withdraw", "pass"])
def test_who_says_so_withdraws(reply: str) -> None:
    _, result = alone(reply)
    assert [move.kind for move in result.moves] == ["withdrew", "withdrew"]
    assert result.failed == ()


NO_BID = [
    *("", "   ", "I bid five.", "I'm out!", "{}", "[1500]", '{"reason": "x"}', '{"bid": }'),
    *('{"bid": 1500} {"bid": 1600}', '{"bid": 1500, "bid": 1600}', '{"bid": NaN}'),
    *(bid(None), bid(""), bid("  "), bid(True), bid([1500]), bid({"amount": 1500})),
    *(bid("$1500.50"), bid("$10-15"), bid("$1500 (up from $1400)"), bid("nan"), bid("1/0")),
    *("$1500.50", "$10-15", "$1500 (up from $1400)", "I bid $1500."),
    *(bid(-1500), bid(999), bid(5001), bid("1500 (up from 1400)"), bid("1,500"), bid("nothing")),
    '{"bid": ' + "9" * 5000 + "}",
    "[" * 100_000,
    '{"bid": 1e999}',
    "\ud800",
]


@pytest.mark.parametrize("reply", NO_BID)
def test_what_is_no_legal_bid_is_a_failed_bid_and_never_a_withdrawal(reply: str) -> None:
    chat, result = alone(*[reply] * 3)
    assert [move.kind for move in result.moves] == ["failed", "withdrew"]
    assert [each.bidder for each in result.failed] == ["Ann"] * 3
    assert result.unanswered == ()
    assert len(chat.asked) == 3


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_refused_bid_is_told_with_its_reason_and_asked_for_again(bad: int) -> None:
    chat, result = alone(*[bid(900)] * bad, bid(1000))
    assert len(result.failed) == bad
    assert result.sales[0].price == 1000
    refusal = 'Your last answer was refused: "900 is too little: bid at least 1000, or withdraw".'
    for k, asked in enumerate(chat.asked):
        assert told(asked).count(refusal) == k
        if k:
            assert asked[-1].content.startswith(refusal)
            assert '"bid": 900' in asked[-2].content


def test_of_several_refusals_the_last_is_told_last() -> None:
    chat, _ = alone(bid(900), bid(6000), bid("withdraw"))
    assert "6000 is more than you have" in chat.asked[2][-1].content
    assert "900 is too little" not in chat.asked[2][-1].content


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_the_rules_bound_the_attempts(attempts: int) -> None:
    """Fault 9: the authors' bidder is asked again without end."""
    chat, result = alone(*["Hm."] * attempts, terms=Terms(attempts=attempts))
    assert (len(chat.asked), len(result.failed)) == (attempts, attempts)


def test_answers_that_were_none_are_counted_once_a_question() -> None:
    chat = ScriptedChat(["Hm.", bid(1), "Well.", bid(1), bid(500)])
    ann = ChatBidder("Ann", chat, modules=())
    result = run_auction([VASE, BOWL], [ann], 5000)
    assert ann.failures == 1
    assert len(result.failed) == 4
    assert result.won == {"Ann": 1}


# --- calls that fail


@pytest.mark.parametrize("good", [0, 1, 2])
def test_a_call_that_fails_is_no_answer_in_any_round_and_no_withdrawal(good: int) -> None:
    chat = ScriptedChat([*[bid(1000 + 200 * k) for k in range(good)], CallError("down", "wait")])
    bidders: list[Bidder] = [
        ChatBidder("Ann", chat, modules=()),
        follows("Bob", *range(1100, 3000, 200)),
    ]
    result = run_auction([VASE], bidders, 5000, keep_going=True)
    kinds = [move.kind for move in result.moves if move.bidder == "Ann"]
    assert kinds == ["bid"] * good + ["no answer"]
    assert result.unanswered == ("Ann",)
    assert result.failed == ()
    assert result.sales[0].winner == "Bob"


def test_a_call_that_fails_ends_the_auction_and_leaves_its_record() -> None:
    """Fault 3: the authors' auction waits for ever."""
    chat = ScriptedChat([bid(1000), CallError("the server is down", "wait")])
    bidders: list[Bidder] = [ChatBidder("Ann", chat, modules=()), follows("Bob", 1100, 1300)]
    with pytest.raises(BidderError, match="Ann raised") as caught:
        run_auction([VASE], bidders, 5000)
    record: Run[Any] = caught.value.record
    assert [entry.value for entry in record.log if isinstance(entry.request, Ask)] == [1000, 1100]


@pytest.mark.parametrize("role", ["plan", "beliefs"])
def test_a_module_that_fails_costs_the_item_nothing(role: str) -> None:
    texts: list[Any] = [CallError("down", "wait"), bid(1000)]
    chat = ScriptedChat(texts if role == "plan" else texts[::-1])
    ann = ChatBidder("Ann", chat, modules=[role])
    result = run_auction([VASE], [ann, shy("Bob")], 5000, keep_going=True)
    assert result.won["Ann"] == 1
    assert [said.said for said in (*result.plans, *result.beliefs)] == [None]


def test_an_error_of_the_model_goes_through_as_it_is() -> None:
    ann = ChatBidder("Ann", ScriptedChat([]), modules=())
    with pytest.raises(BidderError) as caught:
        run_auction([VASE], [ann], 5000)
    assert isinstance(caught.value.__cause__, CallError)


def test_whoever_hangs_has_not_answered_and_does_not_confuse_what_follows() -> None:
    """The answer that comes too late is nowhere in the next conversation."""
    late, calls = Event(), 0

    def say(messages: Sequence[Message], schema: Any) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            late.wait(10)
            return bid(1000, "too late")
        return bid(500)

    ann = ChatBidder("Ann", RuleChat(say), modules=())
    heard: list[str] = []

    async def asked(ask: Ask) -> object:
        if ask.view.item == "Bowl":
            late.set()  # the first call ends while the second is under way
        answer = await asyncio.to_thread(ann, ask)
        heard.append(told(ann._memory.talk))
        return answer

    async def bob(ask: Ask) -> object:
        return 1000 if ask.view.item == "Vase" else None

    run = begin_auction([VASE, BOWL], [ann, shy("Bob")], 5000).seeded(0)
    result = auction_result(asyncio.run(play_async(run, {"Ann": asked, "Bob": bob}, patience=0.2)))
    assert [move.kind for move in result.moves if move.bidder == "Ann"] == ["no answer", "bid"]
    assert result.unanswered == ("Ann",)
    assert "too late" not in heard[-1]


# --- what is refused


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"name": " "}, "name"),
        ({"chat": ScriptedChat}, "chat"),
        ({"objective": "money"}, "objective"),
        ({"modules": ["plans"]}, "did you mean 'plan'"),
        ({"modules": "plan"}, "modules"),
        ({"over": 0.1}, "over"),
        ({"seed": -1}, "seed"),
        ({"longest": 0}, "longest"),
    ],
)
def test_arguments_that_are_none_are_refused(wrong: dict[str, Any], match: str) -> None:
    given: dict[str, Any] = {"name": "Ann", "chat": ScriptedChat([])} | wrong
    with pytest.raises(MechproofError, match=match):
        ChatBidder(given.pop("name"), given.pop("chat"), **given)


def test_it_plays_nothing_else() -> None:
    ann = ChatBidder("Ann", ScriptedChat([]))
    with pytest.raises(InvalidInputError, match="not asked in an ascending auction"):
        ann(Ask("Ann", "?", Choice(("x",)), "choose"))
    assert repr(ann) == "ChatBidder('Ann', modules=('plan', 'replan', 'beliefs'), failures=0)"


def test_its_estimates_are_too_high_by_its_own_share() -> None:
    chat = ScriptedChat([bid("withdraw")])
    run_auction([VASE], [ChatBidder("Ann", chat, modules=(), over="1/4")], 5000)
    assert "worth 2500." in chat.asked[0][-1].content
