"""Claims of truthful, section 6: the experiment."""

from __future__ import annotations

from papers.truthful.checks.equity import Equity
from theory.claims import Claim, Kind
from theory.verdicts import Status

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.equity",
        kind=Kind.MEASUREMENT,
        source="truthful, section 6.2.2 and figures 3 to 5",
        title="With the offset, utility gain goes with reward gain",
        statement=(
            "The offset (13) makes the relationship between an advertiser's reward gain (19) and "
            "utility gain more linear and positively correlated, for candidates from the "
            "context-aware generator and from the reference."
        ),
        reading=(
            "A measurement, with explicit models in place of Llama 2: words one by one, and a "
            r"table. Pearson's correlation at $M = 20$ and $R^2$ of all pairs with $M > 4$ without "
            "the outer 0.5 percentiles, with and without the offset, in three readings of what an "
            "advertiser who stays out would have had: candidates redrawn for the others, as (19) "
            "says; the candidates that do not name her, as the paper estimates it; the same "
            "candidates. Every run must split a reward gain of the third reading into a payment "
            "and a utility gain that are not negative (truthful.kl)."
        ),
        check=Equity(),
        expected=Status.MEASURED,
        proof_idea=(
            r"For fixed candidates the utility gain is $\tau KL(q_i \| p)$ and the reward gain "
            r"$\tau (KL(p \| q_i) + KL(q_i \| p))$, which are in the ratio 1 to 2 where $p$ and "
            "$q_i$ are close. Without the offset all advertisers have the same utility."
        ),
    ),
)
