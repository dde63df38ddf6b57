"""A debate before a choice: two advocates speak in turn, each in a conversation of its own.

That debates help to choose well, with one side for the information and the other against spending
too much, is a finding of bazaar (section 3.4, on debate prompting).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from llm_adapters.oracles._buyer_prompts import QUOTES
from llm_adapters.oracles._quoting import quoted
from mechanisms.protocols import Message

__all__ = ["held", "transcript"]

_SIDES: Final = {
    "for": (
        "You speak for buying. Say which offers would improve the decision, and why they are worth "
        "their price."
    ),
    "against": (
        "You speak against buying. Say which offers are useless, repeat others, cannot be relied "
        "on, or cost more than they are worth."
    ),
}


def held(
    speak: Callable[[list[Message]], str], goal: str, brief: str, turns: int, most: int
) -> str:
    """Hold a debate of so many turns, the side for buying first, and return what was said."""
    said: list[tuple[str, str]] = []
    for turn in range(turns):
        side = tuple(_SIDES)[turn % 2]
        said.append((side, speak(_asked(side, goal, brief, transcript(said, most)))))
    return transcript(said, most)


def transcript(speeches: Sequence[tuple[str, str]], most: int) -> str:
    """Return what each side said, quoted, since advocates may repeat what sellers wrote."""
    return "\n\n".join(
        f"The advocate {side} buying said:\n{quoted(speech, most)}" for side, speech in speeches
    )


def _asked(side: str, goal: str, brief: str, said: str) -> list[Message]:
    role = (
        f"You are an advocate in a debate about what a client should buy.\n"
        f"The client's goal: {goal}\n{QUOTES}"
    )
    task = f"{_SIDES[side]} Answer the other side, if it has spoken. At most five sentences."
    parts = [brief, said, task] if said else [brief, task]
    return [Message("system", role), Message("user", "\n\n".join(parts))]
