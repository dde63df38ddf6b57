"""The law of the returned reply: near the optimum, or off it where weights are of a wrong law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llm_adapters.players import Candidates
from mechanisms.softmax_auction import softmax_allocation
from theory.divergence import total_variation
from theory.resampling import resampling_law
from theory.shared.shapes import Float64
from theory.verdicts import Table

__all__ = ["ReplyLaws", "reply_laws_of"]


@dataclass(frozen=True, eq=False)
class ReplyLaws:
    """Laws over the different candidates K of one draw.

    Attributes
    ----------
    replies : tuple of str
        K, in the order in which they first came.
    optimum : float64 array of shape (k,)
        pi*(y) conditioned on K: in proportion to pi_ref(y) exp(Σ r_i(y)/tau).
    returned : float64 array of shape (k,)
        The law of the reply that the auction returns from the candidates as they were drawn, with
        weights pi_ref/pi_gen of the law really sampled.
    returned_own : float64 array of shape (k,)
        The same with the model's own law, at temperature 1, in the place of the sampled one.
    sizes : tuple of int
        Numbers of candidates M.
    distances, distances_own : float64 array of shape (sizes,)
        The total variation from ``optimum`` of the law of the reply when M candidates are drawn
        anew from the sampled law conditioned on K; with right weights, and with the model's own.
    limit, limit_own : float
        What the distances tend to as M grows.
    weight_error : float
        By how many nats the model's own law misstates the weight of one candidate relative to
        another, at most.
    """

    replies: tuple[str, ...]
    optimum: Float64[np.ndarray, " replies"]
    returned: Float64[np.ndarray, " replies"]
    returned_own: Float64[np.ndarray, " replies"]
    sizes: tuple[int, ...]
    distances: Float64[np.ndarray, " sizes"]
    distances_own: Float64[np.ndarray, " sizes"]
    limit: float
    limit_own: float
    weight_error: float

    @property
    def error(self) -> float:
        """The total variation of the two laws of the returned reply, on the candidates drawn."""
        return float(total_variation(self.returned, self.returned_own))

    def table(self) -> Table:
        """Return the laws, reply by reply."""
        columns = (self.optimum, self.returned, self.returned_own)
        rows = tuple(
            (str(k), *(f"{law[k - 1]:.4f}" for law in columns))
            for k in range(1, len(self.replies) + 1)
        )
        return Table(
            caption="The law of the returned reply on the different candidates",
            columns=("reply", "optimum", "auction", "auction, model's own weights"),
            rows=rows,
        )

    def distance_table(self) -> Table:
        """Return how far the law is from the optimum as candidates are drawn anew."""
        rows = [
            (f"{M:,}", f"{right:.4f}", f"{own:.4f}")
            for M, right, own in zip(self.sizes, self.distances, self.distances_own, strict=True)
        ]
        rows.append(("→ ∞", f"{self.limit:.4f}", f"{self.limit_own:.4f}"))
        return Table(
            caption="Total variation from the optimum, M candidates drawn anew from these replies",
            columns=("M", "weights of the sampled law", "weights of the model's own law"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.distance_table()}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.distance_table()._repr_html_()


def reply_laws_of(candidates: Candidates, tau: float) -> ReplyLaws:
    """Return the laws of the reply on given candidates.

    Raises
    ------
    InvalidInputError
        For a ``tau`` that is not positive, or candidates whose weights differ by some 11,000 nats.

    Notes
    -----
    The weights of the model's own law are those that the claim truthful.sampler refutes.
    """
    replies = candidates.different
    places = np.array([replies.index(reply) for reply in candidates.replies])
    first = np.array([candidates.replies.index(reply) for reply in replies])
    log_optimum = candidates.log_ref + candidates.rewards.sum(axis=0) / tau
    optimum = _normalise(log_optimum[first])
    returned, returned_own = (
        np.bincount(
            places,
            softmax_allocation(candidates.rewards, tau, candidates.log_ref, logs),
            minlength=len(replies),
        )
        for logs in (candidates.log_gen, candidates.log_own)
    )
    drawn = len(candidates.replies)
    sizes = (1, drawn, 10 * drawn, 1000 * drawn)
    law = _normalise(candidates.log_gen[first])
    found = []
    for logs in (candidates.log_gen, candidates.log_own):
        weights = (log_optimum - logs)[first]
        laws = [resampling_law(law, weights, M, logarithms=True) for M in sizes]
        off = [float(total_variation(np.asarray(one.law), optimum)) for one in laws]
        limit = float(total_variation(np.asarray(laws[0].limit), optimum))
        found.append((np.array(off), limit))
    (distances, limit), (distances_own, limit_own) = found
    return ReplyLaws(
        replies=replies,
        optimum=optimum,
        returned=returned,
        returned_own=returned_own,
        sizes=sizes,
        distances=distances,
        distances_own=distances_own,
        limit=limit,
        limit_own=limit_own,
        weight_error=float(np.ptp(candidates.log_gen - candidates.log_own)),
    )


def _normalise(logs: Float64[np.ndarray, " replies"]) -> Float64[np.ndarray, " replies"]:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())
