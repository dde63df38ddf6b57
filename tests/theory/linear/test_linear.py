from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from linear_programs import INFEASIBLE, OPTIMAL, correlated_equilibria, programs
from scipy.optimize import linprog

from theory.errors import ExactnessError, InvalidInputError, LimitError, NumberError, ShapeError
from theory.linear import MAX_ENTRIES, LinearProgram, Status, coprime, maximise, minimise, solve
from theory.linear._simplex import simplex
from theory.linear._solve import translate

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Row = tuple[list[Fraction], str, Fraction]
OPPOSITE: dict[str, Literal["<=", "=", ">="]] = {"<=": ">=", "=": "=", ">=": "<="}


def rows_of(program: LinearProgram) -> list[Row]:
    return [(list(r.coefficients), r.sense, r.bound) for r in program.constraints]


def with_rows(program: LinearProgram, rows: Sequence[Row]) -> LinearProgram:
    build = minimise if program.direction == "minimise" else maximise
    free = [j for j, free in enumerate(program.free) if free]
    return build(program.objective, rows, free=free)


def highs(program: LinearProgram, *, only_feasibility: bool = False) -> Any:
    """Solve in floating point, by another implementation."""
    sign = -1 if program.direction == "maximise" else 1
    cost = [0.0 if only_feasibility else sign * float(c) for c in program.objective]
    matrix: dict[str, Any] = {}
    for row in program.constraints:
        flip = -1 if row.sense == ">=" else 1
        kind = "eq" if row.sense == "=" else "ub"
        matrix.setdefault(f"A_{kind}", []).append([float(flip * a) for a in row.coefficients])
        matrix.setdefault(f"b_{kind}", []).append(float(flip * row.bound))
    bounds = [(None if free else 0, None) for free in program.free]
    return linprog(cost, **matrix, bounds=bounds)


class TestAgainstOthers:
    @given(programs())
    def test_status_and_value_are_those_of_highs(self, program: LinearProgram) -> None:
        solution = solve(program)
        if highs(program, only_feasibility=True).status == 2:
            assert solution.status is Status.INFEASIBLE
            return
        reference = highs(program)
        if reference.status == 0:
            sign = -1 if program.direction == "maximise" else 1
            assert solution.value is not None
            assert float(solution.value) == pytest.approx(sign * reference.fun, abs=1e-7)
        else:
            assert solution.status is Status.UNBOUNDED

    @pytest.mark.parametrize("k", [3, 5, 7])
    def test_correlated_equilibria(self, k: int) -> None:
        program = correlated_equilibria(k, seed=k)
        value = solve(program).value
        assert value is not None
        assert float(value) == pytest.approx(highs(program).fun, abs=1e-7)

    @pytest.mark.parametrize("guided", [True, False])
    @pytest.mark.parametrize(
        ("objective", "first", "second", "value"),
        [
            (["-3/4", 20, "-1/2", 6], ["1/4", -8, -1, 9], ["1/2", -12, "-1/2", 3], "-5/4"),
            (
                ["-3/4", 150, "-1/50", 6],
                ["1/4", -60, "-1/25", 9],
                ["1/2", -90, "-1/50", 3],
                "-1/20",
            ),
        ],
    )
    def test_beales_programs_do_not_cycle(
        self,
        objective: list[object],
        first: list[object],
        second: list[object],
        value: str,
        guided: bool,
    ) -> None:
        """The least-cost rule alone returns to its first basis after six pivots."""
        program = minimise(
            objective, [(first, "<=", 0), (second, "<=", 0), ([0, 0, 1, 0], "<=", 1)]
        )
        translation = translate(program)
        outcome = simplex(translation.form, guided=guided)
        assert translation.certificate(outcome).value == Fraction(value)

    @pytest.mark.parametrize("n", [1, 2, 5, 8])
    def test_klee_and_mintys_cube(self, n: int) -> None:
        rows = [
            ([*(2 ** (i - j + 1) for j in range(i)), 1, *([0] * (n - i - 1))], "<=", 5 ** (i + 1))
            for i in range(n)
        ]
        solution = solve(maximise([2 ** (n - 1 - j) for j in range(n)], rows))
        assert solution.value == 5**n
        assert solution.x == (*([0] * (n - 1)), 5**n)


