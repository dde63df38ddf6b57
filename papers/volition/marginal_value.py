"""Claims of volition, section 4: the marginal-value mechanism."""

from __future__ import annotations

from papers.volition.checks.inextensibility import (
    EXTENSION_GAMES,
    SMALL_GAMES,
    PrintedDefinition,
    StrictDefinition,
)
from papers.volition.checks.marginal_exhibits import (
    show_game,
    show_market,
    show_play,
)
from papers.volition.checks.marginal_families import fewest_items, most_items
from papers.volition.checks.marginal_laws import PLAYS, PlayLaws
from papers.volition.checks.market_making import MARKETS, MarketMaking
from papers.volition.checks.theorem_4_4 import (
    GAMES,
    Theorem44,
    first_is_best,
    first_is_inextensible,
    later_are_null,
    without_each,
)
from papers.volition.checks.theorem_4_4_wider import (
    ANY_ACTIONS,
    ANY_PRICES,
    ANY_TERMS,
    WEAK_GAMES,
    WholeTheorem,
    pays_or_ties,
)
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
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
                WithoutHypothesis("the judge has two actions", WholeTheorem(), ANY_ACTIONS),
                WithoutHypothesis("prices are at least 0", WholeTheorem(), ANY_PRICES),
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
                WithoutHypothesis(
                    "ties go to the most items (here, to the null move)",
                    WholeTheorem(fewest_items, pays_or_ties),
                ),
                WithoutHypothesis(
                    "the inequality is weak (here, strict)", WholeTheorem(most_items)
                ),
            ),
        ),
        expected=Status.HOLDS,
        proof_idea=(
            "As for the strict reading: whoever would be answered by V does as well by revealing V "
            "at once, and V has more items."
        ),
        proof="docs/proofs.md#volition-theorem-4-4-wider",
    ),
)
