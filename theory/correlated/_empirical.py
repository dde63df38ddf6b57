"""The joint distribution that a history of independent mixed play amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, LimitError, ProbabilityError, ShapeError
from theory.normal_form import MAX_PAYOFFS
from theory.normal_form.kinds import read_numbers, together
from theory.normal_form.names import is_list
from theory.numbers import Exact, Floats, Numbers
from theory.probability import SUM_TOLERANCE
from theory.shared.arguments import refusing

__all__ = ["empirical_distribution"]

_CELLS: Final = 1 << 22


@refusing
def empirical_distribution(plays: Sequence[Any] | np.ndarray) -> np.ndarray:
    """Return the average over rounds of the product of the players' mixed strategies.

    Entry a of the result is (1/T) Σ_t Π_p x_p,t(a_p): the distribution of the profile of a round
    drawn at random, in which each player draws from the strategy of that round. Its equilibrium
    gaps are the players' average regrets, floored at 0.

    Parameters
    ----------
    plays : one array of shape (T, N_p) a player
        The strategy of each round, all exact or all float64; integers may stand among floats.

    Returns
    -------
    array of shape (N_1, ..., N_n)
        Of float64, or of Fraction where all plays are exact.

    Raises
    ------
    ShapeError
        For arrays that are not matrices, differ in the number of rounds, or are empty.
    ProbabilityError
        For a strategy with a negative entry, or whose sum is not one (within 1e-9 for floats).
    NumberError, ExactnessError
        For NaN, infinity or what is no number; for exact fractions beside floats.
    LimitError
        For more than 2^26 profiles.

    Notes
    -----
    O(T x profiles), in blocks of rounds.

    Examples
    --------
    >>> joint = empirical_distribution([[[1, 0], [0, 1]], [[1, 0], ["1/2", "1/2"]]])
    >>> [[str(v) for v in row] for row in joint]
    [['1/2', '0'], ['1/4', '1/4']]
    """
    if not is_list(plays) or len(plays) == 0:
        raise InvalidInputError("plays", plays, "is no list of histories", "give one a player")
    named = [(f"plays[{p}]", read_numbers(own, f"plays[{p}]")) for p, own in enumerate(plays)]
    rounds = named[0][1].shape[0] if named[0][1].shape else 0
    for argument, numbers in named:
        shape = numbers.shape
        if len(shape) != 2 or 0 in shape or shape[0] != rounds:
            raise ShapeError(
                argument,
                shape,
                "is not one row a round, as many as the others",
                "give at least one round and one action",
            )
        _check_rows(numbers, argument)
    cells = prod(numbers.shape[1] for _, numbers in named)
    if cells > MAX_PAYOFFS:
        raise LimitError("plays", cells, f"has more than {MAX_PAYOFFS:,} profiles", "use fewer")
    same = together(*named)
    shape = tuple(numbers.shape[1] for numbers in same)
    if all(isinstance(numbers, Floats) for numbers in same):
        total = _sum_of_products([n.values for n in same if isinstance(n, Floats)])
        return (total / rounds).reshape(shape)
    exact = [numbers for numbers in same if isinstance(numbers, Exact)]
    total = _sum_of_products([numbers.numerators.astype(object) for numbers in exact])
    common = rounds * prod(numbers.denominator for numbers in exact)
    averages = np.empty(cells, dtype=object)
    averages[:] = Exact(total.ravel(), common).scalars()
    return averages.reshape(shape)


def _check_rows(numbers: Numbers, argument: str) -> None:
    signs = numbers.signs()
    if (signs < 0).any():
        t, action = map(int, np.argwhere(signs < 0)[0])
        raise ProbabilityError(
            f"{argument}[{t}, {action}]",
            numbers[t, action].item(),
            "is negative",
            "give numbers of at least 0",
        )
    totals = numbers.sum()
    if isinstance(totals, Floats):
        wrong = np.abs(totals.values - 1) > SUM_TOLERANCE
    else:
        wrong = np.asarray((totals - Exact(1)).signs() != 0)
    if wrong.any():
        t = int(np.argmax(wrong))
        raise ProbabilityError(
            f"{argument}[{t}]", totals[t].item(), "does not sum to one", "divide by the sum"
        )


def _sum_of_products(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return Σ_t of the outer product of the rows t, flat in C order."""
    *first, last = rows
    rounds, width = len(last), prod(r.shape[1] for r in first)
    total = np.zeros((width, last.shape[1]), dtype=last.dtype)
    block = max(1, _CELLS // width)
    for start in range(0, rounds, block):
        part = slice(start, start + block)
        joint = np.ones((len(last[part]), 1), dtype=last.dtype)
        for own in first:
            joint = (joint[:, :, np.newaxis] * own[part][:, np.newaxis, :]).reshape(len(joint), -1)
        total = total + joint.T @ last[part]
    return total.ravel()
