"""Claims of oracles, section 3: what learners that run regret, and what is proven of it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from papers.oracles.checks.blind_opponents import (
    BLIND_PLANS,
    SEEING_PLANS,
    ExpectedRegretIsBounded,
    show_plan,
)
from papers.oracles.checks.constant_maps import (
    CROWDS,
    FEW_CROWDS,
    WITH_CONSTANTS,
    ExternalIsLinear,
    ExternalIsSmall,
    OneClosedClass,
    show_crowd,
    show_simultaneous,
    without_constants,
)
from papers.oracles.checks.contests import CONTESTS
from papers.oracles.checks.learners_compared import Compared
from papers.oracles.checks.many_runs import (
    FTPL_SETTINGS,
    MAP_SETTINGS,
    ManyRuns,
    drawn_maps,
    ftpl,
    judge_ftpl,
    judge_maps,
    with_constant_maps,
)
from papers.oracles.checks.pathwise import (
    EXTERNAL,
    EXTERNAL_TOO,
    INTERNAL,
    INTERNAL_TOO,
    RegretIsBounded,
    hedge,
    law,
    law_with_constants,
    leader,
)
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}
CERTIFIED = {"quick": Strength.CERTIFIED, "full": Strength.CERTIFIED}

BLIND = "The opponent chooses the rewards of a round before it sees what is drawn in it."
FLOATS = (
    "The learner that runs plays in float64; the regret of these plays is computed in rationals, "
    "and compared with a certified logarithm. A script covers the opponents who react, too: "
    "play is a function of the rewards so far."
)
RUNS = (
    "Beside the regret, its parts are measured: what the expected weights regret, given the plays "
    "that were made, which is bounded whatever happens; and what draws add to it, which may be "
    "above its bound in a run with probability 1/100. Refuted is what one run contradicts in the "
    "first case, and in the second what chance explains in one of a million tries."
)

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="oracles.ftpl",
        kind=Kind.THEOREM,
        source="oracles, section 3.1 and appendix A",
        title="Deterministic FTPL has external regret of at most √(T log(N)/2)",
        statement=(
            r"Deterministic FTPL with Gumbel noise has external regret of at most "
            r"$\log(N)/\eta + \eta T/8$, whatever the rewards in $[0, 1]$ are. With "
            r"$\eta = \sqrt{8 \log(N)/T}$ this is $\sqrt{T \log(N)/2}$."
        ),
        reading=f"The corollary that is quoted from Kalai and Vempala, with constants. {FLOATS}",
        check=ForAll(
            CONTESTS,
            RegretIsBounded(hedge, (EXTERNAL,)),
            arithmetic=Strength.CERTIFIED,
            without=(
                WithoutHypothesis(
                    "there is noise (here, the leader is followed)",
                    RegretIsBounded(leader, (EXTERNAL,)),
                ),
                WithoutHypothesis(
                    "the bound is what it is (here, 4/5 of it)",
                    RegretIsBounded(hedge, (EXTERNAL,), Fraction(4, 5)),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=CERTIFIED,
        proof_idea="It is Hedge, whose potential grows by at most what it earns and η²/8 a round.",
        proof="docs/proofs.md#oracles-ftpl",
    ),
    Claim(
        id="oracles.ftpl.sampled",
        kind=Kind.THEOREM,
        source="oracles, section 3.1 and appendix A",
        title="One perturbed leader a round is as good in expectation",
        statement=(
            r"If one leader is drawn a round, the expected external regret is at most "
            r"$\log(N)/\eta + \eta T/8$."
        ),
        hypotheses=(BLIND,),
        reading=(
            "The best action in hindsight is inside the expectation. Opponents may react to the "
            "draws of earlier rounds: every way to do so is tried. The probabilities are those of "
            "the library's softmax, exactly; oracles.gumbel is about leaders having them."
        ),
        check=ForAll(
            BLIND_PLANS,
            ExpectedRegretIsBounded(),
            show_plan,
            arithmetic=Strength.CERTIFIED,
            without=(
                WithoutHypothesis(
                    "the opponent does not see the draw of the round",
                    ExpectedRegretIsBounded(),
                    SEEING_PLANS,
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=CERTIFIED,
        proof_idea="Given the past, a draw earns on average what the law of leaders earns.",
        proof="docs/proofs.md#oracles-ftpl",
    ),
    Claim(
        id="oracles.ftpl.drawn",
        kind=Kind.THEOREM,
        source="oracles, section 3.1 and appendix A; ours",
        title="… and, with high probability, nearly as good in every run",
        statement=(
            r"With $m$ leaders a round, external regret is at most "
            r"$\log(N)/\eta + \eta T/8 + \sqrt{T \log(1/\delta)/(2m)}$ with probability "
            r"$1 - \delta$."
        ),
        hypotheses=(BLIND,),
        reading=(
            "“Anticipation” knows the law of the leaders and lets the likeliest one earn nothing. "
            + RUNS
        ),
        check=ManyRuns(FTPL_SETTINGS, judge_ftpl, ftpl),
        expected=Status.HOLDS,
        proof_idea="What draws lose is a martingale, of m terms of range 1/m a round.",
        proof="docs/proofs.md#oracles-ftpl",
    ),
    Claim(
        id="oracles.theorem-4",
        kind=Kind.THEOREM,
        source="oracles, Theorem 4",
        title="Algorithm 1 has internal regret of order √(T log N)",
        statement=(
            r"With $\eta = 4 \sqrt{\log(N)/T}$ the internal regret of Algorithm 1 is at most "
            r"$\sqrt{T \log N} + T \sqrt{\log(NT/\delta)/(2m)} + T \varepsilon/2$ with probability "
            r"$1 - \delta$, where $\varepsilon$ bounds $\|Qx - x\|_1$. So "
            r"$m = T \log(NT/\delta)/(2 \log N)$ samples are enough for "
            r"$2 \sqrt{T \log N} + T \varepsilon/2$."
        ),
        hypotheses=(BLIND,),
        reading=(
            "The formulas are lost in the copy at hand; these are constants that can be proved, by "
            "the repair of oracles.lemma-5. m is the number named. “Anticipation” knows the "
            "expected weights of maps and lets the likeliest action of their fixed point earn "
            "nothing. " + RUNS
        ),
        check=ManyRuns(MAP_SETTINGS, judge_maps, drawn_maps),
        expected=Status.HOLDS,
        proof_idea=(
            "Regret is that of Hedge over maps (oracles.lemma-6), and what is lost by drawing maps "
            "(oracles.lemma-5.repaired), and what fixed points miss."
        ),
        proof="docs/proofs.md#oracles-theorem-4",
    ),
    Claim(
        id="oracles.theorem-4.law",
        kind=Kind.THEOREM,
        source="oracles, Theorem 4; the limit of many samples",
        title="With the expected weights themselves it holds whatever happens",
        statement=(
            r"Algorithm 1 with the expected weights of maps has internal regret of at most "
            r"$2 \log(N)/\eta + \eta T/8 + T \varepsilon/2$, whatever the rewards in $[0, 1]$ are: "
            r"$\sqrt{T \log N} + T \varepsilon/2$ with $\eta = 4 \sqrt{\log(N)/T}$."
        ),
        reading=f"{FLOATS} Residuals are below 1e-12, and their term is left out.",
        check=ForAll(
            CONTESTS,
            RegretIsBounded(law, (INTERNAL,)),
            arithmetic=Strength.CERTIFIED,
            without=(
                WithoutHypothesis(
                    "Hedge is over maps (here, over actions)", RegretIsBounded(hedge, (INTERNAL,))
                ),
                WithoutHypothesis(
                    "the bound is what it is (here, half of it)",
                    RegretIsBounded(law, (INTERNAL,), Fraction(1, 2)),
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=CERTIFIED,
        proof_idea="A fixed point earns what the weights of maps earn, and these are Hedge's.",
        proof="docs/proofs.md#oracles-theorem-4",
    ),
    Claim(
        id="oracles.simultaneous",
        kind=Kind.THEOREM,
        source="beyond oracles, section 3.2",
        title="With constant maps, external and internal regret are small at once",
        statement=(
            r"Let the $N$ constant maps have half of the prior, and the others the rest alike. "
            r"Algorithm 1 with the expected weights has external regret of at most "
            r"$\log(2N)/\eta + \eta T/8 + T \varepsilon/2$ and internal regret of at most "
            r"$\log(2N^2)/\eta + \eta T/8 + T \varepsilon/2$, whatever the rewards in $[0, 1]$ are."
        ),
        reading=(
            f"The best rate is that for internal regret, √(8 log(2N²)/T). {FLOATS} Residuals are "
            "below 1e-12, and their term is left out."
        ),
        check=ForAll(
            CONTESTS,
            RegretIsBounded(law_with_constants, (EXTERNAL_TOO, INTERNAL_TOO)),
            show_simultaneous,
            arithmetic=Strength.CERTIFIED,
            without=(
                WithoutHypothesis(
                    "the constant maps are among the maps",
                    ExternalIsSmall(without_constants),
                    FEW_CROWDS,
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=CERTIFIED,
        proof_idea="A fixed point of all maps earns what Hedge over them earns; each is an expert.",
        proof="docs/proofs.md#oracles-simultaneous",
    ),
    Claim(
        id="oracles.simultaneous.drawn",
        kind=Kind.THEOREM,
        source="beyond oracles, section 3.2",
        title="… and with drawn maps, with high probability",
        statement=(
            r"With $m$ drawn maps a round both bounds hold with "
            r"$T \sqrt{\log(NT/\delta)/(2m)}$ more, with probability $1 - \delta$."
        ),
        hypotheses=(BLIND,),
        reading=f"As for oracles.theorem-4. {RUNS}",
        check=ManyRuns(MAP_SETTINGS, partial(judge_maps, constants=True), with_constant_maps),
        expected=Status.HOLDS,
        proof_idea="A constant map is a move of i for each action i: oracles.lemma-5.repaired.",
        proof="docs/proofs.md#oracles-simultaneous",
    ),
    Claim(
        id="oracles.simultaneous.unique",
        kind=Kind.THEOREM,
        source="beyond oracles, section 3.2",
        title="… and the fixed point is no longer a matter of choice",
        statement=(
            "If a constant map has weight, there is one closed class and one fixed point. If all "
            "$N \\ge 2$ of them have weight, no action is absorbing."
        ),
        hypotheses=("A constant map has weight.",),
        reading=(
            "The library's solver is started from each action. Without constant maps every action "
            "that no map leaves is absorbing (oracles.lemma-3.absorbing)."
        ),
        check=ForAll(
            WITH_CONSTANTS,
            OneClosedClass(),
            without=(WithoutHypothesis("a constant map has weight", OneClosedClass(needed=False)),),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="All actions lead to the constant's target, so it is in every closed class.",
        proof="docs/proofs.md#oracles-simultaneous",
    ),
    Claim(
        id="oracles.simultaneous.linear",
        kind=Kind.THEOREM,
        source="beyond oracles, section 3.2",
        title="Without constant maps external regret may be linear in T",
        statement=(
            r"With as many actions as rounds, of which one earns 1 in every round, Algorithm 1 "
            r"with the expected weights has external regret of at least $2T/5$ for $T = 16$, 32, "
            r"64 and 96, and internal regret of at most 1."
        ),
        reading=(
            "The written proof has T - 2 for every T of at least 900. It is no contradiction to "
            "Theorem 4: see oracles.vacuous."
        ),
        check=ForAll(CROWDS, ExternalIsLinear(), show_crowd, arithmetic=Strength.CERTIFIED),
        expected=Status.HOLDS,
        least=CERTIFIED,
        proof_idea=(
            "Each action is played by 1/N a round, so no map gains enough to be noticed; all "
            "together would."
        ),
        proof="docs/proofs.md#oracles-simultaneous",
    ),
    Claim(
        id="oracles.table-1",
        kind=Kind.MEASUREMENT,
        source="oracles, Table 1",
        title="What a round takes, and what is regretted, beside Blum and Mansour",
        statement=(
            r"Calls of the oracle, the size of the fixed point, and external, internal and swap "
            r"regret of Algorithm 1, of the variant with constant maps, and of Blum and Mansour's "
            r"learner, as $N$ grows."
        ),
        reading=(
            "Work is counted, not timed; a call of the smooth oracle is one unit, as in the paper. "
            "Theirs bounds swap regret by √(N T log(N)/2), and with it the other two; ours bounds "
            "internal regret, and swap regret by N times that. m is as in Theorem 4 with δ = 0.05. "
            "Daskalakis et al. (2021), a row of the printed table, is not among them."
        ),
        check=Compared(),
        expected=Status.MEASURED,
    ),
)
