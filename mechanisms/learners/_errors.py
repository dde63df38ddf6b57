"""What learners and opponents may do wrong in a run."""

from __future__ import annotations

from typing import Any

from mechanisms.errors import ParticipantError
from theory.errors import MechproofError

__all__ = ["LearnerError", "OpponentError", "attach_record"]


class LearnerError(ParticipantError):
    """A learner that raises, or plays what is no mixed strategy of its set.

    ``record`` is the :class:`~mechanisms.learners.Run` of the rounds before.
    """


class OpponentError(ParticipantError):
    """An opponent that raises, or answers with what are no rewards for the learner.

    ``record`` is the :class:`~mechanisms.learners.Run` of the rounds before.
    """


def attach_record(error: MechproofError, record: Any) -> None:
    """Let any error of ours hold a run as its ``record``, as those of participants do."""
    vars(error)["record"] = record
