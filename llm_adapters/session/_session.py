"""The discipline of calls to models: budgets, retries, records, usage, cancellation."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, NoReturn, Self

from llm_adapters.errors import AdapterError, BudgetSpentError, MissingCapabilityError
from llm_adapters.files import read_path
from llm_adapters.journal import Journal
from llm_adapters.session._arguments import calls_of, read_instance, read_prices
from llm_adapters.session._attempt_gate import AttemptGate
from llm_adapters.session._batch import Batch
from llm_adapters.session._caller import Caller, Numbered
from llm_adapters.session._interrupts import InterruptGuard
from llm_adapters.session._missing_answer import explain_missing_answer
from llm_adapters.session._record import Record, open_record, read_record
from llm_adapters.session._retries import Retries, seconds
from llm_adapters.session._usage import Budget, Prices, Usage, usage_table
from llm_adapters.session.request import Answer, Call, Request, read_name
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.verdicts import Table

__all__ = ["Session"]


_AN_ATTEMPT: Final = 120.0
"""Seconds for an attempt where nothing is said."""


# --- What is held open and shared: in a with statement, by its copies, and in no file


class Closable(ABC):
    """Something that is closed at the end, and is its own copy."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __deepcopy__(self, memo: object) -> Self:
        """Return itself: copies of a participant spend from one budget, and write one record."""
        return self

    def __copy__(self) -> Self:
        """Return itself."""
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        fix = "make it anew where it is needed; what was answered is in its record"
        raise AdapterError("a session, and what uses one, is not written to a file", fix)


# --- The discipline of calls to models: budgets, retries, records, usage, cancellation


