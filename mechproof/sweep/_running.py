"""Run a check at every cell of a grid."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any

from mechproof.sweep._cells import cell_run, name_of
from mechproof.sweep._grid import Grid
from mechproof.sweep._keeping import header, read, writing
from mechproof.sweep._result import CellResult, SweepResult
from mechproof.sweep._scalars import scalars, text_of

__all__ = ["load_sweep", "run_sweep"]

Progress = Callable[[int, int], None]


def run_sweep(
    grid: Grid,
    check: Callable[..., Any],
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    results: str | PathLike[str] | None = None,
    seed: int = 0,
    batch: int | None = None,
    retry_errors: bool = False,
    progress: Progress | None = None,
) -> SweepResult:
    """Run a check at every cell of a grid."""
    run = cell_run(grid, check, seed)
    said = header(grid, name_of(check), seed)
    if results is None:
        rows: dict[int, CellResult] = {}
        for i in range(len(grid)):
            rows[i] = _row(grid, i, run(grid.values_at(i)))
    else:
        with writing(Path(results), said) as file:
            rows = file.rows
            for i in range(len(grid)):
                if i not in rows:
                    outcome = run(grid.values_at(i))
                    file.append(i, text_of(grid[i]), outcome)
                    rows[i] = _row(grid, i, outcome)
    return SweepResult(grid, tuple(rows[i] for i in sorted(rows)), name_of(check), seed)


def load_sweep(path: str | PathLike[str]) -> SweepResult:
    """Return what a results file holds, whether its sweep is finished or not."""
    kept = read(Path(path))
    rows = tuple(kept.rows[i] for i in sorted(kept.rows))
    return SweepResult(kept.grid, rows, str(kept.header.get("check")), kept.header.get("seed", 0))


def _row(grid: Grid, index: int, outcome: str) -> CellResult:
    found = json.loads("{" + outcome + "}")
    values = scalars(found["values"]) if "values" in found else None
    return CellResult(grid[index], values, found.get("error", ""))
