"""Regret and equilibrium gaps by their definitions: every deviation is tried.

A history is a list of plays x_1, ..., x_T and one of rewards r_1, ..., r_T, each a row of N
numbers; round t earns <x_t, r_t>. A map of the actions is the tuple of their images, and its gain
is the sum over rounds of <m(x_t) - x_t, r_t>, where m(x) carries the mass of each action to its
image: of x_t(a) (r_t(m(a)) - r_t(a)) over the actions a, too.

A game is {profile: payoffs, one a player}; a law is {profile: probability}, and what it leaves out
is never played. Of equal deviations the first in lexicographic order is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

Row = Sequence[Any]
Map = tuple[int, ...]
Profile = tuple[int, ...]
Game = Mapping[Profile, Row]
Law = Mapping[Profile, Any]


# --- maps of the actions 0, ..., size - 1


def identity(size: int) -> Map:
    return tuple(range(size))


def constant(size: int, target: int) -> Map:
    return (target,) * size


def single(size: int, source: int, target: int) -> Map:
    """Moves ``source`` to ``target`` and nothing else."""
    return tuple(target if a == source else a for a in range(size))


def constants(size: int) -> list[Map]:
    return [constant(size, j) for j in range(size)]


def singles(size: int) -> dict[tuple[int, int], Map]:
    return {(i, j): single(size, i, j) for i in range(size) for j in range(size) if i != j}


def all_maps(size: int) -> Iterator[Map]:
    return product(range(size), repeat=size)


# --- regret of a history


def image(play: Row, move: Map) -> list[Any]:
    """m(x)."""
    return [sum(play[a] for a in range(len(play)) if move[a] == b) for b in range(len(play))]


def inner(play: Row, rewards: Row) -> Any:
    return sum(x * r for x, r in zip(play, rewards, strict=True))


def earned(plays: Sequence[Row], rewards: Sequence[Row]) -> Any:
    return sum(inner(x, r) for x, r in zip(plays, rewards, strict=True))


def gain(plays: Sequence[Row], rewards: Sequence[Row], move: Map) -> Any:
    """What carrying every play through the map would have earned on top."""
    return sum(
        x[a] * (r[move[a]] - r[a])
        for x, r in zip(plays, rewards, strict=True)
        for a in range(len(move))
        if x[a] and move[a] != a
    )


def external(plays: Sequence[Row], rewards: Sequence[Row]) -> tuple[Any, int]:
    """The greatest gain of a constant map, and its action; it can be negative."""
    size = len(plays[0])
    gains = [gain(plays, rewards, move) for move in constants(size)]
    return max(gains), gains.index(max(gains))


def internal(plays: Sequence[Row], rewards: Sequence[Row]) -> tuple[Any, tuple[int, int] | None]:
    """The greatest gain of a map that moves one action, and the move; (0, None) if none gains."""
    gains = {pair: gain(plays, rewards, m) for pair, m in singles(len(plays[0])).items()}
    best = max(gains.values(), default=0)
    if best <= 0:
        return 0, None
    return best, next(pair for pair, value in gains.items() if value == best)


def swap(plays: Sequence[Row], rewards: Sequence[Row]) -> tuple[Any, Map]:
    """The greatest gain of all N^N maps, and a map that has it."""
    gains = {m: gain(plays, rewards, m) for m in all_maps(len(plays[0]))}
    best = max(gains.values())
    return best, next(m for m, value in gains.items() if value == best)


def conditional(plays: Sequence[Row], rewards: Sequence[Row]) -> dict[int, tuple[Any, int, Any]]:
    """For each action played: the weight played, the best reply to it, and its gain a unit."""
    size = len(plays[0])
    found = {}
    for a in range(size):
        weight = sum(x[a] for x in plays)
        if weight > 0:
            gains = [gain(plays, rewards, single(size, a, b)) for b in range(size)]
            best = max(gains)
            found[a] = (weight, gains.index(best), best / weight)
    return found


# --- gaps of a law in a game


def shape(game: Game) -> tuple[int, ...]:
    """The number of actions of each player."""
    return tuple(max(actions) + 1 for actions in zip(*game, strict=True))


def deviate(profile: Profile, player: int, action: int) -> Profile:
    return (*profile[:player], action, *profile[player + 1 :])


def expected(game: Game, law: Law, player: int) -> Any:
    return sum(q * game[profile][player] for profile, q in law.items())


def deviation_gain(game: Game, law: Law, player: int, move: Map) -> Any:
    """What a player gains who follows the map of the recommendation instead of it."""
    return sum(
        q * (game[deviate(profile, player, move[profile[player]])][player] - game[profile][player])
        for profile, q in law.items()
    )


def player_gaps(game: Game, law: Law, player: int) -> dict[str, Any]:
    """The greatest gain of a player over constant maps, over moves of one action, over all."""
    size = shape(game)[player]
    return {
        "external": max(deviation_gain(game, law, player, m) for m in constants(size)),
        "internal": max(
            (deviation_gain(game, law, player, m) for m in singles(size).values()), default=0
        ),
        "swap": max(deviation_gain(game, law, player, m) for m in all_maps(size)),
    }


def gaps(game: Game, law: Law) -> dict[str, Any]:
    """cce, ce and swap: the greatest gain of any player, at least 0."""
    players = [player_gaps(game, law, p) for p in range(len(shape(game)))]
    names = {"cce": "external", "ce": "internal", "swap": "swap"}
    return {gap: max(0, *(found[kind] for found in players)) for gap, kind in names.items()}


def recommended(game: Game, law: Law, player: int) -> dict[int, tuple[Any, int, Any]]:
    """For each action recommended: its probability, the best reply, and the gain given it."""
    found = {}
    for a in range(shape(game)[player]):
        given = {profile: q for profile, q in law.items() if profile[player] == a}
        mass = sum(given.values())
        if mass > 0:
            gains = [
                sum(
                    q / mass * (game[deviate(profile, player, b)][player] - game[profile][player])
                    for profile, q in given.items()
                )
                for b in range(shape(game)[player])
            ]
            found[a] = (mass, gains.index(max(gains)), max(gains))
    return found


# --- mixed strategies


def independent(strategies: Sequence[Row]) -> dict[Profile, Any]:
    """The product law."""
    profiles = product(*(range(len(x)) for x in strategies))
    return {
        profile: prod(x[a] for x, a in zip(strategies, profile, strict=True))
        for profile in profiles
    }


def own_rewards(game: Game, strategies: Sequence[Row], player: int) -> list[Any]:
    """The expected payoff of each own action while the others play their strategies."""
    size = shape(game)[player]
    pure = [[int(a == b) for b in range(size)] for a in range(size)]
    return [
        expected(game, independent([*strategies[:player], x, *strategies[player + 1 :]]), player)
        for x in pure
    ]


def nash_gaps(game: Game, strategies: Sequence[Row]) -> list[tuple[Any, int]]:
    """For each player: the gain of the best reply over the strategy, and that reply."""
    found = []
    for player, x in enumerate(strategies):
        rewards = own_rewards(game, strategies, player)
        found.append((max(rewards) - inner(x, rewards), rewards.index(max(rewards))))
    return found


def average_law(plays: Sequence[Sequence[Row]]) -> dict[Profile, Any]:
    """The mean over rounds of the product of the players' plays; ``plays[p][t]`` is a row."""
    rounds = len(plays[0])
    laws = [independent(row) for row in zip(*plays, strict=True)]
    return {profile: sum(law[profile] for law in laws) / rounds for profile in laws[0]}


def marginal(law: Law, player: int, size: int) -> list[Any]:
    return [sum(q for profile, q in law.items() if profile[player] == a) for a in range(size)]
