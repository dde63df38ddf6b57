"""Games as problem files."""

from __future__ import annotations

from typing import Any

from documents import Document

from theory.games import Game, to_efg

ENTRY: Document = {
    "kind": "game",
    "players": ["entrant", "incumbent"],
    "tree": {
        "player": "entrant",
        "infoset": "start",
        "moves": {
            "out": {"payoffs": [0, 2]},
            "in": {
                "player": "incumbent",
                "infoset": "entry",
                "moves": {"fight": {"payoffs": [-1, -1]}, "share": {"payoffs": [1, 1]}},
            },
        },
    },
}

COIN: Document = {
    "kind": "game",
    "players": ["guesser"],
    "tree": {
        "chance": {
            face: {
                "probability": p,
                "player": "guesser",
                "infoset": "guess",
                "moves": {
                    "heads": {"payoffs": [int(face == "heads")]},
                    "tails": {"payoffs": ["1/3"]},
                },
            }
            for face, p in {"heads": 0.25, "tails": "3/4"}.items()
        }
    },
}

DRIVER_EFG = """\
EFG 2 R "The driver" { "driver" }

p "" 1 1 "crossing" { "exit" "on" } 0
t "" 1 "" { 0 }
p "" 1 1 "crossing" { "exit" "on" } 0
t "" 2 "" { 4 }
t "" 3 "" { 1 }
"""


def efg(game: Game) -> Document:
    return {"kind": "game", "efg": to_efg(game)}


def three(pays: Any) -> Document:
    """Three players move at once."""

    def node(*made: int) -> Document:
        if len(made) == 3:
            return {"payoffs": pays(*made)}
        after = {str(m): node(*made, m) for m in range(2)}
        return {"player": f"p{len(made)}", "infoset": "choice", "moves": after}

    return {"kind": "game", "players": ["p0", "p1", "p2"], "tree": node()}


def irrational(a: int, b: int, c: int) -> list[int]:
    """The one equilibrium plays 1 with p = r = (√17 - 1) / 4 and q = (2p + 1) / 4."""
    return [a * (1 - 2 * b * c), b * (a - c), c * (4 * b - 2 * a - 1)]


def coins() -> Document:
    """Ann lays two coins and has forgotten the first; she wins by two alike that Bob misses."""

    def second(first: str, guess: str) -> Document:
        wins = {b: 1 if first == b != guess else -1 for b in "ht"}
        after = {b: {"payoffs": [win, -win]} for b, win in wins.items()}
        return {"player": "ann", "infoset": "second", "moves": after}

    def guess(first: str) -> Document:
        moves = {g: second(first, g) for g in "ht"}
        return {"player": "bob", "infoset": "guess", "moves": moves}

    tree = {"player": "ann", "infoset": "first", "moves": {a: guess(a) for a in "ht"}}
    return {"kind": "game", "players": ["ann", "bob"], "tree": tree}


def careless() -> Document:
    """A driver who forgets, and another player."""
    second = {"player": "a", "infoset": "x", "moves": {m: {"payoffs": [0, 0]} for m in "lr"}}
    tree = {"player": "a", "infoset": "x", "moves": {"l": {"payoffs": [1, 1]}, "r": second}}
    return {"kind": "game", "players": ["a", "b"], "tree": tree}


def wide(sets: int) -> Document:
    """A player who knows how a die with many sides fell, and may guess it."""
    sides = {
        f"side {k}": {
            "probability": f"1/{sets}",
            "player": "ann" if k else "bob",
            "infoset": "hidden" if k < 2 else f"sees {k}",
            "moves": {"stay": {"payoffs": [0, 0]}, "guess": {"payoffs": [1, k]}},
        }
        for k in range(sets)
    }
    return {"kind": "game", "players": ["ann", "bob"], "tree": {"chance": sides}}
