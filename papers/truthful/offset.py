"""Claims of truthful, section 5.3: the agent-specific offset."""

from __future__ import annotations

from papers.truthful.checks.cases import AUCTIONS, RATIOS, ZERO_REWARDS, show_case
from papers.truthful.checks.draws import (
    DRAWS,
    AverageProof,
    ExAnteIsBetweenRewards,
    RealisedIsPositive,
    show_draws,
)
from papers.truthful.checks.eq_14 import EqualProof, RewrittenUtility, inside, show_rewritten
from papers.truthful.checks.offsets import (
    OFFSETS,
    EveryOffsetFails,
    ShiftProof,
    WithViolations,
    show_offset,
)
from papers.truthful.checks.utilities import (
    BoundsProof,
    MeanProof,
    PositiveRewardsPay,
    RealisedUtilityIsPositive,
    UtilityIsAMean,
    UtilityIsBetweenRewards,
    ZeroProof,
    ZeroRewardsPayNothing,
)
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}
PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}

OFFSET = r"$C = -\tau \log \sum_j \exp(b_{i,j})$ (13)"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.no-ir",
        kind=Kind.THEOREM,
        source="truthful, section 5.3.1",
        title="No offset that ignores the report makes every utility positive",
        statement=(
            r"For every offset $C$ that does not depend on $r_i$ there is a truthful $r_i$ with "
            r"$U_C(r_i; b_i) < 0$. Precisely, $U_C(r_i - c \mathbf{1}) = U_C(r_i) - c$; with the "
            r"offset (13), $r_i = -c \mathbf{1}$ has the utility $-c$."
        ),
        reading=(
            "Individual rationality against utility 0. Against eq. (12), which is what staying out "
            "is worth, truthful.kl shows it with the offset (13), for fixed candidates. C may "
            "depend on what others report. For some offsets the smallest report with negative "
            "utility is searched for."
        ),
        check=WithViolations(OFFSETS, EveryOffsetFails(), show_offset, ShiftProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="A constant leaves the law alone and is paid by nobody: take c > U_C(r_i).",
        proof="docs/proofs.md#truthful-no-ir",
    ),
    Claim(
        id="truthful.lemma-5.2",
        kind=Kind.THEOREM,
        source="truthful, Lemma 5.2",
        title="Who is indifferent at 0 has utility 0, whatever is drawn",
        statement=(
            rf"With the offset {OFFSET}, an agent whose reward is 0 for every candidate pays 0 "
            r"and has the utility 0 at every reply, for all reports of the others."
        ),
        check=ForAll(ZERO_REWARDS, ZeroRewardsPayNothing(), show_case, ZeroProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="exp(0) = 1: the two sums of logarithms are the same.",
        proof="docs/proofs.md#truthful-lemma-5-3",
    ),
    Claim(
        id="truthful.lemma-5.3",
        kind=Kind.THEOREM,
        source="truthful, Lemma 5.3",
        title="Who likes every candidate has positive utility in expectation",
        statement=(
            rf"With the offset {OFFSET}, an agent whose rewards for all candidates are at least "
            r"0 has an expected utility of at least 0, for all reports of the others; above 0 if "
            r"all are above 0."
        ),
        reading=(
            "Expected over the draw of the reply. At a reply it may be negative, however much the "
            "agent likes all of them."
        ),
        check=ForAll(
            AUCTIONS,
            PositiveRewardsPay(),
            show_case,
            BoundsProof(),
            without=(
                WithoutHypothesis(
                    "utility is expected over the draw of the reply (here, it is realised)",
                    RealisedUtilityIsPositive(),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="The least reward is a lower bound: see truthful.lemma-5.3.bounds.",
        proof="docs/proofs.md#truthful-lemma-5-3",
    ),
    Claim(
        id="truthful.lemma-5.3.bounds",
        kind=Kind.THEOREM,
        source="truthful, Lemmas 5.2 and 5.3; ours",
        title="Expected utility lies between the least and the largest reward",
        statement=(
            rf"With the offset {OFFSET}, $\min_j r_i(y_j) \le U_i \le \max_j r_i(y_j)$, for all "
            r"reports of the others."
        ),
        reading="Both lemmas follow: put 0 for the least reward, and for both.",
        check=ForAll(AUCTIONS, UtilityIsBetweenRewards(), show_case, BoundsProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="By Lemma 5.5, exp(U_i/τ) is a mean of exp(r_i/τ).",
        proof="docs/proofs.md#truthful-lemma-5-3",
    ),
    Claim(
        id="truthful.corollary-5.4",
        kind=Kind.THEOREM,
        source="truthful, Corollary 5.4",
        title="Before candidates are drawn, too",
        statement=(
            rf"With the offset {OFFSET}, an agent whose rewards are positive for all that "
            r"$\pi_{\mathrm{gen}}$ generates has a positive ex-ante utility. Precisely, it lies "
            r"between the least and the largest of these rewards."
        ),
        reading=(
            "All draws of up to two candidates are summed over, with ratios π_ref/π_gen of laws. "
            "Reports of others are fixed functions of the reply."
        ),
        check=ForAll(
            DRAWS,
            ExAnteIsBetweenRewards(),
            show_draws,
            AverageProof(),
            without=(
                WithoutHypothesis(
                    "utility is expected over candidates and reply (here, it is realised; rewards "
                    "are at least 0, and one is positive)",
                    RealisedIsPositive(),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="An average of numbers between two bounds lies between them.",
        proof="docs/proofs.md#truthful-lemma-5-3",
    ),
    Claim(
        id="truthful.eq-14",
        kind=Kind.THEOREM,
        source="truthful, eq. (14)",
        title="Utility without an offset, rewritten for Algorithm 2, as printed",
        statement=(
            r"For Algorithm 2, eq. (9) is $\tau \log \sum_j \left( \exp(\sum_k r_k(y_j) / \tau) "
            r"+ \log(\pi_{\mathrm{ref}}(y_j) / \pi_{\mathrm{gen}}(y_j)) \right) + C$."
        ),
        reading=(
            "As printed, with the log-ratio outside the exponential; it depends on j, so it stands "
            "in the sum. Any positive number is the ratio of some laws at some reply."
        ),
        check=ForAll(RATIOS, RewrittenUtility(), show_rewritten),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="truthful.eq-14.c1",
        kind=Kind.THEOREM,
        source="truthful, eq. (14), corrected",
        title="Without agent-specific offsets all agents have the same utility",
        statement=(
            r"Eq. (9) is $\tau \log \sum_j \exp\left(\sum_k r_k(y_j) / \tau + "
            r"\log(\pi_{\mathrm{ref}}(y_j) / \pi_{\mathrm{gen}}(y_j))\right) + C$. So with a "
            r"common $C$ all agents have the same expected utility."
        ),
        check=ForAll(RATIOS, RewrittenUtility(inside), show_rewritten, EqualProof()),
        expected=Status.HOLDS,
        least=PROVED,
        corrects="truthful.eq-14",
        proof_idea="r_i/τ + b_i is the same for every agent i.",
        proof="docs/proofs.md#truthful-eq-14",
    ),
    Claim(
        id="truthful.lemma-5.5",
        kind=Kind.THEOREM,
        source="truthful, Lemma 5.5",
        title="Utility is an exponential mean of rewards under the law without the agent",
        statement=(
            rf"With the offset {OFFSET}, "
            r"$U_i = \tau \log \sum_j \exp(r_i(y_j)/\tau) \, q_i(y_j)$, where $q_i$ is the law "
            r"of the reply if agent $i$ stays out and candidates are the same."
        ),
        check=ForAll(AUCTIONS, UtilityIsAMean(), show_case, MeanProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="The difference of the logarithms of two sums, of which q_i is the quotient.",
        proof="docs/proofs.md#truthful-lemma-5-5",
    ),
)
