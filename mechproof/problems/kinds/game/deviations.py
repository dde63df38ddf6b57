"""What players gain by deviating, in expectation or in hindsight, as answers say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Rational
from theory.correlated import PlayerGaps
from theory.regret import Regret

__all__ = ["PlayerGains", "gains_of", "regrets_of"]


class ConstantDeviation(Record, frozen=True, kw_only=True):
    """One action, whatever is recommended or was played."""

    gain: Annotated[
        Rational,
        Meta(description="What it gains; below 0 where it is worse than to leave all as it is."),
    ]
    action: Annotated[str, Meta(description="The best action, the first of several.")]


class Replacement(Record, frozen=True, kw_only=True):
    """One action in place of another, and all else as it is."""

    gain: Annotated[Rational, Meta(description="What it gains, at least 0.")]
    source: Annotated[
        str | UnsetType, Meta(description="What is replaced; left out where nothing gains.")
    ] = UNSET
    target: Annotated[str | UnsetType, Meta(description="What is played instead.")] = UNSET


class Swap(Record, frozen=True, kw_only=True):
    """The best reply in place of each action."""

    gain: Annotated[Rational, Meta(description="What it gains, at least 0.")]
    map: Annotated[
        dict[str, str],
        Meta(description="Action: what is played instead. Those that are left out stay."),
    ]


class ConditionalGain(Record, frozen=True, kw_only=True):
    """What is to be gained where one action is recommended or was played."""

    action: Annotated[str, Meta(description="The action.")]
    weight: Annotated[
        Rational,
        Meta(description="How probable it is; in a history, in how many rounds it was played."),
    ]
    best_reply: Annotated[
        str, Meta(description="The best action then; the same one if none is better.")
    ]
    gain: Annotated[
        Rational, Meta(description="What the best reply gains each time, given the action.")
    ]


class PlayerGains(Record, frozen=True, kw_only=True):
    """What a player gets, and what it could gain by deviating alone."""

    payoff: Annotated[
        Rational, Meta(description="What it gets: in expectation; in a history, in all rounds.")
    ]
    external: Annotated[ConstantDeviation, Meta(description="By one action throughout.")]
    internal: Annotated[Replacement, Meta(description="By replacing one action.")]
    swap: Annotated[Swap, Meta(description="By replacing any actions.")]
    conditional: Annotated[
        tuple[ConditionalGain, ...],
        Meta(description="For each action that is recommended or was played."),
    ]


def gains_of(found: PlayerGaps) -> PlayerGains:
    """Return what a player gains by leaving a distribution."""
    return PlayerGains(
        payoff=str(found.payoff),
        external=ConstantDeviation(gain=str(found.external.gain), action=found.external.action),
        internal=_replacement(found.internal.gain, found.internal.source, found.internal.target),
        swap=_swap(found.swap.gain, dict(found.swap.map)),
        conditional=tuple(
            ConditionalGain(
                action=told.action,
                weight=str(told.probability),
                best_reply=told.reply,
                gain=str(told.gain),
            )
            for told in found.conditional
        ),
    )


def regrets_of(found: Regret, actions: Sequence[str]) -> PlayerGains:
    """Return what a player would have gained in a history; its actions get their names."""
    name = dict(enumerate(actions))
    external, internal, swap = found.external, found.internal, found.swap
    return PlayerGains(
        payoff=str(found.earned),
        external=ConstantDeviation(gain=str(external.gain), action=name[external.action]),
        internal=_replacement(internal.gain, name[internal.source], name[internal.target]),
        swap=_swap(swap.gain, {name[i]: name[j] for i, j in (swap.map or {}).items()}),
        conditional=tuple(
            ConditionalGain(
                action=name[each.action],
                weight=str(each.weight),
                best_reply=name[each.best_reply],
                gain=str(each.per_weight),
            )
            for each in found.conditionals
        ),
    )


def _replacement(gain: object, source: str, target: str) -> Replacement:
    if source == target:
        return Replacement(gain=str(gain))
    return Replacement(gain=str(gain), source=source, target=target)


def _swap(gain: object, moves: Mapping[str, str]) -> Swap:
    return Swap(gain=str(gain), map=dict(moves))
