"""All there is to tell of an auction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.softmax_auction._plain import price
from mechanisms.softmax_auction._reading import read_queries
from mechanisms.softmax_auction._settling import Settlement
from theory._shapes import Float64, Int64
from theory.errors import InvalidInputError

__all__ = ["AuctionOutcome", "softmax_auction"]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True, repr=False)
class AuctionOutcome:
    """The auction of one query, or of a batch of them along leading axes."""

    allocation: Float64[np.ndarray, "..."]
    allocation_without: Float64[np.ndarray, "..."]
    expected_rewards: Float64[np.ndarray, "..."]
    payments: Float64[np.ndarray, "..."]
    utilities: Float64[np.ndarray, "..."]
    reward_gains: Float64[np.ndarray, "..."]
    utility_gains: Float64[np.ndarray, "..."]
    error_bounds: Float64[np.ndarray, "..."]
    rewards: Float64[np.ndarray, "..."]
    tau: Float64[np.ndarray, "..."]
    offset: bool

    @property
    def revenue(self) -> Float64[np.ndarray, "..."]:
        """The sum of all payments of each query."""
        return np.asarray(self.payments.sum(axis=-1))

    def sample(self, rng: np.random.Generator) -> Int64[np.ndarray, "..."]:
        """Draw the reply of each query."""
        if not isinstance(rng, np.random.Generator):
            fix = "give numpy.random.default_rng(seed)"
            raise InvalidInputError("rng", rng, "is no numpy.random.Generator", fix)
        sums = np.cumsum(self.allocation, axis=-1)
        levels = (1 - rng.random(sums.shape[:-1])) * sums[..., -1]
        return np.asarray((sums < levels[..., None]).sum(axis=-1), np.int64)

    def realised(self, reply: Any, settlement: str = "fixed") -> Settlement:
        """Return what each agent pays and gains when ``reply`` is drawn."""
        chosen = np.asarray(reply, np.int64)
        index = chosen[..., None, None]
        got = np.take_along_axis(self.rewards, index, axis=-1)[..., 0]
        paid = self.payments if settlement == "fixed" else got - self.utilities
        return Settlement(reply=chosen, payments=paid, utilities=got - paid, settlement=settlement)


def softmax_auction(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None, *, offset: bool = True
) -> AuctionOutcome:
    """Run the auction: who gets what, who pays what, and what each agent adds."""
    queries = read_queries(rewards, tau, log_ref, log_gen)
    batch, (agents, candidates) = queries.batch, queries.rewards.shape[1:]
    found = price(queries, offset)
    shapes = {"allocation": (candidates,), "without": (agents, candidates)}
    parts = {name: v.reshape(*batch, *shapes.get(name, (agents,))) for name, v in found.items()}
    return AuctionOutcome(
        allocation_without=parts.pop("without"),
        rewards=queries.rewards.reshape(*batch, agents, candidates),
        tau=queries.tau.reshape(batch),
        offset=offset,
        **parts,
    )
