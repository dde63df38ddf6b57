"""A sweep file is data: it chooses among the functions of this folder, and no others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from documents import refused, run

from dev import ROOT
from mechproof.sweep.file import load_check
from theory.errors import InvalidInputError

MODULE = """\
import functools, operator, os, subprocess, sys
from contextlib import contextmanager
from os import system as renamed
from pathlib import Path
from subprocess import run as hidden
from click import echo
import numpy as np
import theory.incentives
import theory.proofs._identity as identity
from theory.proofs._identity import _vanishes


def good(x, y=1):
    return x + y


def shouting(function):
    @functools.wraps(function)
    def louder(**given):
        return function(**given)
    return louder


class Nested:
    tool = os
    system = staticmethod(os.system)
    popen = subprocess.Popen

    class Deeper:
        run = subprocess.run

    def check(x):
        return -x

    def __call__(self, x):
        return x


class Child(subprocess.Popen):
    pass


class Mine(Path):
    pass


class Table(np.ndarray):
    pass


class Kind(type):
    pass


class Deep(Table, metaclass=Kind):
    pass


class Sorted(dict, metaclass=Kind):
    pass


class Given:
    __call__ = staticmethod(os.system)


class Inherited(np.vectorize):
    pass


class Kept:
    inner = theory.incentives
    tool = theory.proofs._identity
    module = property(lambda self: identity)


