"""The machinery of `python -m benchmarks`."""

from __future__ import annotations

from .alone import peak_megabytes, run_python
from .row import Bench, Growth, Ladder, Row, Work, close_to, same
from .targets import (
    AtLeastTimes,
    AtMostMegabytes,
    AtMostSeconds,
    AtMostTimes,
    AtMostValue,
    GrowsNoFaster,
    Target,
)

__all__ = [
    "AtLeastTimes",
    "AtMostMegabytes",
    "AtMostSeconds",
    "AtMostTimes",
    "AtMostValue",
    "Bench",
    "GrowsNoFaster",
    "Growth",
    "Ladder",
    "Row",
    "Target",
    "Work",
    "close_to",
    "peak_megabytes",
    "run_python",
    "same",
]
