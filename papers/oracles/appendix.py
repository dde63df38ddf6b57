"""Claims of oracles, appendix B: the lemmas behind Theorem 4."""

from __future__ import annotations

from fractions import Fraction

from papers.oracles.checks.lemma_6 import APPLIED, MapRegretIsBounded, show_applied
from papers.oracles.checks.lemma_7 import (
    CLOSE,
    SCORES,
    LipschitzProof,
    SoftmaxIsLipschitz,
    show_scores,
)
from papers.oracles.checks.sampled_maps import ROUNDS, TailIsSmall, Unbiased, show_round
from theory.checks import Exists, ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}
CERTIFIED = {"quick": Strength.CERTIFIED, "full": Strength.CERTIFIED}
PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}
ONE, TWO = Fraction(1), Fraction(2)

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="oracles.lemma-5",
        kind=Kind.THEOREM,
        source="oracles, proof of Lemma 5",
        title="Hoeffding's inequality bounds the error of m sampled maps in a round",
        statement=(
            r"With the expected weights $q_t$ of Algorithm 1, their sample $p_t$ of $m$ maps, and "
            r"$g_t(p) = f_t(\varphi^p(x_t))$: since $E[g_t(e_{\varphi_l})] = g_t(q_t)$, "
            r"$P(g_t(q_t) - g_t(p_t) \ge \varepsilon) \le \exp(-2 m \varepsilon^2)$ for every "
            r"$\varepsilon > 0$."
        ),
        hypotheses=("The opponent's play of the round does not depend on the sample.",),
        reading=(
            "The step of the printed proof from linearity to Hoeffding's inequality, for one "
            "round; the formulas are lost in the copy at hand, and this is what the words around "
            "them say. The lemma's own conclusion, with a number of samples that is lost as well, "
            "is not what is refuted. Of several fixed points Algorithm 2 may return any; here it "
            "is the closed class with the lowest index, and the written proof has an instance for "
            "a rule that stays where it was. Weights are those of deterministic FTPL after one "
            "round, e^η an integer so that all is rational."
        ),
        check=ForAll(ROUNDS, TailIsSmall(), show_round),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="oracles.lemma-5.dependence",
        kind=Kind.THEOREM,
        source="oracles, proof of Lemma 5; ours",
        title="The sampled payoff is biased, since the play depends on the sample",
        statement=(
            r"In some round $E[g_t(p_t)] \ne E[g_t(q_t)]$: $g_t$ contains $x_t$, which is a fixed "
            r"point of $p_t$, so the terms $g_t(e_{\varphi_l})$ are neither independent nor "
            r"centred at $g_t(q_t)$."
        ),
        reading="As for oracles.lemma-5.",
        check=Exists(ROUNDS, Unbiased(), show_round),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "A play that sits on a source that was not sampled misses what that source would gain, "
            "whatever was sampled."
        ),
        proof="docs/proofs.md#oracles-lemma-5",
    ),
    Claim(
        id="oracles.lemma-5.repaired",
        kind=Kind.THEOREM,
        source="oracles, Lemma 5, corrected",
        title="A union over the sources repairs it",
        statement=(
            r"$P(\max_x \, (g_t(q_t) - g_t(p_t)) \ge \varepsilon) \le N \exp(-2 m \varepsilon^2)$ "
            r"for every $\varepsilon > 0$, whatever play $x$ is picked once the sample is seen. So "
            r"in all $T$ rounds the error is at most $\sqrt{\log(N T / \delta) / (2 m)}$ with "
            r"probability $1 - \delta$."
        ),
        hypotheses=("The opponent's play of the round does not depend on the sample.",),
        reading=(
            "If the opponent does see the sample, the union is over its actions as well: N² pairs "
            "and log(N² T/δ)."
        ),
        check=ForAll(ROUNDS, TailIsSmall(union=True, any_play=True), show_round),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="oracles.lemma-5",
        proof_idea=(
            "The error is an average over the actions i of D_i, the error of what i's maps gain. "
            "Each D_i is a mean of m independent terms of range 1, and no play enters it."
        ),
        proof="docs/proofs.md#oracles-lemma-5",
    ),
    Claim(
        id="oracles.lemma-6",
        kind=Kind.THEOREM,
        source="oracles, Lemma 6",
        title="Hedge over maps, whatever they are applied to",
        statement=(
            r"Let $q_t$ be the expected weights at the rate $\eta = 4 \sqrt{\log(N)/T}$, and "
            r"$g_t(p) = f_t(\varphi^p(x_t))$, where $x_t$ and $f_t$ may depend on $q_t$. Then "
            r"$\max_\varphi \sum_t g_t(e_\varphi) - g_t(q_t) \le \sqrt{T \log N}$."
        ),
        reading=(
            "At any rate it is at most 2 log(N)/η + η T/8, which is what is compared. The weights "
            "are those that Algorithm 1 runs with, in float64; what they lose is computed in "
            "rationals."
        ),
        check=ForAll(
            APPLIED,
            MapRegretIsBounded(),
            show_applied,
            arithmetic=Strength.CERTIFIED,
            without=(
                WithoutHypothesis(
                    "the bound is what it is (here, 3/4 of it)",
                    MapRegretIsBounded(factor=Fraction(3, 4)),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=CERTIFIED,
        proof_idea="Hedge over N(N - 1) + 1 ≤ N² experts, whose rewards are in [0, 1].",
        proof="docs/proofs.md#oracles-theorem-4",
    ),
    Claim(
        id="oracles.lemma-7",
        kind=Kind.THEOREM,
        source="oracles, Lemma 7",
        title="Softmax does not move faster than twice its scores",
        statement=(
            r"$\| \mathrm{softmax}(a) - \mathrm{softmax}(b) \|_1 \le 2 \, \| a - b \|_\infty$."
        ),
        reading="With the constant 2, as it is used for Lemma 6.",
        check=ForAll(
            SCORES, SoftmaxIsLipschitz(TWO), show_scores, LipschitzProof(TWO), Strength.CERTIFIED
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea="Half as much is true: see oracles.lemma-7.sharp.",
        proof="docs/proofs.md#oracles-lemma-7",
    ),
    Claim(
        id="oracles.lemma-7.sharp",
        kind=Kind.THEOREM,
        source="oracles, Lemma 7; ours",
        title="Softmax does not move faster than its scores, and that is sharp",
        statement=(
            r"$\| \mathrm{softmax}(a) - \mathrm{softmax}(b) \|_1 \le 2 \tanh(c / 2) \le c$ for "
            r"$c = \| a - b \|_\infty$. The first bound is attained by $(c, 0)$ and $(0, c)$ for "
            r"every $c$; so the best constant is 1, which is attained in the limit $c \to 0$ alone."
        ),
        reading=(
            "With two actions and more. Scores are logarithms of integers, so that laws and "
            "2 tanh(c/2) are rational, and the first bound is compared exactly."
        ),
        check=ForAll(
            SCORES,
            SoftmaxIsLipschitz(ONE, sharply=True),
            show_scores,
            LipschitzProof(ONE),
            Strength.CERTIFIED,
            without=tuple(
                WithoutHypothesis(f"the constant is 1 (here, {k})", SoftmaxIsLipschitz(k), CLOSE)
                for k in (Fraction(9, 10), Fraction(99, 100), Fraction(9999, 10000))
            ),
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea=(
            "Twice the largest change in the probability of a set of actions. Its odds change by a "
            "factor of at most e^(2c), and then tanh(c/2) is the most that its probability can."
        ),
        proof="docs/proofs.md#oracles-lemma-7",
    ),
)
