"""Claims of volition, section 3: inspection."""

from __future__ import annotations

from papers.volition.checks.exhibits import show_best, show_problem, show_protocol, show_successive
from papers.volition.checks.inspection_families import (
    DEAR_OFFERS,
    FREE_OFFERS,
    MIXED,
    PARTLY_FREE,
    PROBLEMS,
    PROTOCOLS,
    SMALLEST,
    SUCCESSIVE,
)
from papers.volition.checks.inspection_laws import OptimalGivenOffers, RecursiveLaws, SuccessiveLaws
from papers.volition.checks.legume import Legume
from papers.volition.checks.selection import ConditionOnSelection
from papers.volition.checks.superiority import (
    AdvantageIsSignalled,
    BestAdmissibleIsBest,
    NoBetterWithoutSignals,
    RecursiveIsBest,
    TopLevelIsBest,
    all_dear,
    all_free,
    dear_or_free,
    decision_is_dear,
    free_offers_suffice,
    some_free,
)
from theory.checks import Exists, ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="volition.successive",
        kind=Kind.DEFINITION,
        source="volition, eqs. (3) to (5)",
        title="Successive inspection",
        statement=(
            r"$U^{n+1}(\langle I, i, p \rangle) = U^n(\arg\max_x E[U^n(x) \mid I = i]) - "
            r"U^n(\arg\max_x E[U^n(x)]) - p$; $x_N = \arg\max_x E[U^N(x)]$ and, going down, "
            r"$x_n = \arg\max_x E[U^n(x) \mid x_{n+1}]$."
        ),
        reading=(
            "What may be bought on a level is one good or none (Table 2), or any set of goods "
            "(section 3 and its example); every law is checked for both. The choice conditions on "
            "the values of what was bought, not on its having been chosen. Ties go to the fewest "
            "goods, then to the first."
        ),
        check=ForAll(SUCCESSIVE, SuccessiveLaws(), show_successive),
        expected=Status.HOLDS,
        proof_idea=(
            "The utilities are computed a second time as the equations stand. What follows: U^1 "
            r"is realised value; $E[U^n(x_n)] = E[U^{n+1}(x_{n+1})] + E[p] + \max_x E[U^n(x)]$; "
            r"the payoff is on average the sum of $\max_x E[U^n(x)]$ over all n; no purchase is a "
            "message."
        ),
        proof="docs/proofs.md#volition-successive",
    ),
    Claim(
        id="volition.legume",
        kind=Kind.EXAMPLE,
        source="volition, section 3.1",
        title="Raw legume, rice, boiled legume",
        statement=(
            "Two free offers on level 1 (legumes are toxic; rice is unhealthy) and one on level 2 "
            "(boiling removes the toxins): recursive inspection reaches the best action, "
            "successive inspection cannot."
        ),
        reading=(
            "The paper gives no numbers; the report states ours. Free offers tie, so both "
            "protocols are computed with ties to the fewest and to the most goods, and successive "
            "inspection with sets of goods and with one good or none."
        ),
        check=Legume(),
        expected=Status.HOLDS,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        proof_idea=(
            "What is bought on level 2 helps to choose what to buy on level 1, and successive "
            "inspection has forgotten it when the meal is chosen."
        ),
    ),
    Claim(
        id="volition.recursive",
        kind=Kind.DEFINITION,
        source="volition, eqs. (6) to (8)",
        title="Recursive inspection",
        statement=(
            r"$x_*^n = \arg\max_x E[U(x, x^{n+1}, \dots, x^N) \mid I^0 \cup \dots \cup I^{n-1} "
            r"\cup x^{n+1} \cup \dots \cup x^N]$, where $U(x^0, \dots, x^N) = U(x^0) - \sum p$ "
            "over all that was bought."
        ),
        reading=(
            "Conditioning is on the values of what is known, at every node on the path and off it; "
            "that a purchase was selected by someone who knew more is not conditioned on (see "
            "volition.theorem-3.3.bayes). Ties go to the fewest goods, then to the first."
        ),
        check=ForAll(PROBLEMS, RecursiveLaws(), show_problem),
        expected=Status.HOLDS,
        proof_idea=(
            "Every node is solved again from the values known there, on the path and off it."
        ),
    ),
    Claim(
        id="volition.nontheorem-3.1",
        kind=Kind.THEOREM,
        source="volition, Non-theorem 3.1",
        title="Recursive inspection is not optimal given everything on offer",
        statement=(
            r"With prices of at least 0, $x_*$ need not maximise "
            r"$E[U(x) \mid I^0 \cup \dots \cup I^{N-1}]$ over all $x$."
        ),
        hypotheses=("All prices are at least 0.",),
        check=Exists(PROBLEMS, OptimalGivenOffers(), show_problem),
        expected=Status.HOLDS,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        proof_idea="Once one knows what to do, it is better not to have paid for knowing it.",
    ),
    Claim(
        id="volition.theorem-3.3",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3",
        title="Recursive inspection against every admissible protocol",
        statement=(
            r"For every admissible purchase protocol $\xi$: $E[U(\xi(I))] \le E[U(x_*(I))]$."
        ),
        hypotheses=(
            r"$\xi$ is admissible (Definition 3.2): $x^n$ is a function of $I^0, \dots, I^{n-1}$ "
            r"and of the purchases $x^{n+1}, \dots, x^N$.",
        ),
        reading=(
            "Expectations are over the prior. The smallest counterexample is one in which no node "
            "of the recursive protocol has ties, so that no tie rule is to blame."
        ),
        check=ForAll(PROBLEMS, RecursiveIsBest(), show_best),
        expected=Status.REFUTED,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        note=(
            "What was bought is a message from a level that knew more to one that knows less. An "
            "admissible protocol may read it; x_* conditions on values and does not."
        ),
    ),
    Claim(
        id="volition.theorem-3.3.a",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected",
        title="Recursive inspection is optimal at the top level",
        statement=(
            r"$E[U(\xi(I))] \le E[U(x_*(I))]$ for every admissible $\xi$ that differs from $x_*$ "
            "at level $N$ alone."
        ),
        corrects="volition.theorem-3.3",
        check=ForAll(PROTOCOLS, TopLevelIsBest(), show_protocol),
        expected=Status.HOLDS,
        proof_idea="At level N everything is known, and what is reached is what is known.",
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.b",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected",
        title="The best admissible protocol and the value of signalling",
        statement=(
            "The best admissible protocol is worth at least as much as $x_*$ and as every "
            r"admissible $\xi$; what it is worth more than $x_*$ is the value of signalling."
        ),
        corrects="volition.theorem-3.3",
        check=ForAll(PROTOCOLS, BestAdmissibleIsBest(), show_protocol),
        expected=Status.HOLDS,
        proof_idea=(
            "It is computed as the optimum of a team problem, with an upper bound that separate "
            "code recomputes; here it also meets x_* and a protocol drawn at random."
        ),
    ),
    Claim(
        id="volition.theorem-3.3.c1",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected",
        title="Recursive inspection against protocols that do not signal",
        statement=(
            r"$E[U(\xi(I))] \le E[U(x_*(I))]$ for every admissible $\xi$ that does not signal."
        ),
        hypotheses=(
            "At every node that it reaches, the posterior given the purchases equals the posterior "
            "given the values known there.",
        ),
        corrects="volition.theorem-3.3",
        check=ForAll(
            PROTOCOLS,
            NoBetterWithoutSignals(),
            show_protocol,
            without=(
                WithoutHypothesis("it does not signal", NoBetterWithoutSignals(may_signal=True)),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea=(
            "Replace the protocol by x_* level by level from below. Where a node is reached in all "
            "states that share its values, x_* is best given that it was reached."
        ),
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.c2",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected",
        title="Recursive inspection when every offer is free",
        statement=(
            r"If every offer is free, $E[U(\xi(I))] \le E[U(x_*(I))]$ for every admissible $\xi$."
        ),
        hypotheses=("Every offer is free.",),
        corrects="volition.theorem-3.3",
        check=ForAll(
            FREE_OFFERS,
            RecursiveIsBest(all_free),
            show_best,
            without=(
                WithoutHypothesis("is free", RecursiveIsBest(), SMALLEST),
                WithoutHypothesis("every offer, not just some", RecursiveIsBest(some_free), MIXED),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea="x_* does as well as knowing everything on offer, and nothing does better.",
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.c3",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected",
        title="Recursive inspection when every offer is dear",
        statement=(
            r"If every price is at least $\max U - \min U$, $E[U(\xi(I))] \le E[U(x_*(I))]$ for "
            r"every admissible $\xi$."
        ),
        hypotheses=(r"Every price is at least $\max U - \min U$.",),
        corrects="volition.theorem-3.3",
        check=ForAll(
            DEAR_OFFERS,
            RecursiveIsBest(all_dear),
            show_best,
            without=(
                WithoutHypothesis("is at least max U - min U", RecursiveIsBest(), SMALLEST),
                WithoutHypothesis(
                    "every price, those of free offers too", RecursiveIsBest(dear_or_free), MIXED
                ),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea="Nothing that is bought repays its price, and x_* may always buy nothing.",
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.c4",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected and widened",
        title="An advantage over recursive inspection is earned at nodes that signal",
        statement=(
            r"For every admissible $\xi$, $E[U(\xi)] - E[U(x_*)]$ is the sum, over the nodes that "
            r"$\xi$ reaches, of $P(\text{reached}) E[W(\xi^n) - W(x_*^n) \mid \text{reached}]$, "
            "where $W(x)$ is the payoff of $x$ followed by $x_*$; and a term is positive only "
            r"where $\xi$ signals. So $E[U(\xi)] \le E[U(x_*)]$ as soon as no choice of $\xi$ at "
            "a node that signals gains."
        ),
        corrects="volition.theorem-3.3",
        reading="Wider than c1: a protocol may signal, as x_* itself does, and even act on it.",
        check=ForAll(PROTOCOLS, AdvantageIsSignalled(), show_protocol),
        expected=Status.HOLDS,
        proof_idea=(
            "Replacing the protocol by x_* at levels 0 to n, one level after the other, changes "
            "the value by the terms of that level."
        ),
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.c5",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected and widened",
        title="Recursive inspection when the free offers suffice",
        statement=(
            "If prices are at least 0 and, after all that the free offers of all levels may "
            r"show, one action is best whatever else is on offer, $E[U(\xi(I))] \le E[U(x_*(I))]$ "
            r"for every admissible $\xi$."
        ),
        hypotheses=(
            "Prices are at least 0.",
            "After anything that the free offers of all levels may show, one action is best "
            "whatever else is on offer.",
        ),
        corrects="volition.theorem-3.3",
        reading="Wider than c2, in which all offers are free.",
        check=ForAll(
            PARTLY_FREE,
            RecursiveIsBest(free_offers_suffice),
            show_best,
            without=(
                WithoutHypothesis(
                    "one action is best whatever else is on offer", RecursiveIsBest(), SMALLEST
                ),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea="x_* does as well as knowing everything on offer, at no price.",
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.c6",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, corrected and widened",
        title="Recursive inspection when no offer can repay its price",
        statement=(
            r"If every price is at least the most that a decision can make in a state, "
            r"$E[U(\xi(I))] \le E[U(x_*(I))]$ for every admissible $\xi$."
        ),
        hypotheses=(
            r"Every price is at least $\max_\omega (\max_x U(x)(\omega) - \min_x U(x)(\omega))$.",
        ),
        corrects="volition.theorem-3.3",
        reading="Wider than c3: utilities may differ between states as much as they like.",
        check=ForAll(
            DEAR_OFFERS,
            RecursiveIsBest(decision_is_dear),
            show_best,
            without=(
                WithoutHypothesis(
                    "is at least what a decision can make", RecursiveIsBest(), SMALLEST
                ),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea=(
            "In each state a buyer has at most min_x U(x), which is what any action has at least: "
            "buying nothing and doing what is done after buying nothing is no worse."
        ),
        proof="docs/proofs.md#volition-theorem-3-3",
    ),
    Claim(
        id="volition.theorem-3.3.bayes",
        kind=Kind.THEOREM,
        source="volition, Theorem 3.3, another reading",
        title="Recursive inspection that minds how purchases were selected",
        statement=(
            r"If $x_*^n$ also conditions on how $x^{n+1}, \dots, x^N$ were selected, eqs. (6) to "
            "(8) define $x_*$."
        ),
        corrects="volition.theorem-3.3",
        reading=(
            "A choice is best given that its node was reached, by Bayes' rule under the protocol "
            "itself; where a node is not reached, given the values known there."
        ),
        check=ConditionOnSelection(),
        expected=Status.ILL_POSED,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        note=(
            "What a purchase tells depends on who buys when, which is what is to be determined: "
            "the condition is that of an equilibrium among the levels, and there are several."
        ),
    ),
)
