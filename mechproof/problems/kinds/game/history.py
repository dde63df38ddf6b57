"""What a history of play regrets, as an answer says it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

from msgspec import Meta

from mechproof.problems.format.typed import Record
from mechproof.problems.kinds.game.deviations import PlayerGains, regrets_of
from mechproof.problems.kinds.game.distribution import (
    DistributionGaps,
    describe_gaps,
    distribution_gaps_of,
)
from mechproof.problems.shared.answers import Rational
from theory.correlated import empirical_distribution
from theory.normal_form import NormalFormGame
from theory.regret import Regret, regret

__all__ = ["HistoryAnswer", "Rounds", "history_answer_of"]

Rounds = Sequence[Sequence[Fraction]]


class HistoryAnswer(Record, frozen=True, kw_only=True):
    """A history of play."""

    rounds: Annotated[int, Meta(description="How many rounds were played.")]
    regret: Annotated[
        dict[str, PlayerGains],
        Meta(description="Player: what it would have gained in all rounds together."),
    ]
    average: Annotated[
        DistributionGaps,
        Meta(description="The average over rounds of the product of the mixed plays."),
    ]
    gap: Annotated[
        Rational, Meta(description="How far regrets are from those that separate code computes.")
    ]


def history_answer_of(
    game: NormalFormGame, plays: Sequence[Rounds]
) -> tuple[HistoryAnswer, tuple[str, ...]]:
    """Return the regrets of a history and the gaps of its average; and the same in words."""
    rewards = _rewards(game, plays)
    regrets = {player: regret(plays[p], rewards[p]) for p, player in enumerate(game.players)}
    played = HistoryAnswer(
        rounds=len(plays[0]),
        regret={
            player: regrets_of(found, actions)
            for (player, found), actions in zip(regrets.items(), game.actions, strict=True)
        },
        average=distribution_gaps_of(game, empirical_distribution(plays)),
        gap=str(max(found.gap for found in regrets.values())),
    )
    words = [_describe_regret(player, found) for player, found in regrets.items()]
    return played, (*words, describe_gaps(played.average, "The average of the plays"))


def _describe_regret(player: str, found: Regret) -> str:
    rounds = f"{found.rounds} round{'s' * (found.rounds > 1)}"
    regretted = (
        f"After {rounds} {player} has external regret {found.external.gain}, internal regret "
        f"{found.internal.gain} and swap regret {found.swap.gain}."
    )
    return f"{regretted} {found.warning}".rstrip()


def _rewards(game: NormalFormGame, plays: Sequence[Rounds]) -> list[list[list[Any]]]:
    """Return for each player and round what each action pays on average."""
    known: dict[tuple[Any, ...], list[Any]] = {}
    rewards: list[list[list[Any]]] = [[] for _ in game.players]
    for strategies in zip(*plays, strict=True):
        for p, own in enumerate(rewards):
            others: list[Any] = [None if q == p else x for q, x in enumerate(strategies)]
            key = tuple(None if x is None else tuple(x) for x in others)
            if key not in known:
                known[key] = game.rewards(p, others).scalars()
            own.append(known[key])
    return rewards
