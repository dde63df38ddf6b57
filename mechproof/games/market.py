"""The information market: a buyer with a question, and vendors of passages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llm_adapters.players import ChatMarketBuyer, ChatPlayer
from mechanisms.market import BM25, IdealBuyer, MarketResult, Vendor, information_market
from mechanisms.play import Ask, Run
from mechanisms.protocols import ChatModel
from mechproof.demos.passages import BUDGET, QUESTION, WORLD
from mechproof.games.game import Game
from theory.shared.text import number_text

__all__ = ["GAME"]

_BUYER: Final = "Ann"


def _vendors() -> dict[str, Vendor]:
    found = BM25(WORLD.passages)
    return {owner: Vendor(owner, passages, found) for owner, passages in WORLD.by_owner()}


def _begin() -> Run[Any]:
    return information_market(
        str(QUESTION), _BUYER, tuple(_vendors()), BUDGET, quotes=2, examine=3, hops=1, attempts=3
    )


def _by_rule() -> dict[str, Callable[[Ask], object]]:
    return {_BUYER: IdealBuyer(WORLD, _BUYER), **_vendors()}


def _by_model(player: str, goal: str, chat: ChatModel, seed: int) -> ChatMarketBuyer | ChatPlayer:
    if player == _BUYER:
        return ChatMarketBuyer(player, chat, goal=goal, seed=seed)
    return ChatPlayer(player, chat, goal, seed=seed)


def _goals() -> dict[str, str]:
    goals = {
        _BUYER: f"Answer the question. Each of the {len(QUESTION.relations)} facts that it takes "
        f"is worth {number_text(QUESTION.worth)}, and money that is not spent is kept."
    }
    for vendor, passages in WORLD.by_owner():
        known = " ".join(
            f'{each.name}, for about {number_text(each.price)}, titled "{each.title}": {each.text}'
            for each in passages
        )
        goals[vendor] = f"Earn as much as you can by selling passages. Yours are {known}"
    return goals


def _tell(run: Run[Any]) -> str:
    if run.outcome is None:
        return str(run)
    result = MarketResult(run.outcome, run)
    worth = number_text(result.worth(WORLD, QUESTION))
    spent = number_text(result.spent)
    return f"{result}\n\n{result.table()}\n\nWhat was bought is worth {worth} and cost {spent}."


GAME: Final = Game(
    name="market",
    about="A buyer with a question and money reads passages on sale, buys some, forgets the rest, "
    "answers, and asks on. An empty line buys nothing, and asks nothing.",
    begin=_begin,
    by_rule=_by_rule,
    goals=_goals(),
    seat=_BUYER,
    tell=_tell,
    by_model=_by_model,
)
