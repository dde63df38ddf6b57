"""What is raised when a language model answers nonsense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mechanisms.errors import ParticipantError
from mechanisms.participants import describe_object
from theory.errors import MechproofError

__all__ = ["LanguageModelError", "blame_model"]


class LanguageModelError(ParticipantError):
    """A language model that fails, or whose answer cannot be what it says it is."""


@contextmanager
def blame_model(called: str, where: str) -> Iterator[None]:
    """Name the model in what is not yet one of our errors; those say enough, and stay."""
    try:
        yield
    except MechproofError:
        raise
    except Exception as error:
        problem = f"raised {describe_object(error)} {where}"
        raise LanguageModelError(called, problem, "fix the model") from error
