"""The plugin for pytest, run by pytest in folders of their own, and the same tests without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import mechproof
from dev import ROOT
from mechproof.testing import mechanism_tests
from theory.errors import InvalidInputError, UnknownNameError
from theory.incentives import FiniteTypes, Witness, assert_dsic

SETTINGS = {
    "PYTHONPATH": str(ROOT),
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "",
    "COLUMNS": "160",
}

RULES = """
from fractions import Fraction

from mechproof.testing import mechanism_tests
from theory.incentives import Box, Effort, FiniteTypes


def first_price(bids):
    winner = bids.index(max(bids))
    return winner, [bids[i] if i == winner else 0 for i in range(len(bids))]


def posted_price(bids):
    return (0, [2]) if bids[0] >= 2 else (None, [0])


def moody(bids):
    if bids[0] == 2:
        raise RuntimeError("not today")
    return posted_price(bids)


def generous(bids):
    return 0, [-1 if bids[0] == Fraction(17, 131) else 0]
"""

MANY = f"""
{RULES}
two = {{"types": FiniteTypes(range(4)), "agents": 2}}
one = {{"types": FiniteTypes(range(4)), "agents": 1}}
test_passes = mechanism_tests(posted_price, properties=["dsic", "feasible"], **one)
test_fails = mechanism_tests(first_price, properties=["dsic", "feasible"], **two)
test_expected = mechanism_tests(
    first_price,
    properties=["dsic", "feasible"],
    expected_failures={{"dsic": "bids are shaded", "feasible": "a slip"}},
    **two,
)
test_all = mechanism_tests(
    posted_price,
    expected_failures={{
        "strongly_budget_balanced": "the seller keeps it",
        "efficient": "a price excludes",
    }},
    **one,
)
test_named = mechanism_tests(posted_price, properties=["bic"], **one)
test_faulty = mechanism_tests(
    moody, properties=["dsic"], expected_failures={{"dsic": "never mind"}}, **one
)
test_misused = mechanism_tests(posted_price, properties=["dsic"], types=FiniteTypes([1]), agents=0)


class TestInAClass:
    posted = mechanism_tests(posted_price, properties=["dsic"], **one)
