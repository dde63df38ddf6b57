"""A run of the inspection protocols, noted down for ``theory.incentives.protocols``."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from mechanisms._protocol_recorder import ProtocolRecorder
from mechanisms.inspection._run import MAX_BREADTH, inspect_recursively
from mechanisms.ledger import Amount, Ledger
from mechanisms.participants import plain
from mechanisms.protocols import Buyer, Offer, Purchase, Question, Seller, Viewing
from theory.incentives.protocols import RunRecord, SecretsGranted
from theory.shared.copying import copy_content

__all__ = ["watch_inspection"]


def watch_inspection(
    question: str,
    buyer: Buyer,
    sellers: Iterable[Seller],
    ledger: Ledger,
    depth: int,
    *,
    breadth: int = MAX_BREADTH,
    setting: object = None,
) -> RunRecord:
    """Run :func:`inspect_recursively` and note what happens, for ``check_protocol``.

    The players are the sellers, the buyer who decides, and for each level a copy of the buyer that
    chooses there, since it is thrown away. Secrets are the contents of the offers, by name, and
    what the buyer can pay. A seller may know its own contents; the copy of level n those of the
    levels up to n, what was paid for, and what can be paid; the buyer what was paid for. What that
    is comes from the offers and the ledger, and not from what the mechanism delivers.

    Parameters
    ----------
    question, buyer, sellers, ledger, depth, breadth
        As for :func:`inspect_recursively`. Participants are made anew for each run.
    setting : object
        What else distinguishes the participants; runs are compared with each other where it, the
        question, the sellers' names, depth and breadth are the same.

    Returns
    -------
    RunRecord
        Its limit on the steps follows from depth, breadth and the number of sellers.

    Raises
    ------
    InvalidInputError, LimitError, ParticipantError
        As for :func:`inspect_recursively`.

    Examples
    --------
    >>> from mechanisms.inspection import TableSeller
    >>> from theory.incentives.protocols import check_protocol
    >>> class Cook:
    ...     name = "cook"
    ...
    ...     def choose(self, viewing):
    ...         return [each.name for each in viewing.choice if "legumes" in each.read()]
    ...
    ...     def decide(self, question, bought):
    ...         return "rice" if bought else "legumes"
    >>> def run(leaflet, rng):
    ...     offers = [Offer("note", "legumes are toxic raw", 2), Offer("leaflet", leaflet, 1)]
    ...     sellers = [TableSeller("farm", [offers])]
    ...     return watch_inspection("?", Cook(), sellers, Ledger({"cook": 5, "farm": 0}), depth=1)
    >>> print(check_protocol(run, ["rice is unhealthy", "rice is cheap"], seeds=1))
    nothing is refuted
    property         status  strength  scope
    ───────────────  ──────  ────────  ─────────────────────────
    conservation     holds   tested    2 sampled, 2 non-trivial
    budgets          holds   tested    2 sampled, 2 non-trivial
    disclosure       holds   tested    24 sampled, 5 non-trivial
    measurability    holds   tested    6 sampled, 1 non-trivial
    seed_discipline  holds   tested    2 sampled, 2 non-trivial
    termination      holds   tested    2 sampled, 2 non-trivial
    """
    watch = _InspectionWatch(ledger)
    asked = [_WatchedSeller(seller, watch, breadth) for seller in sellers]
    record = inspect_recursively(
        question, _WatchedBuyer(buyer, watch), asked, ledger, depth, breadth=breadth
    )
    names = tuple(seller.name for seller in asked)
    account = record.statement.account(record.buyer)
    watch.start(record.buyer, None if account.floor is None else account.opening - account.floor)
    public = (question, depth, breadth, names, setting)
    limit = len(asked) + 1 + depth * (2 * len(asked) + 3 + breadth) + 3
    return watch.record(record.statement, public, limit)


class _InspectionWatch(ProtocolRecorder):
    """Notes who may know what by the rules: from the offers made and the payments entered."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self.ledger, self.before = ledger, len(ledger.entries)
        self.levels: list[list[str]] = []
        self.owned: dict[str, list[str]] = {}

    def offered(self, seller: str, level: int, offers: Iterable[object]) -> None:
        """Note offers: names and prices are open, contents are secrets."""
        self.levels.extend([] for _ in range(level - len(self.levels)))
        open_to_all = []
        for offer in offers:
            if not isinstance(offer, Offer):
                continue  # the mechanism will refuse it
            self.secrets[offer.name] = copy_content(offer.content)
            self.levels[level - 1].append(offer.name)
            self.owned.setdefault(seller, []).append(offer.name)
            open_to_all.append((offer.name, offer.price))
        self.record_move(seller, tuple(open_to_all))

    def paid(self) -> list[str]:
        """Note the payments that are new, and return what was paid for until now."""
        entries = self.ledger.entries[self.before :]
        self.record_entries(entries)
        return [entry.memo for entry in entries]

    def start(self, buyer: str, budget: Amount | None) -> None:
        """Put before all else what participants know of their own."""
        self.secrets[_budget(buyer)] = budget
        grants = [SecretsGranted((seller,), tuple(names)) for seller, names in self.owned.items()]
        self.steps[:0] = [*grants, SecretsGranted((buyer,), (_budget(buyer),))]


def _budget(buyer: str) -> str:
    return f"what {buyer} can pay"


@dataclass(frozen=True)
class _WatchedSeller:
    """A seller, watched; it is asked for one offer more than there may be."""

    seller: Seller
    watch: _InspectionWatch
    breadth: int

    @property
    def name(self) -> str:
        return self.seller.name

    def offers(self, question: Question) -> Iterable[Offer]:
        self.watch.record_message(self.name, question)
        offers = tuple(islice(self.seller.offers(question), self.breadth + 1))
        self.watch.offered(self.name, question.level, offers)
        return offers


@dataclass(frozen=True)
class _WatchedBuyer:
    """A buyer, watched; its copies are watched too, each as a player of its own."""

    buyer: Buyer
    watch: _InspectionWatch

    @property
    def name(self) -> str:
        return self.buyer.name

    def choose(self, viewing: Viewing) -> Iterable[str]:
        level = viewing.question.level
        player = f"{self.name} on level {level}"
        bought = self.watch.paid()
        offered = [name for names in self.watch.levels[:level] for name in names]
        self.watch.record_grants([player], [_budget(self.name), *offered, *bought])
        read = tuple(
            Purchase(each.level, each.seller, each.name, each.price, each.read())
            for each in chain.from_iterable(viewing.offers)
        )
        self.watch.record_message(player, (viewing.question, read, viewing.bought, viewing.budget))
        answer = self.buyer.choose(viewing)
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            return answer
        names = tuple(islice(answer, len(viewing.choice) + 1))
        self.watch.record_move(player, tuple(map(plain, names)))
        return names

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        self.watch.record_grants([self.name], self.watch.paid())
        self.watch.record_message(self.name, (question, bought))
        decision = self.buyer.decide(question, bought)
        self.watch.record_move(self.name, decision)
        return decision

    def __deepcopy__(self, memo: dict[int, Any]) -> _WatchedBuyer:
        """Copy the buyer alone; a buyer that is its own copy stays so, and is found out."""
        copy = deepcopy(self.buyer, memo)
        return self if copy is self.buyer else _WatchedBuyer(copy, self.watch)
