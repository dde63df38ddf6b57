"""Adversaries: what the rewards of a round are, once the play of the round is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from theory.shared.shapes import Float64

__all__ = ["ADVERSARIES", "Adversary", "AdversaryFactory"]

Adversary = Callable[[np.ndarray], np.ndarray]
"""Returns rewards in [0, 1] for a play; called once a round, it may remember."""

AdversaryFactory = Callable[[int, np.random.Generator], Adversary]
"""Makes an adversary from the number of actions."""


def constant(actions: int, rng: np.random.Generator) -> Adversary:
    """Reward the last action alone, always."""
    del rng
    return lambda play: _only(actions - 1, actions)


def alternating(actions: int, rng: np.random.Generator) -> Adversary:
    """Reward the actions of even number and those of odd number in turn."""
    del rng
    round_number = _Counter()
    return lambda play: ((np.arange(actions) + round_number()) % 2).astype(np.float64)


def noise(actions: int, rng: np.random.Generator) -> Adversary:
    """Draw each reward from the multiples of 1/16 in [0, 1]."""
    return lambda play: rng.integers(0, 17, actions) / 16


def punishing(actions: int, rng: np.random.Generator) -> Adversary:
    """Reward all actions but the most likely one, of several the first."""
    del rng
    return lambda play: 1 - _only(int(np.argmax(play)), actions)


def switching(actions: int, rng: np.random.Generator) -> Adversary:
    """Reward the first action by 1/2, then the second and the first by 1 in turn.

    Whichever is ahead earns nothing in the next round: a rule that follows the leader has regret of
    about T/2 (Cesa-Bianchi and Lugosi, Prediction, learning, and games, 2006, section 4.3).
    """
    del rng
    round_number = _Counter()

    def rewards(play: Float64[np.ndarray, " actions"]) -> Float64[np.ndarray, " actions"]:
        n = round_number()
        return _only(n % 2, actions) * (0.5 if n == 0 else 1.0)

    return rewards


ADVERSARIES: Final[Mapping[str, AdversaryFactory]] = MappingProxyType(
    {
        "constant": constant,
        "alternating": alternating,
        "random": noise,
        "punishing": punishing,
        "switching": switching,
    }
)
"""The battery. All rewards are multiples of 1/16, so that sums of them are exact in float64."""


class _Counter:
    """Counts rounds from 0."""

    def __init__(self) -> None:
        self._next = 0

    def __call__(self) -> int:
        self._next += 1
        return self._next - 1


def _only(action: int, actions: int) -> Float64[np.ndarray, " actions"]:
    rewards = np.zeros(actions)
    rewards[action] = 1
    return rewards
