"""Softmax auctions with a wrong payment each: in NumPy to be judged, in JAX to be searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.softmax_auction import SoftmaxAuction
from theory.incentives import Outcome


@dataclass(frozen=True, repr=False)
class Wrong(SoftmaxAuction):
    """Payments changed by ``added``, which is written once for both kinds of array."""

    def added(self, xp: Any, rewards: Any, law: Any, payments: Any) -> Any:
        raise NotImplementedError("each fault says what it adds")

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        right = super().outcome(reports)
        rewards = np.array([[float(x) for x in report] for report in reports])
        law, payments = np.array(right.allocation), np.array(list(right.payments))
        paid = payments + self.added(np, rewards, law, payments)
        return Outcome(tuple(law.tolist()), tuple(paid.tolist()))

    def function(self, reports: Any) -> tuple[Any, Any]:
        import jax.numpy as jnp

        law, payments = super().function(reports)
        return law, payments + self.added(jnp, reports, law, payments)


class PayYourReward(Wrong):
    """First price: everyone pays the reward that is expected by the report."""

    def added(self, xp: Any, rewards: Any, law: Any, payments: Any) -> Any:
        return rewards @ law - payments


class WrongTemperature(Wrong):
    """Payments of another temperature, on the law of this one."""

    def added(self, xp: Any, rewards: Any, law: Any, payments: Any) -> Any:
        tau = 1.25 * self.tau
        rho = np.zeros(rewards.shape[1])
        if self.log_ref is not None and self.log_gen is not None:
            rho = np.array(self.log_ref) - np.array(self.log_gen)
        total = rewards.sum(axis=0)
        weights = xp.exp(total / tau + rho)
        others = xp.exp((total - rewards) / tau + rho)
        utility = tau * (xp.log(weights.sum()) - xp.log(others.sum(axis=1)))
        return rewards @ law - utility - payments


class OffsetOfTheReport(Wrong):
    """An offset with the own report in it: whoever reports more pays more."""

    def added(self, xp: Any, rewards: Any, law: Any, payments: Any) -> Any:
        return self.tau * xp.log(xp.exp(rewards / self.tau).mean(axis=1))


class LogOutside(Wrong):
    """The offset with log(π_ref/π_gen) outside the exponential, and all agents' reports in it."""

    def added(self, xp: Any, rewards: Any, law: Any, payments: Any) -> Any:
        total = xp.exp(rewards.sum(axis=0) / self.tau).sum()
        return -0.1 * self.tau * xp.log(1.0 + total) * xp.ones(rewards.shape[0])
