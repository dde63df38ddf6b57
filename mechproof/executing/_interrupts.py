"""Ctrl-C once: begin nothing new, and wait for what is under way. Twice: end at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Self

__all__ = ["InterruptGuard"]


class InterruptGuard:
    """While it is open in the main thread, the first Ctrl-C is noted, and raised at the end.

    In other threads, and where a program handles Ctrl-C itself, nothing is changed.

    Parameters
    ----------
    wake : callable
        Called at the first Ctrl-C.
    """

    def __init__(self, wake: Callable[[], object] = lambda: None) -> None:
        self._wake = wake
        self._open = False
        self.interrupted = False

    def __enter__(self) -> Self:
        own = current_thread() is main_thread()
        if own and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)
            self._open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._open:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self.interrupted and kind is None:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        self._wake()
