"""A run of a mechanism as a value: who is asked what, and what follows from an answer."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mechanisms.ledger import Ledger
from mechanisms.participants import describe_object, plain
from mechanisms.play._bank import Outside, require_paid
from mechanisms.play._line import Line, Recorded, read_seed
from mechanisms.play._log import Entry, How, ReplayError, RulesError
from mechanisms.play._requests import END, TELL, Ask, Draw, Unanswered, hand_out
from mechanisms.play._turn import ALONE, Turn
from mechanisms.play.answers import IllegalAnswerError
from mechanisms.play.plain_data import ATOMS, detach, freeze
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import instance_of
from theory.shared.printable import printable

if TYPE_CHECKING:
    from mechanisms.play._rules import Rules

__all__ = ["Run", "read_outside", "start"]

Outcome = TypeVar("Outcome")

# looked up once: each step needs them
_CHOSEN, _DRAWN, _REFUSED = How.CHOSEN, How.DRAWN, How.REFUSED
_ILLEGAL, _ABSENT = How.ILLEGAL, How.ABSENT


class Run(Generic[Outcome]):
    """A stage of a mechanism: what is asked now, and all that has happened until now.

    A run is a value. :meth:`answer` returns the next stage, and this one stays as it is: whoever
    answers it again gets a branch. Two runs are equal when their rules, arguments, seeds and logs
    are. Going forward costs one step of the rules; a branch repeats the steps before it.

    Runs come from rules, which :func:`~mechanisms.play.rules` makes.

    Attributes
    ----------
    asks : tuple of Ask
        The questions that are open. Those of several players are open at the same time; none of
        them sees an answer before all are in.
    draws : tuple of Draw
        The draws of chance that are open; none after :meth:`seeded`.
    over : bool
        Whether the run has come to its end.
    outcome
        What the rules return at the end; None before it, and where a player ended it.
    ended_by : Ask or None
        The question without a legal answer with which the run ended.
    """

    __slots__ = ("_length", "_line", "_turn", "ended_by", "over")

    def __init__(self, line: Line, turn: Turn, ended_by: Ask | None = None) -> None:
        self._line = line
        self._length = len(line.entries)
        self._turn = turn
        self.over = not turn.batch
        self.ended_by = ended_by

    # --- what is asked

    @property
    def outcome(self) -> Any:
        """What the rules return at the end, as a copy where it can be changed."""
        return detach(self._line.outcome) if self.over else None

    @property
    def _now(self) -> Turn:
        """The turn as it is at this stage."""
        turn, entries = self._turn, self._line.entries
        if len(entries) == self._length:
            return turn
        return turn.after(entries[turn.start : self._length])

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The questions that are open."""
        waiting = self._now.waiting().values()
        return tuple(hand_out(request) for request in waiting if isinstance(request, Ask))

    @property
    def draws(self) -> tuple[Draw[Any], ...]:
        """The draws of chance that are open."""
        return tuple(each for each in self._now.waiting().values() if isinstance(each, Draw))

    def ask(self, seat: str | None = None) -> Ask | None:
        """Return the first open question, or that of a seat; None where there is none.

        Raises
        ------
        InvalidInputError
            Where chance must move first: give a seed, or answer ``draws``.
        """
        now = self._now
        if seat is not None:
            key = now.key_of(seat)
            return None if key is None else hand_out(now.request(key))
        first = now.first_ask()
        if first is not None:
            return hand_out(first)
        if self.draws:
            problem, fix = "waits for a draw of chance", "use run.seeded(7), or answer run.draws"
            raise InvalidInputError("run", self._line.rules.name, problem, fix)
        return None

    def goes_on(self, before: Run[Any]) -> bool:
        """Whether the questions of an earlier stage that were not answered are open still."""
        return self._turn is before._turn

    # --- what follows

    def answer(
        self, ask: Ask | Draw[Any] | str, value: object, *, memory: str = ""
    ) -> Run[Outcome]:
        """Return what follows when a question is answered.

        An answer that is not legal is refused: while there are attempts left the question is asked
        again, with the reason; after that the rules say what follows.

        Parameters
        ----------
        ask : Ask, Draw or str
            One of ``asks`` or ``draws``, or the name of a seat that is asked.
        value : object
            The answer as a value, as text or as JSON; of a draw, one of its values.
        memory : str
            How it was seen to that the seat has forgotten, for the log.

        Raises
        ------
        InvalidInputError, UnknownNameError
            For a question that is not open: answered before, of another run, after the end. The run
            stays as it was.
        IllegalAnswerError
            For a draw of what is never drawn.
        """
        turn, key = self._turn, ALONE
        request: Any = ask
        if ask is not turn.only or turn.given or len(self._line.entries) != self._length:
            key, request = self._find(ask)
        if type(memory) is not str:
            raise InvalidInputError("memory", memory, "is not text", 'say "structural", or ""')
        if isinstance(request, Draw):
            return self._entered(Entry(turn.step, key, request, _DRAWN, request.read(value)))
        try:
            legal = request.answer.read(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever an object does that is given as an answer
            refused = isinstance(error, IllegalAnswerError)
            reason = str(error) if refused else f"raised {describe_object(error)} when it was read"
            last = len(request.refused) + 1 >= request.attempts
            how = _ILLEGAL if last else _REFUSED
            entry = Entry(turn.step, key, request, how, None, printable(reason), memory)
            return self._entered(entry)
        return self._entered(Entry(turn.step, key, request, _CHOSEN, legal, "", memory))

    def no_answer(self, ask: Ask | str, reason: str) -> Run[Outcome]:
        """Return what follows when no answer comes: a call that failed, a time that ran out.

        Raises
        ------
        InvalidInputError, UnknownNameError
            As for :meth:`answer`.
        """
        key, request = self._find(ask)
        instance_of("ask", request, Ask, "give an Ask: chance always answers")
        text = plain(reason)
        if text is None:
            raise InvalidInputError("reason", reason, "is not text", "say why none came")
        entry = Entry(self._turn.step, key, request, How.ABSENT, None, printable(text))
        return self._entered(entry)

    def seeded(self, seed: int | str) -> Run[Outcome]:
        """Return the run with all draws to come decided by a seed.

        Each draw follows from the seed, the number of its step and its name in the batch alone, by
        SHA-256. Weights count exactly. What was drawn before stays.

        Raises
        ------
        InvalidInputError
            For a seed that is neither an integer of at most 4,000 digits nor text.
        """
        line, drawn = self._line, read_seed(seed)
        return _replay(Line(line.rules, line.arguments, drawn, line.outside, self._recorded()))

    def on_ledger(self, ledger: Ledger, name: str = "") -> Run[Outcome]:
        """Return the run with all payments to come entered in a ledger that others may use, too.

        What was paid before is not paid again, and must be in the ledger.

        Parameters
        ----------
        ledger : Ledger
        name : str
            That of the run, which no other run on this ledger has. Each of its payments is then
            made once: again, by a branch or by a process that went on after another had died, it
            changes nothing, and another in its place is refused. Without a name a branch pays again
            what it pays, and so does who goes on from a stage before a payment.

        Raises
        ------
        InvalidInputError
            For what is no ledger, a name that is not text, and a ledger without the payments until
            now.
        """
        outside = read_outside(ledger, name)
        require_paid(self.log, outside)
        line = self._line
        return _replay(Line(line.rules, line.arguments, line.seed, outside, self._recorded()))

    # --- what has happened

    @property
    def log(self) -> tuple[Entry, ...]:
        """All requests that were answered, and how; those of one step in the order of their names.

        Examples
        --------
        See :func:`~mechanisms.play.rules`.
        """
        return tuple(map(_handed_out, self._ordered()))

    def _ordered(self) -> list[Entry]:
        """Return the log as the run has it, for who changes nothing in it."""
        entries = self._line.entries[: self._length]
        return sorted(entries, key=lambda entry: (entry.step, entry.key))

    @property
    def last(self) -> Entry:
        """The last entry, of all that were made.

        Raises
        ------
        InvalidInputError
            Where nothing has happened yet.
        """
        if not self._length:
            raise InvalidInputError("run", self.rules.name, "has no entry", "answer a question")
        return _handed_out(self._line.entries[self._length - 1])

    @property
    def ledger(self) -> Ledger:
        """A ledger with the accounts and the payments of this run alone, made anew.

        Raises
        ------
        InvalidInputError
            Where the rules have opened no account.
        """
        line = self._line
        bank = line.bank
        if line.outside is None and bank.ledger and len(line.entries) == self._length:
            return copy(bank.ledger)
        books = Line(line.rules, line.arguments, None, None)
        for entry in self._line.entries[: self._length]:
            books.repay(entry)
        if books.bank.ledger is None:
            problem, fix = "has no account", "use rules that yield Open(...)"
            raise InvalidInputError("run", self._line.rules.name, problem, fix)
        return books.bank.ledger

    @property
    def rules(self) -> Rules[Any, Outcome]:
        """The rules that are followed."""
        return self._line.rules

    @property
    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the rules, by position and by name, as Python passes them."""
        positional, named = freeze(self._line.arguments)
        return self.rules.bind(*positional, **named)

    @property
    def on_outside_ledger(self) -> bool:
        """Whether payments are entered in a ledger that others use, too."""
        return self._line.outside is not None

    @property
    def name(self) -> str:
        """The name under which it pays in a ledger that others use; empty where it has none."""
        outside = self._line.outside
        return "" if outside is None else outside.name

    @property
    def seed(self) -> int | str | None:
        """The seed of draws to come."""
        return self._line.seed

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain data, from which ``rules.read`` makes the same run again.

        Raises
        ------
        InvalidInputError
            Where an argument or an answer is no plain data, by name.
        """
        from mechanisms.play._written import run_to_json

        return run_to_json(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        mine, theirs = self._line, other._line
        return (
            mine.rules is theirs.rules
            and (mine.arguments == theirs.arguments or self.arguments == other.arguments)
            and mine.seed == theirs.seed
            and self._length == other._length
            and self.log == other.log
        )

    def __hash__(self) -> int:
        return hash((self._line.rules.name, self._line.seed, self._length))

    def __copy__(self) -> Run[Outcome]:
        """Return the run itself, which never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Run[Outcome]:
        """Return the run itself, which never changes."""
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        outside = self._line.outside
        return self._line.rules.read, (self.to_json(), outside and outside.ledger)

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        name = f"{self._line.rules.name}, step {self._turn.step}"
        if self.ended_by is not None:
            return printable(f"{name}: ended, since {self.ended_by.seat} gave no legal answer")
        if self.over:
            return printable(f"{name}: over, {self.outcome}")
        waits = [
            f"{request.seat} is to {request.role or 'answer'}"
            if isinstance(request, Ask)
            else f"{getattr(request, 'name', '') or 'a value'} is to be drawn"
            for request in self._now.waiting().values()
        ]
        return printable(f"{name}: {', '.join(waits)}")

    # --- how

    def _find(self, ask: Any) -> tuple[str, Any]:
        """Return which open request is meant."""
        now = self._now
        if now.only is ask and not now.given:
            return ALONE, ask
        key = now.key_of(ask.seat if isinstance(ask, Ask) else ask)
        if key is None and isinstance(ask, Draw):  # an equal one
            key = next((k for k, each in now.waiting().items() if each == ask), None)
        if key is not None:
            request = now.request(key)
            if request is ask or isinstance(ask, str) or getattr(ask, "copy_of", None) is request:
                return key, request
            if request == ask and getattr(ask, "step", None) in (None, now.step):
                return key, request
        seats = [each.seat for each in now.waiting().values() if isinstance(each, Ask)]
        if isinstance(ask, str):
            problem = "is asked nothing after the end" if self.over else "is asked nothing now"
            raise UnknownNameError("ask", ask, problem, nearest(ask, seats))
        instance_of("ask", ask, (Ask, Draw), "give one of run.asks, or the name of a seat")
        done = [e.request for e in self._line.entries[: self._length] if e.step == now.step]
        step = getattr(ask, "step", None)
        if self.over:
            problem = "comes after the end"
        elif step is not None and step < now.step:
            problem = f"is of step {step}, and this is step {now.step}"
        elif any(each is ask or each == ask for each in done):
            problem = "is answered already"
        else:
            problem = "is not open"
        fix = f"answer one of run.asks, of {', '.join(seats)}" if seats else "nobody is asked"
        raise InvalidInputError("ask", getattr(ask, "seat", ask), problem, fix)

    def _recorded(self) -> list[Recorded]:
        entries = self._line.entries[: self._length]
        return [Recorded(entry.step, entry.key, entry) for entry in entries]

    def _entered(self, entry: Entry) -> Run[Outcome]:
        """Return what follows from an entry: here, or in a branch if others have gone on."""
        line, turn = self._line, self._turn
        if line.steps is None or len(line.entries) != self._length:
            line = Line(line.rules, line.arguments, line.seed, line.outside, self._recorded())
            turn = _replay(line)._turn
        how = entry.how
        if how is _ILLEGAL or how is _ABSENT:
            request: Any = entry.request
            if request.otherwise is END:
                line.entries.append(entry)
                line.steps = None
                ended = Turn(turn.step, {}, {}, len(line.entries), None)
                return Run(line, ended, ended_by=hand_out(request))
            entry = entry._replace(value=self._otherwise(request, entry))
        line.entries.append(entry)
        if turn.only is not None and how is not _REFUSED:
            value = entry.value
            if type(value) not in ATOMS:
                value = detach(value)
            return Run(line, line.advance(value, turn.step + 1))
        turn.enter(entry)
        if how is _REFUSED or not turn.complete:
            return Run(line, turn)
        # in the order of the questions, so that nothing shows who was faster
        values = {key: detach(turn.given[key]) for key in turn.batch}
        return Run(line, line.advance(values, turn.step + 1))

    def _otherwise(self, request: Ask, entry: Entry) -> Any:
        """Return what the rules get where no legal answer came."""
        if request.otherwise is TELL:
            return Unanswered(entry.reason, entry.how is How.ABSENT)
        try:
            return request.answer.read(request.otherwise)
        except IllegalAnswerError as error:
            problem = f"give {request.seat!r} an illegal answer as its default"
            raise RulesError(self.rules.name, self._turn.step, problem, str(error)) from error


def _handed_out(entry: Entry) -> Entry:
    """Return an entry for somebody who may change what is in it."""
    request = entry.request
    if isinstance(request, Ask) and request.changes:
        entry = entry._replace(request=hand_out(request))
    if type(entry.value) in ATOMS:
        return entry
    value = detach(entry.value)
    return entry if value is entry.value else entry._replace(value=value)


def _replay(line: Line) -> Run[Any]:
    """Go to the first question, and through the script."""
    run: Run[Any] = Run(line, line.advance(None, 0))
    while line.script:
        turn = run._turn
        step = turn.step
        scripted = [key for key in turn.waiting() if (step, key) in line.script]
        if len(scripted) > 1:  # who ends the run comes last: others had answered before
            scripted.sort(key=lambda key: line.ends(step, key, turn.request(key)))
        if not scripted:
            step = min(step for step, _ in line.script)
            problem = "ask for nothing that the log answers"
            if run.over:
                problem = "come to their end, and the log goes on"
            raise ReplayError(line.rules.name, step, problem, "replay the log of these rules")
        for key in scripted:
            while run._turn is turn and turn.is_open(key) and (step, key) in line.script:
                run = run._entered(line.scripted(step, key, turn.request(key)))
    return run


def start(
    rules: Rules[Any, Outcome],
    arguments: tuple[tuple[Any, ...], dict[str, Any]],
    seed: int | str | None = None,
    script: Sequence[Any] = (),
    outside: Outside | None = None,
) -> Run[Outcome]:
    """Begin a run, and go through what is known of it.

    Parameters
    ----------
    script : sequence
        Entries of a log; each has ``step``, ``key`` and ``settled(name, request)``.
    """
    return _replay(Line(rules, arguments, seed, outside, script))


def read_outside(ledger: object, name: object) -> Outside:
    """Return an outside ledger and the name of a run on it.

    Raises
    ------
    InvalidInputError
        For what is no ledger, and a name that is not text.
    """
    given: Any = ledger
    instance_of("ledger", given, Ledger, "give a Ledger")
    instance_of("name", name, str, 'name the run, such as "order 17"')
    return Outside(given, str(name))
