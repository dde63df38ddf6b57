"""What fixed points cannot be had of, and what is said then."""

from __future__ import annotations

import sys
from fractions import Fraction
from inspect import unwrap
from typing import Any

import numpy as np
import pytest

from theory.actions import SparseStrategy
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    MechproofError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.fixed_point import MapMixture, SolverError, fixed_point, fixed_point_residual

F = Fraction
INF, NAN = float("inf"), float("nan")
of = unwrap(MapMixture.of.__func__)  # type: ignore[attr-defined]
from_arrays = unwrap(MapMixture.from_arrays.__func__)  # type: ignore[attr-defined]
TWO = MapMixture.of(2, {(0, 1): 0.5, (1, 0): 0.25})
THIRDS = MapMixture.of(2, {(0, 1): "1/3", (1, 0): "1/3"})


@pytest.mark.parametrize(
    ("size", "moves", "constants", "error", "says"),
    [
        (2, [(0, 1)], {}, InvalidInputError, "moves is no mapping"),
        (2, {0: 0.5}, {}, InvalidInputError, "moves is not a pair"),
        (2, {(0, 1, 1): 0.5}, {}, InvalidInputError, "moves is not a pair"),
        (2, {(0, 2): 0.5}, {}, InvalidInputError, "give an integer from 0 to 1"),
        (2, {(-1, 0): 0.5}, {}, InvalidInputError, "got -1"),
        (2, {(0, True): 0.5}, {}, InvalidInputError, "got True"),
        (2, {(0, 1.0): 0.5}, {}, InvalidInputError, "moves is not an index"),
        (2, {}, {2: 0.5}, InvalidInputError, "constants is not an index"),
        (2, {}, [1], InvalidInputError, "constants is no mapping"),
        (2, {(0, 1): -0.5}, {}, ProbabilityError, "weight of (0, 1) is negative"),
        (2, {(0, 1): F(-1, 2)}, {}, ProbabilityError, "weight of (0, 1) is negative"),
        (2, {}, {1: -0.5}, ProbabilityError, "weight of 1 is negative"),
        (2, {(0, 1): NAN}, {}, ProbabilityError, "weights[0] is not finite"),
        (2, {(0, 1): INF}, {}, ProbabilityError, "weights[0] is not finite"),
        (2, {(0, 1): 0.7, (1, 0): 0.7}, {}, ProbabilityError, "sum to more than one (got 1.4)"),
        (2, {(0, 1): F(1, 2)}, {1: F(2, 3)}, ProbabilityError, "sum to more than one"),
        (2, {(0, 1): 1 + F(1, 10**30)}, {}, ProbabilityError, "sum to more than one"),
        (2, {(0, 1): "half"}, {}, NumberError, "not a number"),
        (2, {(0, 1): None}, {}, NumberError, "not a number"),
        (2, {(0, 1): True}, {}, NumberError, "not a number"),
        (2, {(0, 1): F(1, 3), (1, 0): 0.5}, {}, ExactnessError, "beside floats"),
    ],
)
def test_mappings(size: Any, moves: Any, constants: Any, error: type, says: str) -> None:
    with pytest.raises(error) as caught:
        of(MapMixture, size, moves, constants)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((2, [0], [1], [NAN]), ProbabilityError, "weights[0] is not finite"),
        ((2, [0, 0], [1, 1], [0.5, INF]), ProbabilityError, "weights[1] is not finite"),
        ((2, [0, 0], [1, 1], [0.5, -0.1]), ProbabilityError, "weights[1] is negative"),
        ((2, [0, 2], [1, 1], [0.5, 0.1]), InvalidInputError, "sources[1] is not an index (got 2)"),
        ((2, [0, 1], [1, -1], [0.5, 0.1]), InvalidInputError, "targets[1] is not an index"),
        ((2, [0, 1], [1, 0], [0.6, 0.6]), ProbabilityError, "sum to more than one"),
        ((2, [0, 1], [1], [0.6, 0.6]), ShapeError, "targets has 1 entries"),
        ((2, [0, 1], [1, 0], [0.6]), ShapeError, "weights has 1 entries for 2 indices"),
        ((2, [[0, 1]], [1, 0], [0.6]), ShapeError, "sources is no row of integers"),
        ((2, [0.0, 1.0], [1, 0], [0.3, 0.3]), ShapeError, "sources is no row of integers"),
        ((2, [False], [True], [0.3]), ShapeError, "sources is no row of integers"),
        ((2, [0], ["1"], [0.3]), ShapeError, "targets is no row of integers"),
        ((2, [0], [1], ["0.3"]), ShapeError, "weights is no row of numbers"),
        ((2, [0], [1], [True]), ShapeError, "weights is no row of numbers"),
        ((2, [0], [1], [0.3 + 0j]), ShapeError, "weights is no row of numbers"),
        ((2, [0], [1], [F(1, 3)]), ShapeError, "weights is no row of numbers"),
        ((2, 0, 1, 0.3), ShapeError, "sources is no row of integers"),
        ((10**30, np.array([2**63], np.uint64), [1], [0.3]), InvalidInputError, "beyond int64"),
    ],
)
def test_arrays(arguments: Any, error: type, says: str) -> None:
    with pytest.raises(error) as caught:
        from_arrays(MapMixture, *arguments)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("constants", "weights", "says"),
    [
        ([2], [0.1], "constants[0] is not an index"),
        ([1], [-0.1], "constant_weights[0] is negative"),
        ([1], [NAN], "constant_weights[0] is not finite"),
        ([1], [0.7], "sum to more than one"),
        ([1], None, "constant_weights has 0 entries for 1 indices"),
        (None, [0.1], "constant_weights has 1 entries for 0 indices"),
    ],
)
def test_constant_maps(constants: Any, weights: Any, says: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        MapMixture.from_arrays(2, [0], [1], [0.5], constants=constants, constant_weights=weights)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("matrix", "error", "says"),
    [
        ([], ShapeError, "is not square"),
        ([[]], ShapeError, "is not square"),
        (np.zeros((0, 0)), ShapeError, "is not square"),
        ([0.5, 0.5], ShapeError, "is not square"),
        ([[0.5, 0.5]], ShapeError, "is not square"),
        (np.zeros((2, 2)), ProbabilityError, "matrix[0] does not sum to one (got 0.0)"),
        (np.array([[0.5, 0.5], [0.7, 0.4]]), ProbabilityError, "matrix[1] does not sum to one"),
        ([["1/2", "1/2"], [1, "1/10"]], ProbabilityError, "matrix[1] does not sum to one"),
        (np.array([[1.5, -0.5], [0, 1]]), ProbabilityError, "matrix[0, 1] is negative"),
        ([["3/2", "-1/2"], [0, 1]], ProbabilityError, "matrix[0, 1] is negative"),
        (np.array([[1, 0], [NAN, 1]]), ProbabilityError, "matrix[1, 0] is not finite"),
        (np.array([[1, 0], [INF, 1]]), ProbabilityError, "matrix[1, 0] is not finite"),
        ([[NAN, 1.0], [0.0, 1.0]], NumberError, "is not finite"),
        ([[1, "x"], [0, 1]], NumberError, "not a number"),
        ("P", NumberError, "not a number"),
    ],
)
def test_matrices(matrix: Any, error: type, says: str) -> None:
    with pytest.raises(error) as caught:
        MapMixture.from_matrix(matrix)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"method": "lu"}, UnknownNameError, "method is unknown"),
        ({"method": "GTH"}, UnknownNameError, "method is unknown"),
        ({"start": 2}, InvalidInputError, "start is not an index"),
        ({"start": -1}, InvalidInputError, "start is not a count"),
        ({"start": True}, InvalidInputError, "start is not a count"),
        ({"start": 0.0}, InvalidInputError, "start is not a count"),
        ({"start": 0, "method": "highs"}, InvalidInputError, "may mix closed classes"),
    ],
)
def test_options(options: Any, error: type, says: str) -> None:
    with pytest.raises(error) as caught:
        unwrap(fixed_point)(TWO, **options)
    assert says in str(caught.value)


