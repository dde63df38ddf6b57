"""The auction of table 1, and bidders for it."""

from __future__ import annotations

from theory.ascending import Item, LimitRule

TABLE_1 = (1000, 3000, 4000, 2000, 5000, 3000, 2000, 4000, 1000, 5000)
ORDERS = {
    "table": TABLE_1,
    "ascending": tuple(sorted(TABLE_1)),
    "descending": tuple(sorted(TABLE_1, reverse=True)),
}
RULES = (LimitRule(4),) * 3


def items(order: str) -> list[Item]:
    return [Item(f"item {n}", s, 2 * s) for n, s in enumerate(ORDERS[order])]
