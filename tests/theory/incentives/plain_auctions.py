"""Auctions as plain functions, sound and faulty, and the call that checks them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from incentive_rules import Case

from theory.incentives import (
    FiniteTypes,
    Lottery,
    MechanismReport,
    Outcome,
    ValueTable,
    check_mechanism,
)

Bids = Sequence[Any]


GRID = FiniteTypes(range(4))


def winner(bids: Bids) -> int:
    return max(range(len(bids)), key=lambda i: bids[i])


def first_price(bids: Bids) -> tuple[int, list[Any]]:
    won = winner(bids)
    return won, [bids[i] if i == won else 0 for i in range(len(bids))]


def second_price(bids: Bids) -> tuple[int, list[Any]]:
    won = winner(bids)
    price = max((b for i, b in enumerate(bids) if i != won), default=0)
    return won, [price if i == won else 0 for i in range(len(bids))]


def first_price_rows(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins = np.zeros(bids.shape, dtype=np.int64)
    wins[np.arange(len(bids)), bids.argmax(axis=1)] = 1
    return wins, wins * bids


def second_price_rows(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins, _ = first_price_rows(bids)
    return wins, wins * np.sort(bids, axis=1)[:, [-2]]


def mixed(share: Any) -> Callable[[Bids], tuple[int, list[Any]]]:
    """Second price, of which the winner pays a share of the own bid instead."""

    def rule(bids: Bids) -> tuple[int, list[Any]]:
        won, low = second_price(bids)
        return won, [p + share * (bids[i] - p) if i == won else 0 for i, p in enumerate(low)]

    return rule


def dsic(rule: Any, types: FiniteTypes = GRID, agents: int = 2, **more: Any) -> MechanismReport:
    return check_mechanism(rule, types=types, agents=agents, properties=["dsic"], **more)


def as_mechanism(case: Case) -> Callable[[Bids], Outcome]:
    def rule(reports: Bids) -> Outcome:
        allocation, payments = case.rule[tuple(reports)]
        lottery = Lottery(allocation) if isinstance(allocation, dict) else allocation
        return Outcome(lottery, payments)

    return rule


def report_on(case: Case, names: Sequence[str], epsilon: Fraction | int = 0) -> MechanismReport:
    return check_mechanism(
        as_mechanism(case),
        types=[FiniteTypes(types) for types in case.types],
        values=None if case.tables is None else ValueTable(case.tables),
        properties=names,
        epsilon=epsilon,
    )


BY_TABLE = [
    "dsic",
    "individually_rational",
    "no_positive_transfers",
    "weakly_budget_balanced",
    "strongly_budget_balanced",
]


def faulty(kind: str) -> Callable[[Bids], Any]:
    """Second price, but for the profile (2, 3)."""

    def rule(bids: Bids) -> Any:
        won, paid = second_price(bids)
        if tuple(bids) != (2, 3):
            return won, paid
        match kind:
            case "raises":
                raise KeyError("no such bid")
            case "nan":
                return won, [float("nan"), 0]
            case "infinite":
                return won, [float("inf"), 0]
            case "too few":
                return won, paid[:1]
            case "too many":
                return won, [*paid, 0]
            case "nothing":
                return None
            case "text":
                return won, ["cheap", 0]
            case "no sequence":
                return won, 3
            case "lottery":
                return Lottery([(0, Fraction(1, 2)), (1, Fraction(1, 3))]), paid
            case "random":
                return won, [random.random(), 0]
        return np.random.default_rng().integers(2**40), paid

    return rule


WITNESS = '{"property": "dsic", "profile": %s, "agents": [0], "lies": [0]}'
