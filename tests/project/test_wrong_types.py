"""Arguments of the wrong type: our own errors, which name the argument, the value and the fix."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from plain_python import outcomes

from dev import ROOT

SETUP = """
from theory.decision import DecisionProblem
from theory.games import beliefs, best_reply, optimum
from theory.information import Good, perfect_information, value_of_information
from theory.inspection import (
    InspectionProblem, best_admissible, evaluate, recursive_inspection, successive_inspection
)
from theory.linear import solve
from theory.marginal_value import MarginalValueGame, equilibrium, lattice, shortfall, theorem_4_4
from theory.probability import ProbabilitySpace
space = ProbabilitySpace.of({"a": "1/2", "b": "1/2"})
problem = DecisionProblem.of(space, {"x": [1, 0], "y": [0, 1]})
good = Good.of("g", space.variable("v", str))
game = MarginalValueGame.of(["c"], {(): [1, 0], ("c",): [0, 1]}, {"c": 0})
whole = InspectionProblem.of(problem, [[good]])
"""

TOLD = {
    "shortfall(game)": (
        "found is not a Equilibrium",
        "solve a game first: equilibrium(game)",
    ),
    "theorem_4_4(game)": ("found is not a Equilibrium", "equilibrium(game)"),
    "lattice(game)": ("found is not a Equilibrium", "equilibrium(game)"),
    "equilibrium(problem)": ("game is not a MarginalValueGame", "use MarginalValueGame.of"),
    "recursive_inspection(problem)": (
        "problem is not a InspectionProblem",
        "use InspectionProblem.of",
    ),
    "successive_inspection(problem)": (
        "problem is not a InspectionProblem",
        "use InspectionProblem.of",
    ),
    "best_admissible(problem)": ("problem is not a InspectionProblem", "use InspectionProblem.of"),
    "evaluate(whole)": ("protocol is not a Protocol", "use Protocol.of"),
    "value_of_information(problem, [good])": ("good is not a Good", "joint_good"),
    "value_of_information(space, good)": ("problem is not a Decision", "use DecisionProblem.of"),
    "DecisionProblem.of({'a': 1}, {'x': [1]})": (
        "space is not a ProbabilitySpace",
        "use ProbabilitySpace.of",
    ),
    "DecisionProblem.of({'a': 1}, [[1]])": (
        "space is not a ProbabilitySpace",
        "use ProbabilitySpace.of",
    ),
    "DecisionProblem({'a': 1}, ('x',), problem.utilities)": (
        "space is not a ProbabilitySpace",
        "use ProbabilitySpace.of",
    ),
    "perfect_information(problem)": ("space is not a ProbabilitySpace", "problem.space"),
    "optimum(game)": ("game is not a Game", "use Game.of"),
    "solve(game)": ("program is not a LinearProgram", "maximise or minimise"),
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return outcomes(SETUP, list(TOLD))


@pytest.mark.parametrize("call", TOLD)
def test_a_likely_mistake_is_named_with_its_fix(told: dict[str, str], call: str) -> None:
    problem, fix = TOLD[call]
    assert told[call].startswith(f"InvalidInputError: {problem} (got ")
    assert fix in told[call].partition("): ")[2]


# --- Every function -------------------------------------------------------------------------------

_PROGRAM = """
import importlib, inspect, itertools, json, pkgutil, random, warnings
import numpy as np
import mechproof, theory
from theory.decision import DecisionProblem
from theory.errors import MechproofError
from theory.probability import ProbabilitySpace

warnings.simplefilter("ignore")
problem = DecisionProblem.of(ProbabilitySpace.of(["1/2", "1/2"]), [[1, 0], [0, 1]])


class Lying:
    __class__ = property(lambda self: 5)


class Failing:
    def __getattr__(self, name):
        raise RuntimeError("nothing is read of this")


class Unreadable:
    def __getattribute__(self, name):
        raise OSError("no such device")


wrong = [None, 1, "x", [], {}, object(), problem, 0.5, np.zeros((2, 2))]
wrong += [Lying(), Failing(), Unreadable()]
modules = [f"theory.{m.name}" for m in pkgutil.iter_modules(theory.__path__) if m.name[0] != "_"]
raw, calls, seen, known = {}, 0, set(), set()
for name in [*modules, "mechproof"]:
    module = importlib.import_module(name)
    for each in getattr(module, "__all__", []):
        function = getattr(module, each)
        if not callable(function) or id(function) in known:
            continue
        known.add(id(function))
        if not inspect.isclass(function) and not inspect.isroutine(function):
            continue
        if inspect.isclass(function) and (
            issubclass(function, BaseException)
            or "__init__" not in vars(function)
            or getattr(function, "_is_protocol", False)
        ):
            continue
        told = inspect.signature(function).parameters.values()
        seen.add(f"{name}.{each}")
        wanted = [p for p in told if p.default is p.empty and p.kind <= p.VAR_POSITIONAL]
        named = [p for p in told if p.default is p.empty and p.kind == p.KEYWORD_ONLY]
        count = len(wanted) + len(named)
        if count <= 2:
            lists = itertools.product(wrong, repeat=count)
        else:
            alike = [(value,) * count for value in wrong]
            lists = alike + [tuple(random.Random(k).choices(wrong, k=count)) for k in range(40)]
        for given in lists:
            calls += 1
            more = {p.name: v for p, v in zip(named, given[len(wanted):])}
            try:
                function(*given[: len(wanted)], **more)
            except MechproofError:
                pass
            except Exception as error:
                if "missing 1 required keyword-only argument" in str(error):
                    continue
                raw.setdefault(f"{name}.{each}", f"{given} {error!r}"[-400:])
