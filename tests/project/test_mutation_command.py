"""`dev.py mutate` from one end to the other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mutation import __main__ as command
from mutation import coverage_map, kept
from mutation.mutants import Mutant
from mutation.pytests import Worker
from mutation.trying import Verdict
from tiny_checkout import few_libraries, tiny_checkout

import dev
from dev_environments import ROOT, Environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mutants run in forks")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout of a package of one module, with its tests, which need no plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return tiny_checkout(tmp_path)


def test_dev_installs_the_tool_once_and_passes_on_options_and_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[str, ...]] = []

    def run(self: Environment, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
        steps.append(words)
        assert how["env"]["PYTHONPATH"] == str(ROOT / "tests")
        return subprocess.CompletedProcess(words, 1)

    def install(self: Environment, *words: str) -> None:
        steps.append(("install", Path(words[-1]).name))

    monkeypatch.setattr(dev, "set_up", lambda job: Environment(tmp_path))
    monkeypatch.setattr(Environment, "run", run)
    monkeypatch.setattr(Environment, "install", install)
    monkeypatch.setattr(dev.signal, "signal", lambda *_: None)
    assert dev.main("mutate", "--sample", "3") == 1
    assert dev.main("mutate") == 1
    assert steps == [
        ("install", "mutation.txt"),
        ("python", "-m", "mutation", "--sample", "3"),
        ("python", "-m", "mutation"),
    ]


class TestTool:
    """With cosmic-ray, which only the environment of `dev.py mutate` has."""

    @pytest.fixture(autouse=True)
    def tool(self) -> None:
        pytest.importorskip("cosmic_ray")

    def test_the_rules(self) -> None:
        from mutation.mutants import places

        source = '''from typing import TYPE_CHECKING, TypeAlias, override
Number: TypeAlias = int | float
if TYPE_CHECKING:
    A = 1 + 1
class Some:
    """1 + 1"""
    @override
    def some(self, first: int | None, *, other: float = 1.0) -> int | None:
        if first is None:
            raise ValueError(f"{first + 1}")
        é = "é"; return first + 2
'''
        lines = {place.line for place in places("some.py", source)}
        assert lines == {8, 9, 11}
        found = {(p.operator, p.line) for p in places("some.py", source)}
        assert ("NumberReplacer", 8) in found
        assert ("ReplaceComparisonOperator_Is_IsNot", 9) in found
        assert ("ReplaceBinaryOperator_Add_Sub", 11) in found
        assert ("ReplaceBinaryOperator_Add_BitOr", 11) not in found
        assert ("ReplaceBinaryOperator_BitOr_BitAnd", 8) not in found

    def test_the_command(
        self, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(command, "Worker", few_libraries)
        monkeypatch.setattr(coverage_map, "PACKAGES", ("theory",))
        entry = kept.Equivalent("theory/tiny.py", "gone", "a", "b", "the code has changed")
        monkeypatch.setattr(kept, "read", lambda: [entry])
        words = ["--sample", "3", "--jobs", "1", "--seed", "5"]
        assert command.main(words, root) == 1
        said = capsys.readouterr().out
        assert "No mutant any more, remove it: theory/tiny.py, gone" in said
        assert "3 of " in said
        rows = (root / "build/mutation/results.jsonl").read_text("utf-8").splitlines()
        assert len(rows) == 3
        assert all(json.loads(row)["status"] for row in rows)
        command.main([*words, "--as-mapped"], root)  # nothing is tried twice
        assert len((root / "build/mutation/results.jsonl").read_text("utf-8").splitlines()) == 3

    def test_an_interrupt_keeps_what_is_done_and_the_next_run_goes_on(
        self, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(command, "Worker", few_libraries)
        monkeypatch.setattr(kept, "read", list)
        written = command.report.line
        words = ["--sample", "4", "--jobs", "1", "--as-mapped"]

        def interrupted(number: int, row: dict[str, Any]) -> str:
            if number == 2:
                raise KeyboardInterrupt
            return written(number, row)

        with monkeypatch.context() as patch:
            patch.setattr(command.report, "line", interrupted)
            assert command.main(words, root) == 0
        results = root / "build/mutation/results.jsonl"
        before = results.read_text("utf-8")
        assert before.count("\n") == 2
        assert "Interrupted" in capsys.readouterr().out
        assert command.main(words, root) == 0
        after = results.read_text("utf-8")
        assert after.startswith(before)
        assert after.count("\n") == 4
        assert "4 of" in capsys.readouterr().out

    def test_the_same_mutants_in_another_checkout(
        self, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Judge:
            """Kills every mutant; in the other checkout none of those that halve."""

            def __init__(self, worker: Worker, price: float) -> None:
                self.lenient = "other" in worker.folder.parts

            def verdict(self, mutant: Mutant, tests: object) -> Verdict:
                lives = self.lenient and mutant.before == "number = number // 2"
                return Verdict("survived" if lives else "killed")

        monkeypatch.setattr(command, "Trial", Judge)
        monkeypatch.setattr(kept, "read", list)
        assert command.main(["--whole", "--jobs", "1", "--as-mapped"], root) == 0
        results = root / "build/mutation/results.jsonl"
        there = list(command.recorded(results).values())
        (root / "other").mkdir()
        other = tiny_checkout(root / "other")
        module = other / "theory/tiny.py"
        text = module.read_text("utf-8").replace("LIMIT = 3\n", "\n\nLIMIT = 4 - 1\n")
        module.write_text(text, "utf-8")
        capsys.readouterr()
        words = ["--same-as", str(results), "--jobs", "1", "--as-mapped"]
        assert command.main(words, other) == 0
        said = capsys.readouterr().out
        gone = [row for row in there if row["before"] == "LIMIT = 3"]
        left = [row for row in there if row not in gone]
        here = list(command.recorded(other / "build/mutation/results.jsonl").values())
        parts = ("path", "function", "operator", "before", "after")
        assert [[row[part] for part in parts] for row in here] == [
            [row[part] for part in parts] for row in left
        ]
        assert f"{len(left)} of the {len(there)} mutants" in said
        assert said.count("No mutant here: theory/tiny.py, : LIMIT = 3") == len(gone) > 0
        alive = [row for row in left if "number // 2" in row["before"]]
        assert (
            f"Of these {len(left)} mutants {len(left)} were killed there, "
            f"{len(left) - len(alive)} are killed here" in said
        )
        lost = said.partition("Killed there and not here:")[2]
        assert lost.count("- number = number // 2") == len(alive) > 0
