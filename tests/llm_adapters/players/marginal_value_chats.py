"""Chats that follow simple rules as informants and as a judge, and what they are asked about."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatJudge
from mechanisms.protocols import ChatModel, Disclosure, History, Message

ITEMS = {
    "claim": "the bridge holds",
    "rebuttal": "its steel is rusty",
    "defence": "the rust was found to be paint",
}
PRICES = {"claim": 0, "rebuttal": 0, "defence": "1/2"}
WORTH = {"wait": {"holds": 0, "breaks": 0}, "cross": {"holds": 1, "breaks": -3}}
PRIOR = {"holds": "1/2", "breaks": "1/2"}


@dataclass
class Reader:
    """Thinks that the bridge holds by what it finds in the text; remembers what it was told."""

    asked: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], schema: Any) -> str:
        prompt = messages[1].content
        self.asked.append(prompt)
        holds = 0.5
        if "the bridge holds" in prompt:
            holds = 0.9
        if "rusty" in prompt:
            holds = 0.2
        if "paint" in prompt and "the bridge holds" in prompt:
            holds = 0.95
        code = schema["properties"]["code"]["const"]
        breaks = {0.5: 0.5, 0.9: 0.1, 0.2: 0.8, 0.95: 0.05}[holds]
        return json.dumps({"code": code, "holds": holds, "breaks": breaks})


@dataclass
class Speaker:
    """Reveals the items for whose prompts and own texts a function says so."""

    wants: Callable[[str, str], bool]
    asked: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], schema: Any) -> str:
        prompt = messages[1].content
        self.asked.append(prompt)
        answer = {}
        for name, kind in schema["properties"].items():
            if name == "code":
                answer[name] = kind["const"]
            else:
                own = prompt.split(f"{name}: ")[1].split("\nitem ")[0]
                answer[name] = "reveal" if self.wants(prompt, own) else "keep"
        return json.dumps(answer)


def speaker(wants: Callable[[str, str], bool] = lambda prompt, own: True) -> RuleChat:
    return RuleChat(Speaker(wants))


def judge(chat: ChatModel | None = None, seed: int = 0) -> ChatJudge:
    reader = RuleChat(Reader()) if chat is None else chat
    return ChatJudge(reader, list(PRIOR), WORTH, PRIOR, seed=seed)


def told(
    revealed: Mapping[str, object] = {},
    held: Mapping[str, object] = ITEMS,
    moves: Sequence[Disclosure] = (),
) -> History:
    actions = ("wait", *("cross" for _ in moves))
    return History(tuple(moves), actions, dict(revealed), dict(held))
