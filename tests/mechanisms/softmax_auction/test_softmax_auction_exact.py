"""The three paths of the softmax auction, bounds on errors, and what happens at the extremes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sweeps import mostly_slow

from mechanisms.softmax_auction import (
    certified_auction,
    exact_auction,
    softmax_auction,
    softmax_payments,
)
from theory.numbers import Interval, log
from theory.shared.compiling import versions

F = Fraction
RNG = np.random.default_rng(7)


def within(enclosures: tuple[Interval, ...], values: np.ndarray, bounds: np.ndarray) -> list[bool]:
    """Whether each float is as close to what is enclosed as its bound says, in rationals."""
    found = []
    for enclosure, value, bound in zip(enclosures, values, bounds, strict=True):
        v, b = F(float(value)), F(float(bound))
        found.append(v - b <= enclosure.lower and enclosure.upper <= v + b)
    return found


def hostile() -> Iterator[dict[str, Any]]:
    """Extremes: steepness up to 1e12, ties, near ties, duplicates, impossible candidates."""
    for steep in (1e-9, 1e-3, 1.0, 40.0, 300.0, 650.0, 720.0, 1e3, 1e6, 1e12):
        for agents, candidates in ((1, 1), (1, 5), (2, 2), (3, 6), (9, 4)):
            rewards = RNG.normal(size=(agents, candidates)) * steep
            yield {"rewards": rewards, "tau": 1.0}
            yield {"rewards": rewards * 1e-6, "tau": 1e-6}
            tied = np.round(rewards / steep) * steep
            yield {"rewards": tied, "tau": 0.7}
            yield {"rewards": np.repeat(rewards, 2, axis=1), "tau": 3.0}
            logs = -RNG.exponential(size=(2, candidates)) * min(steep, 500.0)
            logs[0, 1:2] = -np.inf
            yield {"rewards": tied, "tau": 1.3, "log_ref": logs[0], "log_gen": logs[1]}
    near = np.array([[1e6, 0.0], [0.0, np.nextafter(1e6, 0)], [1e-7, 0.0]])
    yield {"rewards": near, "tau": 1e-6}
    yield {"rewards": near, "tau": 1e-10}
    yield {"rewards": np.array([[1e20, 1e20, 0.0], [0.0, 3.0, 1.0]]), "tau": 1.0}
    yield {"rewards": np.array([[1.0, 1e-300], [5e-324, 1.0]]), "tau": 1.0}
    yield {"rewards": np.array([[5e-324, 0.0], [0.0, 1e-310]]), "tau": 1.0}
    yield {"rewards": np.array([[1e150, -1e150], [-1e150, 1e150]]), "tau": 1e149}


@pytest.mark.parametrize("offset", mostly_slow([True, False]))
def test_errors_stay_within_bounds_that_are_not_wide(offset: bool) -> None:
    loose = 0
    for query in hostile():
        found = softmax_auction(**query, offset=offset)
        sure = certified_auction(**query, offset=offset)
        inside = within(sure.payment_enclosures, found.payments, found.error_bounds)
        assert all(inside), (query, found.payments, sure.payments, found.error_bounds)
        pays = softmax_payments(**query, offset=offset)
        assert all(within(sure.payment_enclosures, pays, found.error_bounds))
        size = np.abs(query["rewards"]).max()
        well = np.abs(sure.payments) > 1e-6 * size
        loose += int((found.error_bounds[well] > 1e-11 * np.abs(sure.payments[well])).sum())
        assert (found.error_bounds <= 1e-11 * (size + 700 * query["tau"])).all()
        np.testing.assert_allclose(found.allocation, sure.allocation, atol=1e-15)
        scale = size + query["tau"]
        np.testing.assert_allclose(found.utilities, sure.utilities, atol=1e-12 * scale)
        np.testing.assert_allclose(
            found.expected_rewards, sure.expected_rewards, atol=1e-13 * scale
        )
    assert not (offset and loose), "without the offset, payments are differences"


def test_bounds_can_be_broken() -> None:
    """The comparison above sees an error of a millionth of a millionth."""
    query = {"rewards": np.array([[1.0, 0.5], [0.25, 2.0]]), "tau": 1.0}
    found, sure = softmax_auction(**query), certified_auction(**query)
    assert all(within(sure.payment_enclosures, found.payments, found.error_bounds))
    wrong = found.payments * (1 + 1e-12)
    assert not any(within(sure.payment_enclosures, wrong, found.error_bounds))


def test_twelve_digits_up_to_a_thousand_tau() -> None:
    worst = 0.0
    for steep in (1e-12, 1e-6, 1e-2, 1.0, 10.0, 100.0, 300.0):
        for query in range(15):
            rewards = RNG.normal(size=(1 + query % 4, 2 + query)) * steep
            found = softmax_payments(rewards, 1.0)
            sure = certified_auction(rewards, 1.0, relative=1e-18)
            meant = sure.payments > 1e-30
            worst = max(worst, *np.abs(found / np.where(meant, sure.payments, 1) - meant)[meant], 0)
    assert worst < 1e-13, "well below what is promised, and for small payments too"


def test_payments_of_any_smallness_keep_their_digits() -> None:
    for size in (1e-3, 1e-6, 1e-9, 1e-60, 1e-140):
        rewards = np.array([[1.0, 1.0 + size, 1.0], [3.0, 1.0, 2.0]])
        rewards[0] -= 1.0 if size < 1e-9 else 0.0
        rewards[0, 1] = size if size < 1e-9 else rewards[0, 1]
        sure = certified_auction(rewards, 1.0)
        np.testing.assert_allclose(softmax_payments(rewards, 1.0), sure.payments, rtol=1e-12)
        assert 0 < sure.payments[0] < size**2


def test_rewards_of_a_million_and_a_tau_of_a_millionth() -> None:
    """Only who turns the choice pays, and pays what the others lose by it."""
    rewards = np.array([[1e6, 0.0, 0.0], [0.0, 6e5, 0.0], [0.0, 6e5, 1.0]])
    found = softmax_auction(rewards, 1e-6)
    np.testing.assert_allclose(found.payments, [0.0, 4e5, 4e5], rtol=1e-15, atol=1e-300)
    assert (found.error_bounds < 1e-9).all()
    sure = certified_auction(rewards, 1e-6)
    np.testing.assert_allclose(sure.payments, found.payments, rtol=1e-15, atol=1e-300)
    for enclosure, value in zip(sure.payment_enclosures, sure.payments, strict=True):
        assert enclosure.width <= F(1, 10**12) * F(value) + F(1, 2**1000)


def odds(agents: int, candidates: int) -> list[list[F]]:
    drawn = RNG.integers(1, 9, size=(2, agents, candidates)).tolist()
    return [[F(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(*drawn, strict=True)]


@pytest.mark.parametrize("offset", [True, False])
def test_exact_certified_and_float_agree(offset: bool) -> None:
    for agents, candidates in ((1, 1), (1, 3), (2, 2), (3, 4), (5, 2)):
        ratios = odds(agents, candidates)
        weights = [F(k + 1, 3) for k in range(candidates)]
        exact = exact_auction(ratios, weights, tau=F(1, 2), offset=offset)
        rewards = np.array([[0.5 * float(log(o)) for o in row] for row in ratios])
        logs = np.log([float(w) for w in weights])
        found = softmax_auction(rewards, 0.5, logs - 2.0, np.full(candidates, -2.0), offset=offset)
        sure = certified_auction(rewards, 0.5, logs - 2, np.full(candidates, -2.0), offset=offset)
        for name in (
            "allocation",
            "allocation_without",
            "expected_rewards",
            "payments",
            "utilities",
            "reward_gains",
            "utility_gains",
        ):
            wanted = np.array(getattr(exact, name)).astype(float)
            np.testing.assert_allclose(getattr(found, name), wanted, atol=1e-14, err_msg=name)
            if hasattr(sure, name):
                np.testing.assert_allclose(getattr(sure, name), wanted, atol=1e-14, err_msg=name)
        assert float(exact.revenue) == pytest.approx(float(found.revenue), abs=1e-14)


def test_exact_identities() -> None:
    """Proofs on instances: nothing is rounded, and zero is zero."""
    ratios, weights = odds(3, 4), [F(1), F(0), F(2, 3), F(5)]
    found = exact_auction(ratios, weights, tau=2)
    assert sum(found.allocation) == 1
    assert found.allocation[1] == 0
    for i, rest in enumerate(found.allocation_without):
        p_to_q = sum(
            (p * log(p / q) for p, q in zip(found.allocation, rest, strict=True) if p), log(1)
        )
        q_to_p = sum(
            (q * log(q / p) for p, q in zip(found.allocation, rest, strict=True) if q), log(1)
        )
        assert found.payments[i] == 2 * p_to_q
        assert found.utility_gains[i] == 2 * q_to_p
        assert found.reward_gains[i] == found.payments[i] + found.utility_gains[i]
        assert found.expected_rewards[i] == found.payments[i] + found.utilities[i]
        assert found.payments[i] > 0
    everywhere = exact_auction([[3, 3, 3, 3], *ratios], weights)
    assert everywhere.payments[0] == 0
    assert everywhere.utilities[0] == log(3)
    assert "log" in str(found)
    assert "<table>" in found._repr_html_()


def test_an_odd_for_all_candidates_is_paid_only_without_the_offset() -> None:
    ratios = odds(2, 3)
    more = [[7 * o for o in ratios[0]], ratios[1]]
    assert exact_auction(more).payments[0] == exact_auction(ratios).payments[0]
    without = [exact_auction(o, offset=False).payments[1] for o in (ratios, more)]
    assert without[1] == without[0] - log(7)


def test_numbers_are_read_as_what_they_are() -> None:
    third = certified_auction([["1/3", 0], [0, F(2, 3)]], "1/10", relative=1e-40)
    float_third = certified_auction([[1 / 3, 0], [0, 2 / 3]], F(1, 10), relative=1e-40)
    assert not third.payment_enclosures[0].overlaps(float_third.payment_enclosures[0])
    np.testing.assert_allclose(third.payments, float_third.payments, rtol=1e-12)
    assert third.payment_enclosures[0].width < F(1, 10**39)
    np.testing.assert_array_equal(
        certified_auction(np.array([[0.1, 0]], np.float32), np.float32(0.5)).payments,
        certified_auction([[float(np.float32(0.1)), 0.0]], 0.5).payments,
    )


def test_what_is_zero_is_known_to_be() -> None:
    zero = Interval(F(0), F(0))
    found = certified_auction([[1, 1], [2, 0], [0, 0]], 1)
    assert found.payment_enclosures[0] == found.payment_enclosures[2] == zero
    assert found.utility_enclosures[2] == zero
    swapped = certified_auction([[1, -1], [-1, 0]], 1)
    assert swapped.utility_enclosures[0] == zero, "e^0 + e^-1 with and without agent 0"
    assert swapped.payment_enclosures[0].lower > 0
    alone = certified_auction([[0], [0]], 1, offset=False)
    assert alone.utility_enclosures[0] == alone.payment_enclosures[0] == zero
    tiny = certified_auction([[1e6, 0.0], [1.0, 0.0]], 1e-6).payment_enclosures[1]
    assert tiny.lower >= 0
    assert tiny.upper <= F(1, 2**1000)


def test_nothing_is_compiled_anew_for_other_values() -> None:
    softmax_payments(np.ones((20, 300)), 1.0)
    softmax_payments(np.ones((20, 300)), 1.0, offset=False)
    before = versions()
    frozen = np.ones((4, 20, 300))
    frozen.flags.writeable = False
    listed = np.ones((20, 300), np.int64).tolist()
    for rewards, tau in ((frozen, 2.0), (frozen[0].T, [1.0]), (listed, np.ones((2, 2)))):
        softmax_payments(rewards, tau)
    softmax_payments(frozen, 1, -np.ones(300), np.broadcast_to(-1.0, (4, 300)))
    assert versions() == before > 0


def test_replies_are_drawn_from_the_allocation() -> None:
    rewards = np.zeros((3000, 1, 3)) + np.log([2.0, 1.0, 1.0])
    outcome = softmax_auction(rewards, 1.0, [0.0, -np.inf, 0.0], [0.0, 0.0, 0.0])
    replies = outcome.sample(np.random.default_rng(0))
    assert replies.shape == (3000,)
    counts = np.bincount(replies, minlength=3)
    assert counts[1] == 0, "the reference never writes it"
    assert abs(counts[0] - 2000) < 4 * np.sqrt(3000 * 2 / 9)
    np.testing.assert_array_equal(replies, outcome.sample(np.random.default_rng(0)))
    one = softmax_auction(rewards[0], 1.0).sample(np.random.default_rng(1))
    assert one.shape == ()


def test_settlements_add_up() -> None:
    outcome = softmax_auction(RNG.normal(size=(2, 3, 4)), 0.5)
    for settlement in ("fixed", "contingent"):
        paid = kept = 0.0
        for j in range(4):
            settled = outcome.settle([j, j], settlement)
            paid = paid + outcome.allocation[:, j, None] * settled.payments
            kept = kept + outcome.allocation[:, j, None] * settled.utilities
            got = outcome.rewards[:, :, j]
            np.testing.assert_allclose(settled.payments + settled.utilities, got)
            constant = settled.payments if settlement == "fixed" else settled.utilities
            wanted = outcome.payments if settlement == "fixed" else outcome.utilities
            np.testing.assert_array_equal(constant, wanted)
            assert settlement in str(settled)
        np.testing.assert_allclose(paid, outcome.payments, atol=1e-13)
        np.testing.assert_allclose(kept, outcome.utilities, atol=1e-13)
    unlucky = softmax_auction([[4.0, 0.0], [0.0, 4.0]], 1.0).settle(0)
    assert unlucky.utilities[1] < 0, "who gets nothing still pays"


def test_outcomes_are_worth_reading() -> None:
    outcome = softmax_auction(RNG.normal(size=(5, 30, 4)), 0.5)
    assert "first of 5 queries" in str(outcome)
    assert "10 more" in str(outcome)
    assert "without the offset" in str(softmax_auction([[1.0]], 1.0, offset=False))
    assert "<table>" in outcome._repr_html_()
    assert "AuctionOutcome" in repr(outcome)
    assert "bits" in str(certified_auction([[1, 2]], 1))
