"""Claims of bazaar on its experiments: what buyers do, and what was counted."""

from __future__ import annotations

from typing import Final

from papers.bazaar.checks.buyer_experiments import (
    GOLD,
    ORDERS,
    TITLED,
    DemandIsAStep,
    InspectionHelps,
    LogitDemand,
    PlacesAreFlat,
    PlacesAreFlatInLaw,
)
from papers.bazaar.checks.verdict_counts import BUDGETS, MODELS, CoinsAreFair, PlacesAreAlike
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT: Final = {"quick": Strength.EXACT, "full": Strength.EXACT}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="bazaar.demand",
        kind=Kind.ALGORITHM,
        source="bazaar, section 4.1 and Figure 4",
        title="How an ideal buyer's demand depends on the price",
        statement=(
            "An ideal buyer buys the gold passage at each price below what it adds to the best set "
            "of the others, and at no price above."
        ),
        reading=(
            "What is measured in the paper are shares of models. Demand that rises in the price, "
            "as that of Llama 2 at low prices, is no ideal buyer's."
        ),
        check=ForAll(GOLD, DemandIsAStep()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.demand.logit",
        kind=Kind.MEASUREMENT,
        source="bazaar, section 4.1 and Figure 4",
        title="Demand that responds to the price by degrees",
        statement=(
            "The log odds that a logit buyer of scale t buys the gold passage are linear in its "
            "price, with slope -1/t; both coefficients come back from what it buys."
        ),
        reading="One shelf; t = 2. The paper fits no demand.",
        check=LogitDemand(),
        expected=Status.MEASURED,
    ),
    Claim(
        id="bazaar.inspection",
        kind=Kind.ALGORITHM,
        source="bazaar, section 4.2 and Figure 5",
        title="Inspection makes answers better, for an ideal buyer",
        statement=(
            "With inspection an ideal buyer gains at least as much with the same budget as "
            "without, and has the answer wherever it has it without. It never loses."
        ),
        hypotheses=(
            "The question needs one fact.",
            "All passages may be chosen from.",
        ),
        reading=(
            "What is measured in the paper are preferences between answers of a model. Prices do "
            "not depend on inspection."
        ),
        check=ForAll(TITLED, InspectionHelps()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.position",
        kind=Kind.ALGORITHM,
        source="bazaar, section 4.1 and Figure 3",
        title="Where a passage stands does not matter to an ideal buyer",
        statement="Over all orders an ideal buyer accepts what stands at each place as often.",
        hypotheses=("No other set of passages gains as much for as little.",),
        reading=(
            "Of equal sets the first is bought: where two passages are as good, who goes by the "
            "order is no worse off, and a flat figure cannot be asked for."
        ),
        check=ForAll(
            ORDERS,
            PlacesAreFlat(),
            without=(
                WithoutHypothesis(
                    "no other set of passages gains as much for as little",
                    PlacesAreFlat(unique=False),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.position.logit",
        kind=Kind.ALGORITHM,
        source="bazaar, section 4.1 and Figure 3",
        title="Where a passage stands does not matter to a logit buyer",
        statement=(
            "Over all orders a logit buyer accepts what stands at each place with the same "
            "probability, also where sets are equal."
        ),
        check=ForAll(ORDERS, PlacesAreFlatInLaw(), arithmetic=Strength.TESTED),
        expected=Status.HOLDS,
    ),
    Claim(
        id="bazaar.position.counts",
        kind=Kind.MEASUREMENT,
        source="bazaar, section 4.1, Figure 3 and the authors' notebooks",
        title="What the counts say of a bias against the first place",
        statement=(
            "Acceptances by place as uneven as those of GPT-3.5 come about by chance with "
            "probability of at most 1/20, if places do not matter."
        ),
        reading=(
            "The paper calls the bias significant. Its notebooks have 18 trials a place, of which "
            "17%, 39% and 44% are accepted. Trials are taken to be independent; those of one "
            "question are not, which leaves less evidence."
        ),
        check=PlacesAreAlike(),
        expected=Status.REFUTED,
        least=EXACT,
        note="A bias may well be there: so few trials do not show it.",
    ),
    Claim(
        id="bazaar.keyword-baseline",
        kind=Kind.MEASUREMENT,
        source="bazaar, appendix C and the authors' notebooks",
        title="Verdicts for the larger budget of the keyword buyer",
        statement=(
            "The verdicts for $100 over $25 are such that a fair coin gives as many with "
            "probability of at most 1/20."
        ),
        reading=(
            "The paper says that the larger budget is preferred for 67% of all questions. In the "
            "notebooks 20 were asked, 11 comparisons failed, and 6 of 9 verdicts are for it."
        ),
        check=CoinsAreFair(BUDGETS),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="bazaar.keyword-baseline.model",
        kind=Kind.MEASUREMENT,
        source="bazaar, appendix C and the authors' notebooks",
        title="Verdicts for the language model over the keyword buyer",
        statement=(
            "The verdicts for Llama 2 over the keyword buyer are such that a fair coin gives as "
            "many with probability of at most 1/20, as printed and as the notebooks have them."
        ),
        reading=(
            "The paper says 95%, of what is taken to be 20 questions; the notebooks count 15 of 20 "
            "at $25. Which of the two is meant is not settled, and both are looked at."
        ),
        check=CoinsAreFair(MODELS),
        expected=Status.HOLDS,
        least=EXACT,
    ),
)
