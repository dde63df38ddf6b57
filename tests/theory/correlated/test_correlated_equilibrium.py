"""The best and worst correlated equilibria: known ones, relations, certificates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from inspect import unwrap
from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from normal_form_games import chicken, fractions, games, shapes, tensors
from sweeps import examples

from theory.correlated import _equilibrium as module
from theory.correlated import correlated_equilibrium, nash_gap
from theory.correlated._certificate import certify
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ShapeError,
    UnknownNameError,
)
from theory.linear import CertificateError
from theory.normal_form import NormalFormGame
from theory.numbers import Exact

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
CASES: list[Any] = list(product(["ce", "cce"], ["max_welfare", "min_welfare"]))


def value(game: NormalFormGame, concept: Any = "ce", objective: Any = "max_welfare") -> Any:
    return correlated_equilibrium(game, concept=concept, objective=objective).value


def small() -> Any:
    return games(shape=shapes(players=3, actions=3).filter(lambda s: np.prod(s) <= 12))


def test_chicken_has_aumanns_best_equilibrium() -> None:
    found = correlated_equilibrium(chicken())
    assert found.distribution == {
        ("yield", "yield"): HALF, ("yield", "dare"): QUARTER, ("dare", "yield"): QUARTER
    }  # fmt: skip
    assert found.value == Fraction(21, 2)
    assert found.payoffs == (Fraction(21, 4), Fraction(21, 4))
    assert found.certificate.bound == Fraction(21, 2)
    assert found.gap == 0
    assert found.gaps.ce == 0
    assert (found.array() == fractions([HALF, QUARTER, QUARTER, 0], (2, 2))).all()
    assert "3/4 x what Ann loses by 'dare', when told 'yield'" in str(found)
    assert "<td>yield</td>" in found._repr_html_()


def test_a_long_equilibrium_says_how_much_is_left_out_in_a_row_as_wide_as_the_others() -> None:
    found = correlated_equilibrium(NormalFormGame.zero_sum([[0] * 6] * 6))
    every = dict.fromkeys(product(*found.game.actions), Fraction(1, 36))
    table = replace(found, distribution=every).table()
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert len(table.rows) == 25
    assert table.rows[-1][0] == "12 more"
    assert len(replace(found, distribution=dict(list(every.items())[:24])).table().rows) == 24


def test_the_worst_of_chicken_is_between_anarchy_and_nash() -> None:
    """The mixed Nash equilibrium pays 14/3 each and is not the worst correlated one."""
    worst = correlated_equilibrium(chicken(), objective="min_welfare")
    assert worst.value < 2 * Fraction(14, 3)
    assert worst.gaps.ce == 0
    assert worst.certificate.bound == worst.value


def test_shapleys_game_has_one_correlated_equilibrium() -> None:
    """Rock, paper, scissors and Shapley's variant: only uniform independent play for the first."""
    rps = NormalFormGame.zero_sum([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    for weights in ([1, 0], [0, 1], [1, 1], [-1, 2]):
        found = correlated_equilibrium(rps, objective=weights)
        assert set(found.distribution.values()) == {Fraction(1, 9)}
        assert len(found.distribution) == 9


def test_the_certificate_says_which_side_it_bounds() -> None:
    """Its prices, applied as it says, bound every profile by the number that it gives."""
    game: Any = chicken()
    for objective, side, sign in (("max_welfare", "above", 1), ("min_welfare", "below", -1)):
        found: Any = correlated_equilibrium(game, objective=objective)
        assert f"goes {side} {found.value}: " in str(found.certificate)
        bound = found.certificate.bound
        for a, b in product(range(2), repeat=2):
            total = sum(game.payoff(p, (a, b)) for p in (0, 1))
            for each in found.certificate.multipliers:
                p = game.players.index(each.player)
                told, to = (game.actions[p].index(str(x)) for x in (each.source, each.target))
                if (a, b)[p] == told:
                    other = (to, b) if p == 0 else (a, to)
                    total += sign * each.price * (game.payoff(p, (a, b)) - game.payoff(p, other))
            assert sign * total <= sign * bound


def test_dominance_leaves_one_equilibrium() -> None:
    dilemma = NormalFormGame.bimatrix([[3, 0], [5, 1]], [[3, 5], [0, 1]])
    for concept, objective in CASES:
        found = correlated_equilibrium(dilemma, concept=concept, objective=objective)
        assert found.distribution == {("1", "1"): 1}
        assert found.value == 2


def test_one_player_and_one_action() -> None:
    alone = NormalFormGame.of([[1, 3, 2]])
    for concept, objective in CASES:
        assert value(alone, concept, objective) == 3
        assert value(alone.as_floats(), concept, objective) == 3
        still = NormalFormGame.of([[["1/2"]], [[2]]])
        assert value(still, concept, objective) == Fraction(5, 2)
        assert value(still.as_floats(), concept, objective) == 2.5


@settings(max_examples=examples(25))
@given(small())
def test_correlated_equilibria_are_coarse(game: NormalFormGame) -> None:
    ce_max, ce_min, cce_max, cce_min = (value(game, *case) for case in CASES)
    assert cce_min <= ce_min <= ce_max <= cce_max


@settings(max_examples=examples(25))
@given(small(), st.sampled_from(CASES))
def test_certificates_hold(game: NormalFormGame, case: Any) -> None:
    concept, objective = case
    found: Any = correlated_equilibrium(game, concept=concept, objective=objective)
    assert found.gap == 0
    assert found.certificate.bound == found.value
    assert found.gaps.cce == 0
    assert (found.gaps.ce == 0) or concept == "cce"
    assert found.gaps.recheck.gap == 0
    assert sum(found.distribution.values()) == 1
    assert sum(found.payoffs) == found.value
    u = sum(tensors(game))
    assert (found.array() * u).sum() == found.value


@settings(max_examples=examples(25))
@given(small(), st.sampled_from(CASES))
def test_floats_find_the_same_value(game: NormalFormGame, case: Any) -> None:
    concept, objective = case
    exact = correlated_equilibrium(game, concept=concept, objective=objective)
    floats = correlated_equilibrium(game.as_floats(), concept=concept, objective=objective)
    assert floats.value == pytest.approx(float(exact.value), abs=1e-8)
    assert floats.gap <= floats.tolerance
    assert floats.gaps.arithmetic == "float64"
    assert floats.gaps.recheck.gap <= floats.gaps.tolerance
    assert floats.array().sum() == pytest.approx(1, abs=1e-12)


def test_a_constant_in_all_payoffs_loosens_what_is_accepted_by_its_rounding_alone() -> None:
    payoffs = np.array([[6.0, 2.0], [7.0, 0.0]])

    def accepted(constant: float) -> float:
        game = NormalFormGame.bimatrix(payoffs + constant, payoffs.T + constant)
        return correlated_equilibrium(game).tolerance

    assert 0 < accepted(1e6) - accepted(0) < 1e6 * 1e-13
    assert accepted(0) < 1e-5


@settings(max_examples=examples(25))
@given(small())
def test_pure_equilibria_lie_between(game: NormalFormGame) -> None:
    low, high = value(game, "ce", "min_welfare"), value(game)
    for profile in np.ndindex(game.shape):
        pure = [[int(j == a) for j in range(n)] for a, n in zip(profile, game.shape, strict=True)]
        if nash_gap(game, pure).gap == 0:
            assert low <= sum(u[profile] for u in tensors(game)) <= high


@settings(max_examples=examples(25))
@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_zero_sum_games(rows: int, columns: int, data: st.DataObject) -> None:
    """Welfare is 0, every coarse equilibrium pays the value, and its marginals are Nash."""
    cells = rows * columns
    drawn = data.draw(st.lists(st.integers(-4, 4), min_size=cells, max_size=cells))
    game = NormalFormGame.zero_sum(fractions(drawn, (rows, columns)))
    assert [value(game, *case) for case in CASES] == [0, 0, 0, 0]
    paid = set()
    pairs: list[Any] = list(product(["ce", "cce"], ([1, 0], [0, 1], [2, 1])))
    for concept, weights in pairs:
        found = correlated_equilibrium(game, concept=concept, objective=weights)
        paid.add(found.payoffs[0])
        joint = found.array()
        assert nash_gap(game, [joint.sum(axis=1), joint.sum(axis=0)]).gap == 0
    assert len(paid) == 1


def test_correlated_play_of_a_zero_sum_game_need_not_be_nash() -> None:
    """`oracles.zero-sum`: in the zero matrix anything is an equilibrium, and it is accepted."""
    zero = NormalFormGame.zero_sum([[0, 0], [0, 0]])
    found = correlated_equilibrium(zero)
    assert found.gaps.swap == found.value == 0
    assert found.certificate.multipliers == ()


@settings(max_examples=examples(25))
@given(small(), st.sampled_from(CASES), st.randoms(use_true_random=False))
def test_relabelling(game: NormalFormGame, case: Any, random: Any) -> None:
    order = random.choice(list(permutations(range(len(game.shape)))))
    index = np.ix_(*(random.sample(range(n), n) for n in game.shape))
    arrays = tensors(game)
    moved = NormalFormGame.of([np.transpose(arrays[p][index], order) for p in order])
    assert value(moved, *case) == value(game, *case)


@settings(max_examples=examples(25))
@given(small(), st.sampled_from(CASES), st.sampled_from([Fraction(1, 7), Fraction(10**9)]))
def test_scaling_and_shifting(game: NormalFormGame, case: Any, scale: Fraction) -> None:
    moved = NormalFormGame.of([u * scale + 5 for u in tensors(game)])
    expected = value(game, *case) * scale + 5 * len(game.shape)
    assert value(moved, *case) == expected
    assert value(moved.as_floats(), *case) == pytest.approx(float(expected), rel=1e-8)


@settings(max_examples=examples(25))
@given(small(), st.sampled_from(CASES), st.data())
def test_doubling_an_action_keeps_the_values(
    game: NormalFormGame, case: Any, data: st.DataObject
) -> None:
    p = data.draw(st.integers(0, len(game.shape) - 1))
    k = data.draw(st.integers(0, game.shape[p] - 1))
    doubled = NormalFormGame.of(
        [np.concatenate([u, u.take([k], axis=p)], axis=p) for u in tensors(game)]
    )
    assert value(doubled, *case) == value(game, *case)


@settings(max_examples=examples(25))
@given(small(), st.data())
def test_a_strictly_dominated_action_is_never_told(
    game: NormalFormGame, data: st.DataObject
) -> None:
    p = data.draw(st.integers(0, len(game.shape) - 1))
    k = data.draw(st.integers(0, game.shape[p] - 1))
    arrays = []
    for q, u in enumerate(tensors(game)):
        copy = u.take([k], axis=p)
        arrays.append(np.concatenate([u, copy - 1 if q == p else copy + 9], axis=p))
    wider = NormalFormGame.of(arrays)
    found = correlated_equilibrium(wider)
    assert found.array().take([game.shape[p]], axis=p).sum() == 0
    assert found.value == value(game)


@settings(max_examples=examples(25))
@given(small())
def test_weights(game: NormalFormGame) -> None:
    ones = [1] * len(game.shape)
    assert value(game, "ce", ones) == value(game)
    assert value(game, "ce", [-1] * len(ones)) == -value(game, "ce", "min_welfare")
    first = correlated_equilibrium(game, objective=[1, *([0] * (len(ones) - 1))])
    assert first.value == first.payoffs[0] >= correlated_equilibrium(game).payoffs[0]
    assert value(game, "ce", ["1/2"] * len(ones)) == value(game) / 2


def test_a_welfare_that_play_cannot_change() -> None:
    """The multipliers of a constant objective are rounding; the certificate says the constant."""
    rng = np.random.default_rng(2)
    game = NormalFormGame.zero_sum(rng.random((4, 5)) + 1e6)
    for case in CASES:
        assert value(game, *case) == pytest.approx(0, abs=1e-6)
    assert value(game, "ce", [0.0, 0.0]) == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(12, 12), (3, 4, 5), (2, 2, 2, 2, 2)])
