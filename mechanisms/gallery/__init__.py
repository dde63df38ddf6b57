"""Broken mechanisms: the test of the checkers.

Each is a frozen dataclass whose attribute ``breaks`` names all properties, of those that need no
prior, that it breaks in the small finite setting of its :class:`Exhibit` in :data:`GALLERY`. A
checker should refute just these.
"""

from dataclasses import replace
from itertools import permutations

from mechanisms.gallery._ballots import LEFT, RIGHT, Ballot, Dictator, HarmsLosers, IgnoresVotes
from mechanisms.gallery._candidates import BordaCount, RunnerUp
from mechanisms.gallery._exhibit import Exhibit
from mechanisms.gallery._fees import Consolation, CrowdDiscount, EntryFee, Levy, SharedSubsidy
from mechanisms.gallery._greedy import GreedyVCG
from mechanisms.gallery._prices import (
    FirstPriceForOne,
    GoodForTwo,
    NearlyTruthful,
    OccasionalFirstPrice,
    TiesOnly,
)
from mechanisms.gallery._supply import DoubleBooking, FreeSamples
from mechanisms.gallery._tickets import DependsOnEarlierCalls, SecretlyRandom
from mechanisms.gallery._winners import GivesItemAway, LowestWins, NameReader

__all__ = [
    "GALLERY",
    "Ballot",
    "BordaCount",
    "Consolation",
    "CrowdDiscount",
    "DependsOnEarlierCalls",
    "Dictator",
    "DoubleBooking",
    "EntryFee",
    "Exhibit",
    "FirstPriceForOne",
    "FreeSamples",
    "GivesItemAway",
    "GoodForTwo",
    "GreedyVCG",
    "HarmsLosers",
    "IgnoresVotes",
    "Levy",
    "LowestWins",
    "NameReader",
    "NearlyTruthful",
    "OccasionalFirstPrice",
    "RunnerUp",
    "SecretlyRandom",
    "SharedSubsidy",
    "TiesOnly",
]

_SIDES = (LEFT, RIGHT)
_ONE_TWO_OR_BOTH = ((0, 2, 0, 2), (0, 0, 2, 2), (0, 0, 0, 3))

GALLERY: tuple[Exhibit, ...] = (
    Exhibit.of(OccasionalFirstPrice(), (0, 1, 2, 3), 2),
    Exhibit.of(GreedyVCG(("first", "second")), _ONE_TWO_OR_BOTH, 3),
    Exhibit.of(GoodForTwo(), (0, 1, 2), 3),
    replace(
        Exhibit.of(GoodForTwo(), (0, 1, 2), 2),
        name="GoodForTwo, two bidders",
        breaks=frozenset(
            {
                "false_name_proof",
                "non_bossy",
                "pairwise_strategyproof",
                "strongly_budget_balanced",
            }
        ),
    ),
    Exhibit.of(NearlyTruthful(), (0, 1, 2, 3), 1),
    replace(
        Exhibit.of(FirstPriceForOne(0), (0, 1, 2, 3), 2),
        name="FirstPriceForOne, the first",
        breaks=FirstPriceForOne.breaks | {"revenue_monotone"},
    ),
    *(
        replace(
            Exhibit.of(FirstPriceForOne(agents - 1), (0, 1, 2, 3), agents),
            name=f"FirstPriceForOne, the last of {agents}",
        )
        for agents in (2, 3)
    ),
    Exhibit.of(TiesOnly(), (0, 1, 2), 2),
    Exhibit.of(SecretlyRandom(), _SIDES, 2),
    Exhibit.of(NameReader(), (0, 1, 2, 3), 2),
    Exhibit.of(DependsOnEarlierCalls(), _SIDES, 2),
    Exhibit.of(LowestWins(), (0, 1, 2), 2),
    Exhibit.of(GivesItemAway(), (1, 2), 2),
    Exhibit.of(DoubleBooking(), ((2, 1), (1, 2), (3, 0)), 2),
    Exhibit.of(FreeSamples(), (1, 2), 2),
    Exhibit.of(BordaCount(), tuple(permutations((2, 1, 0))), 2),
    Exhibit.of(RunnerUp(), ((1, 2, 0), (0, 1, 2), (2, 0, 1)), 1),
    Exhibit.of(Ballot(), _SIDES, 2),
    Exhibit.of(IgnoresVotes(), _SIDES, 2),
    Exhibit.of(Dictator(), _SIDES, 2),
    Exhibit.of(HarmsLosers(), _SIDES, 2),
    Exhibit.of(Levy(), _SIDES, 2),
    Exhibit.of(SharedSubsidy(), _SIDES, 2),
    Exhibit.of(EntryFee(), _SIDES, 2),
    Exhibit.of(CrowdDiscount(), _SIDES, 2),
    Exhibit.of(Consolation(), _SIDES, 2),
)
