"""What a learner must be able to do."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["Learner"]


@runtime_checkable
class Learner(Protocol):
    """Plays a round, is told what came of it, and plays the next.

    Nothing else is asked of a learner that is given to :func:`play_game` or :func:`play_against`.
    One that has a method ``bound(asked)`` can state what is proven of its regret; see
    :func:`regret_bound`.
    """

    def play(self) -> Any:
        """Return the mixed strategy of this round; it is not changed afterwards.

        That is a float64 array of N probabilities for actions 0..N-1, a
        :class:`~theory.actions.SparseStrategy`, or a :class:`~theory.actions.SoftmaxStrategy`.
        """
        ...

    def observe(self, rewards: Any) -> None:
        """Take note of what came in the round just played.

        Parameters
        ----------
        rewards
            For listed actions the rewards of all N; for an :class:`~theory.actions.ActionSet` the
            vector z for which action a earns <phi(a), z>, perhaps plus a constant; for an oracle of
            one's own whatever it understands.
        """
        ...
