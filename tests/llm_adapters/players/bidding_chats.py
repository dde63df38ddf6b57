"""Chats for bidders, by script and by a rule that reads what it is told; and their rivals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.players import ChatBidder
from mechanisms.ascending import AuctionResult, CallbackBidder, Item, run_auction
from mechanisms.protocols import Message

__all__ = ["BOWL", "VASE", "alone", "bid", "follows", "keen_chat", "plan", "recount", "shy", "told"]

VASE, BOWL = Item("Vase", 1000, 2000), Item("Bowl", 500, 1000)


def bid(amount: object, reason: str = "") -> str:
    return json.dumps({"reason": reason, "bid": amount})


def plan(text: str, **priorities: object) -> str:
    return json.dumps({"plan": text, "priorities": priorities})


def recount(money: object, profits: Mapping[str, object], *sales: Mapping[str, object]) -> str:
    return json.dumps({"money": money, "profits": profits, "sales": sales})


def _role_of(schema: Any) -> str:
    """What a schema asks for."""
    fields = schema["properties"]
    return next(role for role in ("bid", "plan", "money") if role in fields)


def told(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def keen_chat(most: int, heard: Callable[[Sequence[Message]], None] = lambda _: None) -> RuleChat:
    """Bids the least up to a limit, plans the same for all, believes that nothing is sold."""

    def say(messages: Sequence[Message], schema: Any) -> str:
        heard(messages)
        role, fields = _role_of(schema), schema["properties"]
        if role == "plan":
            return plan("Buy.", **dict.fromkeys(fields["priorities"]["properties"], 2))
        if role == "money":
            return recount(0, dict.fromkeys(fields["profits"]["properties"], 0))
        least = re.search(r"You can bid from (\S+) to", messages[-1].content)
        return bid(int(least[1]) if least and int(least[1]) <= most else "withdraw")

    return RuleChat(say)


def shy(name: str) -> CallbackBidder:
    return CallbackBidder(name, lambda call: None)


def follows(name: str, *bids: Any) -> CallbackBidder:
    """A bidder that makes these bids, one a call."""
    left = list(bids)
    return CallbackBidder(name, lambda call: left.pop(0))


def alone(*texts: Any, items: Sequence[Item] = (VASE,), **more: Any) -> tuple[Any, AuctionResult]:
    """What the model was asked, and the result, where the others withdraw at once."""
    chat = ScriptedChat(list(texts))
    named = {k: more.pop(k) for k in ("modules", "objective") if k in more}
    settings: dict[str, Any] = {"modules": ()} | named
    ann = ChatBidder("Ann", chat, **settings)
    result = run_auction(items, [ann, shy("Bob")], 5000, **more)
    return chat, result
