"""The inspection protocol on one level: a buyer, and sellers of what may help it to decide."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mechanisms.inspection import TableSeller, inspection, inspection_record
from mechanisms.play import Ask, Run
from mechproof.demos.case import BUSES
from mechproof.games.game import Game

__all__ = ["GAME"]

_BUYER: Final = "buyer"


def _begin() -> Run[Any]:
    sellers = [seller.name for seller in BUSES.sellers()]
    return inspection(
        BUSES.question,
        _BUYER,
        sellers,
        {_BUYER: BUSES.budget, **dict.fromkeys(sellers, 0)},
        len(BUSES.levels),
        actions=BUSES.options,
        attempts=3,
    )


def _by_rule() -> dict[str, Callable[[Ask], object]]:
    sellers = {seller.name: partial(_sell, seller) for seller in BUSES.sellers()}
    return {_BUYER: _buy, **sellers}


def _sell(seller: TableSeller, ask: Ask) -> object:
    return seller.offers(ask.view)


def _buy(ask: Ask) -> object:
    rule, text = BUSES.rule, str(ask.view)
    if ask.role == "decide":
        return next((what for sign, what in rule.decides if sign in text), rule.otherwise)
    offers = ask.view.offers[-1]
    wanted = [
        offer
        for offer in offers
        if (doubt := rule.buys.get(offer.name)) is not None and not (doubt and doubt in text)
    ]
    if ask.view.budget is not None and sum(each.price for each in wanted) > ask.view.budget:
        return []
    return [each.name for each in wanted]


def _tell(run: Run[Any]) -> str:
    if run.outcome is None:
        return str(run)
    record = inspection_record(BUSES.question, _BUYER, run, run.ledger.statement())
    worth = BUSES.worth(run.outcome.decision, run.outcome.spending)
    return f"{record}\n\n{BUSES.truth} The decision is worth {worth}, less what was spent."


def _goals() -> dict[str, str]:
    goals = {_BUYER: BUSES.goal}
    for seller in BUSES.sellers():
        own = [offer for level in BUSES.levels for who, offer in level if who == seller.name]
        known = " ".join(f"{each.name}, for about {each.price}: {each.content}" for each in own)
        goals[seller.name] = f"Earn as much as you can by selling what you know. That is {known}"
    return goals


GAME: Final = Game(
    name="inspection",
    about="A buyer reads offers of information, buys some, forgets the rest, and decides. An "
    "empty line buys nothing.",
    begin=_begin,
    by_rule=_by_rule,
    goals=_goals(),
    seat=_BUYER,
    tell=_tell,
)
