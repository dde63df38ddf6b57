"""What the model of a seller is told, in our own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from llm_adapters.oracles._buyer_prompts import QUOTES, form
from llm_adapters.oracles._document import Document
from llm_adapters.oracles._quoting import money, one_line, quoted
from mechanisms.protocols import Message, Notice, Question

__all__ = ["KEEP", "offer_brief", "price_form", "seller_rules"]

KEEP: Final = "keep"


def seller_rules(goal: str) -> Message:
    """Return what holds in every conversation of a seller."""
    role = "You sell information for its owner."
    return Message("system", f"{role}\nThe owner's goal: {goal}\n{QUOTES}")


def offer_brief(
    name: str, question: Question, documents: Mapping[str, Document], longest: int
) -> str:
    """Return all that may be known when offering: question, notices, and the own documents."""
    parts = [f"A buyer has to decide this:\n{quoted(question.text, longest)}"]
    aim = "The buyer will read what you offer, and buy it or not. Offer what helps to decide."
    if question.level > 1:
        parts.append(_notices(name, question.on_offer[-1]))
        aim = (
            "The buyer will read what you offer, and buy it or not. Offer what helps to choose "
            "among the items above: what tells whether they are true, new, and worth the price."
        )
    parts.append(f"{aim} You have:")
    parts += [_entry(label, document, longest) for label, document in documents.items()]
    return "\n\n".join(parts)


def price_form(names: Sequence[str], most: int, code: str) -> str:
    """Return what asks for a price of every document, and says how to write it."""
    fields = dict.fromkeys(names, f"a price, or {KEEP}")
    limit = f" Offer {most} at most." if len(names) > most else ""
    return (
        "For every document name a price within its bounds, as a number, or write "
        f'"{KEEP}" not to offer it.{limit} You may keep them all.\n{form(fields, code)}'
    )


def _notices(name: str, notices: Sequence[Notice]) -> str:
    lines = []
    for notice in notices:
        seller = "you" if notice.seller == name else one_line(notice.seller)
        lines.append(f"- {one_line(notice.name)} by {seller}, price {money(notice.price)}")
    head = "To decide it, the buyer chooses among these items, of which you know no more than this:"
    return "\n".join([head, *lines])


def _entry(label: str, document: Document, longest: int) -> str:
    bounds = f"price from {money(document.reserve)} to {money(document.ceiling)}"
    return f"{label}: {one_line(document.name)}, {bounds}\n{quoted(document.text, longest)}"
