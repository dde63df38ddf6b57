"""A sweep on a cluster of Dask, in a process of its own: no warning or thread of it stays here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dev import ROOT


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("dask")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("dask_sweep.py")), str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_a_killed_worker_changes_nothing(found: dict[str, Any]) -> None:
    assert found["died"], "no process was killed, so this shows nothing"
    assert found["survivors"] == 1
    assert found["cells"] == 200
    assert found["same"], "cell for cell as in the serial run"
    assert found["kept"], "and so is the results file"


def test_an_exception_is_recorded_where_it_was_raised(found: dict[str, Any]) -> None:
    (error,) = found["errors"]
    assert "ValueError: not here" in error
    assert "dask_sweep.py" in error


def test_progress_reaches_the_end(found: dict[str, Any]) -> None:
    assert found["told"] == [200, 200]


def test_the_cell_that_kills_every_process_is_named_and_the_others_are_run(
    found: dict[str, Any],
) -> None:
    outcomes = found["deadly"]
    assert "died" in outcomes.pop(2)
    assert outcomes == [0, 1, 3, 4, 5]
