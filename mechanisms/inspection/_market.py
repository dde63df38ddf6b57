"""What sellers offer, level by level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from mechanisms.amounts import copy_amount
from mechanisms.errors import SellerError
from mechanisms.ledger import Ledger
from mechanisms.participants import blame, describe_object, plain
from mechanisms.protocols import Notice, Offer, Purchase, Question, Seller
from theory.errors import InvalidInputError
from theory.shared.copying import copy_content

__all__ = ["Item", "Market"]


@dataclass(frozen=True)
class Item(Notice):
    """An offer as the mechanism keeps it; participants only get copies."""

    content: Any
    ready: list[Any] = field(default_factory=list, repr=False, compare=False)

    def notice(self) -> Notice:
        """Return what everyone may know of it."""
        return Notice(self.level, self.seller, self.name, copy_amount(self.price))

    def copied(self) -> object:
        """Return a copy of the content: one that is ready, or a new one.

        Raises
        ------
        SellerError
            When the content cannot be copied.
        """
        return self.ready.pop() if self.ready else self._copy()

    def prepare(self, copies: int) -> None:
        """Make copies to deliver, so that none is missing once it is paid.

        Raises
        ------
        SellerError
            When the content cannot be copied.
        """
        self.ready.extend(self._copy() for _ in range(copies))

    def delivered(self) -> Purchase:
        """Return it with a copy of its content."""
        return self._with(self.copied())

    def bought(self) -> Purchase:
        """Return it with the content itself, when nobody will read that any more."""
        return self._with(self.content)

    def _with(self, content: object) -> Purchase:
        return Purchase(self.level, self.seller, self.name, copy_amount(self.price), content)

    def _copy(self) -> object:
        where = f"when the content of {self.name!r} was copied"
        with blame(SellerError, self.seller, where, "offer text, or what can be copied each time"):
            return copy_content(self.content)


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
        with blame(SellerError, name, f"on level {level}", "return a list of offers"):
            return list(islice(seller.offers(self.question(level)), room + 1))

    def _item(self, seller: str, offer: object, level: int) -> Item:
        if not isinstance(offer, Offer):
            kind = type(offer).__name__
            raise SellerError(
                seller, f"offers a {kind} on level {level}, no Offer", "return a list of Offers"
            )
        with blame(SellerError, seller, f"in an offer on level {level}", "return plain Offers"):
            name, content, asked = plain(offer.name), offer.content, offer.price
        if not name:
            raise SellerError(seller, f"offers something nameless on level {level}", "name it")
        if any(name == item.name for items in self.levels for item in items):
            raise SellerError(
                seller,
                f"offers {name!r} on level {level}, a name that is taken",
                "give each offer a name of its own, such as one that begins with the seller's",
            )
        try:
            price = self._ledger.amount(asked, f"price of {name}")
        except InvalidInputError as error:
            raise SellerError(
                seller, f"cannot sell {name!r} on level {level}", describe_object(error, str)
            ) from error
        offered = Item(level, seller, name, price, content)
        return replace(offered, content=offered.copied())
