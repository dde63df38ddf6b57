"""Certificates whose numbers are floats, or lie about themselves, are refused: they would hold.

They are tried in a process of its own, in which no type checker stands in between.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dev import ROOT

_SET_UP = """
import json
from dataclasses import replace
from fractions import Fraction as F
from random import Random

from theory.blackwell import Experiment, Garbling, Separation
from theory.games import Behaviour, Game, choice, end
from theory.games.ex_ante import Certificate, Closed, PriceList, Split, check, optimum
from theory.linear import minimise, recheck, solve

class Liar(F):
    \"\"\"A number that is equal to all others, and above them.\"\"\"
    __eq__ = __ge__ = __gt__ = lambda self, other: True
    __ne__ = __lt__ = __le__ = lambda self, other: False
    __sub__ = __rsub__ = lambda self, other: F(0)
    __hash__ = F.__hash__

class Turning(tuple):
    \"\"\"Halves or thirds, but not the first time that it is read.\"\"\"
    def __iter__(self):
        first, vars(self)["read"] = "read" not in vars(self), True
        return iter(tuple.__getitem__(self, slice(2) if first else slice(2, 4)))
    __len__ = lambda self: 2

sure = Experiment.of([[1, 0], [0, 1]])
noisy = Experiment.of([["1/3", "2/3"], ["2/3", "1/3"]])
one = Experiment.of([["1/7", "2/7", "4/7"], ["3/7", "3/7", "1/7"], ["2/7", "4/7", "1/7"]])
same = Experiment.of([[row[2], row[0], row[1]] for row in one.rows])  # signals in another order
even = (F(1, 3),) * 3

def separate(prior=even, last=None):
    \"\"\"Try utilities until those of the same experiment are rounded to more.\"\"\"
    random = Random(1)
    for attempt in range(1_000):
        table = [[random.random() for w in range(3)] for x in range(3)]
        if last is not None:
            table = [[F(number) for number in row] for row in table]
            table[-1][-1] = last
        try:
            return Separation(a=one, b=same, prior=prior, actions="xyz",
                              utilities=tuple(map(tuple, table)))
        except ArithmeticError:
            continue
    raise AssertionError("none is")

game = Game.of(("ann",), choice("ann", "start", {"left": end(0), "right": end(1)}))
low = Behaviour(((F(1), F(0)),))

def claim(entries=((0, 0, 1), (0, 1, 1)), denominator=1, bound=F(0), value=F(0), strategy=low):
    lists = (PriceList(denominator, entries),)
    return check(game, Certificate(strategy=strategy, value=value, bound=bound,
                                   steps=(Closed(0),), prices=lists))

road = choice("ann", "road", {"off": end(0), "on": end(1)})
forgetful = Game.of(("ann",), choice("ann", "road", {"off": end(0), "on": road}))

def halve(weights):
    steps = (Split(0, weights), Closed(0), Closed(0))
    return check(forgetful, Certificate(strategy=low, value=F(0), bound=F(1), steps=steps,
                                        prices=(PriceList(1, ()),)))

least = minimise([1, 1], [([1, 0], ">=", "1/3"), ([0, 1], ">=", "1/3")])

def tell(make):
    try:
        return f"accepted: {make()}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""

CASES = {
    "Garbling(a=sure, b=noisy, matrix=noisy.rows).gap": "accepted: 0",
    "Garbling(a=sure, b=noisy, matrix=((1/3, F(2, 3)), noisy.rows[1]))": "NumberError: matrix",
    "Garbling(a=sure, b=noisy, matrix=(noisy.rows[0], (F(2, 3), 1/3)))": "NumberError: matrix",
    "Garbling(a=sure, b=noisy, matrix=((Liar(1), Liar(5)), noisy.rows[1]))": "NumberError: mat",
    "separate()": "NumberError: utilities is not an exact number",
    "separate(last=0.3)": "NumberError: utilities is not an exact number (got 0.3)",
    "separate(last=Liar(1))": "NumberError: utilities is not an exact number",
    "separate(prior=(F(1, 3), F(1, 3), Liar(1, 3)))": "NumberError: prior is not an exact number",
    "Experiment((0, 1), (0, 1), ((0.5, 0.5), (F(1), F(0))))": "NumberError: P(signal | 0) is not",
    "Experiment((0, 1), (0, 1), ((F(1), F(0)), (F(1), 0.0)))": "NumberError: P(signal | 1) is not",
    "Garbling(a=sure, b=noisy, matrix=(Turning(noisy.rows[0]), noisy.rows[1]))": "ShapeError: mat",
    "Garbling(a=sure, b=noisy, matrix=(noisy.rows[0], Turning(noisy.rows[1])))": "ShapeError: mat",
    "Garbling(a=sure, b=noisy, matrix=Turning(noisy.rows * 2))": "ShapeError: matrix",
    "halve((F(1, 2), F(1, 2)))": "accepted",
    "halve((0.5, F(1, 2)))": "NumberError: weight of a split is not an exact number",
    "halve((F(1, 2), 0.5))": "NumberError: weight of a split is not an exact number",
    "halve(Turning((F(2), F(-1), F(1, 2), F(1, 2))))": "CertificateError: the laws",
    "recheck(least, replace(solve(least), x=even[:2])).holds": "accepted: True",
    "recheck(least, replace(solve(least), x=Turning((F(0), F(0), *even[:2])))).holds": (
        "accepted: False"
    ),
    "claim(bound=F(1))": "accepted: 1",
    "claim()": "CertificateError: the cases allow 1, more than 0",
    "claim(((0, 0, 1e17), (0, 1, 1e17)))": "CertificateError: prices, their moves and nodes",
    "claim(((0, 0, 1), (0, 1, 1e17)))": "CertificateError: prices, their moves and nodes",
    "claim(((0, 0, 1), (0, 1.0, 1)))": "CertificateError: prices, their moves and nodes",
    "claim(denominator=1.0)": "CertificateError: prices, their moves and nodes",
    "claim(bound=Liar(0))": "NumberError: bound is not an exact number",
    "claim(value=Liar(5), bound=F(5))": "NumberError: value is not an exact number",
    "claim(strategy=Behaviour(((Liar(5), Liar(-4)),)), value=F(-4), bound=F(1))": (
        "ProbabilityError: behaviour at information set 0 is negative"
    ),
    "claim(strategy=Behaviour(((1/3, 2/3),)), value=2/3, bound=F(1))": (
        "ExactnessError: behaviour at information set 0 is a float"
    ),
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    lines = "".join(f"    {case!r}: tell(lambda: {case}),\n" for case in CASES)
    code = f"{_SET_UP}\nprint(json.dumps({{\n{lines}}}))\n"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_forged_certificate_is_refused(told: dict[str, str], case: str) -> None:
    assert told[case].startswith(CASES[case])
