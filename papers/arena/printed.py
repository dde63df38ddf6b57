"""What arena prints: the items of Table 1, the listing of a log, the people of Table 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mechanisms.ascending import paper_items

__all__ = [
    "LISTING_1",
    "LISTING_BUDGETS",
    "LISTING_PROFITS",
    "ORDERS",
    "TABLE_1",
    "TABLE_2",
    "LoggedItem",
]

TABLE_1: Final = {item.name: item.start for item in paper_items()}
"""Starting prices by name; the true value of each item is twice its start."""

ORDERS: Final = ("given", "ascending", "descending")
"""As Table 1 gives the items, and by starting price."""


@dataclass(frozen=True)
class LoggedItem:
    """An item of the log: its rounds of (bidder, bid or None for a withdrawal), and its sale."""

    name: str
    start: int
    value: int
    rounds: tuple[tuple[tuple[int, int | None], ...], ...]
    winner: int
    price: int


LISTING_1: Final = (
    LoggedItem(
        name="Gadget B",
        start=1000,
        value=2000,
        rounds=(
            ((1, 1200), (2, 1000)),
            ((1, 1300), (2, None)),
            ((3, 1400),),
            ((1, 1500),),
            ((3, None),),
        ),
        winner=1,
        price=1500,
    ),
    LoggedItem(
        name="Thingamajig C",
        start=1000,
        value=2000,
        rounds=(((1, 1200), (2, 1100), (3, 2000)), ((1, None), (2, None))),
        winner=3,
        price=2000,
    ),
    LoggedItem(
        name="Widget A",
        start=1000,
        value=2000,
        rounds=(((1, 1100), (2, 1200), (3, 1100)), ((1, None), (3, None))),
        winner=2,
        price=1200,
    ),
)
LISTING_BUDGETS: Final = {1: 20_000, 2: 20_000, 3: 0}
"""What the personal reports of the listing say each bidder starts with."""

LISTING_PROFITS: Final = {1: 500, 2: 800, 3: 0}

TABLE_2: Final = {
    "random": {
        "GPT-4-Turbo": ("8712.5", "5.0"),
        "GPT-3.5": ("3325.0", "1.0"),
        "human": ("7237.5", "3.8"),
    },
    "ascending": {
        "GPT-4-Turbo": ("7525.0", "5.0"),
        "GPT-3.5": ("2875.0", "1.3"),
        "human": ("10862.5", "3.8"),
    },
    "descending": {
        "GPT-4-Turbo": ("8287.5", "4.3"),
        "GPT-3.5": ("950.0", "0.5"),
        "human": ("10025.0", "5.0"),
    },
}
"""Mean profit and mean number of items over four games, by order and player."""
