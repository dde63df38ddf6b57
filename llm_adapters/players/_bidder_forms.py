"""What the model of a bidder is asked for, and how its replies are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.players._bidder_prompts import Labels
from llm_adapters.players._quoting import tidy_reply
from llm_adapters.structured import find_json
from mechanisms.ascending import Believed, Bid, Planned
from mechanisms.play import Ask

__all__ = ["AnswerForm", "answer_form"]

_BID: Final = "Bid, or withdraw."
_REASON: Final = 300
_PLAN: Final = 600
_PLACES: Final = 10**6


@dataclass(frozen=True)
class AnswerForm:
    """How an answer is asked for.

    Attributes
    ----------
    asked : str
        What asks for it.
    fields : dict
        What is to stand there, by field.
    schema : dict
        Its JSON Schema.
    read : callable
        Returns what a reply says, for the rules to read: what is no legal answer they refuse.
    short : str
        What asks for it once more in one conversation, where that is shorter.
    """

    asked: str
    fields: Mapping[str, object]
    schema: dict[str, object]
    read: Callable[[str], object]
    short: str = ""

    def text(self, *, again: bool) -> str:
        """Return what asks for it, with the form in full unless it was shown in this talk."""
        if again and self.short:
            return self.short
        form = json.dumps(self.fields, ensure_ascii=False, indent=1)
        return f"{self.asked} Answer in JSON alone, in this form:\n{form}"


def answer_form(ask: Ask, labels: Labels) -> AnswerForm:
    """Return how the answer to a question of an ascending auction is asked for."""
    legal = ask.answer
    if isinstance(legal, Bid):
        return _bid(legal)
    if isinstance(legal, Planned):
        return _plan(legal, labels)
    assert isinstance(legal, Believed)
    return _beliefs(legal, labels, ask.view.number)


# --- bids


def _bid(legal: Bid) -> AnswerForm:
    withdraw: dict[str, object] = {"type": "string", "enum": ["withdraw"]}
    least, most = legal.least, legal.most
    if legal.jumps is not None:
        most = min(most, least + legal.jumps * legal.step)
    low, high = _round(least, up=True), _round(most, up=False)
    bid = withdraw
    if low <= high:
        bid = {"anyOf": [{"type": "number", "minimum": low, "maximum": high}, withdraw]}
    fields = {"reason": "why, in a sentence", "bid": 'an amount, or "withdraw"'}
    schema = _object({"reason": _text(_REASON), "bid": bid})
    return AnswerForm(_BID, fields, schema, _read_bid, f"{_BID} Answer in the same form.")


def _read_bid(reply: str) -> object:
    said = _object_in(reply)
    if said is None or "bid" not in said:
        return tidy_reply(reply, _REASON)
    bid = said["bid"]
    empty = bid is None or (isinstance(bid, str) and not bid.strip())
    return "nothing" if empty else bid  # who withdraws says so


# --- plans


def _plan(legal: Planned, labels: Labels) -> AnswerForm:
    asked = (
        "Plan how to spend your money. Give each item to come a priority: 1 if you can do without "
        "it, 2, or 3 if it matters most."
    )
    names = labels.of(legal.items)
    fields = {"plan": "in a few sentences", "priorities": dict.fromkeys(names, "1, 2 or 3")}
    priority = {"type": "integer", "enum": [1, 2, 3]}
    schema = {"plan": _text(_PLAN), "priorities": _object(dict.fromkeys(names, priority))}
    return AnswerForm(asked, fields, _object(schema), partial(_read_plan, names))


def _read_plan(names: Mapping[str, str], reply: str) -> object:
    said = _object_in(reply)
    if said is None:
        return tidy_reply(reply, _REASON)
    return {"priorities": _rename_keys(said.get("priorities"), names), "text": said.get("plan", "")}


# --- beliefs


def _beliefs(legal: Believed, labels: Labels, number: int) -> AnswerForm:
    bidders, items = labels.of(legal.bidders), labels.of(legal.items)
    asked = (
        "Sum the auction up until now: the money that you have left, the profit of each bidder, "
        "and all sales."
    )
    fields = {
        "money": "an amount",
        "profits": dict.fromkeys(bidders, "an amount"),
        "sales": [{"item": "its name", "winner": "a bidder", "price": "an amount"}],
    }
    figure = {"type": "number"}
    sale = {
        "item": {"type": "string", "enum": [*items]},
        "winner": {"type": "string", "enum": [*bidders]},
        "price": figure,
    }
    schema = {
        "money": figure,
        "profits": _object(dict.fromkeys(bidders, figure)),
        "sales": {"type": "array", "items": _object(sale), "maxItems": number},
    }
    read = partial(_read_beliefs, bidders, items)
    return AnswerForm(asked, fields, _object(schema), read)


def _read_beliefs(bidders: Mapping[str, str], items: Mapping[str, str], reply: str) -> object:
    said = _object_in(reply)
    if said is None:
        return tidy_reply(reply, _REASON)
    found = {name: said[name] for name in ("money",) if name in said}
    sales: Any = said.get("sales", [])
    won: dict[str, dict[str, object]] = {}
    for each in sales if isinstance(sales, list) else [sales]:
        sale = each if isinstance(each, dict) else {}
        winner, item = (str(sale.get(part, "nothing")) for part in ("winner", "item"))
        winner, item, price = bidders.get(winner, winner), items.get(item, item), sale.get("price")
        bought = won.setdefault(winner, {})
        bought[item] = f"{bought[item]} and {price}" if item in bought else price  # no number
    return {**found, "profits": _rename_keys(said.get("profits", {}), bidders), "won": won}


# --- parts of forms


def _object(fields: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def _text(longest: int) -> dict[str, object]:
    return {"type": "string", "maxLength": longest}


def _round(bound: Fraction, *, up: bool) -> int | float:
    """Return a bound to six places."""
    scaled = bound * _PLACES
    exact = Fraction(-(-scaled // 1) if up else scaled // 1, _PLACES)
    return int(exact) if exact.denominator == 1 else float(exact)


def _object_in(reply: str) -> dict[str, Any] | None:
    """Return the only JSON object of a reply, decimals as they are written."""
    try:
        said = json.loads(find_json(reply), parse_float=str)
    except UnreadableError:
        return None
    return said if isinstance(said, dict) else None


def _rename_keys(given: object, names: Mapping[str, str]) -> object:
    if not isinstance(given, dict):
        return given
    return {names.get(label, label): value for label, value in given.items()}
