"""What :mod:`~mechanisms.softmax_auction.with_jax` computes, on arrays that were read.

Totals are sums of two floats; laws, divergences and moments are taken about the best candidate, so
that nothing is a difference of large numbers that are nearly equal.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from mechanisms.softmax_auction._kernels_arithmetic import SERIES

__all__ = [
    "compute_allocation",
    "compute_gradient",
    "compute_hessian",
    "compute_payments",
    "compute_utilities",
    "compute_utility_gains",
]

_SERIES = tuple(1.0 / k for k in range(3, 18))
"""Ratios of the coefficients of (e^x - 1 - x) / x^2 = 1/2 + x/6 + ...; enough for |x| <= 1/2."""

_NEAR = 0.5
_FAR = 1.0

_ROWS = 16
"""How many rows are added up at once."""
_CHUNK = 1 << 18
"""How many rewards stay in the cache of a processor while they are gone through."""
_once: Any = lax.optimization_barrier  # what is used more than once is not computed anew
_FEW = 1 << 14
"""The same, where queries are small: arrays that are larger are paged in anew at each call."""


# --- sums of two floats


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the float nearest to a + b, and what it leaves; Knuth's algorithm."""
    s = a + b
    back = s - a
    return s, lax.stop_gradient((a - (s - back)) + (b - back))


def _totals(rewards: Any) -> tuple[Any, Any]:
    """Return the sum over agents as a sum of two floats, some rows at once at each step."""
    high, low = rewards, None
    while (n := high.shape[-2]) > 1:
        width = min(n, _ROWS)
        step = n // width
        parts = [slice(i * step, (i + 1) * step) for i in range(width)]
        total = high[..., parts[0], :]
        lost = jnp.zeros_like(total) if low is None else low[..., parts[0], :]
        for part in parts[1:]:
            total, e = _two_sum(total, high[..., part, :])
            lost = lost + (e if low is None else e + low[..., part, :])
        rest = high[..., width * step :, :]
        left = jnp.zeros_like(rest) if low is None else low[..., width * step :, :]
        high = jnp.concatenate([total, rest], axis=-2)
        low = jnp.concatenate([lost, left], axis=-2)
    return high[..., 0, :], jnp.zeros_like(high[..., 0, :]) if low is None else low[..., 0, :]


# --- laws


def _at(values: Any, place: Any) -> Any:
    """Return the entry of each row at a place, as a constant: nothing flows back through it."""
    broadcast = jnp.broadcast_to(values, (*place.shape[:-1], values.shape[-1]))
    return lax.stop_gradient(jnp.take_along_axis(broadcast, place, axis=-1))


def _find_best(high: Any, low: Any, tau: Any, rho: Any) -> Any:
    """Return the candidate of the highest score in each row, an axis of length 1 kept."""
    possible = rho > -jnp.inf
    top = jnp.max(jnp.where(possible, high, -jnp.inf), axis=-1, keepdims=True)
    score = jnp.where(possible, ((high - top) + low) / tau + rho, -jnp.inf)
    return lax.stop_gradient(jnp.argmax(score, axis=-1, keepdims=True))


def _log_law(high: Any, low: Any, tau: Any, rho: Any) -> tuple[Any, Any, Any]:
    """Return the log of the law, the log of the sum of weights, and the candidate both are from.

    The weights are relative to that of the best candidate. -inf stands where a candidate is
    impossible, without a gradient.
    """
    best = _find_best(high, low, tau, rho)
    possible = jnp.broadcast_to(rho > -jnp.inf, high.shape)
    ahead = (high - _at(high, best)) + (low - _at(low, best))
    known = jnp.where(possible, jnp.broadcast_to(rho, high.shape), 0.0)
    scores = jnp.where(possible, ahead / tau + (known - _at(known, best)), -jnp.inf)
    total = jnp.log(jnp.sum(_exp(scores, possible), axis=-1, keepdims=True))
    return jnp.where(possible, scores - total, -jnp.inf), total, best


def _exp(logs: Any, possible: Any) -> Any:
    """Return exp, 0 and no gradient where a candidate is impossible."""
    return jnp.where(possible, jnp.exp(jnp.where(possible, logs, 0.0)), 0.0)


# --- divergences


