"""Claims of volition, the appendix: its lemmas."""

from __future__ import annotations

from papers.volition.checks.exhibits import show_successive
from papers.volition.checks.families import information_problems, show_information
from papers.volition.checks.inspection_families import (
    SUCCESSIVE,
)
from papers.volition.checks.lemma_a1 import InformationDoesNotHurt, LemmaA1Proof
from papers.volition.checks.lemma_a2 import InspectionDoesNotHurt
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
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
