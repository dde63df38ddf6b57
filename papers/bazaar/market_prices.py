"""Claims that go further than bazaar: titles on a whole shelf, and prices of a whole market."""

from __future__ import annotations

from typing import Final

from papers.bazaar.checks.crowds import CROWDS, ApartIsBest, show_crowd
from papers.bazaar.checks.titled_shelves import (
    SHELVES,
    RecoveryRises,
    RevenueIsMonotone,
    show_shelf,
)
from theory.checks import Exists, ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT: Final = {"quick": Strength.EXACT, "full": Strength.EXACT}

APART: Final = (
    "Where each passage has the price at which it would earn the most if it alone were for sale, "
    "the market earns as much as at any prices."
)

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="bazaar.titles.recovered",
        kind=Kind.THEOREM,
        source="bazaar, section 2, taken further",
        title="What inspection recovers as titles get worse",
        statement=(
            r"Of what a buyer gains with inspection, the share that it misses by titles alone is 0 "
            r"where they are right, does not fall in the probability $e$ that they are wrong, and "
            r"at $e = 1/2$ is the share that it misses without titles."
        ),
        hypotheses=(
            "What passages state, and where titles are wrong, is independent.",
            "Prices do not depend on what may be read.",
            r"$e \le 1/2$.",
        ),
        reading="The buyer may buy any set of a shelf within its budget; facts count once.",
        check=ForAll(
            SHELVES,
            RecoveryRises(),
            show_shelf,
            without=(
                WithoutHypothesis(
                    "titles are wrong at most half of the time", RecoveryRises(half=False)
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "Titles of a larger error are those of a smaller one, some of them turned round: they "
            "inform less in the order of Blackwell, and what is gained by them is at most as much."
        ),
    ),
    Claim(
        id="bazaar.titles.revenue",
        kind=Kind.THEOREM,
        source="bazaar, section 2, taken further",
        title="Worse titles may earn the seller more, and less again",
        statement=(
            "There is a shelf on which, as titles get worse up to saying nothing, the seller's "
            "revenue both rises and falls."
        ),
        check=Exists(SHELVES, RevenueIsMonotone(), show_shelf),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.menu.apart",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3, taken further",
        title="Each passage priced by itself",
        statement=APART,
        reading=(
            "Ideal buyers with budgets, who spend the less where they are indifferent; whole "
            "prices. The paper's prices go by citations of an author."
        ),
        check=ForAll(CROWDS, ApartIsBest(), show_crowd),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="bazaar.menu.apart.distinct",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3, taken further, corrected",
        title="Each passage priced by itself, where none touches another",
        statement=APART,
        hypotheses=(
            "No two passages state the same fact.",
            "No buyer has a budget.",
        ),
        check=ForAll(
            CROWDS,
            ApartIsBest(distinct=True, rich=True),
            show_crowd,
            without=(
                WithoutHypothesis("no two passages state the same fact", ApartIsBest(rich=True)),
                WithoutHypothesis("no buyer has a budget", ApartIsBest(distinct=True)),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="bazaar.menu.apart",
        proof_idea="Then a buyer buys each passage by its own price, whatever the others cost.",
    ),
)
