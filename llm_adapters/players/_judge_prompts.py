"""What the model of a judge is told, in our own words."""

from __future__ import annotations

import json
from collections.abc import Mapping

from llm_adapters.players._buyer_prompts import QUOTES
from llm_adapters.players._judge_task import StatedHypotheses
from llm_adapters.players._quoting import money, one_line
from mechanisms.protocols import Message

__all__ = ["RULES", "brief", "posterior_form", "question_after"]

RULES = Message(
    "system", f"You say how probable some hypotheses are. Exactly one of them is true.\n{QUOTES}"
)


def brief(question: str, stated: StatedHypotheses, shown: Mapping[str, str]) -> str:
    """Return all that may be known: the question, the hypotheses, what was revealed."""
    lines = ["Hypotheses, with their probabilities before anything was revealed:"]
    for (name, text), p in zip(stated.texts.items(), stated.prior, strict=True):
        lines.append(f"- {name}{f': {text}' if text else ''} (probability {money(p)})")
    asked = [f"The question: {question}"] if question else []
    return "\n\n".join([*asked, "\n".join(lines), "What was revealed:", *_items(shown)])


def posterior_form(stated: StatedHypotheses, code: str) -> str:
    """Return what asks for the probabilities, and says how to write them."""
    fields = "".join(
        f",\n  {json.dumps(name, ensure_ascii=False)}: a number from 0 to 1"
        for name in stated.texts
    )
    return (
        "Given all of this, how probable is each hypothesis? The probabilities must add up to 1.\n"
        f'Answer in JSON alone, in this form:\n{{\n  "code": "{code}"{fields}\n}}'
    )


def question_after(question: str, shown: Mapping[str, str]) -> str:
    """Return a prompt for a short answer to the question, given what was revealed, if anything."""
    before = ["This was said:", *_items(shown), QUOTES] if shown else []
    return "\n\n".join([*before, f"{question}\nAnswer in a few words."])


def _items(shown: Mapping[str, str]) -> list[str]:
    return [f"{one_line(name)}:\n{content}" for name, content in shown.items()]
