"""The ten items of the paper at its budgets, against draws that are played out in integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference import ascending as reference

from theory.ascending import Item, LimitRule, Situation, best_reply, exact_auction, read_setting

TABLE = (1000, 3000, 4000, 2000, 5000, 3000, 2000, 4000, 1000, 5000)
ORDERS = {
    "given": TABLE,
    "ascending": tuple(sorted(TABLE)),
    "descending": tuple(sorted(TABLE, reverse=True)),
}
WHOLE = 2**12 * 3**4
"""The probabilities of one item are multiples of one over it, which the reference checks."""


def ours(starts: Any, money: Any, ties: str) -> Any:
    items = [Item(f"item {n}", start, 2 * start) for n, start in enumerate(starts)]
    return exact_auction(items, [LimitRule(4)] * len(money), money, ties=ties)


def agrees(starts: Any, money: Any, ties: str) -> list[Fraction]:
    law_of_ties: Any = getattr(reference, ties)
    profits, laws = reference.profits_of_limits(starts, money, 4, law_of_ties, WHOLE)
    law = ours(starts, money, ties)
    assert list(law.profits) == profits
    for of, found in zip(law.items, laws, strict=True):
        assert of.unsold == found.pop((-1, 0), 0)
        assert dict(of.sales) == found
    return profits


@pytest.mark.parametrize("ties", ["uniform", "redrawn"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("money", [(10_000,) * 3, (20_000, 12_000, 7_000), (9_000, 20_000)])
def test_five_items_of_the_table(order: str, money: Any, ties: str) -> None:
    agrees(ORDERS[order][:5], money, ties)
    agrees(ORDERS[order][5:], money, ties)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_all_ten_items_at_20000(order: str) -> None:
    profits = agrees(ORDERS[order], (20_000,) * 3, "uniform")
    assert len(set(profits)) == 1, "identical bidders earn the same in every seat"
    printed = {"ascending": 5181, "descending": 4849}
    assert round(profits[0]) == printed.get(order, round(profits[0]))


@pytest.mark.slow
def test_all_ten_items_at_20000_with_redrawn_ties() -> None:
    """By the authors' draw the last of identical bidders earns the most."""
    profits = agrees(ORDERS["descending"], (20_000,) * 3, "redrawn")
    assert [round(profit) for profit in profits] == [4252, 4909, 5415]


@pytest.mark.parametrize("money", [(20_000,) * 3, (20_000, 9_000, 14_000)])
@pytest.mark.parametrize("seat", [0, 2])
def test_a_rule_bidder_as_a_policy_earns_its_expected_profit(seat: int, money: Any) -> None:
    """And the best of its replies without jumps earns no less."""
    starts = ORDERS["given"][:3]
    items = [Item(f"item {n}", start, 2 * start) for n, start in enumerate(starts)]
    setting = read_setting(items, [LimitRule(4)] * 3, money)
    profits, _ = reference.profits_of_limits(starts, money, 4, reference.uniform, WHOLE)

    def rule(now: Situation) -> int | None:
        pays = setting.price(now.item, 0, now.least) <= now.budgets[seat]
        return now.least if pays and now.made[seat] < 4 else None

    assert best_reply(setting, seat, policy=rule, jumps=False).value == profits[seat]
    assert best_reply(setting, seat, jumps=False).value >= profits[seat]
