"""Problems from which small files that ask for much are made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count, islice, product
from typing import Any, Final

__all__ = [
    "EXAMPLE",
    "as_efg",
    "as_json",
    "make_goods",
    "make_information",
    "make_law",
    "make_mechanism",
    "make_states",
    "make_units",
    "make_utilities",
    "make_variables",
    "slow_document",
]


def as_json(value: Any) -> tuple[str, bytes]:
    return ".json", json.dumps(value).encode()


def make_states(count: int) -> dict[str, str]:
    return {f"s{w}": f"1/{count}" for w in range(count)}


def make_variables(states: int, count: int) -> dict[str, dict[str, int]]:
    """Return variables that show one bit each of the number of the state."""
    return {f"v{b}": {f"s{w}": w >> b & 1 for w in range(states)} for b in range(count)}


def make_utilities(states: int, actions: int = 2) -> dict[str, dict[str, int]]:
    return {f"a{a}": {f"s{w}": w * (a + 1) % 7 for w in range(states)} for a in range(actions)}


def make_goods(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [{"name": f"g{g}", "reveals": [f"v{g}"]} for g in range(first, first + count)]


def make_information(states: int, goods: int, **more: Any) -> dict[str, Any]:
    return {
        "kind": "information",
        "states": make_states(states),
        "variables": make_variables(states, goods),
        "utilities": make_utilities(states),
        "goods": make_goods(goods),
        **more,
    }


def slow_document(items: int) -> dict[str, Any]:
    """Return a problem that takes the longer the more items it has."""
    return {
        "kind": "marginal-value",
        "states": make_states(4),
        "variables": make_variables(4, items),
        "utilities": make_utilities(4),
        "goods": make_goods(items),
        "state": "s0",
        "sets": "reached",
    }


def make_mechanism(agents: int, types: int, **more: Any) -> Any:
    names = [[f"t{k}" for k in range(types)]] * agents
    return as_json(
        {
            "kind": "mechanism",
            "outcomes": ["x", "y"],
            "agents": {
                f"b{i}": {t: {"x": k % 3, "y": k % 5} for k, t in enumerate(names[i])}
                for i in range(agents)
            },
            "table": [
                {"reports": list(p), "outcome": "xy"[k % 2]} for k, p in enumerate(product(*names))
            ],
            **more,
        }
    )


def make_units() -> Iterator[str]:
    """Yield fractions with a denominator each."""
    return (f"1/{under}" for under in count(2**60 + 1, 2))


def make_law(letter: str, size: int) -> dict[str, str]:
    """Return such fractions by name: no law, for their sum is small."""
    return {f"{letter}{k}": p for k, p in enumerate(islice(make_units(), size))}


def as_efg(body: str) -> tuple[str, bytes]:
    return ".efg", f'EFG 2 R "x" {{ "a" }} {body}'.encode()


EXAMPLE: Final = make_information(4, 2)
