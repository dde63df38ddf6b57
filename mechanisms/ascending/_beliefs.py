"""What a bidder believes of the state of an auction, and what of it is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechanisms.ascending._questions import Sale, read_json_object
from mechanisms.participants import plain
from mechanisms.play import AnswerType, IllegalAnswerError
from mechanisms.play.answers import describe_briefly, read_exact
from theory.shared.printable import one_line
from theory.shared.text import decimal_text

__all__ = ["Beliefs", "Believed", "ToRecount"]


@dataclass(frozen=True, slots=True)
class ToRecount:
    """A call to say how the auction stands, after an item.

    Attributes
    ----------
    bidder : str
    number : int
        How many items have been sold, or not sold.
    sale : Sale
        How the last of them was.
    wrong : tuple of str
        What was wrong in the last answer, where it was corrected.
    """

    bidder: str
    number: int
    sale: Sale
    wrong: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(one_line, [f"Sold: {self.sale}.", *self.wrong]))


@dataclass(frozen=True)
class Beliefs:
    """What a bidder says of the state of the auction.

    Attributes
    ----------
    money : Fraction
        What the bidder itself has left.
    profits : tuple of (str, Fraction)
        The profit of each bidder until now.
    won : tuple of (str, tuple of (str, Fraction))
        By bidder: the items it has won, each with its price.

    Examples
    --------
    >>> told = Beliefs(Fraction(5), (("Ann", Fraction(3)),), (("Ann", (("Vase", Fraction(2)),)),))
    >>> true = Beliefs(Fraction(5), (("Ann", Fraction(3)),), (("Ann", (("Vase", Fraction(4)),)),))
    >>> told.compare(true)
    ('Ann has won Vase for 4, not Vase for 2.',)
    >>> told.statements
    3
    """

    money: Fraction
    profits: tuple[tuple[str, Fraction], ...]
    won: tuple[tuple[str, tuple[tuple[str, Fraction], ...]], ...]

    @property
    def statements(self) -> int:
        """How many things it states: the money, and for each bidder the profit and what it won."""
        return 1 + len(self.profits) + len(self.won)

    def compare(self, truth: Beliefs) -> tuple[str, ...]:
        """Return what is wrong, a sentence for each statement, in the order of the truth."""
        wrong = []
        if self.money != truth.money:
            money, told = decimal_text(truth.money), decimal_text(self.money)
            wrong.append(f"You have {money} left, not {told}.")
        profits, won = dict(self.profits), dict(self.won)
        for name, profit in truth.profits:
            if profits.get(name) != profit:
                told = _amount_or_nothing(profits.get(name))
                wrong.append(f"The profit of {name} is {decimal_text(profit)}, not {told}.")
        for name, items in truth.won:
            if sorted(won.get(name, ())) != sorted(items):
                wrong.append(f"{name} has won {_items(items)}, not {_items(won.get(name, ()))}.")
        return tuple(wrong)


def _amount_or_nothing(amount: Fraction | None) -> str:
    return "nothing" if amount is None else decimal_text(amount)


def _items(items: tuple[tuple[str, Fraction], ...]) -> str:
    return ", ".join(f"{name} for {decimal_text(price)}" for name, price in items) or "nothing"


@dataclass(frozen=True)
class Believed(AnswerType[Beliefs]):
    """The money left, the profits of all bidders, and what each has won at which price.

    As JSON: ``{"money": "5", "profits": {"Ann": "3"}, "won": {"Ann": {"Vase": "2"}}}``. A bidder
    that is left out has won nothing, at a profit of 0; names that are unknown are refused. What is
    wrong is no refusal.
    """

    bidders: tuple[str, ...]
    items: tuple[str, ...]

    def read(self, given: object) -> Beliefs:
        """Return the beliefs that are given as a mapping or as JSON."""
        if isinstance(given, Beliefs):
            given = _as_mapping(given)
        parts = read_json_object(given)
        if "money" not in parts:
            raise IllegalAnswerError("the money left is missing", f"give {self}")
        profits = self._by_bidder("profits", parts.get("profits", {}))
        won = self._by_bidder("won", parts.get("won", {}))
        bought: dict[str, tuple[tuple[str, Fraction], ...]] = {}
        for name, items in won.items():
            if not isinstance(items, Mapping):
                raise IllegalAnswerError(f"what {name} has won is no object", "give item: price")
            for item in items:
                if item not in self.items:
                    fix = f"name some of {', '.join(self.items)}"
                    raise IllegalAnswerError(f"{describe_briefly(item)} is no item", fix)
            pairs = ((str(item), _number(price)) for item, price in items.items())
            bought[name] = tuple(pairs)
        return Beliefs(
            _number(parts["money"]),
            tuple((name, _number(profits.get(name, 0))) for name in self.bidders),
            tuple((name, bought.get(name, ())) for name in self.bidders),
        )

    def _by_bidder(self, part: str, given: object) -> Mapping[str, Any]:
        if not isinstance(given, Mapping):
            raise IllegalAnswerError(f"{part} is no object", "give one entry a bidder")
        for name in given:
            if plain(name) not in self.bidders:
                fix = f"name some of {', '.join(self.bidders)}"
                raise IllegalAnswerError(f"{describe_briefly(name)} is no bidder", fix)
        return given

    def write(self, answer: Beliefs) -> object:
        """Return the beliefs as JSON, amounts as text."""
        return {
            "money": str(answer.money),
            "profits": {name: str(profit) for name, profit in answer.profits},
            "won": {
                name: {item: str(price) for item, price in items} for name, items in answer.won
            },
        }

    def schema(self) -> dict[str, object]:
        """Return an object of the three parts."""
        number = {"type": "string", "pattern": r"^-?[0-9]+([./][0-9]+)?$"}
        bought = {
            "type": "object",
            "properties": dict.fromkeys(self.items, number),
            "additionalProperties": False,
        }

        def by_bidder(entry: object) -> dict[str, object]:
            return {
                "type": "object",
                "properties": dict.fromkeys(self.bidders, entry),
                "required": list(self.bidders),
                "additionalProperties": False,
            }

        return {
            "type": "object",
            "properties": {"money": number, "profits": by_bidder(number), "won": by_bidder(bought)},
            "required": ["money", "profits", "won"],
            "additionalProperties": False,
        }

    def __str__(self) -> str:
        names = ", ".join(self.bidders)
        return one_line(
            f"money left, the profits of {names}, and what each has won at which price, as JSON"
        )


def _as_mapping(beliefs: Beliefs) -> dict[str, object]:
    try:
        won = {name: dict(items) for name, items in beliefs.won}
        return {"money": beliefs.money, "profits": dict(beliefs.profits), "won": won}
    except (TypeError, ValueError):
        problem, fix = (
            "the beliefs have no pairs of a name and an amount",
            "give them as Beliefs has",
        )
        raise IllegalAnswerError(problem, fix) from None


def _number(given: object) -> Fraction:
    return read_exact(given, describe_briefly(given))
