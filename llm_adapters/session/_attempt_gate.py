"""Who may make an attempt now: the budget, the limit of concurrent attempts, and the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import NoReturn

from llm_adapters.errors import AdapterError, BudgetSpentError, CancelledError
from llm_adapters.session._budget_meter import AttemptCost, BudgetMeter
from llm_adapters.session._usage import Budget, Usage

__all__ = ["AttemptGate", "AttemptNotMade"]

_LOOK = 1.0  # seconds; where a wait cannot be interrupted, it ends as often as this


class AttemptNotMade(Exception):  # noqa: N818 - nobody sees it
    """An attempt that is not made, since another call of the same batch failed."""


class AttemptGate:
    """What all threads of a session share.

    Attributes
    ----------
    changed : threading.Condition
        Guards everything here, and is notified whenever somebody may have waited for a change.
    meter : BudgetMeter
    """

    def __init__(self, budget: Budget, concurrency: int, grace: float, recorded: bool) -> None:
        self.changed = Condition()
        self.meter = BudgetMeter(budget)
        self._concurrency = concurrency
        self._grace = grace
        self._recorded = recorded
        self._active = 0
        self._ended: AdapterError | None = None
        self._failure: Exception | None = None
        self._deadline: float | None = None

    # --- attempts

    def begin(
        self, agent: str, need: AttemptCost, halted: Callable[[], bool], *, retry: bool
    ) -> None:
        """Wait for a turn and for room in the budget, and take both.

        While attempts are under way, it is not known what they will use. So an attempt that may
        not fit beside them waits until they are done; it is refused only if it does not fit beside
        what is really used.

        Raises
        ------
        AttemptNotMade
            Where ``halted()`` is true.
        BudgetSpentError, CancelledError, RecordError
            Where the session has ended, or ends here since the attempt could exceed the budget.
        """
        with self.changed:
            while True:
                if halted():
                    raise AttemptNotMade
                self.refuse_if_ended()
                self._refuse_if_short(agent, need, 1)
                if self._active < self._concurrency and self.meter.has_room(need):
                    break
                self.changed.wait(_LOOK)
            self.meter.reserve(need)
            self.meter.add(agent, Usage(1, int(retry)))
            self._active += 1

    def settle(self, agent: str, need: AttemptCost, used: AttemptCost) -> None:
        """Put what an attempt used in the place of what was reserved for it."""
        with self.changed:
            self._active -= 1
            self.meter.release(need)
            usage = Usage(0, 0, used.input_tokens, used.output_tokens, used.money)
            self.meter.add(agent, usage)
            self.changed.notify_all()

    def charge(self, agent: str, usage: Usage) -> None:
        """Count what an answer of the record had used."""
        with self.changed:
            self.check(agent, usage)
            self.meter.add(agent, usage)

    def check(self, agent: str, usage: Usage) -> None:
        """Raise what :meth:`charge` would, and count nothing."""
        with self.changed:
            self.refuse_if_ended()
            need = AttemptCost(usage.input_tokens, usage.output_tokens, usage.money)
            self._refuse_if_short(agent, need, usage.calls)

    def wait(self, delay: float, halted: Callable[[], bool]) -> None:
        """Wait so many seconds, or until the session ends or ``halted()`` is true."""
        with self.changed:
            self.changed.wait_for(lambda: self._ended is not None or halted(), delay)

    def _refuse_if_short(self, agent: str, need: AttemptCost, calls: int) -> None:
        short = self.meter.shortfall(need, calls)
        if short:
            problem = f"the budget ends before the next call of {agent}, since {short}"
            self.end(BudgetSpentError(problem, ""))
            self._refuse()

    # --- the end

    @property
    def cancelled(self) -> bool:
        """Whether calls under way are waited for no longer than the grace."""
        return self._deadline is not None

    @property
    def failure(self) -> Exception | None:
        """The error that ended the session, or the last one that was noted before."""
        with self.changed:
            return self.reason() if self._failure is self._ended is not None else self._failure

    def end(self, error: AdapterError) -> None:
        """Let nothing new begin, because of an error; the first one counts."""
        with self.changed:
            if self._ended is None:
                self._ended = error
                self._failure = error
            self.changed.notify_all()

    def cancel(self) -> None:
        """Let nothing new begin, and nobody wait longer than the grace."""
        with self.changed:
            self._start_grace()
            where = "go on from its record" if self._recorded else "start it"
            self.end(CancelledError("the run is cancelled", f"{where} in a new session"))

    def close(self) -> None:
        """Let nothing new begin, and wait for what is under way, no longer than the grace."""
        with self.changed:
            self._start_grace()
            if self._ended is None:
                self._ended = CancelledError("the session is closed", "make a new one")
            self.changed.notify_all()
            self.changed.wait_for(lambda: not self._active, self.grace_left())

    def _start_grace(self) -> None:
        if self._deadline is None:
            self._deadline = time.monotonic() + self._grace

    def grace_left(self) -> float:
        """Return the seconds for which calls under way are still waited for."""
        end = self._deadline
        return self._grace if end is None else max(0.0, end - time.monotonic())

    def refuse_if_ended(self) -> None:
        """Raise the error that ended the session, if it has ended."""
        with self.changed:
            if self._ended is not None:
                self._refuse()

    def _refuse(self) -> NoReturn:
        raise self.reason()

    def reason(self) -> AdapterError:
        """Return why the session has ended, with what has been used by now."""
        with self.changed:
            ended = self._ended
            if ended is None:
                return CancelledError("the call was not made", "make it again")
            fix = ended.fix
            if isinstance(ended, BudgetSpentError):
                advice = "raise it, and go on from the record" if self._recorded else "raise it"
                fix = f"{advice}; so far: {self.meter.so_far()}"
            return type(ended)(ended.problem, fix)

    @contextmanager
    def note_errors(self) -> Iterator[None]:
        """Keep the error that a call ends with, unless the session has ended; Ctrl-C ends it."""
        try:
            yield
        except KeyboardInterrupt:
            self.cancel()
            raise
        except Exception as error:
            with self.changed:
                if self._ended is None:
                    self._failure = error
            raise
