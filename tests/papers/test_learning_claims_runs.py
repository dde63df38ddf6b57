"""The claims about learners that run: their numbers by hand, by other code, and how they fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, exp, isclose, log, sqrt
from typing import Any

import numpy as np
import pytest

from dev import ROOT
from mechanisms.learners import Hedge, InternalFTPL, regret_bound
from papers.oracles import CLAIMS
from papers.oracles.checks.blind_opponents import BLIND_PLANS, SEEING_PLANS, Plan, outcomes
from papers.oracles.checks.constant_maps import CrowdedGame, without_constants
from papers.oracles.checks.contests import CONTESTS, LONG, Contest, exact_regrets, meet
from papers.oracles.checks.learners_compared import CountingOracle, blum_mansour, internal_ftpl
from papers.oracles.checks.lemma_6 import APPLIED, law_of_maps, map_regret
from papers.oracles.checks.many_runs import (
    ANTICIPATION,
    DELTA,
    MAP_SETTINGS,
    SIGNIFICANCE,
    ManyRuns,
    Setting,
    binomial_tail,
    drawn_maps,
    judge_maps,
)
from papers.oracles.checks.pathwise import (
    EXTERNAL,
    EXTERNAL_TOO,
    INTERNAL,
    INTERNAL_TOO,
    Promise,
    RegretIsBounded,
    bound,
    exceeds_bound,
    hedge,
    law,
    law_with_constants,
)
from theory.checks import ForAll
from theory.claims import Budget, CheckContext, spawn_seed
from theory.regret import regret
from theory.search import search
from theory.verdicts import Finding, Status, Table

BY_ID = {claim.id: claim for claim in CLAIMS}
SMALL = Budget(exhaustive=800, samples=20, shrinks=500, size=1)


def finding(claim_id: str, **changes: int) -> Finding:
    budget = replace(SMALL, **changes)
    return BY_ID[claim_id].check(CheckContext(seed=spawn_seed(0, claim_id), budget=budget))


def evidence(claim_id: str) -> str:
    return "\n".join(map(str, finding(claim_id).evidence))


# --- regrets of floats in rationals


def by_definition(plays: np.ndarray, rewards: np.ndarray) -> dict[str, Fraction]:
    x = [[Fraction(v) for v in row] for row in plays.tolist()]
    r = [[Fraction(v) for v in row] for row in rewards.tolist()]
    every = range(len(x[0]))
    rounds = list(zip(x, r, strict=True))
    gain = [
        [sum((a[i] * (b[j] - b[i]) for a, b in rounds), Fraction(0)) for j in every] for i in every
    ]
    return {
        "external": max(sum((row[j] for row in gain), Fraction(0)) for j in every),
        "internal": max(max(row) for row in gain),
        "swap": sum((max(row) for row in gain), Fraction(0)),
    }


@pytest.mark.parametrize("seed", range(5))
def test_exact_regrets_are_those_of_the_definitions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plays, rewards = rng.dirichlet(np.ones(3), size=6), rng.random((6, 3))
    found = exact_regrets(plays, rewards)
    assert vars(found) == by_definition(plays, rewards)
    floats = regret(plays, rewards)
    assert float(found.external) == pytest.approx(floats.external.gain, abs=1e-12)
    assert float(found.swap) == pytest.approx(floats.swap.gain, abs=1e-12)


def test_exact_regrets_take_the_smallest_of_floats() -> None:
    found = exact_regrets(np.array([[1.0, 5e-324]]), np.array([[0.0, 1.0]]))
    assert found.internal == 1
    found = exact_regrets(np.array([[5e-324, 1.0]]), np.array([[0.0, 1.0]]))
    assert found.internal == Fraction(5e-324) > 0


# --- bounds


@pytest.mark.parametrize(
    ("promise", "make", "kind"),
    [
        (EXTERNAL, hedge, "external"),
        (INTERNAL, law, "internal"),
        (EXTERNAL_TOO, law_with_constants, "external"),
        (INTERNAL_TOO, law_with_constants, "internal"),
    ],
)
@pytest.mark.parametrize("rate", [None, 1])
def test_bounds_are_those_that_the_library_states(
    promise: Promise, make: Any, kind: str, rate: int | None
) -> None:
    for N, T in ((2, 1), (3, 17), (10, 1_000)):
        stated = regret_bound(make(Contest(N, T, rate)), T, kind=kind)
        ours = bound(promise.prior(N), promise.tuned(N), T, rate)
        assert float(ours) == pytest.approx(stated.value, rel=1e-12)


def test_the_best_rates_give_the_printed_forms() -> None:
    for N, T in ((2, 3), (5, 100)):
        assert float(bound(N, N, T, None)) == pytest.approx(sqrt(T * log(N) / 2))
        assert float(bound(N**2, N**2, T, None)) == pytest.approx(sqrt(T * log(N)))
        eta = 4 * sqrt(log(N) / T)
        assert 2 * log(N) / eta + eta * T / 8 == pytest.approx(sqrt(T * log(N)))


def test_a_number_just_above_the_bound_is_above_it() -> None:
    most = Fraction(float(bound(3, 3, 7, None)))
    assert not exceeds_bound(most - Fraction(1, 10**12), 3, 3, 7, None)
    assert exceeds_bound(most + Fraction(1, 10**12), 3, 3, 7, None)
    assert exceeds_bound(Fraction(0), 1, 2, 1, 1) is False


def test_scripts_are_all_sequences_up_to_a_shift_of_a_round() -> None:
    for rounds, sizes in ((1, (2, 3)), (2, (2, 3)), (4, (2,))):
        members = [m.instance for m in CONTESTS.members(rounds) if m is not None]
        expected = {
            (N, rate, script)
            for N in sizes
            for rate in (None, 1)
            for script in product(
                [row for row in product((0, 1), repeat=N) if not all(row)], repeat=rounds
            )
        }
        assert len(members) == len(expected)
        assert {(c.actions, c.rate, c.script) for c in members} == expected


def test_a_script_and_the_same_rewards_by_hand() -> None:
    contest = Contest(2, 2, 1, script=((1, 0), (1, 0)))
    plays, rewards = contest.meet(hedge(contest))
    assert plays[0].tolist() == [0.5, 0.5]
    assert plays[1][0] == pytest.approx(exp(1) / (exp(1) + 1))
    assert rewards.tolist() == [[1, 0], [1, 0]]
    assert float(exact_regrets(plays, rewards).external) == pytest.approx(1.5 - plays[1][0])


def test_hedge_loses_to_the_trap_when_it_is_asked_about_internal_regret() -> None:
    trial = RegretIsBounded(hedge, (INTERNAL,))(Contest(3, LONG, None, opponent="trap"))
    assert trial.failure
    assert not RegretIsBounded(hedge, (EXTERNAL,))(Contest(3, LONG, None, opponent="trap")).failure
    assert not RegretIsBounded(law, (INTERNAL,))(Contest(3, LONG, None, opponent="trap")).failure


def test_a_fixed_point_that_misses_is_noticed() -> None:
    class Careless(InternalFTPL):
        def play(self) -> Any:
            found = super().play()
            self.residual = 1e-9
            return found

    contest = Contest(2, 1, None, script=((0, 0),))
    check = RegretIsBounded(lambda c: Careless(c.actions, rounds=c.rounds), (INTERNAL,))
    assert "misses by 1e-09" in check(contest).failure


# --- sampled FTPL


def test_probabilities_of_draws_sum_to_one_and_are_those_of_softmax() -> None:
    plan = next(
        m.instance for m in BLIND_PLANS.members(2) if m is not None and m.instance.growth == 8
    )
    found = list(outcomes(plan))
    assert sum(o.probability for o in found) == 1
    plan = Plan(2, 2, 8, (((), (1, 0)), ((0,), (0, 1)), ((1,), (0, 1))))
    assert {o.drawn: (o.probability, o.regret) for o in outcomes(plan)} == {
        (0, 0): (Fraction(4, 9), 0),
        (0, 1): (Fraction(1, 18), -1),
        (1, 0): (Fraction(4, 9), 1),
        (1, 1): (Fraction(1, 18), 0),
    }


def test_an_opponent_who_sees_the_draw_breaks_the_bound_in_one_round() -> None:
    lines = evidence("oracles.ftpl.sampled")
    assert "Without the clause “the opponent does not see the draw of the round” it fails" in lines
    assert "2 actions, 1 round, e^η = 8" in lines
    assert log(2) / log(8) + log(8) / 8 == pytest.approx(0.593264, abs=1e-6)
    plans = [m.instance for m in SEEING_PLANS.members(1) if m is not None]
    assert len(plans) == 2 * 3**2
    assert all(plan.sees for plan in plans)


# --- Lemma 6


def test_the_regret_of_maps_is_that_of_the_definition() -> None:
    cases = [m.instance for m in APPLIED.members(2) if m is not None][:200:20]
    for case in cases:
        rounds, mixtures = case.run(law_of_maps(case.actions))
        N = case.actions
        options = [None, *((i, j) for i in range(N) for j in range(N) if i != j)]
        best = max(sum(float(moved(x, o) @ r) for x, r in rounds) for o in options)
        earned = sum(x @ Q @ r for (x, r), Q in zip(rounds, mixtures, strict=True))
        assert float(map_regret(rounds, mixtures)) == pytest.approx(best - earned, abs=1e-12)


def moved(x: np.ndarray, move: tuple[int, int] | None) -> np.ndarray:
    found = x.copy()
    if move is not None:
        i, j = move
        found[i], found[j] = 0, x[j] + x[i]
    return found


def test_the_first_weights_of_maps_are_even() -> None:
    found = law_of_maps(3).mixture(1.0)
    np.testing.assert_allclose(found, (np.ones((3, 3)) + 4 * np.eye(3)) / 7)


# --- runs


def test_the_binomial_tail() -> None:
    assert binomial_tail(0, 5, 0.3) == pytest.approx(1)
    assert binomial_tail(5, 5, 0.3) == pytest.approx(0.3**5)
    assert binomial_tail(2, 3, 0.5) == pytest.approx(0.5)
    assert binomial_tail(6, 27, DELTA) < SIGNIFICANCE < binomial_tail(4, 27, DELTA)
    assert isclose(
        binomial_tail(3, 40, DELTA),
        1 - sum(comb(40, k) * DELTA**k * (1 - DELTA) ** (40 - k) for k in range(3)),
        rel_tol=1e-9,
    )


def test_samples_are_as_many_as_make_both_terms_alike() -> None:
    for setting in MAP_SETTINGS:
        N, T, m = setting.actions, setting.rounds, setting.samples
        drawn = T * sqrt(log(N * T / DELTA) / (2 * m))
        assert 0.97 * sqrt(T * log(N)) < drawn <= sqrt(T * log(N))
        assert 2 * sqrt(T * log(N)) < T, "the bound says something"


def test_the_parts_of_internal_regret_add_up_and_its_law_keeps_its_bound() -> None:
    settings = (Setting("cycle", 3, 20, 30), Setting(ANTICIPATION, 3, 20, 30))
    tables = finding_of(ManyRuns(settings, judge_maps, drawn_maps)).evidence
    assert isinstance(tables[0], Table)
    assert tables[0].columns == ("opponent", "N", "m", "internal", "law, internal", "draws")
    assert [row[0] for row in tables[0].rows] == ["cycle", ANTICIPATION]


def finding_of(check: ManyRuns) -> Finding:
    return check(CheckContext(seed=5, budget=SMALL))


def test_runs_depend_on_the_seed_alone() -> None:
    check = ManyRuns((Setting("walk", 3, 12, 5),), judge_maps, drawn_maps)
    assert finding_of(check) == finding_of(check)
    assert finding_of(check) != check(CheckContext(seed=6, budget=SMALL))


def test_one_run_above_a_bound_that_never_fails_refutes() -> None:
    def worse(run: Any) -> Any:
        internal, of_the_law, drawn = judge_maps(run)
        return [internal, replace(of_the_law, value=of_the_law.bound + 1e-6), drawn]

    found = finding_of(ManyRuns((Setting("cycle", 3, 4, 2),), worse, drawn_maps))
    assert found.status is Status.REFUTED
    assert "in 3 of 3 runs" in found.reason


def test_one_run_above_a_bound_that_may_fail_does_not_refute() -> None:
    seen: list[int] = []

    def unlucky(run: Any) -> Any:
        seen.append(1)
        internal, of_the_law, drawn = judge_maps(run)
        return [internal, of_the_law, replace(drawn, value=99.0) if len(seen) == 1 else drawn]

    found = finding_of(ManyRuns((Setting("cycle", 3, 4, 2),), unlucky, drawn_maps))
    assert found.status is Status.HOLDS
    assert "1 were above" in found.reason or "3 runs 1" in found.reason


# --- constant maps


def always_last(play: np.ndarray) -> np.ndarray:
    return np.asarray(np.eye(len(play))[-1])


def crowd_recursion(T: int) -> float:
    """How often the good action is played in all, by the equation of the written proof."""
    eta, played = 4 * sqrt(log(T) / T), 0.0
    for t in range(T):
        ratio = exp(eta * ((t - played) / (T - 1) + played)) / (T - 1)
        played += ratio / (1 + ratio)
    return played


@pytest.mark.parametrize("T", [5, 16, 40])
def test_the_written_equation_is_what_the_learner_plays(T: int) -> None:
    crowd = CrowdedGame(T)
    plays, rewards = meet(without_constants(crowd), always_last, T)
    external = float(exact_regrets(plays, rewards).external)
    assert external == pytest.approx(T - crowd_recursion(T), abs=1e-9)


def test_external_regret_is_linear_by_the_written_equation() -> None:
    for T in (16, 32, 64, 96, 200, 500):
        assert T - crowd_recursion(T) >= 0.4 * T
    for T in (900, 2_000, 5_000):
        assert crowd_recursion(T) <= 2
        z = 4 * sqrt(log(T) / T)
        z *= exp(z) * T / (T - 1)
        assert z <= 0.5


def test_ten_actions_are_the_first_crowd_that_needs_constant_maps() -> None:
    check = BY_ID["oracles.simultaneous"].check
    assert isinstance(check, ForAll)
    (dropped,) = check.without
    assert dropped.family is not None
    context = CheckContext(seed=0, budget=SMALL)
    found = search(dropped.family, dropped.predicate, context).smallest
    assert found is not None
    assert found.instance == CrowdedGame(10)
    assert "regret 4.129, with constant maps 1.617" in check.show(found.instance).summary
    eta = sqrt(8 * log(200) / 10)
    assert 10 - crowd_recursion(10) > log(20) / eta + eta * 10 / 8
    eta = sqrt(8 * log(162) / 9)
    assert 9 - crowd_recursion(9) < log(18) / eta + eta * 9 / 8


def test_the_page_has_the_regrets_of_the_crowds() -> None:
    page = (ROOT / "docs" / "oracles.md").read_text(encoding="utf-8")
    for T in (10, 16, 64, 128):
        without = T - crowd_recursion(T)
        learner = InternalFTPL(T, constants=True, rounds=T)
        with_them = exact_regrets(*meet(learner, always_last, T)).external
        eta = sqrt(8 * log(2 * T * T) / T)
        proven = log(2 * T) / eta + eta * T / 8
        row = f"| {T} | {without:.2f} | {float(with_them):.2f} | {proven:.2f} |"
        assert row in page


# --- Table 1


def test_the_oracle_counts_what_it_draws_and_what_that_touches() -> None:
    rng = np.random.default_rng(0)
    oracle = CountingOracle(4)
    learner = InternalFTPL(oracle, rng=rng, samples=3, constants=True, rounds=5)
    for _ in range(5):
        learner.play()
        learner.observe(np.array([0.0, 1.0, 0.5, 0.25]))
    assert oracle.calls == 15
    assert 1 <= oracle.touched <= 4
    plain = InternalFTPL(4, rng=np.random.default_rng(0), samples=3, constants=True, rounds=5)
    counted = InternalFTPL(
        CountingOracle(4), rng=np.random.default_rng(0), samples=3, constants=True, rounds=5
    )
    for _ in range(5):
        np.testing.assert_array_equal(np.asarray(plain.play()), np.asarray(counted.play()))
        plain.observe(np.array([0.0, 1.0, 0.5, 0.25]))
        counted.observe(np.array([0.0, 1.0, 0.5, 0.25]))


@pytest.mark.slow
def test_the_table_measures_the_learners_that_it_names() -> None:
    found = finding("oracles.table-1")
    assert found.status is Status.MEASURED
    costs, regrets = (table for table in found.evidence if isinstance(table, Table))
    names = ["Algorithm 1", "… with constants", "Blum-Mansour"]
    assert [row[1] for row in costs.rows] == [row[1] for row in regrets.rows] == names
    rng = np.random.default_rng(0)
    assert isinstance(internal_ftpl(10, rng).learner, InternalFTPL)
    assert blum_mansour(10, rng).oracle is None
    assert costs.rows[2][2:] == ("none", "100", "10")
    assert regrets.rows[2][-1] == "external 34, internal 34, swap 34"
    assert sqrt(10 * 100 * log(10) / 2) == pytest.approx(33.9, abs=0.05)


def test_hedge_is_what_deterministic_ftpl_is_checked_as() -> None:
    assert isinstance(hedge(Contest(2, 3, None)), Hedge)
