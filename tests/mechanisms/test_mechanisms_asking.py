"""What leads participants tells of each question before it puts it, to whoever wants to know."""

from __future__ import annotations

from typing import Any

import pytest

from mechanisms.ascending import CallbackBidder, Item, run_auction
from mechanisms.inspection import inspect_recursively
from mechanisms.ledger import Ledger
from mechanisms.marginal_value import run_marginal_value
from mechanisms.play import Ask
from mechanisms.protocols import Offer

heard: list[str] = []


def hear(ask: Ask) -> None:
    heard.append(f"{ask.role}?")


@pytest.fixture(autouse=True)
def _nothing_heard() -> None:
    heard.clear()


class Farm:
    name = "farm"

    def offers(self, question: Any) -> list[Offer]:
        heard.append("offer")
        return [Offer(f"note {question.level}", "rice", 1)]


class Cook:
    name = "cook"

    def choose(self, viewing: Any) -> list[str]:
        heard.append("choose")
        return []

    def decide(self, question: Any, bought: Any) -> str:
        heard.append("decide")
        return "rice"


def test_inspection() -> None:
    ledger = Ledger({"cook": 5, "farm": 0})
    inspect_recursively("?", Cook(), [Farm()], ledger, 2, asking=hear)
    roles = ["offer", "offer", "choose", "choose", "decide"]
    assert heard == [text for role in roles for text in (f"{role}?", role)]


class Mind:
    def utilities(self, revealed: Any) -> dict[str, int]:
        heard.append("judge")
        return {"wait": 1, "act": 2 * len(revealed)}

    def reveal(self, history: Any) -> list[str]:
        heard.append("reveal")
        return list(history.held)


def price(items: Any) -> int:
    heard.append("price")
    return 1


def test_marginal_value() -> None:
    run_marginal_value(Mind(), {"Ann": Mind()}, ["claim"], price, asking=hear)
    roles = ["judge", "reveal", "price", "judge"]
    assert heard == [text for role in roles for text in (f"{role}?", role)]


def test_ascending_auction() -> None:
    def bid(call: Any) -> object:
        heard.append("bid")
        return None if call.made else call.least

    bidders = [CallbackBidder("Ann", bid), CallbackBidder("Bob", bid)]
    run_auction([Item("Vase", 1, 2)], bidders, 9, asking=hear)
    assert len(heard) >= 6
    assert heard == ["bid?", "bid"] * (len(heard) // 2)


@pytest.mark.parametrize("number", [0, 3])
def test_what_it_raises_stops_the_run_and_is_put_down_to_nobody(number: int) -> None:
    """At the first question, and at a later one."""

    def broken(ask: Ask) -> None:
        hear(ask)
        if len([text for text in heard if text.endswith("?")]) > number:
            raise ZeroDivisionError

    ledger = Ledger({"cook": 5, "farm": 0})
    with pytest.raises(ZeroDivisionError):
        inspect_recursively("?", Cook(), [Farm()], ledger, 2, asking=broken)
    assert len(heard) == 2 * number + 1