print(json.dumps([calls, sorted(seen), raw]))
"""

REMAINDER = {
    "theory.errors.nearest",  # makes the fix of our own errors; their module imports no checks
}
"""Functions that still raise Python's own errors."""


def test_every_public_function_and_constructor_refuses_wrong_types_by_errors_of_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    calls, seen, raw = json.loads(done.stdout)
    assert calls > 10_000
    assert len(seen) > 250
    assert {"theory.games.Behaviour", "mechproof.solve", "mechproof.Grid"} <= set(seen)
    assert set(raw) == REMAINDER, {k: v for k, v in raw.items() if k not in REMAINDER}


# --- Objects whose own code is at fault ----------------------------------------------------------

_OBJECTS = """
import mechproof
from mechproof import *
from theory.decision import DecisionProblem
class Lying:
    __class__ = property(lambda self: 5)
class Raising:
    @property
    def __class__(self):
        raise ValueError("no class")
class Failing:
    def __call__(self, reports):
        return 0
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")
class Unreadable:
    def __getattribute__(self, name):
        raise OSError("no such device")
class Remote:
    def __getattr__(self, name):
        raise OSError("no such device")
class Half:
    agents = 2
    @property
    def outcome(self):
        raise ValueError("not yet")
two = FiniteTypes([0, 1])
"""

AT_FAULT = {
    "check_mechanism(Failing(), types=two, agents=2)": ("mechanism", "RuntimeError('no outcome')"),
    "prove_mechanism(Half(), types=Box(0, 1))": ("mechanism", "ValueError('not yet')"),
    "assert_dsic(Half(), types=two, agents=2)": ("mechanism", "ValueError('not yet')"),
    "implementable(Failing(), types=two, agents=2)": ("rule", "RuntimeError('no value')"),
    "check_mechanism(max, types=Lying(), agents=2)": ("types", "has a false __class__"),
    "check_mechanism(max, types=[two, Raising()])": ("types", "has a false __class__"),
    "check_mechanism(max, types=Failing(), agents=2)": ("types", "RuntimeError('no members')"),
    "prove_mechanism(max, types=Box(0, 1), agents=Raising())": ("agents", "a false __class__"),
    "solve(Raising())": ("problem", "has a false __class__"),
    "solve({'kind': Lying()})": ("$.kind", ""),
    "solve(Unreadable())": ("problem", "has a false __class__"),
    "check_mechanism(Unreadable(), types=two, agents=2)": ("mechanism", "has a false __class__"),
    "check_mechanism(max, types=[two, Unreadable()])": ("types", "has a false __class__"),
    "check_mechanism(Remote(), types=two, agents=2)": ("mechanism", "OSError('no such device')"),
    "load_sweep(Unreadable())": ("path", "has a false __class__"),
    "FiniteTypes(Lying())": ("values", "has a false __class__"),
    "Box(0, Raising())": ("high", "has a false __class__"),
    "Grid({'a': Raising()})": ("axes", "has a false __class__"),
    "load_sweep(Lying())": ("path", "has a false __class__"),
    "run_sweep(Lying(), max)": ("grid", "has a false __class__"),
    "softmax_auction([[1, 2]], Lying())": ("tau", "has a false __class__"),
    "value_of_information(Lying(), 1)": ("problem", "has a false __class__"),
    "verify(Raising())": ("claims", "has a false __class__"),
    "verify('bazaar.table-1', seed=Failing())": ("seed", "is not a count"),
    "verify('bazaar.table-1', jobs='x')": ("jobs", "is not a count"),
    "play_game(1, 2, 3)": ("game", ""),
}


@pytest.fixture(scope="module")
def at_fault() -> dict[str, str]:
    return outcomes(_OBJECTS, list(AT_FAULT))


@pytest.mark.parametrize("call", AT_FAULT)
def test_an_object_whose_own_code_is_at_fault_is_named(at_fault: dict[str, str], call: str) -> None:
    argument, problem = AT_FAULT[call]
    error, _, told = at_fault[call].partition(": ")
    assert error in {"InvalidInputError", "NumberError", "DocumentError", "SweepError"}, told
    assert told.startswith(argument)
    assert problem in told
