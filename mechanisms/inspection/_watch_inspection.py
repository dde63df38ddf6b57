"""Runs of the inspection protocols for ``theory.incentives.protocols``, and who may know what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mechanisms.inspection._rules import MAX_BREADTH
from mechanisms.inspection._run import InspectionDriver
from mechanisms.ledger import Ledger
from mechanisms.play import Ask, Entry, Funds, How, Open, Pay, record_run
from mechanisms.protocols import Buyer, Seller

if TYPE_CHECKING:
    from theory.incentives.protocols import RunRecord

__all__ = ["may_know", "watch_inspection"]


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
    chooses there, since it is thrown away. A seller knows its own offers; what else each may know,
    :func:`may_know` says.

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
    >>> from mechanisms.protocols import Offer
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
    driver = InspectionDriver(question, buyer, sellers, ledger, depth=depth, breadth=breadth)
    driver.play()
    names = tuple(driver.sellers)
    log = driver.run.log
    goods = {
        name: [e.value for e in log if isinstance(e.request, Ask) and e.request.player == name]
        for name in names
    }
    limit = len(names) + 4 * (depth * (len(names) + 1) + 1) + depth * breadth
    public = (question, depth, breadth, names, setting)
    return record_run(driver.run, may_know, private=goods, public=public, limit=limit)


def may_know(seat: str, log: Sequence[Entry]) -> object:
    """Return what a seat of an inspection may know when it is asked, from what has happened.

    A seller may know names and prices of what is on offer on lower levels; who chooses on level n
    all offers of the levels up to n with their contents, what was paid for, and what can be paid;
    the buyer what was paid for. That comes from the offers and the payments, not from what the
    rules tell.
    """
    offers: list[Any] = []
    paid: set[str] = set()
    buyer, funds, sellers, asked = "", None, 0, 0
    for entry in log:
        request: Any = entry.request
        if isinstance(request, Open):
            buyer, sellers = request.balances[0][0], len(request.balances) - 1
        elif isinstance(request, Funds):
            funds = entry.value
        elif isinstance(request, Pay) and entry.value is None:
            paid |= {each.memo for each in request.transfers}
        elif isinstance(request, Ask) and request.role == "offer" and entry.how is How.CHOSEN:
            level, seller, asked = 1 + asked // sellers, request.player, asked + 1
            offers += [(level, seller, o.name, o.price, o.content) for o in entry.value]
    bought = [offer for offer in offers if offer[2] in paid]
    if seat == buyer:
        return bought
    name, _, number = seat.rpartition(" on level ")
    if name == buyer and number.isdecimal():
        return [offer for offer in offers if offer[0] <= int(number)], bought, funds
    level = 1 + asked // sellers
    return level, [offer[:4] for offer in offers if offer[0] < level]
