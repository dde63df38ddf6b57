"""How often a failed call is made again, and after how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["Retries", "seconds"]

_LONGEST: Final = 10**9  # threads can wait for a little longer, not for ever


@dataclass(frozen=True)
class Retries:
    """How often a call that may yet succeed is made, and how long the pauses are.

    The pause after attempt i is drawn evenly from 0 to first * 2^(i-1), or to ``longest`` where
    that is less ("full jitter"), so that those who failed together do not come back together. Where
    the server says how long to wait, it is that long and up to ``first`` longer. Where it is asked
    too often and does not say how long to wait, the pause is drawn from half of 4 * first * 2^(i-1)
    to all of that, or of ``longest``: by default 15 to 30 seconds in all.

    Attributes
    ----------
    attempts : int
        In all; 1 for no retries.
    first : float
        Seconds.
    longest : float
        Seconds. A server that asks to wait longer ends the call.

    Raises
    ------
    InvalidInputError
        For what is no count of at least 1, and seconds that are not from 0 to 10^9.

    Examples
    --------
    >>> Retries(attempts=3).longest
    30.0
    """

    attempts: int = 5
    first: float = 0.5
    longest: float = 30.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "attempts", read_count("attempts", self.attempts, 1))
        for name in ("first", "longest"):
            seconds(name, getattr(self, name))

    def pause(
        self,
        attempt: int,
        asked: float | None,
        rng: np.random.Generator,
        *,
        crowded: bool = False,
    ) -> float:
        """Return the seconds to wait after an attempt, which are counted from 1.

        Parameters
        ----------
        attempt : int
        asked : float or None
            The seconds that the server asked for.
        rng : numpy.random.Generator
        crowded : bool
            Whether the server is asked too often.
        """
        if asked is not None and asked > 0:
            return asked + float(rng.uniform(0, min(self.first, self.longest)))
        doubled = self.first * 2.0 ** min(attempt - 1, 60)
        if crowded:
            most = min(4 * doubled, self.longest)
            return float(rng.uniform(most / 2, most))
        return float(rng.uniform(0, min(doubled, self.longest)))


def seconds(name: str, value: Any, *, above: bool = False) -> float:
    """Return a number of seconds; raise InvalidInputError for what is none."""
    right = isinstance(value, int | float) and not isinstance(value, bool)
    if not right or not 0 <= value <= _LONGEST or (above and value == 0):
        least = "above 0" if above else "from 0"
        raise InvalidInputError(name, value, "is not a time", f"give seconds, {least} to 10^9")
    return float(value)
