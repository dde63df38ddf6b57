"""What is raised when a language model answers nonsense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mechanisms.errors import ParticipantError
from mechanisms.participants import described
from theory.errors import MechproofError

__all__ = ["LanguageModelError", "blamed"]


class LanguageModelError(ParticipantError):
    """A language model that fails, or whose answer cannot be what it says it is."""


@contextmanager
def blamed(called: str, where: str) -> Iterator[None]:
    """Name the model in what is not yet one of our errors; those say enough, and stay."""
    try:
        yield
    except MechproofError:
        raise
    except Exception as error:
        problem = f"raised {described(error)} {where}"
        raise LanguageModelError(called, problem, "mend the model") from error
