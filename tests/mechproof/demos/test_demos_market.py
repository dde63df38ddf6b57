"""The demo of the information market: what its transcript says of purchases and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

from llm_adapters.errors import BudgetSpentError, CallError
from llm_adapters.fakes import RuleChat
from mechanisms.errors import ParticipantError
from mechanisms.market import Excerpt, IdealBuyer, Market, answer_question
from mechanisms.protocols import Message, Purchase
from mechproof.demos import Transcript, run
from mechproof.demos.market import MarketDemo, play
from mechproof.demos.passages import BUDGET, QUESTION, WORLD, shopping_rule

FOLLOWING = "What is the river of Hallin?"


def flat(text: object) -> str:
    return " ".join(str(text).split())


def ruled(rule: Any = shopping_rule, **more: Any) -> tuple[MarketDemo, str]:
    text = Transcript()
    return play(RuleChat(rule), text, **more), flat(text)


def test_the_stand_in_buys_as_the_ideal_buyer_does() -> None:
    """Its signs are taken from texts; the ideal buyer knows facts and prices alone."""
    found, _ = ruled()
    market = Market.of(WORLD, quotes=2, examine=3)
    ideal = answer_question(market, QUESTION, IdealBuyer(WORLD), BUDGET, hops=1)
    assert [one.name for one in found.result.inquiry.purchases] == [
        one.name for one in ideal.inquiry.purchases
    ]
    assert found.result.worth(WORLD, QUESTION) - found.result.spent == 11


@pytest.mark.parametrize("hops", [0, 1, 2])
@pytest.mark.parametrize("inspection", ["yes", "no"])
def test_what_was_offered_bought_and_answered_is_told(hops: int, inspection: str) -> None:
    found, text = ruled(hops=hops, inspection=inspection)
    for one in found.result.inquiry.every():
        bought = {each.name for each in one.bought}
        for offer in one.offers:
            taken = "yes" if offer.name in bought else "no"
            assert f"{one.place} {offer.name} {offer.price} {taken}" in text
        made = ", ".join(each.name for each in one.sources)
        assert f"**{one.place}. {one.question}** “{one.answer}” Made of: {made}." in text
    paid = {each.name: each.price for each in found.result.inquiry.purchases}
    for number, (name, price) in enumerate(paid.items(), 1):
        assert f"{number} Ann {name.split(':')[0]} {price} {name}" in text
    assert f"The vendors have received {sum(paid.values())}." in text
    assert "which is the same." in text
    right = inspection == "yes" and hops > 0
    assert found.right is right
    assert ("which is right" in text) is right
    gain = {("yes", 0): 6, ("no", 0): -6, ("no", 1): -6, ("no", 2): -6}.get((inspection, hops), 11)
    assert f"{abs(gain)} is {'gained' if gain > 0 else 'lost'}." in text
    assert found.leaks == ()


def test_what_was_read_and_not_bought_is_said_to_be_forgotten() -> None:
    found, text = ruled()
    assert found.forgotten == ("Gazette: early-years", "Traveller: pike", "Traveller: guide")
    assert f"bought for no question: {', '.join(found.forgotten)}." in text
    offered = [{offer.name for offer in one.offers} for one in found.result.inquiry.every()]
    assert "Traveller: pike" in offered[0] & offered[1]  # so it is read for both questions
    assert "nor in a choice for which it was not on offer." in text


LATER = (f"answering “{FOLLOWING}”", f"answering again “{QUESTION}”")
ALL = (f"answering “{QUESTION}”", f"asking on after “{QUESTION}”", f"choosing for “{FOLLOWING}”")


@pytest.mark.parametrize(
    ("question", "label", "occasions"),
    [
        (str(QUESTION), "Gazette: early-years", (*ALL, *LATER)),
        (FOLLOWING, "Traveller: guide", LATER),
    ],
)
def test_a_text_that_is_told_and_was_not_paid_for_is_found(
    question: str, label: str, occasions: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules deliver a passage that nobody bought, for the first question or for the second."""
    from mechanisms.market import _rules

    true_buy = _rules._buy

    def leaky(market: Any, node: Any, offers: Any, quoted: Any) -> Any:
        bought = yield from true_buy(market, node, offers, quoted)
        if node.question != question:
            return bought
        assert isinstance(bought, tuple)
        vendor, hidden = quoted[label]
        shown = Excerpt(hidden.title, hidden.text)
        return (*bought, Purchase(1, vendor, label, hidden.price, shown))

    monkeypatch.setattr(_rules, "_buy", leaky)
    found, text = ruled()
    assert found.leaks == tuple((occasion, label) for occasion in occasions)
    assert f"THE TEXT OF {label} STANDS IN A CONVERSATION" in text
    assert "AND THAT DOES NOT AGREE" in text


def test_verdicts_that_cannot_be_read_are_told() -> None:
    def babble(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
        said = json.loads(shopping_rule(messages, schema))
        return json.dumps({name: "Buying" if "offer" in name else it for name, it in said.items()})

    found, text = ruled(babble)
    assert found.failures == 1
    assert found.result.spent == 0
    assert "1 answer could not be used, even when asked for again" in text
    assert "“not known” Made of: nothing." in text


def test_a_question_that_was_asked_before_is_told_to_be_skipped() -> None:
    def again(messages: Sequence[Message], schema: Any) -> str:
        said = json.loads(shopping_rule(messages, schema))
        return json.dumps(said | ({"questions": [str(QUESTION)]} if "questions" in said else {}))

    found, text = ruled(again)
    assert found.result.inquiry.followed == ()
    assert f"Asked before, and so skipped: “{QUESTION}”" in text


@pytest.mark.parametrize("good", range(6))
def test_what_was_until_a_call_failed_is_told(good: int) -> None:
    calls = 0

    def failing(messages: Sequence[Message], schema: Any) -> str:
        nonlocal calls
        calls += 1
        if calls > good:
            raise CallError("the server is down", "wait")
        return shopping_rule(messages, schema)

    text = Transcript()
    with pytest.raises(ParticipantError):
        play(RuleChat(failing), text)
    whole = ruled()[1]
    assert flat(text) == whole[: len(flat(text))]
    assert flat(text).count("**answer:**") == good


def test_a_budget_that_ends_leaves_the_course_and_the_reason() -> None:
    text = Transcript()
    with pytest.raises(BudgetSpentError):
        run("market", model="rules", calls=3, transcript=text)
    told = flat(text)
    assert f"## Asking on after “{QUESTION}”" in told
    assert "The run ended early." in told


def test_whole_offers_are_shown() -> None:
    text = Transcript()
    play(RuleChat(shopping_rule), text, prompting="debate")
    assert "lines) …" not in str(text)
    for passage in WORLD.passages:
        if passage.name != "teachers":
            assert f"> | {passage.title}\n" in str(text)
    assert "You speak against buying" in flat(text)


def test_the_world_is_what_the_story_says() -> None:
    """One title promises what its text does not state; one fact is sold twice, at two prices."""
    unkept = [p.name for p in WORLD.passages if p.promises - p.states]
    assert unkept == ["early-years"]
    river = [p for p in WORLD.passages if any(s.relation == "river" for s in p.states)]
    assert [(p.name, p.price) for p in river] == [("water", Fraction(5)), ("guide", Fraction(9))]
    for passage in WORLD.passages:
        for stated in passage.states:
            assert stated.value in passage.text
            assert stated.subject in passage.text
