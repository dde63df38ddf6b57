"""What learners and opponents may do wrong in a run."""

from __future__ import annotations

from mechanisms.errors import ParticipantError

__all__ = ["LearnerError", "OpponentError"]


class LearnerError(ParticipantError):
    """A learner that raises, or plays what is no mixed strategy of its set.

    ``record`` is the :class:`~mechanisms.learners.Run` of the rounds before.
    """


class OpponentError(ParticipantError):
    """An opponent that raises, or answers with what are no rewards for the learner.

    ``record`` is the :class:`~mechanisms.learners.Run` of the rounds before.
    """
