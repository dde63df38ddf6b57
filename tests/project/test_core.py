"""The core of the tests: how it is chosen, and that it names tests that there are."""

from __future__ import annotations

import ast

import pytest
from mutation import core, coverage_map

from dev import ROOT

MAP = {
    "tests/test_a.py::test_wide": (1.0, "abcdef"),
    "tests/test_a.py::test_narrow[0]": (0.1, "a"),
    "tests/test_a.py::test_narrow[1]": (0.1, "b"),
    "tests/test_b.py::test_dear": (50.0, "gh"),
    "tests/test_b.py::test_other": (2.0, "g"),
    "tests/test_c.py::test_again": (0.5, "abc"),
}


def measured(tests: dict[str, tuple[float, str]]) -> coverage_map.CoverageMap:
    found = coverage_map.CoverageMap()
    for name, (seconds, blocks) in tests.items():
        found.tests[name] = coverage_map.Test(name, seconds, core.file_of(name))
        for block in blocks:
            found.of_block.setdefault(block, set()).add(name)
    return found


def cost(names: list[str]) -> float:
    known = core.functions(measured(MAP))
    files = {core.file_of(name) for name in names}
    return sum(known[name][0] for name in names) + core.SECONDS_A_FILE * len(files)


@pytest.mark.parametrize("seconds", [0.4, 1, 2, 5, 60])
def test_the_core_keeps_to_its_time_and_says_what_it_runs(seconds: float) -> None:
    chosen, share = core.choose(measured(MAP), seconds)
    blocks = set().union(*(set(b) for name, (_, b) in MAP.items() if name.split("[")[0] in chosen))
    assert cost(chosen) <= seconds
    assert share == len(blocks) / 8


def test_what_adds_nothing_is_left_out_and_what_is_cheap_comes_first() -> None:
    everything, share = core.choose(measured(MAP), 1000)
    assert share == 1
    assert "tests/test_c.py::test_again" not in everything
    soon, _ = core.choose(measured(MAP), 5)
    assert "tests/test_a.py::test_wide" in soon
    assert "tests/test_b.py::test_dear" not in soon


def test_the_core_names_tests_that_there_are() -> None:
    lines = (ROOT / core.CORE).read_text("utf-8").splitlines()
    assert len(lines) > 100
    assert lines == sorted(set(lines))
    named: dict[str, set[str]] = {}
    for line in lines:
        file, _, function = line.partition("::")
        named.setdefault(file, set()).add(function)
    for file, functions in named.items():
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert {function.rpartition("::")[2] for function in functions} <= there, file
