"""The comparisons of answers in benchmarks/rows: each passes what is right and fails a fault."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.rows import (
    adapters,
    correlated,
    fixed_points,
    gambit,
    large_game,
    learning,
    local_model,
    softmax_auction,
    sweeps,
)

HALVES, THIRDS = np.array([0.5, 0.5]), np.array([1 / 3, 2 / 3])
PLAYS = np.full((2, 4), 0.25)


def law(x: np.ndarray) -> Any:
    return SimpleNamespace(dense=lambda: x)


@pytest.mark.parametrize(
    ("agree", "ours", "theirs", "fault"),
    [
        (learning.same_averages, [HALVES, THIRDS], [HALVES, THIRDS], [HALVES, HALVES]),
        (fixed_points.same_law, law(THIRDS), THIRDS, HALVES),
        (softmax_auction.close, THIRDS, THIRDS + 1e-12, THIRDS + 1e-6),
        (local_model.close, THIRDS, THIRDS + 1e-4, THIRDS + 0.1),
        (adapters.same_texts, ["a", "b"], ["b", "a"], ["a", "a"]),
        (correlated.same_welfare, 10.5, 10.5, 10.4),
        (gambit.equal, (1, 2), (1, 2), (2, 1)),
        (gambit.same_payoffs, [(1, 2), (1, 2)], [(1, 2)], [(1, 3)]),
        (large_game.both_fixed, (PLAYS, 1e-16), (PLAYS, 0.0), (PLAYS, 1e-3)),
        (large_game.both_fixed, (PLAYS, 1e-16), (PLAYS, 0.0), (2 * PLAYS, 0.0)),
        (
            large_game.both_in_the_set,
            SimpleNamespace(actions=(0, 3), size=4),
            np.array([2]),
            np.array([4]),
        ),
    ],
)
def test_a_fault_of_the_peer_shows(
    agree: Callable[[Any, Any], str], ours: Any, theirs: Any, fault: Any
) -> None:
    assert agree(ours, theirs) == ""
    assert agree(ours, fault)


def test_the_chains_of_the_linear_program_are_those_of_the_maps() -> None:
    for kind in ("dense", "sparse"):
        assert (
            fixed_points.same_law(fixed_points.ours(kind, 12), fixed_points.highs(kind, 12)) == ""
        )
    assert fixed_points.same_law(fixed_points.ours("dense", 12), fixed_points.by_lu(12)) == ""


def test_the_programs_of_correlated_equilibria_are_the_same() -> None:
    assert correlated.same_welfare(correlated.ours(True, 3), correlated.highs(3)) == ""
    assert correlated.same_welfare(correlated.ours(False, 3), correlated.highs(3)) == ""


def test_a_sweep_and_a_loop_give_the_same_values() -> None:
    assert sweeps.ours(1, 7) == sweeps.loop(7)
