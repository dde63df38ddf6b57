"""Errors of payments never exceed ``error_bounds``, judged by decimals of hundreds of digits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, ulp
from random import Random
from typing import Any

import numpy as np
import pytest
from auction_cases import Case
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.softmax_auction import (
    _kernels,
    certified_auction,
    softmax_auction,
    softmax_payments,
    with_jax,
)
from theory.errors import LimitError
from theory.shared.compiling import machine_code

DIGITS = 400
AUDIT = Case(
    "a base of 7e11",
    [[730871834626.0, 730871834600.125], [730871834583.875, 730871834584.0]],
    1.0,
)


def given_as(case: Case) -> dict[str, Any]:
    laws = {"log_ref": case.log_ref, "log_gen": case.log_gen}
    arrays = {name: np.array(law) for name, law in laws.items() if law is not None}
    return {"rewards": np.array(case.rewards), "tau": case.tau, **arrays}


def off(found: Any, wanted: Decimal) -> Decimal:
    return abs(Decimal(float(found)) - wanted)


def with_liberties(case: Case, *, offset: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a large call computes: payments of both kernels, and the bounds."""
    query = given_as(case)
    agents, size = query["rewards"].shape
    laws = [
        query[name][None] if name in query else np.empty((1, 0)) for name in ("log_ref", "log_gen")
    ]
    common = (query["rewards"], np.array([case.tau]), laws[0], laws[1], offset)
    paid, law = np.empty((1, agents)), np.empty((1, size))
    told = np.empty((_kernels.NUMBERS, 1, agents))
    assert machine_code(_kernels.pay)(*common, paid) == 0
    assert machine_code(_kernels.report)(*common, law, told) == 0
    return paid[0], told[_kernels.PAYMENTS, 0], told[_kernels.BOUNDS, 0]


def doubt(case: Case, digits: int) -> Decimal:
    """More than the error of so many digits."""
    logs = [abs(x) for law in (case.log_ref, case.log_gen) for x in law or [] if x > -inf]
    largest = max(abs(x) for row in case.rewards for x in row)
    scale = Decimal(largest) + Decimal(case.tau) * Decimal(max([1.0, *logs]))
    return scale * Decimal(10) ** (8 - digits)


def broken(case: Case, digits: int = DIGITS, *, free: bool = False) -> list[str]:
    """Where a payment is farther from the right one than its bound says."""
    exact, found, unsure = case.oracle(digits), [], doubt(case, digits)
    for offset in (True, False):
        if free:
            pays, told, bounds = with_liberties(case, offset=offset)
        else:
            outcome = softmax_auction(**given_as(case), offset=offset)
            pays = softmax_payments(**given_as(case), offset=offset)
            told, bounds = outcome.payments, outcome.error_bounds
        for i in exact.agents:
            wanted, bound = exact.payment(i, offset=offset), Decimal(float(bounds[i]))
            for paid in (pays[i], told[i]):
                if not off(paid, wanted) <= bound + unsure:
                    found.append(
                        f"{case}: agent {i}, {offset=}: {paid} for {wanted:.20e}, {bound:.2e}"
                    )
    return found


# --- a base that rewards share


def based(seed: int, agents: int, candidates: int, best: int) -> Case:
    """Each agent has a base of its own, to 1e15 tau; ``best`` is what all together want."""
    draw = Random(f"{seed}/{agents}/{candidates}/{best}")
    tau = 10.0 ** draw.choice([-3, 0, 2])
    rewards = []
    for _ in range(agents):
        base = draw.choice([-1, 1]) * tau * 10 ** draw.uniform(8, 15)
        step = max(ulp(base), tau * 10 ** draw.uniform(-3, 2))
        rewards.append([base + step * draw.randint(-9, 9) for _ in range(candidates)])
    totals = [sum(map(Decimal, column)) for column in zip(*rewards, strict=True)]
    lead = float(max(totals) - totals[best]) + tau * draw.choice([0, 1, 5, 20, 60])
    rewards[draw.randrange(agents)][best] += lead
    return Case("based", rewards, tau)


def bases() -> list[Case]:
    return [
        based(seed, agents, candidates, best)
        for agents, candidates, seed in product(range(1, 9), (1, 2, 4), range(2))
        for best in range(candidates)
    ]


def test_the_payment_that_an_audit_found_wrong() -> None:
    """4.918118160e-14, which was 4.918118237e-14, 697 times as far off as its bound."""
    wanted = AUDIT.oracle(DIGITS).payment(1)
    assert off(4.918118160e-14, wanted) < Decimal("1e-23")
    for paid in (
        softmax_payments(**given_as(AUDIT))[1],
        softmax_auction(**given_as(AUDIT)).payments[1],
    ):
        assert off(paid, wanted) <= Decimal("1e-13") * wanted
    assert not broken(AUDIT)
    assert not broken(AUDIT, free=True)


