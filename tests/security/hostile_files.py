"""Small problem files that ask for much: what each holds, by name."""

from __future__ import annotations

from typing import Final

from hostile_games import GAMES
from hostile_mechanisms import MECHANISMS
from hostile_syntax import SYNTAX
from hostile_work import WORK

__all__ = ["FILES", "LINES", "LONG"]

FILES: Final = {**SYNTAX, **WORK, **MECHANISMS, **GAMES}
"""Files by name: how the name ends, what it holds, and a pattern of what is said of it."""

LONG: Final = frozenset(
    {
        "a cycle of fewer types",
        "a cycle of many types",
        "a cycle of many types that no payments fix",
        "a deep game",
        "a distribution of many probabilities",
        "a game of payoffs of many sizes",
        "a lottery of many probabilities",
        "a reward among many that is nearly 0",
        "a wide game",
        "a wrong number deep in a wide tree",
        "an answer that is nearly too long",
        "as many agents as there may be",
        "as many ends after chance as there may be",
        "as many levels as there may be",
        "as many variables as purchases may reveal",
        "blank lines",
        "chance after chance with a denominator each",
        "chance before many profiles",
        "ends of a player with a long name",
        "equal keys",
        "equal moves of one among 1",
        "equal moves of one among 2",
        "equilibria of one who forgets",
        "equilibria of two who forget",
        "expectations over fewer types",
        "fewer constants with a denominator each",
        "fewer equilibria of one who forgets",
        "fewer names of characters that join nothing",
        "fewer payments with a denominator each",
        "less bossiness",
        "less chance after chance",
        "lies of two agents",
        "logarithms of many such numbers",
        "logarithms of numbers that share many factors",
        "long names of states that stand in an answer again and again",
        "many constants",
        "many dotted keys",
        "many empty lists",
        "many levels",
        "many outcomes to compare with",
        "many replies that are nearly impossible",
        "many states",
        "many tables",
        "mixed play with a denominator each",
        "mixed play with payoffs that nearly tie",
        "more chance before many profiles",
        "more ends after chance",
        "more mixed play with a denominator each",
        "moves that are repeated",
        "names of characters that join nothing",
        "names of emoji",
        "odds whose products tie",
        "outcomes of a player with a long name",
        "pairs of many agents",
        "passes through many sets",
        "passes through one set",
        "payoffs of a player with a long name",
        "payoffs with a denominator each",
        "rewards of many agents that are far apart",
        "sets of many players",
        "sixty items that are halved again and again",
        "sixty items to three bidders",
        "states whose probabilities sum to many digits",
        "three bidders who bid hundreds of times",
        "tiny increments",
        "twelve bidders and redrawn ties",
        "twelve different bidders",
    }
)
"""Those that take more than half a second of a processor: most of the time of all together."""

LINES: Final = [
    b"[" * 100_000,
    b'{"kind": "x' + b"y" * 4_500_000 + b'"}',
    *(
        data
        for name, (suffix, data, _) in FILES.items()
        if suffix == ".json" and b"\n" not in data and len(data) < 2_000
    ),
]
"""Many of them as lines."""
