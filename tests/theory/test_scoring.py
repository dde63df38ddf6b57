"""Scoring rules: the best forecast is the belief, and what a forecast gains is a divergence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import reals

from theory.decision import Forecast
from theory.errors import ExactnessError, NumberError
from theory.information import Good, value_of_information
from theory.numbers import ClosedForm, Interval, log, sqrt
from theory.probability import Partition, ProbabilitySpace, Variable
from theory.scoring import Score

RULES = st.sampled_from(list(Score))
inside = st.fractions(Fraction(1, 60), Fraction(59, 60), max_denominator=60)
chances = st.fractions(0, 1, max_denominator=30)


def around(value: Any) -> Interval:
    """A tight interval around a number of ours, a little wider than the oracle's error."""
    if isinstance(value, ClosedForm):
        found = value.enclosure(256)
        return Interval(found.lower - reals.SMALL, found.upper + reals.SMALL)
    return Interval(Fraction(value), Fraction(value))


def expected(rule: Score, forecast: Fraction, belief: Fraction) -> Any:
    outcomes = [(belief, True), (1 - belief, False)]
    return sum((q * rule.utility(forecast, o) for q, o in outcomes if q), Fraction(0))


@given(RULES, inside, st.booleans())
def test_scores_by_their_formulas(rule: Score, forecast: Fraction, occurred: bool) -> None:
    assert reals.score(rule, forecast, occurred) in around(rule.utility(forecast, occurred))


@pytest.mark.parametrize(
    ("rule", "forecast", "occurred", "score"),
    [
        (Score.LOG, "1/10", True, -log(10)),
        (Score.LOG, "1/10", False, log("9/10")),
        (Score.LOG, 1, True, 0),
        (Score.BRIER, "1/4", True, Fraction(-9, 16)),
        (Score.BRIER, "1/4", False, Fraction(-1, 16)),
        (Score.BRIER, 0, True, -1),
        (Score.SPHERICAL, "3/7", True, Fraction(3, 5)),
        (Score.SPHERICAL, "3/7", False, Fraction(4, 5)),
        (Score.SPHERICAL, "1/2", True, sqrt("1/2")),
        (Score.SPHERICAL, 0, True, 0),
        (Score.SPHERICAL, 1, True, 1),
    ],
)
def test_scores_by_hand(rule: Score, forecast: Any, occurred: bool, score: Any) -> None:
    assert rule.utility(forecast, occurred) == score


@pytest.mark.parametrize("rule", Score)
@pytest.mark.parametrize("belief", ["0", "1/10", "1/3", "1/2", "29/40", "1"])
def test_the_belief_beats_a_fine_grid(rule: Score, belief: str) -> None:
    q = Fraction(belief)
    best = expected(rule, q, q)
    grid = [Fraction(k, 60) for k in range(61)]
    if rule is Score.LOG:
        grid = [x for x in grid if (x > 0 or q == 0) and (x < 1 or q == 1)]
    for forecast in grid:
        worse = expected(rule, forecast, q)
        assert (worse < best) if forecast != q else (worse == best)


@given(RULES, chances, inside, inside)
def test_nearer_forecasts_are_better(
    rule: Score, belief: Fraction, a: Fraction, b: Fraction
) -> None:
    """Expected score falls with the distance from the belief, on either side of it."""
    assume(a != b and (a - belief) * (b - belief) >= 0)
    nearer, further = sorted((a, b), key=lambda x: abs(x - belief))
    assert expected(rule, nearer, belief) > expected(rule, further, belief)


@given(RULES, chances, inside)
def test_the_loss_of_another_forecast_is_the_divergence(
    rule: Score, belief: Fraction, other: Fraction
) -> None:
    assume(rule is not Score.LOG or 0 < belief < 1)
    loss = expected(rule, belief, belief) - expected(rule, other, belief)
    assert reals.divergence(rule, belief, other) in around(loss)


@given(RULES, inside)
def test_events_and_their_complements_score_alike(rule: Score, forecast: Fraction) -> None:
    assert rule.utility(forecast, True) == rule.utility(1 - forecast, False)


@given(
    RULES,
    st.lists(
        st.tuples(st.integers(1, 5), st.booleans(), st.integers(0, 2)), min_size=1, max_size=6
    ),
    st.fractions(-1, 1, max_denominator=4),
)
def test_ex_post_value_is_a_divergence(
    rule: Score, states: list[tuple[int, bool, int]], price: Fraction
) -> None:
    """The Bregman identity, with beliefs and divergences computed by the oracle."""
    weights, event, signal = zip(*states, strict=True)
    space = ProbabilitySpace.of([Fraction(w, sum(weights)) for w in weights])
    problem = Forecast(space, space.event([w for w, e in enumerate(event) if e]), rule)
    value = value_of_information(problem, Good("I", (Variable.of("I", signal),), price))
    prior = Fraction(sum(w for w, e in zip(weights, event, strict=True) if e), sum(weights))
    assert value.prior.picked == prior
    total = -price
    for realisation in value.realisations:
        here = [(w, e) for w, e, i in states if (i,) == realisation.values]
        mass = sum(w for w, _ in here)
        belief = Fraction(sum(w for w, e in here if e), mass)
        gain = reals.divergence(rule, belief, prior)
        total += Fraction(mass, sum(weights)) * gain
        assert realisation.choice.picked == belief
        assert gain - price in around(realisation.ex_post)
        assert reals.expected_score(rule, belief, belief) in around(
            realisation.choice.expected_utility
        )
    assert abs(total - around(value.ex_ante).lower) < Fraction(1, 10**70)
    assert 0 <= value.gap < Fraction(1, 10**50)


@pytest.mark.parametrize("forecast", ["-1/10", "11/10", 2, -1])
def test_forecasts_are_probabilities(forecast: Any) -> None:
    for rule in Score:
        with pytest.raises(NumberError, match=r"forecast is outside \[0, 1\]"):
            rule.utility(forecast, True)


def test_the_logarithm_of_zero_is_refused() -> None:
    with pytest.raises(NumberError, match="gives probability zero to what happened"):
        Score.LOG.utility(0, True)
    with pytest.raises(NumberError, match="gives probability zero to what happened"):
        Score.LOG.utility(1, False)


def test_sure_forecasts_have_finite_values() -> None:
    space = ProbabilitySpace.uniform(2)
    problem = Forecast(space, space.event([0]), Score.LOG)
    choices = problem.decide(Partition.discrete(2))
    assert [c.picked for c in choices] == [1, 0]
    assert [c.expected_utility for c in choices] == [0, 0]
    assert value_of_information(problem, Good.of("I", Variable.of("I", [0, 1]))).ex_ante == log(2)


@pytest.mark.parametrize("rule", Score)
def test_floats_are_no_forecasts(rule: Score) -> None:
    wrong: Any = [ProbabilitySpace.of([0.5, 0.5])]
    with pytest.raises(ExactnessError, match="wrong kind of number for a forecast"):
        Forecast(wrong[0], wrong[0].event([0]), rule)
