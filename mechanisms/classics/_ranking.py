"""Who bids most, and who pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["paid_by", "rank_bidders"]


def rank_bidders(bids: Sequence[Any], at_least: Any = 0) -> list[int]:
    """Return the bidders at or above a bid, highest bid first; among equal bids, lowest index."""
    order = sorted(range(len(bids)), key=bids.__getitem__, reverse=True)
    return [i for i in order if bids[i] >= at_least]


def paid_by(payer: int, price: Any, agents: int) -> tuple[Any, ...]:
    """Return payments of which all but one agent's are 0."""
    return tuple(price if i == payer else 0 for i in range(agents))
