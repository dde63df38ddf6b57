"""The auction of the demo of the arena: what is sold, who bids, what stand-ins do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending import Item
from mechanisms.protocols import Message

__all__ = ["BUDGET", "ITEMS", "MODULES_OF", "OBJECTIVES_OF", "RULE_BIDDER", "bidding_rule"]

ITEMS: Final = (
    Item("Brass clock", 1000, 2000),
    Item("Oak desk", 3000, 6000),
    Item("Silver tray", 2000, 4000),
)
BUDGET: Final = Fraction(6000)

RULE_BIDDER: Final = "Cy"
"""Follows the rule of the paper, whatever the model is."""

OBJECTIVES_OF: Final = {"Ann": "profit", "Bob": "items"}
"""Who asks the model, and what each is after."""

MODULES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "adaptive": ("plan", "replan", "beliefs"),
    "static": ("plan",),
    "none": (),
}
"""The kinds of bidders of the paper, and what they do beside bidding."""

_SHARE: Final = Fraction(3, 4)
_SALE: Final = re.compile(r'"([^"]+)" went to (you|"[^"]+") for (\d+), and was worth (\d+)\.')
_NOTED: Final = re.compile(r'"([^"]+)" to (me|"[^"]+") for (\d+)')


def bidding_rule(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
    """Return what the stand-ins say.

    Ann bids up to three quarters of what she expects an item to be worth. She sums up what she has
    and what is sold without a fault, and the profits of others only when they are asked for again.
    Bob bids up to what he expects; when an item is put up after others, he first bids 1 more than
    he has.
    """
    fields: Any = {} if schema is None else schema["properties"]
    if "plan" in fields:
        return _plan(messages[-1].content, [*fields["priorities"]["properties"]])
    if "money" in fields:
        return _sum_up(messages, [*fields["profits"]["properties"]])
    return _bid(messages)


def _plan(told: str, items: list[str]) -> str:
    worths = {
        item: _number(rf'"{re.escape(item)}", from \d+; .*? worth (\d+)', told) for item in items
    }
    ranked = sorted(items, key=lambda item: -worths[item])
    priorities = {item: max(1, 3 - ranked.index(item)) for item in items}
    return json.dumps({"plan": f"{ranked[0]} matters most to me.", "priorities": priorities})


def _bid(messages: Sequence[Message]) -> str:
    bold = '"Bob"' in messages[0].content.splitlines()[0]
    opening = next(m.content for m in messages if "is for sale now" in m.content)
    told = messages[-1].content
    worth = Fraction(_number(r"is for sale now, .*? worth (\d+)", opening))
    money = _number(r"You have (\d+) left", told)
    least = _number(r"You can bid from (\d+)", told) or money + 1
    limit = worth if bold else worth * _SHARE
    most = min(limit, Fraction(money))
    if bold and told is opening and "went to" in opening:
        return json.dumps({"reason": "Nobody should top this.", "bid": money + 1})
    if least > most:
        why = f"I do not pay {least}." if least <= money else f"I have {money} left."
        return json.dumps({"reason": why, "bid": "withdraw"})
    return json.dumps({"reason": f"It is worth up to {int(limit)} to me.", "bid": least})


def _sum_up(messages: Sequence[Message], bidders: list[str]) -> str:
    mine = re.search(r'^You are "([^"]+)"', messages[0].content)
    me = mine[1] if mine else ""
    again = "is wrong" in messages[-1].content
    noted = " ".join(
        m.content for m in messages if m.content.startswith("I have ") or "\nI have " in m.content
    )
    profits = {name: _number(rf'[:;] "{re.escape(name)}" (-?\d+)', noted) for name in bidders}
    profits[me] = _number(r"Profits: .*?\bI (-?\d+)", noted)
    sales = [
        {"item": item, "winner": me if who == "me" else who.strip('"'), "price": int(price)}
        for item, who, price in _NOTED.findall(noted)
    ]
    last = next(m.content for m in reversed(messages) if "You have" in m.content)
    money = _number(r"You have (\d+) left", last)
    for item, who, price, worth in _SALE.findall(messages[-1].content):
        winner = me if who == "you" else who.strip('"')
        sales.append({"item": item, "winner": winner, "price": int(price)})
        if winner == me:
            money -= int(price)
        if winner == me or again:
            profits[winner] += int(worth) - int(price)
    return json.dumps({"money": money, "profits": profits, "sales": sales})


def _number(pattern: str, text: str) -> int:
    """Return the number that a pattern finds; 0 where it finds none."""
    found = re.search(pattern, text)
    return int(found[1]) if found else 0
