"""Run pytest in one folder, each time in a fork that has the libraries loaded.

Reads jobs from its standard input and answers each on its standard output, one line of JSON a job.
Loading the libraries takes longer than most tests that kill a mutant.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
from typing import Any

running = 0
master = os.getppid()

PATIENCE = 8
"""A limit is in seconds of work; this many times as long may pass on a clock."""


class Chosen:
    """A plugin of pytest: runs the chosen tests in their order, and keeps what became of them."""

    def __init__(self, ranks: dict[str, int] | None) -> None:
        self.ranks = ranks
        self.failed: list[str] = []
        self.tests: dict[str, dict[str, Any]] = {}
        self.imported: list[int] = []

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        self.imported = self.noted()
        if self.ranks is not None:
            ranks = self.ranks
            items[:] = [item for item in items if item.nodeid in ranks]
            items.sort(key=lambda item: ranks[item.nodeid])

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.noted()
        self.tests[nodeid] = {"seconds": worked(), "passed": True, "blocks": []}

    def pytest_runtest_logreport(self, report: Any) -> None:
        test = self.tests[report.nodeid]
        if report.failed:
            self.failed.append(report.nodeid)
        if not report.passed:
            test["passed"] = False

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        test = self.tests[nodeid]
        test["seconds"] = round(worked() - test["seconds"], 2)
        test["blocks"] = self.noted()

    @staticmethod
    def noted() -> list[int]:
        """Return the blocks that ran since the last call."""
        marks = sys.modules.get("mutation_marks")
        if marks is None:
            return []
        found = [number for number, ran in enumerate(marks.seen) if ran]
        marks.seen[:] = bytes(len(marks.seen))
        return found


def worked() -> float:
    """Return the seconds of work of this process and of those it waited for: load adds nothing."""
    return sum(os.times()[:4])


def child(job: dict[str, Any]) -> None:
    """Run a job and leave its outcome in a file."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (job["limit"], job["limit"] + 5))
    output = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if job.get("numba"):
        os.environ["NUMBA_CACHE_DIR"] = job["numba"]
        if config := sys.modules.get("numba.core.config"):
            config.reload_config()
    import pytest

    chosen = Chosen(None if job["ranks"] is None else job["ranks"])
    status = int(pytest.main(job["arguments"], plugins=[chosen]))
    outcome = {
        "status": status,
        "failed": chosen.failed,
        "tests": chosen.tests,
        "imported": chosen.imported,
    }
    with open(job["outcome"], "w", encoding="utf-8") as file:
        json.dump(outcome, file)


def stop(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Run a job in a fork; say how it ended."""
    global running  # noqa: PLW0603
    with contextlib.suppress(FileNotFoundError):
        os.unlink(job["outcome"])
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            child(job)
            status = 0
        finally:
            sys.stdout.flush()
            os._exit(status)
    running = pid
    ended = "finished"
    while (status := os.waitpid(pid, os.WNOHANG)) == (0, 0):
        if os.getppid() != master:  # it was killed: nobody will read the answer
            end()
        if time.monotonic() - began > PATIENCE * job["limit"]:
            stop(pid)
            os.waitpid(pid, 0)
            ended = "timed out"
            break
        time.sleep(0.02)
    stop(pid)
    running = 0
    if os.WIFSIGNALED(status[1]) and os.WTERMSIG(status[1]) in {signal.SIGXCPU, signal.SIGKILL}:
        ended = "timed out"
    elif ended == "finished" and not os.path.exists(job["outcome"]):
        ended = "crashed"
    return {"ended": ended, "seconds": round(time.monotonic() - began, 2)}


def end(*_: object) -> None:
    if running:
        stop(running)
    os._exit(143)


def main() -> None:
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path.pop(0)
    for name in sys.argv[1:]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
