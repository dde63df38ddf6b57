"""The discipline of calls to models: budgets, retries, records, usage, cancellation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition, local
from types import TracebackType
from typing import Any, NoReturn, Self
from zlib import crc32

import numpy as np

from llm_adapters.errors import (
    AdapterError,
    BudgetSpentError,
    CallError,
    CancelledError,
    MissingCapabilityError,
    RecordError,
    TransientError,
)
from llm_adapters.session._batch import Batch, Halted
from llm_adapters.session._lines import Entry
from llm_adapters.session._missing import missing
from llm_adapters.session._purse import Need, Purse
from llm_adapters.session._record import Record, Writer, read_record
from llm_adapters.session._request import Answer, Call, Request
from llm_adapters.session._retries import Retries, seconds
from llm_adapters.session._usage import Budget, Prices, Usage, count, decimal
from theory.errors import InvalidInputError
from theory.verdicts import Table

__all__ = ["Session"]


@dataclass(frozen=True)
class _Numbered:
    """A call, and how often its request had been made before."""

    call: Call
    occurrence: int


class Session:
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
        The most that the whole run may use, what the record holds included.
    prices : mapping from str to Prices, optional
        By model. A model without a price costs nothing, unless the budget limits money: then it is
        refused.
    retries : Retries, optional
    time_limit : float
        Seconds for an attempt.
    concurrency : int
        The most attempts at a time.
    seed : int
        Of the pauses between attempts.
    grace : float
        Seconds that calls under way are waited for when the session is cancelled.
    pause : callable, optional
        Called with the seconds, in place of waiting for them between attempts.

    Attributes
    ----------
    failure : AdapterError or None
        The error that ended the session; where nothing has, the last error that a call ended with.
        Mechanisms withhold what participants say, errors included: here it is told to whoever runs
        them.

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
1 of 1 calls are made: raise it, and go on from the record; so far: buyer 1 call
    """

    def __init__(
        self,
        *,
        record: str | os.PathLike[str] | None = None,
        replay: str | os.PathLike[str] | None = None,
        budget: Budget | None = None,
        prices: Mapping[str, Prices] | None = None,
        retries: Retries | None = None,
        time_limit: float = 120.0,
        concurrency: int = 8,
        seed: int = 0,
        grace: float = 5.0,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        if record is not None and replay is not None:
            fix = "give one of the two: record goes on with a file, replay only reads it"
            raise InvalidInputError("replay", str(replay), "is given beside record", fix)
        self.failure: AdapterError | None = None
        self._purse = Purse(Budget() if budget is None else budget)
        self._prices = dict(prices or {})
        self._retries = Retries() if retries is None else retries
        self._time_limit = seconds("time_limit", time_limit, above=True)
        self._concurrency = count("concurrency", concurrency, 1)
        self._seed = count("seed", seed, 0)
        self._grace = seconds("grace", grace)
        self._pause = pause
        self._changed = Condition()
        self._ended: AdapterError | None = None
        self._active = 0
        self._made: dict[bytes, int] = {}
        self._inside = local()
        self._writer = None if record is None else Writer(Path(record))
        self._record: Record | None = self._writer.record if self._writer else None
        self._replays = replay is not None
        if replay is not None:
            self._record = read_record(Path(replay))

    # --- making calls

    def call(
        self,
        request: Request,
        make: Callable[[float], Answer],
        *,
        at_most: Callable[[], tuple[int, int]] | None = None,
    ) -> Answer:
        """Return the answer to a request: from the record, or by making the call.

        Parameters
        ----------
        request, make, at_most
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
            Where the answer cannot be written.
        InvalidInputError
            For arguments of the wrong kind, and where it is not known what the call may use, and
            the budget must know.
        """
        with self._noted():
            numbered = self._number(Call(request, make, at_most))
            try:
                known = self._known(numbered)
                return self._new(numbered, None) if known is None else known
            except BaseException:
                self._give_back([numbered])
                raise

    def call_many(self, calls: Sequence[Call]) -> list[Answer]:
        """Return the answers to several requests, in their order; calls are made concurrently.

        Where one fails, no other attempt begins; those under way are finished and recorded, then
        the error is raised: that of the first call, in their order, where several failed. Ctrl-C
        cancels the session.

        Parameters
        ----------
        calls : sequence of Call

        Raises
        ------
        As :meth:`call`.
        """
        given = list(calls)
        for call in given:
            kind: Any = call
            if not isinstance(kind, Call):
                raise InvalidInputError("calls", kind, "is no call", "give a list of Call")
        numbered: list[_Numbered] = []
        answers: dict[int, Answer] = {}
        with self._noted():
            try:
                numbered.extend(map(self._number, given))
                self._answer_many(numbered, answers)
            except BaseException:
                self._give_back([n for i, n in enumerate(numbered) if i not in answers])
                raise
        return [answers[i] for i in range(len(given))]

    def _answer_many(self, numbered: Sequence[_Numbered], answers: dict[int, Answer]) -> None:
        new: list[int] = []
        for i, one in enumerate(numbered):
            known = self._known(one)
            if known is None:
                new.append(i)
            else:
                answers[i] = known
        if len(new) == 1 or self._concurrency == 1:
            for i in new:
                answers[i] = self._new(numbered[i], None)
            return
        batch: Batch[Answer] = Batch(
            len(new), lambda task: self._new(numbered[new[task]], batch), self._changed
        )
        try:
            batch.run(self._concurrency, lambda: self._cancelled, self._grace)
        except KeyboardInterrupt:
            self.cancel()
            batch.finish(self._grace)
            raise
        finally:
            batch.halt()
            answers.update({new[task]: answer for task, answer in batch.results.items()})
        if batch.errors:
            raise batch.errors[min(batch.errors)]
        if len(batch.results) < len(new):
            self._refuse_if_ended()

    # --- one call

    def _number(self, call: Call) -> _Numbered:
        if getattr(self._inside, "call", False):
            fix = "give the session to the adapter or to what wraps it, not to both"
            raise InvalidInputError(
                "request", call.request, "is made inside a call of the same session", fix
            )
        with self._changed:
            self._refuse_if_ended()
            occurrence = self._made.get(call.request.key, 0)
            self._made[call.request.key] = occurrence + 1
        return _Numbered(call, occurrence)

    def _give_back(self, unanswered: Sequence[_Numbered]) -> None:
        """Let the next request that is the same have the number of one that came to nothing."""
        with self._changed:
            for one in reversed(unanswered):
                key = one.call.request.key
                if self._made[key] == one.occurrence + 1:
                    self._made[key] = one.occurrence

    def _known(self, numbered: _Numbered) -> Answer | None:
        """Return the answer that the record holds, and count what it used."""
        if self._record is None:
            return None
        request = numbered.call.request
        entry = self._record.find(request, numbered.occurrence)
        if entry is None and not self._replays:
            return None
        used = Usage(1) if entry is None else self._used(entry)
        with self._changed:
            self._refuse_if_ended()
            need = Need(used.input_tokens, used.output_tokens, used.money)
            short = self._purse.shortfall(need, used.calls)
            if short:
                self._spent(request, short)
            if entry is None:
                raise missing(self._record, request, numbered.occurrence)
            self._purse.add(request.agent, used)
        if isinstance(entry.outcome, MissingCapabilityError):
            raise MissingCapabilityError(entry.outcome.problem, entry.outcome.fix)
        return entry.outcome

    def _used(self, entry: Entry) -> Usage:
        answer = entry.outcome
        tokens = (
            (answer.input_tokens, answer.output_tokens) if isinstance(answer, Answer) else (0, 0)
        )
        ins, outs = tokens[0] + entry.lost[0], tokens[1] + entry.lost[1]
        money = self._cost(entry.request, ins, outs)
        return Usage(entry.attempts, entry.attempts - 1, ins, outs, money)

    def _new(self, numbered: _Numbered, batch: Batch[Answer] | None) -> Answer:
        """Make a call that the record does not hold, and write what comes of it."""
        call = numbered.call
        need = self._need(call)
        failed: list[str] = []
        lost = Need()
        while True:
            self._begin(call.request, need, batch, retry=bool(failed))
            used = need  # whoever raises what we do not expect may have been charged
            try:
                outcome = self._attempt(call)
                used = self._need_of(call.request, outcome)
                entry = Entry(
                    call.request,
                    numbered.occurrence,
                    outcome,
                    len(failed) + 1,
                    (lost.input_tokens, lost.output_tokens),
                )
                self._write(entry)
            except TransientError as error:
                used = need if error.spent else Need()
                lost = lost + used
                failed.append(error.problem)
                last = error
            except CallError:
                used = Need()
                raise
            else:
                if isinstance(outcome, MissingCapabilityError):
                    raise outcome
                return outcome
            finally:
                self._settle(call.request, need, used)
            self._back_off(numbered, failed, last, batch)

    def _attempt(self, call: Call) -> Answer | MissingCapabilityError:
        self._inside.call = True
        try:
            answer: Any = call.make(self._time_limit)
        except MissingCapabilityError as error:
            return error
        finally:
            self._inside.call = False
        if not isinstance(answer, Answer):
            raise InvalidInputError("make", answer, "returned no answer", "return an Answer")
        return answer

    def _begin(
        self, request: Request, need: Need, batch: Batch[Answer] | None, *, retry: bool
    ) -> None:
        """Wait for a turn and for room in the budget, and take them."""
        with self._changed:
            while True:
                if batch is not None and batch.halted:
                    raise Halted
                self._refuse_if_ended()
                short = self._purse.shortfall(need)
                if short:
                    self._spent(request, short)
                if self._active < self._concurrency and self._purse.has_room(need):
                    break
                self._changed.wait(1.0)
            self._active += 1
            self._purse.reserve(need)
            self._purse.add(request.agent, Usage(1, int(retry)))

    def _settle(self, request: Request, need: Need, used: Need) -> None:
        """Put what an attempt used in the place of what was reserved for it."""
        with self._changed:
            self._active -= 1
            self._purse.release(need)
            usage = Usage(0, 0, used.input_tokens, used.output_tokens, used.money)
            self._purse.add(request.agent, usage)
            self._changed.notify_all()

    def _back_off(
        self,
        numbered: _Numbered,
        failed: Sequence[str],
        last: TransientError,
        batch: Batch[Answer] | None,
    ) -> None:
        """Wait before the next attempt, unless there is to be none."""
        agent, attempt, longest = numbered.call.request.agent, len(failed), self._retries.longest
        if last.retry_after is not None and last.retry_after > longest:
            problem = f"{last.problem}, and asks to wait {last.retry_after:g} s for another attempt"
            fix = f"try again later; retries wait {longest:g} s at most"
            raise CallError(problem, fix, failed) from last
        if attempt >= self._retries.attempts:
            times = f"{attempt} time{'s' if attempt > 1 else ''}"
            problem = f"the call of {agent} failed {times}, at last since {last.problem}"
            raise CallError(problem, last.fix, failed) from last
        place = [self._seed, crc32(numbered.call.request.key), numbered.occurrence, attempt]
        delay = self._retries.pause(attempt, last.retry_after, np.random.default_rng(place))
        if self._pause is not None:
            self._pause(delay)
            return
        with self._changed:
            self._changed.wait_for(
                lambda: self._ended is not None or (batch is not None and batch.halted), delay
            )

    def _write(self, entry: Entry) -> None:
        if self._writer is None:
            return
        try:
            self._writer.append(entry)
        except RecordError as error:
            self._end(error)
            raise

    # --- the budget

    def _need(self, call: Call) -> Need:
        """Return the most that an attempt may use; nothing where no limit asks for it."""
        if not self._purse.budget.counts_tokens:
            return Need()
        if call.at_most is None:
            problem = f"is missing for {call.request.method} of {call.request.model}"
            fix = "say how many tokens it may use, or set a budget in calls only"
            raise InvalidInputError("at_most", None, problem, fix)
        bounds: Any = call.at_most()
        if not isinstance(bounds, tuple) or len(bounds) != 2:
            fix = "return the tokens of input and of output"
            raise InvalidInputError("at_most", bounds, "returned no pair", fix)
        ins, outs = (count("at_most", bound, 0) for bound in bounds)
        if self._purse.budget.money is not None and call.request.model not in self._prices:
            fix = f"give prices={{{call.request.model!r}: Prices(…, …)}}, or no budget in money"
            raise InvalidInputError("prices", call.request.model, "have no such model", fix)
        return Need(ins, outs, self._cost(call.request, ins, outs))

    def _need_of(self, request: Request, outcome: Answer | MissingCapabilityError) -> Need:
        if not isinstance(outcome, Answer):
            return Need()
        ins, outs = outcome.input_tokens, outcome.output_tokens
        return Need(ins, outs, self._cost(request, ins, outs))

    def _cost(self, request: Request, ins: int, outs: int) -> Any:
        prices = self._prices.get(request.model)
        return Need().money if prices is None else prices.of(ins, outs)

    def _spent(self, request: Request, short: str) -> NoReturn:
        problem = f"the budget ends before the next call of {request.agent}, since {short}"
        fix = f"raise it, and go on from the record; so far: {self._purse.so_far()}"
        error = BudgetSpentError(problem, fix)
        self._end(error)
        raise error

    # --- usage

    @property
    def usage(self) -> dict[str, Usage]:
        """What was used, by agent."""
        with self._changed:
            return dict(self._purse.usage)

    @property
    def total(self) -> Usage:
        """What was used in all."""
        with self._changed:
            return self._purse.total

    @property
    def replaying(self) -> bool:
        """Whether all answers come from a record."""
        return self._replays

    def count_failure(self, agent: str) -> None:
        """Count an answer that could not be read."""
        with self._changed:
            self._purse.add(agent, Usage(failures=1))

    # --- the end

    def cancel(self) -> None:
        """Let nothing new begin; pauses end at once, and what is under way is waited for."""
        self._end(CancelledError("the run is cancelled", "go on from its record in a new session"))

    def close(self) -> None:
        """Let nothing new begin, wait for what is under way, and let go of the record."""
        self._end(CancelledError("the session is closed", "make a new one"))
        with self._changed:
            self._changed.wait_for(lambda: not self._active, self._grace)
        if self._writer is not None:
            self._writer.close()

    def _end(self, error: AdapterError) -> None:
        with self._changed:
            if self._ended is None:
                self._ended = error
                if not isinstance(error, CancelledError) or self.failure is None:
                    self.failure = error
            self._changed.notify_all()

    @property
    def _cancelled(self) -> bool:
        return isinstance(self._ended, CancelledError)

    def _refuse_if_ended(self) -> None:
        if self._ended is not None:
            raise type(self._ended)(self._ended.problem, self._ended.fix)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Keep the error that a call ends with, unless the session has ended; Ctrl-C ends it."""
        try:
            yield
        except KeyboardInterrupt:
            self.cancel()
            raise
        except AdapterError as error:
            with self._changed:
                if self._ended is None:
                    self.failure = error
            raise

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

    def _table(self) -> Table:
        rows = [*sorted(self.usage.items()), ("all", self.total)]
        return Table(
            caption="Usage",
            columns=("agent", "calls", "retries", "tokens in", "tokens out", "money", "unreadable"),
            rows=tuple(
                (
                    agent,
                    f"{one.calls:,}",
                    f"{one.retries:,}",
                    f"{one.input_tokens:,}",
                    f"{one.output_tokens:,}",
                    decimal(one.money),
                    f"{one.failures:,}",
                )
                for agent, one in rows
            ),
        )

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
