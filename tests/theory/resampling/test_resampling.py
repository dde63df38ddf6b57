"""The law of a resampled reply: against enumeration, against itself, and at the extremes."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.resampling import law_by_sequences, variation
from sweeps import examples

from theory.divergence import kl_divergence
from theory.resampling import _law as law_module
from theory.resampling import (
    certified_law,
    convergence,
    deviation_enclosure,
    first_order_term,
    resampling_law,
    total_variation_bound,
)
from theory.resampling._integral import PER_OCTAVE, Integrals, integrals, step_error


@st.composite
def models(draw: Any) -> tuple[list[Fraction], list[Fraction]]:
    size = draw(st.integers(1, 4))
    counts = [draw(st.integers(0, 3)) for _ in range(size)]
    weights = [Fraction(draw(st.integers(0, 4)), draw(st.integers(1, 2))) for _ in range(size)]
    counts[0] += 1
    weights[0] += 1
    return [Fraction(n, sum(counts)) for n in counts], weights


def floats(values: Any) -> np.ndarray:
    return np.array([float(v) for v in values])


@settings(max_examples=examples(50))
@given(models(), st.integers(1, 4))
def test_both_ways_agree_with_every_sequence_of_candidates(model: Any, candidates: int) -> None:
    generator, weights = model
    returned, failure = law_by_sequences(generator, weights, candidates)
    expected = [p / (1 - failure) for p in returned]
    exact = resampling_law(generator, weights, candidates)
    assert list(exact.law) == expected
    assert list(exact.unconditional) == returned
    assert exact.failure == failure
    assert exact.gap == 0
    assert exact.holds
    assert exact.total_variation == variation(expected, exact.limit) <= exact.bound
    assert exact.kl == kl_divergence(exact.law, exact.limit)
    near = resampling_law(floats(generator), floats(weights), candidates)
    assert near.holds
    for p, q in zip(expected, near.law, strict=True):
        assert abs(Fraction(float(q)) - p) <= Fraction(near.relative_error) * p
    gap = abs(Fraction(near.total_variation) - exact.total_variation)
    assert gap <= Fraction(near.distance_error)
    assert near.kl == pytest.approx(float(exact.kl), rel=1e-12, abs=1e-16)
    assert near.failure == pytest.approx(float(failure), rel=1e-14)
    for interval, p in zip(certified_law(generator, weights, candidates), expected, strict=True):
        assert interval.lower <= p <= interval.upper


@settings(max_examples=examples(30))
@given(models(), st.integers(1, 6))
def test_scale_order_and_names_do_not_matter(model: Any, candidates: int) -> None:
    generator, weights = model
    law = resampling_law(generator, weights, candidates)
    assert resampling_law(generator, [7 * w / 3 for w in weights], candidates).law == law.law
    turned = resampling_law(generator[::-1], weights[::-1], candidates)
    assert turned.law[::-1] == law.law
    near = resampling_law(floats(generator), floats(weights), candidates)
    scaled = resampling_law(floats(generator), floats(weights) * 2.0**500, candidates)
    assert np.array_equal(near.law, scaled.law)
    logs = np.array([log(w) + 1000 if w else -inf for w in weights])
    written = resampling_law(floats(generator), logs, candidates, logarithms=True)
    assert np.allclose(written.law, near.law, rtol=1e-12, atol=0)


@settings(max_examples=examples(30))
@given(models(), st.integers(1, 5), st.integers(0, 3))
def test_a_reply_split_in_two_shares_its_probability(
    model: Any, candidates: int, which: int
) -> None:
    generator, weights = model
    k = which % len(generator)
    split = [*generator[:k], generator[k] / 3, 2 * generator[k] / 3, *generator[k + 1 :]]
    again = [*weights[:k], weights[k], weights[k], *weights[k + 1 :]]
    law = resampling_law(generator, weights, candidates).law
    parts = resampling_law(split, again, candidates).law
    assert parts[k] + parts[k + 1] == law[k]
    assert parts[k + 1] == 2 * parts[k]


def test_one_candidate_is_the_generator_and_equal_weights_are_the_limit() -> None:
    generator = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]
    one = resampling_law(generator, [1, 5, 9], 1)
    assert list(one.law) == generator
    assert one.total_variation == one.bound
    for candidates in (1, 2, 17, 10**9):
        same = resampling_law(generator, [2, 2, 2], candidates)
        assert list(same.law) == generator
        assert same.total_variation == same.kl == same.bound == 0


@pytest.mark.parametrize("candidates", [1, 2, 100, 10**4, 10**6])
@pytest.mark.parametrize("spread", [0.0, 1.0, 40.0, 600.0])
def test_certified_enclosures_hold_the_float_law(candidates: int, spread: float) -> None:
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 9, size=6)
    powers = np.sort(rng.normal(size=6)) * spread
    generator = [Fraction(int(n), int(counts.sum())) for n in counts]
    weights = [Fraction(2) ** round(x) for x in powers]
    near = resampling_law(floats(generator), floats(weights), candidates)
    sure = certified_law(generator, weights, candidates)
    assert near.holds
    for p, interval in zip(near.law, sure, strict=True):
        slack = Fraction(near.relative_error)
        tiny = Fraction(1, 10**290)
        found = Fraction(float(p))
        assert interval.lower * (1 - slack) - tiny <= found <= interval.upper * (1 + slack)
        assert interval.upper - interval.lower <= interval.lower / 10**12
    limit = [g * w for g, w in zip(generator, weights, strict=True)]
    whole = sum(limit)
    low = sum(max(x / whole - i.upper, 0) for x, i in zip(limit, sure, strict=True))
    high = sum(max(x / whole - i.lower, 0) for x, i in zip(limit, sure, strict=True))
    error = Fraction(near.distance_error)
    assert low - error <= Fraction(near.total_variation) <= high + error


def test_a_hundred_digits_are_enclosed() -> None:
    law = certified_law(["1/3", "2/3"], [1, 4], 50, relative=Fraction(1, 10**100))
    exact = resampling_law(["1/3", "2/3"], [1, 4], 50).law
    for interval, p in zip(law, exact, strict=True):
        assert interval.lower <= p <= interval.upper
        assert interval.upper - interval.lower <= interval.lower / 10**100


def test_distances_keep_their_digits_for_a_million_candidates() -> None:
    generator, weights, count = [Fraction(1, 2)] * 2, [Fraction(1), Fraction(3)], 10**6
    near = resampling_law(floats(generator), floats(weights), count)
    (first, _) = certified_law(generator, weights, count, relative=Fraction(1, 10**40))
    exact = first.lower - Fraction(1, 4)
    assert abs(Fraction(near.total_variation) - exact) <= Fraction(near.distance_error)
    assert near.distance_error <= 1e-11 * near.total_variation
    assert near.kl == pytest.approx(float(2 * exact**2 / Fraction(3, 4)) * 4 / 4, rel=1e-5)


@settings(max_examples=examples(25))
@given(models(), st.integers(1, 6), st.integers(1, 4))
def test_what_is_known_of_every_number_of_candidates(
    model: Any, candidates: int, terms: int
) -> None:
    generator, weights = model
    law = resampling_law(generator, weights, candidates)
    enclosed = deviation_enclosure(generator, weights, candidates, terms=terms)
    for p, limit, (low, high) in zip(law.unconditional, law.limit, enclosed, strict=True):
        deviation = p / limit - 1 if limit else Fraction(-1)
        assert low <= deviation <= high
    assert law.total_variation <= total_variation_bound(generator, weights, candidates)
    term = first_order_term(generator, weights)
    assert sum(term) == 0
    near = first_order_term(floats(generator), floats(weights))
    assert near == pytest.approx(floats(term), abs=1e-14)
    wide = deviation_enclosure(generator, weights, 10**9)
    for limit, slope, (low, high) in zip(law.limit, term, wide, strict=True):
        if limit:
            assert abs(10**9 * low * limit - slope) <= Fraction(1, 10**5)
            assert abs(10**9 * high * limit - slope) <= Fraction(1, 10**5)


def test_first_order_is_what_a_large_number_of_candidates_shows() -> None:
    rng = np.random.default_rng(2)
    generator, weights = rng.dirichlet(np.ones(200)), rng.exponential(size=200) + 0.05
    count = 10**6
    law = resampling_law(generator, weights, count)
    term = first_order_term(generator, weights)
    assert law.total_variation * count == pytest.approx(float(np.abs(term).sum()) / 2, rel=1e-4)


def test_thousands_of_replies_with_weights_over_forty_orders() -> None:
    rng = np.random.default_rng(3)
    generator = rng.dirichlet(np.full(3000, 0.3))
    logs = rng.normal(size=3000) * 12
    law = resampling_law(generator, logs, 20, logarithms=True)
    assert law.holds
    assert law.relative_error < 1e-13
    assert abs(law.law.sum() - 1) < 1e-13
    assert law.total_variation <= law.bound


def test_weights_beyond_float64() -> None:
    with mpmath.workdps(30):
        odds = mpmath.exp(2000)
        both = 2 * mpmath.mpf("0.3") * mpmath.mpf("0.7")
        expected = mpmath.mpf("0.3") ** 2 + both / (1 + odds)
    law = resampling_law([0.3, 0.7], [-1000.0, 1000.0], 2, logarithms=True)
    assert law.law[0] == pytest.approx(float(expected), rel=1e-14)
    far = resampling_law([0.3, 0.7], [0.0, 3000.0], 3, logarithms=True)
    assert far.law[0] == pytest.approx(0.3**3, rel=1e-14)
    assert far.kl == pytest.approx(0.027 * (log(0.027) - log(0.3 / 0.7) + 3000), rel=1e-3)


def test_all_weights_drawn_zero() -> None:
    law = resampling_law(["3/4", "1/4"], [0, 1], 3)
    assert law.failure == Fraction(27, 64)
    assert law.law == (0, 1)
    assert law.unconditional == (0, Fraction(37, 64))
    rare = resampling_law([1 - 1e-12, 1e-12], [0.0, 1.0], 3)
    assert rare.failure == pytest.approx(1 - 3e-12, rel=1e-15)
    assert rare.law[1] == pytest.approx(1, rel=1e-14)
    assert "every candidate has weight 0" in str(law)


def test_the_bound_of_the_step_is_that_of_the_theorem() -> None:
    with mpmath.workdps(40):
        h = mpmath.log(2) / 4
        angles = [mpmath.pi / 2 - h * k / 20000 for k in range(2000, 5000)]
        best = min(2 / (mpmath.cos(a) * mpmath.expm1(2 * mpmath.pi * a / h)) for a in angles)
    assert float(best) <= step_error(float(h)) * (1 + 1e-12) <= 1.01 * float(best)


def test_an_error_of_the_step_counts_for_both_integrals_of_a_deviation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[Integrals] = []

    def noted(*given: Any) -> Integrals:
        found.append(integrals(*given))
        return found[-1]

    monkeypatch.setattr(law_module, "integrals", noted)
    resampling_law([0.2, 0.3, 0.5], [1.0, 50.0, 3.0], 10**6)
    (kept,) = found
    rule = step_error(log(2) / PER_OCTAVE) + 3 * 2.0**-62  # and what is cut off at both ends
    least = rule * (2 + np.abs(kept.deviations))
    assert (kept.deviation_errors >= least).all()


def test_the_recheck_asks_for_replies_between_the_least_and_the_largest_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def bent(model: Any, count: int) -> Any:
        found = integrals(model, count)
        moved = found.ratios[50:150:2] * 1e-5
        found.ratios[50:150:2] += moved
        found.ratios[51:151:2] -= moved
        return found

    replies = [1 / 200] * 200, [1.0 + k for k in range(200)], 500
    assert resampling_law(*replies).holds
    monkeypatch.setattr(law_module, "integrals", bent)
    wrong = resampling_law(*replies)
    assert abs(sum(wrong.law) - 1) < 1e-12
    assert not wrong.holds


@pytest.mark.parametrize("kind", ["exact", "float64"])
def test_the_recheck_notices_a_wrong_law(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    generator: Any = [Fraction(1, 2)] * 2 if kind == "exact" else [0.5, 0.5]
    weights: Any = [1, 3] if kind == "exact" else [1.0, 3.0]
    for count in (2, 2500 if kind == "float64" else 200):
        assert resampling_law(generator, weights, count).holds
    if kind == "exact":
        honest = law_module.exact_returns

        def broken(model: Any, count: int) -> Any:
            law, sums = honest(model, count)
            return [law[0] + Fraction(1, 10**6), law[1] - Fraction(1, 10**6)], sums

        monkeypatch.setattr(law_module, "exact_returns", broken)
    else:
        integrals = law_module.integrals

        def bent(model: Any, count: int) -> Any:
            found = integrals(model, count)
            found.ratios[:] *= [1 + 3e-6, 1 - 1e-6]
            return found

        monkeypatch.setattr(law_module, "integrals", bent)
    for count in (2, 2500 if kind == "float64" else 200):
        law = resampling_law(generator, weights, count)
        assert not law.holds
        assert "do not trust" in str(law)
        assert "do not trust" in law._repr_html_()


def test_convergence_is_a_table() -> None:
    table = convergence([0.5, 0.5], [1.0, 3.0], [1, 10, 100])
    assert table.candidates == (1, 10, 100)
    assert table.total_variation[0] > table.total_variation[1] > table.total_variation[2]
    assert table.kl[0] > table.kl[1] > table.kl[2] > 0
    assert "variation" in str(table)
    assert "<table>" in table._repr_html_()
    assert "3 candidates" not in repr(table)


def test_what_is_shown() -> None:
    law = resampling_law([Fraction(1, 20)] * 20, list(range(1, 21)), 2)
    assert "8 more" in str(law)
    assert "exact" in repr(law)
    assert "<table>" in law._repr_html_()
    assert resampling_law([1], [1], 1).total_variation == 0
