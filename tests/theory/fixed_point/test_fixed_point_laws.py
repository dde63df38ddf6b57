"""What must not change a fixed point: names, scale, merged moves, indices that nothing touches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.fixed_point import FixedPoint, MapMixture, fixed_point, fixed_point_residual

F = Fraction
Maps = tuple[int, dict[tuple[int, int], Fraction], dict[int, Fraction]]


@st.composite
def mixtures(draw: st.DrawFn, constants: bool = True) -> Maps:
    """Few moves on few indices, so that most chains are reducible; weights of very unlike size."""
    size = draw(st.integers(1, 7))
    index = st.integers(0, size - 1)
    unit = st.builds(
        lambda a, b: F(a, 10**b), st.integers(0, 9), st.sampled_from([0, 0, 1, 2, 9, 40])
    )
    moves = draw(st.dictionaries(st.tuples(index, index), unit, max_size=12))
    jumps = draw(st.dictionaries(index, unit, max_size=2)) if constants else {}
    total = sum([*moves.values(), *jumps.values()], F(0))
    part = draw(st.sampled_from([F(1), F(1, 2), F(1, 10**6)]))
    scale = part / total if total else F(0)
    return (
        size,
        {pair: w * scale for pair, w in moves.items()},
        {j: w * scale for j, w in jumps.items()},
    )


def both_kinds(maps: Maps) -> list[MapMixture]:
    exact = MapMixture.of(*maps)
    return [exact, exact.as_floats()]


def law(found: FixedPoint) -> dict[int, Any]:
    return dict(zip(found.support, found.weights, strict=True))


def same(one: dict[int, Any], other: dict[int, Any], exact: bool) -> bool:
    if exact:
        return one == other
    return one.keys() == other.keys() and all(
        other[i] == pytest.approx(p, rel=1e-13) for i, p in one.items()
    )


@given(mixtures(), st.data())
def test_what_is_returned_is_a_fixed_point(maps: Maps, data: st.DataObject) -> None:
    start = data.draw(st.none() | st.integers(0, maps[0] - 1))
    for mixture in both_kinds(maps):
        found = fixed_point(mixture, start=start)
        kept = mixture.apply(found)
        assert found.support == tuple(sorted(found.support))
        assert min(found.weights) > 0
        assert sum(found.weights) == pytest.approx(1, abs=0 if mixture.exact else 1e-14)
        if mixture.exact:
            assert kept == law(found)
            assert found.gap == 0
        assert found.gap <= 1e-15
        assert found.gap == fixed_point_residual(mixture, found)


@given(mixtures())
def test_floats_give_what_fractions_give(maps: Maps) -> None:
    exact, floats = (law(fixed_point(mixture)) for mixture in both_kinds(maps))
    for i, p in exact.items():
        assert floats.get(i, 0.0) == pytest.approx(float(p), rel=1e-12, abs=1e-290)
    assert floats.keys() <= exact.keys()


@given(mixtures(), st.data())
def test_names_do_not_matter(maps: Maps, data: st.DataObject) -> None:
    """From every start, the class reached is the same up to names where only one is reached."""
    size, moves, constants = maps
    names = data.draw(st.permutations(range(size)))
    renamed = (
        size,
        {(names[i], names[j]): w for (i, j), w in moves.items()},
        {names[j]: w for j, w in constants.items()},
    )
    for one, other in zip(both_kinds(maps), both_kinds(renamed), strict=True):
        laws = {tuple(sorted(law(fixed_point(one, start=i)).items())) for i in range(size)}
        for i in range(size):
            found = law(fixed_point(other, start=names[i]))
            back = {names.index(n): p for n, p in found.items()}
            assert any(same(dict(known), back, one.exact) for known in laws)
        assert fixed_point(one).unique == fixed_point(other).unique


@given(mixtures(), st.integers(1, 5))
def test_names_in_the_same_order_matter_even_less(maps: Maps, step: int) -> None:
    size, moves, constants = maps
    for shift in (0, 3, 10**15, 10**30):
        spread = (
            10**40,
            {(i * step + shift, j * step + shift): w for (i, j), w in moves.items()},
            {j * step + shift: w for j, w in constants.items()},
        )
        for one, other in zip(both_kinds(maps), both_kinds(spread), strict=True):
            for start in range(size):
                found = law(fixed_point(other, start=start * step + shift))
                back = {(n - shift) // step: p for n, p in found.items()}
                assert same(law(fixed_point(one, start=start)), back, one.exact)


@given(mixtures(), st.fractions(F(1, 1000), 1))
def test_the_scale_of_all_weights_does_not_matter(maps: Maps, scale: Fraction) -> None:
    size, moves, constants = maps
    scaled = (
        size,
        {pair: w * scale for pair, w in moves.items()},
        {j: w * scale for j, w in constants.items()},
    )
    for one, other in zip(both_kinds(maps), both_kinds(scaled), strict=True):
        assert same(law(fixed_point(one)), law(fixed_point(other)), one.exact)


@given(mixtures(), st.integers(1, 10**20))
def test_untouched_indices_do_not_matter(maps: Maps, more: int) -> None:
    size = maps[0]
    for one, other in zip(both_kinds(maps), both_kinds((size + more, *maps[1:])), strict=True):
        for start in range(size):
            before, after = fixed_point(one, start=start), fixed_point(other, start=start)
            assert same(law(before), law(after), one.exact)
            assert after.unique == bool(other.constants.weights.size)


@given(mixtures())
def test_split_moves_are_whole_ones(maps: Maps) -> None:
    _, one = both_kinds(maps)
    moves, constants = one.moves, one.constants
    split = MapMixture.from_arrays(
        one.size,
        np.tile(moves.sources, 2)[::-1],
        np.tile(moves.targets, 2)[::-1],
        np.concatenate((moves.weights / 4, moves.weights * 0.75))[::-1],
        constants=np.repeat(constants.targets, 2),
        constant_weights=np.repeat(constants.weights / 2, 2),
    )
    for start in [None, *range(one.size)]:
        found = law(fixed_point(split, start=start))
        assert same(law(fixed_point(one, start=start)), found, False)


@given(mixtures(constants=False), st.data())
def test_merging_two_indices_that_nothing_tells_apart(maps: Maps, data: st.DataObject) -> None:
    """Split an index in twins that share its inflow: together they have its probability."""
    size, moves, _ = maps
    old, share = data.draw(st.integers(0, size - 1)), data.draw(st.fractions(F(1, 5), F(4, 5)))
    twin = size
    split: dict[tuple[int, int], Fraction] = {}
    for (i, j), w in moves.items():
        if i == j:
            continue
        ends = [(j, F(1))] if j != old else [(old, share), (twin, F(1) - share)]
        for source in (old, twin) if i == old else (i,):
            for target, part in ends:
                split[source, target] = F(w * part) / 2
    leaves_old = any(i == old and i != j and w for (i, j), w in moves.items())
    one = MapMixture.of(size, {pair: w / 2 for pair, w in moves.items()})
    other = MapMixture.of(size + 1, split)
    for start in range(size):
        before, after = law(fixed_point(one, start=start)), law(fixed_point(other, start=start))
        if old in before and not leaves_old:
            assert set(after) <= {old, twin}
            continue
        merged = dict(after)
        if twin in merged:
            merged[old] = merged.get(old, F(0)) + merged.pop(twin)
        assert merged == before


@given(mixtures(constants=False))
def test_a_matrix_is_its_moves(maps: Maps) -> None:
    size, moves, _ = maps
    rows = [[moves.get((i, j), F(0)) if i != j else F(0) for j in range(size)] for i in range(size)]
    for i, row in enumerate(rows):
        row[i] = 1 - sum(row, F(0))
    exact, floats = MapMixture.from_matrix(rows), MapMixture.from_matrix(np.array(rows, float))
    one = MapMixture.of(*maps)
    assert law(fixed_point(exact)) == law(fixed_point(one))
    assert same(law(fixed_point(floats)), law(fixed_point(one.as_floats())), False)


@given(mixtures(), st.floats(0, 1))
def test_residuals_grow_with_the_distance(maps: Maps, part: float) -> None:
    """The residual is a norm of (Q - I)x: convex, 0 at the fixed point, at most 2."""
    mixture = MapMixture.of(*maps).as_floats()
    found, size = fixed_point(mixture).strategy.dense(), maps[0]
    corner = np.eye(size)[size - 1]
    mixed = (1 - part) * found + part * corner
    whole = fixed_point_residual(mixture, corner)
    assert whole <= 2 + 1e-15
    assert fixed_point_residual(mixture, mixed) == pytest.approx(part * whole, abs=1e-14)


# --- weights whose products underflow


def as_fractions(maps: MapMixture) -> MapMixture:
    moves: dict[tuple[int, int], Fraction] = {}
    for i, j, w in zip(*(row.tolist() for row in maps.moves), strict=True):
        moves[i, j] = moves.get((i, j), Fraction(0)) + Fraction(w)
    jumps = zip(*(row.tolist() for row in maps.constants), strict=True)
    return MapMixture.of(maps.size, moves, {j: Fraction(w) for j, w in jumps})


def worst_relative_error(maps: MapMixture, start: int) -> float:
    found, exact = fixed_point(maps, start=start), fixed_point(as_fractions(maps), start=start)
    return max(
        abs(float(Fraction(found.probability(i)) / p - 1))
        for i, p in zip(exact.support, exact.weights, strict=True)
    )


@pytest.mark.parametrize("seed", range(40))
def test_digits_hold_as_far_as_is_promised(seed: int) -> None:
    """Weights as far apart as w (w / s)^(k - 2) >= 1e-146 allows, with some of both ends."""
    rng = np.random.default_rng(seed)
    k, constants = int(rng.integers(2, 7)), bool(rng.random() < 0.3)
    states = k + constants
    most = 0.0 if constants else -float(rng.uniform(0, 40))  # log10 of s
    least = (-145.0 + (states - 2) * most) / (states - 1)
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j and rng.random() < 0.6]
    pairs += [(i, (i + 1) % k) for i in range(k)]
    ends = [least, max(least, most - 2.5)]
    moves = {
        pair: 10.0 ** float(rng.choice([*ends, rng.uniform(ends[0], ends[1])])) for pair in pairs
    }
    jumps = {0: 10.0 ** (least + 1), k - 1: 10.0 ** float(rng.uniform(least + 1, -2))}
    maps = MapMixture.of(k, moves, jumps if constants else None)
    assert worst_relative_error(maps, 0) < 1e-13


UNDERFLOW = [
    (MapMixture.of(3, {(2, 0): 1e-301, (2, 1): 0.2, (0, 2): 1e-161, (1, 2): 1e-17}), 0, 5e-157),
    (
        MapMixture.of(
            5,
            {
                (3, 2): 1e-302,
                (3, 1): 1e-162,
                (0, 1): 1e-9,
                (1, 0): 0.1,
                (4, 1): 1e-17,
                (4, 2): 1e-162,
                (4, 3): 1e-9,
            },
            {3: 1e-302},
        ),
        2,
        1e-140,
    ),
]


@pytest.mark.parametrize(("maps", "index", "truth"), UNDERFLOW)
def test_beyond_the_promise_fractions_are_right_and_residuals_tiny(
    maps: MapMixture, index: int, truth: float
) -> None:
    start = maps.size - 1
    assert worst_relative_error(maps, start) > 1e-9  # what the docstring concedes
    exact = fixed_point(as_fractions(maps), start=start)
    assert float(exact.probability(index)) == pytest.approx(truth, rel=1e-6)
    assert fixed_point(maps, start=start).gap < 1e-16


@given(st.lists(st.fractions(0, 1).filter(bool), min_size=2, max_size=9), st.integers(1, 9))
def test_constants_alone_are_the_fixed_point_and_a_move_shifts_two_of_them(
    weights: list[Fraction], share: int
) -> None:
    """With move i to j of weight m, and c in all, x_i = w_i / (c + m), and x_j takes the rest."""
    whole = sum(weights) * 2
    constants = {3 * k: w / whole for k, w in enumerate(weights)}
    total = sum(constants.values())
    found = fixed_point(MapMixture.of(10**20, {}, constants))
    alone = dict(zip(found.support, found.weights, strict=True))
    assert alone == {j: w / total for j, w in constants.items()}
    move, last = Fraction(1, 2 * share), max(constants)
    for i, j in ((0, last), (last, 0)):
        after = fixed_point(MapMixture.of(10**20, {(i, j): move}, constants))
        left = constants[i] / (total + move)
        expected = {**alone, i: left, j: alone[j] + alone[i] - left}
        assert dict(zip(after.support, after.weights, strict=True)) == expected
