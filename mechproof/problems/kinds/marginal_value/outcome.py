"""What a marginal-value game comes to: the play, the revealed sets, Theorem 4.4, the shortfall."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import inf
from typing import Annotated, Final

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Rational
from theory import marginal_value as theory
from theory.errors import LimitError
from theory.marginal_value import (
    Equilibrium,
    Hypothesis,
    MarginalValueGame,
    Play,
    theorem_4_4,
)

__all__ = [
    "MAX_LISTED",
    "Defence",
    "PlayStep",
    "RevealedSet",
    "Shortfall",
    "Theorem",
    "TheoremStatement",
    "check_sets",
    "in_words",
    "sets_of",
    "shortfall_of",
    "steps_of",
    "theorem_of",
]

MAX_LISTED: Final = 10_000
"""How many revealed sets an answer may list when those off the path are wanted too."""

Extended = Annotated[
    str,
    Meta(
        title="Extended rational",
        description='Exact: "p/q" or "p"; "inf" or "-inf".',
        pattern=r"^(-?[0-9]+(/[1-9][0-9]*)?|-?inf)$",
    ),
]


class PlayStep(Record, frozen=True, kw_only=True):
    """One move of the play."""

    move: Annotated[tuple[str, ...], Meta(description="What the player newly reveals.")]
    price: Annotated[Rational, Meta(description="The price of that.")]
    action: Annotated[str, Meta(description="What the judge would then do.")]
    reward: Annotated[
        Rational,
        Meta(description="What the player is paid, judged by all that is revealed in the end."),
    ]


class RevealedSet(Record, frozen=True, kw_only=True):
    """What happens when some items have been revealed, in whatever order."""

    revealed: Annotated[tuple[str, ...], Meta(description="The items; none is nothing.")]
    action: Annotated[str, Meta(description="What the judge would do.")]
    move: Annotated[
        tuple[str, ...],
        Meta(description="What the next player newly reveals; none is the null move."),
    ]
    ends_at: Annotated[tuple[str, ...], Meta(description="All that is revealed in the end.")]
    stable: Annotated[bool, Meta(description="Whether the next move is the null move.")]
    inextensible: Annotated[
        bool,
        Meta(
            description="Whether every extension is answered by an extension to an inextensible "
            "set (volition, Definition 4.3), an extension being worth more than 0. The printed "
            "definition says at least 0. Then the null move extends everything, the recursion "
            "never ends, and any answer satisfies it: it is ill-posed."
        ),
    ]
    worth: Annotated[
        Extended,
        Meta(
            description="w(S) = E[U(b) - U(a) | everything] - p(S), where the judge does b now and "
            'a when nothing is revealed; "-inf" at an infinite price.'
        ),
    ]


class TheoremStatement(Record, frozen=True, kw_only=True):
    """A hypothesis or a conclusion."""

    statement: Annotated[str, Meta(description="What is said.")]
    holds: Annotated[bool, Meta(description="Whether it is so here.")]
    witness: Annotated[str | UnsetType, Meta(description="What shows that it is not.")] = UNSET


class Theorem(Record, frozen=True, kw_only=True):
    """A theorem, computed on one game: where its hypotheses hold, so do its conclusions."""

    hypotheses: Annotated[tuple[TheoremStatement, ...], Meta(description="What it needs.")]
    conclusions: Annotated[
        tuple[TheoremStatement, ...], Meta(description="What it says of this equilibrium.")
    ]


class Defence(Record, frozen=True, kw_only=True):
    """A stable set F that contains what is revealed, and its bound p(F) - p(T*) + d(F)."""

    revealed: Annotated[tuple[str, ...], Meta(description="F.")]
    disagreement: Annotated[
        Rational,
        Meta(
            description="d(F), the greatest of E[U(b) - U(x) | everything] - E[U(a) - U(x) | F] "
            "over all actions x, where the judge does b after T* and a after F."
        ),
    ]
    agrees: Annotated[
        bool, Meta(description="Whether F tells all actions apart as everything does.")
    ]
    bound: Annotated[Rational, Meta(description="The shortfall is at most this.")]


class Shortfall(Record, frozen=True, kw_only=True):
    """The equilibrium beside the best set to reveal, both judged knowing everything."""

    best: Annotated[
        tuple[str, ...],
        Meta(description="T*: the set that is worth most, of several the first by size and order."),
    ]
    best_worth: Annotated[Rational, Meta(description="w(T*).")]
    worth: Annotated[Extended, Meta(description="w of what is revealed in the end.")]
    shortfall: Annotated[Extended, Meta(description="The first less the second.")]
    everything: Annotated[
        Extended | UnsetType,
        Meta(description="p(K) - p(T*), the price of all that T* leaves out: an upper bound."),
    ] = UNSET
    defence: Annotated[
        Defence | UnsetType, Meta(description="The stable set with the lowest bound.")
    ] = UNSET
    why_not: Annotated[
        tuple[str, ...] | UnsetType, Meta(description="Why there is no bound, if there is none.")
    ] = UNSET


def steps_of(play: Play) -> tuple[PlayStep, ...]:
    """Return the moves of a play."""
    columns = zip(play.moves, play.prices, play.actions[1:], play.rewards, strict=True)
    return tuple(
        PlayStep(move=move, price=str(price), action=str(action), reward=str(reward))
        for move, price, action, reward in columns
    )


def check_sets(game: MarginalValueGame) -> None:
    """Refuse to list all sets that can be revealed, before the game is solved.

    Raises
    ------
    LimitError
        For more than :data:`MAX_LISTED`.
    """
    count = len(game.sets)
    if count > MAX_LISTED:
        raise LimitError(
            "revealed sets",
            count,
            f"are more than the limit of {MAX_LISTED:,}",
            'write sets = "reached" for those of the play, or leave items out',
        )


def sets_of(found: Equilibrium, *, reached: bool) -> tuple[RevealedSet, ...]:
    """Return all sets that can be revealed, or only those of the play, fewest items first."""
    game = found.game
    count = len(game.sets)
    moves = found.path.moves
    played = (game.place(chain.from_iterable(moves[:n])) for n in range(len(moves) + 1))
    listed = played if reached else range(count)
    places = np.array(sorted(listed, key=lambda place: _rank(found, place)), dtype=np.int64)
    empty, everything = np.zeros_like(places), np.full_like(places, count - 1)
    worth = game.rewards(empty, places, everything).scalars()
    finite = game.prices.affordable(game.sets[places]).tolist()
    return tuple(
        _set(found, place, str(w) if paid else "-inf")
        for place, w, paid in zip(places.tolist(), worth, finite, strict=True)
    )


def theorem_of(found: Equilibrium) -> Theorem:
    """Return Theorem 4.4, computed on a game."""
    return Theorem(
        hypotheses=tuple(map(_statement, found.hypotheses)),
        conclusions=tuple(map(_statement, theorem_4_4(found))),
    )


def shortfall_of(found: theory.Shortfall) -> Shortfall:
    """Return the shortfall, with its bounds or why there are none."""
    best = found.defences[0] if found.defences else None
    why_not = tuple(f"not {need.name}: {need.witness}" for need in found.needs if not need.holds)
    return Shortfall(
        best=found.best,
        best_worth=str(found.value),
        worth=str(found.worth),
        shortfall=str(found.shortfall),
        everything=UNSET if why_not else str(found.everything),
        defence=UNSET if why_not or best is None else _defence(best),
        why_not=why_not or UNSET,
    )


def in_words(play: Play, short: theory.Shortfall) -> tuple[str, ...]:
    """Return a sentence for each move of a play, then the best set and the shortfall."""
    default, *actions = map(str, play.actions)
    rows = zip(play.moves, play.prices, actions, play.rewards, strict=True)
    return (
        f"With nothing revealed the judge would do this: {default}.",
        *(
            f"Player {n} reveals {_show_names(move)} at price {price} and earns {reward}; "
            f"the judge would do this: {action}."
            for n, (move, price, action, reward) in enumerate(rows, 1)
        ),
        f"Player {len(play.moves) + 1} reveals nothing, which ends the game.",
        f"Knowing everything, it would be best to reveal {_show_names(short.best)}, worth "
        f"{short.value}.",
        f"What is revealed is worth {short.worth}, a shortfall of {short.shortfall}"
        + (f": at most {short.bound} by the bounds." if short.bound < inf else "."),
    )


def _rank(found: Equilibrium, place: int) -> tuple[int, tuple[int, ...]]:
    """Return what orders sets by size, then by the items that come first."""
    names = found.game.names(place)
    return len(names), tuple(map(found.game.items.index, names))


def _set(found: Equilibrium, place: int, worth: str) -> RevealedSet:
    game, revealed = found.game, found.game.names(place)
    after = game.names(int(found.follow[place]))
    return RevealedSet(
        revealed=revealed,
        action=str(game.actions[int(game.picked[place])]),
        move=tuple(name for name in after if name not in revealed),
        ends_at=game.names(int(found.end[place])),
        stable=bool(found.stable[place]),
        inextensible=bool(found.inextensible[place]),
        worth=worth,
    )


def _statement(found: Hypothesis) -> TheoremStatement:
    return TheoremStatement(
        statement=found.name, holds=found.holds, witness=UNSET if found.holds else found.witness
    )


def _defence(found: theory.Defence) -> Defence:
    return Defence(
        revealed=found.revealed,
        disagreement=str(found.disagreement),
        agrees=found.agrees,
        bound=str(found.bound),
    )


def _show_names(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}" if names else "nothing"
