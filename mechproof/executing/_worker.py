"""What a worker process does: tasks, until it is told to stop or its parent is gone."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from functools import lru_cache
from threading import Lock, Thread
from typing import Any, Final

from mechproof.executing._messages import Outcome, Unsendable, settle

__all__ = [
    "DONE",
    "NOTE",
    "OURS",
    "READY",
    "SAFE_PATH",
    "SETTLED",
    "UNFIT",
    "do_batch",
    "tell",
    "work_for",
]

READY, UNFIT, NOTE, SETTLED, DONE = range(5)
SAFE_PATH: Final = "PYTHONSAFEPATH"
OURS: Final = "set by mechproof"
_SECONDS_KEPT: Final = 0.01
"""Outcomes are sent together that come in less than this."""
_up: Any = None
_sending = Lock()


def work_for(up: Any, pickled: bytes) -> None:
    """Do what comes through the connection ``up``, with the work that was pickled."""
    global _up  # noqa: PLW0603 - a worker is told where to report when it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.environ.get(SAFE_PATH) == OURS:  # it was for this process alone
        del os.environ[SAFE_PATH]
    _bind()
    _up = up
    try:
        try:
            work = pickle.loads(pickled)
        except Exception as error:
            _send(UNFIT, f"{type(error).__name__}: {error}")
            return
        _send(READY)
        while (batch := up.recv()) is not None:
            _do(work, batch)
    except (EOFError, OSError):
        return


def tell(note: Any) -> None:
    """Say something to the process that gave out the work; nowhere else is it heard."""
    if _up is not None:
        _send(NOTE, note)


def do_batch(
    work: Any, batch: tuple[tuple[int, Any], ...], *, bound: bool
) -> tuple[list[tuple[int, Outcome]], float]:
    """Do a batch on somebody else's executor; ``bound``: its process is to end with its parent."""
    if bound:
        _bind()
    start = time.perf_counter()
    done = [(index, settle(work, task)) for index, task in batch]
    return done, time.perf_counter() - start


@lru_cache(maxsize=1)
def _bind() -> None:
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however that came."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(work: Any, batch: tuple[tuple[int, Any], ...]) -> None:
    start = sent = time.perf_counter()
    settled: list[tuple[int, bytes]] = []
    for index, task in batch:
        if _up.poll():  # nothing but the wish that we end comes while we work
            break
        settled.append((index, _pickle_result(settle(work, task))))
        now = time.perf_counter()
        if now - sent >= _SECONDS_KEPT:
            _send(SETTLED, settled)
            settled, sent = [], now
    _send(SETTLED, settled)
    _send(DONE, time.perf_counter() - start)


def _send(*message: Any) -> None:
    with _sending:
        _up.send(message)


def _pickle_result(outcome: Outcome) -> bytes:
    try:
        return pickle.dumps(outcome)
    except Exception as error:
        return pickle.dumps(Unsendable(str(error)))
