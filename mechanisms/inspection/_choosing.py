"""Choosing what to buy: by a copy of the buyer that is thrown away afterwards."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from mechanisms.amounts import fresh
from mechanisms.errors import BuyerError, RevokedError
from mechanisms.inspection._market import Item
from mechanisms.participants import blame, plain
from mechanisms.protocols import Buyer, Preview, Viewing
from theory.copying import copied
from theory.errors import nearest

__all__ = ["Counter", "chosen"]

_KINDS = frozenset(kind for kind in vars(builtins).values() if isinstance(kind, type))

_ANSWER = "return the names of offers of this level, or () to buy nothing"


class Counter:
    """Where contents may be read until it closes."""

    def __init__(self) -> None:
        self._contents: dict[str, object] = {}

    def lay_out(self, item: Item) -> Preview:
        """Let an item be read, in a copy made for this counter."""
        self._contents[item.name] = item.copied()
        read = partial(self._read, item.name)
        return Preview(item.level, item.seller, item.name, fresh(item.price), read)

    def close(self) -> None:
        """Let nothing be read any more."""
        self._contents.clear()

    def _read(self, name: str) -> object:
        if name not in self._contents:
            raise RevokedError(f"{name!r} may be read only while the choice is made")
        return self._contents[name]


def chosen(buyer: Buyer, name: str, viewing: Viewing) -> set[str]:
    """Return the names of the offers of the level that a copy of the buyer chooses.

    Only names that are on offer come back. What the copy returns may be an object that remembers,
    and what it says when it raises may be what it read, so neither is passed on.

    Raises
    ------
    BuyerError
        When the buyer cannot be copied, when the copy raises, or when it returns anything but
        offered names, each once.
    """
    offered = tuple(preview.name for preview in viewing.choice)
    where = f"choosing on level {viewing.question.level}"
    answers, fault = _asked(_copied(buyer, name), viewing)
    if fault:
        raise BuyerError(name, f"{fault} when {where}", _ANSWER)
    for answer in answers:
        if answer not in offered:
            problem = f"names what is not on offer when {where}"
            raise BuyerError(name, problem, nearest(answer, offered))
        if answers.count(answer) > 1:
            raise BuyerError(name, f"names {answer!r} twice when {where}", "name each offer once")
    return set(offered).intersection(answers)


def _copied(buyer: Buyer, name: str) -> Buyer:
    fix = "define __deepcopy__, sharing what never changes"
    with blame(BuyerError, name, "when it was copied", fix):
        copy = copied(buyer)
    if copy is buyer:
        raise BuyerError(
            name, "is its own copy, which could keep what it reads", "let __deepcopy__ make another"
        )
    return copy


def _asked(copy: Buyer, viewing: Viewing) -> tuple[Sequence[str | None], str]:
    """Return the answers of a copy, at most one more than there are offers, or what went wrong."""
    try:
        answer = copy.choose(viewing)
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            return (), "returned no list of names"
        return [plain(each) for each in islice(answer, len(viewing.choice) + 1)], ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit could carry a message as well
        return (), f"raised {_kind(error)} (its words are withheld: they may hold what it read)"


def _kind(error: BaseException) -> str:
    """Return the nearest name of Python's own, since a class can be named after what was read."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind in _KINDS)
