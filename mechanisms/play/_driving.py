"""Leading a run to its end with participants of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

from mechanisms.errors import ParticipantError
from mechanisms.participants import describe_object
from mechanisms.play._log import How
from mechanisms.play._requests import Ask, tell_otherwise
from mechanisms.play._run import Run
from mechanisms.play.plain_data import set_apart
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import instance_of, read_count, read_positive
from theory.shared.copying import copy_content

__all__ = ["AsyncParticipant", "Participant", "play", "play_async", "stages"]

Outcome = TypeVar("Outcome")

Participant = Callable[[Ask], object]
"""Is asked, and returns an answer: a function, or an object that can be called."""

AsyncParticipant = Callable[[Ask], Awaitable[object]]
"""Is asked, and answers some time later."""


class Cast:
    """The participants by seat: the player's own, and a copy of it for each other seat.

    A copy is made when its seat is asked first, of the participant as it is then. What cannot be
    copied, such as a function, is trusted to forget. A participant with a method ``recall`` is told
    what its seat was asked and answered earlier in the run.
    """

    def __init__(self, participants: Mapping[str, Any], run: Run[Any] | None = None) -> None:
        instance_of("participants", participants, Mapping, "give participants by name of player")
        self.given = participants
        self.log = () if run is None else run.log
        self.seats: dict[str, tuple[Any, str]] = {}

    def at(self, ask: Ask) -> tuple[Any, str]:
        """Return who sits at a seat, and how it has forgotten what others of its player saw."""
        if ask.seat not in self.seats:
            participant, _ = self.seats[ask.seat] = self._seated(ask)
            recall = getattr(participant, "recall", None)
            if callable(recall):
                asked = [e for e in self.log if isinstance(e.request, Ask) and e.how is How.CHOSEN]
                own = [entry for entry in asked if entry.request.seat == ask.seat]
                recall(ask.seat, [(shown(e.request), copy_content(e.value)) for e in own])
        return self.seats[ask.seat]

    def _seated(self, ask: Ask) -> tuple[Any, str]:
        for name in (ask.seat, ask.player):
            if name in self.given:
                break
        else:
            problem, fix = "is asked, and is no participant", nearest(ask.player, self.given)
            raise UnknownNameError("participants", ask.player, problem, fix)
        participant = self.given[name]
        if not callable(participant):
            fix = "give a function of the Ask, or an object with __call__"
            raise InvalidInputError(f"participant {name}", participant, "cannot be called", fix)
        if ask.seat in (ask.player, name):
            return participant, ""
        try:
            copy = copy_content(participant)
        except Exception as error:
            problem = f"cannot be copied for {ask.seat} ({describe_object(error)})"
            fix = "define __deepcopy__, sharing what never changes"
            raise InvalidInputError(f"participant {name}", participant, problem, fix) from error
        return copy, "promised" if copy is participant else "structural"


def shown(ask: Ask) -> Ask:
    """Return a question that shares nothing with the run or with other seats."""
    return tell_otherwise(ask, set_apart(ask.view), set_apart(ask.answer))


def play(run: Run[Outcome], participants: Mapping[str, Participant]) -> Run[Outcome]:
    """Lead a run to its end.

    Parameters
    ----------
    run : Run
        With a seed, if chance moves in it.
    participants : mapping
        By player, or by seat: functions that take an :class:`Ask` and return the answer. A seat
        that is not its player's own is given a deep copy, which is made when the seat is asked
        first; so it knows what its player knows by then, and the player does not learn what it saw.

    Returns
    -------
    Run
        At its end.

    Raises
    ------
    ParticipantError
        When a participant raises, or answers nothing legal, and the rules end the run for it. It
        holds the run as ``record``. Where the rules go on, it does not stop them.
    InvalidInputError, UnknownNameError
        For a player without a participant, one that cannot be called or copied, and a run that
        waits for chance.

    Examples
    --------
    >>> from mechanisms.play import Quantity, Ask, rules
    >>> @rules
    ... def guess(most):
    ...     said = yield Ask("Ann", f"1 to {most}", Quantity(1, most, step=1), attempts=2)
    ...     return said
    >>> play(guess(6), {"Ann": lambda ask: 3 if ask.refused else 10}).outcome
    Fraction(3, 1)
    """
    for stage in stages(run, participants):
        run = stage
    return run


def stages(run: Run[Outcome], participants: Mapping[str, Participant]) -> Iterator[Run[Outcome]]:
    """Lead a run to its end as :func:`play` does, and yield each stage as it is reached.

    For who writes each down before the next question is put.

    Raises
    ------
    ParticipantError, InvalidInputError, UnknownNameError
        As for :func:`play`; a run that a participant has ended is yielded first.

    Examples
    --------
    >>> from mechanisms.play import Choice, Ask, rules
    >>> @rules
    ... def twice():
    ...     first = yield Ask("Ann", "once", Choice((1, 2)))
    ...     return first, (yield Ask("Ann", "again", Choice((1, 2))))
    >>> for stage in stages(twice(), {"Ann": lambda ask: 2}):
    ...     print(stage)
    twice, step 1: Ann is to answer
    twice, step 2: over, (2, 2)
    """
    instance_of("run", run, Run, "call rules with their arguments")
    cast = Cast(participants, run)
    while (ask := run.ask()) is not None:
        participant, memory = cast.at(ask)
        raised: BaseException | None = None
        try:
            answer = participant(shown(ask))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raised = error
            run = run.no_answer(ask, f"raised {describe_object(error)}")
        else:
            run = run.answer(ask, answer, memory=memory)
        yield run
        if run.ended_by is not None:
            raise failure(run) from raised


async def play_async(
    run: Run[Outcome],
    participants: Mapping[str, AsyncParticipant],
    *,
    patience: float | None = None,
    at_once: int | None = None,
) -> Run[Outcome]:
    """Lead a run to its end with participants that take their time.

    All open questions are asked at the same time. When the run ends, or is stopped, those who still
    think are stopped, and waited for. It is otherwise as :func:`play`.

    Parameters
    ----------
    patience : float, optional
        After how many seconds a question counts as not answered.
    at_once : int, optional
        How many questions wait for participants at a time; the others are asked afterwards.

    Raises
    ------
    ParticipantError, InvalidInputError, UnknownNameError
        As for :func:`play`.

    Examples
    --------
    >>> import asyncio
    >>> from mechanisms.play import Quantity, Ask, rules
    >>> @rules
    ... def sealed_bids(names):
    ...     bids = yield {name: Ask(name, "a vase", Quantity(0)) for name in names}
    ...     return max(bids, key=bids.get)
    >>> async def modest(ask):
    ...     return 1
    >>> async def keen(ask):
    ...     return 5
    >>> asyncio.run(play_async(sealed_bids(["Ann", "Bob"]), {"Ann": modest, "Bob": keen})).outcome
    'Bob'
    """
    instance_of("run", run, Run, "call rules with their arguments")
    limit = None if patience is None else read_positive("patience", patience)
    cast = Cast(participants, run)
    gate: AbstractAsyncContextManager[Any] = nullcontext()
    if at_once is not None:
        gate = asyncio.Semaphore(read_count("at_once", at_once))
    waiting: dict[asyncio.Task[tuple[object, BaseException | None]], tuple[Ask, str]] = {}
    done: asyncio.Queue[asyncio.Task[tuple[object, BaseException | None]]] = asyncio.Queue()
    asked: set[str] = set()
    try:
        new = run.asks
        while run.ask() is not None:
            for ask in new:
                if ask.seat not in asked:
                    participant, memory = cast.at(ask)
                    task = asyncio.create_task(_answer(participant, shown(ask), limit, gate))
                    waiting[task] = ask, memory
                    asked.add(ask.seat)
                    task.add_done_callback(done.put_nowait)
            task = await done.get()
            ask, memory = waiting.pop(task)
            asked.discard(ask.seat)
            answer, error = task.result()
            before = run
            if error is None:
                run = run.answer(ask, answer, memory=memory)
            elif isinstance(error, _OutOfTimeError):
                run = run.no_answer(ask, str(error))
            else:
                run = run.no_answer(ask, f"raised {describe_object(error)}")
            if run.ended_by is not None:
                raise failure(run) from error
            again = run.ask(ask.seat)
            new = (() if again is None else (again,)) if run.goes_on(before) else run.asks
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    return run


class _OutOfTimeError(Exception):
    """No answer came in time."""


async def _answer(
    participant: AsyncParticipant,
    ask: Ask,
    patience: float | None,
    gate: AbstractAsyncContextManager[Any],
) -> tuple[object, BaseException | None]:
    """Return the answer, or what was raised instead."""
    limit: asyncio.Timeout | None = None
    try:
        async with gate, asyncio.timeout(patience) as limit:
            answer = await participant(ask)
        if limit.expired():  # it went on all the same
            raise TimeoutError
        return answer, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise  # it is we who end it
        if limit is not None and limit.expired():
            return None, _OutOfTimeError(f"no answer within {patience:g} seconds")
        return None, error


def failure(run: Run[Any]) -> ParticipantError:
    """Return the error for who has ended a run."""
    ask, last = run.ended_by, run.last
    assert ask is not None
    fix = f"answer {ask.answer}"
    role = f" when asked to {ask.role}" if ask.role else ""
    problem = last.reason if last.reason.startswith("raised ") else f"has no answer: {last.reason}"
    error = ParticipantError(ask.seat, f"{problem}{role}", fix)
    error.record = run
    return error
