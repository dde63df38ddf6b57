"""The demo of the arena: what its transcript says of plans, bids, sales and beliefs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from llm_adapters.errors import BudgetSpentError, CallError
from llm_adapters.fakes import RuleChat
from mechanisms.ascending import AuctionResult, BidderError
from mechanisms.play import Draw
from mechanisms.protocols import Message
from mechproof.demos import Transcript, run
from mechproof.demos.arena import play
from mechproof.demos.bidding import BUDGET, ITEMS, MODULES_OF, bidding_rule
from theory.shared.text import number_text

Rule = Any


def flat(text: object) -> str:
    return " ".join(str(text).split())


def ruled(rule: Rule = bidding_rule, **more: Any) -> tuple[AuctionResult, str]:
    text = Transcript()
    return play(RuleChat(rule), text, **more), flat(text)


@pytest.mark.parametrize("seed", range(4))
def test_every_bid_and_every_sale_is_told_as_it_was(seed: int) -> None:
    result, text = ruled(seed=seed)
    assert result.audit() == ()
    at = 0
    for move in result.moves:
        said = f"bids {number_text(move.amount)}." if move.amount is not None else "withdraws."
        at = text.index(f"Round {move.round + 1}: **{move.bidder}** {said}", at)
    for sale in result.sales:
        assert sale.price is not None
        verb = "earns" if sale.profit >= 0 else "loses"
        assert (
            f"The {sale.item.name} goes to {sale.winner} for {sale.price}. It is worth "
            f"{sale.item.value}: {sale.winner} {verb} {abs(sale.profit)}." in text
        )


@pytest.mark.parametrize("seed", range(3))
def test_who_is_drawn_among_equal_bids_is_told_after_their_round(seed: int) -> None:
    result, text = ruled(seed=seed)
    drawn = [entry for entry in result.run.log if isinstance(entry.request, Draw)]
    at = 0
    for entry in drawn:
        line = f"Of these equal bids that of **{entry.value}** is drawn to lead."
        before, at = at, text.index(line, at) + 1
        last = text[before:at].rpartition("Round ")[2]
        assert " bids " in last or "withdraws" in last
        places = [m for m in result.moves if f"Round {m.round + 1}: " in text[before:at]]
        assert any(m.bidder == entry.value and m.kind == "bid" for m in places)
    assert text.count("is drawn to lead") == len(drawn) > 5


def test_failed_bids_and_wrong_beliefs_are_told_with_what_is_true() -> None:
    result, text = ruled()
    assert [each.bidder for each in result.failed] == ["Bob", "Bob"]
    for each in result.failed:
        assert f"**Bob** is refused: {each.reason}." in text
    wrong = [said.wrong for said in result.beliefs]
    assert wrong == [
        ("The profit of Bob is 400, not 0.",),
        (),
        (),
        ("The profit of Bob is 1200, not 400.",),
        (),
    ]
    assert text.count("All of it is right.") == 3
    assert "Wrong: The profit of Bob is 400, not 0." in text
    assert "Of 35 statements on the state of the auction, 2 were wrong." in text


@pytest.mark.parametrize(
    ("kind", "plans", "beliefs"), [("adaptive", 4, 5), ("static", 2, 0), ("none", 1, 0)]
)
def test_the_kind_decides_what_ann_does_beside_bidding(kind: str, plans: int, beliefs: int) -> None:
    result, text = ruled(kind=kind)
    assert (len(result.plans), len(result.beliefs)) == (plans, beliefs)
    assert ("New plans" in text) is ("replan" in MODULES_OF[kind])
    assert ("What is believed" in text) is ("beliefs" in MODULES_OF[kind])


def test_a_bidder_that_says_nonsense_is_told_of_and_buys_nothing() -> None:
    def babble(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
        if '"Bob"' in messages[0].content.splitlines()[0]:
            return "Hm."
        return bidding_rule(messages, schema)

    result, text = ruled(babble)
    assert result.won["Bob"] == 0
    assert sum(each.bidder == "Bob" for each in result.failed) == 3 * len(ITEMS)
    assert text.count("It was the last attempt.") == len(ITEMS)
    assert "**Bob** gives none that can be used" in text


@pytest.mark.parametrize("who", ["Ann", "Bob"])
def test_a_model_that_repeats_the_form_is_not_quoted(who: str) -> None:
    def parrot(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
        answer = json.loads(bidding_rule(messages, schema))
        if f'"{who}"' in messages[0].content.splitlines()[0]:
            if "reason" in answer:
                answer["reason"] = "why, in a sentence"
            if "plan" in answer:
                answer["plan"] = "in a few sentences"
        return json.dumps(answer)

    result, text = ruled(parrot)
    asked = [each for each in result.run.log if getattr(each.request, "role", "") == "bid"]
    count = sum(each.request.player == who for each in asked)
    assert text.count("For a reason it repeats the form.") == count > 3
    plans = sum(said.bidder == who for said in result.plans)
    assert text.count(f"**{who}** repeats the form in place of a plan. Priorities: ") == plans
    told = text.partition("What Bob was told")[0].partition("What Ann was told")[0]
    assert "“why, in a sentence”" not in told
    assert "“in a few sentences”" not in told


def test_beliefs_that_are_no_whole_numbers_are_told_as_decimals() -> None:
    def halves(messages: Sequence[Message], schema: Any) -> str:
        if "money" not in schema["properties"]:
            return bidding_rule(messages, schema)
        return json.dumps({"money": 2.5, "profits": {"Ann": 0.125}, "sales": []})

    _, text = ruled(halves)
    assert "2.5 left to me; profits Ann 0.125" in text
    assert "left, not 2.5." in text


def test_a_bidder_that_is_always_wrong_is_asked_twice_and_no_more() -> None:
    def wrong(messages: Sequence[Message], schema: Any) -> str:
        if "money" not in schema["properties"]:
            return bidding_rule(messages, schema)
        return json.dumps({"money": 1, "profits": {}, "sales": []})

    result, text = ruled(wrong)
    assert len(result.beliefs) == 2 * len(ITEMS)
    assert all(said.wrong for said in result.beliefs)
    assert text.count("once more") == len(ITEMS)


@pytest.mark.parametrize("good", [0, 5, 12, 20])
def test_what_was_until_a_call_failed_is_told(good: int) -> None:
    calls = 0

    def failing(messages: Sequence[Message], schema: Any) -> str:
        nonlocal calls
        calls += 1
        if calls > good:
            raise CallError("the server is down", "wait")
        return bidding_rule(messages, schema)

    text = Transcript()
    with pytest.raises(BidderError):
        play(RuleChat(failing), text)
    whole = ruled()[1]
    told = flat(text)
    begun = told.split(" ## What came of it")[0]
    lines = [line for line in begun.split(" - ") if "Round" in line]
    assert sum("“" in line for line in lines) == good - len(_asides(good))
    assert all(line.split(" ## ")[0].split(" The ")[0] in whole for line in lines)


def _asides(good: int) -> list[int]:
    """Which of the first calls are for plans and beliefs: two, then three after the first item."""
    return [k for k in range(good) if k in (0, 1, 12, 13, 14)]


def test_a_budget_that_ends_leaves_the_course_and_the_reason() -> None:
    text = Transcript()
    with pytest.raises(BudgetSpentError):
        run("arena", model="rules", calls=6, transcript=text)
    told = flat(text)
    assert "## Item 1: Brass clock" in told
    assert "The run ended early." in told


def test_the_first_item_is_shown_as_the_model_was_told_it() -> None:
    text = Transcript()
    play(RuleChat(bidding_rule), text)
    told = str(text)
    assert "> **system:** You are" in told
    assert "What have you planned" in told
    assert '"Brass clock" is for sale now, from 1000.' in told
    assert number_text(BUDGET) in told


def test_whoever_pays_more_than_an_item_is_worth_is_told_to_lose() -> None:
    def reckless(messages: Sequence[Message], schema: Any) -> str:
        bids = schema["properties"].get("bid", {})
        if "anyOf" not in bids:
            return bidding_rule(messages, schema)
        return json.dumps({"reason": "All in.", "bid": bids["anyOf"][0]["maximum"]})

    result, text = ruled(reckless)
    winner = result.sales[0].winner
    assert f"goes to {winner} for 6000. It is worth 2000: {winner} loses 4000." in text
    assert result.profits[str(winner)] == -4000
