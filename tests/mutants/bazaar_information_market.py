"""Planted faults in the claims of bazaar on inspection and purchases; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from mechanisms.inspection import Shown, ToInspect
from mechanisms.market import BM25, IdealBuyer, KeywordBuyer, OneByOneBuyer
from papers.bazaar.checks.adapted_prices import (
    Maker,
    MakesQuality,
    Population,
    PricesUndoInspection,
    sell_at,
)
from papers.bazaar.checks.fixed_prices import (
    FixedPriceProof,
    InspectionAtAPrice,
    Sale,
    TitlesAndInspection,
    trade,
)
from papers.bazaar.checks.follow_ups import DepthNeverHurts, EvenBuyer, HopsReachAnswers
from papers.bazaar.checks.forgetting import Hoarder, NothingIsStolen, SharedMemory
from papers.bazaar.checks.ideal_buyers import BudgetIsKnapsack, OneCopyIsBought
from papers.bazaar.checks.purchase_rules import (
    OneByOneIsBest,
    PartsAreBought,
    RankBuysSomething,
    buy_by_rank,
)
from papers.bazaar.checks.vendor_retrieval import FewNeverSell, OwnOkapi, okapi_idf
from papers.bazaar.information_market import CLAIMS
from theory.claims import Check
from theory.games import Equilibrium, Game, pure_subgame_perfect
from theory.probability import Partition
from theory.ratings import AverageRatings, StrengthRatings, average_ratings, bradley_terry

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


# --- trades


def reader_keeps_what_it_read(space: Any, worth: Any, price: Any, known: Partition) -> Sale:
    sale = trade(space, worth, price, known)
    return Sale(sale.surplus, 0 * sale.seller) if known.count > 1 else sale


def last_block_is_bought_unseen(space: Any, worth: Any, price: Any, known: Partition) -> Sale:
    sale = trade(space, worth, price, known)
    value: Any = space.conditional_expectation(worth, known).by_block[-1]
    if known.count == 1 or value is None or value >= price:
        return sale
    chance: Any = space.probability(np.array([w in known.blocks[-1] for w in range(len(space))]))
    return Sale(sale.buyer + chance * (value - price), sale.seller + chance * price)


def second_block_pays_twice(space: Any, worth: Any, price: Any, known: Partition) -> Sale:
    sale = trade(space, worth, price, known)
    return sale if known.count == 1 else Sale(sale.buyer - sale.seller, 2 * sale.seller)


def titles_are_not_read(space: Any, worth: Any, price: Any, known: Partition) -> Sale:
    states = len(space)
    return trade(space, worth, price, known if known.count == states else Partition.trivial(states))


TRADES = (reader_keeps_what_it_read, last_block_is_bought_unseen, second_block_pays_twice)


# --- buyers


class LeavesTheLast(OneByOneBuyer):
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if each is not view.offers[0][-1]]


class LeavesTheFirst(OneByOneBuyer):
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if each is not view.offers[0][0]]


class TakesTheFirst(IdealBuyer):
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return view.offers[0][:1] if super().choose(view) else []


class SavesOfFourOrMore(IdealBuyer):
    """Keeps all but 2 where it has 4 or more."""

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        left = view.budget
        return super().choose(replace(view, budget=2 if left is None or left >= 4 else left))


class SecondThoughts(KeywordBuyer):
    """Stops, but takes the cheapest that it can pay rather than nothing."""

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        chosen = KeywordBuyer(self.corpus, stops=True).choose(view)
        cheapest = min(view.offers[0], key=lambda offer: offer.price)
        can_pay = view.budget is None or cheapest.price <= view.budget
        return chosen or ([cheapest] if can_pay else [])


def all_parts(worth: Any, prices: Sequence[int]) -> list[int]:
    del worth
    return [*range(len(prices))]


def no_part(worth: Any, prices: Sequence[int]) -> list[int]:
    del worth, prices
    return []


def all_but_the_last_part(worth: Any, prices: Sequence[int]) -> list[int]:
    return joint_choice(worth, prices)[:-1]


def joint_choice(worth: Any, prices: Sequence[int]) -> list[int]:
    every = [*range(len(prices))]
    return every if worth(every) > sum(prices) else []


def dearest_is_passed_over(prices: Sequence[int], budget: int, stops: bool) -> list[int]:
    return [k for k in buy_by_rank(prices, budget, stops) if prices[k] < 12]


def never_stops(prices: Sequence[int], budget: int, stops: bool) -> list[int]:
    del stops
    return buy_by_rank(prices, budget, False)


def stops_at_the_second(prices: Sequence[int], budget: int, stops: bool) -> list[int]:
    missed = [k for k in range(len(prices)) if k not in buy_by_rank(prices, budget, False)]
    end = missed[1] if stops and len(missed) > 1 else len(prices)
    return [k for k in buy_by_rank(prices, budget, False) if k < end]


def last_is_on_credit(prices: Sequence[int], budget: int, stops: bool) -> list[int]:
    return sorted({*buy_by_rank(prices, budget, stops), len(prices) - 1})


# --- follow-up questions


class NeverAsksOn(IdealBuyer):
    def __init__(self, corpus: Any, share: Fraction) -> None:
        del share
        super().__init__(corpus)

    def ask_on(self, view: Any) -> list[str]:
        del view
        return []


class AsksOnOnce(NeverAsksOn):
    """Asks on after the first question, not after one that followed."""

    def ask_on(self, view: Any) -> list[str]:
        return IdealBuyer.ask_on(self, view) if len(view.bought) < 2 else []


class AnswersAtOnce(NeverAsksOn):
    """Knows all answers."""

    def ask_on(self, view: Any) -> list[str]:
        return IdealBuyer.ask_on(self, view)

    def answer(self, view: Any) -> str:
        del view
        return f"n{len(self.corpus.passages)}"


def ideal(corpus: Any, share: Fraction) -> IdealBuyer:
    del share
    return IdealBuyer(corpus)


def at_least_the_dearest(corpus: Any, share: Fraction) -> EvenBuyer:
    return EvenBuyer(corpus, max(share, Fraction(3)))


# --- memories


class SharesTheSecondText(SharedMemory):
    """A thief that keeps the second text alone."""

    def __call__(self, ask: Any) -> object:
        answer = super().__call__(ask)
        if ask.role == "choose":
            self.hoard.pop(0, None)
        return answer


class ForgetsTheFirstText(Hoarder):
    """Decides as if it had not bought the first text."""

    def __call__(self, ask: Any) -> object:
        if ask.role != "answer":
            return super().__call__(ask)
        bought = [each for each in ask.view.bought if not each.name.endswith("0")]
        return super().__call__(replace(ask, view=replace(ask.view, bought=tuple(bought))))


# --- retrieval


def plus_one(passages: int, having: int) -> float:
    return log(1 + (passages - having + 0.5) / (having + 0.5))


def plus_one_from_two_passages(passages: int, having: int) -> float:
    return plus_one(passages, having) if passages > 1 else okapi_idf(passages, having)


def half_is_rare(passages: int, having: int) -> float:
    """Counts a word as rare that one of two passages has."""
    return 1.0 if (passages, having) == (2, 1) else okapi_idf(passages, having)


def with_idf(idf: Any) -> Any:
    return lambda above: OwnOkapi(above, idf)


def own_for_both() -> OwnOkapi:
    return OwnOkapi(0.0)


def above_one() -> BM25:
    return BM25(above=1.0)


# --- prices and qualities that adapt

Sold = tuple[Fraction, tuple[Fraction, ...]]


def what_is_read_is_kept(population: Population, price: Fraction, inspected: bool) -> Sold:
    revenue, gains = sell_at(population, price, inspected)
    return (revenue / 2 if inspected else revenue), gains


def last_type_does_not_read(population: Population, price: Fraction, inspected: bool) -> Sold:
    seen, blind = (sell_at(population, price, each) for each in (inspected, False))
    return seen[0], (*seen[1][:-1], blind[1][-1])


def first_type_trusts(population: Population, price: Fraction, inspected: bool) -> Sold:
    revenue, gains = sell_at(population, price, inspected)
    return revenue, ((gains[0] if inspected else gains[0] + 1), *gains[1:])


def always_inspected(case: Maker, inspected: bool) -> Game:
    del inspected
    return case.game(True)


def never_inspected(case: Maker, inspected: bool) -> Game:
    del inspected
    return case.game(False)


def one_unit_dearer(case: Maker, inspected: bool) -> Game:
    return Maker(case.worth, case.cost + inspected).game(inspected)


def free_from_the_second_price(case: Maker, inspected: bool) -> Game:
    return Maker(case.worth, 0 if case.worth > 1 else case.cost).game(inspected)


def no_equilibria(game: Game) -> tuple[Equilibrium, ...]:
    del game
    return ()


def all_but_the_last(game: Game) -> tuple[Equilibrium, ...]:
    return pure_subgame_perfect(game)[:-1]


# --- ratings


def twice_the_deviation(*given: Any, **named: Any) -> AverageRatings:
    found = average_ratings(*given, **named)
    return replace(found, deviation=tuple(2 * each for each in found.deviation))


def steady_in_long_records(games: Any, *given: Any, **named: Any) -> AverageRatings:
    found = average_ratings(games, *given, **named)
    share = 0.1 if len(games) > 100 else 1.0
    return replace(found, deviation=tuple(share * each for each in found.deviation))


def one_order(games: Any, rng: Any, orders: int) -> AverageRatings:
    del orders
    return average_ratings(games, rng, orders=1)


def last_game_is_lost(games: Any) -> StrengthRatings:
    return bradley_terry(games[:-1])


def error_of_one_player(games: Any) -> StrengthRatings:
    found = bradley_terry(games)
    return replace(found, standard_error=(found.standard_error[0], 0.0))


def of(claim_id: str, **changed: Any) -> Check:
    check: Check = replace(CHECKS[claim_id], **changed)
    return check


MUTANTS: dict[str, dict[str, Check]] = {
    "bazaar.inspection.fixed-price": {
        each.__name__: of("bazaar.inspection.fixed-price", predicate=InspectionAtAPrice(each))
        for each in TRADES
    },
    "bazaar.inspection.neutral": {
        each.__name__: of("bazaar.inspection.neutral", predicate=PricesUndoInspection(each))
        for each in (what_is_read_is_kept, last_type_does_not_read, first_type_trusts)
    },
    "bazaar.inspection.quality": {
        **{
            each.__name__: of("bazaar.inspection.quality", predicate=MakesQuality(game=each))
            for each in (
                always_inspected,
                never_inspected,
                one_unit_dearer,
                free_from_the_second_price,
            )
        },
        **{
            each.__name__: of("bazaar.inspection.quality", predicate=MakesQuality(each))
            for each in (no_equilibria, all_but_the_last)
        },
    },
    "bazaar.elo.orders": {
        **{
            each.__name__: of("bazaar.elo.orders", average=each)
            for each in (twice_the_deviation, steady_in_long_records, one_order)
        },
        **{
            each.__name__: of("bazaar.elo.orders", fit=each)
            for each in (last_game_is_lost, error_of_one_player)
        },
    },
    "bazaar.inspection.titles": {
        each.__name__: of("bazaar.inspection.titles", predicate=TitlesAndInspection(each))
        for each in (titles_are_not_read, last_block_is_bought_unseen)
    },
    "bazaar.forget": {
        **{
            each.__name__: of("bazaar.forget", predicate=NothingIsStolen(each))
            for each in (SharedMemory, SharesTheSecondText, ForgetsTheFirstText)
        },
        **{
            f"{each.__name__} as thief": of("bazaar.forget", predicate=NothingIsStolen(thief=each))
            for each in (Hoarder, SharesTheSecondText)
        },
    },
    "bazaar.rational-choice": {
        each.__name__: of("bazaar.rational-choice", predicate=OneCopyIsBought(each))
        for each in (OneByOneBuyer, TakesTheFirst, KeywordBuyer)
    },
    "bazaar.budget": {
        each.__name__: of("bazaar.budget", predicate=BudgetIsKnapsack(each))
        for each in (OneByOneBuyer, SavesOfFourOrMore, KeywordBuyer)
    },
    "bazaar.hops": {
        each.__name__: of("bazaar.hops", predicate=HopsReachAnswers(each))
        for each in (NeverAsksOn, AsksOnOnce, AnswersAtOnce, EvenBuyer)
    },
    "bazaar.hops.even": {
        each.__name__: of("bazaar.hops.even", predicate=DepthNeverHurts(each))
        for each in (ideal, at_least_the_dearest)
    },
    "bazaar.one-by-one": {
        each.__name__: of("bazaar.one-by-one", predicate=OneByOneIsBest(each))
        for each in (KeywordBuyer, LeavesTheFirst, LeavesTheLast)
    },
    "bazaar.one-by-one.distinct": {
        each.__name__: of("bazaar.one-by-one.distinct", predicate=OneByOneIsBest(each, True))
        for each in (KeywordBuyer, LeavesTheFirst, LeavesTheLast)
    },
    "bazaar.one-by-one.parts": {
        each.__name__: of("bazaar.one-by-one.parts", predicate=PartsAreBought(each))
        for each in (all_parts, no_part, all_but_the_last_part)
    },
    "bazaar.greedy": {
        each.__name__: of("bazaar.greedy", predicate=RankBuysSomething(each))
        for each in (KeywordBuyer, SecondThoughts)
    },
    "bazaar.greedy.shares": {
        each.__name__: of("bazaar.greedy.shares", buy=each)
        for each in (
            never_stops,
            stops_at_the_second,
            last_is_on_credit,
            dearest_is_passed_over,
        )
    },
    "bazaar.vendor-bm25": {
        **{
            idf.__name__: of("bazaar.vendor-bm25", predicate=FewNeverSell(with_idf(idf)))
            for idf in (plus_one, plus_one_from_two_passages, half_is_rare)
        },
        **{
            each.__name__: of("bazaar.vendor-bm25", predicate=FewNeverSell(positive=each))
            for each in (own_for_both, above_one)
        },
    },
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    "bazaar.inspection.fixed-price": {
        each.__name__: of("bazaar.inspection.fixed-price", prove=FixedPriceProof(each))
        for each in TRADES
    },
}

REPAIRED: dict[str, dict[str, Check]] = {
    "bazaar.one-by-one": {
        "IdealBuyer": of("bazaar.one-by-one", predicate=OneByOneIsBest(IdealBuyer))
    },
    "bazaar.one-by-one.parts": {
        "joint_choice": of("bazaar.one-by-one.parts", predicate=PartsAreBought(joint_choice))
    },
}
