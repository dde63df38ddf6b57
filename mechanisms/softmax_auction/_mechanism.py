"""The softmax auction as a mechanism for ``theory.incentives``: reports are vectors of rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, Self

import numpy as np

from mechanisms.softmax_auction._outcome import softmax_auction
from theory.errors import InvalidInputError
from theory.incentives import Outcome, Traced

__all__ = ["SoftmaxAuction"]


@dataclass(frozen=True)
class SoftmaxAuction(Traced):
    r"""The auction over fixed candidates: each agent reports its reward for each of them.

    The allocation is the law :math:`p` of the reply, which the battery values at :math:`p \cdot
    r_i` (``Rewards``), and payments are expected ones. Outcomes are those of
    :func:`softmax_auction`, in float64; searches along the gradient follow
    ``with_jax``, which shares no code with it, and are judged by the outcomes.

    Parameters
    ----------
    tau : float
        Positive and finite.
    log_ref, log_gen : sequence of float, optional
        One entry a candidate; both or neither.
    offset : bool, default True
        Whether the payments have the offset (13).

    Raises
    ------
    InvalidInputError
        For a temperature that is not positive and finite, or one of ``log_ref`` and ``log_gen``
        alone. What is wrong with reports is raised when they come.

    Notes
    -----
    Truthful for every ``tau``, candidates and offset that does not depend on the own report
    (Theorem 5.1). Individually rational where rewards are at least 0, and not otherwise: utility is
    between the least and the largest reward (claim truthful.lemma-5.3.bounds), and whoever likes no
    candidate would rather have no reply.

    Source: Soumalias, Curry and Seuken, Truthful Aggregation of LLMs with an Application to Online
    Advertising (2024), section 5.

    Examples
    --------
    >>> auction = SoftmaxAuction(1.0)
    >>> auction.outcome([(1, 1), (2, 2)])
    Outcome(allocation=(0.5, 0.5), payments=(0.0, 0.0))

    With the battery; ``auction`` itself in the place of ``auction.outcome`` is searched along its
    gradient as well.

    >>> from theory.incentives import Box, Effort, check_mechanism
    >>> report = check_mechanism(
    ...     auction.outcome,
    ...     types=Box([-1, -1], [1, 1]),
    ...     agents=2,
    ...     properties=["dsic", "individually_rational"],
    ...     effort=Effort(samples=20, starts=2, steps=4),
    ... )
    >>> report["dsic"].status.value
    'holds'
    >>> report.refuted
    ('individually_rational',)
    """

    tau: Any
    log_ref: Any = None
    log_gen: Any = None
    offset: bool = True

    def __post_init__(self) -> None:
        tau = self.tau
        if isinstance(tau, bool) or not isinstance(tau, int | float | np.floating):
            raise InvalidInputError("tau", tau, "is not a number", "give a float")
        if not (isfinite(tau) and tau > 0):
            raise InvalidInputError("tau", tau, "is not positive and finite", "give one above 0")
        logs = {"log_ref": self.log_ref, "log_gen": self.log_gen}
        for name, log in logs.items():
            if log is None and any(other is not None for other in logs.values()):
                fix = "give both, or neither where candidates were drawn from the reference"
                raise InvalidInputError(name, None, "is missing beside the other", fix)
            if log is not None:
                object.__setattr__(self, name, _floats(name, log))

    def without_offset(self) -> Self:
        """Return the same auction with the constant C = 0 in place of the offset."""
        return replace(self, offset=False)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the law of the reply and each agent's expected payment.

        Raises
        ------
        InvalidInputError
            As :func:`softmax_auction`.
        """
        rewards = [_floats(f"reports[{i}]", report) for i, report in enumerate(reports)]
        found = softmax_auction(rewards, self.tau, self.log_ref, self.log_gen, offset=self.offset)
        return Outcome(tuple(found.allocation.tolist()), tuple(found.payments.tolist()))

    def function(self, reports: Any) -> tuple[Any, Any]:
        """Return the same as JAX arrays, of shape (candidates,) and (agents,)."""
        from mechanisms.softmax_auction import with_jax

        logs = (self.log_ref, self.log_gen)
        law = with_jax.softmax_allocation(reports, self.tau, *logs)
        return law, with_jax.softmax_payments(reports, self.tau, *logs, offset=self.offset)

    def __repr__(self) -> str:
        given = ((f, getattr(self, f.name)) for f in fields(self))
        shown = [f"{f.name}={value!r}" for f, value in given if value != f.default]
        return f"SoftmaxAuction({', '.join(shown)})"


def _floats(argument: str, values: Any) -> tuple[float, ...]:
    """Return numbers of any kind in float64."""
    try:
        return tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        fix = "give one number a candidate"
        raise InvalidInputError(argument, values, "are no numbers in float64", fix) from None
