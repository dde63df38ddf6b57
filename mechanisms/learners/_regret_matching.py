"""Regret matching."""

from __future__ import annotations

from math import sqrt
from typing import Any

from mechanisms.learners._action_arguments import read_actions, write_arguments
from mechanisms.learners._bounds import BoundQuestion, RegretBound, nothing_proven
from mechanisms.learners._listed_rule import ListedRule
from mechanisms.learners._listed_state import REGRET_MATCHING, TIES
from mechanisms.learners.arguments import LARGEST_COUNT, read_range
from theory.shared.arguments import read_count
from theory.shared.shapes import Row

__all__ = ["RegretMatching"]


class RegretMatching:
    r"""Play each action in proportion to how much one regrets not having played it.

    With R(i) = \sum_s r_s(i) - <x_s, r_s> over the rounds so far,

        x(i) = max(R(i), 0) / \sum_j max(R(j), 0),

    and uniform play while no regret is positive. External regret is at most \sqrt{T (N - 1)},
    whatever happens. There is no step size, and play depends neither on the scale of rewards nor on
    a shift of all rewards of a round.

    Regrets below 1e-12 times the sum of the ranges of all rounds' rewards count as none, and are
    taken off the others: what float64 makes of a regret of exactly zero must not decide a play.
    This adds at most 1e-12 T to the bound.

    Parameters
    ----------
    actions : int
        The number of actions N.
    reward_range : pair of floats
        What rewards lie in; others are refused. Play does not depend on it.

    Raises
    ------
    InvalidInputError
        For a number of actions below 1, and a range that is none.
    LimitError
        For more than 10^7 actions.

    Notes
    -----
    O(N) a round. Hart and Mas-Colell, "A simple adaptive procedure leading to correlated
    equilibrium", Econometrica 68 (2000), in its unconditional form.

    Examples
    --------
    >>> learner = RegretMatching(3)
    >>> learner.observe([0.0, 0.5, 1.0])
    >>> learner.play()
    array([0., 0., 1.])
    >>> learner.observe([0.0, 1.0, 0.0])
    >>> learner.play().round(3)
    array([0.   , 0.667, 0.333])
    """

    def __init__(self, actions: int, *, reward_range: tuple[float, float] = (0.0, 1.0)) -> None:
        self.size = read_actions(read_count("actions", actions, most=LARGEST_COUNT)).size
        self.reward_range = read_range(reward_range)
        self._rule = ListedRule(REGRET_MATCHING, actions, self.reward_range)

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
        if asked.kind != "external":
            reason = "regret matching of this form makes external regret small, and no other"
            raise nothing_proven(asked, self, reason, "use InternalFTPL or BlumMansour")
        terms = (
            ("sqrt(T (N - 1))", sqrt(asked.rounds * (self.size - 1))),
            ("ties", TIES * asked.rounds if self.size > 1 else 0.0),
        )
        return asked.answer(
            terms,
            reward_range=self.reward_range,
            statement="external regret is at most sqrt(T (N - 1)), for all rewards",
            source="Hart and Mas-Colell (2000); docs/proofs.md",
        )

    def __repr__(self) -> str:
        shown = write_arguments(read_actions(self.size), reward_range=self.reward_range)
        return f"RegretMatching({shown})"
