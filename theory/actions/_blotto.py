"""Colonel Blotto: two players spread troops over battlefields, the larger force wins a field."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from theory.actions._allocations import Allocations
from theory.actions._arguments import as_float64
from theory.actions._bilinear import BilinearGame
from theory.errors import NumberError, ShapeError
from theory.shared.arguments import read_count
from theory.shared.shapes import Row

__all__ = ["blotto"]


def blotto(
    fields: int,
    troops: int,
    opponent_troops: int | None = None,
    values: Sequence[float] | Row | None = None,
) -> BilinearGame:
    """Return the Colonel Blotto game: whoever has more troops on a field wins its value.

    Parameters
    ----------
    fields : int
        The number of battlefields, at least 1.
    troops, opponent_troops : int
        What players 0 and 1 have, at least 1 each; the same unless said otherwise.
    values : row of numbers, optional
        What fields are worth, above 0; all the same unless said otherwise.

    Returns
    -------
    BilinearGame
        A player earns the share of the total value that it wins; a field with equal forces is
        split in halves. Payoffs are in [0, 1], and those of the two players sum to 1.

    Raises
    ------
    InvalidInputError
        When a count is no integer of at least 1.
    ShapeError
        When there is not one value a field.
    NumberError
        When a value is not finite or not above 0.

    Notes
    -----
    The game of Borel (1921) in whole troops. A field contributes the same table of wins, so that
    the forms are block diagonal: (fields (troops + 1)) x (fields (opponent_troops + 1)).

    Examples
    --------
    >>> game = blotto(fields=3, troops=5)
    >>> round(game.payoff(0, (0, 2, 3), (1, 1, 3)), 6)
    0.5
    >>> game.sets[0].size
    21
    """
    own = Allocations(fields, troops)
    if opponent_troops is None:
        sets = (own, own)
    else:
        sets = (own, Allocations(fields, read_count("opponent_troops", opponent_troops)))
    shares = _shares(sets[0].fields, values)
    mine, others = np.arange(sets[0].troops + 1.0), np.arange(sets[1].troops + 1.0)
    wins = (np.sign(mine[:, None] - others) + 1) / 2
    form = np.kron(np.diag(shares), wins)
    return BilinearGame(sets, (form, np.kron(np.diag(shares), 1 - wins)))


def _shares(fields: int, values: Sequence[float] | Row | None) -> Row:
    if values is None:
        return np.full(fields, 1 / fields)
    row = as_float64("values", values, 1)
    if len(row) != fields:
        problem = f"has {len(row)} entries for {fields} fields"
        raise ShapeError("values", values, problem, "give one value a field")
    with np.errstate(over="ignore"):
        usable = row.min() > 0 and isfinite(float(row.sum()))
    if not usable:
        problem = "has entries that are not above 0 and finite"
        raise NumberError("values", values, problem, "leave out fields worth nothing")
    return np.asarray(row / row.sum())
