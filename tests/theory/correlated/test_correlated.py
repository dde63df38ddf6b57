"""Equilibrium gaps: relations between games, known values, what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from inspect import unwrap
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from normal_form_games import chicken, fractions, games, joint_of, mixed, played, tensors
from sweeps import examples

from theory.correlated import (
    EquilibriumGaps,
    empirical_distribution,
    equilibrium_gaps,
    nash_gap,
)
from theory.correlated._recheck import check_gaps, check_nash
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.normal_form import NormalFormGame

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Gains = tuple[Any, Any, Any]


def gains(found: EquilibriumGaps) -> list[Gains]:
    """Return each player's external, internal and swap gain."""
    return [(g.external.gain, g.internal.gain, g.swap.gain) for g in found.players]


def told(found: EquilibriumGaps, player: int) -> dict[str, tuple[Any, Any]]:
    """Return each recommendation's probability and gain."""
    return {r.action: (r.probability, r.gain) for r in found.players[player].conditional}


def test_aumanns_thirds() -> None:
    thirds = {("yield", "yield"): "1/3", ("yield", "dare"): "1/3", ("dare", "yield"): "1/3"}
    found = equilibrium_gaps(chicken(), thirds)
    assert (found.cce, found.ce, found.swap) == (0, 0, 0)
    assert [g.payoff for g in found.players] == [5, 5]
    assert found.is_correlated_equilibrium
    assert found.arithmetic == "exact"


def test_what_is_no_equilibrium_of_chicken() -> None:
    found = equilibrium_gaps(chicken(), {("yield", "yield"): 1})
    assert (found.cce, found.ce, found.swap, found.conditional) == (1, 1, 1, 1)
    assert not found.is_correlated_equilibrium
    assert not found.is_coarse_correlated_equilibrium
    assert found.players[0].external.action == "dare"
    assert found.players[0].swap.map == (("yield", "dare"),)
    assert str(found.players[1].internal) == "play 'dare' whenever told 'yield': gains 1"
    assert str(found.players[1].conditional[0]) == "told 'yield' (probability 1): 'dare' gains 1"


def test_uniform_play_of_many_actions_hides_its_gap() -> None:
    """One swap gains 1/N however bad each recommendation is: `oracles.vacuous`."""
    n = 8
    own = np.zeros((n, 2), dtype=np.int64)
    own[0] = 1
    game = NormalFormGame.bimatrix(own, np.zeros_like(own))
    found = equilibrium_gaps(game, fractions([Fraction(1, 2 * n)] * (2 * n), (n, 2)))
    assert found.ce == Fraction(1, n)
    assert found.cce == found.swap == Fraction(n - 1, n)
    assert found.conditional == 1


def test_swaps_gain_up_to_n_times_one_swap() -> None:
    n = 5
    own = np.eye(n, dtype=np.int64)[:, [*range(1, n), 0]]
    game = NormalFormGame.bimatrix(own, np.zeros_like(own))
    found = equilibrium_gaps(game, fractions(np.eye(n).ravel().tolist(), (n, n)) / n)
    assert found.ce == Fraction(1, n)
    assert found.swap == 1
    assert found.cce == Fraction(1, n)


def test_a_coarse_equilibrium_that_is_none() -> None:
    """Moulin and Vial (1978): rock, paper, scissors with equal weight off the diagonal."""
    own = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    off = fractions([Fraction(int(i != j), 6) for i in range(3) for j in range(3)], (3, 3))
    found = equilibrium_gaps(NormalFormGame.zero_sum(own), off)
    assert found.cce == 0
    assert found.ce == Fraction(1, 6)
    assert found.swap == Fraction(1, 2)
    assert found.is_coarse_correlated_equilibrium
    assert not found.is_correlated_equilibrium


@settings(max_examples=examples(50))
@given(played())
def test_gaps_are_ordered(drawn: Any) -> None:
    game, joint = drawn
    found: Any = equilibrium_gaps(game, joint)
    for n, (external, internal, swap) in zip(game.shape, gains(found), strict=True):
        assert 0 <= internal <= swap <= n * internal
        assert external <= swap
        assert external <= (n - 1) * internal
    for g in found.players:
        assert sum(r.probability for r in g.conditional) == 1
        assert sum(r.probability * r.gain for r in g.conditional) == g.swap.gain
        assert g.worst.gain == max(r.gain for r in g.conditional)
    assert found.ce <= found.conditional
    assert (found.ce == 0) == (found.swap == 0) == (found.conditional == 0)


