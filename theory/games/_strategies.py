"""Strategies: at every information set a law of moves, or for a player a law of whole plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from theory.errors import InvalidInputError, ProbabilityError, ShapeError, UnknownNameError, nearest
from theory.games._game import Game
from theory.numbers import rational
from theory.shared.arguments import refusing
from theory.verdicts import Table

__all__ = ["Behaviour", "Mixed", "Strategies"]

Law = tuple[Fraction, ...]
"""One probability a move."""

_ZERO, _ONE = Fraction(0), Fraction(1)


@refusing
@dataclass(frozen=True, slots=True)
class Behaviour:
    """A behaviour profile: ``probabilities[k][m]`` is that of move m at information set k.

    Each visit to an information set draws a move anew, independently of all other draws.

    Examples
    --------
    >>> from theory.games import Game, choice, end
    >>> game = Game.of(("ann",), choice("ann", "start", {"left": end(1), "right": end(0)}))
    >>> half = Behaviour.of(game, {"ann": {"start": {"left": "1/2", "right": "1/2"}}})
    >>> half == Behaviour.uniform(game)
    True
    >>> print(half.describe(game))
    Behaviour
    player  information set  moves
    ──────  ───────────────  ───────────────────
    ann     start            left 1/2, right 1/2
    """

    probabilities: tuple[Law, ...]

    def __post_init__(self) -> None:
        laws = tuple(
            _exact_law(f"behaviour at information set {k}", law)
            for k, law in enumerate(self.probabilities)
        )
        object.__setattr__(self, "probabilities", laws)

    @classmethod
    def of(cls, game: Game, plan: Mapping[str, Mapping[str, Mapping[str, object]]]) -> Self:
        """Return the profile written as {player: {information set: {move: probability}}}.

        Every information set must be there; moves left out have probability 0.

        Raises
        ------
        UnknownNameError
            For a player, set or move that the game does not have.
        InvalidInputError
            For a set that is missing.
        ProbabilityError
            For probabilities that are negative or do not sum to one.
        NumberError
            For what is not an exact rational number.
        """
        laws: list[Law | None] = [None] * len(game.infosets)
        for player, sets in plan.items():
            game.player(player)
            for name, moves in sets.items():
                k = game.infoset(player, name)
                laws[k] = _law(f"behaviour of {player!r} at {name!r}", game, k, moves)
        for infoset, law in zip(game.infosets, laws, strict=True):
            if law is None:
                raise InvalidInputError(
                    f"behaviour of {game.players[infoset.player]!r}",
                    infoset.name,
                    "is missing at an information set",
                    "give a probability to each of its moves",
                )
        return cls(tuple(law for law in laws if law is not None))

    @classmethod
    def pure(cls, game: Game, moves: Sequence[int]) -> Self:
        """Return the profile that plays move ``moves[k]`` for sure at information set k.

        Raises
        ------
        ShapeError
            Where there is not one move for each information set.
        UnknownNameError
            For the number of a move that is not open there.
        """
        if len(moves) != len(game.infosets):
            raise ShapeError(
                "moves",
                tuple(moves),
                f"is not one move for each of {len(game.infosets)} information sets",
                "give one index an information set",
            )
        laws = []
        for infoset, move in zip(game.infosets, moves, strict=True):
            options = range(len(infoset.moves))
            if move not in options:
                raise UnknownNameError(
                    f"move at {infoset.name!r}", move, "is not open", nearest(move, options)
                )
            laws.append(tuple(_ONE if m == move else _ZERO for m in options))
        return cls(tuple(laws))

    @classmethod
    def uniform(cls, game: Game) -> Self:
        """Return the profile that gives all moves of a set the same probability."""
        sizes = [len(infoset.moves) for infoset in game.infosets]
        return cls(tuple((Fraction(1, size),) * size for size in sizes))

    @classmethod
    def random(cls, game: Game, generator: np.random.Generator) -> Self:
        """Return a random profile of small rational numbers, some of them zero."""
        laws = []
        for infoset in game.infosets:
            weights = generator.integers(0, 4, size=len(infoset.moves))
            weights[generator.integers(len(weights))] += 1
            total = int(weights.sum())
            laws.append(tuple(Fraction(int(w), total) for w in weights))
        return cls(tuple(laws))

    @property
    def is_pure(self) -> bool:
        """Whether every information set plays one move for sure."""
        return all(1 in law for law in self.probabilities)

    def check(self, game: Game) -> None:
        """Refuse a game with other information sets or numbers of moves.

        Raises
        ------
        ShapeError
            Where there is not one probability for each move of each information set.
        """
        wanted = tuple(len(infoset.moves) for infoset in game.infosets)
        given = tuple(map(len, self.probabilities))
        if given != wanted:
            raise ShapeError(
                "behaviour",
                given,
                f"does not fit a game with {len(wanted)} information sets of {wanted} moves",
                "make it with Behaviour.of",
            )

    def describe(self, game: Game) -> Table:
        """Return the profile with the names of the game; moves of probability 0 are left out."""
        self.check(game)
        rows = [
            (game.players[infoset.player], infoset.name, _name_moves(infoset.moves, law))
            for infoset, law in zip(game.infosets, self.probabilities, strict=True)
        ]
        return Table(
            caption="Behaviour", columns=("player", "information set", "moves"), rows=tuple(rows)
        )

    def __str__(self) -> str:
        return " ".join(f"({', '.join(map(str, law))})" for law in self.probabilities)


@refusing
@dataclass(frozen=True, slots=True)
class Mixed:
    """A mixed strategy of one player: plan s is drawn once with probability ``probabilities[s]``.

    ``plans[s][j]`` is the move at the player's information set number j, in the order of
    ``game.infosets_of(player)``. A plan plays the same move at every visit, so that an
    absent-minded player can do with a behaviour what no mixed strategy can.
    """

    player: int
    plans: tuple[tuple[int, ...], ...]
    probabilities: Law

    def __post_init__(self) -> None:
        law = _exact_law(f"mixed strategy of player {self.player}", self.probabilities)
        object.__setattr__(self, "probabilities", law)
        if len(self.plans) != len(self.probabilities):
            raise ShapeError(
                "plans",
                self.plans,
                f"is not one plan for each of {len(self.probabilities)} probabilities",
                "give both the same length",
            )

    @classmethod
    def of(cls, game: Game, player: str, plans: Sequence[tuple[object, Mapping[str, str]]]) -> Self:
        """Return the strategy of pairs (probability, {information set: move}).

        Raises
        ------
        UnknownNameError
            For a player, set or move that the game does not have.
        InvalidInputError
            For a plan without a move at one of the player's sets.
        ProbabilityError, NumberError
            For probabilities that are negative, inexact or do not sum to one.
        """
        number = game.player(player)
        argument = f"plan of {player!r}"
        rows = []
        for _, plan in plans:
            moves = {}
            for name, move in plan.items():
                k = game.infoset(player, name)
                moves[k] = _move(f"{argument} at {name!r}", game, k, move)
            missing = [k for k in game.infosets_of(number) if k not in moves]
            if missing:
                raise InvalidInputError(
                    argument,
                    game.infosets[missing[0]].name,
                    "has no move at an information set",
                    "give one move a set",
                )
            rows.append(tuple(moves[k] for k in game.infosets_of(number)))
        odds = tuple(rational(p, f"probability of {argument}") for p, _ in plans)
        return cls(number, tuple(rows), odds)

    def check(self, game: Game) -> None:
        """Refuse a game in which the plans are not plans of this player.

        Raises
        ------
        UnknownNameError
            For a player that the game does not have.
        ShapeError
            Where a plan has no move, or one that is not open, at a set of the player.
        """
        if not 0 <= self.player < len(game.players):
            players = range(len(game.players))
            raise UnknownNameError(
                "player", self.player, "plays no part", nearest(self.player, players)
            )
        sizes = [len(game.infosets[k].moves) for k in game.infosets_of(self.player)]
        for plan in self.plans:
            if len(plan) != len(sizes) or any(
                not 0 <= m < n for m, n in zip(plan, sizes, strict=True)
            ):
                raise ShapeError(
                    f"plan of {game.players[self.player]!r}",
                    plan,
                    f"is not one open move for each of {len(sizes)} information sets",
                    "make it with Mixed.of",
                )

    def describe(self, game: Game) -> Table:
        """Return the plans with the names of the game; those of probability 0 are left out."""
        self.check(game)
        sets = [game.infosets[k] for k in game.infosets_of(self.player)]
        rows = [
            (str(p), *(infoset.moves[m] for infoset, m in zip(sets, plan, strict=True)))
            for plan, p in zip(self.plans, self.probabilities, strict=True)
            if p
        ]
        return Table(
            caption=f"Mixed strategy of {game.players[self.player]}",
            columns=("probability", *(f"at {infoset.name}" for infoset in sets)),
            rows=tuple(rows),
        )


Strategies = Behaviour | Sequence[Mixed]
"""What all players do: a behaviour profile, or one mixed strategy for each player who moves."""


def _exact_law(argument: str, law: Law) -> Law:
    """Return a law of plain fractions: no other number is compared or added up."""
    if any(type(p) is not Fraction for p in law):
        law = tuple(rational(p, argument) for p in law)
    _check_law(argument, law)
    return law


def _check_law(argument: str, law: Law) -> None:
    mixed = [p for p in law if p is not _ZERO]
    if len(mixed) == 1 and mixed[0] is _ONE:
        return
    if any(p < 0 for p in mixed):
        raise ProbabilityError(argument, min(law), "is negative", "give numbers of at least 0")
    if sum(law) != 1:
        raise ProbabilityError(
            argument,
            sum(law, Fraction(0)),
            "does not sum to one",
            'give exact numbers, such as "1/3", that do',
        )


def _law(argument: str, game: Game, k: int, moves: Mapping[str, object]) -> Law:
    for move in moves:
        _move(argument, game, k, move)
    given = (moves.get(move, 0) for move in game.infosets[k].moves)
    law = tuple(rational(p, argument) for p in given)
    _check_law(argument, law)
    return law


def _move(argument: str, game: Game, k: int, move: str) -> int:
    known = game.infosets[k].moves
    if move not in known:
        raise UnknownNameError(argument, move, "is no move there", nearest(move, known))
    return known.index(move)


def _name_moves(moves: Sequence[str], law: Law) -> str:
    return ", ".join(f"{move} {p}" for move, p in zip(moves, law, strict=True) if p)
