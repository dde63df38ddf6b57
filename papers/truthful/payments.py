"""Claims of truthful, sections 5.1 and 5.2: what agents pay, and what their models say of them."""

from __future__ import annotations

from papers.truthful.checks.cases import AUCTIONS, RATIOS, show_case
from papers.truthful.checks.divergences import DivergenceProof, PaymentsAreDivergences
from papers.truthful.checks.models import (
    MODELS,
    ConstantsAreHarmless,
    HarmlessProof,
    RewardInducesModel,
    RewardProof,
    corrected_reward,
    show_model,
)
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}
PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.kl",
        kind=Kind.THEOREM,
        source="truthful, eqs. (10) and (13); ours",
        title="Payments, utility gains and reward gains are divergences",
        statement=(
            r"With the offset (13) and fixed candidates, let $p$ be the law that the reply is "
            r"drawn from and $q_i$ what it would be without agent $i$. Then "
            r"$\text{payment}_i = \tau \, \mathrm{KL}(p \| q_i) \ge 0$, the utility gain over "
            r"staying out is $\tau \, \mathrm{KL}(q_i \| p) \ge 0$, and the reward gain is the sum "
            r"of the two."
        ),
        reading=(
            "Expected over the draw of the reply. Staying out is what eq. (12) says: the same "
            "candidates, the law q_i, no payment. So there is no deficit, and nobody who reports "
            "truthfully would rather have stayed out."
        ),
        check=ForAll(AUCTIONS, PaymentsAreDivergences(), show_case, DivergenceProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea=(
            "exp(r_i/τ) = (p/q_i) exp(U_i/τ) by Lemma 5.5. Take logarithms, then means under p and "
            "under q_i."
        ),
        proof="docs/proofs.md#truthful-kl",
    ),
    Claim(
        id="truthful.eq-11",
        kind=Kind.THEOREM,
        source="truthful, eq. (11)",
        title="The reward behind a model, as printed",
        statement=(
            r"In a reading that the paper does not state, $Z_i$ is the partition function "
            r"$\sum_y \pi_{\mathrm{ref}}(y) \exp(r_i(y)/\tau_i)$. Then if $\pi_i$ is optimal for "
            r"the reward $r_i$ at $\tau_i$, "
            r"$r_i(y) = \tau_i \log(\pi_i(y) / \pi_{\mathrm{ref}}(y)) + \log Z_i$."
        ),
        reading=(
            "This is a reading that the paper does not state, in which Z_i is the partition "
            "function Σ π_ref exp(r_i/τ_i): the paper has any number that depends on the prompt "
            "alone, and so read eq. (11) is right. π_i is that of eq. (2) with this agent alone. "
            "truthful.eq-11.harmless says what the printed class of rewards leaves open."
        ),
        check=ForAll(MODELS, RewardInducesModel(), show_model),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="truthful.eq-11.c1",
        kind=Kind.THEOREM,
        source="truthful, eq. (11), corrected",
        title="The reward behind a model",
        statement=(
            r"If $\pi_i$ is optimal for the reward $r_i$ at $\tau_i$, then "
            r"$r_i(y) = \tau_i \log(\pi_i(y) / \pi_{\mathrm{ref}}(y)) + \tau_i \log Z_i$."
        ),
        reading="As for truthful.eq-11.",
        check=ForAll(MODELS, RewardInducesModel(corrected_reward), show_model, RewardProof()),
        expected=Status.HOLDS,
        least=PROVED,
        corrects="truthful.eq-11",
        proof_idea="Solve eq. (2) for r.",
        proof="docs/proofs.md#truthful-eq-11",
    ),
    Claim(
        id="truthful.eq-11.harmless",
        kind=Kind.THEOREM,
        source="truthful, section 5.2; ours",
        title="A constant added to a reward is harmless",
        statement=(
            r"Rewards that differ by a constant have the same model. If an agent reports "
            r"$r_i + c$ in place of $r_i$, then neither the law of the reply nor, with the offset "
            r"(13), any payment changes. Its own utility is reckoned $c$ higher."
        ),
        reading=(
            "So the missing τ_i changes neither law nor payment, and the paper may set Z_i to 1. "
            "Utilities do depend on it: Lemma 5.3 says something about rewards with the right "
            "constant alone. Gains over staying out do not."
        ),
        check=ForAll(
            RATIOS,
            ConstantsAreHarmless(),
            show_case,
            HarmlessProof(),
            without=(
                WithoutHypothesis(
                    "payments have the offset (13)", ConstantsAreHarmless(offset=False)
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="A factor exp(c/τ) common to all candidates cancels in p and in every q_k.",
        proof="docs/proofs.md#truthful-eq-11",
    ),
)
