"""Rules under way: a generator, what it has asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from math import lcm
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from mechanisms.ledger import Ledger
from mechanisms.play._bank import Bank, Outside
from mechanisms.play._log import Entry, How, ReplayError, RulesError
from mechanisms.play._requests import END, Ask, Draw, Funds, Open, Pay, Request, put_ask
from mechanisms.play._turn import ALONE, Turn
from mechanisms.play.plain_data import detach, freeze
from theory.errors import InvalidInputError
from theory.numbers.reading import require_short
from theory.shared.arguments import instance_of

if TYPE_CHECKING:
    from mechanisms.play._rules import Rules

__all__ = ["Line", "Recorded", "Steps", "conclude", "read_seed"]

Outcome = TypeVar("Outcome")

Steps = Generator[Any, Any, Outcome]
"""Rules that run: what they yield is a request, or several in a dictionary by name."""

_BANK: Final = (Open, Funds, Pay)
_REQUESTS: Final = (Ask, Draw, *_BANK)
_NOTHING: Final[dict[str, Any]] = {}
"""What is settled where chance and bank have nothing to say."""


class Line:
    """Rules under way: all runs that share it are stages of one course of events."""

    __slots__ = (
        "arguments",
        "bank",
        "entries",
        "fixed",
        "outcome",
        "outside",
        "players",
        "rules",
        "script",
        "seed",
        "steps",
    )

    def __init__(
        self,
        rules: Rules[Any, Any],
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
        seed: int | str | None,
        outside: Outside | None,
        script: Sequence[Any] = (),
    ) -> None:
        self.rules, self.arguments, self.seed, self.outside = rules, arguments, seed, outside
        self.bank = Bank(outside, self.broken)
        self.players: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.fixed: dict[int, Any] = {}
        self.outcome: Any = None
        self.script: dict[tuple[int, str], list[Any]] = {}
        for entry in script:
            self.script.setdefault((entry.step, entry.key), []).append(entry)
        positional, named = freeze(arguments)  # rules may change what they are given
        self.steps: Steps[Any] | None = rules.steps(*positional, **named)

    def scripted(self, step: int, key: str, request: Request) -> Entry:
        """Take the next entry for a request from the script."""
        waiting = self.script[step, key]
        entry: Entry = waiting.pop(0).settled(self.rules.name, request)
        if not waiting:
            del self.script[step, key]
        return entry

    def ends(self, step: int, key: str, request: Any) -> bool:
        """Whether the next entry for a question ends the run."""
        how = self.script[step, key][0].how
        return how in (How.ILLEGAL, How.ABSENT) and getattr(request, "otherwise", None) is END

    def advance(self, value: Any, step: int) -> Turn:
        """Give the rules what they asked for, and go to the next question or the end."""
        steps, self.steps = self.steps, None  # rules that raise are not gone on with
        assert steps is not None
        while True:
            try:
                wanted = steps.send(value)
            except StopIteration as stop:
                self.outcome = stop.value
                return Turn(step, {}, _NOTHING, len(self.entries), None)
            if type(wanted) is Ask:
                if self.players.get(wanted.seat) != wanted.player:
                    self.seat(wanted, step)
                self.steps = steps
                put = put_ask(wanted, step, self.fixed)
                return Turn(step, {ALONE: put}, _NOTHING, len(self.entries), put)
            if type(wanted) in _BANK or (
                type(wanted) is Draw and not self.waits(step, ALONE, wanted)
            ):
                value = self.settled(step, ALONE, wanted)
                step += 1
                continue
            batch = self.batch(wanted, step)
            given = {
                key: self.settled(step, key, request)
                for key, request in batch.items()
                if type(request) is not Ask and not self.waits(step, key, request)
            }
            alone = not isinstance(wanted, Mapping)
            if len(given) < len(batch):
                self.steps = steps
                only = batch[ALONE] if alone else None
                return Turn(step, batch, given, len(self.entries), only)
            value = given[ALONE] if alone else given
            step += 1

    def waits(self, step: int, key: str, request: Request) -> bool:
        """Whether somebody outside answers: a player, or chance without seed and script."""
        if isinstance(request, Draw):
            return self.seed is None and (step, key) not in self.script
        return isinstance(request, Ask)

    def batch(self, wanted: Any, step: int) -> dict[str, Request]:
        """Return what the rules yield as requests by name."""
        several = isinstance(wanted, Mapping)
        batch = dict(wanted) if several else {ALONE: wanted}
        seats = set()
        for key, request in batch.items():
            if type(key) is not str or (several and not key):
                raise self.broken(step, f"name a request {key!r}", "name requests by text")
            if type(request) is not Ask and not isinstance(request, Ask):
                if not isinstance(request, _REQUESTS):
                    kind = type(request).__name__
                    raise self.broken(step, f"yield a {kind}", "yield an Ask, a Draw, a payment")
                continue
            if request.seat in seats:
                problem = f"ask {request.seat!r} two things at a time"
                raise self.broken(step, problem, "ask for both in one answer, or one by one")
            seats.add(request.seat)
            if self.players.get(request.seat) != request.player:
                self.seat(request, step)
            batch[key] = put_ask(request, step, self.fixed)
        return batch

    def seat(self, ask: Ask, step: int) -> None:
        """Note whose a seat is, which never changes: nobody else sits where somebody sat."""
        player = self.players.setdefault(ask.seat, ask.player)
        if player != ask.player:
            problem = f"ask {ask.player!r} at {ask.seat!r}, a seat of {player!r}"
            raise self.broken(step, problem, "name seats so that each is of one player")

    def broken(self, step: int, problem: str, fix: str) -> RulesError:
        """Return the error for what these rules must not do."""
        return RulesError(self.rules.name, step, problem, fix)

    def settled(self, step: int, key: str, request: Request) -> Any:
        """Return what chance or the bank answers, and enter it."""
        if (step, key) in self.script:
            entry = self.scripted(step, key, request)
            self.repeat(request, entry)
        elif isinstance(request, Draw):
            assert self.seed is not None
            drawn = _drawn(_law_of(request), self.seed, step, key)
            entry = Entry(step, key, request, How.DRAWN, drawn)
        else:
            entry = Entry(step, key, request, How.BANK, self.bank.answer(request, step, key))
        self.entries.append(entry)
        return detach(entry.value)

    def repeat(self, request: Any, entry: Entry) -> None:
        """Do again what the bank did: it must come to the same.

        A ledger that others use has been paid already, and is believed.
        """
        if isinstance(request, Draw):
            return
        if self.outside is not None and not isinstance(request, Open):
            self.bank.note(request, entry.value)
        elif self.bank.answer(request, entry.step, entry.key) != entry.value:
            problem = "are answered otherwise by their accounts than the log says"
            fix = "replay the log as it was, with the ledger that was paid if others use it too"
            raise ReplayError(self.rules.name, entry.step, problem, fix)

    def repay(self, entry: Entry) -> None:
        """Enter what was paid, for books of this run alone."""
        request = entry.request
        if isinstance(request, Open):
            self.bank.open(request)
            return
        paid = isinstance(request, Pay) and entry.value is None
        if paid and self.bank.answer(request, entry.step, entry.key) is not None:
            problem = "pay more than their accounts hold"
            fix = "ask the ledger that was paid: it had money that others had put in"
            raise self.broken(entry.step, problem, fix)


class Recorded(NamedTuple):
    """An entry of a log that is replayed."""

    step: int
    key: str
    entry: Entry

    @property
    def how(self) -> How:
        """How the request was answered."""
        return self.entry.how

    def settled(self, name: str, request: Any) -> Entry:
        """Return the entry, if it answers the request that the rules make now."""
        if self.entry.request != request:
            problem = "ask for something else than the first time"
            fix = "let them follow from their arguments and the answers alone"
            raise ReplayError(name, self.step, problem, fix)
        return self.entry


def read_seed(seed: object) -> int | str:
    """Return a seed.

    Raises
    ------
    InvalidInputError
        For a seed that is neither an integer of at most 4,000 digits nor text.
    """
    if type(seed) is int:
        require_short(Fraction(seed), "seed")
        return seed
    if type(seed) is str:
        return seed
    raise InvalidInputError("seed", seed, "is no seed", "give an integer or text")


def conclude(
    steps: Steps[Outcome], seed: int | str, name: str = "rules"
) -> tuple[Outcome, Ledger | None]:
    """Lead rules that ask nobody to their end, without a log.

    Draws and payments are those of a run of these rules with this seed, on a ledger of its own.

    Parameters
    ----------
    steps : generator
        As ``rules.steps(...)`` returns it.
    seed : int or str
    name : str
        Of the rules, for errors.

    Returns
    -------
    outcome
        What the rules return.
    ledger : Ledger or None
        None where they have opened no account.

    Raises
    ------
    RulesError
        For rules that ask somebody.
    InvalidInputError
        For what is no generator, and a seed that is none.

    Examples
    --------
    >>> def toss(times):
    ...     heads = 0
    ...     for _ in range(times):
    ...         heads += yield Draw.uniform([0, 1])
    ...     return heads
    >>> conclude(toss(10), seed=3)
    (6, None)
    """

    def broken(step: int, problem: str, fix: str) -> RulesError:
        return RulesError(name, step, problem, fix)

    fix = "give rules.steps(...)"
    instance_of("steps", steps, Generator, fix)
    seed = read_seed(seed)
    bank = Bank(None, broken)
    laws: dict[int, tuple[Any, _Law]] = {}  # rules may draw by one law many times

    def settled(request: Any, key: str) -> Any:
        if isinstance(request, Draw):
            known = laws.get(id(request))
            if known is None:
                known = laws[id(request)] = request, _law_of(request)
            return _drawn(known[1], seed, step, key)
        if isinstance(request, _BANK):
            return bank.answer(request, step, key)
        kind = type(request).__name__
        raise broken(step, f"yield a {kind}", "lead rules that ask somebody as a run")

    value: Any = None
    step = 0
    while True:
        try:
            wanted = steps.send(value)
        except StopIteration as stop:
            return stop.value, bank.ledger
        if isinstance(wanted, Mapping):
            value = {key: settled(each, key) for key, each in wanted.items()} if wanted else wanted
        else:
            value = settled(wanted, ALONE)
        step += 1


class _Law(NamedTuple):
    """Values with weights as whole numbers, and of how many bytes a number decides."""

    values: tuple[Any, ...]
    counts: list[int]
    total: int
    size: int


def _law_of(draw: Draw[Any]) -> _Law:
    total = lcm(*[weight.denominator for weight in draw.weights])
    counts = [weight.numerator * (total // weight.denominator) for weight in draw.weights]
    return _Law(draw.values, counts, total, (total.bit_length() + 7) // 8 + 8)


def _drawn(law: _Law, seed: int | str, step: int, key: str) -> Any:
    """Return the value that a seed draws, with exact weights."""
    values, counts, total, size = law
    start = f"{type(seed).__name__}:{seed}/{step}/{key}".encode("utf-8", "surrogatepass")
    counter = 0
    while True:
        blocks = range(counter, counter + -(-size // 32))
        counter = blocks.stop
        stream = b"".join([sha256(b"%d:%s" % (block, start)).digest() for block in blocks])
        number = int.from_bytes(stream[:size], "big")
        bound = 1 << 8 * size
        if number < bound - bound % total:
            break
    place = number % total
    for value, count in zip(values, counts, strict=True):
        place -= count
        if place < 0:
            return value
    raise AssertionError("weights sum to one")
