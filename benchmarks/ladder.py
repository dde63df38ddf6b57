"""The largest instance that a method solves in a minute."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from typing import Any

from theory.errors import LimitError

__all__ = ["reached"]

MINUTE = 60
REFUSED = 2


def reached(steps: Iterable[tuple[str, Callable[[], Any]]]) -> str:
    """The last step that is done in a minute, each in a process of its own, and what comes then."""
    last = "nothing"
    for name, work in steps:
        process = get_context("spawn").Process(target=_step, args=(work,))
        process.start()
        process.join(MINUTE)
        if process.is_alive():
            process.kill()
            process.join()
            return f"{last}; {name}: over a minute"
        if process.exitcode == REFUSED:
            return f"{last}; {name}: refused"
        assert process.exitcode == 0, f"{name}: exit status {process.exitcode}"
        last = name
    return f"{last}, the top of the ladder"


def _step(work: Callable[[], Any]) -> None:
    try:
        work()
    except LimitError:
        sys.exit(REFUSED)
