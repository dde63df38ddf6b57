"""Bounds: their constants, what they ask for, and where there are none."""

from __future__ import annotations

from inspect import unwrap
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest

from mechanisms.learners import (
    FTPL,
    BestResponse,
    BlumMansour,
    CallableOracle,
    Hedge,
    InternalFTPL,
    RegretBound,
    RegretMatching,
    regret_bound,
)
from mechanisms.learners.rates import Rates
from theory.actions import Subsets
from theory.errors import InvalidInputError, UnknownNameError

T, N = 1000, 7


def ftpl(**options: Any) -> FTPL:
    return FTPL(N, rng=np.random.default_rng(0), **options)


CLOSED: list[tuple[Any, str, float]] = [
    (Hedge(N, rounds=T), "external", sqrt(T * log(N) / 2)),
    (Hedge(N), "external", sqrt(T * log(N))),
    (Hedge(N, rate=0.1), "external", log(N) / 0.1 + 0.1 * T / 8),
    (RegretMatching(N), "external", sqrt(T * (N - 1)) + 1e-12 * T),
    (BlumMansour(N, rounds=T), "swap", sqrt(N * T * log(N) / 2)),
    (BlumMansour(N), "swap", sqrt(N * T * log(N))),
    (BlumMansour(N), "internal", sqrt(N * T * log(N))),
    (BlumMansour(N), "external", sqrt(N * T * log(N))),
]


@pytest.mark.parametrize(("learner", "kind", "value"), CLOSED, ids=str)
def test_closed_forms(learner: Any, kind: str, value: float) -> None:
    bound = regret_bound(learner, T, kind=kind)
    assert bound.value == pytest.approx(value, rel=1e-12)
    assert bound.value == pytest.approx(sum(term for _, term in bound.terms), rel=1e-12)
    assert bound.holds == "pathwise"
    assert bound.failure is None
    assert bound == regret_bound(learner, T, kind=kind, failure=None)


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"rounds": T}, sqrt(T * log(N) / 2)),
        ({}, sqrt(T * log(N))),
        ({"noise": "exponential", "rounds": T}, 2 * sqrt(T * log(N))),
        ({"noise": "exponential"}, 2 * sqrt(2 * T * log(N))),
        ({"noise": "exponential", "rate": 0.5}, log(N) / 0.5 + 0.5 * T),
        ({"noise": "normal", "rounds": T}, sqrt(2 * T * log(N))),
        ({"noise": "normal"}, 2 * sqrt(T * log(N))),
        ({"noise": "normal", "rate": 0.5}, sqrt(2 * log(N)) * (1 / 0.5 + 0.5 * T / 4)),
    ],
)
def test_ftpl_in_expectation_and_with_high_probability(
    options: dict[str, Any], value: float
) -> None:
    mean = regret_bound(ftpl(samples=4, **options), T, failure=None)
    assert mean.value == pytest.approx(value, rel=1e-12)
    assert mean.holds == "in expectation"
    likely = regret_bound(ftpl(samples=4, **options), T, failure=0.01)
    assert likely.value == pytest.approx(value + sqrt(T * log(100) / 8), rel=1e-12)
    assert likely.holds == "with probability 1 - failure"
    assert "with probability 0.99" in str(likely)


@pytest.mark.parametrize("noise", ["gumbel", "exponential", "normal"])
def test_each_term_is_what_its_name_says(noise: str) -> None:
    e, normal = 0.5, sqrt(2 * log(N))
    formulas = {
        "K / e, K = log(N)": log(N) / e,
        "K / e, K = sqrt(2 log(N))": normal / e,
        "sum of e": T * e,
        "sum of e / 8": T * e / 8,
        "sum of K e / 4": T * normal * e / 4,
    }
    for name, term in regret_bound(ftpl(noise=noise, rate=e), T, failure=None).terms:
        assert term == pytest.approx(formulas[name], rel=1e-12)