@settings(max_examples=examples(50))
@given(played())
def test_recheck_finds_the_same(drawn: Any) -> None:
    game, joint = drawn
    exact = equilibrium_gaps(game, joint)
    assert exact.recheck.gap == 0
    floats = equilibrium_gaps(game.as_floats(), np.array(joint, dtype=float))
    assert floats.arithmetic == "float64"
    assert floats.recheck.gap <= floats.tolerance
    for name in ("cce", "ce", "swap"):
        distance = abs(float(getattr(floats, name)) - float(getattr(exact, name)))
        assert distance <= floats.tolerance + 1e-12


@settings(max_examples=examples(50))
@given(played(), st.integers(0, 2))
def test_recheck_finds_a_wrong_gap(drawn: Any, which: int) -> None:
    game, joint = drawn
    found: Any = equilibrium_gaps(game, joint)
    wrong = replace(found, **{("cce", "ce", "swap")[which]: Fraction(1, 7) + found.swap})
    assert wrong.recheck.gap > 0


def witnessed(game: NormalFormGame, joint: np.ndarray, player: int, moved: dict[str, str]) -> Any:
    """Return what a player gains by doing as ``moved`` says, straight from the definition."""
    u = tensors(game)[player]
    total = Fraction(0)
    for profile in np.ndindex(game.shape):
        name = game.actions[player][profile[player]]
        left = list(profile)
        left[player] = game.actions[player].index(moved.get(name, name))
        total += joint[profile] * (u[tuple(left)] - u[profile])
    return total


@settings(max_examples=examples(50))
@given(played())
def test_witnesses_gain_what_they_say(drawn: Any) -> None:
    game, joint = drawn
    for p, g in enumerate(equilibrium_gaps(game, joint).players):
        always = dict.fromkeys(game.actions[p], g.external.action)
        assert witnessed(game, joint, p, always) == g.external.gain
        assert witnessed(game, joint, p, {g.internal.source: g.internal.target}) == g.internal.gain
        assert witnessed(game, joint, p, dict(g.swap.map)) == g.swap.gain
        for r in g.conditional:
            gain = witnessed(game, joint, p, {r.action: r.reply})
            assert gain == r.gain * r.probability


@settings(max_examples=examples(50))
@given(played(), st.randoms(use_true_random=False))
def test_relabelling_players(drawn: Any, random: Any) -> None:
    game, joint = drawn
    order = random.choice(list(permutations(range(len(game.shape)))))
    arrays = tensors(game)
    moved = NormalFormGame.of([np.transpose(arrays[p], order) for p in order])
    found = gains(equilibrium_gaps(game, joint))
    assert gains(equilibrium_gaps(moved, np.transpose(joint, order))) == [found[p] for p in order]


@settings(max_examples=examples(50))
@given(played(), st.randoms(use_true_random=False))
def test_relabelling_actions(drawn: Any, random: Any) -> None:
    game, joint = drawn
    index = np.ix_(*(random.sample(range(n), n) for n in game.shape))
    moved = NormalFormGame.of([u[index] for u in tensors(game)])
    assert gains(equilibrium_gaps(moved, joint[index])) == gains(equilibrium_gaps(game, joint))


@settings(max_examples=examples(50))
@given(played(), st.fractions(0, 9), st.fractions(-9, 9))
def test_scaling_and_shifting(drawn: Any, scale: Fraction, shift: Fraction) -> None:
    game, joint = drawn
    moved = NormalFormGame.of([u * scale + shift for u in tensors(game)])
    expected = [tuple(scale * g for g in row) for row in gains(equilibrium_gaps(game, joint))]
    assert gains(equilibrium_gaps(moved, joint)) == expected


@settings(max_examples=examples(50))
@given(played())
def test_what_others_payoffs_add_cannot_matter(drawn: Any) -> None:
    """Adding to u_p a function of the others' actions alone changes no gain."""
    game, joint = drawn
    moved = [u + 3 * u.take([0], axis=p) for p, u in enumerate(tensors(game))]
    assert gains(equilibrium_gaps(NormalFormGame.of(moved), joint)) == gains(
        equilibrium_gaps(game, joint)
    )


@settings(max_examples=examples(50))
@given(played(), st.data())
def test_adding_a_dominated_action(drawn: Any, data: st.DataObject) -> None:
    game, joint = drawn
    p = data.draw(st.integers(0, len(game.shape) - 1))
    k = data.draw(st.integers(0, game.shape[p] - 1))
    arrays = []
    for q, u in enumerate(tensors(game)):
        copy = u.take([k], axis=p)
        arrays.append(np.concatenate([u, copy - 1 if q == p else copy], axis=p))
    wider = np.concatenate([joint, joint.take([0], axis=p) * 0], axis=p)
    found = equilibrium_gaps(NormalFormGame.of(arrays), wider)
    assert gains(found) == gains(equilibrium_gaps(game, joint))


