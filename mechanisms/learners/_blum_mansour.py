"""Swap regret by N copies of Hedge."""

from __future__ import annotations

from math import log
from typing import Any, Final

from mechanisms.learners._action_arguments import read_actions, write_arguments
from mechanisms.learners._bounds import BoundQuestion, RegretBound
from mechanisms.learners._listed_rule import ListedRule
from mechanisms.learners._listed_state import BLUM_MANSOUR
from mechanisms.learners.arguments import LARGEST_COUNT, at_most, read_range
from mechanisms.learners.rates import Rates
from theory.shared.arguments import read_count
from theory.shared.shapes import Row

__all__ = ["BlumMansour"]

_LARGEST: Final = 5_000


class BlumMansour:
    r"""Blum and Mansour's reduction of swap regret to external regret, with Hedge inside.

    There is a copy of Hedge for each action. Copy i says q_t(i, .); the play x_t is the stationary
    law of the chain with these rows, x_t = x_t q_t; and copy i is fed the rewards x_t(i) r_t. Swap
    regret, and with it internal and external regret, is at most

    - N \log(N) / e + e T / 8 at a fixed rate e, which is \sqrt{N T \log(N) / 2} at the best rate
      e = \sqrt{8 N \log(N) / T}, chosen with ``rounds``;
    - \sqrt{N T \log N} for every T at once, with e_t = 2 \sqrt{N \log(N) / t}, the default;

    whatever the rewards are, plus T/2 times the largest residual ||x_t q_t - x_t||_1.

    Parameters
    ----------
    actions : int
        The number of actions N, at most 5,000: it keeps 3 N^2 numbers.
    rounds, rate : int, float, optional
        The number of rounds T that the step size is best for, or a step size of one's own.
    reward_range : pair of floats
        What rewards lie in; others are refused. Play is the same as on rewards mapped to [0, 1].

    Attributes
    ----------
    residual : float
        The largest residual so far, measured.

    Raises
    ------
    InvalidInputError
        For a number of actions below 1, for both ``rounds`` and ``rate``, for a rate outside
        [1e-100, 1e100], and for a range that is none.
    LimitError
        For more than 5,000 actions.

    Notes
    -----
    O(N^3) a round, for the stationary law, which elimination without subtractions finds with a
    small relative error of every entry. A copy gives no action less than 1e-30 of what its best one
    has, so that the chain stays irreducible where exponentials underflow.

    Blum and Mansour, "From external to internal regret", Journal of Machine Learning Research 8
    (2007).

    Examples
    --------
    >>> learner = BlumMansour(3, rounds=100)
    >>> for _ in range(5):
    ...     learner.observe([0.0, 0.5, 1.0])
    >>> print(learner.play().round(2), learner.residual < 1e-15)
    [0.2  0.31 0.49] True
    """

    def __init__(
        self,
        actions: int,
        *,
        rounds: int | None = None,
        rate: float | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        why = "a round takes N^3 steps and N^2 memory"
        self.size = at_most(
            "actions", read_count("actions", actions, most=LARGEST_COUNT), _LARGEST, why
        )
        entropy = self.size * log(self.size)
        self.rates = Rates.of(rounds=rounds, rate=rate, entropy=entropy)
        self.reward_range = read_range(reward_range)
        self._rule = ListedRule(
            BLUM_MANSOUR,
            self.size,
            self.reward_range,
            rate=self.rates.first,
            anytime=self.rates.anytime,
        )

    @property
    def residual(self) -> float:
        """The largest ||x q - x||_1 so far."""
        return self._rule.residual

    @property
    def rounds_played(self) -> int:
        """How many rounds it was told of."""
        return self._rule.rounds_played

    def play(self) -> Row:
        """Return the probability of each action."""
        return self._rule.play()

    def observe(self, rewards: Any) -> None:
        """Take note of the rewards of all actions.

        Raises
        ------
        InvalidInputError
            For what is no row of N finite numbers in the range; nothing is remembered then.
        """
        self._rule.observe(rewards)

    def bound(self, asked: BoundQuestion) -> RegretBound:
        """Return what is proven of its regret; see :func:`regret_bound`."""
        first, second = self.rates.terms(asked.rounds)
        statement = (
            "swap regret is at most N log(N) / e_T + (e_1 + ... + e_T) / 8 + T residual / 2, for "
            "all rewards"
        )
        if asked.kind != "swap":
            statement += f"; {asked.kind} regret is at most swap regret"
        terms = (
            ("N log(N) / e", first),
            ("sum of e / 8", second),
            ("T residual / 2", asked.rounds * asked.residual / 2),
        )
        return asked.answer(
            terms,
            reward_range=self.reward_range,
            statement=statement,
            source="Blum and Mansour (2007); docs/proofs.md",
        )

    def __repr__(self) -> str:
        rates = self.rates.describe()
        shown = write_arguments(read_actions(self.size), *rates, reward_range=self.reward_range)
        return f"BlumMansour({shown})"
