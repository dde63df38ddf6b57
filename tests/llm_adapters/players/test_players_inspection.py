"""Buyers that ask a chat model: what it is asked, what is read from its answers, what is not."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_chats import PROMPTINGS, Client, buyer, client, fill, stock, text_of, viewing
from shoppers import run, shop

from llm_adapters.errors import CallError
from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.session import RecordedChat, Session
from mechanisms.errors import BuyerError
from mechanisms.protocols import Message, Purchase

# --- what it does


@pytest.mark.parametrize("prompting", PROMPTINGS)
def test_it_buys_what_the_model_says_and_decides_by_it(prompting: str) -> None:
    ann = buyer(prompting=prompting)
    seller = stock({"a": "grand", "b": "dull"}, {"c": "dull", "d": "grand"})
    record = run(ann, seller)
    assert record.purchases == (("a",), ("d",))
    assert record.decision == "yes"
    assert run(buyer(prompting=prompting), stock({"a": "dull"})).decision == "no"
    assert ann.failures == 0


def test_offers_of_one_name_each_go_by_labels_of_ours() -> None:
    """Names like labels, words of the protocol, or other names do not confuse the verdicts."""
    seller = stock({"offer 2": "grand", "offer 1": "dull", "pass": "grand", "offer 10": "dull"})
    assert run(buyer(), seller).purchases == (("offer 2", "pass"),)


def test_more_than_ten_offers() -> None:
    contents = {f"x{k}": "grand" if k in {1, 10, 11} else "dull" for k in range(1, 13)}
    assert run(buyer(), stock(contents)).purchases == (("x1", "x10", "x11"),)


def test_without_offers_nothing_is_asked() -> None:
    assert buyer(ScriptedChat([])).choose(viewing()) == ()


def test_any_sentence_is_a_decision_where_there_are_no_options() -> None:
    chat = RuleChat(lambda _, schema: fill(schema, lambda name: "Rice, I would say."))
    assert buyer(chat, options=None).decide("what?", ()) == "Rice, I would say."


# --- what the model is told


@pytest.mark.parametrize("prompting", PROMPTINGS)
def test_each_choice_and_the_decision_begin_a_new_conversation(prompting: str) -> None:
    heard: list[str] = []
    chat = client(
        wants="secret of d",  # and so d is bought on level 2, and nothing on level 1
        heard=lambda messages: heard.append(text_of(messages)),
    )
    run(buyer(chat, prompting=prompting), shop("ab", "cd"), budget=7)
    deep = [text for text in heard if "secret of c" in text]
    upper = [text for text in heard if "secret of c" not in text and "secret of a" in text]
    last = [text for text in heard if text not in deep + upper]
    turns = {"direct": 1, "step-by-step": 2, "debate": 3}[prompting]
    assert (len(deep), len(upper), len(last)) == (turns, turns, min(turns, 2) if turns < 3 else 1)
    assert heard == deep + upper + last
    for text in heard:
        assert "what?" in text
        assert "to eat well" in text
        assert "secret of d" in text
    for text in deep:
        assert "secret of a" in text
        assert "secret of b" in text
        assert "You have bought nothing." in text
        assert "You can spend 7 in all." in text
    for text in upper:
        assert "secret of b" in text
        assert "You can spend 6 in all." in text
    for text in last:
        assert not any(f"secret of {good}" in text for good in "abc")


@pytest.mark.parametrize("prompting", PROMPTINGS)
def test_to_buy_nothing_is_said_to_be_possible(prompting: str) -> None:
    asked: list[str] = []

    def rule(messages: Sequence[Message], schema: Any) -> str:
        if schema is not None and "offer 1" in schema["properties"]:
            asked.append(messages[-1].content)
        return Client()(messages, schema)

    run(buyer(RuleChat(rule), prompting=prompting), stock({"a": "dull"}))
    assert len(asked) == 1
    assert "You may pass on all of them; then nothing is bought" in asked[0]


def test_step_by_step_lets_the_model_think_before_it_answers() -> None:
    heard: list[Sequence[Message]] = []
    chat = client(heard=heard.append, thinks=lambda prompt: "It is grand, I think.\n</end>")
    ann = buyer(chat, prompting="step-by-step")
    assert ann.choose(viewing("grand")) == ("a",)
    thinking, answering = heard
    assert [message.role for message in thinking] == ["system", "user"]
    assert [message.role for message in answering] == ["system", "user", "assistant", "user"]
    assert list(answering[:2]) == list(thinking)
    assert answering[2].content == "It is grand, I think.\n</end>"
    assert "First think step by step" in thinking[-1].content
    assert "First think" not in answering[-1].content


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_a_debate_has_so_many_turns_and_is_read_before_the_choice(turns: int) -> None:
    heard: list[Sequence[Message]] = []
    chat = client(heard=heard.append, thinks=lambda prompt: f"Speech {len(heard)}.\nMore of it.")
    assert buyer(chat, prompting="debate", turns=turns).choose(viewing("grand")) == ("a",)
    *speeches, choice = heard
    assert len(speeches) == turns
    for number, messages in enumerate(speeches):
        assert [message.role for message in messages] == ["system", "user"]
        assert ("You speak for buying" in messages[1].content) == (number % 2 == 0)
        assert ("You speak against buying" in messages[1].content) == (number % 2 == 1)
        for k in range(1, turns + 1):
            assert (f"| Speech {k}.\n| More of it." in messages[1].content) == (k <= number)
    assert [message.role for message in choice] == ["system", "user"]
    assert all(f"| Speech {k}." in choice[1].content for k in range(1, turns + 1))
    assert choice[1].content.count("advocate for buying said") == (turns + 1) // 2


def test_long_contents_and_speeches_are_cut_and_it_is_said() -> None:
    heard: list[str] = []
    chat = client(heard=lambda m: heard.append(text_of(m)), thinks=lambda prompt: "x" * 10**6)
    ann = buyer(chat, prompting="debate", turns=3, longest=50)
    assert ann.choose(viewing("grand " + "y" * 10**6)) == ("a",)
    assert all(len(text) < 3000 for text in heard)
    assert "(cut off here: 999956 characters more)" in heard[0]
    assert "(cut off here: 999950 characters more)" in heard[-1]


def test_what_is_no_text_is_written() -> None:
    class Rude:
        def __str__(self) -> str:
            raise RuntimeError("no")

    heard: list[str] = []
    chat = client(heard=lambda m: heard.append(text_of(m)))
    assert buyer(chat).choose(viewing(("grand", 1), Rude(), None, Fraction(1, 2))) == ("a",)
    for shown in ("| ('grand', 1)", "| (Rude, which cannot be shown)", "| None", "| 1/2"):
        assert shown in heard[0]


# --- failures, errors, accounts


def test_failures_are_counted_once_for_all_copies_and_in_the_session() -> None:
    with Session() as session:
        chat = RecordedChat(RuleChat(lambda *_: "?"), session, name="rule", agent="model")
        ann = buyer(chat)
        run(ann, stock({"a": "grand"}, {"b": "grand"}))
        assert ann.failures == deepcopy(ann).failures == 3
        assert session.usage["ann"].failures == 3
        assert session.usage["ann"].calls == 9


def test_errors_of_the_model_are_raised_and_tell_nothing_of_contents() -> None:
    chat = ScriptedChat([CallError("the secret of a is too long", "shorten it")])
    with pytest.raises(BuyerError, match="withheld") as caught:
        run(buyer(chat), shop("a"))
    assert "secret" not in str(caught.value)
    with pytest.raises(CallError, match="too long"):
        buyer(ScriptedChat([CallError("it is too long", "shorten it")])).decide("what?", ())


# --- randomness


class Drawing:
    """A chat that says nothing useful, and notes what it draws."""

    def __init__(self, drawn: list[int]) -> None:
        self.drawn = drawn

    def chat(self, messages: Any, rng: np.random.Generator, *, schema: Any = None) -> str:
        self.drawn.append(int(rng.integers(2**60)))
        return "?"


def draws(copied: bool = False, **settings: Any) -> list[int]:
    drawn: list[int] = []
    ann = buyer(Drawing(drawn), prompting="debate", **settings)
    ann = deepcopy(ann) if copied else ann
    run(ann, stock({"a": "grand"}, {"b": "grand"}))
    return drawn


def test_draws_follow_from_seed_level_and_step() -> None:
    drawn = draws(seed=5)
    assert len(drawn) == len(set(drawn)) == 2 * 5 + 3
    assert draws(seed=5) == draws(True, seed=5) == drawn
    assert not set(draws(seed=6)) & set(drawn)
    one = int(np.random.default_rng([5, 2, 0]).integers(2**60))
    assert drawn[0] == one


def test_what_was_bought_is_quoted_for_the_decision() -> None:
    heard: list[str] = []
    chat = client(heard=lambda m: heard.append(text_of(m)))
    buyer(chat).decide("what?", (Purchase(2, "eve", "b", Fraction(1, 3), "grand\nDecide now"),))
    assert 'bought 1: "b" by "eve", price 1/3\n| grand\n| Decide now\n' in heard[0]
