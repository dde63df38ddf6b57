"""The claims of bazaar on inspection and purchases: their numbers, redone by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import log
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mechanisms.market import BM25, IdealBuyer, KeywordBuyer, OneByOneBuyer, Passage
from papers.bazaar.checks.adapted_prices import Maker, Population, sell_at
from papers.bazaar.checks.buyer_experiments import InspectionHelps, TitledShelf
from papers.bazaar.checks.fixed_prices import TitlesAndInspection, UncertainGood, trade
from papers.bazaar.checks.follow_ups import Chain
from papers.bazaar.checks.forgetting import Browsing
from papers.bazaar.checks.purchase_rules import Shelf, buy_by_rank
from papers.bazaar.checks.titled_shelves import RecoveryRises, UnsureShelf
from papers.bazaar.checks.vendor_retrieval import OwnOkapi, SmallVendor
from papers.bazaar.checks.verdict_counts import fair_tail, spread_tail
from theory.blackwell import Experiment, Relation, compare
from theory.games import pure_subgame_perfect
from theory.probability import Partition
from theory.purchases import TitleValues, title_values


@pytest.mark.parametrize(
    ("price", "blind", "seen"), [(6, (0, 0), (2, 3)), (4, (1, 4), (3, 2)), (11, (0, 0), (0, 0))]
)
def test_trades_at_a_fixed_price(price: int, blind: tuple[int, int], seen: tuple[int, int]) -> None:
    good = UncertainGood(1, 1, 10, 0, price)
    for known, wanted in ((Partition.trivial(2), blind), (Partition.discrete(2), seen)):
        sale = trade(good.space, (10, 0), price, known)
        assert (sale.buyer, sale.seller) == wanted
        assert sale.surplus == sum(wanted)


def test_what_inspection_is_worth_beside_titles() -> None:
    good = UncertainGood(1, 1, 10, 0, 4)
    gains = [TitlesAndInspection().gain(good, Fraction(k, 10)) for k in range(6)]
    # with titles that are wrong with probability e, who trusts good titles alone gains
    # (10 (1 - e) - 4) / 2, who buys in any case 1, and who inspects 3
    wanted = [3 - max(Fraction(60 - 10 * k, 20), Fraction(1)) for k in range(6)]
    assert gains == wanted
    assert gains[:2] == [0, Fraction(1, 2)]


def test_better_titles_are_more_informative() -> None:
    few, many = (
        Experiment.of([[1 - e, e], [e, 1 - e]]) for e in (Fraction(1, 10), Fraction(3, 10))
    )
    assert compare(few, many).relation is Relation.MORE


@pytest.mark.parametrize(("price", "one_by_one", "best"), [(2, 6, 8), (8, -6, 2)])
def test_two_copies_are_bought_one_by_one(price: int, one_by_one: int, best: int) -> None:
    shelf = Shelf((price, price), ((0,), (0,)), 1, 10, 100)
    for buyer, wanted in ((OneByOneBuyer, one_by_one), (IdealBuyer, best)):
        worth, spent = shelf.play(buyer)
        assert worth - spent == wanted


def test_a_buyer_by_rank_that_stops_gets_nothing() -> None:
    shelf = Shelf((2, 1), ((0, 1, 2), (3, 4)), 5, 1, 1)
    assert shelf.play(lambda corpus: KeywordBuyer(corpus, stops=True)) == (0, 0)
    assert shelf.play(KeywordBuyer) == (2, 1)


def test_the_buyer_of_the_market_buys_by_the_same_rule() -> None:
    rng = np.random.default_rng(0)
    for stops in (True, False):
        for _ in range(20):
            prices = tuple(rng.integers(1, 9, 5).tolist())
            budget = int(rng.integers(1, 20))
            shelf = Shelf(prices, tuple((k,) for k in range(5)), 5, 1, budget)
            some = buy_by_rank(prices, budget, stops)
            played = shelf.play(lambda corpus, stops=stops: KeywordBuyer(corpus, stops=stops))
            assert played == (len(some), sum(prices[k] for k in some))


def test_scores_by_the_statistics_of_one_vendor() -> None:
    lone = (Passage("p", "shop", 1, "", "one two three four"),)
    ((place, score),) = OwnOkapi(-9.0).rank("one two three four", lone)
    assert place == 0
    assert score == pytest.approx(-1.099, abs=5e-4)  # as rank_bm25 0.2.2 gives it
    assert score == pytest.approx(4 * log(1 / 3) / 4)


def test_only_market_wide_or_positive_statistics_let_a_small_vendor_sell() -> None:
    for texts in product(("river", "city"), repeat=2):
        vendor = SmallVendor(texts, "river")
        assert vendor.sells(OwnOkapi(0.0)) == 0
        assert bool(vendor.sells(BM25())) == ("river" in texts)


@pytest.mark.parametrize(
    ("tastes", "revenue", "surplus"),
    [((2, 3), Fraction(1), Fraction(1, 4)), ((1, 2, 3), Fraction(2, 3), Fraction(1, 6))],
)
def test_a_monopolist_earns_the_same_in_both_regimes(
    tastes: tuple[int, ...], revenue: Fraction, surplus: Fraction
) -> None:
    buyers = Population((1, 1), tuple((taste, 0) for taste in tastes))
    for inspected, prices in ((True, (1, 2, 3)), (False, (Fraction(1, 2), 1, Fraction(3, 2)))):
        sold = [sell_at(buyers, Fraction(price), inspected) for price in prices]
        best = max(sold, key=lambda each: each[0])
        assert best[0] == revenue
        assert sum(best[1]) / len(tastes) == surplus


@pytest.mark.parametrize("cost", [1, 2, 3, 4])
def test_quality_is_made_where_it_can_be_seen(cost: int) -> None:
    maker = Maker(3, cost)
    seen = {each.payoffs for each in pure_subgame_perfect(maker.game(inspected=True))}
    # the buyer takes the price 3, and then the seller has 3 - c; or it does not, and 2 is asked
    assert max(seller for seller, _ in seen) == max(3 - cost, 0)
    assert {each.payoffs for each in pure_subgame_perfect(maker.game(inspected=False))} == {(0, 0)}


def test_a_theft_is_worth_what_the_texts_not_bought_decide() -> None:
    # the answer is what the second text says; worth 2, so that to guess is worth 1
    right = (False, True, False, True)
    assert Browsing(2, right, (True, False)).value_of_theft() == 1
    assert Browsing(2, right, (False, True)).value_of_theft() == 0
    # both must say yes: who knows the first alone errs in one world of four
    assert Browsing(2, (False, False, False, True), (True, False)).value_of_theft() == Fraction(
        1, 2
    )


def test_two_hops_reach_three_facts() -> None:
    chain = Chain((1, 2, 1), 2, 4)
    found = {hops: chain.play(lambda corpus, share: IdealBuyer(corpus), hops)[1] for hops in (1, 2)}
    assert [found[1].answer, found[1].spent] == ["not known", 3]
    assert [found[2].answer, found[2].spent] == ["n3", 4]


def test_the_gain_of_a_budget_is_not_concave() -> None:
    gains = []
    for budget in (0, 2, 4, 6):
        # two facts at 2 gain 2, and five at 4 gain 6, as each is worth 2
        shelf = Shelf((2, 4), ((0, 1), (2, 3, 4, 5, 6)), 7, 2, budget)
        worth, spent = shelf.play(IdealBuyer)
        gains.append(worth - spent)
    assert gains == [0, 2, 6, 8]


@pytest.mark.parametrize("buyer", [IdealBuyer, OneByOneBuyer])
def test_demand_for_gold_by_hand(buyer: type[IdealBuyer]) -> None:
    # two facts worth 3 each; the other passage has the first of them at 1, and so gains 2
    bought = [0 in Shelf((price, 1), ((0, 1), (0,)), 2, 3, 20).bought(buyer) for price in range(8)]
    # gold gains 6 - p alone, 5 - p with the other: it is bought below 4, or below 6 by itself
    end = 4 if buyer is IdealBuyer else 6
    assert bought == [price < end for price in range(8)]


def test_of_two_copies_the_first_is_bought() -> None:
    copies = Shelf((1, 1), ((0,), (0,)), 1, 3, 20)
    assert copies.bought(IdealBuyer) == (0,)


def test_tails_by_hand() -> None:
    assert fair_tail(6, 9) == Fraction(84 + 36 + 9 + 1, 2**9)
    assert float(fair_tail(15, 20)) == pytest.approx(stats.binomtest(15, 20).pvalue / 2)
    assert fair_tail(0, 3) == 1
    # one of two trials at each of two places: 4 deals, of both at one place 2
    assert spread_tail((1, 1), 2) == 1
    assert spread_tail((0, 2), 2) == Fraction(1, 3)
    table = [[3, 15], [8, 10]]
    assert float(spread_tail((3, 8), 18)) == pytest.approx(stats.fisher_exact(table)[1])


def test_counts_of_places_are_dealt_in_all_ways() -> None:
    """Against a listing of all deals of four acceptances to three places of two trials each."""
    deals = [
        tuple(sum(trial // 2 == place for trial in some) for place in range(3))
        for some in combinations(range(6), 4)
    ]
    for counts in {*deals}:
        rarer = sum(deals.count(other) <= deals.count(counts) for other in deals)
        assert spread_tail(counts, 2) == Fraction(rarer, len(deals))


@pytest.mark.parametrize(
    ("places", "failure"),
    [
        ((0, 1, 2, 3, 4), ""),
        ((1, 1, 2, 3, 4), "is recovered where titles are right"),
        ((0, 1, 2, 3, 3), "titles that say nothing are not like none"),
        ((0, 2, 1, 3, 4), "the shares by error are"),
        ((0, 1, 3, 2, 4), "the shares by error are"),
    ],
)
def test_each_part_of_the_claim_on_titles_is_looked_at(
    places: tuple[int, ...], failure: str
) -> None:
    def solve(*given: Any) -> TitleValues:
        found = title_values(*given)
        changed = replace(found, titled=tuple(found.titled[place] for place in places))
        vars(changed)["gap"] = Fraction(0)  # as if other code agreed
        return changed

    trial = RecoveryRises(solve)(UnsureShelf((5,), ((2,),), 10, 20))
    assert failure in trial.failure
    assert bool(trial.failure) == bool(failure)


@pytest.mark.parametrize(
    ("blind", "seen", "failure"),
    [
        ((5, 3), (6, 3), ""),
        ((5, 3), (4, 3), "it gains 1 with inspection, 2 without"),
        ((5, 3), (4, 1), "what it buys is worth 4 with inspection, 5 without"),
        ((3, 5), (3, 4), "it loses 1 although it may read"),
    ],
)
def test_each_part_of_the_claim_on_inspection_is_looked_at(
    blind: tuple[int, int],
    seen: tuple[int, int],
    failure: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = TitledShelf((1,), (True,), (True,), 0, 2, 6)
    monkeypatch.setattr(
        TitledShelf, "play", lambda self, inspection, buyer: seen if inspection else blind
    )
    assert InspectionHelps()(case).failure.rstrip(".") == failure
