"""A play: who revealed what, what the judge would then have done, what each is paid."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from theory.marginal_value._sets import Names, set_text
from theory.numbers import Scalar
from theory.shared.text import number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["Play"]


@dataclass(frozen=True)
class Play(ShownAsTable):
    """The moves of a play before the null move that ends it.

    Attributes
    ----------
    moves : tuple of tuple of str
        What each player newly reveals.
    prices : tuple of number
        The price of each move.
    actions : tuple of Hashable
        a_0, …, a_N: what the judge takes before the first move and after each.
    rewards : tuple of number
        R^1, …, R^N.
    revealed : tuple of str
        F, all that is revealed in the end.
    """

    moves: tuple[Names, ...]
    prices: tuple[Scalar, ...]
    actions: tuple[Hashable, ...]
    rewards: tuple[Scalar, ...]
    revealed: Names

    def table(self) -> Table:
        """Return the play, a row a player."""
        columns = zip(self.moves, self.prices, self.actions[1:], self.rewards, strict=True)
        rows = tuple(
            (str(n), set_text(move), number_text(price), str(action), number_text(reward))
            for n, (move, price, action, reward) in enumerate(columns, 1)
        )
        count = f"{len(self.moves)} move{'' if len(self.moves) == 1 else 's'}"
        reveal = "reveals" if len(self.moves) == 1 else "reveal"
        caption = f"{count} {reveal} {set_text(self.revealed)}" if rows else "nothing is revealed"
        return Table(
            caption=caption,
            columns=("player", "reveals", "price", "the judge", "reward"),
            rows=(("", "", "", str(self.actions[0]), ""), *rows),
        )
