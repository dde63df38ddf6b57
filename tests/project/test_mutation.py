"""The machinery of `dev.py mutate` finds what tests kill and what they let live."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mutation import __main__ as command
from mutation import blocks, coverage_map, kept, report, tree
from mutation.mutants import Mutant, Place, change
from mutation.pytests import Run, Worker
from mutation.trying import Trial, Verdict, killed_by, stages
from tiny_checkout import TINY, few_libraries, tiny_checkout

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mutants run in forks")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout of a package of one module, with its tests, which need no plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return tiny_checkout(tmp_path)


def made(before: str, after: str, operator: str = "Any") -> tuple[Place, Mutant]:
    """Return a mutant of the module by hand; no tool is needed for it."""
    assert TINY.count(before) == 1
    source = TINY.replace(before, after)
    line = TINY[: TINY.index(before)].count("\n") + 1
    within = blocks.function_at(line, blocks.blocks(TINY))
    place = Place("theory/tiny.py", operator, 0, line, 0)
    return place, Mutant(place.path, operator, line, within, *change(TINY, source), source, "")


KILLED = made("first < second", "first > second")
SURVIVOR = made("first < second", "first <= second")
ENDLESS = made("number // 2", "number + 2")
CONSTANT = made("LIMIT = 3", "LIMIT = 8")
UNSEEN = made("number - 1", "number + 1")
COMPILED = made("number + 1", "number - 1")


@pytest.fixture
def session(root: Path) -> command.Session:
    return command.Session(root, root / "build" / "mutation")


def test_each_mutant_gets_its_verdict(session: command.Session) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage_map, "PACKAGES", ())  # no doctests
        session.units = coverage_map.units(session.root, tree.listed(session.root))
        patch.setattr(command, "Worker", few_libraries)
        tests = session.measured(jobs=1)
    assert tests.failing == ["tests/test_tiny.py::test_that_fails_anyway"]
    assert tests.of_block["theory/tiny.py::least#0"] == {"tests/test_tiny.py::test_the_least"}
    assert "theory/tiny.py::unseen#0" not in tests.of_block
    copy = session.folder / "copy-0"
    tree.copy(session.root, copy)
    with Worker(copy, libraries=["pytest"]) as worker:
        trial = Trial(worker, limit=lambda estimate: 20)

        def verdict(made: tuple[Place, Mutant]) -> tuple[str, str]:
            place, mutant = made
            chosen = tests.chosen(place, TINY, session.sources)
            found = trial.verdict(mutant, chosen)
            return found.status, found.by.rpartition("::")[2]

        assert verdict(KILLED) == ("killed", "test_the_least")
        assert verdict(SURVIVOR) == ("survived", "")
        assert verdict(CONSTANT) == ("killed", "test_halved")
        assert verdict(COMPILED) == ("killed", "test_through")
        assert verdict(UNSEEN) == ("uncovered", "")
        trial.limit = lambda estimate: 2
        assert verdict(ENDLESS) == ("timed out", "")
        assert (copy / "theory/tiny.py").read_text("utf-8") == TINY
        assert verdict(KILLED) == ("killed", "test_the_least")


def test_a_test_that_fails_without_the_mutant_kills_nothing(session: command.Session) -> None:
    copy = session.folder / "copy-0"
    tree.copy(session.root, copy)
    names = ["test_that_fails_anyway", "test_the_least"]
    tests = [
        coverage_map.Test(f"tests/test_tiny.py::{name}", 0.0, "tests/test_tiny.py")
        for name in names
    ]
    with Worker(copy, libraries=["pytest"]) as worker:
        trial = Trial(worker)
        assert trial.verdict(SURVIVOR[1], tests).status == "survived"
        assert trial.unsound == {"tests/test_tiny.py::test_that_fails_anyway"}
        assert trial.verdict(KILLED[1], tests).by == "tests/test_tiny.py::test_the_least"


def test_what_is_known_is_kept_and_survivors_are_tried_again(session: command.Session) -> None:
    session.keep(*KILLED, Verdict("killed", "a test"))
    session.keep(*SURVIVOR, Verdict("survived"))
    again = command.Session(session.root, session.folder)
    assert again.remembered(KILLED[0]) is not None
    with session.results.open("a", encoding="utf-8") as file:
        file.write('{"key": ["cut off')
    (session.root / "tests" / "test_new.py").write_text("", "utf-8")
    changed = command.Session(session.root, session.folder)
    place = Place("theory/tiny.py", "Other", 0, SURVIVOR[0].line, 0)
    changed.keep(place, SURVIVOR[1], Verdict("survived"))
    assert changed.remembered(place) is not None
    assert changed.remembered(SURVIVOR[0]) is None or SURVIVOR[0] == KILLED[0]
    (session.root / "theory/tiny.py").write_text(TINY + "\n", "utf-8")
    assert command.Session(session.root, session.folder).remembered(KILLED[0]) is None


def test_a_kill_without_checks_at_run_time_counts_with_them_too(session: command.Session) -> None:
    alive = Place("theory/tiny.py", "Other", 0, UNSEEN[0].line, 0)
    session.keep(*KILLED, Verdict("killed", "a test"))
    session.keep(alive, UNSEEN[1], Verdict("survived"))
    checked = command.Session(session.root, session.folder, typechecked="all")
    assert checked.remembered(KILLED[0]) is not None
    assert checked.remembered(alive) is None
    checked.keep(alive, UNSEEN[1], Verdict("killed", "a check"))
    for setting, is_known in {"none": False, "3": False, "all": True}.items():
        again = command.Session(session.root, session.folder, typechecked=setting)
        assert (again.remembered(alive) is not None) == is_known


def test_runs_check_what_they_are_told_and_the_map_nothing(
    session: command.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    (session.root / "tests/test_tiny.py").write_text(
        "import os\n\n"
        "def test_setting():\n"
        "    assert os.environ['MECHPROOF_TYPECHECKED'] == 'none'\n",
        "utf-8",
    )
    monkeypatch.setattr(command, "Worker", few_libraries)
    monkeypatch.setattr(coverage_map, "PACKAGES", ())
    session.typechecked = "all"
    session.units = {"tests/test_tiny.py": "changed"}
    assert session.measured(jobs=1).failing == []
    statuses: list[int] = []
    session.in_copies(
        "copy", 1, lambda worker: statuses.append(worker.run(["tests/test_tiny.py"]).status), "all"
    )
    assert statuses == [1]


class Recorder(Worker):
    """Passes all tests, and keeps what it was asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.asked: list[tuple[int, int]] = []

    def run(self, files: Sequence[str], order: Sequence[str] | None = None, **how: Any) -> Run:
        self.asked.append((len(order or ()), how["limit"]))
        return Run("finished", 1.0)