@pytest.mark.parametrize("size", [2, 3])
def test_draws_of_maps_cost_what_is_said_from_two_actions_on(size: int) -> None:
    exact = InternalFTPL(size, rounds=T)
    sampled = InternalFTPL(size, rounds=T, rng=np.random.default_rng(0), samples=8)
    law = regret_bound(exact, T, kind="internal", failure=None)
    drawn = regret_bound(sampled, T, kind="internal", failure=None)
    assert drawn.value - law.value == pytest.approx(T * sqrt(log(size) / 16), rel=1e-9)
    assert drawn.holds == "in expectation"


@pytest.mark.parametrize("failure", [0.05, 1e-6])
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("rounds", [1, 1000])
def test_draws_of_maps_cost_more_with_a_high_probability(
    size: int, rounds: int, failure: float
) -> None:
    """Of N T means of 8 terms in [0, 1] one is off by more than this with probability d at most."""
    sampled = InternalFTPL(size, rounds=rounds, rng=np.random.default_rng(0), samples=8)
    law = regret_bound(InternalFTPL(size, rounds=rounds), rounds, kind="internal")
    drawn = regret_bound(sampled, rounds, kind="internal", failure=failure)
    off = sqrt(log(size * rounds / failure) / 16)
    assert drawn.value - law.value == pytest.approx(rounds * off, rel=1e-9)
    assert size * rounds * exp(-2 * 8 * off**2) == pytest.approx(failure, rel=1e-9)
    assert drawn.holds == "with probability 1 - failure"
    assert drawn.failure == failure


def test_step_sizes_are_the_best_ones() -> None:
    for curvature in (1 / 8, 1.0):
        fixed = Rates.of(rounds=T, rate=None, entropy=3.0, curvature=curvature)
        anytime = Rates.of(rounds=None, rate=None, entropy=3.0, curvature=curvature)
        for factor in (0.9, 1.1):
            for rates in (fixed, anytime):
                other = Rates(factor * rates.first, rates.anytime, 3.0, curvature)
                assert sum(other.terms(T)) > sum(rates.terms(T))


def test_anytime_terms_bound_the_sum_of_the_step_sizes() -> None:
    rates = Rates.of(rounds=None, rate=None, entropy=2.0)
    total = 0.0
    for t in range(1, 400):
        total += rates.at(t)
        first, second = rates.terms(t)
        assert first == pytest.approx(2.0 / rates.at(t))
        assert total / 8 <= second <= total / 8 + rates.at(1) / 4


def test_one_action_regrets_nothing() -> None:
    for learner in (Hedge(1), Hedge(1, rate=0.5), RegretMatching(1), BlumMansour(1, rounds=3)):
        assert regret_bound(learner, 10).value == 0


def test_a_range_of_width_c_costs_c_times_as_much() -> None:
    for cls in (Hedge, RegretMatching, BlumMansour):
        one = regret_bound(cls(N), T)
        five = regret_bound(cls(N, reward_range=(-2.0, 3.0)), T)
        assert five.value == pytest.approx(5 * one.value, rel=1e-12)
        assert "range of 5" in five.statement


def test_a_residual_costs_half_of_it_a_round() -> None:
    learner = BlumMansour(N, rounds=T)
    free, costly = (regret_bound(learner, T, kind="swap", residual=e) for e in (0.0, 1e-3))
    assert costly.value - free.value == pytest.approx(T * 1e-3 / 2)


def test_the_number_of_actions_may_be_astronomical() -> None:
    actions = Subsets(200, 100)
    value = regret_bound(Hedge(actions, rounds=T), T).value
    assert value == pytest.approx(sqrt(T * log(actions.size) / 2))
    assert value < T


# --- where the constants come from: numbers that the proofs rest on


def test_hoeffding_s_constant_is_one_eighth_and_no_less() -> None:
    """log E exp(e X) <= e E X + e^2 / 8 for X in [0, 1], nearly attained by a fair coin."""
    for e in (0.01, 0.3, 2.0):
        for p in np.linspace(0, 1, 101):
            excess = log(p * exp(e) + 1 - p) - e * p
            assert excess <= e * e / 8 + 1e-15
    assert log((exp(0.01) + 1) / 2) - 0.005 > 0.999 * 0.01**2 / 8


