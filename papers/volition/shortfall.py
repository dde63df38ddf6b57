"""Claims on volition, section 6: how far the equilibrium may fall short."""

from __future__ import annotations

from papers.volition.checks.example_6_1 import CheapRefutation, PrintedNumbers
from papers.volition.checks.marginal_exhibits import (
    show_demand,
    show_shortfall,
)
from papers.volition.checks.shortfall import (
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
from papers.volition.checks.shortfall_attained import DEMANDS, Attained
from papers.volition.checks.shortfall_defence import SETTLED, WITHOUT_DEFENCE, Defended
from papers.volition.checks.shortfall_tightness import DRAWN, Tightness
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
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
)
