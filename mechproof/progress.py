"""Show how a run goes on: live bars on a terminal, and what is found as it comes.

``with property_bar() as progress: check_mechanism(…, progress=progress)`` does it for properties.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, RLock, Thread

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed

from mechproof.run import ClaimResult, Watcher
from theory.shared.printable import printable

__all__ = ["Bars", "ShowResults", "TimeLeft", "counting", "estimating", "property_bar", "watching"]

_BETWEEN_PICTURES = 0.25
_COLUMNS = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    MofNCompleteColumn(),
    Elapsed(),
)


Show = Callable[[ClaimResult], None]


def _show_nothing(result: ClaimResult) -> None:
    """Show nothing of a result."""


class ShowResults(Watcher):
    """Shows every result as it comes."""

    def __init__(self, show: Show) -> None:
        self._show = show

    def finish(self, result: ClaimResult) -> None:
        """Show a result."""
        self._show(result)


class Bars(Watcher):
    """A bar for the run and one for every claim that is running; results are shown above them.

    ``drawing`` is held while the bars are drawn.
    """

    def __init__(
        self, total: int, bars: Progress, drawing: AbstractContextManager[object], show: Show
    ) -> None:
        self._bars = bars
        self._drawing = drawing
        self._show = show
        self._run = bars.add_task("verify", total=total)
        self._running: dict[str, TaskID] = {}
        self._finished: set[str] = set()

    def progress(self, claim_id: str, done: int, total: int) -> None:
        """Move the bar of a claim; its first report makes it appear, a late one is dropped."""
        if claim_id in self._finished:
            return
        with self._drawing:
            if claim_id not in self._running:
                self._running[claim_id] = self._bars.add_task(
                    f"  {printable(claim_id)}", total=None
                )
            if total:
                self._bars.update(self._running[claim_id], completed=done, total=total)

    def finish(self, result: ClaimResult) -> None:
        """Take the bar of a claim away, move that of the run, and show the result."""
        self._finished.add(result.claim.id)
        with self._drawing:
            bar = self._running.pop(result.claim.id, None)
            if bar is not None:
                self._bars.remove_task(bar)
            self._bars.advance(self._run)
            self._show(result)


@contextmanager
def watching(total: int, show: Show = _show_nothing) -> Iterator[Watcher]:
    """Give a watcher that shows every result as it comes, with bars below on a terminal.

    The bars are drawn on standard error. Where that and standard output are both a terminal, they
    are drawn on standard output, so that what is printed there meanwhile stands above them.
    """
    console = Console(stderr=True)
    if not console.is_interactive:
        yield ShowResults(show)
        return
    on_one = sys.stdout.isatty()
    if on_one:
        console = Console()
    with (
        Progress(
            *_COLUMNS, console=console, transient=True, auto_refresh=False, redirect_stdout=on_one
        ) as bars,
        _redrawn(bars) as drawing,
    ):
        yield Bars(total, bars, drawing, show)


@contextmanager
def _redrawn(bars: Progress) -> Iterator[AbstractContextManager[object]]:
    """Redraw the bars four times a second, but never while somebody holds the lock.

    The thread that rich has for this may draw over what is printed at the same time.
    """
    drawing, over = RLock(), Event()

    def redraw() -> None:
        while not over.wait(_BETWEEN_PICTURES):
            with drawing:
                bars.refresh()

    thread = Thread(target=redraw, daemon=True)
    thread.start()
    try:
        yield drawing
    finally:
        over.set()
        thread.join()


@contextmanager
def property_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Give what ``check_mechanism`` takes as ``progress``: a bar for the property under way.

    It is drawn to standard error on a terminal and taken away at the end; elsewhere nothing is.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda name, done, total: None
        return
    with Progress(*_COLUMNS, console=console, transient=True) as bars:
        running: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in running:
                for task in running.values():
                    bars.remove_task(task)
                running.clear()
                running[name] = bars.add_task(printable(name))
            bars.update(running[name], completed=done, total=total)

        yield show


@contextmanager
def counting(name: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function of how many of how many tasks are done: a bar, or elsewhere a line a tenth.

    Both go to standard error.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        said = -1

        def say(done: int, total: int) -> None:
            nonlocal said
            if total and (tenth := 10 * done // total) > said:
                said = tenth
                print(f"{name}: {done} of {total}", file=sys.stderr, flush=True)

        yield say
        return
    with Progress(*_COLUMNS, console=console, transient=True) as bars:
        task = bars.add_task(name, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


class TimeLeft:
    """How long the rest takes, at the pace of what was done since the first report.

    What was done before that, as in a run that is gone on with, took no time and does not count.
    ``clock`` tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start: tuple[int, float] | None = None

    def after(self, done: int, total: int) -> str:
        """Return it in words, such as "about 3 min left"; nothing before the first is done."""
        now = self._clock()
        if self._start is None:
            self._start = (done, now)
        before, start = self._start
        if done >= total or done <= before:
            return ""
        return f"about {_duration((now - start) / (done - before) * (total - done))} left"


@contextmanager
def estimating(name: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function of how many of how many cells are done, which says how long the rest takes.

    On a terminal there is a bar, elsewhere a line a tenth; both go to standard error.
    """
    console, left = Console(stderr=True), TimeLeft()
    if not console.is_terminal:
        said = -1

        def say(done: int, total: int) -> None:
            nonlocal said
            rest = left.after(done, total)
            if total and (tenth := 10 * done // total) > said:
                said = tenth
                line = f"{name}: {done:,} of {total:,}" + (f", {rest}" if rest else "")
                print(line, file=sys.stderr, flush=True)

        yield say
        return
    columns = (*_COLUMNS, TextColumn("{task.fields[rest]}"))
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(name, total=None, rest="")

        def show(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total, rest=left.after(done, total))

        yield show


def _duration(seconds: float) -> str:
    """Return a time in its largest unit, or the largest two where the first is small."""
    if seconds < 99.5:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:.1f} days"
