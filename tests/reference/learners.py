"""Learners one round at a time, in plain Python, for a handful of actions.

Each takes the list of rewards r_1, ..., r_T that will come, and returns the plays x_1, ..., x_T;
x_t depends on the rewards before round t alone. ``rate(t)`` is the step size of round t, from 1.
Rewards may be Fractions where nothing is exponentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import exp, fsum, log, prod, sqrt
from typing import Any

Row = Sequence[Any]
Rate = Callable[[int], float]
Map = tuple[int, ...]


# --- step sizes


def fixed(rate: float) -> Rate:
    return lambda t: rate


def hedge_rate(size: int, rounds: int) -> Rate:
    return fixed(sqrt(8 * log(size) / rounds))


def hedge_anytime(size: int) -> Rate:
    return lambda t: 2 * sqrt(log(size) / t)


def copies_rate(size: int, rounds: int) -> Rate:
    """Of Blum and Mansour's copies."""
    return fixed(sqrt(8 * size * log(size) / rounds))


def copies_anytime(size: int) -> Rate:
    return lambda t: 2 * sqrt(size * log(size) / t)


def internal_rate(size: int, rounds: int) -> Rate:
    return fixed(4 * sqrt(log(size) / rounds))


def internal_anytime(size: int) -> Rate:
    return lambda t: 2 * sqrt(2 * log(size) / t)


# --- parts


def softmax(scores: Row, prior: Row | None = None) -> list[float]:
    top = max(scores)
    weights = [exp(score - top) for score in scores]
    if prior is not None:
        weights = [w * p for w, p in zip(weights, prior, strict=True)]
    total = fsum(weights)
    return [w / total for w in weights]


def inner(play: Row, rewards: Row) -> Any:
    return sum(x * r for x, r in zip(play, rewards, strict=True))


@lru_cache
def trees(size: int, root: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All trees on 0, ..., size - 1 whose edges lead to the root."""
    others = [i for i in range(size) if i != root]
    found = []
    for heads in product(range(size), repeat=size - 1):
        head = dict(zip(others, heads, strict=True))
        if all(leads(head, i, root) for i in others):
            found.append(tuple(head.items()))
    return tuple(found)


def leads(head: dict[int, int], start: int, root: int) -> bool:
    place = start
    for _ in head:
        place = head[place]
        if place == root:
            return True
    return False


def stationary(Q: Sequence[Row]) -> list[Any]:
    """The stationary law of an irreducible chain by the Markov chain tree theorem.

    Each state weighs the sum over the trees that lead to it of the product of their edges. Nothing
    is subtracted, so that floats lose next to nothing.
    """
    size = len(Q)
    weights = [
        sum(prod(Q[i][j] for i, j in tree) for tree in trees(size, root)) for root in range(size)
    ]
    return [w / sum(weights) for w in weights]


# --- learners


def best_response(rewards: Sequence[Row]) -> Iterator[list[int]]:
    """All on the first action of the greatest sum so far."""
    sums = [0] * len(rewards[0])
    for r in rewards:
        top = sums.index(max(sums))
        yield [int(a == top) for a in range(len(sums))]
        sums = [s + x for s, x in zip(sums, r, strict=True)]


def hedge(rewards: Sequence[Row], rate: Rate) -> Iterator[list[float]]:
    sums = [0.0] * len(rewards[0])
    for t, r in enumerate(rewards, 1):
        yield softmax([rate(t) * s for s in sums])
        sums = [s + x for s, x in zip(sums, r, strict=True)]


def regret_matching(rewards: Sequence[Row]) -> Iterator[list[Any]]:
    """In proportion to the positive parts of the regrets so far; evenly if there is none."""
    size = len(rewards[0])
    regrets: list[Any] = [0] * size
    for r in rewards:
        positive = [max(regret, 0) for regret in regrets]
        total = sum(positive)
        even = r[0] * 0 + 1  # of the kind of the rewards
        play = [p / total for p in positive] if total else [even / size] * size
        yield play
        regrets = [regret + x - inner(play, r) for regret, x in zip(regrets, r, strict=True)]


def blum_mansour(rewards: Sequence[Row], rate: Rate) -> Iterator[list[float]]:
    """One Hedge for each action, fed its share of the rewards; plays what they agree on."""
    size = len(rewards[0])
    sums = [[0.0] * size for _ in range(size)]
    for t, r in enumerate(rewards, 1):
        play = stationary([softmax([rate(t) * s for s in row]) for row in sums])
        yield play
        sums = [
            [s + x * y for s, y in zip(row, r, strict=True)]
            for row, x in zip(sums, play, strict=True)
        ]


# --- Algorithm 1


def phi(size: int, constants: bool = False) -> dict[tuple[int, ...] | None, tuple[float, Map]]:
    """The prior weight and the images of each map by name.

    (i, j) moves i to j, None is the identity, (j,) is constant. The maps weigh the same, but with
    constants these get one half together, and the others the other half.
    """
    moves = [(i, j) for i in range(size) for j in range(size) if i != j]
    share = (0.5 if constants else 1.0) / (len(moves) + 1)
    found: dict[tuple[int, ...] | None, tuple[float, Map]] = {None: (share, tuple(range(size)))}
    for i, j in moves:
        found[i, j] = share, tuple(j if a == i else a for a in range(size))
    if constants:
        found.update({(j,): (0.5 / size, (j,) * size) for j in range(size)})
    return found


def map_law(
    size: int,
    plays: Sequence[Row],
    rewards: Sequence[Row],
    rate: float,
    constants: bool = False,
) -> dict[tuple[int, ...] | None, float]:
    """The law of a map drawn by the smooth internal oracle: prior x exp(rate x what it earns)."""
    maps = phi(size, constants)
    earned = {
        name: fsum(
            x[a] * r[image[a]] for x, r in zip(plays, rewards, strict=True) for a in range(size)
        )
        for name, (_, image) in maps.items()
    }
    weights = softmax([rate * s for s in earned.values()], [prior for prior, _ in maps.values()])
    return dict(zip(maps, weights, strict=True))


def mixture(law: dict[tuple[int, ...] | None, float], size: int) -> list[list[float]]:
    """The chain that draws a map by the law and follows it."""
    maps = phi(size, constants=True)
    return [
        [sum(w for name, w in law.items() if maps[name][1][i] == j) for j in range(size)]
        for i in range(size)
    ]


def internal_ftpl(
    rewards: Sequence[Row], rate: Rate, constants: bool = False
) -> Iterator[list[float]]:
    """Algorithm 1 with the expected weights in place of samples; first at the prior."""
    size = len(rewards[0])
    plays: list[list[float]] = []
    for t in range(1, len(rewards) + 1):
        law = map_law(size, plays, rewards[: t - 1], rate(t), constants)
        plays.append(stationary(mixture(law, size)))
        yield plays[-1]
