"""Who sits where: games in which everyone has every seat, and meets everyone, equally often."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations, islice, permutations
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.shared.arguments import read_count, read_tuple, refusing

__all__ = ["balanced_seats"]

_COMPARED: Final = 5_000


@refusing
def balanced_seats(
    players: Iterable[Hashable], games: int, key: int | None = None, *, seats: int | None = None
) -> tuple[tuple[Any, ...], ...]:
    """Return who sits in each seat of each game; all players sit unless ``seats`` says how many.

    The design is cyclic: n games are the shifts of one seating among the n players, so that after
    every n games each player has been in each seat once; in between counts differ by at most one.
    Where not all sit, seatings are chosen one after the other so that numbers of meetings have the
    least sum of squares; where equal numbers are possible with the first one, as for 3 of 7, they
    are equal from the n-th game on. Where all sit, n! games have every order once.

    With a ``key`` the players take their parts in the design at random, the same for the same key.
    O(games x seats), and for each n games up to 5,000 seatings compared.

    Raises
    ------
    InvalidInputError
        For no players, fewer than two seats or more than players, and a player named twice.

    Examples
    --------
    >>> balanced_seats(["a", "b", "c"], 4)
    (('a', 'b', 'c'), ('b', 'c', 'a'), ('c', 'a', 'b'), ('a', 'c', 'b'))
    >>> balanced_seats(["a", "b", "c"], 3, seats=2)
    (('a', 'b'), ('b', 'c'), ('c', 'a'))
    """
    names = read_tuple("players", players, 'give a list of players, such as ["a", "b"]')
    if len(set(names)) < len(names):
        raise InvalidInputError("players", names, "name a player twice", "name each once")
    if not names:
        raise InvalidInputError("players", names, "are none", "name at least one")
    count = len(names)
    taken = count if seats is None else read_count("seats", seats, 2)
    if taken > count:
        raise InvalidInputError("seats", seats, "are more than the players", f"give up to {count}")
    if key is not None:
        order = np.random.default_rng(read_count("key", key, 0)).permutation(count)
        names = tuple(names[place] for place in order.tolist())
    number = read_count("games", games)
    shifts = (
        tuple(names[place] for place in _shift(base, shift, count))
        for base in _bases(count, taken)
        for shift in range(count)
    )
    return tuple(islice(shifts, number))


def _shift(base: tuple[int, ...], shift: int, count: int) -> tuple[int, ...]:
    """Return a seating moved on by so many places: by seats where all sit, else by players."""
    if len(base) == count:
        return base[shift:] + base[:shift]
    return tuple((place + shift) % count for place in base)


def _bases(count: int, taken: int) -> Iterator[tuple[int, ...]]:
    """Yield seatings without end, each with player 0."""
    meetings = np.zeros(count // 2 + 1)
    sizes = np.array([0.0] + [count / (1 + (2 * d == count)) for d in range(1, count // 2 + 1)])
    while taken == count:
        yield from ((0, *rest) for rest in permutations(range(1, count)))
    number = 0
    while True:
        options = islice(combinations(range(1, count), taken - 1), _COMPARED)
        found = [((0, *rest), meetings + _distances((0, *rest), count)) for rest in options]
        base, meetings = min(found, key=lambda option: float(sizes @ option[1] ** 2))
        turn = number % taken
        yield base[turn:] + base[:turn]
        number += 1


def _distances(base: tuple[int, ...], count: int) -> np.ndarray:
    """Return how often the shifts of a seating bring each pair together, by distance modulo n."""
    found = np.zeros(count // 2 + 1)
    for a, b in combinations(base, 2):
        distance = min((a - b) % count, (b - a) % count)
        found[distance] += 1 + (2 * distance == count)
    return found
