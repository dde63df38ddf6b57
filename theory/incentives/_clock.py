"""Seconds for reports: the one clock below the application layer. No result depends on it."""

from __future__ import annotations

from time import perf_counter

__all__ = ["seconds"]


def seconds() -> float:
    """Return seconds since some fixed moment."""
    return perf_counter()