def test_larger_float_games(seed: int, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    game = NormalFormGame.of(rng.normal(size=(len(shape), *shape)))
    values = []
    for concept, objective in CASES:
        found = correlated_equilibrium(game, concept=concept, objective=objective)
        assert found.gap <= 1e-9
        assert (found.gaps.ce if concept == "ce" else found.gaps.cce) <= 1e-9
        values.append(found.value)
    ce_max, ce_min, cce_max, cce_min = values
    assert cce_min - 1e-9 <= ce_min <= ce_max <= cce_max + 1e-9


def test_any_prices_give_a_bound_and_worse_ones_a_worse_bound() -> None:
    game, ones = chicken(), Exact.of([1, 1])
    best = [(0, 0, 1, Fraction(3, 4)), (1, 0, 1, Fraction(3, 4))]
    assert certify(game, ones, True, best) == Fraction(21, 2)
    assert certify(game, ones, True, []) == 12
    assert certify(game, ones, True, best[:1]) > Fraction(21, 2)
    assert certify(game, ones, False, []) == 0
    with pytest.raises(CertificateError, match="is negative"):
        certify(game, ones, True, [(0, 0, 1, Fraction(-1))])


@pytest.mark.parametrize("exact", [True, False])
def test_a_solver_that_is_wrong_is_caught(monkeypatch: pytest.MonkeyPatch, exact: bool) -> None:
    game = chicken() if exact else chicken().as_floats()
    name = "solve_exactly" if exact else "solve_floats"
    right = getattr(module, name)
    one = Fraction(1) if exact else 1.0

    def no_dual(*given: Any) -> Any:
        return right(*given)[0], []

    def no_equilibrium(*given: Any) -> Any:
        prices = [(0, 0, 1, one), (1, 0, 1, one)]
        return [one, 0 * one, 0 * one, 0 * one], prices

    def not_best(*given: Any) -> Any:
        return [0 * one, one, 0 * one, 0 * one], right(*given)[1]

    for wrong in (no_dual, no_equilibrium, not_best):
        monkeypatch.setattr(module, name, wrong)
        with pytest.raises(CertificateError):
            correlated_equilibrium(game)


def test_an_optimal_value_at_what_is_no_equilibrium_is_caught() -> None:
    """All yield pays 12, and a bound of 12 is easily proven; but they do not stay."""
    game = chicken()

    def lazy(*given: Any) -> Any:
        return [Fraction(1), Fraction(0), Fraction(0), Fraction(0)], []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "solve_exactly", lazy)
        with pytest.raises(CertificateError, match="lets Ann gain 1"):
            correlated_equilibrium(game)


