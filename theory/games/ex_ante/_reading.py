"""The checker's own reading of a game, which shares nothing with the solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from theory.games._game import Game

__all__ = ["Place", "Reading", "read"]

Passes = tuple[tuple[int, int], ...]
"""The moves made at forgetful sets, as (set, move), pass by pass."""


@dataclass(frozen=True, slots=True)
class Place:
    """An information set together with the own moves that lead there.

    ``before`` is the number of that own history, ``after[m]`` that of the history with move m.
    """

    infoset: int
    before: int
    after: range


@dataclass
class Reading:
    """The places of a game by their first nodes, in preorder, and the payoffs of own histories.

    A forgetful set can be passed twice on one path; its moves are in no history.

    Attributes
    ----------
    forgetful : dict of int to int
        How many moves each forgetful set has.
    places : dict of int to Place
    payoffs : list of lists
        For each history, its payoffs times the probability of chance, with the passes.
    """

    forgetful: dict[int, int]
    places: dict[int, Place] = field(default_factory=dict)
    payoffs: list[list[tuple[Fraction, Passes]]] = field(default_factory=lambda: [[]])


def read(game: Game) -> Reading:
    """Walk down to every node that chance allows, noting the own moves on the way."""
    chance = [Fraction(1)] * len(game.nodes)
    for v, node in enumerate(game.nodes[1:], 1):
        above = game.nodes[node.parent]
        so_far = chance[node.parent]
        if above.is_chance:
            p = above.probabilities[node.move]
            so_far = p if so_far == 1 else so_far * p
        chance[v] = so_far
    reading = Reading(
        {
            k: len(infoset.moves)
            for k, infoset in enumerate(game.infosets)
            if len(infoset.moves) > 1
            and any(k in _above(game, v) for v in infoset.nodes if chance[v])
        }
    )
    at: dict[tuple[int, int], Place] = {}
    paid = [Fraction(0)] * len(game.nodes)
    history = [0] * len(game.nodes)
    passes: list[Passes] = [()] * len(game.nodes)
    for v, node in enumerate(game.nodes):
        paid[v] = node.payoffs[0]
        if v:
            up = node.parent
            k = game.nodes[up].infoset
            paid[v] = paid[v] + paid[up] if paid[up] and paid[v] else paid[up] or paid[v]
            history[v], passes[v] = history[up], passes[up]
            if k in reading.forgetful:
                passes[v] = (*passes[up], (k, node.move))
            elif (k, history[up]) in at:
                history[v] = at[k, history[up]].after[node.move]
        key = (node.infoset, history[v])
        if not chance[v]:
            continue
        if node.is_end:
            reading.payoffs[history[v]].append((chance[v] * paid[v], passes[v]))
        elif node.infoset >= 0 and node.infoset not in reading.forgetful and key not in at:
            start = len(reading.payoffs)
            reading.payoffs.extend([] for _ in node.children)
            at[key] = reading.places[v] = Place(*key, range(start, len(reading.payoffs)))
    return reading


def _above(game: Game, v: int) -> Iterator[int]:
    """Yield the information sets on the path to a node."""
    while v:
        v = game.nodes[v].parent
        yield game.nodes[v].infoset
