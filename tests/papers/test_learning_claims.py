"""The claims about learning with oracles: their numbers by hand, by other code, and at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log, sqrt, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.learners import InternalFTPL
from papers.oracles import CLAIMS
from papers.oracles.checks.gumbel import LeaderProof, race
from papers.oracles.checks.lemma_3 import (
    MIXTURES,
    closed_part,
    least_residual,
    non_sources,
    sources,
    targets,
    touched_indices,
)
from papers.oracles.checks.lemma_7 import LipschitzProof
from papers.oracles.checks.regrets import Cycle
from papers.oracles.checks.sampled_maps import (
    ROUNDS,
    Play,
    Rule,
    Sample,
    SampledRound,
    TailIsSmall,
    Unbiased,
)
from papers.oracles.checks.softmax import Log, law_of
from theory.claims import Budget, CheckContext, spawn_seed
from theory.correlated import equilibrium_gaps, nash_gap
from theory.fixed_point import MapMixture, fixed_point
from theory.normal_form import NormalFormGame
from theory.proofs import Identity
from theory.verdicts import Counterexample, Finding, Status, Table

BY_ID = {claim.id: claim for claim in CLAIMS}
SMALL = Budget(exhaustive=800, samples=20, shrinks=500, size=2)
HALF = Fraction(1, 2)


def context(claim_id: str) -> CheckContext:
    return CheckContext(seed=spawn_seed(0, claim_id), budget=SMALL)


def finding(claim_id: str, exhaustive: int = 800) -> Finding:
    wanted = replace(context(claim_id), budget=replace(SMALL, exhaustive=exhaustive))
    return BY_ID[claim_id].check(wanted)


def counterexample(claim_id: str, exhaustive: int = 800) -> Counterexample:
    found = finding(claim_id, exhaustive).counterexample
    assert found is not None
    return found


# --- Lemma 5, with a pencil


def test_the_counterexample_to_lemma_5_replays_by_hand() -> None:
    found = counterexample("oracles.lemma-5")
    (table,) = found.exhibit.tables
    *rows, mean = table.rows
    assert len(rows) == 7, "the identity and six maps between three actions"
    rewards = (0, 0, 1)
    for name, probability, play, sampled, expected, error in rows:
        assert Fraction(probability) == Fraction(1, 7)
        x = [int(p) for p in play.strip("()").split(", ")]
        if name != "identity":
            source = int(name[0]) - 1
            assert x[source] == 0, "a fixed point of one map has nothing on its source"
        earned = sum(p * r for p, r in zip(x, rewards, strict=True))
        assert earned == int(sampled) == 0
        assert Fraction(expected) == Fraction(1, 7), "one map of seven moves it to the good one"
        assert Fraction(error) == Fraction(1, 7)
    assert mean[-1] == "1/7"
    assert exp(-2 / 49) < 1
    assert "nothing smaller in the family fails" in found.minimality


def first_non_source(actions: int, sample: Sample) -> Play:
    moved = {move[0] for move in sample if move is not None}
    stays = next(i for i in range(actions) if i not in moved)
    return tuple(Fraction(i == stays) for i in range(actions))


def test_the_printed_step_fails_wherever_samples_leave_two_actions_alone() -> None:
    for actions, samples in ((3, 1), (4, 1), (4, 2)):
        rewards = (*[0] * (actions - 1), 1)
        case = SampledRound(((0, (0,) * actions),), 2, samples, rewards)
        outcomes = list(case.outcomes(first_non_source))
        assert sum(outcome.probability for outcome in outcomes) == 1
        assert all(outcome.error > 0 for outcome in outcomes)
        assert TailIsSmall(rule=first_non_source)(case).fails
        assert not TailIsSmall(union=True, any_play=True)(case).fails


def staying(start: int) -> Rule:
    """The rule of InternalFTPL: the closed class that is reached from the last play."""

    def rule(actions: int, sample: Sample) -> Play:
        drawn = Counter(move for move in sample if move is not None)
        moves = {move: Fraction(count, len(sample)) for move, count in drawn.items()}
        found = fixed_point(MapMixture.of(actions, moves=moves), start=start)
        play = [Fraction(0)] * actions
        for place, weight in zip(found.support, found.weights, strict=True):
            play[place] = Fraction(weight)
        return tuple(play)

    return rule


def test_a_rule_that_stays_where_it_was_fails_as_the_written_proof_says() -> None:
    case = SampledRound(((1, (0, 0, 1)), (0, (0, 1, 0))), 8, 1, (0, HALF, 1))
    rule = staying(0)
    by_sample = {outcome.sample[0]: outcome for outcome in case.outcomes(rule)}
    assert {move: o.probability for move, o in by_sample.items() if o.probability > HALF / 3} == {
        (0, 1): Fraction(8, 21),
        (1, 2): Fraction(8, 21),
    }
    assert by_sample[0, 1].error == Fraction(1, 6)
    assert by_sample[0, 2].error == Fraction(-1, 14)
    others = [o.error for move, o in by_sample.items() if move not in {(0, 1), (0, 2)}]
    assert set(others) == {Fraction(5, 21)}
    assert exp(-1 / 18) < 20 / 21
    assert TailIsSmall(rule=rule)(case).fails


@pytest.mark.parametrize(
    ("actions", "samples"),
    [(2, 1), (2, 3), *(pytest.param(*n, marks=pytest.mark.slow) for n in [(3, 1), (3, 3), (4, 2)])],
)
def test_such_a_rule_is_biased_but_keeps_the_inequality(actions: int, samples: int) -> None:
    members = [m.instance for m in ROUNDS.members(actions) if m is not None]
    cases = [case for case in members if case.samples <= samples]
    biased = 0
    for case in cases:
        rule = staying(case.history[0][0])
        assert not TailIsSmall(rule=rule)(case).fails
        biased += Unbiased(rule)(case).fails
    assert biased >= len(cases) / 2


def largest_error(learner: InternalFTPL, rate: float, rewards: np.ndarray) -> float:
    """Return max_t g_t(q_t) - g_t(p_t) of a run, from its plays and rewards alone."""
    N = learner.size
    gains = np.zeros((N, N))
    worst = -1.0
    for r in rewards:
        x = np.asarray(learner.play())
        weights = np.exp(rate * gains)
        np.fill_diagonal(weights, 0.0)
        q = weights / (weights.sum() + 1)
        worst = max(worst, float(x @ (q @ r - q.sum(axis=1) * r)))
        gains += np.outer(x, r) - (x * r)[:, np.newaxis]
        learner.observe(r)
    return worst


@pytest.mark.slow
def test_the_repaired_bound_holds_over_runs_of_the_learner() -> None:
    N, m, T, rate, failure, runs = 6, 30, 40, 1.5, 0.05, 20
    bound = sqrt(log(N * T / failure) / (2 * m))
    worst = []
    for seed in range(runs):
        learner = InternalFTPL(N, rng=np.random.default_rng(seed), samples=m, rate=rate)
        rng = np.random.default_rng([seed, 1])
        means = rng.random(N)
        worst.append(largest_error(learner, rate, (rng.random((T, N)) < means).astype(float)))
    assert sum(error > bound for error in worst) <= failure * runs
    assert max(worst) > bound / 10, "the errors are of that order"
    assert max(worst) > sqrt(log(N * T / failure) / (2 * 100 * m)), "fewer samples would show"


# --- Lemma 3


def test_a_program_finds_a_fixed_point_where_a_closed_part_does() -> None:
    rng = np.random.default_rng(0)
    seen: Counter[bool] = Counter()
    for actions in (2, 3, 4):
        for _ in range(25):
            member = MIXTURES.sample(actions, rng)
            if member is None or not member.instance.weights:
                continue
            mixture = member.instance
            for indices in (sources(mixture), targets(mixture), touched_indices(mixture)):
                x, least = least_residual(mixture, indices)
                assert sum(x) == 1
                assert min(x) >= 0
                assert all(v == 0 for i, v in enumerate(x) if i not in indices)
                assert least == mixture.residual(x)
                closed = bool(closed_part(indices, mixture.weights))
                assert (least == 0) == closed
                seen[closed] += 1
            for i in non_sources(mixture):
                x = [Fraction(i == j) for j in range(actions)]
                assert mixture.apply(x) == x
    assert min(seen[True], seen[False]) > 10


def test_the_smallest_instance_on_the_sources_alone_has_two_actions() -> None:
    found = counterexample("oracles.lemma-3.sources-alone")
    matrix, programs = found.exhibit.tables
    assert {row[1:] for row in matrix.rows} == {("1", "1"), ("0", "0")}
    assert [row[-1] for row in programs.rows] == ["2", "0"]
    half = {(0, 1): HALF}  # three actions, one map of weight 1/2: what the design notes say
    assert closed_part([0], half) == []
    assert closed_part([0, 1], half) == [1]


# --- zero-sum games


def test_the_counterexample_on_zero_sum_games_replays_by_hand() -> None:
    found = counterexample("oracles.zero-sum", 1_500).exhibit.summary
    assert found.startswith("A = (0, 0; 0, 0), P = (0, 1/2; 1/2, 0)")
    assert Fraction(0) != HALF * HALF, "it is no product of its marginals"


def test_the_factor_2_on_zero_sum_games_is_attained_by_hand() -> None:
    A = ((0, 1), (2, 0))
    P = {(0, 0): Fraction(1, 3), (0, 1): Fraction(1, 3), (1, 0): Fraction(1, 3)}
    x = y = (Fraction(2, 3), Fraction(1, 3))
    paid = sum(p * A[i][j] for (i, j), p in P.items())
    rows = [sum(A[i][j] * y[j] for j in range(2)) for i in range(2)]
    columns = [sum(A[i][j] * x[i] for i in range(2)) for j in range(2)]
    coarse = max(max(rows) - paid, paid - min(columns))
    product_pays = sum(x[i] * rows[i] for i in range(2))
    assert coarse == Fraction(1, 3)
    assert max(rows) - product_pays == 2 * coarse
    found = finding("oracles.zero-sum.marginals")
    assert any("Without the clause" in str(e) and "2/3" in str(e) for e in found.evidence)


@given(
    st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=2, max_size=4),
    st.data(),
)
def test_marginals_of_larger_games_are_nearly_nash(A: list[list[int]], data: Any) -> None:
    cells = len(A) * 3
    raw = data.draw(st.lists(st.integers(0, 5), min_size=cells, max_size=cells).filter(any))
    P = [[Fraction(w, sum(raw)) for w in raw[3 * i : 3 * i + 3]] for i in range(len(A))]
    x = [sum(row) for row in P]
    y = [sum(column) for column in zip(*P, strict=True)]
    paid = sum(
        p * a for row, pays in zip(P, A, strict=True) for p, a in zip(row, pays, strict=True)
    )
    rows = [sum(a * q for a, q in zip(pays, y, strict=True)) for pays in A]
    columns = [sum(a * q for a, q in zip(pays, x, strict=True)) for pays in zip(*A, strict=True)]
    coarse = max(max(rows) - paid, paid - min(columns), 0)
    assert max(rows) - min(columns) <= 2 * coarse
    game = NormalFormGame.zero_sum(A)
    assert equilibrium_gaps(game, P).cce == coarse
    apart = nash_gap(game, (x, y))
    assert sum(Fraction(str(reply.gain)) for reply in apart.players) == max(rows) - min(columns)


# --- softmax


scores = st.lists(st.floats(-20, 20), min_size=2, max_size=6)


@given(scores, st.data())
def test_softmax_moves_by_at_most_the_hyperbolic_tangent(a: list[float], data: Any) -> None:
    b = data.draw(st.lists(st.floats(-20, 20), min_size=len(a), max_size=len(a)))

    def law(z: list[float]) -> np.ndarray:
        e = np.exp(np.array(z) - max(z))
        return e / e.sum()

    moved = float(np.abs(law(a) - law(b)).sum())
    gaps = np.array(a) - np.array(b)
    spread = float(gaps.max() - gaps.min()) / 2
    assert moved <= 2 * tanh(spread / 2) + 1e-12
    assert moved <= float(np.abs(gaps).max()) + 1e-12


@pytest.mark.parametrize("c", [4.0, 1.0, 0.1, 0.001])
def test_the_tangent_is_attained(c: float) -> None:
    p = 1 / (1 + exp(-c))
    assert 2 * abs(p - (1 - p)) == pytest.approx(2 * tanh(c / 2), rel=1e-12)


def test_logarithms_stay_exact() -> None:
    a, b = Log(Fraction(6)), Log(Fraction(2))
    assert (a + b).of == 12
    assert (a - b).of == 3
    assert a > b
    assert b < a
    assert a >= b
    assert b <= a
    assert law_of([Fraction(1), Fraction(2), Fraction(3)]) == [Fraction(n, 6) for n in (1, 2, 3)]


def test_the_race_is_what_numpy_draws() -> None:
    weights = [1, 2, 5]
    rng = np.random.default_rng(7)
    draws = 200_000
    leads = (np.log(weights) + rng.gumbel(size=(draws, 3))).argmax(axis=1)
    for i in range(3):
        chance = float(race([Fraction(w) for w in weights], i).mid())
        assert chance == pytest.approx(weights[i] / 8, abs=1e-15)
        assert abs((leads == i).mean() - chance) < 5 * sqrt(chance * (1 - chance) / draws)


def test_what_a_proof_says_of_its_steps() -> None:
    proof = LipschitzProof(Fraction(1))(context("oracles.lemma-7.sharp"))
    assert proof.complete
    assert str(proof).count("(3)") == 1
    (certificate, _) = proof.certificates
    broken = replace(certificate, parts=certificate.parts[:-1])
    planted = replace(proof, certificates=(broken, *proof.certificates[1:]))
    assert not planted.complete
    assert str(planted) == "The certificates do not hold."
    doubtful = replace(proof, identities=(*proof.identities, Identity("1 = 2", zeros=(1 - 2,))))
    assert not doubtful.complete
    assert str(doubtful) == "SymPy does not confirm that 1 = 2."
    assert LeaderProof()(context("oracles.gumbel")).complete


# --- regrets


def test_the_histories_that_attain_the_factors_by_hand() -> None:
    circle = Cycle((0, 2, 1))
    chasing, missing = circle.chase_action(), circle.miss_action()
    assert [r.index(1) for r in chasing.rewards] == [2, 1, 0]
    assert [x.index(1) for x in chasing.plays] == [0, 2, 1]
    assert [r.index(1) for r in missing.rewards] == [1, 1]
    assert [x.index(1) for x in missing.plays] == [0, 2]
    found = chasing.by_definition()
    assert (found.external, found.internal, found.swap) == (1, 1, 3)
    found = missing.by_definition()
    assert (found.external, found.internal, found.swap) == (2, 1, 2)


def test_a_new_action_every_round_misses_the_one_that_is_always_good() -> None:
    found = finding("oracles.vacuous.external")
    assert found.status is Status.HOLDS
    table = next(item for item in found.evidence if isinstance(item, Table))
    assert [row[-1] for row in table.rows] == ["(0, 0, 1)", "(0, 0, 1)"]
    assert "external 2, internal 1, swap 2" in table.caption


def test_the_definitions_agree_with_all_replacements_listed() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        actions, rounds = 3, 2
        plays = [tuple(Fraction(int(n)) for n in rng.permutation([1, 0, 0])) for _ in range(rounds)]
        rewards = [tuple(int(n) for n in rng.integers(0, 2, actions)) for _ in range(rounds)]
        history = replace(Cycle((0, 1)).miss_action(), plays=tuple(plays), rewards=tuple(rewards))

        def earns(target: tuple[int, ...], history: Any = history) -> Fraction:
            rows = zip(history.plays, history.rewards, strict=True)
            return sum((x[i] * r[j] for x, r in rows for i, j in enumerate(target)), Fraction(0))

        stay = tuple(range(actions))
        every = list(product(range(actions), repeat=actions))
        found = history.by_definition()
        assert found.swap == max(map(earns, every)) - earns(stay)
        assert found.external == max(earns((j,) * actions) for j in stay) - earns(stay)
        one = [t for t in every if sum(a != b for a, b in zip(t, stay, strict=True)) <= 1]
        assert found.internal == max(map(earns, one)) - earns(stay)