def test_checks_at_run_time_take_time(session: command.Session) -> None:
    copy = session.folder / "copy-0"
    tree.copy(session.root, copy)
    tests = [coverage_map.Test(f"t{number}", 20.0, "u") for number in range(6)]
    for price, asked in {1: [(1, 130), (5, 530)], 3: [(1, 330), (1, 330)]}.items():
        worker = Recorder(copy)
        Trial(worker, price=price).verdict(UNSEEN[1], tests)
        assert worker.asked == asked


def test_a_marked_module_does_the_same_and_notes_its_blocks() -> None:
    names = [block.name for block in blocks.blocks(TINY)]
    assert {"", "least#0", "least#1", "fast#0", "halved#1"} <= set(names)
    marks = type(sys)("mutation_marks")
    seen = marks.seen = bytearray(len(names))  # type: ignore[attr-defined]
    text = blocks.marked(TINY, {name: number for number, name in enumerate(names)})
    space: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mutation_marks", marks)
        exec(compile(text, "tiny", "exec"), space)
    assert [name for name, ran in zip(names, seen, strict=True) if ran] == ["kernel#0"]
    seen[:] = bytes(len(seen))
    assert space["least"](1, None) == 1  # type: ignore[operator]
    assert [name for name, ran in zip(names, seen, strict=True) if ran] == ["least#0", "least#1"]
    assert space["least"].__doc__ == "Return the lesser."


