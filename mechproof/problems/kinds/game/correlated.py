"""The best correlated or coarse correlated equilibrium, as an answer says it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm, prod
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.kinds.game.distribution import DistributionGaps, as_distribution_gaps
from mechproof.problems.kinds.game.equilibria import WhyNot
from mechproof.problems.shared.answers import Rational
from mechproof.problems.shared.counting import (
    MAX_LONG_TABLEAU,
    MAX_PIVOTED,
    MAX_TABLEAU,
    by_length,
)
from mechproof.problems.shared.goods import entries_of, look_up_name
from theory.correlated import CorrelatedEquilibrium, correlated_equilibrium
from theory.errors import LimitError
from theory.normal_form import NormalFormGame

__all__ = [
    "CONCEPTS",
    "OBJECTIVES",
    "BestEquilibriumAnswer",
    "Concept",
    "best_equilibrium_of",
    "describe_best_equilibrium",
    "objective_of",
]

Concept = Literal["cce", "ce"]
Objective = Literal["max_welfare", "min_welfare"]

CONCEPTS: Final[dict[str, Concept]] = {"cce": "cce", "ce": "ce"}
OBJECTIVES: Final[dict[str, Objective]] = {
    "max_welfare": "max_welfare",
    "min_welfare": "min_welfare",
}
_NAMES: Final = {"cce": "coarse correlated", "ce": "correlated"}


class Price(Record, frozen=True, kw_only=True):
    """A price on what a player loses by a deviation."""

    player: Annotated[str, Meta(description="Whose deviation it is.")]
    source: Annotated[
        str | UnsetType,
        Meta(description="What is recommended; left out where it may be anything."),
    ] = UNSET
    target: Annotated[str, Meta(description="What is played instead.")]
    price: Annotated[Rational, Meta(description="The price, above 0.")]


class DualCertificate(Record, frozen=True, kw_only=True):
    """What proves that no equilibrium is better: prices of a dual solution."""

    side: Annotated[
        Literal["above", "below"], Meta(description="On which side of the bound no value is.")
    ]
    bound: Annotated[
        Rational,
        Meta(
            description="At no profile is the objective beyond it, once what deviations lose "
            "there, times their prices, is added to it (above) or taken off (below); recomputed "
            "from the prices."
        ),
    ]
    prices: Annotated[tuple[Price, ...], Meta(description="The prices that are not 0.")]


class BestEquilibrium(DistributionGaps, frozen=True, kw_only=True):
    """An equilibrium that is best for the objective."""

    objective: Annotated[str, Meta(description="What it is best for, in words.")]
    value: Annotated[Rational, Meta(description="What the objective comes to.")]
    certificate: Annotated[DualCertificate, Meta(description="What proves that it is best.")]


class BestEquilibriumAnswer(Record, frozen=True, kw_only=True):
    """An equilibrium that was asked for."""

    found: Annotated[BestEquilibrium | UnsetType, Meta(description="The equilibrium.")] = UNSET
    why_not: Annotated[WhyNot | UnsetType, Meta(description="Why there is none here.")] = UNSET


def objective_of(
    objective: str | dict[str, Fraction] | UnsetType, game: NormalFormGame
) -> Objective | list[Fraction]:
    """Return the objective of the field ``objective``, weights in the order of the players."""
    path = "$.objective"
    if isinstance(objective, dict):
        return entries_of(objective, "player", game.players, path)
    if isinstance(objective, UnsetType):
        return "max_welfare"
    return look_up_name(objective, "objective", OBJECTIVES, path)


def best_equilibrium_of(
    game: NormalFormGame, concept: Concept, objective: Objective | Sequence[Fraction]
) -> BestEquilibriumAnswer:
    """Return the equilibrium that is best for a welfare, or for one weight a player."""
    own = game.shape
    gains = sum(own) if concept == "cce" else sum(n * (n - 1) for n in own)
    entries = (gains + 1) * (gains + 1 + prod(own))
    if entries > MAX_TABLEAU:
        message = (
            f"a program of {entries:,} entries is above the limit of {MAX_TABLEAU:,}: use fewer "
            "actions, or correlated_equilibrium of game.as_floats() in Python"
        )
        return BestEquilibriumAnswer(why_not=WhyNot(reason="too large", message=message))
    work = by_length(entries, _bits(game, concept))
    if work > MAX_LONG_TABLEAU:
        message = (
            f"a program of {entries:,} entries comes to {work:,} by the length of numbers, above "
            f"the limit of {MAX_LONG_TABLEAU:,}: round the payoffs, use fewer actions, or "
            "correlated_equilibrium of game.as_floats() in Python"
        )
        return BestEquilibriumAnswer(why_not=WhyNot(reason="too large", message=message))
    pivots = MAX_PIVOTED // work
    try:
        best = correlated_equilibrium(game, concept=concept, objective=objective, pivots=pivots)
    except LimitError as error:
        return BestEquilibriumAnswer(why_not=WhyNot(reason="too large", message=str(error)))
    judged = msgspec.structs.asdict(as_distribution_gaps(best.gaps))
    found = BestEquilibrium(
        **judged,
        objective=best.objective,
        value=str(best.value),
        certificate=_certificate(best),
    )
    return BestEquilibriumAnswer(found=found)


def _bits(game: NormalFormGame, concept: Concept) -> int:
    """Bound the length of the numbers that elimination comes to: of as many rows as matter.

    A row holds differences of payoffs of a player, to two actions of the player's in turn or to
    all; it is multiplied by their least common denominator.
    """
    rows: list[int] = []
    for p, (count, paid) in enumerate(zip(game.shape, game.payoffs.scalars(), strict=True)):
        step = prod(game.shape[p + 1 :])
        lines = [
            [u for k, u in enumerate(paid) if k // step % count == action]
            for action in range(count)
        ]
        units = [lcm(*(u.denominator for u in line)) for line in lines]
        sizes = [max(abs(u) for u in line) for line in lines]
        groups = combinations(range(count), 2) if concept == "ce" else [range(count)]
        for group in groups:
            unit, size = lcm(*(units[i] for i in group)), max(sizes[i] for i in group)
            rows += [unit.bit_length() + int(size).bit_length()] * len(group)
    return sum(sorted(rows)[-prod(game.shape) :])


def _certificate(best: CorrelatedEquilibrium) -> DualCertificate:
    return DualCertificate(
        side="above" if best.certificate.maximise else "below",
        bound=str(best.certificate.bound),
        prices=tuple(
            Price(
                player=each.player,
                source=UNSET if each.source is None else each.source,
                target=each.target,
                price=str(each.price),
            )
            for each in best.certificate.multipliers
        ),
    )


def describe_best_equilibrium(concept: Concept, computed: BestEquilibriumAnswer) -> str:
    """Return in words what was computed."""
    name = _NAMES[concept]
    found = computed.found
    if isinstance(found, UnsetType):
        return f"No {name} equilibrium was computed: the game is too large."
    certificate = found.certificate
    return (
        f"The {name} equilibrium of {found.objective} comes to {found.value}; the certificate "
        f"proves that none is {certificate.side} {certificate.bound}."
    )
