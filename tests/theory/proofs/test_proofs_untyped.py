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

PROGRAM = """
import json, sys
from fractions import Fraction
from theory.proofs import Certificate, Condition, Obligation, Polynomial
uv, one = ("u", "v"), Fraction(1)
u = Polynomial(uv, (((1, 0), one),))
class Lying(Polynomial):
    def as_expr(self):
        return (u * u if self.terms == u.terms else u).as_expr()
given = Obligation((Condition(u, strict=False),), u)
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
        input=json.dumps([*CASES]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("case", CASES)
def test_exponents_are_whole_and_coefficients_exact(case: str, errors: dict[str, str]) -> None:
    assert errors[case].startswith(CASES[case])
