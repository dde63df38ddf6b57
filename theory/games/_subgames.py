"""Subgames, and the game cut into stages at them."""

from __future__ import annotations

from dataclasses import dataclass

from theory.games._game import Game
from theory.shared.arguments import instance_of

__all__ = ["Stage", "stages", "subgames"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A subgame less the subgames inside it.

    ``nodes`` are in preorder from the root on and include the roots of the next subgames, at which
    the stage is over (``cuts``); ``infosets`` are those of the stage itself.
    """

    root: int
    nodes: tuple[int, ...]
    cuts: frozenset[int]
    infosets: tuple[int, ...]


def subgames(game: Game) -> tuple[int, ...]:
    """Return the roots of all subgames, in preorder, the whole game first.

    A node that is no end starts one when every information set that meets its subtree lies in it.
    The first node always does.

    Notes
    -----
    O(nodes).

    References
    ----------
    Selten (1965), Spieltheoretische Behandlung eines Oligopolmodells mit Nachfrageträgheit.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    low, high = list(range(len(game.nodes))), list(range(len(game.nodes)))
    for infoset in game.infosets:
        for h in infoset.nodes:
            low[h], high[h] = infoset.nodes[0], infoset.nodes[-1]
    for h in range(len(game.nodes) - 1, 0, -1):
        parent = game.nodes[h].parent
        low[parent], high[parent] = min(low[parent], low[h]), max(high[parent], high[h])
    closed = (h for h, stop in enumerate(game.stops) if h <= low[h] and high[h] < stop)
    return tuple(h for h in closed if h == 0 or not game.nodes[h].is_end)


def stages(game: Game) -> tuple[Stage, ...]:
    """Return the stages of the game, each after those of all subgames inside its own.

    Notes
    -----
    O(nodes).
    """
    members = {root: [root] for root in subgames(game)}
    home = [0] * len(game.nodes)
    for h, node in enumerate(game.nodes[1:], 1):
        members[home[node.parent]].append(h)
        home[h] = h if h in members else home[node.parent]
    found = []
    for root in reversed(members):
        nodes = tuple(members[root])
        cuts = frozenset(h for h in nodes[1:] if h in members)
        own = {game.nodes[h].infoset for h in nodes if h not in cuts} - {-1}
        found.append(Stage(root, nodes, cuts, tuple(sorted(own))))
    return tuple(found)
