"""All there is to tell of an auction."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from mechanisms.softmax_auction._allocation_and_payments import read_offset
from mechanisms.softmax_auction._reading import Queries, read_queries
from mechanisms.softmax_auction._refusals import run
from mechanisms.softmax_auction._settlement import Settlement, draw_indices, settle_queries
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64, Int64
from theory.verdicts import Table

__all__ = ["AuctionOutcome", "softmax_auction"]

_SHOWN: Final = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class AuctionOutcome:
    r"""The auction of one query, or of a batch of them along leading axes.

    With :math:`q_i` the law of the reply among the same candidates when agent i stays out:

    Attributes
    ----------
    allocation : float64 array of shape (..., candidates)
        p, the law of the reply.
    expected_rewards : float64 array of shape (..., agents)
        :math:`p \cdot r_i`.
    payments : float64 array of shape (..., agents)
        What each agent pays in expectation; :math:`\tau\, KL(p \| q_i)` with the offset.
    utilities : float64 array of shape (..., agents)
        Expected reward less payment; with the offset, between the least and the largest of the
        agent's rewards.
    reward_gains : float64 array of shape (..., agents)
        :math:`p \cdot r_i - q_i \cdot r_i = \tau (KL(p \| q_i) + KL(q_i \| p))`, eq. (19) with the
        candidates held fixed.
    utility_gains : float64 array of shape (..., agents)
        Utility less :math:`q_i \cdot r_i`, which staying out brings among the same candidates;
        with the offset, :math:`\tau\, KL(q_i \| p)`.
    error_bounds : float64 array of shape (..., agents)
        Rigorous bounds on how far ``payments`` are from those of exact arithmetic on the float64
        numbers that came in. They say nothing of the other arrays.
    rewards, tau : float64 arrays of shapes (..., agents, candidates) and (...)
        What came in.
    offset : bool
        Whether payments have the offset (13).
    """

    allocation: Float64[np.ndarray, "..."]
    expected_rewards: Float64[np.ndarray, "..."]
    payments: Float64[np.ndarray, "..."]
    utilities: Float64[np.ndarray, "..."]
    reward_gains: Float64[np.ndarray, "..."]
    utility_gains: Float64[np.ndarray, "..."]
    error_bounds: Float64[np.ndarray, "..."]
    rewards: Float64[np.ndarray, "..."]
    tau: Float64[np.ndarray, "..."]
    offset: bool
    _queries: Queries = field(repr=False)

    @property
    def revenue(self) -> Float64[np.ndarray, "..."]:
        """The sum of all payments of each query; shape (...)."""
        return np.asarray(self.payments.sum(axis=-1))

    @cached_property
    def allocation_without(self) -> Float64[np.ndarray, "..."]:
        r"""The law :math:`q_i` of the reply with each agent away; (..., agents, candidates).

        Computed when it is asked for: it is as large as the rewards.
        """
        from mechanisms.softmax_auction._kernels import allocate_without

        laws = np.empty(self._queries.rewards.shape)
        run(allocate_without, self._queries, laws)
        laws.flags.writeable = False
        return laws.reshape(self.rewards.shape)

    def sample(self, rng: np.random.Generator) -> Int64[np.ndarray, "..."]:
        """Draw the reply of each query from ``allocation``; return indices of shape (...).

        Raises
        ------
        InvalidInputError
            When ``rng`` is no generator.
        """
        return draw_indices(self.allocation, rng)

    def settle(self, reply: Any, settlement: str = "fixed") -> Settlement:
        """Return what each agent pays and gains when ``reply`` is drawn.

        Parameters
        ----------
        reply : int or integer array of shape (...)
            The candidate drawn in each query, from 0 to candidates - 1.
        settlement : str
            "fixed": each agent pays its expected payment whatever is drawn, as in the paper; what
            it gains may be negative. "contingent": it pays its reward for the reply less its
            expected utility, which comes to the same in expectation and makes what it gains
            certain; a payment may be negative.

        Raises
        ------
        InvalidInputError
            For a reply that is no candidate, or an unknown settlement.
        """
        return settle_queries(self.rewards, self.payments, self.utilities, reply, settlement)

    def table(self) -> Table:
        """Return the agents of the first query as a table."""
        payments, bounds = self._take_first(self.payments), self._take_first(self.error_bounds)
        columns = [
            self._take_first(values)
            for values in (
                self.expected_rewards,
                self.payments,
                self.utilities,
                self.reward_gains,
                self.utility_gains,
            )
        ]
        rows = [
            (str(i), *(f"{values[i]:.6g}" for values in columns))
            for i in range(min(len(payments), _SHOWN))
        ]
        if len(payments) > _SHOWN:
            rows.append((f"{len(payments) - _SHOWN:,} more", *[""] * len(columns)))
        agents, candidates = self.rewards.shape[-2:]
        queries = self.tau.size
        more = f", the first of {queries:,} queries" if queries > 1 else ""
        kind = "with" if self.offset else "without"
        return Table(
            caption=f"Softmax auction of {_count(candidates, 'candidate')} among "
            f"{_count(agents, 'agent')} at tau = {self.tau.flat[0]:g}, {kind} the offset{more}: "
            f"revenue {payments.sum():.6g}, payments within {bounds.max():.1g}",
            columns=(
                "agent",
                "expected reward",
                "payment",
                "utility",
                "reward gain",
                "utility gain",
            ),
            rows=tuple(rows),
        )

    @staticmethod
    def _take_first(values: np.ndarray) -> np.ndarray:
        return np.asarray(values.reshape(-1, values.shape[-1])[0])

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return (
            f"AuctionOutcome(rewards of shape {self.rewards.shape}, "
            f"revenue {self.revenue.sum():.6g}, offset={self.offset})"
        )

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


@refusing
def softmax_auction(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None, *, offset: bool = True
) -> AuctionOutcome:
    """Run the auction: who gets what, who pays what, and what each agent adds.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen, offset
        As in :func:`~mechanisms.softmax_auction.softmax_payments`.

    Returns
    -------
    AuctionOutcome
        All arrays read-only, with a bound on the error of each payment.

    Raises
    ------
    InvalidInputError
        As :func:`~mechanisms.softmax_auction.softmax_allocation`.

    Notes
    -----
    About ten times the work of the payments alone: bounds, and the law with each agent away.

    Examples
    --------
    >>> outcome = softmax_auction([[1.0, 0.0], [0.0, 2.0]], tau=1.0)
    >>> print(outcome)
    Softmax auction of 2 candidates among 2 agents at tau = 1, with the offset: revenue 0.544725, payments within 6e-15
    agent  expected reward  payment    utility   reward gain  utility gain
    ─────  ───────────────  ─────────  ────────  ───────────  ────────────
    0      0.268941         0.0826077  0.186334  0.149738     0.0671308
    1      1.46212          0.462117   1         0.924234     0.462117
    >>> reply = outcome.sample(np.random.default_rng(0))
    >>> outcome.settle(reply).utilities.round(4)
    array([-0.0826,  1.5379])
    """  # noqa: E501
    queries = read_queries(rewards, tau, log_ref, log_gen).kept()
    with_offset = read_offset(offset)
    from mechanisms.softmax_auction import _kernels

    count, agents, candidates = queries.rewards.shape
    allocation = np.empty((count, candidates))
    numbers = np.empty((_kernels.NUMBERS, count, agents))
    run(_kernels.report, queries, with_offset, allocation, numbers)
    batch = queries.batch
    table = queries.rewards.reshape(*batch, agents, candidates)
    heat = queries.tau.reshape(batch)
    law = allocation.reshape(*batch, candidates)
    told = numbers.reshape(-1, *batch, agents)
    views = [array.view() for array in (table, heat, law, told)]
    for array in views:
        array.flags.writeable = False
    table, heat, law, told = views
    return AuctionOutcome(
        allocation=law,
        expected_rewards=told[_kernels.EXPECTED],
        payments=told[_kernels.PAYMENTS],
        utilities=told[_kernels.UTILITIES],
        reward_gains=told[_kernels.REWARD_GAINS],
        utility_gains=told[_kernels.UTILITY_GAINS],
        error_bounds=told[_kernels.BOUNDS],
        rewards=table,
        tau=heat,
        offset=with_offset,
        _queries=queries,
    )
