"""Runs of the information market for ``theory.incentives.protocols``, and who may know what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mechanisms.market._corpus import FactQuestion
from mechanisms.market._rules import seats_of
from mechanisms.market._run import Market, answer_question
from mechanisms.play import Ask, Entry, Funds, How, Open, Pay, record_run

if TYPE_CHECKING:
    from theory.incentives.protocols import RunRecord

__all__ = ["watch_market"]


def watch_market(
    market: Market,
    question: FactQuestion | str,
    buyer: Callable[[Ask], object],
    budget: object,
    *,
    hops: int = 0,
    setting: object = None,
) -> RunRecord:
    """Run :func:`answer_question` and note what happens, for ``check_protocol``.

    The players are the vendors, the buyer who answers, and for each question the seats that look
    through quotes and that choose, since they are forgotten. A vendor knows what it quoted, and all
    questions that were asked. A seat that chooses knows what is quoted for its question, with texts
    where they may be read, what was bought before, and what can be paid. The buyer knows what was
    bought. Who may know what comes from quotes and payments, not from what the market tells.

    Parameters
    ----------
    market, question, buyer, budget, hops
        As for :func:`answer_question`. Participants are made anew for each run.
    setting : object
        What else distinguishes the participants; runs are compared with each other where it, the
        question, the terms, the budget and the vendors' names are the same.

    Returns
    -------
    RunRecord
        Its limit on the steps follows from hops, breadth, offers and the number of vendors.

    Raises
    ------
    InvalidInputError, LimitError, ParticipantError
        As for :func:`answer_question`.

    Examples
    --------
    >>> from mechanisms.market import Market, Quote
    >>> from theory.incentives.protocols import check_protocol
    >>> class Press:
    ...     name = "press"
    ...
    ...     def __init__(self, text):
    ...         self.text = text
    ...
    ...     def __call__(self, ask):
    ...         return [Quote("p1", "Ilm", "On the Raun.", 2), Quote("p2", "", self.text, 1)]
    >>> class Ann:
    ...     name = "Ann"
    ...
    ...     def __call__(self, ask):
    ...         if ask.role == "choose":
    ...             return [each.name for each in ask.view.offers[0] if "Raun" in str(each.content)]
    ...         return str(ask.view.bought)
    >>> def run(text, rng):
    ...     return watch_market(Market((Press(text),)), "Where is Ilm?", Ann(), 5)
    >>> check_protocol(run, ["Ilm is old.", "Ilm is small."], seeds=1).refuted
    ()
    """
    done = answer_question(market, question, buyer, budget, hops=hops)
    log = done.run.log
    names = [each.name for each in market.vendors]
    quoted = {
        name: [e.value for e in log if isinstance(e.request, Ask) and e.request.player == name]
        for name in names
    }
    terms = (market.inspection, market.quotes, market.examine, market.offer, market.breadth)
    public = (str(question), str(budget), hops, terms, tuple(names), setting)

    def may_know(seat: str, log: Sequence[Entry]) -> object:
        return _may_know(seat, log, market.inspection)

    inquiries = sum(market.breadth**depth for depth in range(hops + 1))
    limit = len(names) + inquiries * (4 * (len(names) + 5) + market.offer)
    return record_run(done.run, may_know, private=quoted, public=public, limit=limit)


def _may_know(seat: str, log: Sequence[Entry], inspection: bool) -> object:
    """Return what a seat of the market may know when it is asked, from what has happened."""
    buyer, funds = "", None
    texts: dict[str, object] = {}
    tender: list[object] = []
    asked: list[object] = []
    paid: list[str] = []
    chosen: object = None
    step = -1
    for entry in log:
        request: Any = entry.request
        if isinstance(request, Open):
            buyer = request.balances[0][0]
        elif isinstance(request, Funds):
            funds = entry.value
        elif isinstance(request, Pay) and entry.value is None:
            paid += [each.memo for each in request.transfers]
        elif isinstance(request, Ask) and entry.how is How.CHOSEN:
            if request.role == "quote":
                tender, step = (tender if entry.step == step else []), entry.step
                for quote in entry.value:
                    label = f"{request.player}: {quote.name}"
                    texts[label] = quote.title, quote.text
                    read = quote.text if inspection else None
                    tender.append((label, quote.title, quote.price, quote.score, read))
            elif request.role == "shortlist":
                chosen = entry.value
            elif request.role == "ask on":
                asked.append(entry.value)
    bought = [(label, texts[label]) for label in paid]
    if seat == buyer:
        return bought, asked
    if seat.startswith(seats_of(buyer)):
        return tender, chosen, bought, funds, asked
    return asked, step
