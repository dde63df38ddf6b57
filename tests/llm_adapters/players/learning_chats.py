"""Chats that name actions, and what a prompt of the oracle says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechanisms.learners import History
from mechanisms.protocols import Message

SHOWN = re.compile(r"^- (?P<name>.+?): (?P<points>-?\d+(?:\.\d+)?) points", re.MULTILINE)


def shown(prompt: str) -> dict[str, float]:
    """The points of each action, as a prompt shows them."""
    return {found["name"]: float(found["points"]) for found in SHOWN.finditer(prompt)}


def named(action: str) -> str:
    return json.dumps({"action": action})


@dataclass
class Leader:
    """Names the action with the most points, and remembers what it was asked."""

    asked: list[str] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], schema: Any) -> str:
        self.asked += [message.content for message in messages]
        points = shown(messages[1].content)
        return named(max(points, key=points.__getitem__))


def numbers_in(prompts: Iterable[str]) -> list[str]:
    """Every number that is written in some prompts."""
    return [number for prompt in prompts for number in re.findall(r"-?\d+(?:\.\d+)?", prompt)]


def gives_away(prompts: Iterable[str], true: Iterable[float], digits: int) -> list[str]:
    """The numbers in prompts that are true ones, as far as they are written out.

    A number gives a true one away where it is that one rounded to the places that it is written
    with, these being at least ``digits`` significant digits.
    """
    known = [value for value in true if value]
    found = []
    for number in numbers_in(prompts):
        places = len(number.partition(".")[2])
        if len(number.strip("-0.").replace(".", "")) < digits:
            continue
        if any(abs(float(number) - value) <= 0.5000001 * 10**-places for value in known):
            found.append(number)
    return found


def drawn_history(rng: np.random.Generator, size: int, rounds: int) -> History:
    """Plays of some actions each, and rewards that are multiples of 1/16, so that ties occur."""
    history = History()
    for _ in range(rounds):
        play = np.zeros(size)
        chosen = rng.choice(size, size=min(2, size), replace=False)
        play[chosen] = rng.dirichlet(np.ones(len(chosen)))
        history.append(play, rng.integers(0, 17, size) / 16)
    return history
