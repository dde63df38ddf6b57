"""10,000 cells, and what becomes of them when workers and programs are killed half-way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from time import monotonic, sleep

import pytest

from dev import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals to groups are Unix")

HERE = Path(__file__).parent
PROGRAM = HERE / "sweep_engine_runs.py"
CELLS = 10_000


def sweep(folder: Path, name: str, jobs: int, *event: str) -> subprocess.CompletedProcess[str]:
    """Start the program in a group of its own; it heeds Ctrl-C even where we do not."""
    return subprocess.run(
        [sys.executable, "-W", "error", PROGRAM, folder, name, str(jobs), *event],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        start_new_session=True,
        timeout=120,
        check=False,
    )


def logged(folder: Path, name: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return cells and processes, before the event and after it."""
    lines = (folder / f"{name}.log").read_text().splitlines()
    at = lines.index("now 0") if "now 0" in lines else len(lines)
    before, after = lines[:at], lines[at + 1 :]
    pairs = [[(int(a), int(b)) for a, b in map(str.split, part)] for part in (before, after)]
    return pairs[0], pairs[1]


def recorded(folder: Path, name: str) -> list[int]:
    """Return the indices in a results file, read without the code that is tested."""
    whole = (folder / f"{name}.jsonl").read_bytes().split(b"\n")[1:-1]
    return [json.loads(line)["index"] for line in whole]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sweeps")
    done = sweep(made, "serial", 1)
    assert done.returncode == 0, done.stderr
    return made


def same_as_serial(folder: Path, name: str) -> None:
    """Compare cell for cell, types and all, and see that each is recorded once."""
    serial, found = (folder / f"{n}.rows" for n in ("serial", name))
    for ours, theirs in zip(*(p.read_text().splitlines() for p in (found, serial)), strict=True):
        assert ours == theirs
    assert sorted(recorded(folder, name)) == list(range(CELLS))


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def leaves_no_process(folder: Path, name: str, least: int) -> None:
    """See that workers end, too, soon after what started them, even if nothing tells them so."""
    before, after = logged(folder, name)
    processes = {process for _, process in before + after}
    assert len(processes) >= least
    end = monotonic() + 60
    while any(map(is_there, processes)):
        assert monotonic() < end, f"of {processes} some are there"
        sleep(0.05)


def test_the_serial_run_is_what_the_others_are_compared_with(folder: Path) -> None:
    before, after = logged(folder, "serial")
    assert [cell for cell, _ in before] == list(range(CELLS))
    assert not after
    rows = (folder / "serial.rows").read_text().splitlines()
    assert len(set(rows)) == CELLS
    assert "'exact': Fraction(2, 9)" in rows[202]
    assert sum("ValueError: cell" in row for row in rows) == 11


def test_a_killed_worker_changes_nothing(folder: Path) -> None:
    done = sweep(folder, "worker", 2, "worker", "3000")
    assert done.returncode == 0, done.stderr
    same_as_serial(folder, "worker")
    victim = int((folder / "worker.victim").read_text())
    before, after = logged(folder, "worker")
    first = dict(reversed(before + after))
    again = [cell for cell, times in Counter(c for c, _ in before + after).items() if times > 1]
    assert {first[cell] for cell in again} <= {victim}, "only its cells are run again"
    assert len(again) < CELLS // 10
    kept = recorded(folder, "worker")[:3000]
    assert not set(kept) & {cell for cell, _ in after}, "no cell recorded by then is run again"
    assert victim in {process for _, process in before}
    assert len({process for _, process in before + after}) == 3, "another took its place"
    leaves_no_process(folder, "worker", 3)


@pytest.mark.parametrize(("event", "status"), [("interrupt", signal.SIGINT), ("kill", 9)])
def test_a_sweep_that_ended_early_is_gone_on_with(folder: Path, event: str, status: int) -> None:
    done = sweep(folder, event, 2, event, "4000")
    assert done.returncode == -status, done.stderr
    kept = recorded(folder, event)
    before, after = logged(folder, event)
    ran = {cell for cell, _ in before + after}
    assert 4000 <= len(kept) < CELLS
    assert set(kept) <= ran
    if event == "interrupt":
        assert set(kept) == ran, "what was under way is recorded"
        assert "KeyboardInterrupt" in done.stderr.splitlines()[-1]
    leaves_no_process(folder, event, 2)
    (folder / f"{event}.log").unlink()
    resumed = sweep(folder, event, 2)
    assert resumed.returncode == 0, resumed.stderr
    leaves_no_process(folder, event, 2)
    again, _ = logged(folder, event)
    assert sorted(cell for cell, _ in again) == sorted(set(range(CELLS)) - set(kept))
    same_as_serial(folder, event)
