"""Which files of tests ran to their end and passed, where others of the same run failed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

__all__ = ["SETTING", "Ended", "watch"]

SETTING = "MECHPROOF_PASSED_TO"
"""The environment variable that names the file for the list; no process below sees it."""


def watch(config: pytest.Config) -> None:
    """Write the list of this run if the environment asks for it."""
    if place := os.environ.pop(SETTING, None):
        config.pluginmanager.register(Ended(Path(place)))


class Ended:
    """Lists the files of which every collected test ended without a failure.

    Nothing is listed of a run that was interrupted or broke down, nor of one that fails without a
    test that does.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.collected: set[str] = set()
        self.ended: set[str] = set()
        self.failed: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected.update(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Iterable[str]) -> None:
        self.collected.update(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        if report.when == "teardown":  # the last that is said of a test
            self.ended.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == (pytest.ExitCode.TESTS_FAILED if self.failed else pytest.ExitCode.OK):
            wrong = files(self.failed | (self.collected - self.ended))
            self.place.write_text("\n".join(sorted(files(self.collected) - wrong)), "utf-8")


def files(tests: Iterable[str]) -> set[str]:
    """Return the files of some tests, below the root."""
    return {test.partition("::")[0] for test in tests}
