"""Claims of volition, section 2: the value of information."""

from __future__ import annotations

from papers.volition.checks.fact_checking import FactChecking, PrintedTable
from papers.volition.checks.families import information_problems, show_information
from papers.volition.checks.valuation import ExPostValueLaws, RealisedValueLaws
from theory.checks import ForAll
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
)
