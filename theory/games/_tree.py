"""Game trees as they are written down: what happens at a node, and what may follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInputError, ProbabilityError
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_tuple, refusing

__all__ = ["Chance", "Choice", "End", "Tree", "chance", "choice", "end"]


@refusing
@dataclass(frozen=True)
class End:
    """The end of a play. ``payoffs`` holds one number a player."""

    payoffs: tuple[Fraction, ...]
    outcome: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        read_tuple("payoffs", self.payoffs, "give a tuple of numbers, or use end()")


@refusing
@dataclass(frozen=True)
class Chance:
    """A move of chance: the probability of each branch, and the tree that it leads to."""

    moves: tuple[str, ...]
    probabilities: tuple[Fraction, ...]
    branches: tuple[Tree, ...]
    payoffs: tuple[Fraction, ...] = ()
    outcome: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        read_tuple("moves", self.moves, "give a tuple of names, or use chance()")
        read_tuple("payoffs", self.payoffs, "give a tuple of numbers")


@refusing
@dataclass(frozen=True)
class Choice:
    """A move of a player, who knows the name of the information set and nothing else."""

    player: str
    infoset: str
    moves: tuple[str, ...]
    branches: tuple[Tree, ...]
    payoffs: tuple[Fraction, ...] = ()
    outcome: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        read_tuple("moves", self.moves, "give a tuple of names, or use choice()")
        read_tuple("payoffs", self.payoffs, "give a tuple of numbers")


Tree = End | Chance | Choice
"""A game tree. ``payoffs`` of inner nodes are paid on the way; none are paid where it is empty."""


@refusing
def end(*payoffs: object, outcome: str = "", name: str = "") -> End:
    """Return the end of a play with one payoff a player: integers, fractions, or text as "1/3".

    Raises
    ------
    NumberError, ExactnessError
        For what is not a rational number; floats must be written as text.
    """
    return End(_payoffs(payoffs), outcome, name)


@refusing
def chance(
    branches: Mapping[str, tuple[object, Tree]],
    payoffs: Sequence[object] = (),
    *,
    outcome: str = "",
    name: str = "",
) -> Chance:
    """Return a move of chance: for each branch its probability and the tree that follows.

    Raises
    ------
    ProbabilityError
        For a negative probability, or a sum other than one.
    InvalidInputError
        Where there is no branch.
    """
    moves = _moves("chance", branches)
    probabilities = []
    pairs: Mapping[str, Any] = branches
    for move, branch in pairs.items():
        if not isinstance(branch, tuple | list) or len(branch) != 2:
            raise InvalidInputError(
                f"branch {move!r}", branch, "is not a pair", "give its probability and its tree"
            )
        probability, _ = branch
        p = rational(probability, f"probability of {move!r}")
        if p < 0:
            raise ProbabilityError(
                f"probability of {move!r}", p, "is negative", "give a number of at least 0"
            )
        probabilities.append(p)
    if sum(probabilities) != 1:
        raise ProbabilityError(
            f"probabilities of {', '.join(moves)}",
            sum(probabilities, Fraction(0)),
            "do not sum to one",
            'give exact numbers, such as "1/3", that do',
        )
    trees = tuple(tree for _, tree in branches.values())
    return Chance(moves, tuple(probabilities), trees, _payoffs(payoffs), outcome, name)


@refusing
def choice(
    player: str,
    infoset: str,
    branches: Mapping[str, Tree],
    payoffs: Sequence[object] = (),
    *,
    outcome: str = "",
    name: str = "",
) -> Choice:
    """Return a move of ``player`` at the information set of that name.

    Raises
    ------
    InvalidInputError
        Where there is no branch.
    """
    moves = _moves(f"information set {infoset!r} of {player!r}", branches)
    trees = tuple(branches.values())
    return Choice(player, infoset, moves, trees, _payoffs(payoffs), outcome, name)


def _moves(what: str, branches: Mapping[str, object]) -> tuple[str, ...]:
    instance_of(f"branches of {what}", branches, Mapping, "name each branch: {name: tree}")
    if not branches:
        raise InvalidInputError(what, {}, "has no branch", "give at least one, or use end()")
    return tuple(branches)


def _payoffs(payoffs: Sequence[object]) -> tuple[Fraction, ...]:
    told = read_tuple("payoffs", payoffs, "give a list of numbers")
    return tuple(rational(value, f"payoff {j + 1}") for j, value in enumerate(told))
