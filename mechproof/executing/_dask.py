"""Submitting to a cluster of Dask, so that every future comes to an end.

The futures of Dask's own executor may stay pending for ever: when a worker dies that held a result
which was not yet fetched, and the task is given up when it is done again
(``distributed/cfexecutor.py`` of version 2026.8 takes that error for its own).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import suppress
from typing import Any

__all__ = ["client_of", "submit_call"]


def client_of(executor: Executor) -> Any:
    """Return the client that an executor of Dask hands its work to; None for other executors."""
    homes = {home.__module__.partition(".")[0] for home in type(executor).__mro__}
    return getattr(executor, "_client", None) if "distributed" in homes else None


def submit_call(
    executor: Executor, function: Callable[..., Any], *given: Any, **named: Any
) -> Future[Any]:
    """Submit a call to a cluster, under a name of its own, as the executor would.

    Raises
    ------
    RuntimeError
        When the executor is shut down.
    """
    if getattr(executor, "_shutdown", False):
        raise RuntimeError("cannot schedule new futures after shutdown")
    client = client_of(executor)
    options = {**getattr(executor, "_kwargs", {}), "pure": False}
    theirs = client.submit(function, *given, **named, **options)
    ours: Future[Any] = Future()

    def pass_on(future: Future[Any]) -> None:
        if future.cancelled() and not theirs.cancelled():
            theirs.cancel()

    ours.add_done_callback(pass_on)
    client.loop.add_callback(_settle, theirs, ours)
    return ours


async def _settle(theirs: Any, ours: Future[Any]) -> None:
    try:
        result = await theirs
    except BaseException as error:
        if theirs.cancelled():
            ours.cancel()
            return
        with suppress(InvalidStateError):
            ours.set_exception(error)
    else:
        with suppress(InvalidStateError):
            ours.set_result(result)
