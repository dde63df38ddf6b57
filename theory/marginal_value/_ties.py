"""Which of several best moves is made."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Ties"]


class Ties(StrEnum):
    """Which of several best moves is made; among sets of one size, the one of earlier items.

    :class:`theory.inspection.Ties` is another enumeration on purpose: it orders what is bought,
    where nothing like the null move is at stake.
    """

    FEWEST_ITEMS = "fewest items first, so none if that is best"
    MOST_ITEMS = "most items first, so none only if nothing else is best"