def _above_tangent(x: Any) -> Any:
    """Return e^x - 1 - x for x <= 1, to a few roundings, also near 0 where the terms cancel."""
    near = jnp.abs(x) <= _NEAR
    small = jnp.where(near, x, 0.0)
    series = jnp.full_like(small, 1.0)
    for ratio in reversed(_SERIES):
        series = 1.0 + series * (small * ratio)
    away = jnp.where(near, 1.0, x)
    return jnp.where(near, 0.5 * small * small * series, jnp.expm1(away) - away)


def _divergence(log_law: Any, exponents: Any) -> tuple[Any, Any]:
    r"""Return the divergence of a law from the law tilted by exp(exponents), and the mean exponent.

    That is :math:`\log \sum_j p_j e^{x_j} - \sum_j p_j x_j`. About the mean exponent both terms
    are small where the exponents hardly differ, and what they have in common is left out.
    """
    possible = log_law > -jnp.inf
    p = _exp(log_law, possible)
    mass = p.sum(axis=-1, keepdims=True)
    x = jnp.where(possible, exponents, 0.0)
    middle = lax.stop_gradient(jnp.sum(p * x, axis=-1, keepdims=True) / mass)
    x = jnp.where(possible, x - middle, 0.0)
    drift = jnp.sum(p * x, axis=-1, keepdims=True) / mass
    tilted = jnp.where(possible, log_law + x, -jnp.inf)
    top = lax.stop_gradient(jnp.max(tilted, axis=-1, keepdims=True))
    summed = jnp.sum(_exp(tilted - top, possible), axis=-1, keepdims=True)
    whole = top + jnp.log(summed) - jnp.log(mass)

    far = x > _FAR
    capped = jnp.where(far & possible, jnp.minimum(tilted, _FAR), 0.0)
    beyond = jnp.exp(capped) - p * (1.0 + x)
    terms = jnp.where(far, beyond, p * _above_tangent(jnp.where(far, 0.0, x)))
    excess = jnp.sum(terms, axis=-1, keepdims=True) / mass + drift
    close = whole <= _NEAR
    found = jnp.where(close, jnp.log1p(jnp.where(close, excess, 0.0)), whole) - drift
    found = found + lax.stop_gradient(jnp.maximum(found, 0.0) - found)
    return found[..., 0], (middle + drift)[..., 0]


def _by_agent(rewards: Any, tau: Any, rho: Any) -> tuple[Any, Any, Any, Any]:
    """Return both parts of the totals, and tau and rho with an axis for agents."""
    high, low = _totals(rewards)
    return high, low, tau[..., None], rho if rho.ndim == 1 else rho[..., None, :]


def _standing_out(rewards: Any, tau: Any, rho: Any) -> tuple[Any, Any, Any]:
    """Return the law, its divergence from each q_i, and each agent's expected reward.

    Rewards enter as what they are ahead of the reward of the best candidate.
    """
    high, low, each, _ = _by_agent(rewards, tau, rho)
    log_law, _, best = _log_law(high, low, tau, rho)
    place = jnp.broadcast_to(best[..., None, :], (*rewards.shape[:-1], 1))
    base = _at(rewards, place)
    ahead = (rewards - base) / each
    divergence, mean = _divergence(jnp.broadcast_to(log_law[..., None, :], ahead.shape), -ahead)
    return log_law, divergence, base[..., 0] - tau * mean


@jax.jit
def compute_allocation(rewards: Any, tau: Any, rho: Any) -> Any:
    log_law, _, _ = _log_law(*_totals(rewards), tau, rho)
    return _exp(log_law, log_law > -jnp.inf)


def _common_utility(rewards: Any, tau: Any, rho: Any) -> tuple[Any, Any]:
    """Return tau log sum exp of the scores in two parts, the best total and the rest."""
    high, low = _totals(rewards)
    _, total, best = _log_law(high, low, tau, rho)
    return _at(high, best), _at(low, best) + tau * (_at(rho, best) + total)


# --- payments with the offset, in one pass


@partial(jax.custom_jvp, nondiff_argnums=(3,))
def _divergences(rewards: Any, tau: Any, rho: Any, even: bool) -> Any:
    r"""Return :math:`KL(p \| q_i)` for each agent, in one pass over the rewards where that is safe.

    With rewards ahead of the best candidate's, m near their mean and x = (m - r) / tau, it is
    log1p(S + D) - D for S = sum p (e^x - 1 - x) and D = sum p x, which is small. Where ``even``,
    all of rho is 0.
    """
    found, peak = lax.platform_dependent(
        *(rewards, tau, rho),
        cpu=partial(_one_pass_in_chunks, even=even),
        default=partial(_one_pass, even=even, moments=_moments),
    )
    steep = 600.0 if rewards.dtype == jnp.float64 else 30.0
    return lax.cond(
        peak <= steep,
        lambda *_: found,
        lambda *given: _standing_out(*given)[1],
        *(rewards, tau, rho),
    )


