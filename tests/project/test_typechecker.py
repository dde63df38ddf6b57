"""The tests run with annotations checked, every one in turn, or a wrong one could stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import jaxtyping
import pytest
import typechecker

import passed
from theory.shared import shapes

ASKED = {
    "theory.claims": "spawn_seed('1', 'volition.eq1')",
    "theory.probability": "Partition(np.array([0.5]), 1)",
}
"""A call with a wrong type in each of two modules: a number, an array."""


def told(chosen: str, module: str) -> str:
    """Return the name of what a wrong call raises in a new process with these modules checked."""
    call = ASKED[module]
    code = f"""
import typechecker
typechecker.install(typechecker.modules({chosen!r}))
import numpy as np
from {module} import {call.partition("(")[0]}
try:
    {call}
except Exception as error:
    print(type(error).__name__)
"""
    folder = Path(typechecker.__file__).parent
    where = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder.parent), str(folder)])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=where, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("module", ASKED)
def test_what_is_chosen_is_checked_and_nothing_else(module: str) -> None:
    tenth = next(digit for digit in "0123456789" if module in typechecker.modules(digit))
    other = str((int(tenth) + 1) % 10)
    assert told(tenth, module) == "TypeCheckError"
    assert told(other, module) != "TypeCheckError"


def test_all_or_none_can_be_chosen() -> None:
    assert told("all", "theory.claims") == "TypeCheckError"
    assert told("none", "theory.claims") != "TypeCheckError"


def test_ten_commits_in_a_row_check_every_module_that_is_no_package() -> None:
    tenths = [typechecker.modules(digit) for digit in "0123456789"]
    names = [name for tenth in tenths for name in tenth]
    files = [
        path.relative_to(typechecker.ROOT)
        for package in typechecker.PACKAGES
        for path in (typechecker.ROOT / package).rglob("*.py")
    ]
    assert len(names) == len(set(names))
    assert {Path(*name.split(".")).with_suffix(".py") for name in names} == {
        file for file in files if file.name != "__init__.py"
    }
    assert max(map(len, tenths)) < 2 * min(map(len, tenths))


@pytest.mark.parametrize(
    ("setting", "markers", "chosen"),
    [
        ("", "not slow and not llm", "3"),
        ("", "", "3"),
        ("", "slow", "all"),
        ("", "slow and not llm", "all"),
        ("none", "slow", "none"),
        ("7", "not slow", "7"),
    ],
)
def test_a_run_checks_a_tenth_by_its_commit_and_a_slow_one_all(
    setting: str, markers: str, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(typechecker.SETTING, setting)
    monkeypatch.setattr(typechecker, "commits", lambda root: 1233)
    assert typechecker.choice(markers) == chosen


def test_a_shallow_clone_goes_by_the_name_of_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"--is-shallow-repository": "true", "HEAD": "ab12"}
    monkeypatch.setattr(passed, "git", lambda root, *question: answers[question[-1]])
    assert passed.commits(typechecker.ROOT) == 0xAB12
    answers["--is-shallow-repository"] = "false"
    answers["HEAD"] = "34"
    assert passed.commits(typechecker.ROOT) == 34


def test_what_was_just_changed_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(typechecker, "ROOT", tmp_path)
    assert typechecker.changed() == []
    git("init")
    names = ["theory/a/__init__.py", "theory/a/b.py", "papers/c.py", "papers/d.py", "tests/e.py"]
    for commit in range(3):
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            if name != "papers/d.py" or commit == 0:
                (tmp_path / name).write_text(f"{commit}")
        git("add", ".")
        git("commit", "-m", "all")
        assert typechecker.changed() == ([] if commit == 0 else ["papers.c", "theory.a.b"])
    (tmp_path / "papers" / "d.py").write_text("9")
    (tmp_path / "papers" / "new.py").touch()
    (tmp_path / "theory" / "a" / "b.py").unlink()
    assert typechecker.changed() == ["papers.c", "papers.d", "papers.new"]


def test_what_was_imported_unchecked_is_checked_by_a_later_run(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text("from inner import f\ndef g(x: int) -> int: return x")
    (tmp_path / "inner.py").write_text("def f(x: int) -> int: return x")
    code = """
import sys, typechecker
typechecker.install(sys.argv[1:])
import outer
for call in (outer.f, outer.g):
    try:
        call("1")
    except Exception as error:
        print(call.__name__, type(error).__name__)
"""
    folder = Path(typechecker.__file__).parent
    where = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    where["PYTHONPATH"] = os.pathsep.join(map(str, [folder.parent, folder, tmp_path]))
    for names, told in (("outer", "g"), ("inner", "f"), ("outer", "g"), ("inner outer", "f g")):
        command = [sys.executable, "-c", code, *names.split()]
        done = subprocess.run(command, env=where, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [word for f in told.split() for word in (f, "TypeCheckError")]


def test_code_that_a_proof_asks_for_is_not_kept_for_others(tmp_path: Path) -> None:
    (tmp_path / "asked.py").write_text("def f(x: int) -> int: return x")
    checked = "import typechecker; typechecker.install(['asked']); import asked\n"
    checked += "assert asked.__loader__.get_code('asked') is not None"
    folder = Path(typechecker.__file__).parent
    where = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    where["PYTHONPATH"] = os.pathsep.join(map(str, [folder.parent, folder, tmp_path]))
    for code in (checked, "import asked; assert asked.f('1') == '1'"):
        subprocess.run([sys.executable, "-c", code], env=where, check=True)


def test_only_what_asks_for_frames_is_left_out() -> None:
    """Checking what Python calls at each step of code made proofs three times as dear."""
    code = """
