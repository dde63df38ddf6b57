"""Settings and libraries that others would read from the current folder have no say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from dev import ROOT


def python(program: str, folder: Path, **settings: str | None) -> str:
    """Run a program in a folder, with variables set or, where None, taken away."""
    given: Mapping[str, str | None] = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    known = {name: value for name, value in given.items() if value is not None}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=folder,
        env=known,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_library_of_the_current_folder_is_loaded_for_z3(tmp_path: Path) -> None:
    z3 = pytest.importorskip("z3")
    for library in (Path(z3.__file__).parent / "lib").iterdir():
        (tmp_path / library.name).write_text("no library", encoding="utf-8")
    program = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda name, given: opened.append(given[0]) "
        "if name == 'ctypes.dlopen' else None)\n"
        "from theory.incentives import Reals, prove_mechanism\n"
        "given = {'types': Reals(0), 'agents': 1, 'properties': ['dsic'], 'solver': 'z3'}\n"
        "prove_mechanism(lambda b: (0, [0]), **given)\n"
        "print(*[str(name) for name in opened if 'z3' in str(name)], sep='\\n')"
    )
    opened = python(program, tmp_path).splitlines()
    assert opened
    assert all(os.path.isabs(name) and not name.startswith(str(tmp_path)) for name in opened)


@pytest.mark.parametrize("key", ["chrome_trace", "dump_html"])
def test_no_settings_of_the_current_folder_are_read_by_numba(tmp_path: Path, key: str) -> None:
    pytest.importorskip("yaml")
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    (tmp_path / ".numba_config.yaml").write_text(f"{key}: {victim}\n", encoding="utf-8")
    program = (
        "from theory.shared.compiling import _numba\n"
        "numba = _numba()\n"
        "print(numba.njit(lambda x: x + 1)(1), numba.core.config.CHROME_TRACE or '')\n"
        "import yaml"
    )
    assert python(program, tmp_path).split() == ["2"]
    assert victim.read_text(encoding="utf-8") == "precious"


def test_no_settings_of_the_current_folder_are_read_for_a_picture(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("svg.image_inline : False\n", encoding="utf-8")
    program = (
        "from mechproof import Grid, run_sweep\n"
        "cells = Grid({'a': [1, 2], 'b': [1, 2]})\n"
        "run_sweep(cells, lambda a, b: a * b, jobs=1).heat_map('a', 'b', 'value').draw('o.svg')"
    )
    python(program, tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["matplotlibrc", "o.svg"]


def test_where_nobody_has_a_home_nothing_is_kept_in_the_current_folder(tmp_path: Path) -> None:
    program = (
        "import pwd\n"
        "def nobody(*_): raise KeyError('nobody')\n"
        "pwd.getpwuid = nobody\n"
        "from theory.shared.compiling import cache_folder, kept_in\n"
        "import os; print(os.path.isabs(cache_folder()), os.path.isabs(kept_in()))\n"
        "from theory.incentives import FiniteTypes, Reals, check_mechanism\n"
        "check_mechanism(lambda b: (0, [0]), types=Reals(0), agents=1, properties=['dsic'])"
    )
    told = python(program, tmp_path, HOME=None, XDG_CACHE_HOME="caches", NUMBA_CACHE_DIR=None)
    assert told.split() == ["True", "True"]
    assert list(tmp_path.iterdir()) == []