@settings(max_examples=examples(50))
@given(played(), st.data())
def test_doubling_an_action_and_splitting_its_weight(drawn: Any, data: st.DataObject) -> None:
    """External and swap gains stay; one swap gains no more; gains given advice stay."""
    game, joint = drawn
    p = data.draw(st.integers(0, len(game.shape) - 1))
    k = data.draw(st.integers(0, game.shape[p] - 1))
    share = data.draw(st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1)]))
    arrays = [np.concatenate([u, u.take([k], axis=p)], axis=p) for u in tensors(game)]
    wider = np.concatenate([joint, joint.take([k], axis=p) * (1 - share)], axis=p)
    np.moveaxis(wider, p, 0)[k] *= share
    before = equilibrium_gaps(game, joint)
    after = equilibrium_gaps(NormalFormGame.of(arrays), wider)
    for old, new in zip(gains(before), gains(after), strict=True):
        assert (old[0], old[2]) == (new[0], new[2])
        assert new[1] <= old[1]
    assert after.conditional == before.conditional
    name, doubled = str(k), told(after, p)
    if name in doubled and str(game.shape[p]) in doubled:
        assert doubled[name][1] == doubled[str(game.shape[p])][1] == told(before, p)[name][1]


@settings(max_examples=examples(50))
@given(mixed())
def test_independent_play(drawn: Any) -> None:
    """For a product distribution the coarse gap is the Nash gap, and advice tells nothing."""
    game, strategies = drawn
    nash = nash_gap(game, strategies)
    found = equilibrium_gaps(game, joint_of(strategies))
    assert found.cce == nash.gap
    assert [g.external.gain for g in found.players] == [r.gain for r in nash.players]
    assert nash.recheck.gap == 0
    for p, g in enumerate(found.players):
        worth = game.rewards(p, strategies).scalars()
        for r in g.conditional:
            assert r.gain == max(worth) - worth[game.actions[p].index(r.action)]
    if nash.gap == 0:
        assert nash.holds
        assert found.ce == found.swap == 0


def test_nash_equilibria() -> None:
    third = ["2/3", "1/3"]
    for strategies in ([[1, 0], [0, 1]], [[0, 1], [1, 0]], [third, third]):
        assert nash_gap(chicken(), strategies).gap == 0
    off = nash_gap(chicken(), [["1/2", "1/2"], [1, 0]])
    assert off.gap == Fraction(1, 2)
    assert str(off.players[0]) == "Ann gets 13/2, and 1/2 more by playing 'dare'"
    assert not off.holds
    assert "best reply" in str(off)
    assert "<td>dare</td>" in off._repr_html_()


def test_nash_recheck_finds_a_wrong_gain() -> None:
    game = chicken()
    rows = [game.payoffs[p].scalars() for p in range(2)]
    mixture = [[Fraction(1, 2), Fraction(1, 2)]] * 2
    assert check_nash(game.shape, rows, mixture, [Fraction(1, 4), Fraction(1, 4)]).gap == 0
    assert check_nash(game.shape, rows, mixture, [Fraction(1, 4), 0]).gap == Fraction(1, 4)


@settings(max_examples=examples(50))
@given(mixed())
def test_nash_gaps_in_floats(drawn: Any) -> None:
    game, strategies = drawn
    floats = nash_gap(game.as_floats(), [np.array(row, dtype=float) for row in strategies])
    assert floats.arithmetic == "float64"
    assert abs(floats.gap - float(nash_gap(game, strategies).gap)) <= floats.tolerance + 1e-12
    assert floats.recheck.gap <= floats.tolerance + 1e-12


def test_floats_far_from_zero_keep_their_digits() -> None:
    """A large constant shift loses only what the payoffs lost when they were rounded."""
    rng = np.random.default_rng(5)
    small = rng.integers(0, 64, (2, 6, 7)) / 64
    joint = rng.dirichlet(np.ones(42)).reshape(6, 7)
    near, far = (equilibrium_gaps(NormalFormGame.of(small + s), joint) for s in (0.0, 2.0**40))
    assert near.cce > 0.01
    for name in ("cce", "ce", "swap"):
        assert abs(getattr(near, name) - getattr(far, name)) < 1e-14