import typechecker
typechecker.install(["theory.incentives.proving._machine"])
from theory.incentives.proving._machine import Machine
named = vars(Machine)
print(*(name for name in ("run", "constant", "look_up", "_go_on", "interpret")
        if hasattr(named[name], "__wrapped__")))
"""
    folder = Path(typechecker.__file__).parent
    where = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder.parent), str(folder)])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=where, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["run", "constant"]


@pytest.mark.parametrize("chosen", ["some", "10", "", "-1"])
def test_an_unknown_choice_is_refused(chosen: str) -> None:
    with pytest.raises(ValueError, match="give all, none or a digit"):
        typechecker.modules(chosen)


def test_kinds_of_array_are_those_that_are_checked() -> None:
    assert shapes.Int64 is jaxtyping.Int64


def test_a_method_may_speak_of_its_own_class() -> None:
    class Pair:
        @jaxtyping.jaxtyped(typechecker=typechecker.checked)
        def scaled(self, by: int) -> Self:
            return self

    wrong: Any = "2"
    pair = Pair()
    assert pair.scaled(2) is pair
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'by'"):
        pair.scaled(wrong)


ROWS = """
import typechecker
typechecker.install(["summed"])
import numpy as np
from summed import Held, added, doubled, named, several
for call in (
    lambda: added(np.zeros(2), np.zeros(3)),
    lambda: added(np.zeros(2), b="no array"),
    lambda: doubled(np.zeros(2), 3),
    lambda: named("a", number="1"),
    lambda: named(1),
    lambda: named("a", 2, 3),
    lambda: named("a", 2),
    lambda: several(1, "2"),
    lambda: several(1, 2, more=3),
    lambda: several(1, 2, by=1),
    lambda: Held("a", np.zeros(2), np.zeros(2)),
    lambda: Held(1, np.zeros(2), np.zeros(3)),
    lambda: Held(1, np.zeros(2), np.zeros(2)).scaled("2"),
    lambda: Held(1, np.zeros(2), np.zeros(2)).scaled(2),
    lambda: Held(1, np.zeros(2), np.zeros(2)).scaled(1),
    lambda: several(1, 2, by="3", other="4"),
    lambda: doubled(np.zeros(2), 2),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).split(chr(10))[0])
    else:
        print("passed")
"""


def test_arguments_results_and_sizes_are_checked_at_each_call(tmp_path: Path) -> None:
    """Sizes of arguments bind those of the result, and what cannot be called says so."""
    (tmp_path / "summed.py").write_text(
        "from dataclasses import dataclass\n"
        "import numpy as np\n"
        "from jaxtyping import Float\n"
        "def added(a: Float[np.ndarray, ' n'], b: Float[np.ndarray, ' n']) -> object:\n"
        "    return a + b\n"
        "def doubled(a: Float[np.ndarray, ' n'], by: int) -> Float[np.ndarray, ' n']:\n"
        "    return np.zeros(len(a) * by // 2)\n"
        "def named(name: str, number: int = 0) -> str:\n"
        "    return name if number == 0 else number\n"
        "def several(*numbers: int, by: str = '', **more: str) -> int:\n"
        "    return len(more)\n"
        "@dataclass(frozen=True)\n"
        "class Held:\n"
        "    number: int\n"
        "    a: Float[np.ndarray, ' n']\n"
        "    b: Float[np.ndarray, ' n']\n"
        "    def scaled(self, by: int) -> Float[np.ndarray, ' n']:\n"
        "        return self.a if by == 1 else self.number\n"
    )
    folder = Path(typechecker.__file__).parent
    where = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, [folder.parent, folder, tmp_path])),
    }
    done = subprocess.run(
        [sys.executable, "-c", ROWS], env=where, capture_output=True, text=True, check=True
    )
    words = "TypeCheckError Type-check error whilst checking the"
    parameters, returned = f"{words} parameters of summed", f"{words} return value of summed"
    assert [line.rstrip(".") for line in done.stdout.splitlines()] == [
        f"{parameters}.added",
        f"{parameters}.added",
        f"{returned}.doubled",
        f"{parameters}.named",
        f"{parameters}.named",
        "TypeError too many positional arguments",
        f"{returned}.named",
        f"{parameters}.several",
        f"{parameters}.several",
        f"{parameters}.several",
        f"{parameters}.Held.__init__",
        f"{parameters}.Held.__init__",
        f"{parameters}.Held.scaled",
        f"{returned}.Held.scaled",
        "passed",
        "passed",
        "passed",
    ]
