"""Who gets what and who pays what: the functions that return arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.softmax_auction._reading import read_queries
from mechanisms.softmax_auction._refusals import run
from theory.errors import InvalidInputError, ShapeError
from theory.shared.shapes import Float64

__all__ = ["read_offset", "softmax_allocation", "softmax_payments"]


def softmax_allocation(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None
) -> Float64[np.ndarray, "..."]:
    r"""Return the law of the reply, :math:`p = \operatorname{softmax}(\sum_i r_i/\tau + \log\rho)`.

    It is the law :math:`\lambda` on the M candidates that maximises
    :math:`\sum_i \lambda \cdot r_i - \tau\, KL(\lambda \| \rho)`, where
    :math:`\log\rho_j = \log\pi_{ref}(y_j) - \log\pi_{gen}(y_j)`, and :math:`\rho` is uniform where
    the candidates were drawn from the reference.

    Parameters
    ----------
    rewards : array of shape (..., agents, candidates)
        What each agent says each candidate is worth to it; any finite numbers. float64 is used as
        it is; float32, integers and lists are read as the float64 numbers they are.
    tau : float or array of shape (...)
        Temperature, above 0; one for all queries or one for each.
    log_ref, log_gen : array of shape (..., candidates), optional
        Logarithm of each candidate's probability under the reference (at most 0; -inf for a
        candidate that the reference never writes) and under the law that really drew the
        candidates (finite). Both or neither.

    Returns
    -------
    float64 array of shape (..., candidates)
        Leading axes are those of all arguments, broadcast.

    Raises
    ------
    InvalidInputError
        Or one of its kinds (ShapeError, NumberError, ProbabilityError, LimitError), for anything
        that is no auction; the message names the argument and the fix.

    Notes
    -----
    Time O(agents * candidates). Sums of rewards are kept as pairs of float64, so that a probability
    is right to a few parts in 10^16 for rewards of up to about 10^14 tau, and beyond that to about
    1e-31 times the sum of rewards / tau; below about 1e-304 it is 0.

    Source: Soumalias, Curry and Seuken, "Truthful Aggregation of LLMs with an Application to Online
    Advertising", Algorithms 1 and 2.

    Examples
    --------
    >>> softmax_allocation([[1.0, 0.0], [0.0, 2.0]], tau=1.0).round(4)
    array([0.2689, 0.7311])
    """
    queries = read_queries(rewards, tau, log_ref, log_gen)
    from mechanisms.softmax_auction._kernels import allocate

    allocation = np.empty((len(queries.tau), queries.rewards.shape[2]))
    run(allocate, queries, allocation)
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
    r"""Return the expected payment of each agent.

    With the offset, it is
    :math:`p \cdot r_i + \tau \log \sum_j p_j e^{-r_{ij}/\tau} = \tau\, KL(p \| q_i) \ge 0`, where
    :math:`q_i` is the law of the reply without agent i. Without it, agent i pays
    :math:`p \cdot r_i - \tau \log \sum_j \rho_j e^{\sum_k r_{kj}/\tau}`.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen
        As in :func:`softmax_allocation`.
    offset : bool
        Whether to add the offset (13), with which an agent whose rewards are 0 pays 0.
    out : float64 array of shape (..., agents), optional
        Writable and C-contiguous; the payments are written into it.

    Returns
    -------
    float64 array of shape (..., agents)
        ``out`` itself where it is given.

    Raises
    ------
    InvalidInputError
        As :func:`softmax_allocation`. ``out`` holds nothing of use then.

    Notes
    -----
    One exponential a reward and one a candidate: with m near p.r, x = (m - r) / tau and
    phi(x) = exp(x) - 1 - x, the divergence is log1p(sum p phi(x) + sum p x) - sum p x, in which
    nothing cancels, so a payment with the offset is right in relation to itself down to 1e-30 tau
    at least, whatever base all rewards of an agent share. A row whose exponents leave the range of
    float64 is computed from logarithms, which is slower.
    :func:`softmax_auction` returns a bound on the error as well. Time O(agents * candidates), and
    memory O(agents + candidates) beyond the rewards where they are C-contiguous float64.

    In time that is 0.4 of ``numpy.exp`` of the rewards at 1,000 x 10,000 and 0.7 at 1,024 x 8 x 64
    on a processor without AVX-512, and was found to be 2.4 to 2.9 at the latter on one whose
    ``numpy.exp`` is faster.

    A call of at most 4,096 rewards is answered by plain Python until machine code pays, with the
    same bits. A larger call uses machine code that adds in another order, so last bits
    differ from those of a smaller one; where it is not on disk it is compiled, in some seconds.

    Examples
    --------
    >>> softmax_payments([[1.0, 0.0], [0.0, 2.0]], tau=1.0).round(4)
    array([0.0826, 0.4621])

    A hundred queries at once, the second axis being that of agents:

    >>> softmax_payments(np.ones((100, 3, 8)), tau=0.5).shape
    (100, 3)
    """
    queries = read_queries(rewards, tau, log_ref, log_gen)
    if offset is not True:
        read_offset(offset)
    from mechanisms.softmax_auction._kernels import pay

    shape = (*queries.batch, queries.rewards.shape[1])
    payments = np.empty(shape) if out is None else _check_output(out, shape)
    run(pay, queries, bool(offset), payments.reshape(-1, shape[-1]))
    return payments


def read_offset(offset: Any) -> bool:
    """Return whether there is an offset; only a boolean says so."""
    if not isinstance(offset, bool | np.bool_):
        raise InvalidInputError("offset", offset, "is no boolean", "give True or False")
    return bool(offset)


def _check_output(out: Any, shape: tuple[int, ...]) -> np.ndarray:
    if not isinstance(out, np.ndarray) or out.dtype != np.float64:
        kind = out.dtype if isinstance(out, np.ndarray) else type(out).__name__
        raise InvalidInputError("out", kind, "is no float64 array", f"give numpy.empty({shape})")
    if out.shape != shape:
        problem = "is not the shape of the payments"
        raise ShapeError("out", out.shape, problem, f"give numpy.empty({shape})")
    if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
        problem = "is not writable and C-contiguous"
        raise InvalidInputError("out", out.strides, problem, f"give numpy.empty({shape})")
    return out
