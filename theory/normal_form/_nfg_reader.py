"""Games out of text in Gambit's strategic format (.nfg)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from theory._gambit_text import make_names_distinct, show_name
from theory.errors import InvalidInputError
from theory.normal_form._nfg_tokens import Tokens
from theory.normal_form.game import MAX_PAYOFFS, MAX_PLAYERS, NormalFormGame
from theory.numbers import Exact
from theory.shared.shapes import Int64

__all__ = ["from_nfg"]

Payoffs = tuple[Fraction, ...]


def from_nfg(text: str) -> NormalFormGame:
    """Return the game that is written in Gambit's strategic format, version 1.

    Both bodies are read: a list of payoffs, profile by profile, and a list of outcomes followed by
    the number of each profile's outcome, where 0 pays nothing. In both the *first* player's
    strategy varies fastest. Payoffs are read exactly as written, also under the data type "D".
    Strategies are named, or counted; then they are called "1", "2" and so on.

    A game of ours keeps neither the comment nor the names of outcomes. Players, and strategies of
    one player, that share a name are told apart by their numbers.

    Raises
    ------
    NfgError
        For text that is no such game; it names the line, the column and the token.
    LimitError
        For payoffs that take more than ``theory.numbers.exact.MAX_BITS`` bits over their common
        denominator.

    Notes
    -----
    O(length of the text).

    Source: the page on the .nfg format in Gambit's documentation.

    Examples
    --------
    >>> print(from_nfg('NFG 1 R "Battle" { "Ann" "Bob" } { { "o" "f" } { "o" "f" } } '
    ...     '2 1 0 0 0 0 1 2'))
    Battle: Ann picks the row, Bob the column
       o     f
    ─  ────  ────
    o  2, 1  0, 0
    f  0, 0  1, 2
    """
    if not issubclass(type(text), str):
        raise InvalidInputError("text", text, "is not text", "give the text of an .nfg file")
    return _Reader(Tokens(text), len(text)).game()


class _Reader:
    def __init__(self, tokens: Tokens, length: int) -> None:
        self.tokens = tokens
        self.length = length
        self.players: tuple[str, ...] = ()
        self.shown: tuple[str, ...] = ()

    def game(self) -> NormalFormGame:
        tokens = self.tokens
        title = self._prologue()
        actions = self._strategies()
        if tokens.quoted_next:
            tokens.take_quoted("a comment")
        shape = tuple(map(len, actions))
        outcomes = tokens.token == "{"
        body = self._by_outcome(prod(shape)) if outcomes else self._by_payoff(prod(shape))
        tokens.end()
        order = c_order(shape)
        payoffs = Exact.of([list(own) for own in zip(*body, strict=True)], "payoffs")
        return NormalFormGame(self.players, actions, payoffs[:, order], title)

    def _prologue(self) -> str:
        tokens = self.tokens
        tokens.one_of(("NFG",), "'NFG'", 'begin the text with NFG 1 R "title"')
        tokens.one_of(("1",), "'1'", "this is version 1 of the format")
        tokens.one_of(("R", "D"), "'R'", 'begin the text with NFG 1 R "title"')
        title = tokens.take_quoted("the title")
        tokens.symbol("{", "before the players")
        names = [tokens.take_quoted("the name of a player")]
        while tokens.quoted_next:
            if len(names) == MAX_PLAYERS:
                raise tokens.error(f"there are more than {MAX_PLAYERS} players", "use fewer")
            names.append(tokens.take_quoted("the name of a player"))
        tokens.symbol("}", "after the players")
        self.players = tuple(make_names_distinct(dict(enumerate(names, 1))).values())
        self.shown = tuple(map(show_name, self.players))
        return title

    def _strategies(self) -> tuple[tuple[str, ...], ...]:
        tokens = self.tokens
        tokens.symbol("{", "before the strategies")
        counted = tokens.token != "{"
        found: list[Sequence[str] | range] = []
        profiles = 1
        for player in self.shown:
            start = tokens.start
            found.append(self._count(player) if counted else self._name(player))
            profiles *= len(found[-1])
            if profiles * len(self.players) > MAX_PAYOFFS:
                problem = f"the game has more than {MAX_PAYOFFS:,} payoffs"
                raise tokens.error(problem, "use fewer strategies", start)
            if profiles > self.length:
                problem = f"the text is too short for the {profiles:,} profiles of these strategies"
                raise tokens.error(problem, "give a payoff or an outcome for each", start)
        tokens.symbol("}", f"after the strategies of {len(self.players)} players")
        return tuple(tuple(str(name) for name in own) for own in found)

    def _count(self, player: str) -> range:
        count = self.tokens.count(f"how many strategies {player} has, or '{{'", 1)
        return range(1, min(count, MAX_PAYOFFS + 1) + 1)

    def _name(self, player: str) -> tuple[str, ...]:
        tokens = self.tokens
        tokens.symbol("{", f"before the strategies of {player}")
        names = [tokens.take_quoted(f"the name of a strategy of {player}")]
        while tokens.quoted_next:
            names.append(tokens.take_quoted("the name of a strategy"))
        tokens.symbol("}", f"after the strategies of {player}")
        return tuple(make_names_distinct(dict(enumerate(names, 1))).values())

    def _by_payoff(self, profiles: int) -> list[Payoffs]:
        number, players = self.tokens.number, self.shown
        return [
            tuple([number(f"a payoff for {p}, profile {k} of {profiles}") for p in players])
            for k in range(1, profiles + 1)
        ]

    def _by_outcome(self, profiles: int) -> list[Payoffs]:
        tokens = self.tokens
        tokens.symbol("{", "before the outcomes")
        outcomes: list[Payoffs] = [(Fraction(0),) * len(self.players)]
        while tokens.token == "{":
            outcomes.append(self._outcome())
        tokens.symbol("}", "after the outcomes")
        return [outcomes[self._index(len(outcomes) - 1)] for _ in range(profiles)]

    def _outcome(self) -> Payoffs:
        tokens = self.tokens
        tokens.symbol("{", "before an outcome")
        tokens.take_quoted("the name of an outcome")
        payoffs = []
        for player in self.shown:
            payoffs.append(tokens.number(f"a payoff for {player}"))
            tokens.comma()
        tokens.symbol("}", "after one payoff a player")
        return tuple(payoffs)

    def _index(self, outcomes: int) -> int:
        start = self.tokens.start
        index = self.tokens.count("the number of a profile's outcome", 0)
        if index > outcomes:
            problem = f"there is no outcome {index}"
            raise self.tokens.error(problem, f"the text lists {outcomes}; 0 pays nothing", start)
        return index


def c_order(shape: Sequence[int]) -> Int64[np.ndarray, " profiles"]:
    """Return, for each profile in C order, its place where the first player varies fastest."""
    places = np.arange(prod(shape), dtype=np.int64)
    return places.reshape(tuple(reversed(shape))).transpose().ravel()
