"""Linear programs, drawn and chosen."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from theory.linear import LinearProgram, maximise, minimise


@st.composite
def programs(draw: st.DrawFn, max_size: int = 5) -> LinearProgram:
    number = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 3))
    variables = draw(st.integers(1, max_size))
    vector = st.lists(number, min_size=variables, max_size=variables)
    row = st.tuples(vector, st.sampled_from(["<=", "=", ">="]), number)
    free = draw(st.sets(st.integers(0, variables - 1)))
    build = draw(st.sampled_from([minimise, maximise]))
    return build(draw(vector), draw(st.lists(row, max_size=max_size)), free=free)


def correlated_equilibria(k: int, seed: int) -> LinearProgram:
    """Return a program over the correlated equilibria of a random k × k game: very degenerate."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 10, (2, k, k))
    rows: list[tuple[list[int], str, int]] = [([1] * (k * k), "=", 1)]
    for i, j in product(range(k), repeat=2):
        gain = np.zeros((2, k, k), dtype=int)
        gain[0, i] = first[j] - first[i]
        gain[1, :, i] = second[:, j] - second[:, i]
        rows += [(g.ravel().tolist(), "<=", 0) for g in gain if i != j]
    return minimise(rng.integers(-9, 10, k * k).tolist(), rows)


OPTIMAL = maximise([3, 2], [([1, 1], "<=", 4), ([1, 3], "<=", 6), ([1, -1], "=", "1/2")])
INFEASIBLE = minimise([1, 1], [([1, 1], "<=", 1), ([1, 2], ">=", 3)])
