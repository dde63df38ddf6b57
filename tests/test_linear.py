from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import theory.linear._verify
from theory.errors import ExactnessError, InvalidInputError, LimitError, NumberError, ShapeError
from theory.linear import (
    Certificate,
    CertificateError,
    LinearProgram,
    Solution,
    Status,
    coprime,
    maximise,
    minimise,
    solve,
    verify,
)
from theory.linear._simplex import Outcome, simplex
from theory.linear._translate import translate

Row = tuple[list[Fraction], str, Fraction]


@st.composite
def programs(draw: st.DrawFn, max_size: int = 5) -> LinearProgram:
    number = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 3))
    variables = draw(st.integers(1, max_size))
    vector = st.lists(number, min_size=variables, max_size=variables)
    row = st.tuples(vector, st.sampled_from(["<=", "=", ">="]), number)
    rows = draw(st.lists(row, max_size=max_size))
    free = draw(st.sets(st.integers(0, variables - 1)))
    build = draw(st.sampled_from([minimise, maximise]))
    return build(draw(vector), rows, free=free)


def rows_of(program: LinearProgram) -> list[Row]:
    return [(list(r.coefficients), r.sense, r.bound) for r in program.constraints]


def free_of(program: LinearProgram) -> list[int]:
    return [j for j, free in enumerate(program.free) if free]


def rebuilt(
    program: LinearProgram, objective: Sequence[object], rows: Sequence[Row], free: Sequence[int]
) -> LinearProgram:
    build = {"minimise": minimise, "maximise": maximise}[program.direction]
    return build(objective, rows, free=free)


def highs(program: LinearProgram, cost: Sequence[Fraction]) -> Any:
    """Minimise ``cost`` over the program's feasible set, in floating point."""
    sign = {"<=": 1, ">=": -1, "=": 1}
    kinds: dict[str, Any] = {"ub": None, "eq": None}
    for kind in kinds:
        chosen = [r for r in program.constraints if (r.sense == "=") == (kind == "eq")]
        if chosen:
            kinds[kind] = (
                [[float(sign[r.sense] * a) for a in r.coefficients] for r in chosen],
                [float(sign[r.sense] * r.bound) for r in chosen],
            )
    ub, eq = kinds["ub"] or (None, None), kinds["eq"] or (None, None)
    bounds = [(None if free else 0, None) for free in program.free]
    return linprog([float(c) for c in cost], *ub, *eq, bounds=bounds)


def matrix_game_correlated(k: int, seed: int) -> LinearProgram:
    """Correlated equilibria of a random k × k game, which are as degenerate as programs get."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 10, (2, k, k))
    rows: list[tuple[list[int], str, int]] = [([1] * (k * k), "=", 1)]
    for i, j in product(range(k), repeat=2):
        gain = np.zeros((2, k, k), dtype=int)
        gain[0, i] = first[j] - first[i]
        gain[1, :, i] = second[:, j] - second[:, i]
        rows += [(g.ravel().tolist(), "<=", 0) for g in gain]
    return minimise(rng.integers(-9, 10, k * k).tolist(), rows)


BEALE = minimise(
    ["-3/4", 150, "-1/50", 6],
    [(["1/4", -60, "-1/25", 9], "<=", 0), (["1/2", -90, "-1/50", 3], "<=", 0), ([0, 0, 1, 0], "<=", 1)],
)
MARSHALL_SUURBALLE = minimise(
    ["-2/5", "-2/5", "9/5", 0],
    [(["3/5", "-32/5", "24/5", 0], "<=", 0), (["1/5", "-9/5", "3/5", 0], "<=", 0), (["2/5", "-8/5", "1/5", 0], "<=", 0), ([0, 1, 0, 0], "<=", 1)],
)
