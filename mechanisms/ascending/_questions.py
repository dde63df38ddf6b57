"""What bidders are asked in an ascending auction, and what they may answer."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from json import loads
from typing import Any, Final

from mechanisms.participants import plain
from mechanisms.play import AnswerType, IllegalAnswerError
from mechanisms.play.answers import describe_briefly, list_answers
from theory.errors import InvalidInputError
from theory.numbers import rational
from theory.shared.printable import one_line
from theory.shared.text import number_text

__all__ = [
    "Bid",
    "Call",
    "Lot",
    "Offered",
    "Plan",
    "Planned",
    "Sale",
    "ToPlan",
    "read_json_object",
]

Offered = tuple[str, Fraction | None]
"""A bidder and its bid; None where it has withdrawn."""


@dataclass(frozen=True, slots=True)
class Lot:
    """What a bidder knows of an item before it is sold.

    Attributes
    ----------
    name : str
    start : Fraction
    estimate : Fraction
        What the bidder expects it to be worth.
    """

    name: str
    start: Fraction
    estimate: Fraction

    def __str__(self) -> str:
        start, estimate = number_text(self.start), number_text(self.estimate)
        return one_line(f"{self.name}, from {start}, worth perhaps {estimate}")


@dataclass(frozen=True, slots=True)
class Sale:
    """How the sale of an item ended, as far as all are told.

    Attributes
    ----------
    item : str
    winner : str or None
        None where it was not sold.
    price : Fraction or None
    value : Fraction or None
        What it was worth to the winner; None where that is not told.
    """

    item: str
    winner: str | None = None
    price: Fraction | None = None
    value: Fraction | None = None

    def __str__(self) -> str:
        if self.winner is None or self.price is None:
            return one_line(f"{self.item} was not sold")
        worth = "" if self.value is None else f", worth {number_text(self.value)}"
        return one_line(f"{self.item} to {self.winner} for {number_text(self.price)}{worth}")


@dataclass(frozen=True)
class Call:
    """A call for a bid: all that the bidder is told.

    Attributes
    ----------
    bidder : str
        Who is asked.
    item : str
        The item that is on sale.
    start, least : Fraction
        Its starting price, and the least bid that counts now.
    step : Fraction
        The increment.
    standing : Fraction or None
        The highest bid; None before the first.
    leader : str or None
        Whose it is; None before the first, and where bids are not shown.
    history : tuple
        The rounds on this item at this starting price, each with who did what: ``(bidder, bid)``,
        the bid being None for who did not bid. Empty where bids are not shown.
    round : int
        From 0, counted on through discounts of the item.
    made : int
        How many bids the bidder has made on this item at this starting price.
    estimate : Fraction
        What the bidder expects the item to be worth.
    money : Fraction
        What the bidder has left.
    sold : tuple of Sale
        The sales until now.
    coming : tuple of Lot
        The items still to come, in their order; where the seller chooses, that may change.
    """

    bidder: str
    item: str
    start: Fraction
    least: Fraction
    step: Fraction
    standing: Fraction | None
    leader: str | None
    history: tuple[tuple[Offered, ...], ...]
    round: int
    made: int
    estimate: Fraction
    money: Fraction
    sold: tuple[Sale, ...]
    coming: tuple[Lot, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.item} is on sale from {number_text(self.start)}.",
            f"You expect it to be worth {number_text(self.estimate)}.",
        ]
        for number, moves in enumerate(self.history, 1):
            lines.append(f"Round {number}: {', '.join(map(_move_text, moves))}.")
        if self.standing is not None:
            whose = f" of {self.leader}" if self.leader else ""
            lines.append(f"The highest bid is {number_text(self.standing)}{whose}.")
        lines.append(
            f"You have {number_text(self.money)}. The least bid is {number_text(self.least)}."
        )
        lines += [f"Sold: {sale}." for sale in self.sold]
        lines += [f"To come: {lot}." for lot in self.coming]
        return "\n".join(map(one_line, lines))

    def __deepcopy__(self, memo: dict[int, Any]) -> Call:
        """Return a copy of all parts: a call has none that can be changed, so runs make none."""
        return Call(**{name: deepcopy(part, memo) for name, part in vars(self).items()})


def call_of(shared: Mapping[str, Any], **own: Any) -> Call:
    """Return the call of a bidder: what all who are asked in a round share, and what is its own.

    It is made part by part: what ``dataclass`` writes takes three times as long.
    """
    call = object.__new__(Call)
    vars(call).update(shared, **own)
    return call


@dataclass(frozen=True, slots=True)
class ToPlan:
    """A call to say which items matter, before the first item or after one.

    Attributes
    ----------
    bidder : str
    money : Fraction
    sold : tuple of Sale
    coming : tuple of Lot
    """

    bidder: str
    money: Fraction
    sold: tuple[Sale, ...]
    coming: tuple[Lot, ...]

    def __str__(self) -> str:
        lines = [f"You have {number_text(self.money)}."]
        lines += [f"Sold: {sale}." for sale in self.sold]
        lines += [f"To come: {lot}." for lot in self.coming]
        return "\n".join(map(one_line, lines))


def _move_text(move: Offered) -> str:
    name, bid = move
    return f"{name} withdraws" if bid is None else f"{name} bids {number_text(bid)}"


_OUT: Final = frozenset({"", "withdraw", "out", "pass"})
_FINEST: Final = 10**30
"""The largest denominator of a bid that is no whole number of increments above the least: sums of
prices stay short enough to be written."""


@dataclass(frozen=True, slots=True)
class Bid(AnswerType[Fraction | None]):
    """A bid of at least so much, or None: to withdraw from the item.

    As text, "withdraw", "out", "pass" and an empty line withdraw. A bid between two increments has
    a denominator of at most 10^30.

    Parameters
    ----------
    least, most : Fraction
        The most is what the bidder has left; where it is below the least, one can only withdraw.
    step : Fraction
        The increment, in which the answers are listed.
    jumps : int or None
        How many increments a bid may be above the least; any amount up to the most where None.

    Examples
    --------
    >>> bid = Bid(Fraction(10), Fraction(14), Fraction(2), None)
    >>> bid.read("11"), bid.read("withdraw")
    (Fraction(11, 1), None)
    >>> bid.choices()
    (None, Fraction(10, 1), Fraction(12, 1), Fraction(14, 1))
    >>> bid.read(20)
    Traceback (most recent call last):
    ...
    mechanisms.play.answers.IllegalAnswerError: 20 is more than you have: bid at most 14
    """

    least: Fraction
    most: Fraction
    step: Fraction
    jumps: int | None

    def read(self, given: object) -> Fraction | None:
        """Return the bid, or None."""
        if given is None:
            return None
        if type(given) is Fraction:
            bid = given
        else:
            text = plain(given)
            if text is not None and text.strip().lower() in _OUT:
                return None
            try:
                bid = Fraction(rational(given))
            except InvalidInputError as error:
                problem = f"{describe_briefly(given)} {error.problem}"
                raise IllegalAnswerError(problem, error.fix) from None
        if bid > self.most:
            problem = f"{number_text(bid)} is more than you have"
            raise IllegalAnswerError(problem, self._fix())
        if bid is self.least:
            return bid
        if bid < self.least:
            fix = f"bid at least {number_text(self.least)}, or withdraw"
            raise IllegalAnswerError(f"{number_text(bid)} is too little", fix)
        if bid.denominator > _FINEST and (bid - self.least) % self.step:
            problem = f"{describe_briefly(given)} is too fine"
            raise IllegalAnswerError(problem, "bid with at most 30 decimal places")
        if self.jumps is not None:
            jumps = (bid - self.least) / self.step
            if jumps.denominator > 1 or jumps > self.jumps:
                problem = f"{number_text(bid)} is between two steps"
                if jumps > self.jumps:
                    problem = f"{number_text(bid)} is too high a jump"
                fix = f"bid {number_text(self.least)} and at most {self.jumps} steps more"
                raise IllegalAnswerError(problem, f"{fix} of {number_text(self.step)}")
        return bid

    def _fix(self) -> str:
        if self.most < self.least:
            return "withdraw"
        return f"bid at most {number_text(self.most)}"

    def write(self, answer: Fraction | None) -> object:
        """Return the bid as text, and None as None."""
        return None if answer is None else str(answer)

    def say(self, answer: Fraction | None) -> object:
        """Return the bid as a model says it."""
        return "withdraw" if answer is None else str(answer)

    def schema(self) -> dict[str, object]:
        """Return a text: an amount, or "withdraw"."""
        return {
            "type": "string",
            "pattern": r"^(withdraw|[0-9]+([./][0-9]+)?)$",
            "description": str(self),
        }

    def choices(self) -> tuple[Fraction | None, ...]:
        """Return None, and the bids in whole steps above the least.

        Raises
        ------
        LimitError
            For more than 100,000 of them.
        """
        count = max(0, (self.most - self.least) // self.step + 1)
        if self.jumps is not None:
            count = min(count, self.jumps + 1)
        steps = (self.least + k * self.step for k in range(count))
        return (None, *list_answers(steps))

    def __str__(self) -> str:
        if self.most < self.least:
            return "withdraw, since you cannot pay more"
        least, most = number_text(self.least), number_text(self.most)
        if self.jumps is None:
            return f"an amount from {least} to {most}, or withdraw"
        step = number_text(self.step)
        return f"{least} or up to {self.jumps} steps of {step} more, at most {most}, or withdraw"


@dataclass(frozen=True)
class Plan:
    """What a bidder means to do.

    Attributes
    ----------
    priorities : tuple of (str, int)
        For each item to come: 1 for little, 3 for much.
    text : str
    """

    priorities: tuple[tuple[str, int], ...]
    text: str = ""


@dataclass(frozen=True)
class Planned(AnswerType[Plan]):
    """A priority of 1, 2 or 3 for each item, and a plan in words.

    Examples
    --------
    >>> Planned(("Vase",)).read('{"priorities": {"Vase": 3}, "text": "Win it."}')
    Plan(priorities=(('Vase', 3),), text='Win it.')
    """

    items: tuple[str, ...]
    longest: int = 4_000
    known: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", frozenset(self.items))

    def read(self, given: object) -> Plan:
        """Return the plan that is given as a mapping or as JSON."""
        if isinstance(given, Plan):
            given = _as_mapping(given)
        parts = read_json_object(given)
        priorities, text = parts.get("priorities"), plain(parts.get("text", ""))
        if not isinstance(priorities, Mapping):
            raise IllegalAnswerError("priorities are missing", "give 1, 2 or 3 for each item")
        for item in priorities:
            if item not in self.known:
                raise IllegalAnswerError(f"{describe_briefly(item)} is no item", str(self))
        for item in self.items:
            if type(priorities.get(item)) is not int or priorities[item] not in (1, 2, 3):
                raise IllegalAnswerError(f"{item} has no priority", "give it 1, 2 or 3")
        if text is None or len(text) > self.longest:
            fix = f"use at most {self.longest:,} characters"
            raise IllegalAnswerError("the text is none, or too long", fix)
        return Plan(tuple((item, priorities[item]) for item in self.items), text)

    def write(self, answer: Plan) -> object:
        """Return the plan as a JSON object."""
        return {"priorities": dict(answer.priorities), "text": answer.text}

    def schema(self) -> dict[str, object]:
        """Return an object with a priority for each item, and a text."""
        return {
            "type": "object",
            "properties": {
                "priorities": {
                    "type": "object",
                    "properties": {
                        item: {"type": "integer", "enum": [1, 2, 3]} for item in self.items
                    },
                    "required": list(self.items),
                    "additionalProperties": False,
                },
                "text": {"type": "string", "maxLength": self.longest},
            },
            "required": ["priorities", "text"],
            "additionalProperties": False,
        }

    def __str__(self) -> str:
        return one_line(f"a priority of 1, 2 or 3 for each of {', '.join(self.items)}, and a text")


def _as_mapping(plan: Plan) -> dict[str, object]:
    try:
        return {"priorities": dict(plan.priorities), "text": plan.text}
    except (TypeError, ValueError):
        problem, fix = "the plan has no pairs of an item and a priority", "give 1, 2 or 3 for each"
        raise IllegalAnswerError(problem, fix) from None


def read_json_object(given: object) -> Mapping[str, Any]:
    text = plain(given)
    if text is not None:
        try:
            given = loads(text)
        except (ValueError, RecursionError) as error:  # too many digits are no JSONDecodeError
            raise IllegalAnswerError("the answer is no JSON", "give a JSON object") from error
    if not isinstance(given, Mapping):
        raise IllegalAnswerError(f"{describe_briefly(given)} is no object", "give a JSON object")
    return given
