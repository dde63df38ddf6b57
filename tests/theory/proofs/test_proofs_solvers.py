"""Proofs are decided by solvers that share nothing: z3, cvc5, certificates, and brute force.

Random linear obligations are given to all of them. The fourth opinion counts: a lattice of rational
points is run through with code of the tests; a point that refutes convicts every solver that says
"proved".
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from theory.errors import InvalidInputError, MechproofError
from theory.proofs import (
    SOLVERS,
    Condition,
    Equation,
    Identity,
    Obligation,
    Polynomial,
    Proof,
    SolverVerdict,
    Tracer,
    _decide,
    decide,
    installed_solvers,
    point_of,
    smtlib,
)
from theory.proofs._decide import SolverReply, by_cvc5

NAMES = ("u", "v")
LATTICE = [Fraction(n, 2) for n in range(-6, 7)]
SMT = ("z3", "cvc5")


def linear(row: Sequence[int]) -> Polynomial:
    return Polynomial.of(
        NAMES, {(1, 0): Fraction(row[0]), (0, 1): Fraction(row[1]), (0, 0): Fraction(row[2], 2)}
    )


rows = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(-2, 2)).map(linear)
conditions = st.builds(Condition, rows, st.booleans())
linear_obligations = st.builds(
    Obligation, st.lists(conditions, min_size=1, max_size=4).map(tuple), rows | st.none()
)


def refuting(obligation: Obligation) -> list[tuple[Fraction, ...]]:
    """Points of the lattice at which all is assumed and the goal is below zero, by plain sums."""

    def at(p: Polynomial, point: tuple[Fraction, ...]) -> Fraction:
        return sum((c * point[0] ** a * point[1] ** b for (a, b), c in p.terms), Fraction(0))

    def meets(condition: Condition, point: tuple[Fraction, ...]) -> bool:
        value = at(condition.polynomial, point)
        return value > 0 or (value == 0 and not condition.strict)

    return [
        point
        for point in product(LATTICE, repeat=2)
        if all(meets(c, point) for c in obligation.assumed)
        and (obligation.goal is None or at(obligation.goal, point) < 0)
    ]


@settings(max_examples=examples(30))
@given(linear_obligations)
def test_all_solvers_agree_on_linear_obligations(obligation: Obligation) -> None:
    answers = [decide([obligation], solver=solver) for solver in SOLVERS]
    assert len({answer.verdict for answer in answers}) == 1, [str(a) for a in answers]
    assert answers[0].verdict in ("proved", "refuted")
    if answers[0].verdict == "proved":
        assert not refuting(obligation)
        (certificate,) = answers[0].certificates
        assert certificate.obligation == obligation
        assert certificate.holds()
    else:
        assert point_of(obligation.negation) is not None
        for answer in answers:
            assert answer.model is not None
            assert obligation.fails(answer.model)


@settings(max_examples=examples(12))
@given(st.lists(linear_obligations, min_size=2, max_size=4))
def test_several_hold_when_each_of_them_does(obligations: list[Obligation]) -> None:
    each = [decide([o], solver="certificates").verdict == "proved" for o in obligations]
    for solver in SOLVERS:
        together = decide(obligations, solver=solver)
        assert (together.verdict == "proved") == all(each), str(together)
        if together.verdict == "refuted":
            assert together.model is not None
            assert any(o.fails(together.model) for o in obligations)


# --- what is not linear


@pytest.fixture
def trace() -> Tracer:
    return Tracer(positive=("q",), real=("u", "v"))


@pytest.mark.parametrize("solver", SOLVERS)
def test_products_and_equations_are_decided(trace: Tracer, solver: str) -> None:
    q, u, v = trace["q"], trace["u"], trace["v"]
    true = trace.obligations(lambda: [u * v], [u, v])
    false = trace.obligations(lambda: [u * v - q], [u, v])
    assert decide(true, solver=solver).verdict == "proved"
    refuted = decide([*true, *false], solver=solver)
    assert refuted.verdict == "refuted" or solver == "certificates"
    same = Equation.between(1 / q - 1 / (q + 1), 1 / (q * (q + 1)))
    other = Equation.between(1 / q - 1 / (q + 1), 1 / (q * q))
    assert decide([], equations=[same], solver=solver).verdict == "proved"
    assert decide(true, equations=[same, other], solver=solver).verdict != "proved"


@pytest.mark.parametrize("exponents", [(1, 1), (2, -1), (-2, 3), (1, 0)])
def test_an_equation_reads_as_what_it_means(exponents: tuple[int, int]) -> None:
    first, second = linear((1, -2, 4)), linear((2, 1, 6))
    written, _, zero = str(
        Equation((tuple(zip((first, second), exponents, strict=True)),))
    ).partition(" = ")
    point = {"u": Fraction(3), "v": Fraction(-5)}
    meant = first.value(point) ** exponents[0] * second.value(point) ** exponents[1]
    assert eval(written, dict(point)) == meant
    assert zero == "0"


@pytest.mark.parametrize("solver", SMT)
def test_an_equation_is_refuted_where_no_denominator_is_zero(trace: Tracer, solver: str) -> None:
    q = trace["q"]
    answer = decide([], equations=[Equation.between(1 / q, q)], solver=solver)
    assert answer.verdict == "refuted"
    assert answer.model is not None
    assert answer.model["q"] ** 2 not in (0, 1)


@pytest.mark.parametrize("solver", SMT)
def test_a_model_near_an_irrational_one_is_rational_and_refutes(trace: Tracer, solver: str) -> None:
    u, v = trace["u"], trace["v"]
    owed = trace.obligations(lambda: [v - 2 if u * u * u >= 2 else 0], [2 - u, v * v - 3])
    answer = decide(owed, solver=solver)
    assert answer.verdict == "refuted"
    assert answer.model is not None
    assert all(isinstance(value, Fraction) for value in answer.model.values())
    assert any(obligation.fails(answer.model) for obligation in owed)


@pytest.mark.parametrize("solver", SMT)
def test_an_irrational_point_alone_is_no_refutation(trace: Tracer, solver: str) -> None:
    u = trace["u"]
    answer = decide(trace.obligations(lambda: [-1 if u * u == 2 else 0]), solver=solver)
    assert answer.verdict == "unknown"
    assert "no rational point" in answer.reason
    assert answer.model is None


@pytest.mark.parametrize("solver", SMT)
def test_steps_are_counted_and_limit(trace: Tracer, solver: str) -> None:
    q, u, v = trace["q"], trace["u"], trace["v"]
    owed = trace.obligations(lambda: [u * u * q + v * v - u * v if u > v else 0])
    first, again = (decide(owed, solver=solver) for _ in range(2))
    assert first.steps == again.steps
    assert first.steps is not None
    assert first.steps > 10
    stopped = decide(owed, solver=solver, steps=10)
    assert stopped.verdict == "unknown"
    assert stopped.reason
    assert "stopped after" in str(stopped)


# --- nothing that a solver says is believed without a look


def saying(answer: Any, **more: Any) -> Any:
    return lambda text, logic, steps: SolverReply(answer, "planted 1", 3, **more)


def test_a_model_that_does_not_refute_is_not_believed(
    trace: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    u = trace["u"]
    owed = trace.obligations(lambda: [u], [u])
    near: tuple[dict[str, Fraction], ...] = ({"u": Fraction(1)}, {"u": Fraction(-1)}, {})
    monkeypatch.setitem(_decide._ASKED, "z3", saying("sat", near=near))
    answer = decide(owed, solver="z3")
    assert (answer.verdict, answer.model) == ("unknown", None)
    assert "no rational point" in answer.reason


@pytest.mark.parametrize("found", ["sat", "unknown"])
def test_a_proof_is_not_complete_where_the_solver_does_not_prove(
    trace: Tracer, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    u, v = trace["u"], trace["v"]

    def run() -> list[Any]:
        return [max(u, v) - u]

    assert trace.prove(run, solver="z3").complete
    monkeypatch.setitem(_decide._ASKED, "z3", saying(found, reason="planted"))
    proof = trace.prove(run, solver="z3")
    assert not proof.complete
    assert proof.answer.verdict == "unknown"
    assert str(proof).startswith("Unknown: planted 1 stopped after")
    assert proof.checked_by("cvc5").verdict == "proved"


@pytest.mark.parametrize("solver", SMT)
def test_a_wrong_goal_or_a_condition_left_out_is_refuted(trace: Tracer, solver: str) -> None:
    u, v = trace["u"], trace["v"]
    proof = trace.prove(lambda: [max(u, v) - u], solver=solver)
    assert proof.complete
    assert "paths of the traced code, shown by" in str(proof)
    first = max(proof.obligations, key=lambda o: len(o.negation[-1].polynomial.terms))
    assert first.goal is not None
    for planted in (replace(first, goal=-first.goal), Obligation((), first.goal)):
        assert decide([planted], solver=solver).verdict == "refuted"
        assert decide([*proof.obligations, planted], solver=solver).verdict == "refuted"


# --- the script


@pytest.mark.parametrize("tampered", [("(> ", "(>= "), ("(- u)", "u"), ("(+ (- u) v)", "v")])
def test_a_script_that_is_tampered_with_is_satisfiable(tampered: tuple[str, str]) -> None:
    import z3

    trace = Tracer(real=("u", "v"))
    u, v = trace["u"], trace["v"]
    text = smtlib(trace.obligations(lambda: [max(u, v) - u]))

    def answer(script: str) -> str:
        solver = z3.Solver(ctx=z3.Context())
        solver.from_string(script)
        return str(solver.check())

    assert tampered[0] in text
    assert answer(text) == "unsat"
    assert answer(text.replace(*tampered)) == "sat"


def test_the_script_says_what_it_is_about(trace: Tracer) -> None:
    from sympy import Derivative, Symbol, log

    q, u = trace["q"], trace["u"]
    x = Symbol("x", positive=True)
    proof = trace.prove(lambda: [u * q, u], [u])
    slope = Identity("(log x)' = 1/x", zeros=(Derivative(log(x), x) - 1 / x,))
    same = Identity("q/q = 1", (Equation.between(q * q / q, q),))
    text = replace(proof, identities=(slope, same)).smtlib(comment="two\nlines")
    assert text.startswith("; two\n; lines\n; For all real u, v and all positive q with u >= 0.\n")
    assert "; Beyond this script, by SymPy alone: (log x)' = 1/x.\n" in text
    assert "q/q" not in text
    assert text.count("(check-sat)") == text.count("(set-info :status unsat)") == 3
    assert text.count("(reset)") == 2
    assert text.index("QF_LRA") < text.index("QF_NRA")


def test_a_proof_without_polynomials_has_a_script_that_asserts_nothing() -> None:
    from sympy import Symbol, log

    x = Symbol("x", positive=True)
    proof = Proof("all x", 0, identities=(Identity("log", zeros=(log(x * x) - 2 * log(x),)),))
    assert proof.complete
    assert "(assert false)" in proof.smtlib()
    answer = proof.checked_by("z3")
    assert (answer.verdict, answer.reason) == ("unknown", "nothing in the proof is polynomial")


def of_zeros(*parts: object) -> Identity:
    return Identity("a step", zeros=parts)


def of_signs(*parts: object) -> Identity:
    return Identity("a step", signs=parts)


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize(("step", "right"), [(of_zeros, 0), (of_signs, Fraction(1, 2))])
def test_text_is_no_expression_and_is_not_run(
    step: Callable[..., Identity], right: object, before: int, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    text = f"__import__('pathlib').Path({str(ran)!r}).touch()"
    for wrong in (text, [text], "x - x"):
        with pytest.raises(InvalidInputError, match="is no expression"):
            print(step(*[right] * before, wrong).confirmed)
    assert not ran.exists()
    assert step(right).confirmed


@pytest.mark.parametrize("name", ["and", "let", "a|b", "a\\b", "a\nb"])
def test_a_name_that_smt_lib_cannot_write_is_refused(name: str) -> None:
    one = Polynomial.of((name,), {(1,): Fraction(1)})
    with pytest.raises(InvalidInputError, match="has no name in SMT-LIB"):
        smtlib([Obligation((), one)])


@pytest.mark.parametrize("name", ["bid 1", "θ", "x_1", "1st", "Ada's"])
@pytest.mark.parametrize("solver", SMT)
def test_names_come_back_in_the_model(name: str, solver: str) -> None:
    one = Polynomial.of((name,), {(1,): Fraction(-7, 3), (0,): Fraction(1)})
    answer = decide([Obligation((), one)], solver=solver)
    assert answer.model is not None
    assert answer.model[name] > Fraction(3, 7)


# --- bad input


def test_bad_input_is_refused(trace: Tracer, monkeypatch: pytest.MonkeyPatch) -> None:
    owed = trace.obligations(lambda: [trace["u"]])
    for solver, words in (("z4", "'z3'"), ("", "known are")):
        with pytest.raises(MechproofError, match=words):
            decide(owed, solver=solver)
    for steps in (0, -1, True, 2**32):
        with pytest.raises(InvalidInputError, match="is not a number of steps"):
            decide(owed, solver="z3", steps=steps)
    with pytest.raises(InvalidInputError, match="are empty"):
        decide([], solver="z3")
    monkeypatch.setattr(_decide, "find_spec", lambda name: None)
    assert installed_solvers() == ("certificates",)
    with pytest.raises(InvalidInputError, match=r"pip install 'z3-solver>="):
        decide(owed, solver="z3")
    with pytest.raises(InvalidInputError, match=r"pip install 'cvc5>="):
        decide(owed, solver="cvc5")


def test_proofs_of_solvers_are_not_joined(trace: Tracer) -> None:
    proof = trace.prove(lambda: [trace["q"]], solver="z3")
    with pytest.raises(InvalidInputError, match="hold one by an SMT solver"):
        Proof.of_all("two", [proof, proof])


def test_proofs_and_answers_pickle(trace: Tracer) -> None:
    u = trace["u"]
    for solver in SOLVERS:
        proof = trace.prove(lambda: [max(u, 0)], solver=solver)
        assert proof.complete
        again = pickle.loads(pickle.dumps(proof))
        assert again == proof
        assert again.complete
        assert again.smtlib() == proof.smtlib()
        assert pickle.loads(pickle.dumps(proof.answer)) == proof.answer


def test_answers_are_shown() -> None:
    point = {"u": Fraction(1, 2)}
    assert str(SolverVerdict("refuted", "z3", 1, point, "u >= 1 fails")) == (
        "Refuted by z3 at u = 1/2: u >= 1 fails."
    )
    assert "&gt;=" in SolverVerdict("refuted", "z3", 1, point, "u >= 1 fails")._repr_html_()


@pytest.mark.parametrize(
    ("answer", "logic", "used", "asked"),
    [
        ("unsat", "QF_NRA", 3, 1),
        ("sat", "QF_NRA", 3, 1),
        ("unknown", "QF_LRA", 3, 1),
        ("unknown", "QF_NRA", 10, 1),
        ("unknown", "QF_NRA", 3, 2),
    ],
)
def test_coverings_are_asked_where_products_are_left_open_and_steps_are_left(
    answer: Any, logic: str, used: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, bool]] = []

    def stub(text: str, steps: int, options: Any) -> SolverReply:
        calls.append((steps, "nl-cov" in options))
        return SolverReply(answer, "cvc5", used)

    monkeypatch.setattr("theory.proofs._decide._read_smtlib", stub)
    found = by_cvc5("", logic, 10)
    assert calls == [(10, False), (7, True)][:asked]
    assert found.steps == used * asked
