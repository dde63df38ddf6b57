"""What rules ask for: an answer of a player, a draw of chance, a payment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from math import lcm
from typing import Any, Final, Generic, TypeVar

from mechanisms._statement import amount_text
from mechanisms.ledger import Amount
from mechanisms.play.answers import AnswerType, IllegalAnswerError, describe_briefly
from mechanisms.play.plain_data import ATOMS, detach, digest
from theory.errors import InvalidInputError, ProbabilityError
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count, read_tuple
from theory.shared.printable import printed_line

__all__ = [
    "END",
    "TELL",
    "Ask",
    "Draw",
    "Funds",
    "Open",
    "Otherwise",
    "Pay",
    "Request",
    "Transfer",
    "Unanswered",
    "Unpaid",
    "hand_out",
    "mark_ask",
    "put_ask",
    "tell_otherwise",
]

T = TypeVar("T")


MOST_ATTEMPTS: Final = 100
"""How often one answer may be tried."""


class Otherwise(Enum):
    """What follows where a player gives no legal answer."""

    END = "the run ends"
    TELL = "the rules are told"


END: Final = Otherwise.END
TELL: Final = Otherwise.TELL


@dataclass(frozen=True, slots=True, init=False)
class Ask:
    """A question to a player.

    Attributes
    ----------
    player : str
        Who has the account and the utility.
    view : object
        All that the player is told, and nothing else. Data that does not change, with a ``str`` for
        people: text, exact numbers, tuples, frozen dataclasses.
    answer : AnswerType
        What is a legal answer.
    role : str
        What is asked for, in a word: "bid", "choose", "decide".
    seat : str
        Who remembers: a seat sees its own questions in their order, and nothing else. It is the
        player unless another is named; whoever must forget is given a new seat.
    attempts : int
        How often an answer may be tried, at most 100 times.
    otherwise : object
        What counts as the answer when no attempt was legal, or none came. ``END`` ends the run;
        with ``TELL`` the rules get an :class:`Unanswered`; anything else must be a legal answer.
    refused : tuple of str
        Why the attempts until now were refused. The run fills it in.
    step : int or None
        At which step it is put. The run fills it in, and takes no answer to a question of another
        step, though they be equal; questions are, whatever their steps.
    """

    player: str
    view: Any
    answer: AnswerType[Any]
    role: str = ""
    seat: str = ""
    attempts: int = 1
    otherwise: object = END
    refused: tuple[str, ...] = ()
    step: int | None = field(default=None, compare=False, repr=False)
    changes: bool = field(default=False, init=False, compare=False, repr=False)
    """Whether the view holds lists or the like: then each who looks gets a copy."""
    mark: str = field(default="", init=False, compare=False, repr=False)
    """What tells the question from others where a run is written; empty until then."""
    copy_of: Ask | None = field(default=None, init=False, compare=False, repr=False)
    """The question of the run, where this one was handed out for it."""

    def __init__(  # noqa: PLR0917 - by position as any dataclass
        self,
        player: str,
        view: Any,
        answer: AnswerType[Any],
        role: str = "",
        seat: str = "",
        attempts: int = 1,
        otherwise: object = END,
        refused: tuple[str, ...] = (),
        step: int | None = None,
    ) -> None:
        _player(self, player)  # field by field: what ``dataclass`` writes takes twice as long
        _view(self, view)
        _answer(self, answer)
        _role(self, role)
        _seat(self, seat or player)
        _attempts(self, attempts)
        _otherwise(self, otherwise)
        _refused(self, refused)
        _step(self, step)
        _changes(self, False)
        _mark(self, "")
        _copy_of(self, None)
        if (
            not (type(player) is type(role) is type(seat) is str and player)
            or type(attempts) is not int
            or not 1 <= attempts <= MOST_ATTEMPTS
            or AnswerType not in type(answer).__mro__
        ):
            self._refuse(seat)

    def _refuse(self, seat: object) -> None:
        """Raise for what is no question; subclasses of text and the like are none of that."""
        for name, given in (("player", self.player), ("role", self.role), ("seat", seat)):
            instance_of(f"{name} of an Ask", given, str, "give text")
        if not self.player:
            raise InvalidInputError("player of an Ask", "", "is empty", "name the player")
        read_count("attempts of an Ask", self.attempts, 1, MOST_ATTEMPTS)
        instance_of("answer of an Ask", self.answer, AnswerType, "give a Choice or the like")


_SETTERS: Final[list[Any]] = [vars(Ask)[field.name].__set__ for field in fields(Ask)]
(
    _player,
    _view,
    _answer,
    _role,
    _seat,
    _attempts,
    _otherwise,
    _refused,
    _step,
    _changes,
    _mark,
    _copy_of,
) = _SETTERS


def put_ask(ask: Ask, step: int, fixed: dict[int, Any]) -> Ask:
    """Return a question as it is put at a step: the rules cannot change what it tells.

    ``fixed`` is as for ``detach``.
    """
    put = _same(ask, ask.view, ask.answer, step)
    if type(ask.view) not in ATOMS:
        view = detach(ask.view, fixed)
        _view(put, view)
        _changes(put, view is not ask.view)
    return put


def tell_otherwise(ask: Ask, view: Any, answer: AnswerType[Any]) -> Ask:
    """Return a question with another view and another type of answer."""
    return _same(ask, view, answer, ask.step)


def _same(ask: Ask, view: Any, answer: AnswerType[Any], step: int | None) -> Ask:
    made = object.__new__(Ask)  # field by field: ``replace`` takes five times as long
    _player(made, ask.player)
    _view(made, view)
    _answer(made, answer)
    _role(made, ask.role)
    _seat(made, ask.seat)
    _attempts(made, ask.attempts)
    _otherwise(made, ask.otherwise)
    _refused(made, ask.refused)
    _step(made, step)
    _changes(made, False)
    _mark(made, "")
    _copy_of(made, None)
    return made


def mark_ask(ask: Ask) -> str:
    """Return what tells a question from others: the whole view, and what may be answered."""
    if not ask.mark:
        parts = ask.player, ask.seat, ask.role, ask.view, ask.refused
        _mark(ask, digest(*parts, ask.answer.schema()))
    return ask.mark


def hand_out(ask: Ask) -> Ask:
    """Return a question for somebody who may change what it tells."""
    if not ask.changes:
        return ask
    handed = replace(ask, view=detach(ask.view))
    _copy_of(handed, ask)
    return handed


@dataclass(frozen=True, slots=True)
class Unanswered:
    """What rules get where a player gave no legal answer.

    Attributes
    ----------
    reason : str
        Why the last attempt was refused, or why none came.
    absent : bool
        Whether no answer came: a call that failed, a time that ran out. Otherwise all attempts were
        illegal.
    """

    reason: str
    absent: bool


@dataclass(frozen=True, slots=True)
class Draw(Generic[T]):
    """A draw of chance; the value drawn stands in the log.

    Attributes
    ----------
    values : tuple
    weights : tuple of Fraction
        The probability of each value.
    name : str
        What is drawn, for people.

    Raises
    ------
    ProbabilityError, InvalidInputError
        For weights that are no probabilities of these values.

    Examples
    --------
    >>> Draw.of({"low": "1/3", "high": "2/3"}).weights
    (Fraction(1, 3), Fraction(2, 3))
    >>> Draw.uniform(["Ann", "Bob"]).values
    ('Ann', 'Bob')
    """

    values: tuple[T, ...]
    weights: tuple[Fraction, ...]
    name: str = ""

    def __post_init__(self) -> None:
        if len(self.values) != len(self.weights):
            fix = f"give one for each of the {len(self.values)} values"
            raise ProbabilityError("weights", self.weights, f"are {len(self.weights)}", fix)
        for value, weight in zip(self.values, self.weights, strict=True):
            if type(weight) is not Fraction:
                instance_of(f"probability of {value}", weight, Fraction, "use Draw.of")
            if weight.numerator < 0:
                fix = "give a number of at least 0"
                raise ProbabilityError(f"probability of {value}", weight, "is negative", fix)
        total = lcm(*(weight.denominator for weight in self.weights))
        if sum(w.numerator * (total // w.denominator) for w in self.weights) != total:
            fix = 'give exact numbers, such as "1/3", that do'
            whole = sum(self.weights, Fraction(0))
            raise ProbabilityError("probabilities", whole, "do not sum to one", fix)

    @classmethod
    def of(cls, law: Mapping[T, object], name: str = "") -> Draw[T]:
        """Return a draw from a law: the probability of each value.

        Raises
        ------
        ProbabilityError
            For a negative probability, and a sum other than one.
        NumberError, ExactnessError
            For what is no rational number.
        """
        instance_of("law", law, Mapping, "give the probability of each value")
        weights = tuple(rational(weight, f"probability of {v}") for v, weight in law.items())
        return cls(tuple(law), weights, name)

    @classmethod
    def uniform(cls, values: Iterable[T], name: str = "") -> Draw[T]:
        """Return a draw in which all values are equally likely.

        Raises
        ------
        InvalidInputError
            Where there is no value.
        """
        listed = read_tuple("values", values, "give a list of values")
        if not listed:
            raise InvalidInputError("values", listed, "are none", "give at least one")
        return cls(listed, (Fraction(1, len(listed)),) * len(listed), name)

    def read(self, value: object) -> T:
        """Return the value that was drawn, which must be possible.

        Raises
        ------
        IllegalAnswerError
            For a value that is not listed, or has probability zero.
        """
        for known, weight in zip(self.values, self.weights, strict=True):
            if weight and type(known) is type(value) and known == value:
                return known
        problem = f"{describe_briefly(value)} is never drawn"
        raise IllegalAnswerError(problem, "give a value of positive probability")


@dataclass(frozen=True, slots=True)
class Transfer:
    """An amount that one account is to pay another."""

    payer: str
    payee: str
    amount: Amount
    memo: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """Accounts that a run needs, with what they hold at its start and how far they may go down.

    Where a run is given a ledger of its own, that has the accounts, and these balances are not
    used.
    """

    balances: tuple[tuple[str, Amount], ...]
    floors: tuple[tuple[str, Amount | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Funds:
    """How much an account can pay now; None where it has no floor."""

    account: str


@dataclass(frozen=True, slots=True)
class Pay:
    """Payments, all of them or none; the rules get None, or an :class:`Unpaid`."""

    transfers: tuple[Transfer, ...]


@dataclass(frozen=True, slots=True)
class Unpaid:
    """What rules get where an account cannot pay: nothing was moved.

    Attributes
    ----------
    account : str
    amount : number
        What it was to pay in all.
    funds : number
        What it can pay.
    told : number or None
        What it could pay by what ``Funds`` said and the run has paid since, if that is more: others
        have taken from it meanwhile.
    """

    account: str
    amount: Amount
    funds: Amount
    told: Amount | None = None

    @printed_line
    def __str__(self) -> str:
        amount, funds = amount_text(self.amount), amount_text(self.funds)
        text = f"{self.account} cannot pay {amount}: it has {funds}"
        if self.told is None:
            return text
        return f"{text}, and had {amount_text(self.told)} before others took from it"


Request = Ask | Draw[Any] | Open | Funds | Pay
