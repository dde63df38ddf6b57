"""Planted faults in the claims about learning with oracles; see __init__.py."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log
from types import SimpleNamespace
from typing import Any

import numpy as np

from mechanisms.learners import FTPL, BestResponse, Hedge, Learner
from papers.oracles import CLAIMS
from papers.oracles.checks.gumbel import DRAWS, GROWTH, LeaderIsSoftmax, LeaderProof
from papers.oracles.checks.lemma_3 import (
    EnoughToSolveOn,
    Mixture,
    NonSourcesAreFixed,
    sources,
    targets,
    touched_indices,
)
from papers.oracles.checks.lemma_7 import LipschitzProof, SoftmaxIsLipschitz
from papers.oracles.checks.regrets import (
    FactorsAreAttained,
    History,
    Match,
    Regrets,
    RegretsAreGaps,
    RegretsAreOrdered,
    measure_regrets,
)
from papers.oracles.checks.sampled_maps import (
    Play,
    Sample,
    TailIsSmall,
    Unbiased,
    fixed_in_advance,
    lowest_fixed_point,
)
from papers.oracles.checks.softmax import running_softmax
from papers.oracles.checks.vacuous import (
    InternalIsAtMostOne,
    LowInternalMeansLowExternal,
    UniformIsNearlyCorrelated,
    UniformPlay,
    one_action,
)
from papers.oracles.checks.zero_sum import (
    CoarseIsNash,
    JointPlay,
    MarginalsAreNearlyNash,
    Mixed,
    marginals,
)
from theory.claims import Check
from theory.correlated import empirical_distribution
from theory.fixed_point import MapMixture, fixed_point

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}

HALF = Fraction(1, 2)


def named(claim_id: str, **predicates: Any) -> dict[str, Check]:
    """The claim's check with each of these predicates."""
    return {
        name: replace(CHECKS[claim_id], predicate=predicate)
        for name, predicate in predicates.items()
    }


def proofs(claim_id: str, **found: Any) -> dict[str, Check]:
    """The claim's check with each of these in place of its proof."""
    return {name: replace(CHECKS[claim_id], prove=prove) for name, prove in found.items()}


# --- regrets


def forgetting_what_was_earned(history: History) -> Regrets:
    found = measure_regrets(history)
    best = max(map(sum, zip(*history.rewards, strict=True)))
    return replace(found, external=Fraction(best))


def best_of_each_round(history: History) -> Regrets:
    """The replacement may change from round to round."""
    found = measure_regrets(history)
    rounds = (History((x,), (r,)) for x, r in zip(history.plays, history.rewards, strict=True))
    return replace(found, internal=sum((measure_regrets(h).internal for h in rounds), Fraction(0)))


def one_swap_at_most(history: History) -> Regrets:
    found = measure_regrets(history)
    return replace(found, swap=found.internal)


def first_rounds(history: History) -> Regrets:
    """All rounds but the last of several."""
    rounds = max(1, len(history.plays) - 1)
    return measure_regrets(History(history.plays[:rounds], history.rewards[:rounds]))


def last_action_spared(history: History) -> Regrets:
    """As if the last action never earned more than any other."""
    rewards = tuple((*row[:-1], min(row)) for row in history.rewards)
    return measure_regrets(History(history.plays, rewards))


LATER = (first_rounds, last_action_spared)
MEASURES = (forgetting_what_was_earned, best_of_each_round, one_swap_at_most)


def product_of_averages(match: Match) -> Any:
    """The joint distribution of players who have forgotten what went with what."""
    rounds = len(match.plays[0])
    x, y = ([sum(column) / rounds for column in zip(*p, strict=True)] for p in match.plays)
    return [[a * b for b in y] for a in x]


def second_player_never_moves(match: Match) -> Any:
    """The second player's first play stands for all of its plays."""
    first, second = match.plays
    return empirical_distribution([list(first), [second[0]] * len(second)])


def last_round(match: Match) -> Any:
    return empirical_distribution([[plays[-1]] for plays in match.plays])


def first_action(case: UniformPlay) -> Any:
    N = len(case.payoffs[0])
    return [[Fraction(i == j == 0) for j in range(N)] for i in range(N)]


def leaning(case: UniformPlay) -> Any:
    """The first action twice as often as each of the others."""
    N = len(case.payoffs[0])
    weights = [Fraction(2 if i == 0 else 1, N + 1) for i in range(N)]
    return [[p * q for q in weights] for p in weights]


# --- softmax


def hot(scores: np.ndarray) -> np.ndarray:
    """Softmax of twice the scores."""
    return running_softmax(scores + scores)


def hot_at_last(scores: np.ndarray) -> np.ndarray:
    """Softmax with twice the last score."""
    changed = scores.copy()
    changed[-1] = changed[-1] + changed[-1]
    return running_softmax(changed)


