"""Problem files of the kind ``softmax-auction``."""

from __future__ import annotations

from documents import Document

PAIR: Document = {
    "kind": "softmax-auction",
    "tau": 0.5,
    "candidates": ["none", "a", "both"],
    "agents": {"A": {"rewards": [0, 1, "1/3"]}, "B": {"rewards": [0.1, -1, 2e-1]}},
}

LAWS: Document = {
    **PAIR,
    "reference": {"log_probabilities": [-0.1, -2.5, "-inf"]},
    "generator": {"probabilities": [0.5, "1/3", 0.1]},
}

ODDS: Document = {
    **PAIR,
    "tau": 3,
    "agents": {"A": {"odds": [1, 2, 1]}, "B": {"odds": [1, 1, "1/3"]}},
}

WHOLE: Document = {
    **LAWS,
    "id": 7,
    "offset": False,
    "reference": {"probabilities": [0.6, 0.3, 0.01]},
    "generator": {"log_probabilities": [-1, -1, -1]},
    "agents": {
        "rewards": {"rewards": [0, 1, 2]},
        "odds": {"odds": [1, 2, 3]},
        "model": {"probabilities": [0.2, 0.1, 0.2], "tau": 0.3, "log_normaliser": 2},
        "logs": {"log_probabilities": [-3, -2, -1]},
    },
}
"""Every field."""
