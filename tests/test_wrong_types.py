"""Arguments of the wrong type: our own errors, which name the argument, the value and the fix."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from plain_python import outcomes

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
import theory
from theory.decision import DecisionProblem
from theory.errors import MechproofError
from theory.probability import ProbabilitySpace

warnings.simplefilter("ignore")
problem = DecisionProblem.of(ProbabilitySpace.of(["1/2", "1/2"]), [[1, 0], [0, 1]])
wrong = [None, 1, "x", [], {}, object(), problem, 0.5, np.zeros((2, 2))]
modules = [m.name for m in pkgutil.iter_modules(theory.__path__) if m.name[0] != "_"]
raw, calls, seen = {}, 0, set()
for name in modules:
    module = importlib.import_module(f"theory.{name}")
    for each in getattr(module, "__all__", []):
        function = getattr(module, each)
        if not inspect.isfunction(function) or function in seen:
            continue
        seen.add(function)
        told = inspect.signature(function).parameters.values()
        wanted = [p for p in told if p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD]
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
            except TypeError as error:
                if "required keyword-only argument" not in str(error):
                    raw.setdefault(f"{name}.{each}", repr(error))
            except Exception as error:
                raw.setdefault(f"{name}.{each}", repr(error))
print(json.dumps([calls, len(seen), raw]))
"""

REMAINDER = {
    "claims.spawn_seed",
    "divergence.gibbs_law",
    "errors.nearest",
    "incentives.incentive_curve",
    "linear.coprime",
    "numbers.refine",
    "proofs.decide",
    "proofs.point_of",
    "proofs.smtlib",
    "ratings.expected_score",
    "ratings.rate_in_orders",
    "ratings.updated_ratings",
    "regret.internal_regret_warning",
    "search.search",
    "search.shrink",
}
"""Functions that still raise Python's own errors: tools of the library itself, and kernels."""


def test_every_public_function_refuses_wrong_types_by_errors_of_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    calls, functions, raw = json.loads(done.stdout)
    assert calls > 4_000
    assert functions > 100
    assert set(raw) <= REMAINDER, {k: v for k, v in raw.items() if k not in REMAINDER}
