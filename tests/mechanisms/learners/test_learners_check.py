"""``check_learner`` on every learner that ships, and on learners with one thing wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest

from mechanisms.learners import (
    FTPL,
    OPPONENTS,
    BestResponse,
    BlumMansour,
    Hedge,
    RegretMatching,
    play_against,
    regret_bound,
)
from theory.incentives.learners import ADVERSARIES, LearnerReport, check_learner
from theory.verdicts import Status

EVERYBODY = {**ADVERSARIES, **OPPONENTS}
BLIND = {name: make for name, make in EVERYBODY.items() if name != "punishing"}
SIZES: dict[str, Any] = {"actions": (2, 5), "rounds": (1, 2, 5, 100)}

Make = Callable[[int, int, int], Any]


def stated(make: Make, kind: str = "external", **options: Any) -> Callable[[int, int], float]:
    """The bound of the learner of each size; plays may be off a fixed point by rounding."""

    def bound(rounds: int, actions: int) -> float:
        learner = make(actions, rounds, 0)
        return regret_bound(learner, rounds, kind=kind, residual=1e-12, **options).value

    return bound


def checked(make: Make, **options: Any) -> LearnerReport:
    return check_learner(make, **{"adversaries": EVERYBODY, **SIZES, **options})


SOUND: dict[str, Make] = {
    "hedge": lambda n, t, seed: Hedge(n, rounds=t),
    "hedge anytime": lambda n, t, seed: Hedge(n),
    "regret matching": lambda n, t, seed: RegretMatching(n),
}


@pytest.mark.parametrize("name", SOUND)
def test_external_regret_keeps_its_bound(name: str) -> None:
    make = SOUND[name]
    report = checked(make, external=stated(make), scale_free=name == "regret matching")
    assert report.refuted == report.faults == ()
    found = {f.property: f.status for f in report.findings}
    assert found.pop("internal_regret") == found.pop("swap_regret") == Status.MEASURED
    assert set(found.values()) == {Status.HOLDS}
    assert ("scale_invariance" in found) == (name == "regret matching")


@pytest.mark.parametrize("rounds_known", [True, False])
def test_the_copies_keep_all_three_bounds(rounds_known: bool) -> None:
    def make(actions: int, rounds: int, seed: int) -> BlumMansour:
        return BlumMansour(actions, rounds=rounds if rounds_known else None)

    bounds = {kind: stated(make, kind) for kind in ("external", "internal", "swap")}
    report = checked(make, **bounds)
    assert report.refuted == report.faults == ()
    assert {f.status for f in report.findings} == {Status.HOLDS}


@pytest.mark.parametrize(
    ("noise", "samples"),
    [
        ("gumbel", 1),
        ("exponential", 8),
        pytest.param("gumbel", 8, marks=pytest.mark.slow),
        pytest.param("normal", 1, marks=pytest.mark.slow),
        pytest.param("normal", 8, marks=pytest.mark.slow),
        pytest.param("exponential", 1, marks=pytest.mark.slow),
    ],
)
def test_ftpl_keeps_its_bound_against_those_who_do_not_see_its_draws(
    noise: str, samples: int
) -> None:
    """A failure probability of 1e-6 in each of some 120 games: one in 8,000 for the test.

    The draws are seeded, so that it passes always or never.
    """

    def make(actions: int, rounds: int, seed: int) -> FTPL:
        rng = np.random.default_rng([seed, actions, rounds])
        return FTPL(actions, rng=rng, samples=samples, noise=noise, rounds=rounds)

    report = checked(
        make,
        adversaries=BLIND,
        external=stated(make, failure=1e-6),
        properties=["distribution", "external_regret", "seed_discipline"],
        rounds=(1, 3, 40),
        seeds=2,
    )
    assert report.refuted == report.faults == ()


def test_who_sees_the_draw_breaks_the_bound_of_one_draw_a_round() -> None:
    def make(actions: int, rounds: int, seed: int) -> FTPL:
        return FTPL(actions, rng=np.random.default_rng(seed), rounds=rounds)

    report = checked(
        make,
        adversaries={"punishing": ADVERSARIES["punishing"]},
        external=stated(make, failure=0.05),
        properties=["external_regret"],
        actions=(2,),
        rounds=(40,),
    )
    assert report.refuted == ("external_regret",)


def test_ftpl_keeps_its_bound_in_expectation() -> None:
    """The mean over 60 seeds, with three standard errors."""
    rounds, actions = 20, 3
    idle = FTPL(actions, rng=np.random.default_rng(0), rounds=rounds)
    bound = regret_bound(idle, rounds, failure=None).value
    for name in ("alternating", "switching", "last play", "chase"):
        factory, regrets = EVERYBODY[name], []
        for seed in range(60):
            learner = FTPL(actions, rng=np.random.default_rng([seed, 1]), rounds=rounds)
            earned, total = 0.0, np.zeros(actions)
            opponent = factory(actions, np.random.default_rng(seed))
            for _ in range(rounds):
                play = np.array(learner.play())
                rewards = opponent(play)
                learner.observe(rewards)
                earned += play @ rewards
                total += rewards
            regrets.append(total.max() - earned)
        assert np.mean(regrets) <= bound + 3 * np.std(regrets) / sqrt(60), name


# --- what must fail


def hedge_bound(rounds: int, actions: int) -> float:
    return regret_bound(Hedge(actions, rounds=rounds), rounds).value


class WrongIndex(Hedge):
    """Credits each action with what the one before it earned."""

    def observe(self, rewards: Any) -> None:
        super().observe(np.roll(np.asarray(rewards), 1))


class WrongRegret(RegretMatching):
    """Forgets what it earned itself, and matches rewards in place of regrets."""

    def observe(self, rewards: Any) -> None:
        super().observe(np.minimum(1, np.asarray(rewards) / 2 + 0.5 * np.asarray(self.play())))


def test_best_response_is_refuted() -> None:
    report = checked(lambda n, t, seed: BestResponse(n), external=hedge_bound)
    assert report.refuted == ("external_regret", "relabelling")
    witness = report["external_regret"].witness
    assert witness is not None
    assert witness.rounds <= 3


@pytest.mark.parametrize(
    ("make", "broken"),
    [
        (lambda n, t, seed: WrongIndex(n, rounds=t), {"external_regret", "relabelling"}),
        (lambda n, t, seed: Hedge(n, rate=20 * sqrt(8 / t)), {"external_regret"}),
        (lambda n, t, seed: WrongRegret(n), {"external_regret"}),
    ],
    ids=["wrong index", "rate far too high", "wrong regret"],
)
def test_planted_faults_are_found(make: Make, broken: set[str]) -> None:
    report = checked(make, external=hedge_bound)
    assert broken <= set(report.refuted)
    assert report["external_regret"].witness is not None


def test_copies_that_are_all_fed_everything_have_swap_regret() -> None:
    """Hedge is what they become; in the trap its internal regret is linear."""
    rounds = 20 * (1 + 8 + 64)

    def in_the_trap(learner: Any) -> Any:
        opponent = OPPONENTS["trap"](3, np.random.default_rng(0))
        return play_against(learner, opponent, rounds, actions=3).regret()

    copies = BlumMansour(3, rounds=rounds)
    bound = regret_bound(copies, rounds, kind="swap").value
    assert in_the_trap(copies).swap.gain <= bound
    for learner in (Hedge(3, rounds=rounds), RegretMatching(3)):
        found = in_the_trap(learner)
        assert found.external.gain <= regret_bound(learner, rounds).value
        assert found.internal.gain > 0.1 * rounds > bound
