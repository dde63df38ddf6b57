"""Exact and float64 arrays against Python's own fractions, element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import HUGE, huge_rationals, labels

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ShapeError,
)
from theory.numbers import (
    Balls,
    ClosedForms,
    Exact,
    Floats,
    Numbers,
    as_numbers,
)

EDGE = 2**63
ARITHMETIC = [operator.add, operator.sub, operator.mul]


def vectors(size: int) -> Any:
    return st.lists(huge_rationals(), min_size=size, max_size=size)


def matrices(rows: int, columns: int) -> Any:
    return st.lists(vectors(columns), min_size=rows, max_size=rows)


# --- Exact ----------------------------------------------------------------------------------------


@given(st.integers(1, 4).flatmap(lambda n: st.tuples(vectors(n), vectors(n))))
@example(([Fraction(2**63 - 1)], [Fraction(1)]))
@example(([Fraction(-EDGE)], [Fraction(-1)]))
@example(([Fraction(2**32)], [Fraction(2**31)]))
@example(([Fraction(EDGE)], [Fraction(0)]))
def test_exact_arithmetic_is_that_of_fractions(pair: tuple[list[Fraction], list[Fraction]]) -> None:
    a, b = pair
    for operation in ARITHMETIC:
        found = operation(Exact.of(a), Exact.of(b))
        assert found.scalars() == [operation(x, y) for x, y in zip(a, b, strict=True)]
    if all(b):
        quotient = Exact.of(a) / Exact.of(b)
        assert quotient.scalars() == [x / y for x, y in zip(a, b, strict=True)]


@given(st.data(), st.integers(1, 3), st.integers(1, 4))
def test_exact_arrays_broadcast_as_in_numpy(data: st.DataObject, rows: int, columns: int) -> None:
    table, row = data.draw(matrices(rows, columns)), data.draw(vectors(columns))
    single = data.draw(huge_rationals())
    for operation in ARITHMETIC:
        by_row = operation(Exact.of(table), Exact.of(row))
        by_one = operation(Exact.of(table), Exact.of(single))
        assert by_row.shape == by_one.shape == (rows, columns)
        assert by_row.scalars() == [
            [operation(x, y) for x, y in zip(r, row, strict=True)] for r in table
        ]
        assert by_one.scalars() == [[operation(x, single) for x in r] for r in table]


@given(st.data(), st.integers(1, 3), st.integers(0, 5), st.integers(1, 5))
def test_exact_sums(data: st.DataObject, rows: int, columns: int, blocks: int) -> None:
    table = data.draw(matrices(rows, columns))
    block = data.draw(st.lists(st.integers(0, blocks - 1), min_size=columns, max_size=columns))
    exact = Exact.of(np.array(table, dtype=object).reshape(rows, columns))
    assert exact.sum().scalars() == [sum(row) for row in table]
    assert exact.block_sums(np.array(block, dtype=np.int64), blocks).scalars() == [
        [sum(x for x, b in zip(row, block, strict=True) if b == k) for k in range(blocks)]
        for row in table
    ]


def test_a_sum_of_many_leaves_int64_and_comes_back_right() -> None:
    many = Exact(np.full(5000, 2**62))
    assert many.sum().item() == 5000 * 2**62
    assert (many * many).sum().item() == 5000 * 2**124
    halves = Exact(np.arange(4000) % 2)
    found = Exact(np.full(4000, -(2**63))).block_sums(halves.numerators, 3)
    assert found.scalars() == [-2000 * 2**63, -2000 * 2**63, 0]


@pytest.mark.parametrize("part", [slice(2), slice(1, None)])
def test_a_view_that_cannot_be_written_to_is_copied_too(part: slice) -> None:
    own = np.array([1, 2, 3])
    view = own[part]
    view.flags.writeable = False
    number = Exact(view)
    before = number.scalars()
    own[:] = 7
    assert number.scalars() == before


def test_an_array_that_changes_later_changes_no_number() -> None:
    given_array = np.array([1, 2, 3])
    numbers = as_numbers(given_array)
    assert numbers.sum().item() == 6
    given_array *= 2**61
    assert (numbers + numbers).scalars() == [2, 4, 6]
    assert numbers.sum().item() == 6


@pytest.mark.parametrize(("a", "b"), [*product(HUGE, HUGE)])
def test_single_numbers_at_the_edges_of_int64(a: int, b: int) -> None:
    for operation in ARITHMETIC:
        found = operation(Exact.of([a, 1]), Exact.of([b, 1]))[0]
        assert found.item() == operation(a, b)
        assert operation(Exact.of(a), Exact.of(b)).item() == operation(a, b)
        assert int(found.signs()) == (operation(a, b) > 0) - (operation(a, b) < 0)


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_exact_maximisers_are_all_of_them(data: st.DataObject, rows: int, columns: int) -> None:
    few = st.sampled_from([Fraction(2**70, 3), Fraction(2**70 + 1, 3), Fraction(1, 3), Fraction(0)])
    table = data.draw(
        st.lists(st.lists(few, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    highest = [max(row[j] for row in table) for j in range(columns)]
    assert Exact.of(table).maximisers().tolist() == [
        [x == highest[j] for j, x in enumerate(row)] for row in table
    ]
    assert Exact.of(table).max().scalars() == highest


@given(st.integers(1, 5).flatmap(vectors))
def test_exact_numbers_come_out_as_they_went_in(values: list[Fraction]) -> None:
    exact = Exact.of(values)
    assert exact.scalars() == values
    assert [exact[j].item() for j in range(len(values))] == values
    assert exact[np.array([0, -1])].scalars() == [values[0], values[-1]]
    assert exact.signs().tolist() == [(v > 0) - (v < 0) for v in values]
    assert len(exact) == len(values)
    assert all(type(v) is Fraction for v in exact.scalars())


def test_repeated_products_are_reduced() -> None:
    third, factor = Exact.of(["1/3", "2/3"]), Exact.of([3, "3/2"])
    found: Any = reduce(operator.mul, [factor] * 50, third)
    assert found.denominator < 2**51
    assert found.scalars() == [Fraction(3**49), Fraction(2, 3) * Fraction(3, 2) ** 50]


def test_numpy_integers_of_any_size_are_exact() -> None:
    for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        top = int(np.iinfo(dtype).max)
        assert (as_numbers(np.array([top, 1], dtype=dtype)) * Exact.of([4, 4])).scalars() == [
            4 * top,
            4,
        ]
    assert as_numbers(np.array([np.int64(3), Fraction(1, 2)], dtype=object)).scalars() == [
        3,
        Fraction(1, 2),
    ]


@pytest.mark.parametrize("several", [False, True])
def test_a_fraction_made_of_numpy_integers_is_exact_too(several: bool) -> None:
    large = 3_037_000_501  # its square is beyond int64
    parts: list[Any] = [np.int64(3), np.int64(large)]
    theirs = Fraction(*parts)
    number = Exact.of([Fraction(1, 2**62), theirs])[1:] if several else Exact.of(theirs)
    assert (number * number).item() == Fraction(9, large**2)


def test_exact_arrays_of_floats_or_without_a_denominator_are_refused() -> None:
    with pytest.raises(ExactnessError, match="numerators are not integers"):
        Exact(np.array([0.5]))
    with pytest.raises(InvalidInputError, match="denominator is below 1"):
        Exact(np.array([1]), 0)
    with pytest.raises(InvalidInputError, match="denominator is below 1"):
        Exact(np.array([1]), -2)


# --- One interface --------------------------------------------------------------------------------

KINDS: dict[str, Callable[[Any], Numbers]] = {
    "exact": Exact.of,
    "closed form": ClosedForms.of,
    "certified": Balls.of,
    "float64": lambda values: Floats.of(np.array(values, dtype=object).astype(np.float64)),
}


def plain(values: Any) -> Any:
    """Nested floats; dyadic rationals come out exactly whatever the kind."""
    return [plain(v) for v in values] if isinstance(values, list) else float(values)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_computes_the_same(kind: str) -> None:
    make = KINDS[kind]
    table, row = [[1, -2, 4], [Fraction(1, 2), 8, 4]], [2, 4, -8]
    a, b = make(table), make(row)
    label = np.array([2, 0, 2])
    assert a.kind == kind
    assert plain((a + b).scalars()) == [[3, 2, -4], [2.5, 12, -4]]
    assert plain((a - b).scalars()) == [[-1, -6, 12], [-1.5, 4, 12]]
    assert plain((a * b).scalars()) == [[2, -8, -32], [1, 32, -32]]
    assert plain((a / b).scalars()) == [[0.5, -0.5, -0.5], [0.25, 2, -0.5]]
    assert plain(a[0].ratios(b)) == [0.5, -0.5, -0.5]
    assert plain(a.sum().scalars()) == [3, 12.5]
    assert plain(a.block_sums(label, 4).scalars()) == [[-2, 0, 5, 0], [8, 0, 4.5, 0]]
    assert plain(a.weighted_block_sums(b, label, 3).scalars()) == [[-8, 0, -30], [32, 0, -31]]
    assert a.maximisers().tolist() == [[True, False, True], [False, True, True]]
    assert plain(a.max().scalars()) == [1, 8, 4]
    assert a.signs().tolist() == [[1, -1, 1], [1, 1, 1]]
    assert plain(a[1, [2, 0]].scalars()) == [4, 0.5]
    assert float(a[1, 0].item()) == 0.5
    assert a[0, 0].shape == ()
    assert a.sum().shape == (2,)
    assert make([]).sum().shape == ()
    assert plain(make([]).block_sums(np.array([], dtype=np.int64), 2).scalars()) == [0, 0]
    assert repr(a).startswith(type(a).__name__)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_refuses_the_same(kind: str) -> None:
    make = KINDS[kind]
    with pytest.raises(ShapeError, match="has not exactly one element"):
        make([1, 2]).item()
    for zero in (make([1, 0]), make([0, 0])):
        with pytest.raises(ZeroDivisionError):
            operator.truediv(make([0, 1]), zero)
        with pytest.raises(ZeroDivisionError):
            make([0, 1]).ratios(zero)
    one: Any = 1
    with pytest.raises(TypeError):
        operator.add(make([1, 2]), one)
    with pytest.raises(TypeError):
        operator.add(one, make([1, 2]))


@pytest.mark.parametrize("operation", [*ARITHMETIC, operator.truediv])
@pytest.mark.parametrize("kinds", [p for p in product(KINDS, KINDS) if p[0] != p[1]])
def test_kinds_mix_upwards_from_exact_or_not_at_all(
    kinds: tuple[str, str], operation: Callable[[Any, Any], Any]
) -> None:
    left, right = (KINDS[kind]([6, 2]) for kind in kinds)
    upper = {"exact"} ^ set(kinds)
    if len(upper) == 1 and "float64" not in upper:
        found = operation(left, right)
        assert {found.kind} == upper
        assert plain(left.ratios(right)) == [1, 1]
        assert plain(found.scalars()) == [operation(6, 6), operation(2, 2)]
    else:
        with pytest.raises(ExactnessError, match=f"{kinds[0]} beside {kinds[1]}"):
            operation(left, right)


# --- Floats ---------------------------------------------------------------------------------------


def test_float_ties_are_exact_unless_slack_widens_them() -> None:
    close = Floats.of([[1.0, 1.0], [1.0 + 1e-13, 1.0 + 1e-3]])
    assert close.maximisers().tolist() == [[False, False], [True, True]]
    assert close.maximisers(np.array([1e-12, 1e-12])).tolist() == [[True, False], [True, True]]


def test_floats_beyond_their_range_are_an_error_and_no_infinity() -> None:
    large = Floats.of([1e308, -1e308])
    for operation in (lambda: large + large, lambda: large - large[::-1], lambda: large * large):
        with pytest.raises(NumberError, match="beyond float64"):
            operation()
    with pytest.raises(NumberError, match="beyond float64"):
        operator.truediv(large, Floats.of([1e-308, 1.0]))


def test_signed_zeros_are_zero() -> None:
    assert Floats.of([-0.0, 0.0, -5e-324]).signs().tolist() == [0, 0, -1]
    assert Floats.of([[-0.0], [0.0]]).maximisers().all()


@given(st.data(), st.integers(1, 3), st.integers(1, 40))
def test_weighted_sums_agree_with_their_definition(
    data: st.DataObject, rows: int, columns: int
) -> None:
    number = st.floats(-100, 100)
    draw = data.draw(
        st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    weights = data.draw(st.lists(number, min_size=columns, max_size=columns))
    label = np.array(data.draw(labels(columns)), dtype=np.int64)
    found = Floats.of(draw).weighted_block_sums(Floats.of(weights), label, 5)
    product_first = (Floats.of(draw) * Floats.of(weights)).block_sums(label, 5)
    assert np.allclose(found.scalars(), product_first.scalars(), rtol=1e-12, atol=1e-9)


def test_weighted_sums_of_more_states_than_one_chunk() -> None:
    states = 100_003
    utilities = (np.arange(2 * states) % 17).astype(float).reshape(2, states)
    weights = (np.arange(states) % 5).astype(float)
    label = np.arange(states) % 7
    found = Floats.of(utilities).weighted_block_sums(Floats.of(weights), label, 8)
    by_loop = [[float(((r * weights)[label == b]).sum()) for b in range(8)] for r in utilities]
    assert found.scalars() == by_loop  # sums of integers, so exact in float64
