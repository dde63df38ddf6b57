"""Who gets what and who pays what: the functions that return arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.softmax_auction._plain import price
from mechanisms.softmax_auction._reading import read_queries
from theory._shapes import Float64
from theory.errors import InvalidInputError, ShapeError

__all__ = ["softmax_allocation", "softmax_payments"]


def softmax_allocation(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None
) -> Float64[np.ndarray, "..."]:
    r"""Probability of each candidate: softmax of :math:`\sum_i r_i / \tau + \log \rho`."""
    queries = read_queries(rewards, tau, log_ref, log_gen)
    allocation: np.ndarray = price(queries, True)["allocation"]
    return allocation.reshape(*queries.batch, -1)


def softmax_payments(
    rewards: Any,
    tau: Any,
    log_ref: Any = None,
    log_gen: Any = None,
    *,
    offset: bool = True,
    out: Float64[np.ndarray, "..."] | None = None,
) -> Float64[np.ndarray, "..."]:
    r"""Expected payment of each agent: :math:`\tau\, KL(p \| q_i)` with the offset."""
    queries = read_queries(rewards, tau, log_ref, log_gen)
    shape = (*queries.batch, queries.rewards.shape[1])
    payments = price(queries, offset)["payments"].reshape(shape)
    if out is None:
        return np.asarray(payments)
    if type(out) is not np.ndarray or out.dtype != np.float64 or not out.flags.carray:
        raise InvalidInputError("out", type(out), "is no writable C-contiguous float64", "make it")
    if out.shape != shape:
        raise ShapeError("out", out.shape, "has the wrong shape", f"give one of shape {shape}")
    out[...] = payments
    return out
