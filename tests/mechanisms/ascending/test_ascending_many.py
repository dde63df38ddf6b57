"""Many auctions at once: three ways to compute them, and the law that they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from mechanisms.ascending import Item, ManyAuctions, _many, paper_items, run_many
from mechanisms.ascending._kernels import draw_below, sell
from theory.ascending import TIE_RULES, BidRule, EstimateRule, LimitRule, exact_auction
from theory.errors import InvalidInputError, LimitError, NumberError, UnknownNameError
from theory.shared.compiling import machine_code

UNLIKE: list[BidRule] = [LimitRule(2), EstimateRule(over="1/10"), LimitRule(4)]


def computed_by(
    monkeypatch: pytest.MonkeyPatch,
    compute: Callable[..., Any],
    rules: Sequence[BidRule],
    **terms: Any,
) -> ManyAuctions:
    """Return 40 games, computed in one of the three ways."""
    with monkeypatch.context() as patched:
        patched.setattr(_many, "cheapest", lambda function, work: compute)
        return run_many(paper_items(), rules, 20_000, 40, rng=np.random.default_rng(3), **terms)


@pytest.mark.parametrize("order", ["given", "random"])
@pytest.mark.parametrize("ties", sorted(TIE_RULES))
def test_three_ways_give_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, ties: str, order: str
) -> None:
    def plain(*arguments: Any) -> None:
        sell(*arguments)

    for rules in ([LimitRule(4)] * 3, UNLIKE):
        ways = [plain, sell, machine_code(sell, exact=True)]  # a loop, arrays, compiled
        found = [computed_by(monkeypatch, way, rules, ties=ties, order=order) for way in ways]
        for other in found[1:]:
            assert np.array_equal(found[0].winners, other.winners)
            assert np.array_equal(found[0].prices, other.prices)


@pytest.mark.parametrize("ties", sorted(TIE_RULES))
@pytest.mark.parametrize("rules", [[LimitRule(3)] * 3, UNLIKE])
def test_many_auctions_have_the_exact_law(ties: str, rules: Sequence[BidRule]) -> None:
    """Winner and price of each item, by chi-square at 1e-5 an item, with budgets that bind."""
    items = [Item("a", 10, 20), Item("b", 20, 40), Item("c", 15, 30)]
    many = run_many(items, rules, 45, 4000, rng=np.random.default_rng(8), ties=ties)
    exact = exact_auction(items, rules, 45, ties=ties)
    for n, law in enumerate(exact.items):
        pairs = zip(many.winners[:, n].tolist(), many.prices[:, n].tolist(), strict=True)
        seen = Counter((seat, price * many.unit) for seat, price in pairs)
        expected = {**law.sales, (-1, Fraction(0)): law.unsold}
        assert all(expected.get(sale) for sale in seen)
        likely = [sale for sale, chance in expected.items() if chance * many.games >= 5]
        rest = many.games - sum(seen[sale] for sale in likely)
        means = [float(expected[sale] * many.games) for sale in likely]
        missing = many.games - sum(means)
        counts = [seen[sale] for sale in likely]
        if missing > 1e-6:
            counts, means = [*counts, rest], [*means, missing]
        if len(counts) > 1:
            assert chisquare(counts, means).pvalue > 1e-5
        else:
            assert rest == 0
    gap = np.abs(many.profits.mean(0) * float(many.unit) - np.array(exact.profits, float))
    assert (gap <= 5 * many.standard_errors + 1e-12).all()


def test_every_order_of_items_is_equally_likely() -> None:
    """One bidder that buys what it can first: which items it gets tells the order."""
    items = [Item("a", 1, 2), Item("b", 1, 2), Item("c", 1, 2)]
    many = run_many(items, [LimitRule(1)], 1, 6000, rng=np.random.default_rng(1), order="random")
    firsts = (many.winners == 0).sum(0)
    assert firsts.sum() == 6000
    assert chisquare(firsts).pvalue > 1e-4
    given = run_many(items, [LimitRule(1)], 1, 5, rng=np.random.default_rng(1))
    assert (given.winners == [0, -1, -1]).all()


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7])
def test_numbers_below_a_bound_are_equally_likely(count: int) -> None:
    state, seen = 12345, [0] * count
    for _ in range(6000):
        state, number = draw_below(state, count)
        seen[number] += 1
    assert sum(seen) == 6000
    if count > 1:
        assert chisquare(seen).pvalue > 1e-4


def test_the_same_seed_gives_the_same_games_and_another_does_not() -> None:
    one, same, other = (
        run_many(paper_items(), [LimitRule(4)] * 3, 20_000, 50, rng=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one.prices, same.prices)
    assert not np.array_equal(one.prices, other.prices)


def test_fractions_are_counted_in_a_unit_that_divides_all() -> None:
    items = [Item("a", "1/3", "2/3"), Item("b", "5/2", 7)]
    many = run_many(
        items, [LimitRule(2), LimitRule(1)], [3, "7/4"], 30, rng=np.random.default_rng()
    )
    assert many.unit == Fraction(1, 60)
    paid = many.prices.sum(1) * many.unit
    assert all(amount <= 3 + Fraction(7, 4) for amount in paid)
    sold = (many.winners >= 0).sum(0).tolist()
    values = sold[0] * Fraction(2, 3) + sold[1] * 7
    assert many.games * (sum(many.mean_profits) + many.revenue) == values


def test_means_are_exact_where_their_sums_leave_64_bits() -> None:
    start = 2**51 - 1
    items = [Item(f"item {n}", start, 2 * start) for n in range(2)]
    rng = np.random.default_rng(0)
    many = run_many(items, [LimitRule(1)], 2**52, 5000, rng=rng, increment=1)
    assert many.unit == 1
    assert many.revenue == 2 * start
    assert list(many.mean_profits) == [Fraction(2 * start)]


@pytest.mark.parametrize(("most", "fits"), [(2**52, True), (2**52 + 1, False)])
def test_amounts_have_a_limit_in_units(most: int, fits: bool) -> None:
    def run() -> ManyAuctions:
        rng = np.random.default_rng(0)
        return run_many([Item("a", 1, 2)], [LimitRule(1)], most, 1, rng=rng, increment=1)

    if fits:
        assert run().revenue == 1
    else:
        with pytest.raises(LimitError, match="too fine"):
            run()


def test_who_bids_up_to_an_estimate_bids_as_often_as_it_takes() -> None:
    """Hundreds of bids; counted in the largest unit that divides all amounts."""
    rules = [EstimateRule(over=0)] * 2
    items = [Item("a", 1000, 3000)]
    many = run_many(
        items, rules, 5000, 3, rng=np.random.default_rng(0), ties="first", increment="1/100"
    )
    assert many.unit == 10
    assert (many.prices * many.unit == 3000).all()


def test_the_table_counts_each_seat() -> None:
    """Two games by hand: seat 1 wins both items of the first, seat 0 the second of the other."""
    items = (Item("a", 10, 20), Item("b", 10, 40))
    winners, prices = np.array([[1, 1], [-1, 0]]), np.array([[20, 30], [0, 50]])
    budgets = (Fraction(100), Fraction(90))
    many = ManyAuctions(items, budgets, Fraction(1, 2), winners, prices)
    assert many.profits.tolist() == [[0, 20 + 50], [30, 0]]
    assert many.mean_profits == (Fraction(15, 2), Fraction(35, 2))
    assert many.revenue == Fraction(100, 4)
    assert np.allclose(many.standard_errors, [7.5, 17.5])
    assert many.table().rows == (
        ("0", "100", "7.50", "7.50", "0.5000"),
        ("1", "90", "17.50", "17.50", "1.0000"),
    )
    assert many.table().caption == "2 games of 2 items: mean revenue 25.00, 0.5000 unsold"
    one = ManyAuctions(items, budgets, Fraction(1, 2), winners[:1], prices[:1])
    assert np.isnan(one.standard_errors).all()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"games": 0}, InvalidInputError),
        ({"ties": "fair"}, UnknownNameError),
        ({"order": "seller"}, UnknownNameError),
        ({"increment": 0}, NumberError),
        ({"budgets": [1, 2]}, InvalidInputError),
        ({"budgets": 2**60}, LimitError),
        ({"budgets": -1}, NumberError),
    ],
)
def test_what_makes_no_auctions_is_refused(changed: dict[str, Any], error: type[Exception]) -> None:
    given = {"items": paper_items(), "rules": [LimitRule(4)] * 3, "budgets": 10, "games": 2}
    given["rng"] = np.random.default_rng(0)
    with pytest.raises(error):
        run_many(**{**given, **changed})


def test_more_games_than_can_be_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, items = [LimitRule(2)] * 2, paper_items()[:3]
    with pytest.raises(LimitError, match=r"^games of 3 items are too many .*at most 89,478,485,"):
        run_many(items, rules, 9_000, 10**13, rng=np.random.default_rng(0))
    monkeypatch.setattr(_many, "MAX_SALES", 30)
    assert run_many(items, rules, 9_000, 10, rng=np.random.default_rng(0)).games == 10
    rng = np.random.default_rng(0)
    with pytest.raises(LimitError, match=r"got 11\): give at most 10, and go on with the same"):
        run_many(items, rules, 9_000, 11, rng=rng)
    assert rng.integers(9) == np.random.default_rng(0).integers(9), "nothing was drawn"
