"""A pass is kept while all that its part of a gate can see is the same, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import sweeps

import dev
import dev_gates
import passed
from dev_environments import Environment

FILES = {
    "dev.py": "",
    "pyproject.toml": "",
    "requirements/build.txt": "",
    "requirements/dev.txt": "",
    "docs/page.md": "```python\n>>> import theory.last\n\n```",
    "docs/words.md": "no example",
    "theory/__init__.py": "",
    "theory/first.py": "from theory.deep import middle",
    "theory/deep/__init__.py": "",
    "theory/deep/middle.py": "def late():\n    from . import deepest",
    "theory/deep/deepest.py": "",
    "theory/deep/data.txt": "",
    "theory/last.py": '"""\n>>> from theory.deep.deepest import *\n"""',
    "mechanisms/__init__.py": "",
    "papers/__init__.py": "",
    "papers/one.py": "import theory.first",
    "papers/two/__init__.py": "from papers.two.part import CLAIMS",
    "papers/two/part.py": "CLAIMS = ()",
    "mechproof/__init__.py": "",
    "mechproof/cli.py": "",
    "tests/conftest.py": "def fixture():\n    import served",
    "tests/served.py": "",
    "tests/helpers/helper.py": "import theory.last",
    "tests/test_first.py": "import theory.first",
    "tests/test_last.py": "import helper",
    "tests/test_patches.py": 'NAME = "theory.last.function"',
    "tests/test_opens.py": 'open("docs/words.md")',
}
ALONE = ["tests/test_opens.py"]
"""What sees everything."""
FIRST = ["tests/test_first.py", *ALONE]
LAST = ["docs/page.md", "tests/test_last.py", "tests/test_opens.py", "tests/test_patches.py"]
TESTS = sorted({*FIRST, *LAST, "theory/last.py"})


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small checkout, the root of `dev_gates`."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    monkeypatch.setattr(dev_gates, "ROOT", tmp_path)
    monkeypatch.setattr(dev_gates, "cache", lambda: tmp_path.parent / f"{tmp_path.name}-cache")
    return tmp_path


def known(*about: str) -> passed.Passes:
    found = dev_gates.passes(Environment(Path(sys.prefix)), *about)
    assert found is not None
    return found


def stale(gate: str, passes: passed.Passes, turns: int = 0) -> dict[str, str]:
    return passes.stale(gate, dev_gates.parts_of(gate, passes.sources), turns)


def keep(gate: str, passes: passed.Passes) -> None:
    passes.keep(stale(gate, passes).values())


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("theory/first.py", FIRST),
        ("theory/deep/middle.py", FIRST),
        ("theory/deep/deepest.py", [*FIRST, "theory/last.py"]),
        ("theory/deep/__init__.py", [*FIRST, "theory/last.py"]),
        ("theory/__init__.py", TESTS),
        ("theory/last.py", [*LAST, "theory/last.py"]),
        ("theory/deep/data.txt", TESTS),
        ("tests/conftest.py", TESTS),
        ("tests/served.py", TESTS),
        ("tests/helpers/helper.py", ["tests/test_last.py", *ALONE]),
        ("tests/test_last.py", ["tests/test_last.py", *ALONE]),
        ("docs/page.md", ["docs/page.md", *ALONE]),
        ("docs/words.md", ALONE),
        ("requirements/build.txt", TESTS),
        ("requirements/dev.txt", TESTS),
        ("pyproject.toml", TESTS),
        ("dev.py", TESTS),
        ("papers/one.py", ALONE),
    ],
)
def test_a_change_runs_the_tests_again_that_can_see_it(
    checkout: Path, name: str, again: list[str]
) -> None:
    assert sorted(stale("tests", known())) == TESTS
    keep("tests", known())
    assert not stale("tests", known())
    (checkout / name).write_text(f"{FILES[name]}\n# changed")
    assert sorted(stale("tests", known())) == sorted(again)
    (checkout / name).write_text(FILES[name])
    assert not stale("tests", known())


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("theory/deep/deepest.py", ["one"]),
        ("papers/two/part.py", ["two"]),
        ("mechproof/cli.py", ["one", "two"]),
        ("requirements/dev.txt", ["one", "two"]),
        ("tests/conftest.py", []),
    ],
)
def test_a_change_computes_the_papers_again_that_can_see_it(
    checkout: Path, name: str, again: list[str]
) -> None:
    keep("claims", known())
    (checkout / name).write_text(f"{FILES[name]}\n# changed")
    assert sorted(stale("claims", known())) == again


def test_a_file_that_is_gone_or_new_runs_the_tests_again_that_see_it(checkout: Path) -> None:
    keep("tests", known())
    (checkout / "theory" / "deep" / "deepest.py").unlink()
    assert sorted(stale("tests", known())) == sorted([*FIRST, "theory/last.py"])
    (checkout / "theory" / "deep" / "deepest.py").touch()
    assert not stale("tests", known())
    (checkout / "theory" / "last").mkdir()
    (checkout / "theory" / "last" / "__init__.py").touch()
    assert {*stale("tests", known())} >= {*LAST}


@pytest.mark.parametrize("gate", ["types (pyright)", "wheel", "test-llm"])
@pytest.mark.parametrize(
    "name", ["theory/deep/deepest.py", "theory/deep/data.txt", "dev.py", "requirements/dev.txt"]
)
def test_a_change_runs_the_other_gates_again(checkout: Path, gate: str, name: str) -> None:
    keep(gate, known())
    assert not stale(gate, known())
    (checkout / name).write_text(f"{FILES[name]}\n# changed")
    assert stale(gate, known())


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess",
        "from subprocess import run",
        "import pkgutil",
        "__file__",
        "def test(pytester): ...",
        "from importlib import import_module\nimport_module(name)",
        "import importlib\nimportlib.import_module(name)",
        "exec(text)",
        "from pathlib import Path\nPath('docs').read_text()",
        "import os\nos.listdir()",
        "import os.path\nos.path.exists(name)",
        "import pathlib\npathlib.Path('docs').read_text()",
        "import pathlib as p\np.Path('docs')",
        "from pathlib import Path as P\nP('docs').read_text()",
        "from pathlib import Path\nread = Path.read_text",
        "from os import listdir, environ\nlistdir('docs')",
        "from os import environ\nenviron['HOME']",
        "from os import *",
        "import io as i\ni.open('docs')",
        "import builtins\nbuiltins.open('docs')",
        "f = open\nf('docs')",
        "import numpy as np\nnp.loadtxt('docs')",
        "import numpy\nnumpy.load('docs')",
        "import numpy as n\nn.genfromtxt('docs')",
        "from numpy import loadtxt as read\nread('docs')",
        "from numpy import *",
        "import importlib as il\nil.__dict__['import_module'](name)",
        "from importlib import import_module as im\nim(name)",
        "from importlib import import_module\nf = import_module\nf(name)",
        "from importlib.resources import files\nfiles('theory')",
        "import shutil\nshutil.copy('docs', 'x')",
        "from glob import glob\nglob('*')",
        "from tempfile import *",
        "import tomllib\ntomllib.load(file)",
        "import multiprocessing as mp\nmp.Process(target=f)",
        "def late():\n    from pathlib import Path\n    return Path('docs')",
        "no Python at all",
    ],
)
def test_who_asks_for_more_than_imports_show_sees_everything(checkout: Path, code: str) -> None:
    (checkout / "tests" / "helpers" / "helper.py").write_text(code)
    sources = known().sources
    assert sources.seen("tests/test_last.py") == {*sources.hashes}
    (checkout / "tests" / "helpers" / "helper.py").write_text("from importlib import import_module")
    assert known().sources.seen("tests/test_last.py") < {*sources.hashes}


@pytest.mark.parametrize(
    "code",
    [
        "from pathlib import Path\ndef test(tmp_path: Path) -> Path: ...",
        "import pathlib\nplace: pathlib.Path",
        "from io import StringIO\nStringIO()",
        "import json\njson.loads('1')",
        "import numpy as np\nnp.ones(3)",
    ],
)
def test_who_asks_for_nothing_more_sees_what_it_imports(checkout: Path, code: str) -> None:
    (checkout / "tests" / "helpers" / "helper.py").write_text(code)
    sources = known().sources
    assert sources.seen("tests/test_last.py") < {*sources.hashes}


def test_a_file_that_is_named_is_seen(checkout: Path) -> None:
    (checkout / "tests" / "test_last.py").write_text("solve('docs/words.md')")
    keep("tests", known())
    (checkout / "docs" / "words.md").write_text("other words")
    assert sorted(stale("tests", known())) == sorted(["tests/test_last.py", *ALONE])


def test_another_environment_runs_everything_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep("tests", known())
    assert sorted(stale("tests", known("another Python"))) == TESTS
    for name in ("MECHPROOF_PEERS", "HYPOTHESIS_PROFILE", "PYTEST_ADDOPTS", "PYTHONPATH"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "another")
            assert sorted(stale("tests", known())) == TESTS
    monkeypatch.setattr(sys, "version", "3.99")
    assert sorted(stale("tests", known())) == TESTS


def test_what_is_installed_is_part_of_the_environment(checkout: Path) -> None:
    place = checkout / "lib" / "python3.11" / "site-packages"
    (place / "a-1.dist-info").mkdir(parents=True)
    one = dev_gates.passes(Environment(checkout))
    (place / "z-1.dist-info").mkdir()
    two = dev_gates.passes(Environment(checkout))
    assert one is not None
    assert two is not None
    assert {*two.about} - {*one.about} == {"z-1.dist-info"}


def test_each_test_runs_in_one_of_eleven_turns(checkout: Path) -> None:
    """So that ten commits in a row, which check the types of all modules, leave none out."""
    keep("tests", known())
    runs: list[str] = []
    for turn in range(11, 22):
        runs += stale("tests", known(), turn)
        passes = known()
        passes.keep(stale("tests", passes, turn).values())
    assert sorted(runs[len(TESTS) :]) == sorted(set(runs[len(TESTS) :]))
    assert {*runs} == {*TESTS}


@pytest.mark.parametrize("said", ["in_turns([1, 2], 2)", "is_due(1, 2)"])
def test_a_file_with_turns_passes_for_the_cases_of_its_turn(checkout: Path, said: str) -> None:
    (checkout / "tests" / "test_first.py").write_text(said)
    start = 11 * 100 - zlib.crc32(b"tests/test_first.py") % 11  # a turn of eleven begins
    runs = []
    for turn in [*range(start, start + passed.TURNS - 1)] * 2:
        passes = known()
        due = stale("tests", passes, turn)
        runs.append("tests/test_first.py" in due)
        passes.keep(due.values())
    assert runs == [True] * (passed.TURNS - 1) + [False] * (passed.TURNS - 1)


@pytest.mark.parametrize("every", [1, 2, 3, 4, 6, 12])
def test_each_case_is_tried_in_one_of_its_turns(every: int) -> None:
    for turn in range(100, 100 + 2 * passed.TURNS):
        cases = sweeps.in_turns(range(30), every, turn)
        tried = [number for number, case in enumerate(cases) if not case.marks]
        assert tried == [number for number in range(30) if number % every == turn % every]


@pytest.mark.parametrize("every", [5, 8, 24])
def test_turns_that_do_not_end_together_are_refused(every: int) -> None:
    with pytest.raises(ValueError, match="12 commits must be whole turns of it"):
        sweeps.is_due(0, every)


def test_what_changes_while_it_runs_is_not_kept(checkout: Path) -> None:
    before = known()
    keys = stale("tests", before)
    (checkout / "tests" / "test_first.py").write_text("changed")
    before.keep(keys.values())
    (checkout / "tests" / "test_first.py").write_text(FILES["tests/test_first.py"])
    assert stale("tests", known()) == keys


def test_a_pass_is_kept_for_thirty_days(checkout: Path) -> None:
    keep("tests", known())
    folder = known().folder
    then = time.time() - passed.DAYS * 24 * 3600
    for path in folder.iterdir():
        os.utime(path, times=(then + 60, then + 60))
    assert not stale("tests", known())
    for path in folder.iterdir():
        os.utime(path, times=(then - 60, then - 60))
    assert sorted(stale("tests", known())) == TESTS
    known().keep([])
    assert not [*folder.iterdir()]


Run = Callable[[str], list[str]]


@pytest.fixture
def gate(checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return what runs the gate of the tests to an end, and tells which files it is given."""
    code = """
import os, sys
print("ran", *sys.argv[1:])
verdict, *files = open("verdict").read().split(" ")
if files:
    open(os.environ["MECHPROOF_PASSED_TO"], "w").write("\\n".join(files))
sys.exit(int(verdict) if verdict.isdigit() else verdict or None)
"""
    (checkout / ".gitignore").write_text("verdict")
    monkeypatch.setattr(dev, "GATES", ({"tests": ("python", "-c", code, *dev_gates.EVERY_TEST)},))
    monkeypatch.setattr(dev, "set_up", lambda job: Environment(Path(sys.prefix)))

    def run(verdict: str) -> list[str]:
        (checkout / "verdict").write_text(verdict)
        assert dev.main("test") == bool(verdict)
        printed = capfd.readouterr().out.splitlines()
        ran = [line.split()[1:] for line in printed if line.startswith("ran")]
        assert printed[-1].split()[0] == ("FAILED" if verdict else "passed" if ran else "kept")
        assert ("kept:" in "".join(printed)) == (ran != [[*dev_gates.EVERY_TEST]])
        return ran[0] if ran else []

    return run


