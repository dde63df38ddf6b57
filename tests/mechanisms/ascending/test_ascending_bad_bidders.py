"""Bidders that raise, hang, or answer nonsense: each ends as what it is, counted once.

What the others do, and what they are drawn, is the same as if the bad bidder had withdrawn.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from mechanisms.ascending import (
    AuctionResult,
    Bidder,
    BidderError,
    Call,
    CallbackBidder,
    Estimator,
    Item,
    Move,
    RuleBidder,
    Terms,
    auction_result,
    begin_auction,
    bidder_participant,
    run_auction,
)
from mechanisms.play import Ask, How, play_async
from theory.ascending.measures import failed_bids
from theory.errors import InvalidInputError

F = Fraction
ITEMS = [Item("Vase", 1000, 2000), Item("Bowl", 500, 1000)]
BUDGET = 2600
BAD = "Bidder 1"


class Rude:
    """Raises at whatever is done with it."""

    def __repr__(self) -> str:
        raise ValueError("no")

    __str__ = __repr__


class Text(str):
    def strip(self, *_: Any) -> str:
        raise ValueError("no")


NONSENSE: dict[str, Callable[[Call], Any]] = {
    "NaN": lambda call: float("nan"),
    "infinity": lambda call: float("inf"),
    "float": lambda call: float(call.least),
    "True": lambda call: True,
    "False": lambda call: False,
    "negative": lambda call: -call.least,
    "zero": lambda call: 0,
    "too little": lambda call: call.least - F(1, 10**9),
    "too fine": lambda call: call.least + F(1, 10**31),
    "thousands of decimals": lambda call: f"{call.least}." + "0" * 3_000 + "1",
    "too much": lambda call: call.money + F(1, 10**9),
    "far too much": lambda call: 10**5000,
    "digits": lambda call: "9" * 5000,
    "decimals with a sign": lambda call: "$1500.50",
    "a range": lambda call: "$10-15",
    "two amounts": lambda call: "$1500 (up from $1400)",
    "words": lambda call: "I'm out!",
    "not a number": lambda call: "nan",
    "a zero denominator": lambda call: "1/0",
    "a list": lambda call: [call.least],
    "a mapping": lambda call: {"bid": call.least},
    "a function": lambda call: lambda: call.least,
    "an object that raises": lambda call: Rude(),
    "text that raises": lambda call: Text("withdraw, please"),
}


def cast(bad: Callable[[Call], object], good: int, name: str = BAD) -> list[Bidder]:
    """A bidder that bids the least so many times, then badly, on the first item; and two others."""

    def bid(call: Call) -> object:
        if call.sold or call.least > call.money:
            return None
        return call.least if call.made < good else bad(call)

    return [
        CallbackBidder(name, bid),
        RuleBidder("Bidder 10"),
        Estimator("Bidder 11", over="1/10", share="3/4"),
    ]


def withdrawn(good: int, seed: int) -> AuctionResult:
    return run_auction(ITEMS, cast(lambda call: None, good), BUDGET, seed=seed)


def of_others(result: AuctionResult) -> tuple[Any, ...]:
    moves = [move for move in result.moves if move.bidder != BAD]
    return moves, result.sales, result.profits, result.outcome.money


def last_of_bad(result: AuctionResult) -> Move:
    return [move for move in result.moves if move.bidder == BAD and move.item == 0][-1]


@pytest.mark.parametrize("good", [0, 1, 2])
@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_fails_after_three_attempts_and_harms_nobody_else(kind: str, good: int) -> None:
    seed = 4
    expected = withdrawn(good, seed)
    result = run_auction(ITEMS, cast(NONSENSE[kind], good), BUDGET, seed=seed)
    assert last_of_bad(expected).kind == "withdrew"
    assert last_of_bad(result).kind == "failed"
    assert last_of_bad(result).round == last_of_bad(expected).round
    assert of_others(result) == of_others(expected)
    assert [(each.item, each.round, each.bidder) for each in result.failed] == [
        (0, last_of_bad(result).round, BAD)
    ] * 3
    assert result.unanswered == ()
    assert result.audit() == ()


def test_no_bid_makes_numbers_that_cannot_be_written() -> None:
    """A bidder gives each price a denominator of its own, as large as may be."""

    def bid(call: Call) -> object:
        denominator = 10**30 - len(call.sold)
        return F(int(call.least * denominator) + 1, denominator)

    items = [Item(f"{k}", 10, 20) for k in range(60)]
    terms = Terms(increment_of="standing", increment="1/7")
    bidders: list[Bidder] = [CallbackBidder(BAD, bid), RuleBidder("Bidder 2", limit=2)]
    result = run_auction(items, bidders, 10_000, terms=terms, seed=1)
    assert result.won[BAD] == 60
    assert result.profits[BAD].denominator > 10**1_000
    assert len(str(result.profits[BAD])) < 4_000
    assert result.audit() == ()
    again = result.run.rules.read(json.dumps(result.run.to_json()))
    assert again == result.run
    assert auction_result(again).profits == result.profits


@pytest.mark.parametrize("attempts", [1, 2, 10])
def test_fault_9_attempts_are_bounded_and_counted(attempts: int) -> None:
    """The authors ask again without end."""
    asked: list[Call] = []

    def babble(call: Call) -> object:
        asked.append(call)
        return "Hm."

    bidders = cast(babble, 0)
    result = run_auction(ITEMS, bidders, BUDGET, terms=Terms(attempts=attempts), seed=4)
    assert len(asked) == len(result.failed) == attempts
    assert last_of_bad(result).kind == "failed"
    assert of_others(result) == of_others(withdrawn(0, 4))


@pytest.mark.parametrize("good", [0, 1, 2])
def test_a_bid_that_is_refused_may_be_mended(good: int) -> None:
    """One refusal, and then the bid of a bidder that had made none."""
    refused: list[tuple[str, ...]] = []

    class Mends:
        name = BAD

        def __init__(self) -> None:
            self.told: tuple[str, ...] = ()

        def refused(self, call: Call, reasons: tuple[str, ...]) -> None:
            self.told = reasons
            refused.append(reasons)

        def bid(self, call: Call) -> object:
            told, self.told = self.told, ()
            if call.sold or call.made > good or call.least > call.money:
                return None
            return call.money + 1 if call.made == good and not told else call.least

    others = cast(lambda call: None, 0)[1:]
    result = run_auction(ITEMS, [Mends(), *others], BUDGET, seed=4)
    expected = withdrawn(good + 1, 4)
    assert result.moves == expected.moves
    assert of_others(result) == of_others(expected)
    assert [reasons[0] for reasons in refused] == [each.reason for each in result.failed]
    assert [len(reasons) for reasons in refused] == [1]


# --- bidders that raise


def raising(error: BaseException) -> Callable[[Call], object]:
    def bid(call: Call) -> object:
        raise error

    return bid


@pytest.mark.parametrize("good", [0, 1, 2])
@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), GeneratorExit(), MemoryError()])
def test_fault_3_a_bidder_that_raises_ends_the_auction_with_its_record(
    error: BaseException, good: int
) -> None:
    """The authors wait for ever."""
    with pytest.raises(BidderError, match=f"{BAD} raised .* when asked to bid") as caught:
        run_auction(ITEMS, cast(raising(error), good), BUDGET, seed=4)
    assert caught.value.__cause__ is error
    run = caught.value.record
    ask = run.ask()
    assert (ask.player, ask.view.round) == (BAD, last_of_bad(withdrawn(good, 4)).round)


@pytest.mark.parametrize("good", [0, 1, 2])
def test_fault_10_calls_that_failed_are_named_and_are_no_withdrawals(good: int) -> None:
    """The authors repeat a game three times, and then leave it out without a word."""
    error = TimeoutError("no route")
    result = run_auction(ITEMS, cast(raising(error), good), BUDGET, seed=4, keep_going=True)
    assert last_of_bad(result).kind == "no answer"
    assert of_others(result) == of_others(withdrawn(good, 4))
    assert result.unanswered == (BAD,)
    assert result.failed == ()
    [entry] = [entry for entry in result.run.log if entry.how is How.ABSENT]
    assert "no route" in entry.reason


def test_whoever_stops_the_program_stops_it() -> None:
    with pytest.raises(KeyboardInterrupt):
        run_auction(ITEMS, cast(raising(KeyboardInterrupt()), 1), BUDGET, keep_going=True)


@pytest.mark.parametrize("good", [0, 1, 2])
def test_fault_3_a_bidder_that_hangs_costs_its_patience_and_no_more(good: int) -> None:
    hung: list[Call] = []
    participants = {b.name: bidder_participant(b) for b in cast(lambda call: "hang", good)}

    async def asked(ask: Ask) -> object:
        answer = participants[ask.player](ask)
        if answer == "hang":
            hung.append(ask.view)
            await asyncio.Event().wait()
        return answer

    run = begin_auction(ITEMS, cast(lambda call: None, good), BUDGET).seeded(4)
    began = time.monotonic()
    end = asyncio.run(play_async(run, dict.fromkeys(participants, asked), patience=0.3))
    assert time.monotonic() - began < 30
    result = auction_result(end)
    assert len(hung) == 1
    assert last_of_bad(result).kind == "no answer"
    assert of_others(result) == of_others(withdrawn(good, 4))
    assert result.unanswered == (BAD,)


# --- the other faults of the authors' program that bidders could meet


def test_fault_4_names_that_hold_each_other_are_names_like_others() -> None:
    """The authors replace "Bidder 1" inside "Bidder 10". Here a name is nothing but a name."""
    names = dict(zip(["Bidder 1", "Bidder 10", "Bidder 11"], ["Ann", "Bob", "Cy"], strict=True))
    found = []
    for renamed in (False, True):
        bidders: list[Bidder] = [RuleBidder(names[n] if renamed else n, limit=3) for n in names]
        result = run_auction(ITEMS, bidders, BUDGET, seed=9)
        told = dict(zip(result.bidders, names, strict=True))
        found.append([(m.item, m.round, told[m.bidder], m.amount, m.kind) for m in result.moves])
    assert found[0] == found[1]


def test_fault_5_an_amount_is_read_whole_or_not_at_all() -> None:
    """The authors read $1500.50 as 50, $10-15 as a withdrawal, and 1e3 as 3."""

    def say(text: str, call: Call) -> str:
        return text

    kinds, failed = [], 0
    for text in ("$1500.50", "$10-15", "$1500 (up from $1400)", "1e3", "1500.50"):
        result = run_auction(ITEMS[:1], [CallbackBidder("Ann", partial(say, text))], 5000)
        kinds.append((result.moves[0].kind, result.moves[0].amount))
        failed += len(result.failed)
    assert kinds == [("failed", None)] * 3 + [("bid", 1000), ("bid", F(3001, 2))]
    assert failed == 9


def test_fault_7_somebody_who_is_asked_by_a_function_plays() -> None:
    """The class of the authors for people cannot be made."""
    calls: list[Call] = []

    def person(call: Call) -> str:
        calls.append(call)
        return "1000" if call.item == "Vase" else ""  # an empty line withdraws

    result = run_auction(ITEMS, [CallbackBidder("Ann", person)], BUDGET)
    assert [sale.winner for sale in result.sales] == ["Ann", None]
    assert "Vase is on sale from 1000." in str(calls[0])


@pytest.mark.parametrize(
    ("won", "wrong"),
    [
        ({"Vase": "1000"}, ()),
        ({"Vase": "999"}, ("Ann has won Vase for 1000, not Vase for 999.",)),
        ({"Bowl": "1000"}, ("Ann has won Vase for 1000, not Bowl for 1000.",)),
        (
            {"Vase": "1000", "Bowl": "500"},
            ("Ann has won Vase for 1000, not Vase for 1000, Bowl for 500.",),
        ),
        ({}, ("Ann has won Vase for 1000, not nothing.",)),
    ],
)
def test_fault_8_what_was_won_is_checked_with_its_price(
    won: dict[str, str], wrong: tuple[str, ...]
) -> None:
    """The authors compare names of items alone; and two items of one name are one to them."""

    class Believer(CallbackBidder):
        modules = ("beliefs",)

        def recount(self, view: object) -> object:
            return {"money": 4000, "profits": {"Ann": 1000}, "won": {"Ann": won}}

    ann = Believer("Ann", lambda call: 1000 if call.item == "Vase" else None)
    result = run_auction(ITEMS, [ann], 5000)
    assert [said.wrong for said in result.beliefs] == [wrong, wrong]
    with pytest.raises(InvalidInputError, match="one name twice"):
        run_auction([ITEMS[0], ITEMS[0]], [ann], 5000)


def test_fault_12_refusals_and_withdrawals_are_counted_apart_and_once() -> None:
    """The authors count unreadable calls as actions, and divide by nothing for rule bidders."""
    bad = cast(lambda call: "Hm." if call.made == 1 else None, 1)
    result = run_auction(ITEMS, bad, BUDGET, seed=4)
    counts = [sum(each.bidder == name for each in result.failed) for name in result.bidders]
    assert counts == [3, 0, 0]
    kinds = {kind: sum(move.kind == kind for move in result.moves) for kind in ("bid", "failed")}
    assert kinds["failed"] == 1  # one action, whose three attempts failed
    chosen = [e for e in result.run.log if isinstance(e.request, Ask) and e.how is How.CHOSEN]
    assert len(chosen) == len(result.moves) - 1
    for name, measured in failed_bids(result.record()).items():
        moves = [move for move in result.moves if move.bidder == name and move.kind != "failed"]
        assert (measured.failed, measured.correct) == (3 if name == BAD else 0, len(moves))


def test_fault_15_a_call_has_all_rounds_of_the_item() -> None:
    """The authors show the last round alone, and "None bid" for whoever had withdrawn."""
    calls: list[Call] = []

    def bid(call: Call) -> object:
        calls.append(call)
        return call.least if call.least <= 1500 else None

    bidders: list[Bidder] = [CallbackBidder("Ann", bid), RuleBidder("Bob"), RuleBidder("Cy", 1)]
    result = run_auction(ITEMS[:1], bidders, BUDGET, seed=1)
    for call in calls:
        expected: list[tuple[Any, ...]] = [
            tuple((m.bidder, m.amount) for m in result.moves if m.round == number)
            for number in range(call.round)
        ]
        assert list(call.history) == expected
    assert max(call.round for call in calls) > 2
    told = str(calls[-1])
    assert told.count("Cy withdraws") == 1
    assert "None" not in told
