"""Planted faults in the claims about learners that run; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from mechanisms.learners import FTPL, BestResponse, Hedge, InternalFTPL, Learner
from mechanisms.learners.expected_maps import ExpectedMaps
from papers.oracles import CLAIMS
from papers.oracles.checks.blind_opponents import ExpectedRegretIsBounded
from papers.oracles.checks.constant_maps import (
    CrowdedGame,
    ExternalIsLinear,
    OneClosedClass,
    with_constants,
)
from papers.oracles.checks.contests import Contest
from papers.oracles.checks.learners_compared import LEARNERS, Contender, internal_ftpl
from papers.oracles.checks.lemma_6 import MapRegretIsBounded, MapWeights
from papers.oracles.checks.many_runs import Setting, drawn_maps, ftpl, with_constant_maps
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
from papers.oracles.checks.softmax import running_softmax
from theory.claims import Check
from theory.fixed_point import MapMixture, fixed_point

__all__ = ["MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


def named(claim_id: str, **predicates: Any) -> dict[str, Check]:
    """The claim's check with each of these predicates."""
    return {
        name: replace(CHECKS[claim_id], predicate=predicate)
        for name, predicate in predicates.items()
    }


def made(claim_id: str, **makes: Any) -> dict[str, Check]:
    """The claim's check with each of these learners."""
    return {name: replace(CHECKS[claim_id], make=make) for name, make in makes.items()}


class Contrary:
    """A learner that mistakes a reward for a loss."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.residual = 0.0

    def play(self) -> Any:
        return self.learner.play()

    def observe(self, rewards: Any) -> None:
        self.learner.observe(1 - np.asarray(rewards))


def contrary(make: Callable[..., Any], *arguments: Any) -> Any:
    return Contrary(make(*arguments))


class MistakesTheLast(Contrary):
    """A learner that mistakes rewards of the last action for losses."""

    def observe(self, rewards: Any) -> None:
        seen = np.array(rewards, dtype=np.float64)
        seen[-1] = 1 - seen[-1]
        self.learner.observe(seen)


class LaterContrary(Contrary):
    """A learner that sees the first round rightly."""

    first = True

    def observe(self, rewards: Any) -> None:
        if self.first:
            self.learner.observe(rewards)
        else:
            super().observe(rewards)
        self.first = False


def mistakes_the_last(make: Callable[..., Any], *arguments: Any) -> Any:
    return MistakesTheLast(make(*arguments))


def later_contrary(make: Callable[..., Any], *arguments: Any) -> Any:
    return LaterContrary(make(*arguments))


def stubborn(contest: Contest) -> Learner:
    """Learns next to nothing."""
    return Hedge(contest.actions, rate=1e-9)


def hasty(make: type[FTPL] | type[InternalFTPL], setting: Setting, rng: Any) -> Any:
    """Learns far too fast."""
    return make(setting.actions, rng=rng, samples=setting.samples, rate=50.0)


def following(setting: Setting, rng: Any) -> Learner:
    del rng
    return BestResponse(setting.actions)


def reversed_softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax of the scores with the sign turned."""
    return running_softmax(scores - scores - scores)


# --- maps


class Scaled:
    """Weights of maps at some multiple of the rate."""

    def __init__(self, actions: int, factor: float) -> None:
        self.maps, self.factor = ExpectedMaps(actions, constants=False), factor

    def mixture(self, rate: float) -> np.ndarray:
        return self.maps.mixture(self.factor * rate)

    def add(self, play: np.ndarray, rewards: np.ndarray) -> None:
        self.maps.add(play, rewards)


class TurnedLater(Scaled):
    """Weights that are right for the first action, and for the others at minus the rate."""

    def mixture(self, rate: float) -> np.ndarray:
        return np.vstack([self.maps.mixture(rate)[:1], super().mixture(rate)[1:]])


def scaled(actions: int, factor: float) -> MapWeights:
    return Scaled(actions, factor)


def moves_alone(maps: MapMixture, start: int) -> Any:
    """The fixed point of what is left when constant maps are forgotten."""
    moved = zip(maps.moves.sources.tolist(), maps.moves.targets.tolist(), strict=True)
    moves = dict(zip(moved, maps.moves.weights.tolist(), strict=True))
    return fixed_point(MapMixture.of(maps.size, moves=moves), start=start)