def test_only_mixtures_have_fixed_points() -> None:
    for function in (fixed_point, fixed_point_residual):
        with pytest.raises(InvalidInputError, match="is not a MapMixture"):
            unwrap(function)(np.eye(2), *([{0: 1}] if function is fixed_point_residual else []))


@pytest.mark.parametrize("method", ["highs", "cvxpy"])
def test_linear_programs_are_for_floats(method: str) -> None:
    with pytest.raises(ExactnessError, match="works in float64, and the maps are exact"):
        fixed_point(THIRDS, method=method)
    assert fixed_point(THIRDS.as_floats(), method=method).gap <= 1e-7


def test_cvxpy_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(InvalidInputError) as caught:
        fixed_point(TWO, method="cvxpy")
    assert "is not installed" in str(caught.value)
    assert "pip install 'cvxpy>=" in str(caught.value)


def test_a_solver_may_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.optimize

    class GivenUp:
        x = None
        message = "time limit reached"

    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: GivenUp())
    with pytest.raises(SolverError, match="time limit reached") as caught:
        fixed_point(TWO, method="highs")
    assert isinstance(caught.value, MechproofError)


@pytest.mark.parametrize(
    ("maps", "law", "error", "says"),
    [
        (TWO, {0: 0.5}, ProbabilityError, "does not sum to one"),
        (TWO, {}, ProbabilityError, "does not sum to one"),
        (TWO, {0: 1.5, 1: -0.5}, ProbabilityError, "strategy[1] is negative"),
        (TWO, {0: NAN}, ProbabilityError, "is not finite"),
        (TWO, {2: 1.0}, InvalidInputError, "strategy is not an index (got 2)"),
        (TWO, {"0": 1.0}, InvalidInputError, "strategy is not an index"),
        (TWO, {True: 1.0}, InvalidInputError, "strategy is not an index"),
        (TWO, [1.0], ShapeError, "has another length"),
        (TWO, np.eye(2), ShapeError, "is no row"),
        (TWO, {0: F(1, 3), 1: F(2, 3)}, ExactnessError, "is exact, and the maps are float64"),
        (THIRDS, {0: 0.5, 1: 0.5}, ExactnessError, "is float64, and the maps are exact"),
        (THIRDS, {0: F(1, 3), 1: F(1, 3)}, ProbabilityError, "does not sum to one"),
        (TWO, 7, InvalidInputError, "is no distribution"),
        (TWO, None, InvalidInputError, "is no distribution"),
    ],
)
def test_distributions(maps: MapMixture, law: Any, error: type, says: str) -> None:
    for ask in (lambda: fixed_point_residual(maps, law), lambda: maps.apply(law)):
        with pytest.raises(error) as caught:
            ask()
        assert says in str(caught.value)


