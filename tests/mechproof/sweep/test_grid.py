"""Grids: which cells they have, in which order, and what is refused."""

from __future__ import annotations

import itertools
import json
import pickle
from decimal import Decimal
from fractions import Fraction
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechproof.sweep import MAX_CELLS, Grid
from mechproof.sweep._scalars import decode_scalar, encode_scalar
from theory.errors import InvalidInputError, LimitError

SCALARS = st.one_of(
    st.integers(),
    st.integers(min_value=10**5000, max_value=10**5001),
    st.fractions(),
    st.decimals(allow_nan=False),
    st.floats(allow_nan=False),
    st.text(),
    st.booleans(),
    st.none(),
)


@given(st.lists(st.lists(SCALARS, min_size=1, max_size=4, unique=True), min_size=1, max_size=3))
def test_a_product_is_that_of_itertools(axes: list[list[Any]]) -> None:
    names = [f"a{i}" for i in range(len(axes))]
    grid = Grid(dict(zip(names, axes, strict=True)))
    expected = [dict(zip(names, c, strict=True)) for c in itertools.product(*axes)]
    assert list(grid) == expected
    assert len(grid) == len(expected)
    assert [grid[i] for i in range(-len(grid), 0)] == expected
    assert grid[1:] == expected[1:]
    listed = Grid.of(expected)
    assert list(listed) == expected
    assert listed == grid
    assert listed.digest == grid.digest
    assert (grid.is_product, listed.is_product) == (True, False)


@given(SCALARS)
def test_scalars_come_back_as_they_were(value: Any) -> None:
    back = decode_scalar(json.loads(json.dumps(encode_scalar(value))))
    assert type(back) is type(value)
    assert back == value
    if isinstance(value, float):
        assert repr(back) == repr(value)


@pytest.mark.parametrize("wrong", [[], {}, {"fraction": "1"}, {"fraction": "1/0"}, {"x": "1"}])
def test_what_is_no_scalar_is_not_read_as_one(wrong: Any) -> None:
    with pytest.raises(ValueError, match="is no scalar"):
        decode_scalar(wrong)


def test_another_order_or_another_type_is_another_grid() -> None:
    grid = Grid({"x": [1, 2]})
    for other in ([2, 1], [1, 2.0], [1, Fraction(2)], [1, "2"], [1, 2, 3]):
        assert Grid({"x": other}) != grid
    assert Grid({"y": [1, 2]}) != grid
    assert Grid({"x": (1, 2)}) == grid
    assert hash(Grid({"x": (1, 2)})) == hash(grid)
    assert grid != [{"x": 1}, {"x": 2}]


def test_a_grid_is_sent_as_it_is() -> None:
    for grid in (Grid({"x": [1, Fraction(1, 3)]}), Grid.of([{"x": 1}, {"x": 5}])):
        back = pickle.loads(pickle.dumps(grid))
        assert back == grid
        assert back.is_product == grid.is_product
        assert repr(back) == repr(grid)


def test_values_of_numpy_are_taken_as_what_they_hold() -> None:
    grid = Grid({"a": np.arange(2), "b": np.array([0.5]), "c": [np.True_], "d": [np.str_("u")]})
    assert [type(v) for v in grid[0].values()] == [int, float, bool, str]


def test_a_large_product_is_made_at_once() -> None:
    grid = Grid({"x": range(3000), "y": range(3000)})
    assert grid[-1] == {"x": 2999, "y": 2999}
    with pytest.raises(IndexError):
        grid[9_000_000]


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ([("x", [1])], "axes is no mapping"),
        ({}, "axes is empty"),
        ({"x": []}, "axis x has no values"),
        ({"x": [1, 2, 1]}, "axis x has value 2 twice: it is equal to value 0"),
        ({"x": [1, 1.0]}, "axis x has value 1 twice"),
        ({"x": [0, False]}, "axis x has value 1 twice"),
        ({"x": [[1]]}, "axis x, value 0, is of type list"),
        ({"x": [1, float("nan")]}, "axis x, value 1, is not a number"),
        ({"x": [Decimal("NaN")]}, "axis x, value 0, is not a number"),
        ({"x": [Decimal("sNaN")]}, "axis x, value 0, is not a number"),
        ({"x": [np.float64("nan")]}, "axis x, value 0, is not a number"),
        ({"x": [1j]}, "axis x, value 0, is of type complex"),
        ({"x": np.ones((2, 2))}, "axis x, value 0, is of type ndarray"),
        ({"x": "abc"}, "axis x is no list of values"),
        ({"x": 3}, "axis x is no list of values"),
        ({"x": {"a": 1}}, "axis x is no list of values"),
        ({"x": {1, 2}}, "axis x has no order"),
        ({"": [1]}, "axes is no name of an axis"),
        ({"a b": [1]}, "axes is no name of an axis"),
        ({"class": [1]}, "axes is no name of an axis"),
        ({3: [1]}, "axes is no name of an axis"),
    ],
)
def test_axes_that_are_none_are_refused(axes: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        unwrap(Grid.__init__)(Grid.__new__(Grid), axes)


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(LimitError, match="axes make 10,240,000,000 cells"):
        Grid({"x": range(3200), "y": range(3200), "z": range(1000)})
    with pytest.raises(LimitError, match="axis x has more than 10,000,000 values"):
        Grid({"x": range(10**18)})
    with pytest.raises(LimitError, match=r"make about 1\.00e24 cells"):
        Grid({name: range(1000) for name in "abcdefgh"})  # more than len() can say
    with pytest.raises(LimitError, match=r"make about 1\.00e6000 cells"):
        Grid({f"x{k}": range(1000) for k in range(2000)})  # more digits than Python writes
    assert MAX_CELLS == 10_000_000


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([], "cells are none"),
        (3, "cells is no list of cells"),
        ({"x": 1}, "cells is no list of cells"),
        ([3], "cell 0 is no mapping"),
        ([{}], "cell 0 is empty"),
        ([{"x": 1}, {"x": 2}, {"x": 1}], "cell 2 is equal to cell 0"),
        ([{"x": 1, "y": 2}, {"y": 2, "x": 1}], "cell 1 is equal to cell 0"),
        ([{"x": 1}, {"y": 1}], "cell 1 has other names than cell 0"),
        ([{"x": 1}, {"x": [1]}], "cell 1, x, is of type list"),
        ([{"x": float("nan")}], "cell 0, x, is not a number"),
        ([{"x": 1}, {"x": 2, 3: 4}], "cell 1 has other names"),
    ],
)
def test_cells_that_are_none_are_refused(cells: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        unwrap(Grid.of.__func__)(Grid, cells)
