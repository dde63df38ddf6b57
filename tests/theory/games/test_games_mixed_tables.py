"""Mixed equilibria of games of two players who move at once: ties, large units, bad guesses."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_games import kuhn_poker
from sweeps import examples

from theory.errors import LimitError
from theory.games import _lemke as lemke
from theory.games import mixed_equilibrium
from theory.games._sequence_form import Decision, TwoPlayerForm

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def table(first: list[list[int]], second: list[list[int]]) -> TwoPlayerForm:
    rows, columns = len(first), len(first[0])
    pairs = product(range(rows), range(columns))
    return TwoPlayerForm(
        (0, 1),
        ((Decision(0, 0, range(1, rows + 1)),), (Decision(1, 0, range(1, columns + 1)),)),
        {(i + 1, j + 1): (Fraction(first[i][j]), Fraction(second[i][j])) for i, j in pairs},
    )


DEGENERATE = (
    [[0, 0, 1], [1, 0, 1], [0, 1, 0]],
    [[0, 1, 0], [0, 0, 1], [1, 1, 0]],
)
"""Many ties: with the first of tied rows in place of the lexicographic one, pivots go round."""


def is_equilibrium(first: Any, second: Any, x: list[Fraction], y: list[Fraction]) -> bool:
    rows = [sum(u * q for u, q in zip(row, y[1:], strict=True)) for row in first]
    columns = [sum(u * p for u, p in zip(c, x[1:], strict=True)) for c in zip(*second, strict=True)]
    paid = sum(p * u for p, u in zip(x[1:], rows, strict=True))
    got = sum(q * u for q, u in zip(y[1:], columns, strict=True))
    laws = all(sum(z[1:]) == 1 and min(z) >= 0 for z in (x, y))
    return laws and paid == max(rows) and got == max(columns)


def test_ties_end_by_the_lexicographic_rule_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    form = table(*DEGENERATE)
    x, y = lemke.equilibrium_weights(form, guided=False)
    assert is_equilibrium(*DEGENERATE, x, y)

    def first_row(self: Any, column: int) -> int:
        rows = [i for i in range(self.n) if self.entries[i, column] > 0]
        ratios = [Fraction(self.entries[i, -1], self.entries[i, column]) for i in rows]
        tied = [i for i, ratio in zip(rows, ratios, strict=True) if ratio == min(ratios)]
        return next((i for i in tied if self.basis[i] == 2 * self.n), tied[0])

    monkeypatch.setattr(lemke._Tableau, "_row", first_row)
    with pytest.raises(LimitError, match="entries of tableaux"):
        lemke.equilibrium_weights(form, limit=100_000, guided=False)


ZERO_OR_ONE = st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=4, max_size=4)


@settings(max_examples=examples(150))
@given(ZERO_OR_ONE, ZERO_OR_ONE, st.booleans())
def test_degenerate_tables(first: Any, second: Any, guided: bool) -> None:
    x, y = lemke.equilibrium_weights(table(first, second), guided=guided)
    assert is_equilibrium(first, second, x, y)


@pytest.mark.parametrize("digits", [1, 20, 400])
@pytest.mark.parametrize("idle", [0, 3])
def test_the_start_is_as_good_in_a_large_unit(digits: int, idle: int) -> None:
    """Rock, paper and scissors, with an idle move before or after them."""
    won = np.insert(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), idle, -2, axis=0)
    won = np.insert(won, idle, 2, axis=1).astype(object)
    x = [1, *np.insert(np.full(3, Fraction(1, 3)), idle, 0)]
    first, second = 10**digits * won + 1, 1 - 10**digits * won
    assert lemke.equilibrium_weights(table(first, second), limit=0) == (x, x)


@pytest.mark.parametrize("bad", [None, "first moves", "twice"])
def test_a_bad_guess_is_not_believed(bad: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(rows: Any, covered: Any) -> list[int] | None:
        n = len(rows)
        return {None: None, "first moves": [*range(n)], "twice": [0, n, *range(2, n)]}[bad]

    monkeypatch.setattr(lemke, "guess_basis", guess)
    found = mixed_equilibrium(kuhn_poker())
    assert (found.holds, found.payoffs[0]) == (True, Fraction(-1, 18))
