"""Relations that the payments of the softmax auction keep, and layouts that must not matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.softmax_auction import (
    softmax_allocation,
    softmax_auction,
    softmax_payments,
)

STEEPNESS = [1e-6, 1e-2, 1.0, 30.0, 1e3, 1e6]


def queries(seed: int = 0, agents: int = 3, candidates: int = 7) -> Iterator[dict[str, Any]]:
    """One query at each steepness, with laws and without."""
    rng = np.random.default_rng(seed)
    for steep in STEEPNESS:
        rewards = steep * rng.normal(size=(agents, candidates))
        yield {"rewards": rewards, "tau": 1.0}
        logs = np.log(rng.dirichlet(np.ones(candidates), size=2))
        logs[0, 1] = -np.inf
        yield {"rewards": rewards, "tau": 1.0, "log_ref": logs[0], "log_gen": logs[1]}


def test_a_constant_changes_neither_law_nor_payments_with_the_offset() -> None:
    for query in queries():
        rewards = query["rewards"] * 2.0**10
        shift = np.exp2(np.ceil(np.log2(np.abs(rewards).max())))
        moved = np.round(rewards / shift * 2**40) / 2**40 * shift
        one = softmax_auction(**{**query, "rewards": moved})
        other = softmax_auction(
            **{**query, "rewards": moved + np.array([[shift], [0.0], [-2 * shift]])}
        )
        np.testing.assert_allclose(one.allocation, other.allocation, rtol=1e-12)
        np.testing.assert_allclose(one.payments, other.payments, rtol=1e-10, atol=1e-300)
        gained = other.utilities - one.utilities
        np.testing.assert_allclose(gained, [shift, 0.0, -2 * shift], rtol=1e-9, atol=1e-9 * shift)


def test_without_the_offset_a_constant_is_paid_by_the_others() -> None:
    rewards = np.array([[1.0, 2.0, 0.5], [0.0, 1.0, 4.0]])
    one = softmax_payments(rewards, 1.0, offset=False)
    other = softmax_payments(rewards + np.array([[8.0], [0.0]]), 1.0, offset=False)
    np.testing.assert_allclose(other - one, [0.0, -8.0], atol=1e-14)


def test_names_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    for query in queries():
        agents, candidates = rng.permutation(3), rng.permutation(7)
        renamed = {
            name: value[..., candidates] if name.startswith("log") else value
            for name, value in query.items()
        }
        renamed["rewards"] = query["rewards"][np.ix_(agents, candidates)]
        one, other = softmax_auction(**query), softmax_auction(**renamed)
        np.testing.assert_allclose(one.payments[agents], other.payments, rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(one.utilities[agents], other.utilities, rtol=1e-12)
        np.testing.assert_allclose(one.allocation[candidates], other.allocation, rtol=1e-12)


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
def test_rewards_and_tau_together_are_the_unit_of_money(unit: float) -> None:
    for query in queries():
        scaled = {**query, "rewards": query["rewards"] * unit, "tau": unit}
        one, other = softmax_auction(**query), softmax_auction(**scaled)
        np.testing.assert_array_equal(one.allocation, other.allocation)
        np.testing.assert_allclose(one.payments * unit, other.payments, rtol=1e-14, atol=1e-300)
        np.testing.assert_allclose(one.utilities * unit, other.utilities, rtol=1e-14)


def test_a_candidate_may_be_split_in_two_halves() -> None:
    for query in queries():
        logs = [query.get(name, np.zeros(7)) for name in ("log_ref", "log_gen")]
        whole = softmax_auction(query["rewards"], 1.0, logs[0] - 1, logs[1])
        split_ref = np.append(logs[0], logs[0][3]) - 1
        split_ref[[3, 7]] -= np.log(2)
        split = softmax_auction(
            np.hstack([query["rewards"], query["rewards"][:, 3:4]]),
            1.0,
            split_ref,
            np.append(logs[1], logs[1][3]),
        )
        np.testing.assert_allclose(whole.payments, split.payments, rtol=1e-11, atol=1e-300)
        np.testing.assert_allclose(whole.utilities, split.utilities, rtol=1e-11, atol=1e-12)
        assert split.allocation[3] + split.allocation[7] == pytest.approx(whole.allocation[3])


def test_impossible_candidates_might_as_well_not_be_there() -> None:
    for query in queries():
        if "log_ref" not in query:
            continue
        left = [0, 2, 3, 4, 5, 6]
        logs = {name: query[name][left] for name in ("log_ref", "log_gen")}
        one = softmax_auction(**query)
        other = softmax_auction(query["rewards"][:, left], 1.0, **logs)
        assert one.allocation[1] == 0
        assert not one.allocation_without[:, 1].any()
        np.testing.assert_allclose(one.payments, other.payments, rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(one.utility_gains, other.utility_gains, rtol=1e-9, atol=1e-300)


def test_who_wants_nothing_pays_nothing_and_changes_nothing() -> None:
    for query in queries():
        more = {**query, "rewards": np.vstack([query["rewards"], np.zeros(7)])}
        one, other = softmax_auction(**query), softmax_auction(**more)
        assert other.payments[3] == other.utilities[3] == 0
        assert other.reward_gains[3] == other.utility_gains[3] == 0
        np.testing.assert_array_equal(one.payments, other.payments[:3])


def test_bounds_of_the_paper_and_identities() -> None:
    """Lemmas 5.2 and 5.3, and what is gained: tau KL(p || q) and tau KL(q || p)."""
    for query in queries(seed=5):
        found = softmax_auction(**query)
        possible = found.allocation_without.max(axis=0) > 0
        wanted = query["rewards"][:, possible]
        size = np.abs(wanted).max()
        assert (found.utilities >= wanted.min(axis=1)).all()
        assert (found.utilities <= wanted.max(axis=1)).all()
        assert (found.payments >= 0).all()
        assert (found.utility_gains >= 0).all()
        total = found.payments + found.utility_gains
        np.testing.assert_allclose(found.reward_gains, total, rtol=1e-12)
        outside = (found.allocation_without * query["rewards"]).sum(axis=1)
        gains = found.expected_rewards - outside
        np.testing.assert_allclose(found.reward_gains, gains, rtol=1e-9, atol=1e-13 * size)
        kept = found.expected_rewards - found.payments
        np.testing.assert_allclose(found.utilities, kept, atol=1e-13 * size)
        assert found.revenue == pytest.approx(found.payments.sum())


def test_divergences_term_by_term() -> None:
    query = next(iter(queries(seed=6, candidates=5)))
    found = softmax_auction(query["rewards"] * 1e6, 1.0)
    p, q = found.allocation, found.allocation_without
    np.testing.assert_allclose(found.payments, (p * np.log(p / q)).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.utility_gains, (q * np.log(q / p)).sum(axis=1), rtol=1e-12)


def test_without_the_offset_all_have_the_same_utility() -> None:
    for query in queries():
        found = softmax_auction(**query, offset=False)
        assert len(set(found.utilities.tolist())) == 1


def plain(rewards: np.ndarray, tau: float) -> np.ndarray:
    """The payments with the offset as they are written, which is good enough where all is mild."""
    scores = rewards.sum(axis=0) / tau
    others = scores - rewards / tau
    law = np.exp(scores) / np.exp(scores).sum()
    return rewards @ law - tau * np.log(np.exp(scores).sum() / np.exp(others).sum(axis=1))


@pytest.mark.parametrize("candidates", [1, 2, 3, 8, 31, 32, 33, 65, 2047, 2048, 2049, 16385])
@pytest.mark.parametrize("agents", [1, 2, 3, 4, 5])
def test_every_length_of_a_row(agents: int, candidates: int) -> None:
    rng = np.random.default_rng(candidates)
    rewards = rng.normal(size=(agents, candidates))
    found = softmax_payments(rewards, 2.0)
    np.testing.assert_allclose(found, plain(rewards, 2.0), rtol=1e-10, atol=1e-14)
    outcome = softmax_auction(rewards, 2.0)
    np.testing.assert_allclose(outcome.payments, found, rtol=1e-13)
    np.testing.assert_allclose(outcome.allocation, softmax_allocation(rewards, 2.0), rtol=1e-14)
    assert outcome.allocation.sum() == pytest.approx(1, abs=1e-13)


@given(
    st.lists(st.floats(-50, 50), min_size=6, max_size=6),
    st.floats(0.1, 20),
)
def test_small_queries_against_the_formula(flat: list[float], tau: float) -> None:
    rewards = np.array(flat).reshape(2, 3)
    scores = rewards.sum(axis=0) / tau
    others = scores - rewards / tau
    mine = np.logaddexp.reduce(others, axis=1) - np.logaddexp.reduce(scores)
    expected = rewards @ softmax_allocation(rewards, tau) + tau * mine
    np.testing.assert_allclose(softmax_payments(rewards, tau), expected, rtol=1e-9, atol=1e-11)


def test_layouts_do_not_matter() -> None:
    rewards = np.random.default_rng(2).normal(size=(2, 3, 5)).round(2)
    wanted = softmax_payments(rewards, 0.5)
    frozen = rewards.copy()
    frozen.flags.writeable = False
    swapped = rewards.astype(">f8")
    packed = np.zeros(rewards.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(rewards.shape)
    packed[...] = rewards
    every_other = np.repeat(rewards, 2, axis=-1)[..., ::2]
    for given_as in (
        rewards.tolist(),
        np.asfortranarray(rewards),
        frozen,
        swapped,
        packed,
        every_other,
        rewards.astype(object),
    ):
        np.testing.assert_array_equal(softmax_payments(given_as, 0.5), wanted)
    single = rewards.astype(np.float32)
    exact = softmax_payments(single.astype(np.float64), 0.5)
    np.testing.assert_array_equal(softmax_payments(single, np.float32(0.5)), exact)
    whole = np.array([[1, 0, 2], [0, 3, 1]])
    np.testing.assert_array_equal(
        softmax_payments(whole, 1), softmax_payments(whole.astype(np.float64), 1.0)
    )
    assert not packed.flags.aligned


def test_frozen_rewards_stay_as_they_are() -> None:
    rewards = np.array([[1.0, 2.0], [0.0, 5.0]])
    kept = rewards.copy()
    rewards.flags.writeable = False
    outcome = softmax_auction(rewards, 1.0)
    np.testing.assert_array_equal(rewards, kept)
    with pytest.raises(ValueError, match="read-only"):
        outcome.payments[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        outcome.rewards[0, 0] = 1.0


def test_leading_axes_broadcast() -> None:
    rng = np.random.default_rng(3)
    rewards, tau = rng.normal(size=(4, 1, 2, 5)), rng.uniform(0.5, 2, size=3)
    ref, gen = -rng.random((3, 5)), -rng.random(5)
    found = softmax_auction(rewards, tau, ref, gen)
    assert found.payments.shape == (4, 3, 2)
    assert found.tau.shape == (4, 3)
    for k in range(4):
        for t in range(3):
            alone = softmax_payments(rewards[k, 0], tau[t], ref[t], gen)
            np.testing.assert_array_equal(found.payments[k, t], alone)
    law = softmax_allocation(rewards[:, 0], 1.0)
    np.testing.assert_array_equal(law[2], softmax_allocation(rewards[2, 0], 1.0))


def test_payments_into_a_given_array() -> None:
    rewards = np.random.default_rng(4).normal(size=(3, 2, 4))
    out = np.full((3, 2), np.nan)
    assert softmax_payments(rewards, 1.0, out=out) is out
    np.testing.assert_array_equal(out, softmax_payments(rewards, 1.0))