@_divergences.defjvp
def _(even: bool, primals: Any, tangents: Any) -> Any:
    del even
    return jax.jvp(lambda *given: _standing_out(*given)[1], primals, tangents)


def _one_pass(rewards: Any, tau: Any, rho: Any, *, even: bool, moments: Any) -> tuple[Any, Any]:
    """Return the divergences, right where the largest exponent is small, and that exponent."""
    high, low = _once(_totals(rewards))
    if even:
        best, p = _even_law(high, low, tau)
    else:
        log_law, _, best = _log_law(high, low, tau, rho)
        p = _exp(log_law, log_law > -jnp.inf)
        p = p / p.sum(axis=-1, keepdims=True)
    base = _at(rewards, jnp.broadcast_to(best[..., None, :], (*rewards.shape[:-1], 1)))[..., 0]
    s, d, peak = moments(rewards, base, p, 1 / tau)
    t = s + d
    series = s - t * t * (0.5 - t * (1 / 3 - t * (0.25 - t * 0.2)))
    found = jnp.maximum(jnp.where(jnp.abs(t) < 1e-4, series, jnp.log1p(t) - d), 0.0)
    return found, jnp.max(peak)


def _even_law(high: Any, low: Any, tau: Any) -> tuple[Any, Any]:
    """Return the first candidate of the highest total, and the law, where rho is 0."""
    ahead = (high - jnp.max(high, axis=-1, keepdims=True)) + low
    ahead = _once(ahead)
    most = jnp.max(ahead, axis=-1, keepdims=True)
    last = high.shape[-1] - 1
    places = jnp.where(ahead == most, jnp.arange(last + 1), last)
    weights = _once(jnp.exp((ahead - most) / tau))
    law = weights / weights.sum(axis=-1, keepdims=True)
    return jnp.min(places, axis=-1, keepdims=True), law


