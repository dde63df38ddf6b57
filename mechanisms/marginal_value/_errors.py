"""What a run of the marginal-value mechanism raises; each error holds the game's ``record``."""

from __future__ import annotations

from mechanisms.errors import ParticipantError

__all__ = ["InformantError", "JudgeError", "PricingError"]


class InformantError(ParticipantError):
    """An informant who raises, answers nonsense, or makes a move that is not open to it."""


class JudgeError(ParticipantError):
    """A judge who raises, or whose answer is not a number for each action."""


class PricingError(ParticipantError):
    """A price function that raises or returns no price."""
