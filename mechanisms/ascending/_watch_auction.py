"""Ascending auctions for ``theory.incentives.protocols``: who may know what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mechanisms.ascending._bidders import Bidder
from mechanisms.ascending._items import Item, Worths, common_values, read_items
from mechanisms.ascending._run import ask_bidders, begin_auction
from mechanisms.ascending._terms import Terms, step_of
from mechanisms.play import Ask, Draw, Entry, How, Pay, record_run
from theory.shared.arguments import instance_of, read_tuple

if TYPE_CHECKING:
    from theory.incentives.protocols import RunRecord

__all__ = ["watch_auction"]


def watch_auction(
    items: Iterable[Item],
    bidders: Iterable[Bidder],
    budgets: Any,
    *,
    worths: Worths | None = None,
    terms: Terms | None = None,
    seed: int | str = 0,
    setting: object = None,
) -> RunRecord:
    """Run an auction as :func:`run_auction` does, and note what happens, for ``check_protocol``.

    The players are the bidders. A bidder knows the names and starting prices of all items, its own
    money and estimates; after each round what all did, and after each sale what the item was worth
    to whoever won it, as far as the terms say so. It knows neither money nor estimates of others,
    nor reserves, nor values of what is not sold yet. Who may know what comes from bids and
    payments, and not from what the auction tells.

    Parameters
    ----------
    items, bidders, budgets, worths, terms, seed
        As for :func:`run_auction`, except that ``worths`` are not drawn. Bidders are made anew for
        each run.
    setting : object
        What else distinguishes the bidders; runs are compared where it, the terms, and what all
        know of the items are the same.

    Raises
    ------
    InvalidInputError, BidderError
        As for :func:`run_auction`.

    Examples
    --------
    >>> from mechanisms.ascending import Estimator, private_values
    >>> from theory.incentives.protocols import check_protocol
    >>> vase = Item("Vase", 10, 20)
    >>> def run(worth_to_bob, rng):
    ...     worths = private_values({"Ann": [13], "Bob": [worth_to_bob]})
    ...     return watch_auction([vase], [Estimator("Ann"), Estimator("Bob")], 50, worths=worths)
    >>> check_protocol(run, [11, 15, 16]).refuted
    ()
    """
    listed, seated = read_items(items), tuple(read_tuple("bidders", bidders))
    terms = Terms() if terms is None else terms
    if worths is not None:
        instance_of("worths", worths, Worths, "give one Worths, not several to draw from")
    begun = begin_auction(listed, seated, budgets, worths=worths, terms=terms)
    result = ask_bidders(begun.seeded(seed), seated)
    names = [bidder.name for bidder in seated]
    if worths is None:
        over = {bidder.name: getattr(bidder, "over", 0) for bidder in seated}
        worths = common_values(listed, names, over)
    places = {item.name: k for k, item in enumerate(listed)}
    money = {name: Fraction(result.statement.account(name).opening) for name in names}
    private = {name: (worths.estimates[seat], money[name]) for seat, name in enumerate(names)}

    def may_know(seat: str, log: Sequence[Entry]) -> object:
        bids, sales = [], []
        leaders: list[object] = []
        order: list[object] = []
        for entry in log:
            request: Any = entry.request
            if isinstance(request, Ask):
                bid = entry.value if entry.how is How.CHOSEN else None
                bids.append((entry.step, request.player, bid))
            elif isinstance(request, Draw):
                (leaders if request.name == "leader" else order).append(entry.value)
            elif isinstance(request, Pay) and entry.value is None:
                [paid] = request.transfers
                name = paid.memo.partition(": ")[2]
                value = worths.values[names.index(paid.payer)][places[name]]
                sales.append((name, paid.payer, paid.amount, value if terms.shows_value else None))
        if terms.shows == "bids":
            return bids, leaders, order, sales
        steps = dict.fromkeys(step for step, _, _ in bids)
        made = [[bid for at, _, bid in bids if at == step and bid is not None] for step in steps]
        standing = [max(each, default=None) for each in made]
        return standing, [name == seat for name in leaders], order, sales

    return record_run(
        result.run,
        may_know,
        private=private,
        public=(names, [(item.name, item.start) for item in listed], repr(terms), setting),
        limit=_most_steps(listed, len(seated), max(money.values()), terms),
    )


def _most_steps(items: Sequence[Item], bidders: int, money: Fraction, terms: Terms) -> int:
    """Return a bound on what happens: each round tops the one before, up to the most money."""
    rounds = 0
    for item in items:
        start = item.start
        for _ in range(terms.discounts + 1):
            rounds += max(0, (money - start) // step_of(terms, start, start)) + 2
            start *= terms.discount
    return 4 * terms.attempts * bidders * rounds + len(items)
