"""Runs of pytest in a copy of the tree, through a worker that has the libraries loaded."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIBRARIES = (
    "pytest", "hypothesis", "beartype", "jaxtyping", "numpy", "scipy.optimize", "scipy.special",
    "scipy.stats", "sympy", "numba", "flint", "msgspec", "pydantic", "jinja2", "rich", "click",
)  # fmt: skip
"""Not JAX: it must not be loaded before a fork."""

SETTINGS = {
    "HYPOTHESIS_PROFILE": "ci",
    "PYTHONHASHSEED": "0",
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}
OPTIONS = (
    "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:pytest_cov",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",
    "-m", "not slow and not llm",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """How a run of pytest ended: finished, timed out or crashed."""

    ended: str
    seconds: float
    status: int = 0
    failed: tuple[str, ...] = ()
    tests: dict[str, dict[str, Any]] | None = None
    imported: tuple[int, ...] = ()
    said: str = ""


class Worker:
    """A process in a copy of the tree that runs pytest as often as it is asked to.

    `typechecked` says which modules check types and shapes at run time, as `tests/conftest.py`
    reads it.
    """

    def __init__(
        self, folder: Path, libraries: Sequence[str] = LIBRARIES, typechecked: str = "none"
    ) -> None:
        self.folder = folder
        self.libraries = libraries
        self.typechecked = typechecked
        self.process: subprocess.Popen[str] | None = None
        self.closed = False

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> subprocess.Popen[str]:
        script = str(Path(__file__).with_name("worker.py"))
        checks = {"MECHPROOF_TYPECHECKED": self.typechecked}
        env = {**os.environ, **SETTINGS, **checks, "PYTHONPATH": str(self.folder)}
        with (self.folder / ".mutation-worker.txt").open("w", encoding="utf-8") as errors:
            return subprocess.Popen(
                [sys.executable, script, *self.libraries],
                cwd=self.folder,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )

    def run(
        self,
        files: Sequence[str],
        order: Sequence[str] | None = None,
        *,
        options: Sequence[str] = (),
        limit: int = 3600,
        numba: Path | None = None,
    ) -> Run:
        """Run the tests of the files, or those named in `order`, one after the other.

        `limit` is in seconds of work.
        """
        if self.closed:
            raise RuntimeError(f"the worker in {self.folder} was ended")
        if self.process is None or self.process.poll() is not None:
            self.process = self.start()
        outcome, output = self.folder / ".mutation.json", self.folder / ".mutation.txt"
        job = {
            "arguments": [*OPTIONS, *options, f"--rootdir={self.folder}", *files],
            "ranks": None if order is None else {name: rank for rank, name in enumerate(order)},
            "limit": limit,
            "outcome": str(outcome),
            "output": str(output),
            "numba": str(numba or self.folder / ".numba"),
        }
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            errors = (self.folder / ".mutation-worker.txt").read_text("utf-8")
            raise RuntimeError(f"the worker in {self.folder} died:\n{errors[-2000:]}")
        answer = json.loads(line)
        said = output.read_text("utf-8", "replace")[-4000:] if output.exists() else ""
        if answer["ended"] != "finished":
            return Run(answer["ended"], answer["seconds"], said=said)
        found = json.loads(outcome.read_text("utf-8"))
        return Run(
            "finished",
            answer["seconds"],
            found["status"],
            tuple(found["failed"]),
            found["tests"],
            tuple(found["imported"]),
            said,
        )

    def close(self) -> None:
        """End the worker and what it runs."""
        self.closed = True
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self.process = None
