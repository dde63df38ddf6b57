"""The question of the demo of the marginal-value mechanism: what is held by whom, what is true."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from mechanisms.protocols import Message

__all__ = [
    "CONTENTS",
    "GOAL",
    "HOLDINGS",
    "HYPOTHESES",
    "PRICES",
    "PRIOR",
    "QUESTION",
    "TRUE",
    "TRUTH",
    "UTILITIES",
    "bridge_rule",
    "likely_to_hold",
    "tells",
]

QUESTION: Final = "Will the old bridge hold the lorry?"
TRUTH: Final = "It will not: rust has weakened it."

TRUE: Final = "it breaks"

HYPOTHESES: Final[Mapping[str, str]] = {"it holds": "Yes.", "it breaks": "No."}
PRIOR: Final[Mapping[str, Fraction]] = dict.fromkeys(HYPOTHESES, Fraction(1, 2))

UTILITIES: Final[Mapping[str, Mapping[str, int]]] = {
    "make a detour": {"it holds": 0, "it breaks": 0},
    "cross": {"it holds": 4, "it breaks": -10},
}
"""What each action is worth to the judge, by what is true."""

CONTENTS: Final[Mapping[str, str]] = {
    "plate": "The plate at the bridge says that it carries ten tonnes.",
    "weight": "The lorry weighs eight tonnes with its load.",
    "rust": "An engineer found last month that rust has weakened the bridge. It breaks under more "
    "than five tonnes.",
    "paint": "The bridge was painted blue in spring.",
}

HOLDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "Ann": ("plate", "weight"),
    "Bob": ("rust", "paint"),
}

PRICES: Final[Mapping[str, Fraction]] = dict.fromkeys(CONTENTS, Fraction(1, 4))

GOAL: Final = "Tell the judge what it should know, and earn as much as you can."

_FOR_IT, _AGAINST_IT = "carries ten tonnes", "rust has weakened the bridge"


def likely_to_hold(told: str) -> Fraction:
    """Return how probable it is, to who goes by what it has read, that the bridge holds."""
    if _AGAINST_IT in told:
        return Fraction(1, 20)
    return Fraction(19, 20) if _FOR_IT in told else Fraction(1, 2)


def tells(item: str) -> bool:
    """Whether an item says anything of what is asked."""
    return item != "paint"


def bridge_rule(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
    """Return what the stand-ins say: Ann reveals all, Bob the rust, the judge goes by what it read.

    The judge says 1/2 where it has read neither, 95% where it has read what speaks for the bridge,
    and 5% where it has read what speaks against it.
    """
    told = " ".join(" ".join(message.content for message in messages).replace("|", " ").split())
    if schema is None:
        return "I go by what is revealed."
    fields: Any = schema["properties"]
    said: dict[str, Any] = {}
    for name, field in fields.items():
        if "const" in field:
            said[name] = field["const"]
        elif name in HYPOTHESES:
            holds = float(likely_to_hold(told))
            said[name] = holds if name == "it holds" else round(1 - holds, 2)
        else:
            item = re.search(rf'\b{re.escape(name)}: "?(\w+)', told)
            said[name] = "reveal" if item is not None and tells(item[1]) else "keep"
    return json.dumps(said)