def test_the_block_of_a_line_is_the_innermost() -> None:
    found = blocks.blocks(TINY)
    lines = TINY.splitlines()
    assert blocks.block_at(lines.index("LIMIT = 3") + 1, found).name == ""
    assert (
        blocks.block_at(lines.index("        number = number // 2") + 1, found).name == "halved#1"
    )
    assert blocks.block_at(lines.index("    return number + 1") + 1, found).compiled


def test_a_copy_follows_the_checkout_and_restores_what_a_killed_run_left(root: Path) -> None:
    copy = root / "build" / "copy"
    tree.copy(root, copy)
    (copy / "theory/tiny.py").write_text("a mutant that was left", "utf-8")
    (root / "tests/test_other.py").unlink()
    tree.copy(root, copy)
    assert (copy / "theory/tiny.py").read_text("utf-8") == TINY
    assert not (copy / "tests/test_other.py").exists()


def test_two_changes_of_a_file_never_share_a_date(root: Path) -> None:
    path = root / "theory/tiny.py"
    dates = {int(path.stat().st_mtime)}
    for text in ("1", "2"):
        with tree.Changed(path, text):
            dates.add(int(path.stat().st_mtime))
            assert path.read_text("utf-8") == text
    assert len(dates) == 3
    assert path.read_text("utf-8") == TINY


def test_the_kept_list_is_matched_by_content() -> None:
    _, mutant = SURVIVOR
    entry = kept.Equivalent(
        mutant.path, "least", mutant.before, mutant.after, "on a tie both are the least"
    )
    assert entry.is_of(mutant)
    assert not entry.is_of(KILLED[1])
    assert not entry.is_of(UNSEEN[1])


