"""Ascending auctions, led with bidders of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from mechanisms.ascending._bidders import Bidder
from mechanisms.ascending._items import Item, Worths, common_values, read_items
from mechanisms.ascending._outcome import Auctioned
from mechanisms.ascending._result import AuctionResult, auction_result
from mechanisms.ascending._rules import SELLER, ascending_auction
from mechanisms.ascending._terms import Terms
from mechanisms.ascending._unasked import follow_rules, lead_by_rules
from mechanisms.errors import ParticipantError
from mechanisms.ledger import Ledger
from mechanisms.participants import describe_object, read_observer
from mechanisms.play import Ask, Run
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_tuple

__all__ = ["BidderError", "ask_bidders", "begin_auction", "bidder_participant", "run_auction"]


_ANSWERS: Final = {
    "bid": "return a bid, or None to withdraw",
    "plan": "return a Plan",
    "recount": "return Beliefs",
}


class BidderError(ParticipantError):
    """A bidder, or a seller, that raises; ``record`` holds the run until then."""


def run_auction(
    items: Iterable[Item],
    bidders: Iterable[Bidder],
    budgets: object,
    *,
    worths: Worths | Sequence[tuple[object, Worths]] | None = None,
    terms: Terms | None = None,
    corrections: int = 0,
    seed: int | str = 0,
    ledger: Ledger | None = None,
    seller: Callable[[Ask], object] | None = None,
    keep_going: bool = False,
    asking: Callable[[Ask], object] | None = None,
) -> AuctionResult:
    """Run an ascending auction of several items (arena, section 3).

    Parameters
    ----------
    items : iterable of Item
    bidders : iterable of Bidder
        In the order of their seats.
    budgets : number, or mapping of numbers by bidder
    worths, terms, corrections
        As for :func:`ascending_auction`. By default an item is worth ``item.value`` to all, and
        each bidder expects it to be worth more by its share ``over``.
    seed : int or str
        Decides all draws.
    ledger : Ledger, optional
        Where payments are entered, with an account for each bidder and for "the seller".
    seller : callable, optional
        Chooses the next item, where ``terms.order`` is "seller": takes the :class:`Ask`.
    keep_going : bool
        Whether a bidder that raises when it is to bid has withdrawn from the item, which is noted
        as no answer; otherwise it ends the auction. A seller that raises ends it in any case.
    asking : function, optional
        Is told of each question just before it is put.

    Returns
    -------
    AuctionResult

    Raises
    ------
    BidderError
        When a bidder or the seller raises. It holds the run until then as ``record``.
    InvalidInputError, NumberError, UnknownNameError
        For arguments with which there is no auction, and for a seller that chooses none of the
        items that are left.

    Notes
    -----
    Three rule bidders and ten items take about 150 calls. Bids that are refused are told with the
    reason in the next call: a bidder that wants to know has a method ``refused(call, reasons)``.

    Examples
    --------
    >>> from mechanisms.ascending import Estimator, Item, RuleBidder, run_auction
    >>> vase = Item("Vase", start=1000, value=2000)
    >>> bidders = [RuleBidder("Ann"), RuleBidder("Bob"), Estimator("Cy", over="1/10")]
    >>> print(run_auction([vase], bidders, budgets=20_000, seed=1))
    1 of 1 items are sold for 1500
    item  start  price  winner  bids  profit
    ────  ─────  ─────  ──────  ────  ──────
    Vase  1000   1500   Cy      12    500
    <BLANKLINE>
    Bidders
    bidder  items  profit  money left  failed bids
    ──────  ─────  ──────  ──────────  ───────────
    Ann     0      0       20000       0
    Bob     0      0       20000       0
    Cy      1      500     18500       0
    """
    listed = tuple(read_tuple("bidders", bidders, "give a list of bidders"))
    if ledger is None and seller is None and asking is None and follow_rules(listed, terms):
        arguments = _arguments(
            items, listed, budgets, worths=worths, terms=terms, corrections=corrections
        )
        outcome, statement, played = lead_by_rules(listed, arguments, seed)
        return AuctionResult(outcome, (), (), (), statement, played)
    run = begin_auction(
        items, listed, budgets, worths=worths, terms=terms, corrections=corrections, ledger=ledger
    )
    told = read_observer("asking", asking)
    return ask_bidders(run.seeded(seed), listed, seller, told, keep_going=keep_going)


def ask_bidders(
    run: Run[Auctioned],
    bidders: Iterable[Bidder],
    seller: Callable[[Ask], object] | None = None,
    tell: Callable[[Ask], object] = lambda ask: None,
    *,
    keep_going: bool = False,
) -> AuctionResult:
    """Lead an auction that has begun to its end, question by question."""
    by_name = {bidder.name: bidder_participant(bidder) for bidder in bidders}
    if seller is not None:
        by_name[SELLER] = seller
    while (ask := run.ask()) is not None:
        participant = by_name.get(ask.player)
        if participant is None:
            fix = "give a function seller=..."
            raise InvalidInputError("seller", None, "is to choose the next item", fix)
        tell(ask)
        try:
            answer = participant(ask)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            problem = f"raised {describe_object(error)}"
            if not keep_going:
                where = f"{problem} when asked to {ask.role}"
                fix = "return the name of an item" if ask.player == SELLER else _ANSWERS[ask.role]
                failure = BidderError(ask.player, where, fix)
                failure.record = run
                raise failure from error
            run = run.no_answer(ask, problem)
        else:
            run = run.answer(ask, answer)
    return auction_result(run)


def begin_auction(
    items: Iterable[Item],
    bidders: Iterable[Bidder],
    budgets: Any,
    *,
    worths: Worths | Sequence[tuple[object, Worths]] | None = None,
    terms: Terms | None = None,
    corrections: int = 0,
    ledger: Ledger | None = None,
) -> Run[Auctioned]:
    """Return the run that :func:`run_auction` leads, before its first question.

    For drivers of your own: :func:`mechanisms.play.play_async`, a person, a server.
    """
    positional, named = _arguments(
        items, bidders, budgets, worths=worths, terms=terms, corrections=corrections
    )
    begin = ascending_auction if ledger is None else ascending_auction.on_ledger(ledger)
    return begin(*positional, **named)


def _arguments(
    items: Iterable[Item],
    bidders: Iterable[Bidder],
    budgets: Any,
    *,
    worths: Worths | Sequence[tuple[object, Worths]] | None,
    terms: Terms | None,
    corrections: int,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of the rules, by position and by name."""
    listed = read_items(items)
    bidders = read_tuple("bidders", bidders, "give a list of bidders")
    for bidder in bidders:
        instance_of("bidder", bidder, Bidder, "give an object with a name and a method bid(call)")
        if not isinstance(bidder.name, str):
            raise InvalidInputError("name of a bidder", bidder.name, "is not text", "give text")
    names = [bidder.name for bidder in bidders]
    if worths is None:
        over = {bidder.name: getattr(bidder, "over", 0) for bidder in bidders}
        worths = common_values(listed, names, over)
    modules: Mapping[str, Any] = {b.name: getattr(b, "modules", ()) for b in bidders}
    named = {"modules": modules, "corrections": corrections}
    return (listed, names, budgets, worths, terms), named


def bidder_participant(bidder: Any) -> Callable[[Ask], object]:
    """Return a bidder as a participant of :func:`mechanisms.play.play`.

    A bidder that can be called itself is given each :class:`~mechanisms.play.Ask` as it is.
    """
    if callable(bidder):
        participant: Callable[[Ask], object] = bidder
        return participant

    def answer(ask: Ask) -> object:
        if ask.role == "bid":
            if ask.refused and (told := getattr(bidder, "refused", None)) is not None:
                told(ask.view, ask.refused)
            return bidder.bid(ask.view)
        return (bidder.plan if ask.role == "plan" else bidder.recount)(ask.view)

    return answer
