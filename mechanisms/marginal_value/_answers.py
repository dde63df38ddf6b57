"""What the judge and the informants may answer, and why something is no answer."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import inf
from reprlib import repr as short
from typing import Any

import numpy as np

from mechanisms.ledger import Amount
from mechanisms.marginal_value._pricing import read_price
from mechanisms.marginal_value._record import in_braces
from mechanisms.marginal_value._revealing import RevealingRules
from mechanisms.participants import describe_object, plain
from mechanisms.play import AnswerType, IllegalAnswerError
from mechanisms.play.answers import list_answers, refuse_long
from mechanisms.play.plain_data import from_json, to_json, view_json
from theory.errors import InvalidInputError, nearest
from theory.numbers import Exact, Floats, as_numbers
from theory.shared.printable import one_line
from theory.shared.rounding import best_of

__all__ = ["Move", "Opinion", "Price", "Utilities"]


@dataclass(frozen=True)
class Opinion:
    """What the judge expects of each action, and the first of the best."""

    utilities: tuple[tuple[Hashable, Amount], ...]
    action: Hashable
    floats: bool

    @cached_property
    def numbers(self) -> Exact | Floats:
        """The utilities as an array."""
        return _numbers([utility for _, utility in self.utilities], self.floats)


@dataclass(frozen=True)
class Utilities(AnswerType[Opinion]):
    """A utility for each action: rationals, or floats throughout.

    Attributes
    ----------
    revealed : tuple of str
        What the judge is shown.
    actions, floats
        The actions and the kind of number that the answer must have; None when any will do.
    """

    revealed: tuple[str, ...]
    actions: tuple[Hashable, ...] | None
    floats: bool | None

    def read(self, given: object) -> Opinion:
        """Return the opinion that utilities by action are; of an opinion, its utilities count."""
        where = f"when shown {in_braces(self.revealed)}"
        if isinstance(given, Opinion):
            given = dict(given.utilities)
        row: dict[Any, Any] = dict(given) if isinstance(given, Mapping) else {}
        if not row:
            fix = "return a utility for each action"
            raise IllegalAnswerError(f"answered {describe_object(given, short)} {where}", fix)
        known = tuple(row) if self.actions is None else self.actions
        for action in known:
            if action not in row:
                problem = f"gave no utility of {describe_object(action)} {where}"
                raise IllegalAnswerError(problem, "give one each time")
        for action in row:
            if action not in known:
                names = (describe_object(each, str) for each in known)
                fix = nearest(describe_object(action, str), names)
                raise IllegalAnswerError(f"added {describe_object(action)} {where}", fix)
        try:
            numbers = _numbers([row[action] for action in known], self.floats)
        except InvalidInputError as error:
            fix = describe_object(error, str)
            raise IllegalAnswerError(f"cannot be understood {where}", fix) from error
        utilities = tuple(zip(known, numbers.scalars(), strict=True))
        for action, utility in utilities:
            refuse_long(utility, f"the utility of {describe_object(action)}")
        return Opinion(utilities, known[_first_best(numbers)], isinstance(numbers, Floats))

    def write(self, answer: Opinion) -> object:
        """Return pairs of an action and its utility; actions must be plain data."""
        return [
            [to_json(action, "action"), to_json(utility, f"utility of {action}")]
            for action, utility in answer.utilities
        ]

    def say(self, answer: Opinion) -> object:
        """Return utilities by the texts of actions."""
        return {str(action): view_json(utility) for action, utility in answer.utilities}

    def read_written(self, written: object) -> Opinion:
        """Return the opinion that was written."""
        pairs: Any = written
        return self.read({from_json(action): from_json(utility) for action, utility in pairs})

    def schema(self) -> dict[str, object]:
        """Return an object with a number for each action, or a text such as "1/3"."""
        number: dict[str, object] = {"type": ["number", "string"]}
        named = {str(action): number for action in self.actions or ()}
        return {"type": "object", "properties": named, "additionalProperties": number}

    def __str__(self) -> str:
        actions = f", {', '.join(map(str, self.actions))}" if self.actions else ""
        return one_line(f"a utility for each action{actions}")


@dataclass(frozen=True)
class Move(AnswerType[tuple[str, ...]]):
    """Items to reveal; what is revealed already does not count, and nothing new ends the game.

    Attributes
    ----------
    rules : RevealingRules
    informant : str
        Whose holdings count.
    revealed : tuple of str
        What is revealed already.
    moves : int
        How many moves were made.
    infinite : frozenset of str
        The items of the informant whose price is infinite.
    """

    rules: RevealingRules
    informant: str
    revealed: tuple[str, ...]
    moves: int
    infinite: frozenset[str]

    def read(self, given: object) -> tuple[str, ...]:
        """Return what is newly revealed, in the order of the items."""
        known = self.rules.items
        if isinstance(given, str) or not isinstance(given, Iterable):
            problem = f"answered {describe_object(given, short)}"
            raise IllegalAnswerError(problem, "return names of items, or ()")
        named = list(islice(given, len(known) + 1))
        texts = [plain(each) for each in named]
        for text, each in zip(texts, named, strict=True):
            if text not in known:
                problem = f"names {describe_object(each, short)}, no item"
                raise IllegalAnswerError(problem, nearest(text, known))
        if len(named) > len(known):
            problem = f"names more than the {len(known)} items that there are"
            raise IllegalAnswerError(problem, "name each once")
        new = tuple(name for name in known if name in texts and name not in self.revealed)
        if new:
            self._admit(new)
        return new

    def write(self, answer: tuple[str, ...]) -> object:
        """Return the names."""
        return list(answer)

    def schema(self) -> dict[str, object]:
        """Return a list of names of items that the informant holds."""
        names = list(self.rules.held_by(self.informant))
        return {"type": "array", "items": {"type": "string", "enum": names}, "uniqueItems": True}

    def choices(self) -> tuple[tuple[str, ...], ...]:
        """Return the moves that are open, the null move first, then the smallest."""
        barred = self.infinite.union(self.revealed)
        held = [each for each in self.rules.held_by(self.informant) if each not in barred]
        if self.moves >= self.rules.max_moves:
            return ((),)
        if self.rules.family is None:
            sizes = range(len(held) + 1)
            return list_answers(new for size in sizes for new in combinations(held, size))
        sets = {frozenset(move).difference(self.revealed) for move in self.rules.family}
        places = {name: k for k, name in enumerate(held)}
        open_ = [sorted(map(places.__getitem__, new)) for new in sets if new <= places.keys()]
        open_.sort(key=lambda new: (len(new), new))
        moves = [tuple(held[k] for k in new) for new in open_ if new]
        return list_answers([(), *moves])

    def __str__(self) -> str:
        return one_line(f"some or none of {', '.join(self.rules.held_by(self.informant))}")

    def _admit(self, new: tuple[str, ...]) -> None:
        """Refuse a move that is not open to the informant."""
        rules, what = self.rules, f"reveals {in_braces(new)}"
        foreign = [item for item in new if item not in rules.holdings[self.informant]]
        if foreign:
            held = in_braces(rules.held_by(self.informant))
            problem = f"{what} without holding {', '.join(foreign)}"
            raise IllegalAnswerError(problem, f"it holds {held}")
        if not rules.allow(frozenset(new), self.revealed):
            moves = ", ".join(map(in_braces, rules.family or ()))
            raise IllegalAnswerError(f"{what}, which is no move", f"moves are {moves}")
        if self.moves >= rules.max_moves:
            problem = f"{what} as move {self.moves + 1} of at most {rules.max_moves}"
            raise IllegalAnswerError(problem, "let it reveal nothing by then, or allow more moves")
        if self.infinite.intersection(new):
            raise IllegalAnswerError(*infinite_price(new))


def infinite_price(new: tuple[str, ...]) -> tuple[str, str]:
    """Return what is wrong with revealing what costs infinity, and what to do instead."""
    return f"reveals {in_braces(new)}, whose price is infinite", "reveal something else"


@dataclass(frozen=True)
class Price(AnswerType[Amount]):
    """The price of some items, infinity included, as a number like those of the judge."""

    items: tuple[str, ...]
    floats: bool

    def read(self, given: object) -> Amount:
        """Return the price."""
        what = in_braces(self.items)
        like = as_numbers([0.0] if self.floats else [0], "price")
        assert isinstance(like, Exact | Floats)
        problem = f"gives no price of {what}"
        try:
            price = read_price(given, what, like)
        except InvalidInputError as error:
            raise IllegalAnswerError(problem, describe_object(error, str)) from error
        except OverflowError as error:  # of a whole number beyond all floats
            raise IllegalAnswerError(problem, "say a number that a float can be") from error
        refuse_long(price, f"the price of {what}")
        return price

    def write(self, answer: Amount) -> object:
        """Return the price as text or as a float."""
        return "inf" if answer == inf else to_json(answer, "price")

    def say(self, answer: Amount) -> object:
        """Return the price as text such as "3/2" or "inf", or as a float."""
        return "inf" if answer == inf else view_json(answer)

    def read_written(self, written: object) -> Amount:
        """Return the price that was written."""
        return self.read(inf if written == "inf" else from_json(written))

    def schema(self) -> dict[str, object]:
        """Return a number, or a text such as "1/3" or "inf"."""
        return {"type": ["number", "string"]}

    def __str__(self) -> str:
        return one_line(f"a price of {in_braces(self.items)}, or inf")


def _numbers(row: list[object], floats: bool | None) -> Exact | Floats:
    """Read a row of utilities; whole numbers may stand for floats."""
    numbers = as_numbers([*row, 0.0], "utilities")[:-1] if floats else as_numbers(row, "utilities")
    if numbers.shape != (len(row),) or not isinstance(numbers, Exact | Floats):
        raise InvalidInputError(
            "utilities", row, "cannot be paid", "give one rational or one float for each action"
        )
    if floats is False and isinstance(numbers, Floats):
        raise InvalidInputError(
            "utilities", row, "are floats beside exact numbers", "write all in one kind"
        )
    return numbers


def _first_best(numbers: Exact | Floats) -> int:
    """Return the place of the first of the largest.

    Floats tie by the rule of all of ``theory``: what other actions are worth does not count.
    """
    sizes = np.abs(numbers.values) if isinstance(numbers, Floats) else None
    return int(best_of(numbers, sizes).argmax())
