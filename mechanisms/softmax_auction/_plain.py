"""The auction in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.softmax_auction._reading import Queries, place
from theory.errors import InvalidInputError, NumberError

__all__ = ["price"]


def price(queries: Queries, offset: bool) -> dict[str, Any]:
    """Return all that is computed of the queries."""
    rewards, tau, log_ref, log_gen, _ = queries
    if not np.isfinite(rewards).all():
        where = tuple(np.argwhere(~np.isfinite(rewards))[0])
        raise NumberError(
            place("rewards", where), float(rewards[where]), "is not finite", "give a number"
        )
    for name, logs, least in (("log_ref", log_ref, -np.inf), ("log_gen", log_gen, None)):
        if not (logs <= 0).all():
            fix = "give logarithms of probabilities"
            raise InvalidInputError(name, logs, "is not all at most 0", fix)
        if least is None and np.isinf(logs).any():
            fix = "score candidates under the law that drew them"
            raise InvalidInputError(name, logs, "has a candidate that cannot be drawn", fix)
    if log_ref.shape[1] and np.isneginf(log_ref).all(axis=1).any():
        raise InvalidInputError("log_ref", log_ref, "has no possible candidate", "add one")
    heat = tau[:, None]
    rho = log_ref - log_gen if log_ref.shape[1] else np.zeros((1, rewards.shape[2]))
    scores = rewards.sum(axis=1) / heat + rho
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=1, keepdims=True)
    p, log_p = weights / total, scores - top - np.log(total)
    means = np.einsum("qj,qij->qi", p, rewards)
    d = (rewards - means[..., None]) / heat[..., None]
    minus = log_p[:, None, :] - d
    peak = minus.max(axis=2, keepdims=True)
    spread = np.exp(minus - peak)
    mass = spread.sum(axis=2, keepdims=True)
    log_mean = (peak + np.log(mass))[..., 0]
    q = spread / mass
    utilities = means - heat * log_mean
    payments = np.maximum(heat * log_mean, 0)
    without = np.einsum("qij,qij->qi", q, rewards)
    if not offset:
        utilities = np.broadcast_to(heat * (top + np.log(total)), means.shape)
        payments = means - utilities
    return {
        "allocation": p,
        "without": q,
        "expected_rewards": means,
        "payments": payments,
        "utilities": utilities,
        "reward_gains": means - without,
        "utility_gains": means - heat * log_mean - without,
        "error_bounds": np.full_like(payments, np.inf),
    }
