"""The recheck of linear programs sees every planted fault."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear_programs import INFEASIBLE, OPTIMAL, correlated_equilibria, programs

import theory.linear._recheck
from dev import ROOT
from theory.errors import ShapeError
from theory.linear import (
    Certificate,
    CertificateError,
    LinearProgram,
    Status,
    maximise,
    minimise,
    recheck,
    solve,
)
from theory.linear._simplex import Outcome, simplex
from theory.linear._solve import translate

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
UNBOUNDED = maximise([1, 1], [([1, -1], "=", 0), ([1, 0], ">=", "1/2")], free=[1])
CLASHING = minimise([1, 1], [([1, 2], "=", 1), ([1, 2], "=", 2)], free=[0, 1])


class TestGuess:
    @given(programs(), st.randoms(use_true_random=False))
    def test_decides_nothing(self, program: LinearProgram, random: Any) -> None:
        """Any suggested start leads to the same answer."""

        def absurd(dictionary: Any) -> list[int]:
            columns = list(range(len(dictionary.form.cost)))
            return random.sample(columns, random.randint(0, len(columns)))

        honest = solve(program)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("theory.linear._simplex.guess_basis", absurd)
            misled = solve(program)
        assert (misled.status, misled.value) == (honest.status, honest.value)

    @given(programs())
    def test_can_be_left_out(self, program: LinearProgram) -> None:
        translation = translate(program)
        alone = translation.certificate(simplex(translation.form, guided=False))
        assert recheck(program, alone).holds
        assert alone.status is solve(program).status

    @pytest.mark.parametrize(("k", "seed"), [(5, 0), (7, 5), (7, 7)])
    def test_leaves_nothing_to_do(self, k: int, seed: int) -> None:
        """In float64 the last two cycle for ever unless ties are broken."""
        assert solve(correlated_equilibria(k, seed)).pivots == 0

    def test_ends_where_pivots_lead_nowhere(self, monkeypatch: pytest.MonkeyPatch) -> None:
        done = 0

        def idle(*_: object) -> None:
            nonlocal done
            done += 1
            assert done < 10_000

        monkeypatch.setattr("theory.linear._guess._pivot", idle)
        program = minimise([-1, -2], [([1, 1], "<=", 4), ([1, 3], "<=", 6)])
        assert solve(program).value == -5
        assert done > 0

    def test_is_worth_having(self) -> None:
        assert simplex(translate(correlated_equilibria(4, 0)).form, guided=False).pivots > 10


class TestVerifier:
    def test_worked_examples(self) -> None:
        assert solve(OPTIMAL).x == (Fraction(15, 8), Fraction(11, 8))
        assert solve(OPTIMAL).y == (0, Fraction(5, 4), Fraction(7, 4))
        assert solve(INFEASIBLE).farkas == (2, -1)
        assert solve(UNBOUNDED).ray == (1, 1)
        for program in (OPTIMAL, INFEASIBLE, UNBOUNDED):
            found = solve(program)
            check = recheck(program, found)
            assert (found.gap, check.gap, check.failures) == (0, 0, ())

    @pytest.mark.parametrize(("program", "entries"), [(OPTIMAL, 5), (CLASHING, 2), (UNBOUNDED, 4)])
    @pytest.mark.parametrize("fault", [Fraction(1, 10**30), Fraction(-1, 10**30)])
    def test_rejects_a_moved_entry(
        self, program: LinearProgram, entries: int, fault: Fraction
    ) -> None:
        """Unique certificates: each entry matters, however little it moves."""
        solution = solve(program)
        rejected = 0
        for name in ("x", "y", "farkas", "ray"):
            vector = getattr(solution, name)
            for k in range(len(vector or ())):
                moved = (*vector[:k], vector[k] + fault, *vector[k + 1 :])
                rejected += not recheck(program, replace(solution, **{name: moved})).holds
        assert rejected == entries

    @given(programs())
    def test_rejects_wrong_values_and_signs(self, program: LinearProgram) -> None:
        solution = solve(program)
        if solution.value is not None:
            wrong: Certificate = replace(solution, value=solution.value + Fraction(1, 7))
            assert recheck(program, wrong).gap == Fraction(1, 7)
        elif solution.farkas is not None:
            wrong = replace(solution, farkas=tuple(-f for f in solution.farkas))
        else:
            assert solution.ray is not None
            wrong = replace(solution, ray=tuple(-r for r in solution.ray))
        assert not recheck(program, wrong).holds

    @given(programs())
    def test_rejects_zero_vectors_as_proofs(self, program: LinearProgram) -> None:
        rows, variables = len(program.constraints), len(program.objective)
        zeros = (Fraction(0),) * rows
        nothing = Certificate(status=Status.INFEASIBLE, farkas=zeros)
        assert recheck(program, nothing).failures == ("b·f < 0 fails by 0",)
        x = solve(program).x
        if x is not None:
            still = Certificate(status=Status.UNBOUNDED, x=x, ray=(Fraction(0),) * variables)
            assert recheck(program, still).failures == ("ray improves c·x fails by 0",)

    def test_names_the_worst_violation_first(self) -> None:
        solution = solve(OPTIMAL)
        check = recheck(OPTIMAL, replace(solution, x=(Fraction(-1), Fraction(3))))
        assert check.gap == Fraction(67, 8) - 3
        assert check.failures[0] == "value = c·x = b·y fails by 43/8"
        assert "constraint 2 fails by 9/2" in check.failures
        assert "constraint 1 fails by 2" in check.failures
        assert "x0 >= 0 fails by 1" in check.failures

    @pytest.mark.parametrize(
        "y", [(0, "5/4", "7/4"), (-1, "9/4", "7/4"), (1, "1/4", "7/4"), (3, 0, 0)]
    )
    def test_dual_conditions(self, y: tuple[object, ...]) -> None:
        exact = tuple(Fraction(str(v)) for v in y)
        check = recheck(OPTIMAL, replace(solve(OPTIMAL), y=exact))
        assert check.holds == (y[0] == 0)
        assert any("sign of y0" in failure for failure in check.failures) == (exact[0] < 0)

    def test_free_variables_need_equality_in_the_dual(self) -> None:
        program = minimise([1], [([1], ">=", 2)], free=[0])
        certificate = solve(program)
        assert certificate.y == (1,)
        loose = replace(certificate, y=(Fraction(1, 2),))
        assert "reduced cost of x0 fails by 1/2" in recheck(program, loose).failures

    def test_signs_of_farkas_vectors_and_rays(self) -> None:
        """Both would prove something false, and fail in nothing but a sign."""
        interval = minimise([1], [([1], "<=", 1), ([1], ">=", 0)], free=[0])
        farkas = Certificate(status=Status.INFEASIBLE, farkas=(Fraction(-1), Fraction(1)))
        names = {"sign of f0 fails by 1", "sign of f1 fails by 1"}
        assert set(recheck(interval, farkas).failures) == names
        bounded = minimise([1], [])
        ray = Certificate(status=Status.UNBOUNDED, x=(Fraction(0),), ray=(Fraction(-1),))
        assert recheck(bounded, ray).failures == ("ray at x0 fails by 1",)

    @pytest.mark.parametrize("missing", ["value", "x", "y"])
    def test_needs_every_part(self, missing: str) -> None:
        with pytest.raises(ShapeError, match=missing):
            recheck(OPTIMAL, replace(solve(OPTIMAL), **{missing: None}))

    def test_takes_no_other_numbers(self) -> None:
        """1/3 as a float is below 1/3, and the difference is rounded to 0. No type is checked."""
        code = (
            "from dataclasses import replace; from fractions import Fraction as F\n"
            "from theory.linear import minimise, recheck, solve\n"
            "class Liar(F):\n"
            "    __eq__ = lambda self, other: True\n"
            "    __hash__ = F.__hash__\n"
            "program = minimise([1, 1], [([1, 0], '>=', '1/3'), ([0, 1], '>=', '1/3')])\n"
            "found = solve(program)\n"
            "assert recheck(program, found).holds and found.x == (F(1, 3), F(1, 3))\n"
            "for parts in ({'x': (1 / 3, F(1, 3))}, {'x': (F(1, 3), 1 / 3)}, {'value': 2 / 3},\n"
            "        {'y': (F(1), 1.0)}, {'x': (Liar(1, 7),) * 2, 'value': Liar(2, 7)},\n"
            "        {'status': 'proved'}):\n"
            "    try:\n"
            "        print(recheck(program, replace(found, **parts)))\n"
            "    except Exception as error:\n"
            "        print(type(error).__name__, str(error).partition(' (got')[0])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        )
        numbers = ("x0", "x1", "value", "y1", "x0")
        refused = [f"NumberError {name} is not an exact number" for name in numbers]
        assert done.stdout.splitlines() == [*refused, "InvalidInputError status claims nothing"]

    def test_needs_the_right_length(self) -> None:
        with pytest.raises(ShapeError, match="give 2 entries"):
            recheck(INFEASIBLE, Certificate(status=Status.INFEASIBLE, farkas=(Fraction(1),)))

    def test_stands_between_the_solver_and_the_user(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def lazy(form: Any, **_: Any) -> Outcome:
            return Outcome(dictionary=form.dictionary(), rising=None, pivots=0)

        monkeypatch.setattr("theory.linear._solve.simplex", lazy)
        with pytest.raises(CertificateError, match="reduced cost of x0"):
            solve(maximise([3, 2], [([1, 1], "<=", 4)]))

    def test_shares_nothing_with_the_solver(self) -> None:
        tree = ast.parse(inspect.getsource(theory.linear._recheck))
        modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        ours = {m for m in modules if m.startswith("theory")}
        assert ours == {
            "theory.errors",
            "theory.linear._program",
            "theory.linear._solution",
            "theory.numbers.reading",
            "theory.shared.arguments",
        }
