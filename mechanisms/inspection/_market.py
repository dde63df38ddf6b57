"""What sellers offer, level by level."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mechanisms.errors import SellerError
from mechanisms.ledger import Ledger
from mechanisms.protocols import Notice, Offer, Purchase, Question, Seller
from theory.errors import InvalidInputError

__all__ = ["Item", "Market", "plain"]


@dataclass(frozen=True)
class Item(Notice):
    """An offer as the mechanism keeps it; participants only get copies."""

    content: Any

    def notice(self) -> Notice:
        """Return what everyone may know of it."""
        return Notice(self.level, self.seller, self.name, self.price)

    def delivered(self) -> Purchase:
        """Return it with a copy of its content."""
        return Purchase(self.level, self.seller, self.name, self.price, deepcopy(self.content))


class Market:
    """The sellers, and all that they have offered; ``levels[n - 1]`` is what is on level n."""

    def __init__(
        self, question: str, sellers: Mapping[str, Seller], ledger: Ledger, breadth: int
    ) -> None:
        self.levels: list[list[Item]] = []
        self._question = question
        self._sellers = sellers
        self._ledger = ledger
        self._breadth = breadth

    def question(self, level: int) -> Question:
        """Return the question of a level, made anew for each who is asked."""
        below = self.levels[: level - 1]
        notices = tuple(tuple(item.notice() for item in items) for items in below)
        return Question(self._question, level, notices)

    def open(self, level: int) -> bool:
        """Put the question of a level to every seller; say whether anything is offered.

        Raises
        ------
        SellerError
            When one raises, there are too many offers, or one of them cannot stand.
        """
        items: list[Item] = []
        self.levels.append(items)
        for name, seller in self._sellers.items():
            room = self._breadth - len(items)
            for count, offer in enumerate(self._offered(name, seller, level, room), 1):
                if count > room:
                    raise SellerError(
                        name,
                        f"makes offer {count} on level {level}, which has a breadth of "
                        f"{self._breadth} for all sellers together",
                        "offer less, or allow more breadth",
                    )
                items.append(self._item(name, offer, level))
        if not items:
            self.levels.pop()
        return bool(items)

    def _offered(self, name: str, seller: Seller, level: int, room: int) -> list[object]:
        """Return the first ``room`` + 1 offers of a seller, who may go on without end."""
        try:
            return list(islice(seller.offers(self.question(level)), room + 1))
        except Exception as error:
            raise SellerError(
                name, f"raised {error!r} on level {level}", "return a list of offers"
            ) from error

    def _item(self, seller: str, offer: object, level: int) -> Item:
        if not isinstance(offer, Offer):
            kind = type(offer).__name__
            raise SellerError(
                seller, f"offers a {kind} on level {level}, no Offer", "return a list of Offers"
            )
        name = plain(offer.name)
        if not name:
            raise SellerError(seller, f"offers something nameless on level {level}", "name it")
        if any(name == item.name for items in self.levels for item in items):
            raise SellerError(
                seller,
                f"offers {name!r} on level {level}, a name that is taken",
                "give each offer a name of its own, such as one that begins with the seller's",
            )
        try:
            price = self._ledger.amount(offer.price, f"price of {name}")
        except InvalidInputError as error:
            raise SellerError(
                seller, f"cannot sell {name!r} on level {level}", str(error)
            ) from error
        try:
            return Item(level, seller, name, price, deepcopy(offer.content))
        except Exception as error:
            raise SellerError(
                seller, f"offers {name!r}, whose content cannot be copied: {error!r}", "offer text"
            ) from error


def plain(text: object) -> str | None:
    """Return text without whatever a subclass of ``str`` may carry; None for what is no text."""
    return str.__str__(text) if isinstance(text, str) else None
