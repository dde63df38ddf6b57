"""Which questions the demo of the softmax auction asks."""

from __future__ import annotations

from typing import Final

from mechanisms.advertising import Instance, instances

__all__ = ["QUERIES", "choose_instances"]

QUERIES: Final = (1, 5, 12)
"""Which of the fifty instances are run."""


def choose_instances() -> tuple[Instance, ...]:
    """Return the instances that are run unless others are given."""
    every = instances()
    return tuple(every[k] for k in QUERIES)