def test_mutants_are_found_again_by_content(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "\n".join(["", "a = 1 + b", "c = 1", "", "a = 1 + b", "a = 1 + b"])
    here = [Place("theory/a.py", "Add", number, line, 6) for number, line in enumerate((2, 5, 6))]
    other = Place("theory/a.py", "Other", 0, 2, 6)

    def mutant(place: Place, source: str) -> Mutant:
        change = "a = 1 + b", "a = 1 - b"
        return Mutant(place.path, place.operator, place.line, "", *change, "", "")

    monkeypatch.setattr(kept, "mutant", mutant)

    def row(line: int, **more: object) -> dict[str, Any]:
        alike = {"before": "a = 1 + b", "after": "a = 1 - b", "operator": "Add"}
        return {"path": "theory/a.py", "function": "", "line": line, **alike, **more}

    rows = [row(9), row(9), row(1), row(2), row(2, after="a = 1 * b"), row(7, operator="Other")]
    found, gone = kept.found_again(rows, [other, *here], {"theory/a.py": source})
    assert list(found) == [here[2], here[1], here[0], other]
    assert list(found.values()) == [*rows[:3], rows[5]]
    assert gone == rows[3:5]


def test_every_entry_of_the_kept_list_gives_a_reason(tmp_path: Path) -> None:
    entries = kept.read()
    assert len({(e.file, e.function, e.before, e.after) for e in entries}) == len(entries)
    assert all(Path(tree.__file__).parents[2].joinpath(e.file).is_file() for e in entries)
    (tmp_path / "list.toml").write_text(
        '[[equivalent]]\nfile="a"\nfunction=""\nbefore="b"\nafter="c"\nreason=" "\n', "utf-8"
    )
    with pytest.raises(ValueError, match="no reason"):
        kept.read(tmp_path / "list.toml")


def test_few_seconds_come_first_and_the_costliest_are_left_out() -> None:
    tests = [
        coverage_map.Test(f"t{n}", seconds, f"u{n}") for n, seconds in enumerate((3, 3, 3, 50, 90))
    ]
    assert [[test.name for test in stage] for stage in stages(tests, 120)] == [
        ["t0", "t1"],
        ["t2", "t3"],
    ]
    assert [len(stage) for stage in stages(tests[4:], 10)] == [1]
    assert list(stages([], 10)) == []


def test_a_process_that_dies_counts_as_a_kill() -> None:
    assert killed_by(Run("crashed", 1.0)) == ""
    assert killed_by(Run("finished", 1.0, 1, ("a",))) == "a"
    assert killed_by(Run("finished", 1.0, 5)) is None


def test_a_run_without_the_mutant_has_time_to_compile_too(tmp_path: Path) -> None:
    """A test that fails there is taken to fail always, and no mutant is tried by it any more."""
    limits = []

    class Compiling(Worker):
        def run(self, *_: Any, limit: int = 0, **options: Any) -> Run:
            limits.append(limit)
            return Run("finished", 1.0, 1, ("t",) if len(limits) == 1 else ())

    (tmp_path / "a_kernels.py").write_text("1\n", "utf-8")
    mutant = Mutant("a_kernels.py", "Any", 1, "", "1", "2", "2\n", "")
    trial = Trial(Compiling(tmp_path), limit=lambda seconds: 30)
    assert trial.verdict(mutant, [coverage_map.Test("t", 1.0, "u")]).by == "t"
    assert limits == [270, 270]


def test_the_score_leaves_out_equivalents_and_counts_what_no_test_covers() -> None:
    statuses = ["killed"] * 6 + ["timed out", "survived", "uncovered", "equivalent"]
    row = {"path": "p", "line": 1, "function": "f", "before": "a", "after": "b", "tests": 3}
    rows = [{**row, "status": status} for status in statuses]
    assert report.score(rows) == (7, 9)
    text = report.text(rows, 100, 0)
    assert "10 of 100 mutants, seed 0" in text
    assert "Score 7 / 9 = 77.8%" in text
    assert text.count("    - a") == 2
    low, high = report.interval(7, 9)
    assert low == pytest.approx(0.4526, abs=1e-4)  # Wilson, as R's prop.test(correct = FALSE)
    assert high == pytest.approx(0.9368, abs=1e-4)


def test_a_comparison_names_what_is_no_longer_killed() -> None:
    row = {"path": "p", "line": 1, "function": "f", "after": "b", "tests": 3}
    statuses = [
        ("killed", "killed"),
        ("timed out", "killed"),
        ("survived", "killed"),
        ("killed", "survived"),
        ("survived", "uncovered"),
        ("survived", "equivalent"),
        ("equivalent", "survived"),
    ]
    pairs = [
        ({**row, "status": there, "before": "old"}, {**row, "status": here, "before": f"m{number}"})
        for number, (there, here) in enumerate(statuses)
    ]
    said = report.compared(pairs)
    assert "Of these 5 mutants 3 were killed there, 3 are killed here" in said
    assert [line for line in said.splitlines() if line.startswith("    - ")] == ["    - m3"]
    assert "not here" not in report.compared(pairs[:3])


@pytest.mark.parametrize(
    "words",
    [["--sample", "0"], ["--sample", "3", "--whole"], ["--seed", "x"], ["--typechecked", "10"]],
)
def test_wrong_options_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.options(words)
    assert "dev.py mutate" in capsys.readouterr().err


def test_half_an_hour_is_the_default() -> None:
    assert command.options([]).minutes == 30
    assert command.options(["--sample", "9"]).minutes is None
    assert command.options(["--same-as", "a file"]).minutes is None
