"""What makes no auction, and what takes too many steps, is refused by name."""

from __future__ import annotations

import time
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from table_1 import RULES, items

from theory.ascending import (
    TIE_RULES,
    EstimateRule,
    Item,
    LimitRule,
    PrivateValues,
    exact_auction,
)
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    UnknownNameError,
)

F = Fraction


# --- refusals


VASE = Item("vase", 1, 2)


@pytest.mark.parametrize(
    ("arguments", "more", "error", "match"),
    [
        (([], RULES, 1), {}, InvalidInputError, r"^items is empty"),
        (([VASE], [], 1), {}, InvalidInputError, r"^rules is empty"),
        (([VASE, VASE], RULES, 1), {}, InvalidInputError, r"^items is the name of two items"),
        (([VASE], RULES, [1, 2]), {}, InvalidInputError, r"^budgets has 2 entries"),
        (([VASE], RULES, -1), {}, NumberError, r"^budgets is negative"),
        (([VASE], RULES, 1.5), {}, ExactnessError, r"^budgets is a float"),
        (([VASE], RULES, 1), {"increment": 0}, NumberError, r"^increment is not positive"),
        (([VASE], RULES, 1), {"discounts": -1}, InvalidInputError, r"^discounts is not a count"),
        (([VASE], RULES, 1), {"discounts": 17}, LimitError, r"^discounts is above 16"),
        (([VASE], RULES, 1), {"ties": "unifrom"}, UnknownNameError, r"did you mean 'uniform'"),
        (([VASE], [LimitRule(None)], 10**9), {}, LimitError, r"allows more than 4,000 increments"),
        (([VASE], [PrivateValues([])], 1), {}, InvalidInputError, r"^values is shorter than"),
    ],
)
def test_what_makes_no_auction_is_refused(
    arguments: Any, more: Any, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        exact_auction(*arguments, **more)


@pytest.mark.parametrize(
    ("build", "error", "match"),
    [
        (lambda: Item("vase", 0, 1), NumberError, r"^start is not positive"),
        (lambda: Item("vase", 1, -1), NumberError, r"^value is negative"),
        (lambda: Item("vase", 0.5, 1), ExactnessError, r"^start is a float"),
        (lambda: LimitRule(0), InvalidInputError, r"^limit is not a count"),
        (lambda: EstimateRule(-2), NumberError, r"^over makes estimates negative"),
    ],
)
def test_bad_items_and_rules_are_refused(build: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        build()


def test_an_item_with_a_reserve_is_refused() -> None:
    urn: Any = SimpleNamespace(name="urn", start=1, value=2)
    exact_auction([VASE, urn], RULES, 1)
    urn.reserve = F(3)
    with pytest.raises(InvalidInputError, match=r"^items has a reserve"):
        exact_auction([VASE, urn], RULES, 1)


def test_too_many_totals_are_refused() -> None:
    odd = [Item("a", F(1, 10**6 + 3), 1), Item("b", 1, 2)]
    with pytest.raises(LimitError, match=r"totals"):
        exact_auction(odd, RULES, 10).profit_law(0)


# --- how much work it may come to


def test_steps_are_counted_and_change_nothing() -> None:
    for ties in TIE_RULES:
        free = exact_auction(items("table")[:4], RULES, 9_000, ties=ties)
        assert exact_auction(items("table")[:4], RULES, 9_000, ties=ties, max_steps=10**6) == free


@pytest.mark.parametrize(
    ("sold", "rules", "more"),
    [
        ([Item(str(k), 1000 + 7 * k, 1) for k in range(9)], RULES, {}),  # classes of budgets
        ([Item(str(k), 1, 2) for k in range(40)], RULES, {}),  # budgets side by side
        ([VASE], [LimitRule(k) for k in range(4, 14)], {}),  # rounds
        ([VASE], [EstimateRule(1)] * 3, {"increment": F(1, 1200)}),  # levels
        ([VASE], [LimitRule(k) for k in range(3, 10)], {"ties": "redrawn"}),  # ties
        ([Item(str(k), F(1, 10**400 + k), 1) for k in range(5)], RULES, {}),  # length
    ],
)
def test_too_many_steps_are_refused_before_they_are_taken(
    sold: Any, rules: Any, more: dict[str, Any]
) -> None:
    began = time.process_time()
    with pytest.raises(LimitError, match=r"^items ask these bidders for more than the limit of"):
        exact_auction(sold, rules, 20_000, max_steps=100_000, **more)
    assert time.process_time() - began < 2


def test_outcomes_are_most_of_the_work_of_many_states() -> None:
    """Some 79,000 outcomes of 9,300 states, four steps each, are half of all that is counted."""
    exact_auction(items("ascending"), RULES, 20_000, max_steps=10**6)
    with pytest.raises(LimitError, match=r"^items ask these bidders"):
        exact_auction(items("ascending"), RULES, 20_000, max_steps=400_000)


def test_a_limit_that_is_no_count_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"^max_steps is not a count"):
        exact_auction([VASE], RULES, 1, max_steps=0)


def test_bids_are_not_counted_of_who_may_make_any_number() -> None:
    """With five bidders and 40 levels there would be 100,000 rounds to tell apart."""
    rules = [EstimateRule(1)] * 4 + [LimitRule(2)]
    law = exact_auction([VASE], rules, 10**6, increment=F(1, 40), max_steps=100_000)
    assert sum(law.items[0].sales.values()) == 1
