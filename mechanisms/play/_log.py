"""What stands in the log of a run, and what is wrong with rules that do not follow it."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from theory.errors import MechproofError
from theory.shared.printable import message_text

__all__ = ["Entry", "How", "ReplayError", "RulesError"]


class How(Enum):
    """How a request was answered."""

    CHOSEN = "chosen"
    REFUSED = "refused"
    ILLEGAL = "illegal"
    ABSENT = "absent"
    DRAWN = "drawn"
    BANK = "bank"


class Entry(NamedTuple):
    """One entry of the log of a run.

    Attributes
    ----------
    step : int
        The number of the batch of requests, from 0.
    key : str
        The name of the request in its batch; empty where it is alone.
    request : Request
    how : How
        ``REFUSED`` is an attempt after which the player is asked again. After the last one
        (``ILLEGAL``), or where no answer came (``ABSENT``), what the rules say follows.
    value : object
        What the rules get; of an attempt that was refused, nothing is kept.
    reason : str
        Why an answer was refused, or why none came.
    memory : str
        How the driver saw to it that a new seat has forgotten: "structural" or "promised".
    """

    step: int
    key: str
    request: Any
    how: How
    value: Any = None
    reason: str = ""
    memory: str = ""


class RulesError(MechproofError):
    """Rules that ask for what nobody can answer, or that do not repeat themselves."""

    def __init__(self, name: str, step: int, problem: str, fix: str) -> None:
        super().__init__(name, step, problem, fix)
        self.step = step

    def __str__(self) -> str:
        name, step, problem, fix = self.args
        return message_text(f"the rules {name} at step {step} {problem}: {fix}")


class ReplayError(RulesError):
    """A log that does not replay; ``step`` is the first that differs."""
