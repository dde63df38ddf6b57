"""Plays, rewards, games and maps drawn at random, full of ties, zeros and certainties."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

History = tuple[list[list[Fraction]], list[list[Fraction]]]
Game = dict[tuple[int, ...], tuple[Fraction, ...]]


def law(rng: Random, size: int) -> list[Fraction]:
    """Certain, even, or a few weights with zeros among them."""
    kind = rng.randrange(4)
    if kind == 0:
        sure = rng.randrange(size)
        return [Fraction(a == sure) for a in range(size)]
    if kind == 1:
        return [Fraction(1, size)] * size
    weights = [max(0, rng.randint(-3, 5)) for _ in range(size)]
    weights[rng.randrange(size)] += 1
    return [Fraction(w, sum(weights)) for w in weights]


def numbers(rng: Random, size: int) -> list[Fraction]:
    """All zero, all equal, a few values with ties, or any fractions of either sign."""
    kind = rng.randrange(5)
    if kind == 0:
        return [Fraction(0)] * size
    if kind == 1:
        return [Fraction(rng.randint(-6, 6), 3)] * size
    if kind == 2:
        return [Fraction(rng.randint(-1, 1)) for _ in range(size)]
    return [Fraction(rng.randint(-30, 30), rng.randint(1, 12)) for _ in range(size)]


def history(rng: Random, sizes: Sequence[int], rounds: int) -> History:
    """Plays and rewards; now and then a round is the one before once more."""
    size = rng.choice(sizes)
    plays, rewards = [law(rng, size)], [numbers(rng, size)]
    for _ in range(rng.randrange(rounds)):
        plays.append(plays[-1] if rng.randrange(4) == 0 else law(rng, size))
        rewards.append(rewards[-1] if rng.randrange(4) == 0 else numbers(rng, size))
    return plays, rewards


def unit_rewards(rng: Random, size: int, rounds: int) -> list[list[float]]:
    """Rewards in [0, 1]: whole rounds of zeros or of ones, ties, and any floats."""
    draws = (
        lambda: [float(rng.randrange(2))] * size,
        lambda: [float(rng.randrange(2)) for _ in range(size)],
        lambda: [rng.randrange(5) / 4 for _ in range(size)],
        lambda: [rng.random() for _ in range(size)],
    )
    return [rng.choice(draws)() for _ in range(rounds)]


def game(rng: Random, shape: Sequence[int]) -> Game:
    """{profile: payoffs}; a player in five has the same payoff everywhere."""
    profiles = list(product(*map(range, shape)))
    columns = [
        [Fraction(rng.randint(-2, 2))] * len(profiles)
        if rng.randrange(5) == 0
        else [Fraction(rng.randint(-3, 3), rng.choice((1, 1, 2, 3))) for _ in range(len(profiles))]
        for _ in shape
    ]
    return dict(zip(profiles, zip(*columns, strict=True), strict=True))


def nested(table: dict[tuple[int, ...], Any], shape: Sequence[int]) -> Any:
    """A table by profile as lists of lists, the first player outermost."""
    if not shape:
        return table[()]
    return [
        nested({p[1:]: v for p, v in table.items() if p[0] == a}, shape[1:])
        for a in range(shape[0])
    ]


def maps(
    rng: Random, size: int, constants: bool
) -> tuple[dict[tuple[int, int], Fraction], dict[int, Fraction]]:
    """Weights of moves and of constant maps that leave the identity a rest, at times none."""
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    most = rng.choice((size, len(pairs)))
    chosen = rng.sample(pairs, rng.randint(0, min(most, len(pairs))))
    targets = rng.sample(range(size), rng.randint(1, size)) if constants else []
    shares = [rng.choice((1, 1, 2, 5, 1000)) for _ in (*chosen, *targets)]
    total = sum(shares) + rng.choice((0, 1, 3))
    if not total:
        return {}, {}
    weights = [Fraction(share, total) for share in shares]
    return (
        dict(zip(chosen, weights[: len(chosen)], strict=True)),
        dict(zip(targets, weights[len(chosen) :], strict=True)),
    )
