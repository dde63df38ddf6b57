r"""The softmax auction as pure functions of JAX arrays, for ``jit``, ``vmap``, ``grad`` and shards.

Import it by name, ``from mechanisms.softmax_auction import with_jax``: the package itself does not
load JAX.

All functions take rewards of shape (..., agents, candidates), ``tau`` of shape (...) or a number,
and both of ``log_ref`` and ``log_gen`` of shape (..., candidates), or neither where the candidates
were drawn from the reference. Leading axes broadcast, as those of the NumPy functions do.

They compute in the floats of the rewards, float32 or float64, which needs ``jax.enable_x64``; what
is no float is read as JAX's default float. Shapes are checked when a function is traced; values
cannot be, since a traced array has none. So NaN goes in and out, and what the NumPy front refuses,
such as a temperature of 0, is no error here.

With the totals :math:`s_j = \sum_i r_{ij}`, the law is :math:`p = \mathrm{softmax}(s/\tau + \log
\rho)` with :math:`\log \rho` = ``log_ref`` - ``log_gen``, and :math:`q_i` the same without agent i.
Nothing here is a difference of large numbers that are nearly equal:

* totals are summed in pairs of floats, and the best candidate's total is subtracted before the
  division by :math:`\tau`, so scores may be 1e12;
* payments are divergences, :math:`\tau \, \mathrm{KL}(p \| q_i)`, each computed about the mean
  exponent, where terms of first order vanish: :math:`\sum_j p_j (e^{x_j} - 1 - x_j)` has no term
  below zero;
* a candidate with ``log_ref`` of -inf has probability 0, and every derivative with respect to its
  rewards is 0, not NaN.

Each function takes O(agents x candidates) time a query and one to four exponentials a reward;
payments with the offset one, in one pass over the rewards and one for the totals, wherever no
exponent is beyond 600 (30 in float32). Derivatives are those of the slower way. Where shapes,
kinds of number and ``offset`` stay the same nothing is compiled again.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from mechanisms.softmax_auction._jax_formulas import (
    compute_allocation,
    compute_gradient,
    compute_hessian,
    compute_payments,
    compute_utilities,
    compute_utility_gains,
)
from theory.errors import InvalidInputError, ShapeError

__all__ = [
    "revenue",
    "reward_gains",
    "softmax_allocation",
    "softmax_payments",
    "softmax_utilities",
    "utility_gains",
    "utility_gradient",
    "utility_hessian",
]


def softmax_allocation(rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None) -> Any:
    r"""Return the law :math:`p` of the reply among the candidates, equation (8).

    Parameters
    ----------
    rewards : array (..., agents, candidates)
    tau : number or array (...)
    log_ref, log_gen : array (candidates,) or (..., candidates), optional
        Both or neither.

    Returns
    -------
    array (..., candidates)

    Raises
    ------
    ShapeError
        Where shapes disagree, or there are no agents or no candidates.
    InvalidInputError
        Where one of ``log_ref`` and ``log_gen`` is missing.

    Examples
    --------
    >>> print(softmax_allocation([[0.0, 0.0], [0.0, 0.0]], 1.0))
    [0.5 0.5]
    """
    return compute_allocation(*_read(rewards, tau, log_ref, log_gen))


def softmax_payments(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None, *, offset: bool = True
) -> Any:
    r"""Return what each agent pays in expectation, equation (10).

    With the offset (13), :math:`\tau \, \mathrm{KL}(p \| q_i) \ge 0`; without it,
    :math:`p \cdot r_i - \tau \log \sum_j \exp(s_j/\tau + \log \rho_j)`.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen
        As for :func:`softmax_allocation`.
    offset : bool
        A constant of Python, not traced.

    Returns
    -------
    array (..., agents)

    Raises
    ------
    ShapeError, InvalidInputError
        As for :func:`softmax_allocation`.

    Examples
    --------
    >>> print(softmax_payments([[3.0, 3.0], [1.0, 1.0]], 1.0))
    [0. 0.]
    """
    read = _read(rewards, tau, log_ref, log_gen)
    return compute_payments(*read, offset=offset, even=log_ref is None)


def softmax_utilities(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None, *, offset: bool = True
) -> Any:
    r"""Return the expected utility of each agent who tells the truth, equation (9).

    With the offset, :math:`\tau \log \sum_j q_{ij} \exp(r_{ij}/\tau)` (Lemma 5.5); without it,
    :math:`\tau \log \sum_j \exp(s_j/\tau + \log \rho_j)`, the same for all agents.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen, offset
        As for :func:`softmax_payments`.

    Returns
    -------
    array (..., agents)

    Raises
    ------
    ShapeError, InvalidInputError
        As for :func:`softmax_allocation`.

    Examples
    --------
    >>> print(softmax_utilities([[3.0, 3.0], [1.0, 1.0]], 1.0))
    [3. 1.]
    """
    return compute_utilities(*_read(rewards, tau, log_ref, log_gen), offset=offset)


def utility_gains(rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None) -> Any:
    r"""Return :math:`\tau \, \mathrm{KL}(q_i \| p)`, what taking part is worth to each agent.

    That is utility less :math:`q_i \cdot r_i`, which the agent has from the same candidates when it
    stays out and pays nothing; payments are with the offset.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen
        As for :func:`softmax_allocation`.

    Returns
    -------
    array (..., agents)

    Raises
    ------
    ShapeError, InvalidInputError
        As for :func:`softmax_allocation`.
    """
    return compute_utility_gains(*_read(rewards, tau, log_ref, log_gen))


def reward_gains(rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None) -> Any:
    r"""Return :math:`p \cdot r_i - q_i \cdot r_i`, equation (19) with the same candidates.

    It is :math:`\tau \, (\mathrm{KL}(p \| q_i) + \mathrm{KL}(q_i \| p))`, and computed so: the
    payment with the offset plus the utility gain.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen
        As for :func:`softmax_allocation`.

    Returns
    -------
    array (..., agents)

    Raises
    ------
    ShapeError, InvalidInputError
        As for :func:`softmax_allocation`.
    """
    read = _read(rewards, tau, log_ref, log_gen)
    paid = compute_payments(*read, offset=True, even=log_ref is None)
    return paid + compute_utility_gains(*read)


def revenue(
    rewards: Any, tau: Any, log_ref: Any = None, log_gen: Any = None, *, offset: bool = True
) -> Any:
    """Return the sum of the expected payments of each query, of shape (...).

    Parameters
    ----------
    rewards, tau, log_ref, log_gen, offset
        As for :func:`softmax_payments`.

    Returns
    -------
    array (...)

    Raises
    ------
    ShapeError, InvalidInputError
        As for :func:`softmax_allocation`.
    """
    return softmax_payments(rewards, tau, log_ref, log_gen, offset=offset).sum(-1)


def utility_gradient(
    rewards: Any,
    tau: Any,
    log_ref: Any = None,
    log_gen: Any = None,
    *,
    agent: int,
    offset: bool = True,
) -> Any:
    r"""Differentiate an agent's utility with respect to its own rewards, by JAX.

    The proof of Theorem 5.1 says that this is the allocation :math:`p`, for every agent, with and
    without the offset.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen, offset
        As for :func:`softmax_payments`.
    agent : int
        Whose, from 0; an integer of Python, not traced.

    Returns
    -------
    array (..., candidates)

    Raises
    ------
    ShapeError
        As for :func:`softmax_allocation`.
    InvalidInputError
        As there, and where there is no such agent.

    Examples
    --------
    >>> print(utility_gradient([[0.0, 0.0], [2.0, 2.0]], 1.0, agent=1))
    [0.5 0.5]
    """
    read = _read(rewards, tau, log_ref, log_gen)
    return compute_gradient(*read, agent=_agent(agent, read[0]), offset=offset)


def utility_hessian(
    rewards: Any,
    tau: Any,
    log_ref: Any = None,
    log_gen: Any = None,
    *,
    agent: int,
    offset: bool = True,
) -> Any:
    r"""Differentiate an agent's utility twice with respect to its own rewards, by JAX.

    It is :math:`(\mathrm{diag}(p) - p p^\top)/\tau`, which is positive semidefinite: utility is
    convex in the agent's rewards. O(agents x candidates^2) time a query.

    Parameters
    ----------
    rewards, tau, log_ref, log_gen, agent, offset
        As for :func:`utility_gradient`.

    Returns
    -------
    array (..., candidates, candidates)

    Raises
    ------
    ShapeError, InvalidInputError
        As for :func:`utility_gradient`.

    Examples
    --------
    >>> print(utility_hessian([[0.0, 0.0]], 1.0, agent=0))
    [[ 0.25 -0.25]
     [-0.25  0.25]]
    """
    read = _read(rewards, tau, log_ref, log_gen)
    return compute_hessian(*read, agent=_agent(agent, read[0]), offset=offset)


# --- reading


def _read(rewards: Any, tau: Any, log_ref: Any, log_gen: Any) -> tuple[Any, Any, Any]:
    """Return rewards, temperatures of shape (..., 1) and log rho, in one kind of float."""
    r = jnp.asarray(rewards)
    if not jnp.issubdtype(r.dtype, jnp.floating):
        r = r.astype(jnp.result_type(float))
    if r.ndim < 2 or 0 in r.shape:
        fix = "give rewards of shape (agents, candidates) or (queries, agents, candidates)"
        raise ShapeError("rewards", r.shape, "is no array of agents by candidates", fix)
    if (log_ref is None) != (log_gen is None):
        missing, given = ("log_ref", "log_gen") if log_ref is None else ("log_gen", "log_ref")
        fix = f"give both, or leave {given} out where candidates were drawn from the reference"
        raise InvalidInputError(missing, None, f"is missing beside {given}", fix)
    agents, candidates = r.shape[-2:]
    t = jnp.asarray(tau, r.dtype)
    batch = _broadcast("tau", t.shape, r.shape[:-2])
    rho = jnp.zeros(candidates, r.dtype)
    if log_ref is not None:
        logs = {"log_ref": jnp.asarray(log_ref, r.dtype), "log_gen": jnp.asarray(log_gen, r.dtype)}
        for name, log in logs.items():
            if log.shape[-1:] != (candidates,):
                fix = f"give an array of shape {(candidates,)} or {(*batch, candidates)}"
                raise ShapeError(name, log.shape, "has not one entry a candidate", fix)
            batch = _broadcast(name, log.shape[:-1], batch)
        rho = logs["log_ref"] - logs["log_gen"]
    if r.shape[:-2] != batch:
        r = jnp.broadcast_to(r, (*batch, agents, candidates))
    if t.ndim and t.shape != batch:
        t = jnp.broadcast_to(t, batch)
    if rho.ndim > 1 and rho.shape[:-1] != batch:
        rho = jnp.broadcast_to(rho, (*batch, candidates))
    return r, t[..., None], rho


def _broadcast(name: str, shape: tuple[int, ...], batch: tuple[int, ...]) -> tuple[int, ...]:
    """Return the leading axes with those of one more argument."""
    try:
        return jnp.broadcast_shapes(batch, shape)
    except ValueError:
        fix = "use leading axes that broadcast against those of the rewards"
        raise ShapeError(name, shape, f"does not fit the leading axes {batch}", fix) from None


def _agent(agent: Any, rewards: Any) -> Any:
    if type(agent) is not int or agent not in range(rewards.shape[-2]):
        fix = f"give an integer from 0 to {rewards.shape[-2] - 1}"
        raise InvalidInputError("agent", agent, "is none of the agents", fix)
    return agent
