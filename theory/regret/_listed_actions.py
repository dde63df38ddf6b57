r"""Regret where the actions are listed: exact on rationals, fast on float64."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from theory.numbers import Exact, Floats
from theory.regret._assembly import Row, assemble_regrets, total
from theory.regret._reading import read_history
from theory.regret._recheck import recheck_exact, recheck_floats
from theory.regret._result import ExternalRegret, Regret
from theory.shared.arguments import refusing
from theory.shared.shapes import Int64

__all__ = ["regret"]

_CELLS: Final = 1 << 22
"""Entries of the matrix of earnings that are held at once."""

_INT64: Final = 2**63 - 1


@refusing
def regret(plays: Any, rewards: Any) -> Regret:
    r"""Return external, internal and swap regret of a history, each with its best deviation.

    With x_t the play and r_t the rewards of round t = 1, ..., T, let

        M(i, j) = \sum_t x_t(i) r_t(j),

    what would have been earned with action i, had it been replaced by j. Then

        external regret = max_j \sum_t r_t(j) - \sum_i M(i, i),
        internal regret = max_{i, j} M(i, j) - M(i, i),
        swap regret     = \sum_i max_j M(i, j) - M(i, i).

    Of equally good actions the first is reported; an action that is among its own best replies
    keeps its place. The rewards are those that came: against an opponent that adapts, a deviation
    is judged as if the opponent had done the same, and what another play would have provoked is
    left out.

    Parameters
    ----------
    plays : array-like of shape (T, N)
        A row of probabilities a round: integers, fractions or text such as "1/3" for an exact
        answer, or floats, or sparse strategies (:class:`theory.actions.SparseStrategy`).
    rewards : array-like of shape (T, N)
        What each action would have earned. Exact where the plays are; whole numbers go with floats.

    Returns
    -------
    Regret
        All three together, with the gap in each action that was played, and a recheck by other
        code.

    Raises
    ------
    ShapeError, ProbabilityError, NumberError, ExactnessError, InvalidInputError
        For no rounds or no actions, plays that are no distributions, numbers that are not finite or
        of two kinds.

    Notes
    -----
    O(T N P) time for P <= N actions that are played at all, and O(T N) memory. Blum and Mansour,
    From external to internal regret (JMLR 8, 2007).

    Examples
    --------
    Always one action behind: whatever was played, another action was better.

    >>> found = regret([[1, 0], [0, 1], [1, 0], [0, 1]], [[0, 1], [1, 0], [0, 1], [1, 0]])
    >>> print(found.table())
    Regret after 4 rounds with 2 actions, earning 0 a round (exact)
              in all  a round  best deviation
    ────────  ──────  ───────  ───────────────────────
    external  2       1/2      always 0
    internal  2       1/2      1 wherever 0 was played
    swap      4       1        0 → 1, 1 → 0
    >>> found.swap.gain, found.gap
    (Fraction(4, 1), Fraction(0, 1))
    """
    x, r = read_history(plays, rewards)
    rows = _rows(x, r)
    totals = _transpose(r).sum()[:, np.newaxis]
    best = int(totals.maximisers()[:, 0].argmax())
    earned, most = total(row.own for row in rows), totals[best].scalars()[0]
    external = ExternalRegret(gain=most - earned, action=best)
    found = assemble_regrets(x.kind, x.shape, earned, external, rows)
    if isinstance(x, Floats) and isinstance(r, Floats):
        return recheck_floats(found, x.values, r.values)
    return recheck_exact(found, x.scalars(), r.scalars())


def _rows(plays: Exact | Floats, rewards: Exact | Floats) -> list[Row]:
    """Return what every action that was played earned, and what its best reply would have."""
    by_action = _transpose(plays)
    weights = by_action.sum()
    played = np.flatnonzero(weights.signs() > 0)
    step = max(1, _CELLS // max(plays.shape))
    found: list[Row] = []
    for start in range(0, len(played), step):
        sources = played[start : start + step]
        found += _block(sources, weights[sources].scalars(), by_action[sources], rewards)
    return found


def _block(
    sources: Int64[np.ndarray, " block"], weights: list[Any], plays: Any, rewards: Any
) -> list[Row]:
    columns = _transpose(_product(plays, rewards))
    best, own = columns.max(), columns[sources, np.arange(len(sources))]
    targets = columns.maximisers().argmax(axis=0)
    gains = (best - own).scalars()
    listed = zip(sources.tolist(), weights, own.scalars(), targets.tolist(), gains, strict=True)
    return [Row(*row) for row in listed]


def _transpose(a: Exact | Floats) -> Exact | Floats:
    if isinstance(a, Exact):
        return Exact(a.numerators.T, a.denominator)
    return Floats(a.values.T)


def _product(a: Any, b: Any) -> Exact | Floats:
    """Return the product of two matrices of one kind."""
    if isinstance(a, Floats):
        return Floats(a.values @ b.values)
    x, y = a.numerators, b.numerators
    if _largest(x) * _largest(y) * len(y) > _INT64:
        x, y = x.astype(object), y.astype(object)
    return Exact(x @ y, a.denominator * b.denominator)


def _largest(a: np.ndarray) -> int:
    return max(abs(int(a.max())), abs(int(a.min())))
