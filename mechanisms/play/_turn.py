"""Requests that are open at the same time, and what is answered of them until now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from mechanisms.play._log import Entry, How
from mechanisms.play._requests import Ask

__all__ = ["ALONE", "Turn"]

_REFUSED: Final = How.REFUSED

ALONE: Final = ""
"""The name of a request that is no part of a dictionary."""


class Turn:
    """Where the rules stand: what they have asked for, and the answers until now.

    The newest stage of a line goes on with its turn, in O(1) an answer; for an earlier stage it is
    made again from the log.

    Attributes
    ----------
    step : int
        The number of the batch of requests.
    batch : dict
        The requests by name, as the rules have put them.
    given : dict
        What is answered of them: first by chance and the bank, then from outside.
    start : int
        How many entries the line had when the first answer from outside was due.
    only : Ask, Draw or None
        The request where there is one alone, not several by name.
    """

    __slots__ = (
        "_asks",
        "_first",
        "_keys",
        "_put",
        "_settled",
        "batch",
        "given",
        "only",
        "start",
        "step",
    )

    def __init__(
        self, step: int, batch: dict[str, Any], settled: dict[str, Any], start: int, only: Any
    ) -> None:
        self.step = step
        self.batch = self._put = batch  # the latter is a copy, once a question is put again
        self.start = start
        self.only = only
        self._settled = settled
        self.given = settled.copy()
        self._first = 0  # the questions before it are answered
        self._asks: list[str] | None = None
        self._keys: dict[Any, str] | None = None

    def after(self, entries: Iterable[Entry]) -> Turn:
        """Return the turn as it is when these have answered, and nobody else from outside."""
        only = self.only and self.batch[ALONE]
        again = Turn(self.step, self.batch, self._settled, self.start, only)
        for entry in entries:
            again.enter(entry)
        return again

    def enter(self, entry: Entry) -> None:
        """Take over an answer; after one that was refused the question is put again."""
        if entry.how is not _REFUSED:
            self.given[entry.key] = entry.value
            return
        if self._put is self.batch:
            self._put = dict(self.batch)
        request: Any = entry.request
        again = replace(request, refused=(*request.refused, entry.reason), step=self.step)
        self._put[entry.key] = again
        self.only = self.only and again

    @property
    def complete(self) -> bool:
        """Whether everything is answered."""
        return len(self.given) == len(self.batch)

    def waiting(self) -> dict[str, Any]:
        """Return what is open, by name."""
        return {key: each for key, each in self._put.items() if key not in self.given}

    def is_open(self, key: str) -> bool:
        """Whether a request is not answered yet."""
        return key in self._put and key not in self.given

    def request(self, key: str) -> Any:
        """Return a request as it is put now."""
        return self._put[key]

    def first_ask(self) -> Any:
        """Return the first question that is open; None where there is none."""
        if self.only is not None:
            return self.only if isinstance(self.only, Ask) and not self.given else None
        if self._asks is None:
            self._asks = [key for key, each in self.batch.items() if isinstance(each, Ask)]
        while self._first < len(self._asks):
            if self._asks[self._first] not in self.given:
                return self._put[self._asks[self._first]]
            self._first += 1
        return None

    def key_of(self, request: Any) -> str | None:
        """Return the name of an open question by its seat, or of a draw by what it is."""
        if self._keys is None:
            self._keys = {
                each.seat if isinstance(each, Ask) else id(each): key
                for key, each in self.batch.items()
            }
        key = self._keys.get(request if isinstance(request, str) else id(request))
        return None if key is None or key in self.given else key