def test_regret_of_a_round_is_at_most_n_minus_one_in_squares() -> None:
    """Attained by one action that is played and earns 1 where all others earn nothing, or less."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        n = int(rng.integers(2, 6))
        play = rng.dirichlet(np.full(n, 0.2))
        rewards = rng.integers(0, 2, n).astype(np.float64)
        assert ((rewards - play @ rewards) ** 2).sum() <= n - 1 + 1e-9
    one = np.eye(5)[0]
    assert ((one - one @ one) ** 2).sum() == 4


def test_normal_noise_has_at_most_sqrt_2_log_n_at_its_largest() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 10, 1000):
        mean = rng.standard_normal((2000, n)).max(axis=1).mean()
        assert mean <= sqrt(2 * log(n))


def test_exponential_noise_leads_at_most_exp_e_times_as_often() -> None:
    """Law by quadrature: P(i leads) is the integral of exp(-x) prod_j P(n_j < x + s_i - s_j)."""
    x = np.linspace(0, 60, 600_001)

    def law(s: np.ndarray) -> np.ndarray:
        found = []
        for i in range(len(s)):
            others = np.prod(
                [1 - np.exp(-np.maximum(x + s[i] - s[j], 0)) for j in range(len(s)) if j != i],
                axis=0,
            )
            found.append(np.trapezoid(np.exp(-x) * others, x))
        return np.array(found)

    rng = np.random.default_rng(0)
    for _ in range(5):
        sums, rewards = 3 * rng.random(3), rng.integers(0, 2, 3)
        before, after = law(sums), law(sums + 0.5 * rewards)
        assert before.sum() == pytest.approx(1, abs=1e-6)
        assert (after <= exp(0.5) * before + 1e-6).all()


# --- where there is none


@pytest.mark.parametrize(
    ("learner", "kind", "text"),
    [
        (BestResponse(3), "external", "led to lose T/2"),
        (BestResponse(3), "swap", "led to lose T/2"),
        (Hedge(3), "internal", "external regret small, and no other"),
        (Hedge(3), "swap", "external regret small, and no other"),
        (RegretMatching(3), "internal", "and no other"),
        (ftpl(), "internal", "external regret small, and no other"),
        (ftpl(noise="uniform"), "external", "of uniform noise nothing is proven"),
        (
            FTPL(Subsets(5, 2), rng=np.random.default_rng(0), noise="normal"),
            "external",
            "for listed actions alone",
        ),
        ("no learner", "external", "states no bound"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_nothing_is_said_where_nothing_is_proven(learner: Any, kind: str, text: str) -> None:
    with pytest.raises(InvalidInputError, match=text):
        regret_bound(learner, 10, kind=kind)


def test_an_oracle_of_one_s_own_must_keep_its_promise() -> None:
    asked = CallableOracle(lambda h: 0, size=4, smooth=lambda h, rate, rng: 0)
    bound = regret_bound(FTPL(asked, rng=np.random.default_rng(0)), 10)
    assert "if the oracle's answers have the law that it promises" in bound.statement


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"kind": "extrenal"}, UnknownNameError, "did you mean 'external'"),
        ({"kind": None}, UnknownNameError, "no kind of regret"),
        ({"failure": 0.0}, InvalidInputError, "not between 0 and 1"),
        ({"failure": 1.0}, InvalidInputError, "not between 0 and 1"),
    ],
)
def test_questions_must_make_sense(
    arguments: dict[str, Any], kind: type[Exception], text: str
) -> None:
    options = {"rounds": 10, **arguments}
    with pytest.raises(kind, match=text):
        unwrap(regret_bound)(Hedge(3), options.pop("rounds"), **options)


def test_a_learner_of_one_s_own_can_state_a_bound() -> None:
    class Mine:
        def bound(self, asked: Any) -> RegretBound:
            return asked.answer(
                [("T", float(asked.rounds))],
                reward_range=(0.0, 1.0),
                statement="regret is at most T",
                source="obvious",
            )

    assert regret_bound(Mine(), 5).value == 5
    assert str(regret_bound(Mine(), 5)) == (
        "external regret after 5 rounds is at most 5 pathwise\n"
        "= 5 [T]\nregret is at most T (obvious)"
    )