def moves_alone_later(maps: MapMixture, start: int) -> Any:
    """The same where the search starts at another action than the first."""
    return (moves_alone if start else fixed_point)(maps, start=start)


def evenly(maps: MapMixture, start: int) -> Any:
    """The right closed class, all of it alike."""
    found = fixed_point(maps, start=start)
    share = [1 / len(found.support)] * len(found.support)
    return SimpleNamespace(support=found.support, weights=share, unique=found.unique)


def crowd_hedge(crowd: CrowdedGame) -> Learner:
    return Hedge(crowd.rounds, rounds=crowd.rounds)


# --- learners compared


def follower(actions: int, rng: Any) -> Contender:
    del rng
    return Contender(BestResponse(actions))


def contrary_maps(actions: int, rng: Any) -> Contender:
    made = internal_ftpl(actions, rng)
    return Contender(Contrary(made.learner), made.oracle)


def compared(**others: Any) -> Check:
    """Table 1 with other learners under the names of the right ones."""
    learners = tuple((name, others.get(name, make)) for name, make in LEARNERS)
    check: Check = replace(CHECKS["oracles.table-1"], learners=learners)
    return check


MUTANTS: dict[str, dict[str, Check]] = {
    "oracles.ftpl": named(
        "oracles.ftpl",
        leader=RegretIsBounded(leader, (EXTERNAL,)),
        stubborn=RegretIsBounded(stubborn, (EXTERNAL,)),
        contrary=RegretIsBounded(partial(contrary, hedge), (EXTERNAL,)),
        mistakes_the_last=RegretIsBounded(partial(mistakes_the_last, hedge), (EXTERNAL,)),
        later_contrary=RegretIsBounded(partial(later_contrary, hedge), (EXTERNAL,)),
    ),
    "oracles.ftpl.sampled": named(
        "oracles.ftpl.sampled", reversed=ExpectedRegretIsBounded(reversed_softmax)
    ),
    "oracles.ftpl.drawn": made(
        "oracles.ftpl.drawn",
        contrary=partial(contrary, ftpl),
        mistakes_the_last=partial(mistakes_the_last, ftpl),
        following=following,
        hasty=partial(hasty, FTPL),
    ),
    "oracles.lemma-6": named(
        "oracles.lemma-6",
        asleep=MapRegretIsBounded(partial(scaled, factor=0.0)),
        turned=MapRegretIsBounded(partial(scaled, factor=-1.0)),
        turned_later=MapRegretIsBounded(partial(TurnedLater, factor=-1.0)),
        hasty=MapRegretIsBounded(partial(scaled, factor=20.0)),
    ),
    "oracles.theorem-4": made(
        "oracles.theorem-4",
        contrary=partial(contrary, drawn_maps),
        hasty=partial(hasty, InternalFTPL),
    ),
    "oracles.theorem-4.law": named(
        "oracles.theorem-4.law",
        hedge=RegretIsBounded(hedge, (INTERNAL,)),
        contrary=RegretIsBounded(partial(contrary, law), (INTERNAL,)),
    ),
    "oracles.simultaneous": named(
        "oracles.simultaneous",
        leader=RegretIsBounded(leader, (EXTERNAL_TOO, INTERNAL_TOO)),
        stubborn=RegretIsBounded(stubborn, (EXTERNAL_TOO, INTERNAL_TOO)),
        contrary=RegretIsBounded(
            partial(contrary, law_with_constants), (EXTERNAL_TOO, INTERNAL_TOO)
        ),
    ),
    "oracles.simultaneous.drawn": made(
        "oracles.simultaneous.drawn",
        contrary=partial(contrary, with_constant_maps),
        following=following,
    ),
    "oracles.simultaneous.unique": named(
        "oracles.simultaneous.unique",
        moves_alone=OneClosedClass(solve=moves_alone),
        evenly=OneClosedClass(solve=evenly),
        moves_alone_later=OneClosedClass(solve=moves_alone_later),
    ),
    "oracles.simultaneous.linear": named(
        "oracles.simultaneous.linear",
        with_constants=ExternalIsLinear(with_constants),
        hedge=ExternalIsLinear(crowd_hedge),
    ),
    "oracles.table-1": {
        "a follower": compared(**{"Blum-Mansour": follower}),
        "contrary": compared(**{"Algorithm 1": contrary_maps}),
    },
}
