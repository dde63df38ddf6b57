"""Problem files of the kind ``ascending-auction``."""

from __future__ import annotations

from documents import Document

VASE: Document = {
    "kind": "ascending-auction",
    "items": [{"name": "vase", "start": 1000, "value": 2000}],
    "bidders": {name: {"limit": 4, "budget": 5000} for name in ("Ann", "Bob", "Cid")},
}

EVERY_FIELD: Document = {
    "kind": "ascending-auction",
    "id": "all",
    "ties": "poorer",
    "increment": "1/4",
    "discounts": 2,
    "items": [
        {"name": "vase", "start": 10, "value": 20},
        {"name": "clock", "start": "7.5", "value": "31/2"},
        {"name": "dear", "start": 100, "value": 40},
    ],
    "bidders": {
        "limit": {"budget": 41, "limit": 3},
        "over": {"budget": 40, "over": "-1/10", "strict": True},
        "values": {"budget": 39, "values": {"vase": 15, "clock": 12, "dear": 27}, "strict": False},
    },
}
