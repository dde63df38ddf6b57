"""Checks to sweep over: those of ``mechproof example sweep`` and of ``docs/sweeps.md``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.incentives import FiniteTypes, MechanismReport, Outcome, Prior, check_mechanism

__all__ = ["ReserveAuction", "auction", "hedge"]


@dataclass(frozen=True)
class ReserveAuction:
    """The highest bid wins if it reaches the reserve, and pays between its own and the next price.

    The winner pays ``share`` of its bid, and of the rest the highest other bid or the reserve,
    whichever is larger: with share 1 a first-price auction, with share 0 a second-price auction.
    Among equal bids the lowest index wins.

    Examples
    --------
    >>> ReserveAuction(reserve=1, share=Fraction(1, 2)).outcome([0, 3])
    Outcome(allocation=1, payments=(0, Fraction(2, 1)))
    """

    reserve: Fraction | int
    share: Fraction | int

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments."""
        winner = max(range(len(reports)), key=lambda i: (reports[i], -i))
        payments: list[Any] = [0] * len(reports)
        if reports[winner] < self.reserve:
            return Outcome(None, tuple(payments))
        others = (bid for i, bid in enumerate(reports) if i != winner)
        price = max([self.reserve, *others])
        payments[winner] = self.share * reports[winner] + (1 - self.share) * price
        return Outcome(winner, tuple(payments))


def auction(
    reserve: Fraction | int, bidders: int, *, share: Fraction | int = 1, top: int = 3
) -> MechanismReport:
    """Return what is known of the incentives of a :class:`ReserveAuction`, in exact arithmetic.

    Types are 0, 1, …, ``top``, each as likely, and independent. The slack of ``dsic`` is minus the
    most that an agent gains by a lie whatever the others report; that of ``bic`` the same on
    average over their types.

    Examples
    --------
    >>> [str(auction(0, n)["bic"].slack) for n in (1, 2, 3)]
    ['-3', '-1', '-9/16']
    """
    types = FiniteTypes(range(top + 1))
    return check_mechanism(
        ReserveAuction(reserve, share),
        types=types,
        agents=bidders,
        prior=Prior.uniform(types, bidders),
        properties=["dsic", "bic", "individually_rational"],
    )


def hedge(
    rounds: int, rate: float, rng: np.random.Generator, *, actions: int = 4
) -> dict[str, float]:
    """Return the external regret of Hedge at a fixed rate on rewards 0 and 1 drawn at random.

    With it comes what is proven of it, log(N) / rate + rate T / 8, and the share of the two.

    Examples
    --------
    >>> found = hedge(100, 0.5, np.random.default_rng(0))
    >>> 0 < found["regret"] < found["bound"]
    True
    """
    from mechanisms.learners import Hedge, play_against, regret_bound

    learner = Hedge(actions, rate=rate)
    bound = regret_bound(learner, rounds).value
    rewards = rng.integers(2, size=(rounds, actions)).astype(np.float64)
    regret = play_against(learner, rewards, rounds, actions=actions).regret().external.gain
    return {"regret": float(regret), "bound": bound, "share": float(regret) / bound}
