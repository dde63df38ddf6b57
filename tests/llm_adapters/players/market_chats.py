"""A market of a few presses, and a chat that buys, answers and asks on by words in its prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oracle_chats import labelled

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatMarketBuyer
from mechanisms.market import Market, MarketResult, Quote, answer_question
from mechanisms.play import Ask
from mechanisms.protocols import Message

Schema = Mapping[str, Any] | None

ROOT, NEXT = "Where was the mayor of Ilm born?", "Where was Ida Ro born?"

STOCK: dict[str, list[Quote]] = {
    ROOT: [
        Quote("p1", "Ilm, mayor", "grand: Ida Ro is mayor of Ilm.", 2, 3.0),
        Quote("p2", "Ilm, river", "dull: Ilm lies on the Raun.", 1, 2.0),
    ],
    NEXT: [
        Quote("p3", "Ida Ro, birthplace", "grand: Ida Ro was born in Ulm.", "1/3", 3.0),
        Quote("p4", "Ida Ro, teacher", "dull: Ida Ro was taught by Max.", 1, 2.0),
    ],
}


@dataclass
class Press:
    """A vendor that quotes what it has for a question."""

    stock: Mapping[str, Sequence[Quote]] = field(default_factory=lambda: STOCK)
    name: str = "press"

    def __call__(self, ask: Ask) -> list[Quote]:
        return list(self.stock.get(ask.view.question, ()))


@dataclass
class Reader:
    """A rule for RuleChat: buys what holds a word; answers with what it bought; asks on once."""

    wants: str = "grand"
    following: Mapping[str, Sequence[str]] = field(default_factory=lambda: {ROOT: [NEXT]})
    heard: Callable[[Sequence[Message]], object] = lambda messages: None

    def __call__(self, messages: Sequence[Message], schema: Schema) -> str:
        self.heard(messages)
        prompt = "\n".join(message.content for message in messages if message.role == "user")
        if schema is None:
            return "Let me think."
        question = prompt.split('"')[1]
        shown = labelled(prompt)
        said: dict[str, object] = {}
        for name, asked in schema["properties"].items():
            if name == "code":
                said[name] = asked["const"]
            elif name == "answer":
                said[name] = "Ulm" if "Ulm" in prompt else "not known"
            elif name == "questions":
                said[name] = list(self.following.get(question, ()))
            else:
                said[name] = "buy" if self.wants in shown[name] else "pass"
        return json.dumps(said)


def reader(**settings: Any) -> RuleChat:
    return RuleChat(Reader(**settings))


def asked(
    chat: Any = None,
    *,
    stock: Mapping[str, Sequence[Quote]] = STOCK,
    budget: object = 10,
    hops: int = 1,
    market: Mapping[str, Any] | None = None,
    **settings: Any,
) -> tuple[ChatMarketBuyer, MarketResult]:
    """A buyer, and what came of the question that it was given."""
    buyer = ChatMarketBuyer("Ann", reader() if chat is None else chat, **settings)
    place = Market((Press(stock),), **(market or {}))
    return buyer, answer_question(place, ROOT, buyer, budget, hops=hops)
