"""Claims of *Extrapolating Volition with Recursive Information Markets*, in its order."""

from __future__ import annotations

from papers.checks.exhibits import show_best, show_problem, show_protocol, show_successive
from papers.checks.fact_checking import FactChecking, PrintedTable
from papers.checks.families import information_problems, show_information
from papers.checks.inspection_families import (
    DEAR_OFFERS,
    FREE_OFFERS,
    MIXED,
    PARTLY_FREE,
    PROBLEMS,
    PROTOCOLS,
    SMALLEST,
    SUCCESSIVE,
)
from papers.checks.inspection_laws import OptimalGivenOffers, RecursiveLaws, SuccessiveLaws
from papers.checks.inspection_protocols import MORE_LEVELS, ONE_LEVEL, RunsAsComputed, one_level
from papers.checks.legume import Legume
from papers.checks.lemma_a1 import InformationDoesNotHurt, LemmaA1Proof
from papers.checks.lemma_a2 import InspectionDoesNotHurt
from papers.checks.selection import ConditionOnSelection
from papers.checks.superiority import (
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
from papers.checks.valuation import ExPostValueLaws, RealisedValueLaws
from theory.checks import Dropped, Exists, ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="volition.eq1",
        kind=Kind.DEFINITION,
        source="volition, eq. (1)",
        title="Realised value of information",
        statement=(
            r"The realised value of $\langle I, i, p\rangle$ is "
            r"$U^1 = U(\arg\max_x E[U(x) \mid I=i]) - U(\arg\max_x E[U(x)]) - p$, "
            r"at the true state."
        ),
        reading="Ties go to the action of lowest index, before and after the signal.",
        check=ForAll(information_problems((1, 2, 3)), RealisedValueLaws(), show_information),
        expected=Status.HOLDS,
        least={"full": Strength.EXACT},
        proof_idea=(
            "A definition is judged by what pins it down: a transcription of the formula by other "
            "code, what a silent good and an unchanged choice are worth, the price, and "
            "indifference to what all actions share."
        ),
    ),
    Claim(
        id="volition.eq2",
        kind=Kind.DEFINITION,
        source="volition, eq. (2)",
        title="Ex-post and ex-ante value of information",
        statement=(
            r"The ex-post value is $E[U^1 \mid I=i] = \max_x E[U(x) \mid I=i] - "
            r"E[U(x_0) \mid I=i] - p$ with $x_0 = \arg\max_x E[U(x)]$; the ex-ante value is its "
            r"expectation over $i$."
        ),
        reading="Ties go to the action of lowest index, before and after the signal.",
        check=ForAll(information_problems((1, 2, 3)), ExPostValueLaws(), show_information),
        expected=Status.HOLDS,
        least={"full": Strength.EXACT},
        proof_idea=(
            "Both sides of the equation are computed by different code; value plus price is a "
            "maximum less one of the things maximised, hence at least zero."
        ),
    ),
    Claim(
        id="volition.table-1",
        kind=Kind.EXAMPLE,
        source="volition, Table 1",
        title="The printed joint table",
        statement=(
            r"Table 1 is a distribution with $P(E) = 1/10$, $P(E \mid I_1=1) = 2/5$ and "
            r"$P(E \mid I_1=1, I_2=1) = 1/5$."
        ),
        check=PrintedTable(),
        expected=Status.HOLDS,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
    ),
    Claim(
        id="volition.example-2.1",
        kind=Kind.EXAMPLE,
        source="volition, Example 2.1",
        title="The fact-checking effect",
        statement=(
            r"Forecasting $E$ of Table 1 under the logarithmic score at $(I_1, I_2) = (1, 1)$, "
            r"revealing $I_1$ alone is worth more than revealing both."
        ),
        reading=(
            r"Worth is the ex-post value of eq. (2), each reveal judged by what it reveals: "
            r"relative entropies. The gains printed, $\log 4$ and $\log 2$, are realised gains in "
            r"the event $E$; where $E$ does not occur both are losses, and the order turns round."
        ),
        check=FactChecking(),
        expected=Status.HOLDS,
        least={"quick": Strength.CERTIFIED, "full": Strength.CERTIFIED},
        proof_idea=(
            "Under the logarithmic score the ex-post value is the relative entropy of the new "
            "belief from the old: 2/5 lies further from 1/10 than 1/5 does. Judged by someone who "
            "knows both, I1 alone has done harm."
        ),
    ),
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
            without=(Dropped("it does not signal", NoBetterWithoutSignals(may_signal=True)),),
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
                Dropped("is free", RecursiveIsBest(), SMALLEST),
                Dropped("every offer, not just some", RecursiveIsBest(some_free), MIXED),
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
                Dropped("is at least max U - min U", RecursiveIsBest(), SMALLEST),
                Dropped(
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
                Dropped(
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
            without=(Dropped("is at least what a decision can make", RecursiveIsBest(), SMALLEST),),
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
    Claim(
        id="volition.alg-1",
        kind=Kind.ALGORITHM,
        source="volition, Algorithm 1",
        title="The one-level inspection protocol, run",
        statement=(
            r"Offers $I^0$ are collected, some of them are bought after inspection, and the buyer "
            r"decides by what was bought: a Bayesian buyer buys $x_*^1$, does $x_*^0$ and has "
            r"$U(x_*^0) - \sum p$ in every state, and credits are conserved."
        ),
        hypotheses=("The budget covers everything on offer.",),
        reading=(
            "A buyer may buy any set of offers, the empty one too: the prompt that is printed has "
            "it buy one. Ties as for x_*."
        ),
        check=ForAll(ONE_LEVEL, RunsAsComputed(one_level), show_problem),
        expected=Status.HOLDS,
        proof_idea=(
            "A mechanism is judged by running it: in every state purchases, decision, payments and "
            "payoff are compared with those of the recursive protocol of depth 1, which another "
            "claim pins down, and the balances with the sum before."
        ),
    ),
    Claim(
        id="volition.alg-2",
        kind=Kind.ALGORITHM,
        source="volition, Algorithm 2",
        title="The recursive inspection protocol, run",
        statement=(
            r"Bounded to depth $N$, the procedure buys $x^N, \dots, x^1$ in this order and "
            r"comes back to decide: a Bayesian buyer buys $x_*^n$ on every level, does $x_*^0$ and "
            r"has $U(x_*^0) - \sum p$ in every state, and credits are conserved."
        ),
        hypotheses=("The budget covers everything on offer.",),
        reading=(
            "The printed recursion has no base case. Here it ends at level N, or before a level on "
            "which nothing is offered. A parent decides after its child returns, with all that was "
            "bought below it; on every level any set of offers may be bought. Ties as for x_*."
        ),
        check=ForAll(MORE_LEVELS, RunsAsComputed(), show_problem),
        expected=Status.HOLDS,
        proof_idea=(
            "In every state purchases, decision, payments and payoff are compared with eqs. (6) to "
            "(8). The buyer maximises anew given what it is shown, so that it would notice if it "
            "were shown more or less."
        ),
    ),
    Claim(
        id="volition.lemma-a1",
        kind=Kind.THEOREM,
        source="volition, Lemma A.1",
        title="A Bayesian agent expects to gain from information",
        statement=r"$E_I[U(\arg\max_x E[U(x) \mid I])] \ge \max_x E[U(x)]$.",
        hypotheses=(
            "The agent maximises expected utility under its posterior, which is that of the prior.",
        ),
        check=ForAll(
            information_problems((1, 2, 3, 4)),
            InformationDoesNotHurt(),
            show_information,
            LemmaA1Proof(),
        ),
        expected=Status.HOLDS,
        least={"quick": Strength.PROVED, "full": Strength.PROVED},
        proof_idea=(
            "On every path of the code the difference is a sum, over the values of the signal, of "
            "S(best, i) - S(x0, i), and each of these is a comparison that the code has made."
        ),
        proof="docs/proofs.md#volition-lemma-a1",
    ),
    Claim(
        id="volition.lemma-a2",
        kind=Kind.THEOREM,
        source="volition, Lemma A.2",
        title="A Bayesian agent expects to gain from inspection",
        statement=(
            r"Under successive inspection of finite depth, $E[U^n(x_n)] \ge 0$ for all $n \ge 1$."
        ),
        reading=(
            "Conditioning is on values. For unbounded depth the recursion has no floor to start "
            "from, so the lemma's first sentence is ill-posed; the finite one is checked. Prices "
            "are positive here; the written proof is for any sign."
        ),
        check=ForAll(SUCCESSIVE, InspectionDoesNotHurt(), show_successive),
        expected=Status.HOLDS,
        proof_idea=(
            "The printed proof passes over the selection of $x_{n+1}$. With $e_n = E[U^n(x_n)]$ "
            r"and $d_n = \max_x E[U^n(x)]$ one has $e_N = d_N$ and $e_n = e_{n+1} + E[p(x_{n+1})] "
            r"+ d_n$, and $d_{n+1} \ge -E[p(x_{n+1})]$, so $e_n \ge d_n \ge 0$."
        ),
        proof="docs/proofs.md#volition-lemma-a2",
    ),
)
