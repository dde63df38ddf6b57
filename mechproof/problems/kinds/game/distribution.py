"""A distribution over profiles, and what players gain by leaving it, as an answer says it."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Annotated, Any, Final

from msgspec import Meta

from mechproof.problems.format.typed import Record
from mechproof.problems.kinds.game.deviations import PlayerGains, gains_of
from mechproof.problems.shared.answers import Rational
from theory.correlated import EquilibriumGaps, equilibrium_gaps
from theory.normal_form import NormalFormGame

__all__ = [
    "MAX_LISTED",
    "DistributionGaps",
    "as_distribution_gaps",
    "describe_gaps",
    "distribution_gaps_of",
]

MAX_LISTED: Final = 10_000
"""How many profiles of a distribution an answer lists."""


class ProfileProbability(Record, frozen=True, kw_only=True):
    """A profile that is played."""

    profile: Annotated[tuple[str, ...], Meta(description="An action of each player.")]
    probability: Annotated[Rational, Meta(description="Its probability, above 0.")]


class Gaps(Record, frozen=True, kw_only=True):
    """The most that any one player gains by deviating, at least 0."""

    cce: Annotated[
        Rational,
        Meta(description="By one action throughout; 0 at a coarse correlated equilibrium."),
    ]
    ce: Annotated[
        Rational, Meta(description="By replacing one action; 0 at a correlated equilibrium.")
    ]
    swap: Annotated[Rational, Meta(description="By replacing any actions.")]
    conditional: Annotated[
        Rational, Meta(description="By the best reply to an action, given that it is recommended.")
    ]


class DistributionGaps(Record, frozen=True, kw_only=True):
    """A distribution over profiles, and what players gain by leaving it."""

    distribution: Annotated[
        tuple[ProfileProbability, ...],
        Meta(description=f"The profiles that are played, the first {MAX_LISTED:,} of them."),
    ]
    gaps: Annotated[Gaps, Meta(description="The largest gains.")]
    players: Annotated[
        dict[str, PlayerGains], Meta(description="Player: the payoff and the best deviations.")
    ]
    gap: Annotated[
        Rational, Meta(description="How far the gaps are from those that separate code computes.")
    ]


def distribution_gaps_of(game: NormalFormGame, distribution: Any) -> DistributionGaps:
    """Return the gaps of a distribution: probabilities by profile, or an array of them."""
    return as_distribution_gaps(equilibrium_gaps(game, distribution))


def as_distribution_gaps(found: EquilibriumGaps) -> DistributionGaps:
    """Return the gaps of a distribution that have been computed."""
    joint = found.joint
    weights = joint.weights[:MAX_LISTED].scalars()
    listed = zip(islice(joint.support.tolist(), MAX_LISTED), weights, strict=True)
    return DistributionGaps(
        distribution=tuple(
            ProfileProbability(profile=joint.game.profile_names(place), probability=str(weight))
            for place, weight in listed
        ),
        gaps=Gaps(
            cce=str(found.cce),
            ce=str(found.ce),
            swap=str(found.swap),
            conditional=str(found.conditional),
        ),
        players={each.player: gains_of(each) for each in found.players},
        gap=str(found.recheck.gap),
    )


def describe_gaps(judged: DistributionGaps, what: str) -> str:
    """Return in words how far a distribution is from an equilibrium."""
    if judged.gaps.ce == "0":
        return f"{what} is a correlated equilibrium."
    player = max(judged.players, key=lambda p: Fraction(judged.players[p].internal.gain))
    one = judged.players[player].internal
    swapped = f"{player} gains {one.gain} by {one.target!r} in place of {one.source!r}"
    if judged.gaps.cce == "0":
        return f"{what} is a coarse correlated equilibrium, but no correlated one: {swapped}."
    player = max(judged.players, key=lambda p: Fraction(judged.players[p].external.gain))
    best = judged.players[player].external
    always = f"{player} gains {best.gain} by {best.action!r} throughout"
    return f"{what} is no equilibrium: {always}; {swapped}."