def test_a_distribution_over_other_actions() -> None:
    other = fixed_point(MapMixture.of(3, {(0, 1): 0.5}))
    for ask in (lambda: fixed_point_residual(TWO, other), lambda: TWO.apply(other)):
        with pytest.raises(ShapeError, match="has another size"):
            ask()


def test_what_is_too_large_is_not_listed() -> None:
    with pytest.raises(LimitError, match="too large to list"):
        fixed_point(MapMixture.of(10**8, {(0, 1): 0.5})).dense()


@pytest.mark.parametrize("method", [[], None, 5, np.array(["gth", "highs"])])
def test_methods_that_are_no_text(method: Any) -> None:
    with pytest.raises(UnknownNameError, match="method is unknown"):
        unwrap(fixed_point)(TWO, method=method)


@pytest.mark.parametrize(
    "arrays",
    [
        ([[0, 1], [1]], [1], [0.5]),
        ([0], [[1], [0, 1]], [0.5]),
        ([0], [1], [[0.5], [0.1, 0.2]]),
    ],
)
def test_ragged_rows(arrays: Any) -> None:
    with pytest.raises(ShapeError, match="is ragged"):
        from_arrays(MapMixture, 2, *arrays)


def test_sizes_of_more_digits_than_python_writes() -> None:
    size = 10**5000
    maps = MapMixture.of(size, {(0, size - 1): "1/3", (size - 1, 0): "1/2"})
    assert repr(maps) == "2 moves of about 1.00e5000 indices, 2 touched (exact)"
    found = fixed_point(maps, start=size - 1)
    assert repr(found) == "FixedPoint(2 of about 1.00e5000 indices, residual 0, by gth)"
    assert str(found).splitlines()[-1].split() == ["about", "1.00e5000", "2/5"]
    for call in (
        lambda: fixed_point(maps, start=size),
        lambda: MapMixture.of(size, {(0, size): "1/2"}),
        lambda: maps.apply({size: 1}),
        lambda: maps.apply([1]),
        lambda: maps.apply(SparseStrategy.pure(0, 2)),
    ):
        with pytest.raises(InvalidInputError) as refused:
            call()
        assert "about 1.00e5000" in str(refused.value)


def test_probabilities_of_more_digits_than_python_writes() -> None:
    tiny = F(1, 10**5000)
    found = fixed_point(MapMixture.of(2, {(0, 1): "1/2", (1, 0): tiny}))
    assert str(found).splitlines()[-2].split() == ["0", "about", "0"]
    assert str(found).splitlines()[-1].split() == ["1", "about", "1"]
