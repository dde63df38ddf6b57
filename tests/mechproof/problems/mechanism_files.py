"""Problems of the kind ``mechanism`` for the tests."""

from __future__ import annotations

from documents import Document

SALE: Document = {
    "kind": "mechanism",
    "outcomes": ["sold", "kept"],
    "agents": {
        "buyer": {"cool": {"sold": 1, "kept": 0}, "keen": {"sold": 3, "kept": 0}},
        "seller": {"owner": {"sold": 0, "kept": "1/2"}},
    },
    "table": [
        {"reports": ["cool", "owner"], "outcome": "sold", "payments": [1, -1]},
        {"reports": ["keen", "owner"], "outcome": "sold", "payments": [2, -2]},
    ],
}

LOTTERY: Document = {
    **SALE,
    "id": 7,
    "table": [
        {"reports": ["cool", "owner"], "outcome": {"sold": "1/2", "kept": 0.5}},
        {"reports": ["keen", "owner"], "outcome": "sold", "payments": [1.5, -1]},
    ],
    "prior": {"buyer": {"cool": "1/4", "keen": "3/4"}, "seller": {"owner": 1}},
    "properties": ["dsic", "bic"],
    "epsilon": "1/2",
    "implementable": True,
}
"""Every field; a prior by agent."""

LISTED: Document = {**LOTTERY, "prior": [{"types": ["cool", "owner"], "probability": 1}]}
"""The same with a prior by profile."""


def by_name(found: Document) -> dict[str, Document]:
    return {each["property"]: each for each in found["findings"]}
