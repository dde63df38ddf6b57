"""Claims of *Rethinking the Buyer's Inspection Paradox in Information Markets*, in its order."""

from __future__ import annotations

from papers.bazaar import buyer_experiments, information_market, market_prices
from papers.bazaar.checks.bazaar_markets import MARKETS, MoneyAddsUp, show_market
from papers.bazaar.checks.buyers import BUYERS, BayesProof, MonotonicityForcesEquality
from papers.bazaar.checks.demand import RowsSumToZero
from papers.bazaar.checks.elo import EloCheck
from papers.bazaar.checks.purchases import (
    PURCHASES,
    InspectionRaisesUtility,
    NonnegativeProof,
    show_purchases,
)
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="bazaar.table-1",
        kind=Kind.MEASUREMENT,
        source="bazaar, Table 1",
        title="How inspection changes demand",
        statement=(
            r"The printed changes $\Delta_k$ are differences of the shares of four exclusive and "
            r"exhaustive outcomes, so in each row $\sum_k \Delta_k = 0$."
        ),
        reading=(
            "Differences in percentage points: the text calls a positive entry an increased "
            "likelihood of purchase. The caption also says “more often”; if that means changes "
            "relative to each share, no such sum is implied and the claim does not arise."
        ),
        check=RowsSumToZero(),
        expected=Status.REFUTED,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        note=(
            "The shares themselves are not printed, so the rows cannot be repaired; in each row at "
            "least one entry is off by a quarter of the row's sum or more."
        ),
    ),
    Claim(
        id="bazaar.theorem-1",
        kind=Kind.THEOREM,
        source="bazaar, Theorem 1",
        title="Inspection raises expected utility",
        statement=(r"$\sum_i x_i \, G(M(i), C(i)) \, U(a,i) \ge \sum_i x_i \, F(M(i)) \, U(a,i)$."),
        hypotheses=(r"Monotonicity in information: $G(M(i), C(i)) \ge F(M(i))$ for every good.",),
        reading="As printed: the same goods on both sides, all of them inspected on the left.",
        check=ForAll(PURCHASES, InspectionRaisesUtility(), show_purchases),
        expected=Status.REFUTED,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
    ),
    Claim(
        id="bazaar.theorem-1.nonnegative",
        kind=Kind.THEOREM,
        source="bazaar, Theorem 1, corrected",
        title="With utilities of at least zero the printed inequality is true",
        statement=(
            r"If $U(a,i) \ge 0$ for every good, then "
            r"$\sum_i x_i \, G(M(i), C(i)) \, U(a,i) \ge \sum_i x_i \, F(M(i)) \, U(a,i)$."
        ),
        hypotheses=(
            r"$G(M(i), C(i)) \ge F(M(i))$ for every good.",
            r"$U(a,i) \ge 0$ for every good.",
        ),
        reading=(
            "True, and silent about decisions: the same goods are bought on both sides. What is "
            "meant is Lemma A.1 of volition."
        ),
        check=ForAll(
            PURCHASES, InspectionRaisesUtility(nonnegative=True), show_purchases, NonnegativeProof()
        ),
        expected=Status.HOLDS,
        least={"quick": Strength.PROVED, "full": Strength.PROVED},
        corrects="bazaar.theorem-1",
        proof_idea="The difference of the sides is a sum of products x (G - F) U.",
        proof="docs/proofs.md#bazaar-theorem-1-nonnegative",
    ),
    Claim(
        id="bazaar.theorem-1.bayes",
        kind=Kind.THEOREM,
        source="bazaar, Theorem 1, corrected",
        title="For a Bayesian buyer the printed hypothesis leaves only equality",
        statement=r"If $F = E[G \mid M]$ and $G \ge F$ in every possible state, then $G = F$.",
        hypotheses=(
            r"Desirability is a conditional expectation: $F = E[V \mid M]$, $G = E[V \mid M, C]$.",
            r"$G \ge F$ in every state of positive probability.",
        ),
        check=ForAll(BUYERS, MonotonicityForcesEquality(), prove=BayesProof()),
        expected=Status.HOLDS,
        least={"quick": Strength.PROVED, "full": Strength.PROVED},
        corrects="bazaar.theorem-1",
        proof_idea=(
            "Given the metadata, G - F averages to zero; what averages to zero and is never "
            "negative is zero."
        ),
        proof="docs/proofs.md#bazaar-theorem-1-bayes",
    ),
    Claim(
        id="bazaar.ledger",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3",
        title="Credits, budgets and memory of a market",
        statement=(
            "Credits are conserved. No buyer spends more than its budget on all accepted quotes "
            "and sub-queries together. What it does not buy is not in its memory afterwards."
        ),
        reading=(
            "Sub-queries are the deeper levels of recursive inspection. A purchase beyond the "
            "budget is refused as a whole, with an error that keeps the record. Memory is all text "
            "that can be reached from the buyer, from what it returns and from what it raises, but "
            "not through code, such as a module's globals: no mechanism within one process can "
            "close those."
        ),
        check=ForAll(MARKETS, MoneyAddsUp(), show_market),
        expected=Status.HOLDS,
        proof_idea=(
            "All payments are entries of one ledger, whose balances are recomputed from the "
            "entries after each; choices are made by copies of the buyer that are thrown away."
        ),
    ),
    Claim(
        id="bazaar.elo",
        kind=Kind.ALGORITHM,
        source="bazaar, appendix B and section 4.2",
        title="Elo ratings averaged over random orders",
        statement=(
            r"$E = 1 / (1 + 10^{(R_b - R_a)/400})$ and $R' = R + K (S - E)$ with $K = 32$ from "
            r"$1500$: the sum of the ratings is constant, the result depends on the order of the "
            r"games, and the average over random orders is reproducible from a seed."
        ),
        reading="Both updates use the ratings before the game.",
        check=EloCheck(),
        expected=Status.HOLDS,
        least={"quick": Strength.CERTIFIED, "full": Strength.CERTIFIED},
        proof_idea=(
            "The two expected scores of a game sum to one, so one gains what the other loses."
        ),
        proof="docs/proofs.md#bazaar-elo",
    ),
    *information_market.CLAIMS,
    *buyer_experiments.CLAIMS,
    *market_prices.CLAIMS,
)
