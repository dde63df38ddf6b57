"""Files of the user's that bear the name of a package of ours are named, not stumbled over."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

from dev import ROOT
from mechproof import hidden_packages

RUN = "import pathlib; pathlib.Path('was_run').touch()\n"
"""What a file that hides a package would do if it were imported."""


def plant(folder: Path, name: str, *, package: bool = False) -> Path:
    """Put a module or a package of this name into the folder, and return what hides ours."""
    if not package:
        path = folder / f"{name}.py"
        path.write_text(RUN, encoding="utf-8")
        return path
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(RUN, encoding="utf-8")
    return folder / name


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "helpers")]),
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def told(path: Path, package: str) -> str:
    what = "folder" if path.is_dir() else "file"
    return f"{path} hides the package {package} of mechproof: rename this {what}"


@pytest.mark.parametrize("package", [False, True])
@pytest.mark.parametrize(
    ("hidden", "program"),
    [
        ("theory", "from mechproof import check_mechanism"),
        ("theory", "import mechproof; mechproof.Grid"),
        ("theory", "import mechproof.testing"),
        ("theory", "from mechproof.problems.documents import solve"),
        ("theory", "from mechproof.sweep import Grid"),
        ("theory", "from mechproof.demos import run"),
        ("theory", "from mechproof.experiments import advertising"),
        ("mechanisms", "from mechproof import softmax_auction"),
        ("mechanisms", "from mechproof.demos import run"),
        ("mechanisms", "from mechproof.experiments import advertising"),
        ("llm_adapters", "from mechproof.demos import run"),
        ("papers", "import mechproof; mechproof.verify('bazaar.table-1')"),
        ("mechanisms", "import mechproof; mechproof.verify('bazaar.table-1')"),
    ],
)
def test_a_program_is_told_what_hides_what(
    hidden: str, program: str, package: bool, tmp_path: Path
) -> None:
    path = plant(tmp_path, hidden, package=package)
    done = python(tmp_path, "-c", program)
    last = done.stderr.splitlines()[-1]
    assert last == f"mechproof.hidden_packages.HiddenPackageError: {told(path, hidden)}"
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize("package", [False, True])
@pytest.mark.parametrize(
    ("hidden", "command"),
    [
        ("theory", "claims"),
        ("theory", "verify --claim bazaar.table-1"),
        ("papers", "verify --claim bazaar.table-1"),
        ("mechanisms", "explain bazaar.table-1"),
    ],
)
def test_the_command_says_it_in_one_line(
    hidden: str, command: str, package: bool, tmp_path: Path
) -> None:
    path = plant(tmp_path, hidden, package=package)
    done = python(tmp_path, "-m", "mechproof", *command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mechproof: {told(path, hidden)}\n"
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize("package", [False, True])
@pytest.mark.parametrize("hidden", ["mechanisms", "llm_adapters"])
def test_a_command_that_fails_for_it_says_so_too(
    hidden: str, package: bool, tmp_path: Path
) -> None:
    path = plant(tmp_path, hidden, package=package)
    done = python(tmp_path, "-m", "mechproof", "demo", "inspection", "--model", "rules")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mechproof: {told(path, hidden)}\n"


def test_a_program_of_that_name_is_told_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "theory.py"
    path.write_text("from mechproof import check_mechanism\n", encoding="utf-8")
    done = python(tmp_path, str(path))
    assert done.stderr.splitlines()[-1].endswith(told(path, "theory"))
    assert done.stderr.count("Traceback") == 1


def test_the_plugin_keeps_out_of_projects_that_do_not_use_it(tmp_path: Path) -> None:
    path = plant(tmp_path, "theory")
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n", encoding="utf-8")
    plugin = ("-m", "pytest", "-p", "mechproof.pytest_plugin", "-q", "--rootdir", ".")
    plain = python(tmp_path, *plugin, "test_plain.py")
    assert plain.returncode == 0, plain.stdout
    program = "from mechproof.testing import mechanism_tests\n"
    (tmp_path / "test_rule.py").write_text(program, encoding="utf-8")
    ours = python(tmp_path, *plugin, "test_rule.py")
    assert ours.returncode == 2
    assert told(path, "theory") in ours.stdout


def test_names_that_hide_nothing_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theory").mkdir()  # no package: Python goes on and finds ours
    plant(tmp_path, "papers")
    done = python(tmp_path, "-c", "from mechproof import check_mechanism, softmax_auction")
    assert done.returncode == 0, done.stderr


def test_a_link_to_our_own_folder_hides_nothing(tmp_path: Path) -> None:
    try:
        (tmp_path / "theory").symlink_to(ROOT / "theory", target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    done = python(tmp_path, "-c", "from mechproof import check_mechanism")
    assert done.returncode == 0, done.stderr


def test_a_plain_folder_changes_no_order_of_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, expected in (("folder", [str(tmp_path)]), ("module", [str(ROOT), str(tmp_path)])):
        monkeypatch.setattr(sys, "path", ["elsewhere"])
        if kind == "folder":
            (tmp_path / "papers").mkdir()  # such as one for texts to read
        else:
            plant(tmp_path, "theory")
        invalidate_caches()  # files are a millisecond old
        hidden_packages.search_here()
        assert sys.path == [*expected, "elsewhere"]


def test_ours_are_found_first_by_workers_where_the_command_adds_the_folder(tmp_path: Path) -> None:
    plant(tmp_path, "theory")
    claims = "from sample_claims import CLAIMS as S\nCLAIMS = S[:2]\n"
    (tmp_path / "mine.py").write_text(claims, encoding="utf-8")
    installed = "import sys; sys.path.pop(0); from mechproof.__main__ import main; main()"
    arguments = ("--module", "mine", "--paper", "sample", "--jobs", "2")
    done = python(tmp_path, "-c", installed, "verify", *arguments)
    assert done.returncode == 0, done.stderr
    assert "2 claims (1 hold, 1 refuted): every one as expected" in done.stdout
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize("hidden", ["multiprocessing", "signal"])
def test_no_file_of_the_current_folder_is_run_where_processes_start(
    hidden: str, tmp_path: Path
) -> None:
    plant(tmp_path, hidden)
    installed = "import sys; sys.path.pop(0); from mechproof.__main__ import main; main()"
    claims = ("--claim", "bazaar.table-1", "--claim", "bazaar.theorem-1", "--jobs", "2")
    done = python(tmp_path, "-c", installed, "verify", *claims)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize("value", ["", "1"])
def test_what_keeps_python_from_the_folder_is_not_left_to_checks(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", value)
    program = tmp_path / "program.py"
    program.write_text(SAFE, encoding="utf-8")
    done = python(tmp_path, str(program))
    assert (done.returncode, done.stdout) == (0, f"{value} {value} {value}\n"), done.stderr


SAFE = """\
import os
from mechproof import Grid, run_sweep

def safe(x):
    return os.environ.get("PYTHONSAFEPATH", "")

if __name__ == "__main__":
    found = run_sweep(Grid({"x": [1, 2]}), safe, jobs=2)
    print(*(row.values["value"] for row in found.rows), os.environ.get("PYTHONSAFEPATH", ""))
"""