@pytest.mark.parametrize("cells", [1, 40, 1 << 22])
def test_sparse_and_dense_play_in_blocks(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr("theory.correlated._gaps._CELLS", cells)
    rng = np.random.default_rng(7)
    game = NormalFormGame.of(rng.random((3, 4, 5, 6)))
    joint = rng.dirichlet(np.ones(120))
    joint[rng.random(120) < 0.8] = 0
    joint = (joint / joint.sum()).reshape(4, 5, 6)
    sparse = equilibrium_gaps(game, joint)
    assert len(sparse.joint.support) < 30
    monkeypatch.setattr("theory.correlated._gaps._DENSE", 10**9)
    dense = equilibrium_gaps(game, joint)
    assert np.allclose(gains(sparse), gains(dense), atol=1e-14)
    assert sparse.recheck.gap < 1e-14


def test_one_player() -> None:
    game = NormalFormGame.of([[1, 3, 2]])
    found = equilibrium_gaps(game, [0, "1/2", "1/2"])
    assert (found.cce, found.ce, found.swap) == (Fraction(1, 2),) * 3
    assert found.players[0].internal.target == "1"
    assert equilibrium_gaps(game, {(1,): 1}).swap == 0


def test_no_gap_is_a_plain_zero() -> None:
    found = equilibrium_gaps(NormalFormGame.zero_sum([[0.0, -1.0], [1.0, 0.0]]), {(1, 1): 1})
    assert str(found.cce) == str(found.ce) == str(found.swap) == "0.0"
    assert "-0" not in str(found)


def test_shown() -> None:
    found = equilibrium_gaps(chicken(), {("yield", "yield"): "1/2", ("dare", "dare"): "1/2"})
    text = str(found)
    assert "Gaps in exact numbers: 1 (one action for all), 1 (one swap), 3/2 (all swaps)" in text
    assert "play 'dare' for 'yield', 'yield' for 'dare'" in text
    assert "Given a recommendation, up to 2" in text
    assert text.count("Ann") == 3
    assert found._repr_html_().count("<table>") == 2
    assert "Ann gets 3" in str(found.players[0])
    many = equilibrium_gaps(NormalFormGame.zero_sum(np.eye(60)), np.full((60, 60), 1 / 3600))
    assert "100 more" in str(many)
    assert len(str(many)) < 6000


DISTRIBUTIONS = {
    "sum of 2": ({("yield", "dare"): 2}, ProbabilityError, "does not sum to one"),
    "sum of 1/2": ([["1/2", 0], [0, 0]], ProbabilityError, "does not sum to one"),
    "float sum": (np.full((2, 2), 0.2500001), ProbabilityError, "does not sum to one within"),
    "negative": ([[2, -1], [0, 0]], ProbabilityError, "is negative"),
    "wrong shape": ([["1/2", "1/2"]], ShapeError, "does not fit a game of shape (2, 2)"),
    "flat": (["1/2", "1/2", 0, 0], ShapeError, "does not fit"),
    "a number": (1, InvalidInputError, "neither a mapping nor an array"),
    "None": (None, InvalidInputError, "neither a mapping nor an array"),
    "empty": ({}, InvalidInputError, "is empty"),
    "empty list": ([], ShapeError, "does not fit"),
    "unknown action": ({("yeld", "dare"): 1}, UnknownNameError, "did you mean 'yield'"),
    "action out of range": ({(0, 2): 1}, UnknownNameError, "out of range"),
    "short profile": ({("yield",): 1}, ShapeError, "2 actions"),
    "profile as text": ({"yield": 1}, ShapeError, "2 actions"),
    "given twice": ({(0, 0): "1/2", ("yield", "yield"): "1/2"}, InvalidInputError, "given twice"),
    "NaN": ({("yield", "dare"): float("nan")}, NumberError, "distribution of ('yield', 'dare')"),
    "NaN array": (np.full((2, 2), np.nan), NumberError, "is not finite"),
    "infinite": ([[float("inf"), 0], [0, 0]], NumberError, "is not finite"),
    "text": ({("yield", "dare"): "one"}, NumberError, "distribution of ('yield', 'dare')"),
    "bool": ({("yield", "dare"): True}, NumberError, "is not a number"),
    "rows": ({("yield", "dare"): [1]}, ShapeError, "one number a profile"),
    "mixed kinds": ([[0.5, Fraction(1, 2)], [0, 0]], ExactnessError, "beside floats"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("distribution", "error", "says"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS.keys()
)
def test_distributions_that_are_refused(
    distribution: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as caught:
        equilibrium_gaps(chicken(), distribution)
    assert says in str(caught.value)


def test_kinds_do_not_mix() -> None:
    halves = NormalFormGame.zero_sum([["1/2", 0]])
    with pytest.raises(ExactnessError, match="payoffs stands beside floats"):
        equilibrium_gaps(halves, [[0.5, 0.5]])
    with pytest.raises(ExactnessError, match="distribution"):
        equilibrium_gaps(halves.as_floats(), [["1/2", "1/2"]])
    assert equilibrium_gaps(halves.as_floats(), {(0, 1): 1}).arithmetic == "float64"
    assert equilibrium_gaps(chicken(), np.full((2, 2), 0.25)).arithmetic == "float64"


def test_games_that_are_none() -> None:
    for function in (equilibrium_gaps, nash_gap):
        with pytest.raises(InvalidInputError, match="is not a NormalFormGame"):
            unwrap(function)([[1, 2]], [[1, 0]])


def test_differences_beyond_float64() -> None:
    game = NormalFormGame.of([[1.7e308, -1.7e308]])
    with pytest.raises(NumberError, match="beyond float64"):
        equilibrium_gaps(game, [0, 1])


@settings(max_examples=examples(50))
@given(games(), st.data())
def test_histories_have_the_gaps_of_their_average_regret(
    game: NormalFormGame, data: st.DataObject
) -> None:
    rounds = data.draw(st.integers(1, 4))
    numerators = st.integers(0, 3)
    plays = []
    for n in game.shape:
        rows = []
        for _ in range(rounds):
            row = data.draw(st.lists(numerators, min_size=n, max_size=n))
            row[0] += 1
            rows.append([Fraction(v, sum(row)) for v in row])
        plays.append(rows)
    joint = empirical_distribution(plays)
    assert joint.shape == game.shape
    assert joint.sum() == 1
    found = equilibrium_gaps(game, joint)
    for p, g in enumerate(found.players):
        rewards = [game.rewards(p, [own[t] for own in plays]).scalars() for t in range(rounds)]
        earned = sum(
            x * r for t in range(rounds) for x, r in zip(plays[p][t], rewards[t], strict=True)
        )
        best = max(sum(column) for column in zip(*rewards, strict=True))
        assert g.external.gain == Fraction(best - earned) / rounds
    floats = empirical_distribution([np.array(own, dtype=float) for own in plays])
    assert floats.dtype == np.float64
    assert np.allclose(floats, joint.astype(float), atol=1e-15)


def test_histories_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    plays = [rng.dirichlet(np.ones(n), 50) for n in (2, 3, 4)]
    whole = empirical_distribution(plays)
    assert np.allclose(whole, np.einsum("ta,tb,tc->abc", *plays) / 50, atol=1e-15)
    monkeypatch.setattr("theory.correlated._empirical._CELLS", 7)
    assert np.allclose(empirical_distribution(plays), whole, atol=1e-15)


HISTORIES = {
    "nothing": ([], InvalidInputError, "is no list"),
    "None": (None, InvalidInputError, "is no list"),
    "text": ("ab", InvalidInputError, "is no list"),
    "one row": ([[1, 0]], ShapeError, "one row a round"),
    "no rounds": ([np.zeros((0, 2))], ShapeError, "at least one round"),
    "no actions": ([np.zeros((2, 0))], ShapeError, "at least one round"),
    "unequal rounds": ([[[1, 0]], [[1, 0], [1, 0]]], ShapeError, "as many as the others"),
    "negative": ([[[2, -1]]], ProbabilityError, "plays[0][0, 1] is negative"),
    "sum": ([[[1, 0], ["1/2", "1/3"]]], ProbabilityError, "plays[0][1] does not sum to one"),
    "float sum": ([[[0.5, 0.6]]], ProbabilityError, "does not sum to one"),
    "NaN": ([[[0.5, float("nan")]]], NumberError, "is not finite"),
    "mixed": ([[["1/2", "1/2"]], [[0.5, 0.5]]], ExactnessError, "plays[0]"),
    "large": ([np.eye(1, 10**5)] * 2, LimitError, "profiles"),
}


@pytest.mark.parametrize(("plays", "error", "says"), HISTORIES.values(), ids=HISTORIES.keys())
def test_histories_that_are_refused(plays: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        unwrap(empirical_distribution)(plays)
    assert says in str(caught.value)


def test_the_recheck_shares_nothing() -> None:
    """It takes plain lists and knows neither games nor arrays."""
    found = check_gaps((2, 2), [[6, 2, 7, 0], [6, 7, 2, 0]], {0: 1}, (1, 1, 1))
    assert found.gaps == (1, 1, 1)
    assert found.gap == 0
    assert str(found) == "rechecked: off by 0"
