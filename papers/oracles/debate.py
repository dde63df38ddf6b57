"""Claims of oracles, section 4: what is said of zero-sum games."""

from __future__ import annotations

from fractions import Fraction

from papers.oracles.checks.zero_sum import (
    JOINT_PLAY,
    CoarseIsNash,
    MarginalsAreNearlyNash,
    show_joint_play,
)
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="oracles.zero-sum",
        kind=Kind.THEOREM,
        source="oracles, section 4",
        title="In zero-sum games all CCEs and CEs are Nash equilibria",
        statement=(
            "Every coarse correlated equilibrium of a zero-sum game, and so every correlated one, "
            "is a Nash equilibrium."
        ),
        reading=(
            "As printed. A joint distribution is a Nash equilibrium if the players are independent "
            "and neither gains by leaving."
        ),
        check=ForAll(JOINT_PLAY, CoarseIsNash(), show_joint_play),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="oracles.zero-sum.marginals",
        kind=Kind.THEOREM,
        source="oracles, section 4, corrected",
        title="In zero-sum games the marginals of a CCE are a Nash equilibrium",
        statement=(
            r"The marginals of an $\varepsilon$-CCE of a zero-sum game are a "
            r"$2 \varepsilon$-Nash equilibrium; even the two players' gains together are at most "
            r"$2 \varepsilon$. The factor 2 is the best."
        ),
        hypotheses=("There are two players, and what one gains the other loses.",),
        check=ForAll(
            JOINT_PLAY,
            MarginalsAreNearlyNash(),
            show_joint_play,
            without=(
                WithoutHypothesis(
                    "the factor is 2 (here, 199/100)",
                    MarginalsAreNearlyNash(Fraction(199, 100), together=False),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="oracles.zero-sum",
        proof_idea=(
            "Neither player gains more than ε by leaving for good, so the best replies to the two "
            "marginals are within ε above and below what is paid."
        ),
        proof="docs/proofs.md#oracles-zero-sum",
    ),
)
