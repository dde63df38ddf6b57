"""Planted faults in the claims of bazaar on titles of shelves and prices of markets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from papers.bazaar.checks.crowds import ApartIsBest
from papers.bazaar.checks.titled_shelves import RecoveryRises, RevenueIsMonotone
from papers.bazaar.market_prices import CLAIMS
from theory.claims import Check
from theory.purchases import BestPrices, Outcome, TitleValues, best_prices, title_values

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


# --- titles


def right_titles_are_not_read(*given: Any) -> TitleValues:
    found = title_values(*given)
    return replace(found, titled=(found.blind, *found.titled[1:]))


def titles_that_say_nothing_are_read(*given: Any) -> TitleValues:
    found = title_values(*given)
    return replace(found, titled=(*found.titled[:4], found.titled[0], *found.titled[5:]))


def two_errors_are_exchanged(*given: Any) -> TitleValues:
    found = title_values(*given)
    first, second, third, *rest = found.titled
    return replace(found, titled=(first, third, second, *rest))


def a_budget_is_not_kept(*given: Any) -> TitleValues:
    found = title_values(*given[:-1])
    return replace(found, shelf=title_values(*given).shelf)


def inspection_costs_something(*given: Any) -> TitleValues:
    found = title_values(*given)
    less = Outcome(found.seen.gain * Fraction(9, 10), found.seen.revenue)
    return replace(found, seen=less)


def revenue_of_the_blind(*given: Any) -> TitleValues:
    found = title_values(*given)
    return replace(found, titled=(found.blind,) * len(found.titled))


def revenues_in_order(*given: Any) -> TitleValues:
    found = title_values(*given)
    return replace(found, titled=tuple(sorted(found.titled, key=lambda each: each.revenue)))


# --- prices


def as_prices(found: BestPrices, prices: tuple[Fraction, ...]) -> BestPrices:
    menus = tuple((price,) for price in prices)
    return replace(best_prices(found.chances, found.customers, menus), menus=found.menus)


def least_prices(*given: Any) -> BestPrices:
    found = best_prices(*given)
    return as_prices(found, tuple(menu[0] for menu in found.menus))


def last_customer_is_not_seen(chances: Any, customers: Any, menus: Any) -> BestPrices:
    found = best_prices(chances, customers, menus)
    return as_prices(found, best_prices(chances, customers[:1], menus).prices)


def last_price_is_the_least(*given: Any) -> BestPrices:
    found = best_prices(*given)
    return as_prices(found, (*found.prices[:-1], found.menus[-1][0]))


def revenue_is_what_is_gained(*given: Any) -> BestPrices:
    found = best_prices(*given)
    return replace(found, revenue=found.gain)


def of(claim_id: str, **changed: Any) -> Check:
    check: Check = replace(CHECKS[claim_id], **changed)
    return check


SOLVERS = (least_prices, last_price_is_the_least, revenue_is_what_is_gained)

MUTANTS: dict[str, dict[str, Check]] = {
    "bazaar.titles.recovered": {
        each.__name__: of("bazaar.titles.recovered", predicate=RecoveryRises(each))
        for each in (
            right_titles_are_not_read,
            titles_that_say_nothing_are_read,
            two_errors_are_exchanged,
            a_budget_is_not_kept,
            inspection_costs_something,
        )
    },
    "bazaar.titles.revenue": {
        each.__name__: of("bazaar.titles.revenue", predicate=RevenueIsMonotone(each))
        for each in (revenue_of_the_blind, revenues_in_order)
    },
    "bazaar.menu.apart": {
        each.__name__: of("bazaar.menu.apart", predicate=ApartIsBest(each))
        for each in (*SOLVERS, last_customer_is_not_seen)
    },
    "bazaar.menu.apart.distinct": {
        each.__name__: of(
            "bazaar.menu.apart.distinct", predicate=ApartIsBest(each, distinct=True, rich=True)
        )
        for each in SOLVERS
    },
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {}

REPAIRED: dict[str, dict[str, Check]] = {
    "bazaar.menu.apart": {
        "distinct and rich": of(
            "bazaar.menu.apart", predicate=ApartIsBest(distinct=True, rich=True)
        )
    },
}