def test_only_passes_are_kept(checkout: Path, gate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gate("fails") == [*dev_gates.EVERY_TEST]
    assert gate("") == [*dev_gates.EVERY_TEST]
    assert gate("") == []
    (checkout / "tests" / "test_last.py").write_text("changed")
    some = ["tests/project/test_passed.py", "tests/test_last.py", *ALONE]
    assert gate("fails") == some
    assert gate("") == some
    assert gate("") == []
    monkeypatch.setenv(dev_gates.ANEW, "1")
    assert gate("fails") == [*dev_gates.EVERY_TEST]
    assert gate("") == [*dev_gates.EVERY_TEST]


def test_a_file_that_passes_is_kept_where_others_fail(checkout: Path, gate: Run) -> None:
    own = "tests/project/test_passed.py"
    assert gate("2 tests/test_last.py") == [*dev_gates.EVERY_TEST]
    assert gate("1 docs/page.md tests/test_last.py tests/new.py") == [*dev_gates.EVERY_TEST]
    rest = [name for name in TESTS if name not in {"docs/page.md", "tests/test_last.py"}]
    assert sorted(gate("1")) == sorted([own, *rest])
    assert sorted(gate("1 tests/test_first.py docs/page.md")) == sorted([own, *rest])
    rest.remove("tests/test_first.py")
    assert sorted(gate("")) == sorted([own, *rest])
    assert gate("") == []


def test_a_file_without_errors_is_kept_where_others_have_some(tmp_path: Path) -> None:
    parts = ["a.py", "b.py", "tests/c.py"]

    def kept(printed: str) -> list[str]:
        return dev_gates.without_errors(printed.replace("ROOT", str(dev_gates.ROOT)), parts)

    first = (
        "ROOT/b.py\n  ROOT/b.py:12:3 - error: No.\n    Because:\n      1 error, a.py:1:1 - error\n"
    )
    second = "ROOT/tests/c.py\n  ROOT/tests/c.py:2:1 - error: No. (why)\n"
    warned = "ROOT/a.py\n  ROOT/a.py:2:1 - warning: Perhaps.\n"
    assert kept(f"{first}1 error, 0 warnings, 0 informations\n") == ["a.py", "tests/c.py"]
    assert kept(f"{warned}{first}{second}2 errors, 1 warning, 0 informations\n") == ["a.py"]
    assert kept(f"{first}{second}3 errors, 0 warnings\n") == []
    assert kept(f"{first}{second}") == []
    assert kept("1 error, 0 warnings\n  /elsewhere/d.py:1:1 - error: No.\n") == []
    assert kept("0 errors, 0 warnings, 0 informations\n") == []


def test_pyright_says_where_it_finds_errors(checkout: Path) -> None:
    """What this reads is what pyright prints."""
    (checkout / "theory" / "last.py").write_text("wrong: int = ''\nworse: str = 0\n")
    (checkout / "theory" / "first.py").write_text("right: int = 0\n")
    parts = ["theory/first.py", "theory/last.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pyright", *parts],
        cwd=checkout,
        env={**os.environ, **dev_gates.GATE_SETTINGS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert dev_gates.without_errors(done.stdout, parts) == ["theory/first.py"]


def test_a_tree_without_git_keeps_nothing(checkout: Path, gate: Run) -> None:
    (checkout / ".git").rename(checkout / "moved")
    assert gate("") == gate("") == [*dev_gates.EVERY_TEST]


def test_a_job_is_run_until_it_passes(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment(Path(sys.prefix))
    ends = iter([1, 0, 0, 0])
    assert [
        dev_gates.unless_passed("wheel", environment, lambda: next(ends)) for _ in range(3)
    ] == [
        1,
        0,
        0,
    ]
    assert capsys.readouterr().out.count("kept") == 1
    assert dev_gates.unless_passed("wheel", environment, lambda: next(ends), "another Python") == 0
    assert not capsys.readouterr().out
    monkeypatch.setenv(dev_gates.ANEW, "1")
    assert dev_gates.unless_passed("wheel", environment, lambda: next(ends)) == 0
    assert next(ends, None) is None


def test_only_what_is_given_is_run() -> None:
    claims = ("mechproof", "verify")
    assert dev_gates.only("claims", claims, ["a", "z"]) == (*claims, "--paper", "a", "--paper", "z")
    assert dev_gates.only("types (pyright)", ("pyright",), ["a", "z"]) == ("pyright", "a", "z")


@pytest.fixture(scope="module")
def here() -> passed.Sources:
    return passed.Sources(Path(dev_gates.__file__).parent, dev_gates.PACKAGES)


@pytest.mark.parametrize("module", ["theory.incentives", "papers.volition", "llm_adapters.players"])
def test_what_an_import_loads_is_seen(here: passed.Sources, module: str) -> None:
    code = f"""
import sys, {module}
print(*(found.__file__ for found in [*sys.modules.values()] if getattr(found, "__file__", None)))
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=here.root, capture_output=True, text=True, check=True)
    paths = [Path(path) for path in done.stdout.split()]
    loaded = {p.relative_to(here.root).as_posix() for p in paths if p.is_relative_to(here.root)}
    loaded = {name for name in loaded if not name.startswith(".venv")}
    seen = here.seen(here.modules[module])
    assert len(loaded) > 20
    assert loaded <= seen < {*here.hashes}


def test_those_that_are_excused_would_see_everything(
    here: passed.Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    excused = passed.FOREIGN
    monkeypatch.setattr(passed, "FOREIGN", ())
    anew = passed.Sources(here.root, dev_gates.PACKAGES)
    for name in excused:
        assert anew._read(name, run=True)[1]


def test_every_claim_is_of_a_paper_that_is_known_by_its_files(here: passed.Sources) -> None:
    from mechproof.registry import load

    assert {*load().papers} == {*dev_gates.parts_of("claims", here)}
