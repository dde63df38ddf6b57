"""Equilibria and optima of a game as they stand in an answer, or else why they do not."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import repeat
from math import prod
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Bound, Rational, bound
from mechproof.problems.shared.counting import MAX_CHECKED, MAX_REACHED, by_length, common_bits
from mechproof.problems.shared.optimum import Certificate, certificate_of
from theory import games
from theory.errors import LimitError
from theory.games import AbsentMindedError, Behaviour, Game, NoPureEquilibriumError

__all__ = [
    "MAX_LISTED",
    "MAX_PROFILES",
    "ByPlayer",
    "OneShot",
    "Optimum",
    "PureEquilibria",
    "Strategy",
    "SubgamePerfect",
    "WhyNot",
    "by_player",
    "one_shot_of",
    "optimum_of",
    "pure_equilibria_of",
    "reached_and_bits",
    "strategy_of",
    "subgame_perfect_of",
]

MAX_PROFILES: Final = 20_000
"""How many pure profiles are tried for one answer."""

_MAX_MOVES: Final = 4_000_000
"""Pure profiles times moves."""
MAX_LISTED: Final = 1_000
"""How many equilibria an answer may list."""
_SINGLE_MOVES: Final = 5
"""How many best replies the check of single moves takes as long as."""

ByPlayer = dict[str, Rational]
Strategy = Annotated[
    dict[str, dict[str, dict[str, Rational]]],
    Meta(
        description="Player, then information set, then move: its probability. Moves of "
        "probability 0 are left out."
    ),
]


class WhyNot(Record, frozen=True, kw_only=True):
    """Why an answer does not say something."""

    reason: Annotated[
        Literal[
            "no pure equilibrium",
            "too many profiles",
            "too many equilibria",
            "absent-minded",
            "forgetful",
            "too large",
        ],
        Meta(description="The name of the reason."),
    ]
    message: Annotated[str, Meta(description="The same in words.")]
    count: Annotated[
        Rational | UnsetType, Meta(description="How many there are, where there is a limit.")
    ] = UNSET
    limit: Annotated[Rational | UnsetType, Meta(description="How many there may be.")] = UNSET


class OneShot(Record, frozen=True, kw_only=True):
    """What one player could gain by another move at one visit to one information set."""

    largest_gain: Annotated[
        Rational, Meta(description="The most that is gained at any set that is reached.")
    ]
    not_reached: Annotated[
        dict[str, tuple[str, ...]],
        Meta(description="Player: the information sets not reached, of which nothing is said."),
    ]


class Equilibrium(Record, frozen=True, kw_only=True):
    """What everybody does, and what that pays."""

    payoffs: Annotated[ByPlayer, Meta(description="Player: the expected payoff.")]
    strategy: Strategy
    regret: Annotated[
        ByPlayer,
        Meta(
            description="Player: the most that is gained by deviating alone, recomputed; for a "
            "subgame-perfect equilibrium in any subgame. Zero proves the equilibrium."
        ),
    ]
    one_shot: Annotated[OneShot, Meta(description="The check of single moves.")]


class SubgamePerfect(Record, frozen=True, kw_only=True):
    """One subgame-perfect equilibrium in pure strategies."""

    method: Annotated[
        Literal["backward induction", "pure profiles, subgame by subgame"],
        Meta(description="How it is looked for."),
    ]
    found: Annotated[Equilibrium | UnsetType, Meta(description="The equilibrium.")] = UNSET
    why_not: Annotated[WhyNot | UnsetType, Meta(description="Why there is none here.")] = UNSET


class PureEquilibria(Record, frozen=True, kw_only=True):
    """All Nash equilibria in pure strategies."""

    found: Annotated[
        tuple[Equilibrium, ...] | UnsetType, Meta(description="All of them, if they are listed.")
    ] = UNSET
    why_not: Annotated[WhyNot | UnsetType, Meta(description="Why there is none here.")] = UNSET


class BestStrategy(Record, frozen=True, kw_only=True):
    """A strategy that one player commits to before the play, and how good it is."""

    value: Annotated[Rational, Meta(description="What it is worth. The optimum is this or more.")]
    upper_bound: Annotated[Rational, Meta(description="The optimum is this or less.")]
    gap: Annotated[Bound, Meta(description="Bound on the distance of the two.")]
    precision: Annotated[
        Literal["exact", "enclosed within the tolerance", "stopped at the limit of cuts"],
        Meta(description="How well the optimum is known."),
    ]
    strategy: Strategy
    certificate: Annotated[Certificate, Meta(description="What proves the upper bound.")]


class Optimum(Record, frozen=True, kw_only=True):
    """The ex-ante optimum of a game of one player, whatever the player recalls."""

    found: Annotated[BestStrategy | UnsetType, Meta(description="The best strategy.")] = UNSET
    why_not: Annotated[WhyNot | UnsetType, Meta(description="Why there is none here.")] = UNSET


def subgame_perfect_of(game: Game) -> SubgamePerfect:
    """Return a subgame-perfect equilibrium: by backward induction if information is perfect."""
    if all(len(infoset.nodes) == 1 for infoset in game.infosets):
        found = games.backward_induction(game).equilibrium
        return SubgamePerfect(method="backward induction", found=_equilibrium(found))
    method: Final = "pure profiles, subgame by subgame"
    try:
        found = games.subgame_perfect(game, _limit(game))
    except (NoPureEquilibriumError, AbsentMindedError, LimitError) as error:
        return SubgamePerfect(method=method, why_not=_why_not(error, game))
    return SubgamePerfect(method=method, found=_equilibrium(found))


def reached_and_bits(game: Game) -> tuple[int, int]:
    """Return how many nodes one profile reaches, at most, and bound the length of what it pays."""
    reached, bits, drawn = [1] * len(game.nodes), [0] * len(game.nodes), [0] * len(game.nodes)
    for h in reversed(range(len(game.nodes))):
        node = game.nodes[h]
        bits[h] = max(map(_bits, node.payoffs), default=0)
        total = sum if node.is_chance else max
        if node.children:
            odds = map(_bits, node.probabilities) if node.is_chance else repeat(0)
            reached[h] += total(reached[c] for c in node.children)
            bits[h] += total(bits[c] + p for c, p in zip(node.children, odds, strict=False))
            drawn[h] = node.is_chance + max(drawn[c] for c in node.children)
    paid = common_bits(u for node in game.nodes for u in node.payoffs)
    chance = common_bits(p for node in game.nodes for p in node.probabilities)
    return reached[0], min(bits[0], paid + drawn[0] * chance)


def _bits(number: Fraction) -> int:
    return (number.denominator - 1).bit_length()


def _limit(game: Game) -> int:
    """Return how many profiles are tried, each of which takes a number for each move."""
    moves = sum(len(infoset.moves) for infoset in game.infosets)
    reached, bits = reached_and_bits(game)
    each = by_length(reached * len(game.players), bits)
    return min(MAX_PROFILES, _MAX_MOVES // max(moves, 1), MAX_REACHED // each)


def _count_listed(game: Game) -> int:
    """Return how many equilibria are listed, each of which is checked by best replies.

    One player's are compared with one best reply; the check of single moves takes as long as some.
    """
    plans = _SINGLE_MOVES
    if len(game.players) > 1:
        plans += max(
            1
            if found.is_perfect
            else prod(len(game.infosets[k].moves) for k in game.infosets_of(i))
            for i, found in enumerate(games.recall(game))
        )
    work = len(game.nodes) * len(game.players) * plans
    return max(1, min(MAX_LISTED, MAX_CHECKED // work))


def pure_equilibria_of(game: Game) -> PureEquilibria:
    """Return all Nash equilibria in pure strategies."""
    try:
        found = games.pure_equilibria(game, _limit(game))
    except (AbsentMindedError, LimitError) as error:
        return PureEquilibria(why_not=_why_not(error, game))
    most = _count_listed(game)
    if len(found) > most:
        return PureEquilibria(
            why_not=WhyNot(
                reason="too many equilibria",
                message=f"{len(found):,} are more than are listed, {most:,}",
                count=str(len(found)),
                limit=str(most),
            )
        )
    if not found:
        tried = prod(len(infoset.moves) for infoset in game.infosets)
        message = f"none of {tried:,} pure profiles is an equilibrium"
        why_not = WhyNot(reason="no pure equilibrium", message=message)
        return PureEquilibria(found=(), why_not=why_not)
    best = None
    if len(game.players) == 1:  # whatever it does itself, its best reply is the same
        best = found[0].payoffs[0] + found[0].regrets[0]
    return PureEquilibria(found=tuple(_equilibrium(each, best) for each in found))


def optimum_of(game: Game) -> Optimum:
    """Return the ex-ante optimum of a game of one player."""
    try:
        best = games.optimum(game)
    except LimitError as error:
        return Optimum(why_not=WhyNot(reason="too large", message=str(error)))
    found = BestStrategy(
        value=str(best.value),
        upper_bound=str(best.bound),
        gap=bound(best.gap),
        precision=best.status.value,
        strategy=strategy_of(game, best.strategy),
        certificate=certificate_of(best),
    )
    return Optimum(found=found)


def _why_not(error: NoPureEquilibriumError | AbsentMindedError | LimitError, game: Game) -> WhyNot:
    if isinstance(error, LimitError):
        return WhyNot(
            reason="too many profiles",
            message=str(error),
            count=str(error.value),
            limit=str(_limit(game)),
        )
    absent = isinstance(error, AbsentMindedError)
    return WhyNot(reason="absent-minded" if absent else "no pure equilibrium", message=str(error))


def _equilibrium(found: games.Equilibrium, best: Fraction | None = None) -> Equilibrium:
    """Return an equilibrium as an answer has it; ``best`` is all that one player can get."""
    game = found.game
    regrets = found.regrets if best is None else (best - found.payoffs[0],)
    return Equilibrium(
        payoffs=by_player(game, found.payoffs),
        strategy=strategy_of(game, found.behaviour),
        regret=by_player(game, regrets),
        one_shot=one_shot_of(games.one_shot_deviations(game, found.behaviour)),
    )


def by_player(game: Game, values: Iterable[Fraction]) -> dict[str, str]:
    """Return one value a player, by name."""
    return dict(zip(game.players, map(str, values), strict=True))


def strategy_of(game: Game, behaviour: Behaviour) -> dict[str, dict[str, dict[str, str]]]:
    """Return a behaviour by the names of players, sets and moves."""
    strategy: dict[str, dict[str, dict[str, str]]] = {name: {} for name in game.players}
    for infoset, law in zip(game.infosets, behaviour.probabilities, strict=True):
        strategy[game.players[infoset.player]][infoset.name] = {
            move: str(p) for move, p in zip(infoset.moves, law, strict=True) if p
        }
    return strategy


def one_shot_of(found: games.OneShotDeviations) -> OneShot:
    """Return the check of single moves."""
    unreached = {
        name: tuple(
            infoset.name
            for infoset in (found.game.infosets[k] for k in found.unreached)
            if found.game.players[infoset.player] == name
        )
        for name in found.game.players
    }
    return OneShot(
        largest_gain=str(found.largest),
        not_reached={name: sets for name, sets in unreached.items() if sets},
    )
