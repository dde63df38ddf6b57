"""Following the leader, which fails."""

from __future__ import annotations

from typing import Any

from mechanisms.learners._action_arguments import listed_size, read_actions, write_arguments
from mechanisms.learners._bounds import BoundQuestion, RegretBound, nothing_proven
from mechanisms.learners._history import History
from mechanisms.learners._listed_rule import ListedRule
from mechanisms.learners._listed_state import BEST_RESPONSE
from mechanisms.learners._oracles import Oracle, as_oracle
from mechanisms.learners.arguments import read_range
from theory.actions import Action, ActionSet, SparseStrategy
from theory.shared.shapes import Row

__all__ = ["BestResponse"]


class BestResponse:
    r"""Play the action that would have earned most so far: a warning, not a recommendation.

    .. math:: x_t = e_i, \quad i = \arg\max_j \sum_{s<t} r_s(j)

    It needs a pure best response oracle and nothing else, as fictitious play does. Its regret can
    grow like T/2: an opponent who rewards in turn the action that will not lead is never caught.
    Of several leaders the first is played, so plays do not go with the names of actions where
    there are ties, the first round among them; a test of that fails, and should.

    Parameters
    ----------
    actions : int, ActionSet or Oracle
        A number of actions N, a set of them, or an oracle.
    reward_range : pair of floats
        What rewards lie in; others are refused. Features may leave out a constant, which changes no
        play: of a set that is not listed rewards may lie anywhere, if they are no further apart
        than the range is wide. Play does not depend on it.

    Raises
    ------
    InvalidInputError
        For what is no set of actions, and a range that is none.
    LimitError
        For more than 10^7 listed actions.

    Notes
    -----
    O(N) a round for listed actions, compiled, where sums tie within 1e-12 of the sum of the ranges
    of all rounds' rewards; otherwise a call of the oracle a round. Plays of sets that are not
    listed are :class:`~theory.actions.SparseStrategy` objects.

    Examples
    --------
    >>> learner = BestResponse(2)
    >>> for rewards in [0.5, 0.0], [0.0, 1.0], [1.0, 0.0]:
    ...     print(learner.play(), rewards)
    ...     learner.observe(rewards)
    [1. 0.] [0.5, 0.0]
    [1. 0.] [0.0, 1.0]
    [0. 1.] [1.0, 0.0]
    """

    def __init__(
        self,
        actions: int | ActionSet | Oracle,
        *,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self.actions: ActionSet | Oracle
        if isinstance(actions, Oracle) and not isinstance(actions, type):
            self.actions = actions
        else:
            self.actions = read_actions(actions)
        self.size = self.actions.size
        self.reward_range = read_range(reward_range)
        listed = listed_size(self.actions)
        self._rule: ListedRule | _LeaderRule
        if listed is None:
            self._rule = _LeaderRule(as_oracle(self.actions), self.reward_range)
        else:
            self._rule = ListedRule(BEST_RESPONSE, listed, self.reward_range)

    @property
    def rounds_played(self) -> int:
        """How many rounds it was told of."""
        return self._rule.rounds_played

    @property
    def oracle_gap(self) -> float:
        """The most by which the oracle is known to have missed the best response."""
        return 0.0 if isinstance(self._rule, ListedRule) else self._rule.gap

    def play(self) -> Row | SparseStrategy:
        """Return the pure strategy of the leader."""
        return self._rule.play()

    def observe(self, rewards: Any) -> None:
        """Take note of the rewards of all actions, or of what stands for them.

        Raises
        ------
        InvalidInputError
            For what is no row of finite numbers, or outside the range; nothing is remembered then.
        """
        self._rule.observe(rewards)

    def bound(self, asked: BoundQuestion) -> RegretBound:
        """Say that there is none; see :func:`regret_bound`."""
        reason = "whoever follows the leader can be led to lose T/2 in T rounds"
        raise nothing_proven(asked, self, reason, "use Hedge, FTPL or RegretMatching")

    def __repr__(self) -> str:
        return f"BestResponse({write_arguments(self.actions, reward_range=self.reward_range)})"


class _LeaderRule:
    """What an oracle says of the rounds so far."""

    def __init__(self, oracle: Oracle, reward_range: tuple[float, float]) -> None:
        self._oracle, self._range = oracle, reward_range
        self._history = History()
        self._leader: Action | None = None

    @property
    def rounds_played(self) -> int:
        return len(self._history)

    @property
    def gap(self) -> float:
        return float(getattr(self._oracle, "gap", 0.0))

    def play(self) -> SparseStrategy:
        if self._leader is None:
            self._leader = self._oracle.best_response(self._history)
        return SparseStrategy.pure(self._leader, self._oracle.size)

    def observe(self, rewards: Any) -> None:
        observation = self._oracle.read_observation(rewards, self._range)
        self._history.append(self.play(), observation)
        self._leader = None
