"""What the model of an informant is told, in our own words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import inf

from llm_adapters.oracles._buyer_prompts import QUOTES, form
from llm_adapters.oracles._quoting import money, one_line, quoted
from mechanisms.ledger import Amount
from mechanisms.participants import described
from mechanisms.protocols import History, Message

__all__ = ["KEEP", "REVEAL", "brief", "rules", "verdict_form"]

REVEAL, KEEP = "reveal", "keep"


def rules(goal: str) -> Message:
    """Return what holds in every conversation of an informant."""
    return Message(
        "system",
        "You and others hold items of information, and reveal them to a judge in turn, until one "
        "of you keeps everything. Then each of you is paid by what the judge thinks in the end: "
        "by how much better it finds what it did after your move than what it did before, less "
        f"the price of what you revealed.\nYour goal: {goal}\n{QUOTES}",
    )


def brief(
    history: History, labels: Mapping[str, str], prices: Mapping[str, Amount], most: int
) -> str:
    """Return all that may be known: the moves, what is revealed, and what could be.

    ``labels`` has the names of what could be revealed by our labels for them, since contents may
    imitate names.
    """
    parts = [_course(history)]
    if history.revealed:
        parts.append("What is revealed:")
        parts += [
            f"{one_line(name)}:\n{quoted(content, most)}"
            for name, content in history.revealed.items()
        ]
    parts.append("You hold, not revealed yet:")
    for label, name in labels.items():
        price = f", price {money(prices[name])}" if prices.get(name, inf) != inf else ""
        content = quoted(history.held[name], most)
        parts.append(f"{label}: {one_line(name)}{price}\n{content}")
    return "\n\n".join(parts)


def verdict_form(labels: Sequence[str], most: int, code: str) -> str:
    """Return what asks for a verdict on every item, and says how to write it."""
    limit = "" if most >= len(labels) else f" Reveal {most} at most."
    fields = dict.fromkeys(labels, f"{REVEAL} or {KEEP}")
    return (
        f"It is your turn. Give a verdict on every item that you hold: {REVEAL} or {KEEP}.{limit} "
        f"To keep everything ends the game.\n{form(fields, code)}"
    )


def _course(history: History) -> str:
    actions = [_action(action) for action in history.actions]
    lines = [f"With nothing revealed the judge would do {actions[0]}."] if actions else []
    for move, action in zip(history.moves, actions[1:], strict=False):
        names = ", ".join(map(one_line, move.items))
        lines.append(f"{one_line(move.informant)} revealed {names}; then it would do {action}.")
    return "\n".join(lines) or "Nothing is known of what the judge would do."


def _action(action: Hashable) -> str:
    return one_line(described(action, str))
