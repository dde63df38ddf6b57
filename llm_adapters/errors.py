"""What goes wrong between a mechanism and a model that is asked over a wire, or runs here."""

from __future__ import annotations

from collections.abc import Sequence

from theory.errors import MechproofError
from theory.shared.printable import message_text

__all__ = [
    "AdapterError",
    "BudgetSpentError",
    "CallError",
    "CancelledError",
    "MissingAnswerError",
    "MissingCapabilityError",
    "MissingPackageError",
    "RecordError",
    "TransientError",
    "UnreadableError",
]


class AdapterError(MechproofError):
    """Every error of ``llm_adapters``.

    Parameters
    ----------
    problem : str
        What went wrong, as a sentence without its full stop.
    fix : str
        What to do about it, as a clause.
    """

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem, fix)
        self.problem = problem
        self.fix = fix

    def __str__(self) -> str:
        return message_text(f"{self.problem}: {self.fix}")


class CallError(AdapterError):
    """A call that failed, and that would fail again.

    Attributes
    ----------
    attempts : tuple of str
        What each attempt came to, where there were several.
    used : tuple of int
        The tokens of input and of output that the server charges all the same, as for an answer
        that makes no sense.
    request_refused : bool
        Whether a server refused what was asked, and may well answer something else.
    """

    used: tuple[int, int] = (0, 0)
    request_refused: bool = False

    def __init__(self, problem: str, fix: str, attempts: Sequence[str] = ()) -> None:
        super().__init__(problem, fix)
        self.attempts = tuple(attempts)


class TransientError(CallError):
    """A call that failed, and that may succeed when it is made again.

    Attributes
    ----------
    retry_after : float or None
        The seconds that the server asked to wait.
    spent : bool
        Whether the server may have charged for it: after a time-out, not after a refusal.
    crowded : bool
        Whether the server is asked too often, so that the next attempt should come later.
    """

    def __init__(
        self,
        problem: str,
        fix: str,
        *,
        retry_after: float | None = None,
        spent: bool = False,
        crowded: bool = False,
    ) -> None:
        super().__init__(problem, fix)
        self.retry_after = retry_after
        self.spent = spent
        self.crowded = crowded


class MissingCapabilityError(CallError):
    """A server or a model cannot do what it was asked for; the message names what."""


class BudgetSpentError(AdapterError):
    """A call that could have exceeded the budget, and so was not made."""


class CancelledError(AdapterError):
    """A call that was not made, or not waited for, since the run was cancelled."""


class MissingAnswerError(AdapterError):
    """A record that does not hold the answer to a request."""


class RecordError(AdapterError):
    """A record that cannot be read or written."""


class MissingPackageError(AdapterError):
    """A package that an adapter needs is not installed."""


class UnreadableError(AdapterError):
    """Text of a model that cannot be read as what was asked for; the message quotes it."""
