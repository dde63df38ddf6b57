"""How much time and memory solving may take, kept by the system where it can."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from mechproof.problems.format.reading import DocumentError
from theory.errors import MechproofError

__all__ = ["MEMORY", "SECONDS", "SolveLimits", "can_limit"]

SECONDS: Final = 60.0
"""How long a problem may take, unless it is said."""
MEMORY: Final = 2_000
"""How many megabytes solving may take, unless it is said."""

_LOOKS: Final = 0.02
"""Seconds between two looks at the memory."""
_TOO_LARGE: Final = 3
"""Status of a process that ends itself because of its memory."""
_DIE_WITH_PARENT: Final = 1
"""Linux's PR_SET_PDEATHSIG."""
_MEGABYTE: Final = 1 << 20

_TOO_MUCH: Final = "takes more memory than there is: give a smaller problem, or allow more"

Task = TypeVar("Task")
Found = TypeVar("Found")


def can_limit() -> bool:
    """Whether this system can keep limits: Linux and macOS can, Windows cannot."""
    return hasattr(os, "fork")


class SolveLimits:
    """Limits of one command.

    Problems are solved in another process. The system ends it when the time of a problem is up,
    whatever it does, and the next problem gets a new process. Linux refuses it memory beyond the
    limit; elsewhere it looks at its memory, and ends itself. On Windows there are no limits.

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

    @contextmanager
    def kept(self, answer: Callable[[Task], Found]) -> Iterator[Callable[[Task], Found]]:
        """Yield a function that answers as ``answer`` does, within the limits.

        It raises what ``answer`` raises, and a DocumentError where a limit was reached.
        """
        if not (self.seconds or self.memory):
            yield answer
            return
        apart = _SeparateProcess(answer, self)
        passed_over = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
        if passed_over:  # by whoever started this: the system would keep no status of a process
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        try:
            yield apart
        finally:
            apart.end()
            if passed_over:
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    def explain_end(self, status: int) -> str:
        """Return why a process ended with this status before it answered."""
        if status == -signal.SIGALRM:
            return f"takes more than {self.seconds:g} s: give a smaller problem, or more --seconds"
        if status == _TOO_LARGE:
            return f"takes more than {self.memory:,} MB: give a smaller problem, or more --memory"
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        fix = "give a smaller problem, or more --memory"
        return f"was not solved, its process was ended by {name}: {fix}"


class _SeparateProcess(Generic[Task, Found]):
    """A function that is computed in another process, a new one whenever one has ended."""

    def __init__(self, answer: Callable[[Task], Found], limits: SolveLimits) -> None:
        self._answer = answer
        self._limits = limits
        self._pid = 0

    def __call__(self, task: Task) -> Found:
        if not self._pid:
            self._start()
        try:
            self._pipe.send(task)
            succeeded, found = self._pipe.recv()
        except (EOFError, OSError):  # only the end of the process closes the pipe
            status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            self._pid = 0
            self._pipe.close()
            raise DocumentError(self._limits.explain_end(status), path="$") from None
        if not succeeded:
            raise found
        answered: Found = found
        return answered

    def end(self) -> None:
        """End the process, if there is one."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pipe.close()

    def _start(self) -> None:
        self._pipe, pipe = Pipe()
        parent = os.getpid()
        with warnings.catch_warnings():  # of the threads of NumPy and JAX, which do nothing here
            warnings.simplefilter("ignore")
            self._pid = os.fork()
        if self._pid:
            pipe.close()
            return
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this one
            _die_with(parent)
            self._pipe.close()
            _limit_memory(self._limits.memory)
            self._serve(pipe)
        except MemoryError:  # none was left to answer so
            os._exit(_TOO_LARGE)
        finally:
            os._exit(1)

    def _serve(self, pipe: Connection) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the system ends the process
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        while True:
            task = pipe.recv()
            signal.setitimer(signal.ITIMER_REAL, self._limits.seconds)
            found: Any
            try:
                found = True, self._answer(task)
            except MechproofError as error:
                found = False, error
            except MemoryError:
                found = False, DocumentError(_TOO_MUCH, path="$")
            except Exception as error:
                found = False, RuntimeError(f"while it was solved:\n{traceback.format_exc()}")
                if _is_of_memory(error):
                    found = False, DocumentError(_TOO_MUCH, path="$")
            signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send(found)


def _is_of_memory(error: Exception) -> bool:
    """Whether there was no room for a library, or the system says so in another way."""
    if isinstance(error, ImportError):
        return "failed to map segment" in str(error) or "cannot allocate memory" in str(error)
    return isinstance(error, OSError) and error.errno == errno.ENOMEM


def _die_with(parent: int) -> None:
    """Let the system end this process as soon as its parent has ended, where it does that.

    Elsewhere it ends once it has answered, or its time is up.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _limit_memory(megabytes: int) -> None:
    """Let the system refuse memory beyond what is taken now and so much more.

    Where it does not tell what is taken a thread watches, and ends the process.
    """
    if not megabytes:
        return
    taken = _address_space_taken()
    if not taken:
        threading.Thread(target=_watch, args=(_peak() + megabytes,), daemon=True).start()
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = [taken + megabytes * _MEGABYTE]
    wanted += [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(wanted), hard))


def _watch(most: int) -> None:
    while _peak() <= most:
        time.sleep(_LOOKS)
    os._exit(_TOO_LARGE)


def _peak() -> int:
    """Return how many megabytes of memory the process has taken at most."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (_MEGABYTE if sys.platform == "darwin" else 1024)


def _address_space_taken() -> int:
    """Return the bytes of address space that are taken; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
