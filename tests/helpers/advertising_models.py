"""Small language models for tests of the experiment, named as MODULE:NAME on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from mechanisms.advertising import Instance, advertising_prompt, context_prompt, instances
from mechanisms.language_models import TableModel
from mechanisms.protocols import Sampled

__all__ = ["Deadly", "Unlisted", "Wrong", "toy"]


def toy() -> TableModel:
    """Five replies a question: with neither firm, with either, with both, and one more.

    Probabilities are tenths and hundredths that can be followed with a pencil.
    """
    table: dict[str, dict[str, Any]] = {}
    for k, instance in enumerate(instances()[:5]):
        table |= rows(instance, 90 + k)
    return TableModel(table)


def rows(instance: Instance, plain: int) -> dict[str, dict[str, Any]]:
    first, second = (one.name for one in instance.advertisers)
    replies = (
        "Take your time.",
        "Ask a friend.",
        f"Ask {first}.",
        f"{second} will help.",
        f"Ask {first} or {second}.",
    )

    def law(*weights: int) -> dict[str, Any]:
        return dict(zip(replies, weights, strict=True))

    a, b = instance.advertisers
    return {
        instance.query: law(plain, 100 - plain, 2, 2, 1),
        advertising_prompt(instance.query, a): law(20, 10, 60, 2, 8),
        advertising_prompt(instance.query, b): law(20, 12, 2, 60, 6),
        context_prompt(instance.query, [a]): law(30, 20, 45, 2, 3),
        context_prompt(instance.query, [b]): law(30, 20, 2, 45, 3),
        context_prompt(instance.query, [a, b]): law(10, 10, 25, 25, 30),
    }


class Unlisted:
    """A model that does not list its laws."""

    def __init__(self) -> None:
        self.model = toy()

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        return self.model.sample(prompt, n, rng)

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        return self.model.log_prob(prompt, replies)


class Wrong(Unlisted):
    """A model that scores one question with a number that is no log-probability."""

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        if prompt == instances()[1].query:
            return np.full(len(replies), 0.5)
        return super().log_prob(prompt, replies)


class Deadly(Unlisted):
    """A model that ends the process when it is asked the second question."""

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        if prompt == instances()[1].query:
            os._exit(3)
        return super().log_prob(prompt, replies)