class Session(Closable):
    """Makes calls to models within a budget, makes them again where they fail, and records them.

    Every adapter makes its calls through a session; several may share one. A session may be used
    from several threads.

    Parameters
    ----------
    record : path, optional
        A file to which requests and answers are written. If it exists, its answers are used first,
        and the run goes on where it ended.
    replay : path, optional
        A record from which all answers come; no call is made.
    budget : Budget, optional
        The most that the whole run may use, what the record holds included. Calls that were never
        answered are not in the record, and what they used is not known to a run that goes on.
    prices : mapping from str to Prices, optional
        By model. A model without a price costs nothing; where the budget limits money, it is
        refused.
    retries : Retries, optional
    time_limit : float, optional
        Seconds for an attempt: 120 by default, or ``call_limit`` where that is longer.
    call_limit : float, optional
        Seconds for all attempts of a call and the pauses between them; left out, the attempts are
        limited one by one.
    concurrency : int
        The most attempts at a time.
    seed : int
        Of the pauses between attempts.
    grace : float
        Seconds that calls under way are waited for when the session is cancelled, by
        :meth:`cancel` or by Ctrl-C; a second Ctrl-C does not wait.
    pause : callable, optional
        Called with the seconds, in place of waiting for them between attempts.
    notice : callable, optional
        Told in a line of every attempt that failed and will be followed by another, and every ten
        seconds of an answer that is waited for. It may be called from any thread.

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind.
    RecordError
        Where the file cannot be read or written, is damaged, or is being written by another
        session; before any call is made.

    Examples
    --------
    >>> session = Session(budget=Budget(calls=1))
    >>> request = Request("buyer", "echo", "chat", {"text": "Hello"})
    >>> session.call(request, lambda seconds: Answer({"text": "Hello"})).body
    {'text': 'Hello'}
    >>> session.call(request, lambda seconds: Answer({"text": "Hello"}))
    Traceback (most recent call last):
    ...
    llm_adapters.errors.BudgetSpentError: the budget ends before the next call of buyer, since \
1 of 1 calls are made: raise it; so far: buyer 1 call
    """

    def __init__(
        self,
        *,
        record: str | os.PathLike[str] | None = None,
        replay: str | os.PathLike[str] | None = None,
        budget: Budget | None = None,
        prices: Mapping[str, Prices] | None = None,
        retries: Retries | None = None,
        time_limit: float | None = None,
        call_limit: float | None = None,
        concurrency: int = 8,
        seed: int = 0,
        grace: float = 5.0,
        pause: Callable[[float], object] | None = None,
        notice: Callable[[str], object] | None = None,
    ) -> None:
        if record is not None and replay is not None:
            fix = "give one of the two: record goes on with a file, replay only reads it"
            raise InvalidInputError("replay", str(replay), "is given beside record", fix)
        self._budget = read_instance("budget", budget, Budget)
        self._gate = AttemptGate(
            self._budget,
            read_count("concurrency", concurrency, 1),
            seconds("grace", grace),
            record is not None,
        )
        self._concurrency = concurrency
        limited = None if call_limit is None else seconds("call_limit", call_limit, above=True)
        if time_limit is None:
            time_limit = _AN_ATTEMPT if limited is None else max(_AN_ATTEMPT, limited)
        settings: dict[str, Any] = {
            "time_limit": seconds("time_limit", time_limit, above=True),
            "call_limit": limited,
            "seed": read_count("seed", seed, 0),
            "pause": pause,
            "notice": notice,
        }
        for name in ("pause", "notice"):
            if settings[name] is not None and not callable(settings[name]):
                raise InvalidInputError(name, settings[name], "cannot be called", "give a function")
        costs = read_prices(prices)
        again = read_instance("retries", retries, Retries)
        self._made: dict[bytes, int] = {}
        self._lacking: set[tuple[bytes, int]] = set()
        self._replays = replay is not None
        self._record: Record | None = None
        self._journal: Journal | None = None
        if record is not None:
            self._record, self._journal = open_record(read_path("record", record))
        if replay is not None:
            self._record = read_record(read_path("replay", replay))
        self._caller = Caller(self._gate, costs, again, journal=self._journal, **settings)

    # --- making calls

    def call(
        self,
        request: Request,
        make: Callable[[float], Answer],
        *,
        at_most: Callable[[], tuple[int, int]] | None = None,
        read: Callable[[Mapping[str, Any]], object] | None = None,
        limited: bool = True,
    ) -> Answer:
        """Return the answer to a request: from the record, or by making the call.

        Parameters
        ----------
        request, make, at_most, read, limited
            As in :class:`Call`.

        Raises
        ------
        BudgetSpentError
            Where the call could exceed the budget; the session makes none from then on.
        CallError
            Where it failed and would fail again, or failed as often as is allowed.
        CancelledError
            Where the session is cancelled or closed.
        MissingAnswerError
            In a replay, where the record has no answer.
        RecordError
            Where the answer cannot be written, and where that of the record makes no sense.
        InvalidInputError
            For arguments of the wrong kind, and where it is not known what the call may use, and
            the budget must know.
        """
        with self._gate.note_errors():
            numbered = self._number(Call(request, make, at_most, read, limited))
            self._caller.goes_on()
            try:
                known = self._look_up(numbered)
                return self._make(numbered, _never) if known is None else known
            except BaseException:
                self._give_back([numbered])
                raise

    def call_many(self, calls: Sequence[Call]) -> list[Answer]:
        """Return the answers to several requests, in their order; calls are made concurrently.

        Where one fails, no other attempt begins; those under way are finished and recorded, then
        the error is raised: that of the first call, in their order, where several failed.

        Parameters
        ----------
        calls : sequence of Call

        Raises
        ------
        As :meth:`call`.
        """
        wanted = calls_of(calls)
        numbered: list[Numbered] = []
        answers: dict[int, Answer] = {}
        with self._gate.note_errors():
            try:
                numbered.extend(map(self._number, wanted))
                self._caller.goes_on()
                self._answer(numbered, answers)
            except BaseException:
                self._give_back([one for i, one in enumerate(numbered) if i not in answers])
                raise
        return [answers[i] for i in range(len(wanted))]

    def _answer(self, numbered: Sequence[Numbered], answers: dict[int, Answer]) -> None:
        """Put in the answers: first those of the record, then those of calls."""
        new: list[int] = []
        for i, one in enumerate(numbered):
            known = self._look_up(one)
            if known is None:
                new.append(i)
            else:
                answers[i] = known
        if len(new) <= 1 or self._concurrency == 1:
            for i in new:
                answers[i] = self._make(numbered[i], _never)
            return

        def work(task: int) -> Answer:
            return self._make(numbered[new[task]], lambda: batch.halted)

        batch: Batch[Answer] = Batch(len(new), work, self._gate)
        try:
            batch.run(self._concurrency)
        except KeyboardInterrupt:
            self.cancel()
            batch.finish()
            raise
        finally:
            batch.halt()
            answers.update({new[task]: answer for task, answer in batch.results.items()})
        if batch.errors:
            first = batch.errors[min(batch.errors)]
            raise self._gate.reason() if isinstance(first, BudgetSpentError) else first
        if len(batch.results) < len(new):
            raise self._gate.reason()

    # --- numbers of occurrence

    def _number(self, call: Call) -> Numbered:
        if self._caller.inside:
            fix = "give the session to the adapter or to what wraps it, not to both"
            problem = "is made inside a call of the same session"
            raise InvalidInputError("request", call.request, problem, fix)
        key = call.request.key
        with self._gate.changed:
            self._gate.refuse_if_ended()
            occurrence = self._made.get(key, 0)
            self._made[key] = occurrence + 1
        return Numbered(call, occurrence)

    def _give_back(self, unanswered: Sequence[Numbered]) -> None:
        """Let the next request that is the same have the number of one that came to nothing."""
        with self._gate.changed:
            for one in reversed(unanswered):
                key = one.call.request.key
                latest = self._made[key] == one.occurrence + 1
                if latest and (key, one.occurrence) not in self._lacking:
                    self._made[key] = one.occurrence

    def _look_up(self, numbered: Numbered) -> Answer | None:
        """Return the answer that the record holds, and count what it used."""
        if self._record is None:
            return None
        request = numbered.call.request
        entry = self._record.find(request, numbered.occurrence)
        if entry is None and self._replays:
            self._gate.check(request.agent, Usage(1))
            raise explain_missing_answer(self._record, request, numbered.occurrence)
        if entry is None:
            return None
        if isinstance(entry.outcome, Answer) and numbered.call.read is not None:
            try:
                numbered.call.read(entry.outcome.body)
            except Exception as error:
                raise self._record.nonsense(entry, error) from error
        self._gate.charge(request.agent, self._caller.usage_of(entry))
        if isinstance(entry.outcome, MissingCapabilityError):
            self._lacking.add((request.key, numbered.occurrence))
            raise MissingCapabilityError(entry.outcome.problem, entry.outcome.fix)
        return entry.outcome

    def _make(self, numbered: Numbered, halted: Callable[[], bool]) -> Answer:
        """Make a call that the record does not hold."""
        try:
            with InterruptGuard(self._gate):
                return self._caller.make(numbered, halted)
        except MissingCapabilityError:  # an answer, too: it keeps its number
            self._lacking.add((numbered.call.request.key, numbered.occurrence))
            raise

    # --- usage

    @property
    def usage(self) -> dict[str, Usage]:
        """What was used, by agent."""
        with self._gate.changed:
            return dict(self._gate.meter.usage)

    @property
    def total(self) -> Usage:
        """What was used in all."""
        with self._gate.changed:
            return self._gate.meter.total

    @property
    def budget(self) -> Budget:
        """The most that the whole run may use."""
        return self._budget

    @property
    def replaying(self) -> bool:
        """Whether all answers come from a record."""
        return self._replays

    def count_failure(self, agent: str) -> None:
        """Count an answer that could not be read."""
        read_name("agent", agent)
        with self._gate.changed:
            self._gate.meter.add(agent, Usage(failures=1))

    # --- the end

    @property
    def failure(self) -> Exception | None:
        """The error that ended the session; where nothing has, the last that a call ended with.

        Mechanisms withhold what participants say, errors included: here they are told to whoever
        runs the mechanism. None where all went well.
        """
        return self._gate.failure

    def cancel(self) -> None:
        """Let nothing new begin; pauses end at once, and what is under way gets a short grace."""
        self._gate.cancel()

    def close(self) -> None:
        """Let nothing new begin, give what is under way a short grace, let go of the record."""
        self._gate.close()
        if self._journal is not None:
            self._journal.close()

    def _table(self) -> Table:
        limits = str(self._budget)
        caption = f"Usage, of at most {limits}" if limits else "Usage"
        return usage_table(caption, self.usage, self.total)

    def __repr__(self) -> str:
        shown = [str(self.total)]
        if self._record is not None:
            shown.append(f"{'replay' if self._replays else 'record'} {str(self._record.path)!r}")
        if limits := str(self._budget):
            shown.append(f"at most {limits}")
        if self.failure is not None:
            shown.append(f"failed with {type(self.failure).__name__}")
        return f"Session({'; '.join(shown)})"

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def _never() -> bool:
    return False
