"""Chats that answer nonsense, half-sense and sense, drawn from the generator that they get."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechanisms.protocols import Message

SCRAPS = (
    "", " ", "\n", "{", "}", "[", "]", '"', "'", ",", ":", "```", "```json\n", "null", "NaN",
    "Infinity", "-1", "0.5", "1e999", "0.7", "100%", "$1,500.50", "**item 1:** reveal", "reveal",
    "keep", "item 1", "item 10", '"code": ', "I am an assistant.", "\ud800", "\x00", "\u2028",
    "<|im_end|>", "<answer>", "{}", "[]", '{"code": "bcdfgh"}', "9" * 50, "{" * 60, "眠る", "ï",
)  # fmt: skip


@dataclass
class Babbler:
    """A chat that answers anything; now and then what its schema asks for, or nearly that."""

    asked: list[tuple[Message, ...]] = field(default_factory=list)

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        self.asked.append(tuple(messages))
        text = "".join(SCRAPS[k] for k in rng.integers(len(SCRAPS), size=rng.integers(12)))
        kind = int(rng.integers(4))
        if kind == 0 or schema is None:
            return text
        said = json.dumps(nearly(schema, rng) if kind == 1 else filled(schema, rng))
        return said[: int(rng.integers(len(said)))] if rng.random() < 0.2 else said


def filled(schema: Any, rng: np.random.Generator) -> dict[str, Any]:
    """What fits the schema; probabilities may fail to add up."""
    found: dict[str, Any] = {}
    numbers = [name for name, kind in schema["properties"].items() if kind.get("type") == "number"]
    shares = rng.multinomial(100, np.full(max(len(numbers), 1), 1 / max(len(numbers), 1)))
    for name, kind in schema["properties"].items():
        if "const" in kind:
            found[name] = kind["const"]
        elif "enum" in kind:
            found[name] = kind["enum"][int(rng.integers(len(kind["enum"])))]
        elif name in numbers:
            found[name] = int(shares[numbers.index(name)]) / (100 if rng.random() < 0.9 else 1)
        else:
            found[name] = "what?"
    return found


def nearly(schema: Any, rng: np.random.Generator) -> Any:
    """What fits but for one thing."""
    found = filled(schema, rng)
    name = list(found)[int(rng.integers(len(found)))]
    wrong = (None, True, "0.5", -0.25, 2, [], {}, "item 1", 10**30, {"a": [None]})
    match int(rng.integers(4)):
        case 0:
            del found[name]
        case 1:
            found["more"] = 1
        case 2:
            return [found]
        case _:
            found[name] = wrong[int(rng.integers(len(wrong)))]
    return found