bound = functools.partial(os.system)
kept = functools.lru_cache(os.system)
twice = functools.partial(functools.partial(subprocess.run, shell=True))
caller = operator.methodcaller("system")
opened = open
evaluated = eval
listed = [].append
wrapped = shouting(good)
cached = functools.lru_cache(good)
partial = functools.partial(good, y=2)
made = Nested()
managed = contextmanager(os.walk)
table = np.zeros(3).view(Table)
deep = np.zeros(3).view(Deep)
given = Given()
inherited = Inherited(os.system)
kept_in = Kept()
sorted_here = Sorted()
"""

HOSTILE = [
    "os:system",
    "posix:system",
    "subprocess:run",
    "subprocess:check_output",
    "builtins:exec",
    "builtins:eval",
    "builtins:open",
    "builtins:print",
    "shutil:rmtree",
    "importlib:import_module",
    "os.path:exists",
    "pathlib:Path.unlink",
    "runpy:run_path",
    "webbrowser:open",
    "antigravity:geohash",
    "code:interact",
    "__main__:main",
    "pytest:main",
    "click:launch",
    "numpy:load",
    "numpy:fromfile",
    "pip:main",
    "mechproof.files:write_whole",
    "mechproof.object_by_name:load_named",
    "mechproof.cli:main",
    "mechproof.demos:run",
    "mechproof.local_model:obtain",
    "mechproof.local_model:subprocess.run",
    "mechproof.sweep.examples:auction.__globals__.clear",
    "mechproof.sweep.examples:auction.__class__",
    "mechproof.sweep.examples:auction.__init__",
    "llm_adapters.session:Session",
    "theory.errors:Fraction",
    "theory.fixed_point._program:import_module",
]
IN_A_MODULE_OF_THIS_FOLDER = [
    "os.system",
    "os.path.os.system",
    "sys.exit",
    "sys.modules.clear",
    "subprocess.run",
    "subprocess.os.system",
    "renamed",
    "hidden",
    "echo",
    "Nested.tool.system",
    "Nested.system",
    "Nested.popen",
    "Nested.Deeper.run",
    "Child",
    "Child.communicate",
    "Mine",
    "Mine.cwd",
    "Path.unlink",
    "bound",
    "kept",
    "twice",
    "caller",
    "opened",
    "evaluated",
    "listed",
    "managed",
    "good.__globals__.update",
    "good.__getattribute__",
    "good.__class__",
    "__builtins__.get",
    "__loader__.get_data",
    "made.__class__.__base__.__subclasses__",
    "table.dump",
    "table.tofile",
    "deep.dump",
    "deep.resize",
    "Table.dump",
    "Sorted.fromkeys",
    "sorted_here.fromkeys",
    "given",
    "given.__call__",
    "inherited",
    "inherited.pyfunc",
    "theory.incentives.check_mechanism",
    "theory.proofs.Identity",
    "theory.proofs._identity._vanishes",
    "np.load",
    "identity.sympify",
    "identity._vanishes",
    "_vanishes",
    "Kept.inner.check_mechanism",
    "Kept.tool._vanishes",
    "Kept.module.fget.__globals__",
    "kept_in.module.Identity",
    "kept_in.module._vanishes",
    "wrapped.__wrapped__",
    "wrapped.__wrapped__.__globals__.clear",
    "wrapped.__closure__",
    "partial.func.__globals__.clear",
    "bound.func",
    "twice.func.func",
    "cached.cache_clear",
    "made.__call__.__func__.__globals__.clear",
]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    Path("checks_here.py").write_text(MODULE, encoding="utf-8")
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def sweep(check: str, *more: str) -> str:
    """Run a sweep of one cell in which any command would leave a file, and return its refusal."""
    axes = '[axes]\nx = ["touch ran"]\n'
    Path("sweep.toml").write_text(f'check = "{check}"\n{axes}', encoding="utf-8")
    return refused(run("sweep", "sweep.toml", "--jobs", "1", *more))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_cannot_name_what_is_installed(name: str) -> None:
    before = set(sys.modules)
    said = sweep(name)
    assert not Path("ran").exists()
    assert "name a function that a module of the current folder defines" in said
    assert set(sys.modules) - before <= {n for n in sys.modules if n.split(".")[0] in OURS}, (
        "a module that may not be named is not imported either"
    )


OURS = {"mechproof", "theory", "mechanisms", "llm_adapters", "papers", "click", "numpy"} | {
    "scipy", "numba", "llvmlite", "msgspec", "rich", "matplotlib", "sympy", "mpmath", "checks_here"
} | sys.stdlib_module_names - {"antigravity", "webbrowser", "code", "runpy"}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["theory.shared.compiling:kept_in", "theory.shared:copying.copied", "theory:shared.text.short"],
)
def test_what_modules_share_is_not_named(name: str) -> None:
    assert "is there for other modules alone" in sweep(name)


@pytest.mark.parametrize(
    "name",
    [
        "theory.proofs._decide:_check_loads",
        "theory.proofs:_decide._check_loads",
        "checks_here:theory.proofs._identity._vanishes",
        "checks_here:_vanishes",
        "_private_here:f",
    ],
)
def test_what_is_private_is_not_named(name: str) -> None:
    Path("_private_here.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    assert "has a part that begins with _" in sweep(name)
    assert not Path("ran").exists()


@pytest.mark.parametrize("path", ["theory.proofs._identity._vanishes", "identity._above"])
def test_a_module_of_this_folder_lends_no_function_of_ours_that_evaluates_text(path: str) -> None:
    command = "__import__('os').system('touch ran')"
    axes = f'[axes]\nexpression = ["{command}"]\n'
    Path("sweep.toml").write_text(f'check = "checks_here:{path}"\n{axes}', encoding="utf-8")
    refused(run("sweep", "sweep.toml", "--jobs", "1"))
    assert not Path("ran").exists()


def test_a_method_that_an_array_has_from_another_package_writes_no_file() -> None:
    Path("victim").write_text("precious", encoding="utf-8")
    text = 'check = "checks_here:table.dump"\n[axes]\nfile = ["victim"]\n'
    Path("sweep.toml").write_text(text, encoding="utf-8")
    assert "--allow-package numpy" in refused(run("sweep", "sweep.toml", "--jobs", "1"))
    assert Path("victim").read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("name", IN_A_MODULE_OF_THIS_FOLDER)
def test_what_counts_is_where_a_function_was_defined(name: str) -> None:
    said = sweep(f"checks_here:{name}")
    assert not Path("ran").exists()
    assert re.search("current folder|cannot be called|is unknown", said)


def test_the_command_that_was_run_is_not_run() -> None:
    text = 'check = "os:system"\n[axes]\ncommand = ["touch ran", "touch ran-too"]\n'
    Path("sweep.toml").write_text(text, encoding="utf-8")
    said = refused(run("sweep", "sweep.toml", "--jobs", "1"))
    assert "standard library" in said
    assert not list(Path().glob("ran*"))


@pytest.mark.parametrize("allowed", ["os", "subprocess", "builtins", "sys"])
def test_no_option_allows_the_standard_library(allowed: str) -> None:
    said = sweep("subprocess:run", "--allow-package", allowed)
    assert "--allow-package" in said
    assert "standard library" in said


@pytest.mark.parametrize("allowed", ["", "a.b", "a:b", "no-name", "not_installed_anywhere"])
def test_a_package_that_is_none_is_refused(allowed: str) -> None:
    assert "--allow-package" in sweep("checks_here:good", "--allow-package", allowed)


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("checks_here:good", {"x": 1}, 2),
        ("checks_here:Nested.check", {"x": 1}, -1),
        ("checks_here:wrapped", {"x": 1}, 2),
        ("checks_here:cached", {"x": 1}, 2),
        ("checks_here:partial", {"x": 1}, 3),
        ("checks_here:made", {"x": 1}, 1),
    ],
)
def test_the_functions_of_this_folder_are_found(
    name: str, given: dict[str, int], found: int
) -> None:
    assert load_check(name)(**given) == found


def test_a_package_of_this_folder_needs_permission() -> None:
    Path("package_here").mkdir()
    Path("package_here", "__init__.py").write_text("import os\n", encoding="utf-8")
    Path("package_here", "inner.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    Path("exports_here.py").write_text("from package_here.inner import f\n", encoding="utf-8")
    names = ("package_here.inner:f", "package_here:inner.f", "exports_here:f")
    for name in names:
        with pytest.raises(InvalidInputError, match="--allow-package package_here"):
            load_check(name)
    for name in names:
        assert load_check(name, ["package_here"])(3) == 3
    with pytest.raises(InvalidInputError, match="standard library"):
        load_check("package_here:os.system", ["package_here"])
    with pytest.raises(InvalidInputError, match="standard library"):
        load_check("package_here:os.path.exists", ["package_here"])


@pytest.mark.parametrize("marked", [False, True])
def test_a_folder_that_came_with_the_file_is_no_module_of_this_one(marked: bool) -> None:
    Path("downloads").mkdir()
    text = "open('ran', 'w').close()\ndef f(x):\n    return 1\n"
    Path("downloads", "evil.py").write_text(text, encoding="utf-8")
    if marked:
        Path("downloads", "__init__.py").write_text("", encoding="utf-8")
    assert "or allow the package by --allow-package downloads" in sweep("downloads.evil:f")
    assert not Path("ran").exists()


def test_a_folder_that_hides_a_package_of_ours_is_not_run() -> None:
    Path("mechanisms").mkdir()
    Path("mechanisms", "__init__.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    Path("sweep.toml").write_text('check = "mechanisms:f"\n[axes]\nx = [1]\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mechproof", "sweep", "sweep.toml"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "hides the package mechanisms of mechproof" in done.stderr
    assert done.returncode == 2
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    "check",
    ["benchmarks.harness.alone:run_python", "dev:main", "passed:git", "tests.typechecker:choice"],
)
def test_no_tool_of_a_checkout_is_run(monkeypatch: pytest.MonkeyPatch, check: str) -> None:
    monkeypatch.chdir(ROOT)
    top = check.partition(":")[0].partition(".")[0]
    with pytest.raises(InvalidInputError, match=f"--allow-package {top}"):
        load_check(check)


def test_a_module_in_the_folder_of_mechproof_is_run_where_the_command_line_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mechproof.sweep._allowed_functions.HOME", str(Path.cwd()))
    with pytest.raises(InvalidInputError, match="beside mechproof itself"):
        load_check("checks_here:good")
    assert load_check("checks_here:good", ["checks_here"])(1) == 2


def test_a_name_spells_out_the_modules_that_it_leads_through() -> None:
    Path("lender.py").write_text("import other_here\n", encoding="utf-8")
    Path("other_here.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    assert load_check("other_here:f")(3) == 3
    with pytest.raises(InvalidInputError, match="leads into a module"):
        load_check("lender:other_here.f")


def test_a_file_of_this_folder_that_has_the_name_of_a_standard_module_is_said() -> None:
    Path("this.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="standard library"):
        load_check("this:f")


def test_an_installed_package_is_run_where_the_command_line_says_so(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "installed_checks.py").write_text(
        "import os\nopen('imported', 'w').close()\ndef f(x):\n    return 7\n", encoding="utf-8"
    )
    sys.path.append(str(elsewhere))
    said = sweep("installed_checks:f")
    assert "--allow-package installed_checks" in said
    assert not Path("imported").exists()
    result = run("sweep", "sweep.toml", "--jobs", "1", "--allow-package", "installed_checks")
    assert result.exit_code == 0, result.output
    assert "7" in result.stdout
    assert "standard library" in sweep(
        "installed_checks:os.system", "--allow-package", "installed_checks"
    )


def test_a_function_of_another_package_needs_its_own_permission() -> None:
    Path("reexports.py").write_text("from numpy import load, mean\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="--allow-package numpy"):
        load_check("reexports:load")
    assert load_check("reexports:mean", ["numpy"])([1, 3]) == 2


def test_the_folder_that_counts_is_where_one_stands_and_not_that_of_the_file(
    tmp_path: Path,
) -> None:
    away = tmp_path / "downloads"
    away.mkdir()
    (away / "beside.py").write_text("open('ran', 'w').close()\nf = abs\n", encoding="utf-8")
    (away / "sweep.toml").write_text('check = "beside:f"\n[axes]\nx = [1]\n', encoding="utf-8")
    refused(run("sweep", "downloads/sweep.toml", "--jobs", "1"))
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("name", ["mechproof.sweep.examples:auction"])
def test_the_example_of_the_command_may_be_named(name: str) -> None:
    assert callable(load_check(name))
