"""The comparisons of answers in benchmarks/rows: each passes what is right and fails a fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
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
    market,
    pictures,
    proofs,
    schemas,
    softmax_accuracy,
    softmax_auction,
    softmax_jax,
    sweeps,
)
from mechproof.report.box import Box

HALVES, THIRDS = np.array([0.5, 0.5]), np.array([1 / 3, 2 / 3])
PLAYS = np.full((2, 4), 0.25)
APART = [[Box(0, 8, 16, 16)], [Box(0, 40, 9, 16), Box(24, 40, 9, 16)]]
OVERLAPPING = [[Box(0, 8, 16, 16)], [Box(0, 40, 9, 16), Box(8, 40, 9, 16)]]
RANKED = [(7, 2.0), (3, 1.0), (5, 1.0)]
ACROSS = [[Box(0, 8, 16, 16)], [Box(24, 8, 9, 16), Box(24, 40, 9, 16)]]
UPSIDE_DOWN = [[Box(0, 72, 16, 16)], APART[1]]


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
        (pictures.tidy, APART, APART, OVERLAPPING),
        (pictures.tidy, APART, APART, UPSIDE_DOWN),
        (pictures.tidy, APART, APART, APART[:1]),
        (pictures.across, ACROSS, ACROSS, APART),
        (gambit.equal, (1, 2), (1, 2), (2, 1)),
        (market.same_scores, [RANKED], [[RANKED[0], RANKED[2], RANKED[1]]], [RANKED[:2]]),
        (market.same_scores, [RANKED], [[*RANKED[:2], (4, 1.0)]], [[(4, 2.0), *RANKED[1:]]]),
        (market.same_scores, [RANKED], [RANKED], [[(7, 2.1), *RANKED[1:]]]),
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


def test_what_few_moves_give_is_what_full_matrices_give() -> None:
    chain = fixed_points.ours("sparse", 12)
    assert fixed_points.same_law(chain, fixed_points.by_sparse_lu(12)) == ""


@pytest.mark.parametrize("kind", ["sparse", "drawn"])
def test_quantecon_is_given_the_chains_of_the_maps(kind: str) -> None:
    pytest.importorskip("quantecon")
    chain = fixed_points.ours(kind, 12)
    assert fixed_points.same_law(chain, fixed_points.quantecon_of(kind, 12)) == ""


def test_ours_writes_the_answer_of_the_script() -> None:
    schemas.prepared()
    assert schemas.ours() == schemas.ANSWER


def test_masks_write_the_answer_of_the_script() -> None:
    pytest.importorskip("llguidance")
    schemas.prepared()
    assert schemas.masked() == schemas.ANSWER


def test_our_pictures_are_tidy() -> None:
    assert pictures.tidy(pictures.our_lattice(), pictures.our_lattice()) == ""
    assert pictures.across(pictures.our_tree(), pictures.our_tree()) == ""


def test_their_pictures_are_tidy() -> None:
    pytest.importorskip("pygraphviz")
    assert pictures.tidy(pictures.our_lattice(), pictures.their_lattice()) == ""
    assert pictures.across(pictures.our_tree(), pictures.their_tree()) == ""


def test_the_programs_of_correlated_equilibria_are_the_same() -> None:
    assert correlated.same_welfare(correlated.ours(True, 3), correlated.highs(3)) == ""
    assert correlated.same_welfare(correlated.ours(False, 3), correlated.highs(3)) == ""


def test_a_sweep_and_a_loop_give_the_same_values() -> None:
    assert sweeps.ours(1, 7) == sweeps.loop(7)


def test_the_engine_and_loky_do_the_same_tasks() -> None:
    pytest.importorskip("loky")
    assert sweeps.engine() == sweeps.loky()


def test_enclosures_are_compared_with_the_definition_in_digits() -> None:
    digits = softmax_accuracy.in_digits()
    found = softmax_accuracy.enclosed()
    assert softmax_accuracy.as_in_digits(found, digits) == ""
    assert softmax_accuracy.as_in_digits(found * (1 + 1e-11), digits)
    off = softmax_accuracy.relative_errors(found * (1 + 1e-9), digits)["relative error"]
    assert off == pytest.approx(1e-9, rel=1e-3)


def test_payments_beyond_their_bound_are_counted() -> None:
    sure = [SimpleNamespace(lower=Fraction(1), upper=Fraction(1) + Fraction(1, 10**20))] * 3
    count = softmax_accuracy.beyond_their_bounds
    assert count([1.0, 1.5, 0.5], [0.0, 0.5, 0.5], sure) == 0
    assert count([1.0, 1.5, 0.5], [0.0, 0.4, 0.4], sure) == 2
    assert softmax_accuracy.worst((1.0, 1e6))[softmax_accuracy.BEYOND] == 0


def test_versions_that_are_compiled_are_counted() -> None:
    softmax_auction.called()
    known = softmax_auction.versions_compiled()
    assert known > 0
    assert softmax_auction.compiled_anew() == 0
    assert softmax_auction.versions_compiled() == known


def test_what_jax_traces_anew_is_counted() -> None:
    assert softmax_jax.compiled_anew([(2, 3)] * 3) == 0
    assert softmax_jax.compiled_anew([(2, 3), (2, 4), (3, 4), (2, 3)]) == 2


LIE = proofs.Lie(0, (Fraction(2), Fraction(0)), Fraction(1))
LIED = proofs.Decided("refuted", LIE, "exact")


@pytest.mark.parametrize(
    ("auction", "found", "told"),
    [
        ("SecondPrice", proofs.Decided("holds"), ""),
        ("SecondPrice", proofs.Decided("holds", strength="tested"), "is tested only"),
        ("SecondPrice", LIED, "is refuted"),
        ("FirstPrice", LIED, ""),
        ("FirstPrice", proofs.Decided("holds"), "is holds"),
        ("FirstPrice", proofs.Decided("refuted"), "does not gain"),
        ("FirstPrice", replace(LIED, lie=replace(LIE, report=Fraction(3))), "does not gain"),
    ],
)
def test_verdicts_and_lies_of_proofs_are_judged(
    auction: str, found: proofs.Decided, told: str
) -> None:
    said = proofs.wrong(auction, found)
    assert told in said
    assert bool(said) == bool(told)


def test_the_formula_by_hand_is_the_auction(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("z3")
    for auction in proofs.KNOWN:
        assert proofs.strange_formula(auction, 2) == ""
    right = proofs.utility
    other = {"FirstPrice": "SecondPrice", "SecondPrice": "FirstPrice"}
    monkeypatch.setattr(proofs, "utility", lambda name, *rest: right(other[name], *rest))
    assert "by hand agent" in proofs.strange_formula("SecondPrice", 2)


def test_proofs_are_compared_on_a_broken_auction_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("z3")
    held = proofs.Decided("holds")
    assert proofs.agree("SecondPrice", 2, held, held) == ""
    monkeypatch.setattr(proofs, "ours", lambda auction, agents: held)
    assert proofs.agree("SecondPrice", 2, held, held) == "ours: FirstPrice is holds"


def test_a_large_game_is_played_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="the regret of uniform play"):
        large_game.in_a_process(1_000, 20)
    monkeypatch.setattr(large_game, "uniform_regret", lambda game, player: 0.3)
    found = large_game.played_and_measured(1_000, 20)
    assert set(found) == {
        "average external regret",
        "average internal regret",
        large_game.MEGABYTES,
    }
    assert 1 < found[large_game.MEGABYTES] < 4_000
