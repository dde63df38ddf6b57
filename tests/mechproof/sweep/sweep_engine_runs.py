"""Sweeps over 10,000 cells that are interrupted and killed; started as programs of their own.

``python sweep_engine_runs.py FOLDER NAME JOBS [EVENT DONE]`` sweeps into ``FOLDER/NAME.jsonl``;
when so many cells are done, EVENT happens: ``worker`` (a worker process is killed), ``interrupt``
(Ctrl-C for the program and all its processes) or ``kill`` (``kill -9`` for the program alone). Each
run of a cell is a line of ``NAME.log``: the cell and the process. A program that ends writes its
rows to ``NAME.rows``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path

from mechproof.sweep import Grid, run_sweep

SIDE = 100
GRID = Grid({"x": range(SIDE), "y": [Fraction(k, 3) for k in range(SIDE)]})


def check(x: int, y: Fraction, seed: int, *, log: str) -> dict[str, object]:
    """Compute something exact, something inexact and something random; refuse a few cells."""
    cell = x * SIDE + int(3 * y)
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(file, f"{cell} {os.getpid()}\n".encode())
    os.close(file)
    if cell % 997 == 5:
        raise ValueError(f"cell {cell}")
    return {"exact": y / (x + 1), "inexact": x**0.5, "chance": seed, "large": y > x}


def happens(event: str, log: Path) -> None:
    """Make it happen, and say so in the log."""
    with log.open("a") as file:
        file.write("now 0\n")
    match event:
        case "worker":
            victim = multiprocessing.active_children()[0].pid
            assert victim is not None
            with log.with_suffix(".victim").open("w") as file:
                file.write(str(victim))
            os.kill(victim, signal.SIGKILL)
        case "interrupt":
            os.killpg(os.getpgrp(), signal.SIGINT)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, name: str, jobs: int, event: str = "", at: int = 0) -> None:
    """Run the sweep."""
    log = folder / f"{name}.log"

    def progress(done: int, total: int) -> None:
        if event and done == at:
            happens(event, log)

    found = run_sweep(
        GRID,
        partial(check, log=str(log)),
        jobs=jobs,
        results=folder / f"{name}.jsonl",
        progress=progress,
    )
    (folder / f"{name}.rows").write_text("".join(f"{row}\n" for row in found.rows))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder, name, jobs, *rest = sys.argv[1:]
    main(Path(folder), name, int(jobs), *rest[:1], at=int((rest[1:] or ["0"])[0]))