class TestMetamorphic:
    @given(programs(), st.lists(st.fractions("1/3", 3, max_denominator=3), min_size=5, max_size=5))
    def test_scaling_rows(self, program: LinearProgram, factors: list[Fraction]) -> None:
        scaled = [
            ([k * a for a in row], sense, k * bound)
            for k, (row, sense, bound) in zip(factors, rows_of(program), strict=False)
        ]
        self._same(program, with_rows(program, scaled))

    @given(programs())
    def test_negating_rows(self, program: LinearProgram) -> None:
        negated: list[Row] = [
            ([-a for a in row], OPPOSITE[sense], -bound) for row, sense, bound in rows_of(program)
        ]
        self._same(program, with_rows(program, negated))

    @given(programs(), st.randoms(use_true_random=False))
    def test_permuting_rows_and_repeating_one(self, program: LinearProgram, random: Any) -> None:
        rows = rows_of(program)
        assume(rows)
        rows.append(random.choice(rows))
        random.shuffle(rows)
        self._same(program, with_rows(program, rows))

    @given(programs())
    def test_adding_sums_of_equalities(self, program: LinearProgram) -> None:
        rows = rows_of(program)
        equalities = [(row, bound) for row, sense, bound in rows if sense == "="]
        assume(equalities)
        total = [
            sum(column, Fraction(0)) for column in zip(*(r for r, _ in equalities), strict=True)
        ]
        bound = sum((b for _, b in equalities), Fraction(0))
        self._same(program, with_rows(program, [(total, "=", bound), *rows]))

    @given(programs())
    def test_writing_an_equality_as_two_inequalities(self, program: LinearProgram) -> None:
        split: list[Row] = []
        for row, sense, bound in rows_of(program):
            split += [(row, s, bound) for s in (["<=", ">="] if sense == "=" else [sense])]
        self._same(program, with_rows(program, split))

    @given(programs())
    def test_maximising_is_minimising_the_negative(self, program: LinearProgram) -> None:
        other: Literal["minimise", "maximise"] = (
            "maximise" if program.direction == "minimise" else "minimise"
        )
        negated = replace(program, direction=other, objective=tuple(-c for c in program.objective))
        found, mirrored = solve(program), solve(negated)
        assert found.status is mirrored.status
        assert found.value == (None if mirrored.value is None else -mirrored.value)

    @given(programs(max_size=4))
    def test_the_dual_program_has_the_same_value(self, program: LinearProgram) -> None:
        """Lagrangian duality, with the dual written out here."""
        low = program.direction == "minimise"
        natural = ">=" if low else "<="
        # y_i is at least 0 on the natural sense, at most 0 on the other, free on equalities:
        # substitute its negative in the second case.
        signs = [-1 if r.sense not in ("=", natural) else 1 for r in program.constraints]
        build = maximise if low else minimise
        dual = build(
            [s * r.bound for s, r in zip(signs, program.constraints, strict=True)],
            [
                (
                    [
                        s * r.coefficients[j]
                        for s, r in zip(signs, program.constraints, strict=True)
                    ],
                    "=" if program.free[j] else ("<=" if low else ">="),
                    cost,
                )
                for j, cost in enumerate(program.objective)
            ],
            free=[i for i, r in enumerate(program.constraints) if r.sense == "="],
        )
        primal, mirrored = solve(program), solve(dual)
        if primal.status is Status.OPTIMAL:
            assert mirrored.value == primal.value
        elif primal.status is Status.UNBOUNDED:
            assert mirrored.status is Status.INFEASIBLE
        else:
            assert mirrored.status is not Status.OPTIMAL

    def _same(self, program: LinearProgram, other: LinearProgram) -> None:
        first, second = solve(program), solve(other)
        assert (first.status, first.value) == (second.status, second.value)


class TestExtremes:
    @pytest.mark.parametrize("free", [[], [0, 1]])
    def test_no_rows(self, free: list[int]) -> None:
        assert solve(minimise([0, 0], [], free=free)).value == 0
        assert solve(minimise([1, 0], [])).value == 0
        assert solve(minimise([1, -1], [], free=free)).status is Status.UNBOUNDED

    def test_no_variables(self) -> None:
        assert solve(minimise([], [])).value == 0
        assert solve(maximise([], [([], "=", 0), ([], "<=", 1)])).y == (0, 0)
        assert solve(minimise([], [([], ">=", "1/3")])).farkas == (-1,)

    @pytest.mark.parametrize(("sense", "bound"), [("<=", 1), ("=", 0), (">=", -1)])
    def test_zero_rows_and_columns(self, sense: str, bound: int) -> None:
        rows = [([0, 0], sense, bound), ([0, 1], "<=", 3)]
        assert solve(maximise([0, 1], rows)).value == 3
        assert solve(maximise([1, 1], rows)).status is Status.UNBOUNDED

    @pytest.mark.parametrize(("sense", "bound"), [("<=", -1), ("=", 1), ("=", -1), (">=", 1)])
    def test_zero_rows_that_contradict(self, sense: str, bound: int) -> None:
        solution = solve(maximise([0, 1], [([0, 0], sense, bound), ([0, 1], "<=", 3)]))
        assert solution.farkas == (-bound, 0)

    def test_infeasible_rather_than_unbounded_where_both_would_do(self) -> None:
        program = maximise([1, 0], [([0, 1], "<=", -1)])
        assert solve(program).status is Status.INFEASIBLE

    def test_numbers_beyond_every_float(self) -> None:
        huge = 10**400
        solution = solve(maximise([huge, 1], [([1, Fraction(1, huge)], "<=", Fraction(1, huge))]))
        assert solution.value == 1

    def test_a_gap_no_float_sees(self) -> None:
        tiny = Fraction(1, 10**40)
        rows = [([1], ">=", 1), ([1], "<=", 1 - tiny)]
        assert solve(minimise([1], rows)).status is Status.INFEASIBLE
        assert solve(minimise([1], [rows[0], ([1], "<=", 1)])).value == 1


