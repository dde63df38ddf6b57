"""What is paid when a reply has been drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, ShapeError, UnknownNameError, nearest
from theory.shared.arguments import read_generator
from theory.shared.shapes import Float64, Int64
from theory.verdicts import ShownAsTable, Table

__all__ = ["Settlement", "draw_indices", "settle_queries"]

_SETTLEMENTS: Final = ("fixed", "contingent")
_SHOWN: Final = 20


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Settlement(ShownAsTable):
    """Money and utility of each agent once the reply is known.

    Attributes
    ----------
    reply : int64 array of shape (...)
        The candidate drawn in each query.
    payments, utilities : float64 arrays of shape (..., agents)
        What each agent pays, and its reward for the reply less that.
    settlement : str
        "fixed" or "contingent"; see ``AuctionOutcome.settle``.
    """

    reply: Int64[np.ndarray, "..."]
    payments: Float64[np.ndarray, "..."]
    utilities: Float64[np.ndarray, "..."]
    settlement: str

    def table(self) -> Table:
        """Return the agents of the first query as a table."""
        paid, kept = (v.reshape(-1, v.shape[-1])[0] for v in (self.payments, self.utilities))
        rows = [(str(i), f"{paid[i]:.6g}", f"{kept[i]:.6g}") for i in range(min(len(paid), _SHOWN))]
        if len(paid) > _SHOWN:
            rows.append((f"{len(paid) - _SHOWN:,} more", "", ""))
        more = f", the first of {self.reply.size:,} queries" if self.reply.size > 1 else ""
        return Table(
            caption=f"Reply {int(self.reply.flat[0])}, payments {self.settlement}{more}",
            columns=("agent", "payment", "utility"),
            rows=tuple(rows),
        )


def draw_indices(allocation: Float64[np.ndarray, "..."], rng: Any) -> Int64[np.ndarray, "..."]:
    """Draw an index from each law along the last axis, never one of probability 0."""
    read_generator(rng)
    sums = np.cumsum(allocation, axis=-1)
    levels = np.asarray((1 - rng.random(sums.shape[:-1])) * sums[..., -1])
    return np.asarray((sums < levels[..., None]).sum(axis=-1), np.int64)


def settle_queries(
    rewards: np.ndarray, payments: np.ndarray, utilities: np.ndarray, reply: Any, settlement: Any
) -> Settlement:
    """Settle each query at its reply."""
    if not isinstance(settlement, str) or settlement not in _SETTLEMENTS:
        problem, fix = "is no settlement", nearest(settlement, _SETTLEMENTS)
        raise UnknownNameError("settlement", settlement, problem, fix)
    chosen = np.asarray(reply)
    candidates = rewards.shape[-1]
    fix = f"give integers from 0 to {candidates - 1}"
    if chosen.dtype.kind not in "iu":
        raise InvalidInputError("reply", reply, "is no index of a candidate", fix)
    if chosen.shape != rewards.shape[:-2]:
        problem = f"is not of the shape {rewards.shape[:-2]} of the queries"
        raise ShapeError("reply", chosen.shape, problem, "give one reply for each query")
    if not ((chosen >= 0) & (chosen < candidates)).all():
        raise InvalidInputError("reply", reply, "is no index of a candidate", fix)
    chosen = chosen.astype(np.int64)
    got = np.take_along_axis(rewards, chosen[..., None, None], axis=-1)[..., 0]
    paid = payments if settlement == "fixed" else got - utilities
    kept = got - payments if settlement == "fixed" else utilities
    return Settlement(reply=chosen, payments=paid, utilities=kept, settlement=settlement)
