"""One call: its attempts, the pauses between them, and the line that is written of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Lock, Thread, local
from time import monotonic
from typing import Any, Final
from zlib import crc32

import numpy as np

from llm_adapters.errors import (
    CallError,
    MissingCapabilityError,
    RecordError,
    TransientError,
)
from llm_adapters.journal import Journal
from llm_adapters.session._attempt_gate import AttemptGate
from llm_adapters.session._budget_meter import AttemptCost
from llm_adapters.session._lines import Entry
from llm_adapters.session._retries import Retries
from llm_adapters.session._usage import Prices, Usage
from llm_adapters.session.request import Answer, Call
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["Caller", "Numbered"]

Notice = Callable[[str], object]

_TOLD_EVERY: Final = 10.0
"""Seconds between two lines about the same wait."""


@dataclass(frozen=True)
class Numbered:
    """A call, and how often its request had been made before."""

    call: Call
    occurrence: int


class Caller:
    """Makes calls that no record holds.

    Parameters
    ----------
    gate : AttemptGate
    prices : mapping from str to Prices
        By model.
    retries : Retries
    time_limit : float
        Seconds for an attempt.
    call_limit : float or None
        Seconds for all attempts of a call and the pauses between them.
    seed : int
        Of the pauses; each is drawn from a generator of its own, so that they do not depend on
        which thread comes first.
    pause : callable or None
        Called with the seconds, in place of waiting for them.
    notice : callable or None
        Told what is waited for, and which attempts failed.
    journal : Journal or None
        Where answers are kept.
    """

    def __init__(
        self,
        gate: AttemptGate,
        prices: Mapping[str, Prices],
        retries: Retries,
        *,
        time_limit: float,
        call_limit: float | None,
        seed: int,
        pause: Callable[[float], object] | None,
        notice: Notice | None,
        journal: Journal | None,
    ) -> None:
        self._gate = gate
        self._prices = dict(prices)
        self._retries = retries
        self._time_limit = time_limit
        self._call_limit = call_limit
        self._seed = seed
        self._pause = pause
        self._notice = notice
        self._journal = journal
        self._inside = local()
        self._lacking = Lock()
        self._lacks: list[Entry] = []
        self._went_on: list[Entry] = []

    def make(self, numbered: Numbered, halted: Callable[[], bool]) -> Answer:
        """Make attempts until one succeeds, write the answer, and return it."""
        call = numbered.call
        self._check_record()
        need = self._bound_cost(call)
        failed: list[str] = []
        lost = AttemptCost()
        end: float | None = None
        while True:
            self._gate.begin(call.request.agent, need, halted, retry=bool(failed))
            if end is None and self._call_limit is not None:
                end = monotonic() + self._call_limit
            used = need  # whoever raises what is not expected may have been charged
            try:
                outcome = self._attempt(call, len(failed) + 1, end)
                used = self._use(call.request.model, outcome)
                if isinstance(outcome, MissingCapabilityError):
                    lost += used
                made = len(failed) + 1
                kept = (lost.input_tokens, lost.output_tokens)
                self._keep(Entry(call.request, numbered.occurrence, outcome, made, kept))
                if isinstance(outcome, MissingCapabilityError):
                    raise outcome
                return outcome
            except TransientError as error:
                used = need if error.spent else AttemptCost()
                lost += used
                failed.append(error.problem)
                last = error
            except CallError as error:
                used = self._price(call.request.model, *error.used)
                raise
            finally:
                self._gate.settle(call.request.agent, need, used)
            delay = self._delay(numbered, failed, last, end)
            if self._pause is None:
                self._gate.wait(delay, halted)
            else:
                self._pause(delay)

    def _attempt(
        self, call: Call, attempt: int, end: float | None
    ) -> Answer | MissingCapabilityError:
        seconds = self._time_limit if end is None else min(self._time_limit, end - monotonic())
        what = (
            f"{call.request.agent}: waits for {call.request.model} (attempt {attempt} of "
            f"{self._retries.attempts}{f', which has {seconds:.3g} s' if call.limited else ''})"
        )
        self._inside.attempt = True
        try:
            with _tell_of_waiting(self._notice, what, _TOLD_EVERY):
                answer: Any = call.make(seconds)
        except MissingCapabilityError as error:
            return error
        finally:
            self._inside.attempt = False
        if not isinstance(answer, Answer):
            raise InvalidInputError(
                "make", answer, "returned something that is not an Answer", "return an Answer"
            )
        return answer

    @property
    def inside(self) -> bool:
        """Whether this thread is making an attempt."""
        return getattr(self._inside, "attempt", False)

    def _delay(
        self,
        numbered: Numbered,
        failed: Sequence[str],
        last: TransientError,
        end: float | None,
    ) -> float:
        """Return how long to wait before the next attempt.

        Raises
        ------
        CallError
            Where there is to be none.
        """
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
        rng = np.random.default_rng(place)
        delay = self._retries.pause(attempt, last.retry_after, rng, crowded=last.crowded)
        if end is not None and monotonic() + delay >= end:
            problem = (
                f"the call of {agent} got no answer within {self._call_limit:g} s, at last since "
                f"{last.problem}"
            )
            raise CallError(problem, "allow more time, or try again later", failed) from last
        if self._notice is not None:
            line = f"attempt {attempt} of {self._retries.attempts} failed, since {last.problem}"
            self._notice(f"{agent}: {line}; the next in {delay:.1f} s")
        return delay

    # --- the record

    def _check_record(self) -> None:
        """See, before anything is paid for, that what is answered will be kept."""
        if self._journal is None:
            return
        try:
            self._journal.check()
        except RecordError as error:
            self._gate.end(error)
            raise

    def _keep(self, entry: Entry) -> None:
        """Write a line.

        What a model lacks is written only if the run goes on after it: somebody handled it, and a
        replay must meet it again. A run that ends there asks anew when it is started again.
        """
        if self._journal is None:
            return
        if isinstance(entry.outcome, MissingCapabilityError):
            with self._lacking:
                self._lacks.append(entry)
            return
        with self._lacking:
            before, self._went_on = self._went_on, []
        try:
            for one in (*before, entry):
                self._journal.append(one.line())
        except RecordError as error:
            self._gate.end(error)
            raise

    def goes_on(self) -> None:
        """Know that another call is asked for, so that what models lacked was handled."""
        if self._lacks:
            with self._lacking:
                self._went_on += self._lacks
                self._lacks = []

    # --- what calls use

    def _bound_cost(self, call: Call) -> AttemptCost:
        """Return the most that an attempt may use; nothing where no limit asks for it."""
        budget = self._gate.meter.budget
        if not budget.counts_tokens:
            return AttemptCost()
        if call.at_most is None:
            problem = f"is missing for {call.request.method} of {call.request.model}"
            fix = "say how many tokens it may use, or set a budget in calls only"
            raise InvalidInputError("at_most", None, problem, fix)
        bounds: Any = call.at_most()
        if not isinstance(bounds, tuple) or len(bounds) != 2:
            fix = "return the tokens of input and of output"
            raise InvalidInputError("at_most", bounds, "returned no pair", fix)
        ins, outs = (read_count("at_most", bound, 0) for bound in bounds)
        model = call.request.model
        if budget.money is not None and ins + outs and model not in self._prices:
            fix = f"give prices={{{model!r}: Prices(input, output)}}, or no budget in money"
            raise InvalidInputError("prices", model, "have no such model", fix)
        return self._price(model, ins, outs)

    def _use(self, model: str, outcome: Answer | MissingCapabilityError) -> AttemptCost:
        if isinstance(outcome, MissingCapabilityError):
            return self._price(model, *outcome.used)
        return self._price(model, outcome.input_tokens, outcome.output_tokens)

    def _price(self, model: str, ins: int, outs: int) -> AttemptCost:
        prices = self._prices.get(model)
        return (
            AttemptCost(ins, outs)
            if prices is None
            else AttemptCost(ins, outs, prices.of(ins, outs))
        )

    def usage_of(self, entry: Entry) -> Usage:
        """Return what an answer of the record had used, failed attempts included."""
        model = entry.request.model
        used = self._use(model, entry.outcome) + self._price(model, *entry.lost)
        calls, retries = entry.attempts, entry.attempts - 1
        return Usage(calls, retries, used.input_tokens, used.output_tokens, used.money)


@contextmanager
def _tell_of_waiting(notice: Notice | None, what: str, every: float) -> Iterator[None]:
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
