"""Hedge, over a list of actions or over a set that is too large to list."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from mechanisms.learners._action_arguments import listed_size, read_actions, write_arguments
from mechanisms.learners._bounds import BoundQuestion, RegretBound, nothing_proven
from mechanisms.learners._listed_rule import ListedRule
from mechanisms.learners._listed_state import HEDGE
from mechanisms.learners._oracles import ActionOracle
from mechanisms.learners.arguments import read_range, reward_width
from mechanisms.learners.rates import Rates
from theory.actions import ActionSet, SoftmaxStrategy
from theory.shared.shapes import Row

__all__ = ["Hedge"]


class Hedge:
    r"""Multiplicative weights: play the softmax of what each action would have earned.

    Round t plays x_t(i) proportional to \exp(e_t \sum_{s<t} r_s(i)). With N actions and rewards in
    [0, 1], external regret is at most

    - \log(N) / e + e T / 8 at a fixed rate e, which is \sqrt{T \log(N) / 2} at the best rate
      e = \sqrt{8 \log(N) / T}, chosen with ``rounds``;
    - \sqrt{T \log N} for every T at once, with e_t = 2 \sqrt{\log(N) / t}, the default;

    whatever the rewards are. It is follow-the-perturbed-leader with Gumbel noise, in expectation.

    Parameters
    ----------
    actions : int or ActionSet
        A number of actions N, or a set of them.
    rounds, rate : int, float, optional
        The number of rounds T that the step size is best for, or a step size of one's own.
    reward_range : pair of floats
        What rewards lie in; others are refused. Features may leave out a constant, which changes no
        play: of a set that is not listed rewards may lie anywhere, if they are no further apart
        than the range is wide. Play is the same as on rewards
        mapped to [0, 1].

    Raises
    ------
    InvalidInputError
        For what is no set of actions, for both ``rounds`` and ``rate``, for a rate outside
        [1e-100, 1e100], and for a range that is none.
    LimitError
        For more than 10^7 listed actions.

    Notes
    -----
    O(N) a round for listed actions, compiled. On another set plays are
    :class:`~theory.actions.SoftmaxStrategy` objects, and a round costs one pass of
    ``actions.extremes``, by which rewards are checked.

    Cesa-Bianchi and Lugosi, *Prediction, Learning, and Games* (2006), Theorems 2.2 and 2.3.

    Examples
    --------
    >>> learner = Hedge(2, rate=1.0)
    >>> learner.play()
    array([0.5, 0.5])
    >>> learner.observe([1.0, 0.0])
    >>> learner.play().round(4)
    array([0.7311, 0.2689])

    A set of 184,756 actions, never listed:

    >>> from theory.actions import Subsets
    >>> learner = Hedge(Subsets(20, 10), rounds=100, reward_range=(0.0, 10.0))
    >>> for _ in range(50):
    ...     learner.observe(np.arange(20) / 20)
    >>> print(learner.play().features(Subsets(20, 10)).round(2)[[0, 19]])
    [0.08 0.92]
    """

    def __init__(
        self,
        actions: int | ActionSet,
        *,
        rounds: int | None = None,
        rate: float | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self.actions = read_actions(actions)
        self.size = self.actions.size
        self.rates = Rates.of(rounds=rounds, rate=rate, entropy=log(self.size))
        self.reward_range = read_range(reward_range)
        listed = listed_size(self.actions)
        self._rule: ListedRule | _SoftmaxRule
        if listed is None:
            self._rule = _SoftmaxRule(self.actions, self.rates, self.reward_range)
        else:
            self._rule = ListedRule(
                HEDGE, listed, self.reward_range, rate=self.rates.first, anytime=self.rates.anytime
            )

    @property
    def rounds_played(self) -> int:
        """How many rounds it was told of."""
        return self._rule.rounds_played

    def play(self) -> Row | SoftmaxStrategy:
        """Return the probability of each action, or the law of a set that is not listed."""
        return self._rule.play()

    def observe(self, rewards: Any) -> None:
        """Take note of the rewards of all actions, or of the vector that stands for them.

        Raises
        ------
        InvalidInputError
            For what is no row of finite numbers, or outside the range; nothing is remembered then.
        """
        self._rule.observe(rewards)

    def bound(self, asked: BoundQuestion) -> RegretBound:
        """Return what is proven of its regret; see :func:`regret_bound`."""
        if asked.kind != "external":
            reason = "Hedge makes external regret small, and no other"
            raise nothing_proven(asked, self, reason, "use InternalFTPL or BlumMansour")
        first, second = self.rates.terms(asked.rounds)
        return asked.answer(
            (("log(N) / e", first), ("sum of e / 8", second)),
            reward_range=self.reward_range,
            statement="external regret is at most log(N) / e_T + (e_1 + ... + e_T) / 8, for all "
            "rewards",
            source="Cesa-Bianchi and Lugosi (2006), section 2; docs/proofs.md",
        )

    def __repr__(self) -> str:
        rates = self.rates.describe()
        return f"Hedge({write_arguments(self.actions, *rates, reward_range=self.reward_range)})"


class _SoftmaxRule:
    """Hedge over a set of which only sums of rewards are known."""

    def __init__(self, actions: ActionSet, rates: Rates, reward_range: tuple[float, float]) -> None:
        self._oracle, self._rates, self._range = ActionOracle(actions), rates, reward_range
        self._width = reward_width(reward_range)[1]
        self._sums = np.zeros(actions.dimension)
        self.rounds_played = 0

    def play(self) -> SoftmaxStrategy:
        rate = self._rates.at(self.rounds_played + 1) / self._width
        return SoftmaxStrategy(self._oracle.actions, rate * self._sums)

    def observe(self, rewards: Any) -> None:
        self._sums += self._oracle.read_observation(rewards, self._range)
        self.rounds_played += 1
