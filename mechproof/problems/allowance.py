"""How much time and memory solving may take, kept by the system where it can."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

from mechproof.problems.reading import DocumentError

__all__ = ["MEMORY", "SECONDS", "Allowance", "can_limit"]

SECONDS: Final = 60.0
"""How long a problem may take, unless it is said."""
MEMORY: Final = 2_000
"""How many megabytes solving may take, unless it is said."""

_AGAIN: Final = 0.5
"""Seconds after which a problem is interrupted again, where the first time was swallowed."""
_GRACE: Final = 5.0
"""Seconds after which the process is ended, where a problem cannot be interrupted."""
_LOOKS: Final = 0.02
"""Seconds between two looks at the memory."""
_MEGABYTE: Final = 1 << 20


class _TimeIsUp(BaseException):  # nothing that catches exceptions may catch it
    """Raised in the middle of a problem."""


def can_limit() -> bool:
    """Whether this system can interrupt a problem: Linux and macOS can, Windows cannot."""
    return hasattr(signal, "setitimer")


class Allowance:
    """Limits of one command.

    A problem that takes too long is interrupted by a timer of the system. Memory is limited by the
    system on Linux. Beside both a thread watches: it ends the process, with a line that says why,
    where memory grows beyond the limit all the same, as on macOS, or where a problem goes on for
    some seconds after it was interrupted. On Windows there are no limits.

    Parameters
    ----------
    seconds : float
        For each problem; 0 is no limit.
    memory : int
        Megabytes on top of what the program itself takes; 0 is no limit.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds = seconds if can_limit() else 0.0
        self.memory = memory if can_limit() else 0
        self._alone = bool(self.memory) and not _address_space_taken()
        self._end = float("inf")
        self._over = threading.Event()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Limit the memory, and watch, until the command is done."""
        watcher = threading.Thread(target=self._watch, args=(_peak() + self.memory,), daemon=True)
        with _address_space(self.memory):
            if self.seconds or self.memory:
                watcher.start()
            try:
                yield
            finally:
                self._over.set()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Limit the time of one problem.

        Raises
        ------
        DocumentError
            When the time is up.
        """
        if not self.seconds or threading.current_thread() is not threading.main_thread():
            yield
            return
        started = time.monotonic()
        before: Any = signal.getsignal(signal.SIGALRM)
        others, interval = signal.getitimer(signal.ITIMER_REAL)
        try:
            signal.signal(signal.SIGALRM, _interrupt)
            self._end = started + self.seconds + _GRACE
            signal.setitimer(signal.ITIMER_REAL, self.seconds, _AGAIN)
            try:
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        except _TimeIsUp:
            pass
        else:
            return
        finally:
            self._end = float("inf")
            signal.signal(signal.SIGALRM, before)
            if others:
                left = max(others - (time.monotonic() - started), 1e-3)
                signal.setitimer(signal.ITIMER_REAL, left, interval)
        raise DocumentError(self._late, path="$")

    @property
    def _late(self) -> str:
        return f"takes more than {self.seconds:g} s: give a smaller problem, or more --seconds"

    def _watch(self, most: int) -> None:
        while not self._over.wait(_LOOKS):
            if self._alone and _peak() > most:
                _end(
                    f"takes more than {self.memory:,} MB: give a smaller problem, or more --memory"
                )
            if time.monotonic() > self._end:
                _end(self._late)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise _TimeIsUp


def _end(why: str) -> None:
    """End the process, whatever it does, with a line."""
    os.write(2, f"mechproof: $: {why}\n".encode())
    os._exit(2)


def _peak() -> int:
    """Return how many megabytes of memory the process has taken at most, 0 if nobody knows."""
    if not can_limit():
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (_MEGABYTE if sys.platform == "darwin" else 1024)


@contextmanager
def _address_space(megabytes: int) -> Iterator[None]:
    """Let the system refuse memory beyond what is taken now and so much more, where it does."""
    taken = _address_space_taken()
    if not megabytes or not taken:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = [taken + megabytes * _MEGABYTE]
    wanted += [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space_taken() -> int:
    """Return the bytes of address space that are taken; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
