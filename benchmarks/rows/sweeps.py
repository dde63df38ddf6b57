"""Sweeps over 10,000 cells that cost next to nothing: what a cell costs beyond its work (issue 9).

Beside a plain loop; beside a loop that writes each row to a file; and beside
``ProcessPoolExecutor.map`` in chunks of 100. Both of the last start two processes at each call;
ours finds the size of its batches itself, from one cell to a thousand. Ours checks that the check
fits the grid and can be sent, records exceptions, and replaces a process that dies; what it keeps
in a file can be gone on from. The engine alone, without grid, rows and file, stands beside loky.
"""

from __future__ import annotations

import json
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harness import Growth, Row, same

SIDE, JOBS, CHUNK = 100, 2, 100


def cheap(x: int, y: int) -> int:
    return x * y + 1


@cache
def grid(side: int = SIDE) -> Any:
    from mechproof.sweep import Grid

    return Grid({"x": range(side), "y": range(side)})


def cells(side: int = SIDE) -> Iterator[tuple[int, int]]:
    return product(range(side), range(side))


def values(result: Any) -> list[int]:
    assert not result.errors
    return list(result.column("value"))


def ours(jobs: int, side: int = SIDE) -> list[int]:
    from mechproof.sweep import run_sweep

    return values(run_sweep(grid(side), cheap, jobs=jobs))


def kept() -> list[int]:
    from mechproof.sweep import run_sweep

    with TemporaryDirectory() as folder:
        return values(run_sweep(grid(), cheap, jobs=1, results=Path(folder, "rows.jsonl")))


def loop(side: int = SIDE) -> list[int]:
    return [cheap(x, y) for x, y in cells(side)]


def loop_to_a_file() -> list[int]:
    found = []
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        with path.open("w", encoding="utf-8") as file:
            for x, y in cells():
                found.append(cheap(x, y))
                file.write(json.dumps({"x": x, "y": y, "value": found[-1]}) + "\n")
                file.flush()
    return found


def pool() -> list[int]:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(JOBS, mp_context=spawn) as executor:
        return list(executor.map(cheap, *zip(*cells(), strict=True), chunksize=CHUNK))


def done(task: int) -> int:
    return task * task + 1


def engine() -> list[int]:
    from mechproof.executing import ProcessPool, Sizes, carry_out

    pool = ProcessPool(pickle.dumps(done), JOBS)
    found: dict[int, Any] = dict(carry_out(pool, range(SIDE**2), sizes=Sizes(None)))
    return [found[task].value for task in range(SIDE**2)]


def loky() -> list[int]:
    from loky import ProcessPoolExecutor as Loky

    with Loky(JOBS) as executor:
        return list(executor.map(done, range(SIDE**2), chunksize=CHUNK))


def of_size(count: int) -> Callable[[], list[int]]:
    side = round(count**0.5)
    grid(side)
    return partial(ours, 1, side)


def loop_of_size(count: int) -> Callable[[], list[int]]:
    return partial(loop, round(count**0.5))


def rows() -> Iterator[Row | Growth]:
    for name, what, own, peer, peer_name, repeats in (
        ("here", "in this process", partial(ours, 1), loop, "a plain loop", 9),
        ("kept", "in this process, kept in a file", kept, loop_to_a_file, "a loop that writes", 9),
        ("processes", "in two processes", partial(ours, JOBS), pool, "ProcessPoolExecutor.map", 5),
    ):
        yield Row(
            id=f"sweeps.{name}",
            issue=9,
            work=f"10,000 cells that cost nothing, {what}",
            ours=own,
            peer=peer,
            peer_name=peer_name,
            agree=same,
            prepare=grid,
            repeats=repeats,
        )
    yield Row(
        id="sweeps.loky",
        issue=9,
        work="10,000 tasks that cost nothing, in two processes, the engine of sweeps alone",
        ours=engine,
        peer=loky,
        peer_name="loky, a new executor each time",
        needs=("loky",),
        agree=same,
        repeats=9,
    )
    yield Growth(
        id="sweeps.growth",
        issue=9,
        work="a sweep in this process, in its cells",
        sizes=(100, 900, 10_000, 90_000),
        ours=of_size,
        peer=loop_of_size,
        peer_name="a plain loop",
        agree=same,
    )
