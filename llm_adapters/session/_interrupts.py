"""Ctrl-C during a single call: the answer that is under way is waited for, and recorded."""

from __future__ import annotations

import signal
import sys
from threading import Lock, Timer, current_thread, main_thread
from types import FrameType, TracebackType
from typing import Self

from llm_adapters.session._attempt_gate import AttemptGate

__all__ = ["InterruptGuard"]


class InterruptGuard:
    """While it is open in the main thread, Ctrl-C cancels the session, and is raised at the end.

    What runs has the grace of the session to end; after that, or at a second Ctrl-C, it is
    interrupted. In other threads, and where a program handles Ctrl-C itself, nothing is changed.
    No thread is started before Ctrl-C.
    """

    def __init__(self, gate: AttemptGate) -> None:
        self._gate = gate
        self._lock = Lock()
        self._timer: Timer | None = None
        self._interrupted = False
        self._open = False

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
        if not self._open:
            return
        try:
            with self._lock:
                self._open = False
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._interrupted and kind is not KeyboardInterrupt:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True
        self._gate.cancel()
        left = self._gate.grace_left()
        if left <= 0:
            raise KeyboardInterrupt
        self._timer = Timer(left, self._end)
        self._timer.daemon = True
        self._timer.start()

    def _end(self) -> None:
        with self._lock:
            if not self._open:
                return
            if sys.platform == "win32":
                signal.raise_signal(signal.SIGINT)
            else:
                thread = main_thread().ident
                if thread is not None:
                    signal.pthread_kill(thread, signal.SIGINT)
