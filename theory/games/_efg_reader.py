"""Games out of text in Gambit's extensive format (.efg)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest

from theory._gambit_text import make_names_distinct, show_name
from theory.games._efg_tokens import Tokens
from theory.games._game import Game
from theory.games._tree import Chance, Choice, End, Tree
from theory.numbers.exact import over_one
from theory.shared.arguments import instance_of

__all__ = ["from_efg"]


def from_efg(text: str) -> Game:
    """Return the game that is written in Gambit's extensive format, version 2.

    The nodes stand in preorder: chance, a player or an end, each with an outcome or none. Payoffs
    and probabilities are read exactly as written. A set or an outcome is described where it first
    appears and may be referred to by number alone from then on; the first name it gets is kept.

    A game of ours keeps neither the comment nor the numbers: nodes of chance stand for themselves,
    and an outcome is its name and payoffs. Players, sets of a player and moves of a set that share
    a name are told apart by their numbers.

    Raises
    ------
    EfgError
        For text that is no such game; it names the line, the column and the token.
    LimitError
        For probabilities of one node that take more than ``theory.numbers.exact.MAX_BITS`` bits
        over their common denominator.

    Notes
    -----
    O(length of the text). Depth is limited by memory alone.

    Source: the page on the .efg format in Gambit's documentation.

    Examples
    --------
    >>> print(from_efg('EFG 2 R "Guess" { "Ann" } c "" 1 "" { "heads" 1/2 "tails" .5 } 0 '
    ...     'p "" 1 1 "call" { "heads" "tails" } 0 t "" 1 "right" { 1 } t "" 0 '
    ...     'p "" 1 1 0 t "" 0 t "" 1'))
    Guess
    chance heads 1/2, tails 1/2
      heads: Ann at call
        heads: end, pays 1
        tails: end, pays 0
      tails: Ann at call
        heads: end, pays 0
        tails: end, pays 1
    """
    instance_of("text", text, str, "read the file's text")
    return _Reader(Tokens(text)).game()


@dataclass
class _Set:
    """An information set as described: each move with its probability, zero unless chance moves."""

    name: str
    moves: tuple[tuple[str, Fraction], ...]

    def __str__(self) -> str:
        return ", ".join(f"{move!r} {p}" if p else repr(move) for move, p in self.moves)


@dataclass(frozen=True)
class _Outcome:
    name: str
    payoffs: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """One node: its name, its set by player (0 is chance) and number unless it is an end."""

    name: str
    key: tuple[int, int] | None
    outcome: _Outcome


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.players: tuple[str, ...] = ()
        self.shown: tuple[str, ...] = ()
        self.sets: dict[tuple[int, int], _Set] = {}
        self.outcomes: dict[int, _Outcome] = {}

    def game(self) -> Game:
        title = self._prologue()
        lines: list[_Line] = []
        awaited = 1
        while awaited:
            line = self._line()
            lines.append(line)
            awaited += len(self.sets[line.key].moves) - 1 if line.key else -1
        self.tokens.end()
        return Game.of(self.players, self._tree(lines), title)

    def _prologue(self) -> str:
        tokens = self.tokens
        tokens.one_of(("EFG",), "'EFG'", 'begin the text with EFG 2 R "title"')
        tokens.one_of(("2",), "'2'", "this is version 2 of the format")
        tokens.one_of(("R", "D"), "'R'", 'begin the text with EFG 2 R "title"')
        title = tokens.take_quoted("the title")
        tokens.symbol("{", "before the players")
        names = [tokens.take_quoted("the name of a player")]
        while tokens.quoted_next:
            names.append(tokens.take_quoted("the name of a player"))
        tokens.symbol("}", "after the players")
        if tokens.quoted_next:
            tokens.take_quoted("a comment")
        self.players = tuple(make_names_distinct(dict(enumerate(names, 1))).values())
        self.shown = tuple(map(show_name, self.players))
        self.outcomes[0] = _Outcome("", (Fraction(0),) * len(names))
        return title

    def _line(self) -> _Line:
        tokens = self.tokens
        fix = "write c for chance, p for a player or t for an end"
        kind = tokens.one_of(("c", "p", "t"), "a node", fix)
        name = tokens.take_quoted("the name of the node")
        if kind == "t":
            return _Line(name, None, self._outcome())
        key = self._set(self._player() if kind == "p" else 0)
        return _Line(name, key, self._outcome())

    def _player(self) -> int:
        start = self.tokens.start
        player = self.tokens.count("the number of a player", 1)
        if player > len(self.players):
            listed = f"the text lists {len(self.players)}"
            raise self.tokens.error(f"there is no player {player}", listed, start)
        return player

    def _set(self, player: int) -> tuple[int, int]:
        start = self.tokens.start
        key = (player, self.tokens.count("the number of an information set", 1))
        known = self.sets.get(key)
        if self.tokens.quoted_next:
            name = self.tokens.take_quoted("the name of an information set")
            moves = self._moves(player == 0, known)
            known = self.sets.setdefault(key, _Set(name, moves))
            known.name = known.name or name
        elif known is None:
            problem = f"information set {key[1]} is not described yet"
            fix = "give its name and its moves where it first appears"
            raise self.tokens.error(problem, fix, start)
        return key

    def _moves(self, chance: bool, known: _Set | None) -> tuple[tuple[str, Fraction], ...]:
        tokens = self.tokens
        tokens.symbol("{", "before the moves")
        starts: list[int] = []
        moves: list[tuple[str, Fraction]] = []
        while not moves or tokens.quoted_next:
            starts.append(tokens.start)
            name = tokens.take_quoted("the name of a move")
            moves.append((name, self._probability() if chance else Fraction(0)))
        starts.append(tokens.start)
        for start, move, before in zip_longest(starts, moves, known.moves if known else moves):
            if move != before:
                problem = f"the information set was described with the moves {known}"
                raise tokens.error(problem, "repeat them, or give another number", start)
        over, unit = over_one([p for _, p in moves], "probabilities")
        if chance and sum(over) != unit:
            fix = "give exact numbers that do, such as 1/3"
            raise tokens.error("the probabilities do not sum to one", fix)
        tokens.symbol("}", "after the moves")
        return tuple(moves)

    def _probability(self) -> Fraction:
        start = self.tokens.start
        probability = self.tokens.number("a probability")
        if probability < 0:
            raise self.tokens.error("a probability is negative", "write 0 or more", start)
        return probability

    def _outcome(self) -> _Outcome:
        tokens = self.tokens
        start = tokens.start
        number = tokens.count("the number of an outcome", 0)
        if tokens.quoted_next:
            if number == 0:
                raise tokens.error("outcome 0 is none and has no name", "give another number")
            name = tokens.take_quoted("the name of an outcome")
            outcome = self.outcomes.setdefault(number, _Outcome(name, payoffs := self._payoffs()))
            if outcome.payoffs != payoffs:
                paid = ", ".join(map(str, outcome.payoffs))
                problem = f"outcome {number} was described with the payoffs {paid}"
                raise tokens.error(problem, "repeat them, or give another number", start)
        elif number not in self.outcomes:
            fix = "give its name and payoffs where it first appears"
            raise tokens.error(f"outcome {number} is not described yet", fix, start)
        return self.outcomes[number]

    def _payoffs(self) -> tuple[Fraction, ...]:
        self.tokens.symbol("{", "before the payoffs")
        payoffs = []
        for player in self.shown:
            payoffs.append(self.tokens.number(f"a payoff for {player}"))
            self.tokens.comma()
        self.tokens.symbol("}", "after one payoff a player")
        return tuple(payoffs)

    def _tree(self, lines: list[_Line]) -> Tree:
        """Hang the branches: read backwards, each node finds its own on top of the stack."""
        names = self._set_names()
        moves = {
            key: tuple(
                make_names_distinct({m: name for m, (name, _) in enumerate(s.moves, 1)}).values()
            )
            for key, s in self.sets.items()
        }
        stack: list[Tree] = []
        for line in reversed(lines):
            about = line.outcome.payoffs, line.outcome.name, line.name
            if line.key is None:
                stack.append(End(*about))
                continue
            player, _ = line.key
            branches = tuple(stack.pop() for _ in moves[line.key])
            if player:
                owner = self.players[player - 1]
                tree = Choice(owner, names[line.key], moves[line.key], branches, *about)
                stack.append(tree)
            else:
                odds = tuple(p for _, p in self.sets[line.key].moves)
                stack.append(Chance(moves[line.key], odds, branches, *about))
        return stack.pop()

    def _set_names(self) -> dict[tuple[int, int], str]:
        by_player: dict[int, dict[int, str]] = {}
        for (player, number), each in self.sets.items():
            by_player.setdefault(player, {})[number] = each.name
        return {
            (player, number): name
            for player, own in by_player.items()
            if player
            for number, name in make_names_distinct(own).items()
        }
