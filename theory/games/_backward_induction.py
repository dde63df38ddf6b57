"""Backward induction for games of perfect information."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.errors import InvalidInputError
from theory.games._equilibrium import Concept, Equilibrium
from theory.games._game import Game
from theory.games._strategies import Behaviour
from theory.shared.arguments import instance_of
from theory.verdicts import Table

__all__ = ["BackwardInduction", "backward_induction"]


@dataclass(frozen=True)
class BackwardInduction:
    """What backward induction finds.

    Attributes
    ----------
    equilibrium : Equilibrium
        With the first of the best moves at every node.
    maximisers : tuple of tuple of int
        For each information set all moves of the largest payoff, given those later moves.
    """

    equilibrium: Equilibrium
    maximisers: tuple[tuple[int, ...], ...]

    @property
    def unique(self) -> bool:
        """Whether no player is ever indifferent, so that there is one equilibrium only."""
        return all(len(moves) == 1 for moves in self.maximisers)

    def table(self) -> Table:
        """Return the best moves of every node, the one that is played first."""
        game = self.equilibrium.game
        rows = [
            (
                game.players[infoset.player],
                infoset.name,
                game.story(infoset.nodes[0]),
                ", ".join(infoset.moves[m] for m in best),
            )
            for infoset, best in zip(game.infosets, self.maximisers, strict=True)
        ]
        return Table(
            caption="Backward induction: the first of the best moves is played",
            columns=("player", "information set", "reached by", "best moves"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.equilibrium.tables()[1]}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.equilibrium.tables()[1]._repr_html_()


def backward_induction(game: Game) -> BackwardInduction:
    """Solve a game of perfect information from its ends to its start.

    V(h) = payoffs(h) + Σ_m p(m) V(h, m) at a node of chance; at a node of player i it is
    payoffs(h) + V(h, m) for the first m of argmax_m V_i(h, m).

    Raises
    ------
    InvalidInputError
        For an information set of several nodes.

    Notes
    -----
    O(nodes x players).

    References
    ----------
    Kuhn (1953), Extensive games and the problem of information.

    Examples
    --------
    >>> from theory.games import Game, choice, end
    >>> entry = choice("incumbent", "entry", {"fight": end(-1, -1), "share": end(1, 1)})
    >>> game = Game.of(("entrant", "incumbent"),
    ...     choice("entrant", "start", {"out": end(0, 2), "in": entry}))
    >>> print(backward_induction(game))
    Backward induction: the first of the best moves is played
    player     information set  reached by  best moves
    ─────────  ───────────────  ──────────  ──────────
    entrant    start            the start   in
    incumbent  entry            in          share
    <BLANKLINE>
    Subgame-perfect equilibrium
    player     payoff  most gained by deviating
    ─────────  ──────  ────────────────────────
    entrant    1       0
    incumbent  1       0
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    for infoset in game.infosets:
        if len(infoset.nodes) > 1:
            raise InvalidInputError(
                f"information set of {game.players[infoset.player]!r}",
                infoset.name,
                f"has {len(infoset.nodes)} nodes, where backward induction takes only sets of one",
                "use subgame_perfect",
            )
    values: list[tuple[Fraction, ...]] = [node.payoffs for node in game.nodes]
    maximisers: list[tuple[int, ...]] = [()] * len(game.infosets)
    for h in range(len(game.nodes) - 1, -1, -1):
        node = game.nodes[h]
        after = [values[child] for child in node.children]
        odds = node.probabilities
        if node.infoset >= 0:
            mover = game.infosets[node.infoset].player
            most = max(value[mover] for value in after)
            best = tuple(m for m, value in enumerate(after) if value[mover] == most)
            maximisers[node.infoset] = best
            after, odds = [after[best[0]]], (Fraction(1),)
        for value, p in zip(after, odds, strict=True):
            values[h] = tuple(a + p * b for a, b in zip(values[h], value, strict=True))
    behaviour = Behaviour.pure(game, [best[0] for best in maximisers])
    equilibrium = Equilibrium(game, behaviour, Concept.SUBGAME_PERFECT)
    return BackwardInduction(equilibrium, tuple(maximisers))
