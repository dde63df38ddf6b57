"""Chats for the tests of participants that ask a chat model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatBuyer
from mechanisms.inspection import TableSeller
from mechanisms.protocols import Message, Offer, Preview, Question, Viewing

Schema = Mapping[str, Any] | None

PROMPTINGS = ("direct", "step-by-step", "debate")


def labelled(prompt: str) -> dict[str, str]:
    """What a prompt quotes under each of its labels, such as "offer 1"; head line included."""
    found: dict[str, str] = {}
    label = ""
    for line in prompt.split("\n"):
        if line.startswith("|"):
            found[label] = f"{found.get(label, '')}\n{line[2:]}"
        else:
            label = line.split(":")[0]
            found[label] = line
    return found


def fill(schema: Schema, value: Callable[[str], object]) -> str:
    """An answer that fits a schema: the code, and a value for each other field."""
    assert schema is not None
    fields = schema["properties"]
    return json.dumps(
        {name: fields[name]["const"] if name == "code" else value(name) for name in fields}
    )


@dataclass
class Client:
    """A rule for RuleChat: buys offers that hold a word, and decides by words in what it is told.

    ``heard`` is told of every conversation, ``thinks`` says what it says in free text.
    """

    wants: str = "grand"
    likes: tuple[str, ...] = ("grand", "fine")
    heard: Callable[[Sequence[Message]], object] = lambda messages: None
    thinks: Callable[[str], str] = lambda prompt: "Let me think."

    def __call__(self, messages: Sequence[Message], schema: Schema) -> str:
        self.heard(messages)
        prompt = "\n".join(message.content for message in messages if message.role == "user")
        if schema is None:
            return self.thinks(prompt)
        shown = labelled(prompt)

        def value(name: str) -> str:
            if name == "decision":
                return "yes" if any(word in prompt for word in self.likes) else "no"
            return "buy" if self.wants in shown[name] else "pass"

        return fill(schema, value)


def client(**settings: Any) -> RuleChat:
    return RuleChat(Client(**settings))


# --- a buyer, and what it sees


def buyer(chat: Any = None, **settings: Any) -> ChatBuyer:
    given = client() if chat is None else chat
    return ChatBuyer("ann", given, **{"goal": "to eat well", "options": ["yes", "no"], **settings})


def _same(content: object) -> object:
    return content


def viewing(*contents: object, prices: Sequence[Any] = (), budget: Any = 10) -> Viewing:
    """What is seen on level 1, of offers a, b, ... that cost 1 unless said otherwise."""
    priced = [*prices, *[1] * len(contents)]
    offers = tuple(
        Preview(1, "eve", name, price, partial(_same, content))
        for name, price, content in zip("abcdefgh", priced, contents, strict=False)
    )
    return Viewing(Question("what?", 1, ()), (offers,), (), budget)


def text_of(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def stock(*levels: dict[str, str], price: object = 1) -> TableSeller:
    return TableSeller("eve", [[Offer(n, c, price) for n, c in level.items()] for level in levels])
