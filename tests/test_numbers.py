"""Numbers of three kinds against Python's own fractions, element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import HUGE, huge_rationals, labels

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ShapeError,
    UndecidedError,
)
from theory.numbers import (
    Balls,
    ClosedForms,
    Exact,
    Floats,
    Interval,
    Numbers,
    as_numbers,
    log,
    rational,
    refine,
    sqrt,
)
from theory.numbers.balls import ball, enclosing_interval

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


# --- Balls ----------------------------------------------------------------------------------------


@given(st.lists(huge_rationals(), min_size=1, max_size=4), st.integers(8, 200))
def test_balls_enclose_what_exact_arithmetic_gives(values: list[Fraction], bits: int) -> None:
    with ctx.workprec(bits):
        balls, exact = Balls.of(values), Exact.of(values)
        pairs = [
            (balls + exact, exact + exact),
            (exact - balls * balls, exact - exact * exact),
            (balls.sum() * balls, exact.sum() * exact),
        ]
        for enclosed, true in pairs:
            for found, value in zip(enclosed.scalars(), true.scalars(), strict=True):
                assert value in enclosing_interval(found)


def test_a_ball_covers_its_rational_and_little_more() -> None:
    with ctx.workprec(64):
        around = enclosing_interval(ball(Fraction(1, 3)))
    assert Fraction(1, 3) in around
    assert 0 < around.width < Fraction(1, 2**60)
    assert enclosing_interval(arb(0)) == Interval(Fraction(0), Fraction(0))


def test_balls_that_overlap_are_undecided() -> None:
    third = Balls.of(["1/3"])
    with pytest.raises(UndecidedError, match="raise the precision"):
        (third - third).signs()
    with pytest.raises(UndecidedError):
        Balls.of([["1/3"], ["1/3"]]).maximisers()
    with pytest.raises(UndecidedError):
        operator.truediv(Exact.of([1]), third - third)
    assert Balls.of([["1/4"], ["1/4"]]).maximisers().all()


def test_doubts_below_the_maximum_do_not_matter() -> None:
    low = arb(2).sqrt()
    assert Balls.of([[low], [low], [2]]).maximisers().tolist() == [[False], [False], [True]]
    assert Balls.of([[2], [low], [low]]).maximisers().tolist() == [[True], [False], [False]]


def test_balls_must_be_bounded_and_exact_beside() -> None:
    with pytest.raises(NumberError, match=r"values\[1\] is not finite"):
        Balls.of([1, arb("inf")])
    with pytest.raises(ExactnessError, match=r"values\[0\] is a float"):
        Balls.of([0.5, arb(1)])


def test_refine_raises_the_precision_until_it_is_decided() -> None:
    near = Fraction("1.4142135623730950488016887242096980785696718753769480731766797379907")
    seen: list[int] = []

    def larger() -> bool:
        seen.append(ctx.prec)
        return Balls.of([[arb(2).sqrt()], [near]]).maximisers().tolist() == [[True], [False]]

    before = ctx.prec
    assert refine(larger, start=16) is (near**2 < 2)
    assert seen == [16, 32, 64, 128, 256]
    assert ctx.prec == before


def test_refine_gives_up_at_its_limit() -> None:
    seen: list[int] = []

    def equal() -> Any:
        seen.append(ctx.prec)
        return Balls.of([arb(2).sqrt() * arb(2).sqrt() - 2]).signs()

    before = ctx.prec
    with pytest.raises(UndecidedError, match="tried up to 300 bits"):
        refine(equal, start=64, limit=300)
    assert seen == [64, 128, 256, 300]
    assert ctx.prec == before


def test_refine_lets_other_errors_through_and_checks_its_limits() -> None:
    before = ctx.prec
    with pytest.raises(KeyError):
        refine(lambda: {}["missing"])
    assert ctx.prec == before
    for start, limit in ((1, 8), (64, 32)):
        with pytest.raises(InvalidInputError, match="start is not between"):
            refine(lambda: None, start=start, limit=limit)


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


# --- Which kind -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], Exact),
        ([Fraction(1, 2), "1/3", Decimal("0.1"), np.int8(4)], Exact),
        (np.array(["1/2", "0.25"]), Exact),
        (np.array([1, 2], dtype=np.uint8), Exact),
        ([[1, "1/2"], [3, 4]], Exact),
        ([0.5, 1], Floats),
        ([np.float32(0.5), 2**53], Floats),
        (np.array([0.5], dtype=np.float32), Floats),
        (np.array([1, 0.5], dtype=object), Floats),
        ([log(2), 1], ClosedForms),
        ([["1/2", sqrt(2)]], ClosedForms),
        ([arb(2), 1], Balls),
        (0.5, Floats),
        ("1/2", Exact),
        ([], Exact),
    ],
)
def test_the_kind_is_found(values: object, kind: type[Numbers]) -> None:
    found = as_numbers(values)
    assert type(found) is kind
    assert found.shape == np.array(values, dtype=object).shape
    assert as_numbers(found) is found


def test_what_is_read_is_what_was_written() -> None:
    assert as_numbers(["0.1", Decimal("0.2"), 3]).scalars() == [Fraction(1, 10), Fraction(1, 5), 3]
    floats = as_numbers(np.array([0.1, 0.2], dtype=np.float32)).scalars()
    assert floats == [float(np.float32(0.1)), float(np.float32(0.2))]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([0.5, Fraction(1, 2)], ExactnessError, r"u\[1\] stands beside floats"),
        ([0.5, Fraction(1)], ExactnessError, r"u\[1\] stands beside floats"),
        (["1/2", 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([Decimal("0.1"), 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([np.float32(0.5), "1"], ExactnessError, r"u\[1\] stands beside floats"),
        ([2**53 + 1, 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([10**400, 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([log(2), 0.5], ExactnessError, r"u\[1\] is a float"),
        ([arb(2), 0.5], ExactnessError, r"u\[1\] is a float"),
        ([arb(2), log(2)], NumberError, r"u\[0\] is not a number"),
        ([True, 0.5], NumberError, r"u\[0\] is not a number"),
        ([[1, 2], [3, True]], NumberError, r"u\[1, 1\] is not a number"),
        ([None, 0.5], NumberError, r"u\[0\] is not a number"),
        ([1, None], NumberError, r"u\[1\] is not a number"),
        (np.array([True, False]), NumberError, r"u\[0\] is not a number"),
        (np.array([1 + 2j]), NumberError, r"u\[0\] is not a number"),
        ([1j, 1], NumberError, r"u\[0\] is not a number"),
        ([[1.0, 2.0], [float("nan"), 0]], NumberError, r"u\[1, 0\] is not finite"),
        (np.array([1.0, -np.inf]), NumberError, r"u\[1\] is not finite"),
        (float("inf"), NumberError, "u is not finite"),
        ([[1, 2], [3]], ShapeError, "u has rows of different lengths"),
        ([[1, 2], 3], ShapeError, "u has rows of different lengths"),
        ([[[1, 2], [3, 4]], [[5, 6]]], ShapeError, "u has rows of different lengths"),
        ([np.array([1, 2]), np.array([3])], ShapeError, "u has rows of different lengths"),
        ({1, 2}, NumberError, "u is not a number"),
        ((v for v in [1, 2]), NumberError, "u is not a number"),
        ([Exact.of([1]), Exact.of([2])], NumberError, "is not a number"),
    ],
)
def test_nothing_is_cast_silently(values: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        as_numbers(values, "u")
    assert type(caught.value) is error


# --- Reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        (" 2 ", Fraction(2)),
        ("-4/6", Fraction(-2, 3)),
        ("+.5E2", Fraction(50)),
        ("5.", Fraction(5)),
        ("-0", Fraction(0)),
        ("007", Fraction(7)),
        ("1e-00001", Fraction(1, 10)),
        ("1e4000", Fraction(10) ** 4000),
        ("\t1.50\n", Fraction(3, 2)),
        (np.str_("1/4"), Fraction(1, 4)),
        (np.int8(-3), Fraction(-3)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (Decimal("1.10"), Fraction(11, 10)),
        (Decimal("-1E+2"), Fraction(-100)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_numbers_are_read_as_written(written: object, value: Fraction) -> None:
    assert rational(written) == value
    assert type(rational(written)) is Fraction


def test_integers_may_have_any_number_of_digits() -> None:
    assert rational(10**5000) == 10**5000


@given(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_reading_agrees_with_python(fraction: Fraction, number: Decimal) -> None:
    assert rational(str(fraction)) == fraction
    assert rational(str(number)) == rational(number) == Fraction(number)


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "1 / 2", "1 2", "1\x00", "1\u00a0", "½", "٣", "−1", "nan", "inf", "-Infinity"),
        *("0x10", "0b1", "1_000", "1,5", "1/2/3", "1/-2", "1/0.5", "1e3/2", "--1", "1e", "e3", "."),
    ],
)
def test_other_text_is_not_a_number(written: str) -> None:
    with pytest.raises(NumberError, match="price is not a number as we read them"):
        rational(written, "price")


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("1/0", NumberError, "has a zero denominator"),
        ("1e5000", NumberError, "has an exponent beyond 4000"),
        ("1e-5000", NumberError, "has an exponent beyond 4000"),
        ("1e" + "9" * 3000, NumberError, "has an exponent beyond 4000"),
        (Decimal("1E+999999"), NumberError, "has an exponent beyond 4000"),
        ("1" * 4001, NumberError, "has more than 4000 digits"),
        (Decimal("NaN"), NumberError, "is not a number"),
        (Decimal("-Infinity"), NumberError, "is not a number"),
        (0.5, ExactnessError, "is a float"),
        (float("nan"), ExactnessError, "is a float"),
        (np.float64(1.0), ExactnessError, "is a float"),
        (np.float32(1.0), ExactnessError, "is a float"),
        (True, NumberError, "is not a number"),
        (np.True_, NumberError, "is not a number"),
        (None, NumberError, "is not a number"),
        (1j, NumberError, "is not a number"),
        (b"1", NumberError, "is not a number"),
        ([1], NumberError, "is not a number"),
        (np.array(3), NumberError, "is not a number"),
        (np.array([1, 2]), NumberError, "is not a number"),
        (log(2), NumberError, "is not a number"),
    ],
    ids=lambda v: str(v)[:20],
)
def test_other_things_are_not_rationals(
    value: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        rational(value, "price")
    assert type(caught.value) is error
    assert str(caught.value).startswith("price ")


def test_an_error_about_a_number_too_long_to_print_is_still_readable() -> None:
    with pytest.raises(NumberError, match="too many digits to show"):
        log(-(10**5000))


# --- Intervals ------------------------------------------------------------------------------------


@given(st.fractions(), st.fractions(), st.integers(0, 30))
def test_decimals_are_rounded_outwards(a: Fraction, b: Fraction, digits: int) -> None:
    interval = Interval(min(a, b), max(a, b))
    low, high = map(Fraction, interval.decimals(digits))
    unit = Fraction(1, 10**digits)
    assert low <= interval.lower < low + unit
    assert high - unit < interval.upper <= high
    assert all(len(t.partition(".")[2]) == digits for t in interval.decimals(digits))
    assert interval.lower in interval
    assert interval.upper in interval
    assert interval.upper + 1 not in interval


def test_an_interval_reads_well_and_is_not_empty() -> None:
    assert str(Interval(Fraction(-1, 3), Fraction(2))) == "[-0.3333333334, 2.0000000000]"
    with pytest.raises(InvalidInputError, match="Interval is empty"):
        Interval(Fraction(1), Fraction(0))


@given(*[st.fractions(-3, 3, max_denominator=4)] * 4)
def test_intervals_overlap_when_a_point_is_common(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    assume(a <= b and c <= d)
    common = any(x in Interval(a, b) and x in Interval(c, d) for x in (a, b, c, d))
    assert Interval(a, b).overlaps(Interval(c, d)) is common
