"""How much work an auction asks for, counted before each part of it is done."""

from __future__ import annotations

from theory.errors import LimitError

__all__ = ["StepCount"]


class StepCount:
    """Counts steps of about a microsecond, and refuses what would go above the most.

    Parameters
    ----------
    most : int, optional
        The limit; None for no limit, and then nothing is counted.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._taken = 0

    def add(self, steps: int, bits: int = 0) -> None:
        """Count sums and products of integers of so many bits: their time grows with the length.

        Raises
        ------
        LimitError
            When there are more than the most together with all that was counted before.
        """
        self._count(steps * (1 + (bits >> 9)))

    def add_fractions(self, steps: int, bits: int) -> None:
        """Count operations on fractions, which are reduced: time grows with the square."""
        self._count(steps * (2 + (bits >> 9) ** 2))

    def _count(self, steps: int) -> None:
        if self._most is None:
            return
        self._taken += steps
        if self._taken > self._most:
            raise LimitError(
                "items",
                self._taken,
                f"ask these bidders for more than the limit of {self._most:,} steps",
                "give fewer items or bidders, a larger increment, or rounder numbers",
            )