def _one_pass_in_chunks(rewards: Any, tau: Any, rho: Any, *, even: bool) -> tuple[Any, Any]:
    """Return the same, a few queries at a time, which a processor keeps in its cache meanwhile."""
    (*batch, agents, candidates), queries = rewards.shape, prod(rewards.shape[:-2])
    width = max(1, _FEW // (agents * candidates))
    if width >= queries:
        return _one_pass(rewards, tau, rho, even=False, moments=_moments_in_chunks)
    one_pass = partial(_one_pass, even=even, moments=_moments_in_chunks)
    r = rewards.reshape(queries, agents, candidates)
    t = jnp.broadcast_to(tau, (*batch, 1)).reshape(queries, 1)
    own = rho if rho.ndim == 1 else rho.reshape(queries, candidates)

    def chunk(at: Any) -> tuple[Any, Any]:
        some = partial(lax.dynamic_slice_in_dim, start_index=at, slice_size=width)
        return one_pass(some(r), some(t), own if own.ndim == 1 else some(own))

    starts = [min(i, queries - width) for i in range(0, queries, width)]
    found, peak = lax.map(chunk, jnp.array(starts))
    kept = queries - (len(starts) - 1) * width
    whole = jnp.concatenate([found[:-1].reshape(-1, agents), found[-1, width - kept :]])
    return whole.reshape(*batch, agents), jnp.max(peak)


def _moments(rewards: Any, base: Any, p: Any, per: Any) -> tuple[Any, Any, Any]:
    """Return S, D and the largest exponent of each row; nothing is kept for each reward."""
    ahead, law = rewards - base[..., None], p[..., None, :]
    middle = jnp.sum(law * ahead, axis=-1, keepdims=True)
    x = (middle - ahead) * per[..., None]
    s, d = jnp.sum(law * _one_exponential(x), axis=-1), jnp.sum(law * x, axis=-1)
    return s, d, jnp.max(x, axis=-1)


def _moments_in_chunks(rewards: Any, base: Any, p: Any, per: Any) -> tuple[Any, Any, Any]:
    """Return the same, a few rows at a time, which a processor keeps in its cache meanwhile."""

    def of(rows: Any, base: Any) -> tuple[Any, Any, Any]:
        ahead = rows - base[..., None]
        middle = jnp.einsum("...rc,...c->...r", ahead, p)
        x = (middle[..., None] - ahead) * per[..., None]
        s, d = (jnp.einsum("...rc,...c->...r", v, p) for v in (_one_exponential(x), x))
        return s, d, jnp.max(x, axis=-1)

    agents = rewards.shape[-2]
    width = max(1, _CHUNK // (rewards.size // agents))
    if width >= agents:
        return of(rewards, base)

    def chunk(at: Any) -> Any:
        return of(
            lax.dynamic_slice_in_dim(rewards, at, width, -2),
            lax.dynamic_slice_in_dim(base, at, width, -1),
        )

    starts = [min(i, agents - width) for i in range(0, agents, width)]
    found = lax.map(chunk, jnp.array(starts))
    kept = agents - (len(starts) - 1) * width

    def join(parts: Any) -> Any:
        whole = jnp.moveaxis(parts[:-1], 0, -2).reshape(*base.shape[:-1], -1)
        return jnp.concatenate([whole, parts[-1, ..., width - kept :]], axis=-1)

    s, d, peak = map(join, found)
    return s, d, peak


def _one_exponential(x: Any) -> Any:
    """Return e^x - 1 - x for x below 600 (30 in float32), right in relation to itself."""
    kind, magic, bias, bits, least = jnp.int64, 1.5 * 2.0**52, 1023, 52, -700.0
    if x.dtype != jnp.float64:
        kind, magic, bias, bits, least = jnp.int32, 1.5 * 2.0**23, 127, 23, -80.0
    low = jnp.maximum(x, least)
    k = jnp.round(low * 1.4426950408889634)
    f = low - k * 0.6931471805599453
    power = (lax.bitcast_convert_type(k + magic, kind) + bias) << bits  # the last bits hold k
    s = lax.bitcast_convert_type(power, x.dtype)
    g, q = s * f, jnp.full_like(f, SERIES[-1])
    for each in (*SERIES[-2::-1], 0.5):
        q = q * f + each
    return (g * f) * q + ((g - x) + (s - 1))


@partial(jax.jit, static_argnames=("offset", "even"))
def compute_payments(rewards: Any, tau: Any, rho: Any, *, offset: bool, even: bool) -> Any:
    if offset:
        return tau * _divergences(rewards, tau, rho, even)
    _, _, expected = _standing_out(rewards, tau, rho)
    high, rest = _common_utility(rewards, tau, rho)
    return (expected - high) - rest


@partial(jax.jit, static_argnames="offset")
def compute_utilities(rewards: Any, tau: Any, rho: Any, *, offset: bool) -> Any:
    if offset:
        _, divergence, expected = _standing_out(rewards, tau, rho)
        return expected - tau * divergence
    high, rest = _common_utility(rewards, tau, rho)
    return jnp.broadcast_to(high + rest, rewards.shape[:-1])


@jax.jit
def compute_utility_gains(rewards: Any, tau: Any, rho: Any) -> Any:
    high, low, each, per_agent = _by_agent(rewards, tau, rho)
    others, lost = _two_sum(high[..., None, :], -rewards)
    left = lost + low[..., None, :]
    log_law, _, best = _log_law(others, left, each, per_agent)
    divergence, _ = _divergence(log_law, (rewards - _at(rewards, best)) / each)
    return tau * divergence


@partial(jax.jit, static_argnames="offset")
def compute_gradient(rewards: Any, tau: Any, rho: Any, *, agent: Any, offset: bool) -> Any:
    return jax.grad(_own_utility(rewards, tau, rho, agent, offset))(rewards[..., agent, :])


@partial(jax.jit, static_argnames="offset")
def compute_hessian(rewards: Any, tau: Any, rho: Any, *, agent: Any, offset: bool) -> Any:
    slope = jax.grad(_own_utility(rewards, tau, rho, agent, offset))
    own = rewards[..., agent, :]

    def along(direction: Any) -> Any:
        return jax.jvp(slope, (own,), (jnp.broadcast_to(direction, own.shape),))[1]

    return jax.vmap(along, out_axes=-1)(jnp.eye(own.shape[-1], dtype=own.dtype))


def _own_utility(rewards: Any, tau: Any, rho: Any, agent: Any, offset: bool) -> Any:
    """Return the sum over queries of an agent's utility, as a function of its own rewards.

    A query's utility depends on that query alone, so derivatives of the sum are those of each.
    """

    def utility(own: Any) -> Any:
        reported = rewards.at[..., agent, :].set(own)
        return compute_utilities(reported, tau, rho, offset=offset)[..., agent].sum()

    return utility
