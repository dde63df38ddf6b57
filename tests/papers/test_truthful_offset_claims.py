"""Claims about the auction's utilities and payments: by hand, in long decimals, by listing."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, log
from typing import Any

import pytest
from reference.auction import Auction as InDecimals
from reference.auction import decimal, kl

from papers.truthful import CLAIMS
from papers.truthful.checks.cases import AUCTIONS, RATIOS, Case
from papers.truthful.checks.definition import exact_auction, traced_auction
from papers.truthful.checks.eq_14 import inside, printed_utility
from papers.truthful.checks.logs import LogSum, by_sizes, gibbs_inequality
from papers.truthful.checks.offsets import Offset, smallest_violation
from theory.claims import Budget, CheckContext, spawn_seed
from theory.errors import InvalidInputError
from theory.proofs import Equation, Identity, Tracer
from theory.verdicts import Finding, Table

CHECKS = {claim.id: claim.check for claim in CLAIMS}
SMALL = Budget(exhaustive=200, samples=20, shrinks=100, size=1)


@cache
def finding(claim_id: str) -> Finding:
    return CHECKS[claim_id](CheckContext(seed=spawn_seed(0, claim_id), budget=SMALL))


def members(level: int, every: int) -> list[Case]:
    cases = [m.instance for m in AUCTIONS.members(level) if m is not None]
    return cases[::every]


def in_decimals(case: Case) -> InDecimals:
    """The same auction from rewards, without the candidates that have no chance."""
    kept = [j for j, weight in enumerate(case.weights) if weight]
    tau = decimal(case.tau)
    rewards = [[tau * decimal(row[j]).ln() for j in kept] for row in case.odds]
    ratios = [decimal(case.weights[j]).ln() for j in kept]
    return InDecimals(rewards, tau, ratios, [Decimal(0)] * len(kept))


@pytest.mark.parametrize("case", [*members(1, 4), *members(2, 9), *members(3, 9)], ids=str)
def test_what_the_claims_run_on_is_what_long_decimals_give(case: Case) -> None:
    outcome, other = case.run(), in_decimals(case)
    bare = case.run(offset=False)
    tau = decimal(case.tau)
    p = other.allocation()
    for i in other.agents:
        q = other.allocation_without(i)
        pairs: list[tuple[Any, Decimal]] = [
            (outcome.utilities[i], other.utility(i)),
            (outcome.payments[i], other.payment(i)),
            (bare.utilities[i], other.utility(i, offset=False)),
            (bare.payments[i], other.payment(i, offset=False)),
            (outcome.utility_gains[i], other.utility_gain(i)),
            (outcome.reward_gains[i], other.reward_gain(i)),
            (outcome.payments[i], tau * kl(p, q)),
            (outcome.utility_gains[i], tau * kl(q, p)),
            (outcome.utilities[i], other.lemma_5_5(i)),
        ]
        for found, expected in pairs:
            assert float(found) == pytest.approx(float(expected), abs=1e-14)


def test_a_sum_of_logarithms_vanishes_only_where_it_is_zero() -> None:
    trace = Tracer(positive=("x", "y"))
    x, y = trace["x"], trace["y"]
    of = LogSum.log
    assert (of(x * x * (1 + y)) - 2 * of(x) - of(1 + y)).vanishes()
    assert (of(6 * x / y) - of(2) - of(3) - of(x) + of(y)).vanishes()
    assert (of(x / y) * x + of(y) * x - of(x) * x).vanishes()
    assert LogSum([]).vanishes()
    for sum_ in (of(2), of(x) - of(y), of(y) * x - of(x) * y, of(x + y) - of(x) - of(y), 2 * of(x)):
        assert not sum_.vanishes()


def test_an_exponential_is_taken_of_logarithms_alone() -> None:
    trace = Tracer(positive=("x", "tau"))
    x, tau = trace["x"], trace["tau"]
    assert not ((LogSum.log(x) * tau - LogSum.log(1 + x) * tau).exp(tau) - x / (1 + x)).element
    with pytest.raises(InvalidInputError, match="take a logarithm"):
        (2 * LogSum.log(x)).exp()


def test_a_step_that_fails_at_one_size_is_not_confirmed() -> None:
    def steps(n: int) -> list[Identity]:
        return [Identity("n is 1", (Equation.between(n, 1),))]

    proof = by_sizes("all", (1, 2), steps)
    assert not proof.complete
    assert "does not confirm that n is 1" in str(proof)
    assert not by_sizes("all", (), lambda _: ()).complete
    assert by_sizes("all", (1,), steps, gibbs_inequality(2)).complete


def test_the_traced_auction_at_numbers_is_the_exact_one() -> None:
    trace = Tracer(positive=("e", "f", "w"))
    e, f, w = trace["e"], trace["f"], trace["w"]
    one = e / e
    outcome = traced_auction([[e, one], [one, f]], [one, w])
    numbers = {"e": Fraction(3), "f": Fraction(1, 2), "w": Fraction(5)}
    exact = exact_auction(
        [[numbers["e"], Fraction(1)], [Fraction(1), numbers["f"]]], [Fraction(1), numbers["w"]]
    )

    def value(term: Any) -> float:
        expression = term.element.as_expr() if hasattr(term, "element") else term
        return float(expression.subs(numbers)) if hasattr(expression, "subs") else float(term)

    for found, expected in zip(outcome.payments, exact.payments, strict=True):
        total = sum(value(c) * log(value(a)) for c, a in found.parts)
        assert total == pytest.approx(float(expected), abs=1e-13)


# --- the smallest instances


def test_the_reward_of_one_reply_comes_out_wrong_without_the_factor() -> None:
    found = finding("truthful.eq-11").counterexample
    assert found is not None
    (row,) = found.exhibit.tables[0].rows
    reward, heat = -2 * log(2), 2.0
    normaliser = exp(reward / heat)
    assert row[3].endswith(f"≈ {heat * log(1) + log(normaliser):.4f}")
    assert row[4].endswith(f"≈ {heat * log(1) + heat * log(normaliser):.4f}")
    assert row[5].endswith(f"≈ {reward:.4f}")


@pytest.mark.slow
def test_the_printed_14_differs_on_one_candidate_and_may_not_exist() -> None:
    found = finding("truthful.eq-14").counterexample
    assert found is not None
    assert "ρ = (2)" in found.exhibit.summary
    assert f"{log(1 + log(2)):.4f}" in finding("truthful.eq-14").reason
    rare = Case(((Fraction(1),),), (Fraction(1, 3),), Fraction(1))
    assert printed_utility(rare) < 0 < inside(rare)
    other = InDecimals([[0]], 1, [Decimal(2).ln()], [0])
    assert float(other.utility_as_in_14(0)) == pytest.approx(log(1 + log(2)))
    assert float(other.utility(0, offset=False)) == pytest.approx(log(2))


def test_ratios_of_one_cannot_tell_the_two_readings_of_14_apart() -> None:
    plain = [m.instance for m in RATIOS.members(2) if m and set(m.instance.weights) == {1}]
    assert plain
    assert all(printed_utility(case) == inside(case) for case in plain)


@pytest.mark.slow
def test_a_positive_expected_utility_may_be_a_loss_at_a_reply() -> None:
    payment = 2 / 3 * log(2) - log(3 / 2)
    assert payment > 0
    for claim_id in ("truthful.lemma-5.3", "truthful.corollary-5.4"):
        shown = " ".join(str(item) for item in finding(claim_id).evidence)
        assert "r_1 = (0, log(2))" in shown
        assert f"≈ {-payment:.4f}" in shown


@pytest.mark.parametrize("raised", [Fraction(1), Fraction(4), Fraction(1, 2)])
@pytest.mark.parametrize("clarke", [True, False])
def test_the_smallest_violating_report_is_that_of_a_list(raised: Fraction, clarke: bool) -> None:
    others = (1, 2)
    calm = raised / (sum(others) if clarke else 1)
    negative = [
        (max(k), sum(k), k)
        for k in product(range(7), repeat=2)
        if max(k) > 0 and calm * sum(Fraction(b, 2**n) for b, n in zip(others, k, strict=True)) < 1
    ]
    case = Offset(tuple(map(Fraction, others)), Fraction(1), raised, clarke)
    assert smallest_violation(case, exact_auction) == tuple(
        Fraction(1, 2**n) for n in min(negative)[2]
    )


@pytest.mark.slow
def test_offsets_are_shown_with_the_reports_they_fail_on() -> None:
    tables = [t for t in finding("truthful.no-ir").evidence if isinstance(t, Table)]
    rows = tables[-1].rows
    assert len(rows) == 6
    assert all(row[3].startswith("-") or "≈ -" in row[3] for row in rows)
