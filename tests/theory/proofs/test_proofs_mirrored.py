"""What is shown of several things is shown of each: the first, one in the middle and the last."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from theory.proofs import (
    SOLVERS,
    Certificate,
    Condition,
    Equation,
    Identity,
    Obligation,
    Polynomial,
    Proof,
    Tracer,
    decide,
)

each_place = pytest.mark.parametrize("place", [0, 1, 2])
each_solver = pytest.mark.parametrize("solver", SOLVERS)

U, V, W = (
    Polynomial.of(("u", "v", "w"), {tuple(int(i == j) for i in range(3)): Fraction(1)})
    for j in range(3)
)
ONE = Polynomial.of(("u", "v", "w"), {(0, 0, 0): Fraction(1)})


def above(*polynomials: Polynomial) -> tuple[Condition, ...]:
    return tuple(Condition(p, strict=True) for p in polynomials)


LINEAR = [Obligation(above(p), p + ONE) for p in (U, V, W)]
SQUARES = [Obligation(above(p), p * p + p) for p in (U, V, W)]
MIXED = [LINEAR[0], SQUARES[1], LINEAR[2]]


@each_solver
@pytest.mark.parametrize("kind", [LINEAR, SQUARES, MIXED], ids=["linear", "squares", "mixed"])
def test_what_holds_in_each_place_is_proved(kind: list[Obligation], solver: str) -> None:
    answer = decide(kind, solver=solver)
    assert answer.verdict == "proved"
    if solver == "certificates":
        assert [c.obligation for c in answer.certificates] == kind


@each_solver
@each_place
@pytest.mark.parametrize("kind", [LINEAR, SQUARES, MIXED], ids=["linear", "squares", "mixed"])
def test_one_that_fails_is_found_in_each_place(
    kind: list[Obligation], place: int, solver: str
) -> None:
    goal = kind[place].goal
    assert goal is not None
    wrong = replace(kind[place], goal=-goal)
    given = [*kind[:place], wrong, *kind[place + 1 :]]
    answer = decide(given, solver=solver)
    assert answer.verdict == "refuted"
    assert answer.model is not None
    assert wrong.fails({**dict.fromkeys("uvw", Fraction(0)), **answer.model})


@each_solver
@each_place
def test_one_cut_that_is_not_empty_is_found_in_each_place(place: int, solver: str) -> None:
    """u, v and w cannot be above and below 0; a cut that leaves out what is below is not empty."""
    cuts = [Obligation((*above(p), Condition(-p, strict=False)), None) for p in (U, V, W)]
    assert decide(cuts, solver=solver).verdict == "proved"
    cuts[place] = replace(cuts[place], assumed=cuts[place].assumed[:1])
    assert decide(cuts, solver=solver).verdict == "refuted"
    cuts[place] = replace(
        cuts[place],
        assumed=tuple(Condition(s * (U, V, W)[place], strict=False) for s in (ONE, -ONE)),
    )
    assert decide(cuts, solver=solver).verdict == "refuted", "both hold where it is 0"


def equations(wrong: int | None = None) -> list[Equation]:
    trace = Tracer(positive=("x", "y"))
    x, y = trace["x"], trace["y"]
    pairs: list[tuple[Any, Any]] = [
        (1 / x - 1 / y, (y - x) / (x * y)),
        ((x + y) ** 2, x**2 + 2 * x * y + y**2),
        (x / y * y, x),
    ]
    return [Equation.between(a, b + int(k == wrong)) for k, (a, b) in enumerate(pairs)]


@each_solver
@each_place
def test_an_equation_that_fails_is_found_in_each_place(place: int, solver: str) -> None:
    assert decide([], equations=equations(), solver=solver).verdict == "proved"
    assert decide(LINEAR, equations=equations(), solver=solver).verdict == "proved"
    for obligations in ([], LINEAR):
        answer = decide(obligations, equations=equations(place), solver=solver)
        assert answer.verdict != "proved"


@each_place
def test_a_step_is_confirmed_when_each_part_of_it_is(place: int) -> None:
    from sympy import Symbol, exp, log

    x = Symbol("x", positive=True)
    zeros = [log(x) + log(1 / x), exp(x) * exp(-x) - 1, x - x]
    signs = [x, x + 1, exp(x)]
    right = Identity("a step", tuple(equations()), tuple(zeros), tuple(signs))
    assert right.confirmed
    assert not replace(right, equations=tuple(equations(place))).confirmed
    zeros[place] += 1
    assert not replace(right, zeros=tuple(zeros)).confirmed
    signs[place] = -signs[place]
    assert not replace(right, signs=tuple(signs)).confirmed


def proof_of(obligations: list[Obligation]) -> Proof:
    certificates = decide(obligations, solver="certificates").certificates
    return Proof("all", len(obligations), certificates, obligations=tuple(obligations))


@each_place
def test_a_proof_needs_a_certificate_that_holds_in_each_place(place: int) -> None:
    proof = proof_of(MIXED)
    assert proof.complete
    shown, parts = list(proof.certificates), proof.certificates[place].parts
    for worse in (
        Certificate(MIXED[place], parts[:-1]),
        Certificate(MIXED[place], parts[1:]),
        Certificate(MIXED[place], (*parts, (Fraction(-1), ()), (Fraction(1), ()))),
        Certificate(MIXED[place], (*parts, (Fraction(1), (U * V,)), (Fraction(-1), (U * V,)))),
        shown[place - 1],
    ):
        bad = (*shown[:place], worse, *shown[place + 1 :])
        assert not replace(proof, certificates=bad).complete
    left = tuple(shown[:place] + shown[place + 1 :])
    assert not replace(proof, certificates=left).complete
    assert not replace(proof, obligations=(*MIXED, LINEAR[1])).complete


@each_place
def test_proofs_are_complete_together_when_each_of_them_is(place: int) -> None:
    proofs = [proof_of([each]) for each in MIXED]
    whole = Proof.of_all("all", proofs)
    assert whole.complete
    assert (whole.paths, whole.obligations) == (3, tuple(MIXED))
    for worse in (
        replace(proofs[place], open_goal="that u is at least 0"),
        replace(proofs[place], certificates=()),
        replace(proofs[place], identities=(Identity("nothing"),)),
    ):
        given = [*proofs[:place], worse, *proofs[place + 1 :]]
        assert not Proof.of_all("all", given).complete


@each_solver
@each_place
def test_each_result_of_a_run_and_each_hypothesis_counts(place: int, solver: str) -> None:
    trace = Tracer(real=("u", "v", "w"))
    terms = [trace[name] for name in "uvw"]
    assert trace.prove(lambda: terms, terms, solver=solver).complete
    needed = terms[:place] + terms[place + 1 :]
    assert not trace.prove(lambda: terms, needed, solver=solver).complete
    results: list[Any] = list(terms)
    results[place] = -1 - terms[place]
    assert not trace.prove(lambda: results, terms, solver=solver).complete


@each_place
def test_each_denominator_must_not_be_zero(place: int) -> None:
    """At a zero of one of its denominators an equation says nothing."""
    denominators = [U, V, W]
    summands = tuple(((p, -1), (ONE, 1)) for p in denominators)
    at = {name: Fraction(1) for name in "uvw"}
    assert Equation(summands).fails(at)
    assert not Equation(summands).fails({**at, "uvw"[place]: Fraction(0)})


# --- squares


def constant(value: Fraction) -> Polynomial:
    return Polynomial.of(("u", "v", "w"), {(0, 0, 0): value})


def terms(coefficients: dict[tuple[int, int, int], int], turn: int) -> Polynomial:
    """A polynomial in u, v and w, or with the symbols in another order."""
    turned = {(e[turn:] + e[:turn]): Fraction(c) for e, c in coefficients.items()}
    return Polynomial.of(("u", "v", "w"), turned)


@each_place
@pytest.mark.parametrize(
    ("given", "coefficients"),
    [
        ([], {(2, 0, 0): 1, (1, 1, 0): -2, (0, 2, 0): 1}),
        ([], {(2, 0, 0): 1, (1, 0, 0): -2, (0, 0, 0): 1}),
        ([], {(2, 0, 0): 1, (0, 2, 0): 1, (0, 0, 2): 1, (1, 1, 0): 1, (0, 1, 1): 1}),
        ([0, 1], {(3, 0, 0): 1, (1, 2, 0): -3, (0, 3, 0): 2}),
        ([0, 1], {(4, 0, 0): 1, (1, 3, 0): -4, (0, 4, 0): 3}),
        ([0, 1, 2], {(2, 0, 0): 1, (1, 1, 0): -2, (0, 2, 0): 1, (1, 0, 1): 1}),
    ],
)
def test_squares_are_offered_as_parts(
    given: list[int], coefficients: dict[tuple[int, int, int], int], place: int
) -> None:
    """Each is 0 somewhere: less any constant it is false, and nothing shows it."""
    goal = terms(coefficients, place)
    symbols = [(U, V, W)[(k - place) % 3] for k in given]
    assumed = tuple(Condition(symbol, strict=False) for symbol in symbols)
    answer = decide([Obligation(assumed, goal)], solver="certificates")
    assert answer.verdict == "proved"
    assert all(certificate.holds() for certificate in answer.certificates)
    less = Obligation(assumed, goal + constant(Fraction(-1, 1000)))
    assert decide([less], solver="certificates").verdict != "proved"


@each_place
@pytest.mark.parametrize(
    "coefficients",
    [
        {(2, 0, 0): 1, (0, 2, 0): -1},
        {(1, 1, 0): 2},
        {(2, 0, 0): 1, (1, 1, 0): 3, (0, 2, 0): 1},
        {(2, 0, 0): 1, (0, 1, 0): 1},
        {(2, 0, 0): -1, (0, 0, 0): 1},
    ],
)
def test_what_is_no_sum_of_squares_gets_no_certificate(
    coefficients: dict[tuple[int, int, int], int], place: int
) -> None:
    answer = decide([Obligation((), terms(coefficients, place))], solver="certificates")
    assert answer.verdict != "proved"
