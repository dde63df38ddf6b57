"""Problems of the kind ``game`` in strategic form for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from documents import Document

CHICKEN: Document = {
    "kind": "game",
    "players": ["Ann", "Bob"],
    "actions": {"Ann": ["yield", "dare"], "Bob": ["yield", "dare"]},
    "payoffs": {
        "yield": {"yield": [6, 6], "dare": [2, 7]},
        "dare": {"yield": [7, 2], "dare": [0, 0]},
    },
}

LIGHT: Document = {
    **CHICKEN,
    "distribution": [
        {"profile": ["yield", "yield"], "probability": "1/3"},
        {"profile": ["yield", "dare"], "probability": "1/3"},
        {"profile": ["dare", "yield"], "probability": "1/3"},
    ],
}

WHOLE: Document = {
    **LIGHT,
    "id": 7,
    "plays": {
        "Ann": ["dare", {"yield": "1/2", "dare": 0.5}],
        "Bob": [{"yield": 1}, "dare"],
    },
    "compute": ["cce", "ce"],
    "objective": {"Ann": 1, "Bob": "1/2"},
}
"""Every field of the form by tables."""

CHICKEN_NFG = """\
NFG 1 R "Chicken" { "Ann" "Bob" }
{ { "yield" "dare" } { "yield" "dare" } }

6 6
7 2
2 7
0 0
"""

Profile = tuple[int, ...]


def names(player: int, count: int) -> list[str]:
    return [f"{'abc'[player]}{k}" for k in range(count)]


def player(index: int) -> str:
    return f"player {'ABC'[index]}"


def document(game: Mapping[Profile, Sequence[Any]], **more: Any) -> Document:
    """Write {profile: payoffs} by tables; the actions of player 0 are a0, a1 and so on."""
    shape = [max(actions) + 1 for actions in zip(*game, strict=True)]
    players = list(map(player, range(len(shape))))
    return {
        "kind": "game",
        "players": players,
        "actions": {player(p): names(p, n) for p, n in enumerate(shape)},
        "payoffs": _table(game, shape, ()),
        **more,
    }


def _table(game: Mapping[Profile, Sequence[Any]], shape: Sequence[int], before: Profile) -> Any:
    p = len(before)
    if p == len(shape):
        return [str(x) for x in game[before]]
    return {name: _table(game, shape, (*before, k)) for k, name in enumerate(names(p, shape[p]))}


def listed(law: Mapping[Profile, Any]) -> list[Document]:
    """Write {profile: probability} as a list, zeros included."""
    return [
        {"profile": [names(p, 9)[k] for p, k in enumerate(profile)], "probability": str(q)}
        for profile, q in law.items()
    ]


def rounds(plays: Sequence[Sequence[Sequence[Any]]]) -> Document:
    """Write ``plays[player][round][action]``; a certain action as its name."""
    return {player(p): [_play(p, row) for row in own] for p, own in enumerate(plays)}


def _play(player: int, row: Sequence[Any]) -> Any:
    own = names(player, len(row))
    if 1 in row:
        return own[list(row).index(1)]
    return {name: str(x) for name, x in zip(own, row, strict=True) if x}
