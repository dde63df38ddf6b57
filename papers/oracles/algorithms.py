"""Claims of oracles, section 3: follow the perturbed leader, and fixed points of sparse maps."""

from __future__ import annotations

from papers.oracles.checks.gumbel import REWARDS, LeaderIsSoftmax, LeaderProof
from papers.oracles.checks.lemma_3 import (
    MIXTURES,
    SAMPLES,
    EnoughToSolveOn,
    NonSourcesAreFixed,
    show_mixture,
    sources,
    targets,
    touched_indices,
)
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}
PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="oracles.gumbel",
        kind=Kind.THEOREM,
        source="oracles, section 3.2 and the proof of Lemma 6",
        title="Following the leader under Gumbel noise is Hedge, on average",
        statement=(
            r"If $n_1, \dots, n_N$ are independent standard Gumbel variables, "
            r"$E[e_{\arg\max_i (\theta_i + n_i)}] = \mathrm{softmax}(\theta)$. So deterministic "
            r"FTPL, with $\theta = \eta \sum_{s<t} r_s$, plays what Hedge plays."
        ),
        reading=(
            "The traced softmax is that of the library. Beside the proof, the chance to lead is "
            "integrated in certified numbers, and two learners that run are held against it: Hedge "
            "within 1e-14, and the frequencies of 4,000 leaders that FTPL draws within 1/20, which "
            "is exceeded with probability below 5e-9 each."
        ),
        check=ForAll(
            REWARDS, LeaderIsSoftmax(), prove=LeaderProof(), arithmetic=Strength.CERTIFIED
        ),
        expected=Status.HOLDS,
        least=PROVED,
        proof_idea=(
            "The chance that i leads is an integral of one density times the other distribution "
            "functions. With u = exp(-y) it is the integral of an exponential. Ties have "
            "probability 0."
        ),
        proof="docs/proofs.md#oracles-gumbel",
    ),
    Claim(
        id="oracles.lemma-3",
        kind=Kind.THEOREM,
        source="oracles, Lemma 3 and Algorithm 2",
        title="It is enough to solve on the indices that maps touch",
        statement=(
            r"For weights $p$ on $k$ maps besides the identity, some $x$ with $Qx = x$, "
            r"$Q = \sum_\varphi p(\varphi) \varphi$, is concentrated on the sources and targets of "
            r"these maps, at most $2k$ indices."
        ),
        reading=(
            "The linear program on these indices has the value 0; that is checked by a closed set "
            "of them, on which the library's elimination gives an exact solution. It is also asked "
            "for a fixed point on all indices, and among 10^18, which changes nothing."
        ),
        check=ForAll(MIXTURES, EnoughToSolveOn(touched_indices, 2), show_mixture),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "No map leads out of the touched indices, so Q maps the simplex on them to itself."
        ),
        proof="docs/proofs.md#oracles-lemma-3",
    ),
    Claim(
        id="oracles.lemma-3.targets",
        kind=Kind.THEOREM,
        source="oracles, Lemma 3; ours",
        title="… and even on the targets, half as many",
        statement=(
            r"With $k \ge 1$ maps besides the identity, some $x$ with $Qx = x$ is concentrated on "
            r"their targets, at most $k$ indices."
        ),
        check=ForAll(MIXTURES, EnoughToSolveOn(targets, 1), show_mixture),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "Follow maps from a source until a closed class is reached: all of its members were "
            "moved to."
        ),
        proof="docs/proofs.md#oracles-lemma-3",
    ),
    Claim(
        id="oracles.lemma-3.sources-alone",
        kind=Kind.THEOREM,
        source="oracles, Lemma 3; ours",
        title="It is enough to solve on the sources",
        statement=(
            r"With $k \ge 1$ maps besides the identity, some $x$ with $Qx = x$ is concentrated on "
            r"their sources."
        ),
        reading=(
            "Not claimed by the paper, which takes sources and targets. It is what one gets by "
            "keeping the columns of Q that are not those of the identity."
        ),
        check=ForAll(MIXTURES, EnoughToSolveOn(sources, 1), show_mixture),
        expected=Status.REFUTED,
        least=EXACT,
        note=(
            "One map is enough: it moves mass away from its only source, and nothing brings it "
            "back."
        ),
    ),
    Claim(
        id="oracles.lemma-3.absorbing",
        kind=Kind.THEOREM,
        source="oracles, Lemma 3; ours",
        title="Every index that is no source is a fixed point",
        statement=(
            r"If no map of positive weight moves mass away from $i$, then $Q e_i = e_i$. With "
            r"$m < N$ sampled maps there is such an $i$, and no program has to be solved."
        ),
        reading="All N constant maps aside, as in the paper; with them nothing is absorbing.",
        check=ForAll(SAMPLES, NonSourcesAreFixed(), show_mixture),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Every map leaves e_i alone; and m maps have at most m sources.",
        proof="docs/proofs.md#oracles-lemma-3",
    ),
)