@pytest.mark.parametrize("free", [False, True])
def test_bounds_hold_whatever_base_rewards_share(free: bool) -> None:
    assert not [line for case in bases() for line in broken(case, 90, free=free)]


def test_payments_keep_their_digits_whatever_base_rewards_share() -> None:
    """What differs between candidates counts, not what all have in common."""
    seen = 0
    for case in bases():
        exact, outcome = case.oracle(90), softmax_auction(**given_as(case))
        pays = softmax_payments(**given_as(case))
        for i in exact.agents:
            wanted = exact.payment(i)
            if wanted < Decimal(case.tau) * Decimal("1e-30"):
                continue
            seen += 1
            for paid in (pays[i], outcome.payments[i]):
                assert off(paid, wanted) <= Decimal("1e-12") * wanted, (case, i)
            assert Decimal(float(outcome.error_bounds[i])) <= Decimal("1e-11") * wanted, (case, i)
    assert seen > 250


def test_gains_keep_their_digits_whatever_base_rewards_share() -> None:
    for case in bases():
        exact, outcome = case.oracle(90), softmax_auction(**given_as(case))
        for i in exact.agents:
            for name, wanted in (
                ("utility_gains", exact.utility_gain(i)),
                ("reward_gains", exact.reward_gain(i)),
            ):
                if wanted > Decimal(case.tau) * Decimal("1e-30"):
                    found = getattr(outcome, name)[i]
                    assert off(found, wanted) <= Decimal("1e-12") * wanted, (name, case, i)


def test_jax_keeps_the_digits_too() -> None:
    import jax

    with jax.enable_x64(True):
        for case in [AUDIT, *(based(seed, 2, 2, seed % 2) for seed in range(9))]:
            exact, query = case.oracle(90), given_as(case)
            pays, gains = with_jax.softmax_payments(**query), with_jax.utility_gains(**query)
            for i in exact.agents:
                for found, wanted in (
                    (pays[i], exact.payment(i)),
                    (gains[i], exact.utility_gain(i)),
                ):
                    if wanted > Decimal(case.tau) * Decimal("1e-30"):
                        assert off(found, wanted) <= Decimal("1e-11") * wanted, (case, i)


def test_certified_enclosures_hold_whatever_base_rewards_share() -> None:
    for case in [AUDIT, *(based(11, agents, 3, best) for agents in (1, 4, 8) for best in range(3))]:
        exact = case.oracle(90)
        for offset in (True, False):
            sure = certified_auction(**given_as(case), offset=offset)
            for i, enclosure in enumerate(sure.payment_enclosures):
                wanted, unsure = exact.payment(i, offset=offset), doubt(case, 90)
                assert enclosure.lower <= Fraction(wanted) + Fraction(unsure), (case, i)
                assert Fraction(wanted) - Fraction(unsure) <= enclosure.upper, (case, i)
                assert enclosure.width <= abs(Fraction(wanted)) / 10**11 + Fraction(1, 2**1000)


# --- anything at all


def scaled(draw: Random, tau: float) -> float:
    return tau * draw.gauss(0, 1) * 10 ** draw.uniform(-30, 30)


def anything(seed: int) -> Case:
    """Rewards over sixty powers of ten that may cancel, shares of e^-700, subnormal numbers."""
    draw = Random(seed)
    agents, candidates = draw.randint(1, 8), draw.randint(1, 5)
    kind = draw.choice(["wide", "cancels", "shares", "tiny", "identical", "integers"])
    tau = 10 ** draw.uniform(-20, 20)
    pick: dict[str, Callable[[], float]] = {
        "wide": lambda: draw.choice([0.0, -0.0, tau, scaled(draw, tau)]),
        "cancels": lambda: scaled(draw, tau),
        "shares": lambda: tau * draw.choice([0.0, draw.gauss(0, 1), draw.uniform(-720, 720)]),
        "tiny": lambda: draw.choice([5e-324, -1e-310, 0.0, 1e-160, tau]),
        "identical": lambda: scaled(draw, tau),
        "integers": lambda: tau * draw.randint(-800, 800),
    }
    if kind == "tiny":
        tau = draw.choice([1e-280, 1e-200, 1.0, 1e200, 1e280])
    rewards = [[pick[kind]() for _ in range(candidates)] for _ in range(agents)]
    if kind == "identical":
        rewards = [list(rewards[0]) for _ in rewards]
    if kind in ("cancels", "shares") and agents > 1:
        rest = [sum(map(Decimal, column[:-1])) for column in zip(*rewards, strict=True)]
        rewards[-1] = [tau * draw.gauss(0, 3) - float(total) for total in rest]
    if draw.random() < 0.5:
        return Case(kind, rewards, tau)
    reach = 10.0 ** draw.choice([0, 1, 3, 8, 20])
    gen = [-reach * draw.random() for _ in range(candidates)]
    ref = [min(-0.0, x + draw.choice([0, reach, 1]) * draw.gauss(0, 1)) for x in gen]
    for j in draw.sample(range(candidates), draw.randint(0, candidates - 1)):
        ref[j] = -inf
    return Case(kind, rewards, tau, ref, gen)


