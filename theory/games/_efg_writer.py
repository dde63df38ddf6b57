"""Games into text in Gambit's extensive format (.efg)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from theory._gambit_text import enclose_in_braces, format_number, quote_name
from theory.games._game import Game, Node
from theory.shared.arguments import instance_of

__all__ = ["to_efg"]


def to_efg(game: Game) -> str:
    """Return a game as text in Gambit's extensive format, version 2.

    :func:`~theory.games.from_efg` gives the same game back. Each set and each outcome is described
    wherever it appears. A node that pays nothing and whose outcome has no name has outcome 0.

    Raises
    ------
    NumberError
        For a number of more digits than are read back.

    Notes
    -----
    O(nodes x players). Gambit 16.7 itself takes names of printable ASCII only, and reads more than
    one backslash where there is one.

    Examples
    --------
    >>> from theory.games import choice, end
    >>> tree = choice("Ann", "call", {"in": end("1/2"), "out": end(0)})
    >>> print(to_efg(Game.of(["Ann"], tree, "Entry")), end="")
    EFG 2 R "Entry" { "Ann" }
    ""
    <BLANKLINE>
    p "" 1 1 "call" { "in" "out" } 0
    t "" 1 "" { 1/2 }
    t "" 0
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    return _Writer(game).text()


class _Writer:
    def __init__(self, game: Game) -> None:
        self.game = game
        self.numbers: list[int] = []
        seen: Counter[int] = Counter()
        for infoset in game.infosets:
            seen[infoset.player] += 1
            self.numbers.append(seen[infoset.player])
        self.chances = 0
        self.outcomes: dict[tuple[str, tuple[Fraction, ...]], int] = {}

    def text(self) -> str:
        players = enclose_in_braces(map(quote_name, self.game.players))
        lines = [f"EFG 2 R {quote_name(self.game.title)} {players}", '""', ""]
        lines += map(self._line, self.game.nodes)
        return "\n".join(lines) + "\n"

    def _line(self, node: Node) -> str:
        name, outcome = quote_name(node.name), self._outcome(node)
        if node.is_end:
            return f"t {name} {outcome}"
        if node.is_chance:
            self.chances += 1
            odds = zip(node.moves, node.probabilities, strict=True)
            moves = enclose_in_braces(f"{quote_name(move)} {format_number(p)}" for move, p in odds)
            return f'c {name} {self.chances} "" {moves} {outcome}'
        infoset = self.game.infosets[node.infoset]
        number, label = self.numbers[node.infoset], quote_name(infoset.name)
        moves = enclose_in_braces(map(quote_name, node.moves))
        return f"p {name} {infoset.player + 1} {number} {label} {moves} {outcome}"

    def _outcome(self, node: Node) -> str:
        if not node.outcome and not any(node.payoffs):
            return "0"
        key = (node.outcome, node.payoffs)
        number = self.outcomes.setdefault(key, len(self.outcomes) + 1)
        payoffs = enclose_in_braces([", ".join(map(format_number, node.payoffs))])
        return f"{number} {quote_name(node.outcome)} {payoffs}"
