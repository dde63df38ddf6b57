"""The prices with the greatest revenue, against all prices; what is written of them, checked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from reference import purchases as reference

from theory.errors import InvalidInputError, LimitError, MechproofError, ShapeError
from theory.purchases import Customer, best_prices

F = Fraction
Case = tuple[list[list[Fraction]], list[Customer], list[list[Fraction]]]


def drawn(seed: int) -> Case:
    draw = Random(seed)
    passages, facts = draw.randint(1, 3), draw.randint(1, 2)
    quarters = (0, 4, 4) if seed % 2 else (0, 1, 2, 4)
    chances = [[F(draw.choice(quarters), 4) for _ in range(facts)] for _ in range(passages)]
    customers = [
        Customer(
            [draw.randint(0, 6) for _ in range(facts)],
            draw.choice([None, draw.randint(1, 6)]),
            draw.randint(1, 3),
        )
        for _ in range(draw.randint(1, 3))
    ]
    menus = [[F(k, 2) for k in draw.sample(range(9), draw.randint(1, 4))] for _ in range(passages)]
    return chances, customers, menus


@pytest.mark.parametrize("seed", range(30))
def test_the_best_prices_are_those_of_all(seed: int) -> None:
    chances, customers, menus = drawn(seed)
    found = best_prices(chances, customers, menus)
    revenues = {}
    for prices in product(*map(sorted, menus)):
        bought = [reference.best(prices, chances, each.worths, each.budget) for each in customers]
        pairs = zip(customers, bought, strict=True)
        revenues[prices] = sum(each.weight * sum(prices[k] for k in some) for each, some in pairs)
        if prices == found.prices:
            assert [each.chosen for each in found.purchases] == bought
            gains = [
                each.weight * reference.gain(some, prices, chances, each.worths)
                for each, some in zip(customers, bought, strict=True)
            ]
            assert found.gain == sum(gains)
    assert found.revenue == max(revenues.values())
    assert found.prices == next(p for p, r in revenues.items() if r == found.revenue)
    assert found.gap == 0


@pytest.mark.parametrize("seed", range(6))
def test_neither_the_unit_of_money_nor_weights_in_common_matter(seed: int) -> None:
    chances, customers, menus = drawn(seed)
    found, unit = best_prices(chances, customers, menus), F(7, 3)
    scaled = [
        Customer(
            [unit * worth for worth in each.worths],
            None if each.budget is None else unit * each.budget,
            5 * each.weight,
        )
        for each in customers
    ]
    other = best_prices(chances, scaled, [[unit * price for price in menu] for menu in menus])
    assert other.prices == tuple(unit * price for price in found.prices)
    assert other.revenue == 5 * unit * found.revenue


def test_more_prices_never_earn_less() -> None:
    chances, customers, menus = drawn(3)
    found = best_prices(chances, customers, menus)
    more = [[*menu, F(1, 3), F(5)] for menu in menus]
    assert best_prices(chances, customers, more).revenue >= found.revenue


def test_a_budget_for_two_passages_by_hand() -> None:
    """With 2 to spend on facts worth 2 and 3: 1 and 1 earn 2; at 1 and 2 only one is bought."""
    customer = [Customer((2, 3), 2)]
    facts = [[1, 0], [0, 1]]
    assert str(best_prices(facts, customer, [(1, 2, 3)] * 2)) == (
        "prices 1, 1: revenue 2, customers gain 3"
    )
    assert best_prices(facts, customer, [(1,), (2,)]).revenue == 1


def test_the_dearest_prices_are_not_cut_off() -> None:
    """Where all may be dear each is; where a budget allows the last price it is asked."""
    apart = [[int(j == k) for j in range(3)] for k in range(3)]
    assert best_prices(apart, [Customer((3, 3, 3))], [(1, 2)] * 3).prices == (2, 2, 2)
    crowd = [Customer([9], 3), Customer([9], 3, weight=2)]
    assert best_prices([[1]], crowd, [(1, 2, 3)]).revenue == 9


@pytest.mark.parametrize("place", [0, 1])
def test_prices_that_are_not_the_best_are_a_gap(place: int) -> None:
    customers = [Customer((4, 0)), Customer((0, 5), weight=2)]
    found = best_prices([[1, 0], [0, 1]], customers, [(1, 2, 3), (1, 2, 3, 4)])
    assert (found.prices, found.revenue, found.gap) == ((3, 4), 11, 0)
    prices = list(found.prices)
    prices[place] -= 1
    worse = replace(found, prices=tuple(prices), revenue=found.revenue - (1, 2)[place])
    assert worse.gap == (1, 2)[place]
    assert replace(found, revenue=F(12)).gap == 1


def test_a_customer_that_is_left_out_is_a_gap() -> None:
    customers = [Customer((4,)), Customer((2,), weight=5)]
    found = best_prices([[1]], customers, [(1, 3)])
    assert (found.prices, found.revenue) == ((1,), 6)
    for left in (0, 1):
        assert replace(found, customers=tuple(customers[left : left + 1])).gap > 0


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([[1]], [], [[1]]), InvalidInputError, "customers are none"),
        (([[1]], [Customer([1])], []), ShapeError, "menus are 0, for 1 passages"),
        (([[1]], [Customer([1])], [[]]), InvalidInputError, r"menus\[0\] has no price"),
        (([[1]], [Customer([1])], [[0.5]]), MechproofError, "a float"),
        (([[1]], [Customer([1, 2])], [[1]]), ShapeError, r"chances\[0\] has 1 entries"),
        (([[1]], [Customer([1])], [range(20_001)]), LimitError, "limit of 20,000 purchases"),
        (([[1]] * 21, [Customer([1])], [[1]] * 21), LimitError, "limit of 2,000,000 sets"),
    ],
)
def test_bad_input_is_refused(
    arguments: tuple[Any, ...], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        best_prices(*arguments)


@pytest.mark.parametrize("weight", [0, -1])
def test_a_customer_counts_for_something(weight: int) -> None:
    with pytest.raises(InvalidInputError, match="weight is not above 0"):
        Customer([1], weight=weight)
