"""One call in a fresh process: `python -m benchmarks --alone ID SIDE` prints one line of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import msgspec

from .row import Bench, Growth, Ladder, Work

__all__ = ["Alone", "Outcome", "do_alone", "in_a_process", "peak_megabytes", "run_python"]

ROOT = Path(__file__).resolve().parents[2]


class Outcome(msgspec.Struct, frozen=True):
    """Seconds of the call, and of the process that made it; or why there are none."""

    seconds: float | None = None
    process: float | None = None
    megabytes: float | None = None
    problem: str = ""
    refused: bool = False
    late: bool = False


Alone = Callable[[str, str, float], Outcome]
"""From a row, a side and a limit in seconds."""


def in_a_process(row: str, side: str, limit: float) -> Outcome:
    """The clock of the whole process starts here; it is killed at the limit."""
    command = [sys.executable, "-m", "benchmarks", "--alone", row, side]
    start = perf_counter()
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=_environment(), capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return Outcome(late=True, problem=f"over {limit:g} s")
    process = perf_counter() - start
    try:
        found = msgspec.json.decode(done.stdout.splitlines()[-1], type=Outcome)
    except (IndexError, msgspec.DecodeError):
        told = done.stderr.decode(errors="replace").strip().splitlines()
        return Outcome(problem=told[-1] if told else f"exit status {done.returncode}")
    return msgspec.structs.replace(found, process=process)


def run_python(*words: str, limit: float | None = None, **environment: str) -> str:
    """What a process of this Python prints, which finds this checkout.

    Raises
    ------
    RuntimeError
        When it fails; with the last line that it wrote on stderr.
    subprocess.TimeoutExpired
        When it is killed at the limit.
    """
    given = _environment() | environment
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=given,
        capture_output=True,
        timeout=limit,
        check=False,
    )
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"exit status {done.returncode}: {told[-1] if told else 'no word'}")
    return done.stdout.decode()


def _environment() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def do_alone(bench: Bench, side: str, clock: Callable[[], float] = perf_counter) -> str:
    """Do the work once, in this process, and return the line."""
    from theory.errors import LimitError

    try:
        work = _work(bench, side)
        start = clock()
        work()
        found = Outcome(seconds=clock() - start, megabytes=peak_megabytes())
    except LimitError as refused:
        found = Outcome(problem=str(refused), refused=True)
    except Exception as error:
        found = Outcome(problem=f"{type(error).__name__}: {error}")
    return json.dumps(msgspec.to_builtins(found))


def _work(bench: Bench, side: str) -> Work:
    if isinstance(bench, Ladder):
        method, step = side.rsplit(":", 1)
        for number, (_, work) in enumerate(bench.steps(method)):
            if number == int(step):
                return work
        raise LookupError(f"{bench.id} has no step {side}")
    if isinstance(bench, Growth):
        raise LookupError(f"{bench.id} is measured in one process")
    if bench.prepare is not None:
        bench.prepare()
    return bench.sides[side]


def peak_megabytes() -> float | None:
    """Most memory of this process. On Linux `getrusage` counts what its parent had, too."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # Windows has no such count
        return None
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilobyte / 1e6
