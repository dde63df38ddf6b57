"""What is no polynomial passes for none, also where no type checker stands in between."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dev import ROOT

EXPONENTS = ["Fraction(1, 2)", "Fraction(2)", "-1", "0.5", "True", "1j"]
NUMBERS = ["0.5", "float('nan')", "1j", "True", "'1'"]
SHAPES = ["()", "(1,)", "(0, 0, 1)"]
PARTS = ["(one,)", "(one, u)", "(one, [u])", "(one, (u,), 1)", "one"]
FACTORS = ["1", "'u'", "given", "Lying(uv, (((2, 0), one),))"]
OBLIGATIONS = [
    "Obligation((), Lying(uv, (((1, 0), one),)))",
    "Obligation((Condition(Lying(uv, (((1, 0), one),)), strict=False),), Lying(uv, u.terms))",
]
NO_SHAPE = "ShapeError: exponents are not one for each of 2 symbols"
NO_PART = "InvalidInputError: parts is no coefficient with factors"
NO_FACTOR = "InvalidInputError: factor is no polynomial"
NO_EXPONENT = "NumberError: exponent is not a whole number of at least 0"
NO_NUMBER = "NumberError: coefficient is not an exact number"
CASES = {
    **{f"Polynomial(uv, ((({e}, 0), one),))": NO_EXPONENT for e in EXPONENTS},
    **{f"Polynomial(uv, (((2, 2), one), ((0, {e}), one)))": NO_EXPONENT for e in EXPONENTS},
    **{f"Polynomial(uv, (((2, 0), {n}), ((0, 0), one)))": NO_NUMBER for n in NUMBERS},
    **{f"Polynomial(uv, (((2, 0), one), ((0, 0), {n})))": NO_NUMBER for n in NUMBERS},
    **{f"Certificate(given, (({n}, (u, u)), (one, (u,))))": NO_NUMBER for n in NUMBERS},
    **{f"Certificate(given, ((one, (u, u)), ({n}, (u,))))": NO_NUMBER for n in NUMBERS},
    **{f"Polynomial(uv, (({e}, one), ((0, 0), one)))": NO_SHAPE for e in SHAPES},
    **{f"Polynomial(uv, (((2, 0), one), ({e}, one)))": NO_SHAPE for e in SHAPES},
    **{f"Certificate(given, ({p}, (one, (u,))))": NO_PART for p in PARTS},
    **{f"Certificate(given, ((one, (u,)), {p}))": NO_PART for p in PARTS},
    **{f"Certificate(given, ((one, ({f}, u)),))": NO_FACTOR for f in FACTORS},
    **{f"Certificate(given, ((one, (u,)), (one, (u, {f}))))": NO_FACTOR for f in FACTORS},
    **{f"Certificate({o}, ((one, (u, u)),)).holds() and 1/0": "none" for o in OBLIGATIONS},
    "Certificate(given, ((one, (u,)),)).holds() or 1/0": "none",
}

FORGED = {  # u > 0 shows neither v >= 0 nor -u >= 0
    "Polynomial((Passing('v'), 'v'), (((1, 0), one),))": "InvalidInputError: names",
    "Polynomial(('u', Passing('v')), (((0, 1), one),))": "InvalidInputError: names",
    "Polynomial(uv, Turning([((1, 0), one)]))": "InvalidInputError: terms",
    "Polynomial(uv, ((Turning((1, 0)), one),))": "ShapeError: exponents",
    "Polynomial(uv, (((2, 0), one), ((0, 1), made(1, -1))))": NO_NUMBER,
    "Certificate(of_v, Turning([(one, (v,))]))": "InvalidInputError: parts are no tuple",
    "Certificate(of_v, [(one, (v,))])": "InvalidInputError: parts are no tuple",
    "Certificate(negative, ((made(1, -1), (u,)),))": NO_NUMBER,
    "Certificate(negative, ((one, (u, u)), (made(Never(-1), 1), (u,))))": NO_NUMBER,
    "Certificate(negative, ((one, (u, u)), (made(1, Never(-1)), (u,))))": NO_NUMBER,
    "Certificate(Other(of_v.assumed, v), ((one, (u,)),)).holds() and 1/0": "none",
    "Certificate(Obligation((Either(u, True),), v), ((one, (v,)),)).holds() and 1/0": "none",
    "Certificate(Obligation((stated, Either(u, True)), v), ((one, (v,)),)).holds() and 1/0": "none",
    "Certificate(Obligation((Either(u, True), stated), v), ((one, (v,)),)).holds() and 1/0": "none",
    "Certificate(Obligation((of_all,), v), ((one, (v,)),)).holds() and 1/0": "none",
    "Certificate(Obligation((stated, of_all), v), ((one, (v,)),)).holds() and 1/0": "none",
    "Certificate(Obligation((stated,), u * v), ((one, (u, planted())),)).holds() and 1/0": "none",
    "Certificate(Obligation(Turning([stated]), v), ((one, (v,)),)).holds() and 1/0": "none",
    "Certificate(of_v, ((one, (planted(),)),)).holds() and 1/0": "none",
    "Certificate(of_v, ((one - one, (u,)), (one, (planted(),)))).holds() and 1/0": "none",
    "Proof('', 1, (agreeing(of_v),), obligations=(of_v,)).complete and 1/0": "none",
    "Proof('', 2, (true, agreeing(of_v)), obligations=(of_u, of_v)).complete and 1/0": "none",
    "Proof('', 1, (Holding(of_v, ()),), obligations=(of_v,)).complete and 1/0": "none",
    "Proof('', 2, (true, Holding(of_v, ())), obligations=(of_u, of_v)).complete and 1/0": "none",
    "Proof('', 1, (Turned(of_v, true.parts),), obligations=(of_v,)).complete and 1/0": "none",
    "Proof('', 2, (true, Turned(of_v, true.parts)), obligations=(of_u, of_v)).complete and 1/0": (
        "none"
    ),
    "Proof('', 1, (true,), obligations=(of_u,)).complete or 1/0": "none",
}

PROGRAM = """
import json, sys
from fractions import Fraction
from theory.proofs import Certificate, Condition, Obligation, Polynomial, Proof
uv, one = ("u", "v"), Fraction(1)
u = Polynomial(uv, (((1, 0), one),))
class Lying(Polynomial):
    def as_expr(self):
        return (u * u if self.terms == u.terms else u).as_expr()
