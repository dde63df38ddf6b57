"""The same numbers give the same bits, wherever in memory they are."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mechanisms.softmax_auction import AuctionOutcome, softmax_auction


def bits(outcome: AuctionOutcome) -> bytes:
    found = (
        outcome.allocation,
        outcome.payments,
        outcome.utilities,
        outcome.reward_gains,
        outcome.utility_gains,
        outcome.error_bounds,
    )
    return b"".join(each.tobytes() for each in found)


def test_where_arrays_lie_does_not_change_the_last_bits() -> None:
    rng = np.random.default_rng(0)
    low, high = np.log(1.05), np.log(31.5)
    rewards = np.where(rng.random((6, 2, 6)) < 0.5, low, high)
    log_ref = np.where(np.tri(6) > 0, np.log(0.019), -np.inf)
    log_gen = np.full((6, 6), np.log(0.25))
    seen: Counter[bytes] = Counter()
    for _ in range(1000):
        scattered = [np.ones(rng.integers(1, 500)) for _ in range(3)]
        seen[bits(softmax_auction(rewards, 1.0, log_ref, log_gen))] += 1
        del scattered
    assert len(seen) == 1
