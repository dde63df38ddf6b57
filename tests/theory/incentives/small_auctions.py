"""Auctions of two agents, and what was found of them."""

from __future__ import annotations

from typing import Any

from theory.incentives import FiniteTypes, Instance, Witness, check_mechanism
from theory.incentives._arguments import make_setting

GRID = FiniteTypes(range(3))


def first_price(bids: Any) -> Any:
    winner = bids.index(max(bids))
    return winner, [bid if i == winner else 0 for i, bid in enumerate(bids)]


def second_price(bids: Any) -> Any:
    winner = bids.index(max(bids))
    paid = max(bid for i, bid in enumerate(bids) if i != winner)
    return winner, [paid if i == winner else 0 for i in range(len(bids))]


def setting(mechanism: Any = first_price, types: Any = GRID, **arguments: Any) -> Any:
    given = {
        "agents": 2, "values": None, "prior": None, "epsilon": 0, "feasible": None,
        "alternatives": None, "seed": 0,
    }  # fmt: skip
    return make_setting(mechanism, types=types, **{**given, **arguments})


def witness(mechanism: Any, types: Any = GRID, **arguments: Any) -> Witness:
    report = check_mechanism(
        mechanism, types=types, properties=["dsic"], **{"agents": 2, **arguments}
    )
    assert report.witness is not None
    return report.witness


LIE = Instance((2, 1), (0,), (1,))
