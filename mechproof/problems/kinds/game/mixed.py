"""An equilibrium in mixed strategies as it stands in an answer, or else why it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.kinds.game.equilibria import (
    ByPlayer,
    OneShot,
    Strategy,
    WhyNot,
    by_player,
    one_shot_of,
    strategy_of,
)
from mechproof.problems.shared.answers import Rational, bound
from mechproof.problems.shared.counting import MAX_LONG_MIXED, common_bits
from theory import games
from theory.errors import LimitError
from theory.games import AbsentMindedError, Behaviour, ForgetfulError, Game, Method
from theory.shared.text import count_text

__all__ = ["MixedAnswer", "mixed_answer_of"]

_METHODS = [str(method) for method in Method]


class Plan(Record, frozen=True, kw_only=True):
    """A plan of one player, which is drawn before the play."""

    probability: Annotated[Rational, Meta(description="How likely it is drawn, above 0.")]
    moves: Annotated[dict[str, str], Meta(description="Information set: the move there.")]


class MixedEquilibrium(Record, frozen=True, kw_only=True):
    """What everybody does, what that pays, and how far it is from an equilibrium."""

    words: Annotated[str, Meta(description="What was found, in words.")]
    strength: Annotated[
        Literal["exact", "approximate"],
        Meta(description="Exact if the gap is 0, which proves a Nash equilibrium."),
    ]
    gap: Annotated[
        Rational, Meta(description="The largest regret: nobody gains more by deviating alone.")
    ]
    subgame_perfect: Annotated[
        Literal["yes", "no", "not judged"],
        Meta(
            description="Whether nobody gains in any subgame. No other refinement is judged, and "
            "this one not where plans are drawn."
        ),
    ]
    subgame_gap: Annotated[
        Rational | UnsetType, Meta(description="The most that anybody gains in any subgame.")
    ] = UNSET
    payoffs: Annotated[ByPlayer, Meta(description="Player: the expected payoff.")]
    strategy: Strategy | UnsetType = UNSET
    plans: Annotated[
        dict[str, tuple[Plan, ...]] | UnsetType,
        Meta(description="In place of the strategy, where somebody forgets: plans by player."),
    ] = UNSET
    regret: Annotated[
        ByPlayer,
        Meta(description="Player: the most that is gained by deviating alone, recomputed."),
    ]
    one_shot: Annotated[OneShot | UnsetType, Meta(description="The check of single moves.")] = UNSET
    methods: Annotated[
        tuple[Annotated[str, Meta(extra_json_schema={"enum": _METHODS})], ...],
        Meta(description="How it was found."),
    ]


class MixedAnswer(Record, frozen=True, kw_only=True):
    """One equilibrium in mixed strategies, exact or approximate."""

    found: Annotated[MixedEquilibrium | UnsetType, Meta(description="The equilibrium.")] = UNSET
    why_not: Annotated[WhyNot | UnsetType, Meta(description="Why there is none here.")] = UNSET


def mixed_answer_of(game: Game) -> MixedAnswer:
    """Return an equilibrium in mixed strategies, with its gap."""
    work = len(game.nodes) * (1 + (_bits(game) >> 10) ** 2)  # a sum of fractions takes the square
    if work > MAX_LONG_MIXED:
        message = (
            f"mixed play of {len(game.nodes):,} nodes comes to {count_text(work)} by the length of "
            f"numbers, above the limit of {MAX_LONG_MIXED:,}: round the payoffs, or give a smaller "
            "game"
        )
        return MixedAnswer(why_not=WhyNot(reason="too large", message=message))
    try:
        return MixedAnswer(found=_mixed_answer(games.mixed_equilibrium(game)))
    except AbsentMindedError as error:
        return MixedAnswer(why_not=WhyNot(reason="absent-minded", message=str(error)))
    except ForgetfulError as error:
        return MixedAnswer(why_not=WhyNot(reason="forgetful", message=str(error)))
    except LimitError as error:
        return MixedAnswer(why_not=WhyNot(reason="too large", message=str(error)))


def _bits(game: Game) -> int:
    """Bound the length of the numbers that mixed play comes to.

    Weights of moves solve equations, one a move. It holds payoffs at the nodes below to who moves,
    times what chance does before them, over their least common denominator.
    """
    moves = sum(len(infoset.moves) for infoset in game.infosets)
    paid = [u for node in game.nodes for u in node.payoffs]
    size = int(max(map(abs, paid))).bit_length()
    unit = common_bits(paid)
    chance = common_bits(p for node in game.nodes for p in node.probabilities)
    drawn, own, below = [0], [[0] * len(game.players)], 0
    for node in game.nodes[1:]:
        parent = game.nodes[node.parent]
        drawn.append(drawn[node.parent] + parent.is_chance)
        own.append(own[node.parent].copy())
        if not parent.is_chance:
            own[-1][game.infosets[parent.infoset].player] += 1
        for n, u in zip(own[-1], node.payoffs, strict=True):
            below += n * (u.denominator.bit_length() + drawn[-1] * chance)
    return min(moves * (unit + max(drawn) * chance), below) + moves * size


def _mixed_answer(found: games.Equilibrium) -> MixedEquilibrium:
    game, played = found.game, found.strategies
    perfect, gains = found.subgame_perfect, found.subgame_regrets
    behaviour = played if isinstance(played, Behaviour) else None
    return MixedEquilibrium(
        words=_words(found),
        strength="exact" if found.holds else "approximate",
        gap=str(found.gap),
        subgame_perfect="not judged" if perfect is None else "yes" if perfect else "no",
        subgame_gap=UNSET if gains is None else str(max(gains)),
        payoffs=by_player(game, found.payoffs),
        strategy=UNSET if behaviour is None else strategy_of(game, behaviour),
        plans=UNSET if isinstance(played, Behaviour) else _plans(game, played),
        regret=by_player(game, found.regrets),
        one_shot=(
            UNSET if behaviour is None else one_shot_of(games.one_shot_deviations(game, behaviour))
        ),
        methods=tuple(map(str, found.methods)),
    )


def _words(found: games.Equilibrium) -> str:
    if not found.holds:
        gap = bound(found.gap)
        return f"An approximate equilibrium: nobody gains more than {gap} by deviating alone."
    if found.subgame_perfect:
        return "A subgame-perfect equilibrium: nobody gains by deviating alone in any subgame."
    if found.subgame_perfect is None:
        return (
            "A Nash equilibrium of plans that are drawn before the play: nobody gains by deviating "
            "alone. There need not be one in which moves are drawn at each information set, as a "
            "player forgets."
        )
    return "A Nash equilibrium: nobody gains by deviating alone, but in a subgame somebody does."


def _plans(game: Game, profile: Sequence[games.Mixed]) -> dict[str, tuple[Plan, ...]]:
    return {
        game.players[mixed.player]: tuple(
            Plan(
                probability=str(p),
                moves={
                    game.infosets[k].name: game.infosets[k].moves[m]
                    for k, m in zip(game.infosets_of(mixed.player), plan, strict=True)
                },
            )
            for plan, p in zip(mixed.plans, mixed.probabilities, strict=True)
        )
        for mixed in profile
    }
