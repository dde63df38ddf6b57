r"""Informants that know the game: greedy, at equilibrium, making a market, at random.

S is what is revealed when an informant is asked, and T what is revealed after its move. All but
the one at equilibrium reveal only what they hold, and nothing whose price is infinite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechanisms.protocols import History
from theory.marginal_value import Equilibrium, MarginalValueGame
from theory.shared.shapes import Int64

__all__ = [
    "EquilibriumInformant",
    "GreedyInformant",
    "MarketMakingInformant",
    "RandomInformant",
]

Names = tuple[str, ...]


@dataclass(frozen=True)
class GreedyInformant:
    r"""Reveals what would pay most if the game ended with its move.

    It maximises u_T(a_T) - u_T(a_S) - p(T \ S); of several best moves it makes the one of fewest
    items, so none if that is best, and among those the one of earlier items.
    """

    game: MarginalValueGame

    def reveal(self, history: History) -> Names:
        """Return the move."""
        moves = _open_moves(self.game, history)
        return _find_best_paid(self.game, moves, _places(moves))


@dataclass(frozen=True)
class MarketMakingInformant:
    r"""Moves the judge towards the view that knows everything.

    It forecasts that the judge will end at K, all items revealed, and maximises
    u_K(a_T) - u_K(a_S) - p(T \ S): where the judge forecasts an event under a proper score, it
    moves the price of a market towards its own forecast. Ties as for :class:`GreedyInformant`.
    Source: volition, section 4, on AI safety via market making.
    """

    game: MarginalValueGame

    def reveal(self, history: History) -> Names:
        """Return the move."""
        moves = _open_moves(self.game, history)
        everything = np.full(len(moves), len(self.game.sets) - 1)
        return _find_best_paid(self.game, moves, everything)


@dataclass(frozen=True)
class EquilibriumInformant:
    r"""Plays the subgame-perfect equilibrium from whatever is revealed.

    It maximises u_F(a_T) - u_F(a_S) - p(T \ S), where F is what the game ends at after T if all go
    on so; ties as the equilibrium breaks them. It takes no heed of who holds what.
    """

    equilibrium: Equilibrium

    def reveal(self, history: History) -> Names:
        """Return the move."""
        game = self.equilibrium.game
        target = int(self.equilibrium.follow[game.place(history.revealed)])
        return _name_new(game, target, history)


@dataclass(frozen=True)
class RandomInformant:
    """Draws one of the moves open to it, the null move included, all equally likely."""

    game: MarginalValueGame
    generator: np.random.Generator

    def reveal(self, history: History) -> Names:
        """Return the move."""
        moves = [*_open_moves(self.game, history)]
        return moves[int(self.generator.integers(len(moves)))]


def _open_moves(game: MarginalValueGame, history: History) -> dict[Names, int]:
    """Return by what is newly revealed where each move leads, in the order of ties.

    The null move comes first, then those of fewest items, then those of earlier items.
    """
    start = game.place(history.revealed)
    moves = {_name_new(game, t, history): t for t in [start, *game.after(start).tolist()]}
    held = [new for new in moves if history.held.keys() >= set(new)]
    held.sort(key=lambda new: (len(new), [game.items.index(name) for name in new]))
    return {new: moves[new] for new in held}


def _find_best_paid(
    game: MarginalValueGame, moves: dict[Names, int], ends: Int64[np.ndarray, " k"]
) -> Names:
    """Return the first of the moves that are paid best when the game ends at ``ends``."""
    places = _places(moves)
    return [*moves][int(game.mark_best_rewarded(int(places[0]), places, ends).argmax())]


def _places(moves: dict[Names, int]) -> Int64[np.ndarray, " k"]:
    return np.array([*moves.values()], dtype=np.int64)


def _name_new(game: MarginalValueGame, target: int, history: History) -> Names:
    return tuple(name for name in game.names(target) if name not in history.revealed)
