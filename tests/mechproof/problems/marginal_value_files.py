"""Problems of the kind ``marginal-value`` for the tests."""

from __future__ import annotations

from documents import UMBRELLA, Document

CLAIM: Document = {
    "kind": "marginal-value",
    "items": ["claim", "rebuttal"],
    "actions": ["wait", "act"],
    "judge": [
        {"revealed": [], "utilities": {"wait": 1, "act": 0}},
        {"revealed": ["claim"], "utilities": {"wait": 0, "act": 3}},
        {"revealed": ["rebuttal"], "utilities": {"wait": 1, "act": 0}},
        {"revealed": ["rebuttal", "claim"], "utilities": {"wait": 1, "act": 2}},
    ],
    "prices": {"claim": 1, "rebuttal": 0.5},
}
"""The rebuttal weakens the claim and does not change what it leads to."""

FORECAST: Document = {
    **UMBRELLA,
    "kind": "marginal-value",
    "state": "dry",
    "goods": [{"name": "report", "reveals": ["weather"], "price": 0.25}],
}


LISTED: Document = {
    **CLAIM,
    "prices": [
        {"revealed": ["claim"], "price": 1},
        {"revealed": ["rebuttal"], "price": "1/2"},
        {"revealed": ["claim", "rebuttal"], "price": 1.25},
    ],
}

"""The same, with prices by set."""

WHOLE: dict[str, Document] = {
    "by item": {**CLAIM, "id": 7, "moves": [[], ["claim"], ["rebuttal"]], "ties": "most"},
    "by set": LISTED,
    "by state": {**FORECAST, "id": "x", "sets": "reached", "moves": "one item at a time"},
}
"""A problem of each form, and every setting."""


def without(document: Document, *fields: str) -> Document:
    return {key: value for key, value in document.items() if key not in fields}
