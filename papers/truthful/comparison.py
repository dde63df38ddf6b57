"""Claims of truthful, section 3.1.1: what is said against VCG."""

from __future__ import annotations

from papers.truthful.checks.lies import LIES
from papers.truthful.checks.suboptimal import (
    CHOICES,
    RANGES,
    LawCanBeManipulated,
    NoLiePays,
    RangeProof,
    show_choice,
    show_sharper,
)
from theory.checks import Exists, ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}
PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.not-vcg",
        kind=Kind.THEOREM,
        source="truthful, section 3.1.1",
        title="VCG payments on an outcome that is not the best one can be manipulated",
        statement=(
            "There are rewards, a rule that returns one of the candidates but not always one of "
            "the largest total reward, and a lie that pays an agent when payments are those of VCG."
        ),
        reading=(
            "An agent pays what the others would have at what the rule chooses without it, less "
            "what they have. The rules are local search, and greed for the largest single reward; "
            "ties go to the first candidate. GreedyVCG of mechanisms.gallery is the combinatorial "
            "auction that the paper's reference (Lehmann et al., 2002) has in mind."
        ),
        check=Exists(CHOICES, NoLiePays(), show_choice),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "An agent has the total that the rule reaches, less a constant: where the rule stops "
            "short of the best, a lie may lead it on."
        ),
        proof="docs/proofs.md#truthful-not-vcg",
    ),
    Claim(
        id="truthful.not-vcg.law",
        kind=Kind.THEOREM,
        source="truthful, section 3.1.1; ours",
        title="So can VCG payments on a law that is not the best one",
        statement=(
            r"There are an auction with one agent and a lie that pays it, when the reply is drawn "
            r"from a law other than $p$ and payments are those of VCG for $W(\lambda) = \sum_i "
            r"\lambda \cdot r_i - \tau \, \mathrm{KL}(\lambda \| \rho)$."
        ),
        reading=(
            "VCG in the space of laws, as the section has it. The law is in proportion to p², as "
            "if half of τ were meant. The agent reports what makes the wrong law a better one."
        ),
        check=Exists(LIES, LawCanBeManipulated(), show_sharper),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="The agent has W of the law that is chosen, less a constant.",
        proof="docs/proofs.md#truthful-not-vcg",
    ),
    Claim(
        id="truthful.not-vcg.range",
        kind=Kind.THEOREM,
        source="truthful, section 3.1.1; Nisan and Ronen (2007)",
        title="VCG stays truthful on the best outcome of a range fixed in advance",
        statement=(
            "If the outcome has the largest total reward of all in a set that does not depend on "
            "the reports, no lie pays when payments are those of VCG, however poor the set is."
        ),
        reading=(
            "So what the section says against VCG, that the best reply of all cannot be found, is "
            "no argument against VCG among sampled candidates. The auction itself is of this kind, "
            "with laws in the place of candidates: see truthful.vcg."
        ),
        check=ForAll(RANGES, NoLiePays(), show_choice, RangeProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea=(
            "An agent has the total of the outcome, less a constant, and the truth makes the rule "
            "maximise just that."
        ),
        proof="docs/proofs.md#truthful-not-vcg",
    ),
)
