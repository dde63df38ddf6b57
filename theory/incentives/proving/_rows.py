"""An array function on many rows at once, against what it does with each of them alone.

A trace is of one row. So a row that depends on the others, for want of an ``axis=1``, shows here.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from theory.incentives._mechanism import Vectorised, report_array
from theory.incentives._reading import key_of, show
from theory.incentives._record import OutcomeAtFault, Profile, Record, message, read
from theory.incentives.proving._trace_failure import Untraced
from theory.incentives.setting import Setting

__all__ = ["Rows"]

_SIZES: Final = (2, 2, 2, 3, 3, 5, 17, 100, 1_000)
"""How many rows are drawn, some of them more than once, beside all of them twice."""


class Rows:
    """Profiles that an array function was given one by one, with what came of each."""

    def __init__(self) -> None:
        self._alone: dict[tuple[int, str], dict[Any, tuple[Profile, Record]]] = {}

    def take(self, setting: Setting) -> None:
        """Take the outcomes that a setting knows; those at fault are compared nowhere."""
        if not isinstance(setting.mechanism, Vectorised):
            return
        for reports in setting.known:
            try:
                record = setting.record(reports)
            except OutcomeAtFault:
                continue
            kind = report_array([reports]).dtype.kind  # integers become another array than objects
            self._alone.setdefault((len(reports), kind), {})[key_of(reports)] = reports, record

    def compare(self, setting: Setting, chance: Random) -> int:
        """Run the function on many rows, in batches of several sizes; return the most rows of one.

        Raises
        ------
        Untraced
            Where a row does not come to what it comes to alone.
        """
        most = 0
        for known in self._alone.values():
            rows = list(known.values())
            batches = [chance.choices(rows, k=size) for size in _SIZES]
            for batch in (*batches, chance.sample([*rows, *rows], 2 * len(rows))):
                _compare(setting, batch)
                most = max(most, len(batch))
        return most


def _compare(setting: Setting, batch: list[tuple[Profile, Record]]) -> None:
    """Raise where a row of a batch does not come to what it comes to alone."""
    count = f"among {len(batch):,} rows"
    try:
        parts = setting.mechanism.outcomes(report_array([reports for reports, _ in batch]))
    except Exception as error:  # whatever a user's function raises
        raise Untraced(f"the array function raises {message(error)} {count}") from error
    found = zip(*(part.tolist() for part in parts), strict=True)
    for (reports, alone), returned in zip(batch, found, strict=True):
        there = read(reports, returned)
        one = setting.fresh()
        one.keep(reports, alone)  # floats differ from these by rounding
        if not isinstance(there, Record) or not one.is_same(alone, there):
            raise Untraced(
                f"a row depends on the others: {show(reports)} leads to {alone} alone, and to "
                f"{there} {count}"
            )