def very_hot(scores: np.ndarray) -> np.ndarray:
    return hot(scores + scores)


def unnormalised(scores: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.exp(scores)
    return found


def hasty(actions: int) -> Learner:
    return Hedge(actions, rate=2 * log(GROWTH))


class Forgetful:
    """Takes note of the first round alone."""

    def __init__(self, learner: Learner) -> None:
        self.learner, self.rounds = learner, 0

    def play(self) -> Any:
        return self.learner.play()

    def observe(self, rewards: Any) -> None:
        self.rounds += 1
        if self.rounds == 1:
            self.learner.observe(rewards)


def forgetful(actions: int) -> Any:
    return Forgetful(Hedge(actions, rate=log(GROWTH)))


def silent(actions: int, rng: np.random.Generator) -> Learner:
    """The leader without noise."""
    del rng
    return BestResponse(actions)


def cautious(actions: int, rng: np.random.Generator) -> Learner:
    return FTPL(actions, rng=rng, samples=DRAWS, rate=log(GROWTH) / 2)


def last_of_all(scores: Any, noise: Any) -> int:
    return int((scores + noise).argmin())


def last_overlooked(scores: Any, noise: Any) -> int:
    """The leader of all but the last action, where there are several."""
    total = scores + noise
    return int(total[: max(1, len(total) - 1)].argmax())


def noiseless(scores: Any, noise: Any) -> int:
    del noise
    return int(scores.argmax())


def logistic(x: Any) -> Any:
    from sympy import exp

    return 1 / (1 + exp(-x))


# --- fixed points


def evenly(maps: MapMixture) -> Any:
    """The right closed class, all of it alike."""
    support = fixed_point(maps).support
    return SimpleNamespace(support=support, weights=[Fraction(1, len(support))] * len(support))


def first_touched(mixture: Mixture) -> list[int]:
    return touched_indices(mixture)[:1]


def last_untouched(mixture: Mixture) -> list[int]:
    return touched_indices(mixture)[:-1]


def last_target_missing(mixture: Mixture) -> list[int]:
    return targets(mixture)[:-1]


def first_target(mixture: Mixture) -> list[int]:
    return targets(mixture)[:1]


def last_source(mixture: Mixture) -> list[int]:
    return sources(mixture)[-1:]


def every_index(mixture: Mixture) -> list[int]:
    return list(range(mixture.actions))


def non_targets(mixture: Mixture) -> list[int]:
    return [i for i in range(mixture.actions) if i not in targets(mixture)]


# --- sampled maps


def highest_fixed_point(actions: int, sample: Sample) -> Play:
    """The closed class with the highest index."""
    turned = tuple(
        None if move is None else (actions - 1 - move[0], actions - 1 - move[1]) for move in sample
    )
    return lowest_fixed_point(actions, turned)[::-1]


def exchanged(case: JointPlay) -> Mixed:
    x, y = marginals(case)
    return y, x


def second_turned(case: JointPlay) -> Mixed:
    """The second player's actions are taken for each other."""
    x, y = marginals(case)
    return x, y[::-1]


def most_likely(case: JointPlay) -> Mixed:
    """The likeliest profile, in place of the marginals."""
    x, y = marginals(case)
    first, second = (
        [Fraction(i == row.index(max(row))) for i in range(len(row))] for row in (x, y)
    )
    return first, second


MUTANTS: dict[str, dict[str, Check]] = {
    "oracles.regret": named(
        "oracles.regret", **{m.__name__: RegretsAreOrdered(m) for m in (*MEASURES, *LATER)}
    ),
    "oracles.regret.attained": named(
        "oracles.regret.attained",
        **{m.__name__: FactorsAreAttained(m) for m in (*MEASURES[1:], *LATER)},
    ),
    "oracles.regret.equilibria": named(
        "oracles.regret.equilibria",
        product_of_averages=RegretsAreGaps(product_of_averages),
        last_round=RegretsAreGaps(last_round),
        second_player_never_moves=RegretsAreGaps(second_player_never_moves),
    ),
    "oracles.vacuous": named(
        "oracles.vacuous",
        one_action=InternalIsAtMostOne(one_action),
        best_of_each_round=InternalIsAtMostOne(measure=best_of_each_round),
    ),
    "oracles.vacuous.external": named(
        "oracles.vacuous.external", one_action=LowInternalMeansLowExternal(one_action)
    ),
    "oracles.vacuous.uniform": named(
        "oracles.vacuous.uniform",
        first_action=UniformIsNearlyCorrelated(first_action),
        leaning=UniformIsNearlyCorrelated(leaning),
    ),
    "oracles.gumbel": named(
        "oracles.gumbel",
        hot=LeaderIsSoftmax(softmax=hot),
        hasty=LeaderIsSoftmax(deterministic=hasty),
        hot_at_last=LeaderIsSoftmax(softmax=hot_at_last),
        forgetful=LeaderIsSoftmax(deterministic=forgetful),
        silent=LeaderIsSoftmax(perturbed=silent),
        cautious=LeaderIsSoftmax(perturbed=cautious),
    ),
    "oracles.lemma-3": named(
        "oracles.lemma-3",
        sources=EnoughToSolveOn(sources, 2),
        evenly=EnoughToSolveOn(touched_indices, 2, evenly),
        last_untouched=EnoughToSolveOn(last_untouched, 2),
        half_as_many=EnoughToSolveOn(touched_indices, 1),
    ),
    "oracles.lemma-3.targets": named(
        "oracles.lemma-3.targets",
        first_target=EnoughToSolveOn(first_target, 1),
        evenly=EnoughToSolveOn(targets, 1, evenly),
        last_target_missing=EnoughToSolveOn(last_target_missing, 1),
    ),
    "oracles.lemma-3.sources-alone": named(
        "oracles.lemma-3.sources-alone",
        last_source=EnoughToSolveOn(last_source, 1),
        first_touched=EnoughToSolveOn(first_touched, 1),
    ),
    "oracles.lemma-3.absorbing": named(
        "oracles.lemma-3.absorbing",
        non_targets=NonSourcesAreFixed(non_targets),
        every_index=NonSourcesAreFixed(every_index),
    ),
    "oracles.zero-sum": named(
        "oracles.zero-sum",
        exchanged=CoarseIsNash(of_marginals=True, marginals=exchanged),
        most_likely=CoarseIsNash(of_marginals=True, marginals=most_likely),
    ),
    "oracles.zero-sum.marginals": named(
        "oracles.zero-sum.marginals",
        without_the_factor=MarginalsAreNearlyNash(Fraction(1)),
        exchanged=MarginalsAreNearlyNash(marginals=exchanged),
        second_turned=MarginalsAreNearlyNash(marginals=second_turned),
    ),
    "oracles.lemma-5": named(
        "oracles.lemma-5",
        highest=TailIsSmall(rule=highest_fixed_point),
        any_play=TailIsSmall(any_play=True),
    ),
    "oracles.lemma-5.dependence": named(
        "oracles.lemma-5.dependence", independent=Unbiased(fixed_in_advance)
    ),
    "oracles.lemma-5.repaired": named(
        "oracles.lemma-5.repaired", without_the_union=TailIsSmall(any_play=True)
    ),
    "oracles.lemma-7": named(
        "oracles.lemma-7",
        a_quarter=SoftmaxIsLipschitz(HALF),
        very_hot=SoftmaxIsLipschitz(Fraction(2), softmax=very_hot),
        unnormalised=SoftmaxIsLipschitz(Fraction(2), softmax=unnormalised),
    ),
    "oracles.lemma-7.sharp": named(
        "oracles.lemma-7.sharp",
        a_tenth_less=SoftmaxIsLipschitz(Fraction(9, 10)),
        hot=SoftmaxIsLipschitz(Fraction(1), sharply=True, softmax=hot),
        hot_at_last=SoftmaxIsLipschitz(Fraction(1), sharply=True, softmax=hot_at_last),
        hot_within_twice=SoftmaxIsLipschitz(Fraction(2), sharply=True, softmax=hot),
    ),
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    "oracles.gumbel": proofs(
        "oracles.gumbel",
        hot=LeaderProof(softmax=hot),
        last_of_all=LeaderProof(leader=last_of_all),
        last_overlooked=LeaderProof(leader=last_overlooked),
        noiseless=LeaderProof(leader=noiseless),
        logistic=LeaderProof(distribution=logistic),
    ),
    "oracles.lemma-7": proofs(
        "oracles.lemma-7",
        hot=LipschitzProof(Fraction(2), hot),
        a_quarter=LipschitzProof(HALF),
    ),
    "oracles.lemma-7.sharp": proofs(
        "oracles.lemma-7.sharp",
        hot=LipschitzProof(Fraction(1), hot),
        hot_at_last=LipschitzProof(Fraction(1), hot_at_last),
        a_tenth_less=LipschitzProof(Fraction(9, 10)),
    ),
}

REPAIRED: dict[str, dict[str, Check]] = {
    "oracles.zero-sum": named("oracles.zero-sum", of_marginals=CoarseIsNash(of_marginals=True)),
    "oracles.lemma-3.sources-alone": named(
        "oracles.lemma-3.sources-alone",
        touched=EnoughToSolveOn(touched_indices, 2),
        targets=EnoughToSolveOn(targets, 1),
    ),
    "oracles.lemma-5": named(
        "oracles.lemma-5",
        independent=TailIsSmall(rule=fixed_in_advance),
        union=TailIsSmall(union=True),
    ),
}
