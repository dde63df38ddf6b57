"""Claims of truthful, section 4: the allocation rule, and what its law tends to."""

from __future__ import annotations

from papers.truthful.checks.law import (
    ALGORITHM_1,
    ALGORITHM_2,
    UP_TO_TWO,
    Approaches,
    FirstOrder,
    NearlyOptimal,
    show_draws,
)
from papers.truthful.checks.sampler import (
    AT_HALF,
    CUT,
    CUT_UP_TO_TWO,
    HOT,
    Distances,
    TendsTo,
    all_at_once,
    condition_optimum,
    draw_from_mixture,
    mixed_as_if_pure,
    right_weights,
    show_sampled,
    their_own,
)
from papers.truthful.checks.uniqueness import RIVALS, OnlyRule, RivalIsTruthful, show_rival
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}

BOUND = (
    r"$|\pi_M - \pi^*|_{TV} \le E_{\pi^*}[(W - 1)^+/(M - 1 + W)] \le E_{\pi^*}[(W - 1)^+]/M$ with "
    r"$W = \pi^*/\pi_{gen}$"
)
NEAR = (
    r"$0 \le J(\pi^*) - J(\pi_M) = \tau KL(\pi_M \| \pi^*) \le \tau (B + B^2/m)^2/M^2$, where "
    r"$B = \max |W - 1|$ and $m = \min W$"
)
SUPPORT = "supp π_gen contains supp π_ref"
SAME = "supp π_gen = supp π_ref"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="truthful.theorem-4.1",
        kind=Kind.THEOREM,
        source="truthful, Theorem 4.1",
        title="With candidates from the reference the reply's law tends to the optimum",
        statement=(
            r"The law $\pi_M$ of the reply of Algorithm 1 tends to $\pi^* \propto \pi_{ref} "
            rf"\exp(\sum_i r_i/\tau)$. For every $M \ge 1$, {BOUND}, here $\exp(r/\tau)$ over its "
            "mean."
        ),
        reading=(
            "The paper states the limit; the bound is ours, holds for every M and needs no moment "
            "beyond those of the limit. The auction is run on every draw of candidates and its "
            "law compared exactly."
        ),
        check=ForAll(ALGORITHM_1, Approaches(), show_draws),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "By Jensen a reply is returned with at least M/(M - 1 + W) of its probability under "
            "π*; the distance is the sum of what is missing."
        ),
        proof="docs/proofs.md#truthful-theorem-4-3",
    ),
    Claim(
        id="truthful.corollary-4.2",
        kind=Kind.THEOREM,
        source="truthful, Corollary 4.2",
        title="… which maximises reward less divergence from the reference",
        statement=(
            r"The limit maximises $J(\pi) = E_\pi[\sum_i r_i] - \tau KL(\pi \| \pi_{ref})$, and "
            rf"{NEAR}."
        ),
        reading=(
            "The rate 1/M² is ours. J is computed by its definition, in closed form, with τ = 1; "
            "that π* is the maximiser is truthful.eq-2."
        ),
        check=ForAll(ALGORITHM_1, NearlyOptimal(), show_draws),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="KL is at most chi-square, and each probability is right up to C/M of itself.",
        proof="docs/proofs.md#truthful-theorem-4-3",
    ),
    Claim(
        id="truthful.theorem-4.3",
        kind=Kind.THEOREM,
        source="truthful, Theorem 4.3",
        title="With candidates from another model, too, if it covers the reference",
        statement=(
            r"If the support of $\pi_{gen}$ contains that of $\pi_{ref}$, the law $\pi_M$ of the "
            rf"reply of Algorithm 2 tends to $\pi^*$. For every $M \ge 1$, {BOUND}."
        ),
        hypotheses=(SUPPORT,),
        reading=(
            "The paper does not state the support clause. Where all candidates drawn have "
            "π_ref = 0 nothing can be returned, and the law is conditional on the contrary; this "
            "happens with a probability that falls geometrically in M."
        ),
        check=ForAll(
            ALGORITHM_2,
            Approaches(),
            show_draws,
            without=(WithoutHypothesis(SUPPORT, Approaches(anywhere=True), UP_TO_TWO),),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "By Jensen a reply is returned with at least M/(M - 1 + W) of its probability under "
            "π*; conditioning only adds to it."
        ),
        proof="docs/proofs.md#truthful-theorem-4-3",
    ),
    Claim(
        id="truthful.theorem-4.3.rate",
        kind=Kind.THEOREM,
        source="truthful, Theorem 4.3; ours",
        title="How far the law is from its limit, to first order",
        statement=(
            r"$M (\pi_M - \pi^*)(y) \to \pi^*(y) (E_{\pi^*}[W] - W(y))$. Where the supports are "
            r"equal $M (\pi_M/\pi^* - 1)(y)$ is within $(B^2 + 4 B^3 + 13 B^4/(4m))/M$ of its "
            r"limit, for every $M \ge 1$, with $B = \max |W - 1|$ and $m = \min W$."
        ),
        hypotheses=(SAME,),
        reading=(
            "For small M the auction is run on every draw; for M = 10^4 and 10^6 the deviation is "
            "enclosed exactly by moments of the weights (theory.resampling)."
        ),
        check=ForAll(
            ALGORITHM_2,
            FirstOrder(),
            show_draws,
            without=(WithoutHypothesis(SAME, FirstOrder(anywhere=True), UP_TO_TWO),),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Expand the reciprocal of the mean weight to the fourth power of its deviation.",
        proof="docs/proofs.md#truthful-theorem-4-3",
    ),
    Claim(
        id="truthful.corollary-4.4",
        kind=Kind.THEOREM,
        source="truthful, Corollary 4.4",
        title="… and its limit maximises the objective",
        statement=rf"Where the supports are equal, {NEAR}.",
        hypotheses=(SAME,),
        reading=(
            "As for corollary-4.2. Without the clause that supp π_gen contains supp π_ref the gap "
            "stays away from 0 for every M."
        ),
        check=ForAll(
            ALGORITHM_2,
            NearlyOptimal(),
            show_draws,
            without=(WithoutHypothesis(SAME, NearlyOptimal(anywhere=True), UP_TO_TWO),),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="KL is at most chi-square, and each probability is right up to C/M of itself.",
        proof="docs/proofs.md#truthful-theorem-4-3",
    ),
    Claim(
        id="truthful.sampler",
        kind=Kind.THEOREM,
        source="truthful, section 6.1 with Theorem 4.3",
        title="Sampled at a temperature and with top-p, the law still tends to the optimum",
        statement=(
            r"In a reading that the paper does not state, $\pi_{gen}$ in the weights is "
            r"the model's own probability of the reply. Then if candidates are sampled at "
            r"temperature 0.8 and with top-p, $\pi_M \to \pi^*$."
        ),
        reading=(
            "This is a reading that the paper does not state, in which the weights use the model's "
            "own probabilities whatever is sampled. Section 6.1 samples so, without saying what "
            "the weights use, and Theorem 4.3 needs candidates from the law that the weights "
            "name. Here π_gen's model is π_ref's (Algorithm 1, whose weights name no law "
            "at all): the limit is in proportion to exp(r/τ) times what is sampled."
        ),
        check=ForAll(CUT, TendsTo(their_own), show_sampled),
        expected=Status.REFUTED,
        least=EXACT,
        proof_idea="The limit is in proportion to the law sampled from times the weights.",
        proof="docs/proofs.md#truthful-sampler",
    ),
    Claim(
        id="truthful.sampler.temperature",
        kind=Kind.THEOREM,
        source="truthful, section 6.1; ours",
        title="Weights by the law really sampled undo a temperature",
        statement=(
            r"At any temperature, with $\pi_{gen}$ in the weights the probability under the law "
            r"really sampled, normalised token by token, $\pi_M \to \pi^*$."
        ),
        hypotheses=("the weights' π_gen is normalised token by token",),
        check=ForAll(
            HOT,
            TendsTo(right_weights),
            show_sampled,
            without=(
                WithoutHypothesis(
                    "the weights' π_gen is normalised token by token",
                    TendsTo(all_at_once),
                    AT_HALF,
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="truthful.sampler",
        proof_idea="A temperature leaves the support alone, so that Theorem 4.3 applies.",
        proof="docs/proofs.md#truthful-sampler",
    ),
    Claim(
        id="truthful.sampler.top-p",
        kind=Kind.THEOREM,
        source="truthful, section 6.1; ours",
        title="No weights bring back what top-p takes away",
        statement=(
            r"Under top-p, with $\pi_{gen}$ in the weights the law really sampled, $\pi_M$ tends "
            r"to $\pi^*$ conditioned on the support of the sampler."
        ),
        hypotheses=("the limit is conditioned on the sampler's support",),
        check=ForAll(
            CUT,
            TendsTo(right_weights, condition_optimum),
            show_sampled,
            without=(
                WithoutHypothesis(
                    "the limit is conditioned on the sampler's support", TendsTo(right_weights)
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="What is never drawn is never returned; on the rest Theorem 4.3 applies.",
        proof="docs/proofs.md#truthful-sampler",
    ),
    Claim(
        id="truthful.sampler.mixture",
        kind=Kind.THEOREM,
        source="truthful, section 6.1; ours",
        title="… but a mixture with the model does",
        statement=(
            r"If each candidate is drawn from the model itself with a probability $\varepsilon > "
            r"0$, and the weights use the probability under this mixture, $\pi_M \to \pi^*$; and "
            r"$W \le \pi^*/(\varepsilon \pi_{ref})$ keeps the bound of theorem-4.3 finite."
        ),
        hypotheses=("the weights' π_gen is the mixture",),
        reading="ε = 1/4 on the instances.",
        check=ForAll(
            CUT,
            TendsTo(draw_from_mixture),
            show_sampled,
            without=(
                WithoutHypothesis(
                    "the weights' π_gen is the mixture", TendsTo(mixed_as_if_pure), CUT_UP_TO_TWO
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="The mixture covers the reference, so that Theorem 4.3 applies.",
        proof="docs/proofs.md#truthful-sampler",
    ),
    Claim(
        id="truthful.sampler.section-6.1",
        kind=Kind.MEASUREMENT,
        source="truthful, section 6.1",
        title="How far temperature 0.8 and top-p 0.95 lead from the optimum, in an example",
        statement=(
            r"On one explicit model of eight replies, the distance of the limit from $\pi^*$ for "
            "candidates sampled as in section 6.1, with the model's own weights and the right "
            "ones, and for what would restore it."
        ),
        reading="An example, not the paper's models, whose laws cannot be listed.",
        check=Distances(),
        expected=Status.MEASURED,
        least=EXACT,
        proof="docs/proofs.md#truthful-sampler",
    ),
    Claim(
        id="truthful.uniqueness",
        kind=Kind.THEOREM,
        source="truthful, section 5.3.1",
        title="The mechanism's is the only allocation rule that converges and is truthful",
        statement=(
            "Of the rules that return one of a fixed set of candidates, only the mechanism's is "
            r"truthful with some payments and tends to $\pi^*$."
        ),
        reading=(
            r"Refuted by $\mathrm{softmax}((1 + 1/M)(\sum_i r_i/\tau + \log \rho))$. It is the "
            r"gradient of $\tau \log \sum_j \exp((1 + 1/M) a_j)/(1 + 1/M)$, convex in $r_i$, and "
            r"for every draw within $1 - (w_{min}/w_{max})^{1/M}$ of the mechanism in total "
            "variation. On the instances no lie of a grid pays, exactly, and the distance is "
            "computed over every draw of candidates."
        ),
        check=ForAll(RIVALS, OnlyRule(), show_rival),
        expected=Status.REFUTED,
        least=EXACT,
        proof_idea="Any temperature that tends to τ does; for a given rule the payment is forced.",
        proof="docs/proofs.md#truthful-uniqueness",
    ),
    Claim(
        id="truthful.uniqueness.c1",
        kind=Kind.THEOREM,
        source="truthful, section 5.3.1; ours",
        title="For every temperature there is a truthful rule",
        statement=(
            r"For every $\kappa > 0$ the rule $\mathrm{softmax}(\kappa a)$, $a = \sum_i r_i/\tau + "
            r"\log \rho$, is truthful with the payments $p \cdot r_i - \tau \log \sum_j "
            r"\exp(\kappa a_j)/\kappa$; it tends to $\pi^*$ if $\kappa = \kappa_M \to 1$."
        ),
        reading="On the instances κ is 1 and 1 + 1/M. Utilities are unique up to a constant.",
        check=ForAll(RIVALS, RivalIsTruthful(), show_rival),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="truthful.uniqueness",
        proof_idea="It is the gradient of a convex function of r_i.",
        proof="docs/proofs.md#truthful-uniqueness",
    ),
)
