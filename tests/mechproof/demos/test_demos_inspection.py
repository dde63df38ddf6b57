"""The demos of inspection: the course of a run with rules, money, what is forgotten, failures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.session import RecordedChat, Session
from mechanisms.errors import BuyerError
from mechproof.demos import Transcript
from mechproof.demos._overheard import ConversationLog, RecordedConversation
from mechproof.demos.case import BICYCLES, BUSES
from mechproof.demos.inspection import InspectionDemo, play
from theory.errors import LimitError, MechproofError, UnknownNameError

CASES = {"one level": (BUSES, 1), "two levels": (BICYCLES, 2), "three levels": (BICYCLES, 3)}


def ruled(name: str, **options: Any) -> tuple[InspectionDemo, str]:
    case, depth = CASES[name]
    text = Transcript()
    found = play(case, RuleChat(case.rule), text, depth=depth, **options)
    return found, str(text)


def test_each_level_changes_what_the_ruled_buyer_decides() -> None:
    """One level more slanders the note that is right; another one says who slanders."""
    decisions = [
        play(BICYCLES, RuleChat(BICYCLES.rule), Transcript(), depth=depth).record.decision
        for depth in (0, 1, 2, 3)
    ]
    assert decisions == ["green bicycle", "grey bicycle", "green bicycle", "grey bicycle"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("prompting", ["direct", "step-by-step", "debate"])
def test_no_money_appears_or_vanishes(name: str, prompting: str) -> None:
    case, depth = CASES[name]
    found, _ = ruled(name, prompting=prompting)
    accounts = found.record.statement.accounts
    assert sum(Fraction(a.closing) for a in accounts) == case.budget
    prices = [
        Fraction(case.offer(name).price)  # type: ignore[arg-type]
        for level in found.record.purchases
        for name in level
    ]
    assert found.record.spending == sum(prices) <= case.budget
    right = found.record.decision == case.best
    assert found.worth == (case.gain if right else 0) - sum(prices)
    assert len(found.record.levels) == depth


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_is_bought_or_forgotten(name: str) -> None:
    case, depth = CASES[name]
    found, text = ruled(name)
    bought = {name for level in found.record.purchases for name in level}
    offered = [offer.name for level in case.levels[:depth] for _, offer in level]
    assert sorted([*bought, *found.forgotten]) == sorted(offered)
    assert found.leaked == ()
    assert "none of these texts stands in it" in " ".join(text.split())
    *_, last = found.exchanges
    said = " ".join(" ".join(m.content for m in last.messages).replace("|", " ").split())
    assert last.occasion == "the decision"
    for each in offered:
        assert (str(case.offer(each).content) in said) == (each in bought)


def test_an_unbought_text_in_the_decisions_conversation_is_seen() -> None:
    leaking = replace(BUSES, goal=f"{BUSES.goal} {BUSES.offer('brochure').content}")
    text = Transcript()
    found = play(leaking, RuleChat(leaking.rule), text, depth=1)
    assert found.leaked == ("brochure",)
    assert "brochure STAND IN THE CONVERSATION OF THE DECISION" in str(text)


def test_an_unbought_text_in_a_choice_on_a_level_above_is_seen() -> None:
    """The goal stands in every conversation; what is on the deepest level may be read there."""
    said = BICYCLES.offer("about the mechanic's note").content
    rule = replace(BICYCLES.rule, buys={"about Otto": ""})
    leaking = replace(BICYCLES, goal=f"{BICYCLES.goal} {said}", rule=rule)
    text = Transcript()
    found = play(leaking, RuleChat(rule), text, depth=3)
    name = ("about the mechanic's note",)
    assert found.leaks == {"the choice on level 1": name, "the decision": name}
    assert found.leaked == name
    assert "STAND IN THE CONVERSATION OF THE CHOICE ON LEVEL 1" in " ".join(str(text).split())


@pytest.mark.parametrize("found", ["depth 0", "all bought"])
def test_what_was_forgotten_is_said_as_it_was(found: str) -> None:
    text, depth = Transcript(), 0 if found == "depth 0" else 1
    offers = (BUSES.levels[0][:1],)
    play(replace(BUSES, levels=offers), RuleChat(BUSES.rule), text, depth=depth)
    assert ("nothing was on offer" in str(text)) == (depth == 0)
    assert ("all that was read was bought" in str(text)) == (depth == 1)


@pytest.mark.parametrize("name", CASES)
def test_the_transcript_tells_of_every_conversation_and_account(name: str) -> None:
    case, depth = CASES[name]
    found, text = ruled(name)
    flat = " ".join(text.replace("\n> ", " ").split())
    for level in range(1, depth + 1):
        assert f"## The choice on level {level}" in text
    assert text.count("> **answer:**") == len(found.exchanges)
    for exchange in found.exchanges:
        assert " ".join(exchange.answer.split()) in flat
    for account in found.record.statement.accounts:
        assert account.name in text
    assert str(found.record.table()) in text
    assert case.truth in flat
    truth = [m for e in found.exchanges for m in e.messages if case.truth in m.content]
    assert not truth


@pytest.mark.parametrize("name", CASES)
def test_what_is_spent_what_is_left_and_the_net_worth_are_three_numbers(name: str) -> None:
    """What is left is what the books leave the buyer, not what the decision earns beyond it."""
    found, text = ruled(name)
    closing = {a.name: Fraction(a.closing) for a in found.record.statement.accounts}["buyer"]
    budget, spent = Fraction(found.case.budget), Fraction(found.record.spending)
    money = [f"{float(each):g}" for each in (budget, spent, closing, found.worth)]
    said = " ".join(text.split())
    assert f"Of {money[0]}, {money[1]} was spent and {money[2]} is left." in said
    assert f"The decision's worth less what was spent is {money[3]}." in said
    assert found.left == closing == budget - spent


def test_answers_that_cannot_be_read_buy_nothing_and_are_counted() -> None:
    text = Transcript()
    with Session() as session:
        chat = RecordedChat(ScriptedChat(["Hello!"] * 6), session, name="script")
        found = play(BUSES, chat, text, depth=1)
        assert session.usage["buyer"].failures == 2
        assert session.usage["buyer"].calls == 6
    assert found.failures == 2
    assert found.record.purchases == ((),)
    assert found.record.spending == 0
    assert found.record.decision is None
    assert found.worth == 0
    assert "The buyer cannot say. That is worth nothing" in " ".join(str(text).split())
    assert "right" not in str(text).partition("## What came of it")[2]
    assert "2 of the choices and decisions could not be used" in " ".join(str(text).split())
    assert "That cannot be used" in str(text)


def test_what_was_said_is_told_even_if_the_model_fails_then() -> None:
    text = Transcript()
    answer = RuleChat(BUSES.rule)
    calls = []

    def fails(messages: object, schema: object) -> str:
        calls.append(messages)
        if len(calls) > 1:
            raise RuntimeError
        return answer.rule(messages, schema)  # type: ignore[arg-type]

    with pytest.raises(BuyerError):
        play(BUSES, RuleChat(fails), text, depth=1)
    assert "## The choice on level 1" in str(text)
    assert "## The decision" not in str(text)


@pytest.mark.parametrize("depth", [-1, True, 10**9])
def test_a_depth_that_is_none_is_refused(depth: int) -> None:
    chat = RecordedConversation(ScriptedChat([]), ConversationLog())
    with pytest.raises((MechproofError, LimitError), match="depth"):
        play(BUSES, chat, Transcript(), depth=depth)


def test_another_prompting_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="direct"):
        play(BUSES, ScriptedChat([]), Transcript(), depth=1, prompting="dirct")


def test_who_is_overheard_keeps_name_and_session() -> None:
    notes = ConversationLog()
    with Session() as session:
        chat = RecordedConversation(
            RecordedChat(ScriptedChat(["Yes."]), session, name="script"), notes
        )
        assert chat.for_agent("buyer").agent == "buyer"
        assert chat.for_agent("buyer").session is session
    plain = RecordedConversation(ScriptedChat(["Yes."]), notes)
    assert plain.session is None
    assert plain.for_agent("buyer").agent == "model"
