"""Claims of truthful, section 3: what is maximised, and why not VCG."""

from __future__ import annotations

from papers.truthful.checks.models import POLICIES, OptimumIsGibbs, OptimumProof, show_policy
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.eq-2",
        kind=Kind.THEOREM,
        source="truthful, eqs. (1) and (2)",
        title="The best law is a Gibbs law, and what others lose is a divergence",
        statement=(
            r"$J(\pi) = E_\pi[\sum_i r_i] - \tau \, \mathrm{KL}(\pi \| \pi_{\mathrm{ref}})$ has "
            r"one maximiser, $\pi^* \propto \pi_{\mathrm{ref}} \exp(\sum_i r_i / \tau)$; and "
            r"$J(\pi^*) - J(\pi) = \tau \, \mathrm{KL}(\pi \| \pi^*)$ for every law $\pi$."
        ),
        hypotheses=(r"$\tau > 0$.",),
        reading=(
            "The paper states the maximiser; the identity is ours. Where π_ref is 0, J is -∞ "
            "unless π is 0 as well, so only replies in the support of π_ref are looked at. Rewards "
            "are τ times logarithms of rationals: laws are rational and J is a closed form."
        ),
        check=ForAll(POLICIES, OptimumIsGibbs(), show_policy, OptimumProof()),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea=(
            "Put Σ r_i = τ log(π*/π_ref) + τ log Z: J(π) = τ log Z - τ KL(π||π*), which is largest "
            "at π = π* alone."
        ),
        proof="docs/proofs.md#truthful-eq-2",
    ),
)
