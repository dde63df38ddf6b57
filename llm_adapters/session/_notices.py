"""What is said while an answer is waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

__all__ = ["TOLD_EVERY", "Notice", "waiting"]

Notice = Callable[[str], object]

TOLD_EVERY: Final = 10.0
"""Seconds between two lines about the same wait."""


@contextmanager
def waiting(notice: Notice | None, what: str, every: float) -> Iterator[None]:
    """Tell ``notice`` after every so many seconds that something is still waited for.

    The lines come from a thread of their own, since the one that waits cannot speak. What
    ``notice`` raises there ends the lines, and nothing else.
    """
    if notice is None:
        yield
        return
    over = Event()

    def tell() -> None:
        times = 0
        while not over.wait(every):
            times += 1
            try:
                notice(f"{what}, {times * every:g} s so far")
            except Exception:  # such as a terminal that is gone
                return

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
