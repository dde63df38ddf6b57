"""Learning rules for the tests of ``check_learner``: sound ones, and ones with one thing wrong."""

from __future__ import annotations

import random
from math import log, sqrt
from typing import Any

import numpy as np


def hedge_bound(rounds: int, actions: int) -> float:
    """Cesa-Bianchi and Lugosi (2006), Theorem 2.2."""
    return sqrt(rounds * log(actions) / 2)


class Rule:
    """Remembers what each action would have earned."""

    def __init__(self, actions: int, rounds: int, seed: int) -> None:
        self.actions, self.rounds = actions, rounds
        self.earned = np.zeros(actions)
        self.rng = np.random.default_rng(seed)

    def play(self) -> Any:
        raise NotImplementedError("each rule says how it plays")

    def observe(self, rewards: np.ndarray) -> None:
        self.earned += rewards


class Hedge(Rule):
    def play(self) -> Any:
        rate = sqrt(8 * log(self.actions) / self.rounds)
        weights = np.exp(rate * (self.earned - self.earned.max()))
        return weights / weights.sum()


class TooEager(Hedge):
    """Its rate is twenty times too high."""

    def play(self) -> Any:
        rate = 20 * sqrt(8 * log(self.actions) / self.rounds)
        weights = np.exp(rate * (self.earned - self.earned.max()))
        return weights / weights.sum()


class Follower(Rule):
    """Follows the leaders, all of them alike."""

    def play(self) -> Any:
        leaders = self.earned == self.earned.max()
        return leaders / leaders.sum()


class FirstFollower(Rule):
    """Follows the leader of the lowest index."""

    def play(self) -> Any:
        return np.eye(self.actions)[int(np.argmax(self.earned))]


class Uniform(Rule):
    def play(self) -> Any:
        return np.full(self.actions, 1 / self.actions)


class ByRatio(Rule):
    """Plays in proportion to earnings: free of scale, and bound to where 0 is."""

    def play(self) -> Any:
        total = self.earned.sum()
        return self.earned / total if total else np.full(self.actions, 1 / self.actions)


class WrongIndex(Hedge):
    """Credits action 0 with what action 1 earned, half of the time."""

    def observe(self, rewards: np.ndarray) -> None:
        mixed = rewards.copy()
        mixed[0] = (rewards[0] + rewards[1]) / 2
        self.earned += mixed


class WrongLastIndex(Hedge):
    """Credits the last action with what the one before it earned, half of the time."""

    def observe(self, rewards: np.ndarray) -> None:
        mixed = rewards.copy()
        mixed[-1] = (rewards[-1] + rewards[-2]) / 2
        self.earned += mixed


class LastFollower(Rule):
    """Follows the leader of the highest index."""

    def play(self) -> Any:
        best = self.actions - 1 - int(np.argmax(self.earned[::-1]))
        return np.eye(self.actions)[best]


class ThirdIsForgotten(Hedge):
    """Behaves with two actions; of three the last one earns nothing."""

    def observe(self, rewards: np.ndarray) -> None:
        heard = rewards.copy()
        heard[2:] = 0
        self.earned += heard


class Leaky(Hedge):
    """Loses one part in a million of its probability, from the third round on."""

    def play(self) -> Any:
        return super().play() * (1 - 1e-6 * (self.earned.sum() > 1))


class Below(Hedge):
    """Takes more from one action than it has."""

    def play(self) -> Any:
        play = super().play()
        return play + np.eye(self.actions)[0] * 1.5 - np.full(self.actions, 1.5 / self.actions)


class BelowAtTheLast(Hedge):
    """Takes more from the last action than it has."""

    def play(self) -> Any:
        play = super().play()
        return play + np.eye(self.actions)[-1] * 1.5 - np.full(self.actions, 1.5 / self.actions)


class Late(Hedge):
    """Behaves in all rounds but the last one of long games."""

    def __init__(self, actions: int, rounds: int, seed: int) -> None:
        super().__init__(actions, rounds, seed)
        self.left = rounds

    def play(self) -> Any:
        self.left -= 1
        play = super().play()
        return play if self.left or self.rounds < 8 else self.last(play)

    def last(self, play: Any) -> Any:
        raise NotImplementedError("each says what it does in the last round")


class LeakyAtTheEnd(Late):
    def last(self, play: Any) -> Any:
        return play * (1 - 1e-6)


class RandomAtTheEnd(Late):
    def last(self, play: Any) -> Any:
        return tremble(play, np.random.default_rng().random())


class GloballyRandomAtTheEnd(Late):
    def last(self, play: Any) -> Any:
        return tremble(play, random.random())


class SecretlyRandom(Hedge):
    """Trembles, by entropy from the system."""

    def play(self) -> Any:
        return tremble(super().play(), np.random.default_rng().random())


class GloballyRandom(Hedge):
    def play(self) -> Any:
        return tremble(super().play(), random.random())


class GloballyRandomNumpy(Hedge):
    def play(self) -> Any:
        return tremble(super().play(), np.random.rand())  # noqa: NPY002 - the fault


class IdlyRandom(Hedge):
    """Draws from the generator that all share, and does nothing with it."""

    def play(self) -> Any:
        random.random()
        return super().play()


class Seeded(Hedge):
    """Trembles, by its seed."""

    def play(self) -> Any:
        return tremble(super().play(), self.rng.random())


class Clock(Hedge):
    """Behaves in all but round 5."""

    def __init__(self, actions: int, rounds: int, seed: int) -> None:
        super().__init__(actions, rounds, seed)
        self.round = 0

    def play(self) -> Any:
        self.round += 1
        return super().play() if self.round != 5 else self.late()

    def late(self) -> Any:
        raise RuntimeError("round 5")


def tremble(play: Any, by: float) -> Any:
    return play * (1 - by / 100) + by / 100 / len(play)