@pytest.mark.parametrize("seed", [0, 1])
def test_payoffs_of_many_sizes_take_few_pivots(seed: int) -> None:
    """The start in float64 is a little outside; back through phase one it is 60 pivots and more."""
    random = Random(seed)
    first, second = (
        [[2 ** random.randint(0, 60) for _ in range(6)] for _ in range(6)] for _ in "ab"
    )
    game = NormalFormGame.bimatrix(first, second)
    assert correlated_equilibrium(game, pivots=5).gap == 0
    with pytest.raises(LimitError, match="more than 0 exact pivots"):
        correlated_equilibrium(game, pivots=0)


def test_limits_say_the_sizes() -> None:
    large = NormalFormGame.zero_sum(np.arange(400).reshape(20, 20))
    with pytest.raises(LimitError, match="761 rows and 400 columns"):
        correlated_equilibrium(large)
    assert value(large, "cce") == 0
    assert value(large.as_floats()) == pytest.approx(0, abs=1e-6)
    with pytest.raises(LimitError, match="more than 5,000,000 entries"):
        correlated_equilibrium(NormalFormGame.zero_sum(np.zeros((300, 300))))


ARGUMENTS = {
    "concept": ({"concept": "nash"}, UnknownNameError),
    "concept of another type": ({"concept": 3}, UnknownNameError),
    "objective": ({"objective": "max_wellfare"}, UnknownNameError),
    "no objective": ({"objective": None}, InvalidInputError),
    "one weight": ({"objective": [1]}, ShapeError),
    "matrix of weights": ({"objective": [[1, 2], [3, 4]]}, ShapeError),
    "NaN": ({"objective": [1.0, float("nan")]}, NumberError),
    "bool": ({"objective": [True, False]}, NumberError),
}


@pytest.mark.parametrize(("given", "error"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_that_are_refused(given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        unwrap(correlated_equilibrium)(chicken(), **given)


def test_games_and_weights_of_other_kinds() -> None:
    with pytest.raises(InvalidInputError, match="is not a NormalFormGame"):
        unwrap(correlated_equilibrium)([[1]])
    with pytest.raises(ExactnessError, match="objective"):
        correlated_equilibrium(chicken().as_floats(), objective=["1/2", 1])
    assert value(chicken(), "ce", [0.5, 0.5]) == pytest.approx(21 / 4)
