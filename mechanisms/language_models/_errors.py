"""What is raised when a language model answers nonsense."""

from __future__ import annotations

from mechanisms.errors import ParticipantError

__all__ = ["LanguageModelError"]


class LanguageModelError(ParticipantError):
    """A language model that fails, or whose answer cannot be what it says it is."""
