"""Planted faults in the claims of arena; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from papers.arena import CLAIMS
from papers.arena.checks.clocks import DearerFirst
from papers.arena.checks.listings import LogFollowsRules, MeansAreConsistent, ProfitsReplay
from papers.arena.checks.noise_floor import IdenticalBidders
from papers.arena.checks.replies import (
    AheadToo,
    BundleLoses,
    Drain,
    EarnsTheBudget,
    NeverLoses,
    NoEquilibrium,
    WithinSlack,
)
from papers.arena.checks.rule_bidders import (
    UNIFORM,
    BoundOnProfits,
    CurseAtBudgets,
    OrderEffect,
    PriceOfEstimates,
    PriceOfTwo,
    SeatsAlike,
)
from papers.arena.checks.selection import LossOfWinner, PriceIsSecond
from papers.arena.printed import LISTING_1, LoggedItem
from theory.ascending import (
    TIE_RULES,
    AuctionLaw,
    AuctionSetting,
    BestReply,
    ClockSale,
    EstimateRule,
    LimitRule,
    PrivateValues,
    ProfitAndRank,
    Situation,
    Tie,
    TieRule,
    best_reply,
    clock_sale,
    exact_auction,
)
from theory.claims import Check
from theory.ratings import (
    NoiseFloor,
    Scores,
    SkillRatings,
    TrueSkill,
    noise_floor,
    trueskill_ratings,
)
from theory.search import Draw, Family

__all__ = ["MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


def mutants(claim_id: str, **predicates: Any) -> dict[str, Check]:
    check = CHECKS[claim_id]
    return {name: replace(check, predicate=predicate) for name, predicate in predicates.items()}


# --- auctions


def unsold_items_get_cheaper(*arguments: Any, **options: Any) -> AuctionLaw:
    return exact_auction(*arguments, **options, discounts=1)


def one_more_to_spend(items: Any, rules: Any, budgets: Any, **options: Any) -> AuctionLaw:
    return exact_auction(items, rules, budgets + 1, **options)


def last_seat_has_more(items: Any, rules: Any, budgets: Any, **options: Any) -> AuctionLaw:
    each = [budgets] * (len(rules) - 1)
    return exact_auction(items, rules, [*each, budgets + 1], **options)


def strictness_flipped(items: Any, rules: Any, budgets: Any) -> AuctionLaw:
    flipped = [EstimateRule(rule.over, not rule.strict) for rule in rules]
    return exact_auction(items, flipped, budgets)


def last_seat_doubts(items: Any, rules: Any, budgets: Any) -> AuctionLaw:
    """With two bidders the price is then below the estimate of the first."""
    changed = [*rules[:-1], EstimateRule(rules[-1].over - Fraction(1, 4))]
    return exact_auction(items, changed, budgets)


def first_seat_leads(*arguments: Any) -> AuctionLaw:
    return exact_auction(*arguments, ties="first")


def last_seat_bids_once_more(items: Any, rules: Any, budgets: Any) -> AuctionLaw:
    return exact_auction(items, [*rules[:-1], LimitRule(rules[-1].limit + 1)], budgets)


def last_seat_bids_beyond_its_values(
    items: Any, rules: Any, budgets: Any, **options: Any
) -> AuctionLaw:
    beyond = [PrivateValues([v + 2 for v in rule.values]) for rule in rules]
    return exact_auction(items, beyond, budgets, **options)


def third_never_leads(tie: Tie) -> list[Fraction]:
    among = [seat for seat in tie.tied if seat < 2] or list(tie.tied)
    return [Fraction(seat in among, len(among)) for seat in tie.tied]


# --- replies


def generous(*arguments: Any, **options: Any) -> BestReply:
    reply = best_reply(*arguments, **options)
    return replace(reply, values=(reply.value + 1, *reply.values[1:]))


def generous_to_the_second(setting: AuctionSetting, seat: int) -> BestReply:
    return (generous if seat else best_reply)(setting, seat)


def generous_to_rank(setting: AuctionSetting, seat: int, objective: ProfitAndRank) -> BestReply:
    return (generous if objective.rank_first else best_reply)(setting, seat, objective=objective)


def profit_alone(setting: AuctionSetting, seat: int, objective: ProfitAndRank) -> BestReply:
    """The same reply for both objectives."""
    reply = best_reply(setting, seat, objective=ProfitAndRank())
    return replace(reply, values=reply.values[::-1]) if objective.rank_first else reply


def idle(setting: AuctionSetting) -> Callable[[Situation], int | None]:
    """Against two rivals; among three there is too much to compute that happens without it."""
    return Drain(setting) if len(setting.seats) > 3 else lambda now: None


def drains_only_the_first(setting: AuctionSetting) -> Callable[[Situation], int | None]:
    """Against two rivals, one of them keeps its money."""
    drain = Drain(setting)
    return lambda now: drain(now) if now.item != 1 or len(now.budgets) > 3 else None


def leaves_the_third(setting: AuctionSetting) -> Callable[[Situation], int | None]:
    """Against three rivals, one of them keeps its money."""
    drain = Drain(setting)
    return lambda now: drain(now) if now.item != 2 or len(now.budgets) < 4 else None


# --- clocks


def other_order(values: Any, budgets: Any, ties: str) -> ClockSale:
    return clock_sale(values[::-1], budgets, ties)


def second_item_is_kept(values: Any, budgets: Any, ties: str) -> ClockSale:
    """Only the first price is counted."""
    sale = clock_sale(values, budgets, ties)
    return replace(sale, revenue=-sale.price)


# --- noise


def highest_of_uniforms(bidders: int) -> Fraction:
    return Fraction(bidders, bidders + 1)


def second_of_one_fewer(bidders: int) -> Fraction:
    return Fraction(bidders - 2, bidders)


def repaired_listing(draw: Draw, _number: int) -> LoggedItem:
    del draw
    return LISTING_1[2]


SOUND_LOG: Family[LoggedItem] = Family(
    description="the third item, with money for all",
    level_name="item",
    levels=(3,),
    build=repaired_listing,
    size=lambda _item: (0,),
)
RICH = ((1, 20_000), (2, 20_000), (3, 20_000))


def floor_of_many_games(players: int, games: int, **options: Any) -> NoiseFloor:
    return noise_floor(players, max(games, 100), **options)


def rated_in_one_order(games: Sequence[Scores]) -> SkillRatings:
    return trueskill_ratings(sorted(games, key=str))


def rated_with_more_luck(games: Sequence[Scores]) -> SkillRatings:
    return trueskill_ratings(games, TrueSkill(beta=25))


MUTANTS: dict[str, dict[str, Check]] = {
    "arena.trueskill.floor": {
        "games": IdenticalBidders(floor=floor_of_many_games),
        "sorted": IdenticalBidders(rate=rated_in_one_order),
        "noisy": IdenticalBidders(rate=rated_with_more_luck),
    },
    "arena.bound": mutants(
        "arena.bound",
        cheaper=BoundOnProfits(unsold_items_get_cheaper),
        richer=BoundOnProfits(one_more_to_spend),
    ),
    "arena.curse": mutants(
        "arena.curse",
        flipped=PriceOfEstimates(strictness_flipped),
        doubts=PriceOfEstimates(last_seat_doubts),
    ),
    "arena.curse.budget": mutants(
        "arena.curse.budget",
        unbiased=CurseAtBudgets(Fraction(0)),
        twice=CurseAtBudgets(Fraction(1, 5)),
        rich=CurseAtBudgets(auction=one_more_to_spend, over=Fraction(1, 2)),
    ),
    "arena.curse.selection": mutants(
        "arena.curse.selection",
        highest=LossOfWinner(highest_of_uniforms),
        fewer=LossOfWinner(second_of_one_fewer),
    ),
    "arena.curse.price": mutants(
        "arena.curse.price",
        exactly=PriceIsSecond(within=(0,)),
        beyond=PriceIsSecond(last_seat_bids_beyond_its_values),
    ),
    "arena.rule-price": mutants(
        "arena.rule-price",
        first=PriceOfTwo(first_seat_leads),
        more=PriceOfTwo(last_seat_bids_once_more),
    ),
    "arena.ties": mutants(
        "arena.ties", first=SeatsAlike(TIE_RULES["first"]), last=SeatsAlike(TIE_RULES["last"])
    ),
    "arena.ties.uniform": mutants(
        "arena.ties.uniform",
        third=SeatsAlike(TieRule("third", third_never_leads)),
        redrawn=SeatsAlike(TIE_RULES["redrawn"]),
        richer=SeatsAlike(UNIFORM, last_seat_has_more),
    ),
    "arena.order.rule": mutants(
        "arena.order.rule",
        early=OrderEffect(((10_000, -1), (20_000, -1), (40_000, 0))),
        late=OrderEffect(((10_000, 1), (20_000, -1), (40_000, 1))),
    ),
    "arena.order.benoit-krishna": mutants(
        "arena.order.benoit-krishna",
        other=DearerFirst("coin", other_order),
        kept=DearerFirst("coin", second_item_is_kept),
    ),
    "arena.order.benoit-krishna.poor": mutants(
        "arena.order.benoit-krishna.poor",
        other=DearerFirst("poorer", other_order),
        kept=DearerFirst("poorer", second_item_is_kept),
    ),
    "arena.order.richer": mutants("arena.order.richer", other=DearerFirst("richer", other_order)),
    "arena.straightforward": mutants(
        "arena.straightforward", generous=WithinSlack(Fraction(0), generous)
    ),
    "arena.straightforward.half": mutants(
        "arena.straightforward.half",
        generous=WithinSlack(Fraction(1, 2), generous_to_the_second),
        quarter=WithinSlack(Fraction(1, 4)),
    ),
    "arena.budget-drain": mutants("arena.budget-drain", none=WithinSlack(Fraction(0))),
    "arena.budget-drain.ties": mutants(
        "arena.budget-drain.ties",
        small=NoEquilibrium(largest=1),
        slack=NoEquilibrium(largest=2, slack=Fraction(3)),
    ),
    "arena.best-reply": mutants(
        "arena.best-reply",
        idle=EarnsTheBudget(idle),
        first=EarnsTheBudget(drains_only_the_first),
        third=EarnsTheBudget(leaves_the_third),
        generous=EarnsTheBudget(reply=generous),
        money=EarnsTheBudget(bound=lambda setting: setting.budgets[0]),
    ),
    "arena.rank-objective": mutants("arena.rank-objective", generous=AheadToo(generous_to_rank)),
    "arena.exposure": mutants(
        "arena.exposure", beyond=NeverLoses(last_seat_bids_beyond_its_values)
    ),
    "arena.exposure.complements": mutants(
        "arena.exposure.complements", careful=BundleLoses(exposed=False)
    ),
    "arena.log-listing-1": mutants("arena.log-listing-1", rich=LogFollowsRules(RICH)),
    "arena.log-listing-1.profits": mutants(
        "arena.log-listing-1.profits",
        second=ProfitsReplay(((1, 500), (2, 700), (3, 0))),
        third=ProfitsReplay(((1, 500), (2, 800), (3, 1000))),
    ),
    "arena.table-2": mutants(
        "arena.table-2", games=MeansAreConsistent(games=3), bound=MeansAreConsistent(bound=20_000)
    ),
}

REPAIRED: dict[str, dict[str, Check]] = {
    "arena.ties": mutants("arena.ties", uniform=SeatsAlike(UNIFORM)),
    "arena.order.benoit-krishna": mutants(
        "arena.order.benoit-krishna", poorer=DearerFirst("poorer")
    ),
    "arena.order.richer": mutants("arena.order.richer", poorer=DearerFirst("poorer")),
    "arena.straightforward": mutants("arena.straightforward", half=WithinSlack(Fraction(1, 2))),
    "arena.budget-drain": mutants("arena.budget-drain", two=WithinSlack(Fraction(2))),
    "arena.rank-objective": mutants("arena.rank-objective", profit=AheadToo(profit_alone)),
    "arena.log-listing-1": {
        "sound": replace(
            CHECKS["arena.log-listing-1"], family=SOUND_LOG, predicate=LogFollowsRules(RICH)
        )
    },
}