class TestInput:
    @pytest.mark.parametrize(
        ("objective", "row", "named"),
        [
            ([0.5], ([1], "<=", 1), r"objective\[0\]"),
            ([1], ([0.5], "<=", 1), r"constraints\[0\]\[0\]"),
            ([1], ([1], "<=", 0.5), r"constraints\[0\] bound"),
        ],
    )
    def test_floats_are_refused(self, objective: list[object], row: Any, named: str) -> None:
        with pytest.raises(ExactnessError, match=named):
            minimise(objective, [row])

    def test_text_is_read_exactly(self) -> None:
        assert minimise(["0.1", "2/6", np.int64(3)], []).objective == (
            Fraction(1, 10),
            Fraction(1, 3),
            3,
        )
        with pytest.raises(NumberError, match="objective"):
            minimise(["one"], [])

    def test_rows_must_fit(self) -> None:
        with pytest.raises(ShapeError, match=r"constraints\[1\] has 3 coefficients.*give 2"):
            minimise([1, 1], [([1, 1], "<=", 1), ([1, 1, 1], "<=", 1)])

    def test_senses_and_free_variables_must_exist(self) -> None:
        with pytest.raises(InvalidInputError, match="unknown sense"):
            minimise([1], [([1], "<", 1)])
        with pytest.raises(InvalidInputError, match="free names no variable"):
            minimise([1], [], free=[1])

    def test_the_limit_is_stated(self) -> None:
        rows = [([1] * 10, "<=", 1)] * 500
        with pytest.raises(LimitError, match=f"{500 * 510}.*{MAX_ENTRIES}"):
            solve(minimise([1] * 10, rows))


def test_a_program_reads_as_written() -> None:
    assert str(OPTIMAL).splitlines() == [
        "maximise 3 x0 + 2 x1",
        "  x0 + x1 <= 4",
        "  x0 + 3 x1 <= 6",
        "  x0 - x1 = 1/2",
        "  x0 >= 0, x1 >= 0",
    ]
    assert str(minimise([-1, 0], [([0, 0], "<=", 1)], free=[1])).splitlines() == [
        "minimise -x0",
        "  0 <= 1",
        "  x0 >= 0, x1 free",
    ]


def test_a_solution_reads_well() -> None:
    assert str(solve(INFEASIBLE)).splitlines() == [
        "infeasible (recheck: gap 0)",
        "  Farkas vector: (2, -1)",
    ]
    assert "<th>y</th><td>(0, 5/4, 7/4)</td>" in solve(OPTIMAL)._repr_html_()


@given(st.lists(st.fractions(max_denominator=12), max_size=6))
def test_coprime_keeps_direction(values: list[Fraction]) -> None:
    scaled = coprime(values)
    assert all(v.denominator == 1 for v in scaled)
    assert gcd(*map(int, scaled)) == bool(any(values))
    ratios = {s / v for s, v in zip(scaled, values, strict=True) if v}
    assert len(ratios) == bool(any(values))
    assert all(ratio > 0 for ratio in ratios)


@pytest.mark.parametrize("digits", [12, 60, 400])
def test_the_start_is_as_good_in_a_large_unit(digits: int) -> None:
    def in_unit(scale: int) -> Any:
        rows = [[3, -1, 4, -1], [-5, 9, 2, -6], [5, 3, -5, 8], [-9, 7, 9, 3]]
        scaled = [([v * scale for v in row], ">=", 0) for row in rows]
        return solve(maximise([2, 3, 5, 7], [*scaled, ([1, 1, 1, 1], "=", 1)]))

    found = in_unit(10**digits)
    assert found.pivots == 0
    assert found.x == in_unit(1).x


def test_no_more_pivots_are_made_than_are_allowed() -> None:
    program = correlated_equilibria(4, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("theory.linear._simplex.guess_basis", lambda dictionary: [])
        found = solve(program)
        assert found.pivots > 1
        assert solve(program, pivots=found.pivots) == found
        with pytest.raises(LimitError, match=f"more than {found.pivots - 1} exact pivots"):
            solve(program, pivots=found.pivots - 1)
    assert solve(program, pivots=0).pivots == 0
    with pytest.raises(InvalidInputError, match="pivots is not a count"):
        solve(program, pivots=-1)
