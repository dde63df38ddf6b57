"""What was not bought is out of the reach of a buyer that asks a chat model, whatever that says."""

from __future__ import annotations

import gc
import json
import logging
from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle_chats import PROMPTINGS, Client, client, fill
from shoppers import purse, run, shop

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatBuyer
from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.session import RecordedChat, Session
from mechanisms.errors import BuyerError
from mechanisms.inspection import TableSeller, watch_inspection
from mechanisms.protocols import Message, Offer
from papers.bazaar.checks.bazaar_buyers import texts_within
from theory.incentives.protocols import PROTOCOL_PROPERTIES, RunRecord, check_protocol
from theory.verdicts import Status

BOUGHT = "the secret of a"
NOT_BOUGHT = "the secret of b"


def prompt_of(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


# --- chats that say all they see: each gets a prompt and a schema


def in_its_answer(prompt: str, schema: Any) -> str:
    return prompt


def in_free_text(prompt: str, schema: Any) -> str:
    return prompt if schema is None else fill(schema, lambda name: verdict(name, "no"))


def as_keys(prompt: str, schema: Any) -> str:
    return json.dumps({prompt: "buy"}) if schema else prompt


def as_verdicts(prompt: str, schema: Any) -> str:
    return fill(schema, lambda name: prompt) if schema else prompt


def as_more_than_was_asked(prompt: str, schema: Any) -> str:
    if schema is None:
        return prompt
    answer = json.loads(fill(schema, lambda name: verdict(name, prompt)))
    return json.dumps({**answer, "because": prompt})


def after_two_failures(prompt: str, schema: Any) -> str:
    if schema is None or prompt.count("That cannot be used") < 2:
        return prompt
    return fill(schema, lambda name: verdict(name, prompt))


def in_what_it_raises(prompt: str, schema: Any) -> str:
    raise RuntimeError(prompt)


def as_what_is_no_text(prompt: str, schema: Any) -> Any:
    return [prompt]


def as_text_that_carries_more(prompt: str, schema: Any) -> str:
    class Loaded(str):
        pass

    said = Loaded(fill(schema, lambda name: verdict(name, "yes")) if schema else prompt)
    vars(said)["heard"] = prompt
    return said


def verdict(name: str, decision: str) -> str:
    return decision if name == "decision" else "buy" if name == "offer 1" else "pass"


WAYS = [
    in_its_answer,
    in_free_text,
    as_keys,
    as_verdicts,
    as_more_than_was_asked,
    after_two_failures,
    in_what_it_raises,
    as_what_is_no_text,
    as_text_that_carries_more,
]


class Parrot:
    """A chat that keeps nothing itself."""

    def __init__(self, say: Any) -> None:
        self.say = say

    def chat(self, messages: Any, rng: np.random.Generator, *, schema: Any = None) -> Any:
        return self.say(prompt_of(messages), schema)


def parroted(say: Any, prompting: str, seller: TableSeller) -> tuple[ChatBuyer, object]:
    """A buyer after a run, and what the run returned or raised; free decisions, so words pass."""
    ann = ChatBuyer("ann", Parrot(say), goal="to eat well", prompting=prompting, default="none")
    try:
        return ann, run(ann, seller)
    except BuyerError as error:
        return ann, [error, error.args, error.__cause__, error.__context__, error.record]


@pytest.mark.parametrize("prompting", PROMPTINGS)
@pytest.mark.parametrize("say", WAYS)
def test_what_was_not_bought_cannot_be_reached(
    say: Any, prompting: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ann, outcome = parroted(say, prompting, shop("ab"))
    written = [str(ann), repr(ann), str(vars(ann)), str(outcome), repr(ann.failures)]
    written += [*capfd.readouterr(), caplog.text]
    known = "\n".join({*texts_within(ann, deepcopy(ann), outcome), *written})
    assert NOT_BOUGHT not in known
    assert "advocate" not in known  # no debate is kept, nor what it said of what was bought


def test_some_of_these_chats_do_buy_and_then_what_was_bought_is_known() -> None:
    """Else the tests above would find nothing, whatever was kept."""
    for prompting in PROMPTINGS:
        for say in (in_free_text, after_two_failures, as_text_that_carries_more):
            ann, outcome = parroted(say, prompting, shop("ab"))
            assert BOUGHT in "\n".join(texts_within(ann, outcome))
            assert getattr(outcome, "purchases", None) == (("a",),)
    assert BOUGHT in str(parroted(after_two_failures, "direct", shop("ab"))[1])


ELSEWHERE: list[object] = []


@pytest.mark.parametrize(
    ("say", "prompting", "kept_elsewhere"),
    [
        (in_its_answer, "direct", False),
        (after_two_failures, "step-by-step", False),
        (as_more_than_was_asked, "debate", False),
        (in_its_answer, "direct", True),
    ],
)
def test_it_is_nowhere_in_the_memory_of_the_interpreter(
    say: Any, prompting: str, kept_elsewhere: bool
) -> None:
    """Not in a global, a cache, or anything else that the collector knows of."""

    def chat(prompt: str, schema: Any) -> Any:
        if kept_elsewhere:
            ELSEWHERE.append([prompt])
        return say(prompt, schema)

    secret = np.random.default_rng(0).bytes(8).hex()
    half, other = secret[:8], secret[8:]
    seller = TableSeller("eve", [[Offer("a", "harmless", 1), Offer("b", secret, 1)]])
    kept = parroted(chat, prompting, seller)
    del seller, secret
    assert (count_in_memory(half, other) > 0) == kept_elsewhere
    assert len(kept) == 2
    ELSEWHERE.clear()


def count_in_memory(*parts: str) -> int:
    """How many texts in the memory hold the parts in a row, but for those of running functions."""
    gc.collect()
    found = 0
    for thing in gc.get_objects():
        for part in gc.get_referents(thing):
            if type(part) is str and all(each in part for each in parts):
                found += "".join(parts) in part
    return found


# --- the decision, and lower levels


def test_failures_and_verdicts_do_not_colour_the_decision() -> None:
    """What the decision is told is the same, whatever was read and however often it failed."""
    told: list[str] = []

    def rule(fails: bool, messages: Any, schema: Any) -> str:
        if "decision" in schema["properties"]:
            told.append(prompt_of(messages))
        elif fails:
            return "?"
        return fill(schema, lambda name: verdict(name, "no").replace("buy", "pass"))

    for fails in (False, True):
        for goods in ("ab", "c"):
            chat = RuleChat(partial(rule, fails))
            run(ChatBuyer("ann", chat, goal="to eat"), shop(goods, "de"))
    assert len(told) == 4
    assert len(set(told)) == 1


# --- what cannot be prevented: the docstring says so


def test_a_chat_with_a_memory_keeps_what_it_was_asked() -> None:
    heard: list[Any] = []
    ann = ChatBuyer("ann", client(heard=heard.append), goal="to eat")
    run(ann, shop("ab"))
    assert NOT_BOUGHT in "\n".join(texts_within(ann))
    assert all(NOT_BOUGHT not in prompt_of(messages) for messages in heard[-1:])


def test_the_record_of_a_session_holds_all_that_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        chat = RecordedChat(client(), session, name="rule", agent="model")
        ann = ChatBuyer("ann", chat, goal="to eat")
        run(ann, shop("ab"))
        reached: Any = ann._line._chat
        assert reached.session is session
    lines = path.read_text().splitlines()
    assert any(NOT_BOUGHT in line for line in lines)
    assert "decision" in lines[-1]
    assert NOT_BOUGHT not in lines[-1]


# --- check_protocol

CONTENTS = [
    {"a": "dull", "b": "dull", "c": "dull"},
    {"a": "grand", "b": "dull", "c": "dull"},
    {"a": "dull", "b": "grand", "c": "dull"},
    {"a": "dull", "b": "fine", "c": "dull"},
    {"a": "dull", "b": "dull", "c": "grand"},
    {"a": "dull", "b": "dull", "c": "fine"},
    {"a": "dull", "b": "dull", "c": "dull", "budget": 3},
]


def market(kind: Any, **settings: Any) -> Any:
    """Eve offers a and b on level 1 and c on level 2; the case says what they hold."""

    def watched(case: dict[str, Any], rng: np.random.Generator) -> RunRecord:
        levels = [[Offer("a", case["a"], 1), Offer("b", case["b"], 1)], [Offer("c", case["c"], 1)]]
        seller = TableSeller("eve", levels)
        seed = int(rng.integers(2**32))
        ann = kind("ann", RuleChat(Client()), goal="to eat well", seed=seed, **settings)
        return watch_inspection(
            "what?", ann, [seller], purse(case.get("budget", 10), seller), depth=2
        )

    return watched


@pytest.mark.parametrize("prompting", PROMPTINGS)
def test_the_protocol_holds_and_each_property_could_have_failed(prompting: str) -> None:
    run_once = market(ChatBuyer, prompting=prompting, options=["yes", "no"])
    report = check_protocol(run_once, CONTENTS, seeds=1)
    assert {finding.status for finding in report.findings} == {Status.HOLDS}
    assert len(report.findings) == len(PROTOCOL_PROPERTIES)
    assert report.faults == ()


class OneConversation(AgentChat):
    """A line that goes on with one conversation, which copies share."""

    __slots__ = ("past",)

    def __init__(self, chat: Any, name: str) -> None:
        super().__init__(chat, name)
        self.past: list[Message] = []

    def ask(self, messages: Any, kind: Any, rng: Any, read: Any) -> Any:
        self.past += messages
        return super().ask([self.past[0], *self.past[1:]], kind, rng, read)


class Leaky(ChatBuyer):
    def __init__(self, name: str, chat: Any, **settings: Any) -> None:
        super().__init__(name, chat, **settings)
        self._line = OneConversation(chat, name)


def test_a_buyer_that_keeps_its_conversation_is_found_out() -> None:
    report = check_protocol(market(Leaky, options=["yes", "no"]), CONTENTS, seeds=1)
    assert report.refuted == ("measurability",)
    assert "ann does 'no' in one, does 'yes' in the other" in str(report)


def test_a_buyer_that_keeps_its_conversation_is_found_in_the_search() -> None:
    ann = Leaky("ann", client(wants="of a"), goal="to eat")
    run(ann, shop("ab"))
    assert NOT_BOUGHT in "\n".join(texts_within(ann))