"""


@dataclass(frozen=True)
class Run:
    """What pytest said, and the outcome of each test by its node."""

    text: str
    outcomes: dict[str, str]

    def told(self, node: str) -> str:
        """Return what stands below the heading of a failure."""
        name = re.escape(node.replace("::", "."))
        found = re.search(rf"^_+ {name} _+\n(.*?)(?=^_{{3,}} |^=)", self.text, re.S | re.M)
        assert found, self.text
        return found[1]


def run_pytest(folder: Path, *arguments: str, plugin: bool = True) -> Run:
    """Run pytest with no plugin but ours; loading all that are installed takes a second."""
    chosen = ("-p", "mechproof.pytest_plugin") if plugin else ()
    command = [sys.executable, "-m", "pytest", *chosen, "--color=no", "-rA", *arguments]
    settings = {**os.environ, **SETTINGS}
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    summary = re.findall(
        r"^(PASSED|FAILED|XFAIL|ERROR) test_\w+\.py::(\S+?)(?: - .*)?$", done.stdout, re.M
    )
    return Run(done.stdout + done.stderr, {node: outcome for outcome, node in summary})


def write(folder: Path, text: str) -> Path:
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "test_auction.py").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def many_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("many"), MANY)


@pytest.fixture(scope="module")
def many(many_folder: Path) -> Run:
    return run_pytest(many_folder)


def test_each_property_is_a_test_of_its_own(many: Run) -> None:
    outcomes = {k: v for k, v in many.outcomes.items() if not k.startswith("test_all")}
    assert outcomes == {
        "test_passes[dsic]": "PASSED",
        "test_passes[feasible]": "PASSED",
        "test_fails[dsic]": "FAILED",
        "test_fails[feasible]": "PASSED",
        "test_expected[dsic]": "XFAIL",
        "test_expected[feasible]": "FAILED",
        "test_named[bic]": "FAILED",
        "test_faulty[dsic]": "FAILED",
        "test_misused[dsic]": "FAILED",
        "TestInAClass::posted[dsic]": "PASSED",
    }


def test_a_failure_tells_the_witness_and_a_test_to_keep_and_no_traceback(many: Run) -> None:
    story = "agent 0 of type 1 gains 1 by reporting 0 when agent 1 reports 0"
    told = many.told("test_fails[dsic]")
    assert told.startswith(f"{story}\n")
    assert "utility of agent 0     1" in told
    assert "dsic is refuted (exact; 96 all" in told
    assert "def test_dsic_of_first_price() -> None:" in told
    assert "from test_auction import first_price" in told
    assert ".py:" not in told
    assert re.search(
        rf"^FAILED test_auction.py::test_fails\[dsic\] - Refuted: {story}$", many.text, re.M
    )


def test_the_test_that_a_failure_prints_fails_in_turn(many: Run, many_folder: Path) -> None:
    _, _, kept = many.told("test_fails[dsic]").partition("as a test of its own:")
    (many_folder / "test_kept.py").write_text(kept, encoding="utf-8")
    assert run_pytest(many_folder, "test_kept.py").outcomes == {
        "test_dsic_of_first_price": "FAILED"
    }


def test_expected_failures_are_strict(many: Run) -> None:
    assert "XFAIL test_auction.py::test_expected[dsic] - bids are shaded" in many.text
    told = "feasible was expected to fail (a slip), but it holds\n"
    assert many.told("test_expected[feasible]").startswith(told)


def test_what_says_nothing_is_skipped_by_default_and_fails_when_named(many: Run) -> None:
    judged = {k: v for k, v in many.outcomes.items() if k.startswith("test_all")}
    failing = [judged.pop(f"test_all[{k}]") for k in ("strongly_budget_balanced", "efficient")]
    assert failing == ["XFAIL", "XFAIL"]
    assert len(judged) > 5
    assert set(judged.values()) == {"PASSED"}
    assert "test_all[bic]" not in judged
    assert re.search(r"^SKIPPED .* there is no prior", many.text, re.M)
    assert "there is no prior" in many.told("test_named[bic]")


def test_faults_and_slips_in_arguments_fail_whatever_is_expected(many: Run) -> None:
    assert "at reports (2,): raised RuntimeError: not today" in many.told("test_faulty[dsic]")
    told = many.told("test_misused[dsic]")
    assert told == "agents is not a count (got 0): say how many agents\n"


def test_tests_are_chosen_by_node_and_by_word_and_listed(many_folder: Path) -> None:
    one = run_pytest(many_folder, "test_auction.py::test_passes[dsic]")
    assert one.outcomes == {"test_passes[dsic]": "PASSED"}
    some = run_pytest(many_folder, "test_auction.py", "-k", "passes and feasible")
    assert some.outcomes == {"test_passes[feasible]": "PASSED"}
    listed = run_pytest(many_folder, "--collect-only", "-q", "test_auction.py::test_fails")
    assert listed.text.startswith(
        "test_auction.py::test_fails[dsic]\ntest_auction.py::test_fails[feasible]\n"
    )


@pytest.mark.slow
def test_two_processes_find_the_same(many: Run, many_folder: Path) -> None:
    spread = run_pytest(many_folder, "-p", "xdist", "-n2", "test_auction.py")
    assert spread.outcomes == many.outcomes
    assert spread.told("test_fails[dsic]").endswith(many.told("test_fails[dsic]"))


LISTED = "FiniteTypes([Fraction(17, 131), Fraction(1, 2)])"
REAL = "Box(0, 1), effort=Effort(samples=1, starts=1, steps=1)"
TESTS = "".join(
    f'test_{name} = mechanism_tests(generous, types={{0}}, agents=1, properties=["dsic"])\n'
    for name in "abcd"
)


def test_witnesses_found_before_are_tried_first_and_broken_ones_passed_over(
    tmp_path: Path,
) -> None:
    found = run_pytest(write(tmp_path, RULES + TESTS.format(LISTED)))
    assert set(found.outcomes.values()) == {"FAILED"}
    write(tmp_path, RULES + TESTS.format(REAL))
    kept = sorted((tmp_path / ".pytest_cache" / "v" / "mechproof").iterdir())
    assert len(kept) == 4
    broken = [
        "[" * 100_000,
        '["nonsense", 1]',
        '["{\\"property\\": \\"dsic\\", \\"profile\\": 5}"]',
    ]
    for file, text in zip(kept, broken, strict=False):
        file.write_text(text, encoding="utf-8")
    again = run_pytest(tmp_path, "-W", "error")
    assert sorted(again.outcomes.values()) == ["FAILED", "PASSED", "PASSED", "PASSED"]
    assert "by reporting 17/131" in again.text
    blind = run_pytest(tmp_path, "-p", "no:cacheprovider")
    assert set(blind.outcomes.values()) == {"PASSED"}


def test_without_the_plugin_pytest_says_that_it_collects_nothing(many_folder: Path) -> None:
    bare = run_pytest(many_folder, "test_auction.py", plugin=False)
    assert bare.outcomes == {}
    assert "cannot collect 'test_passes' because it is not a function" in bare.text


def test_without_pytest_the_tests_can_be_called() -> None:
    program = (
        f"{RULES}\n"
        "import sys\n"
        "from theory.incentives import assert_dsic\n"
        "both = {'types': FiniteTypes(range(4)), 'agents': 2}\n"
        "test = mechanism_tests(first_price, properties=['dsic', 'feasible'], **both)\n"
        "for call in (test, lambda: assert_dsic(first_price, **both)):\n"
        "    try:\n"
        "        call()\n"
        "    except AssertionError as error:\n"
        "        print('gains 1 by reporting 0' in str(error))\n"
        "print('pytest' in sys.modules)\n"
    )
    assert python(program).split() == ["True", "True", "False"]


def python(program: str) -> str:
    command = [sys.executable, "-c", program]
    settings = {**os.environ, **SETTINGS}
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout


def test_pytest_loads_nothing_heavy_with_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    value = project["entry-points"]["pytest11"][mechproof.__name__]
    plugin = EntryPoint(mechproof.__name__, value, "pytest11").load()
    assert callable(plugin.pytest_pycollect_makeitem)
    loaded = python(f"import sys, pytest, {value}; print(*sys.modules)").split()
    assert value in loaded
    assert not {"theory", "numpy", "rich", "mechproof.testing"} & set(loaded)


def posted_price(bids: tuple[int, ...]) -> tuple[int | None, list[int]]:
    return (0, [2]) if bids[0] >= 2 else (None, [0])


def test_slips_are_told_where_the_tests_are_written() -> None:
    types = FiniteTypes(range(4))
    with pytest.raises(UnknownNameError, match="did you mean 'dsic'"):
        mechanism_tests(posted_price, types=types, agents=1, properties=["dsci"])
    with pytest.raises(UnknownNameError, match=r"not tested .got 'bic'"):
        mechanism_tests(
            posted_price, types=types, properties=["dsic"], expected_failures={"bic": "no"}
        )
    with pytest.raises(TypeError, match="types"):
        mechanism_tests(posted_price, agents=1)
    with pytest.raises(TypeError, match="typs"):
        mechanism_tests(posted_price, types=types, typs=types)


def test_one_property_is_checked_with_the_reason_that_is_its_own() -> None:
    tests = mechanism_tests(
        posted_price,
        types=FiniteTypes([Fraction(1), Fraction(3)]),
        agents=1,
        properties=["efficient", "dsic"],
        expected_failures={"efficient": "a price excludes"},
    )
    tests()
    assert [finding.property for finding in tests.check("dsic").findings] == ["dsic"]
    finding = tests.check("efficient")["efficient"]
    assert isinstance(finding.witness, Witness)
    assert finding.expected == "a price excludes"
    with pytest.raises(InvalidInputError, match="not a witness"):
        tests.check("dsic", ["{"])
    assert assert_dsic(posted_price, types=FiniteTypes(range(4)), agents=1).slack == 0