given = Obligation((Condition(u, strict=False),), u)
v = Polynomial(uv, (((0, 1), one),))
stated = Condition(u, strict=True)
of_u, of_v, negative = (Obligation((stated,), goal) for goal in (u, v, -u))
true = Certificate(of_u, ((one, (u,)),))
class Passing(str):
    __hash__ = str.__hash__
    def __eq__(self, other):
        return True
class Never(int):
    def __lt__(self, other):
        return False
    def __gt__(self, other):
        return True
class Turning(tuple):
    times = 0
    def __iter__(self):
        Turning.times += 1
        return iter([stated if self and type(self[0]) is Condition else ((0, 1), one)])
class Other(Obligation):
    goal = property(lambda self: u, lambda self, given: None)
class Either(Condition):
    polynomial = property(lambda self: v, lambda self, given: None)
class Alike(Polynomial):
    def __hash__(self):
        return hash(v)
    def __eq__(self, other):
        return True
of_all = Condition(Alike(uv, u.terms), strict=True)
class Turned(Certificate):
    @property
    def obligation(self):
        first = vars(self).setdefault("first", [of_v])
        return first.pop() if first else of_u
    @obligation.setter
    def obligation(self, given):
        pass
class Holding(Certificate):
    def holds(self):
        return True
def made(top, bottom):
    found = Fraction(1)
    found._numerator, found._denominator = top, bottom
    return found
def planted():
    found = Polynomial(uv, u.terms)
    vars(found)["as_expr"] = v.as_expr
    return found
def agreeing(obligation):
    found = Certificate(obligation, ())
    vars(found)["holds"] = lambda: True
    return found
found = {}
for case in json.load(sys.stdin):
    try:
        eval(case)
    except Exception as error:
        found[case] = f"{type(error).__name__}: {error}"
    else:
        found[case] = "none"
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def errors() -> dict[str, str]:
    """A square root of u that stands twice showed that u >= 0 for all real u."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([*CASES, *FORGED]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("case", FORGED)
def test_what_is_forged_shows_nothing(case: str, errors: dict[str, str]) -> None:
    assert errors[case].startswith(FORGED[case])


@pytest.mark.parametrize("case", CASES)
def test_exponents_are_whole_and_coefficients_exact(case: str, errors: dict[str, str]) -> None:
    assert errors[case].startswith(CASES[case])
