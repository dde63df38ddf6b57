"""Sweep on a Dask cluster of two processes, one of which is killed, and say what came of it.

``python dask_sweep.py FOLDER`` prints one line of JSON; ``test_sweep_dask.py`` reads it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import dask.config
from distributed import Client, LocalCluster

from mechproof.sweep import Grid, load_sweep, run_sweep

CELLS = {"p": [Fraction(k, 7) for k in range(20)], "n": list(range(10))}


def share(p: Fraction, n: int, seed: int) -> dict[str, Fraction | int]:
    """Refuse one cell."""
    if p == 1 and n == 3:
        raise ValueError("not here")
    return {"power": p**n, "chance": seed % 1000}


def pids(client: Any) -> set[int]:
    return set(client.run(os.getpid).values())


def die_at_two(n: int) -> int:
    """Kill the process at one cell, every time."""
    if n == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


def main(folder: Path) -> dict[str, object]:
    grid = Grid(CELLS)
    alone = run_sweep(grid, share, jobs=1, seed=5)
    (folder / "lethal").touch()

    def lethal(p: Fraction, n: int, seed: int) -> dict[str, Fraction | int]:
        """Kill its process at one cell, the first time; a closure, which only Dask can send."""
        if p == Fraction(4, 7) and n == 5:
            try:
                (folder / "lethal").unlink()
            except FileNotFoundError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return share(p, n, seed)

    dask.config.set(
        {
            "distributed.scheduler.allowed-failures": 0,
            "distributed.comm.timeouts.connect": "120s",  # machines of tests are busy
            "distributed.comm.timeouts.tcp": "120s",
        }
    )
    quietly: dict[str, Any] = {"dashboard_address": None, "local_directory": str(folder)}
    told: list[tuple[int, int]] = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **quietly) as cluster,
        Client(cluster) as client,
    ):
        before = pids(client)
        found = run_sweep(
            grid,
            lethal,
            executor=client.get_executor(pure=False),
            results=folder / "rows.jsonl",
            seed=5,
            batch=7,
            progress=lambda done, total: told.append((done, total)),
        )
        client.wait_for_workers(2)
        after = pids(client)
        deadly = run_sweep(
            Grid({"n": range(6)}), die_at_two, executor=client.get_executor(pure=False), batch=3
        )
    return {
        "died": not (folder / "lethal").exists(),
        "survivors": len(before & after),
        "cells": len(found.rows),
        "same": found.rows == alone.rows,
        "kept": load_sweep(folder / "rows.jsonl").rows == alone.rows,
        "errors": [row.error for row in found.errors],
        "told": told[-1],
        "deadly": [row.error or (row.values or {})["value"] for row in deadly.rows],
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
