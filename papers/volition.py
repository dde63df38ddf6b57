"""Claims of *Extrapolating Volition with Recursive Information Markets*, in its order."""

from __future__ import annotations

from papers.checks.example_6_1 import CheapRefutation, PrintedNumbers
from papers.checks.exhibits import show_best, show_problem, show_protocol, show_successive
from papers.checks.fact_checking import FactChecking, PrintedTable
from papers.checks.families import information_problems, show_information
from papers.checks.inextensibility import (
    EXTENSION_GAMES,
    SMALL_GAMES,
    PrintedDefinition,
    StrictDefinition,
)
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
from papers.checks.marginal_exhibits import (
    show_demand,
    show_game,
    show_market,
    show_play,
    show_shortfall,
)
from papers.checks.marginal_families import fewest_items, most_items
from papers.checks.marginal_laws import PLAYS, PlayLaws
from papers.checks.market_making import MARKETS, MarketMaking
from papers.checks.selection import ConditionOnSelection
from papers.checks.shortfall import (
    ADDITIVE,
    AGREEING,
    BY_AGREEMENT,
    BY_ANY,
    BY_EVERYTHING,
    SUPERADDITIVE,
    WITHOUT_AGREEMENT,
    WITHOUT_ANY,
    WITHOUT_EVERYTHING,
)
from papers.checks.shortfall_attained import DEMANDS, Attained
from papers.checks.shortfall_defence import SETTLED, WITHOUT_DEFENCE, Defended
from papers.checks.shortfall_tightness import DRAWN, Tightness
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
from papers.checks.theorem_4_4 import (
    GAMES,
    Theorem44,
    first_is_best,
    first_is_inextensible,
    later_are_null,
    without_each,
)
from papers.checks.theorem_4_4_wider import (
    ANY_ACTIONS,
    ANY_PRICES,
    ANY_TERMS,
    WEAK_GAMES,
    WholeTheorem,
    pays_or_ties,
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
        id="volition.def-4.1",
        kind=Kind.DEFINITION,
        source="volition, Definitions 4.1 and 4.2",
        title="The marginal-value mechanism and its equilibrium",
        statement=(
            r"$x_n^0 = \arg\max_{x^0} E[U(x^0) \mid x^1, \dots, x^n]$, and at the end player $n$ "
            r"is paid $R^n = E[U(x_n^0) - U(x_{n-1}^0) - p(x^n) \mid x^1, \dots, x^N]$; a null "
            "move ends the game. At the equilibrium, after every history each player does what "
            "pays it most, given what the others go on to do."
        ),
        reading=(
            "Items are finitely many, and their values are fixed: what the judge expects depends "
            "on the set that has been revealed. A move is priced by what it newly reveals. Ties "
            "between actions go to the first; between moves to the null move, then to the fewest "
            "items. Every table of expected utilities is that of some prior, so instances are "
            "tables; the prior is computed and gives the same game."
        ),
        check=ForAll(PLAYS, PlayLaws(), show_play),
        expected=Status.HOLDS,
        proof_idea=(
            "The rewards are computed a second time as the equation stands; no player gains by one "
            "other move at any set. What follows: rewards add up to what the whole play changed "
            "less all prices, null moves earn nothing, what all actions gain alike is ignored."
        ),
        proof="docs/proofs.md#volition-def-4-1",
    ),
    Claim(
        id="volition.market-making",
        kind=Kind.THEOREM,
        source="volition, section 4",
        title="The mechanism generalises a market scoring rule",
        statement=(
            r"If the judge forecasts an event, $X = [0, 1]$, under a proper score $s$ and items "
            r"are free, then $R^n = E_q[s(q_n) - s(q_{n-1})]$, where $q_n$ is the belief after $n$ "
            r"moves and $q$ the final one; and every course $q_0, \dots, q_N$ of a market is a "
            "play that pays the same."
        ),
        check=ForAll(MARKETS, MarketMaking(), show_market),
        expected=Status.HOLDS,
        proof_idea=(
            "A proper score is best met by reporting one's belief, so the judge's action is its "
            "belief, the market's price. The other way, let item n be what moves the price from "
            r"$q_{n-1}$ to $q_n$."
        ),
        proof="docs/proofs.md#volition-market-making",
    ),
    Claim(
        id="volition.def-4.3",
        kind=Kind.DEFINITION,
        source="volition, Definition 4.3",
        title="Inextensible information, as printed",
        statement=(
            r"$y$ extends $x^1, \dots, x^n$ if $E[U^{n+1}(y) \mid x^1, \dots, x^n, y] \ge 0$; "
            r"$[x^1]$ if and only if every $x^2$ that extends $x^1$ is extended by some $x^3$ with "
            r"$[x^1, x^2, x^3]$."
        ),
        check=PrintedDefinition(SMALL_GAMES),
        expected=Status.ILL_POSED,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        note=(
            "The null move is worth 0, so it extends everything and may be repeated for ever: the "
            "bullets below the definition never come to one in which nothing extends."
        ),
    ),
    Claim(
        id="volition.def-4.3.strict",
        kind=Kind.DEFINITION,
        source="volition, Definition 4.3, corrected",
        title="Inextensible information under strict extension",
        statement=(
            r"With $>$ in place of $\ge$ the equation for $[\cdot]$ has exactly one solution on "
            "finitely many items. Everything is inextensible, and so is what nothing extends."
        ),
        corrects="volition.def-4.3",
        check=ForAll(EXTENSION_GAMES, StrictDefinition(), show_game),
        expected=Status.HOLDS,
        proof_idea="What extends a set reveals more, so the recursion ends at the latest at K.",
        proof="docs/proofs.md#volition-def-4-3",
    ),
    *(
        Claim(
            id=f"volition.theorem-4.4.{number}",
            kind=Kind.THEOREM,
            source=f"volition, Theorem 4.4, statement {number} of 3",
            title=title,
            statement=statement,
            hypotheses=(
                "The union of two moves is a move.",
                "Revealing two sets together costs no more than one after the other.",
                "Ties go to the null move.",
            ),
            reading=(
                "Extension is strict (volition.def-4.3.strict). Prices have any sign and may be "
                "infinite."
            ),
            check=ForAll(GAMES, Theorem44(check), show_game, without=without_each(check)),
            expected=Status.HOLDS,
            proof_idea=idea,
            proof="docs/proofs.md#volition-theorem-4-4",
        )
        for number, title, statement, check, idea in (
            (
                1,
                "What is revealed first is inextensible",
                r"At the subgame-perfect equilibrium $[x_*^1]$.",
                first_is_inextensible,
                "A set is inextensible just when the next player makes the null move there.",
            ),
            (
                2,
                "Nobody reveals anything second",
                r"At the subgame-perfect equilibrium $x_*^n$ is null for $n > 1$.",
                later_are_null,
                "Whoever would be answered by V gains by revealing V at once.",
            ),
            (
                3,
                "What is revealed first has the highest ex-post value",
                r"At the subgame-perfect equilibrium $E[U^1(x_*^1) \mid x_*^1] \ge "
                r"E[U^1(x^1) \mid x^1]$ for every inextensible $x^1$, the null move included.",
                first_is_best,
                "After an inextensible move nothing follows, so it is paid its ex-post value.",
            ),
        )
    ),
    Claim(
        id="volition.theorem-4.4.two-actions",
        kind=Kind.THEOREM,
        source="volition, Theorem 4.4, widened",
        title="Two actions make up for any moves and prices of at least 0",
        statement=(
            "If the judge has two actions, no price is below 0 and ties go to the null move, all "
            "three statements hold whatever the moves, and whatever the prices of sets."
        ),
        hypotheses=(
            "The judge has two actions.",
            "Prices are at least 0.",
            "Ties go to the null move.",
        ),
        reading="Extension is strict. Prices need not be subadditive, nor moves union-closed.",
        check=ForAll(
            ANY_TERMS,
            WholeTheorem(),
            show_game,
            without=(
                Dropped("the judge has two actions", WholeTheorem(), ANY_ACTIONS),
                Dropped("prices are at least 0", WholeTheorem(), ANY_PRICES),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea=(
            "Each move of a play changes the judge's action for one that is better at its end, so "
            "that there are at most as many moves as actions, less one."
        ),
        proof="docs/proofs.md#volition-theorem-4-4-wider",
    ),
    Claim(
        id="volition.theorem-4.4.weak",
        kind=Kind.THEOREM,
        source="volition, Theorem 4.4 and Definition 4.3, another reading",
        title="The weak reading, where the null move extends nothing and ties go to it last",
        statement=(
            r"If $y$ extends when it reveals something new and $E[U^{n+1}(y) \mid x^n, y] \ge 0$, "
            "and of several best moves the one with the most items is made, all three statements "
            "hold."
        ),
        hypotheses=(
            "The union of two moves is a move.",
            "Revealing two sets together costs no more than one after the other.",
        ),
        reading="The printed inequality is kept, but the null move extends nothing.",
        check=ForAll(
            WEAK_GAMES,
            WholeTheorem(most_items, pays_or_ties),
            show_game,
            without=(
                Dropped(
                    "ties go to the most items (here, to the null move)",
                    WholeTheorem(fewest_items, pays_or_ties),
                ),
                Dropped("the inequality is weak (here, strict)", WholeTheorem(most_items)),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea=(
            "As for the strict reading: whoever would be answered by V does as well by revealing V "
            "at once, and V has more items."
        ),
        proof="docs/proofs.md#volition-theorem-4-4-wider",
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
        id="volition.example-6.1",
        kind=Kind.EXAMPLE,
        source="volition, Example 6.1",
        title="A cheap refutation and a dear defence",
        statement=(
            r"$I_1$ says that 1 is better, $I_2$ refutes $I_1$, $I_3$ refutes $I_2$, and with full "
            r"information 1 is better. If $I_1$ and $I_2$ are cheap and $p(I_3) = 100$, then "
            r"revealing $I_1$ is best, and it is not revealed."
        ),
        reading=(
            r"$K = \{I_1, I_2, I_3\}$ and $p(I_1) = p(I_2) = 1/10$. What is not printed: $I_2$ and "
            r"$I_3$, alone and together, say nothing without $I_1$, and $I_3$ agrees with $I_1$."
        ),
        check=CheapRefutation(),
        expected=Status.HOLDS,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        proof_idea=(
            r"Whoever reveals $I_1$ is answered by $I_2$, which judges $I_1$ to be worth $-1$; and "
            r"nobody pays 100 to answer $I_2$."
        ),
    ),
    Claim(
        id="volition.example-6.1.printed",
        kind=Kind.EXAMPLE,
        source="volition, Example 6.1",
        title="The printed numbers of Example 6.1",
        statement="The printed numbers imply the conclusion of Example 6.1.",
        reading=(
            r"$K = \{I_1, I_2, I_3\}$ and $p(I_1) = p(I_2) = 1/10$; what the judge expects at "
            r"$\{I_2\}$, $\{I_3\}$, $\{I_1, I_3\}$ and $\{I_2, I_3\}$ is open."
        ),
        check=PrintedNumbers(),
        expected=Status.ILL_POSED,
        least={"quick": Strength.EXACT, "full": Strength.EXACT},
        note=(
            r"If at some set with $I_3$ more is at stake than 100, $I_3$ is revealed for that. As "
            "long as no more is at stake there than $I_3$ costs, the conclusion holds."
        ),
        proof="docs/proofs.md#volition-example-6-1",
    ),
    Claim(
        id="volition.shortfall",
        kind=Kind.THEOREM,
        source="beyond volition, section 6, which asks for it",
        title="How far the equilibrium falls short",
        statement=(
            r"With $w(T) = E[U(a_T) - U(a_\emptyset) \mid K] - p(T)$, $T_*$ a set that maximises "
            r"$w$ and $T_{eq}$ what the equilibrium reveals: "
            r"$w(T_{eq}) \ge w(T_*) - p(K \setminus T_*)$."
        ),
        hypotheses=("The union of two moves is a move.", "Prices add; they have any sign."),
        reading=r"$K$ is everything that can be revealed. Where $p(K)$ is infinite this is empty.",
        check=ForAll(ADDITIVE, BY_EVERYTHING, show_shortfall, without=WITHOUT_EVERYTHING),
        expected=Status.HOLDS,
        proof_idea=(
            r"At $T_{eq}$ the move to $K$ does not pay: what acting on $T_{eq}$ loses is at most "
            r"$p(K \setminus T_{eq})$."
        ),
        proof="docs/proofs.md#volition-shortfall",
    ),
    Claim(
        id="volition.shortfall.sharp",
        kind=Kind.THEOREM,
        source="beyond volition, section 6",
        title="How far it falls short of a defence",
        statement=(
            r"If $F$ contains $T_{eq}$, is stable, and $u_F$ and $u_K$ agree on all differences "
            r"between actions, then $w(T_{eq}) \ge w(F)$, and $w(T_*) - w(T_{eq}) \le "
            r"p(F \setminus T_*) - p(T_* \setminus F)$."
        ),
        hypotheses=(
            "The union of two moves is a move.",
            "Prices add; they have any sign, and those of the items of $F$ are finite.",
            "$F$ is stable: the next player makes the null move there.",
            "$u_F(x) - u_F(y) = u_K(x) - u_K(y)$ for all actions.",
        ),
        reading="$F = K$ is volition.shortfall; instances have another $F$.",
        check=ForAll(AGREEING, BY_AGREEMENT, show_shortfall, without=WITHOUT_AGREEMENT),
        expected=Status.HOLDS,
        proof_idea=r"The move from $T_{eq}$ to $F$ does not pay, and $F$ judges as $K$ does.",
        proof="docs/proofs.md#volition-shortfall",
    ),
    Claim(
        id="volition.shortfall.disagreement",
        kind=Kind.THEOREM,
        source="beyond volition, section 6; a better bound of ours",
        title="How far it falls short of a defence that need not agree",
        statement=(
            r"For every stable $F$ that contains $T_{eq}$, $w(T_*) - w(T_{eq}) \le p(F) - p(T_*) + "
            r"d(F)$ with $d(F) = \max_x \, (u_K(a_{T_*}) - u_K(x)) - (u_F(a_F) - u_F(x))$. Where "
            "prices add, this is never worse than volition.shortfall.sharp, and at $F = K$ never "
            "worse than volition.shortfall."
        ),
        hypotheses=(
            "The union of two moves is a move.",
            "Revealing two sets together costs no less than one after the other: prices may add.",
            "$F$ is stable, and $p(F)$ is finite.",
        ),
        check=ForAll(SUPERADDITIVE, BY_ANY, show_shortfall, without=WITHOUT_ANY),
        expected=Status.HOLDS,
        proof_idea=r"As before; $d(F)$ is the most by which $F$ can misjudge the difference.",
        proof="docs/proofs.md#volition-shortfall",
    ),
    Claim(
        id="volition.shortfall.defence",
        kind=Kind.THEOREM,
        source="beyond volition, section 6; a bound of ours",
        title="The cost of a defence bounds what the judge loses",
        statement=(
            r"If $F$ settles the matter, $u_K(a_{T_*}) - u_K(a_{T_{eq}}) \le "
            r"\max_x u_K(x) - u_K(a_{T_{eq}}) \le p(F \setminus T_{eq}) \le p^+(F)$, the sum of "
            "the positive prices of $F$."
        ),
        hypotheses=(
            "The union of two moves is a move.",
            "Prices add; they have any sign, and those of the items of $F$ are finite.",
            "$F$ settles the matter: at every set that contains $F$ the judge sees the same "
            "differences between actions as at $K$.",
        ),
        reading=(
            "The last bound is in terms of the judge's views and prices alone: no equilibrium has "
            "to be known."
        ),
        check=ForAll(SETTLED, Defended(), show_shortfall, without=WITHOUT_DEFENCE),
        expected=Status.HOLDS,
        proof_idea=(
            r"Once $F$ has been added to $T_{eq}$ nothing changes the choice any more, so whoever "
            r"adds it is paid all that it puts right, less $p(F \setminus T_{eq})$."
        ),
        proof="docs/proofs.md#volition-shortfall-defence",
    ),
    Claim(
        id="volition.shortfall.attained",
        kind=Kind.THEOREM,
        source="beyond volition, section 6",
        title="The bounds are attained",
        statement=(
            r"Whatever the prices, none of them negative, whatever $F$ of at least two items of "
            r"finite price and whatever $T_* \subsetneq F$, there is a game with a stable $F$ that "
            r"agrees with $K$ in which $w(T_*) - w(T_{eq}) = p(F \setminus T_*)$."
        ),
        reading=(
            "So no bound in terms of prices, $F$ and $T_*$ is lower than volition.shortfall.sharp, "
            "nor, with $F = K$, than volition.shortfall."
        ),
        check=ForAll(DEMANDS, Attained(), show_demand),
        expected=Status.HOLDS,
        least={"full": Strength.EXACT},
        proof_idea=(
            "The rest of $F$ misleads and is revealed at once; putting it right is worth just what "
            "it costs."
        ),
        proof="docs/proofs.md#volition-shortfall-attained",
    ),
    Claim(
        id="volition.shortfall.tightness",
        kind=Kind.MEASUREMENT,
        source="beyond volition, section 6",
        title="How tight the bounds are on random games",
        statement=(
            r"How often $w(T_*) - w(T_{eq})$ equals $p(K \setminus T_*)$, the lowest bound by a "
            "defence that agrees, and the lowest by any defence; and the mean ratios."
        ),
        reading=(
            r"Games are drawn as described. $T_{eq}$ is among the defences that may disagree: its "
            r"bound is the shortfall itself where it misjudges no action more than the one taken."
        ),
        check=Tightness(DRAWN),
        expected=Status.MEASURED,
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
