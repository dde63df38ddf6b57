"""The machinery of `python -m benchmarks`."""

from __future__ import annotations

from .row import Bench, Growth, Ladder, Row, Work, close_to, same
from .targets import (
    AtLeastTimes,
    AtMostMegabytes,
    AtMostSeconds,
    AtMostTimes,
    AtMostValue,
    Target,
)

__all__ = [
    "AtLeastTimes",
    "AtMostMegabytes",
    "AtMostSeconds",
    "AtMostTimes",
    "AtMostValue",
    "Bench",
    "Growth",
    "Ladder",
    "Row",
    "Target",
    "Work",
    "close_to",
    "same",
]