@pytest.mark.parametrize("free", [False, True])
def test_bounds_hold_for_anything(free: bool) -> None:
    refused = 0
    for seed in range(200):
        case = anything(seed)
        try:
            softmax_auction(**given_as(case))
        except LimitError:
            refused += 1
        else:
            assert not broken(case, DIGITS if seed % 10 == 0 else 120, free=free)
    assert refused < 20


HOSTILE = [
    Case(
        "sums at three depths, in truth a tie",
        [[1e40, 0.0], [1e20, 0.0], [1000.0, 1000.0], [-1e20, 0.0], [-1e40, 0.0]],
        1.0,
    ),
    Case("near the limit, opposed", [[9e279, 0.0], [-9e279, 1.0], [1.0, 1.0]], 1e20),
    Case("the least temperature", [[5e-281, 0.0], [0.0, 3e-280]], 1e-280),
    Case("the greatest temperature", [[1e279, -1e279], [5e-324, 1e270]], 1e280),
    Case("zeros of both signs", [[-0.0, 0.0], [0.0, -0.0]], 1.0, [-0.0, 0.0], [0.0, -0.0]),
    Case("one candidate far out", [[1e200], [-1e200], [5e-324]], 1e-3),
    Case("a share of e^-690", [[0.0, -690.0, -690.0], [0.0, 5.0, -3.0]], 1.0),
    Case("a share of e^-690 above a base", [[1e13, 1e13 - 690], [-4e14, 3 - 4e14]], 1.0),
    Case("a share of 0, much wanted", [[0.0, 1e6], [0.0, -1e6 - 710]], 1.0),
    Case("a share of 0, much wanted by a later one", [[0.0, -1e6 - 710], [0.0, 1e6]], 1.0),
    Case("laws at 1e40 that cancel", [[1.0, 2.0]], 1.0, [-1e40, -1.0], [-1e40, -1.5]),
    Case("laws at the end of float64", [[1.0, 2.0]], 1.0, [-1.7e308, -1.0], [-1.0, -1.7e308]),
    Case("identical rows", [[1e15, 1e15 + 0.125, 1e15]] * 8, 1.0),
]


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.name)
def test_bounds_hold_where_float64_ends(case: Case, free: bool) -> None:
    assert not broken(case, free=free)
    assert np.isfinite(softmax_auction(**given_as(case)).error_bounds).all()


@st.composite
def around_a_base(draw: st.DrawFn) -> Case:
    """A base of 1e8 to 1e15 tau for each agent, and steps that its float64 numbers can tell."""
    agents, candidates = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    tau = 10.0 ** draw(st.integers(-9, 9))
    rewards = []
    for _ in range(agents):
        base = tau * 10.0 ** draw(st.integers(8, 15)) * draw(st.floats(-1, 1))
        step = max(ulp(base), tau * 2.0 ** draw(st.integers(-9, 3)))
        row = st.lists(st.integers(-20, 20), min_size=candidates, max_size=candidates)
        rewards.append([base + step * k for k in draw(row)])
    if draw(st.booleans()):
        return Case("around a base", rewards, tau)
    law = st.lists(st.floats(-900, 0), min_size=candidates, max_size=candidates)
    return Case("around a base", rewards, tau, draw(law), draw(law))


@given(around_a_base())
def test_bounds_hold_around_any_base(case: Case) -> None:
    assert not broken(case, 110)


def test_an_error_of_twice_the_bound_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the payment of any agent, not of the first alone."""
    case = based(5, 4, 3, 1)
    outcome, true = softmax_auction(**given_as(case)), softmax_payments
    assert not broken(case, 90)
    for i in range(4):

        def wrong(*, offset: bool, i: int = i, **query: Any) -> np.ndarray:
            pays = true(**query, offset=offset)
            pays[i] += 2 * outcome.error_bounds[i]
            return pays

        monkeypatch.setitem(globals(), "softmax_payments", wrong)
        lines = broken(case, 90)
        assert lines
        assert all(f"agent {i}, offset=True" in line for line in lines), lines


def test_money_beyond_float64_is_refused_without_the_offset() -> None:
    """It was an infinite payment."""
    case = Case("dear", [[1.0, 2.0], [3.0, 1.0]], 1e280, [-1e40, -1.0], [-1.0, -1e39])
    for function in (softmax_payments, softmax_auction):
        with pytest.raises(LimitError, match="tau times log_ref - log_gen"):
            function(**given_as(case), offset=False)
    assert (softmax_payments(**given_as(case)) == 0).all()
