"""A run of a mechanism as a value: who is asked what, and what follows from an answer."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mechanisms.ledger import Ledger
from mechanisms.participants import describe_object, plain
from mechanisms.play._bank import Outside, require_paid
from mechanisms.play._line import Line, Recorded, Stage
from mechanisms.play._log import Entry, How, ReplayError, RulesError
from mechanisms.play._requests import END, TELL, Ask, Draw, Unanswered
from mechanisms.play.answers import IllegalAnswerError
from mechanisms.play.plain_data import freeze
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers.reading import require_short
from theory.shared.arguments import instance_of
from theory.shared.printable import printable

if TYPE_CHECKING:
    from mechanisms.play._rules import Rules

__all__ = ["Run", "read_outside", "start"]

Outcome = TypeVar("Outcome")


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

    __slots__ = ("_batch", "_given", "_length", "_line", "_step", "ended_by", "outcome", "over")

    def __init__(
        self,
        line: Line,
        stage: Stage,
        ended_by: Ask | None = None,
    ) -> None:
        self._line = line
        self._length = len(line.entries)
        self._step, self._batch, self._given, self.outcome, self.over = stage
        self.ended_by = ended_by

    # --- what is asked

    @property
    def _open(self) -> dict[str, Any]:
        """What is not answered yet, by name."""
        given = self._given
        return {k: r for k, r in self._batch.items() if k not in given} if given else self._batch

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The questions that are open."""
        return tuple(request for request in self._open.values() if isinstance(request, Ask))

    @property
    def draws(self) -> tuple[Draw[Any], ...]:
        """The draws of chance that are open."""
        return tuple(request for request in self._open.values() if isinstance(request, Draw))

    def ask(self) -> Ask | None:
        """Return the first open question; None at the end.

        Raises
        ------
        InvalidInputError
            Where chance must move first: give a seed, or answer ``draws``.
        """
        for request in self._open.values():
            if isinstance(request, Ask):
                return request
        if self.draws:
            problem, fix = "waits for a draw of chance", "use run.seeded(7), or answer run.draws"
            raise InvalidInputError("run", self._line.rules.name, problem, fix)
        return None

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
        key, request = self._find(ask)
        if type(memory) is not str:
            raise InvalidInputError("memory", memory, "is not text", 'say "structural", or ""')
        if isinstance(request, Draw):
            return self._entered(Entry(self._step, key, request, How.DRAWN, request.read(value)))
        try:
            legal = request.answer.read(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever an object does that is given as an answer
            refused = isinstance(error, IllegalAnswerError)
            reason = str(error) if refused else f"raised {describe_object(error)} when it was read"
            last = len(request.refused) + 1 >= request.attempts
            how = How.ILLEGAL if last else How.REFUSED
            entry = Entry(self._step, key, request, how, None, printable(reason), memory)
            return self._entered(entry)
        return self._entered(Entry(self._step, key, request, How.CHOSEN, legal, "", memory))

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
        entry = Entry(self._step, key, request, How.ABSENT, None, printable(text))
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
        if type(seed) not in (int, str):
            raise InvalidInputError("seed", seed, "is no seed", "give an integer or text")
        if type(seed) is int:
            require_short(Fraction(seed), "seed")
        line = self._line
        return _replay(Line(line.rules, line.arguments, seed, line.outside, self._recorded()))

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
        entries = self._line.entries[: self._length]
        return tuple(sorted(entries, key=lambda entry: (entry.step, entry.key)))

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
        return self._line.entries[self._length - 1]

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
        name = f"{self._line.rules.name}, step {self._step}"
        if self.ended_by is not None:
            return printable(f"{name}: ended, since {self.ended_by.seat} gave no legal answer")
        if self.over:
            return printable(f"{name}: over, {self.outcome}")
        waits = [
            f"{request.seat} is to {request.role or 'answer'}"
            if isinstance(request, Ask)
            else f"{getattr(request, 'name', '') or 'a value'} is to be drawn"
            for request in self._open.values()
        ]
        return printable(f"{name}: {', '.join(waits)}")

    # --- how

    def _find(self, ask: Any) -> tuple[str, Any]:
        """Return which open request is meant."""
        for key, request in self._open.items():
            if request is ask:
                return key, request
        seats = {r.seat: (key, r) for key, r in self._open.items() if isinstance(r, Ask)}
        if isinstance(ask, str):
            if ask in seats:
                return seats[ask]
            problem = "is asked nothing after the end" if self.over else "is asked nothing now"
            raise UnknownNameError("ask", ask, problem, nearest(ask, seats))
        instance_of("ask", ask, (Ask, Draw), "give one of run.asks, or the name of a seat")
        for key, request in self._open.items():
            if request == ask:
                return key, request
        done = [e.request for e in self._line.entries[: self._length] if e.step == self._step]
        if self.over:
            problem = "comes after the end"
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
        line = self._line
        if line.steps is None or len(line.entries) != self._length:
            line = Line(line.rules, line.arguments, line.seed, line.outside, self._recorded())
            _replay(line)
        request: Any = entry.request
        if entry.how is How.REFUSED:
            line.entries.append(entry)
            again = replace(request, refused=(*request.refused, entry.reason))
            return Run(line, Stage(self._step, {**self._batch, entry.key: again}, self._given))
        if entry.how is How.ILLEGAL or entry.how is How.ABSENT:
            if request.otherwise is END:
                line.entries.append(entry)
                line.steps = None
                return Run(line, Stage(self._step, {}, {}, over=True), ended_by=request)
            entry = entry._replace(value=self._otherwise(request, entry))
        line.entries.append(entry)
        if self._given is None:  # it was asked alone
            return Run(line, line.advance(entry.value, self._step + 1))
        given = {**self._given, entry.key: entry.value}
        if len(given) < len(self._batch):
            return Run(line, Stage(self._step, self._batch, given))
        # in the order of the questions, so that nothing shows who was faster
        answers = {key: given[key] for key in self._batch}
        return Run(line, line.advance(answers, self._step + 1))

    def _otherwise(self, request: Ask, entry: Entry) -> Any:
        """Return what the rules get where no legal answer came."""
        if request.otherwise is TELL:
            return Unanswered(entry.reason, entry.how is How.ABSENT)
        try:
            return request.answer.read(request.otherwise)
        except IllegalAnswerError as error:
            problem = f"give {request.seat!r} an illegal answer as its default"
            raise RulesError(self.rules.name, self._step, problem, str(error)) from error


def _replay(line: Line) -> Run[Any]:
    """Go to the first question, and through the script."""
    run: Run[Any] = Run(line, line.advance(None, 0))
    while line.script:
        scripted = [key for key in run._open if (run._step, key) in line.script]
        # who ends the run comes last: others had answered before
        scripted.sort(key=lambda key: line.ends(run._step, key, run._open[key]))
        if not scripted:
            step = min(step for step, _ in line.script)
            problem = "ask for nothing that the log answers"
            if run.over:
                problem = "come to their end, and the log goes on"
            raise ReplayError(line.rules.name, step, problem, "replay the log of these rules")
        request = run._open[scripted[0]]
        run = run._entered(line.scripted(run._step, scripted[0], request))
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
