"""Claims of truthful, section 5.1: payments that make the truth the best report."""

from __future__ import annotations

from papers.truthful.checks.battery import NoLieIsFound
from papers.truthful.checks.cases import AUCTIONS, show_case
from papers.truthful.checks.externalities import ExternalityProof, PaymentsAreExternalities
from papers.truthful.checks.gradient import GradientIsTheLaw, GradientProof
from papers.truthful.checks.lies import (
    LIES,
    LiesCostADivergence,
    LyingProof,
    TruthIsBest,
    show_lie,
)
from papers.truthful.checks.solver import QUERIES, SolverFindsTheSame, show_query
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.theorem-5.1",
        kind=Kind.THEOREM,
        source="truthful, Theorem 5.1",
        title="Reporting truthfully is a dominant strategy",
        statement=(
            r"With the payment $p \cdot r_i - \tau \log \sum_j \exp(r_{ij}/\tau + b_{ij}) - C$, "
            "where $C$ does not depend on the report of $i$, reporting truthfully maximises agent "
            r"$i$'s expected utility for every set of candidates and all reports of the others."
        ),
        reading=(
            "Expected over the draw of the reply from given candidates. C is 0 or the offset (13); "
            "any other constant changes no comparison."
        ),
        check=ForAll(LIES, TruthIsBest(), show_lie, LyingProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="A lie costs τ KL(p'||p): see truthful.theorem-5.1.cost.",
        proof="docs/proofs.md#truthful-theorem-5-1",
    ),
    Claim(
        id="truthful.theorem-5.1.cost",
        kind=Kind.THEOREM,
        source="truthful, Theorem 5.1; ours",
        title="A lie costs a divergence",
        statement=(
            r"If agent $i$'s lie makes the law $p'$ of $p$, it costs the agent exactly "
            r"$\tau \, \mathrm{KL}(p' \| p)$ of expected utility, whatever the others report. So "
            "only lies that change no probability are free: those that add a constant to all "
            "rewards, and those about candidates that are impossible."
        ),
        reading="As for truthful.theorem-5.1.",
        check=ForAll(LIES, LiesCostADivergence(), show_lie, LyingProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea=(
            "What a lie costs is the Bregman divergence of U_i between the true rewards and those "
            "reported, and U_i is τ log Σ exp, whose Bregman divergence is that of the laws."
        ),
        proof="docs/proofs.md#truthful-theorem-5-1",
    ),
    Claim(
        id="truthful.theorem-5.1.gradient",
        kind=Kind.THEOREM,
        source="truthful, proof of Theorem 5.1",
        title="Utility is convex, and its gradient is the allocation",
        statement=(
            r"$U_i$ is convex in $r_i$, with the gradient $p$ and the Hessian "
            r"$(\mathrm{diag}(p) - p p^\top)/\tau$."
        ),
        reading=(
            "Derivatives of the code that runs, by JAX in float64, are compared with rational "
            "probabilities; the proof differentiates the traced definition."
        ),
        check=ForAll(
            AUCTIONS, GradientIsTheLaw(), show_case, GradientProof(), arithmetic=Strength.TESTED
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="z' (diag(p) - p p') z = Σ_{j<k} p_j p_k (z_j - z_k)², a variance.",
        proof="docs/proofs.md#truthful-theorem-5-1",
    ),
    Claim(
        id="truthful.theorem-5.1.battery",
        kind=Kind.THEOREM,
        source="truthful, Theorem 5.1",
        title="The battery finds no lie that pays",
        statement=(
            "Searches over real types, lies and reports of others find no lie that pays in the "
            "auction that runs, Algorithm 2 in float64."
        ),
        reading=(
            "The mechanism is a black box to the searches; ascent along its gradient starts from "
            "2,000 points at once in the quick profile, and from 50,000 in each of four auctions "
            "in the full one. What searches cannot find may exist: truthful.theorem-5.1 is proved."
        ),
        check=NoLieIsFound(),
        expected=Status.HOLDS,
    ),
    Claim(
        id="truthful.vcg",
        kind=Kind.THEOREM,
        source="truthful, eqs. (8), (10) and (13); ours",
        title="The auction is VCG with the Clarke pivot, over laws on the candidates",
        statement=(
            r"For laws $\lambda$ on the $M$ candidates let $W(\lambda) = \sum_i \lambda \cdot r_i "
            r"- \tau \, \mathrm{KL}(\lambda \| \rho)$, where the last term is an agent who does "
            r"not pay. Then $p$ maximises $W$, $q_i$ maximises $W$ without agent $i$, and with the "
            r"offset (13) agent $i$ pays what the others lose by it: "
            r"$W_{-i}(q_i) - W_{-i}(p)$."
        ),
        reading=(
            "A candidate that was drawn twice has two slots; ρ is uniform for Algorithm 1, and "
            "brought to sum 1 otherwise. The paper calls the auction VCG in the limit of many "
            "candidates. It is VCG for every set of candidates, maximal in a range that no report "
            "changes, which is why it is truthful."
        ),
        check=ForAll(AUCTIONS, PaymentsAreExternalities(), show_case, ExternalityProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="W(p) - W(λ) = τ KL(λ||p), as for truthful.eq-2.",
        proof="docs/proofs.md#truthful-vcg",
    ),
    Claim(
        id="truthful.vcg.solver",
        kind=Kind.THEOREM,
        source="truthful, eqs. (8), (10) and (13); ours",
        title="A convex solver that knows nothing of softmax finds the same",
        statement=(
            r"The law that a convex solver finds to maximise $W$ is the law of the auction, and "
            "the Clarke payments from the laws that it finds are the auction's, up to the "
            "tolerance of the solver."
        ),
        reading=(
            "The solver is cvxpy's choice where the extra cvxpy is installed, and SciPy's SLSQP "
            "otherwise. The auction is the one that runs, in float64."
        ),
        check=ForAll(QUERIES, SolverFindsTheSame(), show_query, arithmetic=Strength.TESTED),
        expected=Status.HOLDS,
        proof="docs/proofs.md#truthful-vcg",
    ),
)
