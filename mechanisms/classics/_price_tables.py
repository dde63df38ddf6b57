"""First and second price for many profiles of bids at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from theory.errors import ShapeError
from theory.shared.shapes import Int64

__all__ = ["first_price_table", "second_price_table"]

Table = npt.NDArray[Any]


def first_price_table(reports: Table) -> tuple[Int64[np.ndarray, "profiles agents"], Table]:
    """Return shares of the item and payments of :class:`FirstPrice`, a profile a row.

    Parameters
    ----------
    reports : array (profiles, agents)
        Integers, or objects such as fractions.

    Returns
    -------
    tuple of arrays (profiles, agents)
        Shares, 1 for the winner, and payments of the kind of the reports.

    Raises
    ------
    ShapeError
        Where there are not two axes, or no agents.

    Examples
    --------
    >>> shares, payments = first_price_table(np.array([[1, 3], [2, 2]]))
    >>> shares.tolist(), payments.tolist()
    ([[0, 1], [1, 0]], [[0, 3], [2, 0]])
    """
    shares = _shares(reports)
    return shares, shares * reports


def second_price_table(reports: Table) -> tuple[Int64[np.ndarray, "profiles agents"], Table]:
    """Return shares of the item and payments of :class:`SecondPrice`, reserve 0, a profile a row.

    Parameters
    ----------
    reports : array (profiles, agents)
        Integers, or objects such as fractions.

    Returns
    -------
    tuple of arrays (profiles, agents)
        Shares, 1 for the winner, and payments of the kind of the reports.

    Raises
    ------
    ShapeError
        Where there are not two axes, or no agents.

    Examples
    --------
    >>> shares, payments = second_price_table(np.array([[1, 3], [2, 2]]))
    >>> shares.tolist(), payments.tolist()
    ([[0, 1], [1, 0]], [[0, 1], [2, 0]])
    """
    shares = _shares(reports)
    price = np.where(shares, 0, reports).max(axis=1, keepdims=True)
    return shares, shares * price


def _shares(reports: Table) -> Int64[np.ndarray, "profiles agents"]:
    """Return 1 for the first highest bid of at least 0, and 0 otherwise."""
    if reports.ndim != 2 or not reports.shape[1]:
        problem = "is no table of profiles by agents"
        raise ShapeError("reports", reports.shape, problem, "give two axes and at least one agent")
    highest = reports.max(axis=1, keepdims=True)
    winner = reports.argmax(axis=1)[:, None]
    shares: Int64[np.ndarray, "profiles agents"] = np.zeros(reports.shape, dtype=np.int64)
    np.put_along_axis(shares, winner, highest >= 0, axis=1)
    return shares
