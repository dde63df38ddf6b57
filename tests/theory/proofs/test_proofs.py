"""Proofs by tracing: what is true is proved, what is false is not, and the trace is the code.

The soundness of the tracer is tested on random programs: whatever the numbers, ties included, the
conditions of exactly one path hold, and its result is what the program returns on those numbers.
Polynomials are evaluated here from their coefficients, by code of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any

import numpy as np
import pytest
from families import context
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from papers.volition.checks.lemma_a1 import LemmaA1Proof, gain_from_information
from theory.decision import DecisionProblem
from theory.errors import ExactnessError, InvalidInputError, LimitError
from theory.linear import LinearProgram, Solution, solve
from theory.numbers import Exact
from theory.probability import Partition, ProbabilitySpace
from theory.proofs import (
    Certificate,
    Obligation,
    Polynomial,
    Proof,
    Symbols,
    Term,
    Tracer,
    _certify,
    _tracer,
)

Numbers = Sequence[Fraction]


def value(polynomial: Polynomial, at: Numbers) -> Fraction:
    terms = (
        c * prod((x**e for x, e in zip(at, exponents, strict=True)), start=Fraction(1))
        for exponents, c in polynomial.terms
    )
    return sum(terms, Fraction(0))


def met(condition: Any, at: Numbers) -> bool:
    found = value(condition.polynomial, at)
    return found > 0 if condition.strict else found >= 0


def traced_at(trace: Tracer, run: Callable[[], Sequence[Any]], at: Numbers) -> Fraction:
    """Return the result of the one path whose conditions hold at these numbers."""
    taken = [p for p in trace.paths(run) if all(met(c, at) for c in p.conditions)]
    assert len(taken) == 1, "exactly one path is taken"
    found = value(taken[0].numerator, at) / value(taken[0].denominator, at)
    named = dict(zip([*trace.positive, *trace.real], at, strict=True))
    assert taken[0].taken(named)
    assert taken[0].value(named) == found
    return found


# --- the trace is the code, on random programs

COMPARISONS = (gt, lt, ge, le, eq, ne)
small = st.integers(-3, 3).map(Fraction)
positive = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)])
Instruction = tuple[Any, int, int, int, int]

programs = st.lists(
    st.tuples(
        st.sampled_from(["+", "-", "*", "/", "sign", "max", *COMPARISONS]),
        *[st.integers(0, 20) for _ in range(4)],
    ),
    min_size=1,
    max_size=6,
)


def execute(program: Sequence[Instruction], inputs: Sequence[Any], divisors: Sequence[Any]) -> Any:
    """Run a program: each instruction appends a number made from earlier ones."""
    memory: list[Any] = [*divisors, *inputs]
    for operation, *places in program:
        a, b, c, d = (memory[place % len(memory)] for place in places)
        if operation == "+":
            memory.append(a + b)
        elif operation == "-":
            memory.append(a - 2 * b)
        elif operation == "*":
            memory.append(a * divisors[places[1] % len(divisors)] + 1)
        elif operation == "/":
            memory.append(a / sum(divisors[1:], divisors[0]))
        elif operation == "sign":
            memory.append(c * (a - b).sign() if isinstance(a - b, Term) else c * sign(a - b))
        elif operation == "max":
            memory.append(max(a, b))
        else:
            memory.append(c if operation(a, b) else d)
    return memory[-1]


def sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


@settings(max_examples=examples(60))
@given(programs, st.lists(st.tuples(positive, positive, small, small), min_size=1, max_size=6))
def test_exactly_one_path_is_taken_and_its_result_is_that_of_the_code(
    program: list[Instruction], points: list[tuple[Fraction, ...]]
) -> None:
    trace = Tracer(positive=("p", "q"), real=("u", "v"))
    p, q, u, v = (trace[name] for name in "pquv")
    for at in points:
        expected = execute(program, at[2:], at[:2])
        assert traced_at(trace, lambda: [execute(program, (u, v), (p, q))], at) == expected


@settings(max_examples=examples(60))
@given(programs, st.lists(st.tuples(positive, positive, small, small), min_size=1, max_size=6))
def test_what_is_proved_is_true_of_the_code(
    program: list[Instruction], points: list[tuple[Fraction, ...]]
) -> None:
    trace = Tracer(positive=("p", "q"), real=("u", "v"))
    p, q, u, v = (trace[name] for name in "pquv")
    if trace.prove(lambda: [execute(program, (u, v), (p, q))]).complete:
        assert all(execute(program, at[2:], at[:2]) >= 0 for at in points)


@settings(max_examples=examples(15))
@given(
    st.lists(st.integers(1, 3).map(Fraction), min_size=3, max_size=3),
    st.lists(st.integers(-1, 1).map(Fraction), min_size=6, max_size=6),
    st.sampled_from([(0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 1, 2)]),
)
def test_a_definition_traced_on_symbols_agrees_with_the_same_on_rationals(
    weights: list[Fraction], utilities: list[Fraction], signal: tuple[int, ...]
) -> None:
    known = Partition.of(signal)
    total = sum(weights, Fraction(0))
    exact = DecisionProblem.of(
        ProbabilitySpace.of([w / total for w in weights]), [utilities[:3], utilities[3:]]
    )
    names = [f"u{j}" for j in range(6)]
    trace = Tracer(positive=("q0", "q1", "q2"), real=names)
    q = trace.array(["q0", "q1", "q2"])
    table = Symbols(trace.array(names).values.reshape(2, 3))
    symbolic = DecisionProblem(ProbabilitySpace(range(3), q / q.sum()), (0, 1), table)
    found = traced_at(trace, lambda: [gain_from_information(symbolic, known)], weights + utilities)
    assert found == gain_from_information(exact, known)


# --- what is true is proved, what is false is not


@pytest.fixture
def trace() -> Tracer:
    return Tracer(positive=("q",), real=("u", "v", "w"))


def largest(*terms: Any) -> Any:
    return max(terms)


def test_true_statements_are_proved(trace: Tracer) -> None:
    q, u, v, w = (trace[name] for name in "quvw")
    for run in (
        lambda: [largest(u, v) - u, largest(u, v) - v],
        lambda: [largest(u, v, w) - (u + v + w) / 3],
        lambda: [q * largest(u, v) - q * v],
        lambda: [largest(u, v) - (q * u + v) / (q + 1)],
        lambda: [u - v if u >= v else v - u],
        lambda: [largest(u, 0) * largest(v, 0)],
        lambda: [(u - v) * (u - v) if u > v else (v - u) * (v - u)],
        lambda: [0, 1, Fraction(1, 3), q],
        lambda: [1 / q - 1 / (q + 1)],
    ):
        proof = trace.prove(run)
        assert proof.complete, proof
        assert str(proof).startswith("Proved for all real u, v, w and all positive q: ")


def test_false_statements_are_not_proved(trace: Tracer) -> None:
    q, u, v, w = (trace[name] for name in "quvw")
    for run in (
        lambda: [u - largest(u, v)],
        lambda: [largest(u, v) - u - 1],
        lambda: [largest(u, v) - u - q],
        lambda: [largest(u, v) - w],
        lambda: [largest(u, v) - u, -q],
        lambda: [-1],
        lambda: [u * v if u > v else 1],
        lambda: [1 if u != v else -1],
        lambda: [-1 if (u - v).sign() == 0 else 1],
        lambda: [1 if u > v else 1 if v > u else -1],
        lambda: [1 if u - v else -1],
    ):
        proof = trace.prove(run)
        assert not proof.complete
        assert str(proof).startswith("Found no certificate that ")


def test_hypotheses_are_used_and_needed(trace: Tracer) -> None:
    u, v, w = (trace[name] for name in "uvw")
    assert trace.prove(lambda: [u - w], [u - v, v - w]).complete
    assert not trace.prove(lambda: [u - w], [u - v]).complete
    assert trace.prove(lambda: [u * v], [u, v]).complete
    assert not trace.prove(lambda: [u * v], [u]).complete


@pytest.mark.parametrize("size", [1, 2])
def test_lemma_a1_is_proved_at_sizes(size: int) -> None:
    proof = LemmaA1Proof()(context(size=size))
    assert proof.complete
    assert proof.paths >= 3


@pytest.mark.slow
def test_lemma_a1_is_proved_at_size_3() -> None:
    assert LemmaA1Proof()(context(size=3)).complete


def worse_choice(problem: DecisionProblem, known: Partition) -> Any:
    """The gain of an agent that picks the action of least expected utility."""
    opposite = replace(problem, utilities=Exact.of(-1) * problem.utilities)
    p = problem.space.probabilities
    informed = (p * problem.utility(opposite.decide(known), known)).sum().item()
    return informed - problem.decide(Partition.trivial(len(p)))[0].expected_utility


@pytest.mark.parametrize(
    "gain",
    [
        worse_choice,
        lambda problem, known: -gain_from_information(problem, known),
        lambda problem, known: gain_from_information(problem, known) - 1,
    ],
)
def test_a_wrong_lemma_a1_is_not_proved(gain: Any) -> None:
    assert not LemmaA1Proof(gain)(context(size=2)).complete


# --- certificates


@pytest.fixture
def certificate(trace: Tracer) -> Certificate:
    u, v, w = (trace[name] for name in "uvw")
    proof = trace.prove(lambda: [2 * largest(u, v) - u - v + largest(w, 0) * largest(w, 0)])
    return max(proof.certificates, key=lambda c: len(c.parts))


def one(polynomial: Polynomial) -> Polynomial:
    """Return the polynomial 1 in the same symbols."""
    return Polynomial.of(polynomial.names, {(0,) * len(polynomial.names): Fraction(1)})


def test_a_certificate_holds_until_a_fault_is_planted(certificate: Certificate) -> None:
    assert certificate.holds()
    (c, factors), *others = certificate.parts
    owed = certificate.obligation
    goal = owed.goal
    assert goal is not None
    double = (2 * c, factors)
    faults = [
        replace(certificate, obligation=replace(owed, goal=goal + one(goal))),
        replace(certificate, obligation=replace(owed, goal=-goal)),
        replace(certificate, obligation=replace(owed, goal=None)),
        replace(certificate, parts=(double, *others)),
        replace(certificate, parts=tuple(others)),
        replace(certificate, parts=((c, (factors[0] + one(goal), *factors[1:])), *others)),
        replace(certificate, parts=(*certificate.parts, (Fraction(1), ()))),
        replace(certificate, parts=((Fraction(1), (goal,)),)),
        replace(certificate, obligation=replace(owed, assumed=())),
    ]
    for fault in faults:
        assert not fault.holds(), fault


def test_a_negative_coefficient_is_rejected_though_the_identity_is_right(trace: Tracer) -> None:
    (given,) = trace.obligations(lambda: [trace["u"]], [trace["u"]])
    u = given.goal
    assert u is not None
    turned = replace(given, goal=-u)
    assert not Certificate(turned, ((Fraction(-1), (u,)),)).holds()
    assert Certificate(given, ((Fraction(1), (u,)),)).holds()
    assert Certificate(given, ((Fraction(1), (u,)), (Fraction(0), (u, u)))).holds()


def test_factors_are_assumed_or_squares_or_sums_of_what_is_assumed(trace: Tracer) -> None:
    q, u = trace["q"], trace["u"]
    (given,) = trace.obligations(lambda: [u * u * (q + q * u * u)], [])
    (minus,) = trace.obligations(lambda: [u * u * u], [])
    (plus,) = trace.obligations(lambda: [q + q * u * u], [])
    (just_u,) = trace.obligations(lambda: [u], [])
    assert plus.goal is not None
    assert just_u.goal is not None
    visible, odd = plus.goal, just_u.goal
    assert Certificate(given, ((Fraction(1), (odd, odd, visible)),)).holds()
    assert not Certificate(minus, ((Fraction(1), (odd, odd, odd)),)).holds()
    assert not Certificate(just_u, ((Fraction(1), (odd,)),)).holds()


def test_a_contradiction_needs_a_product_above_zero(trace: Tracer) -> None:
    u = trace["u"]
    (owed,) = trace.obligations(lambda: [-1], [u, -u])
    assert _certify.certify(owed) is None
    strict = tuple(replace(c, strict=True) for c in owed.assumed)
    empty = Obligation(strict, None)
    certificate = _certify.certify(empty)
    assert certificate is not None
    assert certificate.holds()
    assert not replace(certificate, obligation=Obligation(owed.assumed, None)).holds()
    assert not replace(certificate, parts=()).holds()
    nothing = tuple((Fraction(0), factors) for _, factors in certificate.parts)
    assert not replace(certificate, parts=nothing).holds()


def test_a_planted_certificate_makes_the_proof_incomplete(trace: Tracer) -> None:
    u, v = trace["u"], trace["v"]
    proof = trace.prove(lambda: [largest(u, v) - u])
    assert proof.complete
    first, *others = proof.certificates
    for broken in (
        replace(proof, certificates=(replace(first, parts=((Fraction(2), ()),)), *others)),
        replace(proof, certificates=tuple(others)),
        replace(proof, certificates=(*others, first)),
        replace(proof, obligations=proof.obligations[1:]),
    ):
        assert not broken.complete
        assert str(broken) == "The certificates do not hold."


def test_the_check_of_the_identity_does_not_trust_the_linear_program(
    trace: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lying(program: LinearProgram) -> Solution:
        solution = solve(program)
        assert solution.x is not None
        return replace(solution, x=(solution.x[0] + 1, *solution.x[1:]))

    u, v = trace["u"], trace["v"]
    assert trace.prove(lambda: [largest(u, v) - u]).complete
    monkeypatch.setattr(_certify, "solve", lying)
    assert not trace.prove(lambda: [largest(u, v) - u]).complete


def test_a_linear_program_that_is_too_large_gives_no_certificate(
    trace: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(program: LinearProgram) -> Solution:
        raise LimitError("program", 10**9, "has too many entries", "make it smaller")

    monkeypatch.setattr(_certify, "solve", refusing)
    assert not trace.prove(lambda: [trace["q"]]).complete


def test_a_proof_of_nothing_is_no_proof(trace: Tracer) -> None:
    assert not Proof("nothing", 0, ()).complete
    assert not Proof.of_all("nothing", []).complete
    with pytest.raises(InvalidInputError, match="returns nothing"):
        trace.prove(lambda: [])


def test_several_proofs_are_complete_when_each_of_them_is(trace: Tracer) -> None:
    u, v = trace["u"], trace["v"]
    good, bad = trace.prove(lambda: [largest(u, v) - u]), trace.prove(lambda: [u])
    both = Proof.of_all("two", [good, good])
    assert both.complete
    assert (both.paths, len(both.certificates)) == (4, 4)
    assert not Proof.of_all("two", [good, bad]).complete
    assert not Proof.of_all("two", [bad, good]).complete


def test_certificates_can_be_read(trace: Tracer) -> None:
    u, v = trace["u"], trace["v"]
    proof = trace.prove(lambda: [2 * largest(u, v) - 2 * u, 1, 0])
    assert set(proof.table(rows=9).rows) == {
        ("-2*u + 2*v", "2·(-u + v)"),
        ("1", "1"),
        ("0", "0"),
    }
    assert "<table>" in proof._repr_html_()


# --- limits


def test_too_many_paths_are_refused(trace: Tracer, monkeypatch: pytest.MonkeyPatch) -> None:
    u, v, w = (trace[name] for name in "uvw")
    monkeypatch.setattr(_tracer, "MAX_PATHS", 4)
    assert trace.prove(lambda: [largest(u, v, w) - u]).complete
    with pytest.raises(LimitError, match="more than 4 paths"):
        trace.prove(lambda: [largest(u, v, w, u + v) - u])


def test_a_divisor_of_unknown_sign_is_refused(trace: Tracer) -> None:
    q, u, v = (trace[name] for name in "quv")
    for quotient in (lambda: u / v, lambda: 1 / u, lambda: u * u / u, lambda: 1 / (q - 1)):
        with pytest.raises(LimitError, match="divisor"):
            trace.prove(lambda quotient=quotient: [quotient()])
    with pytest.raises(ZeroDivisionError):
        truediv(u, v - v)
    assert trace.prove(lambda: [u / (q * q + 2 * q) - u / (q * (q + 2))]).complete


def test_floats_are_refused(trace: Tracer) -> None:
    u = trace["u"]
    with pytest.raises(ExactnessError):
        trace.prove(lambda: [0.5])
    with pytest.raises(ExactnessError):
        float(u)
    for operation in (add, sub, mul, truediv, gt, ge, lt, le, eq, ne):
        for number in (0.5, np.float64(0.5), np.float32(0.5)):
            with pytest.raises(ExactnessError):
                operation(u, number)
    assert not eq(u, None)


def test_an_answer_kept_from_an_earlier_path_is_refused(trace: Tracer) -> None:
    u, v = trace["u"], trace["v"]
    kept: list[bool] = []

    def run() -> list[Any]:
        kept.append(kept[0] if kept else u > 0)
        _ = v > 0
        return [1 if kept[0] else -1]

    with pytest.raises(InvalidInputError, match="asked other questions after the same answers"):
        trace.prove(run)


def test_a_proof_names_the_hypotheses_it_was_given(trace: Tracer) -> None:
    u = trace["u"]
    proof = trace.prove(lambda: [u], [u])
    assert proof.complete
    assert "with u >= 0" in str(proof)


def test_comparisons_outside_the_run_are_refused(trace: Tracer) -> None:
    u, v, q = (trace[name] for name in "uvq")
    with pytest.raises(InvalidInputError, match="outside the traced run"):
        largest(u, v)
    list(trace.paths(lambda: [largest(u, v)]))
    with pytest.raises(InvalidInputError, match="outside the traced run"):
        largest(u, v)
    assert q > 0
    assert q + 1 != 0


def test_a_run_that_raises_leaves_the_tracer_usable(trace: Tracer) -> None:
    u, v = trace["u"], trace["v"]

    def broken() -> list[Any]:
        largest(u, v)
        raise ArithmeticError("on purpose")

    with pytest.raises(ArithmeticError, match="on purpose"):
        trace.prove(broken)
    with pytest.raises(InvalidInputError, match="outside the traced run"):
        largest(u, v)
    assert trace.prove(lambda: [largest(u, v) - u]).complete


# --- arrays of symbols


def test_symbols_mark_the_first_maximiser(trace: Tracer) -> None:
    column = trace.array(["u", "v", "w"])[:, np.newaxis]
    q = trace["q"]
    marks = []
    for _ in trace.paths(lambda: [marks.append(column.maximisers()[:, 0].tolist()) or 0]):
        pass
    assert len(marks) == 4
    assert all(sum(found) == 1 for found in marks)
    assert {tuple(found) for found in marks} == {
        (True, False, False),
        (False, True, False),
        (False, False, True),
    }
    rational = Symbols.pack([Fraction(1), Fraction(2), q - q + 2], (3, 1))
    assert rational.maximisers()[:, 0].tolist() == [False, True, False]
    assert rational.signs().ravel().tolist() == [1, 1, 1]
