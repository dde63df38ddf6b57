"""An ascending auction of three items, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from llm_adapters.players import ChatBidder
from mechanisms.ascending import (
    Bidder,
    Estimator,
    RuleBidder,
    auction_result,
    begin_auction,
    bidder_participant,
)
from mechanisms.play import Ask, Run
from mechanisms.protocols import ChatModel
from mechproof.demos.bidding import BUDGET, ITEMS
from mechproof.games.game import Game

__all__ = ["GAME"]

_OVER: Final = Fraction(1, 10)


def _bidders() -> list[Bidder]:
    return [Estimator("you", over=_OVER), RuleBidder("Rae"), Estimator("Eve", over=_OVER)]


def _begin() -> Run[Any]:
    return begin_auction(ITEMS, _bidders(), BUDGET).seeded("play")


def _by_rule() -> dict[str, Callable[[Ask], object]]:
    return {each.name: bidder_participant(each) for each in _bidders()}


def _by_model(player: str, goal: str, chat: ChatModel, seed: int) -> ChatBidder:
    del goal  # such a bidder is told the rules of auctions
    return ChatBidder(player, chat, modules=(), seed=seed)


def _tell(run: Run[Any]) -> str:
    return str(run) if run.outcome is None else str(auction_result(run))


GAME: Final = Game(
    name="arena",
    about="Three bidders with budgets bid for three items, one after the other. An empty line "
    "withdraws.",
    begin=_begin,
    by_rule=_by_rule,
    goals=dict.fromkeys(
        (each.name for each in _bidders()),
        "Earn as much as you can: what the items are worth that you win, less what you pay.",
    ),
    seat="you",
    tell=_tell,
    by_model=_by_model,
)
