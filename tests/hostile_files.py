"""Small problem files that ask for much: what each holds, by name."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["FILES"]


def _toml(text: str) -> tuple[str, bytes]:
    return ".toml", text.encode()


def _json(value: Any) -> tuple[str, bytes]:
    return ".json", json.dumps(value).encode()


def _states(count: int) -> dict[str, str]:
    return {f"s{w}": f"1/{count}" for w in range(count)}


def _variables(states: int, count: int) -> dict[str, dict[str, int]]:
    """Return variables that show one bit each of the number of the state."""
    return {f"v{b}": {f"s{w}": w >> b & 1 for w in range(states)} for b in range(count)}


def _utilities(states: int, actions: int = 2) -> dict[str, dict[str, int]]:
    return {f"a{a}": {f"s{w}": w * (a + 1) % 7 for w in range(states)} for a in range(actions)}


def _goods(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [{"name": f"g{g}", "reveals": [f"v{g}"]} for g in range(first, first + count)]


def _inspection(protocol: str, levels: list[int], states: int = 8, **more: Any) -> Any:
    goods = sum(levels)
    begins = [sum(levels[:n]) for n in range(len(levels))]
    return _json(
        {
            "kind": "inspection",
            "protocol": protocol,
            "states": _states(states),
            "variables": _variables(states, goods),
            "utilities": _utilities(states),
            "levels": [_goods(count, first) for count, first in zip(levels, begins, strict=True)],
            **more,
        }
    )


def _information(states: int, goods: int, **more: Any) -> dict[str, Any]:
    return {
        "kind": "information",
        "states": _states(states),
        "variables": _variables(states, goods),
        "utilities": _utilities(states),
        "goods": _goods(goods),
        **more,
    }


def _auction(agents: int, candidates: int, report: Any, **more: Any) -> Any:
    return _json(
        {
            "kind": "softmax-auction",
            "tau": 1,
            "candidates": [f"c{j}" for j in range(candidates)],
            "agents": {f"b{i}": report(i) for i in range(agents)},
            **more,
        }
    )


def _marginal(items: int, states: int = 4, **more: Any) -> Any:
    return _json(
        {
            "kind": "marginal-value",
            "states": _states(states),
            "variables": _variables(states, items),
            "utilities": _utilities(states),
            "goods": _goods(items),
            "state": "s0",
            **more,
        }
    )


def _mechanism(agents: int, types: int, **more: Any) -> Any:
    from itertools import product

    names = [[f"t{k}" for k in range(types)]] * agents
    return _json(
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


def _game(players: int, actions: int, **more: Any) -> Any:
    names = [f"a{k}" for k in range(actions)]

    def table(left: int, salt: int) -> Any:
        if not left:
            return [(salt * (p + 3)) % 11 for p in range(players)]
        return {a: table(left - 1, salt * 5 + k) for k, a in enumerate(names)}

    who = [f"p{i}" for i in range(players)]
    return _json(
        {
            "kind": "game",
            "players": who,
            "actions": dict.fromkeys(who, names),
            "payoffs": table(players, 1),
            **more,
        }
    )


def _chain(size: int) -> Any:
    def row(i: int) -> list[str]:
        weights = [(i * 7 + j * 3) % 101 + 1 for j in range(size)]
        return [f"{w}/{sum(weights)}" for w in weights]

    return _json({"kind": "fixed-point", "matrix": [row(i) for i in range(size)]})
